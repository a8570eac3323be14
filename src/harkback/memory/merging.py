"""Bringing memories of a file into the store: by their ids the newer counts, by their texts the same are one.

Nothing that is stored is replaced by something older or emptier, and what was forgotten stays so.
"""

from __future__ import annotations

from harkback import errors
from harkback._record import NamedTuple
from harkback.memory.importing import Bad, Record, Section
from harkback.memory.saving import checked, masked, normal, reinforce, says
from harkback.model import ACTIVE, Memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from harkback.engines.local.memories import MemoryStore
    from harkback.memory.importing import Read

AT_ONCE = 200


class Plan(NamedTuple):
    """What an import would do, as far as ids tell."""

    adds: int
    replaces: int
    """Stored texts that would become another one."""


class Imported(NamedTuple):
    """What an import did."""

    added: int
    merged: int
    """What became part of a memory that is stored."""
    kept: int
    """What is stored already, or newer or fuller here."""
    forgotten: int
    """What was forgotten here."""
    sections: int
    """Sections of the profile that were taken over."""
    bad: tuple[tuple[str, int, str], ...]
    """What could not be read: the file, the line, and why."""

    @property
    def is_nothing(self) -> bool:
        """Whether nothing of it could be read."""
        return bool(self.bad) and not any(self[:5])


def plan(store: MemoryStore, read: Sequence[Read]) -> Plan:
    """Say what an import would do."""
    records = [one.memory for one in read if isinstance(one, Record)]
    known = store.by_id([one.id for one in records if one.id])
    both = [(known[one.id], one) for one in records if one.id in known]
    replaces = sum(1 for ours, theirs in both if _moment(theirs) > _moment(ours) and ours.text != says(theirs.text))
    return Plan(len(records) - len(both), replaces)


class Merger:
    """One import."""

    def __init__(self, store: MemoryStore, now_ms: int, dated: Callable[[Memory], Memory]) -> None:
        """`dated` finds the time that a memory's text speaks of."""
        self.store, self.now_ms, self.dated = store, now_ms, dated
        self.is_empty = not store.count()
        self.added = self.merged = self.kept = self.forgotten = self.sections = 0
        self.bad: list[tuple[str, int, str]] = []
        self.new: set[str] = set()
        """Memories that this import added: among themselves they are as they were."""
        self.joined: dict[str, str] = {}
        """Ids that became another one."""

    def run(self, read: Sequence[Read], file: str) -> None:
        """Bring in what was read of a file."""
        bad = [(file, one.line, one.reason) for one in read if isinstance(one, Bad)]
        records = [one for one in read if isinstance(one, Record)]
        for start in range(0, len(records), AT_ONCE):
            with self.store.writing():
                for record in records[start : start + AT_ONCE]:
                    try:
                        self.take(record)
                    except errors.HarkError as error:
                        bad.append((file, record.line, str(error)))
        self.bad += sorted(bad)
        for section in read:
            if isinstance(section, Section):
                self._section(section)

    def done(self) -> Imported:
        """Say what was done."""
        return Imported(self.added, self.merged, self.kept, self.forgotten, self.sections, tuple(self.bad))

    def take(self, record: Record) -> None:
        """Bring in one memory, inside `writing`. Raises MemoryTooLong, MemoryTooShort, BadValue."""
        memory = record.memory
        if memory.id and self.store.is_forgotten(memory.id):
            self.forgotten += 1
            return
        memory = checked(memory)
        memory = memory._replace(
            project=masked(memory.project), session=masked(memory.session), message=masked(memory.message)
        )
        ours = self.store.by_id([memory.id]).get(memory.id) if memory.id else None
        if ours is not None:
            self._merge(ours, memory, record)
            return
        if not memory.created_ms:
            memory = memory._replace(created_ms=self.now_ms, changed_ms=self.now_ms)
        if memory.event_since_ms is None and not memory.id:
            memory = self.dated(memory)
        memory = memory._replace(supersedes=self.joined.get(memory.supersedes, memory.supersedes))
        if memory.status == ACTIVE and not (memory.id and self.is_empty):
            same = reinforce(self.store, memory, self.now_ms, self.new if memory.id else ())
            if same is not None:
                self.joined[memory.id] = same.id
                self.merged += 1
                return
        stored = self.store.add(memory, normal(memory.text))
        self.store.add_past(stored.id, [(until, says(text)) for until, text in record.past])
        self.new.add(stored.id)
        self.added += 1

    def _merge(self, ours: Memory, theirs: Memory, record: Record) -> None:
        new = _newer(ours, theirs)
        if _moment(theirs) <= _moment(ours) or new == ours:
            self.kept += 1
            return
        self.store.change(new, normal(new.text), self.now_ms)
        self.store.add_past(ours.id, [(until, says(text)) for until, text in record.past])
        self.merged += 1

    def _section(self, one: Section) -> None:
        known = [(old.changed_ms, old.text) for old in self.store.profile(one.section)]
        texts = [(changed, says(text)) for changed, text in one.texts]
        if known and texts[-1][0] <= known[0][0]:
            self.kept += texts[-1] not in known
            return
        for changed_ms, text in texts:
            if not known or changed_ms > known[0][0]:
                self.store.set_profile(one.section, text, changed_ms)
        self.sections += 1


def _moment(one: Memory) -> int:
    """Say when a memory was last changed, finished or replaced."""
    return max(one.changed_ms, one.ended_ms or 0)


def _newer(ours: Memory, theirs: Memory) -> Memory:
    """Give the newer form of a memory; what it does not say is taken from the older one."""
    new = theirs._replace(
        entities=theirs.entities or ours.entities,
        tags=theirs.tags or ours.tags,
        session=theirs.session or ours.session,
        message=theirs.message or ours.message,
        supersedes=theirs.supersedes or ours.supersedes,
        created_ms=min(ours.created_ms, theirs.created_ms or ours.created_ms),
        confirmed=max(ours.confirmed, theirs.confirmed),
        uses=max(ours.uses, theirs.uses),
        used_ms=max(ours.used_ms or 0, theirs.used_ms or 0) or None,
    )
    if theirs.event_since_ms is None:
        new = new._replace(
            event_since_ms=ours.event_since_ms, event_until_ms=ours.event_until_ms, event_words=ours.event_words
        )
    return new
