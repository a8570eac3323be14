"""Deleting the rows of a transcript without losing what also stands elsewhere."""

from __future__ import annotations

from harkback.engines.local.schema import add_tally

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

TITLE_POS = -1
"""The place of a session's title among its parts."""


def forget_rows(con: sqlite3.Connection, transcript: int, kept: set[int]) -> None:
    """Delete what was read of a transcript before it is read again.

    A message that also stands elsewhere moves there and stays found, unless it is one of `kept`, which the same
    transaction writes anew.
    """
    high = con.execute("SELECT ifnull(max(seq), 0) FROM part WHERE transcript=?", (transcript,)).fetchone()[0]
    session = con.execute("SELECT session FROM transcript WHERE id=?", (transcript,)).fetchone()[0]
    con.execute("DELETE FROM copy WHERE transcript=?", (transcript,))
    moved = move_to_heirs(con, transcript, kept)
    con.execute(
        "UPDATE session SET title='', title_rank=0, title_seq=NULL WHERE id=?1 AND (title_seq IS NULL OR title_seq IN"
        " (SELECT seq FROM part WHERE transcript=?2 AND pos=?3))",
        (session, transcript, TITLE_POS),
    )
    parts = con.execute("DELETE FROM part WHERE transcript=?", (transcript,)).rowcount
    problems = con.execute("DELETE FROM problem WHERE transcript=?", (transcript,)).rowcount
    con.execute("DELETE FROM masked WHERE transcript=?", (transcript,))
    talk = con.execute("SELECT messages FROM transcript WHERE id=?", (transcript,)).fetchone()[0]
    add_tally(con, parts=moved - parts, problems=-problems, messages=-talk)
    if high:
        con.execute("INSERT OR IGNORE INTO dead VALUES(?, ?)", (high, transcript))
    con.execute(
        "UPDATE session SET (started, ended) = (SELECT min(time), max(time) FROM part JOIN transcript"
        " ON transcript.id = part.transcript WHERE transcript.session = ?1) WHERE id = ?1",
        (session,),
    )
    con.execute(
        "UPDATE transcript SET offset=0, fingerprint='', state='', messages=0, chars=0, size=-1 WHERE id=?",
        (transcript,),
    )


def move_to_heirs(con: sqlite3.Connection, transcript: int, kept: set[int]) -> int:
    """Move a transcript's messages to the transcripts that hold copies of them; gives the number of parts moved.

    Its own parts stay, for the caller to delete.
    """
    rows = con.execute(
        "SELECT copy.message, min(copy.transcript) FROM copy WHERE copy.message IN"
        " (SELECT message FROM part WHERE transcript=?) GROUP BY copy.message",
        (transcript,),
    ).fetchall()
    new_seq: dict[int, int] = {}
    moved = 0
    for message, heir in rows:
        if message in kept:
            continue
        pos, length = con.execute(
            "SELECT pos, length FROM copy WHERE message=? AND transcript=? ORDER BY pos LIMIT 1", (message, heir)
        ).fetchone()
        con.execute("DELETE FROM copy WHERE message=? AND transcript=? AND pos=?", (message, heir, pos))
        first = 0
        for old, *row in con.execute(
            "SELECT seq, message, lane, role, time, tool, model, branch, files, text FROM part"
            " WHERE transcript=? AND message=? ORDER BY seq",
            (transcript, message),
        ).fetchall():
            seq = con.execute(
                "INSERT INTO part(transcript, pos, length, message, lane, role, time, tool, model, branch, files, text)"
                " VALUES(?,?,?,?,?,?,?,?,?,?,?,?)",
                (heir, pos, length, *row),
            ).lastrowid
            first = first or int(seq or 0)
            new_seq[old] = first
            moved += 1
    if new_seq:
        # No index leads from a part to its identities: one pass over them, only when a copied transcript changed.
        con.execute("CREATE TEMP TABLE IF NOT EXISTS moved(old INTEGER PRIMARY KEY, new INTEGER)")
        con.executemany("INSERT OR REPLACE INTO moved VALUES(?, ?)", sorted(new_seq.items()))
        con.execute(
            "UPDATE identity SET seq=(SELECT new FROM moved WHERE old=seq) WHERE seq IN (SELECT old FROM moved)"
        )
        con.execute("DELETE FROM moved")
    return moved


def set_time(con: sqlite3.Connection, message: int, time_ms: int) -> None:
    """Set the time of a message back: its parts are written anew, so that the index learns of it."""
    first = con.execute("SELECT seq FROM identity WHERE key=?", (message,)).fetchone()
    where = "FROM part WHERE (transcript, pos) = (SELECT transcript, pos FROM part WHERE seq=?) ORDER BY seq"
    seqs = [row[0] for row in con.execute(f"SELECT seq {where}", first)] if first else []
    moved: list[int] = []
    for seq in seqs:
        new = con.execute(
            "INSERT INTO part(transcript, pos, length, message, lane, role, time, tool, model, branch, files, text)"
            " SELECT transcript, pos, length, message, lane, role, ?, tool, model, branch, files, text FROM part"
            " WHERE seq=?",
            (time_ms, seq),
        ).lastrowid
        moved.append(int(new or 0))
        con.execute("DELETE FROM part WHERE seq=?", (seq,))
        con.execute("INSERT OR IGNORE INTO dead VALUES(?, NULL)", (seq,))
    if moved:
        con.execute("INSERT OR REPLACE INTO identity VALUES(?, ?)", (message, moved[0]))
