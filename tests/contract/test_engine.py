"""What every engine promises, whatever it keeps its rows and words in.

The suite runs over each entry of `ENGINES`. A new engine adds a line there; nothing below may know which it is.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from harkback import errors
from harkback.engines.local import LocalEngine, Search
from harkback.model import (
    ASSISTANT,
    CALLS,
    LANES,
    MAIN_LANES,
    OUTPUT,
    TALK,
    THINKING,
    TITLE,
    TOOL,
    USER,
    Checkpoint,
    Message,
    Part,
    Problem,
    Session,
    SessionTitle,
    StoredPart,
    StoredSession,
    Transcript,
)
from harkback.query import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from harkback.engines.local.finding import Found
    from harkback.model import Record

    Open = Callable[[bool], LocalEngine | None]

DAY_MS = 86_400_000
START_MS = 1_788_000_000_000  # 2026-08-29
A, B, C = (f"{digit * 8}-0000-4000-8000-000000000000" for digit in "abc")


def local(folder: Path) -> Open:
    return lambda write: LocalEngine.open(str(folder), write=write)


ENGINES: dict[str, Callable[[Path], Open]] = {"local": local}
"""Name -> what gives, for an empty folder, the function that opens the engine there: for writing, or for reading."""


class Store:
    """One archive and a few short words for what tests do with it."""

    def __init__(self, opens: Open) -> None:
        self.opens = opens
        self._kept: list[LocalEngine] = []
        self._offsets = itertools.count(0, 100)

    def open(self, *, write: bool = False) -> LocalEngine:
        engine = self.opens(write)
        assert engine is not None
        self._kept.append(engine)
        return engine

    def close(self) -> None:
        while self._kept:
            self._kept.pop().close()

    def message(self, key: str, text: str, **more: Any) -> Message:
        """Make a message of one part; `lane`, `tool` and `files` belong to the part."""
        part = Part(more.pop("lane", TALK), text, more.pop("tool", ""), more.pop("files", ()))
        values = {"role": USER, "time_ms": START_MS, **more}
        return Message(key, next(self._offsets), 100, values.pop("role"), values.pop("time_ms"), (part,), **values)

    def put(
        self,
        native: str,
        *records: Record,
        project: str = "/w/demo",
        restart: bool = False,
        is_whole: bool = True,
    ) -> None:
        """Store records as what the transcript of a session gained."""
        engine = self.open(write=True)
        with engine.writing(small=True) as writing:
            writing.register([place(native)])
            opened = writing.begin(place(native), 1)
            if restart:
                writing.restart(opened)
            writing.set_project(opened, project)
            for record in records:
                writing.add(opened, record)
            opened.is_whole = is_whole
            writing.commit()
            writing.settle_titles()
        engine.close()

    def say(self, native: str, *texts: str, **more: Any) -> None:
        """Store texts as prompts of a session, with its facts and a checkpoint."""
        self.put(
            native,
            facts(native, **more),
            *(self.message(f"{native}:{text}", text) for text in texts),
            Checkpoint(next(self._offsets), "mark"),
        )

    def find(self, text: str, **more: Any) -> Found:
        engine = self.open()
        return engine.find(Search(parse(text, START_MS), **more))

    def texts(self, text: str, **more: Any) -> list[str]:
        """Give the texts that hold every word, sorted."""
        engine = self.open()
        found = engine.find(Search(parse(text, START_MS), **more))
        whole = [one.seq for one in found.candidates if one.share >= 1.0]
        parts = engine.rows.parts(whole)
        assert len(parts) == len(set(whole)) == len(whole)
        return sorted(part.text for part in parts.values())

    def session(self, native: str) -> StoredSession:
        return self.open().rows.find_session(native)


def place(native: str, **more: Any) -> Transcript:
    known = {"size": 1000, "mtime_ns": 5, "inode": 7, **more}
    return Transcript("claude-code", f"/t/{native.replace('/', '.')}.jsonl", native, **known)


def facts(native: str, **more: Any) -> Session:
    return Session("claude-code", native, **{"started_ms": START_MS, "ended_ms": START_MS, **more})


@pytest.fixture(params=sorted(ENGINES))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    kept = Store(ENGINES[request.param](tmp_path / "archive"))
    yield kept
    kept.close()


# -- storing and finding -----------------------------------------------------------------------------------------


def test_where_nothing_was_stored_there_is_nothing_to_open_for_reading(store: Store) -> None:
    assert store.opens(False) is None
    store.say(A, "words")
    kept = store.opens(False)
    assert kept is not None
    kept.close()


def test_what_was_committed_is_found_and_what_was_not_is_not(store: Store) -> None:
    store.say(A, "first 部署")
    writer = store.open(write=True)
    with writer.writing(small=True) as writing:
        writing.register([place(B)])
        opened = writing.begin(place(B), 1)
        writing.add(opened, store.message("b1", "second 部署"))
        assert store.texts("部署") == ["first 部署"]
        writing.commit()
        assert store.texts("部署") == ["first 部署", "second 部署"]
        writing.add(opened, store.message("b2", "third 部署"))
    assert store.texts("部署") == ["first 部署", "second 部署"]


def test_what_was_stored_is_there_after_opening_again(store: Store) -> None:
    store.say(A, "kept for good")
    store.close()
    assert store.texts("kept") == ["kept for good"]


WORDS = [
    "資料庫遷移腳本", "数据库", "資料 庫房", "中文 和 文本", "改youer服務", "ＡＰＩ gateway", "ｻｰﾊﾞｰ 停止",
    "検索のテスト", "cafe\u0301 open", "done 🎉", "getUserName", "my_cache_key", "deployed it", "the cat sat",
    "category", "5G卡",
]  # fmt: skip


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("資料庫", ["資料庫遷移腳本"]),
        ("资料", ["資料 庫房", "資料庫遷移腳本"]),
        ("庫", ["数据库", "資料 庫房", "資料庫遷移腳本"]),
        ("腳", ["資料庫遷移腳本"]),
        ("本", ["中文 和 文本", "資料庫遷移腳本"]),
        ("數據庫", ["数据库"]),
        ("料庫", ["資料庫遷移腳本"]),
        ("中文本", []),
        ("資料庫房", []),
        ("youer", ["改youer服務"]),
        ("改youer服務", ["改youer服務"]),
        ("youer服", ["改youer服務"]),
        ("api", ["ＡＰＩ gateway"]),
        ("サーバー", ["ｻｰﾊﾞｰ 停止"]),
        ("ーバ", ["ｻｰﾊﾞｰ 停止"]),
        ("のテ", ["検索のテスト"]),
        ("café", ["cafe\u0301 open"]),
        ("cafe", []),
        ("🎉", ["done 🎉"]),
        ("getusername", ["getUserName"]),
        ("user", ["getUserName"]),
        ("cache", ["my_cache_key"]),
        ("my_cache_key", ["my_cache_key"]),
        ("deploy", ["deployed it"]),
        ("cat", ["the cat sat"]),
        ("tegor", ["category"]),
        ('"cat sat"', ["the cat sat"]),
        ('"sat cat"', []),
        ("sat cat", ["the cat sat"]),
        ("cat OR category", ["category", "the cat sat"]),
        ("資料 -腳本", ["資料 庫房"]),
        ("資料 -房", ["資料庫遷移腳本"]),
        ('it OR cat -"the cat"', ["deployed it"]),
        ("5g", ["5G卡"]),
        ("5G卡", ["5G卡"]),
        ("nothing-such", []),
    ],
)
def test_a_query_is_held_by_exactly_these(store: Store, query: str, found: list[str]) -> None:
    store.say(A, *WORDS)
    assert store.texts(query) == found


def test_a_phrase_is_told_from_its_words_apart(store: Store) -> None:
    store.say(A, "red green blue", "green red blue")
    found = store.find("red green")
    parts = store.open().rows.parts([one.seq for one in found.candidates])
    assert {parts[one.seq].text: one.is_phrase for one in found.candidates} == {
        "red green blue": True,
        "green red blue": False,
    }


def test_what_holds_only_some_of_the_words_has_a_share_of_their_weight(store: Store) -> None:
    store.say(A, *(f"common number{n}" for n in range(20)), "common rareword", "rareword alone")
    found = store.find("common rareword unheard", limit=30)
    parts = store.open().rows.parts([one.seq for one in found.candidates])
    shares = {parts[one.seq].text: one.share for one in found.candidates}
    assert len(shares) == 22
    assert 1.0 > shares["common rareword"] > shares["rareword alone"] > shares["common number1"] > 0.0


def test_parts_of_words_are_found_on_request(store: Store) -> None:
    store.say(A, "rebuild42x", "category", "cat")
    assert store.texts("build42") == []
    assert store.texts("build42", substring=True) == ["rebuild42x"]
    assert store.texts("cat") == ["cat"]
    assert store.texts("cat", substring=True) == ["cat", "category"]


def test_a_candidate_carries_what_ranking_needs(store: Store) -> None:
    message = store.message("k", "frogs", role=ASSISTANT, time_ms=START_MS + 5, lane=CALLS)
    store.put(A, facts(A), message, project="/w/pond")
    (one,) = store.find("frogs").candidates
    engine = store.open()
    assert (one.lane, one.role, one.time_ms, one.share, one.is_phrase) == (CALLS, ASSISTANT, START_MS + 5, 1.0, True)
    assert engine.rows.sessions_by_number([one.session])[one.session].native == A
    assert engine.rows.labels("project")[one.project] == "/w/pond"


def test_more_of_a_word_weighs_more(store: Store) -> None:
    store.say(A, "frogs and a great many other words that say nothing of them at all", "frogs frogs frogs")
    found = store.find("frogs").candidates
    parts = store.open().rows.parts([one.seq for one in found])
    best = max(found, key=lambda one: one.bm25)
    assert parts[best.seq].text == "frogs frogs frogs"


def test_newest_gives_the_latest_even_beyond_the_pool(store: Store) -> None:
    messages = [store.message(f"m{n}", f"tick {n}", time_ms=START_MS + n * DAY_MS) for n in range(30)]
    store.put(A, facts(A), *messages[::2], *messages[1::2])
    found = store.find("tick", newest=True, pool=3).candidates
    assert sorted(one.time_ms or 0 for one in found) == [START_MS + n * DAY_MS for n in (27, 28, 29)]


def test_a_message_without_a_time_is_found_too(store: Store) -> None:
    store.put(A, facts(A), store.message("k", "timeless", time_ms=None))
    (one,) = store.find("timeless").candidates
    assert one.time_ms is None
    assert store.texts("timeless", newest=True) == ["timeless"]


# -- lanes -------------------------------------------------------------------------------------------------------


def test_lanes_are_kept_apart_and_counted(store: Store) -> None:
    lanes = {TALK: "talk frog", CALLS: "calls frog", OUTPUT: "output frog", THINKING: "thinking frog"}
    store.put(A, facts(A), *(store.message(f"k{lane}", text, lane=lane) for lane, text in lanes.items()))
    assert store.texts("frog") == ["calls frog", "talk frog"]
    assert store.find("frog").elsewhere == ()
    assert store.texts("frog in:output") == ["output frog"]
    assert store.texts("frog in:output,thinking") == ["output frog", "thinking frog"]
    assert store.texts("frog -in:calls") == ["talk frog"]
    assert store.texts("frog in:all") == sorted(lanes.values())
    assert store.texts("frog", lanes=tuple(range(len(LANES)))) == sorted(lanes.values())
    assert store.find("frog", lanes=MAIN_LANES).lane_counts == {TALK: 1, CALLS: 1, OUTPUT: 1, THINKING: 1}


def test_where_the_main_lanes_have_nothing_the_others_are_given_apart(store: Store) -> None:
    store.put(A, facts(A), store.message("k", "only output frog", lane=OUTPUT, role=TOOL))
    found = store.find("frog")
    assert found.candidates == ()
    assert [one.lane for one in found.elsewhere] == [OUTPUT]
    assert store.find("frog in:talk").elsewhere == ()


# -- filters -----------------------------------------------------------------------------------------------------


class Case(NamedTuple):
    """A filter and the messages that it leaves of those that hold `frog`."""

    filter: str
    found: str


@pytest.mark.parametrize(
    "case",
    [
        Case("", "a1 a2 a3 b1"),
        Case("agent:claude-code", "a1 a2 a3 b1"),
        Case("agent:claude", "a1 a2 a3 b1"),
        Case("agent:codex", ""),
        Case("-agent:claude-code", ""),
        Case("project:pond", "a1 a2 a3"),
        Case("project:/w/pond", "a1 a2 a3"),
        Case("project:/W/POND", "a1 a2 a3"),
        Case("-project:pond", "b1"),
        Case("project:pond,lake", "a1 a2 a3 b1"),
        Case("since:2026-08-30", "a2 b1"),
        Case("until:2026-08-29", "a1 a3"),
        Case("since:2026-08-30 until:2026-08-30", "a2"),
        Case("role:user", "a1 b1"),
        Case("role:assistant", "a2 a3"),
        Case("-role:user", "a2 a3"),
        Case("tool:Edit", "a3"),
        Case("tool:edit", "a3"),
        Case("tool:Bash", ""),
        Case(f"session:{A}", "a1 a2 a3"),
        Case(f"session:claude-code:{A}", "a1 a2 a3"),
        Case("session:aaaaaaaa", "a1 a2 a3"),
        Case(f"-session:{A}", "b1"),
        Case("branch:main", "a1 a3 b1"),
        Case("branch:feature/x", "a2"),
        Case("file:pond.conf", "a1 a2 a3"),
        Case("file:etc/pond.conf", "a1 a2 a3"),
        Case("file:/etc/pond.conf", "a1 a2 a3"),
        Case("file:nothing", ""),
        Case("project:pond role:assistant branch:main", "a3"),
    ],
)
def test_a_filter_leaves_what_fits_it(store: Store, case: Case) -> None:
    call = {"lane": CALLS, "tool": "Edit", "files": ("/etc/pond.conf",)}
    store.put(
        A,
        facts(A),
        store.message("a1", "frog a1", branch="main"),
        store.message("a2", "frog a2", role=ASSISTANT, branch="feature/x", time_ms=START_MS + DAY_MS),
        store.message("a3", "frog a3", role=ASSISTANT, branch="main", **call),
        project="/w/pond",
    )
    store.put(
        B, facts(B), store.message("b1", "frog b1", branch="main", time_ms=START_MS + 2 * DAY_MS), project="/w/lake"
    )
    assert store.texts(f"frog {case.filter}") == [f"frog {name}" for name in case.found.split()]


def test_filters_alone_find_what_fits_them(store: Store) -> None:
    call = {"lane": CALLS, "tool": "Edit", "files": ("/etc/pond.conf",)}
    store.put(A, facts(A), store.message("a1", "said"), store.message("a2", "called", **call))
    assert store.texts("file:pond.conf") == ["called"]
    assert store.texts("tool:Edit") == ["called"]
    assert store.texts(f"session:{A}") == ["called", "said"]


def test_a_filter_for_a_session_that_is_not_there_raises(store: Store) -> None:
    store.say(A, "words")
    with pytest.raises(errors.NotFound):
        store.find("words session:nothing-such")


def test_excluded_sessions_are_left_out_but_not_what_they_share(store: Store) -> None:
    store.say(A, "frog own")
    store.put(B, facts(B, started_ms=START_MS + 1), store.message("shared", "frog shared"))
    store.put(A, store.message("shared", "frog shared"))
    number = store.session(B).number
    assert store.texts("frog", exclude_sessions=(number,)) == ["frog own", "frog shared"]
    assert store.texts("frog", exclude_sessions=(store.session(A).number,)) == ["frog shared"]
    assert store.texts("frog", exclude_sessions=(number, store.session(A).number)) == []


# -- copies ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", [A, B])
def test_a_copy_is_one_part_in_two_places(store: Store, first: str) -> None:
    second = B if first == A else A
    for native in (first, second):
        store.put(native, facts(native), store.message("same", "frog said once"), store.message(f"own{native}", "own"))
    assert store.texts("frog") == ["frog said once"]
    (one,) = store.find("frog").candidates
    rows = store.open().rows
    part = rows.parts([one.seq])[one.seq]
    assert [stands.session.native for stands in rows.places(part)] == [first, second]
    for native in (A, B):
        assert store.texts(f"frog session:{native}") == ["frog said once"]


def test_a_second_identity_folds_copies_with_new_ids(store: Store) -> None:
    store.put(A, facts(A), store.message("old", "frog", copy_key="hash"))
    store.put(B, facts(B), store.message("new", "frog", copy_key="hash"))
    assert store.texts("frog") == ["frog"]
    rows = store.open().rows
    found = rows.find_id("old")
    assert isinstance(found, StoredPart)
    assert rows.find_id("new") == found


def test_the_same_words_under_another_identity_are_said_twice(store: Store) -> None:
    store.put(A, facts(A), store.message("one", "yes"), store.message("two", "yes"))
    assert store.texts("yes") == ["yes", "yes"]


def test_a_copy_stays_when_the_first_place_is_rewritten(store: Store) -> None:
    store.put(A, facts(A), store.message("same", "frog"), store.message("a", "old toad"))
    store.put(B, facts(B), store.message("same", "frog"))
    (before,) = store.find("frog").candidates
    name = store.open().rows.parts([before.seq])[before.seq].message
    store.put(A, facts(A), store.message("a2", "new toad"), restart=True)
    assert store.texts("frog") == ["frog"]
    assert store.texts("toad") == ["new toad"]
    (after,) = store.find("frog").candidates
    rows = store.open().rows
    part = rows.parts([after.seq])[after.seq]
    assert part.message == name
    assert [stands.session.native for stands in rows.places(part)] == [B]


def test_a_copy_comes_back_when_the_first_place_is_read_again(store: Store) -> None:
    for native in (A, B):
        store.put(native, facts(native), store.message("same", "frog"))
    store.put(A, facts(A), store.message("same", "frog"), restart=True)
    assert store.texts("frog") == ["frog"]
    (one,) = store.find("frog").candidates
    rows = store.open().rows
    assert {stands.session.native for stands in rows.places(rows.parts([one.seq])[one.seq])} == {A, B}


# -- rewriting ---------------------------------------------------------------------------------------------------


def test_after_a_restart_only_the_new_rows_stand(store: Store) -> None:
    store.put(A, facts(A), store.message("k", "old frog"), Problem(1, 2, "bad", "x"), Checkpoint(10, "one"))
    store.say(B, "another frog")
    store.put(A, facts(A), store.message("k", "new frog"), Checkpoint(20, "two"), restart=True)
    assert store.texts("frog") == ["another frog", "new frog"]
    assert store.texts("old") == []
    kept = store.open().rows.coverage()
    assert (kept.transcripts, kept.messages, kept.problems) == (2, 2, 0)


def test_a_transcript_that_goes_is_marked_and_kept(store: Store) -> None:
    store.say(A, "frog")
    path = place(A).path
    for is_gone in (True, False):
        writer = store.open(write=True)
        with writer.writing(small=True) as writing:
            if is_gone:
                writing.mark_gone([path], START_MS)
            else:
                writing.mark_back([path])
        writer.close()
        assert store.texts("frog") == ["frog"]
        assert store.session(A).is_gone is is_gone
        assert store.open().rows.known("claude-code")[path].is_gone is is_gone


# -- what is known of transcripts --------------------------------------------------------------------------------


def test_a_checkpoint_comes_back_as_it_was(store: Store) -> None:
    assert store.opens(False) is None
    store.put(A, facts(A), store.message("k", "x"), Checkpoint(123, "print", '{"a": [1, "é"]}'))
    rows = store.open().rows
    path = place(A).path
    assert rows.checkpoint(path) == Checkpoint(123, "print", '{"a": [1, "é"]}')
    assert rows.checkpoint("/t/other.jsonl") is None
    (known,) = rows.known_at([path, "/t/other.jsonl"]).values()
    assert (known.agent, known.path, known.size, known.mtime_ns, known.inode, known.parser, known.is_gone) == (
        "claude-code",
        path,
        1000,
        5,
        7,
        1,
        False,
    )
    assert rows.transcript(path) == place(A)
    assert rows.known("codex") == {}


def test_a_transcript_read_in_part_looks_changed(store: Store) -> None:
    store.put(A, facts(A), store.message("k", "x"), Checkpoint(123, "p"), is_whole=False)
    assert store.open().rows.known_at([place(A).path])[place(A).path].size == 123
    store.put(A, facts(A), Checkpoint(990, "q"))
    assert store.open().rows.known_at([place(A).path])[place(A).path].size == 1000


def test_problems_are_counted_and_listed(store: Store) -> None:
    store.put(
        A, facts(A), Problem(5, 3, "no JSON", "half a line"), Problem(9, 3, "no JSON", "NUL"), Checkpoint(12, "p")
    )
    rows = store.open().rows
    assert rows.problem_kinds() == {"no JSON": 2}
    assert [row[1:] for row in rows.problems()] == [(5, "no JSON", "half a line"), (9, "no JSON", "NUL")]
    assert rows.coverage().problems == 2


def test_the_totals_count_what_was_said(store: Store) -> None:
    store.put(
        A,
        facts(A),
        store.message("a", "said"),
        store.message("b", "said too"),
        store.message("c", "output", lane=OUTPUT),
        Checkpoint(10, "p"),
    )
    kept = store.open().rows.coverage()
    assert (kept.transcripts, kept.messages, kept.problems, kept.pending, kept.last_full_pass_ms) == (1, 2, 0, 0, None)
    writer = store.open(write=True)
    with writer.writing(small=True) as writing:
        writing.set_meta(pending=3, last_full_pass=START_MS)
    kept = store.open().rows.coverage()
    assert (kept.pending, kept.last_full_pass_ms) == (3, START_MS)
    assert store.open().rows.by_agent() == [("claude-code", 1, 2, 0, START_MS)]


def test_folders_are_kept_and_replaced_as_a_whole(store: Store) -> None:
    writer = store.open(write=True)
    with writer.writing(small=True) as writing:
        writing.keep_folders("claude-code", {"/p/a": 1, "/p/b": 2}, whole=True)
        writing.keep_folders("claude-code", {"/p/b": 3}, whole=False)
        assert sorted(store.open().rows.folders()) == [("/p/a", "claude-code", 1), ("/p/b", "claude-code", 3)]
        writing.keep_folders("claude-code", {"/p/c": 4}, whole=True)
    assert store.open().rows.folders() == [("/p/c", "claude-code", 4)]


# -- sessions and titles -----------------------------------------------------------------------------------------


def test_a_session_is_kept_with_all_that_is_known_of_it(store: Store) -> None:
    known = facts(
        A,
        title="a title",
        title_rank=2,
        cwd="/w/demo/sub",
        last_cwd="/w/demo",
        branch="main",
        ended_ms=START_MS + 9,
        parent=B,
        relation="fork",
        agent_type="explorer",
    )
    store.put(A, known, store.message("k", "x"), Checkpoint(1, "p"))
    one = store.session(A)
    assert (one.id, one.title, one.project, one.cwd, one.branch) == (
        f"claude-code:{A}",
        "a title",
        "/w/demo",
        "/w/demo/sub",
        "main",
    )
    assert (one.started_ms, one.ended_ms, one.parent, one.relation, one.agent_type, one.messages, one.is_gone) == (
        START_MS,
        START_MS + 9,
        B,
        "fork",
        "explorer",
        1,
        False,
    )


def test_a_better_title_replaces_a_worse_one_and_is_found(store: Store) -> None:
    store.put(A, facts(A, title="first prompt zebra", title_rank=0), store.message("k", "x"))
    assert store.session(A).title == "first prompt zebra"
    assert store.texts("zebra") == []  # it would only say the prompt again
    store.put(A, facts(A, title="agents own yak", title_rank=2))
    assert store.texts("yak in:title") == ["agents own yak"]
    store.put(A, facts(A, title="given gnu", title_rank=3))
    assert (store.session(A).title, store.texts("gnu"), store.texts("yak")) == ("given gnu", ["given gnu"], [])
    (one,) = store.find("gnu").candidates
    assert one.lane == TITLE


def test_a_transcript_may_take_its_own_title_away(store: Store) -> None:
    store.put(A, facts(A, title="given gnu", title_rank=3), store.message("k", "x"))
    assert store.texts("gnu") == ["given gnu"]
    store.put(A, facts(A, title="first prompt zebra", title_rank=0))
    assert (store.session(A).title, store.texts("gnu"), store.texts("zebra")) == ("first prompt zebra", [], [])
    store.put(A, facts(A, title="given gnu", title_rank=3))
    store.put(A, facts(A))
    assert (store.session(A).title, store.texts("gnu")) == ("", [])


def test_an_old_summary_gives_its_title_to_the_session_that_holds_its_message(store: Store) -> None:
    store.put(B, SessionTitle("leaf", "summary okapi"), Checkpoint(1, "p"))
    assert store.texts("okapi") == []
    store.put(A, facts(A, title="prompt", title_rank=0), store.message("leaf", "x"), Checkpoint(1, "p"))
    assert store.session(A).title == "summary okapi"
    assert store.texts("okapi") == ["summary okapi"]


def test_sessions_are_listed_newest_first_by_what_fits(store: Store) -> None:
    for number, (native, more) in enumerate(
        [
            (A, {"title": "Alpha frogs", "branch": "main"}),
            (B, {"title": "Beta", "branch": "feature/frogs"}),
            (f"{A}/sub", {"title": "inner", "parent": A, "relation": "subagent"}),
            (C, {"title": "Gamma"}),
        ]
    ):
        moment = START_MS + number * DAY_MS
        said = store.message(f"k{number}", "x", time_ms=moment)
        where = "/w/pond" if native == C else "/w/demo"
        store.put(native, facts(native, started_ms=moment, ended_ms=moment, **more), said, project=where)
    engine = store.open()
    rows = engine.rows

    def listed(**asked: Any) -> list[str]:
        return [one.native for one in rows.sessions(**asked)]

    assert listed() == [C, B, A]
    assert listed(subagents=True) == [C, f"{A}/sub", B, A]
    assert listed(parent=A) == [f"{A}/sub"]
    assert listed(limit=1) == [C]
    assert listed(limit=1, skip=1) == [B]
    assert listed(title="FROGS") == [A]
    assert listed(branches=["frogs"]) == [B]
    assert listed(projects=engine.projects(["pond"])) == [C]
    assert listed(projects=[]) == []
    assert listed(agents=engine.agents(["claude"])) == [C, B, A]
    assert listed(agents=engine.agents(["codex"])) == []
    assert listed(since_ms=START_MS + DAY_MS) == [C, B]
    assert listed(until_ms=START_MS + DAY_MS) == [A]
    assert sorted(one.native for one in rows.asking("claude-code", A)) == [A, f"{A}/sub"]


def test_a_session_is_counted_as_a_whole(store: Store) -> None:
    store.say(A, "frog one", "frog two", "toad")
    store.say(B, "frog three")
    store.say(C, "nothing of them")
    engine = store.open()
    scores = engine.session_scores(Search(parse("frog toad", START_MS)), 10)
    sessions = engine.rows.sessions_by_number([one.session for one in scores])
    # The rarest word comes first: toad stands in one part, frog in three.
    assert {sessions[one.session].native: one.hits for one in scores} == {A: (1, 2), B: (0, 1)}
    sizes = engine.rows.session_sizes(list(sessions))
    assert sizes[store.session(A).number] > sizes[store.session(B).number] > 0


# -- reading on --------------------------------------------------------------------------------------------------


def test_every_id_of_a_message_and_a_session_is_understood(store: Store) -> None:
    store.say(A, "frog")
    rows = store.open().rows
    part = rows.find_id(f"{A}:frog")
    assert isinstance(part, StoredPart)
    for name in (part.message, part.message[:8]):
        assert rows.find_id(name) == part
    for name in (A, f"claude-code:{A}", A[:8], f"claude-code:{A[:4]}"):
        assert rows.find_session(name).native == A
    assert rows.find_session(part.message).native == A
    for name in ("mzzzzzzzzzzzz", "nothing", "claude-code:", "a" * 1000):
        with pytest.raises(errors.NotFound):
            rows.find_id(name)
    for name in ("", "m", ":", "%", part.message[:3], A[:3]):
        with pytest.raises(errors.TooShort):
            rows.find_id(name)


def test_an_id_that_fits_several_is_an_error(store: Store) -> None:
    store.say("dddd-1", "x")
    store.say("dddd-2", "y")
    rows = store.open().rows
    with pytest.raises(errors.Ambiguous) as raised:
        rows.find_id("dddd")
    assert "dddd-1" in str(raised.value)
    assert rows.find_session("dddd-2").native == "dddd-2"


def test_the_start_of_several_message_ids_is_an_error_and_a_longer_one_is_not(store: Store) -> None:
    # 3,000 ids share their first three digits of base 32 somewhere: 137 pairs are expected.
    store.put(A, facts(A), *(store.message(f"many{at}", f"many {at}") for at in range(3000)))
    rows = store.open().rows
    by_start: dict[str, list[StoredPart]] = {}
    for part in rows.parts(range(1, 3001)).values():
        by_start.setdefault(part.message[:4], []).append(part)
    start, parts = next(pair for pair in by_start.items() if len(pair[1]) > 1)
    with pytest.raises(errors.Ambiguous) as raised:
        rows.find_id(start)
    assert parts[0].message in str(raised.value)
    assert rows.find_id(parts[0].message) == parts[0]
    alone, (part,) = next(pair for pair in by_start.items() if len(pair[1]) == 1)
    assert rows.find_id(alone) == part


def test_the_turns_around_a_message_come_in_order(store: Store) -> None:
    store.say(A, *(f"turn {n}" for n in range(7)))
    rows = store.open().rows
    part = rows.find_id(f"{A}:turn 3")
    assert isinstance(part, StoredPart)
    before, after = rows.around(part.transcript, part.offset, 2)
    assert [one.text for one in before] == ["turn 1", "turn 2"]
    assert [one.text for one in after] == ["turn 4", "turn 5"]
    assert rows.around(part.transcript, part.offset, 0) == ([], [])
    first = rows.find_id(f"{A}:turn 0")
    assert isinstance(first, StoredPart)
    before, after = rows.around(first.transcript, first.offset, 2)
    assert (before, [one.text for one in after]) == ([], ["turn 1", "turn 2"])


def test_a_digest_holds_prompts_and_final_answers(store: Store) -> None:
    said = [("ask one", USER), ("thinking aloud", ASSISTANT), ("answer one", ASSISTANT), ("ask two", USER),
            ("on the way", ASSISTANT), ("answer two", ASSISTANT)]  # fmt: skip
    store.put(A, facts(A), *(store.message(text, text, role=role) for text, role in said))
    rows = store.open().rows
    digest = rows.digest(store.session(A).number)
    parts = rows.parts(digest)
    assert [parts[seq].text for seq in digest] == ["ask one", "answer one", "ask two", "answer two"]


def test_all_parts_of_a_message_and_its_files_come_back(store: Store) -> None:
    parts = (Part(TALK, "I will edit"), Part(CALLS, "Edit /w/é.txt", "Edit", ("/w/é.txt", "/w/b")))
    store.put(A, facts(A), Message("k", 0, 10, ASSISTANT, START_MS, parts, model="claude-x", branch="main"))
    rows = store.open().rows
    found = rows.find_id("k")
    assert isinstance(found, StoredPart)
    whole = rows.message(found.transcript, found.offset)
    assert [(one.lane, one.text, one.tool, one.files) for one in whole] == [
        (TALK, "I will edit", "", ()),
        (CALLS, "Edit /w/é.txt", "Edit", ("/w/é.txt", "/w/b")),
    ]
    assert {(one.model, one.branch, one.role, one.time_ms, one.length) for one in whole} == {
        ("claude-x", "main", ASSISTANT, START_MS, 10)
    }
    assert rows.files_of(found.session) == ["/w/é.txt", "/w/b"]


# -- many at once ------------------------------------------------------------------------------------------------


def test_a_reader_keeps_its_answer_while_others_write(store: Store) -> None:
    store.say(A, "frog one")
    reader = store.open()
    assert len(reader.find(Search(parse("frog", START_MS))).candidates) == 1
    for number in range(20):
        store.say(f"s{number}", f"frog number{number}")
        assert len(store.texts("frog")) == number + 2
        reader.find(Search(parse("frog", START_MS)))


def test_what_a_second_writer_stores_meanwhile_is_found_at_once_and_ever_after(store: Store) -> None:
    """One holds what only one may hold (the index's lock); the other's rows must be found all the same."""
    first, second = store.open(write=True), store.open(write=True)
    with first.writing(small=True) as one:
        one.register([place(A)])
        opened = one.begin(place(A), 1)
        one.add(opened, store.message("a", "frog of the first 蛙"))
        with second.writing(small=True) as two:
            two.register([place(B)])
            other = two.begin(place(B), 1)
            two.add(other, store.message("b", "frog of the second 蛙"))
            two.commit()
        assert store.texts("frog") == ["frog of the second 蛙"]
        assert store.texts("蛙") == ["frog of the second 蛙"]
        one.commit()
        assert store.texts("frog") == ["frog of the first 蛙", "frog of the second 蛙"]
    assert store.texts("frog") == ["frog of the first 蛙", "frog of the second 蛙"]
    store.say(C, "frog of the third")
    assert store.texts("frog") == ["frog of the first 蛙", "frog of the second 蛙", "frog of the third"]


def test_an_error_while_writing_leaves_only_what_was_committed(store: Store) -> None:
    writer = store.open(write=True)

    def fail() -> None:
        with writer.writing(small=True) as writing:
            writing.register([place(A)])
            opened = writing.begin(place(A), 1)
            writing.add(opened, store.message("a", "frog committed"))
            writing.commit()
            writing.add(opened, store.message("b", "frog lost"))
            raise LookupError

    with pytest.raises(LookupError):
        fail()
    writer.close()
    assert store.texts("frog") == ["frog committed"]
    store.put(A, store.message("b", "frog lost"))
    assert store.texts("frog") == ["frog committed", "frog lost"]


def test_a_rebuild_changes_no_answer(store: Store) -> None:
    store.say(A, *WORDS)
    store.put(B, facts(B, title="given 蛙", title_rank=3), store.message("b", "資料庫 b", lane=OUTPUT))
    store.put(A, facts(A), *(store.message(f"{A}:{text}", text) for text in WORDS[:12]), restart=True)
    queries = ["資料庫", "腳", "user", "deploy", "蛙", "the cat", "資料 in:all", "庫 -房"]
    before = [store.texts(query) for query in queries]
    assert before[0] == ["資料庫遷移腳本"]
    assert before[3] == []  # not among the twelve that are left
    writer = store.open(write=True)
    done: list[int] = []
    assert writer.rebuild(done.append) == 14
    assert done[-1] == 14
    assert writer.words_are_current
    writer.close()
    assert [store.texts(query) for query in queries] == before
    store.say(C, "資料庫 c")
    assert store.texts("資料庫") == ["資料庫 c", "資料庫遷移腳本"]
