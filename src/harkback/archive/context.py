"""What an agent should know at the beginning: profile, open tasks, latest memories and sessions of this project."""

from __future__ import annotations

from harkback import errors
from harkback._record import NamedTuple
from harkback.archive.memories import EVERYWHERE, HERE
from harkback.engines.local.memories import MemoryStore
from harkback.ingest.projects import repository_of
from harkback.memory import profile
from harkback.memory.recall import Wanted
from harkback.model import ACTIVE, TASK
from harkback.query import parse, with_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harkback.archive.memories import Memories
    from harkback.archive.sessions import Archive
    from harkback.engines.local.memories import Profile
    from harkback.model import Memory, StoredSession

MOST_MEMORIES = 40
MOST_SESSIONS = 10
MATERIAL = 300


class Context(NamedTuple):
    """What is known before a word was said."""

    profile: tuple[Profile, ...]
    """In the order of `profile.SECTIONS`; only those that say something."""
    tasks: tuple[Memory, ...]
    """Open ones, those with a date first."""
    memories: tuple[Memory, ...]
    """The others, the latest first."""
    sessions: tuple[StoredSession, ...]
    project: str


def context(memories: Memories, archive: Archive, scope: str = HERE) -> Context:
    """Gather what is known of the person and of this project. Raises NoProject."""
    store = MemoryStore.open(memories.place.data)
    sections: list[Profile] = []
    kept: list[Memory] = []
    project = "" if scope == EVERYWHERE else repository_of(memories.cwd)
    if store is not None:
        with store:
            sections = ordered(store.profile())
            wanted = memories.scoped(store, Wanted(), scope)
            project = "" if scope == EVERYWHERE else wanted.here
            kept = [one for one in memories.fitting(store, wanted) if one.status == ACTIVE]
    tasks = [one for one in kept if one.kind == TASK]
    tasks.sort(key=lambda one: (one.event_since_ms is None, one.event_since_ms or 0, -one.importance))
    others = sorted((one for one in kept if one.kind != TASK), key=lambda one: -one.changed_ms)[:MOST_MEMORIES]
    query = parse("", archive.now_ms)
    if project:
        query = with_options(query, archive.now_ms, project=[project])
    try:
        sessions = archive.sessions(query, limit=MOST_SESSIONS)
    except errors.NothingYet:
        sessions = []
    return Context(tuple(one for one in sections if one.text), tuple(tasks), tuple(others), tuple(sessions), project)


def ordered(sections: list[Profile]) -> list[Profile]:
    """Put sections into their usual order."""
    places = {one.name: place for place, one in enumerate(profile.SECTIONS)}
    return sorted(sections, key=lambda one: places.get(one.section, len(places)))


def material(memories: Memories) -> str:
    """Write the material and the instruction to bring the profile up to date."""
    store = MemoryStore.open(memories.place.data)
    if store is None:
        return profile.instruction([], [])
    with store:
        kept = [one for one in store.all() if one.status == ACTIVE]
        kept.sort(key=lambda one: -one.changed_ms)
        return profile.instruction(store.profile(), kept[:MATERIAL])
