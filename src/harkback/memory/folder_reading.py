"""From files to memories: what was written by hand counts.

New items and pages become memories, changed ones change theirs, and what is no longer there is archived: nothing is
forgotten because a line was deleted.
"""

from __future__ import annotations

from harkback import errors
from harkback.engines.local.memory_folders import Link
from harkback.memory.folder_pages import LIST, LOOSE, ONE, WHOLE, state, units
from harkback.memory.saving import checked, normal
from harkback.model import ACTIVE, ARCHIVED, DONE, SUPERSEDED, Memory
from harkback.text.clean import clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harkback.memory.folder_pages import Unit, Work

LIVE = (ACTIVE, DONE)
"""Memories that stand in files."""

FILES_AT_ONCE = 200
_ALIKE = 0.6


class Reader:
    """Brings what files say into the store."""

    def __init__(self, work: Work) -> None:
        """The pages of `work` are what changed."""
        self.work = work
        self.store, self.rows, self.path = work.store, work.rows, work.folder.path
        self.links: dict[str, Link] = {}
        self.taken: set[str] = set()
        """Memories that were found in a file that changed."""
        self.named: dict[tuple[str, int], str] = {}
        """Items that are to get an id."""
        self.removed: set[tuple[str, int]] = set()
        """Items that are to go: of what was forgotten or replaced."""
        self.fresh: set[str] = set()
        """Files that changed a memory."""
        self.gone = frozenset(work.gone)
        self.of_file: dict[str, str] = {}
        """The memories of links by their files."""
        self.units = {name: units(name, page) for name, page in work.pages.items()}
        self.rightful: dict[str, tuple[str, int]] = {}

    def run(self, *, is_all: bool) -> None:
        """Read; with `is_all` every changed file is there, and what stands in none of them was deleted."""
        names = list(self.units)
        self.links = self.rows.links(self.path)
        self.rightful = self._rightful()
        for start in range(0, len(names), FILES_AT_ONCE):
            with self.store.writing():
                self.links = self.rows.links(self.path)
                self.of_file = {link.file: one for one, link in self.links.items()}
                for name in names[start : start + FILES_AT_ONCE]:
                    self._read(name)
        if is_all:
            with self.store.writing():
                self.links = self.rows.links(self.path)
                self._archive()
                self.rows.lose(self.path, self.work.gone)

    def _read(self, name: str) -> None:
        known = self._loose(name) if self.work.pages[name].form == LOOSE else {}
        for unit in self.units[name]:
            self._take(unit._replace(id=known.get(unit.number, unit.id)))
        if not any((name, unit.number) in self.named for unit in self.units[name]):
            self.rows.see(self.path, {name: self.work.seen(name)})

    # -- which memory is it --------------------------------------------------------------------------------------

    def _rightful(self) -> dict[str, tuple[str, int]]:
        """Say which item each id belongs to, where lines were copied: what it was before, else the first."""
        claims: dict[str, list[Unit]] = {}
        for found in self.units.values():
            for unit in found:
                if unit.id:
                    claims.setdefault(unit.id, []).append(unit)
        rightful: dict[str, tuple[str, int]] = {}
        for one, claimants in claims.items():
            link = self.links.get(one)
            if link is None or not self._is_unread(link.file):  # else it still stands in a file that did not change
                best = max(claimants, key=self._is_known)
                rightful[one] = best.file, best.number
        return rightful

    def _is_known(self, unit: Unit) -> int:
        link = self.links.get(unit.id)
        return 0 if link is None else (unit.file == link.file) + (unit.mark == link.written)

    def _is_unread(self, file: str) -> bool:
        return file not in self.work.pages and (file in self.work.look.files or file in self.work.left)

    def _loose(self, name: str) -> dict[int, str]:
        """Tell the items of the index by what they said when last seen, else by what is most like it."""
        from difflib import SequenceMatcher

        left = {one.memory: one for one in self.links.values() if one.file == name}
        found: dict[int, str] = {}
        for unit in self.units[name]:
            same = next((one for one, link in left.items() if link.written == unit.mark), "")
            if same:
                found[unit.number] = same
                del left[same]
        memories = self.store.by_id(list(left))
        for unit in self.units[name]:
            if unit.number in found or not memories:
                continue
            likeness = {one: SequenceMatcher(None, unit.text, kept.text).ratio() for one, kept in memories.items()}
            best = max(likeness, key=likeness.__getitem__)
            if likeness[best] >= _ALIKE:
                found[unit.number] = best
                del memories[best]
        return found

    def _take(self, unit: Unit) -> None:
        one = unit.id
        if unit.form == WHOLE:
            one = self.of_file.get(unit.file, "")
        elif unit.form != LOOSE and self.rightful.get(one) != (unit.file, unit.number):
            one = ""
        if not one:
            self._add(unit)
            return
        self.taken.add(one)
        if self.store.is_forgotten(one):
            self._remove(unit)
            return
        memory = self.store.by_id([one]).get(one)
        if memory is None:
            self._add(unit, one)
        elif one in self.links:
            self._again(unit, memory, self.links[one])
        else:
            self._meet(unit, memory)

    def _remove(self, unit: Unit) -> None:
        if unit.form != WHOLE:
            self.removed.add((unit.file, unit.number))

    # -- what it says --------------------------------------------------------------------------------------------

    def _again(self, unit: Unit, memory: Memory, link: Link) -> None:
        """Take what was known already: by hand it may have been changed, or moved to another file."""
        new = memory
        if unit.mark != link.written:
            new = self._changed(unit, memory)
        if unit.form == LIST and unit.file != link.file:
            new = new._replace(kind=unit.kind)
        if new != memory:
            self._store(unit, new)
            link = link._replace(stored=state(new))
        self._link(unit, memory.id, link.stored)

    def _meet(self, unit: Unit, memory: Memory) -> None:
        """Take a line whose id is that of a memory which did not stand in this folder."""
        if memory.project != self.work.folder.project:
            self.taken.discard(memory.id)
            self._add(unit)
        elif memory.status == SUPERSEDED:
            self._remove(unit)
        elif normal(unit.text) in {normal(text) for _, text in self.store.past(memory)}:
            self._link(unit, memory.id, "")  # the file is older
        else:
            new = self._changed(unit, memory)
            if new != memory:
                self._store(unit, new)
            self._link(unit, memory.id, state(new))

    def _changed(self, unit: Unit, memory: Memory) -> Memory:
        """Give a memory as the file tells it."""
        new = memory
        if memory.status not in LIVE:
            new = new._replace(status=ACTIVE, ended_ms=None)
        if unit.form in {LIST, LOOSE} and unit.is_done != (memory.status == DONE):
            new = new._replace(
                status=DONE if unit.is_done else ACTIVE, ended_ms=self.work.now_ms if unit.is_done else None
            )
        told = self._checked(unit, new._replace(text=unit.text))
        if told is None or told.text == memory.text:
            return new
        return self.work.dated(told._replace(changed_ms=self.work.now_ms))

    def _checked(self, unit: Unit, memory: Memory) -> Memory | None:
        """Tidy and mask a memory; None, with a note, where it cannot be one."""
        try:
            told = checked(memory)
        except errors.HarkError as error:
            self.work.notes.append(f"{_where(unit, self.work)} is no memory: {error}")
            return None
        if told.text != clean(unit.text).strip():
            where = _where(unit, self.work)
            self.work.notes.append(f"{where} holds a secret: masked here, it stands in the file until you take it out.")
        return told

    def _store(self, unit: Unit, memory: Memory) -> None:
        self.store.change(memory, normal(memory.text), self.work.now_ms)
        self.work.changed += 1
        self.fresh.add(unit.file)

    def _link(self, unit: Unit, one: str, stored: str) -> None:
        link = Link(one, unit.file, unit.mark, stored)
        self.links[one] = link
        self.rows.link(self.path, [link])

    # -- what is new, and what is gone ---------------------------------------------------------------------------

    def _add(self, unit: Unit, one: str = "") -> None:
        work = self.work
        if not one and unit.form == WHOLE and self._is_renamed(unit):
            return
        saved_ms = work.now_ms
        if unit.form == WHOLE:
            saved_ms = min(saved_ms, work.pages[unit.file].found.seen.mtime_ns // 1_000_000)
        made = Memory(
            one,
            unit.text,
            unit.kind,
            tags=unit.tags,
            project=work.folder.project,
            provenance=work.provenance,
            status=DONE if unit.is_done else ACTIVE,
            created_ms=saved_ms,
            changed_ms=saved_ms,
            ended_ms=work.now_ms if unit.is_done else None,
        )
        told = self._checked(unit, made)
        if told is None:
            return
        known = None if one else self._same(told)
        if known is None:
            known = self.store.add(work.dated(told), normal(told.text))
            work.added += 1
        self.taken.add(known.id)
        if unit.form in {LIST, ONE} and unit.id != known.id:
            self.named[unit.file, unit.number] = known.id  # linked when it stands in the file
        else:
            self._link(unit, known.id, state(known))

    def _is_renamed(self, unit: Unit) -> bool:
        """Whether a page is one that had another name."""
        if not self.gone:
            return False
        for link in self.links.values():
            if link.file in self.gone and link.written == unit.mark and link.memory not in self.taken:
                self.taken.add(link.memory)
                self._link(unit, link.memory, link.stored)
                return True
        return False

    def _same(self, told: Memory) -> Memory | None:
        """Find the memory that says just this and stands in no file that still holds it."""
        for one in self.store.same_text(normal(told.text)):
            link = self.links.get(one.id)
            is_free = one.id not in self.taken and one.id not in self.rightful
            is_free = is_free and (link is None or not self._is_unread(link.file))
            if is_free and one.status in LIVE and one.project == told.project:
                return one
        return None

    def _archive(self) -> None:
        """Archive what no longer stands in any file."""
        work = self.work
        gone = [one for one, link in self.links.items() if one not in self.taken and not self._is_unread(link.file)]
        for memory in self.store.by_id(gone).values():
            if memory.status in LIVE and memory.project == work.folder.project:
                ended = memory._replace(status=ARCHIVED, ended_ms=memory.ended_ms or work.now_ms)
                self.store.change(ended, normal(ended.text), work.now_ms)
                work.archived += 1
        self.rows.unlink(self.path, gone)


def _where(unit: Unit, work: Work) -> str:
    if unit.number < 0:
        return unit.file
    return f"{unit.file} line {work.pages[unit.file].page.items[unit.number].first + 1}"
