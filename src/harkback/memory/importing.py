"""Memories in files of others: our own JSON lines, Markdown, lists of other memory programs, the MCP memory server's.

Pure: a text in, what it holds out, in its order. What cannot be read is told with the number of its line.
"""

from __future__ import annotations

import json
import re
from datetime import datetime

from harkback._record import NamedTuple
from harkback.engines.local.memory_fields import FIELDS, OTHERS, unpacked
from harkback.memory.folder_pages import LIST, opened, units
from harkback.memory.markdown import kind_of
from harkback.memory.saving import MOST_NAMES
from harkback.model import DONE, IMPORT, MEMORY_KINDS, PROVENANCES, STATUSES, Memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from harkback.memory.disk import Found

_ID = r"k[0-9a-hjkmnp-tv-z]{8}"
_TEXTS = ("text", "memory", "content", "fact")
_LISTS = ("memories", "results", "data", "items", "facts")
_SAVED = ("created_at", "createdAt", "created", "timestamp", "updated_at")
_TAGS = ("tags", "categories")
_MOST_MS = 1 << 53
_MOST_CHARS = 300
"""Of a name or an id."""


class Record(NamedTuple):
    """A memory in a file."""

    line: int
    memory: Memory
    """Without an id where the file gives none; created_ms 0 where it gives no time."""
    past: tuple[tuple[int, str], ...] = ()
    superseded_by: str = ""
    """The id of what replaced it, as far as the file says."""
    altered_ms: int = 0
    """When it was last changed in any way, as another machine says."""
    written: Mapping[str, int] = {}
    """When each field was written, as it says; empty where it says nothing."""


class Section(NamedTuple):
    """A section of the profile in a file."""

    line: int
    section: str
    texts: tuple[tuple[int, str], ...]
    """Since when it said what, the oldest first."""


class Bad(NamedTuple):
    """What could not be read."""

    line: int
    reason: str


Read = Record | Section | Bad


def read_json(text: str, project: str) -> Iterator[Read]:
    """Read a list or lines of JSON; what names no project holds in `project`."""
    whole = _whole(text)
    if whole is not None:
        for number, value in enumerate(whole, 1):
            yield from _values(value, number, project)
        return
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            yield Bad(number, "it is no JSON")
            continue
        yield from _values(value, number, project)


def _whole(text: str) -> list[Any] | None:
    """Give the list that a text is, or that stands in the object it is; None for lines."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, dict):
        lists = [value[name] for name in _LISTS if isinstance(value.get(name), list)]
        return lists[0] if lists and "text" not in value else None
    return value if isinstance(value, list) else None


def _values(value: object, line: int, project: str) -> Iterator[Read]:
    if isinstance(value, str):
        value = {"text": value}
    if not isinstance(value, dict):
        yield Bad(line, "it is no object")
    elif isinstance(value.get("profile"), dict):
        yield _section(value["profile"], line)
    elif value.get("type") == "entity" and isinstance(value.get("observations"), list):
        yield from _entity(value, line, project)
    elif value.get("type") == "relation" and all(isinstance(value.get(one), str) for one in _RELATION):
        names = _names([value["from"], value["to"]])
        text = " ".join(" ".join(value[one] for one in _RELATION).replace("_", " ").split())
        yield Record(line, Memory("", text, entities=names, project=project, provenance=IMPORT))
    else:
        yield _record(value, line, project)


_RELATION = ("from", "relationType", "to")


def _entity(value: dict[str, Any], line: int, project: str) -> Iterator[Read]:
    """Read an entity of the MCP memory server: each of its observations is a fact."""
    name = value["name"] if isinstance(value.get("name"), str) else ""
    spoken = name.replace("_", " ").strip()
    tags = _names([value.get("entityType")])
    for said in value["observations"]:
        if not isinstance(said, str) or not said.strip():
            yield Bad(line, "an observation is no text")
            continue
        is_named = not spoken or spoken.lower() in said.lower() or name.lower() in said.lower()
        text = said if is_named else f"{spoken}: {said}"
        made = Memory("", text, entities=_names([name]), tags=tags, project=project, provenance=IMPORT)
        yield Record(line, made)


def _section(value: dict[str, Any], line: int) -> Read:
    past = value.get("past")
    older = [one for one in past if isinstance(one, dict)] if isinstance(past, list) else []
    texts = [(_time(one.get("changed_ms")) or 0, one["text"]) for one in [value, *older] if _is_said(one.get("text"))]
    if not texts or not _is_said(value.get("section")):
        return Bad(line, "it lacks a section or its text")
    return Section(line, value["section"][:_MOST_CHARS], tuple(reversed(texts)))


def _record(value: dict[str, Any], line: int, project: str) -> Read:
    text = next((value[name] for name in _TEXTS if _is_said(value.get(name))), "")
    if not text:
        return Bad(line, "it lacks a text")
    one = value.get("id")
    if not isinstance(one, str) or not re.fullmatch(_ID, one):
        one = ""
    saved_ms = _time(value.get("created_ms")) or _written(value)
    tags = next((value[name] for name in _TAGS if value.get(name)), None)
    if one and value.get("supersedes") == one:
        return Bad(line, "it is said to replace itself")
    said_in = value.get("project")
    memory = Memory(
        one,
        text,
        entities=_names(value.get("entities")),
        tags=_names(tags),
        event_since_ms=_time(value.get("event_since_ms")),
        event_until_ms=_time(value.get("event_until_ms")),
        project=said_in if isinstance(said_in, str) else project,
        created_ms=saved_ms,
        changed_ms=_time(value.get("changed_ms")) or saved_ms,
        ended_ms=_time(value.get("ended_ms")),
        used_ms=_time(value.get("used_ms")),
        **_chosen(value),
    )
    if memory.event_since_ms is None or memory.event_until_ms is None:
        memory = memory._replace(event_since_ms=None, event_until_ms=None, event_words="")
    after = value.get("superseded_by")
    altered_ms = _time(value.get("altered_ms")) or 0
    by = after if isinstance(after, str) else ""
    return Record(line, memory, _past(value.get("past")), by, altered_ms, _times(value.get("written_ms")))


def _times(value: object) -> Mapping[str, int]:
    told = value.items() if isinstance(value, dict) else ()
    times = {field: at for field, at in told if field in {*FIELDS, OTHERS} and _time(at) is not None}
    return unpacked(times) if times else {}


def _chosen(value: dict[str, Any]) -> dict[str, Any]:
    """Take the details that are one of few, or short; what is none of these is as if it were not said."""
    chosen: dict[str, Any] = {"provenance": IMPORT}
    for name, known in (("kind", MEMORY_KINDS), ("status", STATUSES), ("provenance", PROVENANCES)):
        if value.get(name) in known:
            chosen[name] = value[name]
    for name in ("importance", "confirmed", "uses"):
        number = _time(value.get(name))
        if number is not None and (name != "importance" or 1 <= number <= 5):  # noqa: PLR2004 - the scale
            chosen[name] = number
    for name in ("event_words", "session", "message", "supersedes"):
        if isinstance(value.get(name), str):
            chosen[name] = value[name][:_MOST_CHARS]
    return chosen


def _past(value: object) -> tuple[tuple[int, str], ...]:
    told = [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
    return tuple((_time(one.get("until_ms")) or 0, one["text"]) for one in told if _is_said(one.get("text")))


def _names(value: object) -> tuple[str, ...]:
    names = [one[:100] for one in value if _is_said(one)] if isinstance(value, list) else []
    return tuple(dict.fromkeys(names))[:MOST_NAMES]


def _is_said(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _time(value: object) -> int | None:
    """Give a whole number that can be a time or a count."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST_MS else None


def _written(value: dict[str, Any]) -> int:
    """Give the time at which another program says to have saved it, in milliseconds; 0 where it does not."""
    said = next((value[name] for name in _SAVED if value.get(name)), None)
    if isinstance(said, str):
        try:
            return max(0, int(datetime.fromisoformat(said).timestamp() * 1000))
        except (ValueError, OverflowError, OSError):
            return 0
    number = _time(int(said)) if isinstance(said, (int, float)) and abs(said) < _MOST_MS else None
    return 0 if number is None else number * (1000 if number < _SECONDS else 1)


_SECONDS = 100_000_000_000
"""A smaller number counts seconds: as milliseconds it would lie before 1974."""


def read_markdown(name: str, found: Found, project: str) -> Iterator[Read]:
    """Read a file of Markdown, as one in a folder that is kept in step."""
    one = opened(name, found)
    for unit in units(name, one):
        kind, line = unit.kind, 1
        if unit.number >= 0:
            item = one.page.items[unit.number]
            kind, line = (kind_of(item.heading) if unit.form == LIST else "") or kind, item.first + 1
        status = DONE if unit.is_done else "active"
        yield Record(
            line, Memory(unit.id, unit.text, kind, 3, (), unit.tags, None, None, "", project, IMPORT, status=status)
        )
