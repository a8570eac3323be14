"""When each field of a memory was last written, so that of two machines that changed different ones both count."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from harkback.model import Memory

    Times = dict[str, int]

FIELDS = {
    "text": ("text",),
    "kind": ("kind",),
    "importance": ("importance",),
    "entities": ("entities",),
    "tags": ("tags",),
    "event": ("event_since_ms", "event_until_ms", "event_words"),
    "project": ("project",),
    "source": ("provenance", "session", "message"),
    "status": ("status", "ended_ms"),
    "supersedes": ("supersedes",),
}
"""What is written together has one time. What only grows, such as `confirmed`, needs none."""

OTHERS = ""
"""Stands for every field that is not named."""


def same_for_all(written_ms: int) -> Times:
    """Give the times of a memory that was written at once."""
    return dict.fromkeys(FIELDS, written_ms)


def packed(times: Mapping[str, int]) -> Times:
    """Name only what was written after the oldest; `OTHERS` is that one."""
    oldest = min(times.values())
    return {OTHERS: oldest, **{field: at for field, at in times.items() if at != oldest}}


def unpacked(times: Mapping[str, int]) -> Times:
    """Give the time of every field."""
    return {field: times.get(field, times.get(OTHERS, 0)) for field in FIELDS}


def changed(old: Memory, new: Memory) -> list[str]:
    """Name the fields in which two forms of a memory differ."""
    return [field for field in FIELDS if _of(old, field) != _of(new, field)]


def merged(ours: Memory, mine: Times, theirs: Memory, other: Times) -> tuple[Memory, Times]:
    """Take of two forms each field that was written later; of one moment both machines choose the same content."""
    new, times = ours, dict(mine)
    for field, names in FIELDS.items():
        if (other[field], _written(theirs, field)) > (mine[field], _written(ours, field)):
            new = new._replace(**{name: getattr(theirs, name) for name in names})
            times[field] = other[field]
    new = new._replace(
        created_ms=min(ours.created_ms, theirs.created_ms or ours.created_ms),
        changed_ms=max(ours.changed_ms, theirs.changed_ms),
        confirmed=max(ours.confirmed, theirs.confirmed),
        uses=max(ours.uses, theirs.uses),
        used_ms=max(ours.used_ms or 0, theirs.used_ms or 0) or None,
    )
    return new, times


def is_alike(one: Memory, other: Memory) -> bool:
    """Whether two forms say the same, however often each was recalled."""
    return one._replace(uses=0, used_ms=None) == other._replace(uses=0, used_ms=None)


def _of(memory: Memory, field: str) -> list[object]:
    return [getattr(memory, name) for name in FIELDS[field]]


def _written(memory: Memory, field: str) -> str:
    return json.dumps(_of(memory, field), ensure_ascii=False)
