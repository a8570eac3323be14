"""The names of Codex's threads, which stand outside their transcripts.

`session_index.jsonl` (id, thread_name, updated_at; appended to, the last line counts) and, in newer builds, the
column `name` of the table `threads` in `state_<generation>.sqlite`. The program writes both, the first names by a
model, later ones by the person; nothing tells which. Only read; the column `title` is but the first prompt.
"""

from __future__ import annotations

import os
import sqlite3

import orjson

from harkback.sources._values import string

_INDEX_LIMIT = 16 << 20
_seen: dict[str, tuple[tuple[int, int, int], dict[str, str]]] = {}
"""What was read of each file, with what its stat was then."""


NAMED = 2
"""Rank of a name as a title, see `model.Session`."""


def name_of(root: str, thread: str) -> str:
    """Give the name of a thread in the Codex folder `root`, or an empty string."""
    return next((name for known in _places(root) if (name := known.get(thread, ""))), "")


def all_names(root: str) -> dict[str, tuple[str, int]]:
    """Give the names of all threads in the Codex folder `root`, with their rank."""
    return {thread: (name, NAMED) for known in reversed(_places(root)) for thread, name in known.items() if name}


def _places(root: str) -> list[dict[str, str]]:
    """Read the names of each place, the best first."""
    states = sorted((one for one in _names(root) if one.startswith("state_") and one.endswith(".sqlite")), key=_number)
    index = _read(os.path.join(root, "session_index.jsonl"), _index)
    return [index, *(_read(os.path.join(root, one), _state) for one in reversed(states))]


def _names(root: str) -> list[str]:
    try:
        return os.listdir(root)
    except OSError:
        return []


def _number(name: str) -> int:
    digits = name.removeprefix("state_").removesuffix(".sqlite")
    return int(digits) if digits.isdecimal() else -1


def _read(path: str, reader: object) -> dict[str, str]:
    """Read a file's names, again only when it has changed: every transcript of a sync asks."""
    assert callable(reader)
    mark = (_stat(path), _stat(path + "-wal"))
    key = (mark[0][0], mark[0][1], mark[1][0] + mark[1][1])
    kept = _seen.get(path)
    if kept is None or kept[0] != key:
        kept = _seen[path] = (key, reader(path) if mark[0][0] >= 0 else {})
    return kept[1]


def _stat(path: str) -> tuple[int, int]:
    try:
        found = os.stat(path)
    except OSError:
        return -1, 0
    return found.st_size, found.st_mtime_ns


def _index(path: str) -> dict[str, str]:
    names: dict[str, str] = {}
    try:
        with open(path, "rb") as file:
            lines = file.read(_INDEX_LIMIT).split(b"\n")
    except OSError:
        return names
    for line in lines:
        try:
            row = orjson.loads(line)
        except ValueError:
            continue
        if type(row) is dict and (thread := string(row.get("id"))):
            names[thread] = string(row.get("thread_name"))
    return names


def _state(path: str) -> dict[str, str]:
    """Read the names from the database; whatever keeps it from being read, the first prompt is title enough."""
    uri = "file:" + path.replace("%", "%25").replace("?", "%3f").replace("#", "%23") + "?mode=ro"
    try:
        con = sqlite3.connect(uri, uri=True, timeout=1.0)
    except sqlite3.Error:
        return {}
    try:
        rows = con.execute("SELECT id, name FROM threads WHERE name IS NOT NULL").fetchall()
    except sqlite3.Error:
        return {}
    finally:
        con.close()
    return {string(thread): string(name) for thread, name in rows}
