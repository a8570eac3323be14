"""Titles of sessions: one row each, in a lane of its own, replaced when a better title comes."""

from __future__ import annotations

from harkback.engines.local.forgetting import TITLE_POS
from harkback.engines.local.ids import key_of
from harkback.engines.local.opened import Open
from harkback.engines.local.schema import add_tally
from harkback.model import TITLE, USER, Session, Transcript

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3


def write_title(con: sqlite3.Connection, opened: Open, facts: Session) -> int:
    """Keep a session's title unless a better one is known; gives the number of rows written."""
    title, rank = facts.title, facts.title_rank
    had, had_rank, had_seq = con.execute(
        "SELECT title, title_rank, title_seq FROM session WHERE id=?", (opened.session,)
    ).fetchone()
    if not title or rank < had_rank or (title, rank) == (had, had_rank):
        return 0
    seq = None
    if had_seq is not None:
        con.execute("DELETE FROM part WHERE seq=?", (had_seq,))
        con.execute("INSERT INTO dead VALUES(?, NULL)", (had_seq,))
        add_tally(con, parts=-1)
    if rank > 0:  # a title made of the first prompt would only say the prompt again
        key = key_of(opened.agent, f"title:{opened.transcript.native}")
        # Its time is when the session began: that stays, in however many pieces it is read.
        seq = con.execute(
            "INSERT INTO part(transcript, pos, length, message, lane, role, time, text) VALUES(?,?,0,?,?,?,?,?)",
            (opened.number, TITLE_POS, key, TITLE, USER, facts.started_ms, title),
        ).lastrowid
        con.execute("INSERT OR REPLACE INTO identity VALUES(?,?)", (key, seq))
        add_tally(con, parts=1)
    con.execute("UPDATE session SET title=?, title_rank=?, title_seq=? WHERE id=?", (title, rank, seq, opened.session))
    return int(seq is not None)


def claims(con: sqlite3.Connection) -> list[tuple[Open, Session]]:
    """Give the titles that other transcripts claim for sessions which have none of their own; the last one stands."""
    rows = con.execute(
        "SELECT claim.title, transcript.id, transcript.agent, path, session.id, native, started FROM claim"
        " JOIN identity ON identity.key = claim.key JOIN part ON part.seq = identity.seq"
        " JOIN transcript ON transcript.id = part.transcript JOIN session ON session.id = transcript.session"
        " WHERE title_rank < 1 ORDER BY transcript.id, part.pos"
    ).fetchall()
    return [
        (
            Open(number, session, Transcript(agent, path, native, 0, 0)),
            Session(agent, native, title, title_rank=1, started_ms=started),
        )
        for title, number, agent, path, session, native, started in rows
    ]
