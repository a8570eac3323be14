"""Folders of Markdown files that are kept in step with the memories: registered, listed, synced."""

from __future__ import annotations

import os
import re

from harkback import errors
from harkback._record import NamedTuple
from harkback.archive.memories import _dated as dated
from harkback.archive.memories import opened_for_writing
from harkback.engines.local import FOLDERS, FOREVER_S, LocalEngine, guarded, locked, undamaged
from harkback.engines.local.memories import MemoryStore
from harkback.engines.local.memory_folders import Folder
from harkback.ingest.projects import repository_of
from harkback.memory.folders import Index, Synced, is_quiet, keep
from harkback.model import AGENT, PERSON

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harkback.archive.memories import Memories
    from harkback.model import Memory

HOT_FILES = 200
"""So many changed files, the newest, are read before an answer."""

WAIT_S = 2.0
"""A command waits so long for another process that keeps folders; after that the next command does it."""

_CLAUDE_CODE = r".*[/\\]projects[/\\]([^/\\]+)[/\\]memory"


class Kept(NamedTuple):
    """A folder that is kept in step."""

    path: str
    project: str
    memories: int
    problem: str
    """Why it cannot be read now, or empty."""


class MemoryFolders:
    """The folders of one person; every method opens what it needs and closes it again."""

    def __init__(self, memories: Memories) -> None:
        """`memories` are what the folders are kept in step with."""
        self.memories = memories
        self.place = memories.place
        settings = memories.settings
        self.most = Index(settings.number("folder.lines"), settings.number("folder.bytes"))

    def add(self, folder: str, project: str | None = None) -> Synced:
        """Keep a folder in step from now on; for one that is there already, write again what is missing in it.

        Without a project it is that of the folder; "" is what holds everywhere. Raises NoFolder, FolderTaken,
        NoProject, ArchiveReadOnly, DiskFull.
        """
        path = self._path(folder)
        if not os.path.isdir(path) or not os.access(path, os.R_OK | os.X_OK):
            raise errors.NoFolder(path)
        with guarded(self.place.data):
            store = opened_for_writing(self.place.data, self.memories.now_ms)
            with store, self._lock(FOREVER_S):
                kept = {one.path: one for one in store.folders.all()}
                self._refuse(path, [one for one in kept if one != path])
                known = kept.get(path)
                if project is not None or known is None:
                    known = Folder(path, self._project(store, path, project), self.memories.now_ms)
                with store.writing():
                    if path in kept and kept[path].project != known.project:
                        store.folders.remove(path)
                    store.folders.add(known._replace(changes=-1))
                return self._keep(store, known, is_new=True)

    def _path(self, folder: str) -> str:
        return os.path.realpath(os.path.join(self.memories.cwd or os.sep, os.path.expanduser(folder)))

    def _refuse(self, path: str, others: list[str]) -> None:
        for other in others:
            if _is_inside(path, other) or _is_inside(other, path):
                raise errors.FolderTaken(path, f"{other} is kept already, and one lies in the other")
        if _is_inside(os.path.realpath(self.place.home), path):
            raise errors.FolderTaken(path, "your home folder lies in it")
        if _is_inside(os.path.realpath(self.place.data), path):
            raise errors.FolderTaken(path, "the archive lies in it")

    def _project(self, store: MemoryStore, path: str, named: str | None) -> str:
        if named is not None:
            return self.memories._project(store, named)  # noqa: SLF001 - the other half of one facade
        match = re.fullmatch(_CLAUDE_CODE, path)
        if not match:
            return repository_of(path)
        known = set(store.projects())
        with undamaged(self.place.data):
            engine = LocalEngine.open(self.place.data)
            if engine is not None:
                known |= set(engine.rows.labels("project").values())
                engine.close()
        same = [one for one in known if re.sub(r"[^A-Za-z0-9]", "-", one) == match[1]]
        return same[0] if len(same) == 1 else repository_of(path)

    def remove(self, folder: str) -> Folder:
        """Keep a folder in step no longer; its files and the memories stay. Raises FolderNotKept."""
        named = {self._path(folder), os.path.abspath(os.path.join(self.memories.cwd or os.sep, folder)), folder}
        with guarded(self.place.data):
            store = opened_for_writing(self.place.data, self.memories.now_ms)
            with store, self._lock(FOREVER_S):
                known = next((one for one in store.folders.all() if one.path in named), None)
                if known is None:
                    raise errors.FolderNotKept(folder)
                with store.writing():
                    store.folders.remove(known.path)
                return known

    def kept(self) -> list[Kept]:
        """List the folders that are kept in step."""
        from harkback.memory.disk import scan

        store = MemoryStore.open(self.place.data)
        if store is None:
            return []
        with store:
            return [
                Kept(one.path, one.project, store.folders.count(one.path), scan(one.path).problem)
                for one in store.folders.all()
            ]

    def sync(self, *, most_files: int = 0, wait_s: float = WAIT_S) -> list[Synced]:
        """Keep every folder in step in which something changed, or for which a memory did.

        Nothing is opened for writing, and no file read, where all is as it was, or where another process does the same
        for longer than `wait_s`. Raises ArchiveReadOnly, DiskFull, LockDamaged, MemoriesDamaged.
        """
        store = MemoryStore.open(self.place.data)
        if store is None:
            return []
        with store:
            if not _busy(store):
                return []
        with guarded(self.place.data), self._lock(wait_s) as is_ours:
            if not is_ours:
                return []
            with opened_for_writing(self.place.data, self.memories.now_ms) as store:
                return [self._keep(store, one, most_files=most_files) for one in _busy(store)]

    def _lock(self, wait_s: float) -> locked:
        """Keep every other process from keeping folders: one that reads an item half stored would take it for new."""
        return locked(self.place.data, FOLDERS, wait_s=wait_s)

    def look(self) -> list[Synced]:
        """Do the same before an answer: for the newest files only, and not where nothing can be written."""
        try:
            return self.sync(most_files=HOT_FILES)
        except (errors.ArchiveReadOnly, errors.DiskFull, errors.LockDamaged):
            return []

    def _keep(self, store: MemoryStore, folder: Folder, *, most_files: int = 0, is_new: bool = False) -> Synced:
        def when(memory: Memory) -> Memory:
            return dated(memory, None, memory.changed_ms, keep=True)

        by = AGENT if re.fullmatch(_CLAUDE_CODE, folder.path) else PERSON
        return keep(
            store,
            folder,
            self.memories.now_ms,
            self.most,
            when,
            provenance=by,
            most_files=most_files,
            is_new=is_new,
        )


def _busy(store: MemoryStore) -> list[Folder]:
    return [one for one in store.folders.all() if not is_quiet(store, one)]


def _is_inside(path: str, folder: str) -> bool:
    return (path + os.sep).startswith(folder.rstrip(os.sep) + os.sep)
