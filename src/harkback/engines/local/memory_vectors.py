"""Vectors of memories, in the memories' own database: a row for each memory and model, gone when its text goes."""

from __future__ import annotations

import numpy as np

from harkback._record import NamedTuple
from harkback.engines.local.memories import WITH_VECTORS
from harkback.engines.local.schema import version

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]


class Kept(NamedTuple):
    """Every vector of one model, a row each."""

    numbers: NDArray[np.int64]
    """The memories' numbers."""
    scripts: NDArray[np.int64]
    vectors: NDArray[np.int8]


class MemoryVectors:
    """What the memories mean to one model."""

    def __init__(self, con: sqlite3.Connection, model: str) -> None:
        """`model` names the model; vectors of others are not looked at."""
        self.con = con
        self.model = model

    @property
    def dim(self) -> int:
        """How many numbers a vector has: as many as the middles; 0 before there are any."""
        row = self.con.execute("SELECT length(data) / 4 FROM middle WHERE model = ?", (self.model,)).fetchone()
        return int(row[0]) if row is not None else 0

    def missing(self, most: int) -> list[tuple[int, str]]:
        """Give number and text of memories that have no vector yet, or one of another length; the newest first."""
        return self.con.execute(
            "SELECT number, text FROM memory WHERE NOT EXISTS(SELECT 1 FROM vector WHERE vector.memory = memory.number"
            " AND model = ?1 AND ?2 IN (0, length(data))) ORDER BY number DESC LIMIT ?3",
            (self.model, self.dim, most),
        ).fetchall()

    def put(self, rows: Sequence[tuple[int, str]], scripts: Sequence[int], vectors: Vectors) -> None:
        """Store vectors of (number, text), inside a transaction; a memory that was changed meanwhile gets none."""
        packed = quantised(vectors)
        self.con.executemany(
            "INSERT OR REPLACE INTO vector SELECT number, ?, ?, ? FROM memory WHERE number = ? AND text = ?",
            [(self.model, scripts[at], packed[at].tobytes(), number, text) for at, (number, text) in enumerate(rows)],
        )

    def all(self) -> Kept | None:
        """Give every vector, but those of another length than the middles; None where there is none."""
        rows = self.con.execute(
            "SELECT memory, script, data FROM vector WHERE model = ? AND length(data) = ? ORDER BY memory",
            (self.model, self.dim),
        ).fetchall()
        if not rows:
            return None
        numbers, scripts, data = zip(*rows, strict=True)
        whole = np.frombuffer(b"".join(data), dtype=np.int8).reshape(len(rows), -1)
        return Kept(np.array(numbers, np.int64), np.array(scripts, np.int64), whole)

    def middles(self) -> dict[int, Vectors]:
        """Give the middles of everyday sentences by script, as `set_middles` stored them."""
        rows = self.con.execute("SELECT script, data FROM middle WHERE model = ?", (self.model,)).fetchall()
        return {script: np.frombuffer(data, dtype=np.float32) for script, data in rows}

    def set_middles(self, middles: dict[int, Vectors]) -> None:
        """Store them, inside a transaction."""
        self.con.executemany(
            "INSERT OR REPLACE INTO middle VALUES(?, ?, ?)",
            [(self.model, script, middle.astype(np.float32).tobytes()) for script, middle in middles.items()],
        )

    def keep_only(self) -> None:
        """Drop those of other models, inside a transaction."""
        for table in ("vector", "middle"):
            self.con.execute(f"DELETE FROM {table} WHERE model != ?", (self.model,))

    def has_others(self) -> bool:
        """Whether there are any of other models."""
        statement = "SELECT EXISTS(SELECT 1 FROM vector WHERE model != ?)"
        return bool(self.con.execute(statement, (self.model,)).fetchone()[0])

    def counts(self) -> tuple[int, int]:
        """Give how many memories have a vector, and how many there are."""
        (held,) = self.con.execute("SELECT count(*) FROM vector WHERE model = ?", (self.model,)).fetchone()
        (total,) = self.con.execute("SELECT memories FROM total").fetchone()
        return held, total


def held(con: sqlite3.Connection) -> dict[str, int]:
    """Count the memories with a vector, by model; none where an older program's layout has no vectors yet."""
    if version(con) < WITH_VECTORS:
        return {}
    return dict(con.execute("SELECT model, count(*) FROM vector GROUP BY model").fetchall())


def quantised(vectors: Vectors) -> NDArray[np.int8]:
    """Round rows to a byte a number, each by its largest: only their direction counts, and nothing is lost by it."""
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    return np.rint(vectors / np.where(largest == 0, 1, largest) * 127).astype(np.int8)
