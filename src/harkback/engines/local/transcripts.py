"""Whole transcripts, one after the other: which there are, what stands in them, what stands in several."""

from __future__ import annotations

from harkback._record import NamedTuple
from harkback.engines.local.schema import chunks
from harkback.model import TALK, USER
from harkback.moments import local

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harkback.engines.local.reading import Rows
    from harkback.model import StoredPart

_QUARTER_MS = 900_000


class Listed(NamedTuple):
    """A transcript that was read."""

    number: int
    session: int
    path: str
    is_gone: bool


class Transcripts:
    """The transcripts of an archive, for whoever goes through all of them."""

    def __init__(self, rows: Rows) -> None:
        """Read through `rows`."""
        self.rows = rows
        self.con = rows.con

    def listed(
        self,
        *,
        agents: Sequence[str] | None = None,
        projects: Sequence[int] | None = None,
        sessions: Sequence[int] | None = None,
        since_ms: int | None = None,
        until_ms: int | None = None,
        hidden: Sequence[int] = (),
    ) -> list[Listed]:
        """List those whose session fits, the oldest session first."""
        where, values = _fitting(agents, projects, sessions, hidden)
        where.append("session.started IS NOT NULL")
        for condition, bound in (("session.ended >= ?", since_ms), ("session.started < ?", until_ms)):
            if bound is not None:
                where.append(condition)
                values.append(bound)
        rows = self.con.execute(
            "SELECT transcript.id, session.id, path, gone IS NOT NULL FROM transcript"
            f" JOIN session ON session.id = session WHERE {' AND '.join(where)}"
            " ORDER BY session.started, session.ended, path",  # as `Place.order` has it
            values,
        )
        return [Listed(number, session, path, bool(is_gone)) for number, session, path, is_gone in rows]

    def prompts(
        self,
        agents: Sequence[str] | None,
        projects: Sequence[int] | None,
        since_ms: int | None,
        until_ms: int | None,
        hidden: Sequence[int] = (),
    ) -> dict[str, int]:
        """Count people's prompts by month in the user's zone, `2026-05`. One pass over all parts."""
        where, values = _fitting(agents, projects, None, hidden)
        for condition, bound in (("part.time >= ?", since_ms), ("part.time < ?", until_ms)):
            if bound is not None:
                where.append(condition)
                values.append(bound)
        rows = self.con.execute(
            # A quarter of an hour lies in one month in every zone.
            f"SELECT part.time / {_QUARTER_MS}, count(DISTINCT part.message) FROM part"
            " JOIN transcript ON transcript.id = part.transcript JOIN session ON session.id = transcript.session"
            f" WHERE {' AND '.join([f'lane={TALK} AND role={USER} AND part.time IS NOT NULL', *where])} GROUP BY 1",
            values,
        )
        counts: dict[str, int] = {}
        for quarter, number in rows:
            moment = local(quarter * _QUARTER_MS)
            if moment is not None:
                month = moment.strftime("%Y-%m")
                counts[month] = counts.get(month, 0) + number
        return counts

    def messages(self, transcript: int) -> dict[int, int]:
        """Give the messages that stand in a transcript, its own and copies of others', by byte position, in order."""
        rows = self.con.execute(
            "SELECT pos, message FROM copy WHERE transcript=?1 UNION SELECT pos, message FROM part"
            " WHERE transcript=?1 AND pos >= 0 ORDER BY pos",
            (transcript,),
        )
        return dict(rows.fetchall())

    def tellers(self, order: dict[int, int]) -> dict[int, int]:
        """Give for each message that stands in several transcripts the one that comes first in `order`.

        Those that `order` does not know are passed over. One pass over all copies, and 100 bytes for each message.
        """
        first: dict[int, int] = {}
        rows = self.con.execute(
            "SELECT message, transcript FROM copy UNION ALL SELECT part.message, part.transcript FROM"
            " (SELECT DISTINCT message FROM copy) shared JOIN identity ON identity.key = shared.message"
            " JOIN part ON part.seq = identity.seq"
        )
        for message, transcript in rows:
            at = order.get(transcript)
            if at is not None and at < order.get(first.get(message, -1), at + 1):
                first[message] = transcript
        return first

    def places(self, message: int, limit: int) -> tuple[int | None, list[str]]:
        """Say when a message was said first, and the ids of sessions in which it stands, `limit` at most."""
        row = self.con.execute(
            "SELECT part.time, part.transcript FROM identity JOIN part ON part.seq = identity.seq WHERE identity.key=?",
            (message,),
        ).fetchone()
        if row is None:
            return None, []
        rows = self.con.execute(
            "SELECT DISTINCT session.agent || ':' || session.native FROM (SELECT ?2 AS transcript UNION ALL SELECT"
            " transcript FROM copy WHERE message=?1) place JOIN transcript ON transcript.id = place.transcript"
            " JOIN session ON session.id = transcript.session ORDER BY session.started, session.ended, session.native"
            " LIMIT ?3",
            (message, row[1], limit),
        )
        return row[0], [session for (session,) in rows]

    def family(self, agent: str, native: str) -> list[str]:
        """Give the ids of the sessions that hold a message of a session: itself, its forks, what it was forked from.

        A fork that names where it comes from belongs to it without a copy as well.
        """
        rows = self.con.execute(
            "WITH one AS (SELECT id, parent, relation FROM session WHERE agent=?1 AND native=?2),"
            " mine(message) AS (SELECT part.message FROM part JOIN transcript ON transcript.id = part.transcript"
            " WHERE transcript.session = (SELECT id FROM one) UNION SELECT message FROM copy"
            " JOIN transcript ON transcript.id = copy.transcript WHERE transcript.session = (SELECT id FROM one)),"
            " place(transcript) AS (SELECT copy.transcript FROM mine JOIN copy ON copy.message = mine.message"
            " UNION SELECT part.transcript FROM mine JOIN identity ON identity.key = mine.message"
            " JOIN part ON part.seq = identity.seq)"
            " SELECT agent || ':' || native FROM session WHERE id IN (SELECT id FROM one UNION SELECT session"
            " FROM place JOIN transcript ON transcript.id = place.transcript)"
            " OR agent=?1 AND (parent=?2 AND relation='fork' OR native ="
            " (SELECT parent FROM one WHERE relation='fork')) ORDER BY native",
            (agent, native),
        )
        return [session for (session,) in rows]

    def parts(self, messages: Sequence[int]) -> dict[int, list[StoredPart]]:
        """Give the parts of messages, by message."""
        seqs: dict[int, list[int]] = {}
        for some in chunks(list(messages)):
            marks = ",".join("?" * len(some))
            for message, seq in self.con.execute(
                "SELECT identity.key, twin.seq FROM identity JOIN part first ON first.seq = identity.seq"
                " JOIN part twin ON twin.transcript = first.transcript AND twin.pos = first.pos"
                f" AND twin.message = first.message WHERE identity.key IN ({marks}) ORDER BY twin.seq",
                some,
            ):
                seqs.setdefault(message, []).append(seq)
        parts = self.rows.parts([seq for some in seqs.values() for seq in some])
        return {message: [parts[seq] for seq in some if seq in parts] for message, some in seqs.items()}


def _fitting(
    agents: Sequence[str] | None,
    projects: Sequence[int] | None,
    sessions: Sequence[int] | None,
    hidden: Sequence[int],
) -> tuple[list[str], list[object]]:
    """Write which sessions fit, as conditions with their values."""
    where: list[str] = []
    values: list[object] = []
    for column, some in (("session.agent", agents), ("session.project", projects), ("session.id", sessions)):
        if some is not None:
            where.append(f"{column} IN ({','.join('?' * len(some))})")
            values += some
    if hidden:
        where.append(f"ifnull(session.project, 0) NOT IN ({','.join('?' * len(hidden))})")
        values += hidden
    return where, values
