"""Codex's transcripts ("rollouts"): where they lie. What their records mean is in `_codex_rows`.

Layout (Codex CLI, Desktop and IDE share it): `$CODEX_HOME/sessions/YYYY/MM/DD/rollout-<local time>-<thread>.jsonl`,
flat in `sessions` before mid-2025, flat in `archived_sessions` once archived; `.jsonl.zst` where a background
worker has compressed it. This module is imported by every search and must stay light.
"""

from __future__ import annotations

import os
from time import localtime, strftime

from harkback.model import Transcript
from harkback.sources._folders import existing, tail, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping

    from harkback.model import Checkpoint, Record

NAME = "codex"
PARSER = 1
WHERE = "~/.codex, CODEX_HOME"

_PARTS = ("sessions", "archived_sessions")
_HISTORY_TAIL = 64 << 10
_RECENT = 5
_UUID_CHARS = 36
_DAY_S = 86_400


def roots(home: str, env: Mapping[str, str]) -> list[str]:
    """List the existing config folders, each once: `CODEX_HOME`, `~/.codex`."""
    named = env.get("CODEX_HOME", "")
    return existing([*([os.path.join(home, named)] if named else []), os.path.join(home, ".codex")])


def discover(home: str, env: Mapping[str, str]) -> Iterator[Transcript]:
    """Find every transcript: a scandir per folder, a stat per file; unreadable folders are passed over."""
    for part in _parts(home, env):
        for _, entries in walk(part, _is_transcript):
            yield from _transcripts(entries)


def folders(home: str, env: Mapping[str, str]) -> list[str]:
    """List the folders whose mtime tells that a new transcript has appeared in them or right below."""
    return [folder for part in _parts(home, env) for folder, _ in walk(part, _is_transcript)]


def look(folder: str, known: Container[str]) -> Iterator[tuple[str, list[Transcript]]]:
    """Look again into one of `folders`: its transcripts, then those of folders below it not `known`."""
    for path, entries in walk(folder, _is_transcript, known):
        yield path, list(_transcripts(entries))


def recent(home: str, env: Mapping[str, str]) -> Iterator[str]:
    """Give the existing transcripts of the threads that the prompt history names last, newest first."""
    for root in roots(home, env):
        lines = tail(os.path.join(root, "history.jsonl"), _HISTORY_TAIL)
        for thread in _threads(lines):
            path = _path_of(root, thread)
            if path:
                yield path


def read(transcript: Transcript, checkpoint: Checkpoint | None, *, full: bool = False) -> Iterator[Record]:
    """Read what was appended since `checkpoint`; see `sources.Source`."""
    # Parsing needs orjson and regular expressions, which a search that finds nothing new never pays for.
    from harkback.sources._codex_rows import read as read_rows

    return read_rows(transcript, checkpoint, full=full)


def _parts(home: str, env: Mapping[str, str]) -> list[str]:
    return [os.path.join(root, part) for root in roots(home, env) for part in _PARTS]


def _is_transcript(name: str) -> bool:
    return name.startswith("rollout-") and name.endswith((".jsonl", ".jsonl.zst"))


def _transcripts(entries: list[os.DirEntry[str]]) -> Iterator[Transcript]:
    names = {entry.name for entry in entries}
    for entry in entries:
        if entry.name.endswith(".zst") and entry.name.removesuffix(".zst") in names:
            continue  # Codex itself goes by the plain one
        try:
            stat = entry.stat()
        except OSError:  # removed while we look
            continue
        yield Transcript(NAME, entry.path, _native(entry.name), stat.st_size, stat.st_mtime_ns, stat.st_ino)


def _native(name: str) -> str:
    """Make the thread's id of the file's name; its first record says it too."""
    stem = name.removesuffix(".zst").removesuffix(".jsonl")
    thread = stem[-_UUID_CHARS:]
    native = thread if thread.count("-") == 4 else stem.removeprefix("rollout-")  # noqa: PLR2004 - as in every UUID
    return native if native.isascii() else native.encode("utf-8", "replace").decode()


def _threads(lines: list[bytes]) -> list[str]:
    """Name the threads of the last lines of the history, the latest first."""
    import json

    found: dict[str, None] = {}
    for line in reversed(lines):
        try:
            thread = json.loads(line)["session_id"]
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
        if isinstance(thread, str):
            found[thread] = None
        if len(found) == _RECENT:
            break
    return list(found)


def _path_of(root: str, thread: str) -> str:
    """Find a thread's transcript in the folder of the day it began, which its id tells (UUID version 7); or ""."""
    try:
        began_s = int(thread.replace("-", "")[:12], 16) // 1000
        days = [strftime("%Y/%m/%d", localtime(began_s + shift)) for shift in (0, -_DAY_S, _DAY_S)]
    except (ValueError, OverflowError, OSError):
        return ""
    for day in days:
        folder = os.path.join(root, "sessions", *day.split("/"))
        try:
            names = os.listdir(folder)
        except OSError:
            continue
        for name in names:
            if name.endswith(f"-{thread}.jsonl"):
                return os.path.join(folder, name)
    return ""
