"""Codex's transcripts ("rollouts"): where they lie. What their records mean is in `_codex_rows`.

Layout (Codex CLI, Desktop and IDE share it): `$CODEX_HOME/sessions/YYYY/MM/DD/rollout-<local time>-<thread>.jsonl`,
flat in `sessions` before mid-2025, flat in `archived_sessions` once archived; `.jsonl.zst` where a background
worker has compressed it. This module is imported by every search and must stay light.
"""

from __future__ import annotations

import os
from time import localtime, strftime

from harkback.sources._folders import existing, named, readable, tail, transcripts_of, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping

    from harkback.model import Bounds, Checkpoint, Record, Transcript

NAME = "codex"
PARSER = 3
WHERE = "~/.codex"
VARIABLES = ("CODEX_HOME",)

_PARTS = ("sessions", "archived_sessions")
_HISTORY_TAIL = 64 << 10
_RECENT = 5
_UUID_CHARS = 36
_DAY_S = 86_400


def roots(home: str, env: Mapping[str, str]) -> list[str]:
    """List the existing config folders, each once: `CODEX_HOME`, `~/.codex`."""
    return existing([*named(env.get("CODEX_HOME", ""), home), os.path.join(home, ".codex")])


def discover(home: str, env: Mapping[str, str]) -> Iterator[Transcript]:
    """Find every transcript: a scandir per folder, a stat per file; unreadable folders are passed over."""
    for root in roots(home, env):
        for _, entries in _walk_root(root):
            yield from _transcripts(entries)


def folders(home: str, env: Mapping[str, str]) -> list[str]:
    """List the folders whose mtime tells that a new transcript has appeared in them or right below."""
    return [folder for root in roots(home, env) for folder, _ in _walk_root(root)]


def look(folder: str, known: Container[str]) -> Iterator[tuple[str, list[Transcript]]]:
    """Look again into one of `folders`: its transcripts, then those of folders below it not `known`."""
    is_below = any(f"{os.sep}{part}{os.sep}" in folder + os.sep for part in _PARTS)
    for path, entries in walk(folder, _is_transcript, known) if is_below else _walk_root(folder, known):
        yield path, list(_transcripts(entries))


def recent(home: str, env: Mapping[str, str]) -> Iterator[str]:
    """Give the existing transcripts of the threads that the prompt history names last, newest first."""
    for root in roots(home, env):
        lines = tail(os.path.join(root, "history.jsonl"), _HISTORY_TAIL)
        for thread in _threads(lines):
            path = _path_of(root, thread)
            if path:
                yield path


def names_mark(home: str, env: Mapping[str, str]) -> str:
    """Tell whether a thread may have been renamed: size and time of the index and of the state databases."""
    marks: list[tuple[str, int, int]] = []
    for root in roots(home, env):
        try:
            with os.scandir(root) as entries:
                for entry in entries:
                    if entry.name == "session_index.jsonl" or entry.name.startswith("state_"):
                        stat = entry.stat()
                        # The shared memory beside a database changes with every reader, ourselves too.
                        if not entry.name.endswith("-shm"):
                            marks.append((entry.path, stat.st_size, stat.st_mtime_ns))
        except OSError:
            continue
    return repr(sorted(marks)) if marks else ""


def names(home: str, env: Mapping[str, str]) -> dict[str, tuple[str, int]]:
    """Give the names that stand outside the transcripts, by thread; see `_codex_names`."""
    from harkback.sources._codex_names import all_names

    return {thread: one for root in reversed(roots(home, env)) for thread, one in all_names(root).items()}


def read(
    transcript: Transcript, checkpoint: Checkpoint | None, *, full: bool = False, bounds: Bounds | None = None
) -> Iterator[Record]:
    """Read what was appended since `checkpoint`; see `sources.Source`."""
    # Parsing needs orjson and regular expressions, which a search that finds nothing new never pays for.
    from harkback.sources._codex_rows import read as read_rows

    return read_rows(transcript, checkpoint, full=full, bounds=bounds)


def _walk_root(root: str, known: Container[str] = ()) -> Iterator[tuple[str, list[os.DirEntry[str]]]]:
    """Walk a Codex folder: itself, where `archived_sessions` appears with the first archived thread, and below it."""
    parts = [os.path.join(root, part) for part in _PARTS]
    if any(os.path.isdir(part) for part in parts):
        yield root, []
    for part in parts:
        if part not in known:
            yield from walk(part, _is_transcript, known)


def _is_transcript(name: str) -> bool:
    return name.startswith("rollout-") and name.endswith((".jsonl", ".jsonl.zst"))


def _transcripts(entries: list[os.DirEntry[str]]) -> Iterator[Transcript]:
    names = {entry.name for entry in entries}
    # Of a packed file and a plain one Codex itself goes by the plain one.
    own = [one for one in entries if not one.name.endswith(".zst") or one.name.removesuffix(".zst") not in names]
    return transcripts_of(NAME, own, _native)


def _native(name: str) -> str:
    """Make the thread's id of the file's name; its first record says it too."""
    stem = name.removesuffix(".zst").removesuffix(".jsonl")
    thread = stem[-_UUID_CHARS:]
    native = thread if thread.count("-") == 4 else stem.removeprefix("rollout-")  # noqa: PLR2004 - as in every UUID
    return readable(native)


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
