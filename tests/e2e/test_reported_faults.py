"""Faults that users of such tools have reported, and the right behaviour: what is read, and what is said once.

Each test names the public issue in its docstring; with `every_agent` it holds for Claude Code, Codex and Pi. The
faults of freshness, queries and storage are in `test_reported_faults_at_work`, those of masking come with masking.
"""

# Faults that a test elsewhere holds as they stand, and which are not repeated here:
#
# | fault                                                | test                                                    |
# |------------------------------------------------------|---------------------------------------------------------|
# | mnemo 0.7.0: a bare `null`, number or list           | test_correctness_table.py::test_a_line_that_is_no_record|
# |                                                      | _is_ignored                                             |
# | letta-ai/letta-code#3580: partial last row (Claude   | ../crash/test_changed_transcripts.py::test_a_half_      |
# | Code's; Codex's and Pi's are here)                   | written_last_line_is_left_alone_and_read_when_complete  |

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.e2e.pens import AGENTS, PENS, Claude, Codex, Pen, Pi, hark, hits, line, texts
else:
    from pens import AGENTS, PENS, Claude, Codex, Pen, Pi, hark, hits, line, texts

DAY = "2026-11-03"
every_agent = pytest.mark.parametrize("pen_type", PENS, ids=AGENTS)


# -- parsing -----------------------------------------------------------------------------------------------------


def harmed(home: Path, pen_type: type[Pen], harm: Callable[[bytes], bytes]) -> tuple[Pen, int]:
    """Write three prompts, find the second, harm its rows; give the pen and the number of rows that were harmed."""
    pen = pen_type(1, DAY)
    pen.user("before it 之前")
    first = len(pen.rows)
    pen.user("the torn words 撕裂")
    after = len(pen.rows)
    pen.user("after it 之後")
    pen.write(home)
    assert texts("撕裂") == ["the torn words 撕裂"]
    assert hark("status", "--json").json["problem_kinds"] == {}
    rows = [harm(line(row)) if first <= number < after else row for number, row in enumerate(pen.rows)]
    pen.write(home, rows)
    return pen, after - first


def neighbours_are_found() -> None:
    assert texts("之前") == ["before it 之前"]
    assert texts("之後") == ["after it 之後"]


@every_agent
def test_nul_bytes_cost_the_line_they_stand_in_and_no_other(own_home: Path, pen_type: type[Pen]) -> None:
    """neilberkman/ccrider#11: NUL bytes in one line, and the whole session was skipped."""
    _, number = harmed(own_home, pen_type, lambda row: row.replace(b'": ', b'":' + b"\0" * 40, 1))
    neighbours_are_found()
    assert texts("撕裂") == []
    assert hark("status", "--json").json["problem_kinds"] == {"nul-run": number}


@pytest.mark.parametrize("pen_type", [Codex, Pi], ids=["codex", "pi"])
def test_a_last_row_that_is_half_written_hides_nothing_and_is_read_later(own_home: Path, pen_type: type[Pen]) -> None:
    """letta-ai/letta-code#3580: one partial last row, and the history was empty, silently."""
    pen = pen_type(1, DAY)
    pen.user("good words 好話")
    good = len(pen.rows)
    pen.user("last words 最後")
    whole = b"".join(line(row) for row in pen.rows[good:])
    first = len(line(pen.rows[good]))
    for cut in (1, 40, first // 2, whole.index("最後".encode()) + 1, first - 2):
        pen.write(own_home, [*pen.rows[:good], whole[:cut]])
        assert texts("好話") == ["good words 好話"], cut
        assert texts("最後") == [], cut
        pen.write(own_home, [*pen.rows[:good], whole])
        assert texts("最後") == ["last words 最後"], cut
        assert hark("status", "--json").json["problem_kinds"] == {}, cut


@every_agent
def test_a_control_character_in_a_text_stops_nothing(own_home: Path, pen_type: type[Pen]) -> None:
    """d-kimuson/claude-code-viewer#160: a control character crashed the start. Here even its line is read."""
    _, number = harmed(own_home, pen_type, lambda row: row.replace(b"the torn", b"the\x01 \x1ftorn"))
    neighbours_are_found()
    (hit,) = hits("撕裂")
    assert "torn words 撕裂" in hit["snippet"]
    assert hark("status", "--json").json["problem_kinds"] == {"repaired": number}


@every_agent
def test_reading_goes_on_behind_every_bad_line(own_home: Path, pen_type: type[Pen]) -> None:
    """neilberkman/ccrider#16: a streaming decoder stopped at the first bad line and lost all that came after."""
    pen = pen_type(1, DAY)
    for number in range(8):
        pen.user(f"prompt number {number} 提示")
    bad = [b"{half\n", b'{"type":"user","message":{"ro\n', b"Traceback (most recent call last):\n", b"}\n"]
    rows: list[Any] = pen.rows[: pen.head]
    for number, row in enumerate(pen.rows[pen.head :]):
        rows += [bad[number % len(bad)], row]
    pen.write(own_home, rows)
    assert texts("提示") == [f"prompt number {number} 提示" for number in range(8)]
    assert hark("status", "--json").json["coverage"]["problems"] == len(pen.rows) - pen.head


@every_agent
def test_what_could_not_be_read_is_counted_where_it_is_looked_for(own_home: Path, pen_type: type[Pen]) -> None:
    """openclaw/openclaw#98669: malformed lines were dropped without a trace."""
    pen = pen_type(1, DAY)
    pen.user("good words 好話")
    path = pen.write(own_home)
    assert " 0 problems" in hark("sync").out
    size = path.stat().st_size
    pen.write(own_home, [*pen.rows, b"{half\n", b"not json at all\n", b"null\n"])
    said = hark("sync")
    assert (said.status, " 3 problems" in said.out) == (0, True)
    told = hark("status", "--json").json
    assert told["problem_kinds"] == {"not-json": 2, "not-an-object": 1}
    assert {(one["path"], one["kind"]) for one in told["problems"]} == {
        (str(path), "not-json"),
        (str(path), "not-an-object"),
    }
    assert min(one["offset"] for one in told["problems"]) == size
    assert "not-json 2" in hark("status").out
    assert hark("search", "好話", "--json").json["coverage"]["problems"] == 3


@pytest.mark.parametrize(
    "mode",
    [
        pytest.param("legacy", id="neilberkman-ccrider-7"),
        pytest.param("paginated", id="pacphi-agentic-kit-170"),
        pytest.param("plain", id="rayward-external-clawjournal-213"),
        pytest.param("turns", id="rayward-external-clawjournal-213 with a turn's beginning"),
    ],
)
def test_all_three_generations_of_codex_are_read(own_home: Path, mode: str) -> None:
    """Three generations, each of which made some tool see nothing.

    neilberkman/ccrider#7: `response_item` ignored; pacphi/agentic-kit#170: `item_completed` of 0.148 and later
    unknown; rayward-external/clawjournal#213: only `response_item` present.
    """
    pen = Codex(1, DAY, mode=mode)
    pen.user("the question 提問")
    pen.think("perhaps THINKONLY helps")
    pen.shell("systemctl restart zebrad", "OUTONLY stands here")
    pen.edit("conf/nginx-blue.conf")
    pen.say("the answer 回答")
    pen.write(own_home)
    assert [(hit["role"], hit["lane"], hit["snippet"]) for hit in hits("提問")] == [
        ("user", "talk", "the question 提問")
    ]
    assert [(hit["role"], hit["lane"]) for hit in hits("回答")] == [("assistant", "talk")]
    assert [(hit["role"], hit["lane"]) for hit in hits("zebrad")] == [("assistant", "calls")]
    for query, lane in (("THINKONLY", "thinking"), ("OUTONLY", "output"), ("nginx-blue.conf", "calls")):
        assert [hit["lane"] for hit in hits(query)] == [lane], query
    (session,) = hark("sessions", "--json").json["sessions"]
    assert (session["messages"], session["cwd"], session["started"][:10]) == (2, "/w/demo", DAY)


def test_a_codex_turn_that_is_stored_three_times_is_said_once_by_the_right_one(own_home: Path) -> None:
    """zszz3/AgentRecall#502, Xuanwo/xurl#63, vshulcz/deja-vu#652: response_item, event_msg and history.jsonl.

    Every turn came twice, and what the agent said was said by the user.
    """
    pen = Codex(1, DAY)
    for number in range(3):
        pen.user(f"question {number} 提問")
        pen.say(f"answer {number} 回答")
    for _ in range(2):  # what is said twice is no copy
        pen.user("yes 好的")
        pen.say("done 完成")
    pen.write(own_home)
    history = [{"session_id": pen.native, "ts": 1_793_696_400 + n, "text": f"question {n} 提問"} for n in range(3)]
    (own_home / ".codex" / "history.jsonl").write_bytes(b"".join(line(row) for row in history))
    assert texts("提問") == [f"question {number} 提問" for number in range(3)]
    assert texts("回答") == [f"answer {number} 回答" for number in range(3)]
    assert {hit["role"] for hit in hits("提問")} == {"user"}
    assert {hit["role"] for hit in hits("回答")} == {"assistant"}
    assert texts("回答", "--role", "user") == []
    assert [hit["role"] for hit in hits("好的")] == ["user"] * 2
    assert [hit["role"] for hit in hits("完成")] == ["assistant"] * 2
    (session,) = hark("sessions", "--json").json["sessions"]
    assert session["messages"] == 10


@pytest.mark.parametrize(("pen_type", "link"), [(Claude, "parentUuid"), (Pi, "parentId")], ids=["claude-code", "pi"])
def test_every_line_is_read_whatever_its_parent(own_home: Path, pen_type: type[Pen], link: str) -> None:
    """anthropics/claude-code#58554, #21617, #88597: dangling parents; ccrecall: a second root, 4 of 5 messages lost."""
    pen = pen_type(1, DAY)
    said = [f"message {number} 訊息" for number in range(5)]
    for text in said:
        pen.user(text)
    rows = pen.rows[pen.head :]
    rows[1][link] = "never-written"
    rows[2][link] = None
    rows[4][link] = rows[0].get("uuid") or rows[0]["id"]  # another branch
    pen.write(own_home)
    assert texts("訊息") == said
    shown = hark("show", pen.id, "--json").json
    assert [part["text"] for part in shown["messages"]] == said


@pytest.mark.parametrize("pen_type", [Claude, Pi], ids=["claude-code", "pi"])
def test_children_may_be_written_before_their_parents(own_home: Path, pen_type: type[Pen]) -> None:
    """cfal/garcon#441: children that were written before their parents were lost."""
    pen = pen_type(1, DAY)
    said = [f"message {number} 訊息" for number in range(5)]
    for text in said:
        pen.user(text)
    pen.shell("systemctl restart zebrad", "OUTONLY stands here")
    pen.write(own_home, [*pen.rows[: pen.head], *reversed(pen.rows[pen.head :])])
    assert texts("訊息") == said
    assert [hit["lane"] for hit in hits("zebrad")] == ["calls"]
    assert [hit["lane"] for hit in hits("OUTONLY")] == ["output"]
    (session,) = hark("sessions", "--json").json["sessions"]
    assert (session["id"], session["messages"], session["cwd"]) == (pen.id, 5, "/w/demo")


# -- duplicates, subagents, compaction ---------------------------------------------------------------------------


@pytest.mark.parametrize("is_renamed", [False, True], ids=["with the old uuids", "with new uuids"])
def test_a_session_that_copies_another_is_folded(own_home: Path, is_renamed: bool) -> None:
    """kenn-io/agentsview#1370, anthropics/claude-code#85179: backgrounded and forked sessions copy 90 % of another."""
    pen = Claude(0xAAAA, DAY)
    for number in range(9):
        (pen.user if number % 2 == 0 else pen.say)(f"shared {number} 共用")
    pen.write(own_home)
    assert len(hits("共用")) == 9
    fork = Claude(0xBBBB, "2026-11-09")
    fork.copy(pen, 9)
    fork.rows = [{**row, "sessionKind": "bg"} for row in fork.rows]
    if is_renamed:
        fork.rows = [
            {**row, "uuid": f"new-{n}", "parentUuid": f"new-{n - 1}" if n else None} for n, row in enumerate(fork.rows)
        ]
    fork.user("said in the fork alone 分支")
    fork.write(own_home)
    assert [hit["session"] for hit in hits("分支")] == [fork.id]
    found = hits("共用")
    assert sorted(hit["snippet"] for hit in found) == [f"shared {number} 共用" for number in range(9)]
    assert {hit["session"] for hit in found} == {pen.id}
    assert [[copy["session"] for copy in hit["copies"]] for hit in found] == [[fork.id]] * 9
    assert f"also in {fork.native[:8]}" in hark("search", "共用").out


def test_a_subagent_is_found_named_and_linked_to_its_parent(own_home: Path) -> None:
    """obra/episodic-memory#72: `<session>/subagents/agent-*.jsonl` was not discovered."""
    pen = Claude(1, DAY)
    pen.user("the main question")
    pen.write(own_home)
    inner = Claude(2, DAY)
    inner.user("look at the planet 木星")
    inner.say("SUBONLY: it has rings")
    path = pen.subagent(own_home, "a1", inner.rows)
    meta = {"agentType": "Explore", "description": "Look at the planets"}
    path.with_suffix(".meta.json").write_bytes(line(meta))
    (hit,) = hits("SUBONLY")
    assert (hit["parent"], hit["title"], hit["lane"]) == (pen.id, "Look at the planets", "talk")
    assert hit["resume"]["argv"] == ["claude", "--resume", pen.native]
    assert "subagent of 00000001" in hark("search", "SUBONLY").out
    shown = hark("show", hit["session"], "--json").json["session"]
    assert {key: shown[key] for key in ("parent", "relation", "agent_type", "title", "path")} == {
        "parent": pen.id,
        "relation": "subagent",
        "agent_type": "Explore",
        "title": "Look at the planets",
        "path": str(path),
    }
    assert [one["id"] for one in hark("show", pen.id, "--json").json["subagents"]] == [hit["session"]]
    assert [one["id"] for one in hark("sessions", "--json").json["sessions"]] == [pen.id]
    assert len(hark("sessions", "--json", "--subagents").json["sessions"]) == 2


@every_agent
def test_a_summary_of_a_compaction_is_its_own_kind(own_home: Path, pen_type: type[Pen]) -> None:
    """vshulcz/deja-vu#3522: compaction summaries were a fifth of the text and won no answers."""
    pen = pen_type(1, DAY)
    pen.user("what of the capybara 水豚")
    pen.say("the capybara 水豚 sleeps")
    pen.summary("Primary request: the capybara 水豚. SUMONLY facts follow.")
    pen.user("go on")
    pen.write(own_home)
    assert [hit["lane"] for hit in hits("capybara")] == ["talk"] * 2
    assert [hit["lane"] for hit in hits("capybara", "--in", "summary")] == ["summary"]
    assert {hit["lane"] for hit in hits("capybara", "--all")} == {"talk", "summary"}
    assert [(hit["lane"], hit["why"]["tier"]) for hit in hits("SUMONLY")] == [("summary", "elsewhere")]
    (session,) = hark("sessions", "--json").json["sessions"]
    assert (session["messages"], session["title"]) == (3, "what of the capybara 水豚")
