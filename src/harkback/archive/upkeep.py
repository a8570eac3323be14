"""Keeping the memories sound: what `hark check`, `redact`, `rebuild` and `status` ask of them besides the sessions."""

from __future__ import annotations

from harkback.engines.local.memories import MemoryStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harkback.engines.local.checking import Fault


def faults(folder: str) -> tuple[Fault, ...]:
    """Say what of the memories does not agree, with what mends it."""
    from harkback.engines.local.checking import MOVE_MEMORIES, REBUILD, Fault

    store = MemoryStore.open(folder)
    if store is None:
        return ()
    try:
        if damage := store.damage():
            return (Fault(f"the memories' database is damaged ({damage})", 1, MOVE_MEMORIES),)
        return tuple(Fault(kind, number, REBUILD) for kind, number in store.faults())
    finally:
        store.close()


def secrets(folder: str) -> dict[str, int]:
    """Count the secrets in memories and profile, by today's rules."""
    store = MemoryStore.open(folder)
    if store is None:
        return {}
    try:
        return store.secrets()
    finally:
        store.close()


def redact(folder: str) -> dict[str, int]:
    """Mask them; gives their number by kind. Raises ArchiveReadOnly, DiskFull."""
    store = MemoryStore.open(folder)
    if store is None:
        return {}
    store.close()
    store = MemoryStore.open(folder, write=True)
    assert store is not None
    try:
        return store.redact()
    finally:
        store.close()


def rebuild(folder: str) -> int:
    """Make the words of the memories again; gives the number of memories. Raises ArchiveReadOnly, DiskFull."""
    store = MemoryStore.open(folder)
    if store is None:
        return 0
    store.close()
    store = MemoryStore.open(folder, write=True)
    assert store is not None
    try:
        return store.rebuild_words()
    finally:
        store.close()


def counts(folder: str) -> dict[str, int]:
    """Count memories by status."""
    store = MemoryStore.open(folder)
    if store is None:
        return {}
    try:
        return store.count()
    finally:
        store.close()


def joined(one: dict[str, int], other: dict[str, int]) -> dict[str, int]:
    """Add counts by kind."""
    return {
        kind: one.get(kind, 0) + other.get(kind, 0) for kind in [*one, *(kind for kind in other if kind not in one)]
    }
