"""What the agent programs send to a hook, read into one shape.

Claude Code, Codex, Gemini CLI and Qwen Code send `hook_event_name` and names with underscores; Copilot CLI sends names
in camelCase and no event's name; our own extensions for Pi and opencode send the first form with `agent`.
"""

from __future__ import annotations

import re

from harkback._record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PROMPT, START, END, OTHER = "prompt", "start", "end", ""

_EVENTS = {
    "UserPromptSubmit": PROMPT,
    "BeforeAgent": PROMPT,
    "userPromptSubmitted": PROMPT,
    "SessionStart": START,
    "sessionStart": START,
    "SessionEnd": END,
    "sessionEnd": END,
}
COPILOT = frozenset({"userPromptSubmitted", "sessionStart", "sessionEnd"})
"""The events of the one program that wants an answer of another shape."""

_CONTINUED = frozenset({"resume", "fork"})
"""Sources of a session that has its context already."""

_NOTICE = re.compile(r"\s*<(?:task-notification|subagent_notification|system-reminder)")
_COMMAND = re.compile(r"\s*/[A-Za-z][\w:-]*(?:\s|$)")


class Event(NamedTuple):
    """One call of a hook."""

    kind: str
    """PROMPT, START or END; empty for whatever asks for nothing."""
    name: str
    """As the program names it; it wants the name back."""
    prompt: str = ""
    session: str = ""
    """The session's native id."""
    cwd: str = ""


def read(sent: Any) -> Event:
    """Read what was sent; what is none of ours to answer is of no kind."""
    if not isinstance(sent, dict):
        return Event(OTHER, "")
    name = _text(sent, "hook_event_name") or _guessed(sent)
    prompt = _text(sent, "prompt")
    session = _text(sent, "session_id") or _text(sent, "sessionId")
    return Event(_kind(name, sent, prompt), name, prompt, session, _text(sent, "cwd"))


def _text(sent: dict[str, Any], name: str) -> str:
    value = sent.get(name)
    return value if isinstance(value, str) else ""


def _guessed(sent: dict[str, Any]) -> str:
    """Name the event of a program that does not: by what it sends."""
    if "prompt" in sent:
        return "userPromptSubmitted"
    if "source" in sent:
        return "sessionStart"
    return "sessionEnd" if "reason" in sent else ""


def _kind(name: str, sent: dict[str, Any], prompt: str) -> str:
    kind = _EVENTS.get(name, OTHER)
    if sent.get("agent_id") or _text(sent, "source").startswith("agent-"):  # a subagent's task is no person's prompt
        return OTHER
    if kind == PROMPT and (not prompt.strip() or _NOTICE.match(prompt) or _COMMAND.match(prompt)):
        return OTHER
    return OTHER if kind == START and sent.get("source") in _CONTINUED else kind
