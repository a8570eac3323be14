"""Lines of a growing JSONL transcript: read on from a byte position, whatever the file holds."""

from __future__ import annotations

import hashlib
import json
import os
import re

import orjson

from harkback.model import Problem
from harkback.redact import masker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from io import BufferedReader, RawIOBase
    from typing import Any

    from harkback.model import Checkpoint

LINE_LIMIT = 64 << 20
"""Bytes of the longest line that is parsed. The longest seen in the wild held 6 MB of images."""

BUFFER = 1 << 20

CHECKPOINT_EVERY = 8 << 20
"""After so many bytes a source says where it is, so that one large transcript need not be one batch."""

_EDGE = 4096
_SAMPLE = 512
_SAMPLES = 6
_SALVAGE_TRIES = 256
_LINE_FEED = 0x0A
_BRACE = 0x7D
_LEAST, _MOST = -(1 << 63), (1 << 64) - 1
_FLOAT_BITS = 1024
_LOOKED_AT, _HEAD = 1000, 40
_KEY_LIKE = re.compile(r"(?=[A-Za-z+/=_-]{0,60}[0-9])[A-Za-z0-9+/=_-]{8,}")


class Records:
    """The JSON objects of a file that stands at byte `start`, with the lines that are none as problems.

    Iterating gives `(offset, length, value)`: where the line begins, its bytes without the line end (so that
    a last line has the same length before and after its newline is written), and the object or a `Problem`.
    A damaged line that could be mended gives its problem and then its value. `end` is the byte after the last
    line that was used up: where to go on next time. A last line without newline is used if it is a whole
    object, else left for next time. `skip(line)` may name lines that need not be parsed. Raises OSError.
    """

    def __init__(self, file: BufferedReader[Any], start: int, skip: Callable[[bytes], bool] | None = None) -> None:
        self.end = start
        self._file = file
        self._skip = skip

    def __iter__(self) -> Iterator[tuple[int, int, dict[str, Any] | Problem]]:
        """Read to the end of the file."""
        readline, loads, skip = self._file.readline, orjson.loads, self._skip
        while line := readline(LINE_LIMIT + 1):
            offset = self.end
            size = len(line)
            if line[-1] != _LINE_FEED:
                if size <= LINE_LIMIT:
                    yield from self._last(offset, line)
                    return
                rest = self._to_line_end()
                if not rest:
                    return
                self.end = offset + size + rest
                length = size + rest - 1
                detail = f"{length} bytes; lines of more than {LINE_LIMIT} are left out"
                yield offset, length, Problem(offset, length, "line-too-long", detail)
                continue
            self.end = offset + size
            if skip is not None and skip(line):
                continue
            try:
                value = loads(line)
            except ValueError:
                value = None
            if type(value) is dict:
                yield offset, size - 1 if line[-2] == _BRACE else len(line.rstrip()), value
            else:
                yield from _mend(offset, line)

    def _last(self, offset: int, line: bytes) -> Iterator[tuple[int, int, dict[str, Any] | Problem]]:
        if self._skip is not None and self._skip(line + b"\n"):
            return  # it will be passed over when its end is written
        found = list(_mend(offset, line, whole=True))
        if found and type(found[-1][2]) is dict:
            self.end = offset + len(line)
            yield from found

    def _to_line_end(self) -> int:
        """Pass over the rest of a line; bytes passed, 0 if the line has no end yet."""
        passed = 0
        while chunk := self._file.readline(BUFFER):
            passed += len(chunk)
            if chunk[-1] == _LINE_FEED:
                return passed
        return 0


def fingerprint(file: RawIOBase, offset: int) -> str:
    """Tell what lies before byte `offset` from anything else, at a constant cost.

    Hashes the offset, the first and the last 4 KB before it and six samples of 512 bytes between. `file`
    should be unbuffered: a buffered one would read a whole buffer for each sample.
    """
    digest = hashlib.blake2b(str(offset).encode(), digest_size=16)
    spans = [(0, offset)]
    if offset > 2 * _EDGE:
        between = [(offset * k // (_SAMPLES + 1), _SAMPLE) for k in range(1, _SAMPLES + 1)]
        spans = [(0, _EDGE), *between, (offset - _EDGE, _EDGE)]
    for start, size in spans:
        file.seek(start)
        digest.update(file.read(min(size, offset - start)) or b"")
    return digest.hexdigest()


def fingerprint_of(path: str, offset: int) -> str:
    """Do what `fingerprint` does for the file at `path`, through a handle of its own. Raises OSError."""
    with open(path, "rb", buffering=0) as file:
        return fingerprint(file, offset)


def changed(file: RawIOBase, checkpoint: Checkpoint) -> str | None:
    """Say why `checkpoint` no longer fits the open file ("truncated", "rewritten"); None if it fits."""
    if os.fstat(file.fileno()).st_size < checkpoint.offset:
        return "truncated"
    return None if fingerprint(file, checkpoint.offset) == checkpoint.fingerprint else "rewritten"


def _mend(offset: int, line: bytes, *, whole: bool = False) -> Iterator[tuple[int, int, dict[str, Any] | Problem]]:
    """Make what can be made of a line that orjson refuses as it stands.

    With `whole`, only a value that takes up the whole line counts: what is still being written is not damage.
    """
    body = line.removeprefix(b"\xef\xbb\xbf").strip()
    if not body:
        return
    length = len(line.rstrip())
    bare = body.strip(b"\0 \t\r")
    value, repaired = _parse(bare)
    found: list[tuple[int, int, dict[str, Any]]] = []
    if type(value) is dict:
        found = [(offset, length, value)]
        kind = "nul-run" if len(bare) < len(body) else "repaired" if repaired else ""
    elif value is not _NOTHING:
        kind = "not-an-object"
    else:
        base = offset + line.index(body)
        found = [] if whole else [(base + at, size, one) for at, size, one in _later_records(body)]
        kind = "glued" if found else "nul-run" if b"\0" in body else "not-json"
    if kind:
        yield (
            offset,
            length,
            Problem(offset, length, kind, f"{length} byte{'s' if length != 1 else ''}: {_head(body)}"[:120]),
        )
    yield from found


_NOTHING = object()


def _parse(body: bytes) -> tuple[Any, bool]:
    """Parse strictly, then tolerantly; the value (or _NOTHING) and whether tolerance was needed."""
    try:
        return orjson.loads(body), False
    except ValueError:
        pass
    try:
        return _plain(json.loads(body.decode("utf-8", "replace"), strict=False)), True
    except (ValueError, RecursionError):
        return _NOTHING, False


def _plain(value: Any) -> Any:
    """Replace lone surrogates, which JSON may escape but which no file and no database can hold.

    Whole numbers that do not fit 64 bits become what orjson would have made of them.
    """
    if type(value) is int and not _LEAST <= value <= _MOST:
        return float(value) if value.bit_length() < _FLOAT_BITS else 0.0
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {_plain(key): _plain(one) for key, one in value.items()}
    return value


def _later_records(body: bytes) -> list[tuple[int, int, dict[str, Any]]]:
    """Find the whole objects that end a line: its tail must consist of nothing else.

    This is what a crash leaves: a line cut in the middle with the next record written right behind it.
    """
    # With surrogateescape, positions in the text can be counted back to bytes exactly.
    text = body.decode("utf-8", "surrogateescape")
    start = text.find("{")
    for _ in range(_SALVAGE_TRIES):
        if start < 0:
            break
        try:
            return [
                (len(text[:a].encode("utf-8", "surrogateescape")), _size(text[a:b]), _plain(value))
                for a, b, value in _chain(text, start)
            ]
        except (ValueError, RecursionError):
            start = text.find("{", start + 1)
    return []


def _chain(text: str, start: int) -> list[tuple[int, int, dict[str, Any]]]:
    """Parse objects one after the other up to the end of the text; ValueError if there is anything else."""
    decoder = json.JSONDecoder(strict=False)
    found = []
    while start < len(text):
        value, end = decoder.raw_decode(text, start)
        if not isinstance(value, dict):
            raise ValueError  # noqa: TRY004 - the caller's word for "no record"
        found.append((start, end, value))
        start = end
        while start < len(text) and text[start] in " \t\r\0":
            start += 1
    return found


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))


def _head(body: bytes) -> str:
    """Show how a line begins: enough to recognise it, too little to carry what it says.

    A line may be a piece of a key that was broken into lines: words with digits are left out.
    """
    text = _KEY_LIKE.sub("[...]", body[:_LOOKED_AT].decode("utf-8", "replace"))
    return ascii(text[: min(_HEAD, masker().before(text, _HEAD))])
