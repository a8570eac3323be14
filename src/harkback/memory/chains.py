"""Memories of which each replaced one other: kept a chain where two machines replaced the same, or say the same.

The later successor stands, and the earlier one becomes what it replaced. Every machine comes to the same chain, because
the order is that in which the successors were saved.
"""

from __future__ import annotations

from itertools import pairwise

from harkback.memory.saving import before, joined, normal
from harkback.model import ACTIVE, ARCHIVED, SUPERSEDED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from harkback.engines.local.memories import MemoryStore
    from harkback.model import Memory


def settle(store: MemoryStore, ids: Iterable[str], now_ms: int) -> None:
    """Let each memory that one of these replaced have one successor, inside `writing`."""
    linked = [one.id for one in store.by_id(sorted(ids)).values() if one.supersedes]
    for one in linked:
        _open_circle(store, one, now_ms)
    left = {one.supersedes for one in store.by_id(linked).values() if one.supersedes}
    while left:
        after = sorted(store.all_successors(left.pop()), key=_order)
        for earlier, later in pairwise(after):
            _follow(store, earlier, later, now_ms)
            left.add(earlier.id)  # which may have had a successor of its own


def _order(one: Memory) -> tuple[bool, int, str]:
    """What was archived is no answer, so it does not stand at the end."""
    return one.status != ARCHIVED, one.created_ms, one.id


def _follow(store: MemoryStore, earlier: Memory, later: Memory, now_ms: int) -> None:
    # `earlier` may have been changed as the later one of the pair before.
    earlier = store.by_id([earlier.id])[earlier.id]
    if earlier.status not in {SUPERSEDED, ARCHIVED}:
        _store(store, earlier._replace(status=SUPERSEDED, ended_ms=later.created_ms), now_ms)
    _store(store, later._replace(supersedes=earlier.id), now_ms)


def _open_circle(store: MemoryStore, one: str, now_ms: int) -> None:
    """Let one of two memories stand that replaced each other: the one that was said last to replace the other."""
    circle = _circle(store, one)
    if not circle:
        return
    stands = max(circle, key=lambda each: (store.changes.written(each.id)["supersedes"], each.id))
    if stands.status == SUPERSEDED:
        _store(store, stands._replace(status=ACTIVE, ended_ms=None), now_ms)
    for each in circle:
        if each.supersedes == stands.id:
            _store(store, each._replace(supersedes=""), now_ms)


def join(store: MemoryStore, kept: Memory, other: Memory, now_ms: int) -> None:
    """Let one memory stand for two that say the same, inside `writing`; the other one is kept as what it replaced.

    What either of them replaced comes before both. Where these are two, the other one is kept beside them.
    """
    if kept.id in before(store, other):
        kept, other = other, kept
    is_before = other.id in before(store, kept)
    is_link = not is_before and (not kept.supersedes or other.supersedes in {"", kept.supersedes})
    whole = joined(kept, other, now_ms)
    if is_link:
        other = other._replace(supersedes=other.supersedes or kept.supersedes)
        whole = whole._replace(supersedes=other.id)
    status = SUPERSEDED if is_before or is_link else ARCHIVED
    _store(store, other._replace(status=status, ended_ms=now_ms), now_ms)
    _store(store, whole, now_ms)


def _circle(store: MemoryStore, one: str) -> list[Memory]:
    """Give the memories that replaced each other in a circle, of which one is named; none where there is no circle."""
    walked: dict[str, Memory] = {}
    while one not in walked:
        found = store.by_id([one]).get(one)
        if found is None:
            return []
        walked[one] = found
        one = found.supersedes
    ids = list(walked)
    return [walked[each] for each in ids[ids.index(one) :]]


def _store(store: MemoryStore, memory: Memory, now_ms: int) -> None:
    store.change(memory, normal(memory.text), now_ms)
