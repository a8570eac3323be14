"""Copilot CLI: a file of hooks, mcp-config.json, instructions and skills (measured with 1.0)."""

from __future__ import annotations

import json
import os

from harkback.agents import parts
from harkback.agents.json_edits import Server
from harkback.agents.program import SERVER, Agent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harkback.agents.program import Part, Wanted, Where


def _folder(where: Where) -> str:
    return where.folder("COPILOT_HOME", ".copilot")


def _hooks(wanted: Wanted) -> str:
    events = ["userPromptSubmitted", "sessionEnd", *(["sessionStart"] if wanted.context else [])]
    handler = {"type": "command", "bash": wanted.hook, "powershell": wanted.hook, "timeoutSec": parts.HOOK_TIMEOUT_S}
    text = json.dumps({"version": 1, "hooks": {event: [handler] for event in events}}, ensure_ascii=False, indent=2)
    return f"{text}\n"


def _parts(where: Where, wanted: Wanted) -> list[Part]:
    folder = _folder(where)
    found = [
        parts.own(os.path.join(folder, "hooks", "hark.json"), "prompt hook", _hooks(wanted)),
        parts.rule(os.path.join(folder, "copilot-instructions.md"), wanted),
        parts.skill(os.path.join(folder, "skills"), wanted),
    ]
    if wanted.mcp:
        env = {"env": dict(wanted.env)} if wanted.env else {}
        value = {"type": "local", "command": wanted.program, "args": ["mcp"], **env, "tools": ["*"]}
        edits = [Server(("mcpServers", SERVER), value)]
        found.append(parts.settings(os.path.join(folder, "mcp-config.json"), edits))
    return found


AGENT = Agent("copilot", "Copilot CLI", "copilot", _folder, _parts)
