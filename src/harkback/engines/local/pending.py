"""What the word index does not hold yet."""

from __future__ import annotations

from harkback.engines.local.words import Facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable

    from harkback.engines.local.words import Words


AT_ONCE_CHARS = 1 << 19
"""So much text is cut into tokens at once."""


def watermark(con: sqlite3.Connection) -> int:
    """Give the number of the last part that the index holds."""
    row = con.execute("SELECT value FROM meta WHERE key='indexed'").fetchone()
    return int(row[0]) if row else 0


def is_behind(con: sqlite3.Connection) -> bool:
    """Whether the index does not hold all rows yet, or still holds what was forgotten."""
    if con.execute("SELECT 1 FROM dead LIMIT 1").fetchone() is not None:
        return True
    row = con.execute("SELECT seq FROM sqlite_sequence WHERE name='part'").fetchone()
    return row is not None and watermark(con) < int(row[0])


def facts_above(con: sqlite3.Connection, seq: int, limit: int = -1) -> Iterable[tuple[Facts, str]]:
    """Read back from the rows what the index is given: parts above `seq`, oldest first, at most `limit`."""
    agents = {value: number for number, value in con.execute("SELECT id, value FROM label WHERE kind='agent'")}
    for row in con.execute(
        "SELECT seq, transcript, session, ifnull(project, 0), transcript.agent, lane, role, time, tool, part.branch,"
        " files, text FROM part JOIN transcript ON transcript.id = part.transcript"
        " JOIN session ON session.id = transcript.session WHERE seq > ? ORDER BY seq LIMIT ?",
        (seq, limit),
    ):
        files = tuple(map(int, row[10].split())) if row[10] else ()
        yield (
            Facts(row[0], row[1], row[2], row[3], agents.get(row[4], 0), row[5], row[6], row[7], row[8], row[9], files),
            row[11],
        )


def add_rows(words: Words, rows: Iterable[tuple[Facts, str]], progress: Callable[[int], None] = lambda _: None) -> int:
    """Give rows to an index, as many at once as tokens are made fastest of; gives how many there were."""
    from harkback.text.batch import token_strings

    done = size = 0
    facts: list[Facts] = []
    texts: list[str] = []
    for fact, text in rows:
        facts.append(fact)
        texts.append(text)
        size += len(text)
        if size > AT_ONCE_CHARS:
            words.add(facts, token_strings(texts))
            done += len(facts)
            progress(done)
            facts, texts, size = [], [], 0
    if facts:
        words.add(facts, token_strings(texts))
    return done + len(facts)
