"""What agents asked of us, or of another command, out of their own transcripts.

The archive says which sessions hold such a call, and only those are read again, through the event stream.
"""

from __future__ import annotations

from harkback._record import NamedTuple
from harkback.archive.asking_again import Again
from harkback.audit.calls import MODULE, OWN, call_of_tool, calls_in
from harkback.audit.figures import Why, figures
from harkback.audit.results import NONE
from harkback.audit.walk import FRAME, About, Asked, Event, Spoke, Walk
from harkback.engines.local import LocalEngine, Search
from harkback.engines.local.transcripts import Transcripts
from harkback.model import CALLS, CONTEXT
from harkback.query import Clause, Filter, Query, Word
from harkback.sources import SOURCES, source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from harkback.archive.events import Stream, Wanted
    from harkback.archive.sessions import Archive
    from harkback.audit.figures import Figures
    from harkback.model import StoredPart

MOST_PARTS = 100_000
"""So many texts that name the command are looked at, the newest first."""

_AT_ONCE = 500


class Audited(NamedTuple):
    """What an audit found."""

    figures: Figures
    asked: tuple[Asked, ...]
    spoke: tuple[Spoke, ...]
    notes: tuple[str, ...]
    pending: int
    """Transcripts that have something the archive has not read yet."""


def audit(archive: Archive, query: Query, command: str = OWN, *, sync: bool = True) -> Audited:
    """Look at every call of `command` that passes the filters `agent`, `project`, `since` and `until` of a query.

    What is new is read first. Opens the sessions with a call and no others. Raises NothingYet.
    """
    opened = archive.events(query, sync=sync)
    try:
        stream = opened.stream
        wanted = stream.wanted
        sessions, is_whole = _candidates(archive, query, wanted, command)
        # What comes after a call may lie after `until`.
        stream.wanted = wanted._replace(sessions=tuple(sorted(sessions)), since_ms=None, until_ms=None)
        found = [one for one in _walked(stream, command, _folders(archive)) if _is_in_time(one, wanted)]
        prompts = Transcripts(stream.rows).prompts(
            wanted.agents, wanted.projects, wanted.since_ms, wanted.until_ms, wanted.hidden
        )
    finally:
        opened.close()
    asked = tuple(one for one in found if isinstance(one, Asked))
    spoke = tuple(one for one in found if isinstance(one, Spoke))
    notes = [opened.note] if opened.note else []
    if not is_whole:
        notes.append(
            f"Only the newest {MOST_PARTS:,} texts that name {command} were looked at. --since bounds the time."
        )
    return Audited(
        figures(command, asked, spoke, _whys(archive, asked), prompts), asked, spoke, tuple(notes), opened.pending
    )


def _whys(archive: Archive, asked: tuple[Asked, ...]) -> dict[int, Why]:
    """Say why searches found nothing: the last ones first, for there is a bound."""
    again = Again(archive)
    numbers = [number for number, one in enumerate(asked) if one.result.verdict == NONE]
    found = {number: again.why(asked[number]) for number in reversed(numbers)}
    return {number: found[number] for number in numbers}


# -- which sessions ----------------------------------------------------------------------------------------------------


def _candidates(archive: Archive, query: Query, wanted: Wanted, command: str) -> tuple[set[int], bool]:
    """Find the sessions that hold a call, or what the hook said; and whether all texts were looked at.

    A rule that names us may stand in every session: calls and the hook's texts are looked for apart, so that it crowds
    no call out.
    """
    engine = LocalEngine.open(archive.place.data)
    if engine is None:
        return set(), True
    try:
        tools = tuple(engine.rows.labels("tool").values())
        filters = tuple(one for one in query.filters if one.field in {"agent", "project", "since", "until"})
        hidden = wanted.hidden
        names = (OWN, MODULE) if command == OWN else (command,)
        searches = [_search(names, (CALLS, CONTEXT), (*filters, Filter("tool", tools)), hidden)] if tools else []
        searches += [_search((MODULE,), (CONTEXT,), filters, hidden)] if command == OWN else []
        sessions: set[int] = set()
        is_whole = True
        for one in searches:
            seqs = [candidate.seq for candidate in engine.find(one).candidates]
            is_whole = is_whole and len(seqs) < MOST_PARTS
            for start in range(0, len(seqs), _AT_ONCE):
                parts = engine.rows.parts(seqs[start : start + _AT_ONCE]).values()
                sessions.update(
                    part.session for part in parts if part.session not in sessions and _is_of(part, command)
                )
        return sessions, is_whole
    finally:
        engine.close()


def _search(
    names: tuple[str, ...], lanes: tuple[int, ...], filters: tuple[Filter, ...], hidden: tuple[int, ...]
) -> Search:
    """Ask for the newest texts that hold one of these words."""
    clause = Clause(tuple(Word(name, quoted=True) for name in names))
    query = Query(" ".join(names), (clause,), filters)
    return Search(query, lanes, MOST_PARTS, newest=True, exclude_projects=hidden, pool=MOST_PARTS)


def _is_of(part: StoredPart, command: str) -> bool:
    """Whether a text is a call of the command, or (of ours) what the hook said."""
    if part.tool:
        given = part.text.removeprefix(part.tool).strip()
        return bool(call_of_tool(part.tool, {"code": given}, command) or calls_in(given, command))
    return command == OWN and FRAME in part.text


def _folders(archive: Archive) -> list[str]:
    """Give where agents keep transcripts here."""
    roots = [root for name in SOURCES for root in source(name).roots(archive.place.home, archive.env)]
    return [f"{root}/{below}" for root in roots for below in ("projects", "sessions", "archived_sessions")]


# -- what stands in them -----------------------------------------------------------------------------------------------


def _walked(stream: Stream, command: str, folders: list[str]) -> Iterator[Asked | Spoke]:
    """Walk through the sessions, one after the other."""
    if not stream.wanted.sessions:
        return
    walk: Walk | None = None
    path = ""
    for one in stream.events():
        told = one.told
        if walk is None or told.path != path:
            yield from walk.end() if walk is not None else ()
            session = told.session
            walk = Walk(About(session.id, session.agent, session.project or session.cwd), command, folders)
            path = told.path
        part = one.part
        yield from walk.take(Event(one.kind, told.time_ms, part.text, part.tool, part.args, part.call))
    yield from walk.end() if walk is not None else ()


def _is_in_time(one: Asked | Spoke, wanted: Wanted) -> bool:
    since, until = wanted.since_ms, wanted.until_ms
    if since is None and until is None:
        return True
    return (
        one.time_ms is not None and (since is None or one.time_ms >= since) and (until is None or one.time_ms < until)
    )
