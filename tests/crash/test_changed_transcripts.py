"""What agents and people do to transcripts: the next search tells what stands there now, and nothing twice."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from harkback.archive.answers import SessionView
from harkback.engines.local import LocalEngine
from harkback.ingest import reading
from harkback.ingest.changes import all_changes
from harkback.ingest.reading import Reader
from harkback.query import parse
from harkback.sources import claude_code

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.crash.worlds import NOW_MS, World, line, say, settings
else:
    from worlds import NOW_MS, World, line, say, settings

YEAR_NS = 365 * 86_400_000_000_000

OLD = [say("o1", "apple old one"), say("o2", "apple old two", minute=1), say("o3", "apple old three", minute=2)]
NEW = [say("n1", "apple new one", minute=3), say("n2", "apple new two", minute=4)]
OLD_TEXTS = ["apple old one", "apple old three", "apple old two"]
NEW_TEXTS = ["apple new one", "apple new two"]


def truncate_and_regrow(world: World) -> None:
    with open(world.path("a"), "r+b") as file:
        file.truncate(0)
        file.write(b"".join(line(row) for row in NEW))


def truncate_and_regrow_longer(world: World) -> None:
    rows = [*NEW, say("n3", "pear " * 200, minute=5)]
    with open(world.path("a"), "r+b") as file:
        file.truncate(0)
        file.write(b"".join(line(row) for row in rows))


def rewrite_with_the_same_length(world: World) -> None:
    path = world.path("a")
    size = os.path.getsize(path)
    rows = b"".join(line(row) for row in NEW)
    world.write("a", [rows, b" " * (size - len(rows) - 1) + b"\n"])
    assert os.path.getsize(path) == size


def replace_by_another_file(world: World) -> None:
    other = world.write("other", NEW)
    os.replace(other, world.path("a"))


def replace_keeping_time_and_length(world: World) -> None:
    was = os.stat(world.path("a"))
    rows = b"".join(line(row) for row in NEW)
    other = world.write("other", [rows, b" " * (was.st_size - len(rows) - 1) + b"\n"])
    os.utime(other, ns=(was.st_atime_ns, was.st_mtime_ns))
    os.replace(other, world.path("a"))


CHANGES = (
    truncate_and_regrow,
    truncate_and_regrow_longer,
    rewrite_with_the_same_length,
    replace_by_another_file,
    replace_keeping_time_and_length,
)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: str(change.__name__))
@pytest.mark.parametrize("reads_by", ["search", "sync"])
def test_after_a_change_old_rows_are_gone_and_new_ones_there(
    world: World, change: Callable[[World], None], reads_by: str
) -> None:
    world.write("a", OLD)
    world.sync()
    assert world.found("apple") == OLD_TEXTS
    change(world)
    if reads_by == "sync":
        world.sync()
    answer = world.search("apple", sync=reads_by == "search")
    assert sorted(hit.part.text for hit in answer.found.hits) == NEW_TEXTS
    assert answer.found.lanes == {"talk": 2}
    assert world.state().documents == world.state().parts


def test_after_a_cut_what_is_left_is_found_and_nothing_else(world: World) -> None:
    world.write("a", OLD)
    world.sync()
    os.truncate(world.path("a"), len(line(OLD[0])) + 10)
    assert world.found("apple") == ["apple old one"]
    assert world.state().tallies == {"total_transcripts": 1, "total_messages": 1, "total_parts": 1}


def test_a_transcript_cut_to_nothing_is_kept_and_may_grow_again(world: World) -> None:
    world.write("a", OLD)
    world.sync()
    os.truncate(world.path("a"), 0)
    assert world.found("apple") == OLD_TEXTS
    assert world.found("apple") == OLD_TEXTS
    world.append("a", NEW)
    assert world.found("apple") == NEW_TEXTS


def test_after_a_rotation_both_the_old_and_the_new_text_are_found_once(world: World) -> None:
    world.write("a", OLD)
    world.sync()
    os.replace(world.path("a"), world.path("a-1"))
    world.write("a", NEW)
    assert world.found("apple") == [*NEW_TEXTS, *OLD_TEXTS]
    assert world.state().documents == world.state().parts


def test_a_half_written_last_line_is_left_alone_and_read_when_complete(world: World) -> None:
    world.write("a", OLD)
    whole = line(say("h1", "apple 半分 half", minute=9))
    for cut in (1, 40, len(whole) // 2, whole.index("半".encode()) + 1, len(whole) - 2):
        world.write("a", [*OLD, whole[:cut]])
        assert world.found("apple") == OLD_TEXTS, cut
        world.append("a", [whole[cut:]])
        assert world.found("半分") == ["apple 半分 half"], cut
        assert world.state().problems == []
    world.append("a", [say("h2", "apple after", minute=10)])
    assert world.found("apple after") == ["apple after"]


def test_a_last_line_whose_newline_comes_later_is_found_once(world: World) -> None:
    whole = line(say("h1", "apple at the end"))
    world.write("a", [whole[:-1]])
    assert world.found("apple") == ["apple at the end"]
    world.append("a", [b"\n", say("h2", "apple behind it", minute=1)])
    assert world.found("apple") == ["apple at the end", "apple behind it"]


@pytest.fixture
def only_the_newest_is_looked_at(world: World) -> None:
    """Make two transcripts behave like a home of thousands."""
    world.settings = settings(HARK_SEARCH_HOT_TRANSCRIPTS="1")


def _year_old(world: World) -> None:
    """Write a session last touched a year ago, and a newer one."""
    old = world.write("old", [say("y1", "apple of last year", "old")])
    world.write("new", [say("y2", "pear", "new", 1)])
    stat = os.stat(world.path("new"))
    os.utime(old, ns=(stat.st_atime_ns - YEAR_NS, stat.st_mtime_ns - YEAR_NS))
    world.sync()


def _resume(world: World) -> None:
    """Go on with the old session without its time moving past the other's: it stays outside of the hot set."""
    path = world.append("old", [say("y3", "apple of today", "old", 2)])
    stat = os.stat(world.path("new"))
    os.utime(path, ns=(stat.st_atime_ns - YEAR_NS, stat.st_mtime_ns - YEAR_NS + 1))


def test_an_append_to_a_year_old_session_is_found_by_the_next_search(world: World) -> None:
    _year_old(world)
    world.append("old", [say("y3", "apple of today", "old", 2)])
    assert world.found("apple") == ["apple of last year", "apple of today"]


@pytest.mark.usefixtures("only_the_newest_is_looked_at")
def test_a_year_old_session_among_thousands_is_found_when_the_prompt_history_names_it(world: World) -> None:
    _year_old(world)
    _resume(world)
    assert world.found("apple") == ["apple of last year"], "else this test shows nothing"
    entry = {"display": "go on", "project": "/w", "sessionId": "old", "timestamp": NOW_MS}
    with open(os.path.join(world.home, ".claude", "history.jsonl"), "wb") as file:
        file.write(line(entry))
    assert world.found("apple") == ["apple of last year", "apple of today"]


@pytest.mark.usefixtures("only_the_newest_is_looked_at")
def test_what_only_a_full_pass_sees_is_read_by_the_sync_that_the_search_asks_for(world: World) -> None:
    _year_old(world)
    _resume(world)
    answer = world.search("apple", now_ms=NOW_MS + 61_000)
    assert answer.full_pass_is_due
    world.sync()
    assert world.found("apple") == ["apple of last year", "apple of today"]


def test_a_deleted_transcript_is_still_found_and_shown_and_marked_gone(world: World) -> None:
    world.write("a", OLD)
    world.write("b", [say("b1", "apple elsewhere", "b", 5)])
    world.sync()
    os.unlink(world.path("a"))
    answer = world.search("apple")
    assert sorted(hit.part.text for hit in answer.found.hits) == ["apple elsewhere", *OLD_TEXTS]
    assert {hit.session.native: hit.session.is_gone for hit in answer.found.hits} == {"a": True, "b": False}
    world.sync()
    assert world.found("apple") == ["apple elsewhere", *OLD_TEXTS]
    shown = world.archive().show("claude-code:a", context=0, page=1)
    assert isinstance(shown, SessionView)
    assert [part.text for part in shown.parts] == ["apple old one", "apple old two", "apple old three"]
    assert [agent.gone for agent in world.archive().status().agents] == [1]


def test_a_transcript_that_comes_back_is_no_longer_gone_and_not_doubled(world: World) -> None:
    path = world.write("a", OLD)
    world.sync()
    os.rename(path, path + ".away")
    world.sync()
    os.rename(path + ".away", path)
    assert world.found("apple") == OLD_TEXTS
    world.sync()
    assert [agent.gone for agent in world.archive().status().agents] == [0]
    assert world.found("apple") == OLD_TEXTS


@pytest.mark.parametrize("reason", ["full", "touched"])
def test_a_transcript_that_vanishes_before_it_is_read_again_keeps_what_was_read(world: World, reason: str) -> None:
    path = world.write("a", OLD)
    world.sync()
    if reason == "touched":
        os.utime(path, ns=(1, 1))
    _read_while(world, lambda: os.rename(path, path + ".away"), full=reason == "full")
    assert world.found("apple", sync=False) == OLD_TEXTS
    os.rename(path + ".away", path)
    assert world.found("apple") == OLD_TEXTS
    world.sync()
    assert world.state().problems == []


def test_a_transcript_that_could_not_be_opened_at_first_is_read_once_it_can_be(world: World) -> None:
    path = world.write("a", OLD)
    for _ in range(2):
        _read_while(world, lambda: os.rename(path, path + ".away"))
        os.rename(path + ".away", path)
    assert world.state().tallies.get("total_problems", 0) == len(world.state().problems)
    assert world.found("apple") == OLD_TEXTS
    assert world.state().problems == []
    assert "total_problems" not in world.state().tallies


def _read_while(world: World, act: Callable[[], Any], *, full: bool = False) -> None:
    """Let something happen between the look at the disk and the reading."""
    engine = LocalEngine.open(world.data, write=True)
    assert engine is not None
    seen = all_changes(None if full else engine.rows, world.home, {})
    act()
    Reader(engine, NOW_MS).read(seen, full=full)
    engine.close()


def test_a_fork_keeps_the_common_past_when_its_original_is_rewritten(world: World) -> None:
    past = [say("k1", "apple shared", "a"), say("k2", "apple shared too", "a", 1)]
    world.write("a", past)
    world.sync()
    world.write("b", [*past, say("k3", "apple of the fork", "b", 2)])
    world.sync()
    assert world.found("apple") == ["apple of the fork", "apple shared", "apple shared too"]
    world.write("a", [say("k9", "pear", "a", 3)])
    assert world.found("apple") == ["apple of the fork", "apple shared", "apple shared too"]
    clean = world.beside("clean")
    clean.sync()
    assert world.state().messages == clean.state().messages
    assert world.state().tallies == clean.state().tallies


def test_a_copy_under_a_new_id_folds_into_the_heir_of_a_rewritten_original(world: World) -> None:
    world.write("a", [say("k1", "apple shared", "a")])
    world.sync()
    world.write("b", [say("k1", "apple shared", "b")])
    world.sync()
    world.write("a", [say("k9", "pear", "a", 3)])
    world.sync()
    world.write("c", [say("k2", "apple shared", "c")])  # the same words at the same time, as a branch copies them
    assert world.found("apple") == ["apple shared"]
    assert world.state().tallies["total_parts"] == 2


def test_a_title_told_by_another_file_survives_the_rewriting_of_its_session(world: World) -> None:
    world.write("teller", [{"type": "summary", "summary": "Title told", "leafUuid": "o2"}])
    world.write("a", OLD)
    world.sync()
    assert world.found("in:title told") == ["Title told"]
    world.write("a", [*OLD[:2], *NEW])
    assert world.found("in:title told") == ["Title told"]


def test_two_files_of_one_session_keep_their_own_rows_when_one_is_rewritten(world: World) -> None:
    title = {"type": "ai-title", "sessionId": "s"}
    world.write("-v/s", [say("s1", "apple early", "s"), title | {"aiTitle": "First title"}])
    world.write("-w/s", [say("s2", "apple late", "s", 90), title | {"aiTitle": "Second title"}])
    world.sync()
    world.write("-w/s", [say("s3", "apple latest", "s", 100)])
    world.sync()
    assert world.found("apple") == ["apple early", "apple latest"]
    titles = world.found("in:title title")
    [session] = world.archive().sessions(parse("", NOW_MS))
    assert titles in ([], [session.title]), "no title without a session that bears it"
    assert session.started_ms == 1_777_593_600_000  # 2026-05-01 00:00 UTC, of the file that was not touched
    assert session.ended_ms == 1_777_593_600_000 + 100 * 60_000


def test_an_incremental_title_has_the_same_row_as_a_clean_one(world: World) -> None:
    world.write("a", [say("t1", "apple"), {"type": "ai-title", "aiTitle": "A fine title", "sessionId": "a"}])
    world.sync()
    world.append("a", [say("t2", "apple much later", minute=5000)])
    world.sync()
    clean = world.beside("clean")
    clean.sync()
    assert world.state().messages == clean.state().messages


def test_files_that_a_search_had_no_time_for_stay_pending_until_they_are_read(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "REGISTERED_AT_ONCE", 1)  # what a folder with hundreds of new files is like
    world.write("a", [say("p0", "apple known")])
    world.sync()
    for number in range(5):
        world.write(f"-new/n{number}", [say(f"p{number + 1}", f"pear {number}", f"n{number}", number)])
    world.settings = settings(HARK_SEARCH_CATCH_UP_S="0")
    assert world.search("pear").coverage.pending == 4
    world.append("a", [say("p9", "apple more", minute=9)])
    answer = world.search("apple")
    assert answer.coverage.pending >= 3
    assert answer.full_pass_is_due
    world.settings = settings()
    answer = world.search("pear")
    assert len(answer.found.hits) == 5 or (answer.coverage.pending and answer.full_pass_is_due)
    world.sync()
    answer = world.search("pear")
    assert (len(answer.found.hits), answer.coverage.pending) == (5, 0)


def test_a_new_parser_reads_existing_transcripts_again_and_keeps_vanished_ones(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.write("a", OLD)
    world.write("b", [say("b1", "apple elsewhere", "b", 5)])
    world.sync()
    os.unlink(world.path("a"))
    monkeypatch.setattr(claude_code, "PARSER", claude_code.PARSER + 1)
    world.sync()
    assert world.found("apple") == ["apple elsewhere", *OLD_TEXTS]
    assert world.state().documents == world.state().parts
