"""One process at a time: a lock that ends with its holder, however that ends.

An exclusive transaction on a small SQLite file of its own: held by the operating system, gone after `kill -9`, the
same on every platform, and free at start-up, where a lock library takes 31 ms.
"""

from __future__ import annotations

import os
import sqlite3
from time import monotonic, sleep

from harkback import errors
from harkback.engines.local.schema import is_damage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

FILE = "sync.lock"
FOLDERS = "folders.lock"
"""The name of the lock under which folders of Markdown are kept in step."""

VECTORS = "vectors.lock"
"""The name of the lock under which vectors are made."""
SETUP = "setup.lock"
"""The name of the lock under which agents' settings are written."""
FOREVER_S = 1e9
_AGAIN_S = 0.02


class locked:  # noqa: N801  # used as a verb: `with locked(folder, …) as is_ours:`
    """Hold a lock of a folder; gives False when another process has it for longer than `wait_s`.

    `waiting` is called once before waiting. Raises sqlite3.Error when the file cannot be made or written,
    LockDamaged.
    """

    def __init__(
        self, folder: str, file: str = FILE, *, wait_s: float, waiting: Callable[[], None] = lambda: None
    ) -> None:
        self.wait_s = wait_s
        self.waiting = waiting
        self.path = path = os.path.join(folder, file)
        if os.path.exists(path) and not os.access(path, os.W_OK):
            # On a file that it may only read, SQLite calls a shared lock an exclusive one.
            raise sqlite3.OperationalError(f"{file} is readonly")
        self.con = sqlite3.connect(path, isolation_level=None, timeout=0)

    def __enter__(self) -> bool:
        try:
            if self._take():
                return True
            self.waiting()
            until = monotonic() + self.wait_s
            while monotonic() < until:
                sleep(_AGAIN_S)
                if self._take():
                    return True
        except BaseException:
            self.con.close()
            raise
        return False

    def __exit__(self, *_: object) -> None:
        self.con.close()

    def _take(self) -> bool:
        try:
            self.con.execute("BEGIN EXCLUSIVE")
        except sqlite3.DatabaseError as error:
            if is_damage(error):
                raise errors.LockDamaged(self.path, error) from error
            if "locked" in str(error):
                return False
            raise
        return True
