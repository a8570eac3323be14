"""The sample archive of `hark demo`: its shape, its languages, and that its searches have an answer."""

from __future__ import annotations

import collections
import datetime as dt
import json
import os
import re
from typing import TYPE_CHECKING, Any

import pytest

from harkback import demo

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SESSIONS = 17
SUBAGENTS = 1
TALK = os.path.join(os.path.dirname(demo.__file__), "talk.json")
# Its name is uuid5 of the archive's namespace and "5g-card-fixed", worked out apart from the code.
FIVE_G = "projects/-home-dev-edge-gateway/3f689686-a3b1-5440-b6be-2b5b110b698d.jsonl"

# Characters that only one of the languages writes, among those that the talk uses.
KANA = re.compile(r"[ぁ-んァ-ヺ]")
TRADITIONAL = re.compile(r"[這個驗過設檔幫會為後來寫麼們]")
SIMPLIFIED = re.compile(r"[这个验过设帮会为后来写么们]")
ONLY_SIMPLIFIED = re.compile(r"[这验过设帮为写们]")


@pytest.fixture(scope="module", name="folder")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    demo.write(str(folder))
    return folder


def transcripts(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Read every transcript below the folder, by its place in it."""
    return {
        path.relative_to(folder).as_posix(): [json.loads(line) for line in path.read_bytes().split(b"\n") if line]
        for path in sorted(folder.rglob("*.jsonl"))
    }


def texts(rows: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """What people and agents said in a transcript, with the role."""
    for row in rows:
        content = row.get("message", {}).get("content", [])
        if row["type"] == "attachment":
            yield "user", row["attachment"]["prompt"]
        elif isinstance(content, str):
            yield row["type"], content
        else:
            yield from ((row["type"], block["text"]) for block in content if block["type"] == "text")


def blocks(rows: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [
        block
        for row in rows
        for block in row.get("message", {}).get("content", [])
        if isinstance(block, dict) and block["type"] == kind
    ]


def language(rows: list[dict[str, Any]]) -> str:
    """The language that the agent writes in this session."""
    said = "".join(text for role, text in texts(rows) if role == "assistant")
    if KANA.search(said):
        return "ja"
    if ONLY_SIMPLIFIED.search(said):
        return "zh-Hans"
    return "zh-Hant" if TRADITIONAL.search(said) else "en"


def test_it_counts_what_it_writes(tmp_path: Path) -> None:
    assert demo.write(str(tmp_path)) == SESSIONS + SUBAGENTS
    assert len(transcripts(tmp_path)) == SESSIONS + SUBAGENTS


def test_writing_twice_gives_the_same_bytes_and_times(tmp_path: Path) -> None:
    def state() -> dict[str, tuple[bytes, int]]:
        return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in tmp_path.rglob("*.jsonl")}

    demo.write(str(tmp_path))
    first = state()
    demo.write(str(tmp_path))
    assert state() == first
    (tmp_path / FIVE_G).write_bytes(b"{}\n")
    assert state() != first


def test_a_folder_that_cannot_be_made_is_an_os_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OSError, match="file"):
        demo.write(str(tmp_path / "file"))
    assert demo.write(str(tmp_path / "new" / "folder")) == SESSIONS + SUBAGENTS


def test_the_ids_are_the_same_on_every_machine(folder: Path) -> None:
    rows = transcripts(folder)[FIVE_G]
    assert rows[1]["uuid"] == "db3ba77f-f8e2-5760-879f-21c7346e8718"
    assert rows[1]["timestamp"] == "2026-09-08T01:33:34.137Z"


def test_transcripts_lie_where_claude_code_keeps_them(folder: Path) -> None:
    found = transcripts(folder)
    folders = collections.Counter(place.split("/")[1] for place in found)
    assert folders == {
        "-home-dev-edge-gateway": 2,
        "-home-dev-shop-api": 9,
        "-home-dev-infra": 2,
        "-home-dev-docs-search": 1,
        "-home-dev-camview": 1,
        "-home-dev---": 3,  # 報表 and 帳票 collide, as they would in reality
    }
    for place, rows in found.items():
        for row in rows:
            assert row["sessionId"] in place
            if "uuid" in row:
                munged = "".join(c if c.isascii() and c.isalnum() else "-" for c in row["cwd"])
                assert place.split("/")[1] == munged


def test_rows_form_one_chain_with_rising_times_in_autumn_2026(folder: Path) -> None:
    seen: set[str] = set()
    for place, rows in transcripts(folder).items():
        chain = [row for row in rows if "uuid" in row]
        assert len(chain) >= 4, place
        assert [row["parentUuid"] for row in chain] == [None, *(row["uuid"] for row in chain[:-1])]
        times = [dt.datetime.fromisoformat(row["timestamp"]) for row in chain]
        assert times == sorted(set(times))
        assert dt.datetime(2026, 9, 1, tzinfo=dt.UTC) < times[0]
        assert times[-1] < dt.datetime(2026, 12, 1, tzinfo=dt.UTC)
        assert seen.isdisjoint(row["uuid"] for row in chain)
        seen.update(row["uuid"] for row in chain)


def test_every_call_has_its_result_and_some_fail(folder: Path) -> None:
    tools: collections.Counter[str] = collections.Counter()
    failed = 0
    for rows in transcripts(folder).values():
        calls, results = blocks(rows, "tool_use"), blocks(rows, "tool_result")
        assert [call["id"] for call in calls] == [result["tool_use_id"] for result in results]
        tools.update(call["name"] for call in calls)
        failed += sum(result["is_error"] for result in results)
    assert set(tools) == {"Agent", "Bash", "Edit", "Grep", "Read"}
    assert failed >= 10


def test_blocks_of_one_api_message_share_its_id(folder: Path) -> None:
    rows = [row for row in transcripts(folder)[FIVE_G] if row["type"] == "assistant"]
    shared = collections.Counter(row["message"]["id"] for row in rows)
    # call · thinks says call · says call · call · edit · call · says
    assert list(shared.values()) == [1, 3, 2, 1, 1, 1, 1]
    assert [row["apiBlockIndex"] for row in rows] == [0, 0, 1, 2, 0, 1, 0, 0, 0, 0]
    assert rows[-1]["message"]["stop_reason"] == "end_turn"
    assert {row["message"]["stop_reason"] for row in rows[:-1]} == {"tool_use"}


def test_the_subagent_has_a_transcript_that_names_its_parent(folder: Path) -> None:
    (meta_path,) = folder.rglob("*.meta.json")
    meta = json.loads(meta_path.read_text(encoding="utf-8"))
    assert meta["agentType"] == "Explore"
    assert meta["description"] == "CSV 書き出し箇所の調査"
    place = meta_path.parent.parent
    found = transcripts(folder)
    child = found[meta_path.relative_to(folder).as_posix().replace(".meta.json", ".jsonl")]
    parent = found[f"{place.relative_to(folder).as_posix()}.jsonl"]
    assert {row["isSidechain"] for row in child} == {True}
    assert {f"agent-{row['agentId']}.meta.json" for row in child} == {meta_path.name}
    assert {row["sessionId"] for row in child} == {place.name}
    assert meta["toolUseId"] in {call["id"] for call in blocks(parent, "tool_use")}
    report = child[-1]["message"]["content"][0]["text"]
    (notice,) = (row for row in parent if row.get("origin") == {"kind": "task-notification"})
    assert f"<result>{report}</result>" in notice["message"]["content"]
    assert notice["timestamp"] > child[-1]["timestamp"]


@pytest.mark.parametrize(
    ("kind", "field", "value", "times"),
    [
        ("ai-title", "aiTitle", "5G card: driver, AT command, APN", 1),
        ("ai-title", "aiTitle", "no such title", 0),
        ("last-prompt", "lastPrompt", "好，演練排進下週的驗收", 1),
        ("queue-operation", "content", "keep the hit ratio metric please, the dashboard reads it", 1),
    ],
)
def test_bookkeeping_rows(folder: Path, kind: str, field: str, value: str, times: int) -> None:
    rows = [row for found in transcripts(folder).values() for row in found]
    assert sum(row["type"] == kind and row[field] == value for row in rows) == times


def test_prompts_are_marked_as_typed_by_a_person_and_others_are_not(folder: Path) -> None:
    found = transcripts(folder)
    for place, rows in found.items():
        prompts = [row for row in rows if row["type"] == "user" and isinstance(row["message"]["content"], str)]
        human = [row for row in prompts if row.get("origin") == {"kind": "human"}]
        assert bool(human) == ("/subagents/" not in place)
    queued = [row for rows in found.values() for row in rows if row["type"] == "attachment"]
    assert [row["attachment"]["humanTurn"] for row in queued] == [True, True]


def test_a_third_of_the_sessions_is_in_each_language(folder: Path) -> None:
    spoken = collections.Counter(
        language(rows) for place, rows in transcripts(folder).items() if "/subagents/" not in place
    )
    assert spoken == {"zh-Hant": 5, "en": 6, "ja": 5, "zh-Hans": 1}


def test_the_searches_are_one_of_each_language() -> None:
    queries = [query for query, _ in demo.SEARCHES]
    assert queries == ["驗收", "文字化け", "how did we fix the 5G card last time"]
    assert all(0 < len(told) <= 110 and "\n" not in told for _, told in demo.SEARCHES)


@pytest.mark.parametrize(
    ("word", "sessions"),
    [
        ("驗收", 2),
        ("验收", 1),
        ("文字化け", 2),
        ("5G card", 1),
        ("5G 卡", 1),
        ("形態素解析", 1),
        ("rollback", 1),
        ("cache stampede", 2),
        ("設定檔", 1),
        ("向量資料庫", 0),
    ],
)
def test_words_stand_in_the_talk_of_so_many_transcripts(folder: Path, word: str, sessions: int) -> None:
    found = transcripts(folder).values()
    assert sum(any(word in text for _, text in texts(rows)) for rows in found) == sessions


def test_the_question_is_answered_by_the_agent_in_one_message(folder: Path) -> None:
    said = [text for role, text in texts(transcripts(folder)[FIVE_G]) if role == "assistant"]
    (answer,) = (text for text in said if "How we fixed it" in text)
    assert all(word in answer for word in ("5G card", "Driver", "AT+QCFG", "APN", "internet"))


def test_the_data_is_small_and_holds_no_secret_and_no_stranger() -> None:
    with open(TALK, encoding="utf-8") as file:
        talk = file.read()
    assert len(talk.encode()) <= 60_000
    assert set(re.findall(r"/home/(\w+)", talk)) == {"dev"}
    for shape in (
        r"[\w.]+@[\w.]+\.\w",
        r"sk-\w{8}",
        r"AKIA\w{8}",
        r"ghp_\w{8}",
        r"(?i)password|passwd",
        r"/root/",
    ):
        assert not re.search(shape, talk), shape


def test_a_turn_of_unknown_shape_is_refused() -> None:
    start = {"name": "x", "cwd": "/home/dev/x", "branch": "main", "start": "2026-09-01T00:00:00Z"}
    assert demo._session_rows({**start, "turns": [["user", "hello"]]}).rows
    with pytest.raises(ValueError, match="unknown shape: sings"):
        demo._session_rows({**start, "turns": [["user", "hello"], ["sings", "la"]]})
