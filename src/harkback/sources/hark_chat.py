"""The transcripts of `hark chat`: where they lie. `_hark_chat_rows` has what they say.

Layout: `chat/<time>_<session>.jsonl` in the folder of the archive. This module is imported by every search and must
stay light.
"""

from __future__ import annotations

import os
from contextlib import suppress

from harkback.config import place
from harkback.errors import BadValue
from harkback.sources._folders import existing, readable, transcripts_of, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping

    from harkback.model import Bounds, Checkpoint, Record, Transcript

NAME = "hark-chat"
FOLDER = "chat"
PARSER = 1
WHERE = "the folder chat of the archive"
VARIABLES = ()


def roots(home: str, env: Mapping[str, str]) -> list[str]:
    """Give the folder, where there is one."""
    try:
        data = place({**env, "HOME": home}).data
    except BadValue:  # whoever opens the archive says so
        return []
    return existing([os.path.join(data, FOLDER)])


def discover(home: str, env: Mapping[str, str]) -> Iterator[Transcript]:
    """Find every transcript."""
    for root in roots(home, env):
        for _, found in look(root, ()):
            yield from found


def folders(home: str, env: Mapping[str, str]) -> list[str]:
    """List the folder whose mtime tells that a new transcript has appeared."""
    return roots(home, env)


def look(folder: str, known: Container[str]) -> Iterator[tuple[str, list[Transcript]]]:
    """Look again into the folder."""
    for path, entries in walk(folder, _is_transcript, known, 0):
        yield path, list(_transcripts(entries))


def recent(home: str, env: Mapping[str, str]) -> Iterator[str]:  # noqa: ARG001 - as every source has it
    """Give nothing: there is no list of prompts."""
    yield from ()


def names_mark(home: str, env: Mapping[str, str]) -> str:  # noqa: ARG001 - as every source has it
    """Give nothing: titles are first prompts."""
    return ""


def names(home: str, env: Mapping[str, str]) -> dict[str, tuple[str, int]]:  # noqa: ARG001 - as every source has it
    """Give nothing: titles are first prompts."""
    return {}


def read(
    transcript: Transcript, checkpoint: Checkpoint | None, *, full: bool = False, bounds: Bounds | None = None
) -> Iterator[Record]:
    """Read what was appended since `checkpoint`; see `sources.Source`."""
    from harkback.sources._hark_chat_rows import read as read_rows

    return read_rows(transcript, checkpoint, full=full, bounds=bounds)


def delete(paths: Iterable[str], data: str) -> None:
    """Delete transcripts, which are our own, from the archive's folder. Raises OSError."""
    folder = os.path.join(data, FOLDER)
    for path in paths:
        if os.path.dirname(path) == folder and _is_transcript(path):
            with suppress(FileNotFoundError):
                os.unlink(path)


def _is_transcript(name: str) -> bool:
    return name.endswith(".jsonl")


def _transcripts(entries: list[os.DirEntry[str]]) -> Iterator[Transcript]:
    return transcripts_of(NAME, entries, _native)


def _native(name: str) -> str:
    return readable(name.removesuffix(".jsonl").rpartition("_")[2])
