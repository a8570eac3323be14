"""Reading a transcript on from a checkpoint: what every format of JSON lines has in common."""

from __future__ import annotations

from functools import partial

import orjson

from harkback.model import UNREADABLE, Checkpoint, Problem, Restart
from harkback.sources import jsonl
from harkback.sources._values import context, output, whole_context, whole_output
from harkback.sources.files import open_transcript

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from harkback.model import Bounds, Message, Part, Record, Session, SessionTitle, Transcript
    from harkback.sources.files import Plain


class Facts:
    """What records have told of a session so far, and what reading must remember: the attributes in `KEPT`."""

    KEPT: tuple[str, ...] = ()
    cwd: str
    started: int | None
    ended: int | None

    def note_time(self, moment: int | None) -> None:
        """Take in a record's time; those that a fork copied may be older than the first, which stands."""
        if moment is not None:
            if self.started is None:
                self.started = moment
            if self.ended is None or moment > self.ended:
                self.ended = moment

    def state(self) -> str:
        """Write down what `resume` needs."""
        return orjson.dumps([getattr(self, name) for name in self.KEPT]).decode()

    def resume(self, state: str) -> str | None:
        """Go on where `state` was written; a reason to read from the start if it is none of ours."""
        try:
            values = orjson.loads(state)
        except ValueError:
            values = None
        if type(values) is not list or len(values) != len(self.KEPT):
            return "state"
        for name, value in zip(self.KEPT, values, strict=True):
            setattr(self, name, value)
        return None

    def session(self) -> Session:
        """Say what is known of the session."""
        raise NotImplementedError


class Rows:
    """Makes messages of one transcript's records, one after the other."""

    facts: Facts

    def __init__(self, *, full: bool, bounds: Bounds | None = None) -> None:
        """Bound texts, tools' output by `bounds` where they are given, or with `full` do not."""
        self.full = full
        bounded = output if bounds is None else partial(output, bounds=bounds)
        self.output: Callable[[str], str] = whole_output if full else bounded
        self.context = whole_context if full else context

    def record(self, offset: int, length: int, row: dict[str, Any]) -> Message | SessionTitle | list[Message] | None:
        """Take in one record; what it says, None if it says nothing."""
        raise NotImplementedError

    def of_call(self, parts: list[Part], call: str) -> list[Part]:
        """Say of which call parts tell, where everything is told."""
        return [part._replace(call=call) for part in parts] if self.full else parts

    def end(self) -> list[Message]:
        """Give what was held back for the sake of a record that may come: a checkpoint follows."""
        return []


def read(
    transcript: Transcript,
    checkpoint: Checkpoint | None,
    rows_of: Callable[[Transcript], Rows],
    skip: Callable[[bytes], bool] | None = None,
) -> Iterator[Record]:
    """Read what was appended since `checkpoint`, as `sources.Source.read` promises.

    `rows_of` makes the reader of the format's records; lines that `skip` names are not parsed.
    """
    at = checkpoint or Checkpoint(0, "")
    try:
        with open_transcript(transcript.path) as file:
            yield from _read_open(file, transcript, at, rows_of, skip)
    except OSError as error:
        yield Problem(at.offset, 0, UNREADABLE, (error.strerror or str(error) or type(error).__name__)[:120])
        yield at


def _read_open(
    file: Plain,
    transcript: Transcript,
    at: Checkpoint,
    rows_of: Callable[[Transcript], Rows],
    skip: Callable[[bytes], bool] | None,
) -> Iterator[Record]:
    rows = rows_of(transcript)
    reason = (file.changed(at) or rows.facts.resume(at.state)) if at.offset else None
    if reason:
        yield Restart(reason)
        at, rows = Checkpoint(0, ""), rows_of(transcript)
    records = jsonl.Records(file.lines(at.offset), at.offset, skip)
    line_end = told_at = at.offset
    is_placed = bool(rows.facts.cwd)
    for offset, length, row in records:
        if offset >= line_end and offset - told_at >= jsonl.CHECKPOINT_EVERY:
            told_at = offset
            yield from rows.end()
            yield rows.facts.session()
            yield Checkpoint(offset, file.fingerprint(offset), rows.facts.state())
        line_end = records.end
        record = row if isinstance(row, Problem) else rows.record(offset, length, row)
        if not is_placed and rows.facts.cwd:
            is_placed = True
            yield rows.facts.session()
        if record is not None:
            if type(record) is list:
                yield from record
            else:
                yield record  # type: ignore[misc]  # mypy does not narrow by `type() is`
    yield from rows.end()
    fingerprint = file.fingerprint(records.end)
    yield rows.facts.session()
    yield Checkpoint(records.end, fingerprint, rows.facts.state())
