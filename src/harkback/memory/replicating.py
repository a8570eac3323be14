"""Making two stores say the same: what one tells the other, and how the other takes it in.

Of a memory that both changed each field counts as it was written last, and an older text becomes part of its history;
equal texts become one memory, under the id that the server knows; forgotten for good stays forgotten. Taking the same
in twice changes nothing, so that what was cut short is simply told again.
"""

from __future__ import annotations

from harkback import errors
from harkback._record import NamedTuple
from harkback.engines.local.ids import key_of
from harkback.engines.local.memory_bin import Binned
from harkback.engines.local.memory_changes import BACK, BINNED, GONE, Buried
from harkback.engines.local.memory_fields import is_alike, merged, same_for_all
from harkback.memory.chains import join, settle
from harkback.memory.exporting import section_line, whole_line
from harkback.memory.importing import Record, Section, read_json
from harkback.memory.profile import SECTIONS
from harkback.memory.saving import checked, masked, normal, says, twin
from harkback.model import ACTIVE, Memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harkback.engines.local.memories import MemoryStore
    from harkback.engines.local.memory_changes import Changed
    from harkback.engines.local.memory_fields import Times

MOST_PAST = 100
"""Of what a memory said before so much is told, the latest: a line must fit a request."""

_SECTIONS = frozenset(one.name for one in SECTIONS)


class Told(NamedTuple):
    """What one store tells another."""

    lines: tuple[str, ...]
    """Memories and sections, as an export writes them."""
    forgotten: tuple[Buried, ...]
    upto: int
    """Every change up to this number stands in it, or was told before."""
    upto_keys: int
    more: bool


def told(
    store: MemoryStore,
    since: int,
    since_keys: int,
    *,
    most: int,
    most_bytes: int,
    own: bool = False,
    without: frozenset[int] = frozenset(),
    has_lines: bool = True,
    has_keys: bool = True,
) -> Told:
    """Write what changed after a number, at most so many lines and bytes; with `own` what the server does not have.

    What was forgotten or brought back goes before the memories, or one that was brought back would be refused. Changes
    in `without` are left out; without `has_lines` or `has_keys` there are none.
    """
    last = store.changes.last()
    buried = store.changes.buried_since(since_keys, most + 1, own=own) if has_keys else []
    if len(buried) > most:
        number = buried[most - 1][0]
        return Told((), tuple(one for _, one in buried[:most]), since, number, more=True)
    found = store.changes.since(since, most + 1, own=own) if has_lines else []
    lines: list[str] = []
    upto, size = since, 0
    for one in found[:most]:
        line = "" if one.number in without else _line(store, one)
        size += len(line.encode("utf-8", "replace"))
        if lines and size > most_bytes:
            break
        lines += [line] if line else []
        upto = one.number
    more = bool(found) and upto < found[-1].number
    keys = tuple(one for number, one in buried if number not in without)
    whole = last if has_lines else since
    return Told(tuple(lines), keys, upto if more else whole, last if has_keys else since_keys, more=more)


def _line(store: MemoryStore, one: Changed) -> str:
    if one.is_section:
        return section_line(store, one.id, most_past=MOST_PAST)
    memory = store.by_id([one.id])[one.id]
    return whole_line(store, memory, most_past=MOST_PAST)


class Intake:
    """What one store takes in of another, inside `writing`."""

    def __init__(self, store: MemoryStore, now_ms: int, *, sent: int | None) -> None:
        """`sent`: how far a client has told its changes; None on the server, whose ids stay where texts are equal."""
        self.store, self.now_ms, self.sent = store, now_ms, sent
        self.changes = store.changes
        self.new: set[str] = set()
        """Memories that were added: among themselves they are as they were."""
        self.touched: set[str] = set()
        """Memories that were added or merged."""
        self.sections: set[str] = set()
        """Sections of the profile that were told."""
        self.forgot: list[str] = []
        """Memories that were taken out, as far as their ids are known here."""
        self.as_told: set[int] = set()
        """The numbers of changes by which something here became just what was told."""
        self.bad: list[str] = []
        """What could not be taken in, and why."""

    @property
    def is_client(self) -> bool:
        """Whether it is a client that takes in what a server told."""
        return self.sent is not None

    @property
    def named(self) -> set[str]:
        """Everything that was told, by its id."""
        return self.touched | {f"profile:{one}" for one in self.sections}

    # -- forgotten -----------------------------------------------------------------------------------------------

    def bury(self, forgotten: Sequence[Buried]) -> bool:
        """Forget, put in the bin and bring back what was elsewhere; gives whether anything was taken out."""
        news = [one for one in forgotten if self._counts(one)]
        if not news:
            return False
        ids = {key_of("memory", one): one for one in self.changes.ids()}
        for one in news:
            name = ids.get(one.key, "")
            self.changes.bury(one, received=self.is_client)
            self.as_told.add(self.changes.last())
            if one.state == BACK:
                self.store.unbury_key(one.key)
                self._bring_back(name)
            else:
                self.store.bury_key(one.key)
                self._take_out(name, one)
                self.forgot += [name] if name else []
        return any(one.state != BACK for one in news)

    def _counts(self, one: Buried) -> bool:
        """Whether a state is later than the one that is known."""
        ours = self.changes.buried(one.key)
        if ours is None:
            return one.state in {GONE, BINNED, BACK}
        if ours.state == BINNED and self.changes.is_alone(one.key):
            return one.state == GONE
        return ours.state != GONE and (one.state == GONE or one.turn > ours.turn)

    def _take_out(self, name: str, one: Buried) -> None:
        memory = self.store.by_id([name]).get(name)
        if one.state == GONE:
            self.store.bin.drop(name)
        elif memory is not None:
            # The day counts from when it was learnt of: by another clock, or after a week away, it could be over.
            self.store.bin.put(Binned(name, whole_line(self.store, memory), self.now_ms))
        self.store.take_out(name)

    def _bring_back(self, name: str) -> None:
        """Take our own form out of the bin; the one that was told may be older."""
        if not name or not self.store.bin.knows(name):
            return
        record = next(read_json(self.store.bin.find(name).line, ""), None)
        self.store.bin.drop(name)
        if isinstance(record, Record):
            self._take(record, is_own=True)

    # -- memories ------------------------------------------------------------------------------------------------

    def read(self, lines: Sequence[str]) -> None:
        """Take in memories and sections; what cannot be read is told in `bad`."""
        for number, line in enumerate(lines, 1):
            for one in read_json(line, ""):
                try:
                    if isinstance(one, Record):
                        self._take(one)
                    elif isinstance(one, Section):
                        self._section(one)
                    else:
                        self.bad.append(f"line {number}: {one.reason}")
                except errors.HarkError as error:
                    self.bad.append(f"line {number}: {error}")
        settle(self.store, self.touched, self.now_ms)

    def _take(self, record: Record, *, is_own: bool = False) -> None:
        """Take in a memory; with `is_own` the other side may know another form of it."""
        memory = checked(record.memory)
        if not memory.id:
            raise errors.BadValue("id", record.memory.id, "It is k and eight letters or digits.")
        if self.store.is_forgotten(memory.id):
            return
        memory = memory._replace(
            project=masked(memory.project), session=masked(memory.session), message=masked(memory.message)
        )
        if self.store.is_forgotten(memory.supersedes):
            memory = memory._replace(supersedes="")
        self.touched.add(memory.id)
        ours = self.store.by_id([memory.id]).get(memory.id)
        now = self._merge(ours, memory, record) if ours is not None else self._add(memory, record, is_own=is_own)
        if now.status == ACTIVE and (ours is None or _place(ours) != _place(now)):
            self._unite(now, is_own=is_own)

    def _add(self, memory: Memory, record: Record, *, is_own: bool) -> Memory:
        self.store.add(memory, normal(memory.text))
        self.store.add_past(memory.id, [(until, says(text)) for until, text in record.past])
        self.changes.alter(memory.id, record.altered_ms or memory.changed_ms, _times(record))
        if not is_own:
            self.new.add(memory.id)
            self._note(memory.id)
        return memory

    def _unite(self, memory: Memory, *, is_own: bool) -> None:
        """Join a memory with the one here that says the same, where there is one."""
        same = twin(self.store, memory, {memory.id} | (self.new if memory.id in self.new else set()))
        if same is None:
            return
        if self.sent is None or is_own:
            join(self.store, same, memory, self.now_ms)
        elif self.changes.is_waiting(same.id, self.sent):  # else the server knows both, and keeps them apart
            join(self.store, memory, same, self.now_ms)

    def _merge(self, ours: Memory, theirs: Memory, record: Record) -> Memory:
        mine, other = self.changes.written(ours.id), _times(record)
        new, times = merged(ours, mine, theirs, other)
        said = [(until, says(text)) for until, text in record.past]
        if new.text != theirs.text:
            said = [(times["text"], theirs.text), *said]
        if new != ours:
            self.store.rewrite(new, normal(new.text), times["text"])
        is_added = self._add_past(ours.id, new.text, said)
        is_as_told = is_alike(new, theirs) and times == other
        # What a client told although it could know better it did not get: the server tells it again.
        if is_added or not is_alike(new, ours) or times != mine or not (is_as_told or self.is_client):
            self.changes.alter(
                ours.id, max(self.changes.altered_ms(ours.id), record.altered_ms, *times.values()), times
            )
        if is_as_told:
            self._note(ours.id, {text for _, text in said})
        return new

    def _add_past(self, one: str, now: str, said: Sequence[tuple[int, str]]) -> bool:
        """Add to the history of a memory what is not in it yet; gives whether anything was."""
        known = {text for _, text in self.store.past_of(one)} | {now}
        missing = [text for text in said if text[1] not in known]
        self.store.add_past(one, missing)
        return bool(missing)

    def _note(self, one: str, said: set[str] | None = None) -> None:
        """Note that a memory became just what was told, unless its history here holds more."""
        if said is not None and not {text for _, text in self.store.past_of(one)} <= said:
            return
        self.as_told.add(self.changes.number(one))
        if self.is_client:
            self.changes.receive(one)

    # -- the profile ---------------------------------------------------------------------------------------------

    def _section(self, one: Section) -> None:
        if one.section not in _SECTIONS:
            raise errors.BadValue("section", one.section, f"Valid are {', '.join(sorted(_SECTIONS))}.")
        self.sections.add(one.section)
        ours = [(old.changed_ms, old.text) for old in self.store.profile(one.section)]
        theirs = {(changed_ms, says(text)) for changed_ms, text in one.texts}
        both = sorted(theirs.union(ours))
        if both != sorted(ours):
            self.store.replace_section(one.section, both)
            if theirs.issuperset(ours):
                self.as_told.add(self.changes.last())
                if self.is_client:
                    self.changes.receive_section(one.section)


def _place(one: Memory) -> tuple[str, str, str]:
    """Give what tells whether another memory stands in its place."""
    return one.status, one.text, one.project


def _times(record: Record) -> Times:
    """Say when each field was written; what does not tell of each was written when it was last changed."""
    one = record.memory
    return dict(record.written) or same_for_all(record.altered_ms or max(one.changed_ms, one.ended_ms or 0))
