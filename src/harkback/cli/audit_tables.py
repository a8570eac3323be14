"""An audit as plain text for a terminal, 80 columns wide."""

from __future__ import annotations

from unicodedata import combining, east_asian_width

from harkback.audit.advice import advice
from harkback.audit.calls import OWN
from harkback.audit.figures import ABSENT, rate
from harkback.audit.steps import AGAIN, ANSWERED, ENDED, FOLLOWED, RAW
from harkback.telling import base, line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from harkback.audit.figures import Figures, Row, Why

WIDTH = 80
_NAME = 36
_SHOWN = 12
_QUERIES = 15
_STEPS = {
    ANSWERED: "answered",
    FOLLOWED: "followed a lead",
    RAW: "opened the raw transcript",
    AGAIN: "searched again",
    ENDED: "did nothing more",
}


def width_of(text: str) -> int:
    """Count the columns that a text takes on a terminal: two for a wide character, none for a combining one."""
    return sum(0 if combining(one) else 2 if east_asian_width(one) in "WF" else 1 for one in text)


def fitted(text: str, columns: int) -> str:
    """Cut a text, or fill it up with spaces, to so many columns."""
    if width_of(text) > columns:
        kept, used = [], 0
        for one in text:
            used += width_of(one)
            if used > columns - 1:
                break
            kept.append(one)
        text = "".join(kept) + "…"
    return text + " " * (columns - width_of(text))


def tables(found: Figures) -> Iterator[tuple[str, list[str]]]:
    """Give the tables of an audit: heading and lines."""
    yield _title(found), _all(found)
    for heading, rows in (("by month", found.months), ("by agent", found.agents), ("by project", found.projects)):
        if rows:
            yield heading, _rows(heading, rows)
    yield "next step after a search", _counted(named(found.steps), found.searches)
    for heading, counts in (("raw transcripts", found.raw), ("searched again with", found.again)):
        if counts:
            yield heading, _counted(counts, sum(counts.values()))
    if found.nothing:
        yield "why nothing was found", _nothing(found)
    if found.command == OWN:
        yield "hook", _hook(found)
    if suggestions := advice(found):
        yield "suggestions", [row for one in suggestions for row in _wrapped(f"{one.rule}: {one.text}")]


def named(steps: Mapping[str, int]) -> dict[str, int]:
    """Count next steps by what they are called for people."""
    return {_STEPS[name]: number for name, number in steps.items()}


def reason_of(why: Why) -> str:
    """Write why nothing was found; what was said since was absent then."""
    return "absent then" if why.reason == ABSENT and why.is_found_now else why.reason


def _title(found: Figures) -> str:
    return f"{found.command}: {found.calls:,} calls in {found.sessions:,} sessions, {found.searches:,} of them searches"


def percent(share: float | None) -> str:
    """Write a share."""
    return "-" if share is None else f"{share * 100:.0f} %"


def _all(found: Figures) -> list[str]:
    results, chars, latency = found.results, found.chars, found.latency_ms
    whys = ", ".join(f"{name} {number:,}" for name, number in found.whys.items() if number)
    ways = ", ".join(f"{name} {number:,}" for name, number in found.ways.items())
    actions = ", ".join(f"{name or '(none)'} {number:,}" for name, number in list(found.actions.items())[:_SHOWN])
    facts = [
        ("hit rate", f"{percent(found.hit_rate)} ({results.hits:,} of {results.hits + results.none:,} readable)"),
        ("not readable", f"{results.unreadable:,}" + (f": {whys}" if whys else "")),
        ("answers", f"{chars.p50:,} characters in the middle, {chars.p95:,} at 95 %, {chars.total:,} in all"),
        ("latency", f"{latency.p50:,} ms in the middle, {latency.p95:,} ms at 95 %" if latency.number else "-"),
        ("ways", ways),
        ("commands", actions),
    ]
    return [row for name, text in facts if text for row in _wrapped(text, fitted(name, 14))]


def _rows(heading: str, rows: Mapping[str, Row]) -> list[str]:
    columns = (f"{name:>8}" for name in ("calls", "hits", "none", "unread", "rate"))
    written = [fitted("", _NAME) + "".join(columns)]
    listed = list(rows.items())
    shown = listed if heading == "by month" else listed[:_SHOWN]
    for name, row in shown:
        label = base(name) if heading == "by project" else name
        numbers = "".join(f"{number:>8,}" for number in row)
        written.append(f"{fitted(line(label) or '(none)', _NAME)}{numbers}{percent(rate(row)):>8}")
    if len(shown) < len(listed):
        written.append(f"and {len(listed) - len(shown):,} more (--json has all)")
    return written


def _counted(counts: Mapping[str, int], of: int) -> list[str]:
    return [
        f"{fitted(name or '(none)', _NAME)}{number:>8,}{percent(number / of if of else None):>8}"
        for name, number in counts.items()
    ]


def _nothing(found: Figures) -> list[str]:
    written = _counted({name: number for name, number in found.reasons.items() if number}, found.results.none)
    written.append(f"{fitted('found now', _NAME)}{found.found_now:>8,}")
    for one in found.nothing[:_QUERIES]:
        times = f"{one.times} x " if one.times > 1 else ""
        now = ", found now" if one.why.is_found_now else ""
        written.append(f"  {fitted(times + line(one.query), 44)} {reason_of(one.why)}{now}")
    if len(found.nothing) > _QUERIES:
        written.append(f"  and {len(found.nothing) - _QUERIES:,} more (--json)")
    return written


def _hook(found: Figures) -> list[str]:
    hook = found.hook
    prompts = ", ".join(f"{month} {number:,}" for month, number in found.prompts.items())
    spoke = f"spoke {hook.spoke:,} times at prompts: {hook.used:,} used, {hook.ignored:,} ignored"
    written = [f"{spoke}; {hook.starts:,} at starts of sessions"]
    return [row for text in (*written, f"prompts: {prompts}" if prompts else "") if text for row in _wrapped(text)]


def _wrapped(text: str, first: str = "") -> list[str]:
    """Break a text into lines that fit behind an indentation of two."""
    rows: list[str] = []
    now, indent = first, " " * (width_of(first) or 2)
    for word in line(text).split(" "):
        piece = fitted(word, WIDTH - 4 - len(indent)) if width_of(word) > WIDTH - 4 - len(indent) else word
        if now.strip() and now.strip() != first.strip() and width_of(now) + 1 + width_of(piece) > WIDTH - 2:
            rows.append(now)
            now = indent + piece
        else:
            now = f"{now} {piece}" if now.strip() and now != first else now + piece
    return [*rows, now]


def written(found: Figures, paint: Sequence[str] = ("", "")) -> str:
    """Write all tables; headings stand between the two of `paint`."""
    lines: list[str] = []
    for heading, rows in tables(found):
        lines += [f"{paint[0]}{heading}{paint[1]}", *(f"  {row}".rstrip() for row in rows), ""]
    return "\n".join(lines).rstrip()
