"""Counts what happened in the transcripts of a home, and compares two such counts.

The shape is that of `hark events --stats --json`; the facts come from `bench/_raw.py`, nothing from harkback.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from zoneinfo import ZoneInfo

from bench._raw import TOKENS, read, transcripts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bench._raw import Fact, File

    Answer = dict[str, Any]

PLACE = ("day", "agent", "project")
TABLES = ("events", "tools", "skills", "hooks", "models", "tokens")
UNKNOWN = datetime.max.replace(tzinfo=UTC)


class Difference(NamedTuple):
    """A number that two counts do not agree on."""

    where: str
    """Day, agent and project, or "total"."""
    what: str
    """Table and name."""
    given: int
    counted: int


def count(home: str, zone: str) -> Answer:
    """Count everything in a home by the days of a zone; in the shape of `hark events --stats --json`."""
    return add_up(read(transcripts(home)), ZoneInfo(zone))


def add_up(files: Iterable[File], zone: ZoneInfo) -> Answer:
    """Fold the copies and add up; the earliest of several copies tells when and where it was."""
    first: dict[tuple[object, ...], tuple[datetime, Fact, File]] = {}
    for file in files:
        for fact in file.facts:
            moment = datetime.fromisoformat(fact.time) if fact.time else UNKNOWN
            key = (file.agent, *fact.key)
            if key not in first or moment < first[key][0]:
                first[key] = (moment, fact, file)
    groups: dict[tuple[str, str, str], Answer] = {}
    total = empty()
    for moment, fact, file in first.values():
        day = moment.astimezone(zone).date().isoformat() if fact.time else ""
        where = (day, file.agent, file.project)
        for tables in (groups.setdefault(where, empty()), total):
            for table, name, number in fact.counts:
                tables[table][name] = tables[table].get(name, 0) + number
    sessions = {(file.agent, file.session) for _, fact, file in first.values() if fact.counts[0][0] == "events"}
    named = [dict(zip(PLACE, where, strict=True)) | groups[where] for where in sorted(groups)]
    return {"schema": 1, "groups": named, "total": total | {"sessions": len(sessions)}}


def empty() -> Answer:
    """Give tables that hold nothing."""
    return {table: dict.fromkeys(TOKENS, 0) if table == "tokens" else {} for table in TABLES}


def differences(given: Answer, counted: Answer) -> list[Difference]:
    """Give all numbers on which two answers do not agree; what is absent is 0."""
    left, right = numbers(given), numbers(counted)
    apart = [key for key in sorted(left | right) if left.get(key, 0) != right.get(key, 0)]
    return [Difference(*key, left.get(key, 0), right.get(key, 0)) for key in apart]


def numbers(answer: Answer) -> dict[tuple[str, str], int]:
    """Give every number of an answer by where and what; two groups of one name are added up."""
    found: dict[tuple[str, str], int] = {("total", "sessions"): answer["total"]["sessions"]}
    for group in (*answer["groups"], answer["total"]):
        where = " ".join(str(group[name]) for name in PLACE) if "day" in group else "total"
        for table in TABLES:
            for name, number in group.get(table, {}).items():
                key = (where, f"{table} {name}")
                found[key] = found.get(key, 0) + number
    return found
