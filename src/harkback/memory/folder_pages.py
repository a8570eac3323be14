"""One look at a folder that is kept in step: its pages as they stand, and what each says of which memory."""

from __future__ import annotations

from harkback._record import NamedTuple
from harkback.engines.local.memory_folders import Seen, mark
from harkback.memory import disk, index
from harkback.memory.markdown import is_list, list_kind, name_in, parse, whole, whole_kind, words
from harkback.memory.saving import MOST_CHARS, MOST_NAMES
from harkback.model import DONE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harkback.engines.local.memories import MemoryStore
    from harkback.engines.local.memory_folders import Folder
    from harkback.memory.markdown import Page
    from harkback.model import Memory

LIST, LOOSE, ONE, WHOLE = "list", "loose", "one", "whole"
"""What a page is: a list with ids, the items of the index that are no lines of it, one memory with its id, and a page
of somebody else's that is one memory and is known by its name."""

_RACY_NS = 2_000_000_000


class Opened(NamedTuple):
    """A page as it was read."""

    found: disk.Found
    page: Page
    form: str


class Unit(NamedTuple):
    """What a page says of one memory."""

    file: str
    number: int
    """Which item; -1: the whole page."""
    id: str
    text: str
    is_done: bool
    form: str
    kind: str
    tags: tuple[str, ...] = ()

    @property
    def mark(self) -> str:
        """The hash of what it says."""
        return mark(self.text, self.is_done)


def state(memory: Memory) -> str:
    """Give the hash of what a page tells of a memory."""
    return mark(memory.kind, memory.text, memory.status == DONE)


def stem_of(name: str) -> str:
    """Give the name of a file without folder and ending."""
    return name.rpartition("/")[2].rpartition(".")[0]


def opened(name: str, found: disk.Found) -> Opened:
    """Take a file apart."""
    page = parse(found.text)
    if name == index.FILE:
        form = LOOSE
    elif name_in(page):
        form = ONE
    else:
        form = LIST if is_list(page, stem_of(name)) else WHOLE
    return Opened(found, page, form)


def units(name: str, one: Opened) -> list[Unit]:
    """Say what a page says of memories."""
    page, form = one.page, one.form
    if form in {ONE, WHOLE}:
        said = whole(page, MOST_CHARS).text
        return (
            [Unit(name, -1, name_in(page), said, False, form, whole_kind(page), words(page, "tags")[:MOST_NAMES])]
            if said
            else []
        )
    kind = list_kind(page, stem_of(name))
    return [
        Unit(name, number, item.id if form == LIST else "", item.text, item.is_done, form, kind)
        for number, item in enumerate(page.items)
        if form == LIST or not index.file_of(page.lines[item.first])
    ]


class Work:
    """One look at one folder."""

    def __init__(
        self,
        store: MemoryStore,
        folder: Folder,
        now_ms: int,
        dated: Callable[[Memory], Memory],
        provenance: str,
    ) -> None:
        """`dated` finds the time that a memory's text speaks of."""
        self.store = store
        self.rows = store.folders
        self.folder = folder
        self.now_ms = now_ms
        self.dated = dated
        self.provenance = provenance
        self.look = disk.scan(folder.path)
        self.known = self.rows.files(folder.path)
        self.pages: dict[str, Opened] = {}
        self.left = set(self.look.links)
        """Files that are left alone."""
        self.notes: list[str] = []
        self.added = self.changed = self.archived = self.written = 0

    @property
    def news(self) -> list[str]:
        """The files that changed, the newest first."""
        files = self.look.files
        changed = [name for name, seen in files.items() if self.known.get(name) != seen]
        return sorted(changed, key=lambda name: -files[name].mtime_ns)

    @property
    def gone(self) -> list[str]:
        """The files that are no longer there."""
        return [name for name in self.known if name not in self.look.files and name not in self.left]

    def read(self, name: str) -> None:
        """Read a file; one that cannot be read is left alone, with a note."""
        try:
            self.pages[name] = opened(name, disk.read(self.folder.path, name))
        except disk.Unreadable as error:
            self.left.add(name)
            self.notes.append(f"{name} is left alone: {error}")
            if isinstance(error, disk.NoText):
                with self.store.writing():  # or it would be read, and told, each time
                    self.rows.see(self.folder.path, {name: self.look.files[name]})

    def open(self, name: str) -> Opened | None:
        """Give a page that may be written: as it was read, or as it was last seen; None where it is neither."""
        if name in self.pages or name in self.left:
            return self.pages.get(name)
        if name not in self.look.files or self.known.get(name) != self.look.files[name]:
            return None
        self.read(name)
        return self.pages.get(name)

    def seen(self, name: str) -> Seen:
        """Say how a file that was read looked; one that was changed just now is looked at once more."""
        seen = self.pages[name].found.seen
        return seen if seen.mtime_ns < self.now_ms * 1_000_000 - _RACY_NS else seen._replace(size=-1)
