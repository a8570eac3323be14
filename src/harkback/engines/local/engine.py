"""The local engine: rows in SQLite (the truth), words in Tantivy (derived), both in one folder."""

from __future__ import annotations

import os
from itertools import takewhile

from harkback import errors
from harkback._record import NamedTuple
from harkback.engines.local import words
from harkback.engines.local.erasing import MUST_REBUILD, Erased, erase
from harkback.engines.local.finding import (
    POOL,
    Asked,
    Found,
    Request,
    all_seqs,
    described,
    find,
    session_counts,
)
from harkback.engines.local.labels import base_name
from harkback.engines.local.pending import add_rows, facts_above, is_behind, watermark
from harkback.engines.local.reading import Rows
from harkback.engines.local.schema import FILE, connect, guarded, is_laid_out, transaction, undamaged
from harkback.engines.local.words import Words
from harkback.model import LANES, MAIN_LANES, MEMORY, ROLES, TALK, TITLE
from harkback.query import EVERY_LANE, Filter
from harkback.terms import needs, whole_phrase

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Sequence
    from typing import Any

    import tantivy

    from harkback.engines.local.writing import Writing
    from harkback.query import Query
    from harkback.rank import Candidate
    from harkback.terms import Atom, Need

ANALYSER = 1
"""Raised when tokens change: an index of another analyser still answers and is made anew at the next sync."""

TAIL_PARTS = 3000
"""At most so many parts that the index does not hold yet are searched by a small index in memory."""

MOST_FILTERED = 200_000
"""Of what passes a filter at most so many parts, the newest, are compared one by one."""

MOST_NAMES = 5000
"""A filter that fits more names than this uses the first ones."""


class Search(NamedTuple):
    """What a front door wants found; names as a person writes them."""

    query: Query
    lanes: tuple[int, ...] = MAIN_LANES
    limit: int = 10
    newest: bool = False
    substring: bool = False
    exclude_sessions: tuple[int, ...] = ()
    exclude_projects: tuple[int, ...] = ()
    pool: int = POOL
    is_wide: bool = False
    needs: tuple[Need, ...] = ()
    """In place of the query's own needs, where they are not empty."""


class Asking(NamedTuple):
    """A question as vectors of one model, a row for each wording."""

    model: str
    vectors: Any
    scripts: tuple[int, ...]


class SessionScore(NamedTuple):
    """How often a session as a whole speaks of the query's words."""

    session: int
    hits: tuple[int, ...]
    """For each word of the query, in how many of the session's parts it stands."""


class LocalEngine:
    """One archive in one folder. Reading takes no lock and never waits."""

    def __init__(self, folder: str, con: sqlite3.Connection, index: Words | None, mark: int) -> None:
        """Use `open`."""
        self.folder = folder
        self.con = con
        self.index = index
        self.rows = Rows(con)
        self.mark = mark
        """The last part that the index surely holds: read before the index was opened."""

    @classmethod
    def open(cls, folder: str, *, write: bool = False, snapshot: bool = False) -> LocalEngine | None:
        """Open the archive in a folder; None when there is none and none is to be made.

        With `snapshot` the rows stay as they are until it is closed, whatever others write: what the index names must
        not be replaced before it is read. Not for long, since the write-ahead log cannot be emptied meanwhile.
        Raises ArchiveUnreadable, ArchiveDamaged, ArchiveReadOnly, ArchiveTooNew, WordsMissing, DiskFull.
        """
        if not write and not cls.exists(folder):
            return None
        con = connect(folder, write=write)
        if not write and not is_laid_out(con):
            con.close()  # just being made by another process
            return None
        try:
            if snapshot:
                con.execute("BEGIN")
            mark = watermark(con)
            index = _open_words(folder, con, write=write)
        except BaseException:
            con.close()
            raise
        return cls(folder, con, index, mark)

    @staticmethod
    def exists(folder: str) -> bool:
        """Whether a folder holds an archive. Raises ArchiveUnreadable where that cannot be told."""
        try:
            os.stat(os.path.join(folder, FILE))
        except FileNotFoundError:
            if os.path.islink(folder) and not os.path.exists(folder):
                raise errors.ArchiveUnreadable(folder, f"a link to {os.readlink(folder)}, which is not there") from None
            return False
        except OSError as error:
            raise errors.ArchiveUnreadable(folder, error.strerror or error) from error
        return True

    def close(self) -> None:
        """Let go of the files."""
        self.con.close()
        self.index = None

    def writing(self, *, small: bool, threads: int = 1) -> Writing:
        """Begin to write (the engine must be opened for writing); see `Writing`."""
        from harkback.engines.local.writing import Writing

        assert self.index is not None
        return Writing(self.con, self.index, self.folder, small=small, threads=threads)

    # -- finding -----------------------------------------------------------------------------------------------

    def find(self, search: Search) -> Found:
        """Find candidates in the index and in the rows that it does not hold yet."""
        with words.sound(self.folder):
            request = self._request(search)
            found = [find(searcher, asked) for searcher, asked in self._bounded(request)]
        if len(found) == 1:
            return found[0]
        counts: dict[int, int] = {}
        for one in found:
            for lane, number in one.lane_counts.items():
                counts[lane] = counts.get(lane, 0) + number
        return Found(
            tuple(c for one in found for c in one.candidates), tuple(c for one in found for c in one.elsewhere), counts
        )

    def find_near(self, search: Search, asked: Asking, most: int) -> list[Candidate]:
        """Find the parts nearest in meaning that pass the filters, the nearest first; `asked` is the question.

        A filter leaves something wherever something passes it: if too little of the nearest does, all that passes is
        looked at. Raises VectorsDamaged.
        """
        from harkback.engines.local.vectors import VectorSet, vectors_in

        request = self._request(search)
        with vectors_in(self.folder) as con:
            if con is None:
                return []
            kept = VectorSet(con, self.folder, asked.model)
            near = {one.seq: one.cosine for one in kept.nearest(asked.vectors, asked.scripts, POOL)}
            found = self._passing(request, near)
            if len(found) < search.limit and kept.count > POOL:
                among = self._all_passing(request)
                near = {one.seq: one.cosine for one in kept.nearest(asked.vectors, asked.scripts, POOL, among=among)}
                found = self._passing(request, near)
            return found[:most]

    def cosines(self, asked: Asking, seqs: Sequence[int]) -> dict[int, float]:
        """Say how near in meaning some parts are to a question; those without a vector are left out.

        Raises VectorsDamaged.
        """
        from harkback.engines.local.vectors import VectorSet, vectors_in

        with vectors_in(self.folder) as con:
            if con is None:
                return {}
            return VectorSet(con, self.folder, asked.model).cosines(asked.vectors, asked.scripts, seqs)

    def _passing(self, request: Request, near: dict[int, float]) -> list[Candidate]:
        found: dict[int, Candidate] = {}
        with undamaged(self.folder):  # rows that are no vectors may be read for it
            for searcher, bounded in self._bounded(request):
                for one in described(searcher, bounded, list(near)):
                    found[one.seq] = one._replace(meaning=near[one.seq])
        return sorted(found.values(), key=lambda one: -(one.meaning or 0.0))

    def _all_passing(self, request: Request) -> list[int]:
        with undamaged(self.folder):
            bounded = self._bounded(request)
            return [seq for searcher, asked in bounded for seq in all_seqs(searcher, asked, MOST_FILTERED)]

    def session_scores(self, search: Search, most: int) -> list[SessionScore]:
        """Count for every word of the query in how many parts of each session it stands; the `most` sessions."""
        with words.sound(self.folder):
            return self._session_scores(search, most)

    def _session_scores(self, search: Search, most: int) -> list[SessionScore]:
        request = self._request(search)
        totals: dict[int, list[int]] = {}
        atoms: list[tuple[Atom, float]] = []
        for searcher, bounded in self._bounded(request):
            asked = Asked(searcher, bounded)
            atoms = atoms or asked.loose()
            for number, (atom, _) in enumerate(atoms):
                query = words.without(
                    words.filtered(asked.atom(atom), [*bounded.filters, words.lanes((TALK, TITLE, MEMORY))]),
                    request.excluded,
                )
                for session, count in session_counts(searcher, query, most).items():
                    totals.setdefault(session, [0] * len(atoms))[number] += count
        return [SessionScore(session, tuple(hits)) for session, hits in totals.items()]

    def _searchers(self) -> list[tantivy.Searcher]:
        found = [] if self.index is None else [self.index.searcher()]
        tail = self._tail()
        return found if tail is None else [*found, tail.searcher()]

    def _bounded(self, request: Request) -> list[tuple[tantivy.Searcher, Request]]:
        """Pair every index with the request; where a tail is searched too, no row may count twice."""
        searchers = self._searchers()
        if self.index is None or len(searchers) == 1:
            return [(searcher, request) for searcher in searchers]
        indexed = words.between("seq", None, self.mark + 1)
        return [(searchers[0], request._replace(filters=(*request.filters, indexed))), (searchers[1], request)]

    def _tail(self) -> Words | None:
        """Index in memory what was stored but not indexed yet (another process is at it, or was killed)."""
        pending = list(facts_above(self.con, self.mark if self.index is not None else 0, TAIL_PARTS))
        if not pending:
            return None
        from harkback.text.tokens import token_string

        tail = Words.in_memory()
        tail.can_write(heap_bytes=15_000_000)
        tail.add([fact for fact, _ in pending], [token_string(text) for _, text in pending])
        tail.commit()
        tail.close(merge=False)
        return tail

    def _request(self, search: Search) -> Request:
        wanted = search.needs or needs(search.query)
        lanes = search.lanes
        filters: list[tantivy.Query] = []
        has_words = any(not need.negated for need in wanted)
        for one in search.query.filters:
            if one.field == "in":
                is_all = EVERY_LANE in one.values
                named = tuple(lane for lane, name in enumerate(LANES) if is_all or name in one.values)
                lanes = tuple(x for x in lanes if x not in named) if one.negated else named
                continue
            query = self._filter(one, session_wide=has_words)
            filters.append(words.without(words.everything(), [query]) if one.negated else query)
        sealed = [words.numbers("project", search.exclude_projects)] if search.exclude_projects else []
        excluded = sealed + [
            self._session_but_shared(number, search.exclude_sessions) for number in search.exclude_sessions
        ]
        return Request(
            wanted,
            whole_phrase(search.query) if has_words else None,
            lanes,
            tuple(filters),
            tuple(excluded),
            search.limit,
            search.newest,
            search.substring,
            search.pool,
            search.is_wide,
        )

    def _session_but_shared(self, session: int, excluded: tuple[int, ...]) -> tantivy.Query:
        """What stands only in this session; a fork's copied past is still found in the session it came from."""
        mine = words.numbers("session", [session])
        shared = self.rows.copied_elsewhere(session, excluded)
        return words.without(mine, [words.numbers("seq", shared)]) if shared else mine

    def _filter(self, one: Filter, *, session_wide: bool) -> tantivy.Query:
        field = one.field
        if field in {"since", "until"}:
            return words.between("time", one.since_ms, one.until_ms)
        if field == "role":
            return words.numbers("role", [ROLES.index(value) for value in one.values])
        if field == "session":
            return words.union([self._in_session(value) for value in one.values])
        numbers = self._named(field, one.values)[:MOST_NAMES]
        query = words.numbers(field, numbers)
        if field in {"project", "branch"}:
            branches = [self.rows.label(number) for number in numbers] if field == "branch" else []
            sessions = self.rows.sessions_of(numbers if field == "project" else (), branches)
            return self._with_copies_in(query, sessions)
        # With words, a file names the sessions that touched it; alone, the calls that did.
        return self._sessions_with(query) if field == "file" and session_wide else query

    def _named(self, kind: str, values: Sequence[str]) -> list[int]:
        """Numbers of the names that are, or failing that hold, one of the values, whatever their case."""
        numbers: list[int] = []
        for value in values:
            named = self.rows.labels_named(kind, base_name(value))
            same = [number for number, name in named.items() if _is_name(kind, name, value)]
            numbers += same or list(self.rows.labels(kind, value))
        return numbers

    def projects(self, values: Sequence[str]) -> list[int]:
        """Numbers of the projects that a value names: by path, by last folder, or by a piece of the path."""
        return self._named("project", values)

    def agents(self, values: Sequence[str]) -> list[str]:
        """Names of the agents that a value names: in full or by the first word (`claude`)."""
        known = self.rows.labels("agent")
        return [known[number] for number in self._named("agent", values)]

    def _in_session(self, value: str) -> tantivy.Query:
        session = self.rows.find_session(value).number
        own = words.numbers("session", [session])
        copied = self.rows.copied_into(session)
        return words.union([own, words.numbers("seq", copied)]) if copied else own

    def _sessions_with(self, query: tantivy.Query) -> tantivy.Query:
        sessions: set[int] = set()
        for searcher in self._searchers():
            sessions.update(session_counts(searcher, query, 10_000))
        return self._with_copies_in(words.numbers("session", sorted(sessions)), sessions)

    def _with_copies_in(self, own: tantivy.Query, sessions: set[int]) -> tantivy.Query:
        """Add what stands in these sessions only as copies of others' messages."""
        copied = [seq for session in sessions & self.rows.with_copies() for seq in self.rows.copied_into(session)]
        return words.union([own, words.numbers("seq", copied)]) if copied else own

    # -- the index -----------------------------------------------------------------------------------------------

    @property
    def words_are_current(self) -> bool:
        """Whether the index was made by this program's analyser, and holds nothing that was forgotten."""
        if self.rows.meta(MUST_REBUILD):
            return False
        return self.index is not None and f"words-{_mark()}-" in self.index.folder

    @property
    def is_settled(self) -> bool:
        """Whether nothing is left to be mended after a kill."""
        return self.index is not None and not is_behind(self.con)

    def sweep(self) -> None:
        """Remove the indexes that interrupted rebuilds left. Only while no other process can be rebuilding."""
        for name in os.listdir(self.folder):
            if name.startswith("words-") and self.index is not None and name != os.path.basename(self.index.folder):
                words.remove_folder(os.path.join(self.folder, name))

    @property
    def segments(self) -> int:
        """How many segments the index has."""
        return self.index.searcher().num_segments if self.index is not None else 0

    def forget(
        self, messages: set[int], sessions: set[int], *, leave_tombs: bool = True, rebuild: bool = True
    ) -> Erased:
        """Forget messages and sessions for good, and make the word index anew without them.

        Without `rebuild` nothing of them is found any more, but the next sync makes the index anew.
        """
        with guarded(self.folder):
            with transaction(self.con) as con:
                erased = erase(con, messages, sessions, leave_tombs=leave_tombs)
            if rebuild:
                self.rebuild()
            else:
                with self.writing(small=True):
                    pass  # tells the index what it must drop
            self.con.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return erased

    def redact(self) -> dict[str, int]:
        """Mask the secrets that older rules let through, and make the word index anew; gives their number by kind."""
        from harkback.engines.local.checking import mask_stored

        with guarded(self.folder):
            with transaction(self.con) as con:
                found = mask_stored(con)
                if found:
                    con.execute("INSERT OR REPLACE INTO meta VALUES(?, 1)", (MUST_REBUILD,))
            if found:
                self.rebuild()
                self.con.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return found

    def mend(self) -> None:
        """Mend what does not agree in the rows; what the transcripts tell must be read again afterwards."""
        from harkback.engines.local.mending import mend

        with guarded(self.folder), transaction(self.con) as con:
            mend(con)

    def rebuild(self, progress: Callable[[int], None] = lambda _: None) -> int:
        """Make the word index again from the rows, beside the old one, and swap; gives the number of parts.

        The old index answers meanwhile. Rows stored meanwhile are taken in by the next writer.
        """
        folder = _fresh_folder(self.folder)
        try:
            with guarded(self.folder):
                fresh, high, done = self._build(folder, progress)
                self._swap(fresh, high)
        except BaseException:
            words.remove_folder(folder)
            raise
        progress(done)
        return done

    def _build(self, folder: str, progress: Callable[[int], None]) -> tuple[Words, int, int]:
        fresh = Words.create(folder)
        high = self.con.execute("SELECT ifnull(max(seq), 0) FROM part").fetchone()[0]
        fresh.can_write(heap_bytes=200_000_000, threads=2)
        done = add_rows(fresh, takewhile(lambda row: row[0].seq <= high, facts_above(self.con, 0)), progress)
        fresh.commit()
        fresh.close(merge=True)
        return fresh, high, done

    def _swap(self, fresh: Words, high: int) -> None:
        old = self.index
        with transaction(self.con) as con:
            con.execute("INSERT OR REPLACE INTO meta VALUES('words', ?)", (os.path.basename(fresh.folder),))
            con.execute("INSERT OR REPLACE INTO meta VALUES('indexed', ?)", (high,))
            con.execute("DELETE FROM dead WHERE seq <= ?", (high,))
            con.execute("DELETE FROM meta WHERE key=?", (MUST_REBUILD,))
        self.index = Words.open_folder(fresh.folder)
        if old is not None and old.folder != fresh.folder:
            words.remove_folder(old.folder)


def _is_name(kind: str, name: str, value: str) -> bool:
    name, value = name.lower().replace("\\", "/"), value.lower().replace("\\", "/").rstrip("/")
    if name == value:
        return True
    return kind in {"project", "file"} and name.endswith("/" + value)


def _mark() -> str:
    return f"{words.SCHEMA_VERSION}.{ANALYSER}"


def _fresh_folder(folder: str) -> str:
    number = 1
    while os.path.exists(path := os.path.join(folder, f"words-{_mark()}-{number}")):
        number += 1
    return path


def _open_words(folder: str, con: sqlite3.Connection, *, write: bool) -> Words | None:
    row = con.execute("SELECT value FROM meta WHERE key='words'").fetchone()
    problem = "it was never made"
    if row is not None and not str(row[0]).startswith(f"words-{words.SCHEMA_VERSION}."):
        problem = "another version of this program made it"
    elif row is not None:
        try:
            return Words.open_folder(os.path.join(folder, str(row[0])))
        except (ValueError, OSError) as error:
            problem = str(error).splitlines()[0][:160]
            if "Permission" in problem or "Read-only" in problem or "Lockfile" in problem:
                # Opening the index makes a lock file, even to read.
                raise errors.ArchiveReadOnly(folder, "no permission to write in it") from error
    if not write:
        if row is None:
            return None
        raise errors.WordsMissing(folder, problem)
    # Nothing is lost: whoever writes first takes every row in again.
    fresh = Words.create(_fresh_folder(folder))
    with transaction(con):
        con.execute("INSERT OR REPLACE INTO meta VALUES('words', ?)", (os.path.basename(fresh.folder),))
        con.execute("INSERT OR REPLACE INTO meta VALUES('indexed', 0)")
    return fresh
