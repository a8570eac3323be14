"""Forgetting that can be undone for a day: what the bin takes in and gives back."""

from __future__ import annotations

from harkback import errors
from harkback._record import NamedTuple
from harkback.engines.local.memory_bin import Binned
from harkback.memory.exporting import whole_line
from harkback.memory.importing import Record, read_json
from harkback.memory.merging import Merger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harkback.engines.local.memories import MemoryStore
    from harkback.model import Memory

KEPT_MS = 86_400_000
"""So long something can be brought back."""


class InBin(NamedTuple):
    """A memory that can be brought back."""

    memory: Memory
    at_ms: int
    """When it was put in the bin."""

    @property
    def until_ms(self) -> int:
        """Until when it can be brought back."""
        return self.at_ms + KEPT_MS


def put(store: MemoryStore, memory: Memory, now_ms: int) -> Memory:
    """Take a memory out of everything and keep its line in the bin."""
    with store.writing():
        store.put_in_bin(Binned(memory.id, whole_line(store, memory), now_ms))
    store.empty_log()
    return memory


def take(store: MemoryStore, one: Binned, now_ms: int) -> Memory:
    """Bring a memory back; gives it, or what says the same by now and took it in. Raises NotInBin."""
    record = _record(one)
    merger = Merger(store, now_ms, lambda memory: memory)
    with store.writing():
        if not store.bin.drop(one.id):
            raise errors.NotInBin(one.id)  # another process was faster
        store.unforget(one.id)
        if store.is_forgotten(record.memory.supersedes):
            record = record._replace(memory=record.memory._replace(supersedes=""))
        merger.take(record)
        became = merger.joined.get(one.id, one.id)
        if became == one.id and record.altered_ms:
            store.changes.alter(one.id, record.altered_ms, record.written or None)
        if after := record.superseded_by:
            store.link_successor(after, became)
        return store.by_id([became])[became]


def listed(store: MemoryStore, now_ms: int) -> list[InBin]:
    """List what can be brought back, the latest first."""
    found = [one for one in store.bin.all() if one.at_ms >= now_ms - KEPT_MS]
    return [InBin(_record(one).memory, one.at_ms) for one in found]


def of_id(store: MemoryStore, one: str) -> Memory | None:
    """Give what lies in the bin under an id, or the beginning of one; None where nothing does. Raises Ambiguous."""
    return _record(store.bin.find(one)).memory if store.bin.knows(one) else None


def _record(one: Binned) -> Record:
    record = next(read_json(one.line, ""), None)
    assert isinstance(record, Record)
    return record
