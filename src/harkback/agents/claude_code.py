"""Claude Code: settings.json with hooks, CLAUDE.md, skills, and servers in .claude.json (measured with 2.1)."""

from __future__ import annotations

import os

from harkback.agents import parts
from harkback.agents.json_edits import Hook, Server
from harkback.agents.program import SERVER, Agent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harkback.agents.program import Part, Wanted, Where


def hooks(wanted: Wanted, end_timeout_s: int = parts.HOOK_TIMEOUT_S) -> list[Hook]:
    """Give the hooks in the form that Codex takes as well."""
    events = {"UserPromptSubmit": parts.HOOK_TIMEOUT_S, "SessionEnd": end_timeout_s}
    if wanted.context:
        events["SessionStart"] = parts.HOOK_TIMEOUT_S
    return [
        Hook(event, {"type": "command", "command": wanted.hook, "timeout": limit}, wanted.lines)
        for event, limit in events.items()
    ]


def server(wanted: Wanted) -> dict[str, Any]:
    """Give the server's entry; without `alwaysLoad` its tools are found only by a search for tools."""
    env = {"env": dict(wanted.env)} if wanted.env else {}
    return {"type": "stdio", "command": wanted.program, "args": ["mcp"], **env, "alwaysLoad": True}


def _folder(where: Where) -> str:
    return where.folder("CLAUDE_CONFIG_DIR", ".claude")


def _parts(where: Where, wanted: Wanted) -> list[Part]:
    folder = _folder(where)
    found = [
        parts.settings(os.path.join(folder, "settings.json"), hooks(wanted)),
        parts.rule(os.path.join(folder, "CLAUDE.md"), wanted),
        parts.skill(os.path.join(folder, "skills"), wanted),
    ]
    if wanted.mcp:
        # The file with the servers lies beside the folder, and in it where the folder was moved.
        above = folder if where.env.get("CLAUDE_CONFIG_DIR") else where.home
        edits = [Server(("mcpServers", SERVER), server(wanted))]
        found.append(parts.settings(os.path.join(above, ".claude.json"), edits))
    return found


AGENT = Agent("claude-code", "Claude Code", "claude", _folder, _parts)
