"""What an agent saw of an answer: how much was found, or why nobody can tell.

Answers are known by the shapes in which we print them: the status line (which stands on stderr, and so behind most
pipes), `Nothing found.`, JSON, the first lines of our tools' answers, hits and memories.
"""

from __future__ import annotations

import json
import re

from harkback._record import NamedTuple
from harkback.audit.calls import FINDERS, MCP, OWN
from harkback.audit.nothing_found import is_short, said, says_nothing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from harkback.audit.calls import Call

HITS, NONE, UNREADABLE, OTHER = "hits", "none", "unreadable", "other"
VERDICTS = (HITS, NONE, UNREADABLE, OTHER)
"""Something was found, nothing was, nobody can tell; OTHER is the answer of a call that searches for nothing."""

CUT, SILENT, FAILED, TIMED_OUT, NOT_RUN, UNKNOWN = (
    "cut",
    "no output",
    "failed",
    "timed out",
    "not run",
    "not understood",
)
WHYS = (CUT, SILENT, FAILED, TIMED_OUT, NOT_RUN, UNKNOWN)
"""Why an answer could not be read."""

_STATUS = re.compile(r"^(?:(\d[\d,]*) remembered, )?(\d[\d,]*) hits?, tier \w+, (\d+) ms\b", re.MULTILINE)
_NOTHING = re.compile(r"^Nothing found\.", re.MULTILINE)
_TOLD = re.compile(r"^(\d+) (?:memories|hits)(?= for |;| in past sessions|\.|$)", re.MULTILINE)
_HIT = re.compile(r"^(m[0-9a-z]{8,})  (?:\d{4}-\d\d-\d\d \d\d:\d\d\S*|no date)  (\w+)(?:/(\w+))?(?:  |$)")
_MEMORY = re.compile(r"^(k[0-9a-z]{6,})  [a-z]+  ")
_SESSION = re.compile(r"^    session ([0-9A-Za-z_-]{6,})")
_TOOL_HIT = re.compile(
    r"^\[(m[0-9a-z]{8,})\] .*?\bsession ([0-9A-Za-z_-]{6,})\b.*? · (\w+)(?:/(\w+))?: (.*)$", re.MULTILINE
)
_TOOL_MEMORY = re.compile(r"^\[(k[0-9a-z]{6,})\] (.*)$", re.MULTILINE)
_EXIT = re.compile(r"(?:[Ee]xit(?:ed with)? code:?|exited with code) (\d+)")
_CRASH = re.compile(
    r"^Traceback \(most recent|^hark: |command not found|No such file or directory|Permission denied|"
    r"No module named|Segmentation fault|\[Request interrupted|doesn't want to proceed",
    re.MULTILINE,
)
_BROKEN = re.compile(r"^Traceback \(most recent|^\S*: (?:line \d+: )?[\w./-]+: command not found$", re.MULTILINE)
_STOPPED = re.compile(r"(?:Error: )?Command timed out|command timed out")
_LATE = re.compile(r"timed? ?out", re.IGNORECASE)
_DONE_BY_ONE = 1
_MOST_JSON = 200


class Lead(NamedTuple):
    """Something that was found, as the agent saw it."""

    id: str
    session: str = ""
    """As much of the session's id as was shown."""
    lane: str = "talk"
    text: str = ""


class Result(NamedTuple):
    """What an agent saw of one call's answer."""

    verdict: str
    why: str = ""
    """Why it could not be read."""
    found: int = 0
    ms: int | None = None
    """How long it took, where the answer says so."""


def results(calls: Sequence[Call], text: str, command: str = OWN) -> list[Result]:
    """Say for each call of a line what was seen of its answer in the line's output."""
    if command != OWN:
        return [_elsewhere(text, one.cuts, command) if one.is_search else _of_other(one, text) for one in calls]
    asking = [number for number, one in enumerate(calls) if one.is_search]
    told = dict(zip(asking, _of_searches([calls[number] for number in asking], text), strict=True))
    return [told.get(number) or _of_other(one, text) for number, one in enumerate(calls)]


def _of_other(one: Call, text: str) -> Result:
    why = _failure(text)
    return Result(OTHER, why or (SILENT if not text.strip() and not one.cuts else ""))


def _of_searches(calls: Sequence[Call], text: str) -> list[Result]:
    if not calls:
        return []
    if calls[0].way == MCP:
        return [_of_tool(text) for _ in calls]
    if len(calls) == _DONE_BY_ONE:
        return [_of_one(calls[0], text)]
    lines = [_of_status(found) for found in _STATUS.finditer(text)]
    return _in_order(calls, text, lines) if lines else _of_several(calls, text)


def _in_order(calls: Sequence[Call], text: str, lines: Sequence[Result]) -> list[Result]:
    """Share status lines out; where they end, the rest was not run: `a || b`, `a && b`. `hark recall` has none."""
    left = iter(lines)
    return [
        next(left, Result(UNREADABLE, NOT_RUN)) if one.action == "search" else _of_recall(text, lines) for one in calls
    ]


def _of_several(calls: Sequence[Call], text: str) -> list[Result]:
    """Read the answers of several searches without a status line."""
    found = _answers(text)
    if len(found) == len(calls):
        return found
    if len(_NOTHING.findall(text)) == len(calls):
        return [Result(NONE)] * len(calls)
    return [Result(UNREADABLE, _why(one, text)) for one in calls]


def _of_status(found: re.Match[str]) -> Result:
    number = _number(found[1] or "0") + _number(found[2])
    return Result(HITS if number else NONE, "", number, int(found[3]))


def _number(text: str) -> int:
    return int(text.replace(",", ""))


def _of_recall(text: str, lines: Sequence[Result]) -> Result:
    """Read a recall's answer beside those of searches."""
    if len(_NOTHING.findall(text)) > sum(one.verdict == NONE for one in lines):
        return Result(NONE)
    found = sum(bool(_MEMORY.match(line)) for line in text.splitlines())
    return Result(HITS, "", found) if found else Result(UNREADABLE, UNKNOWN)


def _of_one(call: Call, text: str) -> Result:
    """Read the answer of the only search of a line; a loop asks several times."""
    lines = [_of_status(one) for one in _STATUS.finditer(text)] or _answers(text)
    if lines:
        found = sum(one.found for one in lines)
        times = [one.ms for one in lines if one.ms is not None]
        return Result(HITS if found else NONE, "", found, max(times, default=None))
    if _NOTHING.search(text):
        return Result(NONE)
    found = len(_printed(text))
    return Result(HITS, "", found) if found else Result(UNREADABLE, _why(call, text))


def _of_tool(text: str) -> Result:
    numbers = [int(number) for number in _TOLD.findall(text)]
    if not numbers:  # a tool that does not say how much it found says why it was refused
        return Result(UNREADABLE, _failure(text) or (FAILED if text.strip() else SILENT))
    return Result(HITS if sum(numbers) else NONE, "", sum(numbers))


def _elsewhere(text: str, cuts: tuple[str, ...], command: str) -> Result:
    """Read the answer of a command that is not ours: something, or words for nothing.

    Search programs print nothing where they find nothing, and whatever words they print are what they found.
    """
    answer = said(text)
    if says_nothing(answer, command):
        return Result(NONE)
    if why := _failure_elsewhere(text, answer, command):
        return Result(UNREADABLE, why)
    if not answer:
        is_none = command in FINDERS and not cuts
        return Result(NONE) if is_none else Result(UNREADABLE, CUT if cuts else SILENT)
    return Result(UNREADABLE, CUT) if {"wc", "file", "variable"} & set(cuts) else Result(HITS, "", 1)


def _failure_elsewhere(text: str, answer: str, command: str) -> str:
    """Say whether something went wrong; a long answer, and one of a search program, may quote any words of errors."""
    if is_short(answer) and command not in FINDERS:
        return _failure(text)
    return _failure(" ".join(found[0] for found in _EXIT.finditer(text))) or (
        FAILED if _BROKEN.search(answer) else TIMED_OUT if _STOPPED.match(answer) else ""
    )


def _why(call: Call, text: str) -> str:
    """Say why an answer cannot be read."""
    if why := _failure(text):
        return why
    return CUT if call.cuts else UNKNOWN if text.strip() else SILENT


def _failure(text: str) -> str:
    """Say whether something went wrong: exit statuses besides 0 and 1, what shells and Python say."""
    if _CRASH.search(text):
        return FAILED
    if any(int(code) > 1 for code in _EXIT.findall(text)):
        return TIMED_OUT if "124" in _EXIT.findall(text) or _LATE.search(text) else FAILED
    return TIMED_OUT if _LATE.search(text) and not _printed(text) else ""


def _answers(text: str) -> list[Result]:
    """Read the JSON in an output, one answer an object; one that was cut off still begins with its hits."""
    return [Result(HITS if found else NONE, "", found) for found in map(_counted, _objects(text)) if found is not None]


def _objects(text: str) -> list[dict[str, Any] | str]:
    found: list[dict[str, Any] | str] = []
    decoder = json.JSONDecoder(strict=False)
    at = text.find('{"schema":')
    while at >= 0 and len(found) < _MOST_JSON:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            value, end = text[at:], at + 1
        found.append(value)
        at = text.find('{"schema":', end)
    return found


def _counted(value: dict[str, Any] | str) -> int | None:
    """Count what an answer holds; None where it is none."""
    if isinstance(value, str):
        some = [re.search(rf'"{name}": \[(\s*\{{)?', value) for name in ("hits", "memories")]
        return None if not any(some) else sum(1 for one in some if one and one[1])
    hits, memories = value.get("hits"), value.get("memories", [])
    return len(hits) + (len(memories) if isinstance(memories, list) else 0) if isinstance(hits, list) else None


# -- what was found ----------------------------------------------------------------------------------------------------


def leads(text: str) -> list[Lead]:
    """Give what an answer showed, in its order."""
    found = [lead for value in _objects(text) if isinstance(value, dict) for lead in _of_json(value)]
    found += [Lead(id_, session, lane or "talk", said) for id_, session, _, lane, said in _TOOL_HIT.findall(text)]
    found += [Lead(id_, "", "memory", said) for id_, said in _TOOL_MEMORY.findall(text)]
    return found + _printed(text)


def _of_json(value: dict[str, Any]) -> list[Lead]:
    found = []
    for name in ("hits", "memories"):
        listed = value.get(name)
        for one in listed if isinstance(listed, list) else ():
            if isinstance(one, dict):
                said = [str(one.get("snippet") or one.get("text") or ""), *map(str, one.get("files") or ())]
                session = str(one.get("session") or "").rpartition(":")[2]
                found.append(Lead(str(one.get("id") or ""), session, str(one.get("lane") or "memory"), "\n".join(said)))
    return found


def _printed(text: str) -> list[Lead]:
    """Read hits and memories as they are printed; a head without what was said is none."""
    found: list[Lead] = []
    head: Lead | None = None
    body: list[str] = []
    for line in [*text.splitlines(), ""]:
        if head is not None and line.startswith("    "):
            session = _SESSION.match(line)
            head = head._replace(session=session[1]) if session else head
            body.append(line.strip())
            continue
        if head is not None and body:
            found.append(head._replace(text="\n".join(body)))
        hit, memory = _HIT.match(line), _MEMORY.match(line)
        head = Lead(hit[1], "", hit[3] or "talk") if hit else Lead(memory[1], "", "memory") if memory else None
        body = []
    return found
