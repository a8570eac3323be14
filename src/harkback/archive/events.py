"""The event stream: everything that was said and done, one event each, in one shape for all agents.

Transcripts are read again from their beginning, so that texts are whole; of one that its agent has deleted, what
the archive keeps is given. The archive knows which messages are copies: each is given once, where it stood first
of the transcripts that are still there.
"""

from __future__ import annotations

from bisect import bisect_right

from harkback._record import NamedTuple
from harkback.engines.local.erasing import MESSAGE
from harkback.engines.local.ids import key_of, message_id
from harkback.engines.local.transcripts import Transcripts
from harkback.model import (
    CALLS,
    CONTEXT,
    LANE_ROLES,
    META,
    OUTPUT,
    PROMPT,
    REPLY,
    SUMMARY,
    SUMMING,
    TALK,
    THINKING,
    THOUGHT,
    TOOL_CALL,
    TOOL_RESULT,
    UNREADABLE,
    USER,
    Message,
    Part,
    Problem,
    Session,
)
from harkback.redact import masker
from harkback.sources import SOURCES, source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from harkback.engines.local import LocalEngine
    from harkback.engines.local.transcripts import Listed
    from harkback.model import More, StoredPart, StoredSession

_KIND_OF_LANE = {CALLS: TOOL_CALL, OUTPUT: TOOL_RESULT, THINKING: THOUGHT, SUMMARY: SUMMING, CONTEXT: META}
_AT_ONCE = 500

MOST_COPIES = 20
"""So many other sessions are named at most: a session may have been forked a thousand times."""


class Wanted(NamedTuple):
    """Which events are wanted; None or empty: all."""

    agents: tuple[str, ...] | None = None
    projects: tuple[int, ...] | None = None
    sessions: tuple[int, ...] | None = None
    since_ms: int | None = None
    until_ms: int | None = None
    kinds: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    """In lower case; of a tool `mcp__server__name` the last word is enough."""
    copies: bool = False
    """Whether a message is given wherever it stands."""
    hidden: tuple[int, ...] = ()
    """Projects that are left out."""


class Told(NamedTuple):
    """A message as its transcript tells it; `parts` may be empty where it only says what an answer cost."""

    id: str
    """Empty where the archive keeps nothing of it, such as a call without arguments."""
    session: StoredSession
    facts: Session | None
    """What the transcript has told of its session so far; None for one that is gone."""
    path: str
    time_ms: int | None
    role: int
    parts: tuple[Part, ...]
    model: str
    branch: str
    more: More | None
    copies: tuple[str, ...]
    """Other sessions in which it stands, at most `MOST_COPIES`."""


class Event(NamedTuple):
    """One part of a message."""

    told: Told
    kind: str
    role: int
    part: Part


def kind_of(part: Part, role: int) -> str:
    """Say what kind of event a part of somebody's message is."""
    if part.kind:
        return part.kind
    if part.lane == TALK:
        return PROMPT if role == USER else REPLY
    return _KIND_OF_LANE.get(part.lane, META)


class Events(NamedTuple):
    """An open stream."""

    stream: Stream
    pending: int
    """Transcripts that have something the archive has not read, which the stream does not give."""
    close: Callable[[], None]
    note: str = ""
    """What kept the archive from reading, or what it forgot; or empty."""


class Stream:
    """Goes through the transcripts of an archive, the oldest session first."""

    def __init__(self, engine: LocalEngine, wanted: Wanted) -> None:
        """Read from `engine`, which must stay open while the stream is read."""
        self.wanted = wanted
        self.rows = engine.rows
        self.transcripts = Transcripts(engine.rows)
        self.forgotten = self.rows.forgotten(MESSAGE)
        self.tellers: dict[int, int] = {}
        """Which transcript tells a message that stands in several: the first; those that are gone come last."""

    def events(self) -> Iterator[Event]:
        """Give every wanted event."""
        for told in self.messages():
            for part in told.parts:
                yield Event(told, kind_of(part, told.role), LANE_ROLES.get(part.lane, told.role), part)

    def messages(self) -> Iterator[Told]:
        """Give every message that has a wanted event, with those; each once, unless copies are wanted."""
        wanted = self.wanted
        listed = self.transcripts.listed(
            agents=wanted.agents,
            projects=wanted.projects,
            sessions=wanted.sessions,
            since_ms=wanted.since_ms,
            until_ms=wanted.until_ms,
            hidden=wanted.hidden,
        )
        order = {one.number: at + one.is_gone * len(listed) for at, one in enumerate(listed)}
        self.tellers = self.transcripts.tellers(order)
        for one in listed:
            session = self.rows.sessions_by_number([one.session])[one.session]
            for told in self._transcript(one, session):
                if not self._is_in_time(told.time_ms):
                    continue
                if not wanted.kinds and not wanted.tools:
                    yield told
                elif parts := tuple(part for part in told.parts if self._is_wanted(part, told.role)):
                    # What an answer cost cannot be shared out among its parts.
                    more = told.more._replace(tokens=None) if told.more is not None else None
                    yield told._replace(parts=parts, more=more)

    def _is_wanted(self, part: Part, role: int) -> bool:
        kinds, tools = self.wanted.kinds, self.wanted.tools
        return (not kinds or kind_of(part, role) in kinds) and (not tools or _is_tool(part.tool, tools))

    def _is_in_time(self, time_ms: int | None) -> bool:
        since, until = self.wanted.since_ms, self.wanted.until_ms
        if since is None and until is None:
            return True
        return time_ms is not None and (since is None or time_ms >= since) and (until is None or time_ms < until)

    def _transcript(self, one: Listed, session: StoredSession) -> Iterator[Told]:
        place = _Place(self, one, session)
        transcript = None if one.is_gone or session.agent not in SOURCES else self.rows.transcript(one.path)
        facts: Session | None = None
        has_begun = False
        for record in source(session.agent).read(transcript, None, full=True) if transcript else ():
            if isinstance(record, Session):
                facts = record._replace(last_cwd=masker().mask(record.last_cwd)[0])
            elif isinstance(record, Message):
                has_begun = True
                if told := place.told(record, facts):
                    yield told
            elif isinstance(record, Problem) and record.kind == UNREADABLE and not has_begun:
                transcript = None
                break
        if transcript is None:
            yield from place.kept()


class _Place:
    """One transcript in a stream: what the archive knows of it."""

    def __init__(self, stream: Stream, one: Listed, session: StoredSession) -> None:
        self.stream = stream
        self.one = one
        self.session = session
        self.known = stream.transcripts.messages(one.number)
        self.positions = list(self.known)
        self.is_told_twice = len(set(self.known.values())) < len(self.known)
        self.here: set[int] = set()
        read_to = stream.rows.checkpoint(one.path)
        self.read_to = read_to.offset if read_to is not None else 0

    def told(self, message: Message, facts: Session | None) -> Told | None:
        """Give a message as it was just read; None where another place tells it."""
        stored = self.known.get(message.offset)
        key = key_of(self.session.agent, message.key) if stored is None else stored
        copied_with = key if stored is not None else self.neighbour(message.offset)
        if key in self.stream.forgotten:
            return None
        if not self.stream.wanted.copies and (self.is_elsewhere(copied_with) or self.is_again(stored)):
            return None
        said_ms, copies = self.places(copied_with)
        # What was read last of a file is on its way into the archive; its id is already certain.
        has_id = stored is not None or message.offset >= self.read_to
        return Told(
            message_id(key) if has_id else "",
            self.session,
            facts,
            self.one.path,
            _earlier(message.time_ms, said_ms),
            message.role,
            tuple(map(_masked, message.parts)),
            message.model,
            masker().mask(message.branch)[0],
            message.more,
            copies,
        )

    def neighbour(self, offset: int) -> int:
        """Give the message before a record of which the archive keeps nothing: it was copied with that one, or not."""
        at = bisect_right(self.positions, offset) - 1
        return self.known[self.positions[max(0, at)]] if self.positions and offset < self.read_to else 0

    def kept(self) -> Iterator[Told]:
        """Give what the archive keeps, for a transcript that can no longer be read."""
        messages = list(dict.fromkeys(self.known.values()))
        for start in range(0, len(messages), _AT_ONCE):
            some = messages[start : start + _AT_ONCE]
            parts = self.stream.transcripts.parts(some)
            for message in some:
                is_told = not self.stream.wanted.copies and self.is_elsewhere(message)
                if message in parts and not is_told:
                    yield _from_rows(message, parts[message], self.session, self.one.path, self.places(message)[1])

    def is_elsewhere(self, message: int) -> bool:
        """Whether a message is told by another transcript."""
        return self.stream.tellers.get(message, self.one.number) != self.one.number

    def places(self, message: int) -> tuple[int | None, tuple[str, ...]]:
        """Say when a message was said first, and in which other sessions it stands."""
        if message not in self.stream.tellers:
            return None, ()
        said_ms, sessions = self.stream.transcripts.places(message, MOST_COPIES + 1)
        return said_ms, tuple(one for one in sessions if one != self.session.id)[:MOST_COPIES]

    def is_again(self, message: int | None) -> bool:
        """Whether a message was told before in this transcript."""
        if message is None or not self.is_told_twice:
            return False
        is_again = message in self.here
        self.here.add(message)
        return is_again


def _from_rows(
    message: int, parts: list[StoredPart], session: StoredSession, path: str, copies: tuple[str, ...]
) -> Told:
    first = parts[0]
    speakers = [part.role for part in parts if part.lane not in LANE_ROLES]
    return Told(
        message_id(message),
        session,
        None,
        path,
        first.time_ms,
        speakers[0] if speakers else first.role,
        tuple(Part(part.lane, part.text, part.tool, part.files, _kept_kind(part, session)) for part in parts),
        first.model,
        first.branch,
        None,
        copies,
    )


def _kept_kind(part: StoredPart, session: StoredSession) -> str:
    """Tell a subagent's task from what it says: no model has said the task."""
    is_task = part.lane == TALK and part.role != USER and session.relation == "subagent" and not part.model
    return META if is_task else ""


def _masked(part: Part) -> Part:
    """Mask secrets in a text that was just read from its transcript."""
    mask = masker()
    args = part.args if part.args is None else mask.mask_all(part.args)[0]
    return part._replace(text=mask.mask(part.text)[0], args=args)


def _earlier(time_ms: int | None, said_ms: int | None) -> int | None:
    """Say when a message was said: some agents write new times into their copies."""
    return min((one for one in (time_ms, said_ms) if one is not None), default=None)


def _is_tool(name: str, wanted: tuple[str, ...]) -> bool:
    name = name.lower()
    return any(name == one or name.endswith("__" + one) for one in wanted)
