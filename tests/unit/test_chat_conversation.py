"""The transcript of a conversation: whole as soon as it can be written, and read past whatever else lies there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from harkback.chat.conversation import Conversation, earlier, paths

if TYPE_CHECKING:
    from pathlib import Path

NOW_MS = 1_900_000_000_000

# The size of a file is limited, so a line is written in part; then it is not.
FULL = """
import resource, signal, sys
from harkback.chat.conversation import Conversation
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
one = Conversation.begin(sys.argv[1], 1_900_000_000_000, "/here")
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), hard))
for number in range(6):
    one.add("user", f"said {number}", 1_900_000_000_000 + number)
print(one.news())
print(one.news())
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
one.catch_up()
print(one.trouble)
"""


def said(path: str) -> list[str]:
    with open(path, encoding="utf-8") as file:
        return [json.loads(line).get("text", "") for line in file]


@pytest.mark.parametrize("most", [0, 50, 150, 300, 500])
def test_what_a_full_disk_did_not_take_is_written_when_it_does(tmp_path: Path, most: int) -> None:
    pytest.importorskip("resource")
    argv = [sys.executable, "-c", FULL, str(tmp_path), str(most)]
    done = subprocess.run(argv, capture_output=True, encoding="utf-8", timeout=20, check=True)
    first, second, last, _ = done.stdout.split("\n")
    assert "cannot be written (File too large)" in first
    assert (second, last) == ("", "None")
    (path,) = paths(str(tmp_path))
    assert said(path) == ["", *(f"said {number}" for number in range(6))]


def test_on_a_full_disk_no_empty_transcript_is_left(tmp_path: Path) -> None:
    pytest.importorskip("resource")
    program = FULL.partition("resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))")[0]
    subprocess.run([sys.executable, "-c", program, str(tmp_path), "0"], capture_output=True, timeout=20, check=True)
    assert list((tmp_path / "chat").iterdir()) == []


def test_a_line_that_somebody_was_killed_in_spoils_no_other(tmp_path: Path) -> None:
    one = Conversation.begin(str(tmp_path), NOW_MS, "/here")
    one.add("user", "whole", NOW_MS)
    with open(one.path, "a", encoding="utf-8") as file:
        file.write('{"type": "mess')
    one.add("assistant", "after it", NOW_MS)
    assert [turn.text for turn in Conversation.load(one.path).turns] == ["whole", "after it"]


def test_what_is_no_transcript_hides_none(tmp_path: Path) -> None:
    one = Conversation.begin(str(tmp_path), NOW_MS, "/here")
    one.add("user", "the only one", NOW_MS)
    folder = tmp_path / "chat"
    (folder / "a.jsonl").mkdir()
    (folder / "b.jsonl").write_bytes(b"")
    (folder / "c.jsonl").write_bytes(b"\xff\x00 no JSON")
    if hasattr(os, "mkfifo"):
        os.mkfifo(folder / "d.jsonl")
    with suppress(OSError):  # as on Windows, without a right for it
        (folder / "e.jsonl").symlink_to(folder / "nowhere")
    assert [found.title for found in earlier(str(tmp_path), 10)] == ["the only one"]
    assert len(paths(str(tmp_path))) == 3


@pytest.mark.parametrize(
    ("written", "is_said"),
    [("2030-01-01T00:00:00.000Z", True), ("9999-01-01T00:00:00.000Z", False), ("no date", False)],
)
def test_a_time_that_cannot_be_is_that_of_the_file(tmp_path: Path, written: str, is_said: bool) -> None:
    (tmp_path / "chat").mkdir()
    path = tmp_path / "chat" / "x_y.jsonl"
    row = {"type": "message", "role": "user", "text": "hi", "timestamp": written}
    path.write_text(json.dumps(row), encoding="utf-8")
    os.utime(path, (NOW_MS / 1000 - 60, NOW_MS / 1000 - 60))
    one = Conversation.load(str(path))
    assert one.last_ms(NOW_MS) == (one.ended_ms if is_said else NOW_MS - 60_000)
    assert one.last_ms(NOW_MS - 120_000) <= NOW_MS - 120_000
