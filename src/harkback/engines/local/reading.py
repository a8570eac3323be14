"""Reading rows back: parts, sessions, ids, and what is known of the transcripts."""

from __future__ import annotations

from harkback import errors
from harkback.engines.local.erasing import tombs
from harkback.engines.local.ids import key_of, key_range, message_id
from harkback.engines.local.schema import EXCLUDED, WITH_TOMBSTONES, chunks, version
from harkback.model import (
    TALK,
    UNREADABLE,
    USER,
    Checkpoint,
    Coverage,
    Known,
    Place,
    StoredPart,
    StoredSession,
    Transcript,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

_PART = (
    "SELECT part.seq, part.message, transcript.session, part.transcript, transcript.path, part.pos, part.length,"
    " part.lane, part.role, part.time, ifnull(tool.value, ''), ifnull(model.value, ''), ifnull(branch.value, ''),"
    " part.files, part.text FROM part JOIN transcript ON transcript.id = part.transcript"
    " LEFT JOIN label tool ON tool.id = part.tool LEFT JOIN label model ON model.id = part.model"
    " LEFT JOIN label branch ON branch.id = part.branch "
)

_SESSION = (
    "SELECT session.id, session.agent, native, title, ifnull(project.value, ''), cwd, branch, started, ended, parent,"
    " relation, agent_type, ifnull(sum(transcript.messages), 0), ifnull(max(transcript.path), ''),"
    " count(transcript.id) = count(transcript.gone) FROM session"
    " LEFT JOIN label project ON project.id = session.project"
    " LEFT JOIN transcript ON transcript.session = session.id "
)

# The parts of which a transcript holds copies.
_COPIES = (
    "FROM copy JOIN identity ON identity.key = copy.message JOIN part owner ON owner.seq = identity.seq"
    " JOIN part twin ON twin.transcript = owner.transcript AND twin.pos = owner.pos"
)

# Claude Code's subagents have ids that begin with their parent's: the parent is meant.
_BEGINS = (
    "native >= ? AND native < ? AND NOT (parent >= ? AND parent < ?"
    " AND substr(native, 1, length(parent) + 1) = parent || '/')"
)

_NEWEST = "ORDER BY session.ended DESC, session.id"

SHORTEST_PREFIX = 4
SHORT_CHARS = 8
_NAMED_AT_MOST = 5
_LONGEST_ECHO = 80


class Rows:
    """The rows of one archive, for reading. `read` counts the part rows handed out, so that a test can bound it."""

    def __init__(self, con: sqlite3.Connection) -> None:
        """Use an open connection."""
        self.con = con
        self.read = 0

    # -- parts -----------------------------------------------------------------------------------------------

    def parts(self, seqs: Sequence[int]) -> dict[int, StoredPart]:
        """Give the parts that still exist, by number."""
        found: dict[int, StoredPart] = {}
        for some in chunks(list(seqs)):
            marks = ",".join("?" * len(some))
            for part in self._parts(f"WHERE part.seq IN ({marks})", some):
                found[part.seq] = part
        return found

    def _parts(self, where: str, values: Sequence[object]) -> list[StoredPart]:
        parts = [self._part(row) for row in self.con.execute(_PART + where, values)]
        self.read += len(parts)
        return parts

    def _part(
        self, row: tuple[int, int, int, int, str, int, int, int, int, int, str, str, str, str, str]
    ) -> StoredPart:
        files: tuple[str, ...] = ()
        if row[13]:
            files = tuple(
                value
                for number in row[13].split()
                for (value,) in self.con.execute("SELECT value FROM label WHERE id=?", (int(number),))
            )
        return StoredPart(row[0], message_id(row[1]), *row[2:13], files, row[14])

    @staticmethod
    def key(part: StoredPart) -> int:
        """Give the engine's own number of a part's message."""
        return _key(part.message)

    def first_parts(self, messages: Sequence[int]) -> list[StoredPart]:
        """Give the first part of each of these messages."""
        found: list[StoredPart] = []
        for some in chunks(list(messages)):
            marks = ",".join("?" * len(some))
            found += self._parts(
                f"WHERE part.seq IN (SELECT seq FROM identity WHERE key IN ({marks})) ORDER BY part.seq", some
            )
        return found

    def message(self, transcript: int, offset: int) -> list[StoredPart]:
        """Give every part of the message at a place."""
        return self._parts("WHERE part.transcript=? AND part.pos=? ORDER BY part.seq", (transcript, offset))

    def around(
        self, transcript: int, offset: int, turns: int, lanes: Iterable[int] = (TALK,)
    ) -> tuple[list[StoredPart], list[StoredPart]]:
        """Give up to `turns` parts of these lanes before and after a place, in order, those it has as copies too."""
        if not turns or offset < 0:
            return [], []
        listed = ",".join(str(int(lane)) for lane in lanes)
        sides = []
        for sign, order in (("<", "DESC"), (">", "ASC")):
            own = self.con.execute(
                f"SELECT pos, seq FROM part WHERE transcript=? AND pos {sign} ? AND pos >= 0 AND lane IN ({listed})"
                f" ORDER BY pos {order}, seq LIMIT ?",
                (transcript, offset, turns),
            ).fetchall()
            copied = self.con.execute(
                f"SELECT copy.pos, twin.seq {_COPIES} WHERE copy.transcript=? AND copy.pos {sign} ?"
                f" AND twin.lane IN ({listed}) ORDER BY copy.pos {order}, twin.seq LIMIT ?",
                (transcript, offset, turns),
            ).fetchall()
            near = sorted({*own, *copied}, key=lambda place: abs(place[0] - offset))[:turns]
            seqs = [seq for _, seq in sorted(near)]
            parts = self.parts(seqs)
            sides.append([parts[seq] for seq in seqs])
        return sides[0], sides[1]

    def copied_into(self, session: int) -> list[int]:
        """Give the numbers of the parts that stand in a session only as copies of another's."""
        return [
            row[0]
            for row in self.con.execute(
                f"SELECT twin.seq {_COPIES} JOIN transcript ON transcript.id = copy.transcript"
                " WHERE transcript.session=?",
                (session,),
            )
        ]

    def copied_elsewhere(self, session: int, excluded: Sequence[int]) -> list[int]:
        """Give the numbers of a session's own parts that also stand in sessions that are not `excluded`."""
        shares = self.con.execute("SELECT shared FROM session WHERE id=?", (session,)).fetchone()
        if not shares or not shares[0]:
            return []  # every search of an agent asks this for its own session
        marks = ",".join("?" * len(excluded))
        rows = self.con.execute(
            "SELECT part.seq FROM transcript JOIN part ON part.transcript = transcript.id"
            " WHERE transcript.session=? AND EXISTS(SELECT 1 FROM copy JOIN transcript other"
            f" ON other.id = copy.transcript WHERE copy.message = part.message AND other.session NOT IN ({marks}))",
            (session, *excluded),
        )
        return [row[0] for row in rows]

    def sessions_of(self, projects: Sequence[int], branches: Sequence[str]) -> set[int]:
        """Give the sessions of these projects and those that ended on one of these branches."""
        found: set[int] = set()
        for column, values in (("project", projects), ("branch", branches)):
            for value in values:
                found.update(row[0] for row in self.con.execute(f"SELECT id FROM session WHERE {column}=?", (value,)))
        return found

    def with_copies(self) -> set[int]:
        """Give the sessions in which copies of others' messages stand."""
        rows = self.con.execute(
            "SELECT DISTINCT transcript.session FROM copy JOIN transcript ON transcript.id = transcript"
        )
        return {row[0] for row in rows}

    def places(self, part: StoredPart) -> list[Place]:
        """Give every place where a message stands, its own first, then by when the session began."""
        rows = self.con.execute(
            "SELECT transcript.session, transcript.id, transcript.path, copy.pos, copy.length FROM copy"
            " JOIN transcript ON transcript.id = copy.transcript WHERE copy.message=?",
            (_key(part.message),),
        ).fetchall()
        here = (part.session, part.transcript, part.path, part.offset, part.length)
        sessions = self.sessions_by_number([part.session, *(row[0] for row in rows)])
        return [Place(sessions[row[0]], *row[1:]) for row in (here, *rows)]

    # -- ids -------------------------------------------------------------------------------------------------

    def find_id(self, text: str) -> StoredPart | StoredSession:
        """Find a message or session by our id, a unique prefix of it, or the agent's own id.

        Raises NotFound, TooShort, Ambiguous.
        """
        sessions = self._sessions_like(text)
        if len(sessions) == 1:
            return sessions[0]
        part = self._message_like(text)
        if part is not None:
            return part
        if sessions:
            raise errors.Ambiguous(text, _some([session.id for session in sessions]))
        if len(text) < SHORTEST_PREFIX:
            raise errors.TooShort(text)
        raise errors.NotFound(text if len(text) <= _LONGEST_ECHO else f"{text[:_LONGEST_ECHO]}…")

    def find_session(self, text: str) -> StoredSession:
        """Find a session by its id, or the session of a message. Raises as `find_id` does."""
        found = self.find_id(text)
        return found if isinstance(found, StoredSession) else self.sessions_by_number([found.session])[found.session]

    def _sessions_like(self, text: str) -> list[StoredSession]:
        agent, colon, native = text.partition(":")
        exact = self._sessions("WHERE native=?", (text,))
        if exact:
            return exact
        if colon:
            exact = self._sessions("WHERE session.agent=? AND native=?", (agent, native))
            begins = (agent, *(native, native + "\U0010ffff") * 2)
            return exact or (self._sessions(f"WHERE session.agent=? AND {_BEGINS}", begins, _NEWEST) if native else [])
        if len(text) < SHORTEST_PREFIX:
            return []
        own = self._sessions("WHERE relation='subagent' AND substr(native, length(parent) + 2) = ?", (text,))
        if own:
            return own
        return self._sessions(f"WHERE {_BEGINS}", (text, text + "\U0010ffff") * 2, _NEWEST)

    def _message_like(self, text: str) -> StoredPart | None:
        wide = key_range(text)
        if wide is not None:
            rows = self.con.execute(
                "SELECT DISTINCT part.message, min(part.seq) FROM identity JOIN part ON part.seq = identity.seq"
                " WHERE identity.key >= ? AND identity.key < ? AND part.message >= ? AND part.message < ?"
                " GROUP BY part.message LIMIT 6",
                wide * 2,
            ).fetchall()
            if len(rows) > 1:
                raise errors.Ambiguous(text, _some([message_id(row[0]) for row in rows]))
            if rows:
                return self.parts([rows[0][1]])[rows[0][1]]
        for (agent,) in self.con.execute("SELECT DISTINCT agent FROM session").fetchall():
            row = self.con.execute("SELECT seq FROM identity WHERE key=?", (key_of(agent, text),)).fetchone()
            if row and (part := self.parts([row[0]]).get(row[0])) is not None:
                return part
        return None

    # -- sessions ----------------------------------------------------------------------------------------------

    def _sessions(
        self, where: str, values: Sequence[object], order: str = "", limit: int = 50, skip: int = 0
    ) -> list[StoredSession]:
        rows = self.con.execute(
            f"{_SESSION}{where} GROUP BY session.id HAVING count(transcript.id) {order} LIMIT ? OFFSET ?",
            (*values, limit, skip),
        )
        return [self._session(row) for row in rows.fetchall()]

    def _session(self, row: tuple[Any, ...]) -> StoredSession:
        session = StoredSession._make((*row[:-1], bool(row[-1]), "", ""))
        parent = self._short(session.agent, session.parent) if session.parent else ""
        return session._replace(short=self._short(session.agent, session.native), parent_short=parent)

    def _short(self, agent: str, native: str) -> str:
        """Cut an agent's own id to what no other session's begins with; ids that hold a time begin much alike."""
        if "/" in native:
            return native
        if self.con.execute("SELECT 1 FROM session WHERE native=? AND agent!=?", (native, agent)).fetchone():
            return f"{agent}:{native}"
        # The next one after those that begin with this id and a slash, which comes right before the digit 0.
        before = self.con.execute("SELECT max(native) FROM session WHERE native < ?", (native,)).fetchone()[0] or ""
        after = self.con.execute("SELECT min(native) FROM session WHERE native >= ?", (native + "0",)).fetchone()[0]
        same = max(_same_chars(native, before), _same_chars(native, after or ""))
        end = max(SHORT_CHARS, same + 1)
        return native[: end + (native[end - 1 : end] == "-")]

    def sessions_by_number(self, numbers: Sequence[int]) -> dict[int, StoredSession]:
        """Give sessions by the engine's numbers."""
        found: dict[int, StoredSession] = {}
        for some in chunks(sorted(set(numbers))):
            marks = ",".join("?" * len(some))
            found.update((one.number, one) for one in self._sessions(f"WHERE session.id IN ({marks})", some, "", -1))
        return found

    def sessions(
        self,
        *,
        agents: Sequence[str] | None = None,
        projects: Sequence[int] | None = None,
        branches: Sequence[str] = (),
        title: str = "",
        parent: str = "",
        messages: int = 0,
        since_ms: int | None = None,
        until_ms: int | None = None,
        subagents: bool = False,
        hidden: Sequence[int] = (),
        limit: int = 20,
        skip: int = 0,
    ) -> list[StoredSession]:
        """List sessions, the ones last spoken in first; without `subagents` only what a person started."""
        asked: list[tuple[bool, str, Sequence[object]]] = [
            (agents is not None, f"session.agent IN ({','.join('?' * len(agents or ()))})", agents or ()),
            (projects is not None, f"session.project IN ({','.join('?' * len(projects or ()))})", projects or ()),
            (bool(hidden), f"ifnull(session.project, 0) NOT IN ({','.join('?' * len(hidden))})", hidden),
            (bool(branches), f"({' OR '.join(['instr(lower(branch), lower(?))'] * len(branches))})", branches),
            (bool(title), "instr(lower(title), lower(?))", (title,)),
            (bool(parent), "parent = ?", (parent,)),
            (not parent and not subagents, "relation != 'subagent'", ()),
            (since_ms is not None, "session.ended >= ?", (since_ms,)),
            (until_ms is not None, "session.started < ?", (until_ms,)),
            (
                bool(messages),
                "(SELECT sum(counted.messages) FROM transcript counted WHERE counted.session = session.id) >= ?",
                (messages,),
            ),
        ]
        where = ["session.started IS NOT NULL", *(condition for is_asked, condition, _ in asked if is_asked)]
        values = [value for is_asked, _, some in asked if is_asked for value in some]
        return self._sessions("WHERE " + " AND ".join(where), values, _NEWEST, limit, skip)

    def sessions_in(self, holds: Callable[[str], bool]) -> list[StoredSession]:
        """Give the sessions whose folder or project a function wants, those of subagents too."""
        rows = self.con.execute(
            "SELECT session.id, cwd, ifnull(label.value, '') FROM session LEFT JOIN label ON label.id = project"
        ).fetchall()
        wanted = [number for number, cwd, project in rows if (cwd and holds(cwd)) or (project and holds(project))]
        return list(self.sessions_by_number(wanted).values())

    def paths_of(self, sessions: Iterable[int]) -> dict[int, list[str]]:
        """Give where the transcripts of sessions lie, or lay."""
        found: dict[int, list[str]] = {number: [] for number in sessions}
        for some in chunks(sorted(found)):
            marks = ",".join("?" * len(some))
            for number, path in self.con.execute(
                f"SELECT session, path FROM transcript WHERE session IN ({marks})", some
            ):
                found[number].append(path)
        return found

    def session_sizes(self, numbers: Sequence[int]) -> dict[int, int]:
        """Give how many characters of talk each of these sessions has."""
        found: dict[int, int] = {}
        for some in chunks(sorted(set(numbers))):
            marks = ",".join("?" * len(some))
            found.update(
                self.con.execute(
                    f"SELECT session, sum(chars) FROM transcript WHERE session IN ({marks}) GROUP BY session", some
                ).fetchall()
            )
        return found

    def labels(self, kind: str, text: str = "") -> dict[int, str]:
        """Give the names of a kind (project, tool, branch, file, agent) that hold `text`, by number."""
        rows = self.con.execute(
            "SELECT id, value FROM label WHERE kind=? AND (?='' OR instr(lower(value), lower(?)))", (kind, text, text)
        )
        return dict(rows.fetchall())

    def asking(self, agent: str, native: str) -> list[StoredSession]:
        """Give a session and its subagents by the agent's own id; nothing when it was not read yet."""
        return self._sessions(
            "WHERE session.agent=? AND (native=? OR parent=? AND relation='subagent')", (agent, native, native)
        )

    def digest(self, session: int) -> list[int]:
        """Give the numbers of a session's prompts and final answers, in order, copies of other sessions' too."""
        rows = self.con.execute(
            "SELECT seq, role, part.transcript AS place, pos FROM part"
            " JOIN transcript ON transcript.id = part.transcript"
            " WHERE transcript.session=?1 AND lane=?2"
            f" UNION SELECT twin.seq, twin.role, copy.transcript, copy.pos {_COPIES}"
            " JOIN transcript ON transcript.id = copy.transcript"
            " WHERE transcript.session=?1 AND twin.lane=?2 ORDER BY place, pos, seq",
            (session, TALK),
        ).fetchall()
        seen: dict[int, int] = {}
        for seq, role, _, _ in rows:
            seen.setdefault(seq, role)
        order = list(seen.items())
        return [
            seq
            for at, (seq, role) in enumerate(order)
            if role == USER or at == 0 or at + 1 == len(order) or order[at + 1][1] == USER
        ]

    def files_of(self, session: int) -> list[str]:
        """Give the files that a session's calls named, in the order of their first mention."""
        numbers: dict[int, None] = {}
        rows = self.con.execute(
            "SELECT files FROM (SELECT files, part.transcript AS place, pos FROM part"
            " JOIN transcript ON transcript.id = part.transcript WHERE transcript.session=?1 AND files IS NOT NULL"
            f" UNION ALL SELECT twin.files, copy.transcript, copy.pos {_COPIES}"
            " JOIN transcript ON transcript.id = copy.transcript"
            " WHERE transcript.session=?1 AND twin.files IS NOT NULL)"
            " ORDER BY place, pos",
            (session,),
        )
        for (files,) in rows:
            numbers.update(dict.fromkeys(map(int, files.split())))
        find = "SELECT value FROM label WHERE id=?"
        return [self.con.execute(find, (number,)).fetchone()[0] for number in numbers]

    def all_seqs(self) -> list[int]:
        """Give the numbers of all parts."""
        return [seq for (seq,) in self.con.execute("SELECT seq FROM part")]

    def older_than(self, agent: str, mtime_ns: int) -> int:
        """Count the transcripts on disk that an agent has not touched since a time."""
        row = self.con.execute(
            "SELECT count(*) FROM transcript WHERE agent=? AND gone IS NULL AND mtime < ?", (agent, mtime_ns)
        ).fetchone()
        return int(row[0])

    def label(self, number: int) -> str:
        """Give a name by its number; empty when there is none."""
        row = self.con.execute("SELECT value FROM label WHERE id=?", (number,)).fetchone()
        return row[0] if row else ""

    def labels_named(self, kind: str, base: str) -> dict[int, str]:
        """Give the names of a kind whose last part is `base` (in small letters), by number; an index finds them."""
        rows = self.con.execute("SELECT id, value FROM label WHERE base=? AND kind=?", (base, kind))
        return dict(rows.fetchall())

    # -- totals --------------------------------------------------------------------------------------------------

    def meta(self, key: str) -> object:
        """Give one fact about the archive, or None."""
        row = self.con.execute("SELECT value FROM meta WHERE key=?", (key,)).fetchone()
        return row[0] if row else None

    def coverage(self) -> Coverage:
        """Give the totals; nothing is counted, they are kept as rows are written."""
        kept = dict(self.con.execute("SELECT key, value FROM meta").fetchall())
        return Coverage(
            int(kept.get("total_transcripts", 0)),
            int(kept.get("total_messages", 0)),
            int(kept.get("total_problems", 0)),
            max(int(kept.get("pending", 0)), self._unread()),
            kept.get("last_full_pass"),
        )

    def _unread(self) -> int:
        # What could not be read is tried again each time, but is no news that waits to be read.
        return int(
            self.con.execute(
                "SELECT count(*) FROM transcript WHERE size = -1 AND NOT EXISTS(SELECT 1 FROM problem"
                " WHERE transcript = transcript.id AND kind = ?)",
                (UNREADABLE,),
            ).fetchone()[0]
        )

    def problems(self, limit: int = 1000) -> list[tuple[str, int, str, str]]:
        """List what could not be read: path, offset, kind, detail; the newest transcripts first."""
        return self.con.execute(
            "SELECT path, pos, kind, detail FROM problem JOIN transcript ON transcript.id = transcript"
            " ORDER BY mtime DESC, pos LIMIT ?",
            (limit,),
        ).fetchall()

    def problem_kinds(self) -> dict[str, int]:
        """Count the problems by kind."""
        return dict(self.con.execute("SELECT kind, count(*) FROM problem GROUP BY kind ORDER BY 2 DESC").fetchall())

    def forgotten(self, kind: str) -> set[int]:
        """Give the hashes of what was forgotten: `erasing.MESSAGE`, `SESSION` or `TITLE`."""
        return tombs(self.con, kind)

    def exclusions(self) -> dict[str, str]:
        """Give the patterns of projects that are `excluded` or `sealed`."""
        if version(self.con) < WITH_TOMBSTONES:
            return {}
        return dict(self.con.execute("SELECT pattern, kind FROM exclusion ORDER BY pattern").fetchall())

    def passed_over(self) -> list[Transcript]:
        """Give the transcripts that are not read, because their project is excluded."""
        rows = self.con.execute(
            "SELECT transcript.agent, path, native, size, mtime, inode FROM transcript JOIN session"
            " ON session.id = session WHERE fingerprint=?",
            (EXCLUDED,),
        )
        return [Transcript(*row) for row in rows]

    def masked(self) -> dict[str, int]:
        """Count the secrets that were masked, by kind."""
        if version(self.con) < WITH_TOMBSTONES:
            return {}
        return dict(self.con.execute("SELECT kind, sum(number) FROM masked GROUP BY kind ORDER BY 2 DESC").fetchall())

    def by_agent(self) -> list[tuple[str, int, int, int, int | None]]:
        """Give for each agent: transcripts, messages, transcripts gone, time of the newest session."""
        return self.con.execute(
            "SELECT transcript.agent, count(*), sum(transcript.messages), count(CASE WHEN gone IS NOT NULL AND NOT"
            " EXISTS(SELECT 1 FROM transcript moved WHERE moved.session = transcript.session AND moved.gone IS NULL)"
            " THEN 1 END), max(ended) FROM transcript"
            " JOIN session ON session.id = session GROUP BY transcript.agent ORDER BY 1"
        ).fetchall()

    def totals(self) -> dict[str, tuple[int, int]]:
        """Give for each agent: sessions, and records that could not be read as they stand."""
        sessions = self.con.execute(
            "SELECT agent, count(*) FROM session WHERE started IS NOT NULL GROUP BY agent"
        ).fetchall()
        problems = dict(
            self.con.execute(
                "SELECT agent, count(*) FROM problem JOIN transcript ON transcript.id = transcript GROUP BY agent"
            ).fetchall()
        )
        return {agent: (number, problems.get(agent, 0)) for agent, number in sessions}

    # -- transcripts -----------------------------------------------------------------------------------------------

    def known(self, agent: str) -> dict[str, Known]:
        """Give what was last seen of every transcript of an agent, by path."""
        rows = self.con.execute(
            "SELECT agent, path, size, mtime, inode, parser, gone IS NOT NULL FROM transcript WHERE agent=?", (agent,)
        )
        return {row[1]: Known._make((*row[:-1], bool(row[-1]))) for row in rows}

    def known_at(self, paths: Sequence[str]) -> dict[str, Known]:
        """Give what was last seen of these transcripts."""
        found: dict[str, Known] = {}
        for path in paths:
            for row in self.con.execute(
                "SELECT agent, path, size, mtime, inode, parser, gone IS NOT NULL FROM transcript WHERE path=?", (path,)
            ):
                found[path] = Known._make((*row[:-1], bool(row[-1])))
        return found

    def most_recent(self, limit: int) -> list[tuple[str, int, int, int]]:
        """Give path, size, mtime and inode of the transcripts changed last; an index holds all four."""
        return self.con.execute(
            "SELECT path, size, mtime, inode FROM transcript WHERE gone IS NULL ORDER BY mtime DESC LIMIT ?", (limit,)
        ).fetchall()

    def folders(self) -> list[tuple[str, str, int]]:
        """Give path, agent and mtime of the folders in which transcripts appear."""
        return self.con.execute("SELECT path, agent, mtime FROM folder").fetchall()

    def transcript(self, path: str) -> Transcript | None:
        """Give a known transcript as its source named it."""
        row = self.con.execute(
            "SELECT transcript.agent, path, native, size, mtime, inode FROM transcript JOIN session"
            " ON session.id = session WHERE path=?",
            (path,),
        ).fetchone()
        return Transcript(*row) if row else None

    def others_of(self, agent: str, native: str, path: str) -> list[str]:
        """Give the paths of a session's transcripts besides `path`."""
        rows = self.con.execute(
            "SELECT path FROM transcript JOIN session ON session.id = session"
            " WHERE session.agent=? AND native=? AND path!=? AND fingerprint!=''",
            (agent, native, path),
        )
        return [row[0] for row in rows]

    def checkpoint(self, path: str) -> Checkpoint | None:
        """Give where reading a transcript stopped; None when it was not read yet."""
        row = self.con.execute("SELECT offset, fingerprint, state FROM transcript WHERE path=?", (path,)).fetchone()
        return Checkpoint(*row) if row and row[1] else None


def _same_chars(one: str, other: str) -> int:
    number = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        number += 1
    return number


def _some(ids: list[str]) -> str:
    more = len(ids) - _NAMED_AT_MOST
    return ", ".join(ids[:_NAMED_AT_MOST]) + (f" and {more} more" if more > 0 else "")


def _key(message: str) -> int:
    wide = key_range(message)
    assert wide is not None
    return wide[0]
