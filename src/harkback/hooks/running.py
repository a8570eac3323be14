"""One call of `hark hook`: what is said goes to stdout; whatever fails is written down and said to nobody."""

from __future__ import annotations

import json
import os
import sys

from harkback.hooks.events import COPILOT, END, PROMPT, START, read
from harkback.hooks.triggers import may_point_to_past, points_to_past

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harkback.archive.memories import Memories
    from harkback.archive.sessions import Archive
    from harkback.hooks.events import Event


LIMIT_S = 2.0
"""So long at most: an agent waits for it before it sends the prompt."""

HITS = 3
STRONG = 0.75
"""A memory whose similarity is at least so much stands below the reminder."""

_ASKING = ("CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID", "PI_SESSION_ID")


def run(door_of: Callable[[str], Any]) -> int:
    """Answer one call; `door_of` opens the archive for who stands in a folder. Always 0."""
    event = None
    try:
        event = read(json.loads(sys.stdin.buffer.read()))
        told = _told(event, door_of)
        if told:
            answer = json.dumps(_answer(event, told), ensure_ascii=False)
            sys.stdout.buffer.write(answer.encode("utf-8", "replace") + b"\n")
            sys.stdout.buffer.flush()
    except BaseException as error:  # noqa: BLE001 - nothing of ours may ever stop a prompt
        _write_down(event, error)
    return 0


def _answer(event: Event, told: str) -> dict[str, object]:
    """Give the shape that the program reads: Copilot's, or the others'. Codex drops an answer with a key too many."""
    if event.name in COPILOT:
        return {"additionalContext": told}
    return {"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": told}}


def _told(event: Event, door_of: Callable[[str], Any]) -> str:
    is_sure = event.kind == PROMPT and points_to_past(event.prompt)
    if not event.kind or (event.kind == PROMPT and not is_sure and not may_point_to_past(event.prompt)):
        return ""
    _end_in_time(event)
    door = door_of(event.cwd)
    if event.kind == PROMPT:
        return _about_past(event, door, is_sure=is_sure)
    if event.kind == START:
        return _context(door) if door.settings.is_on("hook.context") else ""
    assert event.kind == END
    door.sync_later()
    return ""


def _about_past(event: Event, door: Any, *, is_sure: bool) -> str:
    """Write the reminder; nothing where it is not sure and nothing is there. Raises what looking raises."""
    from harkback.hooks.speaking import reminder
    from harkback.hooks.topic import topic

    archive, memories = door.both(dict.fromkeys(_ASKING, event.session) if event.session else {})
    if not archive.holds_anything():
        return ""
    words = topic(event.prompt)
    quotes = _quotes(archive, memories, words) if words else []
    if not (is_sure or quotes):
        return ""
    return reminder(event.prompt, words, quotes, archive.settings.number("hook.chars"))


def _quotes(archive: Archive, memories: Memories, words: str) -> list[str]:
    """Give what is surely of it: memories that fit well, and messages that hold every word."""
    from harkback import rank
    from harkback.mcp import rendering
    from harkback.memory.recall import Wanted
    from harkback.model import CONTEXT
    from harkback.query import parse

    recalled = memories.recall([words], Wanted(HITS), meaning=False, proved=False).hits
    quotes = [
        rendering.memory(one.memory, archive.now_ms)
        for one in recalled
        if max(one.words, one.substring) >= STRONG and one.is_current
    ]
    answer = archive.search(parse(words, archive.now_ms), limit=HITS, sync=False)
    quotes += [
        rendering.hit(one)
        for one in answer.found.hits
        if one.tier in {rank.PHRASE, rank.ALL} and one.part.lane != CONTEXT
    ]
    return quotes[:HITS]


def _context(door: Any) -> str:
    from harkback.archive.context import context
    from harkback.hooks.speaking import framed
    from harkback.telling import contents

    archive, memories = door.both({})
    found = context(memories, archive)
    if not any((found.profile, found.tasks, found.memories, found.sessions)):
        return ""
    budget = archive.settings.number("hook.chars") - len(framed([""]))
    return framed([contents(found, archive.now_ms, budget, "hark recall and hark search", "`hark remember TEXT`")])


def _end_in_time(event: Event) -> None:
    """End the process, and well, if it takes too long; in a thread, since SQLite may wait where no signal comes."""
    import threading

    def end() -> None:
        _write_down(event, TimeoutError())
        os._exit(0)

    timer = threading.Timer(LIMIT_S, end)
    timer.daemon = True
    timer.start()


def _write_down(event: Event | None, error: BaseException) -> None:
    """Note that something failed, for `hark status`; nothing of the prompt."""
    from harkback.archive.hook_failures import note

    note(os.environ, event.name if event is not None else "", error)
