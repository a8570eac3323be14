"""Values in somebody else's JSON, where anything may stand: read, or empty."""

from __future__ import annotations

import hashlib
import json
import re
from datetime import UTC, datetime, timedelta

from harkback.config import DEFAULTS
from harkback.model import CONTEXT, Bounds, Part
from harkback.redact import masker
from harkback.text.clean import clean, spans
from harkback.text.clean import joined as joined_spans

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CONTEXT_LIMIT = 20_000
"""Characters kept of one injected text."""

BOUNDS = Bounds(DEFAULTS.number("store.output_head"), DEFAULTS.number("store.output_tail"))

TITLE_LIMIT = 80

_LONG_OUTPUT = 8000
_RESTARTS = 50
_NEAR = 400
"""A secret that a cut splits is looked for so many characters around it."""

OWN_FRAME = re.compile(r"<(/?)(harkback)(?:\s[^<>]*)?>")
"""Tags around what we told an agent ourselves."""

_SIDE_FILE_LIMIT = 64 << 10
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MS = timedelta(milliseconds=1)
_SECONDS_BELOW = 100_000_000_000
"""A bare number below this is a time in seconds (it would be 1973 in milliseconds)."""


def string(value: Any) -> str:
    """Give a string as it is, "" for anything else."""
    return value if type(value) is str else ""


def count(value: Any) -> int:
    """Give a whole number of at least 0 as it is, 0 for anything else."""
    return value if type(value) is int and value > 0 else 0


def joined(content: Any) -> str:
    """Read a string, or the text blocks of a list (a blank line between them)."""
    if type(content) is str:
        return content
    if type(content) is not list:
        return ""
    texts = [block.get("text") if type(block) is dict else block for block in content]
    return "\n\n".join(text for text in texts if type(text) is str and text)


def time_ms(value: Any) -> int | None:
    """Read a time: ISO 8601 (without an offset: UTC), or seconds or milliseconds since 1970."""
    if type(value) is str:
        # `2026-11-30T09:03:33.633Z`, as nearly every row has it: the minute is parsed once for all of its rows.
        rest = value[17:23]
        if len(value) == _USUAL and value[-1] == "Z" and rest[2] == "." and rest[:2] < "60":
            start = _minutes.get(value[:17]) or _learn(value[:17])
            if start is not None and (rest[:2] + rest[3:]).isdecimal():
                return start + int(rest[:2]) * 1000 + int(rest[3:])
        return _parsed(value)
    if type(value) in (int, float) and 0 < value < _SECONDS_BELOW * 1000:
        return int(value * 1000 if value < _SECONDS_BELOW else value)
    return None


_USUAL = len("2026-11-30T09:03:33.633Z")
_minutes: dict[str, int] = {}
_MOST_MINUTES = 10_000


def _learn(minute: str) -> int | None:
    start = _parsed(minute + "00Z")
    if start is not None:
        if len(_minutes) > _MOST_MINUTES:
            _minutes.clear()
        _minutes[minute] = start
    return start


def _parsed(value: str) -> int | None:
    try:
        moment = datetime.fromisoformat(value)
        found = ((moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - _EPOCH) // _MS
    except (ValueError, OverflowError):
        return None
    # A clock that was never set, or a date that stands for "never", would stand first or last in every order.
    return found if 0 < found < _SECONDS_BELOW * 1000 else None


def digest(text: str) -> str:
    """Hash a text for a copy key: 16 hex digits (BLAKE2b, 8 bytes)."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


def first_line(text: str) -> str:
    """Make a title of a text: its first line, at most 80 characters."""
    line: str = clean(text).strip().split("\n", 1)[0]
    return head(line.strip(), TITLE_LIMIT).rstrip()


def head(text: str, limit: int) -> str:
    """Cut a text at a number of characters; before a secret that would be split, and no longer known for one."""
    return text if len(text) <= limit else text[: masker().before(text, limit)]


def cut(text: str, tags: re.Pattern[str]) -> tuple[str, list[tuple[str, str]]]:
    """Cut the balanced blocks out: what is left, and (tag, what stood inside) of each outermost block.

    A tag that is never closed is left where it is: it is being talked about.
    """
    kept: list[str] = []
    blocks: list[tuple[str, str]] = []
    start = search = 0
    for _ in range(_RESTARTS):
        opening: re.Match[str] | None = None
        depth = 0
        for tag in tags.finditer(text, search):
            if opening is None:
                if not tag[1]:
                    opening, depth = tag, 1
            elif tag[2] == opening[2]:
                depth += -1 if tag[1] else 1
                if not depth:
                    kept.append(text[start : opening.start()])
                    blocks.append((tag[2], text[opening.end() : tag.start()].strip()))
                    start, opening = tag.end(), None
        if opening is None:
            break
        search = opening.end()
    kept.append(text[start:])
    return "".join(kept), [block for block in blocks if block[1]]


def context(text: str, files: tuple[str, ...] = ()) -> Part:
    """Make the bounded CONTEXT part of an injected text."""
    # A little more than the limit goes through `clean`, so that what it drops does not shorten the text.
    return Part(CONTEXT, head(clean(text[: 2 * CONTEXT_LIMIT]).strip(), CONTEXT_LIMIT), "", files)


def whole_context(text: str, files: tuple[str, ...] = ()) -> Part:
    """Make the CONTEXT part of an injected text, all of it."""
    return Part(CONTEXT, clean(text).strip(), "", files)


def output(text: str, bounds: Bounds = BOUNDS) -> str:
    """Clean and bound a tool's output."""
    text = text.strip()
    if len(text) > _LONG_OUTPUT and "\x1b" not in text:
        # Cleaning all of it only to throw most of it away took a fifth of the time of a first sync.
        short = clean(_bound(text, bounds))
        if "[base64 " not in short:
            return short
    return _bound(clean(text).strip(), bounds)


def _bound(text: str, bounds: Bounds) -> str:
    """Bound an output so that no cut splits a secret: half of one would be stored, for nothing would know it."""
    kept = spans(text, *bounds)
    if len(kept) > 1:
        mask = masker()
        edges = [at for span in kept for at in span if 0 < at < len(text) and "\n" not in text[at - 1 : at + 1]]
        edges += [kept[0][1], kept[-1][0]]
        if not mask.is_clean("\0".join([text[max(0, at - _NEAR) : at + _NEAR] for at in edges])):
            whole = [(mask.after(text, start), mask.before(text, end)) for start, end in kept]
            kept = [whole[0], *(span for span in whole[1:-1] if span[0] < span[1]), whole[-1]]
    return joined_spans(text, kept)


def whole_output(text: str) -> str:
    """Clean a tool's output, all of it."""
    return clean(text).strip()


def side_file(path: str) -> dict[str, Any]:
    """Read a small JSON object that lies beside a transcript; empty if there is none."""
    try:
        with open(path, "rb") as file:
            value = json.loads(file.read(_SIDE_FILE_LIMIT).decode("utf-8", "replace"))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if type(value) is dict else {}
