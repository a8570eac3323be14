"""Vectors of what was said, in three mapped files beside the archive: exact, small, and free to throw away.

`ids` holds a part's number and script for each row (0: free), `bits` the signs of the centred vector, `rows` the
vector in a byte a number. A question compares signs with all rows (1 million of 384: 11 ms) and looks closely at the
400 nearest; no library for vectors is faster and exact. Bits lie in blocks, in each block word by word, so that whole
arrays are counted at once. How many rows count stands in a small database, written after the files: what a killed
process wrote beyond is cleared by the next that writes. All of it is derived, and can be deleted.
"""

from __future__ import annotations

import os
from contextlib import closing, contextmanager
from hashlib import blake2b

import numpy as np

from harkback import errors
from harkback._record import NamedTuple
from harkback.engines.local.memory_vectors import quantised
from harkback.engines.local.schema import VECTOR_FILE, Layout, connect, is_laid_out, transaction, undamaged

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence
    from typing import Any

    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
    Connection = sqlite3.Connection


LAYOUT = Layout(
    VECTOR_FILE,
    (
        """
        CREATE TABLE vector_set(model TEXT PRIMARY KEY, dim INTEGER NOT NULL, rows INTEGER NOT NULL);
        CREATE TABLE vector_middle(
            model TEXT NOT NULL, script INTEGER NOT NULL, data BLOB NOT NULL, rows INTEGER NOT NULL,
            PRIMARY KEY(model, script));
        CREATE TABLE vector_transcript(
            model TEXT NOT NULL, transcript INTEGER NOT NULL, read INTEGER NOT NULL, PRIMARY KEY(model, transcript));
        """,
    ),
    ("synchronous=NORMAL",),
    damage=errors.VectorsDamaged,
)

BLOCK = 4096
"""Rows in a block of signs."""

CLOSELY = 400
"""So many of the nearest by signs are compared number by number."""

_BLOCKS_AT_ONCE = 16
_WORD = 64
_FAR = 60_000

FIRST_OWN = 8
"""From so many vectors of a script on its middle is theirs; whenever they have doubled it is taken anew, and the signs
are made again.
"""

_SCRIPTS = 4
_SCRIPT_BITS = 2


class Near(NamedTuple):
    """A part whose meaning is near."""

    seq: int
    cosine: float


def open_vectors(folder: str, *, write: bool = False) -> sqlite3.Connection | None:
    """Open the database that says which vectors there are; None when there are none and none are to be made.

    Raises VectorsDamaged, ArchiveReadOnly, DiskFull.
    """
    if not write and not os.path.exists(os.path.join(folder, VECTOR_FILE)):
        return None
    try:
        con = connect(folder, write=write, layout=LAYOUT)
    except (errors.ArchiveUnreadable, errors.ArchiveReadOnly) as error:
        if write:
            raise
        raise errors.VectorsDamaged(folder, error.values[1]) from error
    except errors.ArchiveTooNew as error:
        raise errors.VectorsDamaged(folder, "a newer harkback made them") from error
    if not write and not is_laid_out(con):
        con.close()
        return None
    return con


@contextmanager
def vectors_in(folder: str, *, write: bool = False) -> Iterator[Connection | None]:
    """Open that database for a block; what shows there to be damaged is told as `open_vectors` tells it."""
    con = open_vectors(folder, write=write)
    if con is None:
        yield None
        return
    with closing(con), undamaged(folder, LAYOUT):
        yield con


def folder_name(model: str) -> str:
    """Name the folder of a model's vectors."""
    return f"vectors-{blake2b(model.encode(), digest_size=6).hexdigest()}"


class VectorSet:
    """The vectors of one model."""

    def __init__(self, con: sqlite3.Connection, folder: str, model: str) -> None:
        """Look whether the files hold what the database says; no more is opened yet. Raises VectorsDamaged."""
        self.con = con
        self.model = model
        self.archive = folder
        self.folder = os.path.join(folder, folder_name(model))
        row = con.execute("SELECT dim, rows FROM vector_set WHERE model = ?", (model,)).fetchone()
        self.dim, self.count = self._size(*row) if row is not None else (0, 0)
        if row is not None:
            self._check()

    def _size(self, dim: object, count: object) -> tuple[int, int]:
        if not isinstance(dim, int) or not isinstance(count, int) or dim < 1 or count < 0:
            raise self._damaged(f"{count!r} rows of {dim!r} numbers")
        return dim, count

    def _check(self) -> None:
        self.middles()
        for name, size in self._sizes(self.count):
            path = self._path(name)
            if size and (not os.path.isfile(path) or os.path.getsize(path) < size):
                raise self._damaged(f"{path} is missing or too short")

    def _damaged(self, what: object) -> errors.VectorsDamaged:
        return errors.VectorsDamaged(self.archive, what)

    def middles(self) -> dict[int, Vectors]:
        """Give the middle of each script, which is taken away before vectors are compared. Raises VectorsDamaged."""
        rows = self.con.execute("SELECT script, data FROM vector_middle WHERE model = ?", (self.model,)).fetchall()
        if any(not isinstance(data, bytes) or len(data) != 4 * self.dim for _, data in rows):
            raise self._damaged("a middle has another length")
        found = {script: np.frombuffer(data, dtype=np.float32) for script, data in rows}
        if len(found) < _SCRIPTS - 1 or not all(np.isfinite(one).all() for one in found.values()):
            raise self._damaged("a middle is missing")
        return found

    # -- reading -------------------------------------------------------------------------------------------------

    def nearest(
        self, asked: Vectors, scripts: Sequence[int], most: int, among: Sequence[int] | None = None
    ) -> list[Near]:
        """Give the parts nearest to a question in any of its wordings (rows of `asked`), the nearest first.

        `among` are the parts that may be given; None: all.
        """
        if not self.count:
            return []
        ids = np.asarray(self._ids(self.count))
        middles = self.middles()
        allowed = None if among is None else np.flatnonzero(np.isin(ids >> _SCRIPT_BITS, np.asarray(among, np.int64)))
        best: dict[int, float] = {}
        for vector, script in zip(asked, scripts, strict=True):
            centred = vector - middles[script]
            centred /= max(float(np.linalg.norm(centred)), 1e-9)
            rows = self._closest(centred, ids) if allowed is None or len(allowed) > CLOSELY else allowed
            if allowed is not None and len(allowed) > CLOSELY:
                rows = self._closest(centred, ids, allowed)
            for row, cosine in zip(rows, self._cosines(centred, rows, ids, middles), strict=True):
                seq = int(ids[row] >> _SCRIPT_BITS)
                if seq > 0:
                    best[seq] = max(best.get(seq, -1.0), float(cosine))
        order = sorted(best.items(), key=lambda pair: -pair[1])
        return [Near(seq, cosine) for seq, cosine in order[:most]]

    def cosines(self, asked: Vectors, scripts: Sequence[int], seqs: Sequence[int]) -> dict[int, float]:
        """Say how near some parts are; those without a vector are left out."""
        return {one.seq: one.cosine for one in self.nearest(asked, scripts, len(seqs), among=seqs)} if seqs else {}

    def _closest(
        self, centred: Vectors, ids: NDArray[np.int64], allowed: NDArray[np.int64] | None = None
    ) -> NDArray[np.int64]:
        signs = _signs(centred)
        bits = self._bits(self.count)
        distance = np.empty(len(bits) * BLOCK, np.uint16)
        for at in range(0, len(bits), _BLOCKS_AT_ONCE):
            some = bits[at : at + _BLOCKS_AT_ONCE]
            differing = np.bitwise_count(some ^ signs[None, :, None])
            distance[at * BLOCK : (at + len(some)) * BLOCK] = differing.sum(axis=1, dtype=np.uint16).ravel()
        distance = distance[: self.count]
        if allowed is not None:
            there = distance[allowed]
            return allowed[_smallest(there, CLOSELY)]
        distance[ids == 0] = _FAR
        return _smallest(distance, CLOSELY)

    def _cosines(
        self, centred: Vectors, rows: NDArray[np.int64], ids: NDArray[np.int64], middles: dict[int, Vectors]
    ) -> Vectors:
        found = np.asarray(self._rows(self.count)[np.sort(rows)], np.float32)[np.argsort(np.argsort(rows))]
        found /= np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)
        scripts = ids[rows] & _SCRIPTS - 1
        for script, middle in middles.items():
            found[scripts == script] -= middle
        found /= np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)
        near: Vectors = found @ centred
        return near

    # -- files ---------------------------------------------------------------------------------------------------

    def _path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def _sizes(self, count: int) -> tuple[tuple[str, int], ...]:
        """Give the bytes that each file has at least, in whole blocks of rows."""
        rows = -(-count // BLOCK) * BLOCK
        return ("ids", rows * 8), ("rows", rows * self.dim), ("bits", rows * self._words * 8)

    @property
    def _words(self) -> int:
        """How many words the signs of a row fill; the last is filled up with zeros."""
        return -(-self.dim // _WORD)

    def _ids(self, count: int, mode: str = "r") -> NDArray[np.int64]:
        return self._mapped("ids", np.int64, mode, (count,))

    def _rows(self, count: int, mode: str = "r") -> NDArray[np.int8]:
        return self._mapped("rows", np.int8, mode, (count, self.dim))

    def _bits(self, count: int, mode: str = "r") -> NDArray[np.uint64]:
        return self._mapped("bits", np.uint64, mode, (-(-count // BLOCK), self._words, BLOCK))

    def _mapped(self, name: str, kind: type[Any], mode: str, shape: tuple[int, ...]) -> NDArray[Any]:
        """Map a file, which may have been thrown away since it was looked at. Raises VectorsDamaged."""
        try:
            return np.memmap(self._path(name), kind, mode, shape=shape)  # type: ignore[call-overload,no-any-return]
        except (FileNotFoundError, ValueError) as error:
            raise self._damaged(error) from error

    # -- writing, by one process at a time -------------------------------------------------------------------------

    def begin(self, dim: int, middles: dict[int, Vectors]) -> None:
        """Make the set, empty; `middles` are those of everyday sentences."""
        self.dim, self.count = dim, 0
        with transaction(self.con):
            self.con.execute("INSERT OR REPLACE INTO vector_set VALUES(?, ?, 0)", (self.model, dim))
            self.con.execute("DELETE FROM vector_transcript WHERE model = ?", (self.model,))
            self._set_middles(middles)

    def _set_middles(self, middles: dict[int, Vectors], numbers: dict[int, int] | None = None) -> None:
        self.con.executemany(
            "INSERT OR REPLACE INTO vector_middle VALUES(?, ?, ?, ?)",
            [
                (self.model, script, middle.astype(np.float32).tobytes(), (numbers or {}).get(script, 0))
                for script, middle in middles.items()
            ],
        )

    def append(self, seqs: Sequence[int], scripts: Sequence[int], vectors: Vectors) -> None:
        """Add rows, inside a transaction that notes of which transcripts they are."""
        start, end = self.count, self.count + len(seqs)
        self._grow(end)
        self._rows(end, "r+")[start:end] = quantised(vectors)
        self._sign(start, end, vectors, np.asarray(scripts))
        self._ids(end, "r+")[start:end] = np.asarray(seqs, np.int64) << _SCRIPT_BITS | np.asarray(scripts, np.int64)
        self.count = end
        self.con.execute("UPDATE vector_set SET rows = ? WHERE model = ?", (end, self.model))
        if self._has_doubled():
            self.centre()

    def _has_doubled(self) -> bool:
        ids = np.asarray(self._ids(self.count))
        now = np.bincount(ids[ids != 0] & _SCRIPTS - 1, minlength=_SCRIPTS)
        taken = self.con.execute("SELECT script, rows FROM vector_middle WHERE model = ?", (self.model,)).fetchall()
        return any(now[script] >= max(FIRST_OWN, 2 * rows) for script, rows in taken)

    def _grow(self, count: int) -> None:
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        for name, size in self._sizes(count):
            with open(self._path(name), "ab") as file:
                if file.tell() < size:
                    file.truncate(size)

    def _sign(self, start: int, end: int, vectors: Vectors, scripts: NDArray[np.int64]) -> None:
        centred = vectors.astype(np.float32)
        centred /= np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), 1e-9)
        for script, middle in self.middles().items():
            centred[scripts == script] -= middle
        signs = _signs(centred)
        bits = self._bits(max(end, self.count), "r+")
        places = np.arange(start, end)
        bits[places // BLOCK, :, places % BLOCK] = signs

    def centre(self) -> None:
        """Take the scripts' middles from the vectors themselves, and make the signs again; inside a transaction."""
        ids, rows = np.asarray(self._ids(self.count)), self._rows(self.count)
        sums: dict[int, Vectors] = {}
        numbers: dict[int, int] = {}
        for at in range(0, self.count, BLOCK):
            some = np.asarray(rows[at : at + BLOCK], np.float32)
            some /= np.maximum(np.linalg.norm(some, axis=1, keepdims=True), 1e-9)
            held, scripts = ids[at : at + BLOCK] != 0, ids[at : at + BLOCK] & _SCRIPTS - 1
            for script in range(_SCRIPTS):
                own = some[held & (scripts == script)]
                sums[script] = sums.get(script, np.zeros(self.dim, np.float32)) + own.sum(axis=0)
                numbers[script] = numbers.get(script, 0) + len(own)
        self._set_middles(
            {one: (sums[one] / number).astype(np.float32) for one, number in numbers.items() if number >= FIRST_OWN},
            numbers,
        )
        for at in range(0, self.count, BLOCK):
            end = min(at + BLOCK, self.count)
            self._sign(at, end, np.asarray(rows[at:end], np.float32), ids[at:end] & _SCRIPTS - 1)

    def clear_beyond(self) -> None:
        """Clear what a killed process wrote beyond the rows that count: it may be of what was forgotten since."""
        for name, size in (("ids", 8), ("rows", self.dim)):
            self._clear(name, self.count * size)
        kept = self.count // BLOCK * BLOCK * self._words * 8
        if self.count % BLOCK:
            last = self._bits(self.count, "r+")[-1, :, self.count % BLOCK :]
            if last.any():
                last[:] = 0
            kept += BLOCK * self._words * 8
        self._clear("bits", kept)

    def _clear(self, name: str, kept: int) -> None:
        """Clear a file from a byte on."""
        size = os.path.getsize(self._path(name)) if os.path.exists(self._path(name)) else 0
        if size > kept:
            beyond = self._mapped(name, np.uint8, "r+", (size,))[kept:]
            if beyond.any():
                beyond[:] = 0

    def drop(self, gone: NDArray[np.int64]) -> int:
        """Clear the rows of parts that are gone, so that nothing of them stays; gives how many."""
        if not self.count or not len(gone):
            return 0
        ids = self._ids(self.count, "r+")
        places = np.flatnonzero(np.isin(np.asarray(ids) >> _SCRIPT_BITS, gone) & (np.asarray(ids) != 0))
        rows, bits = self._rows(self.count, "r+"), self._bits(self.count, "r+")
        for place in places:
            rows[place] = 0
            bits[place // BLOCK, :, place % BLOCK] = 0
        ids[places] = 0
        return len(places)

    def seqs(self) -> NDArray[np.int64]:
        """Give the numbers of the parts that have a vector."""
        if not self.count:
            return np.zeros(0, np.int64)
        ids = np.asarray(self._ids(self.count))
        held: NDArray[np.int64] = ids[ids != 0] >> _SCRIPT_BITS
        return held


def models(con: Connection) -> list[str]:
    """Name the models of which there are vectors."""
    return [model for (model,) in con.execute("SELECT model FROM vector_set ORDER BY model")]


def keep_only(con: Connection, model: str) -> None:
    """Drop what is noted of other models, inside a transaction; their folders are swept away afterwards."""
    for table in ("vector_set", "vector_middle", "vector_transcript"):
        con.execute(f"DELETE FROM {table} WHERE model != ?", (model,))


def prove(con: Connection, folder: str) -> None:
    """Look through the database and at every set. Raises VectorsDamaged."""
    told = con.execute("PRAGMA quick_check(1)").fetchone()[0]
    if told != "ok":
        raise errors.VectorsDamaged(folder, str(told)[:100])
    for model in models(con):
        VectorSet(con, folder, model)


def _signs(centred: Vectors) -> NDArray[np.uint64]:
    """Give the signs of vectors, 64 in a word, filled up with zeros."""
    packed = np.packbits(centred > 0, axis=-1)
    missing = -packed.shape[-1] % (_WORD // 8)
    return np.pad(packed, [(0, 0)] * (packed.ndim - 1) + [(0, missing)]).view(np.uint64)


def _smallest(values: NDArray[np.uint16], most: int) -> NDArray[np.int64]:
    """Give the places of the smallest values, at least `most` of them if there are."""
    if len(values) <= most:
        return np.arange(len(values))
    counts = np.bincount(values, minlength=1).cumsum()
    limit = int(np.searchsorted(counts, most))
    places: NDArray[np.int64] = np.flatnonzero(values <= limit)[: 4 * most]
    return places
