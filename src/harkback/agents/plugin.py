"""A plugin in a folder that is a marketplace too, in the form of Claude Code, which Codex loads as well.

Codex expands no variable in a plugin's servers, so that the program is named bare there.
"""

from __future__ import annotations

import json
import os

from harkback.agents import claude_code, files, parts
from harkback.agents.files import Change
from harkback.agents.program import SERVER, Wanted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NAME = "hark"
MARKET = "harkback"
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
    found = [Change(path, files.read(path), text.encode()) for path, text in texts.items()]
    for change in found:
        files.check_writable(change.path, "plugin")
    return [one for one in found if one.old != one.new]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
