"""Gemini CLI: settings.json with hooks and servers, GEMINI.md and skills (measured with 0.61)."""

from __future__ import annotations

import os

from harkback.agents import parts
from harkback.agents.json_edits import Hook, Server
from harkback.agents.program import SERVER, Agent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harkback.agents.json_edits import Edit
    from harkback.agents.program import Part, Wanted, Where


def edits(wanted: Wanted, prompt: str) -> list[Edit]:
    """Give what goes into settings.json, as Qwen Code takes it too; a hook's timeout is in milliseconds there."""
    events = [prompt, "SessionEnd", *(["SessionStart"] if wanted.context else [])]
    limit = parts.HOOK_TIMEOUT_S * 1000
    found: list[Edit] = [
        Hook(event, {"type": "command", "name": "hark", "command": wanted.hook, "timeout": limit}, wanted.lines)
        for event in events
    ]
    if wanted.mcp:
        env = {"env": dict(wanted.env)} if wanted.env else {}
        found.append(Server(("mcpServers", SERVER), {"command": wanted.program, "args": ["mcp"], **env}))
    return found


def _folder(where: Where) -> str:
    return os.path.join(where.folder("GEMINI_CLI_HOME"), ".gemini")


def _parts(where: Where, wanted: Wanted) -> list[Part]:
    folder = _folder(where)
    return [
        parts.settings(os.path.join(folder, "settings.json"), edits(wanted, "BeforeAgent")),
        parts.rule(os.path.join(folder, "GEMINI.md"), wanted),
        parts.skill(os.path.join(folder, "skills"), wanted),
    ]


AGENT = Agent("gemini", "Gemini CLI", "gemini", _folder, _parts)
