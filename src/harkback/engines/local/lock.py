"""One process at a time: a lock that ends with its holder, however that ends.

An exclusive transaction on a small SQLite file of its own: held by the operating system, gone after `kill -9`, the
same on every platform, and free at start-up, where a lock library takes 31 ms.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import contextmanager
from time import sleep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FILE = "sync.lock"
_AGAIN_S = 0.1


@contextmanager
def locked(folder: str, *, wait: bool, waiting: Callable[[], None]) -> Iterator[bool]:
    """Hold the lock of a folder; gives False when another process has it and we are not to `wait`.

    `waiting` is called once before waiting. Raises OSError and sqlite3.Error when the file cannot be made.
    """
    con = sqlite3.connect(os.path.join(folder, FILE), isolation_level=None, timeout=0)
    try:
        is_ours = _take(con)
        if not is_ours and wait:
            waiting()
            while not _take(con):
                sleep(_AGAIN_S)
            is_ours = True
        yield is_ours
    finally:
        con.close()


def _take(con: sqlite3.Connection) -> bool:
    try:
        con.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            return False
        raise
    return True
