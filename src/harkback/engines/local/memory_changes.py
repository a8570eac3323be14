"""Which memories changed since when: each change has a number, so that what another machine lacks is one query.

What was read from a server keeps the number it got by that in `received`, and so does not go back to it.
"""

from __future__ import annotations

import json
import os

from harkback._record import NamedTuple
from harkback.engines.local.memory_fields import OTHERS, packed, unpacked
from harkback.engines.local.schema import version

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping

    from harkback.engines.local.memory_fields import Times

WITH_CHANGES = 5
"""The layout from which on changes have numbers, and fields times; a reader meets older ones."""

GONE, BINNED, BACK = "gone", "bin", "back"
"""Forgotten for good, which stays so; put in the bin; brought back from it."""


class Buried(NamedTuple):
    """That a memory was forgotten, or brought back; only a hash of its id is known."""

    key: int
    state: str
    turn: int
    """How often it was put in the bin or brought back: of two states the one with more turns counts."""
    at_ms: int
    """When it was put in the bin."""


class Changed(NamedTuple):
    """Something that changed: the id of a memory, or the name of a section."""

    number: int
    id: str
    is_section: bool


class Remote(NamedTuple):
    """How far one is with a server."""

    url: str
    store: str = ""
    """The id of the memories there: others, such as after a loss, are begun with anew."""
    cursor: str = ""
    """How far what changed there is here; only the server knows what it means."""
    sent: int = 0
    """Everything up to the change with this number here is there, and of what was forgotten up to `sent_keys`."""
    sent_keys: int = 0
    scope: str = "delete"
    contact_ms: int = 0
    failed_ms: int = 0
    """When it could not be reached; 0 when it could the last time."""
    problem: str = ""


class ChangeRows:
    """The numbers of changes; changes are made inside `MemoryStore.writing`."""

    def __init__(self, con: sqlite3.Connection) -> None:
        """`con` is the store's."""
        self.con = con

    @property
    def is_there(self) -> bool:
        """Whether changes have numbers in this layout."""
        return version(self.con) >= WITH_CHANGES

    def last(self) -> int:
        """Give the number of the latest change."""
        return int(self.con.execute("SELECT last FROM clock").fetchone()[0])

    def store(self) -> str:
        """Give the id of these memories, which no others have."""
        return str(self.con.execute("SELECT store FROM clock").fetchone()[0])

    def name_store(self) -> str:
        """Give it; one that has none yet gets one."""
        self.con.execute("UPDATE clock SET store = ? WHERE store = ''", (os.urandom(16).hex(),))
        return self.store()

    def _next(self) -> int:
        self.con.execute("UPDATE clock SET last = last + 1")
        return self.last()

    # -- memories and sections -----------------------------------------------------------------------------------

    def altered_ms(self, one: str) -> int:
        """Say when a memory was last changed in any way; a little later where clocks differ."""
        row = self.con.execute("SELECT altered FROM memory WHERE id = ?", (one,)).fetchone()
        return int(row[0]) if row is not None else 0

    def number(self, one: str) -> int:
        """Give the number of a memory's last change; 0 where there is none."""
        row = self.con.execute("SELECT change FROM memory WHERE id = ?", (one,)).fetchone()
        return int(row[0]) if row is not None else 0

    def written(self, one: str) -> Times:
        """Say when each field of a memory was last written (`memory_fields.FIELDS`)."""
        altered_ms, told = self.con.execute("SELECT altered, written FROM memory WHERE id = ?", (one,)).fetchone()
        return unpacked(json.loads(told) if told else {OTHERS: altered_ms})

    def alter(self, one: str, altered_ms: int, written: Mapping[str, int] | None = None) -> None:
        """Note that a memory was changed, and when each of its fields was; None: all of them at that moment."""
        told = json.dumps(packed(written)) if written is not None else ""
        row = (self._next(), altered_ms, told, one)
        self.con.execute("UPDATE memory SET change = ?, altered = ?, written = ? WHERE id = ?", row)

    def alter_section(self, section: str) -> None:
        """Note that a section of the profile was written."""
        number = self._next()
        self.con.execute("UPDATE profile SET change = ?, received = 0 WHERE section = ?", (number, section))

    def receive(self, one: str) -> None:
        """Note that a memory is as the server has it."""
        self.con.execute("UPDATE memory SET received = change WHERE id = ?", (one,))

    def receive_section(self, section: str) -> None:
        """Note that a section is as the server has it."""
        self.con.execute("UPDATE profile SET received = change WHERE section = ?", (section,))

    def is_waiting(self, one: str, sent: int) -> bool:
        """Whether the server does not have a memory in this form yet."""
        query = "SELECT 1 FROM memory WHERE id = ? AND change > ? AND change != received"
        return self.con.execute(query, (one, sent)).fetchone() is not None

    def since(self, number: int, most: int, *, own: bool = False) -> list[Changed]:
        """Give what changed after a number, in order; with `own` only what was not received from the server."""
        also = "AND change != received" if own else ""
        rows = self.con.execute(
            f"SELECT change, id, 0 FROM (SELECT change, id FROM memory WHERE change > ?1 {also} ORDER BY change LIMIT"
            f" ?2) UNION ALL SELECT max(change), section, 1 FROM profile WHERE change > ?1 {also} GROUP BY section"
            " ORDER BY 1 LIMIT ?2",
            (number, most),
        )
        return [Changed(change, name, bool(is_section)) for change, name, is_section in rows]

    # -- what was forgotten --------------------------------------------------------------------------------------

    def buried(self, key: int) -> Buried | None:
        """Say what is known of a memory that was forgotten or brought back."""
        row = self.con.execute("SELECT key, state, turn, at_ms FROM buried WHERE key = ?", (key,)).fetchone()
        return Buried(*row) if row is not None else None

    def bury(self, one: Buried, *, received: bool = False) -> None:
        """Note what became of a memory."""
        number = self._next()
        self.con.execute(
            "INSERT OR REPLACE INTO buried(key, state, turn, at_ms, change, received) VALUES(?, ?, ?, ?, ?, ?)",
            (*one, number, number if received else 0),
        )

    def turn(self, key: int, state: str, at_ms: int = 0) -> None:
        """Note that a memory was forgotten for good, put in the bin or brought back here."""
        old = self.buried(key)
        if old is None or old.state not in {GONE, state}:
            self.bury(Buried(key, state, old.turn + 1 if old is not None else 1, at_ms))

    def keep_alone(self, sent_keys: int) -> None:
        """Let what was forgotten or brought back here, and is not told yet, be so on this machine alone."""
        self.con.execute("UPDATE buried SET alone = 1 WHERE change > ? AND change != received", (sent_keys,))

    def is_alone(self, key: int) -> bool:
        """Whether a memory was forgotten on this machine alone."""
        return self.con.execute("SELECT 1 FROM buried WHERE key = ? AND alone", (key,)).fetchone() is not None

    def buried_since(self, number: int, most: int, *, own: bool = False) -> list[tuple[int, Buried]]:
        """Give what was forgotten or brought back after a number, with the number of each, in order."""
        also = "AND change != received AND NOT alone" if own else ""
        rows = self.con.execute(
            f"SELECT change, key, state, turn, at_ms FROM buried WHERE change > ? {also} ORDER BY change LIMIT ?",
            (number, most),
        )
        return [(row[0], Buried(*row[1:])) for row in rows]

    def ids(self) -> Iterable[str]:
        """Name every memory, also those in the bin."""
        return [one for (one,) in self.con.execute("SELECT id FROM memory UNION SELECT id FROM bin")]

    # -- servers -------------------------------------------------------------------------------------------------

    def remote(self, url: str) -> Remote:
        """Say how far one is with a server."""
        row = None
        if self.is_there:
            row = self.con.execute(f"SELECT {', '.join(Remote._fields)} FROM remote WHERE url = ?", (url,)).fetchone()
        return Remote(*row) if row is not None else Remote(url)

    def set_remote(self, one: Remote) -> None:
        """Note it."""
        self.con.execute(f"INSERT OR REPLACE INTO remote({', '.join(Remote._fields)}) VALUES({_MARKS})", one)

    def begin_anew(self) -> None:
        """Take nothing for received: another server may lack it."""
        for table in ("memory", "profile", "buried"):
            self.con.execute(f"UPDATE {table} SET received = 0")

    def waiting(self, remote: Remote) -> int:
        """Count the changes that a server does not have yet, without what is forgotten on this machine alone."""
        if not self.is_there:
            return 0
        lines = "SELECT count(*) FROM memory WHERE change > ?1 AND change != received"
        sections = "SELECT count(DISTINCT section) FROM profile WHERE change > ?1 AND change != received"
        keys = "SELECT count(*) FROM buried WHERE change > ?2 AND change != received AND NOT alone AND ?3"
        values = (remote.sent, remote.sent_keys, remote.scope == "delete")
        row = self.con.execute(f"SELECT ({lines}) + ({sections}) + ({keys})", values)
        return int(row.fetchone()[0])


_MARKS = ", ".join("?" * len(Remote._fields))
