"""Pi: an extension, mcp.json, AGENTS.md and skills (measured with 1.6)."""

from __future__ import annotations

import os

from harkback.agents import parts
from harkback.agents.json_edits import Server
from harkback.agents.program import SERVER, Agent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harkback.agents.program import Part, Wanted, Where


def _folder(where: Where) -> str:
    return where.folder("PI_CODING_AGENT_DIR", ".pi", "agent")


def _parts(where: Where, wanted: Wanted) -> list[Part]:
    folder = _folder(where)
    found = [
        parts.script(os.path.join(folder, "extensions", "hark.ts"), "pi.ts", wanted),
        parts.rule(os.path.join(folder, "AGENTS.md"), wanted),
        parts.skill(os.path.join(folder, "skills"), wanted),
    ]
    if wanted.mcp:
        env = {"env": dict(wanted.env)} if wanted.env else {}
        value = {"command": wanted.program, "args": ["mcp"], **env, "exposure": "direct"}
        found.append(parts.settings(os.path.join(folder, "mcp.json"), [Server(("mcpServers", SERVER), value)]))
    return found


AGENT = Agent("pi", "Pi", "pi", _folder, _parts)
