"""`hark events --stats` against a count of the raw files that shares nothing with harkback, and numbers by hand."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

sys.path.append(str(Path(__file__).parents[2]))  # where `bench` lies

from bench._counts import PLACE, count, differences, numbers

if TYPE_CHECKING:
    from tests.e2e.counted_homes import GENERATED, RICH, Row, codex_home, pi_home, uuid, write
    from tests.e2e.pens import hark
else:
    from counted_homes import GENERATED, RICH, Row, codex_home, pi_home, uuid, write
    from pens import hark

ZONES = ("UTC", "Asia/Tokyo", "America/Los_Angeles")


@pytest.fixture
def zone(request: pytest.FixtureRequest, own_home: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Live in this zone; the fixture of the empty home goes back to its own."""
    assert own_home.is_dir()
    name = str(request.param)
    if name != "UTC" and not hasattr(time, "tzset"):
        pytest.skip("Windows heeds TZ only at start-up")
    monkeypatch.setenv("TZ", name)
    if hasattr(time, "tzset"):
        time.tzset()
    return name


def stats(*filters: str) -> Row:
    asked = hark("events", "--stats", "--json", *filters)
    assert asked.status == 0, asked
    return asked.json


def with_none_gone(counted: Row) -> Row:
    """Add what files cannot tell: that no session's transcript is gone."""
    return counted | {"total": counted["total"] | {"gone": 0}}


def kinds() -> dict[str, int]:
    """Count what `hark events` prints, line by line."""
    found: dict[str, int] = {}
    command = [sys.executable, "-m", "harkback", "events"]
    for line in subprocess.run(command, capture_output=True, check=True, timeout=60).stdout.splitlines():
        kind = json.loads(line)["kind"]
        found[kind] = found.get(kind, 0) + 1
    return found


@pytest.mark.parametrize("zone", ZONES, indirect=True)
def test_the_stats_are_what_the_raw_files_hold(own_home: Path, zone: str) -> None:
    for make in GENERATED:
        make(own_home)

    given, counted = stats(), count(str(own_home), zone)

    assert differences(given, counted) == []
    assert given == with_none_gone(counted)
    assert kinds() == given["total"]["events"]


def test_the_raw_files_hold_what_was_written(own_home: Path) -> None:
    for make in GENERATED:
        make(own_home)
    events = {"prompt": 15 + 15 + 18, "reply": 21 + 15 + 15, "thinking": 15, "tool_call": 30, "tool_result": 30}

    total = count(str(own_home), "UTC")["total"]

    assert (total["events"], total["sessions"]) == (events, 18)
    assert total["tools"] == {"Bash": 6, "Read": 6, "Edit": 3, "shell": 15}
    assert total["models"] == {"claude-opus-4-6": 21, "gpt-5.6": 15}


@pytest.mark.parametrize(
    ("zone", "days"),
    [
        ("UTC", ["05-01", "05-02", "05-03", "10-31", "11-02", "12-31"]),
        ("Asia/Tokyo", ["05-02", "05-03", "10-31", "11-02", "12-31"]),
        ("America/Los_Angeles", ["05-01", "05-02", "05-03", "10-30", "10-31", "11-01", "12-30", "12-31"]),
    ],
    indirect=["zone"],
)
def test_a_day_is_one_of_the_zone_and_its_season(own_home: Path, zone: str, days: list[str]) -> None:
    assert zone
    codex_home(own_home)
    assert sorted({group["day"] for group in stats()["groups"]}) == [f"2026-{day}" for day in days]


def test_a_difference_is_seen(own_home: Path) -> None:
    pi_home(own_home)
    given = stats()
    path = next(own_home.glob(".pi/agent/sessions/*/*.jsonl"))
    write(path, [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()[:-1]])

    found = differences(given, count(str(own_home), "UTC"))

    assert [(one.where == "total", one.given - one.counted) for one in found] == [(False, 1), (True, 1)]
    assert numbers(given).keys() >= {("total", "sessions"), ("total", "events prompt")}


def test_groups_come_by_day_agent_and_project(own_home: Path) -> None:
    for make in GENERATED:
        make(own_home)
    places = [tuple(group[name] for name in PLACE) for group in stats()["groups"]]
    assert len(places) > 12
    assert all(before < after for before, after in pairwise(places))


# -- a richer home, with its numbers by hand ----------------------------------------------------------------------


def tokens(*numbers: int) -> dict[str, int]:
    return dict(zip(("input", "output", "cache_read", "cache_write"), numbers, strict=True))


def group(day: str, agent: str, project: str, **tables: Any) -> Row:
    empty: Row = {"tools": {}, "skills": {}, "hooks": {}, "models": {}}
    return {"day": f"2026-05-{day}", "agent": agent, "project": project, **empty, **tables}


GROUPS = [
    group(
        "01",
        "claude-code",
        "/w/alpha",
        events={"hook": 2, "prompt": 1, "thinking": 1, "reply": 1, "tool_call": 3, "tool_result": 2, "meta": 1},
        tools={"Bash": 2, "Skill": 1},
        skills={"tidy": 1},
        hooks={"SessionStart": 1, "UserPromptSubmit": 1},
        models={"opus": 1},
        tokens=tokens(11, 35, 230, 20),
    ),
    group(
        "01",
        "codex",
        "/w/beta",
        events={"meta": 2, "prompt": 2, "thinking": 1, "reply": 2, "tool_call": 1, "tool_result": 1},
        tools={"exec_command": 1},
        models={"gpt-5.6": 2},
        tokens=tokens(950, 15, 1100, 0),
    ),
    group(
        "01",
        "codex",
        "/w/gamma",
        events={"hook": 1, "prompt": 2, "meta": 2, "thinking": 1, "reply": 2, "tool_call": 1, "tool_result": 2},
        tools={"mcp__mem__search_memory": 1},
        skills={"weave": 1},
        hooks={"hook": 1},
        models={"gpt-5.6": 1, "gpt-5.6-mini": 1},
        tokens=tokens(580, 48, 300, 25),
    ),
    group(
        "01",
        "pi",
        "/w/delta",
        events={"prompt": 1, "meta": 1, "hook": 1, "thinking": 1, "reply": 1, "tool_call": 1},
        tools={"bash": 1},
        skills={"prune": 1},
        hooks={"mem": 1},
        models={"m": 1},
        tokens=tokens(11, 12, 13, 14),
    ),
    group(
        "02",
        "claude-code",
        "/w/alpha",
        events={"reply": 2, "tool_call": 2, "tool_result": 2, "prompt": 1, "summary": 1, "meta": 1},
        tools={"Agent": 1, "Grep": 1},
        models={"opus": 1, "haiku": 1},
        tokens=tokens(122, 21, 140, 64),
    ),
    group(
        "02", "codex", "/w/beta", events={"prompt": 1, "reply": 1}, models={"gpt-5.7": 1}, tokens=tokens(60, 6, 0, 0)
    ),
    group(
        "02",
        "pi",
        "/w/delta",
        events={"tool_result": 2, "prompt": 1, "summary": 1},
        tokens=tokens(1000, 100, 0, 0),
    ),
    group(
        "04",
        "claude-code",
        "/w/alpha",
        events={"prompt": 1, "reply": 1},
        models={"sonnet": 1},
        tokens=tokens(3, 9, 0, 0),
    ),
    group(
        "04", "codex", "/w/beta", events={"prompt": 1, "reply": 1}, models={"gpt-5.6": 1}, tokens=tokens(70, 7, 30, 0)
    ),
    group("04", "pi", "/w/delta", events={"prompt": 1, "reply": 1}, models={"m": 1}, tokens=tokens(1, 2, 0, 0)),
]
TOTAL = {
    "sessions": 9,
    "events": {
        "hook": 4,
        "prompt": 12,
        "thinking": 4,
        "reply": 12,
        "tool_call": 8,
        "tool_result": 9,
        "summary": 2,
        "meta": 7,
    },
    "tools": {"Bash": 2, "Skill": 1, "exec_command": 1, "mcp__mem__search_memory": 1, "bash": 1, "Agent": 1, "Grep": 1},
    "skills": {"tidy": 1, "weave": 1, "prune": 1},
    "hooks": {"SessionStart": 1, "UserPromptSubmit": 1, "hook": 1, "mem": 1},
    "models": {"opus": 2, "haiku": 1, "sonnet": 1, "gpt-5.6": 4, "gpt-5.6-mini": 1, "gpt-5.7": 1, "m": 2},
    "tokens": tokens(2808, 255, 1813, 123),
}


@pytest.fixture
def rich(own_home: Path) -> Path:
    for make in RICH:
        make(own_home)
    return own_home


@pytest.mark.parametrize("zone", ["Asia/Tokyo"], indirect=True)
def test_the_raw_files_hold_what_was_counted_by_hand(rich: Path, zone: str) -> None:
    assert count(str(rich), zone) == {"schema": 1, "groups": GROUPS, "total": TOTAL}


@pytest.mark.parametrize("zone", ["Asia/Tokyo"], indirect=True)
def test_the_stats_are_what_was_counted_by_hand(rich: Path, zone: str) -> None:
    given = stats()

    assert zone
    assert rich.is_dir()
    assert differences(given, {"schema": 1, "groups": GROUPS, "total": TOTAL}) == []
    assert given == with_none_gone({"schema": 1, "groups": GROUPS, "total": TOTAL})
    assert kinds() == given["total"]["events"]


@pytest.mark.parametrize("zone", ["Asia/Tokyo"], indirect=True)
def test_copies_and_their_cost_count_in_the_session_that_was_first_only(rich: Path, zone: str) -> None:
    assert zone
    assert rich.is_dir()
    hark("sync")
    (fork,) = (one for one in stats("--session", uuid(0xA2), "--no-sync")["groups"] if one["day"] == "2026-05-04")
    assert (fork["events"], fork["tokens"]) == ({"prompt": 1, "reply": 1}, tokens(3, 9, 0, 0))


@pytest.mark.parametrize("zone", ["Asia/Tokyo"], indirect=True)
def test_a_day_alone_counts_as_it_does_among_all(rich: Path, zone: str) -> None:
    assert zone
    assert rich.is_dir()
    for day in ("2026-05-01", "2026-05-02", "2026-05-04"):
        among_all = [one for one in stats()["groups"] if one["day"] == day]
        assert stats("--since", day, "--until", day)["groups"] == among_all
