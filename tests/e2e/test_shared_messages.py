"""Messages that stand in several sessions, and what a person sees of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

import harkback
from harkback.archive.sessions import Archive
from harkback.cli import main
from harkback.config import place
from harkback.errors import TranscriptGone

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(harkback.__file__)))
A, B = "aaaaaaaa-0000-4000-8000-000000000001", "bbbbbbbb-0000-4000-8000-000000000002"


class Home:
    """A home with Claude Code sessions, and `hark` run in it."""

    def __init__(self, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.home = home
        self.capsys = capsys

    def put(self, native: str, rows: list[dict[str, Any]], mtime: int, folder: str = "-w") -> None:
        path = self.home / ".claude" / "projects" / folder / f"{native}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
        os.utime(path, (mtime, mtime))

    def hark(self, *argv: str) -> tuple[int, str, str]:
        status = main(list(argv))
        shown = self.capsys.readouterr()
        return status, shown.out, shown.err

    def hits(self, *argv: str) -> list[dict[str, Any]]:
        hits: list[dict[str, Any]] = json.loads(self.hark("search", "--json", *argv)[1])["hits"]
        return hits


@pytest.fixture
def home(own_home: Path, capsys: pytest.CaptureFixture[str]) -> Home:
    return Home(own_home, capsys)


def said(uuid: str, text: str, second: int, **more: Any) -> dict[str, Any]:
    return {
        "type": "user",
        "uuid": uuid,
        "sessionId": A,
        "cwd": "/home/dev/proj",
        "gitBranch": "main",
        "timestamp": f"2026-08-01T10:00:{second:02d}Z",
        "message": {"role": "user", "content": text},
        **more,
    }


def edited(uuid: str, path: str, second: int) -> dict[str, Any]:
    block = {"type": "tool_use", "id": f"t-{uuid}", "name": "Edit", "input": {"file_path": path}}
    message = {"role": "assistant", "id": f"m-{uuid}", "content": [block]}
    return said(uuid, "", second) | {"type": "assistant", "message": message}


def fork_home(home: Home) -> None:
    """A, and B that was forked from it in another project on another branch, and is read first because it is newer."""
    shared = [said("u1", "the zebra", 1), edited("u2", "/home/dev/proj/zoo.py", 2), said("u3", "the giraffe", 3)]
    there = {"sessionId": B, "cwd": "/home/dev/other", "gitBranch": "feature"}
    home.put(A, [*shared, said("u4", "A goes on: rhino", 4)], 1_000_000)
    home.put(B, [*[row | there for row in shared], said("u5", "B goes on: hippo", 9, **there)], 2_000_000)


def test_a_copied_message_is_one_hit_of_the_session_it_was_first_said_in(home: Home) -> None:
    fork_home(home)
    (hit,) = home.hits("zebra")
    assert hit["session"] == f"claude-code:{A}"
    assert [copy["session"] for copy in hit["copies"]] == [f"claude-code:{B}"]


@pytest.mark.parametrize("ask", ["project:proj", "project:other", "branch:main", "branch:feature", f"session:{A}"])
def test_a_copied_message_is_found_by_every_place_it_stands_in(home: Home, ask: str) -> None:
    fork_home(home)
    assert len(home.hits("zebra", ask)) == 1
    assert home.hits("zebra", "project:elsewhere") == []


def test_an_excluded_session_is_not_named_as_the_place_of_a_shared_message(home: Home) -> None:
    fork_home(home)
    (hit,) = home.hits("zebra", "--exclude-session", A)
    assert hit["session"] == f"claude-code:{B}"
    assert home.hits("rhino", "--exclude-session", A) == []


def test_the_turns_around_a_hit_are_those_of_the_session_it_is_shown_in(home: Home) -> None:
    fork_home(home)
    (hit,) = home.hits("giraffe", "-C", "2")
    assert [turn["text"] for turn in hit["after"]] == ["A goes on: rhino"]
    (last,) = home.hits("rhino", "-C", "2")
    assert [turn["text"] for turn in last["before"]] == ["the zebra", "the giraffe"]


@pytest.mark.parametrize("native", [A, B])
def test_a_session_shows_its_files_and_prompts_though_another_has_the_rows(home: Home, native: str) -> None:
    fork_home(home)
    home.hark("sync")
    shown = json.loads(home.hark("show", native, "--json")[1])
    assert shown["files"] == ["/home/dev/proj/zoo.py"]
    assert [one["text"] for one in shown["messages"]][:2] == ["the zebra", "the giraffe"]


def test_a_resume_that_rewrote_the_times_keeps_the_first_one(home: Home) -> None:
    rows = [said("u1", "the zebra", 1), said("u2", "the tiger", 2)]
    home.put(A, rows, 1_000_000)
    later = {"sessionId": B, "version": "1.0.98"}
    copied = [row | later | {"timestamp": "2026-08-03T10:00:00Z"} for row in rows]
    home.put(B, [*copied, said("u9", "and on", 9, **later)], 2_000_000)
    (hit,) = home.hits("zebra")
    assert hit["time"].startswith("2026-08-01")
    assert len(home.hits("zebra", "--until", "2026-08-02")) == 1
    assert home.hits("zebra", "--since", "2026-08-02") == []


def test_a_moved_transcript_says_nothing_twice(home: Home) -> None:
    home.put(A, [said("u1", "the zebra", 1), said("u2", "the tiger", 2)], 1_000_000, "-a")
    home.hark("sync")
    (home.home / ".claude/projects/-a").rename(home.home / ".claude/projects/-b")
    home.hark("sync")
    (one,) = json.loads(home.hark("sessions", "--json")[1])["sessions"]
    assert one["messages"] == 2
    assert len(home.hits("zebra")) == 1


def test_the_same_words_said_twice_stay_two_messages(home: Home) -> None:
    rows = [said(f"u{n}", "yes, the tapir", n) for n in (1, 2)]
    for row in rows:
        del row["timestamp"]
    home.put(A, rows, 1_000_000)
    assert len(home.hits("tapir")) == 2


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "soon"])
def test_an_impossible_time_is_no_date_and_stops_nothing(home: Home, moment: str) -> None:
    home.put(A, [said("u1", "the zebra", 1) | {"timestamp": moment}, said("u2", "the tiger", 2)], 1_000_000)
    (hit,) = home.hits("zebra")
    assert hit["time"] is None
    for argv in (["search", "zebra"], ["sessions"], ["status"], []):
        assert home.hark(*argv)[0] == 0


def test_the_line_to_resume_is_quoted(home: Home, tmp_path: Path) -> None:
    folder = tmp_path / "my proj; touch pwned"
    folder.mkdir()
    home.put(A, [said("u1", "the zebra", 1, cwd=str(folder))], 1_000_000)
    home.hark("sync")
    assert f"cd '{folder}' && claude --resume" in home.hark("show", A)[1]


def test_a_rewritten_transcript_is_not_shown_as_the_untouched_record(home: Home) -> None:
    row = said("u1", "the zebra", 1)
    home.put(A, [row], 1_000_000)
    (hit,) = home.hits("zebra")
    archive = Archive(place(os.environ), os.environ, 0, os.curdir)
    assert json.loads(archive.raw(hit["id"])) == row
    home.put(A, [said("u7", "all is new", 1)], 2_000_000)
    with pytest.raises(TranscriptGone):
        archive.raw(hit["id"])


def test_what_injected_text_says_is_not_said_by_the_person(home: Home) -> None:
    text = "before <system-reminder>the okapi</system-reminder> after"
    home.put(A, [said("u1", text, 1), {"type": "ai-title", "aiTitle": "About a quagga", "sessionId": A}], 1_000_000)
    (inner,) = home.hits("okapi")
    assert (inner["role"], inner["lane"]) == ("system", "context")
    (title,) = home.hits("quagga")
    assert (title["role"], title["lane"]) == ("assistant", "title")
    (outer,) = home.hits("before", "after")
    assert (outer["role"], outer["lane"]) == ("user", "talk")


@pytest.mark.parametrize(("item", "meant"), [("--projct", "--project"), ("--limit", "-n")])
def test_a_mistyped_option_is_a_word_with_a_note(home: Home, item: str, meant: str) -> None:
    home.put(A, [said("u1", "the zebra", 1)], 1_000_000)
    assert f"{item} was searched as a word; did you mean the option {meant}?" in home.hark("search", "zebra", item)[2]
    assert "did you mean" not in home.hark("search", "zebra", "--no-cache")[2]


def test_pieces_of_a_short_word_are_named_when_it_is_not_found_whole(home: Home) -> None:
    home.put(A, [said("u1", "部署之後全部失敗", 1)], 1_000_000)
    status, shown, _ = home.hark("search", "部署失敗")
    assert (status, "部署 and 失敗 does. Put a space between the words." in shown) == (1, True)
    assert home.hark("search", "部署", "失敗")[0] == 0


def test_a_page_that_is_not_there_is_said_so(home: Home) -> None:
    home.put(A, [said("u1", "the zebra", 1)], 1_000_000)
    (hit,) = home.hits("zebra")
    for name in (A, hit["id"]):
        assert home.hark("show", name, "--page", "1")[0] == 0
        status, _, told = home.hark("show", name, "--page", "9")
        assert (status, "has no page 9; the last one is page 1" in told) == (1, True)


def test_a_long_message_comes_in_pages_as_json_too(home: Home) -> None:
    home.put(A, [said("u1", "zebra " + "x" * 10_000, 1)], 1_000_000)
    (hit,) = home.hits("zebra")
    first, second = (json.loads(home.hark("show", hit["id"], "--json", "--page", n)[1]) for n in "12")
    assert (first["page"], first["pages"], len(first["message"][0]["text"])) == (1, 2, 9000)
    assert (second["page"], len(second["message"][0]["text"])) == (2, 1006)


def test_the_beginning_of_a_session_with_subagents_means_the_session(home: Home) -> None:
    home.put(A, [said("u1", "the zebra", 1)], 1_000_000)
    below = home.home / ".claude" / "projects" / "-w" / A / "subagents"
    below.mkdir(parents=True)
    row = said("u2", "look for it", 2, isSidechain=True, agentId="a1")
    (below / "agent-a1.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    home.hark("sync")
    for name in (A[:8], f"claude-code:{A[:8]}"):
        assert json.loads(home.hark("show", name, "--json")[1])["session"]["id"] == f"claude-code:{A}"


def test_bare_hark_speaks_json_too(home: Home) -> None:
    assert json.loads(home.hark("--json")[1]) == {"schema": 1, "coverage": None, "transcripts": 0, "newest": None}


def test_nothing_of_the_folder_that_one_stands_in_is_imported(home: Home, tmp_path: Path) -> None:
    (tmp_path / "orjson.py").write_text("open('pwned', 'w').close()\n", encoding="utf-8")
    begin = "import os\nfrom harkback.cli.background import start_sync\n"
    script = f"{begin}start_sync(dict(os.environ), {str(tmp_path / 'd')!r})"
    home.put(A, [said("u1", "the zebra", 1)], 1_000_000)
    env = {name: value for name, value in os.environ.items() if name != "HARK_BACKGROUND"} | {"HOME": str(home.home)}
    env["PYTHONPATH"] = SOURCE
    subprocess.run([sys.executable, "-P", "-c", script], cwd=tmp_path, env=env, check=True)
    for _ in range(200):
        if (tmp_path / "d" / "archive.sqlite").exists():
            break
        subprocess.run([sys.executable, "-c", "import time; time.sleep(0.05)"], check=True)
    assert (tmp_path / "d" / "archive.sqlite").exists()
    assert not (tmp_path / "pwned").exists()


def test_output_that_cannot_be_written_is_an_error_in_one_line(home: Home) -> None:
    home.put(A, [said("u1", "the zebra", 1)], 1_000_000)
    env = dict(os.environ) | {"HOME": str(home.home), "PYTHONPATH": SOURCE}
    argv = [sys.executable, "-P", "-m", "harkback", "search", "zebra"]
    assert subprocess.run(argv, env=env, capture_output=True, check=False).returncode == 0
    closed = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", *argv], env=env, capture_output=True, check=False)
    assert (closed.returncode, closed.stderr.decode().count("\n")) == (2, 1)
    if os.path.exists("/dev/full"):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run(argv, env=env, stdout=full, stderr=subprocess.PIPE, check=False)
        assert done.returncode == 2
        assert b"Traceback" not in done.stderr
    for name in (b"\xff\xfe", "驗".encode("big5")):
        bad = subprocess.run([*argv[:4], "show", name], env=env, capture_output=True, check=False)
        assert (bad.returncode, b"Traceback" in bad.stderr) == (1, False)
