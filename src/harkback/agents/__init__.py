"""What is known of the agent programs themselves: how a session is resumed, which one is asking."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from harkback.model import StoredSession

    Remover = Callable[[str, Mapping[str, str]], list[str]]
    """Takes out what we installed for one agent, given home and environment; a line for each thing, none for none."""


def _agents(home: str, env: Mapping[str, str]) -> list[str]:
    from harkback.agents.leaving import out_of_agents

    return out_of_agents(home, env)


def _timers(home: str, env: Mapping[str, str]) -> list[str]:
    from harkback.agents.leaving import out_of_timers

    return out_of_timers(home, env)


INSTALLED: tuple[Remover, ...] = (_agents, _timers)
"""One remover for each thing that we install outside the archive's folder.

`hark uninstall` calls them in this order. One that finds nothing of ours does nothing.
"""

ASKING = (
    ("hark-chat", "HARK_CHAT_SESSION"),
    ("claude-code", "CLAUDE_CODE_SESSION_ID"),
    ("codex", "CODEX_THREAD_ID"),
    ("codex", "CODEX_SESSION_ID"),
    ("pi", "PI_SESSION_ID"),
    ("qwen", "QWEN_CODE_SESSION_ID"),
    ("copilot", "COPILOT_AGENT_SESSION_ID"),
)
"""Agent and the environment variable in which its shell tool finds the session's id (measured, see the manual)."""

_RESUME = {
    "claude-code": ("claude", "--resume"),
    "codex": ("codex", "resume"),
    "pi": ("pi", "--session"),
    "hark-chat": ("hark", "chat", "--resume"),
}


_FOLDERS = (
    ("claude-code", "CLAUDE_CONFIG_DIR", "/.claude", "/projects/"),
    ("codex", "CODEX_HOME", "/.codex", "/sessions/"),
    ("codex", "CODEX_HOME", "/.codex", "/archived_sessions/"),
)
"""Agent, the variable that moves its folder, the folder's usual name, and what lies in it."""


def asking_sessions(env: Mapping[str, str]) -> list[tuple[str, str]]:
    """Name the sessions that may be asking: agent and native id. Agents run inside agents, so it can be several."""
    return list(dict.fromkeys((agent, env[name]) for agent, name in ASKING if env.get(name)))


def resume_argv(session: StoredSession) -> list[str]:
    """Give the command that goes on with a session, a subagent's with its parent's; empty where there is none.

    There is none for a session whose transcript its agent has deleted. Pi finds by its id only what lies in its own
    folder, anything else by its path; OpenClaw and oh-my-pi, which keep Pi's format, go on with theirs by themselves.
    """
    command = _RESUME.get(session.agent)
    if command is None or session.is_gone:
        return []
    native = session.parent if session.relation == "subagent" else session.native
    if session.agent == "pi":
        path = session.path.replace("\\", "/")
        if any(f"/{folder}/" in path for folder in (".openclaw", ".omp")):
            return []
        if "/.pi/agent/sessions/" not in path and session.relation != "subagent":
            native = session.path
    return [*command, native]


def resume_env(session: StoredSession) -> dict[str, str]:
    """Give what must be set for an agent to find a session that lies in another folder than its usual one."""
    path = session.path.replace("\\", "/")
    for agent, name, usual, below in _FOLDERS:
        root, found, _ = path.rpartition(below)
        if session.agent == agent and found and not root.endswith(usual) and not session.is_gone:
            return {name: session.path[: len(root)]}
    return {}


def retention(home: str, env: Mapping[str, str]) -> list[tuple[str, int]]:
    """Give the agents that delete their own transcripts, and after how many days without a change.

    Claude Code does so at start-up: `cleanupPeriodDays` in its settings.json, 30 where it says nothing.
    """
    folder = env.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude")
    if not os.path.isdir(os.path.join(folder, "projects")):
        return []
    import json

    days: object = 30
    try:
        with open(os.path.join(folder, "settings.json"), encoding="utf-8") as file:
            settings = json.load(file)
            days = settings.get("cleanupPeriodDays", 30) if isinstance(settings, dict) else 30
    except (OSError, ValueError):
        pass
    return [("claude-code", days)] if isinstance(days, int) and not isinstance(days, bool) else []
