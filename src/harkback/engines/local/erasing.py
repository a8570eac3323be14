"""Forgetting for good: rows, identities, copies, titles and names go, and a tombstone keeps them from coming back.

A tombstone is the hash of a name (of a message, a session, a title), never a text. SQLite overwrites what it deletes
(`secure_delete`); the word index is made anew without it, because deleted words stay readable in an index.
"""

from __future__ import annotations

from harkback._record import NamedTuple
from harkback.engines.local.forgetting import move_to_heirs
from harkback.engines.local.ids import key_of
from harkback.engines.local.schema import EXCLUDED, WITH_TOMBSTONES, add_tally, chunks, version
from harkback.model import TALK, USER

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

# What a tombstone stands for.
MESSAGE, SESSION, TITLE = "message", "session", "title"

TITLE_CHARS = 80
"""A title that is made of a prompt has so many characters at most."""

MUST_REBUILD = "must_rebuild"
"""Key of the fact that something was forgotten whose words still stand in the index."""


EVER_EXCLUDED = "ever_excluded"
"""Key of the fact that there was something that is not to be read: what nobody has may be its."""


class Erased(NamedTuple):
    """What was forgotten."""

    messages: int
    sessions: int


def tombs(con: sqlite3.Connection, kind: str) -> set[int]:
    """Give the hashes of what was forgotten; nothing where an older program's layout has no tombstones yet."""
    if version(con) < WITH_TOMBSTONES:
        return set()
    return {key for (key,) in con.execute("SELECT key FROM tombstone WHERE kind=?", (kind,))}


def session_key(agent: str, native: str) -> int:
    """Hash the name of a session."""
    return key_of(agent, f"session:{native}")


def title_key(title: str) -> int:
    """Hash a title."""
    return key_of("title", title)


def messages_in(con: sqlite3.Connection, sessions: Iterable[int]) -> set[int]:
    """Give the messages that stand in sessions, copies of others' too."""
    found: set[int] = set()
    for some in chunks(sorted(sessions)):
        marks = ",".join("?" * len(some))
        for table in ("part", "copy"):
            rows = con.execute(
                f"SELECT DISTINCT message FROM {table} JOIN transcript ON transcript.id = transcript"
                f" WHERE transcript.session IN ({marks})",
                some,
            )
            found.update(row[0] for row in rows)
    return found


def messages_before(con: sqlite3.Connection, before_ms: int) -> set[int]:
    """Give the messages that were said before a time."""
    return {row[0] for row in con.execute("SELECT DISTINCT message FROM part WHERE time < ?", (before_ms,))}


def erase(con: sqlite3.Connection, messages: set[int], sessions: set[int], *, leave_tombs: bool) -> Erased:
    """Forget messages wherever they stand, and whole sessions; inside a transaction.

    Without `leave_tombs` only sessions are forgotten: what stands in others too stays there, and their transcripts are
    kept in mind as excluded and may be read again one day.
    """
    con.execute("CREATE TEMP TABLE IF NOT EXISTS doomed(key INTEGER PRIMARY KEY)")
    con.execute("DELETE FROM doomed")
    con.execute("CREATE TEMP TABLE IF NOT EXISTS gone(seq INTEGER PRIMARY KEY)")
    con.execute("DELETE FROM gone")
    messages = messages | messages_in(con, sessions)
    speaking: set[int] = set()
    if leave_tombs:
        con.executemany("INSERT OR IGNORE INTO doomed VALUES(?)", [(key,) for key in sorted(messages)])
        speaking = _sessions_with(con)
        _count_out(con)
        _forget_titles(con)
        _forget_heads(con)
        con.execute("INSERT INTO gone SELECT seq FROM part WHERE message IN (SELECT key FROM doomed)")
    else:
        _hand_over(con, sessions)
    # A message may have a second name, which copies share.
    con.execute("INSERT OR IGNORE INTO doomed SELECT key FROM identity WHERE seq IN (SELECT seq FROM gone)")
    if leave_tombs:
        con.execute("INSERT OR IGNORE INTO tombstone SELECT key, ? FROM doomed", (MESSAGE,))
    else:
        con.execute("INSERT OR REPLACE INTO meta VALUES(?, 1)", (EVER_EXCLUDED,))
    con.execute("DELETE FROM claim WHERE key IN (SELECT key FROM doomed)")
    con.execute("DELETE FROM identity WHERE seq IN (SELECT seq FROM gone)")
    for table in ("problem", "masked"):
        con.execute(
            f"DELETE FROM {table} WHERE EXISTS(SELECT 1 FROM part WHERE part.transcript = {table}.transcript AND"
            f" part.pos = {table}.pos AND part.seq IN (SELECT seq FROM gone))"
        )
    con.execute("INSERT OR IGNORE INTO dead SELECT seq, NULL FROM gone")
    parts = con.execute("DELETE FROM part WHERE seq IN (SELECT seq FROM gone)").rowcount
    con.execute("DELETE FROM copy WHERE message IN (SELECT key FROM doomed)")
    add_tally(con, parts=-parts)
    for session in sessions:
        _forget_session(con, session, leave_tombs=leave_tombs)
    for session in speaking - sessions:
        if is_empty(con, session):
            _silence(con, session)
    if leave_tombs:
        drop_titles(con)
    drop_stale_names(con)
    # Deleted words stay readable in the index until it is made anew; a kill may come between.
    con.execute("INSERT OR REPLACE INTO meta VALUES(?, 1)", (MUST_REBUILD,))
    con.execute("DELETE FROM doomed")
    con.execute("DELETE FROM gone")
    return Erased(len(messages), len(sessions))


def _hand_over(con: sqlite3.Connection, sessions: Iterable[int]) -> None:
    """Give what also stands in other sessions to those; what stays behind is gone."""
    transcripts = [
        row
        for session in sorted(sessions)
        for row in con.execute("SELECT id, messages FROM transcript WHERE session=?", (session,)).fetchall()
    ]
    # First all of them, so that none of them is another's heir.
    con.executemany("DELETE FROM copy WHERE transcript=?", [(number,) for number, _ in transcripts])
    for number, talk in transcripts:
        con.execute("INSERT INTO gone SELECT seq FROM part WHERE transcript=?", (number,))
        add_tally(con, parts=move_to_heirs(con, number, set()), messages=-talk)


def is_empty(con: sqlite3.Connection, session: int) -> bool:
    """Whether no message stands in a session, neither of its own nor a copy."""
    row = con.execute(
        "SELECT 1 FROM transcript WHERE session=?1 AND (EXISTS(SELECT 1 FROM copy WHERE copy.transcript ="
        " transcript.id) OR EXISTS(SELECT 1 FROM part WHERE part.transcript = transcript.id AND pos >= 0))",
        (session,),
    )
    return row.fetchone() is None


def _sessions_with(con: sqlite3.Connection) -> set[int]:
    """Give the sessions in which doomed messages stand."""
    rows = con.execute(
        "SELECT session FROM transcript WHERE id IN (SELECT transcript FROM part WHERE message IN (SELECT key FROM"
        " doomed) UNION SELECT transcript FROM copy WHERE message IN (SELECT key FROM doomed))"
    )
    return {session for (session,) in rows}


def _silence(con: sqlite3.Connection, session: int) -> None:
    """Keep of a session in which nothing is left no title and no time: it is listed when something is said again."""
    _take_title(con, session)
    con.execute("UPDATE session SET started=NULL, ended=NULL WHERE id=?", (session,))


def _take_title(con: sqlite3.Connection, session: int) -> None:
    """Take a session's title away, and out of what reading remembers of it."""
    title, seq = con.execute("SELECT title, title_seq FROM session WHERE id=?", (session,)).fetchone()
    if title:
        for number, state in con.execute("SELECT id, state FROM transcript WHERE session=?", (session,)).fetchall():
            con.execute("UPDATE transcript SET state=? WHERE id=?", (without(state, title), number))
    _delete_title(con, seq)
    con.execute("UPDATE session SET title='', title_rank=0, title_seq=NULL WHERE id=?", (session,))


def _delete_title(con: sqlite3.Connection, seq: int | None) -> None:
    if seq is not None:
        add_tally(con, parts=-con.execute("DELETE FROM part WHERE seq=?", (seq,)).rowcount)
        con.execute("INSERT OR IGNORE INTO dead VALUES(?, NULL)", (seq,))
        con.execute("DELETE FROM identity WHERE seq=?", (seq,))


def _count_out(con: sqlite3.Connection) -> None:
    """Take the doomed messages out of the totals of their transcripts and of the archive."""
    own = con.execute(
        "SELECT transcript, message, sum(length(text)) FROM part WHERE lane=? AND message IN (SELECT key FROM doomed)"
        " GROUP BY transcript, message",
        (TALK,),
    ).fetchall()
    session = dict(con.execute("SELECT id, session FROM transcript").fetchall())
    counted = [(1, chars, transcript) for transcript, _, chars in own]
    home = {message: (session[transcript], chars) for transcript, message, chars in own}
    for message, transcript in con.execute(
        "SELECT message, transcript FROM copy WHERE message IN (SELECT key FROM doomed)"
    ).fetchall():
        if message in home and home[message][0] != session[transcript]:
            counted.append((1, home[message][1], transcript))
    con.executemany("UPDATE transcript SET messages=messages-?, chars=chars-? WHERE id=?", counted)
    add_tally(con, messages=-len(counted))


def _forget_titles(con: sqlite3.Connection) -> None:
    """Take away titles that were made of a doomed prompt, and doomed titles; from what reading remembers too.

    The name of a title's row is the session's, which may get another title: the tombstone is that of its text.
    """
    rows = con.execute(
        "SELECT session.id, title FROM session JOIN part ON part.seq = title_seq WHERE part.message IN"
        " (SELECT key FROM doomed)"
    ).fetchall()
    con.execute("DELETE FROM doomed WHERE key IN (SELECT message FROM part JOIN session ON title_seq = seq)")
    prompts = con.execute(
        "SELECT session.id, title, text FROM session JOIN transcript ON transcript.session = session.id JOIN"
        " (SELECT transcript, pos, message FROM copy UNION SELECT transcript, pos, message FROM part) place"
        " ON place.transcript = transcript.id JOIN part ON part.message = place.message AND part.lane=? AND part.role=?"
        " WHERE title_rank = 0 AND title != '' AND place.message IN (SELECT key FROM doomed)",
        (TALK, USER),
    ).fetchall()
    rows += [
        (session, title)
        for session, title, text in prompts
        if title in " ".join(text.split())[: 4 * len(title)] or text.lstrip().startswith(title)
    ]
    for session, title in set(rows):
        con.execute("INSERT OR IGNORE INTO tombstone VALUES(?, ?)", (title_key(title), TITLE))
        _take_title(con, session)


def forgotten_titles(con: sqlite3.Connection) -> tuple[list[int], list[int]]:
    """Find forgotten titles that stand somewhere: the sessions that have one, and the claims, by their keys."""
    forgotten = tombs(con, TITLE)
    if not forgotten:
        return [], []
    given = con.execute("SELECT id, title FROM session WHERE title_seq IS NOT NULL").fetchall()
    claimed = con.execute("SELECT key, title FROM claim").fetchall()
    return (
        [session for session, title in given if title_key(title) in forgotten],
        [key for key, title in claimed if title_key(title) in forgotten],
    )


def drop_titles(con: sqlite3.Connection) -> None:
    """Take away forgotten titles wherever they stand: in other sessions, and where another transcript tells them."""
    sessions, claims = forgotten_titles(con)
    for session in sessions:
        _take_title(con, session)
    con.executemany("DELETE FROM claim WHERE key=?", [(key,) for key in claims])


def _forget_heads(con: sqlite3.Connection) -> None:
    """Take the beginnings of doomed prompts out of what reading remembers, where another title stands before them."""
    rows = con.execute(
        "SELECT place.transcript, text FROM (SELECT transcript, message FROM copy UNION SELECT transcript, message FROM"
        " part) place JOIN part ON part.message = place.message AND part.lane=? AND part.role=?"
        " WHERE place.message IN (SELECT key FROM doomed)",
        (TALK, USER),
    ).fetchall()
    heads: dict[int, set[str]] = {}
    for transcript, text in rows:
        heads.setdefault(transcript, set()).add(head_of(text))
    for transcript, some in heads.items():
        (state,) = con.execute("SELECT state FROM transcript WHERE id=?", (transcript,)).fetchone()
        for head in some:
            state = without(state, head)
        con.execute("UPDATE transcript SET state=? WHERE id=?", (state, transcript))


def head_of(text: str) -> str:
    """Give the beginning of a prompt of which readers make a title."""
    return text.strip().split("\n", 1)[0].strip()[:TITLE_CHARS].rstrip()


def without(state: str, title: str) -> str:
    """Take a title out of the JSON in which reading remembers it."""
    import json

    for ascii_only in (False, True):
        state = state.replace(json.dumps(title, ensure_ascii=ascii_only), '""')
    return state


def _forget_session(con: sqlite3.Connection, session: int, *, leave_tombs: bool) -> None:
    agent, native, title, seq = con.execute(
        "SELECT agent, native, title, title_seq FROM session WHERE id=?", (session,)
    ).fetchone()
    if leave_tombs:
        con.execute("INSERT OR IGNORE INTO tombstone VALUES(?, ?)", (session_key(agent, native), SESSION))
        if title:
            con.execute("INSERT OR IGNORE INTO tombstone VALUES(?, ?)", (title_key(title), TITLE))
    transcripts = [row[0] for row in con.execute("SELECT id FROM transcript WHERE session=?", (session,))]
    for number in transcripts:
        problems = con.execute("DELETE FROM problem WHERE transcript=?", (number,)).rowcount
        con.execute("DELETE FROM masked WHERE transcript=?", (number,))
        con.execute("DELETE FROM copy WHERE transcript=?", (number,))
        if leave_tombs:
            con.execute("DELETE FROM transcript WHERE id=?", (number,))
        else:  # else it would look new
            con.execute(
                "UPDATE transcript SET offset=0, fingerprint=?, state='', messages=0, chars=0 WHERE id=?",
                (EXCLUDED, number),
            )
        add_tally(con, problems=-problems)
    if seq is not None:
        con.execute("DELETE FROM part WHERE seq=?", (seq,))
        con.execute("INSERT OR IGNORE INTO dead VALUES(?, NULL)", (seq,))
        con.execute("DELETE FROM identity WHERE seq=?", (seq,))
    con.execute("DELETE FROM session WHERE id=?", (session,))
    if not leave_tombs:
        con.execute("INSERT INTO session(id, agent, native) VALUES(?, ?, ?)", (session, agent, native))


def drop_stale_names(con: sqlite3.Connection) -> None:
    """Delete names of files, projects, branches, tools and models that nothing speaks of any more."""
    used: set[int] = set()
    for (files,) in con.execute("SELECT DISTINCT files FROM part WHERE files > ''"):
        used.update(map(int, files.split()))
    for column in ("tool", "model", "branch"):
        used.update(row[0] for row in con.execute(f"SELECT DISTINCT {column} FROM part WHERE {column} IS NOT NULL"))
    used.update(row[0] for row in con.execute("SELECT DISTINCT project FROM session WHERE project IS NOT NULL"))
    stale = [row for row in con.execute("SELECT id FROM label WHERE kind != 'agent'").fetchall() if row[0] not in used]
    con.executemany("DELETE FROM label WHERE id=?", stale)
