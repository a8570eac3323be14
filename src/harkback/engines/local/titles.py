"""Titles of sessions: one row each, in a lane of its own, replaced when a better title comes."""

from __future__ import annotations

from harkback.engines.local.forgetting import TITLE_POS
from harkback.engines.local.ids import key_of
from harkback.engines.local.opened import Open
from harkback.engines.local.schema import add_tally
from harkback.model import ASSISTANT, TITLE, USER, Session, Transcript

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3


OWN_TITLE = 2
"""Titles up to this rank are the agent's; above it the person's."""


CLAIMED = 1
"""Rank of a title that stands in another session's transcript."""


def write_title(con: sqlite3.Connection, opened: Open, facts: Session) -> None:
    """Keep a session's title unless a better one is known; the transcript that gave that one may take it away."""
    title, rank = facts.title, facts.title_rank
    had, had_rank, had_seq = con.execute(
        "SELECT title, title_rank, title_seq FROM session WHERE id=?", (opened.session,)
    ).fetchone()
    row = con.execute("SELECT transcript, time FROM part WHERE seq=?", (had_seq,)).fetchone()
    if (title, rank) == (had, had_rank):
        # A title that stands beside the transcript may be known before any time is, or before the earliest one.
        if row is None or facts.started_ms is None or (row[1] is not None and row[1] <= facts.started_ms):
            return
    elif (not title or rank < had_rank) and (had_rank == CLAIMED or row is None or row[0] != opened.number):
        return
    seq = None
    key = key_of(opened.agent, f"title:{opened.transcript.native}")
    if had_seq is not None:
        con.execute("DELETE FROM part WHERE seq=?", (had_seq,))
        con.execute("INSERT INTO dead VALUES(?, NULL)", (had_seq,))
        con.execute("DELETE FROM identity WHERE key=?", (key,))
        add_tally(con, parts=-1)
    if rank > 0:  # a title made of the first prompt would only say the prompt again
        # Its time is when the session began: that stays, in however many pieces it is read.
        seq = con.execute(
            "INSERT INTO part(transcript, pos, length, message, lane, role, time, text) VALUES(?,?,0,?,?,?,?,?)",
            (opened.number, TITLE_POS, key, TITLE, USER if rank > OWN_TITLE else ASSISTANT, facts.started_ms, title),
        ).lastrowid
        con.execute("INSERT OR REPLACE INTO identity VALUES(?,?)", (key, seq))
        add_tally(con, parts=1)
    con.execute("UPDATE session SET title=?, title_rank=?, title_seq=? WHERE id=?", (title, rank, seq, opened.session))


def claims(con: sqlite3.Connection) -> list[tuple[Open, Session]]:
    """Give the titles that other transcripts claim for sessions which have none of their own; the last one stands.

    A claim names a message; copies of it stand in the sessions that went on from it, and the first of all is meant.
    """
    rows = con.execute(
        "SELECT claim.key, claim.title, transcript.id, transcript.agent, path, session.id, native, started, title_rank"
        " FROM claim JOIN identity ON identity.key = claim.key JOIN part ON part.seq = identity.seq"
        " JOIN (SELECT message, transcript, pos FROM copy UNION SELECT message, transcript, pos FROM part) place"
        " ON place.message = part.message JOIN transcript ON transcript.id = place.transcript"
        " JOIN session ON session.id = transcript.session ORDER BY claim.key, started, transcript.id"
    ).fetchall()
    first: dict[int, tuple[Open, Session]] = {}
    for key, title, number, agent, path, session, native, started, rank in rows:
        if key not in first:
            opened = Open(number, session, Transcript(agent, path, native, 0, 0))
            first[key] = (
                opened,
                Session(agent, native, title, title_rank=CLAIMED if rank < CLAIMED else -1, started_ms=started),
            )
    return [one for one in first.values() if one[1].title_rank > 0]
