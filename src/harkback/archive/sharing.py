"""The server's half of sharing memories: take in what a client tells, and tell what it lacks."""

from __future__ import annotations

import re

from harkback._record import NamedTuple
from harkback.archive.memories import opened_for_writing
from harkback.engines.local import guarded
from harkback.engines.local.memory_changes import BACK, BINNED, GONE, Buried
from harkback.memory.replicating import Intake, told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from harkback.archive.memories import Memories
    from harkback.memory.replicating import Told

PULLED = 500
MOST_LINES = 1000
MOST_BYTES = 800_000
_MOST_KEY = 1 << 60
_MOST_TURN = 1 << 31
_MOST_MS = 1 << 53


class NotUnderstood(Exception):
    """What of a request is not understood."""


class Asked(NamedTuple):
    """What a client says: how far it is, and what changed there."""

    since: int
    since_keys: int
    lines: tuple[str, ...]
    forgotten: tuple[Buried, ...]


class Given(NamedTuple):
    """What a client is answered."""

    store: str
    """The id of these memories."""
    told: Told
    bad: tuple[str, ...]
    changed: tuple[str, ...] = ()
    """The ids of what the client told, and the sections as `profile:work`."""
    forgotten: tuple[str, ...] = ()
    """The ids of what it forgot or put in the bin, as far as they are known here."""


def asked_of(body: object) -> Asked:
    """Read a request. Raises NotUnderstood."""
    if not isinstance(body, dict):
        raise NotUnderstood("The body is no JSON object.")
    lines = body.get("lines", [])
    if not isinstance(lines, list) or not all(isinstance(one, str) for one in lines) or len(lines) > MOST_LINES:
        raise NotUnderstood(f"`lines` is no list of at most {MOST_LINES:,} texts.")
    return Asked(*numbers_of(body.get("since", "")), tuple(lines), forgotten_of(body.get("forgotten", [])))


def numbers_of(cursor: object) -> tuple[int, int]:
    """Read a cursor; "" is the beginning. Raises NotUnderstood."""
    match = re.fullmatch(r"([0-9]{1,18})-([0-9]{1,18})", cursor) if isinstance(cursor, str) else None
    if match is None and cursor not in {"", None, 0}:
        raise NotUnderstood("`since` is no cursor of ours; begin with an empty text.")
    return (int(match[1]), int(match[2])) if match is not None else (0, 0)


def forgotten_of(value: object) -> tuple[Buried, ...]:
    """Read what was forgotten or brought back. Raises NotUnderstood."""
    if not isinstance(value, list) or len(value) > MOST_LINES:
        raise NotUnderstood(f"`forgotten` is no list of at most {MOST_LINES:,}.")
    return tuple(map(_buried, value))


def _buried(one: Any) -> Buried:
    try:
        key, turn, at_ms = int(one["key"], 16), one["turn"], one["at_ms"]
        state = one["state"]
    except (TypeError, KeyError, ValueError):
        raise NotUnderstood("An entry of `forgotten` lacks key, state, turn or at_ms.") from None
    bounds = ((key, _MOST_KEY), (turn, _MOST_TURN), (at_ms, _MOST_MS))
    if state not in {GONE, BINNED, BACK} or not all(isinstance(n, int) and 0 <= n < most for n, most in bounds):
        raise NotUnderstood("An entry of `forgotten` has values out of bounds.")
    return Buried(key, state, turn, at_ms)


def as_json(forgotten: Sequence[Buried]) -> list[dict[str, object]]:
    """Write what was forgotten or brought back."""
    return [{"key": f"{one.key:x}", "state": one.state, "turn": one.turn, "at_ms": one.at_ms} for one in forgotten]


def share(memories: Memories, asked: Asked, *, may_write: bool, may_delete: bool) -> Given:
    """Take in what the client may tell, and tell what it lacks, in one step.

    Raises MemoriesDamaged, ArchiveReadOnly, DiskFull.
    """
    folder = memories.place.data
    with guarded(folder), opened_for_writing(folder, memories.now_ms) as store:
        intake = Intake(store, memories.now_ms, sent=None)
        has_taken_out = False
        is_news = bool((may_delete and asked.forgotten) or (may_write and asked.lines)) or not store.changes.store()
        if is_news:
            with store.writing():
                store.changes.name_store()
                if may_delete:
                    has_taken_out = intake.bury(asked.forgotten)
                if may_write:
                    intake.read(asked.lines)
        if has_taken_out:
            store.empty_log()
        since, keys = asked.since, asked.since_keys
        if max(since, keys) > store.changes.last():
            since = keys = 0  # it was told more than is here: what is here was lost and began anew
        without = frozenset(intake.as_told)
        found = told(store, since, keys, most=PULLED, most_bytes=MOST_BYTES, without=without)
        return Given(store.changes.store(), found, tuple(intake.bad), tuple(sorted(intake.named)), tuple(intake.forgot))
