"""Deleting an archive from its folder: what we made there, by its names, and nothing else."""

from __future__ import annotations

import os
import re
import stat

from harkback._record import NamedTuple
from harkback.engines import tokens
from harkback.engines.local import lock, memories, schema, vector_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# In the order in which they are deleted: the index can be made again from the rows; rows without their log are older
# ones, but a log without its rows would be played into the next archive.
_FILES = tuple(
    f"{file}{ending}"
    for file in (schema.FILE, memories.FILE, schema.VECTOR_FILE, tokens.FILE)
    for ending in ("-shm", "-wal", "-journal", "")
)
_LOGS = ("access.jsonl", "access.jsonl.1", "audit.jsonl")
"""What `hark serve` writes down."""
_LOCKS = tuple(
    f"{file}{ending}"
    for file in (lock.FOLDERS, lock.VECTORS, lock.SETUP, lock.FILE)
    for ending in ("-shm", "-wal", "-journal", "")
)
_SPARE = re.compile(rf"{re.escape(memories.FILE)}\.\d+\.new(?:-shm|-wal|-journal)?")
"""What a killed making of the memories left."""
_WORDS = re.compile(rf"words-\d+\.\d+-\d+|{vector_files.FOLDER}")
_IN_WORDS = re.compile(r"ids|rows|bits|meta\.json|\.managed\.json|\.tantivy-\w+\.lock|[0-9a-f]{32}\.[\w.]+|\.tmp\w+")


class Holdings(NamedTuple):
    """What lies in the folder of an archive."""

    rows: tuple[str, ...] = ()
    """Paths of our files, in the order in which they can be deleted safely."""
    locks: tuple[str, ...] = ()
    bytes: int = 0


def holdings(folder: str) -> Holdings:
    """Find what is ours in a folder; a link, or a folder with a file's name, is not."""
    words = [os.path.join(folder, one) for one in _names(folder) if _WORDS.fullmatch(one)]
    index = [os.path.join(one, name) for one in words for name in _names(one) if _IN_WORDS.fullmatch(name)]
    spare = [one for one in _names(folder) if _SPARE.fullmatch(one)]
    paths = (*index, *(os.path.join(folder, one) for one in (*_FILES, *_LOGS, *spare)))
    rows = [path for path in paths if _size(path) is not None]
    locks = [path for one in _LOCKS if _size(path := os.path.join(folder, one)) is not None]
    return Holdings(tuple(rows), tuple(locks), sum(_size(path) or 0 for path in (*rows, *locks)))


def remove(folder: str, waiting: Callable[[], None]) -> list[str]:
    """Delete what is ours in a folder while no other process writes, and give the names of it.

    Raises ArchiveReadOnly; what was deleted before that stays deleted.
    """
    done: list[str] = []
    if not any(holdings(folder)):
        return done
    with schema.guarded(folder):
        with lock.locked(folder, wait_s=lock.FOREVER_S, waiting=waiting):
            found = holdings(folder)
            for path in found.rows:
                _unlink(path)
            done = [os.path.relpath(path, folder).partition(os.sep)[0] for path in found.rows]
            for name in _names(folder):
                if _WORDS.fullmatch(name):
                    remove_if_empty(os.path.join(folder, name))
        for path in holdings(folder).locks:
            _unlink(path)
            done.append(os.path.basename(path))
    return list(dict.fromkeys(done))


def remove_if_empty(folder: str) -> bool:
    """Remove a folder in which nothing lies; a link to one stays."""
    try:
        os.rmdir(folder)
    except OSError:
        return False
    return True


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return  # SQLite tidies up after itself


def _names(folder: str) -> list[str]:
    try:
        is_folder = stat.S_ISDIR(os.stat(folder).st_mode)
        is_link = _WORDS.fullmatch(os.path.basename(folder)) and os.path.islink(folder)
        return sorted(os.listdir(folder)) if is_folder and not is_link else []
    except OSError:
        return []


def _size(path: str) -> int | None:
    """Give the size of a plain file, None for anything else."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_size if stat.S_ISREG(found.st_mode) else None
