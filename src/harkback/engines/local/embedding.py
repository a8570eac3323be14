"""Which parts get a vector: prompts and final answers, the newest transcripts first."""

from __future__ import annotations

import numpy as np

from harkback._record import NamedTuple
from harkback.engines.local.schema import undamaged
from harkback.model import TALK, USER

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from harkback.engines.local.engine import LocalEngine


class Unread(NamedTuple):
    """A transcript of which not everything has been looked at."""

    transcript: int
    offset: int
    """How far the archive has read it."""
    texts: tuple[tuple[int, str], ...]
    """Number and text of the parts that have no vector yet."""


def unread(engine: LocalEngine, seen: Mapping[int, int], held: NDArray[np.int64]) -> Iterator[Unread]:
    """Give the transcripts that have grown since they were looked at, the newest first.

    `seen` says up to where each was looked at, `held` which parts have a vector. Raises ArchiveDamaged.
    """
    known = np.sort(held)
    statement = "SELECT id, offset FROM transcript WHERE messages > 0 ORDER BY mtime DESC"
    with undamaged(engine.folder):  # whoever keeps vectors would take it for damage of those
        found = engine.con.execute(statement).fetchall()
    for transcript, offset in found:
        if seen.get(transcript) == offset:
            continue
        with undamaged(engine.folder):
            parts = _digest(engine.con, transcript)
        if parts and len(known):
            seqs = np.array([seq for seq, _ in parts])
            at = np.minimum(np.searchsorted(known, seqs), len(known) - 1)
            parts = [part for part, is_held in zip(parts, known[at] == seqs, strict=True) if not is_held]
        yield Unread(transcript, offset, tuple(parts))


def _digest(rows: sqlite3.Connection, transcript: int) -> list[tuple[int, str]]:
    """Give the prompts, and of the answers those that end a turn or begin the transcript."""
    found = rows.execute(
        "SELECT seq, role, text FROM part WHERE transcript = ? AND lane = ? ORDER BY pos, seq", (transcript, TALK)
    ).fetchall()
    return [
        (seq, text)
        for at, (seq, role, text) in enumerate(found)
        if role == USER or at == 0 or at + 1 == len(found) or found[at + 1][1] == USER
    ]


def seen(vectors: sqlite3.Connection, model: str) -> dict[int, int]:
    """Say up to where transcripts were looked at."""
    return dict(vectors.execute("SELECT transcript, read FROM vector_transcript WHERE model = ?", (model,)).fetchall())


def there(rows: sqlite3.Connection) -> set[int]:
    """Give the numbers of the transcripts that there are."""
    return {number for (number,) in rows.execute("SELECT id FROM transcript WHERE messages > 0")}


def drop_seen(vectors: sqlite3.Connection, kept: set[int]) -> None:
    """Drop what was noted of transcripts that are gone, inside a transaction."""
    noted = {number for (number,) in vectors.execute("SELECT DISTINCT transcript FROM vector_transcript")}
    vectors.executemany("DELETE FROM vector_transcript WHERE transcript = ?", [(one,) for one in noted - kept])


def note_seen(vectors: sqlite3.Connection, model: str, done: Sequence[Unread]) -> None:
    """Note that transcripts were looked at, inside a transaction."""
    vectors.executemany(
        "INSERT OR REPLACE INTO vector_transcript VALUES(?, ?, ?)",
        [(model, one.transcript, one.offset) for one in done],
    )
