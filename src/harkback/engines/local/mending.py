"""Mending what `checking` finds in the rows; what the transcripts tell is then read again."""

from __future__ import annotations

from harkback.engines.local.erasing import MESSAGE, drop_stale_names, drop_titles, erase
from harkback.engines.local.schema import EXCLUDED

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

STILL_THERE = (
    "FROM part JOIN tombstone ON tombstone.key = part.message AND tombstone.kind = ?"
    " WHERE part.pos >= 0"  # a title's row is named after its session, which may have another one now
)
"""Parts of messages that were forgotten."""

TOTALS = {
    "transcripts": f"SELECT count(*) FROM transcript WHERE fingerprint NOT IN ('', '{EXCLUDED}')",
    "parts": "SELECT count(*) FROM part",
    "problems": "SELECT count(*) FROM problem",
    "messages": "SELECT ifnull(sum(messages), 0) FROM transcript",
}
"""How each total that is kept would be counted."""

_STATEMENTS = (
    # A session of which nothing is known is named after the file, so that what was read of it stays.
    (
        "INSERT OR IGNORE INTO session(id, agent, native) SELECT session, agent, path FROM transcript"
        " WHERE session NOT IN (SELECT id FROM session)"
    ),
    "INSERT OR IGNORE INTO dead SELECT seq, NULL FROM part WHERE transcript NOT IN (SELECT id FROM transcript)",
    "DELETE FROM part WHERE transcript NOT IN (SELECT id FROM transcript)",
    "DELETE FROM identity WHERE seq NOT IN (SELECT seq FROM part)",
    (
        "INSERT INTO identity SELECT message, min(seq) FROM part WHERE message NOT IN (SELECT key FROM identity)"
        " GROUP BY message"
    ),
    "DELETE FROM copy WHERE message NOT IN (SELECT message FROM part)",
    "DELETE FROM copy WHERE transcript NOT IN (SELECT id FROM transcript)",
    "UPDATE session SET title='', title_rank=0, title_seq=NULL WHERE title_seq NOT IN (SELECT seq FROM part)",
    "UPDATE transcript SET offset=0, state='', size=-1 WHERE offset > 0 AND fingerprint=''",
)


def mend(con: sqlite3.Connection) -> None:
    """Take away what should not be there and count anew, inside a transaction."""
    for statement in _STATEMENTS:
        con.execute(statement)
    back = {key for (key,) in con.execute(f"SELECT message {STILL_THERE}", (MESSAGE,))}
    if back:
        erase(con, back, set(), leave_tombs=True)
    drop_titles(con)
    drop_stale_names(con)
    for name, statement in TOTALS.items():
        con.execute(f"INSERT OR REPLACE INTO meta VALUES(?, ({statement}))", (f"total_{name}",))
