"""Memories and the profile as a file: JSON lines that hold everything, or Markdown for people."""

from __future__ import annotations

import json

from harkback.engines.local.memory_fields import packed
from harkback.memory.markdown import LIST_FILES, item_lines
from harkback.model import DONE, TASK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from harkback.engines.local.memories import MemoryStore
    from harkback.model import Memory


def json_lines(store: MemoryStore, memories: Sequence[Memory]) -> Iterator[str]:
    """Write the profile and the memories, a line each."""
    for section in sorted(one.section for one in store.profile()):
        yield section_line(store, section)
    after = store.successors([one.id for one in memories])
    for memory in memories:
        yield _line(_memory(store, memory, after.get(memory.id)))


def whole_line(store: MemoryStore, memory: Memory, *, most_past: int | None = None) -> str:
    """Write one memory, with at most so much of what it said before, and when each of its fields was written."""
    made = _memory(store, memory, store.successors([memory.id]).get(memory.id))
    times = {
        "altered_ms": store.changes.altered_ms(memory.id),
        "written_ms": packed(store.changes.written(memory.id)),
    }
    return _line({**made, "past": made["past"][:most_past], **times})


def section_line(store: MemoryStore, section: str, *, most_past: int | None = None) -> str:
    """Write one section of the profile, in the same way."""
    latest, *older = [{"text": one.text, "changed_ms": one.changed_ms} for one in store.profile(section)]
    return _line({"profile": {"section": section, **latest, "past": older[:most_past]}})


def _memory(store: MemoryStore, memory: Memory, successor: Memory | None) -> dict[str, Any]:
    past = [{"until_ms": until, "text": text} for until, text in store.past(memory)]
    return {**memory._asdict(), "superseded_by": successor.id if successor is not None else "", "past": past}


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


def markdown(memories: Sequence[Memory]) -> Iterator[str]:
    """Write memories as lists under the name of each kind; with their ids, so that they can be read again."""
    yield "# Memories"
    for kind, name in LIST_FILES.items():
        held = [one for one in memories if one.kind == kind]
        if held:
            yield from ("", f"## {name.capitalize()}", "")
        for memory in sorted(held, key=lambda one: -one.importance):
            is_done = memory.status == DONE
            yield from item_lines(memory.text, memory.id, is_task=kind == TASK, is_done=is_done, end="")
