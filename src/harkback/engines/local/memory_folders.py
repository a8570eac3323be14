"""What is known of folders of Markdown files that are kept in step with the memories.

No text stands here: what was last written into a file, and what of the memory it reflects, are kept as hashes, so that
nothing of a forgotten memory stays.
"""

from __future__ import annotations

import os

from harkback._record import NamedTuple
from harkback.engines.local.ids import key_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence

_ROWS_AT_ONCE = 200


class Folder(NamedTuple):
    """A folder that is kept in step."""

    path: str
    project: str
    """The project whose memories it holds; empty: those that hold everywhere."""
    added_ms: int
    changes: int = -1
    """How often memories had been changed when it was last written; -1: never."""


class Link(NamedTuple):
    """Where in a folder a memory stands."""

    memory: str
    file: str
    written: str
    """The mark of what the file said of it when it was last read or written."""
    stored: str
    """The mark of the memory that this reflects."""


class Seen(NamedTuple):
    """What a file looked like when it was last read or written."""

    size: int
    mtime_ns: int


def mark(*values: object) -> str:
    """Give a hash by which a change is noticed."""
    return f"{key_of('mark', repr(values)):x}"


class FolderRows:
    """The rows about folders; changes are made inside `MemoryStore.writing`."""

    def __init__(self, con: sqlite3.Connection) -> None:
        """`con` is the store's."""
        self.con = con

    def all(self) -> list[Folder]:
        """List the folders by their paths."""
        return [Folder(*row) for row in self.con.execute("SELECT path, project, added, changes FROM folder")]

    def add(self, folder: Folder) -> None:
        """Keep a folder in step from now on; one that is there already is written anew."""
        self.con.execute("INSERT OR REPLACE INTO folder VALUES(?, ?, ?, ?)", folder)

    def remove(self, path: str) -> None:
        """Let go of a folder."""
        self.con.execute("DELETE FROM folder WHERE path = ?", (path,))
        self.con.execute("DELETE FROM item WHERE folder = ?", (path,))
        self.con.execute("DELETE FROM file WHERE folder = ?", (path,))

    def changes(self) -> int:
        """Count the changes to memories so far: a number that is another one after each."""
        return int(self.con.execute("SELECT changes FROM total").fetchone()[0])

    def set_changes(self, path: str, changes: int) -> None:
        """Note that a folder holds everything up to the change with this number."""
        self.con.execute("UPDATE folder SET changes = ? WHERE path = ?", (changes, path))

    def links(self, path: str) -> dict[str, Link]:
        """Give the memories that stand in a folder, by their ids."""
        rows = self.con.execute("SELECT memory, file, written, stored FROM item WHERE folder = ?", (path,))
        return {row[0]: Link(*row) for row in rows}

    def count(self, path: str) -> int:
        """Count the memories that stand in a folder."""
        return int(self.con.execute("SELECT count(*) FROM item WHERE folder = ?", (path,)).fetchone()[0])

    def link(self, path: str, links: Iterable[Link]) -> None:
        """Note where memories stand; each stands in one place of a folder."""
        self.con.executemany(
            "INSERT OR REPLACE INTO item(folder, memory, file, written, stored) VALUES(?, ?, ?, ?, ?)",
            [(path, *one) for one in links],
        )

    def unlink(self, path: str, memories: Iterable[str]) -> None:
        """Note that memories no longer stand in a folder."""
        self.con.executemany("DELETE FROM item WHERE folder = ? AND memory = ?", [(path, one) for one in memories])

    def files(self, path: str) -> dict[str, Seen]:
        """Give the files of a folder as they were last seen, by their names."""
        rows = self.con.execute("SELECT name, size, mtime FROM file WHERE folder = ?", (path,))
        return {name: Seen(size, mtime) for name, size, mtime in rows}

    def see(self, path: str, files: Mapping[str, Seen]) -> None:
        """Note how files look now."""
        self.con.executemany(
            "INSERT OR REPLACE INTO file VALUES(?, ?, ?, ?)", [(path, name, *seen) for name, seen in files.items()]
        )

    def lose(self, path: str, names: Iterable[str]) -> None:
        """Note that files are gone."""
        self.con.executemany("DELETE FROM file WHERE folder = ? AND name = ?", [(path, name) for name in names])

    def paths_of(self, memories: Sequence[str]) -> dict[str, str]:
        """Name the file in which each of some memories stands, where one does."""
        found: dict[str, str] = {}
        for start in range(0, len(memories), _ROWS_AT_ONCE):
            some = memories[start : start + _ROWS_AT_ONCE]
            rows = self.con.execute(
                f"SELECT memory, folder, file FROM item WHERE memory IN ({','.join('?' * len(some))})"
                " ORDER BY folder DESC",
                some,
            )
            found |= {memory: os.path.join(folder, *file.split("/")) for memory, folder, file in rows}
        return found
