"""Through one session: the calls in it, what they gave and what came next, and when the hook spoke.

A turn goes from one prompt to the next; what is looked at never holds more than one turn.
"""

from __future__ import annotations

from harkback._record import NamedTuple
from harkback.audit.calls import OWN, call_of_tool, calls_in
from harkback.audit.results import NOT_RUN, OTHER, leads, results
from harkback.audit.steps import Act, Step, next_step
from harkback.model import HOOK, META, PROMPT, REPLY, TOOL_CALL, TOOL_RESULT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from harkback.audit.calls import Call
    from harkback.audit.results import Result

FRAME = "<harkback"
"""How what our hook says begins."""

_MOST_CHARS = 10_000
"""Looked at of what a tool that is not ours was given."""

_DEPTH = 6


class About(NamedTuple):
    """Whose session it is."""

    session: str
    agent: str
    project: str


class Event(NamedTuple):
    """Something in a session, as the event stream has it."""

    kind: str
    time_ms: int | None = None
    text: str = ""
    tool: str = ""
    args: object = None
    call: str = ""
    """The agent's id of the call that it is, or that it answers."""


class Asked(NamedTuple):
    """One call of the command, and what became of it."""

    about: About
    time_ms: int | None
    call: Call
    result: Result
    chars: int
    """Of its answer, as the agent saw it; where one line holds several calls, an equal share."""
    latency_ms: int | None
    step: Step


class Spoke(NamedTuple):
    """The hook put something into a conversation."""

    about: About
    time_ms: int | None
    chars: int
    is_start: bool
    """At the start of a session or after a compaction, and not at a prompt."""
    is_used: bool
    """Whether a call of ours follows in that turn."""


class _Group:
    """One tool's call that holds calls of the command, and its answer."""

    def __init__(self, at: int, event: Event, calls: tuple[Call, ...]) -> None:
        self.at, self.event, self.calls = at, event, calls
        self.answered_at = at
        self.texts: list[str] = []
        self.answered_ms: int | None = None


class Walk:
    """Takes in the events of one session in their order."""

    def __init__(self, about: About, command: str = OWN, folders: Sequence[str] = ()) -> None:
        """Look for calls of `command`; `folders` are where agents keep transcripts, besides the usual places."""
        self.about, self.command, self.folders = about, command, folders
        self.at = 0
        self.is_prompted = False
        self._begin()

    def _begin(self) -> None:
        self.groups: list[_Group] = []
        self.acts: list[Act] = []
        self.has_acted = False
        self.hooks: list[tuple[int, Event, bool]] = []

    def take(self, event: Event) -> Iterator[Asked | Spoke]:
        """Take in an event; gives what became of the turn that a prompt ends."""
        self.at += 1
        if event.kind == PROMPT:
            yield from self.end()
            self.is_prompted = True
        elif event.kind == REPLY:
            self._act("")
        elif event.kind in {HOOK, META} and not event.call and not event.tool:
            self._hear(event)
        elif event.kind == TOOL_CALL or (event.kind == META and event.tool):
            self._call(event)
        elif event.kind == TOOL_RESULT or event.call:
            self._answer(event)

    def end(self) -> Iterator[Asked | Spoke]:
        """End a turn."""
        for group in self.groups:
            yield from self._asked(group)
        last = max((group.at for group in self.groups), default=0)
        for at, event, is_start in self.hooks:
            yield Spoke(self.about, event.time_ms, len(event.text), is_start, last > at)
        self._begin()

    def _hear(self, event: Event) -> None:
        """Take in what a hook said; where nothing names its event, what comes before all else is the prompt's."""
        begins = event.text.lstrip().startswith(FRAME)
        if self.command != OWN or not (begins or (event.kind == HOOK and FRAME in event.text)):
            return
        named = event.args.get("hookEvent") if isinstance(event.args, dict) else None
        is_start = named == "SessionStart" if named else self.has_acted or not self.is_prompted
        if not any(one.text == event.text for _, one, _ in self.hooks):
            self.hooks.append((self.at, event, is_start))

    def _call(self, event: Event) -> None:
        calls = tuple(_calls(event, self.command))
        if calls:
            self.groups.append(_Group(self.at, event, calls))
        text = " ".join([event.tool, *_strings(event.args, _DEPTH)] if event.args is not None else [event.text])
        self._act(text[:_MOST_CHARS] or "?", calls)

    def _act(self, text: str, calls: tuple[Call, ...] = ()) -> None:
        """Note what was done; before the first call nobody asks for it."""
        self.has_acted = True
        if self.groups:
            self.acts.append(Act(self.at, text, calls))

    def _answer(self, event: Event) -> None:
        """Find the call that was answered: by its id; where none is kept, the first that waits for this tool."""
        for group in self.groups:
            waits = not group.texts and group.event.tool == event.tool
            if group.event.call == event.call if event.call else waits:
                group.texts.append(event.text)
                group.answered_at, group.answered_ms = self.at, event.time_ms
                return

    def _asked(self, group: _Group) -> Iterator[Asked]:
        text = "\n".join(group.texts)
        found = leads(text) if self.command == OWN else ()
        acts = [act for act in self.acts if act.at > group.answered_at]
        began, ended = group.event.time_ms, group.answered_ms
        took = max(0, ended - began) if began is not None and ended is not None else None
        for call, result in zip(group.calls, results(group.calls, text, self.command), strict=True):
            step = next_step(call, found, acts, self.folders) if result.verdict != OTHER else Step("")
            took_ms = None if result.why == NOT_RUN else took if result.ms is None else result.ms
            yield Asked(self.about, began, call, result, len(text) // len(group.calls), took_ms, step)


def _calls(event: Event, command: str) -> list[Call]:
    """Give the calls in what a tool was told to do."""
    arguments: dict[str, Any] = event.args if isinstance(event.args, dict) else {}
    line = arguments.get("command", arguments.get("cmd"))
    if event.args is None:  # kept of a transcript that is gone: the tool and what it was given, as one text
        line = event.text.removeprefix(event.tool).strip()
    found = call_of_tool(event.tool, arguments, command)
    if not found and isinstance(line, list):
        line = " ".join(str(word) for word in line)
    return found or (calls_in(line, command) if isinstance(line, str) else [])


def _strings(value: object, depth: int) -> Iterator[str]:
    """Give all texts in what a tool was given."""
    if isinstance(value, str):
        yield value
    elif depth and isinstance(value, dict):
        for one in value.values():
            yield from _strings(one, depth - 1)
    elif depth and isinstance(value, list):
        for one in value:
            yield from _strings(one, depth - 1)
