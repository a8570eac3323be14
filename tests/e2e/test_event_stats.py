"""`hark events --stats` against a count of the raw files that shares nothing with harkback, and numbers by hand."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest

sys.path.append(str(Path(__file__).parents[2]))  # where `bench` lies

from bench._counts import PLACE, count, differences, numbers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.e2e.pens import hark
else:
    from pens import hark

Row = dict[str, Any]

ZONES = ("UTC", "Asia/Tokyo", "America/Los_Angeles")

# Sessions begin shortly before a midnight: of UTC, of Tokyo (15:00 UTC), of Los Angeles (07:00 UTC, and 08:00 when
# its summer time has ended, which it does on 2026-11-01).
BEGINNINGS = (
    "2026-05-01T23:59:10",
    "2026-05-02T14:59:10",
    "2026-05-03T06:59:10",
    "2026-10-31T06:59:10",
    "2026-11-02T07:30:00",
    "2026-12-31T07:59:10",
)
TICK_S = 17


def uuid(number: int) -> str:
    return str(UUID(int=number, version=4))


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def iso(one: datetime) -> str:
    return one.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def write(path: Path, rows: Iterable[Row], changed: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    if changed:
        seconds = moment(changed).timestamp()
        os.utime(path, (seconds, seconds))


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


def kinds() -> dict[str, int]:
    """Count what `hark events` prints, line by line."""
    found: dict[str, int] = {}
    command = [sys.executable, "-m", "harkback", "events"]
    for line in subprocess.run(command, capture_output=True, check=True, timeout=60).stdout.splitlines():
        kind = json.loads(line)["kind"]
        found[kind] = found.get(kind, 0) + 1
    return found


# -- homes in the shapes of the generator of the benchmarks -------------------------------------------------------


def claude_home(home: Path) -> None:
    for number, begins in enumerate(BEGINNINGS):
        native, cwd, rows = uuid(number + 1), f"/home/dev/proj-{number % 2}", list[Row]()

        def add(kind: str, message: Row, begins: str = begins, rows: list[Row] = rows, **more: Any) -> None:
            when = moment(begins) + timedelta(seconds=len(rows) * TICK_S)
            more |= {"type": kind, "message": message, "uuid": f"{begins}-{len(rows)}", "timestamp": iso(when)}
            rows.append({"parentUuid": None, "isSidechain": False, "version": "2.1.30", "gitBranch": "main", **more})

        for turn in range(2 + number % 2):
            add("user", {"role": "user", "content": f"問題 {turn} of {begins}"}, cwd=cwd, sessionId=native)
            call = f"toolu_{number}_{turn}"
            content: list[Row] = [
                {"type": "thinking", "thinking": f"thought {turn}", "signature": "s" * 200},
                {"type": "text", "text": f"回答 {turn} before the call"},
                {"type": "tool_use", "id": call, "name": ("Bash", "Read", "Edit")[turn], "input": {"command": "ls"}},
            ]
            message = {"id": f"msg_{call}", "role": "assistant", "model": "claude-opus-4-6", "content": content}
            add("assistant", message, cwd=cwd, sessionId=native)
            result = [{"type": "tool_result", "tool_use_id": call, "content": f"output {turn}"}]
            more: Row = {"cwd": cwd, "sessionId": native, "toolUseResult": {"stdout": f"output {turn}"}}
            add("user", {"role": "user", "content": result}, **more)
            progress = {"type": "progress", "data": {"type": "bash_progress", "output": f"output {turn}"}}
            rows.append({**progress, "sessionId": native, "timestamp": iso(moment(begins)), "uuid": f"p-{call}"})
            image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
            add("user", {"role": "user", "content": [image]}, cwd=cwd, sessionId=native)
        last = {"id": f"msg_last_{number}", "role": "assistant", "model": "claude-opus-4-6"}
        add("assistant", {**last, "content": [{"type": "text", "text": "終わり"}]}, cwd=cwd, sessionId=native)
        write(home / f".claude/projects/-home-dev-proj-{number % 2}/{native}.jsonl", rows)


def codex_home(home: Path) -> None:
    for number, begins in enumerate(BEGINNINGS):
        native, cwd, records = uuid(number + 0x100), f"/home/dev/cx{number % 2}", list[Row]()

        def row(outer: str, begins: str = begins, rows: list[Row] = records, /, **payload: Any) -> None:
            ticks = sum(one["type"] != "event_msg" for one in rows) - (outer == "event_msg")  # at once with its item
            when = moment(begins) + timedelta(seconds=ticks * TICK_S)
            rows.append({"timestamp": iso(when), "type": outer, "payload": payload})

        meta = {"id": native, "timestamp": iso(moment(begins)), "cwd": cwd, "originator": "codex_cli_rs"}
        row("session_meta", **meta, cli_version="0.99.0", source="cli")
        row("turn_context", cwd=cwd, model="gpt-5.6")
        for turn in range(2 + number % 2):
            said, call = {"role": "user", "content": [{"type": "input_text", "text": f"go on {turn}"}]}, f"c{turn}"
            row("response_item", type="message", **said)
            row("event_msg", type="user_message", message=f"go on {turn}")
            row("response_item", type="function_call", name="shell", arguments='{"command": ["ls"]}', call_id=call)
            row("response_item", type="function_call_output", call_id=call, output=f"output {turn}")
            answer = [{"type": "output_text", "text": "同じ回答"}]
            row("response_item", type="message", role="assistant", content=answer)
            row("event_msg", type="agent_message", message="同じ回答")
        name = begins.replace(":", "-")
        write(home / f".codex/sessions/{begins[:10].replace('-', '/')}/rollout-{name}-{native}.jsonl", records)


def pi_home(home: Path) -> None:
    for number, begins in enumerate(BEGINNINGS):
        native, start = uuid(number + 0x200), moment(begins)
        rows: list[Row] = [
            {"type": "session", "version": 3, "id": native, "timestamp": iso(start), "cwd": f"/home/dev/pi{number % 2}"}
        ]
        for place in range(3 + number):
            role = "assistant" if place % 2 else "user"
            message = {"role": role, "content": [{"type": "text", "text": f"{role} {place}"}]}
            entry = {"type": "message", "id": f"{number:04x}{place:04x}", "parentId": None, "message": message}
            rows.append({**entry, "timestamp": iso(start + timedelta(seconds=place * TICK_S))})
        path = f"--home-dev-pi{number % 2}--/{begins.replace(':', '-')}-000Z_{native}.jsonl"
        write(home / ".pi/agent/sessions" / path, rows)


@pytest.mark.parametrize("zone", ZONES, indirect=True)
def test_the_stats_are_what_the_raw_files_hold(own_home: Path, zone: str) -> None:
    for make in (claude_home, codex_home, pi_home):
        make(own_home)

    given, counted = stats(), count(str(own_home), zone)

    assert differences(given, counted) == []
    assert given == counted
    assert kinds() == given["total"]["events"]


def test_the_raw_files_hold_what_was_written(own_home: Path) -> None:
    for make in (claude_home, codex_home, pi_home):
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
    for make in (pi_home, codex_home, claude_home):
        make(own_home)
    places = [tuple(group[name] for name in PLACE) for group in stats()["groups"]]
    assert len(places) > 12
    assert all(before < after for before, after in pairwise(places))
