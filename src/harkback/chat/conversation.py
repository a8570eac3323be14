"""One conversation, and its transcript: JSON lines in the folder `chat` of the archive, read by `sources.hark_chat`.

A line is written as soon as something was said. Secrets are masked in it; what the model is shown is not.
"""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from harkback import errors
from harkback._record import NamedTuple
from harkback.models.chatting import MODEL, PERSON
from harkback.redact import masker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from harkback.models.chatting import Call

FOLDER = "chat"
AGENT = "hark-chat"
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
        return one

    @property
    def id(self) -> str:
        """The id that every command accepts, once the transcript was read."""
        return f"{AGENT}:{self.native}"

    @property
    def title(self) -> str:
        """The first line of the first thing said."""
        first = next((one.text for one in self.turns if one.role == PERSON), "")
        return first.strip().partition("\n")[0]

    def add(self, role: str, text: str, now_ms: int, model: str = "") -> None:
        """Take in what was said, and write it down. Raises FileUnwritable; then it is taken in all the same."""
        self.turns.append(Turn(role, text, now_ms))
        row = {"type": "message", "id": uuid4().hex[:16], "timestamp": _written(now_ms), "role": role, "text": text}
        self._write({**row, "model": model} if model else row, now_ms)

    def add_call(self, call: Call, now_ms: int) -> str:
        """Write down what the model wants done; gives the id of the call. Raises FileUnwritable."""
        one = uuid4().hex[:16]
        row = {"type": "call", "id": one, "timestamp": _written(now_ms), "tool": call.tool}
        self._write({**row, "arguments": call.arguments}, now_ms)
        return one

    def add_result(self, call: str, tool: str, text: str, now_ms: int) -> None:
        """Write down what a call gave. Raises FileUnwritable."""
        row = {"type": "result", "id": uuid4().hex[:16], "call": call, "timestamp": _written(now_ms), "tool": tool}
        self._write({**row, "text": text}, now_ms)

    def note_extracted(self, turns: int, summary: str, now_ms: int, saved: Sequence[tuple[str, str]] = ()) -> None:
        """Write down that memories were taken of the first turns, which, by what words, and what the turns were about.

        Raises FileUnwritable.
        """
        self.extracted, self.failures = max(self.extracted, turns), 0
        self.summary = summary or self.summary
        row: dict[str, Any] = {"type": "extracted", "timestamp": _written(now_ms), "turns": turns, "summary": summary}
        row["memories"] = [{"id": one, "quote": masker().mask(quote)[0]} for one, quote in saved]
        self._write(row, now_ms)

    def note_failed(self, now_ms: int) -> None:
        """Write down that nothing usable came when memories were to be taken. Raises FileUnwritable."""
        self.failures, self.tried_ms = self.failures + 1, now_ms
        self._write({"type": "failed", "timestamp": _written(now_ms), "turns": self.extracted}, now_ms)

    def _write(self, row: dict[str, Any], now_ms: int) -> None:
        lines = [json.dumps(_masked(row), ensure_ascii=False)]
        try:
            os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
            with open(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600), "r+b") as file:
                if not file.seek(0, os.SEEK_END):
                    began = _written(self.turns[0].time_ms if self.turns else now_ms)
                    head = {"type": "session", "version": 1, "id": self.native, "timestamp": began, "cwd": self.cwd}
                    lines.insert(0, json.dumps(head, ensure_ascii=False))
                else:
                    file.seek(-1, os.SEEK_END)
                    lines[:0] = [""] if file.read(1) != b"\n" else []  # whoever wrote last was killed in a line
                file.write("".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))
        except OSError as error:
            raise errors.FileUnwritable(self.path, error.strerror or error) from error

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


def native_of(path: str) -> str:
    """Give the id of a conversation, as its file's name has it."""
    return os.path.basename(path).removesuffix(".jsonl").rpartition("_")[2]


def paths(data: str) -> list[str]:
    """List the transcripts, the one that changed last first."""
    folder = os.path.join(data, FOLDER)
    found = []
    try:
        with os.scandir(folder) as entries:
            found = [(one.stat().st_mtime_ns, one.path) for one in entries if one.name.endswith(".jsonl")]
    except OSError:
        return []
    return [path for _, path in sorted(found, reverse=True)]


def _rows(path: str) -> Iterator[dict[str, Any]]:
    try:
        with open(path, "rb") as file:
            lines = file.read().decode("utf-8", "replace").split("\n")
    except OSError as error:
        raise errors.FileUnreadable(path, error.strerror or error) from error
    for line in lines:
        try:
            row = json.loads(line)
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
