"""A transcript that cannot be read to its end: what was read is kept, once, and the rest comes when it can be read."""

from __future__ import annotations

import json
import sqlite3
from typing import TYPE_CHECKING, Any

import zstandard

from harkback.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

THREAD = "01a22bb5-e5d7-75a0-aee2-d5f5fb6a5a8c"


def record(kind: str, **payload: Any) -> bytes:
    return json.dumps({"timestamp": "2026-11-30T09:08:00.000Z", "type": kind, "payload": payload}).encode() + b"\n"


def rows(home: Path) -> list[tuple[Any, ...]]:
    con = sqlite3.connect(home / "archive" / "archive.sqlite")
    found = con.execute("SELECT text FROM part WHERE pos >= 0 ORDER BY pos").fetchall()
    copies = con.execute("SELECT count(*) FROM copy").fetchone()[0]
    con.close()
    return [*found, ("copies", copies)]


def test_a_compressed_transcript_that_is_cut_off_is_kept_once_and_read_again(
    own_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HARK_HOME", str(own_home / "archive"))
    monkeypatch.setattr("harkback.sources.files._PACKED_BYTES", 64)
    folder = own_home / ".codex" / "sessions"
    folder.mkdir(parents=True)
    path = folder / f"rollout-2026-11-30T09-07-50-{THREAD}.jsonl.zst"
    lines = [record("session_meta", id=THREAD, cwd="/w")]
    lines += [record("event_msg", type="user_message", message=f"prompt {number}") for number in range(40)]
    frames = b"".join(zstandard.ZstdCompressor().compress(line) for line in lines)
    path.write_bytes(frames[: len(frames) // 2])
    for _ in range(3):
        assert main(["sync"]) == 0
        kept = rows(own_home)
        assert kept[0] == ("prompt 0",)
        assert kept == [*((f"prompt {number}",) for number in range(len(kept) - 1)), ("copies", 0)]
        assert 10 < len(kept) < 35
    assert main(["status"]) == 0
    assert "unreadable 1" in capsys.readouterr().out
    path.write_bytes(frames)
    assert main(["sync"]) == 0
    assert rows(own_home) == [*((f"prompt {number}",) for number in range(40)), ("copies", 0)]
    assert main(["status"]) == 0
    assert "problems   none" in capsys.readouterr().out
    assert main(["search", "prompt", "39"]) == 0


def test_what_was_stored_before_the_folder_was_known_is_found_by_its_project(
    own_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = own_home / ".claude" / "projects" / "-x" / "s.jsonl"
    path.parent.mkdir(parents=True)
    row = {"type": "user", "sessionId": "s", "timestamp": "2026-11-03T09:00:00Z", "message": {"content": "ask pear"}}
    path.write_text(json.dumps({**row, "uuid": "u1"}) + "\n", encoding="utf-8")
    assert main(["search", "pear"]) == 0
    assert main(["search", "pear", "project:x"]) == 1
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps({**row, "uuid": "u2", "cwd": "/x", "message": {"content": "more"}}) + "\n")
    capsys.readouterr()
    assert main(["search", "pear", "project:x"]) == 0
    assert "ask pear" in capsys.readouterr().out
