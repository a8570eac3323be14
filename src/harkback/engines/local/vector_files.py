"""Which files hold vectors: whether there are any, and deleting them unopened, for they may be damaged."""

from __future__ import annotations

import os
import re
import stat

from harkback.engines.local.schema import VECTOR_FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

FILES = ("ids", "rows", "bits")
FOLDER = r"vectors-[0-9a-f]{12}"
"""What a folder with the vectors of one model is called."""


def there_are(folder: str) -> bool:
    """Whether anything of vectors lies in the archive's folder."""
    return os.path.exists(os.path.join(folder, VECTOR_FILE)) or bool(folders(folder))


def folders(folder: str) -> list[str]:
    """Name the folders of models that lie in the archive's folder."""
    try:
        return sorted(name for name in os.listdir(folder) if re.fullmatch(FOLDER, name))
    except (FileNotFoundError, NotADirectoryError):
        return []


def throw_away(folder: str) -> None:
    """Delete all vectors; under the lock of vectors. Raises OSError."""
    # The files first: a database without them is damaged, files without it would be nobody's.
    sweep(folder, ())
    for ending in ("-shm", "-wal", "-journal", ""):
        _unlink(os.path.join(folder, VECTOR_FILE + ending))


def sweep(folder: str, kept: Collection[str]) -> None:
    """Delete the folders of models but those `kept`; under the lock of vectors. Raises OSError."""
    for name in folders(folder):
        if name not in kept:
            _remove(os.path.join(folder, name))


def _remove(path: str) -> None:
    if os.path.islink(path) or not os.path.isdir(path):
        _unlink(path)
        return
    for name in FILES:
        _unlink(os.path.join(path, name))
    if not os.listdir(path):  # what else lies there is not ours
        os.rmdir(path)


def _unlink(path: str) -> None:
    """Delete a file or a link; a folder of that name is not ours."""
    try:
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            os.unlink(path)
    except (FileNotFoundError, NotADirectoryError):
        return
