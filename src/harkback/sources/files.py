"""The bytes of a transcript: a plain file, or one that its agent has compressed (`.jsonl.zst`).

Byte positions are those of the plain text in both. A compressed file is never appended to: Codex writes the
plain one again before it goes on (codex-rs/rollout/src/compression.rs), so its fingerprint is that of the whole.
"""

from __future__ import annotations

import io

from harkback.sources import jsonl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any, Self

    from harkback.model import Checkpoint

ZSTD = ".zst"
_PACKED_BYTES = 16 << 10
"""Decompressed at once; it may become a thousand times as much."""


class Plain:
    """A transcript that lies there as it was written. Every method raises OSError."""

    def __init__(self, path: str) -> None:
        """Open the file at `path`."""
        self.path = path
        self._raw = io.FileIO(path)
        self._reader: io.BufferedReader[Any] | None = None

    def __enter__(self) -> Self:
        """Use it in a `with` block."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close the file."""
        if self._reader is not None:
            self._reader.close()
        self._raw.close()

    def lines(self, start: int) -> io.BufferedReader[Any]:
        """Give the reader of this file, standing at byte `start`; to be asked for once."""
        self._reader = io.BufferedReader(self._raw, jsonl.BUFFER)
        self._reader.seek(start)
        return self._reader

    def changed(self, at: Checkpoint) -> str | None:
        """Say why `at` no longer fits ("truncated", "rewritten"); None if it fits."""
        return jsonl.changed(self._raw, at)

    def fingerprint(self, offset: int) -> str:
        """Tell what lies before byte `offset`; disturbs no reader."""
        return jsonl.fingerprint_of(self.path, offset)


class Compressed(Plain):
    """A transcript compressed with zstd."""

    def lines(self, start: int) -> io.BufferedReader[Any]:
        """Give the reader, standing at byte `start` of the text: what lies before must be decompressed."""
        self._reader = io.BufferedReader(_Zstd(self._raw), jsonl.BUFFER)
        while start > 0 and (passed := self._reader.read(min(start, jsonl.BUFFER))):
            start -= len(passed)
        return self._reader

    def changed(self, at: Checkpoint) -> str | None:
        """Say whether it is another file than it was."""
        return None if self.fingerprint(at.offset) == at.fingerprint else "rewritten"

    def fingerprint(self, offset: int) -> str:  # noqa: ARG002 - whatever was read of it, the file is one whole
        """Tell this file from any other."""
        with open(self.path, "rb", buffering=0) as file:
            return "zstd:" + jsonl.fingerprint(file, file.seek(0, io.SEEK_END))


class _Zstd(io.RawIOBase):
    """What zstandard decompresses, frame after frame, as a raw stream; what is damaged or cut off is an OSError."""

    def __init__(self, file: io.FileIO) -> None:
        # 25 ms to import, and few have such files.
        import zstandard

        self._error = zstandard.ZstdError
        self._frames = zstandard.ZstdDecompressor()
        self._frame: zstandard.ZstdDecompressionObj | None = None
        self._file = file
        self._packed = b""
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            self._packed = self._packed or self._file.read(_PACKED_BYTES) or b""
            if not self._packed:
                if self._frame is not None:
                    raise OSError(None, "the compressed file ends too early")
                return 0
            self._unpack()
        some = self._ready[: len(buffer)]
        buffer[: len(some)] = some
        self._ready = self._ready[len(some) :]
        return len(some)

    def _unpack(self) -> None:
        frame = self._frame = self._frame or self._frames.decompressobj()
        try:
            self._ready = memoryview(frame.decompress(self._packed))
        except self._error as error:
            raise OSError(None, str(error)) from error
        self._packed = frame.unused_data if frame.eof else b""
        if frame.eof:
            self._frame = None


def open_transcript(path: str) -> Plain:
    """Open a transcript, compressed or not. Raises OSError."""
    return Compressed(path) if path.endswith(ZSTD) else Plain(path)


def record_at(path: str, offset: int, length: int, checkpoint: Checkpoint) -> bytes | None:
    """Read one record again, as it stands; None if the file was rewritten since `checkpoint`. Raises OSError."""
    with open_transcript(path) as transcript:
        if transcript.changed(checkpoint):
            return None
        return transcript.lines(offset).read(length).rstrip(b"\r\n")
