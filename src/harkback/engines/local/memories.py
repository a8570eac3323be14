"""Memories on one person's machine: rows and words in one SQLite file of their own.

The file is apart from the sessions' so that saving a fact never waits for a sync, and so that what a person wrote does
not share the fate of what can be read again from transcripts. Words stand in plain tables, not in the word index: they
are there in the transaction that saves the fact, and with `secure_delete` nothing of them stays when it is forgotten.
Of 20,000 memories 30 words are looked up and scored in 1 ms; FTS5 takes three times as long and keeps deleted words.
"""

from __future__ import annotations

import os
import sqlite3
from _thread import get_ident  # `threading` takes a millisecond
from itertools import groupby
from math import log
from time import monotonic, sleep

from harkback import errors
from harkback._record import NamedTuple
from harkback.engines.local.ids import key_of, memory_id
from harkback.engines.local.memory_bin import WITH_BIN, Binned, BinRows
from harkback.engines.local.memory_changes import BACK, BINNED, GONE, ChangeRows
from harkback.engines.local.memory_fields import changed
from harkback.engines.local.memory_folders import FolderRows
from harkback.engines.local.schema import (
    Layout,
    connect,
    guarded,
    is_laid_out,
    transaction,
    undamaged,
    version,
)
from harkback.engines.local.words import stem
from harkback.model import STATUSES, Memory
from harkback.text.runs import CJK, runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any, Self

FILE = "memory.sqlite"

# In a table without row ids the key's columns stand first: SQLite before 3.42 otherwise sees damage where none is.
MIGRATIONS = (
    """
    CREATE TABLE memory(
        number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, normal TEXT NOT NULL, text TEXT NOT NULL,
        kind TEXT NOT NULL, importance INTEGER NOT NULL, event_since_ms INTEGER, event_until_ms INTEGER,
        event_words TEXT NOT NULL, project TEXT NOT NULL, provenance TEXT NOT NULL, session TEXT NOT NULL,
        message TEXT NOT NULL, status TEXT NOT NULL, supersedes TEXT NOT NULL, created_ms INTEGER NOT NULL,
        changed_ms INTEGER NOT NULL, ended_ms INTEGER, confirmed INTEGER NOT NULL, used_ms INTEGER,
        uses INTEGER NOT NULL, length INTEGER NOT NULL);
    CREATE INDEX memory_project ON memory(project);
    CREATE INDEX memory_normal ON memory(normal);
    CREATE INDEX memory_supersedes ON memory(supersedes) WHERE supersedes != '';
    CREATE TABLE name(
        memory INTEGER NOT NULL, kind TEXT NOT NULL, value TEXT NOT NULL, place INTEGER NOT NULL,
        PRIMARY KEY(memory, kind, value)) WITHOUT ROWID;
    CREATE TABLE past(memory TEXT NOT NULL, until INTEGER NOT NULL, text TEXT NOT NULL);
    CREATE INDEX past_memory ON past(memory);
    CREATE TABLE term(number INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, memories INTEGER NOT NULL);
    CREATE TABLE posting(
        term INTEGER NOT NULL, memory INTEGER NOT NULL, times INTEGER NOT NULL, length INTEGER NOT NULL,
        PRIMARY KEY(term, memory)) WITHOUT ROWID;
    CREATE INDEX posting_memory ON posting(memory);
    CREATE TABLE total(memories INTEGER NOT NULL, length INTEGER NOT NULL, changes INTEGER NOT NULL);
    INSERT INTO total VALUES(0, 0, 0);
    CREATE TABLE profile(
        number INTEGER PRIMARY KEY AUTOINCREMENT, section TEXT NOT NULL, text TEXT NOT NULL, changed INTEGER NOT NULL);
    CREATE TABLE tombstone(key INTEGER PRIMARY KEY);
    CREATE TABLE folder(
        path TEXT PRIMARY KEY, project TEXT NOT NULL, added INTEGER NOT NULL, changes INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE item(
        folder TEXT NOT NULL, memory TEXT NOT NULL, file TEXT NOT NULL, written TEXT NOT NULL, stored TEXT NOT NULL,
        PRIMARY KEY(folder, memory)) WITHOUT ROWID;
    CREATE INDEX item_memory ON item(memory);
    CREATE TABLE file(
        folder TEXT NOT NULL, name TEXT NOT NULL, size INTEGER NOT NULL, mtime INTEGER NOT NULL,
        PRIMARY KEY(folder, name)) WITHOUT ROWID;
    """,
    """
    CREATE TABLE IF NOT EXISTS vector(
        memory INTEGER NOT NULL, model TEXT NOT NULL, script INTEGER NOT NULL, data BLOB NOT NULL,
        PRIMARY KEY(memory, model));
    CREATE INDEX IF NOT EXISTS vector_model ON vector(model);
    CREATE TABLE IF NOT EXISTS middle(
        model TEXT NOT NULL, script INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY(model, script));
    """,
    """
    CREATE TABLE bin(id TEXT PRIMARY KEY, line TEXT NOT NULL, at_ms INTEGER NOT NULL) WITHOUT ROWID;
    """,
    """
    CREATE TABLE clock(last INTEGER NOT NULL, store TEXT NOT NULL);
    ALTER TABLE memory ADD COLUMN change INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE memory ADD COLUMN altered INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE memory ADD COLUMN received INTEGER NOT NULL DEFAULT 0;
    UPDATE memory SET change = number, altered = max(created_ms, changed_ms, coalesce(ended_ms, 0));
    CREATE INDEX memory_change ON memory(change);
    ALTER TABLE profile ADD COLUMN change INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE profile ADD COLUMN received INTEGER NOT NULL DEFAULT 0;
    UPDATE profile SET change = number + (SELECT coalesce(max(number), 0) FROM memory);
    CREATE TABLE buried(
        key INTEGER PRIMARY KEY, state TEXT NOT NULL, turn INTEGER NOT NULL, at_ms INTEGER NOT NULL,
        change INTEGER NOT NULL, received INTEGER NOT NULL);
    INSERT INTO buried SELECT key, 'gone', 1, 0, row_number() OVER (ORDER BY key)
        + (SELECT coalesce(max(number), 0) FROM memory) + (SELECT coalesce(max(number), 0) FROM profile), 0
        FROM tombstone;
    CREATE INDEX buried_change ON buried(change);
    INSERT INTO clock SELECT coalesce(max(change), 0), '' FROM (SELECT change FROM memory
        UNION ALL SELECT change FROM profile UNION ALL SELECT change FROM buried);
    CREATE TABLE remote(
        url TEXT PRIMARY KEY, store TEXT NOT NULL, cursor TEXT NOT NULL, sent INTEGER NOT NULL,
        sent_keys INTEGER NOT NULL, scope TEXT NOT NULL, contact_ms INTEGER NOT NULL, failed_ms INTEGER NOT NULL,
        problem TEXT NOT NULL) WITHOUT ROWID;
    """,
    """
    ALTER TABLE memory ADD COLUMN written TEXT NOT NULL DEFAULT '';
    ALTER TABLE buried ADD COLUMN alone INTEGER NOT NULL DEFAULT 0;
    """,
)

WITH_VECTORS = 2
"""The layout from which on there are vectors; a reader meets older ones."""

# What a person wrote is not to be lost with the power: each save reaches the disk.
LAYOUT = Layout(FILE, MIGRATIONS, ("synchronous=FULL",), damage=errors.MemoriesDamaged)

PATIENCE_S = 30.0
"""So long a save waits for others; one takes some milliseconds."""

MOST_TERMS = 30
"""At most so many of a question's words are looked up, the rarest."""

# Robertson's BM25 with its usual constants.
_K1, _B = 1.2, 0.75
_ROWS_AT_ONCE = 200
_MAKING_S = 0.2
"""So long a file may be empty that another process is making in its place."""


class Profile(NamedTuple):
    """One section of the profile as it stood from a moment on."""

    section: str
    text: str
    changed_ms: int


class MemoryStore:
    """The memories in one folder. Every change is one short transaction."""

    def __init__(self, folder: str, con: sqlite3.Connection) -> None:
        """Use `open`."""
        self.folder = folder
        self.con = con
        self.folders = FolderRows(con)
        self.bin = BinRows(con)
        self.changes = ChangeRows(con)
        self.looks_back = False
        """Whether what memories said before is found by its words as well."""

    @classmethod
    def open(cls, folder: str, *, write: bool = False) -> MemoryStore | None:
        """Open the memories in a folder; None when there are none and none are to be made.

        Raises MemoriesDamaged, ArchiveUnreadable, ArchiveReadOnly, ArchiveTooNew, DiskFull.
        """
        if not cls.exists(folder):
            _refuse_remains(folder)
            if not write:
                return None
            _make(folder)
        _refuse_empty(folder)
        con = connect(folder, write=write, layout=LAYOUT)
        if not is_laid_out(con):
            con.close()
            raise LAYOUT.damaged(folder, "it holds no tables")
        return cls(folder, con)

    def __enter__(self) -> Self:
        """Use it for once; what shows to be damaged meanwhile is told as that."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        """Let go of the file. Raises MemoriesDamaged."""
        self.close()
        undamaged(self.folder, LAYOUT).__exit__(kind, error, trace)

    def prove(self) -> None:
        """Look through the whole file, before it is said that it does not hold something. Raises MemoriesDamaged."""
        if damage := self.damage():
            raise LAYOUT.damaged(self.folder, damage)

    @staticmethod
    def exists(folder: str) -> bool:
        """Whether a folder holds memories."""
        return os.path.exists(os.path.join(folder, FILE))

    def close(self) -> None:
        """Let go of the file."""
        self.con.close()

    def writing(self) -> transaction:
        """Begin to write: what is read inside stays as it is until the end. Raises sqlite3.OperationalError."""
        return transaction(self.con, patience_s=PATIENCE_S)

    # -- reading -------------------------------------------------------------------------------------------------

    def find(self, prefix: str) -> Memory:
        """Find a memory by its id or the beginning of it. Raises NoMemory, Ambiguous."""
        low = prefix.lower()
        rows = self.con.execute("SELECT id FROM memory WHERE id >= ? AND id < ? LIMIT 6", (low, low + "~")).fetchall()
        exact = [row for row in rows if row[0] == low]
        if not rows or not low:
            raise errors.NoMemory(prefix)
        if len(rows) > 1 and not exact:
            raise errors.Ambiguous(prefix, ", ".join(one for (one,) in rows))
        return next(iter(self._read("WHERE id = ?", ((exact or rows)[0][0],)).values()))

    def knows(self, prefix: str) -> bool:
        """Whether a text is the id, or the beginning of the id, of a memory."""
        low = prefix.lower()
        return bool(low) and bool(
            self.con.execute("SELECT 1 FROM memory WHERE id >= ? AND id < ? LIMIT 1", (low, low + "~")).fetchone()
        )

    def by_number(self, numbers: Sequence[int]) -> dict[int, Memory]:
        """Read memories by their numbers; those that are gone are left out."""
        found: dict[int, Memory] = {}
        for start in range(0, len(numbers), _ROWS_AT_ONCE):
            some = numbers[start : start + _ROWS_AT_ONCE]
            found |= self._read(f"WHERE number IN ({','.join('?' * len(some))})", some)
        return found

    def all(self) -> list[Memory]:
        """Read every memory, the oldest first."""
        return list(self._read("ORDER BY number", ()).values())

    def by_id(self, ids: Sequence[str]) -> dict[str, Memory]:
        """Read memories by their whole ids; those that are gone are left out."""
        found: dict[str, Memory] = {}
        for start in range(0, len(ids), _ROWS_AT_ONCE):
            some = ids[start : start + _ROWS_AT_ONCE]
            for one in self._read(f"WHERE id IN ({','.join('?' * len(some))})", some).values():
                found[one.id] = one
        return found

    def of_project(self, project: str) -> list[Memory]:
        """Read the memories that hold in just this project (empty: everywhere), the oldest first."""
        return list(self._read("WHERE project = ? ORDER BY number", (project,)).values())

    def successors(self, ids: Sequence[str]) -> dict[str, Memory]:
        """Give what replaced these memories, where something did."""
        found: dict[str, Memory] = {}
        for start in range(0, len(ids), _ROWS_AT_ONCE):
            some = ids[start : start + _ROWS_AT_ONCE]
            for one in self._read(f"WHERE supersedes IN ({','.join('?' * len(some))})", some).values():
                found[one.supersedes] = one
        return found

    def all_successors(self, one: str) -> list[Memory]:
        """Give everything that is said to have replaced a memory."""
        return list(self._read("WHERE supersedes = ?", (one,)).values())

    def same_text(self, normal: str) -> list[Memory]:
        """Give the memories with this text, folded and without signs."""
        return list(self._read("WHERE normal = ?", (normal,)).values()) if normal else []

    def projects(self) -> list[str]:
        """Name the projects that memories hold in."""
        rows = self.con.execute("SELECT DISTINCT project FROM memory WHERE project != '' ORDER BY project")
        return [project for (project,) in rows]

    def count(self) -> dict[str, int]:
        """Count memories by status."""
        return dict(self.con.execute("SELECT status, count(*) FROM memory GROUP BY status ORDER BY status").fetchall())

    def past(self, memory: Memory) -> list[tuple[int, str]]:
        """Give what a memory said before it was changed, and until when, the latest first."""
        return self.past_of(memory.id)

    def past_of(self, one: str) -> list[tuple[int, str]]:
        """Give the same of the memory with an id."""
        return self.con.execute(
            "SELECT until, text FROM past WHERE memory = ? ORDER BY until DESC, rowid DESC", (one,)
        ).fetchall()

    def _read(self, where: str, values: Sequence[object]) -> dict[int, Memory]:
        rows = self.con.execute(f"SELECT number, {', '.join(_COLUMNS)} FROM memory {where}", tuple(values)).fetchall()
        names = self._names([row[0] for row in rows])
        found: dict[int, Memory] = {}
        for number, *row in rows:
            named = names.get(number, {})
            written: dict[str, Any] = dict(zip(_COLUMNS, row, strict=True))
            memory = Memory(**written)
            found[number] = memory._replace(entities=named.get("entities", ()), tags=named.get("tags", ()))
        return found

    def _names(self, numbers: list[int]) -> dict[int, dict[str, tuple[str, ...]]]:
        found: dict[int, dict[str, tuple[str, ...]]] = {}
        for start in range(0, len(numbers), _ROWS_AT_ONCE):
            some = numbers[start : start + _ROWS_AT_ONCE]
            rows = self.con.execute(
                f"SELECT memory, kind, value FROM name WHERE memory IN ({','.join('?' * len(some))})"
                " ORDER BY memory, kind, place",
                some,
            )
            for (memory, kind), group in groupby(rows, key=lambda row: row[:2]):
                found.setdefault(memory, {})[kind] = tuple(value for _, _, value in group)
        return found

    # -- words ---------------------------------------------------------------------------------------------------

    def scored(self, asked: Sequence[str], *, most_held: int = 0) -> dict[int, float]:
        """Score the memories that hold some of the terms (`terms_of`), 0 to 1.

        The score is BM25 relative to the best, lowered for what holds little of the question's weight. Of terms that
        more than `most_held` memories hold only the rarest is looked up (0: all).
        """
        scores = self._scored(asked, most_held)
        if self.looks_back:
            for memory, score in self._scored_past(asked).items():
                scores[memory] = max(score, scores.get(memory, 0.0))
        return scores

    def _scored_past(self, asked: Sequence[str]) -> dict[int, float]:
        """Score what memories said before by the share of the terms that it holds; it is read through, as it is not
        much.
        """
        wanted = set(asked)
        scores: dict[int, float] = {}
        rows = self.con.execute("SELECT m.number, p.text FROM past p JOIN memory m ON m.id = p.memory")
        for memory, text in rows:
            held = len(wanted.intersection(terms_of(text, is_whole=True)))
            if held:
                scores[memory] = max(held / len(wanted), scores.get(memory, 0.0))
        return scores

    def _scored(self, asked: Sequence[str], most_held: int) -> dict[int, float]:
        known = self._terms(asked)
        if not known:
            return {}
        total, length = self.con.execute("SELECT memories, length FROM total").fetchone()
        mean = length / total or 1.0
        weights = [(number, log(1.0 + (total - held + 0.5) / (held + 0.5))) for number, held in known]
        missing = (len(set(asked)) - len(known)) * log(1.0 + (total + 0.5) / 0.5)
        whole = sum(weight for _, weight in weights) + missing
        scores: dict[int, float] = {}
        shares: dict[int, float] = {}
        scale, flat, slope = _K1 + 1, _K1 * (1 - _B), _K1 * _B / mean
        rare = sum(1 for _, held in known if not most_held or held <= most_held) or 1
        for term, weight in weights[: min(rare, MOST_TERMS)]:
            for memory, times, size in self.con.execute(
                "SELECT memory, times, length FROM posting WHERE term = ?", (term,)
            ):
                more = weight * times * scale / (times + flat + slope * size)
                scores[memory] = scores.get(memory, 0.0) + more
                shares[memory] = shares.get(memory, 0.0) + weight
        best = max(scores.values())
        return {memory: score / best * (0.3 + 0.7 * shares[memory] / whole) for memory, score in scores.items()}

    def sharing(self, asked: Sequence[str], most: int) -> list[int]:
        """Give the memories that share most of the terms of a text, all but a fifth; only the rarest are looked up."""
        known = self._terms(asked)
        total = len(set(asked))
        spare = total // 5 + 1 - (total - len(known))
        if spare < 0:
            return []
        rare, every = [number for number, _ in known[: spare + 1]], [number for number, _ in known]
        near = f"SELECT DISTINCT memory FROM posting WHERE term IN ({','.join('?' * len(rare))}) LIMIT 500"
        rows = self.con.execute(
            f"SELECT memory FROM posting WHERE memory IN ({near}) AND term IN ({','.join('?' * len(every))})"
            " GROUP BY memory ORDER BY count(*) DESC, memory LIMIT ?",
            (*rare, *every, most),
        )
        return [memory for (memory,) in rows]

    def _terms(self, asked: Sequence[str]) -> list[tuple[int, int]]:
        """Give number and count of memories of the terms that stand in any, the rarest first."""
        wanted = list(dict.fromkeys(asked))
        found: list[tuple[int, int]] = []
        for start in range(0, len(wanted), _ROWS_AT_ONCE):
            some = wanted[start : start + _ROWS_AT_ONCE]
            found += self.con.execute(
                f"SELECT number, memories FROM term WHERE text IN ({','.join('?' * len(some))}) AND memories > 0", some
            ).fetchall()
        return sorted(found, key=lambda pair: pair[1])

    def on(self, since_ms: int, until_ms: int) -> list[int]:
        """Give the memories whose time touches [since, until): of what they speak, else when they were saved."""
        rows = self.con.execute(
            "SELECT number FROM memory WHERE coalesce(event_since_ms, created_ms) < ?2"
            " AND coalesce(event_until_ms, created_ms + 1) > ?1 ORDER BY number DESC LIMIT 500",
            (since_ms, until_ms),
        )
        return [number for (number,) in rows]

    def holding(self, piece: str) -> list[int]:
        """Give the memories of which a word holds `piece` inside, the newest first."""
        pattern = piece.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        return [
            memory
            for (memory,) in self.con.execute(
                "SELECT DISTINCT memory FROM posting WHERE term IN (SELECT number FROM term WHERE text LIKE ?"
                " ESCAPE '\\' AND memories > 0 LIMIT 200) ORDER BY memory DESC LIMIT 500",
                (f"%{pattern}%",),
            )
        ]

    # -- changing ------------------------------------------------------------------------------------------------

    def add(self, memory: Memory, normal: str) -> Memory:
        """Store a memory, inside `writing`; one without an id gets one. Gives it as stored."""
        if not memory.id:
            memory = memory._replace(id=self._new_id())
        values = {name: getattr(memory, name) for name in _COLUMNS}
        cursor = self.con.execute(
            f"INSERT INTO memory(normal, length, {', '.join(_COLUMNS)}) VALUES(?, 0, {', '.join('?' * len(_COLUMNS))})",
            (normal, *values.values()),
        )
        assert cursor.lastrowid is not None
        self._add_words(cursor.lastrowid, memory)
        self.changes.alter(memory.id, max(memory.created_ms, memory.changed_ms, memory.ended_ms or 0))
        return memory

    def _new_id(self) -> str:
        while True:
            made = memory_id()
            if not self.con.execute("SELECT 1 FROM memory WHERE id = ?", (made,)).fetchone():
                return made

    def change(self, memory: Memory, normal: str, now_ms: int) -> None:
        """Store a memory that is there already in its new form, inside `writing`; its old text is kept in its past."""
        # A change is later than the one it was made after, whatever the clocks of two machines say.
        altered_ms = max(now_ms, self.changes.altered_ms(memory.id) + 1)
        old = self.by_id([memory.id])[memory.id]
        written = self.changes.written(memory.id) | dict.fromkeys(changed(old, memory), altered_ms)
        self.rewrite(memory, normal, now_ms)
        self.changes.alter(memory.id, altered_ms, written)

    def rewrite(self, memory: Memory, normal: str, until_ms: int) -> None:
        """Do the same without noting when, for a form of another machine; the old text was said until `until_ms`."""
        number, old = self.con.execute("SELECT number, text FROM memory WHERE id = ?", (memory.id,)).fetchone()
        if old != memory.text:
            self.con.execute("INSERT INTO past VALUES(?, ?, ?)", (memory.id, until_ms, old))
            self.con.execute("DELETE FROM vector WHERE memory = ?", (number,))
        self._take_words(number)
        sets = ", ".join(f"{name} = ?" for name in _COLUMNS)
        self.con.execute(
            f"UPDATE memory SET normal = ?, {sets} WHERE number = ?",
            (normal, *(getattr(memory, name) for name in _COLUMNS), number),
        )
        self._add_words(number, memory)

    def _add_words(self, number: int, memory: Memory) -> None:
        for kind, values in (("entities", memory.entities), ("tags", memory.tags)):
            self.con.executemany(
                "INSERT OR IGNORE INTO name VALUES(?, ?, ?, ?)",
                [(number, kind, value, place) for place, value in enumerate(values)],
            )
        found = terms_of(" ".join([memory.text, *memory.entities, *memory.tags]), is_whole=True)
        counts: dict[str, int] = {}
        for term in found:
            counts[term] = counts.get(term, 0) + 1
        for term, times in counts.items():
            self.con.execute(
                "INSERT INTO term(text, memories) VALUES(?, 1) ON CONFLICT(text) DO UPDATE SET memories = memories + 1",
                (term,),
            )
            self.con.execute(
                "INSERT INTO posting SELECT number, ?, ?, ? FROM term WHERE text = ?",
                (number, times, len(found), term),
            )
        self.con.execute("UPDATE memory SET length = ? WHERE number = ?", (len(found), number))
        self.con.execute(
            "UPDATE total SET memories = memories + 1, length = length + ?, changes = changes + 1", (len(found),)
        )

    def _take_words(self, number: int) -> None:
        held = [term for (term,) in self.con.execute("SELECT term FROM posting WHERE memory = ?", (number,))]
        self.con.execute("DELETE FROM posting WHERE memory = ?", (number,))
        self.con.executemany("UPDATE term SET memories = memories - 1 WHERE number = ?", [(term,) for term in held])
        self.con.executemany("DELETE FROM term WHERE number = ? AND memories <= 0", [(term,) for term in held])
        self.con.execute("DELETE FROM name WHERE memory = ?", (number,))
        self.con.execute(
            "UPDATE total SET memories = memories - 1, changes = changes + 1,"
            " length = length - (SELECT length FROM memory WHERE number = ?)",
            (number,),
        )

    def touch(self, ids: Iterable[str], now_ms: int) -> None:
        """Note that memories were recalled; where another process is writing, it is left out."""
        try:
            with transaction(self.con, patience_s=0.05) as con:
                con.executemany(
                    "UPDATE memory SET used_ms = ?, uses = uses + 1 WHERE id = ?", [(now_ms, one) for one in ids]
                )
        except sqlite3.OperationalError:
            return

    def forget(self, ids: Iterable[str]) -> int:
        """Take memories out for good, with all they ever said; an import or a folder does not bring them back.

        What is in the bin is taken out of it. Gives how many there were.
        """
        number = 0
        with guarded(self.folder):
            with self.writing():
                for one in ids:
                    is_binned = self.bin.drop(one)
                    if self.take_out(one) or is_binned:
                        self.changes.turn(_tomb(one), GONE)
                        number += 1
            self.empty_log()
        return number

    def empty_bin(self, before_ms: int) -> None:
        """Forget for good what was put in the bin before a moment. Raises MemoriesDamaged, DiskFull."""
        with undamaged(self.folder, LAYOUT):
            if gone := self.bin.expired(before_ms):
                # Another machine may have brought it back in time: that is not yet known to be too late.
                with guarded(self.folder), self.writing():
                    for one in gone:
                        self.bin.drop(one)
                self.empty_log()

    def take_out(self, one: str) -> bool:
        """Take a memory out of every table but the bin, inside `writing`; gives whether it was there.

        Until `empty_log` it can still be read in the file's log.
        """
        row = self.con.execute("SELECT number FROM memory WHERE id = ?", (one,)).fetchone()
        if row is None:
            return False
        self._take_words(row[0])
        self.con.execute("DELETE FROM past WHERE memory = ?", (one,))
        self.con.execute("DELETE FROM memory WHERE number = ?", row)
        self.con.execute("DELETE FROM vector WHERE memory = ?", row)
        self.con.execute("UPDATE memory SET supersedes = '' WHERE supersedes = ?", (one,))
        self.con.execute("UPDATE item SET written = '', stored = '' WHERE memory = ?", (one,))
        self.bury(one)
        return True

    def bury(self, one: str) -> None:
        """Let a memory not be stored again, inside `writing`."""
        self.bury_key(_tomb(one))

    def bury_key(self, key: int) -> None:
        """Do the same with a memory of which only the hash of its id is known (`key_of`)."""
        self.con.execute("INSERT OR IGNORE INTO tombstone VALUES(?)", (key,))

    def unbury_key(self, key: int) -> None:
        """Let it be stored again."""
        self.con.execute("DELETE FROM tombstone WHERE key = ?", (key,))

    def put_in_bin(self, one: Binned) -> None:
        """Take a memory out of every table but the bin, inside `writing`."""
        self.bin.put(one)
        self.take_out(one.id)
        self.changes.turn(_tomb(one.id), BINNED, one.at_ms)

    def empty_log(self) -> None:
        """Empty the file's log, so that nothing can be read in it of what was taken out."""
        self.con.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def unforget(self, one: str) -> None:
        """Let a memory be stored again that was forgotten, inside `writing`."""
        self.unbury_key(_tomb(one))
        self.changes.turn(_tomb(one), BACK)

    def link_successor(self, one: str, old: str) -> None:
        """Note again of a memory what it replaced, inside `writing`, unless it replaced something else since."""
        linked = self.con.execute("UPDATE memory SET supersedes = ? WHERE id = ? AND supersedes = ''", (old, one))
        if linked.rowcount:
            altered_ms = self.changes.altered_ms(one) + 1
            self.changes.alter(one, altered_ms, self.changes.written(one) | {"supersedes": altered_ms})

    def is_forgotten(self, one: str) -> bool:
        """Whether a memory with this id was forgotten."""
        return self.con.execute("SELECT 1 FROM tombstone WHERE key = ?", (_tomb(one),)).fetchone() is not None

    def add_past(self, one: str, said: Sequence[tuple[int, str]]) -> None:
        """Add to what a memory said before (until when, what), the latest first, inside `writing`.

        What is known is not doubled. Of two until the same moment the one that was stored later is the later one.
        """
        known = set(self.con.execute("SELECT until, text FROM past WHERE memory = ?", (one,)).fetchall())
        self.con.executemany(
            "INSERT INTO past VALUES(?, ?, ?)", [(one, *text) for text in reversed(said) if text not in known]
        )

    # -- profile -------------------------------------------------------------------------------------------------

    def profile(self, section: str = "") -> list[Profile]:
        """Give the sections as they stand; of one `section` everything it ever said, the latest first."""
        if section:
            rows = self.con.execute(
                "SELECT section, text, changed FROM profile WHERE section = ? ORDER BY number DESC",
                (section,),
            )
        else:
            rows = self.con.execute(
                "SELECT section, text, changed FROM profile WHERE number IN (SELECT max(number) FROM profile"
                " GROUP BY section)"
            )
        return [Profile(*row) for row in rows]

    def set_profile(self, section: str, text: str, now_ms: int) -> None:
        """Write a section anew; what it said before stays in its history."""
        with guarded(self.folder), self.writing() as con:
            con.execute("INSERT INTO profile(section, text, changed) VALUES(?, ?, ?)", (section, text, now_ms))
            self.changes.alter_section(section)

    def replace_section(self, section: str, texts: Sequence[tuple[int, str]]) -> None:
        """Write a section with its history (since when, what), the oldest first, inside `writing`."""
        self.con.execute("DELETE FROM profile WHERE section = ?", (section,))
        rows = [(section, text, changed_ms) for changed_ms, text in texts]
        self.con.executemany("INSERT INTO profile(section, text, changed) VALUES(?, ?, ?)", rows)
        self.changes.alter_section(section)

    # -- checking ------------------------------------------------------------------------------------------------

    def faults(self) -> Iterator[tuple[str, int]]:
        """Say what does not agree, with how often; `rebuild_words` mends all but damage."""
        if self.damage():
            yield "the memories' database is damaged", 1
            return
        checks: tuple[tuple[str, str], ...] = (
            (
                "words of memories that are gone",
                "SELECT count(DISTINCT memory) FROM posting WHERE memory NOT IN (SELECT number FROM memory)",
            ),
            (
                "counts of memories with a word are wrong",
                "SELECT count(*) FROM term t WHERE memories != (SELECT count(*) FROM posting WHERE term = t.number)",
            ),
            (
                "the total of memories is wrong",
                "SELECT 1 FROM total WHERE (memories, length) != (SELECT count(*), total(length) FROM memory)",
            ),
            ("memories with another status", f"SELECT count(*) FROM memory WHERE status NOT IN {STATUSES!r}"),
        )
        if version(self.con) >= WITH_VECTORS:
            gone = "SELECT count(*) FROM vector WHERE memory NOT IN (SELECT number FROM memory)"
            checks = (*checks, ("vectors of memories that are gone", gone))
        if version(self.con) >= WITH_BIN:
            both = "SELECT count(*) FROM bin WHERE id IN (SELECT id FROM memory)"
            checks = (*checks, ("memories that stand in the bin as well", both))
        for kind, query in checks:
            found = self.con.execute(query).fetchone()
            if found is not None and found[0]:
                yield kind, found[0]
        wrong = sum(1 for memory in self.all() if self._stored_terms(memory.id) != _counted(memory))
        if wrong:
            yield "memories whose words are not those of their text", wrong
        open_to_import = sum(1 for one in self.bin.all() if not self.is_forgotten(one.id))
        if open_to_import:
            yield "memories in the bin that do not count as forgotten", open_to_import

    def _stored_terms(self, one: str) -> dict[str, int]:
        return dict(
            self.con.execute(
                "SELECT t.text, p.times FROM posting p JOIN term t ON t.number = p.term"
                " WHERE p.memory = (SELECT number FROM memory WHERE id = ?)",
                (one,),
            ).fetchall()
        )

    def damage(self) -> str:
        """Say what is damaged of the database; empty when nothing is."""
        try:
            answers = [answer for (answer,) in self.con.execute("PRAGMA quick_check(10)") if answer != "ok"]
        except sqlite3.DatabaseError as error:
            return str(error)
        return answers[0][:100] if answers else ""

    def secrets(self) -> dict[str, int]:
        """Count the secrets in what is stored, by today's rules."""
        from harkback.redact import masker  # 3 ms that a search need not pay

        found: dict[str, int] = {}

        def add(text: str) -> None:
            for kind, number in masker().mask(text)[1].items():
                found[kind] = found.get(kind, 0) + number

        for table, column in _TEXTS:
            for (text,) in self.con.execute(f"SELECT {column} FROM {table} WHERE {column} != ''"):
                add(text)
        for text in self.bin.texts():
            add(text)
        return found

    def redact(self) -> dict[str, int]:
        """Mask them; gives their number by kind."""
        from harkback.redact import masker

        found = self.secrets()
        if not found:
            return found
        with guarded(self.folder):
            with self.writing() as con:
                for table, column in _TEXTS:
                    key = "rowid" if table != "name" else "memory || kind || value"
                    for row, text in con.execute(f"SELECT {key}, {column} FROM {table}").fetchall():
                        if (masked := masker().mask(text)[0]) != text:
                            con.execute(f"UPDATE OR REPLACE {table} SET {column} = ? WHERE {key} = ?", (masked, row))
                self.bin.rewrite(lambda text: masker().mask(text)[0])
            self.rebuild_words()
            self.empty_log()
        return found

    def rebuild_words(self) -> int:
        """Make the words again from the texts; gives the number of memories."""
        with guarded(self.folder), self.writing() as con:
            con.execute("DELETE FROM vector")
            con.execute("DELETE FROM middle")
            con.execute("DELETE FROM posting")
            con.execute("DELETE FROM term")
            con.execute("UPDATE total SET memories = 0, length = 0")
            found = self._read("", ())
            con.execute("DELETE FROM name")
            for number, memory in found.items():
                self._add_words(number, memory)
            con.execute("DELETE FROM bin WHERE id IN (SELECT id FROM memory)")
            for one in self.bin.all():
                con.execute("INSERT OR IGNORE INTO tombstone VALUES(?)", (_tomb(one.id),))
        return len(found)


def _make(folder: str) -> None:
    """Make the file beside its place and put it there whole, so that one without tables is always one that was cut.

    Where a folder can have no second name for a file, it is made in its place.
    """
    spare = f"{FILE}.{os.getpid()}-{get_ident()}.new"
    connect(folder, write=True, layout=LAYOUT._replace(file=spare)).close()
    try:
        os.link(os.path.join(folder, spare), os.path.join(folder, FILE))
    except FileExistsError:
        pass  # another process was faster
    except OSError:
        connect(folder, write=True, layout=LAYOUT).close()
    finally:
        os.unlink(os.path.join(folder, spare))


def _refuse_remains(folder: str) -> None:
    """Refuse to begin anew beside the log of a file that is gone: SQLite would play it into the new one."""
    path = os.path.join(folder, FILE)
    if os.path.exists(f"{path}-wal") and not os.path.exists(path):
        raise LAYOUT.damaged(folder, f"it is gone, and {FILE}-wal is there")


def _refuse_empty(folder: str) -> None:
    until = monotonic() + _MAKING_S
    while os.path.getsize(os.path.join(folder, FILE)) == 0:
        if monotonic() > until:
            raise LAYOUT.damaged(folder, "it is empty")
        sleep(0.02)


def _tomb(one: str) -> int:
    return key_of("memory", one)


def terms_of(text: str, *, is_whole: bool = False) -> list[str]:
    """Give the terms of a text: its tokens, English words by their stems.

    In a question the last character of a CJK run says nothing, as the pairs hold it; what is stored (`is_whole`) keeps
    it, so that a question of one character finds.
    """
    found: list[str] = []
    for run in runs(text):
        cut = run.tokens[:-1] if run.kind == CJK and len(run.text) > 1 and not is_whole else run.tokens
        found += [stem(token) if token.isascii() and token.isalpha() else token for token in cut]
    return found


def _counted(memory: Memory) -> dict[str, int]:
    counts: dict[str, int] = {}
    for term in terms_of(" ".join([memory.text, *memory.entities, *memory.tags]), is_whole=True):
        counts[term] = counts.get(term, 0) + 1
    return counts


# Where a text of somebody's may stand.
_TEXTS = (("memory", "text"), ("memory", "event_words"), ("name", "value"), ("past", "text"), ("profile", "text"))
_COLUMNS = tuple(name for name in Memory._fields if name not in {"entities", "tags"})

__all__ = ["FILE", "MemoryStore", "Profile", "terms_of"]
