"""From memories to files: new ones are added, changed ones written anew, and what no longer holds leaves the files.

Only what is ours is written: items of lists, pages with the id of a memory, lines of the index. A page of somebody
else's is written only where its memory was edited, and never deleted.
"""

from __future__ import annotations

from itertools import count

from harkback._record import NamedTuple
from harkback.engines.local.memory_folders import Link, Seen, mark
from harkback.memory import disk, index
from harkback.memory.folder_pages import LIST, LOOSE, ONE, WHOLE, Opened, opened, state, stem_of, units
from harkback.memory.folder_reading import LIVE
from harkback.memory.markdown import (
    LIST_FILES,
    MARK,
    edited,
    item_lines,
    list_kind,
    named,
    new_list,
    whole,
    with_front,
    with_whole,
    word,
)
from harkback.memory.saving import MOST_CHARS, says
from harkback.model import ACTIVE, DONE, TASK, Memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harkback.memory.folder_pages import Unit, Work
    from harkback.memory.folder_reading import Reader


MOST_LIST_BYTES = disk.MOST_BYTES * 9 // 10
"""A list of ours that would become longer goes on in a second file; what is longer than the most is not read again."""
_ITEM_BYTES = 40


class Edit:
    """What is to be done with one file."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.items: dict[int, list[str]] = {}
        self.ids: dict[int, str] = {}
        """The memories of items and, at -1, of the page."""
        self.added: list[Memory] = []
        self.gone: list[str] = []
        """Memories that leave it."""


class Index(NamedTuple):
    """How long the index may be."""

    lines: int
    size: int


class Writer:
    """Brings the memories of a folder's scope into its files."""

    def __init__(self, work: Work, reader: Reader, most: Index) -> None:
        """`reader` has brought in what stood in the files."""
        self.work, self.reader, self.most = work, reader, most
        self.store, self.rows, self.path = work.store, work.rows, work.folder.path
        self.changes = self.rows.changes()
        self.links = self.rows.links(self.path)
        self.scope = {one.id: one for one in self.store.of_project(work.folder.project)}
        self.others = self.store.by_id([one for one in self.links if one not in self.scope])
        self.edits: dict[str, Edit] = {}
        self.sizes: dict[str, int] = {}
        """How long the lists become to which something is added."""
        self.seen: dict[str, Seen] = {}
        self.dropped: set[str] = set()
        """Files that the index no longer names."""
        self.is_whole = True
        """Whether everything could be written."""

    def run(self) -> None:
        """Write, and note what stands where."""
        self._plan()
        for name in [*self.edits]:
            if name != index.FILE:
                self._apply(name)
        self._write_index()
        with self.store.writing():
            self.rows.see(self.path, self.seen)
            self.rows.lose(self.path, self.dropped - set(self.work.look.files))
            self.rows.set_changes(self.path, self.changes if self.is_whole else -1)

    def _edit(self, name: str) -> Edit:
        return self.edits.setdefault(name, Edit())

    # -- what is to be done --------------------------------------------------------------------------------------

    def _plan(self) -> None:
        fresh = set(self.reader.named.values())
        for (name, number), one in self.reader.named.items():
            self._edit(name).ids[number] = one
        for name, number in self.reader.removed:
            self._edit(name).items[number] = []
        moved = [memory for link in self.links.values() if (memory := self._plan_link(link)) is not None]
        new = [one for one in self.scope.values() if one.id not in self.links and one.id not in fresh]
        for memory in [*moved, *(one for one in new if one.status == ACTIVE)]:
            name = self._list_for(memory)
            if name:
                self._edit(name).added.append(memory)

    def _plan_link(self, link: Link) -> Memory | None:
        """Say what is to be done about a memory that stands in a file; gives it back where it is to move."""
        memory = self.scope.get(link.memory)
        is_live = memory is not None and memory.status in LIVE
        if memory is not None and is_live and state(memory) == link.stored:
            return None
        page = self.work.open(link.file)
        if page is None:
            self.is_whole = self.is_whole and link.file in self.work.left
            return None
        number = self._number(page, link)
        if number is None:
            return None
        if memory is None or not is_live:
            self._plan_end(page, link, number)
            return None
        is_of_kind = page.form != LIST or word(page.page, MARK) != "list"
        if is_of_kind or list_kind(page.page, stem_of(link.file)) == memory.kind:
            self._plan_text(page, link, number, memory)
            return None
        self._edit(link.file).items[number] = []
        return memory

    def _number(self, page: Opened, link: Link) -> int | None:
        for unit in units(link.file, page):
            is_it = unit.mark == link.written if page.form == LOOSE else unit.id == link.memory
            place = unit.file, unit.number
            if page.form == WHOLE or (is_it and place not in self.reader.named and place not in self.reader.removed):
                return unit.number
        return None

    def _plan_end(self, page: Opened, link: Link, number: int) -> None:
        """Take out what no longer holds here."""
        if page.form != WHOLE:
            edit = self._edit(link.file)
            edit.items[number] = []
            edit.gone.append(link.memory)
            return
        self.dropped.add(link.file)
        memory = self.others.get(link.memory) or self.scope.get(link.memory)
        ended = mark(memory.status if memory is not None else "forgotten")
        if link.stored == ended:
            return
        told = "forgotten" if memory is None else "moved" if memory.status in LIVE else memory.status
        self.work.notes.append(f"{link.file} still says what was {told} here. The file is yours: delete or change it.")
        with self.store.writing():
            self.rows.link(self.path, [link._replace(stored=ended)])

    def _plan_text(self, page: Opened, link: Link, number: int, memory: Memory) -> None:
        edit = self._edit(link.file)
        edit.ids[number] = memory.id
        if number >= 0:
            name = "" if page.form == LOOSE else memory.id
            is_task = memory.kind == TASK and page.form == LIST
            item = page.page.items[number]
            said = item.text
            text = said if says(said) == memory.text else memory.text
            edit.items[number] = item_lines(
                text, name, is_task=is_task, is_done=memory.status == DONE, end=page.page.end, sign=item.sign
            )

    def _list_for(self, memory: Memory) -> str:
        """Name the list in which a new memory goes, the next one where it is full; "" where none can be written now."""
        size = len(memory.text.encode("utf-8", "replace")) + _ITEM_BYTES * (1 + memory.text.count("\n"))
        for number in count(1):
            base = f"{LIST_FILES[memory.kind]}{f'-{number}' if number > 1 else ''}.md"
            name = next((name for name in (base, f"hark-{base}") if self._is_list(name)), "")
            if not name:
                break
            page = self.work.pages.get(name)
            held = self.sizes.get(name) or (len(page.page.text.encode("utf-8", "replace")) if page is not None else 0)
            if held + size <= MOST_LIST_BYTES:
                self.sizes[name] = held + size
                return name
        self.is_whole = False
        return ""

    def _is_list(self, name: str) -> bool:
        """Whether a file is a list that can be written, or can be made one."""
        if name not in self.work.look.files and name not in self.work.left:
            return True
        page = self.work.open(name)
        return page is not None and page.form == LIST

    # -- writing -------------------------------------------------------------------------------------------------

    def _apply(self, name: str) -> None:
        edit, before = self.edits[name], self.work.pages.get(name)
        page = before or opened(name, disk.Found(self._beginning(edit), False, Seen(0, 0)))
        if page.form == ONE and edit.items.get(-1) == []:
            self._delete(name, edit)
            return
        text = self._text(page, edit)
        if before is None or text != page.page.text:
            seen = self._put(name, text, before)
            if seen is None:
                return
            self.seen[name] = seen
            before = opened(name, disk.Found(text, page.found.is_marked, seen))
            self.work.pages[name] = before
        self._note(name, before, edit)

    def _beginning(self, edit: Edit) -> str:
        base = self.work.folder.project.replace("\\", "/").rstrip("/").rpartition("/")[2]
        return new_list(edit.added[0].kind, f"in {base}" if base else "everywhere")

    def _text(self, page: Opened, edit: Edit) -> str:
        if -1 in edit.ids:
            one = edit.ids[-1]
            if page.form == ONE and word(page.page, "id") != one:
                return with_front(page.page, "id", one)
            memory = self.scope[one]
            is_said = says(whole(page.page, MOST_CHARS).text) == memory.text
            return page.page.text if is_said else with_whole(page.page, memory.text)
        named_items = {
            number: named(page.page, page.page.items[number], one)
            for number, one in edit.ids.items()
            if number not in edit.items
        }
        added = [
            line
            for memory in edit.added
            for line in item_lines(
                memory.text, memory.id, is_task=memory.kind == TASK, is_done=memory.status == DONE, end=page.page.end
            )
        ]
        return edited(page.page, {**named_items, **edit.items}, added)

    def _put(self, name: str, text: str, before: Opened | None) -> Seen | None:
        try:
            seen = disk.write(self.path, name, text, before.found if before is not None else None)
        except disk.Unreadable as error:
            self.is_whole = False
            self.work.notes.append(f"{name} could not be written: {error}")
            return None
        self.work.written += 1
        return seen

    def _delete(self, name: str, edit: Edit) -> None:
        try:
            disk.delete(self.path, name, self.work.pages[name].found)
        except disk.Unreadable as error:
            self.is_whole = False
            self.work.notes.append(f"{name} could not be deleted: {error}")
            return
        self.work.written += 1
        self.work.look.files.pop(name, None)
        self.dropped.add(name)
        with self.store.writing():
            self.rows.unlink(self.path, edit.gone)

    def _note(self, name: str, page: Opened, edit: Edit) -> None:
        """Note what a file says of the memories that were written into it."""
        written = {one.id for one in edit.added} | set(edit.ids.values())
        written &= set(self.scope)
        loose = {self.scope[one].text: one for one in written}
        links = []
        for unit in units(name, page):
            one = self._id_of(unit, edit, loose)
            if one in written:
                links.append(Link(one, name, unit.mark, state(self.scope[one])))
        with self.store.writing():
            self.rows.unlink(self.path, edit.gone)
            self.rows.link(self.path, links)

    def _id_of(self, unit: Unit, edit: Edit, loose: dict[str, str]) -> str:
        if unit.form == WHOLE:
            return edit.ids.get(-1, "")
        return loose.get(unit.text, "") if unit.form == LOOSE else unit.id

    # -- the index -----------------------------------------------------------------------------------------------

    def _write_index(self) -> None:
        name = index.FILE
        if name in self.work.left:
            return
        page = self.work.open(name)
        if page is None and name in self.work.look.files:
            self.is_whole = False
            return
        text = page.page.text if page is not None else ""
        edit = self.edits.get(name)
        if edit is not None and page is not None:
            text = self._text(page, edit)
        gone = self.dropped | set(self.work.gone)
        made = index.indexed(text, self._entries(gone), gone, self.most.lines, self.most.size)
        if made.left_out:
            self.work.notes.append(
                f"{name} is full: {', '.join(made.left_out[:5])}{' …' if len(made.left_out) > 5 else ''}"  # noqa: PLR2004
                f" {'is' if len(made.left_out) == 1 else 'are'} not named in it."
            )
        if page is None or made.text != page.page.text:
            seen = self._put(name, made.text, page)
            if seen is None:
                return
            self.seen[name] = seen
            page = opened(name, disk.Found(made.text, False, seen))
        if edit is not None:
            self._note(name, page, edit)

    def _entries(self, gone: set[str]) -> list[index.Entry]:
        """Say what the index is to name; own lists that hold nothing any more are added to `gone`."""
        held: dict[str, list[Memory]] = {}
        for link in self.rows.links(self.path).values():
            memory = self.scope.get(link.memory)
            if memory is not None and memory.status in LIVE and link.file != index.FILE:
                held.setdefault(link.file, []).append(memory)
        files = {link.file for link in self.links.values()} | set(self.edits)
        gone |= files - set(held) - {index.FILE}
        return [self._entry(name, held[name]) for name in sorted(held)]

    def _entry(self, name: str, held: list[Memory]) -> index.Entry:
        held.sort(key=lambda one: (one.status == DONE, -one.importance, -one.changed_ms, one.text))
        more = f"{len(held)}: " if len(held) > 1 else ""
        rank = held[0].importance, max(one.changed_ms for one in held)
        page = self.work.pages.get(name)
        is_ours = len(held) > 1 or name in self.edits or name in self.reader.fresh
        is_ours = is_ours or (page is not None and page.form != WHOLE)
        return index.Entry(name, more + "; ".join(one.text for one in held[:5]), rank, is_ours)
