"""The transcripts of `hark chat`: what their rows say. `chat.conversation` writes them."""

from __future__ import annotations

from harkback.model import ASSISTANT, OUTPUT, SUMMARY, SYSTEM, TALK, TOOL, USER, Message, More, Part, Session
from harkback.sources import _reading
from harkback.sources._calls import call
from harkback.sources._values import OWN_FRAME, cut, digest, first_line, string, time_ms
from harkback.text.clean import clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from harkback.model import Bounds, Checkpoint, Record, Transcript

_SHELL = "shell"
"""The one tool that is not ours."""
_ROLES = {"user": USER, "assistant": ASSISTANT}


def read(
    transcript: Transcript, checkpoint: Checkpoint | None, *, full: bool, bounds: Bounds | None
) -> Iterator[Record]:
    """Read what was appended since `checkpoint`; see `sources.Source`."""
    return _reading.read(transcript, checkpoint, lambda one: _Rows(_Facts(one), full=full, bounds=bounds))


class _Facts(_reading.Facts):
    """The session so far."""

    KEPT = ("native", "cwd", "prompt", "started", "ended")

    def __init__(self, transcript: Transcript) -> None:
        self.native = transcript.native
        self.cwd = self.prompt = ""
        self.started: int | None = None
        self.ended: int | None = None

    def session(self) -> Session:
        """Say what is known of the session."""
        ended = self.ended if self.ended is not None else self.started
        return Session(
            "hark-chat",
            self.native,
            title=self.prompt,
            cwd=self.cwd,
            last_cwd=self.cwd,
            started_ms=self.started,
            ended_ms=ended,
        )


class _Rows(_reading.Rows):
    """Makes messages of rows, one after the other."""

    def __init__(self, facts: _Facts, *, full: bool, bounds: Bounds | None) -> None:
        super().__init__(full=full, bounds=bounds)
        self.facts: _Facts = facts

    def record(self, offset: int, length: int, row: dict[str, Any]) -> Message | None:
        """Take in one row; what it says, None if it says nothing."""
        kind, facts = row.get("type"), self.facts
        moment = time_ms(row.get("timestamp"))
        if kind == "session":
            facts.native = string(row.get("id")) or facts.native
            facts.cwd = string(row.get("cwd"))
        facts.note_time(moment)
        role, parts = self.said(row, string(kind))
        if not any(part.text for part in parts):
            return None
        key = string(row.get("id")) or f"{moment}:{role}:{digest(parts[0].text)}"
        model = string(row.get("model")) if role == ASSISTANT else ""
        more = More() if self.full else None
        return Message(f"{facts.native}:{key}", offset, length, role, moment, tuple(parts), "", model, "", more)

    def said(self, row: dict[str, Any], kind: str) -> tuple[int, list[Part]]:
        """Give who speaks in a row, and what they say."""
        if kind == "extracted":
            return SYSTEM, [Part(SUMMARY, clean(string(row.get("summary"))).strip())]
        if kind in {"call", "result"}:
            return self.done(row, kind, string(row.get("tool")))
        role = _ROLES.get(string(row.get("role"))) if kind == "message" else None
        if role is None:
            return SYSTEM, []
        text, quoted = cut(string(row.get("text")), OWN_FRAME)
        words = clean(text).strip()
        if role == USER:
            self.facts.prompt = self.facts.prompt or first_line(words)
        parts = [Part(TALK, words), *(self.context(inner) for _, inner in quoted)]
        return (role if words else SYSTEM), [part for part in parts if part.text]

    def done(self, row: dict[str, Any], kind: str, tool: str) -> tuple[int, list[Part]]:
        """Give what a row says of a call, or of what it gave."""
        name = tool if tool == _SHELL else f"mcp__harkback__{tool}"  # as all other agents name ours
        if kind == "call":
            part = call(name, row.get("arguments"), (), full=self.full)
            return ASSISTANT, self.of_call([part] if part else [], string(row.get("id")))
        text, quoted = cut(string(row.get("text")), OWN_FRAME)
        parts = [Part(OUTPUT, self.output(text), clean(name)), *(self.context(inner) for _, inner in quoted)]
        return TOOL, self.of_call(parts, string(row.get("call")))
