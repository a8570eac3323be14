"""Keeping a folder of Markdown files in step with the memories of a project, in both directions.

Files first: what was changed by hand goes into the store, then what changed in the store goes into the files. A kill
in between costs nothing: a line that has no id yet is known again by what it says, and one that was written but not
noted by its id.
"""

from __future__ import annotations

from harkback._record import NamedTuple
from harkback.memory import index
from harkback.memory.folder_pages import Work
from harkback.memory.folder_reading import Reader
from harkback.memory.folder_writing import Index, Writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harkback.engines.local.memories import MemoryStore
    from harkback.engines.local.memory_folders import Folder
    from harkback.model import Memory


class Synced(NamedTuple):
    """What was done about one folder."""

    path: str
    project: str
    added: int = 0
    """Memories that came from its files."""
    changed: int = 0
    """Memories that were changed in its files."""
    archived: int = 0
    """Memories whose lines or files were deleted."""
    written: int = 0
    """Files that were written or deleted."""
    notes: tuple[str, ...] = ()


def is_quiet(store: MemoryStore, folder: Folder) -> bool:
    """Whether neither a file nor a memory changed since the folder was last kept in step; nothing is read for it."""
    from harkback.memory.disk import scan

    look = scan(folder.path)
    is_same = not look.problem and look.files == store.folders.files(folder.path)
    return is_same and folder.changes == store.folders.changes()


def keep(
    store: MemoryStore,
    folder: Folder,
    now_ms: int,
    most: Index,
    dated: Callable[[Memory], Memory],
    *,
    provenance: str,
    most_files: int = 0,
    is_new: bool = False,
) -> Synced:
    """Keep a folder in step; of its changed files at most `most_files` are read, the newest (0: all).

    With `is_new` what is missing in the folder was not deleted there, and is written again.
    """
    work = Work(store, folder, now_ms, dated, provenance)
    if work.look.problem:
        work.notes.append(f"The folder cannot be read ({work.look.problem}). Its memories stay as they are.")
        return _synced(work)
    if is_new:
        _begin_anew(work)
    elif index.FILE in work.gone and len(work.gone) > 1:
        work.notes.append(
            f"{index.FILE} and {len(work.gone) - 1} more files are missing: nothing was archived and nothing written."
            f" Is the disk mounted? `hark memories folder add {folder.path}` writes the files again."
        )
        return _synced(work)
    news = work.news
    for name in news[:most_files] if most_files else news:
        work.read(name)
    work.notes += [f"{name} is a link, and links are not followed." for name in work.look.links]
    reader = Reader(work)
    reader.run(is_all=not most_files or len(news) <= most_files)
    Writer(work, reader, most).run()
    return _synced(work)


def _begin_anew(work: Work) -> None:
    missing = set(work.gone)
    links = work.rows.links(work.folder.path).values()
    with work.store.writing():
        work.rows.unlink(work.folder.path, [one.memory for one in links if one.file in missing])
        work.rows.lose(work.folder.path, missing)
    for name in missing:
        del work.known[name]


def _synced(work: Work) -> Synced:
    return Synced(
        work.folder.path,
        work.folder.project,
        work.added,
        work.changed,
        work.archived,
        work.written,
        tuple(dict.fromkeys(work.notes)),
    )


__all__ = ["Index", "Synced", "is_quiet", "keep"]
