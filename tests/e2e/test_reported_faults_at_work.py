"""Faults that users of such tools have reported, and the right behaviour: freshness, queries, storage.

Each test names the public issue in its docstring. What is read and said once is in `test_reported_faults`.
"""

# Faults that a test elsewhere holds as they stand, and which are not repeated here:
#
# | fault                                                | test                                                    |
# |------------------------------------------------------|---------------------------------------------------------|
# | vshulcz/deja-vu#453: truncated and regrown           | ../crash/test_changed_transcripts.py::test_after_a_     |
# |                                                      | change_old_rows_are_gone_and_new_ones_there; for Codex  |
# |                                                      | and Pi test_correctness_table.py::test_after_a_rewind_* |
# | TokenRhythm/opensquilla#1214: nothing was "pending"  | test_queries.py::test_the_first_search_reads_what_is_   |
# |                                                      | there                                                   |
# | can1357/oh-my-pi#6676: deleted transcripts           | test_queries.py::test_a_deleted_transcript_is_still_    |
# |                                                      | found_and_marked_gone; for all three agents             |
# |                                                      | test_correctness_table.py::test_a_deleted_transcript_*  |
# | NousResearch/hermes-agent#7824, #40653,              | test_queries.py::test_a_query_finds_exactly_the_        |
# | lucasastorian/llmwiki#82, velvetmonkey/flywheel-     | messages_that_hold_it [wrong-book], [TODO: fix],        |
# | memory#353: "no such column"                         | [2026-05-08], and test_any_string_is_a_query            |
# | NousResearch/hermes-agent#54242: Latin glued to CJK  | test_queries.py::test_a_query_finds_exactly_the_        |
# |                                                      | messages_that_hold_it [youer], [youer服務端]            |
# | arjunkmrm/recall#11, Gentleman-Programming/          | test_two_at_once.py::test_two_syncs_and_ten_searches_   |
# | engram#1182, cq27-dev/rag-rat#143/#220: "database is | on_a_new_archive_all_end_well, ::test_searches_do_not_  |
# | locked" (that readers never write is held here)      | wait_for_a_sync_that_stands_still, ::test_a_sync_waits_ |
# |                                                      | for_another_and_says_so                                 |
# | Dicklesworthstone/coding_agent_session_search#244,   | ../crash/test_kill_points.py::test_two_hundred_kills_   |
# | #282, #320, #382, #413, #483: kill -9, full disk     | leave_what_one_clean_sync_makes, ../crash/test_full_    |
# |                                                      | disk.py::test_on_a_full_disk_sync_says_so_and_what_was_ |
# |                                                      | stored_is_still_found                                   |

from __future__ import annotations

import base64
import hashlib
import json
import os
import random
import sqlite3
import subprocess
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from harkback.sources import jsonl

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.pens import AGENTS, PENS, Claude, Pen, Pi, by_agent, everywhere, hark, hits, texts
else:
    from pens import AGENTS, PENS, Claude, Pen, Pi, by_agent, everywhere, hark, hits, texts

DAY = "2026-11-03"
every_agent = pytest.mark.parametrize("pen_type", PENS, ids=AGENTS)


def talk(pen: Pen, count: int, word: str) -> Pen:
    for number in range(count):
        pen.user(f"{word} number {number}")
    return pen


# -- freshness ---------------------------------------------------------------------------------------------------


def steps_of(home: Path, others: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """Count what SQLite does, in thousands of steps, while a short transcript is rewritten beside a longer one."""
    talk(Claude(1, DAY), others, "pear").write(home)
    short = talk(Claude(2, DAY), 5, "apple")
    short.write(home)
    assert hark("sync").status == 0
    short.rewind(0)
    talk(short, 5, "plum").write(home)
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    connect = sqlite3.connect

    def counted(*args: Any, **options: Any) -> sqlite3.Connection:
        con: sqlite3.Connection = connect(*args, **options)
        con.set_progress_handler(count, 100)
        return con

    with monkeypatch.context() as patch:
        patch.setattr(sqlite3, "connect", counted)
        assert hark("sync", "--json").json["messages"] == 5
    assert len(texts("plum")) == 5
    assert texts("apple") == []
    return steps


def test_what_a_rewritten_transcript_costs_does_not_depend_on_what_else_is_stored(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """arjunkmrm/recall#13: deleting by session scanned the table, 150 changed files took 75 s instead of 1.5 s."""
    few = steps_of(own_home, 20, monkeypatch)
    many = steps_of(own_home, 4000, monkeypatch)
    assert few > 0
    assert many < few * 2


def parsed(monkeypatch: pytest.MonkeyPatch, *argv: str) -> int:
    """Run a command and count the lines that are parsed meanwhile."""
    count = 0

    def loads(data: bytes) -> Any:
        nonlocal count
        count += 1
        return orjson.loads(data)

    with monkeypatch.context() as patch:
        patch.setattr(jsonl, "orjson", SimpleNamespace(loads=loads, dumps=orjson.dumps))
        assert hark(*argv).status == 0
    return count


@every_agent
def test_of_a_transcript_that_grew_only_the_tail_is_read(
    own_home: Path, pen_type: type[Pen], monkeypatch: pytest.MonkeyPatch
) -> None:
    """arjunkmrm/recall#13: append only the tail."""
    pen = talk(pen_type(1, DAY), 300, "pear")
    pen.write(own_home)
    assert parsed(monkeypatch, "sync") >= len(pen.rows)
    size = len(pen.rows)
    pen.user("apple at the end")
    pen.append(own_home, size)
    assert parsed(monkeypatch, "search", "apple") <= 5
    assert texts("apple") == ["apple at the end"]
    assert sum(one["messages"] for one in hark("sessions", "--json").json["sessions"]) == 301


def test_progress_lines_of_a_subagent_cost_no_new_reading(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """kenn-io/agentsview#1073: a subagent's progress lines forced the whole file to be parsed each time."""
    pen = talk(Claude(1, DAY), 300, "pear")
    pen.write(own_home)
    assert parsed(monkeypatch, "sync") >= 300
    for number in range(3):
        size = len(pen.rows)
        inner = {
            "type": "assistant",
            "message": {"role": "assistant", "content": [{"type": "text", "text": "FROMSUB"}]},
        }
        data = {"type": "agent_progress", "agentId": "a1", "message": inner}
        facts = {"sessionId": pen.native, "timestamp": pen.now(), "uuid": pen.key(), "toolUseID": "agent_msg_1"}
        pen.rows.append({"type": "progress", "data": data, **facts})
        pen.append(own_home, size)
        assert parsed(monkeypatch, "search", "pear") <= 5, number
    assert hark("sync", "--json").json["pending"] == 0
    assert texts("FROMSUB", "--all") == []
    pen.say("FROMSUB says the session itself")
    pen.write(own_home)
    assert texts("FROMSUB") == ["FROMSUB says the session itself"]


def test_what_an_agent_deleted_outlives_every_rebuild(own_home: Path) -> None:
    """vshulcz/deja-vu#3529: a full rebuild dropped the sessions whose file the agent had deleted."""
    for number, pen_type in enumerate(PENS, 1):
        pen = talk(pen_type(number, DAY), 1, "apple")
        pen.write(own_home)
        talk(pen_type(number + 0x10, "2026-11-05"), 1, "pear").write(own_home)
    wanted = everywhere("apple number 0")
    assert by_agent("apple") == wanted
    for number, pen_type in enumerate(PENS, 1):
        pen_type(number, DAY).path(own_home).unlink()
    for argv in (["sync"], ["sync", "--full"], ["rebuild"], ["sync", "--full"]):
        assert hark(*argv).status == 0
        assert by_agent("apple") == wanted, argv
        assert by_agent("pear") == everywhere("pear number 0"), argv
        assert {hit["gone"] for hit in hits("apple")} == {True}
        assert {hit["gone"] for hit in hits("pear")} == {False}


# -- queries -----------------------------------------------------------------------------------------------------


def prompts(home: Path, *said: str, cwd: str = "/w/demo", number: int = 1) -> Claude:
    pen = Claude(number, DAY, cwd)
    for text in said:
        pen.user(text)
    pen.write(home)
    return pen


def test_a_star_at_the_end_makes_nothing_unfindable(own_home: Path) -> None:
    """NousResearch/hermes-agent#90636: the star that was added for a prefix stood literally in a LIKE."""
    prompts(own_home, "deploy now", "這個服務要怎麼部署", "nothing of it")
    for query in ("deploy", "deploy*", "depl*", "*deploy", "deploy *"):
        assert texts(query) == ["deploy now"], query
    for query in ("部署", "部署*", "怎麼部*"):
        assert texts(query) == ["這個服務要怎麼部署"], query


def test_percent_and_underscore_stand_for_nothing_else(own_home: Path) -> None:
    """NousResearch/hermes-agent#16276: `%` and `_` were not escaped in a LIKE and fitted everything."""
    pen = prompts(own_home, "about 100% done", "see a_b.py here", "see axb.py there", "1000 of them")
    pen.edit("/w/demo/a_b.py")
    pen.edit("/w/demo/axb.py")
    pen.title(own_home, "50% of my_title")
    pen.write(own_home)
    prompts(own_home, "elsewhere 別處", cwd="/w/dxmo", number=2)
    assert texts("100%") == ["about 100% done"]
    assert texts("a_b.py", "--in", "talk") == ["see a_b.py here"]
    for query in ("1%0", "ab%ut", "d%e", "%", "_", "____", "d_ne", "1_0"):
        assert texts(query) == [], query
        assert texts(query, "--substring") == [], query
    assert [hit["files"] for hit in hits("file:a_b.py")] == [["/w/demo/a_b.py"]]
    for value in ("a%b.py", "a_b_py", "%", "_______", "%.py"):
        assert hits("--file", value) == [], value
    assert {hit["project"] for hit in hits("--project", "dxmo")} == {"/w/dxmo"}
    for value in ("d_mo", "d%", "%", "____"):
        assert hits("--project", value) == [], value
        assert hits("--branch", value) == [], value
    assert [one["title"] for one in hark("sessions", "50% of my_", "--json").json["sessions"]] == ["50% of my_title"]
    for piece in ("my%title", "my__itle", "5_%", "50_"):
        assert hark("sessions", piece, "--json").json["sessions"] == [], piece
    for name in ("0000%", "00000001_", "________"):
        assert hark("show", name).status == 1, name
    assert hark("show", pen.native).status == 0


def test_latin_glued_to_chinese_is_a_word(own_home: Path) -> None:
    """tommy0103/obelisk#9: in 重跑gen-itgc后50条 neither `gen` nor `itgc` was found."""
    text = "重跑gen-itgc后50条"
    prompts(own_home, text, "another 句子")
    for query in ("gen", "itgc", "gen-itgc", "GEN", "重跑", "重跑gen", "itgc后", "后50条", "50", "50条", text):
        assert texts(query) == [text], query


def test_a_text_is_searched_behind_a_nul(own_home: Path) -> None:
    """Kilo-Org/kilocode#14148: rows with an embedded NUL were never searched past it."""
    for number, pen_type in enumerate(PENS, 1):
        pen = pen_type(number, DAY)
        pen.user("words before \x00 and NULTAIL behind 之後")
        pen.write(own_home)
    for query in ("before", "NULTAIL", "之後", "before NULTAIL"):
        found = hits(query)
        assert sorted(hit["agent"] for hit in found) == sorted(AGENTS), query
        assert ["\0" in hit["snippet"] for hit in found] == [False] * len(AGENTS)


def test_the_whole_word_comes_before_a_word_that_holds_it(own_home: Path) -> None:
    """Kilo-Org/kilocode#14148: `cat` ranked `category` first."""
    older = prompts(own_home, "the cat sat")
    assert texts("cat") == ["the cat sat"]
    newer = Claude(2, "2026-11-29")
    newer.user("category category category")
    newer.user("one category")
    newer.write(own_home)
    assert [hit["session"] for hit in hits("category", "-n", "1")] == [newer.id]
    found = hits("cat", "--substring")
    assert [hit["session"] for hit in found] == [older.id, newer.id, newer.id]
    assert hits("cat")[0]["session"] == older.id
    assert [hit["session"] for hit in hits("cat", "--substring", "--by", "session")] == [older.id, newer.id]


# -- storage -----------------------------------------------------------------------------------------------------


def contents(folder: Path) -> dict[str, tuple[int, int, str]]:
    """Tell each file's inode, time and content; SQLite's shared memory and a journal without entries are none."""
    return {
        str(path.relative_to(folder)): (
            path.stat().st_ino,
            path.stat().st_mtime_ns,
            hashlib.sha256(path.read_bytes()).hexdigest(),
        )
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and not path.name.endswith("-shm")
        and not (path.name.endswith("-wal") and not path.stat().st_size)
    }


def reading_commands(pen: Pen) -> list[list[str]]:
    return [
        ["search", "--no-sync", "apple"],
        ["search", "--no-sync", "--all", "--by", "session", "pear OR apple"],
        ["search", "apple"],
        ["show", pen.native],
        ["sessions"],
        ["status"],
        [],
    ]


def test_what_only_reads_writes_nothing(own_home: Path) -> None:
    """arjunkmrm/recall#11, Gentleman-Programming/engram#1182, cq27-dev/rag-rat#143 and #220: tools wrote on open."""
    data = own_home.parent / "archive"
    pen = talk(Claude(1, DAY), 3, "apple")
    pen.write(own_home)
    assert hark("sync").status == 0
    before = contents(data)
    assert len(before) > 1
    for argv in reading_commands(pen):
        assert hark(*argv).status == 0, argv
        assert contents(data) == before, argv
    pen.user("apple and more")
    pen.write(own_home)
    assert len(texts("apple")) == 4
    assert contents(data) != before


def test_a_race_is_not_mistaken_for_corruption(own_home: Path) -> None:
    """DeusData/codebase-memory-mcp#1206: a healthy database that another process held was renamed to `.corrupt`."""
    data = own_home.parent / "archive"
    pen = talk(Claude(1, DAY), 3, "apple")
    pen.write(own_home)
    assert hark("sync").status == 0
    before = {path: path.stat().st_ino for path in data.rglob("*")}
    con = sqlite3.connect(data / "archive.sqlite", isolation_level=None)
    try:
        con.execute("BEGIN EXCLUSIVE")
        con.execute("CREATE TABLE half (written)")
        for argv in reading_commands(pen):
            assert hark(*argv).status == 0, argv
        assert len(texts("apple", "--no-sync")) == 3
        con.execute("ROLLBACK")
    finally:
        con.close()
    after = {path: path.stat().st_ino for path in data.rglob("*") if not path.name.endswith(("-wal", "-shm"))}
    assert after == {path: inode for path, inode in before.items() if path in after}
    assert {path.name for path in after} >= {"archive.sqlite"}
    pen.user("apple and more")
    pen.write(own_home)
    assert len(texts("apple")) == 4


# `ru_maxrss` will not do: on Linux it begins with what the process that started this one holds.
PEAK = """
import sys
from harkback.cli import main
status = main(["sync", "--json"])
print(next(line for line in open("/proc/self/status") if line.startswith("VmHWM:")).split()[1])
sys.exit(status)
"""


def peak_kb(folder: Path, images: int) -> int:
    """Read sessions with so many pictures of 1 MB in each agent's, and give the most memory that took."""
    home = folder / "home"
    made = random.Random(7)
    for number, pen_type in enumerate(PENS, 1):
        pen = pen_type(number, DAY)
        pen.user("look at this 圖片")
        for _ in range(images):
            pen.image(base64.b64encode(made.randbytes(768_000)).decode())
        pen.say("I see a capybara")
        pen.write(home)
    env = os.environ | {"HOME": str(home), "HARK_HOME": str(folder / "archive")}
    done = subprocess.run([sys.executable, "-c", PEAK], env=env, capture_output=True, text=True, check=True)
    told, peak = done.stdout.splitlines()
    assert json.loads(told)["problems"] == 0
    return int(peak)


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="only Linux tells a process's peak so")
def test_pictures_fill_neither_the_memory_nor_the_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """earendil-works/pi#9613, stablyai/orca#22296, openai/codex#28866, SkillfulAgents/SuperAgent#749.

    A file of 2.6 GB with 6,739 images in base64 blew up the memory of whoever opened it.
    """
    few = peak_kb(tmp_path / "few", 1)
    many = peak_kb(tmp_path / "many", 25)
    assert many < few + 25_000
    sizes = [
        sum(path.stat().st_size for path in (tmp_path / name / "archive").rglob("*") if path.is_file())
        for name in ("few", "many")
    ]
    assert sizes[1] < sizes[0] + 200_000
    monkeypatch.setenv("HOME", str(tmp_path / "many" / "home"))
    monkeypatch.setenv("HARK_HOME", str(tmp_path / "many" / "archive"))
    assert by_agent("圖片") == everywhere("look at this 圖片")
    assert by_agent("capybara") == everywhere("I see a capybara")


@every_agent
def test_what_is_too_long_to_be_read_is_noted(
    own_home: Path, pen_type: type[Pen], monkeypatch: pytest.MonkeyPatch
) -> None:
    """openai/codex#28866, earendil-works/pi#9613: note what was skipped."""
    monkeypatch.setattr(jsonl, "LINE_LIMIT", 100_000)
    pen = pen_type(1, DAY)
    pen.user("before it 之前")
    size = len(pen.rows)
    pen.user("HUGETOKEN " + "x" * 50_000)
    number = len(pen.rows) - size
    pen.user("after it 之後")
    pen.write(own_home)
    assert len(hits("HUGETOKEN")) == 1
    pen.write(own_home, [*pen.rows[:size], *_longer(pen.rows[size : size + number]), *pen.rows[size + number :]])
    assert hits("HUGETOKEN") == []
    assert texts("之前") == ["before it 之前"]
    assert texts("之後") == ["after it 之後"]
    assert hark("status", "--json").json["problem_kinds"] == {"line-too-long": number}


def _longer(rows: list[Any]) -> list[bytes]:
    return [json.dumps(row).replace("x" * 50_000, "x" * 200_000).encode() + b"\n" for row in rows]


@pytest.mark.parametrize("pen_type", [Claude, Pi], ids=["claude-code", "pi"])
def test_a_project_is_where_the_records_say_whatever_the_folder_is_called(own_home: Path, pen_type: type[Pen]) -> None:
    """Folder names do not say where a session was: `-home-dev-my-app` may be three folders.

    jhlee0409/claude-code-history-viewer#548, vshulcz/deja-vu#217, lcoutodemos/clui-cc#53,
    CosmoNaught/claude-code-cmv#1, epilande/ccmux#156.
    """
    folders = ["/home/dev/my-app", "/home/dev/my.app", "/home/dev/my/app", "C:\\home\\dev\\my app", "/home/dev/我的"]
    for number, cwd in enumerate(folders, 1):
        pen = pen_type(number, DAY, cwd)
        pen.user(f"said there 那裡 {number}")
        path = pen.write(own_home)
        shared = path.parent.parent / ("-home-dev-my-app" if pen_type is Claude else "--home-dev-my-app--")
        shared.mkdir(exist_ok=True)
        path.rename(shared / path.name)
    found = {hit["snippet"]: hit for hit in hits("那裡")}
    assert len(found) == len(folders)
    for number, cwd in enumerate(folders, 1):
        hit = found[f"said there 那裡 {number}"]
        assert (hit["project"], hit["resume"]["cwd"]) == (cwd, cwd)
        assert texts("那裡", "--project", cwd) == [f"said there 那裡 {number}"]
    for name, numbers in (("my-app", [1]), ("my.app", [2]), ("app", [3]), ("my app", [4]), ("我的", [5])):
        assert texts("那裡", "--project", name) == [f"said there 那裡 {number}" for number in numbers], name


def test_as_many_hits_as_are_asked_for(own_home: Path) -> None:
    """Two hundred hits for `-n 400` of three hundred matches, without a word, reads as "that is all"."""
    pen = Claude(1, "2026-11-03")
    for number in range(300):
        pen.user(f"pear number {number}")
    pen.write(own_home)
    found = hark("search", "--json", "-n", "400", "pear", f"session:{pen.native}").json
    assert len(found["hits"]) == 300
    assert len(hark("search", "--json", "-n", "250", "pear").json["hits"]) <= 250


def test_where_transcripts_hold_no_talk_they_are_not_said_to_be_missing(own_home: Path) -> None:
    assert "No agent transcripts" in hark("search", "answer").out
    path = own_home / ".claude" / "projects" / "-w" / "s.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("no record\n", encoding="utf-8")
    said = hark("search", "answer").out
    assert "No agent transcripts" not in said
    assert "Not found in any session that was read" in said
