"""The half of the archive that is about past sessions: search, show, list, sync, status."""

from __future__ import annotations

import os
from time import monotonic

from harkback import errors, rank
from harkback.agents import asking_sessions, retention
from harkback.archive import hook_failures, upkeep
from harkback.archive.answers import (
    AgentCoverage,
    Answer,
    CaughtUp,
    Checked,
    Excluding,
    Leaving,
    MessageView,
    Overview,
    ProblemAt,
    SessionView,
    SourceView,
    Status,
)
from harkback.archive.remembered import is_of_memories, remembered
from harkback.config import DEFAULTS
from harkback.engines.local import (
    FOREVER_S,
    POOL,
    LocalEngine,
    Search,
    base_name,
    guarded,
    locked,
    prepare_folder,
    undamaged,
    vector_files,
)
from harkback.engines.local.memories import MemoryStore
from harkback.ingest.changes import Changes, Report, all_changes, hot_changes, is_text
from harkback.ingest.excluded import Excluded, sealed_projects
from harkback.ingest.projects import project_of
from harkback.model import CALLS, LANES, MAIN_LANES, TALK, Bounds, Coverage, StoredSession
from harkback.query import parse
from harkback.search.answer import Found, Looking
from harkback.sources import SOURCES, source
from harkback.terms import PAIR, UNBROKEN_CHARS, needs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from harkback.archive.events import Events
    from harkback.archive.keeping import Doomed, Fitting
    from harkback.archive.replica import Shared
    from harkback.archive.vectors import Coverage as VectorCoverage
    from harkback.config import Place, Settings
    from harkback.engines.local import Asking
    from harkback.engines.local.checking import Fault
    from harkback.engines.local.erasing import Erased
    from harkback.ingest.reading import Progress, Reader
    from harkback.memory.recall import Recalled
    from harkback.models.embedders import Embedders
    from harkback.query import Query

EMPTY_QUERY = "The query is empty. Say what to look for, or use a filter such as file:nginx.conf or since:7d."
ALL_EXCLUDED = (
    "Every project is excluded, so nothing was read. `hark exclude list` shows the patterns; a file .harkignore in a"
    " folder excludes it too."
)
ALL_SEALED = "Every project is sealed, and found only from inside itself. `hark exclude list` shows the patterns."
ONLY_SIGNS = "The query holds only signs that are not indexed. Add a word that stands near them."

UNNAMED = "path-not-utf-8"
"""The kind of problem with a transcript that cannot be read because of its name or its folder's."""

LOCK_WAIT_S = 0.1
"""A search waits so long for another process that is just storing something."""

FULL_PASS_EVERY_MS = 60_000

DAY_MS = 86_400_000
SOON_DAYS = 7
"""`status` counts the transcripts that their agent will delete within so many days."""


def _folder_bytes(folder: str) -> int:
    return sum(
        os.stat(path).st_size
        for base, _, names in os.walk(folder)
        for name in names
        if os.path.exists(path := os.path.join(base, name))
    )


def _masked(record: bytes) -> bytes:
    """Mask secrets in a record; one without any stays as it is, byte for byte."""
    import json

    from harkback.redact import masker

    try:
        value, found = masker().mask_all(json.loads(record))
    except (ValueError, RecursionError):  # a damaged one, or one too deep
        text, found = masker().mask(record.decode("utf-8", "replace"))
        return text.encode() if found else record
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace") if found else record


__all__ = ["Archive", "undamaged"]


class Archive:
    """One person's archive; every method opens what it needs and closes it again."""

    def __init__(
        self, place: Place, env: Mapping[str, str], now_ms: int, cwd: str, settings: Settings = DEFAULTS
    ) -> None:
        """`env` is where agents' folders and the asking session are looked up; nothing else is read from it."""
        self.place = place
        self.env = env
        self.now_ms = now_ms
        self.cwd = cwd
        self.settings = settings
        self._embedders: Embedders | None = None

    @property
    def embedders(self) -> Embedders:
        """The embedders that were set, for both halves."""
        if self._embedders is None:
            from harkback.archive.embedding import embedders_of

            self._embedders = embedders_of(self.settings, self.env)
        return self._embedders

    # -- search --------------------------------------------------------------------------------------------------

    def search(
        self,
        query: Query,
        *,
        limit: int = 10,
        context: int = 0,
        lanes: tuple[int, ...] = MAIN_LANES,
        newest: bool = False,
        by_session: bool = False,
        substring: bool = False,
        sync: bool = True,
        exclude: Sequence[str] = (),
        include_current: bool = False,
        meaning: bool = False,
    ) -> Answer:
        """Find what was said. With `sync` what is new is read first, for `search.catch_up_s` at most.

        Raises NotFound, TooShort or Ambiguous for a session id that fits none or several.
        """
        caught_up = self._catch_up() if sync else None
        if caught_up is not None and caught_up.note:
            query = query._replace(notes=(*query.notes, caught_up.note))
        is_bare = not any(one.field != "in" for one in query.filters) and not is_of_memories(query)
        if is_bare and not any(not need.negated for need in needs(query)):
            return self._answer_nothing(query, EMPTY_QUERY if not query.clauses else ONLY_SIGNS)
        engine = LocalEngine.open(self.place.data, snapshot=True)
        if engine is None:
            nothing = Coverage(0, 0, 0, 0, None)
            query, told = self._remembered(query, lanes, limit, meaning=meaning)
            hint = "" if told else self._hint_nothing(sync)
            return Answer(query, Found(rank.NONE, (), {}, 0), nothing, (), frozenset(), hint, False, told)
        try:
            asking = [] if include_current else self._asking(engine)
            left_out = tuple({one.number: one for one in [*self._excluded(engine, exclude), *asking]}.values())
            excluded = tuple(one.number for one in left_out)
            # Ranking drops some: of what is one message, of what is too much of one session.
            sealed = tuple(self._sealed(engine))
            query, told = (query, ()) if by_session else self._remembered(query, lanes, limit, meaning=meaning)
            wanted = Search(query, lanes, limit, newest, substring, excluded, sealed, max(POOL, 2 * limit))
            looking = Looking(engine, wanted, self.now_ms, self._project(engine), context)
            found, trouble = self._found(looking, by_session=by_session, meaning=meaning)
            coverage = engine.rows.coverage()
            if caught_up is not None:
                coverage = coverage._replace(pending=caught_up.pending)
            hint = "" if found.hits or told else self._why_nothing(engine, wanted, coverage, asking)
            asked_by = frozenset(one.id for one in asking)
            is_due = self._is_due(coverage) or not engine.words_are_current
            return Answer(query, found, coverage, left_out, asked_by, hint, is_due, told, trouble)
        finally:
            engine.close()

    def _remembered(
        self, query: Query, lanes: tuple[int, ...], limit: int, *, meaning: bool = False
    ) -> tuple[Query, tuple[Recalled, ...]]:
        """Find what was remembered; where that cannot be read, the query's notes say so beside the sessions' answer."""
        try:
            return query, remembered(self, query, lanes, limit, meaning=meaning)
        except errors.MemoriesDamaged as error:
            if is_of_memories(query):
                raise
            return query._replace(notes=(*query.notes, str(error))), ()

    def _found(self, looking: Looking, *, by_session: bool, meaning: bool) -> tuple[Found, str]:
        """Find by words, and by meaning where that is wanted; with what kept meaning from being looked at."""
        trouble = ""
        try:
            near = self._asking_near(looking.search.query) if meaning else None
            if near is not None:
                return looking.sessions(near) if by_session else looking.by_meaning(near), ""
        except errors.MeaningFailed as error:
            trouble = str(error)
        return looking.sessions(None) if by_session else looking.messages(), trouble

    def _asking_near(self, query: Query) -> Asking | None:
        """Give the vectors of the words of a query; None where it has none. Raises MeaningFailed."""
        words = [word.text for clause in query.clauses if not clause.negated for word in clause.words]
        if not words:
            return None
        from harkback.archive import vectors

        return vectors.asking(self.place.data, self.embedders, [" ".join(words)])

    def _answer_nothing(self, query: Query, hint: str) -> Answer:
        engine = LocalEngine.open(self.place.data)
        coverage = engine.rows.coverage() if engine is not None else Coverage(0, 0, 0, 0, None)
        if engine is not None:
            engine.close()
        return Answer(query, Found(rank.NONE, (), {}, 0), coverage, (), frozenset(), hint, full_pass_is_due=False)

    def _is_due(self, coverage: Coverage) -> bool:
        if coverage.pending:
            return True
        last = coverage.last_full_pass_ms
        return coverage.transcripts > self.settings.number("search.hot_transcripts") and (
            last is None or not 0 <= self.now_ms - last <= FULL_PASS_EVERY_MS
        )

    def _asking(self, engine: LocalEngine) -> list[StoredSession]:
        return [one for agent, native in asking_sessions(self.env) for one in engine.rows.asking(agent, native)]

    def _excluded(self, engine: LocalEngine, exclude: Sequence[str]) -> list[StoredSession]:
        found: list[StoredSession] = []
        for text in exclude:
            try:
                found.append(engine.rows.find_session(text))
            except errors.NotFound:
                continue  # a session that is not here cannot be in the answer
        return found

    def _sealed(self, engine: LocalEngine) -> list[int]:
        """Give the projects that are found only from inside themselves, but for the one we are in."""
        patterns = [one for one, kind in engine.rows.exclusions().items() if kind == "sealed"]
        if not patterns:
            return []
        return sealed_projects(patterns, self.place.home, engine.rows.labels("project"), project_of(self.cwd))

    def _project(self, engine: LocalEngine) -> int | None:
        here = project_of(self.cwd)
        named = engine.rows.labels_named("project", base_name(here))
        return next((number for number, path in named.items() if path == here), None)

    def _hint_nothing(self, sync: bool) -> str:
        if sync:
            return (
                f"No agent transcripts were found under {self.place.home}. `hark demo` shows what a search looks like."
            )
        return "Nothing is indexed yet. Run `hark sync` first."

    def _why_nothing(self, engine: LocalEngine, wanted: Search, coverage: Coverage, asking: list[StoredSession]) -> str:
        """Say whether it is absent, filtered out, or perhaps not read yet, and what to try."""
        if coverage.pending:
            left = "1 transcript is" if coverage.pending == 1 else f"{coverage.pending:,} transcripts are"
            return (
                f"Not found in what is indexed so far; {left} still to be read."
                " `hark sync` reads on and shows how far it is; then search again."
            )
        bare = wanted._replace(query=wanted.query._replace(filters=()), lanes=tuple(range(len(LANES))), limit=1)
        if not coverage.transcripts:
            return ALL_EXCLUDED if engine.rows.passed_over() else self._hint_nothing(sync=True)
        if wanted.exclude_projects and not engine.rows.sessions(
            hidden=wanted.exclude_projects, subagents=True, limit=1
        ):
            return ALL_SEALED
        filtered = self._why_filtered(engine, wanted, bare, asking)
        if filtered:
            return filtered
        halves = self._halves_found(engine, wanted)
        if halves:
            return f"It does not stand like that, but {' and '.join(halves)} does. Put a space between the words."
        more = "" if wanted.substring else ", or --substring for parts of words"
        return f"Not found in any session that was read. Try fewer or other words{more}."

    def _why_filtered(self, engine: LocalEngine, wanted: Search, bare: Search, asking: list[StoredSession]) -> str:
        names = ", ".join(sorted({one.field for one in wanted.query.filters}))
        if names and not wanted.query.clauses:
            return f"No message fits the filters ({names}). `hark sessions` and `hark status` show what there is."
        if names and engine.find(bare).candidates:
            return f"Something is found without the filters ({names}). Loosen them."
        if asking and engine.find(bare._replace(exclude_sessions=())).candidates:
            return "It stands only in the session that is asking, which is left out. --include-current searches it too."
        return ""

    def _halves_found(self, engine: LocalEngine, wanted: Search) -> list[str]:
        """Name the pieces of a short CJK word that are found where the whole is not: it is never broken unasked."""
        words = [word.text for clause in wanted.query.clauses for word in clause.words]
        if len(words) != 1 or words[0].isascii() or not PAIR < len(words[0]) <= UNBROKEN_CHARS:
            return []
        halves = [words[0][:2], words[0][2:]]
        return [half for half in halves if engine.find(Search(parse(half, self.now_ms), limit=1)).candidates]

    # -- reading what is new ---------------------------------------------------------------------------------------

    def _catch_up(self, *, full: bool = False) -> CaughtUp:
        """Read what is new within `search.catch_up_s`, with `full` after looking everywhere.

        Never waits for another sync; says what kept it from reading.
        """
        until = monotonic() + self.settings.seconds("search.catch_up_s")
        reader = self._open_for_reading()
        changes: Changes | None = None
        try:
            if not full and reader is not None and reader.rows.meta("last_full_pass") is not None:
                changes = hot_changes(
                    reader.rows, self.place.home, self.env, self.settings.number("search.hot_transcripts")
                )
            if changes is None:
                changes = all_changes(reader.rows if reader else None, self.place.home, self.env)
            kept = reader.rows.coverage().pending if reader is not None else 0
            is_settled = reader is None or reader.is_settled
        finally:
            if reader is not None:
                reader.close()
        if reader is None and not changes.changed:
            return CaughtUp(0)
        is_news = changes.changed or changes.gone or changes.folders or changes.marks or (changes.is_full and not kept)
        if not is_news and is_settled:
            return CaughtUp(kept if not changes.is_full else 0)
        try:
            report = self._read(changes, until=until, wait_s=LOCK_WAIT_S, forget=not full)
        except (errors.ArchiveReadOnly, errors.DiskFull, errors.LockDamaged) as error:
            if reader is None:
                raise
            # The answer from what is stored is worth more than the newest line; but it says so.
            return CaughtUp(len(changes.changed), str(error))
        if report is None:
            return CaughtUp(len(changes.changed))
        return CaughtUp(report.pending, report.forgotten_note)

    def _open_for_reading(self) -> LocalEngine | None:
        try:
            return LocalEngine.open(self.place.data)
        except errors.WordsMissing:
            engine = LocalEngine.open(self.place.data, write=True)  # makes the index anew from the rows
            assert engine is not None
            with engine.writing(small=False):
                pass
            engine.close()
            return LocalEngine.open(self.place.data)

    def _read(self, changes: Changes, *, until: float, wait_s: float, forget: bool) -> Report | None:
        """Read changes until a time; None when another process is reading for longer than `wait_s`."""
        with guarded(self.place.data), self._lock(wait_s) as is_ours:
            if not is_ours:
                return None
            engine = self._open_for_writing()
            try:
                reader = self._reader(engine, until)
                report = reader.read(changes)
                if not forget or not reader.has_met_excluded:
                    return report
                sessions, lost = self._forget_excluded(engine, reader.excluded)
                return report._replace(forgotten=len(sessions), lost=lost)
            finally:
                engine.close()

    def _reader(
        self, engine: LocalEngine, until: float | None, progress: Callable[[Progress], None] = lambda _: None
    ) -> Reader:
        from harkback.ingest.reading import Reader

        bounds = Bounds(self.settings.number("store.output_head"), self.settings.number("store.output_tail"))
        return Reader(engine, self.now_ms, self.place.home, self.env, until=until, progress=progress, bounds=bounds)

    def _open_for_writing(self) -> LocalEngine:
        engine = LocalEngine.open(self.place.data, write=True)
        assert engine is not None
        engine.sweep()
        return engine

    def _lock(self, wait_s: float, waiting: Callable[[], None] = lambda: None) -> locked:
        """Keep every other process from reading transcripts or rebuilding."""
        prepare_folder(self.place.data)
        return locked(self.place.data, wait_s=wait_s, waiting=waiting)

    def sync(
        self,
        *,
        full: bool = False,
        limit_s: float | None = None,
        progress: Callable[[Progress], None] = lambda _: None,
        waiting: Callable[[], None] = lambda: None,
    ) -> tuple[Report, Coverage]:
        """Read everything that is new; with `full` every transcript from its beginning. Waits for another sync.

        With `limit_s` it stops after that time, and does not wait at all.
        """
        until = None if limit_s is None else monotonic() + limit_s
        # Looking through the disk takes no lock: a search that finds news meanwhile need not wait for us.
        changes = self._all_changes(full=full)
        has_waited = False

        def wait() -> None:
            nonlocal has_waited
            has_waited = True
            waiting()

        wait_s = FOREVER_S if limit_s is None else 0.0
        with guarded(self.place.data), self._lock(wait_s, wait) as is_ours:
            if not is_ours:
                return Report(0, 0, 0, len(changes.changed), 0.0), Coverage(0, 0, 0, len(changes.changed), None)
            engine = self._open_for_writing()
            try:
                if full:
                    engine.mend()
                reader = self._reader(engine, until, progress)
                # Not beside a person's back: what is forgotten is said.
                sessions, lost = self._forget_excluded(engine, reader.excluded, waiting) if limit_s is None else ((), 0)
                is_due = limit_s is None and not full  # not beside a person's back either: it takes its time
                is_wanted = is_due and self._want_again(engine, reader.wanted_again())
                if has_waited or sessions or is_wanted:
                    changes = self._all_changes(full=full)
                if not engine.words_are_current:
                    engine.rebuild()
                    self._drop_vectors(engine, waiting)  # what a search forgot
                report = reader.read(changes, full=full)
                return report._replace(forgotten=len(sessions), lost=lost), engine.rows.coverage()
            finally:
                engine.close()

    def _want_again(self, engine: LocalEngine, paths: Sequence[str]) -> bool:
        if paths:
            with engine.writing(small=True) as writing:
                writing.want_again(paths)
        return bool(paths)

    def make_vectors(self, tell: Callable[[str], None] = lambda _: None, *, spent_s: float = 0.0) -> int:
        """Make vectors of what was said, for as long as was set; gives how many.

        `spent_s` of that time is gone already; `tell` is told of damaged ones, and of a server that was half named.
        Raises EmbedderFailed, VectorsDamaged, LockDamaged, ArchiveReadOnly, DiskFull.
        """
        if not self._has_embedder():
            why = self.embedders.missing()
            if isinstance(why, errors.EmbedderUnfinished):
                tell(str(why))
            return 0
        from harkback.archive import vectors

        limit_s = self.settings.seconds("meaning.sync_s") - spent_s
        return vectors.make_vectors(self.place.data, self.embedders, limit_s, tell)

    def holds_anything(self) -> bool:
        """Whether sessions or memories are here; nothing is opened."""
        return LocalEngine.exists(self.place.data) or MemoryStore.exists(self.place.data)

    def can_mean(self) -> bool:
        """Whether what was said can be found by its meaning."""
        return self._has_vectors() and self._has_embedder()

    def _has_embedder(self) -> bool:
        return bool(self.embedders.name)

    def _vector_coverage(self, engine: LocalEngine) -> VectorCoverage | None:
        if not self._has_embedder():
            return None
        from harkback.archive import vectors

        return vectors.coverage(engine, self.embedders.name)

    def _has_vectors(self) -> bool:
        """Whether there are any: only then numpy is imported."""
        return vector_files.there_are(self.place.data)

    def _vector_faults(self, engine: LocalEngine) -> list[Fault]:
        if not self._has_vectors():
            return []
        from harkback.archive import vectors

        return vectors.faults(engine)

    def _drop_vectors(self, engine: LocalEngine, waiting: Callable[[], None]) -> None:
        if self._has_vectors():
            from harkback.archive import vectors

            vectors.drop_gone(engine, waiting)

    def _throw_vectors_away(self, waiting: Callable[[], None]) -> None:
        if self._has_vectors():
            from harkback.archive import vectors

            vectors.throw_away(self.place.data, waiting)

    def _all_changes(self, *, full: bool) -> Changes:
        engine = self._open_for_reading()
        try:
            rows = engine.rows if engine is not None else None
            return all_changes(rows, self.place.home, self.env, everything=full)
        finally:
            if engine is not None:
                engine.close()

    def _need(self) -> LocalEngine:
        engine = LocalEngine.open(self.place.data)
        if engine is None:
            raise errors.NothingYet(self.place.data)
        return engine

    def rebuild(
        self, progress: Callable[[int], None] = lambda _: None, waiting: Callable[[], None] = lambda: None
    ) -> int:
        """Make the word index again from the rows; gives the number of parts. Waits for a sync that is running."""
        number = 0
        if LocalEngine.exists(self.place.data):
            with guarded(self.place.data), self._lock(FOREVER_S, waiting):
                engine = self._open_for_writing()
                try:
                    number = engine.rebuild(progress)
                finally:
                    engine.close()
        elif not MemoryStore.exists(self.place.data):
            raise errors.NothingYet(self.place.data)
        upkeep.rebuild(self.place.data)
        self._throw_vectors_away(waiting)
        return number

    def doomed(
        self,
        *,
        ids: Sequence[str] = (),
        sessions: Sequence[str] = (),
        projects: Sequence[str] = (),
        before_ms: int | None = None,
        match: Query | None = None,
    ) -> Doomed:
        """Find what would be forgotten, and change nothing.

        Raises NothingYet, NotFound, TooShort, Ambiguous, NothingNamed, NothingToMatch.
        """
        from harkback.archive.keeping import find_doomed

        engine = self._need()
        try:
            return find_doomed(engine, ids, sessions, projects, before_ms, match)
        finally:
            engine.close()

    def forget(self, doomed: Doomed, waiting: Callable[[], None] = lambda: None) -> Erased:
        """Forget messages and sessions for good, with one new word index; a later sync does not bring them back.

        Transcripts are their agents' and stay, but for those of whole conversations of `hark chat`, which are ours.
        """
        from harkback.sources import hark_chat

        with guarded(self.place.data), self._lock(FOREVER_S, waiting):
            engine = self._open_for_writing()
            try:
                erased = engine.forget(set(doomed.messages), {one.number for one in doomed.sessions})
                self._drop_vectors(engine, waiting)
                hark_chat.delete([one.path for one in doomed.sessions if one.agent == hark_chat.NAME], self.place.data)
                return erased
            finally:
                engine.close()

    def check(self, *, secrets: bool = False) -> Checked:
        """Prove that rows, totals, checkpoints and the word index agree; with `secrets` look for those instead."""
        from harkback.engines.local import checking

        told = upkeep.secrets(self.place.data) if secrets else {}
        faults = () if secrets else upkeep.faults(self.place.data)
        engine = LocalEngine.open(self.place.data)
        if engine is None:
            if not MemoryStore.exists(self.place.data):
                raise errors.NothingYet(self.place.data)
            return Checked(faults, told, {})
        try:
            problems = engine.rows.problem_kinds()
            if secrets:
                return Checked((), upkeep.joined(checking.secrets(engine.con), told), problems)
            return Checked((*checking.faults(engine), *self._vector_faults(engine), *faults), {}, problems)
        finally:
            engine.close()

    def redact(self, waiting: Callable[[], None] = lambda: None) -> dict[str, int]:
        """Mask secrets in what is stored, by today's rules; gives their number by kind."""
        found: dict[str, int] = {}
        if LocalEngine.exists(self.place.data) or not MemoryStore.exists(self.place.data):
            self._need().close()
            with guarded(self.place.data), self._lock(FOREVER_S, waiting):
                engine = self._open_for_writing()
                try:
                    found = engine.redact()
                finally:
                    engine.close()
        if found:
            self._throw_vectors_away(waiting)  # they were made of what is masked now
        return upkeep.joined(found, upkeep.redact(self.place.data))

    def exclusions(self) -> dict[str, str]:
        """Give the patterns of projects that are `excluded` or `sealed`."""
        engine = LocalEngine.open(self.place.data)
        try:
            return engine.rows.exclusions() if engine is not None else {}
        finally:
            if engine is not None:
                engine.close()

    def exclude(self, pattern: str, kind: str | None, waiting: Callable[[], None] = lambda: None) -> Excluding:
        """Exclude or seal projects, or (None) neither any more; what was read of excluded ones is forgotten."""
        from harkback.archive.keeping import Fitting

        with guarded(self.place.data), self._lock(FOREVER_S, waiting):
            engine = self._open_for_writing()
            try:
                was = engine.rows.exclusions().get(pattern, "")
                with engine.writing(small=True) as writing:
                    changed = writing.set_exclusion(pattern, kind)
                done = Excluding(changed, was, Fitting())
                if kind == "excluded":
                    excluded = Excluded([pattern], self.place.home, files=False)
                    done = done._replace(forgotten=self._forget_excluded(engine, excluded, waiting))
            finally:
                engine.close()
        if done.forgotten.sessions:
            self._catch_up(full=True)  # notes that they are not to be read, or they would count as unread
        return done

    def fitting(self, pattern: str) -> Fitting:
        """Find what excluding a project would forget, and change nothing."""
        from harkback.archive.keeping import Fitting, find_fitting

        engine = LocalEngine.open(self.place.data)
        if engine is None:
            return Fitting()
        try:
            return find_fitting(engine, Excluded([pattern], self.place.home, files=False))
        finally:
            engine.close()

    def _forget_excluded(
        self, engine: LocalEngine, excluded: Excluded, waiting: Callable[[], None] | None = None
    ) -> Fitting:
        """Forget what was read of projects that are excluded now.

        Without `waiting`, for a search, nothing is waited for: the next sync cleans index and vectors.
        """
        from harkback.archive.keeping import find_fitting

        found = find_fitting(engine, excluded)
        if found.sessions:
            engine.forget(set(), {one.number for one in found.sessions}, leave_tombs=False, rebuild=waiting is not None)
            if waiting is not None:
                self._drop_vectors(engine, waiting)
        return found

    def overview(self) -> Overview:
        """Say in two lines what is covered; reads and counts nothing new."""
        engine = LocalEngine.open(self.place.data)
        if engine is None:
            return Overview(None, len(all_changes(None, self.place.home, self.env).changed), None)
        try:
            newest = [one[4] for one in engine.rows.by_agent() if one[4] is not None]
            return Overview(engine.rows.coverage(), 0, max(newest, default=None))
        finally:
            engine.close()

    def status(self) -> Status:
        """Say what is covered, what could not be read, what is pending and what an agent is about to delete."""
        engine = LocalEngine.open(self.place.data)
        if engine is None and not MemoryStore.exists(self.place.data):
            raise errors.NothingYet(self.place.data)
        try:
            changes = all_changes(engine.rows if engine is not None else None, self.place.home, self.env)
            memories, memories_problem = upkeep.counts(self.place.data)
            unnamed = {UNNAMED: len(changes.unnamed)} if changes.unnamed else {}
            state = Status(
                Coverage(0, 0, 0, len(changes.changed), None),
                (),
                unnamed,
                tuple(
                    ProblemAt(path, 0, UNNAMED, "it is not read; rename the file or folder") for path in changes.unnamed
                ),
                (),
                self.place.data,
                _folder_bytes(self.place.data),
                0,
                memories,
                memories_problem,
                None,
                {},
                self._shared(),
                hook_failures.recent(self.place.data, self.now_ms),
                "" if self._has_embedder() else str(self.embedders.missing()),
            )
            return state if engine is None else self._with_sessions(state, engine)
        finally:
            if engine is not None:
                engine.close()

    def _shared(self) -> Shared | None:
        if not self.settings.text("server.url"):
            return None
        from harkback.archive.memories import Memories
        from harkback.archive.replica import Replica

        return Replica(Memories(self.place, self.env, self.now_ms, self.cwd, self.settings)).shared()

    def _with_sessions(self, state: Status, engine: LocalEngine) -> Status:
        rows = engine.rows
        leaving = tuple(
            Leaving(agent, days, rows.older_than(agent, (self.now_ms - (days - SOON_DAYS) * DAY_MS) * 1_000_000))
            for agent, days in retention(self.place.home, self.env)
        )
        return state._replace(
            coverage=rows.coverage()._replace(pending=state.coverage.pending),
            agents=tuple(AgentCoverage(*row) for row in rows.by_agent()),
            problem_kinds=rows.problem_kinds() | state.problem_kinds,
            problems=(*state.problems, *(ProblemAt(*row) for row in rows.problems())),
            leaving=tuple(one for one in leaving if one.transcripts),
            segments=engine.segments,
            vectors=self._vector_coverage(engine),
            masked=rows.masked(),
        )

    def sources(self) -> list[SourceView]:
        """Say for each agent where its transcripts lie and what was read of them."""
        engine = LocalEngine.open(self.place.data)
        try:
            rows = {one[0]: AgentCoverage(*one) for one in engine.rows.by_agent()} if engine is not None else {}
            totals = engine.rows.totals() if engine is not None else {}
            return [self._source(name, rows.get(name), *totals.get(name, (0, 0))) for name in SOURCES]
        finally:
            if engine is not None:
                engine.close()

    def _source(self, name: str, kept: AgentCoverage | None, sessions: int, problems: int) -> SourceView:
        agent = source(name)
        on_disk = sum(is_text(one.path) for one in agent.discover(self.place.home, self.env))
        home = self.place.home
        given = [(one, self.env.get(one, "")) for one in agent.VARIABLES]
        # Some name several folders; then each of them counts for itself.
        missing = [(one, value) for one, value in given if value and not agent.roots("", {one: value})]
        where = ", ".join((agent.WHERE, *agent.VARIABLES))
        kept = kept or AgentCoverage(name, 0, 0, 0, None)
        folders = tuple(agent.roots(home, self.env))
        below = {*folders, *agent.folders(home, self.env)}
        closed = tuple(sorted(one for one in below if not os.access(one, os.R_OK | os.X_OK)))
        return SourceView(name, where, folders, tuple(missing), closed, on_disk, kept, sessions, problems)

    def sessions(
        self,
        query: Query,
        *,
        title: str = "",
        parent: str = "",
        messages: int = 0,
        subagents: bool = False,
        limit: int = 20,
        skip: int = 0,
    ) -> list[StoredSession]:
        """List sessions that fit the query's filters, the ones last spoken in first; `title` is a piece of it."""
        engine = self._need()
        try:
            fields = {one.field: one for one in query.filters}
            agent = fields["agent"].values if "agent" in fields else ()
            session = fields.get("session")
            if session is not None:
                return [engine.rows.find_session(value) for value in session.values]
            projects = engine.projects(fields["project"].values) if "project" in fields else None
            return engine.rows.sessions(
                agents=engine.agents(agent) if agent else None,
                projects=projects,
                branches=fields["branch"].values if "branch" in fields else (),
                title=title,
                parent=engine.rows.find_session(parent).native if parent else "",
                messages=messages,
                since_ms=fields["since"].since_ms if "since" in fields else None,
                until_ms=fields["until"].until_ms if "until" in fields else None,
                subagents=subagents,
                hidden=self._sealed(engine),
                limit=limit,
                skip=skip,
            )
        finally:
            engine.close()

    # -- the event stream ------------------------------------------------------------------------------------------

    def events(self, query: Query, *, kinds: Sequence[str] = (), copies: bool = False, sync: bool = True) -> Events:
        """Open the event stream for a query's filters, after reading what is new; `close` it when done.

        Raises NothingYet, NotFound, TooShort, Ambiguous.
        """
        from harkback.archive.events import Events, Stream, Wanted

        caught_up = self._catch_up() if sync else None
        engine = self._need()
        try:
            fields = {one.field: one for one in query.filters}
            agents = engine.agents(fields["agent"].values) if "agent" in fields else None
            projects = engine.projects(fields["project"].values) if "project" in fields else None
            sessions = fields["session"].values if "session" in fields else ()
            wanted = Wanted(
                None if agents is None else tuple(agents),
                None if projects is None else tuple(projects),
                tuple(engine.rows.find_session(one).number for one in sessions) or None,
                fields["since"].since_ms if "since" in fields else None,
                fields["until"].until_ms if "until" in fields else None,
                tuple(kinds),
                tuple(one.lower() for one in fields["tool"].values) if "tool" in fields else (),
                copies,
                () if sessions else tuple(self._sealed(engine)),
            )
        except BaseException:
            engine.close()
            raise
        caught_up = caught_up or CaughtUp(engine.rows.coverage().pending)
        return Events(Stream(engine, wanted), caught_up.pending, engine.close, caught_up.note)

    # -- showing -----------------------------------------------------------------------------------------------------

    def show(self, text: str, *, context: int, page: int, page_parts: int = 20) -> MessageView | SessionView:
        """Show a message with `context` turns around it, or a page of a session.

        Raises NotFound, TooShort, Ambiguous.
        """
        engine = self._need()
        try:
            found = engine.rows.find_id(text)
            if isinstance(found, StoredSession):
                return self._session(engine, found, page, page_parts)
            parts = engine.rows.message(found.transcript, found.offset) if found.offset >= 0 else [found]
            places = sorted(engine.rows.places(found), key=lambda one: one.order)
            before, after = engine.rows.around(places[0].transcript, places[0].offset, context, (TALK, CALLS))
            return MessageView(
                places[0].session,
                tuple(parts),
                tuple(before),
                tuple(after),
                tuple((place.session, place.path, place.offset) for place in places),
            )
        finally:
            engine.close()

    def _session(self, engine: LocalEngine, session: StoredSession, page: int, page_parts: int) -> SessionView:
        talk = engine.rows.digest(session.number)
        pages = max(1, -(-len(talk) // page_parts))
        page = max(1, page)
        if page > pages:
            raise errors.NoPage(session.id, page, pages)
        seqs = talk[(page - 1) * page_parts : page * page_parts]
        parts = engine.rows.parts(seqs)
        children = engine.rows.sessions(parent=session.native, limit=50)
        files = engine.rows.files_of(session.number)
        shown = tuple(parts[seq] for seq in seqs if seq in parts)
        return SessionView(session, shown, tuple(files), tuple(children), page, pages)

    def session(self, text: str) -> StoredSession:
        """Find a session by its id, or by that of one of its messages. Raises NotFound, TooShort, Ambiguous."""
        engine = self._need()
        try:
            return engine.rows.find_session(text)
        finally:
            engine.close()

    def raw(self, text: str, *, reveal: bool = False) -> bytes:
        """Give the record of a message from its transcript, secrets masked unless `reveal`.

        Raises NotFound, TooShort, Ambiguous, TranscriptGone.
        """
        from harkback.sources.files import record_at

        engine = self._need()
        try:
            found = engine.rows.find_id(text)
            if isinstance(found, StoredSession):
                raise errors.NotAMessage(text)
            if found.offset < 0:
                raise errors.NoRecord(text)
            for place in engine.rows.places(found):
                read_to = engine.rows.checkpoint(place.path)
                try:
                    record = record_at(place.path, place.offset, place.length, read_to) if read_to else None
                except OSError:
                    continue
                if record is not None:
                    return record if reveal else _masked(record)
            raise errors.TranscriptGone(found.path, found.message)
        finally:
            engine.close()
