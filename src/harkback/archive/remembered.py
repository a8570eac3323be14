"""What memories say to a search, besides what was said in sessions."""

from __future__ import annotations

from harkback.engines.local.memories import MemoryStore
from harkback.model import LANES, MEMORY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harkback.archive.sessions import Archive
    from harkback.memory.recall import Recalled
    from harkback.model import Memory
    from harkback.query import Query

SHOWN = 3
_LEAST_SHARE = 0.6
"""A memory stands above the sessions' hits only if so much of the query stands in it."""


def is_of_memories(query: Query) -> bool:
    """Whether only memories are searched."""
    return any(one.field == "in" and one.values == (LANES[MEMORY],) and not one.negated for one in query.filters)


def remembered(
    archive: Archive, query: Query, lanes: tuple[int, ...], limit: int, *, meaning: bool = False
) -> tuple[Recalled, ...]:
    """Find what was remembered of a query; all of it where only memories are searched, else the few that fit well.

    Without a word that is looked for, those that pass the filters, the newest first, where only memories are searched.
    Filters that only a session can pass (`agent:`, `tool:` …) leave memories out. Raises MemoriesDamaged.
    """
    if not MemoryStore.exists(archive.place.data):
        return ()
    named = [one for one in query.filters if one.field == "in"]
    others = [one for one in query.filters if one.field not in {"in", "since", "until", "project"} or one.negated]
    words = [word for clause in query.clauses if not clause.negated for word in clause.words]
    alone = is_of_memories(query)
    if others or not (words or alone) or (named and not any(LANES[MEMORY] in one.values for one in named)):
        return ()
    if not named and MEMORY not in lanes:
        return ()
    from harkback.archive.memories import EVERYWHERE, HERE, Memories
    from harkback.memory.recall import Wanted
    from harkback.text.fold import fold

    bounds = {one.field: one for one in query.filters}
    since, until = bounds.get("since"), bounds.get("until")
    wanted = Wanted(
        limit=limit if alone else SHOWN,
        since_ms=since.since_ms if since else None,
        until_ms=until.until_ms if until else None,
    )
    memories = Memories(archive.place, archive.env, archive.now_ms, archive.cwd, archive.settings, archive.embedders)
    project = bounds.get("project")
    scope = EVERYWHERE if project else HERE
    if words:
        found = memories.recall(
            [" ".join(word.text for word in words)], wanted, scope=scope, meaning=meaning, proved=alone
        ).hits
    else:
        found = tuple(map(_unweighed, memories.newest(wanted, scope=scope)))
    unwanted = [fold(word.text) for clause in query.clauses if clause.negated for word in clause.words]
    phrases = [fold(word.text) for word in words if word.quoted]
    kept: list[Recalled] = []
    for one in found:
        text = fold(one.memory.text)
        if any(word in text for word in unwanted) or not all(phrase in text for phrase in phrases):
            continue
        if project and not any(fold(value) in fold(one.memory.project) for value in project.values):
            continue
        if alone or max(one.substring, one.words, one.meaning) >= _LEAST_SHARE:
            kept.append(one)
    return tuple(kept[: wanted.limit])


def _unweighed(memory: Memory) -> Recalled:
    from harkback.memory.recall import Recalled

    return Recalled(memory, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, decay=1.0, boost=0.0, is_current=True)
