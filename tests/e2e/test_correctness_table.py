"""The probes of the table "Correctness, measured on a tiny tricky home folder": what hark gives is its column "want".

One home holds every probe in a Claude Code, a Codex and a Pi session, and each row must hold for all three. The row
about a fake key in results is left for the step that masks keys; nothing here is masked.
"""

# Rows that a test elsewhere holds as they stand, and which are not repeated here:
#
# | row                   | test                                                                                   |
# |-----------------------|----------------------------------------------------------------------------------------|
# | 2 index runs at once  | test_two_at_once.py::test_two_syncs_and_ten_searches_on_a_new_archive_all_end_well      |

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.pens import AGENTS, PENS, TRAPS, Claude, Codex, Pen, by_agent, everywhere, hark, hits, texts
else:
    from pens import AGENTS, PENS, TRAPS, Claude, Codex, Pen, by_agent, everywhere, hark, hits, texts

SAID = {
    "first": "the first words 複製品",
    **TRAPS,
    "one": "重新設定。",
    "unbal": "an unbal thing",
    "pepper": "salt AND vinegar",
    "last": "the last words 最後",
}

TITLE = "水豚觀察日誌"
DAYS = {"claude-code": "2026-11-03", "codex": "2026-11-04", "pi": "2026-11-05"}
LATER = {"claude-code": "2026-11-13", "codex": "2026-11-14", "pi": "2026-11-15"}

CLAUDE, CODEX = Claude(1, DAYS["claude-code"]), Codex(2, DAYS["codex"])


def main_session(pen_type: type[Pen], number: int) -> Pen:
    pen = pen_type(number, DAYS[pen_type.agent])
    for text in SAID.values():
        pen.user(text)
    pen.think("perhaps THINKONLY helps")
    pen.say("I have looked.")
    pen.edit("/w/demo/conf/nginx-blue.conf")
    pen.shell("systemctl restart zebrad", "ok\nOUTONLY stands here")
    pen.shell("less big.log", "filler words\n" * 240_000 + "TAILTOKEN at the very end")
    return pen


def write_home(home: Path) -> dict[str, Pen]:
    """Write the home and give the pen of each agent's longest session."""
    mains: dict[str, Pen] = {}
    for number, pen_type in enumerate(PENS, 1):
        pen = mains[pen_type.agent] = main_session(pen_type, number)
        pen.title(home, TITLE)
        pen.write(home)

        single = pen_type(number + 0x10, "2026-10-01")
        single.user("ONEPROMPT, nothing else")
        single.write(home)

        resumed = pen_type(number + 0x20, LATER[pen_type.agent])
        resumed.copy(pen, pen.head + 4)
        resumed.user("after the resume RESUMED")
        resumed.write(home)
        # The newest transcript is read first: the copy, before what it was copied from.
        os.utime(pen.path(home), (1_700_000_000, 1_700_000_000))

    inner = Claude(0x31, DAYS["claude-code"])
    inner.say("SUBONLY it has rings")
    CLAUDE.subagent(home, "a1", inner.rows)
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": CODEX.native, "depth": 1, "agent_nickname": "Kepler"}}}
    worker = Codex(0x32, DAYS["codex"], source=spawn, parent_thread_id=CODEX.native, thread_source="subagent")
    worker.say("SUBONLY it has rings")
    worker.write(home)
    return mains


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One home, read once; the tests that use it change nothing in it."""
    folder = tmp_path_factory.mktemp("table")
    write_home(folder / "home")
    with pytest.MonkeyPatch.context() as patch:
        point_at(folder, patch)
        assert hark("sync").status == 0
    return folder


@pytest.fixture
def shared(base: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    assert own_home != base / "home"  # asked for, so that its settings come first and are then replaced
    point_at(base, monkeypatch)
    return base


def point_at(folder: Path, patch: pytest.MonkeyPatch) -> None:
    patch.setenv("HOME", str(folder / "home"))
    patch.setenv("USERPROFILE", str(folder / "home"))
    patch.setenv("HARK_HOME", str(folder / "archive"))
    patch.setenv("HARK_BACKGROUND", "off")


def said(*names: str) -> dict[str, list[str]]:
    return everywhere(*(SAID[name] for name in names))


# -- language ----------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize(
    ("queries", "names"),
    [
        pytest.param(["部署"], ["deploy"], id="部署 inside a sentence"),
        pytest.param(["設"], ["one"], id="設 (one char)"),
        pytest.param(["遷移腳本"], ["script", "script2"], id="遷移腳本 (4 chars, mid sentence)"),
        pytest.param(["youer"], ["glued"], id="youer in 修改youer服務端"),
        pytest.param(["资料库"], ["database"], id="Simplified 资料库 for 資料庫"),
        pytest.param(["API"], ["wide"], id="ASCII API for full-width ＡＰＩ"),
        pytest.param(["サーバー", "ｻｰﾊﾞｰ"], ["kana", "half"], id="サーバー vs half-width ｻｰﾊﾞｰ (cross)"),
        pytest.param(["éclair"], ["nfd"], id="éclair NFC query, NFD text"),
        pytest.param(["🎉"], ["emoji"], id="emoji"),
    ],
)
def test_a_word_is_found_in_every_agents_session(queries: list[str], names: list[str]) -> None:
    for query in queries:
        assert by_agent("--no-sync", query) == said(*names)


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize("query", [pytest.param("中文本", id="中文本 where only 中文 and 文本 occur apart")])
def test_two_words_that_overlap_make_no_third(query: str) -> None:
    assert by_agent("--no-sync", "中文") == by_agent("--no-sync", "文本") == said("apart")
    assert by_agent("--no-sync", query) == {}


SIGNS = {
    "C++": ["cpp"],
    "foo.bar()": ["call"],
    "--no-cache": ["nocache"],
    "TODO: fix": ["todo"],
    "wrong-book": ["book"],
    "v1.2.3": ["version"],
    "(": [],
    '"unbal': ["unbal"],
    "AND": ["pepper"],
}


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize("query", SIGNS)
def test_signs_crash_nothing_and_are_taken_literally(query: str) -> None:
    for argv in ([query], ["--", query]):
        assert by_agent("--no-sync", *argv) == said(*SIGNS[query])
        assert hark("search", "--no-sync", *argv).status == (0 if SIGNS[query] else 1)


# -- places ------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize(
    ("query", "lane", "snippet"),
    [
        pytest.param("OUTONLY", "output", "OUTONLY stands here", id="token only in a tool result"),
        pytest.param("THINKONLY", "thinking", "perhaps THINKONLY helps", id="token only in thinking"),
        pytest.param("nginx-blue.conf", "calls", "nginx-blue.conf", id="file name only in an Edit call"),
        pytest.param("TAILTOKEN", "output", "TAILTOKEN at the very end", id="end of a 3 MB tool result line"),
        pytest.param("水豚觀察", "title", TITLE, id="session title (ai-title row)"),
        pytest.param("ONEPROMPT", "talk", "ONEPROMPT, nothing else", id="one-prompt Codex / Pi session"),
    ],
)
def test_what_stands_in_one_place_only_is_found_in_every_agents_session(query: str, lane: str, snippet: str) -> None:
    found = sorted(hits("--no-sync", query), key=lambda hit: str(hit["agent"]))
    assert [(hit["agent"], hit["lane"]) for hit in found] == [(agent, lane) for agent in sorted(AGENTS)]
    assert [hit["snippet"] for hit in found if snippet not in hit["snippet"]] == []


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize("query", [pytest.param("SUBONLY", id="text only in a subagent file")])
def test_what_a_subagent_said_is_found_with_its_parent(query: str) -> None:
    found = hits("--no-sync", query)
    # Pi itself starts no subagents; what its extensions write for theirs has no common form.
    assert sorted((hit["agent"], hit["snippet"], hit["parent"]) for hit in found) == [
        ("claude-code", "SUBONLY it has rings", CLAUDE.id),
        ("codex", "SUBONLY it has rings", CODEX.id),
    ]


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize("query", [pytest.param("複製品", id="resumed copy of same messages")])
def test_a_resumed_copy_is_folded(query: str) -> None:
    copies = {pen_type.agent: pen_type(number + 0x20, "2026-11-13") for number, pen_type in enumerate(PENS, 1)}
    assert by_agent("--no-sync", "RESUMED") == everywhere("after the resume RESUMED")
    assert by_agent("--no-sync", query) == said("first")
    for hit in hits("--no-sync", query):
        copy = copies[hit["agent"]]
        originals = {pen_type.agent: pen_type(number, "2026-11-03").id for number, pen_type in enumerate(PENS, 1)}
        assert hit["session"] == originals[hit["agent"]]
        assert [one["session"] for one in hit["copies"]] == [copy.id]


# -- what happens to transcripts ---------------------------------------------------------------------------------


def read(home: Path) -> dict[str, Pen]:
    """Write the home and read it; every agent's last words are found."""
    mains = write_home(home)
    assert hark("sync").status == 0
    assert by_agent("最後") == said("last")
    return mains


@pytest.mark.parametrize("query", [pytest.param("最後", id="deleted transcript still findable")])
def test_a_deleted_transcript_is_kept_and_can_be_opened(own_home: Path, query: str) -> None:
    mains = read(own_home)
    assert [hit["gone"] for hit in hits(query)] == [False] * len(AGENTS)
    for pen in mains.values():
        pen.path(own_home).unlink()
    for argv in ([], ["sync"]):
        assert not argv or hark(*argv).status == 0
        assert by_agent(query) == said("last")
        assert [hit["gone"] for hit in hits(query)] == [True] * len(AGENTS)
    for hit in hits(query):
        assert hark("show", hit["id"], "--json").json["message"][0]["text"] == SAID["last"]
        assert SAID["deploy"] in hark("show", hit["session"]).out
    # Once a transcript is gone, what its session shares with a copy belongs to both.
    gone = {one["id"] for one in hark("sessions", "--json", "-n", "50").json["sessions"] if one["gone"]}
    assert gone == {pen.id for pen in mains.values()}


def rewind(home: Path) -> None:
    """Cut every agent's longest session behind its third prompt and let it grow again, longer than it was."""
    for pen in read(home).values():
        for name in ("nfd", "last"):
            assert SAID[name] in texts(SAID[name], "--agent", pen.agent)
        pen.rewind(next(number for number, row in enumerate(pen.rows) if SAID["script"] in str(row)))
        pen.user("another branch 新枝")
        pen.shell("less big.log", "other filler\n" * 300_000)
        pen.write(home)
    assert hark("sync").status == 0  # a search alone might have no time for so much


@pytest.mark.parametrize("query", [pytest.param("新枝", id="rewind (truncate, edit, regrow): new text")])
def test_after_a_rewind_the_new_text_is_found(own_home: Path, query: str) -> None:
    rewind(own_home)
    assert by_agent(query) == everywhere("another branch 新枝")
    assert by_agent("部署") == said("deploy")


@pytest.mark.parametrize("query", [pytest.param("最後", id="rewind: old text")])
def test_after_a_rewind_the_old_text_is_not_found(own_home: Path, query: str) -> None:
    rewind(own_home)
    for _ in range(3):
        assert by_agent(query) == {}
        assert by_agent("éclair") == {}
        assert hark("sync").status == 0


@pytest.mark.parametrize("odd", [pytest.param(b"null\n", id="line null in the file")])
def test_a_line_that_is_no_record_is_ignored(own_home: Path, odd: bytes) -> None:
    mains = write_home(own_home)
    lines = [odd, b"42\n", b"[1, 2]\n", b'"text"\n']
    for pen in mains.values():
        pen.write(own_home, [*pen.rows[: pen.head + 2], *lines, *pen.rows[pen.head + 2 :]])
    assert hark("sync", "--json").json["problems"] == len(lines) * len(AGENTS)
    assert by_agent("複製品") == said("first")
    assert by_agent("最後") == said("last")


@pytest.mark.parametrize("query", [pytest.param("ONEPROMPT", id="session date after a copy/rsync")])
def test_a_sessions_date_is_that_of_its_records(own_home: Path, tmp_path: Path, query: str) -> None:
    write_home(tmp_path)
    shutil.copytree(tmp_path, own_home, dirs_exist_ok=True, copy_function=shutil.copyfile)
    assert hark("sync").status == 0
    found = hits(query)
    assert sorted((hit["agent"], hit["time"][:10]) for hit in found) == [
        (agent, "2026-10-01") for agent in sorted(AGENTS)
    ]
    listed = {one["id"]: one for one in hark("sessions", "--json", "-n", "50").json["sessions"]}
    for hit in found:
        session = listed[hit["session"]]
        assert (session["started"][:10], session["ended"][:10]) == ("2026-10-01", "2026-10-01")
    assert texts(query, "--since", "2026-10-02") == []
    assert len(texts(query, "--until", "2026-10-01")) == len(AGENTS)
