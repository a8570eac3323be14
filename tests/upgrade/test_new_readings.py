"""A program that reads transcripts or cuts words in another way than the one that made the archive."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from harkback.engines.local import LocalEngine, engine, words
from harkback.model import UNREADABLE, Message, Problem
from harkback.sources import claude_code

if TYPE_CHECKING:
    from tests.crash.worlds import Nursery, World, say, settings
else:
    from worlds import Nursery, World, say, settings

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="victims are forked; Windows cannot")


def index_folders(world: World) -> list[str]:
    return sorted(name for name in os.listdir(world.data) if name.startswith("words-"))


def parsers(world: World) -> dict[str, int]:
    return {os.path.basename(path)[0]: number for path, number in world.sql("SELECT path, parser FROM transcript")}


@pytest.fixture
def three(world: World) -> World:
    """Give an archive of three sessions, one of which has vanished since."""
    world.write("a", [say("u1", "apple one"), say("u2", "驗收 two", minute=1)])
    world.write("b", [say("u3", "apple three", "b", 2)])
    world.write("c", [say("u4", "apple vanished", "c", 3)])
    world.sync()
    os.unlink(world.path("c"))
    return world


def read_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Raise the parser's number, and let it read every text with `anew` at its end."""
    from harkback.sources import _claude_code_rows

    inner = _claude_code_rows.read

    def read(*args: Any, **options: Any) -> Any:
        for record in inner(*args, **options):
            if isinstance(record, Message):
                yield record._replace(parts=tuple(part._replace(text=part.text + " anew") for part in record.parts))
            else:
                yield record

    monkeypatch.setattr(_claude_code_rows, "read", read)
    monkeypatch.setattr(claude_code, "PARSER", claude_code.PARSER + 1)


ANEW = ["apple one anew", "apple three anew", "apple vanished"]


def test_a_new_parser_reads_all_transcripts_again_and_keeps_the_rows_of_vanished_ones(
    three: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = claude_code.PARSER
    read_otherwise(monkeypatch)
    three.sync()
    assert three.found("apple", sync=False) == ANEW
    assert three.found("anew", sync=False) == ["apple one anew", "apple three anew", "驗收 two anew"]
    assert parsers(three) == {"a": old + 1, "b": old + 1, "c": old}
    state = three.state()
    assert state.documents == state.parts
    before = three.sql("SELECT max(seq) FROM part")
    three.sync()
    assert three.sql("SELECT max(seq) FROM part") == before, "once is enough"


def test_a_search_alone_brings_a_new_parsers_reading(three: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who never types `hark sync` must not keep what an old parser made for ever."""
    read_otherwise(monkeypatch)
    assert three.found("apple") == ANEW
    with monkeypatch.context() as patch:
        patch.setattr("harkback.archive.sessions.all_changes", lambda *_, **__: pytest.fail("it was made once"))
        assert three.found("apple") == ANEW


def test_what_a_new_parser_has_not_read_yet_is_pending_and_still_found(
    three: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_otherwise(monkeypatch)
    three.settings = settings(HARK_SEARCH_CATCH_UP_S="0")
    answer = three.search("apple")
    assert sorted(hit.part.text.removesuffix(" anew") for hit in answer.found.hits) == [
        "apple one",
        "apple three",
        "apple vanished",
    ]
    assert answer.coverage.pending == 1
    assert answer.full_pass_is_due
    three.settings = settings()
    three.search("apple")
    assert three.found("apple", sync=False) == ANEW
    assert not three.search("apple").full_pass_is_due


def test_a_transcript_that_a_new_parser_cannot_open_keeps_its_rows(
    three: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_otherwise(monkeypatch)
    inner = claude_code.read

    def read(transcript: Any, checkpoint: Any, **options: Any) -> Any:
        if transcript.native == "a":
            return iter([Problem(0, 0, UNREADABLE, "Permission denied")])
        return inner(transcript, checkpoint, **options)

    with monkeypatch.context() as patch:
        patch.setattr(claude_code, "read", read)
        three.sync()
        assert three.found("apple", sync=False) == ["apple one", "apple three anew", "apple vanished"]
    three.sync()
    assert three.found("apple", sync=False) == ANEW


def test_an_emptied_transcript_keeps_its_rows_under_a_new_parser(three: World, monkeypatch: pytest.MonkeyPatch) -> None:
    os.truncate(three.path("a"), 0)
    read_otherwise(monkeypatch)
    three.sync()
    assert three.found("apple", sync=False) == ["apple one", "apple three anew", "apple vanished"]


def test_a_search_finds_what_is_replaced_while_it_looks(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when everything is read again after an upgrade: the index names rows that are gone before they are read."""
    world.write("a", [say("u1", "apple one")])
    world.sync()
    bounded = LocalEngine._bounded

    def late(self: LocalEngine, *args: Any) -> Any:
        found = bounded(self, *args)
        with monkeypatch.context() as patch:
            patch.setattr(LocalEngine, "_bounded", bounded)
            world.archive().sync(full=True)
        return found

    monkeypatch.setattr(LocalEngine, "_bounded", late)
    assert world.found("apple", sync=False) == ["apple one"]
    assert world.sql("SELECT min(seq) > 1 FROM part WHERE pos >= 0") == [(1,)], "it was replaced"


def test_what_was_stored_before_secrets_were_masked_is_masked_by_the_next_search(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z5A"
    world.write("a", [say("u1", f"apple {key}")])
    with monkeypatch.context() as patch:
        patch.setattr(claude_code, "PARSER", 1)
        patch.setattr("harkback.redact.Masker.mask", lambda _, text: (text, {}))
        patch.setattr("harkback.engines.local.writing.Writing._without_secrets", lambda _, waiting: waiting)
        world.sync()
    assert world.found("apple", sync=False) == [f"apple {key}"]
    [text] = world.found("apple")
    assert text.startswith("apple ")
    assert key not in text
    assert world.sql("SELECT sum(number) FROM masked") == [(1,)]


def test_an_index_of_another_analyser_answers_until_a_new_one_is_made_beside_it(
    three: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    [old] = index_folders(three)
    texts = ["apple one", "apple three", "apple vanished"]
    assert three.found("apple") == texts
    monkeypatch.setattr(engine, "ANALYSER", engine.ANALYSER + 1)
    answer = three.search("apple", sync=False)
    assert answer.full_pass_is_due, "the search has the index made anew behind its back"
    assert three.found("apple") == texts
    assert index_folders(three) == [old]
    three.append("a", [say("u9", "apple new", minute=9)])
    assert three.found("apple") == ["apple new", *texts], "what is new is found in the old index meanwhile"
    assert index_folders(three) == [old]
    meanwhile: list[list[str]] = []
    build = LocalEngine._build

    def watched(self: LocalEngine, *args: Any) -> Any:
        done = build(self, *args)
        meanwhile.append(three.found("apple", sync=False))
        assert len(index_folders(three)) == 2
        return done

    monkeypatch.setattr(LocalEngine, "_build", watched)
    three.sync()
    assert meanwhile == [["apple new", *texts]]
    [new] = index_folders(three)
    assert new.startswith(f"words-{words.SCHEMA_VERSION}.{engine.ANALYSER}-")
    assert new != old
    assert three.found("apple", sync=False) == ["apple new", *texts]
    assert not three.search("apple").full_pass_is_due
    three.sync()
    assert index_folders(three) == [new]
    assert len(meanwhile) == 1


def test_with_nothing_new_a_search_beside_an_index_of_another_analyser_writes_nothing(
    three: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    three.sync()
    monkeypatch.setattr(engine, "ANALYSER", engine.ANALYSER + 1)
    monkeypatch.setattr(LocalEngine, "writing", lambda *_, **__: pytest.fail("nothing is to be written"))
    assert three.found("apple") == ["apple one", "apple three", "apple vanished"]


@needs_fork
def test_a_rebuild_for_a_new_analyser_killed_at_each_step_leaves_an_index_that_answers(
    three: World, nursery: Nursery
) -> None:
    three.sync()
    [name] = index_folders(three)
    other = name.replace(f"words-{words.SCHEMA_VERSION}.{engine.ANALYSER}-", f"words-{words.SCHEMA_VERSION}.0-")
    texts = ["apple one", "apple three", "apple vanished"]
    step = killed = 0
    while True:
        step += 1
        # As if yesterday's analyser had made the index that is there.
        [name] = index_folders(three)
        os.rename(os.path.join(three.data, name), os.path.join(three.data, other))
        _tell_index(three, other)
        one = nursery.sync(step=step)
        assert three.found("apple", sync=False) == texts, f"killed at {one.last}"
        three.sync()
        assert three.found("apple", sync=False) == texts
        assert index_folders(three) == [index_folders(three)[0]]
        assert not index_folders(three)[0].startswith(f"words-{words.SCHEMA_VERSION}.0-")
        if one.last is None:
            break
        killed += 1
    assert killed >= 10


def _tell_index(world: World, name: str) -> None:
    import sqlite3

    con = sqlite3.connect(os.path.join(world.data, "archive.sqlite"), isolation_level=None)
    con.execute("UPDATE meta SET value=? WHERE key='words'", (name,))
    con.close()


def test_an_index_of_another_schema_is_made_anew_from_the_rows(three: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its fields have other numbers, so that asking it would give wrong answers rather than none."""
    monkeypatch.setattr(words, "SCHEMA_VERSION", words.SCHEMA_VERSION + 1)
    with pytest.raises(Exception, match="hark rebuild"):
        three.search("apple", sync=False)
    assert three.found("apple") == ["apple one", "apple three", "apple vanished"]
    three.sync()
    [name] = index_folders(three)
    assert name.startswith(f"words-{words.SCHEMA_VERSION}.")
    state = three.state()
    assert state.documents == state.parts
