"""What is not to be kept: forgetting for good, and projects that are not to be read."""

from __future__ import annotations

import os

from harkback import errors, rank
from harkback._record import NamedTuple
from harkback.engines.local import Search
from harkback.engines.local.erasing import messages_before, messages_in
from harkback.model import LANES, StoredSession
from harkback.terms import needs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harkback.engines.local import LocalEngine
    from harkback.ingest.excluded import Excluded
    from harkback.model import StoredPart
    from harkback.query import Query

MOST_MATCHES = 100_000
_SHOWN = 10


class Doomed(NamedTuple):
    """What would be forgotten."""

    messages: frozenset[int]
    """The engine's own numbers, those in the sessions too."""
    sessions: tuple[StoredSession, ...]
    shown: tuple[StoredPart, ...]
    """A few of the messages, the newest first."""

    @property
    def projects(self) -> dict[str, int]:
        """Count the sessions by project."""
        return by_project(self.sessions)


class Fitting(NamedTuple):
    """What was read of projects that are not to be read."""

    sessions: tuple[StoredSession, ...] = ()
    lost: int = 0
    """Sessions that have no transcript any more, so that none could bring them back."""

    @property
    def projects(self) -> dict[str, int]:
        """Count the sessions by project."""
        return by_project(self.sessions)


def find_fitting(engine: LocalEngine, excluded: Excluded) -> Fitting:
    """Find what was read in folders that are excluded; nothing is changed."""
    sessions = tuple(engine.rows.sessions_in(excluded.holds))
    paths = engine.rows.paths_of(one.number for one in sessions)
    return Fitting(sessions, sum(not any(map(_is_on_disk, places)) for places in paths.values()))


def _is_on_disk(path: str) -> bool:
    """Whether a transcript can still be read; an emptied one is as good as deleted."""
    try:
        return os.stat(path).st_size > 0
    except OSError:
        return False


def by_project(sessions: Iterable[StoredSession]) -> dict[str, int]:
    """Count sessions by the path of their project, the most first."""
    counts: dict[str, int] = {}
    for one in sessions:
        path = one.project or one.cwd
        counts[path] = counts.get(path, 0) + 1
    return dict(sorted(counts.items(), key=lambda one: (-one[1], one[0])))


def _is_blank(name: str) -> bool:
    """Whether a name says nothing: an empty one, as from a variable that is not set, or nothing but slashes."""
    return not name.strip(" \t\n/\\")


def find_doomed(
    engine: LocalEngine,
    ids: Sequence[str],
    sessions: Sequence[str],
    projects: Sequence[str],
    before_ms: int | None,
    match: Query | None,
) -> Doomed:
    """Find what is to be forgotten; nothing is changed.

    Raises NotFound, TooShort, Ambiguous, NothingNamed, NothingToMatch.
    """
    rows = engine.rows
    if any(map(_is_blank, (*ids, *sessions, *projects))):
        raise errors.NothingNamed  # a blank is a piece of every name
    messages: set[int] = set()
    whole = {one.number: one for one in (rows.find_session(text) for text in sessions)}
    for text in ids:
        found = rows.find_id(text)
        if isinstance(found, StoredSession):
            whole[found.number] = found
        else:
            messages.add(rows.key(found))
    if projects:
        numbers = engine.projects(projects)
        if not numbers:
            raise errors.NotFound(", ".join(projects))
        whole |= {one.number: one for one in rows.sessions(projects=numbers, subagents=True, limit=-1)}
    if before_ms is not None:
        messages |= messages_before(rows.con, before_ms)
        ended = rows.sessions(until_ms=before_ms, subagents=True, limit=-1)
        whole |= {one.number: one for one in ended if (one.ended_ms or before_ms) < before_ms}
    if match is not None:
        named = [one for one in match.filters if one.field != "in"]
        has_words = any(not need.negated for need in needs(match))
        if not (named or has_words) or any(_is_blank(value) for one in named for value in one.values):
            raise errors.NothingToMatch  # or it would be everything
        wanted = Search(match, tuple(range(len(LANES))), MOST_MATCHES, pool=MOST_MATCHES)
        # Only what holds every word: a looser match is for a person to judge.
        ranked = rank.by_time(engine.find(wanted).candidates, 0)
        parts = rows.parts([one.candidate.seq for one in ranked if one.tier <= rank.ALL])
        messages |= {rows.key(part) for part in parts.values()}
    messages |= messages_in(rows.con, whole)
    shown = sorted(rows.first_parts(sorted(messages)[:200]), key=lambda part: -(part.time_ms or 0))[:_SHOWN]
    return Doomed(frozenset(messages), tuple(whole.values()), tuple(shown))
