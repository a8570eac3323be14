"""Codex: hooks.json, AGENTS.md, skills, and servers in config.toml (measured with 0.171)."""

from __future__ import annotations

import os

from harkback.agents import claude_code, files, json_edits, parts
from harkback.agents.program import Agent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harkback.agents.program import Part, Wanted, Where

HOOKS = "hooks.json"
SETTINGS = "config.toml"
_EVENTS = {"UserPromptSubmit": "user_prompt_submit", "SessionEnd": "session_end", "SessionStart": "session_start"}
"""How Codex calls events in the keys under which it keeps trust."""


def folder(where: Where) -> str:
    """Name the folder of Codex's settings."""
    return where.folder("CODEX_HOME", ".codex")


def _parts(where: Where, wanted: Wanted) -> list[Part]:
    base = folder(where)
    hooks = claude_code.hooks(wanted, parts.END_TIMEOUT_S)
    found = [
        parts.settings(os.path.join(base, HOOKS), hooks),
        parts.rule(os.path.join(base, "AGENTS.md"), wanted),
        parts.skill(os.path.join(base, "skills"), wanted),
    ]
    if wanted.mcp:
        # `required`: the first turn waits for the server, or the model would be asked without its tools.
        values: dict[str, Any] = {"command": wanted.program, "args": ["mcp"], "required": True}
        values |= {"env": dict(wanted.env)} if wanted.env else {}
        path = os.path.join(base, SETTINGS)
        trusted = json_edits.places(files.text_of(files.read(found[0].path), found[0].path), hooks)
        keys = [f"{found[0].path}:{_EVENTS[event]}:{group}:{which}" for event, group, which in trusted]
        found.append(parts.toml_server(path, values, keys))
    return found


AGENT = Agent(
    "codex",
    "Codex",
    "codex",
    folder,
    _parts,
    "Codex runs a hook only once you trust it: it asks at its next start (or type /hooks there);"
    " `hark setup codex --trust` does it now.",
)
