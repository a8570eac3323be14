"""A plugin in a folder that is a marketplace too, in the form of Claude Code, which Codex loads as well.

Codex expands no variable in a plugin's servers, so that the program is named bare there.
"""

from __future__ import annotations

import json
import os
import re

from harkback import errors
from harkback.agents import claude_code, files, parts
from harkback.agents.files import Change
from harkback.agents.program import SERVER, Wanted, is_server

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

NAME = "hark"
MARKET = "harkback"
_COMMAND = re.compile(r'"command": *"([^"]*)"')
_SAYS = "The memory of your coding agents: past sessions found in one call, facts remembered."


def planned(folder: str, version: str, *, context: bool) -> list[Change]:
    """Say what would be written. Raises SettingsUnfit, SettingsReadOnly."""
    base = os.path.abspath(folder)
    wanted = Wanted(context=context)
    hooks = {edit.event: [{"hooks": [edit.handler]}] for edit in claude_code.hooks(wanted, parts.END_TIMEOUT_S)}
    author = {"name": "harkback"}
    about: dict[str, Any] = {"name": NAME, "version": version, "description": _SAYS, "author": author, "license": "MIT"}
    own = {"name": NAME, "source": f"./plugins/{NAME}", "description": _SAYS, "version": version}
    market = {"name": MARKET, "owner": author, "metadata": {"description": _SAYS}, "plugins": [own]}
    plugin = os.path.join(base, "plugins", NAME)
    texts = {
        os.path.join(base, ".claude-plugin", "marketplace.json"): _json(market),
        os.path.join(plugin, ".claude-plugin", "plugin.json"): _json(about),
        os.path.join(plugin, "README.md"): parts.data("plugin.md"),
        os.path.join(plugin, "hooks", "hooks.json"): _json({"hooks": hooks}),
        os.path.join(plugin, ".mcp.json"): _json({"mcpServers": {SERVER: claude_code.server(wanted)}}),
        os.path.join(plugin, "skills", NAME, "SKILL.md"): parts.data("SKILL.md"),
    }
    _check_ours(base, texts)
    found = [Change(path, files.read(path), text.encode()) for path, text in texts.items()]
    for change in found:
        files.check_writable(change.path, "plugin")
    return [one for one in found if one.old != one.new]


def _check_ours(base: str, texts: Mapping[str, str]) -> None:
    """See that a folder holds nothing, or our plugin of this or another version. Raises SettingsUnfit."""
    market = files.read(os.path.join(base, ".claude-plugin", "marketplace.json"))
    for folder, _, names in os.walk(base):
        for path in (os.path.join(folder, name) for name in names):
            if path.endswith(".hark-new"):
                continue
            if path not in texts:
                is_ours = _is_market(market)
            else:
                old = files.read(path) or b""
                is_ours = old == texts[path].encode() or (_is_market(market) and _is_older(path, old))
            if not is_ours:
                raise errors.SettingsUnfit(
                    path, "a plugin gets a folder of its own, and this is a file of somebody else"
                )


def _is_market(data: bytes | None) -> bool:
    """Whether a list of plugins is ours, with our plugin alone."""
    told = _told(data or b"")
    own = told.get("plugins")
    names = [one.get("name") for one in own if isinstance(one, dict)] if isinstance(own, list) else []
    return told.get("name") == MARKET and names == [NAME]


def _is_older(path: str, data: bytes) -> bool:
    """Whether a file of the plugin was written by another version of us: it names nobody else."""
    name, told = os.path.basename(path), _told(data)
    match name:
        case "marketplace.json":
            return _is_market(data)
        case "plugin.json":
            return told.get("name") == NAME and told.get("author") == {"name": MARKET}
        case ".mcp.json":
            servers = told.get("mcpServers")
            return isinstance(servers, dict) and list(servers) == [SERVER] and is_server(servers[SERVER])
        case "hooks.json":
            return list(told) == ["hooks"] and set(_COMMAND.findall(data.decode("utf-8", "replace"))) == {Wanted().hook}
        case "SKILL.md":
            return b"Written by `hark setup`" in data
    return data.startswith(b"# hark\n")


def _told(data: bytes) -> dict[str, Any]:
    try:
        told = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
