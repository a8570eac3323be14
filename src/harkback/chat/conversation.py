"""One conversation, and its transcript: JSON lines in the folder `chat` of the archive, read by `sources.hark_chat`.

A line is written as soon as something was said; where that cannot be done, with the next one. Secrets are masked in it;
what the model is shown is not.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from threading import Lock
from time import time
from uuid import uuid4

from harkback import errors
from harkback._record import NamedTuple
from harkback.models.chatting import MODEL, PERSON
from harkback.redact import masker
from harkback.sources.hark_chat import FOLDER, NAME
from harkback.telling import line
from harkback.text.shorten import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from harkback.models.chatting import Call

_RECAP_TURNS = 4
_RECAP_CHARS = 300
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Turn(NamedTuple):
    """What one of the two said, and when."""

    role: str
    text: str
    time_ms: int


class Conversation:
    """What was said so far. The file is made with the first word."""

    def __init__(self, path: str, native: str, cwd: str) -> None:
        self.path = path
        self.native = native
        self.cwd = cwd
        self.turns: list[Turn] = []
        self.extracted = 0
        """Of so many turns the memories were taken."""
        self.failures = 0
        """So often nothing usable came of what follows them."""
        self.summary = ""
        self.ended_ms = 0
        self.tried_ms = 0
        """When that was the last time."""
        self.trouble: errors.FileUnwritable | None = None
        """Why not all of it is written down."""
        self._waiting: list[str] = []
        """The lines that are not written down."""
        self._has_told = False
        self._began_ms = 0
        self._changed_ms = 0
        self._writing = Lock()

    @classmethod
    def begin(cls, data: str, now_ms: int, cwd: str) -> Conversation:
        """Begin a new one."""
        native = str(uuid4())
        day = _written(now_ms)[:19].replace(":", "-")
        return cls(os.path.join(data, FOLDER, f"{day}_{native}.jsonl"), native, cwd)

    @classmethod
    def load(cls, path: str) -> Conversation:
        """Read one back; lines that are damaged are passed over. Raises FileUnreadable."""
        one = cls(path, native_of(path), "")
        for row in _rows(path):
            one._take(row)
        with suppress(OSError):
            one._changed_ms = os.stat(path).st_mtime_ns // 1_000_000
        return one

    def last_ms(self, now_ms: int) -> int:
        """Say when something was said last; where that lies ahead or is not known, when the file was changed."""
        return self.ended_ms if 0 < self.ended_ms <= now_ms else min(self._changed_ms, now_ms)

    @property
    def id(self) -> str:
        """The id that every command accepts, once the transcript was read."""
        return f"{NAME}:{self.native}"

    @property
    def title(self) -> str:
        """The first line of the first thing said."""
        first = next((one.text for one in self.turns if one.role == PERSON), "")
        return first.strip().partition("\n")[0]

    def recap(self) -> str:
        """Say of what it is, and what was said last, a line each."""
        told = [f"Going on with: {line(self.title)}"]
        told += [
            f"{'> ' if one.role == PERSON else '  '}{shorten(line(one.text), _RECAP_CHARS)}"
            for one in self.turns[-_RECAP_TURNS:]
        ]
        return "\n".join(told)

    def add(self, role: str, text: str, now_ms: int, model: str = "") -> None:
        """Take in what was said, and write it down."""
        self.turns.append(Turn(role, text, now_ms))
        row = {"type": "message", "id": uuid4().hex[:16], "timestamp": _written(now_ms), "role": role, "text": text}
        self._write({**row, "model": model} if model else row, now_ms)

    def add_call(self, call: Call, now_ms: int) -> str:
        """Write down what the model wants done; gives the id of the call."""
        one = uuid4().hex[:16]
        row = {"type": "call", "id": one, "timestamp": _written(now_ms), "tool": call.tool}
        self._write({**row, "arguments": call.arguments}, now_ms)
        return one

    def add_result(self, call: str, tool: str, text: str, now_ms: int) -> None:
        """Write down what a call gave."""
        row = {"type": "result", "id": uuid4().hex[:16], "call": call, "timestamp": _written(now_ms), "tool": tool}
        self._write({**row, "text": text}, now_ms)

    def note_extracted(self, turns: int, summary: str, now_ms: int, saved: Sequence[tuple[str, str]] = ()) -> None:
        """Write down that memories were taken of the first turns: which, by what words, and a summary."""
        self.extracted, self.failures = max(self.extracted, turns), 0
        self.summary = summary or self.summary
        row: dict[str, Any] = {"type": "extracted", "timestamp": _written(now_ms), "turns": turns, "summary": summary}
        row["memories"] = [{"id": one, "quote": masker().mask(quote)[0]} for one, quote in saved]
        self._write(row, now_ms)

    def note_failed(self, now_ms: int) -> None:
        """Write down that nothing usable came when memories were to be taken."""
        self.failures, self.tried_ms = self.failures + 1, now_ms
        self._write({"type": "failed", "timestamp": _written(now_ms), "turns": self.extracted}, now_ms)

    def news(self) -> str:
        """Say once why what was said is not written down, or nothing."""
        if self.trouble is None or self._has_told:
            return ""
        self._has_told = True
        return str(self.trouble)

    def catch_up(self) -> None:
        """Write down what could not be before; `trouble` says whether that can still not be done."""
        with self._writing:
            self._write_waiting()

    def _write(self, row: dict[str, Any], now_ms: int) -> None:
        with self._writing:
            self._began_ms = self._began_ms or now_ms
            self._waiting.append(json.dumps(_masked(row), ensure_ascii=False))
            self._write_waiting()

    def _write_waiting(self) -> None:
        if not self._waiting:
            return
        text = "".join(f"{one}\n" for one in self._waiting)
        try:
            os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
            _append(self.path, json.dumps(self._head(), ensure_ascii=False), text)
        except OSError as error:
            self.trouble = errors.FileUnwritable(self.path, error.strerror or error)
        else:
            self._waiting, self.trouble = [], None

    def _head(self) -> dict[str, Any]:
        began_ms = self.turns[0].time_ms if self.turns else self._began_ms
        began = _written(began_ms)
        return {"type": "session", "version": 1, "id": self.native, "timestamp": began, "cwd": self.cwd}

    def _take(self, row: dict[str, Any]) -> None:
        match row:
            case {"type": "session", "id": str(native)}:
                self.native, self.cwd = native, str(row.get("cwd", ""))
            case {"type": "message", "role": str(role), "text": str(text)} if role in {PERSON, MODEL}:
                time_ms = _read(row.get("timestamp"))
                self.turns.append(Turn(role, text, time_ms))
                self.ended_ms = max(self.ended_ms, time_ms)
            case {"type": "extracted", "turns": int(turns)}:
                self.extracted, self.failures = max(self.extracted, turns), 0
                self.summary = str(row.get("summary") or self.summary)
            case {"type": "failed"}:
                self.failures, self.tried_ms = self.failures + 1, _read(row.get("timestamp"))


def clock_ms() -> int:
    """Look at the clock: milliseconds since 1970."""
    return int(time() * 1000)


def native_of(path: str) -> str:
    """Give the id of a conversation, as its file's name has it."""
    return os.path.basename(path).removesuffix(".jsonl").rpartition("_")[2]


def paths(data: str) -> list[str]:
    """List the transcripts, the one that changed last first; what is no file of ours is passed over."""
    found = []
    try:
        with os.scandir(os.path.join(data, FOLDER)) as entries:
            for one in entries:
                with suppress(OSError):
                    if one.name.endswith(".jsonl") and one.is_file():
                        found.append((one.stat().st_mtime_ns, one.path))
    except OSError:
        return []
    return [path for _, path in sorted(found, reverse=True)]


def earlier(data: str, most: int) -> Iterator[Conversation]:
    """Give the conversations, the one that changed last first, of at most so many files.

    Those that cannot be read, or in which nobody said anything, are passed over.
    """
    for path in paths(data)[:most]:
        with suppress(errors.FileUnreadable):
            one = Conversation.load(path)
            if one.turns:
                yield one


def _append(path: str, head: str, text: str) -> None:
    """Add lines to a transcript, behind a head where it is new: all of them, or none. Raises OSError."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o600)
    try:
        size = os.lseek(file, 0, os.SEEK_END)
        if not size:
            text = f"{head}\n{text}"
        elif _last_byte(file) != b"\n":  # whoever wrote last was killed in a line
            text = f"\n{text}"
        _write_all(file, text.encode("utf-8", "replace"), size)
    finally:
        os.close(file)
        with suppress(OSError):
            if not os.path.getsize(path):
                os.unlink(path)


def _last_byte(file: int) -> bytes:
    os.lseek(file, -1, os.SEEK_END)
    return os.read(file, 1)


def _write_all(file: int, data: bytes, size: int) -> None:
    written = 0
    try:
        while written < len(data):
            written += os.write(file, data[written:])
    except OSError:
        if written and os.lseek(file, 0, os.SEEK_END) == size + written:  # nobody else has written
            os.ftruncate(file, size)
        raise


def _rows(path: str) -> Iterator[dict[str, Any]]:
    try:
        with open(path, "rb") as file:
            lines = file.read().decode("utf-8", "replace").split("\n")
    except OSError as error:
        raise errors.FileUnreadable(path, error.strerror or error) from error
    for text in lines:
        try:
            row = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict):
            yield row


_SAID = frozenset({"text", "summary", "arguments"})


def _masked(row: dict[str, Any]) -> dict[str, Any]:
    mask = masker()

    def masked(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: masked(one) for name, one in value.items()}
        if isinstance(value, list):
            return [masked(one) for one in value]
        return mask.mask(value)[0] if isinstance(value, str) else value

    return {name: masked(value) if name in _SAID else value for name, value in row.items()}


def _written(time_ms: int) -> str:
    """Write a time as transcripts have it: 2026-11-30T09:03:33.633Z."""
    moment = _EPOCH + timedelta(milliseconds=time_ms)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{time_ms % 1000:03d}Z"


def _read(value: object) -> int:
    """Read such a time; 0 for anything else."""
    try:
        return (datetime.fromisoformat(str(value)) - _EPOCH) // timedelta(milliseconds=1)
    except (ValueError, TypeError, OverflowError):
        return 0
