"""Keeping the memories sound: what `hark check`, `redact`, `rebuild` and `status` ask of them besides the sessions."""

from __future__ import annotations

from harkback import errors
from harkback.engines.local.memories import MemoryStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harkback.engines.local.checking import Fault


def faults(folder: str) -> tuple[Fault, ...]:
    """Say what of the memories does not agree, with what mends it."""
    from harkback.engines.local.checking import MOVE_MEMORIES, REBUILD, Fault

    try:
        store = MemoryStore.open(folder)
        if store is None:
            return ()
        with store:
            store.prove()
            return tuple(Fault(kind, number, REBUILD) for kind, number in store.faults())
    except errors.MemoriesDamaged as error:
        return (Fault(f"the memories' database is damaged ({error.values[1]})", 1, MOVE_MEMORIES),)


def secrets(folder: str) -> dict[str, int]:
    """Count the secrets in memories and profile, by today's rules."""
    store = MemoryStore.open(folder)
    if store is None:
        return {}
    with store:
        return store.secrets()


def redact(folder: str) -> dict[str, int]:
    """Mask them; gives their number by kind. Raises ArchiveReadOnly, DiskFull."""
    store = _for_writing(folder)
    if store is None:
        return {}
    with store:
        return store.redact()


def rebuild(folder: str) -> int:
    """Make the words of the memories again; gives the number of memories. Raises ArchiveReadOnly, DiskFull."""
    store = _for_writing(folder)
    if store is None:
        return 0
    with store:
        return store.rebuild_words()


def _for_writing(folder: str) -> MemoryStore | None:
    """Open the memories to change them; None where there are none, and none are made."""
    store = MemoryStore.open(folder)
    if store is None:
        return None
    store.close()
    return MemoryStore.open(folder, write=True)


def counts(folder: str) -> tuple[dict[str, int], str]:
    """Count memories by status; with why that cannot be done, or empty."""
    try:
        store = MemoryStore.open(folder)
        if store is None:
            return {}, ""
        with store:
            store.prove()
            return store.count(), ""
    except errors.MemoriesDamaged as error:
        return {}, str(error)


def joined(one: dict[str, int], other: dict[str, int]) -> dict[str, int]:
    """Add counts by kind."""
    return {
        kind: one.get(kind, 0) + other.get(kind, 0) for kind in [*one, *(kind for kind in other if kind not in one)]
    }
