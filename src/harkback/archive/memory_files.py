"""Memories written to a file and read from one."""

from __future__ import annotations

import os

from harkback import errors
from harkback._record import NamedTuple
from harkback.archive.memories import _dated as dated
from harkback.archive.memories import opened_for_writing
from harkback.engines.local import guarded
from harkback.engines.local.memories import MemoryStore
from harkback.ingest.projects import repository_of
from harkback.memory.disk import Found, Unreadable, read, scan
from harkback.memory.exporting import json_lines, markdown
from harkback.memory.folder_reading import LIVE
from harkback.memory.importing import Bad, read_json, read_markdown
from harkback.memory.merging import Imported, Merger, Plan, plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harkback.archive.memories import Memories
    from harkback.memory.importing import Read
    from harkback.model import Memory

JSON, MARKDOWN = "json", "markdown"


class Exported(NamedTuple):
    """What was written."""

    file: str
    memories: int
    sections: int


class MemoryFiles:
    """Export and import of one person's memories."""

    def __init__(self, memories: Memories) -> None:
        """`memories` are what is written and read into."""
        self.memories = memories
        self.place = memories.place

    def text(self, *, form: str = JSON, project: str | None = None) -> tuple[str, int, int]:
        """Write everything, or what holds in one project, as a text; with how many memories and sections it has.

        Raises NothingRemembered, NoProject.
        """
        store = MemoryStore.open(self.place.data)
        if store is None:
            raise errors.NothingRemembered
        with store:
            named = None if project is None else self.memories._project(store, project)  # noqa: SLF001 - of one facade
            held = store.all() if named is None else store.of_project(named)
            if form == MARKDOWN:
                held = [one for one in held if one.status in LIVE]
                return "\n".join([*markdown(held), ""]), len(held), 0
            sections = len(store.profile())
            return "".join(f"{line}\n" for line in json_lines(store, held)), len(held), sections

    def export(self, file: str, *, form: str = JSON, project: str | None = None, overwrite: bool = False) -> Exported:
        """Write everything into a file. Raises FileThere, FileUnwritable, NothingRemembered, NoProject."""
        path = os.path.abspath(os.path.join(self.memories.cwd or os.sep, os.path.expanduser(file)))
        if os.path.lexists(path) and not overwrite:
            raise errors.FileThere(path)
        text, number, sections = self.text(form=form, project=project)
        spare = f"{path}.{os.getpid()}.hark-new"
        try:
            with open(os.open(spare, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as written:
                written.write(text.encode("utf-8", "replace"))
                written.flush()
                os.fsync(written.fileno())
            os.replace(spare, path)
        except OSError as error:
            if os.path.exists(spare):
                os.unlink(spare)
            raise errors.FileUnwritable(path, error.strerror or error) from error
        return Exported(path, number, sections)

    def bring(
        self, file: str, *, is_agreed: Callable[[Plan], bool], project: str | None = None, text: str | None = None
    ) -> Imported:
        """Read memories from a file, from the Markdown and JSON lines of a folder, or from a `text`, which is JSON.

        `is_agreed` is asked when more stored texts would be replaced than memories added. What names no project holds
        in `project`; where none is given, everywhere, and what stands in Markdown in the project that it lies in.
        Raises FileUnreadable, NotAgreed, NoProject, ArchiveReadOnly, DiskFull.
        """
        path = os.path.abspath(os.path.join(self.memories.cwd or os.sep, os.path.expanduser(file)))
        with guarded(self.place.data):
            store = opened_for_writing(self.place.data, self.memories.now_ms)
            with store:
                named = None if project is None else self.memories._project(store, project)  # noqa: SLF001 - as above
                files = _read(path, named) if text is None else [(file, list(read_json(text, named or "")))]
                whole = plan(store, [one for _, found in files for one in found])
                if whole.replaces > whole.adds and not is_agreed(whole):
                    raise errors.NotAgreed
                merger = Merger(store, self.memories.now_ms, _when)
                for name, found in files:
                    merger.run(found, name)
                return merger.done()


def _when(memory: Memory) -> Memory:
    return dated(memory, None, memory.created_ms)


def _read(path: str, project: str | None) -> list[tuple[str, list[Read]]]:
    if not os.path.isdir(path) and not path.lower().endswith((".md", ".markdown")):
        return [(path, list(read_json(_text(path), project or "")))]
    where = repository_of(os.path.dirname(path)) if project is None else project
    if not os.path.isdir(path):
        name = os.path.basename(path)
        return [(path, list(read_markdown(name, _found(os.path.dirname(path), name), where)))]
    look = scan(path)
    if look.problem:
        raise errors.FileUnreadable(path, look.problem)
    where = repository_of(path) if project is None else project
    pages = [(os.path.join(path, *name.split("/")), _page(path, name, where)) for name in sorted(look.files)]
    return [*_json_files(path, project or ""), *pages]


def _json_files(folder: str, project: str) -> list[tuple[str, list[Read]]]:
    """Read the files of JSON lines of a folder; hidden ones and links are left out."""
    paths: list[str] = []
    for base, inside, names in os.walk(folder):
        inside[:] = sorted(name for name in inside if not name.startswith("."))
        shown = sorted(name for name in names if name.lower().endswith(".jsonl") and not name.startswith("."))
        paths += [os.path.join(base, name) for name in shown]
    return [(one, _lines(one, project)) for one in paths if os.path.isfile(one) and not os.path.islink(one)]


def _lines(path: str, project: str) -> list[Read]:
    try:
        return list(read_json(_text(path), project))
    except errors.FileUnreadable as error:
        return [Bad(0, str(error))]


def _page(folder: str, name: str, project: str) -> list[Read]:
    try:
        return list(read_markdown(name, read(folder, name), project))
    except Unreadable as error:
        return [Bad(0, str(error))]


def _found(folder: str, name: str) -> Found:
    try:
        return read(folder, name)
    except Unreadable as error:
        raise errors.FileUnreadable(os.path.join(folder, name), error) from error


def _text(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8-sig", "replace")
    except OSError as error:
        raise errors.FileUnreadable(path, error.strerror or error) from error
