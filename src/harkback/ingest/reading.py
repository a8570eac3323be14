"""Reading what changed transcripts gained into an engine, newest first, within a time if one is given."""

from __future__ import annotations

import gc
import os
from time import monotonic

from harkback._record import NamedTuple
from harkback.engines.local.writing import BATCH_CHARS
from harkback.ingest.changes import Report, parsers
from harkback.ingest.excluded import Excluded
from harkback.ingest.projects import project_of
from harkback.model import UNREADABLE, Checkpoint, Message, Problem, Restart, Session
from harkback.sources import source
from harkback.sources.files import ZSTD, open_transcript

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from harkback.engines.local import LocalEngine
    from harkback.engines.local.opened import Open
    from harkback.engines.local.writing import Writing
    from harkback.ingest.changes import Changes
    from harkback.model import Bounds, Record, Transcript


REGISTERED_AT_ONCE = 100

MANY_TRANSCRIPTS = 1000
"""More than these are indexed by two threads, which shortens the waits at the end of each batch.

Two threads make two segments of each batch, whose dictionaries repeat each other: too dear for a few long ones.
"""

SMALL_BYTES = 4 << 20
"""Less than this is written with a small heap, whose making costs less."""


def _still_fits(path: str, at: Checkpoint | None) -> bool:
    try:
        with open_transcript(path) as file:
            return at is not None and file.changed(at) is None
    except OSError:
        return False


class Progress(NamedTuple):
    """How far a sync is, for a progress bar."""

    bytes_done: int
    bytes_all: int
    files_done: int
    files_all: int


class Reader:
    """Brings changes into an engine opened for writing."""

    def __init__(
        self,
        engine: LocalEngine,
        now_ms: int,
        home: str = "",
        env: Mapping[str, str] | None = None,
        *,
        until: float | None = None,
        progress: Callable[[Progress], None] = lambda _: None,
        bounds: Bounds | None = None,
    ) -> None:
        """Read for the user of `home` and `env`; begin nothing new after `until` (of `time.monotonic`)."""
        self.engine = engine
        self.home = home
        self.env = env or {}
        self.now_ms = now_ms
        self.until = until
        patterns = [one for one, kind in engine.rows.exclusions().items() if kind == "excluded"]
        self.excluded = Excluded(patterns, home)
        self.has_met_excluded = False
        """Whether a transcript that was read before is not to be read any more."""
        self.progress = progress
        self.bounds = bounds
        self._projects: dict[str, str] = {}

    def wanted_again(self) -> list[str]:
        """Find what was passed over and lies in no excluded folder any more: an ignore file may have been deleted.

        Each is read as far as it tells its folder, for nothing of it is kept that could be asked.
        """
        return [one.path for one in self.engine.rows.passed_over() if not self._is_excluded(self._folder(one))]

    def _folder(self, transcript: Transcript) -> str:
        records = self._records(transcript, None)
        return next((one.cwd for one in records if isinstance(one, Session) and one.cwd), "")

    def _is_excluded(self, cwd: str) -> bool:
        """Whether what was said in a folder is not to be read; where that is not known, nothing changes."""
        return not cwd or self.excluded.holds(cwd) or self.excluded.holds(self._project(cwd))

    def read(self, changes: Changes, *, full: bool = False) -> Report:
        """Read everything that changed; with `full` each transcript from its beginning."""
        began = monotonic()
        todo = changes.changed
        total = sum(one.size for one in todo)
        # The collector finds no cycles among rows, and looking for them takes a twentieth of a first sync.
        gc.disable()
        try:
            return self._read_all(changes, total, began, full=full)
        finally:
            gc.enable()

    def _read_all(self, changes: Changes, total: int, began: float, *, full: bool) -> Report:
        todo = changes.changed
        small = total < SMALL_BYTES
        before = self.engine.rows.coverage()
        read = done_bytes = 0
        with self.engine.writing(small=small, threads=1 if small or len(todo) <= MANY_TRANSCRIPTS else 2) as writing:
            if before.transcripts:
                self._find_moved(writing, todo)
            if not changes.is_full:
                # Their folders will not look changed again: what is not read now must be known as unread.
                writing.register(todo)
            for number, transcript in enumerate(todo):
                if self._is_late() and read:
                    break
                if number % REGISTERED_AT_ONCE == 0:
                    writing.register(todo[number : number + REGISTERED_AT_ONCE])
                writing.pending = len(todo) - number if changes.is_full or full else None
                if not self._read_one(writing, transcript, full=full):
                    break
                read += 1
                done_bytes += transcript.size
                self.progress(Progress(done_bytes, total, read, len(todo)))
            writing.commit()
            self._rename(writing, changes.marks)
            self._note(writing, changes, len(todo) - read)
            messages = writing.messages_written
            writing.close(merge=not small and not self._is_late())
        after = self.engine.rows.coverage()
        problems = max(0, after.problems - before.problems)
        unnamed = len(changes.unnamed)
        return Report(read, messages, problems, len(todo) - read, monotonic() - began, unnamed)

    def _find_moved(self, writing: Writing, todo: Sequence[Transcript]) -> None:
        """Recognise transcripts that their agent has moved, to an archive or back, and do not read them again.

        One that was compressed where it lay, or is plain again, is the same one too, but must be.
        """
        rows = self.engine.rows
        for one in todo:
            if rows.checkpoint(one.path) is not None:
                continue
            for path in rows.others_of(one.agent, one.native, one.path):
                if os.path.exists(path):
                    continue
                is_repacked = path.removesuffix(ZSTD) == one.path.removesuffix(ZSTD)
                if is_repacked or _still_fits(one.path, rows.checkpoint(path)):
                    writing.move(path, one.path, anew=is_repacked)
                    break

    def _is_late(self) -> bool:
        return self.until is not None and monotonic() > self.until

    def _read_one(self, writing: Writing, transcript: Transcript, *, full: bool) -> bool:
        """Read one transcript; False when time ran out before its end."""
        opened = writing.begin(transcript, source(transcript.agent).PARSER)
        checkpoint = opened.before
        if checkpoint is not None and checkpoint.offset and not transcript.size:
            # Emptied by a full disk, a crash, a clean-up: what was read of it outlives it, as if it were deleted.
            opened.checkpoint, opened.is_whole = checkpoint, True
            return True
        if not self._take_in(writing, opened, anew=opened.must_reread or (full and checkpoint is not None)):
            return False
        if opened.is_misplaced:
            return self._read_one(writing, transcript, full=True)
        if writing.chars > BATCH_CHARS:
            writing.commit()
        return True

    def _take_in(self, writing: Writing, opened: Open, *, anew: bool) -> bool:
        """Store what a transcript gained, or all of it `anew`; False when time ran out before its end."""
        transcript = opened.transcript
        is_again = anew
        at: Checkpoint | None = None
        has_more = False
        for record in self._records(transcript, None if anew else opened.before):
            if at is None and not is_again and type(record) is Message:
                writing.add_message(opened, record)
                has_more = True
                continue
            if isinstance(record, Problem) and record.kind == UNREADABLE:
                # What was read before stays, and the next look tries again.
                writing.add(opened, record)
                opened.is_unreadable = True
                opened.is_torn = has_more
                return True
            if is_again or isinstance(record, Restart):
                writing.restart(opened)
                is_again, anew = False, True
            if at is not None and not self._go_on(writing, opened, at):
                return False
            at = record if isinstance(record, Checkpoint) else None
            has_more = (has_more or isinstance(record, Message)) and at is None
            if isinstance(record, Session) and record.cwd:
                if self._is_excluded(record.cwd):
                    self.has_met_excluded = self.has_met_excluded or writing.has_rows(opened)
                    writing.exclude(opened)
                    return True
                if not opened.project and not anew:
                    # What was indexed before anything told the folder would never be found by its project.
                    opened.is_misplaced = writing.has_rows(opened)
                writing.set_project(opened, self._project(record.cwd))
            if not isinstance(record, Restart):
                writing.add(opened, record)
        opened.is_whole = True
        return True

    def _records(self, transcript: Transcript, before: Checkpoint | None) -> Iterator[Record]:
        return source(transcript.agent).read(transcript, before, bounds=self.bounds)

    def _go_on(self, writing: Writing, opened: Open, at: Checkpoint) -> bool:
        """End a batch in the middle of a transcript, where its source said how far it is."""
        if writing.chars > BATCH_CHARS:
            writing.commit()
        return not (self._is_late() and at.offset < opened.transcript.size)

    def _project(self, cwd: str) -> str:
        if cwd not in self._projects:
            self._projects[cwd] = project_of(cwd)
        return self._projects[cwd]

    def _rename(self, writing: Writing, marks: tuple[tuple[str, str], ...]) -> None:
        """Take over the names that agents keep outside their transcripts."""
        for agent, mark in marks:
            writing.rename(agent, source(agent).names(self.home, self.env))
            writing.set_meta(**{f"names:{agent}": mark})

    def _note(self, writing: Writing, changes: Changes, pending: int) -> None:
        if changes.gone:
            writing.mark_gone(changes.gone, self.now_ms)
        if changes.back:
            writing.mark_back(changes.back)
        by_agent: dict[str, dict[str, int]] = {}
        for path, agent, mtime in changes.folders:
            by_agent.setdefault(agent, {})[path] = mtime
        for agent, folders in by_agent.items():
            writing.keep_folders(agent, folders, whole=changes.is_full)
        values: dict[str, object] = {"pending": pending}
        if changes.is_full and not pending:
            values["last_full_pass"] = self.now_ms
            values["parsers"] = parsers()
        writing.set_meta(**values)
        writing.settle_titles(all_is_read=not self.engine.rows.coverage().pending)
