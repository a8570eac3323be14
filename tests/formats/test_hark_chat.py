"""The transcripts of `hark chat`: what is read of them, and where they are found."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from harkback.chat.conversation import Conversation, paths
from harkback.model import ASSISTANT, CALLS, CONTEXT, OUTPUT, SUMMARY, SYSTEM, TALK, TOOL, USER, Message, Session
from harkback.models.chatting import Call
from harkback.sources import source

if TYPE_CHECKING:
    from pathlib import Path

ARCHIVE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hark_chat_logs", "0.1", "archive")
CHAT = source("hark-chat")
KEY = "ghp_" + "k3Jd8fQ2LmZx7Vb1Nc5Ty9Rw4Hs6Ga0Ep2Ui"


def read(number: int, *, full: bool = False) -> tuple[list[Message], Session]:
    """Read one of the two, the older first."""
    found = sorted(CHAT.discover("/nowhere", {"HARK_HOME": ARCHIVE}), key=lambda one: one.path)[number]
    records = list(CHAT.read(found, None, full=full))
    messages = [one for one in records if isinstance(one, Message)]
    return messages, [one for one in records if isinstance(one, Session)][-1]


def told(messages: list[Message]) -> list[tuple[Any, ...]]:
    return [(one.role, part.lane, part.text) for one in messages for part in one.parts]


def test_what_both_said_is_talk_and_the_summary_is_none() -> None:
    messages, session = read(0)
    assert told(messages) == [
        (USER, TALK, "下週四的會議要準備什麼？"),
        (ASSISTANT, TALK, "準備三樣：\n\n1. 報價單\n2. 舊系統的截圖\n3. 白板筆"),
        (USER, TALK, "yes"),
        (ASSISTANT, TALK, "Then the quotation first."),
        (USER, TALK, "yes"),
        (SYSTEM, SUMMARY, "A meeting next Thursday was prepared: quotation, screenshots, pens."),
    ]
    assert [one.model for one in messages] == ["", "ollama:small", "", "openai:big", "", ""]
    assert len({one.key for one in messages}) == 6
    assert session.title == "下週四的會議要準備什麼？"
    assert (session.agent, session.native) == ("hark-chat", "3c1d52a0-0f6b-4a51-9a35-0d7a1a7a2c01")
    assert session.cwd == "/home/dev/shop"
    assert (session.started_ms, session.ended_ms) == (1793610000120, 1793610300000)


def test_our_own_frame_is_context_and_what_is_empty_or_unknown_says_nothing() -> None:
    for full in (False, True):
        messages, session = read(1, full=full)
        assert told(messages) == [
            (USER, TALK, "猫の名前はタマだと覚えておいて"),
            (USER, CONTEXT, "- (3 天前) 貓叫小花"),
            (ASSISTANT, TALK, "Remembered (kaxr4t2q9): 猫の名前はタマだ"),
        ]
        assert session.title == "猫の名前はタマだと覚えておいて"


def test_what_the_chat_writes_is_what_is_read(tmp_path: Path) -> None:
    env = {"HARK_HOME": str(tmp_path)}
    assert list(CHAT.discover("/nowhere", env)) == []
    one = Conversation.begin(str(tmp_path), 1793610000120, "/w")
    one.add("user", f"a key: {KEY}", 1793610000120)
    one.add("assistant", "二\n行", 1793610001000, "ollama:small")
    one.note_extracted(2, "about a key", 1793610002000)
    (found,) = CHAT.discover("/nowhere", env)
    messages = [record for record in CHAT.read(found, None) if isinstance(record, Message)]
    assert [part for _, _, part in told(messages)][1:] == ["二\n行", "about a key"]
    assert KEY not in (tmp_path / "chat" / os.path.basename(found.path)).read_text()
    assert KEY in one.turns[0].text
    (path,) = paths(str(tmp_path))
    again = Conversation.load(path)
    assert (again.native, again.cwd, again.extracted, again.summary) == (one.native, "/w", 2, "about a key")
    assert [turn.time_ms for turn in again.turns] == [1793610000120, 1793610001000]
    assert oct(os.stat(path).st_mode & 0o777) == "0o600"


def test_what_was_done_for_the_model_is_read_and_our_own_answers_are_context(tmp_path: Path) -> None:
    one = Conversation.begin(str(tmp_path), 1793610000120, "/w")
    one.add("user", "go", 1793610000120)
    for call, result in (
        (Call("shell", {"command": f"curl -H 'Authorization: Bearer {KEY}' host"}), f"exit status 0\nkey {KEY}"),
        (
            Call("search_memory", {"queries": ["舊系統"]}),
            "1 memories.\n<harkback note='x'>\n- 舊系統的截圖\n</harkback>",
        ),
        (Call("odd", None), "The arguments are no JSON object."),
    ):
        one.add_result(one.add_call(call, 1793610001000), call.tool, result, 1793610002000)
    (found,) = CHAT.discover("/nowhere", {"HARK_HOME": str(tmp_path)})
    messages = [record for record in CHAT.read(found, None) if isinstance(record, Message)]
    lanes = [(role, lane) for role, lane, _ in told(messages)]
    assert lanes == [
        (USER, TALK),
        (ASSISTANT, CALLS),
        (TOOL, OUTPUT),
        (ASSISTANT, CONTEXT),
        (TOOL, OUTPUT),
        (TOOL, CONTEXT),
        (TOOL, OUTPUT),
    ]
    texts = [text for _, _, text in told(messages)]
    assert texts[1].startswith("shell curl")
    assert texts[4].strip() == "1 memories."
    assert KEY not in found_text(found.path)
    assert [turn.text for turn in Conversation.load(found.path).turns] == ["go"]
    full = [record for record in CHAT.read(found, None, full=True) if isinstance(record, Message)]
    calls = {part.call for message in full for part in message.parts if part.call}
    assert len(calls) == 3


def found_text(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def test_a_line_that_was_cut_is_passed_over_and_the_next_one_stands_by_itself(tmp_path: Path) -> None:
    one = Conversation.begin(str(tmp_path), 1793610000120, "/w")
    one.add("user", "first", 1793610000120)
    with open(one.path, "ab") as file:
        file.write(b'{"type": "message", "role": "user", "te')
    again = Conversation.load(one.path)
    again.add("user", "second", 1793610001000)
    assert [turn.text for turn in Conversation.load(one.path).turns] == ["first", "second"]
