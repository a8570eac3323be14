"""`hark chat --eval` against a server that speaks Chat Completions: what it prints, and its status."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

from harkback.chat.extraction import question
from harkback.chat.rubric import Case, load

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.e2e.chat_dialects import said
    from tests.e2e.chat_server import SOURCE, ChatServer, Reply, chat, served
else:
    from chat_dialects import said
    from chat_server import SOURCE, ChatServer, Reply, chat, served

UNIT = os.path.join(os.path.dirname(os.path.dirname(__file__)), "unit")
NONE = Reply('{"memories": [], "summary": ""}')


@pytest.fixture
def server(own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    assert own_home.exists()
    with served(tmp_path, monkeypatch, TIMEOUT_S="3") as one:
        yield one


def line(name: str, *words: str) -> dict[str, Any]:
    keep = [{"kinds": ["decision"], "words": list(words)}] if words else []
    turn = {"role": "user", "time": "2031-05-06T12:00:00+00:00", "text": "since today the blog is built with Hugo"}
    return {"id": name, "language": "en", "about": "decision", "turns": [turn], "keep": keep, "junk": ["tea"]}


HUGO = {"text": "The blog is built with Hugo", "kind": "decision", "turn": 1, "quote": "the blog is built with Hugo"}
GOOD = Reply(json.dumps({"memories": [HUGO], "summary": ""}))


@pytest.fixture
def two(tmp_path: Path) -> str:
    """Give a rubric of two cases that want the same."""
    file = tmp_path / "mine.jsonl"
    file.write_text("".join(f"{json.dumps(line(name, 'Hugo'))}\n" for name in ("first", "second")), encoding="utf-8")
    return str(file)


def saved_nothing(own_home: Path) -> bool:
    return not any((own_home.parent / "archive").glob("*"))


def test_all_cases_of_our_rubric_pass_with_good_answers(server: ChatServer, own_home: Path) -> None:
    with open(os.path.join(UNIT, "rubric_answers.jsonl"), encoding="utf-8") as file:
        good = {one["id"]: one["good"] for one in map(json.loads, file)}
    cases = load()
    by_question: dict[str, Case] = {question(one.turns)[0].text: one for one in cases}

    def reply(request: dict[str, Any]) -> Reply:
        facts = good[by_question[said(request, "user")].id]
        return Reply(json.dumps({"memories": facts, "summary": ""}, ensure_ascii=False))

    server.otherwise = reply
    talk = chat(argv=("--eval",))
    assert (talk.status, len(server.requests)) == (0, len(cases))
    lines = talk.out.splitlines()
    assert lines[0].split() == [
        *("by", "language", "cases", "passed", "recall", "precision", "junk", "kind", "day", "language", "silent")
    ]
    assert lines[-1].split() == ["all", str(len(cases)), str(len(cases)), *("100", "%", "100", "%"), *"00000"]
    assert [one for one in lines if one.startswith("  zh-TW ")]
    assert [one for one in lines if one.startswith("  never mind ")]
    progress = talk.err.splitlines()
    assert progress[0] == f"[1/{len(cases)}] {cases[0].id}: passed"
    assert f"{len(cases)} of {len(cases)} cases passed, openai:small, " in progress[-1]
    assert saved_nothing(own_home)


def test_what_fails_is_told_with_its_reason(server: ChatServer, two: str, own_home: Path) -> None:
    server.replies = [GOOD, NONE]
    talk = chat(argv=("--eval", two))
    assert talk.status == 1
    assert talk.out.splitlines()[0] == "second: missed: Hugo"
    assert talk.out.splitlines()[-1].split()[:6] == ["all", "2", "1", "50", "%", "100"]
    assert "[2/2] second: missed: Hugo" in talk.err
    assert saved_nothing(own_home)


def test_as_json_it_is_one_object(server: ChatServer, two: str) -> None:
    server.replies = [GOOD, NONE]
    talk = chat(argv=("--eval", two, "--json"))
    assert talk.status == 1
    told = json.loads(talk.out)
    assert (told["model"], told["cases"], told["all"]["passed"], told["all"]["kept"]) == ("openai:small", 2, 1, 1)
    assert [(one["id"], one["passed"], one["why"]) for one in told["verdicts"]] == [
        ("first", True, ""),
        ("second", False, "missed: Hugo"),
    ]


def test_an_answer_that_does_not_come_or_is_none_fails_after_a_second_try(server: ChatServer, two: str) -> None:
    server.replies = [Reply("I cannot."), GOOD, Reply('{"memo', breaks="stall"), Reply('{"memo', breaks="drop")]
    talk = chat(argv=("--eval", two), env={"HARK_CHAT_TIMEOUT_S": "1"})
    assert talk.status == 1
    assert len(server.requests) == 4
    assert talk.out.startswith("second: no answer: ")
    assert talk.out.splitlines()[-1].split()[-1] == "1"


def test_a_model_that_cannot_be_asked_is_an_error(server: ChatServer, two: str) -> None:
    server.otherwise = lambda _: Reply(status=500)
    talk = chat(argv=("--eval", two))
    assert (talk.status, talk.out) == (2, "")
    assert "openai:small cannot be asked (" in talk.err
    talk = chat(argv=("--eval", two), env={"HARK_CHAT_MODEL": ""})
    assert (talk.status, talk.out) == (2, "")
    assert "No model is set" in talk.err


def test_a_file_that_is_no_rubric_is_an_error(server: ChatServer, two: str) -> None:
    server.otherwise = lambda _: GOOD
    assert chat(argv=("--eval", two)).status == 0
    asked = len(server.requests)
    with open(two, "a", encoding="utf-8") as file:
        file.write("{}\n")
    talk = chat(argv=("--eval", two))
    assert (talk.status, talk.out) == (2, "")
    assert f"{two} is no rubric: line 3: turns: it is no list of objects." in talk.err
    assert chat(argv=("--eval", f"{two}x")).status == 2
    assert len(server.requests) == asked
    assert "--json goes with --eval" in chat("hi", argv=("--json",)).err


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends Ctrl-C to a whole group of processes")
def test_ctrl_c_stops_and_shows_what_there_is(server: ChatServer, two: str) -> None:
    second = threading.Event()

    def stalled(_: dict[str, Any]) -> Reply:
        second.set()
        return Reply('{"memo', breaks="stall")

    server.replies, server.otherwise = [GOOD], stalled
    argv = [sys.executable, "-m", "harkback", "chat", "--eval", two]
    env = {**os.environ, "PYTHONPATH": SOURCE, "HARK_CHAT_TIMEOUT_S": "20"}
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", env=env) as process:
        assert process.stderr is not None
        assert process.stdout is not None
        assert process.stderr.readline() == "[1/2] first: passed\n"
        assert second.wait(20)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert out.splitlines()[-1].split()[:3] == ["all", "1", "1"]
    assert err.startswith("stopped after 1 of 2; 1 of 1 case passed, openai:small, ")
