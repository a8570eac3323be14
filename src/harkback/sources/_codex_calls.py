"""What of a Codex tool call is worth finding.

Shapes of the arguments: codex-rs/protocol/src/models.rs and files of 0.55 to 0.171. The language of patches:
codex-rs/apply-patch.
"""

from __future__ import annotations

import re

import orjson

from harkback.model import CALLS, More, Part
from harkback.sources._calls import call
from harkback.sources._values import head, string
from harkback.text.clean import clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# fmt: off
_TOOLS = frozenset(
    {
        "exec_command", "image_generation", "local_shell", "shell", "shell_command", "tool_search",
        "view_image", "web_search", "write_stdin",
    }
)
# fmt: on
_SHELLS = frozenset({"bash", "sh", "zsh", "powershell", "pwsh", "cmd", "cmd.exe"})
_PATCH = "*** Begin Patch"
_FILE = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$", re.MULTILINE)
_CHANGED = re.compile(r"^[+-](?![+-]{2} ).*$", re.MULTILINE)
_FIRST_LINES = 6
_FIRST_CHARS = 600
_PATH_CHARS = 1000
_SPAWN = "spawn_agent"


def made_call(item: dict[str, Any], *, full: bool) -> tuple[str, Part | None, More | None]:
    """Read a call: the tool's name, its searchable part (None if it tells nothing), and what it asks for."""
    kind = item.get("type")
    tool = _tool(item)
    arguments = _arguments(item, string(kind))
    patch = arguments.get("input") if tool == "apply_patch" else arguments.get("command")
    if type(patch) is str and _PATCH in patch:
        return tool, _patch(tool, patch, arguments if full else None), None
    more = None
    if full and tool == _SPAWN:
        more = More(agent_type=string(arguments.get("agent_type")), agent_model=string(arguments.get("model")))
    return tool, call(tool, arguments, _TOOLS, full=full), more


def _tool(item: dict[str, Any]) -> str:
    """Name a tool as other agents do: those of MCP servers as `mcp__<server>__<tool>`."""
    name, namespace = string(item.get("name")), string(item.get("namespace"))
    if name:
        return clean(f"{namespace}__{name}" if namespace.startswith("mcp__") else name)
    return clean(string(item.get("type")).removesuffix("_call"))


def _arguments(item: dict[str, Any], kind: str) -> dict[str, Any]:
    """Read the arguments, which stand in another place and shape for each kind of call."""
    value = item.get("arguments")
    if type(value) is str:
        try:
            value = orjson.loads(value)
        except ValueError:
            value = {"input": value}
    if kind == "custom_tool_call":
        value = {"input": item.get("input")}
    elif kind in ("local_shell_call", "web_search_call"):
        value = item.get("action")
    elif kind == "image_generation_call":
        value = {"prompt": item.get("revised_prompt")}
    if type(value) is not dict:
        return {}
    if type(value.get("command")) is list:
        value = {**value, "command": command_of(value["command"])}
    return value


def command_of(value: Any) -> str:
    """Write a command as it would be typed: of `["bash", "-lc", "ls"]` the last."""
    if type(value) is not list:
        return string(value)
    words = [word for word in value if type(word) is str]
    if len(words) > 2 and words[0].replace("\\", "/").rpartition("/")[2] in _SHELLS and words[1].startswith(("-", "/")):  # noqa: PLR2004 - shell, switch, command
        return words[-1]
    return " ".join(words)


def _patch(tool: str, patch: str, arguments: dict[str, Any] | None) -> Part:
    """Make the searchable text of a patch: its files and the first lines that it changes."""
    files = [clean(head(path, _PATH_CHARS)).strip() for path in _FILE.findall(patch)]
    lines = [line[1:].strip() for line in _CHANGED.findall(head(patch, 1 << 16))]
    changed = head("\n".join([line for line in lines if line][:_FIRST_LINES]), _FIRST_CHARS)
    text = clean("\n".join([f"{tool} " + " ".join(files), changed])).strip()
    return Part(CALLS, text, tool, tuple(dict.fromkeys(files)), args=arguments)
