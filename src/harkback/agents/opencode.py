"""opencode: a plugin, opencode.json or opencode.jsonc, AGENTS.md and skills (measured with 1.18)."""

from __future__ import annotations

import os

from harkback.agents import parts
from harkback.agents.json_edits import Server
from harkback.agents.program import SERVER, Agent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harkback.agents.program import Part, Wanted, Where


def _folder(where: Where) -> str:
    return os.path.join(where.folder("XDG_CONFIG_HOME", ".config"), "opencode")


def _settings(folder: str) -> str:
    """Name the file of settings that is there, the one that opencode itself would make where none is."""
    names = ("opencode.json", "opencode.jsonc")
    paths = [os.path.join(folder, name) for name in names]
    return next(filter(os.path.exists, paths), paths[0])


def _parts(where: Where, wanted: Wanted) -> list[Part]:
    folder = _folder(where)
    found = [
        parts.script(os.path.join(folder, "plugins", "hark.ts"), "opencode.ts", wanted),
        parts.rule(os.path.join(folder, "AGENTS.md"), wanted),
        parts.skill(os.path.join(folder, "skills"), wanted),
    ]
    if wanted.mcp:
        env = {"environment": dict(wanted.env)} if wanted.env else {}
        value = {"type": "local", "command": [wanted.program, "mcp"], **env, "enabled": True}
        found.append(parts.settings(_settings(folder), [Server(("mcp", SERVER), value)]))
    return found


AGENT = Agent("opencode", "opencode", "opencode", _folder, _parts)
