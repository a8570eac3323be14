"""What `hark chat` keeps of what was said, and brings up again."""

from __future__ import annotations

import json
import re
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.e2e.chat_dialects import said
    from tests.e2e.chat_server import ChatServer, Reply, chat, served
    from tests.e2e.pens import hark
else:
    from chat_dialects import said
    from chat_server import ChatServer, Reply, chat, served
    from pens import hark


@pytest.fixture
def server(own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    assert own_home.exists()
    with served(tmp_path, monkeypatch) as one:
        yield one


def asks_for_memories(request: dict[str, Any]) -> bool:
    return said(request, "system").startswith("You read a conversation")


def remembering(*facts: dict[str, Any], summary: str = "") -> Reply:
    return Reply(json.dumps({"memories": list(facts), "summary": summary}, ensure_ascii=False))


def answering(server: ChatServer, *extractions: Reply) -> None:
    """Let the model answer what is said, and give these when it is asked for memories, the last one again and again."""
    left = list(extractions)

    def reply(request: dict[str, Any]) -> Reply:
        if not asks_for_memories(request):
            return Reply("I see.")
        return left.pop(0) if left[1:] else left[0]

    server.otherwise = reply


def extractions(server: ChatServer) -> list[dict[str, Any]]:
    return [one for one in server.requests if asks_for_memories(one)]


def texts() -> list[str]:
    return sorted(one["text"] for one in hark("memories", "--json", "--everywhere").json["memories"])


HUGO = {
    "text": "The blog is built with Hugo",
    "kind": "decision",
    "importance": 4,
    "entities": ["Hugo"],
    "turn": 1,
    "quote": "the blog is built with Hugo",
}


def test_memories_are_taken_at_the_end_with_their_quote_and_their_session(server: ChatServer, own_home: Path) -> None:
    answering(server, remembering(HUGO, summary="The blog was spoken of."))
    talk = chat("Since today the blog is built with Hugo.", "thanks")
    assert talk[:2] == (0, "I see.\nI see.\n")
    (one,) = hark("memories", "--json", "--everywhere").json["memories"]
    assert (one["text"], one["kind"], one["importance"]) == ("The blog is built with Hugo", "decision", 4)
    assert one["entities"] == ["Hugo"]
    assert talk.err == f"Remembered ({one['id']}): The blog is built with Hugo\n"
    assert one["source"]["by"] == "assistant"
    assert one["source"]["session"].startswith("hark-chat:")
    (file,) = (own_home.parent / "archive" / "chat").glob("*.jsonl")
    (row,) = [row for row in map(json.loads, file.read_text().splitlines()) if row["type"] == "extracted"]
    assert row["memories"] == [{"id": one["id"], "quote": "the blog is built with Hugo"}]
    assert row["turns"] == 4
    (request,) = extractions(server)
    assert "[1] person, " in said(request, "user")
    assert "[2] assistant, " in said(request, "user")


def test_a_meeting_told_in_plain_words_on_one_day_is_known_two_days_later(server: ChatServer) -> None:
    """Told in passing, taken by the model, asked for in another process, answered from the system message."""
    told = "對了，下週四下午三點要跟設計組開會，地點在三樓，我想先把報價弄好"
    fact: dict[str, Any] = {
        "kind": "event",
        "importance": 4,
        "entities": ["設計組"],
        "turn": 1,
        "quote": "下週四下午三點要跟設計組開會",
    }
    fact["text"] = "下週四下午三點要跟設計組在三樓開會"
    server.replies = [Reply("好，先看報價。"), remembering(fact)]
    assert chat(told).out == "好，先看報價。\n"
    today = datetime.now().astimezone()
    thursday = (today + timedelta(days=10 - today.weekday())).strftime("%Y-%m-%d")
    (one,) = hark("memories", "--json", "--everywhere").json["memories"]
    assert (one["kind"], one["event_time"]["since"][:16]) == ("event", f"{thursday}T15:00")
    server.requests.clear()

    def answered(request: dict[str, Any]) -> Reply:
        known = [line for line in said(request, "system").splitlines() if "設計組" in line]
        return Reply(f"答：{known[0]}" if known else "我不知道")

    server.otherwise = answered
    assert chat("我什麼時候要跟設計組開會？", env={"HARK_CHAT_EXTRACT_EVERY": "0"}, days=30).out.startswith("答：")
    server.requests.clear()
    talk = chat("我什麼時候要跟設計組開會？", env={"HARK_CHAT_EXTRACT_EVERY": "0"}, days=2)
    assert f"(2 天前, event, on Thursday {thursday} 15:00) {fact['text']}" in talk.out
    (request,) = server.requests
    assert fact["text"] in said(request, "system").partition("<harkback")[2]
    assert said(request, "user") == "我什麼時候要跟設計組開會？"
    asked = (datetime.now().astimezone() + timedelta(days=2)).strftime("It is %A, %Y-%m-%d")
    assert asked in said(request, "system")


def test_they_are_taken_every_few_prompts_of_what_is_new(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARK_CHAT_EXTRACT_EVERY", "2")
    answering(server, remembering())
    assert chat("one", "two", "three").status == 0
    told = [re.findall(r"person, .*:\n(\w+)", said(one, "user")) for one in extractions(server)]
    assert told == [["one", "two"], ["three"]]
    monkeypatch.setenv("HARK_CHAT_EXTRACT_EVERY", "0")
    chat("four")
    assert len(extractions(server)) == 2


def test_what_is_no_answer_is_asked_for_once_more_and_then_left_for_later(server: ChatServer, own_home: Path) -> None:
    answering(server, Reply("I cannot help with that."), remembering(HUGO))
    assert re.fullmatch(r"Remembered \(\w+\): The blog is built with Hugo\n", chat("the blog is built with Hugo").err)
    assert texts() == [HUGO["text"]]
    assert len(extractions(server)) == 2
    for bad in (Reply("I cannot."), Reply('{"memories": "none"}'), Reply('{"memories": [', breaks="drop")):
        answering(server, bad)
        talk = chat("the logs are kept for 90 days")
        assert talk.status == 0
        assert "A later hark chat tries again" in talk.err
        assert texts() == [HUGO["text"]]
    logs = {**HUGO, "text": "The logs are kept for 90 days", "quote": "logs are kept for 90 days"}
    answering(server, remembering(logs))
    chat("hi")  # those three may be going on elsewhere, as far as this one knows
    assert texts() == [HUGO["text"]]
    for file in (own_home.parent / "archive" / "chat").glob("*.jsonl"):
        today = datetime.now(UTC)
        old = today - timedelta(hours=2)
        file.write_text(file.read_text().replace(today.strftime("%Y-%m-%dT%H:"), old.strftime("%Y-%m-%dT%H:")))
    chat("hi")
    assert texts() == [HUGO["text"], logs["text"]]


def test_a_summary_is_shown_for_three_days_before_the_memories(server: ChatServer, own_home: Path) -> None:
    answering(server, remembering(HUGO, summary="We chose Hugo for the blog."))
    chat("the blog is built with Hugo")
    chat("what is the blog built with?")
    system = next(text for text in reversed(server.systems()) if "You read" not in text)
    assert "a conversation) We chose Hugo for the blog." in system
    assert system.index("We chose Hugo") < system.index("The blog is built with Hugo")
    for file in (own_home.parent / "archive" / "chat").glob("*.jsonl"):
        today, old = datetime.now(UTC), datetime.now(UTC) - timedelta(hours=73)
        file.write_text(file.read_text().replace(today.strftime("%Y-%m-%dT%H:"), old.strftime("%Y-%m-%dT%H:")))
    chat("what is the blog built with?")
    assert "We chose Hugo" not in next(text for text in reversed(server.systems()) if "You read" not in text)
    chat("what is it?", env={"HARK_CHAT_SUMMARY_HOURS": "100"})
    assert "We chose Hugo" in next(text for text in reversed(server.systems()) if "You read" not in text)


def test_a_task_that_is_near_is_offered_once_where_it_is_touched_upon(server: ChatServer) -> None:
    due = (datetime.now(UTC) + timedelta(days=2)).strftime("%Y-%m-%d 15:00")
    saved = hark("remember", "--kind", "event", "--date", due, "跟設計組開會")
    assert saved.status == 0
    none = {"HARK_CHAT_EXTRACT_EVERY": "0"}
    talk = chat("設計組開會的事", "設計組開會要帶什麼", env=none)
    assert talk.out.count("需要準備嗎") == 1
    assert f"{due}" in talk.out
    assert "需要準備嗎" in said(server.requests[-1], "assistant")
    assert "需要準備嗎" not in chat("設計組開會的事", env={**none, "HARK_CHAT_PROACTIVE": "off"}).out
    assert "需要準備嗎" not in chat("what is an elephant?", env=none).out


def test_nothing_is_taken_of_what_was_saved_in_plain_words(server: ChatServer) -> None:
    again = {**HUGO, "text": "Remember that Hugo builds the blog every day", "quote": "the blog is built with Hugo"}
    answering(server, remembering(again))
    chat("remember that the blog is built with Hugo", "hi")
    assert len(extractions(server)) == 1
    assert texts() == ["the blog is built with Hugo"]


def later(home: Path, hours: int) -> None:
    """Let the conversations have ended so many hours earlier."""
    for file in (home.parent / "archive" / "chat").glob("*.jsonl"):
        for day in range(2):
            today = datetime.now(UTC) - timedelta(hours=day)
            old = today - timedelta(hours=hours)
            file.write_text(file.read_text().replace(today.strftime("%Y-%m-%dT%H:"), old.strftime("%Y-%m-%dT%H:")))


def test_a_conversation_that_is_always_refused_keeps_no_other_waiting(server: ChatServer, own_home: Path) -> None:
    refuses = True

    def reply(request: dict[str, Any]) -> Reply:
        if not asks_for_memories(request):
            return Reply("I see.")
        told = said(request, "user")
        if "medicine" in told or refuses:
            return Reply("I cannot help with that.")
        facts = [{**HUGO, "turn": 1}] if "Hugo" in told else []
        lake = {**HUGO, "text": "My sister lives at the lake", "quote": "my sister lives at the lake"}
        facts += [{**lake, "turn": 2 if told.index("my sister") > 60 else 1}] if "my sister" in told else []
        return remembering(*facts)

    server.otherwise = reply
    chat("the blog is built with Hugo")
    chat("my medicine is called so and so", "my sister lives at the lake")
    refuses = False
    assert texts() == []
    later(own_home, 2)
    chat("hi")
    assert texts() == [HUGO["text"]]
    for _ in range(2):
        later(own_home, 2)
        chat("hi")
    assert texts() == ["My sister lives at the lake", HUGO["text"]]
    server.requests.clear()
    later(own_home, 2)
    chat("hi")
    assert not any("medicine" in said(one, "user") for one in server.requests)  # it is asked about no more


def test_a_part_that_is_too_long_for_the_model_is_made_smaller(server: ChatServer) -> None:
    def reply(request: dict[str, Any]) -> Reply:
        if not asks_for_memories(request):
            return Reply("I see.")
        told = said(request, "user")
        if len(told) > 3000:
            return Reply(status=400, error="maximum context length is 1000 tokens: context_length_exceeded")
        return remembering(*([HUGO] if "Hugo" in told else []))

    server.otherwise = reply
    words = "word " * 300
    talk = chat(f"the blog is built with Hugo {words}", f"two {words}", f"three {words}", f"four {words}")
    assert "Remembered" in talk.err
    assert "hark:" not in talk.err
    assert all(len(said(one, "user")) < 9000 for one in extractions(server))
    assert texts() == [HUGO["text"]]


def test_a_conversation_that_goes_on_at_once_is_not_asked_about_twice(server: ChatServer, own_home: Path) -> None:
    chat("hello", env={"HARK_CHAT_EXTRACT_EVERY": "0"})
    (file,) = (own_home.parent / "archive" / "chat").glob("*.jsonl")
    native = file.stem.rpartition("_")[2]

    def reply(request: dict[str, Any]) -> Reply:
        if asks_for_memories(request):
            time.sleep(0.5)  # so that it goes on meanwhile
            return remembering()
        return Reply("I see.")

    server.otherwise = reply
    chat("first here", "/new", f"/resume {native}", "second here", argv=("--resume", native))
    told = [said(one, "user") for one in extractions(server)]
    assert [("first here" in text, "second here" in text) for text in told] == [(True, False), (False, True)]
