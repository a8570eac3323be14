"""`hark search` and its neighbours on a home full of traps: what each query must find, and how it is said."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from harkback import wire
from harkback.archive.sessions import Archive
from harkback.config import Place
from harkback.engines.local import LocalEngine, Search
from harkback.query import parse
from harkback.search.answer import Looking

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from tests.e2e.pens import TRAPS, Run, hark, line
else:
    from pens import TRAPS, Run, hark, line

NOW_MS = 1796029200500  # 2026-11-30

MAIN = "11111111-1111-4111-8111-111111111111"
COPY = "22222222-2222-4222-8222-222222222222"
OTHER = "33333333-3333-4333-8333-333333333333"
TWIN_A = "aaaa1111-4444-4444-8444-444444444444"
TWIN_B = "aaaa1111-5555-4555-8555-555555555555"


# -- transcripts -------------------------------------------------------------------------------------------------


class Pen:
    """Writes the rows of one session, a minute apart, with uuids made of a letter and a number."""

    def __init__(self, session: str, letter: str, day: str, cwd: str = "/w/demo", branch: str = "main") -> None:
        self.session, self.letter, self.day, self.cwd, self.branch = session, letter, day, cwd, branch
        self.rows: list[Any] = []

    def row(self, kind: str, message: dict[str, Any], **more: Any) -> str:
        uuid = f"{self.letter}{len(self.rows):03d}"
        self.rows.append(
            {
                "type": kind,
                "uuid": uuid,
                "sessionId": self.session,
                "timestamp": f"{self.day}T09:{len(self.rows):02d}:00.000Z",
                "cwd": self.cwd,
                "gitBranch": self.branch,
                "version": "2.1.104",
                "message": message,
                **more,
            }
        )
        return uuid

    def user(self, text: str, **more: Any) -> str:
        return self.row("user", {"role": "user", "content": text}, **more)

    def agent(self, text: str) -> str:
        return self.blocks({"type": "text", "text": text})

    def blocks(self, *blocks: dict[str, Any]) -> str:
        identity = f"msg_{self.letter}{len(self.rows)}"
        return self.row("assistant", {"id": identity, "role": "assistant", "model": "claude-x", "content": [*blocks]})

    def tool(self, name: str, result: str = "", **arguments: Any) -> str:
        call_id = f"toolu_{self.letter}{len(self.rows)}"
        uuid = self.blocks({"type": "tool_use", "id": call_id, "name": name, "input": arguments})
        if result:
            block = {"type": "tool_result", "tool_use_id": call_id, "content": result}
            self.row("user", {"role": "user", "content": [block]})
        return uuid


def write(path: Path, rows: Iterable[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(line(row) for row in rows))


def projects(home: Path, name: str = "-w-demo") -> Path:
    return home / ".claude" / "projects" / name


SAID = {
    **TRAPS,
    "date": "on 2026-05-08 it rained",
    "percent": "about 100% of it",
    "camel": "the getUserName function is here",
    "form": "deployed it",
    "cat": "the cat sat",
    "category": "one category only",
    "chip": "5G卡壞了",
    "config": "設定完成了",
}

ODD = [
    "C++", "foo.bar()", "--no-cache", "TODO: fix", "wrong-book", "v1.2.3", "(", ")", '"unbal', '"', "'", "AND", "OR",
    "NOT", "%", "_", "*", "?", "^", "~", "\\", "/", "[a", "a]", "{}", "🎉", "👨‍👩‍👧", "-", "--", "-x", "NEAR(a b)",
    "col:val", "in:", "in:nowhere", "since:never", "file:", "role:king", "2026-05-08", "a OR", "OR a", "a AND AND b",
    "-a", "-(", '-"', '""', "\x00", "a\x00b", "\ud800", "\u200b", "\ufeff", "\u202e", "\n", "\t \n", " ", "　", "",
    "的", "。", "，。！？", "ー", "゛", "e\u0301", "\u0301", "ﷺ", "a" * 5000, "部" * 5000, "部署 " * 1000, "(" * 5000,
    " ".join(f"word{number}" for number in range(300)), " ".join("部署遷移設定"[i % 6] * 2 for i in range(300)),
    "$(rm -rf x)", "`x`", "; ls", "a;b", "<b>", "&amp;", "http://a.b/c?d=e#f", "C:\\Users\\me",
    "x'; DROP TABLE part;--",
]  # fmt: skip


def tricky(home: Path) -> None:
    """Write the home that most tests here share."""
    pen = Pen(MAIN, "a", "2026-11-03")
    for text in SAID.values():
        pen.user(text)
    pen.tool("Bash", "ok\nOUTONLY stands here", command="systemctl restart zebrad")
    pen.tool("Edit", file_path="/w/demo/conf/nginx-blue.conf", old_string="listen 80", new_string="listen 8080")
    pen.tool("Bash", "filler words\n" * 240_000 + "TAILTOKEN at the very end", command="less big.log")
    pen.blocks({"type": "thinking", "thinking": "perhaps THINKONLY"}, {"type": "text", "text": "I have looked."})
    pen.rows.append({"type": "ai-title", "aiTitle": "水豚觀察日誌", "sessionId": MAIN})
    write(projects(home) / f"{MAIN}.jsonl", pen.rows)

    inner = Pen(MAIN, "b", "2026-11-03")
    inner.user("look at the planet 木星 for me", isSidechain=True)
    inner.agent("SUBONLY: it has rings")
    rows = [{**row, "agentId": "a1", "isSidechain": True} for row in inner.rows]
    write(projects(home) / MAIN / "subagents" / "agent-a1.jsonl", rows)

    resumed = [{**row, "sessionId": COPY} for row in pen.rows[:4]]
    more = Pen(COPY, "c", "2026-11-05")
    more.user("after the resume RESUMED")
    write(projects(home) / f"{COPY}.jsonl", [*resumed, *more.rows])
    # The newest transcript is read first: the copy, before what it was copied from.
    os.utime(projects(home) / f"{MAIN}.jsonl", (1_700_000_000, 1_700_000_000))

    other = Pen(OTHER, "d", "2026-10-01", cwd="/w/other", branch="feature/frogs")
    other.user("frogs and 部署 elsewhere")
    other.agent("frogs answer")
    other.tool("Grep", pattern="frogs", path="/w/other/src")
    other.user("one turn later")
    other.agent("the pond is green")
    other.user("and the last turn")
    write(projects(home, "-w-other") / f"{OTHER}.jsonl", other.rows)

    for number, session in enumerate((TWIN_A, TWIN_B)):
        twin = Pen(session, "ef"[number], f"2026-09-0{number + 1}", cwd="/w/twins")
        twin.user(f"twins number {number}")
        write(projects(home, "-w-twins") / f"{session}.jsonl", twin.rows)


# -- running -----------------------------------------------------------------------------------------------------


def search(*argv: str) -> Run:
    """Search as JSON; every answer has the same form, whatever was asked."""
    found = hark("search", "--json", *argv)
    assert found.status == (0 if found.json["hits"] else 1), found
    assert len(found.err.splitlines()) == 1, found.err
    return found


def process(argv: list[str], **more: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "harkback", *argv]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=60, check=False, **more)


def said(*names: str) -> list[str]:
    """Give the snippets that stand for these messages, in the order of SAID."""
    return [SAID[name] for name in SAID if name in names]


def in_order(snippets: Iterable[str]) -> list[str]:
    order = list(SAID.values())
    return sorted(snippets, key=lambda one: order.index(one) if one in order else len(order))


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One home, read once; the tests that use it change nothing in it."""
    folder = tmp_path_factory.mktemp("tricky")
    tricky(folder / "home")
    archive = Archive(Place(str(folder / "home"), str(folder / "archive")), {}, NOW_MS, "/nowhere")
    archive.sync()
    return folder


@pytest.fixture
def shared(base: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    assert own_home != base / "home"  # asked for, so that its settings come first and are then replaced
    monkeypatch.setenv("HOME", str(base / "home"))
    monkeypatch.setenv("USERPROFILE", str(base / "home"))
    monkeypatch.setenv("HARK_HOME", str(base / "archive"))
    return base


# -- what a query finds ------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("遷移腳本", ("script", "script2")),
        ("設", ("config",)),
        ("定完", ("config",)),
        ("设", ("config",)),
        ("話", ()),
        ("說", ("apart",)),
        ("落", ("kana",)),
        ("中文本", ()),
        ("中文", ("apart",)),
        ("文本", ("apart",)),
        ("youer", ("glued",)),
        ("youer服務端", ("glued",)),
        ("修改youer", ("glued",)),
        ("资料库", ("database",)),
        ("資料庫", ("database",)),
        ("API", ("wide",)),
        ("api", ("wide",)),
        ("ＡＰＩ", ("wide",)),
        ("サーバー", ("kana", "half")),
        ("ｻｰﾊﾞｰ", ("kana", "half")),
        ("さーばー", ()),
        ("éclair", ("nfd",)),
        ("e\u0301clair", ("nfd",)),
        ("🎉", ("emoji",)),
        ("🎊", ()),
        ("C++", ("cpp",)),
        ("foo.bar()", ("call",)),
        ("--no-cache", ("nocache",)),
        ("TODO: fix", ("todo",)),
        ("wrong-book", ("book",)),
        ("v1.2.3", ("version",)),
        ("2026-05-08", ("date",)),
        ("100%", ("percent",)),
        ("getUserName", ("camel",)),
        ("getusername", ("camel",)),
        ("user name", ("camel",)),
        ('"the getusername function"', ("camel",)),
        ('"deployed it"', ("form",)),
        ('"deploy"', ()),
        ("deploy", ("form",)),
        ("cat", ("cat",)),
        ("atego", ("category",)),
        ('"cat sat"', ("cat",)),
        ('"sat cat"', ()),
        ("cat OR category", ("cat", "category")),
        ("貓 OR 木星上 OR 資料庫", ("database",)),
        ("5G卡", ("chip",)),
        ("卡", ("chip",)),
        ("(", ()),
        ("%", ()),
        ("", ()),
        ("\x00", ()),
    ],
)
def test_a_query_finds_exactly_the_messages_that_hold_it(query: str, names: tuple[str, ...]) -> None:
    assert in_order(search("--no-sync", "--", query).snippets) == said(*names)


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize(
    ("query", "wanted", "unwanted"),
    [
        ("部署", (SAID["deploy"], "frogs and 部署 elsewhere"), ()),
        ("部署 -frogs", (SAID["deploy"],), ("frogs and 部署 elsewhere",)),
        ("部署 -環境", ("frogs and 部署 elsewhere",), (SAID["deploy"],)),
        ('cat OR category -"cat sat"', (SAID["category"],), (SAID["cat"],)),
        ("cache -no-cache", (), (SAID["nocache"],)),
        ("it -C++", (SAID["form"],), (SAID["cpp"],)),
        ("C++ OR frogs", (SAID["cpp"], "frogs answer"), (SAID["c"],)),
        ("in C -C++", (), (SAID["cpp"],)),
    ],
)
def test_minus_and_or_leave_out_and_take_in(query: str, wanted: tuple[str, ...], unwanted: tuple[str, ...]) -> None:
    found = search("--no-sync", "-n", "50", "--", query).snippets
    assert [one for one in wanted if one not in found] == []
    assert [one for one in unwanted if one in found] == []


@pytest.mark.usefixtures("shared")
def test_a_question_without_spaces_still_finds_and_says_that_it_is_broken_down() -> None:
    found = search("--no-sync", "服務部署到環境")
    assert found.json["tier"] in {"most", "any"}
    assert SAID["deploy"] in found.snippets


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize(
    ("query", "tier"),
    [
        ("wrong-book", "phrase"),
        ("cat sat", "phrase"),
        ("sat cat", "all"),
        ("the getUserName function", "phrase"),
        ("OUTONLY", "elsewhere"),
        ("中文本", "none"),
    ],
)
def test_the_tier_says_how_well_the_words_are_met(query: str, tier: str) -> None:
    assert search("--no-sync", query).json["tier"] == tier


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize(
    ("query", "lane", "tier"),
    [
        ("OUTONLY", "output", "elsewhere"),
        ("TAILTOKEN", "output", "elsewhere"),
        ("THINKONLY", "thinking", "elsewhere"),
        ("nginx-blue.conf", "calls", "phrase"),
        ("zebrad", "calls", "phrase"),
        ("SUBONLY", "talk", "phrase"),
        ("木星", "talk", "phrase"),
        ("水豚觀察", "title", "phrase"),
        ("水豚", "title", "phrase"),
        ("RESUMED", "talk", "phrase"),
    ],
)
def test_what_stands_in_one_place_only_is_found_there(query: str, lane: str, tier: str) -> None:
    found = search("--no-sync", query).json
    assert (found["tier"], [hit["lane"] for hit in found["hits"]]) == (tier, [lane])
    assert found["lanes"] == {lane: 1}
    assert query.casefold() in found["hits"][0]["snippet"].casefold()


@pytest.mark.usefixtures("shared")
def test_the_other_lanes_stay_silent_where_the_main_ones_answer() -> None:
    # "filler" is said only by a tool; together with `--all` and `in:output` it is no longer elsewhere.
    assert search("--no-sync", "filler").json["tier"] == "elsewhere"
    assert search("--no-sync", "--all", "filler").json["tier"] == "phrase"
    assert search("--no-sync", "in:output", "filler").json["tier"] == "phrase"
    assert search("--no-sync", "in:talk", "filler").json["tier"] == "none"


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize("query", ODD)
def test_any_string_is_a_query(query: str) -> None:
    for argv in ((query,), ("--", query), ("--by", "session", "--", query), ("--substring", "--all", "--", query)):
        search("--no-sync", *argv)


@pytest.mark.usefixtures("shared")
def test_options_may_stand_between_the_words() -> None:
    assert search("--no-sync", "the", "--in", "talk", "cat", "-n", "1").snippets == [SAID["cat"]]


@pytest.mark.usefixtures("shared")
def test_parts_of_words_are_found_on_request() -> None:
    assert search("--no-sync", "serna").snippets == [SAID["camel"]]
    assert search("--no-sync", "ebook").json["tier"] == "none"
    assert SAID["category"] not in search("--no-sync", "cat").snippets
    assert in_order(search("--no-sync", "--substring", "cat").snippets) == said("cat", "category")
    assert search("--no-sync", "--substring", "ong-bo").snippets == [SAID["book"]]


# -- filters -----------------------------------------------------------------------------------------------------

FROGS = "frogs and 部署 elsewhere"

FILTERS = [
    ("in", "talk", "frogs", {FROGS, "frogs answer"}),
    ("in", "calls", "frogs", {"Grep /w/other/src\nfrogs"}),
    ("in", "title", "水豚觀察日誌", {"水豚觀察日誌"}),
    ("in", "calls,title", "frogs", {"Grep /w/other/src\nfrogs"}),
    ("agent", "claude-code", "遷移腳本", {SAID["script"], SAID["script2"]}),
    ("agent", "claude", "遷移腳本", {SAID["script"], SAID["script2"]}),
    ("agent", "codex", "遷移腳本", set()),
    ("project", "other", "部署", {FROGS}),
    ("project", "/w/other", "部署", {FROGS}),
    ("project", "demo", "部署", {SAID["deploy"]}),
    ("project", "nothing-such", "部署", set()),
    ("since", "2026-11-01", "部署", {SAID["deploy"]}),
    ("since", "2026-12-24", "部署", set()),
    ("until", "2026-10-31", "部署", {FROGS}),
    ("until", "2026-10-01", "部署", {FROGS}),
    ("until", "2026-09-30", "部署", set()),
    ("role", "user", "frogs", {FROGS}),
    ("role", "assistant", "in:talk frogs", {"frogs answer"}),
    ("tool", "Grep", "frogs", {"Grep /w/other/src\nfrogs"}),
    ("tool", "grep", "frogs", {"Grep /w/other/src\nfrogs"}),
    ("tool", "Bash", "frogs", set()),
    ("session", OTHER, "部署", {FROGS}),
    ("session", f"claude-code:{OTHER}", "部署", {FROGS}),
    ("session", "33333333", "部署", {FROGS}),
    ("session", f"{MAIN},{OTHER}", "部署", {SAID["deploy"], FROGS}),
    ("session", COPY, "部署", {SAID["deploy"]}),
    ("branch", "feature/frogs", "部署", {FROGS}),
    ("branch", "main", "部署", {SAID["deploy"]}),
]


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize(("field", "value", "query", "wanted"), FILTERS)
def test_a_filter_narrows_as_a_field_and_as_an_option(field: str, value: str, query: str, wanted: set[str]) -> None:
    wanted = {" ".join(one.split()) for one in wanted}
    assert in_main_lanes(search("--no-sync", f"{query} {field}:{value}")) == wanted
    assert in_main_lanes(search("--no-sync", query, f"--{field}", value)) == wanted


def in_main_lanes(found: Run) -> set[str]:
    """Give what was found where it was looked for; what other lanes hold besides is labelled `elsewhere`."""
    return {" ".join(hit["snippet"].split()) for hit in found.json["hits"] if hit["why"]["tier"] != "elsewhere"}


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("file:nginx-blue.conf", {"Edit"}),
        ("file:conf/nginx-blue.conf", {"Edit"}),
        ("file:/w/demo/conf/nginx-blue.conf", {"Edit"}),
        ("file:/w/other/src", {"Grep"}),
        ("file:nothing-such.conf", set()),
        ("tool:Edit", {"Edit"}),
        ("tool:Bash in:calls", {"Bash"}),
    ],
)
def test_filters_alone_are_a_query(query: str, wanted: set[str]) -> None:
    found = search("--no-sync", query).json
    assert {hit["tool"] for hit in found["hits"]} == wanted
    first, *others = query.split()
    name, _, value = first.partition(":")
    again = search("--no-sync", f"--{name}", value, *others).json
    assert [hit["id"] for hit in again["hits"]] == [hit["id"] for hit in found["hits"]]


@pytest.mark.usefixtures("shared")
def test_a_file_with_words_narrows_to_the_sessions_that_touched_it() -> None:
    assert search("--no-sync", "部署", "--file", "nginx-blue.conf").snippets == [SAID["deploy"]]
    assert search("--no-sync", "部署", "--file", "other/src").snippets == [FROGS]


@pytest.mark.usefixtures("shared")
def test_a_negated_filter_leaves_out() -> None:
    assert search("--no-sync", "部署 -project:other").snippets == [SAID["deploy"]]
    assert search("--no-sync", "frogs -role:user -in:calls").snippets == ["frogs answer"]
    assert search("--no-sync", f"部署 -session:{OTHER}").snippets == [SAID["deploy"]]


@pytest.mark.usefixtures("shared")
def test_a_value_that_cannot_be_right_is_an_error_as_an_option_and_a_note_as_a_field() -> None:
    wrong = hark("search", "--no-sync", "部署", "--in", "nowhere")
    assert (wrong.status, wrong.out) == (2, "")
    assert "talk" in wrong.err
    assert any("nowhere" in note for note in search("--no-sync", "部署 in:nowhere").json["notes"])


@pytest.mark.usefixtures("shared")
def test_sort_newest_puts_the_latest_first() -> None:
    found = search("--no-sync", "--sort", "newest", "部署").json
    assert [hit["time"] for hit in found["hits"]] == ["2026-11-03T09:00:00+00:00", "2026-10-01T09:00:00+00:00"]


@pytest.mark.usefixtures("shared")
def test_by_session_gives_each_session_once() -> None:
    found = search("--no-sync", "--by", "session", "frogs").json
    assert [hit["session"] for hit in found["hits"]] == [f"claude-code:{OTHER}"]
    several = search("--no-sync", "--by", "session", "部署").json
    assert sorted(hit["session"] for hit in several["hits"]) == [f"claude-code:{MAIN}", f"claude-code:{OTHER}"]


@pytest.mark.usefixtures("shared")
def test_context_gives_the_turns_around_a_hit() -> None:
    (hit,) = search("--no-sync", "-C", "1", '"pond is green"').json["hits"]
    assert [one["text"] for one in hit["before"]] == ["one turn later"]
    assert [one["text"] for one in hit["after"]] == ["and the last turn"]
    (plain,) = search("--no-sync", '"pond is green"').json["hits"]
    assert "before" not in plain


@pytest.mark.usefixtures("shared")
def test_the_number_of_hits_is_as_asked() -> None:
    assert len(search("--no-sync", "-n", "1", "部署").json["hits"]) == 1
    assert len(search("--no-sync", "-n", "3", "the").json["hits"]) == 3
    assert len(search("--no-sync", "role:user").json["hits"]) == 10


# -- the asking session ------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("shared")
def test_the_asking_session_is_left_out_and_the_answer_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    assert search("--no-sync", "frogs").json["left_out"] == []
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", OTHER)
    asked = search("--no-sync", "部署")
    assert asked.snippets == [SAID["deploy"]]
    assert [one["session"] for one in asked.json["left_out"]] == [f"claude-code:{OTHER}"]
    assert "left out" in asked.err
    nothing = search("--no-sync", "pond")
    assert nothing.snippets == []
    assert "--include-current" in nothing.json["hint"]
    assert search("--no-sync", "--include-current", "pond").snippets == ["the pond is green"]


@pytest.mark.usefixtures("shared")
def test_the_asking_sessions_subagents_are_left_out_too(monkeypatch: pytest.MonkeyPatch) -> None:
    assert search("--no-sync", "SUBONLY").snippets == ["SUBONLY: it has rings"]
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", MAIN)
    assert search("--no-sync", "SUBONLY").snippets == []


@pytest.mark.usefixtures("shared")
def test_what_a_resumed_session_copied_is_still_found_in_the_session_it_came_from(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", COPY)
    assert search("--no-sync", "遷移腳本").json["hits"][0]["session"] == f"claude-code:{MAIN}"
    assert search("--no-sync", "RESUMED").snippets == []


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize("name", [OTHER, f"claude-code:{OTHER}", "33333333", "d000"])
def test_a_session_is_excluded_by_any_of_its_ids(name: str) -> None:
    found = search("--no-sync", "部署", "--exclude-session", name)
    assert found.snippets == [SAID["deploy"]]
    assert [one["session"] for one in found.json["left_out"]] == [f"claude-code:{OTHER}"]


# -- ids ---------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("shared")
def test_a_message_is_shown_by_every_name_it_has() -> None:
    (hit,) = search("--no-sync", '"pond is green"').json["hits"]
    for name in (hit["id"], hit["id"][:7], "d004"):
        shown = hark("show", name, "--json")
        assert shown.status == 0
        assert [part["text"] for part in shown.json["message"]] == ["the pond is green"]
        assert [one["text"] for one in shown.json["before"]][-1:] == ["one turn later"]


@pytest.mark.usefixtures("shared")
def test_a_session_is_shown_by_every_name_it_has() -> None:
    for name in (OTHER, f"claude-code:{OTHER}", "33333333", "3333", "claude-code:3333"):
        shown = hark("show", name, "--json")
        assert shown.status == 0
        assert shown.json["session"]["id"] == f"claude-code:{OTHER}"
        texts = [part["text"] for part in shown.json["messages"]]
        assert texts == [FROGS, "frogs answer", "one turn later", "the pond is green", "and the last turn"]
        assert shown.json["files"] == ["/w/other/src"]


@pytest.mark.usefixtures("shared")
def test_every_id_that_a_search_prints_can_be_shown() -> None:
    for query in ("部署", "水豚", "OUTONLY", "nginx-blue", "SUBONLY"):
        for hit in search("--no-sync", query).json["hits"]:
            assert hark("show", hit["id"], "--json").status == 0, query
            assert hark("show", hit["session"], "--json").status == 0, query


@pytest.mark.usefixtures("shared")
def test_an_ambiguous_prefix_is_an_error_that_names_the_candidates() -> None:
    for argv in (("show", "aaaa1111"), ("search", "--no-sync", "twins", "--exclude-session", "aaaa1111")):
        shown = hark(*argv)
        assert (shown.status, shown.out) == (2, "")
        assert TWIN_A in shown.err
        assert TWIN_B in shown.err
    assert hark("show", "aaaa1111-4").status == 0


@pytest.mark.usefixtures("shared")
def test_an_unknown_id_is_not_found() -> None:
    for name in ("nothing-such", "m00000000000", "claude-code:none", "", "m", "%"):
        shown = hark("show", name)
        assert (shown.status, shown.out) == (1, ""), name
        assert shown.err.startswith("hark: ")


@pytest.mark.usefixtures("shared")
def test_a_filter_for_an_unknown_session_says_so() -> None:
    asked = hark("search", "--no-sync", "部署", "--session", "nothing-such")
    assert (asked.status, asked.out) == (1, "")
    assert "nothing-such" in asked.err


@pytest.mark.usefixtures("shared")
def test_raw_gives_the_untouched_record() -> None:
    (hit,) = search("--no-sync", '"pond is green"').json["hits"]
    record = process(["show", hit["id"], "--raw"], env=dict(os.environ))
    assert json.loads(record.stdout)["uuid"] == "d004"


# -- how it is said ----------------------------------------------------------------------------------------------

KEYS = {
    "schema",
    "query",
    "tier",
    "memories",
    "hits",
    "lanes",
    "coverage",
    "left_out",
    "truncated",
    "hint",
    "more",
    "notes",
}
HIT_KEYS = {
    "id", "session", "agent", "project", "title", "role", "lane", "time", "snippet", "matches", "score", "copies",
    "resume", "gone", "why",
}  # fmt: skip
HIT_EXTRAS = {"tool", "files", "parent", "before", "after"}


@pytest.mark.usefixtures("shared")
def test_the_json_has_these_keys_and_no_others() -> None:
    for query in ("部署", "nginx-blue", "SUBONLY", "中文本", ""):
        found = search("--no-sync", "-C", "1", query).json
        assert found.keys() == KEYS
        assert found["coverage"].keys() == {"files", "messages", "pending", "problems", "last_full_pass"}
        for hit in found["hits"]:
            assert HIT_KEYS <= hit.keys() <= HIT_KEYS | HIT_EXTRAS
            assert hit["resume"].keys() == {"argv", "env", "cwd"}


@pytest.mark.usefixtures("shared")
def test_a_hit_says_who_where_when_and_how_to_go_on() -> None:
    (hit,) = search("--no-sync", "遷移腳本 -寫好").json["hits"]
    assert {key: hit[key] for key in ("session", "agent", "project", "title", "role", "lane", "time", "snippet")} == {
        "session": f"claude-code:{MAIN}",
        "agent": "claude-code",
        "project": "/w/demo",
        "title": "水豚觀察日誌",
        "role": "user",
        "lane": "talk",
        "time": "2026-11-03T09:01:00+00:00",
        "snippet": SAID["script"],
    }
    assert hit["matches"] == [[2, 6]]
    assert hit["resume"] == {"argv": ["claude", "--resume", MAIN], "env": {}, "cwd": "/w/demo"}
    assert hit["why"]["tier"] == "phrase"
    assert [one["session"] for one in hit["copies"]] == [f"claude-code:{COPY}"]


@pytest.mark.usefixtures("shared")
def test_a_subagents_hit_is_resumed_through_its_parent() -> None:
    (hit,) = search("--no-sync", "SUBONLY").json["hits"]
    assert hit["parent"] == f"claude-code:{MAIN}"
    assert hit["resume"]["argv"] == ["claude", "--resume", MAIN]


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize(
    ("query", "marked"),
    [
        ("资料库", ["資料庫"]),
        ("API", ["ＡＰＩ"]),
        ("ｻｰﾊﾞｰ -再起動", ["サーバー"]),
        ("サーバー -落", ["ｻｰﾊﾞｰ"]),
        ("éclair", ["e\u0301clair"]),
        ("C++", ["C++"]),
        ("cat sat", ["cat sat", "cat", "sat"]),
    ],
)
def test_matches_mark_the_words_in_the_text_as_it_stands(query: str, marked: list[str]) -> None:
    (hit,) = search("--no-sync", query).json["hits"]
    found = [hit["snippet"][start:end] for start, end in hit["matches"]]
    assert found
    assert set(found) <= set(marked)


@pytest.mark.usefixtures("shared")
def test_people_read_hits_and_one_status_line_apart() -> None:
    found = hark("search", "--no-sync", "部署")
    assert found.status == 0
    assert SAID["deploy"] in found.out
    assert len(found.err.splitlines()) == 1
    assert "2 hits" in found.err
    empty = hark("search", "--no-sync", "中文本")
    assert empty.status == 1
    assert len(empty.err.splitlines()) == 1


@pytest.mark.usefixtures("shared")
def test_a_budget_bounds_what_is_printed() -> None:
    unbounded = hark("search", "--no-sync", "--budget", "0", "role:user")
    assert len(unbounded.out) > 1000
    for budget in (300, 700, 1000):
        bounded = hark("search", "--no-sync", "--budget", str(budget), "role:user")
        assert 0 < len(bounded.out) <= budget
        assert bounded.status == 0
    whole = hark("search", "--no-sync", "--json", "role:user")
    part = hark("search", "--no-sync", "--json", "--budget", str(len(whole.out) // 2), "role:user")
    assert 0 < len(part.out) <= len(whole.out) // 2
    assert part.json["truncated"] == 10 - len(part.json["hits"]) > 0
    assert whole.json["truncated"] == 0


def test_ten_long_hits_stay_within_four_thousand_characters(own_home: Path) -> None:
    pen = Pen(MAIN, "a", "2026-11-03")
    for number in range(20):
        pen.user(f"長話 {number} " + "這是一段很長的話，說了很多事情。" * 60)
    write(projects(own_home) / f"{MAIN}.jsonl", pen.rows)
    found = hark("search", "長話")
    assert found.status == 0
    assert 1000 < len(found.out) <= 4000


@pytest.mark.usefixtures("shared")
def test_wrong_options_are_an_error() -> None:
    for argv in (["search", "-n", "many", "x"], ["search", "--sort", "age", "x"], ["nothing-such"], ["show"]):
        ended = hark(*argv)
        assert (ended.status, ended.out) == (2, ""), argv
        assert ended.err


@pytest.mark.usefixtures("shared")
def test_data_goes_to_stdout_and_the_rest_to_stderr_in_a_process_of_its_own() -> None:
    env = dict(os.environ)
    found = process(["search", "--no-sync", "--json", "部署"], env=env)
    assert found.returncode == 0
    assert len(json.loads(found.stdout)["hits"]) == 2
    assert len(found.stderr.splitlines()) == 1
    assert process(["search", "--no-sync", "中文本"], env=env).returncode == 1
    assert process(["search", "--no-sync", "--", "--no-cache"], env=env).returncode == 0
    assert process(["search", "--no-sync", "--no-cache"], env=env).returncode == 0
    assert process(["show", "nothing-such"], env=env).returncode == 1
    assert process(["search", "--sort", "age"], env=env).returncode == 2


@pytest.mark.usefixtures("shared")
@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGPIPE and closes pipes in another way")
@pytest.mark.parametrize("argv", [("search", "--no-sync", "role:user"), ("show", MAIN), ("sessions",), ("status",)])
def test_a_closed_pipe_is_no_error(argv: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "harkback", *argv]
    reading, writing = os.pipe()
    os.close(reading)
    with subprocess.Popen(command, stdout=writing, stderr=subprocess.PIPE, env=dict(os.environ)) as running:
        os.close(writing)
        _, err = running.communicate(timeout=60)
    assert running.returncode == 0
    assert b"Traceback" not in err
    assert b"Broken" not in err


# -- nothing, and nothing yet ------------------------------------------------------------------------------------


@pytest.mark.parametrize("argv", [("部署",), ("--no-sync", "部署"), ("",), ("file:x",), ("--by", "session", "x")])
def test_an_empty_home_gives_an_answer_that_says_why(argv: tuple[str, ...]) -> None:
    found = search(*argv)
    assert found.status == 1
    assert found.json["tier"] == "none"
    assert found.json["hint"]
    assert found.json["coverage"]["files"] == 0
    assert hark("search", *argv).out.startswith("Nothing found. ")


def test_the_first_search_reads_what_is_there(own_home: Path) -> None:
    pen = Pen(MAIN, "a", "2026-11-03")
    pen.user("first words 部署")
    write(projects(own_home) / f"{MAIN}.jsonl", pen.rows)
    assert search("--no-sync", "部署").snippets == []
    assert search("部署").snippets == ["first words 部署"]


@pytest.mark.usefixtures("shared")
def test_an_empty_answer_says_what_the_filters_hide() -> None:
    assert "filters" in search("--no-sync", "部署 project:twins").json["hint"]
    assert "filters" not in search("--no-sync", "中文本 project:twins").json["hint"]


# -- what happens to transcripts ---------------------------------------------------------------------------------


def test_a_line_appended_is_found_by_the_next_search(own_home: Path) -> None:
    pen = Pen(MAIN, "a", "2026-11-03")
    pen.user("old news")
    path = projects(own_home) / f"{MAIN}.jsonl"
    write(path, pen.rows)
    assert search("freshness").snippets == []
    pen.user("freshness 新鮮")
    with path.open("ab") as file:
        file.write(line(pen.rows[-1]))
    assert search("freshness").snippets == ["freshness 新鮮"]
    assert search("新鮮").snippets == ["freshness 新鮮"]
    assert search("old news").snippets == ["old news"]


def test_a_deleted_transcript_is_still_found_and_marked_gone(own_home: Path) -> None:
    pen = Pen(MAIN, "a", "2026-11-03")
    pen.user("kept for ever 保存")
    path = projects(own_home) / f"{MAIN}.jsonl"
    write(path, pen.rows)
    (hit,) = search("保存").json["hits"]
    assert [one["gone"] for one in hark("sessions", "--json").json["sessions"]] == [False]
    path.unlink()
    assert search("保存").snippets == ["kept for ever 保存"]
    assert hark("sync").status == 0
    assert search("保存").snippets == ["kept for ever 保存"]
    assert [one["gone"] for one in hark("sessions", "--json").json["sessions"]] == [True]
    assert hark("show", hit["id"], "--json").json["message"][0]["text"] == "kept for ever 保存"
    raw = hark("show", hit["id"], "--raw")
    assert (raw.status, raw.out) == (1, "")


def test_after_a_rewind_the_new_text_is_found_and_the_old_is_not(own_home: Path) -> None:
    pen = Pen(MAIN, "a", "2026-11-03")
    for text in ("stays 保留", "old branch 舊文字", "old answer 舊回答"):
        pen.user(text)
    path = projects(own_home) / f"{MAIN}.jsonl"
    write(path, pen.rows)
    assert search("舊文字").snippets == ["old branch 舊文字"]
    del pen.rows[1:]
    for text in ("new branch 新文字", "new answer 新回答", "grown longer than before 更長"):
        pen.user(text, uuid=f"new-{text}")
    write(path, pen.rows)
    assert search("新文字").snippets == ["new branch 新文字"]
    assert search("更長").snippets == ["grown longer than before 更長"]
    assert search("保留").snippets == ["stays 保留"]
    assert search("舊文字").snippets == []
    assert search("舊回答").snippets == []


def test_lines_that_are_no_records_are_skipped_kept_as_problems_and_the_rest_is_read(own_home: Path) -> None:
    pen = Pen(MAIN, "a", "2026-11-03")
    pen.user("before 之前")
    pen.user("after 之後")
    odd = [b"null\n", b"42\n", b"[1, 2]\n", b'"text"\n', b"{half\n", b"\x00" * 100 + b"\n", b"\n"]
    write(projects(own_home) / f"{MAIN}.jsonl", [pen.rows[0], *odd, pen.rows[1]])
    assert search("之前").snippets == ["before 之前"]
    found = search("之後")
    assert found.snippets == ["after 之後"]
    assert found.json["coverage"]["problems"] == 6


def test_times_come_from_the_records_and_not_from_the_files(own_home: Path) -> None:
    pen = Pen(MAIN, "a", "2026-11-03")
    pen.user("copied by rsync 搬家")
    path = projects(own_home) / f"{MAIN}.jsonl"
    write(path, pen.rows)
    os.utime(path, (1_700_000_000, 1_700_000_000))
    (hit,) = search("搬家").json["hits"]
    assert hit["time"] == "2026-11-03T09:00:00+00:00"
    (session,) = hark("sessions", "--json").json["sessions"]
    assert (session["started"], session["ended"]) == ("2026-11-03T09:00:00+00:00",) * 2


@pytest.mark.usefixtures("shared")
def test_a_resumed_copy_is_one_hit_with_two_places() -> None:
    found = search("--no-sync", "遷移腳本").json
    assert len(found["hits"]) == 2
    for hit in found["hits"]:
        shown = hark("show", hit["id"], "--json").json
        expected = {f"claude-code:{MAIN}", f"claude-code:{COPY}"} if hit["copies"] else {f"claude-code:{MAIN}"}
        assert {place["session"] for place in shown["places"]} == expected


def test_saying_the_same_twice_counts_twice(own_home: Path) -> None:
    pen = Pen(MAIN, "a", "2026-11-03")
    pen.user("yes 好的")
    pen.agent("done")
    pen.user("yes 好的")
    write(projects(own_home) / f"{MAIN}.jsonl", pen.rows)
    assert search("好的").snippets == ["yes 好的"] * 2


# -- the work of a search ----------------------------------------------------------------------------------------

WORKED = ["部署", "设", "遷移腳本", "資料庫 壞了", "the", "cat OR category", '"cat sat"', "role:user", "tool:Edit",
          "frogs project:other", "OUTONLY", "中文本", "服務部署到環境", "getUserName", "the -cat"]  # fmt: skip

_opened: list[str] = []
_is_watching: list[bool] = []


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if _is_watching and event == "open":
        _opened.append(str(arguments[0]))


@pytest.fixture
def opened() -> Iterator[list[str]]:
    """Give the paths of the files opened meanwhile, by whatever means Python has."""
    if not _is_watching:
        sys.addaudithook(_note)  # can never be taken out again, so it is put in once and told when to look
    _is_watching.append(True)
    _opened.clear()
    yield _opened
    _is_watching.clear()


def test_a_search_opens_no_transcript(shared: Path, opened: list[str]) -> None:
    transcript = next((shared / "home").rglob("*.jsonl"))
    transcript.read_bytes()
    assert [path for path in opened if "projects" in path] == [str(transcript)]  # the watch works
    opened.clear()
    for query in WORKED:
        for argv in ((), ("--no-sync",), ("--no-sync", "--by", "session"), ("--no-sync", "-C", "2")):
            search(*argv, query)
    assert [path for path in opened if "projects" in path] == []


@pytest.mark.parametrize("limit", [1, 3, 10])
@pytest.mark.parametrize("query", WORKED)
def test_a_search_reads_no_more_rows_than_it_shows_hits_for(base: Path, query: str, limit: int) -> None:
    engine = LocalEngine.open(str(base / "archive"))
    assert engine is not None
    try:
        looking = Looking(engine, Search(parse(query, NOW_MS), limit=limit), NOW_MS, None, 0)
        found = looking.messages()
        assert engine.rows.read <= limit * 3 + 10
        assert engine.rows.read >= len(found.hits)
    finally:
        engine.close()


def test_with_every_transcript_moved_away_the_answers_are_the_same(tmp_path: Path) -> None:
    home, data = tmp_path / "home", tmp_path / "archive"
    tricky(home)
    archive = Archive(Place(str(home), str(data)), {}, NOW_MS, "/nowhere")
    archive.sync()
    modes: list[dict[str, Any]] = [{}, {"by_session": True}, {"newest": True}, {"context": 2}]

    def answers(asked: Callable[..., Any]) -> list[dict[str, Any]]:
        return [
            wire.search(asked(parse(query, NOW_MS), sync=False, **mode), NOW_MS) for query in WORKED for mode in modes
        ]

    before = answers(archive.search)
    assert sum(len(one["hits"]) for one in before) > 100
    shutil.move(str(home / ".claude"), str(tmp_path / "away"))
    assert answers(archive.search) == before
