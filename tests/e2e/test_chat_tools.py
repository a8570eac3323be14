"""What the model of `hark chat` may have done, over three providers' interfaces."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.e2e.chat_dialects import ANTHROPIC, CHAT, RESPONSES, said, tools_of
    from tests.e2e.chat_server import ChatServer, Reply, Talk, chat, served
    from tests.e2e.pens import hark
else:
    from chat_dialects import ANTHROPIC, CHAT, RESPONSES, said, tools_of
    from chat_server import ChatServer, Reply, Talk, chat, served
    from pens import hark

OURS = ["search_memory", "save_memory", "search_sessions", "read_session"]
APIS = pytest.mark.parametrize("api", [CHAT, RESPONSES, ANTHROPIC])


@pytest.fixture
def server(own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    assert own_home.exists()
    with served(tmp_path, monkeypatch, EXTRACT_EVERY="0") as one:
        yield one


def talk(server: ChatServer, api: str, *lines: str, **more: str) -> Talk:
    if api == CHAT:
        return chat(*lines, env={"HARK_CHAT_MODEL": "openai:m", "HARK_CHAT_BASE_URL": server.url, **more})
    if api == ANTHROPIC:
        url = server.url.removesuffix("/v1")
        return chat(*lines, env={"HARK_CHAT_MODEL": "anthropic:m", "HARK_CHAT_BASE_URL": url, **more})
    own = {"HARK_CHAT_MODEL": "openai:m", "HARK_CHAT_BASE_URL": "", "OPENAI_API_KEY": "k"}
    return chat(*lines, env={**own, **more}, openai=server.url)


@APIS
def test_an_answer_is_streamed_and_told_again_with_what_follows(server: ChatServer, api: str) -> None:
    server.replies = [Reply("Hello there. 你好。"), Reply("Again.")]
    assert talk(server, api, "hi", "and now?") == (0, "Hello there. 你好。\nAgain.\n", "")
    first, second = server.requests
    assert first["path"].endswith(api)
    assert first["stream"] is True
    assert said(second, "user") == "hi\nand now?"
    assert said(second, "assistant") == "Hello there. 你好。"
    assert said(first, "system").startswith("You are an assistant in a terminal.")
    assert "You are an assistant" not in said(first, "user")
    assert tools_of(first) == OURS
    assert first.get("store", "nothing") == ("nothing" if api != RESPONSES else False)


@APIS
def test_a_memory_is_searched_for_and_saved_by_the_model(server: ChatServer, api: str) -> None:
    assert hark("remember", "The staging database runs on port 5433").status == 0
    saving = {"text": "The blog is built with Hugo", "kind": "decision"}
    server.replies = [
        Reply("I look.", calls=(("search_memory", {"queries": ["staging port"]}),)),
        Reply("And note.", calls=(("save_memory", saving), ("search_sessions", {"queries": ["nothing such"]}))),
        Reply("It is 5433."),
    ]
    told = talk(server, api, "we build the blog with Hugo", "/why", "what was the port again")
    why = "looked for by the model itself: "
    assert told.out.startswith(f"I look.\nAnd note.\nIt is 5433.\n{why}search_memory queries=staging port\n{why}save_")
    assert told.out.endswith("queries=nothing such\nOK.\n")
    assert "· search_memory queries=staging port" in told.err
    assert "· save_memory text=The blog is built with Hugo" in told.err
    assert "The staging database runs on port 5433" in said(server.requests[1], "tool")
    assert re.search(r"saved|Saved|k\w{8}", said(server.requests[2], "tool"))
    assert "0 hits" in said(server.requests[2], "tool")
    assert said(server.requests[3], "assistant") == "I look.\n\nAnd note.\n\nIt is 5433."
    (one,) = [one for one in hark("memories", "--json").json["memories"] if "Hugo" in one["text"]]
    assert one["kind"] == "decision"
    assert one["source"]["session"].startswith("hark-chat:")
    assert one["source"]["by"] == "assistant"


@APIS
@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (Reply(status=429), "too much at once"),
        (Reply(status=529), "too much at once"),
        (Reply("Half of", breaks="drop"), "did not answer"),
        (Reply("Half of", breaks="half"), "did not answer"),
        (Reply("Half of", breaks="stall"), "nothing for 1 s"),
        (Reply(""), "its answer is empty"),
    ],
)
def test_whatever_a_provider_does_the_prompt_comes_back(server: ChatServer, api: str, reply: Reply, why: str) -> None:
    failing = [reply] if reply.status == 200 else [reply, reply]  # what is busy is asked once more
    server.replies = [*failing, Reply("Now it works.")]
    told = talk(
        server, api, "the first question", "the second", HARK_CHAT_TIMEOUT_S="1" if reply.breaks == "stall" else "9"
    )
    assert told.status == 0
    assert why in told.err
    assert told.err.count("hark:") == 1
    assert (
        told.out == ("Half of\n" if reply.text else "") + "Now it works.\n"
        if reply.status == 200
        else "Now it works.\n"
    )
    assert said(server.requests[-1], "user").split() == ["the", "first", "question", "the", "second"]
    assert said(server.requests[-1], "assistant") == ("Half of" if reply.status == 200 and reply.text else "")


def test_what_nobody_said_is_not_saved_by_the_model_until_the_person_agrees(server: ChatServer) -> None:
    """As a page, or the output of a tool, would have it."""
    saving = (("save_memory", {"text": "The deploy server is called kronos and takes any password"}),)
    server.replies = [
        Reply("I read it.", calls=saving),
        Reply("Shall I remember that the deploy server is called kronos and takes any password?"),
        Reply("", calls=saving),
        Reply("Done."),
    ]
    told = talk(server, CHAT, "read the page about deploying", "yes, do that")
    assert "Not saved: the user did not say this here" in told.err
    assert "Not saved" in said(server.requests[1], "tool")
    assert "Not saved" not in said(server.requests[3], "tool")
    (one,) = hark("memories", "--json", "--everywhere").json["memories"]
    assert "kronos" in one["text"]


@APIS
def test_memories_are_taken_over_every_interface(server: ChatServer, api: str) -> None:
    fact = {"text": "The blog is built with Hugo", "kind": "decision", "turn": 1, "quote": "blog is built with Hugo"}
    server.replies = [
        Reply("I see."),
        Reply('{"memories": [{"text": "The bl', breaks="half"),
        Reply(json.dumps({"memories": [fact], "summary": "The blog."})),
    ]
    told = talk(server, api, "the blog is built with Hugo", HARK_CHAT_EXTRACT_EVERY="6")
    assert told.out == "I see.\n"
    assert "Remembered (k" in told.err
    assert tools_of(server.requests[1]) == []
    assert [one["text"] for one in hark("memories", "--json").json["memories"]] == ["The blog is built with Hugo"]


def test_a_model_that_knows_no_tools_is_asked_without_them(server: ChatServer) -> None:
    refusal = Reply(status=400, error="registry/library/small does not support tools")
    server.replies = [refusal, Reply("Without."), Reply("Again.")]
    told = talk(server, CHAT, "hi", "and now?")
    assert told == (0, "Without.\nAgain.\n", "")
    assert [tools_of(one) for one in server.requests] == [OURS, [], []]
    server.requests.clear()
    server.replies = [Reply(status=400, error="no such model")]
    assert "no such model" in talk(server, CHAT, "hi").err
    assert len(server.requests) == 1


def test_tools_can_be_switched_off(server: ChatServer) -> None:
    talk(server, CHAT, "hi")
    assert tools_of(server.requests[0]) == OURS
    server.replies = [Reply("", calls=(("search_memory", {"queries": ["x"]}),)), Reply("Well.")]
    assert talk(server, CHAT, "hi", HARK_CHAT_TOOLS="off").out == "Well.\n"
    assert tools_of(server.requests[1]) == []
    assert "There is no tool" in said(server.requests[2], "tool")


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (("search_memory", {}), "queries"),
        (("search_memory", {"queries": "x", "colour": "red"}), "colour"),
        (("forget_memory", {"id": "k1"}), "There is no tool 'forget_memory'"),
        (("shell", {"command": "echo no"}), "has not switched the shell on"),
        (("nonsense", {}), "There is no tool 'nonsense'"),
    ],
)
def test_a_call_that_cannot_be_done_tells_the_model_why(
    server: ChatServer, call: tuple[str, dict[str, str]], told: str
) -> None:
    server.replies = [Reply("", calls=(call,)), Reply("I see.")]
    assert talk(server, CHAT, "hi").out == "I see.\n"
    assert told in said(server.requests[1], "tool")


def test_a_model_that_never_stops_calling_is_stopped(server: ChatServer) -> None:
    server.otherwise = lambda _: Reply("", calls=(("search_memory", {"queries": ["x"]}),))
    told = talk(server, CHAT, "hi")
    assert "wants more done than one answer may have" in told.err
    assert len(server.requests) == 10
    assert "No more can be done" in said(server.requests[-1], "tool")


def test_a_shell_is_not_run_where_nobody_can_be_asked(server: ChatServer, tmp_path: Path) -> None:
    server.replies = [Reply("", calls=(("shell", {"command": f"touch {tmp_path}/made"}),)), Reply("I see.")]
    assert talk(server, CHAT, "/shell on", "make it", "y").status == 0
    assert tools_of(server.requests[0]) == [*OURS, "shell"]
    assert "needs a terminal" in said(server.requests[1], "tool")
    assert not (tmp_path / "made").exists()


def test_the_search_does_not_find_its_own_conversation_but_others_do(server: ChatServer) -> None:
    talk(server, CHAT, "the tortoise ledger is in the attic")
    assert hark("search", "tortoise ledger").status == 0
    server.replies = [Reply("", calls=(("search_sessions", {"queries": ["tortoise ledger"]}),)), Reply("There.")]
    talk(server, CHAT, "where is the tortoise ledger")
    told = said(server.requests[-1], "tool")
    assert "the tortoise ledger is in the attic" in told
    assert "where is the tortoise ledger" not in told
    hits = hark("search", "tortoise ledger", "--json").json["hits"]
    assert len(hits) == 2  # neither the call nor what it gave
    assert hark("search", "tortoise ledger", "--in", "all", "--json").json["hits"]


def test_an_answer_that_is_too_long_is_said_to_be_cut(server: ChatServer) -> None:
    for api, end in ((CHAT, "length"), (RESPONSES, "max_output_tokens"), (ANTHROPIC, "max_tokens")):
        server.replies = [Reply("And so", end=end)]
        told = talk(server, api, "tell")
        assert (told.status, told.out) == (0, "And so\n")
        assert "reached its greatest length" in told.err


def test_a_conversation_that_the_model_cannot_take_is_shortened(server: ChatServer) -> None:
    full = Reply(status=400, error="This model's maximum context length is 4096 tokens. context_length_exceeded")
    server.replies = [Reply("a"), Reply("b"), full, Reply("c")]
    told = talk(server, CHAT, "one", "two", "three")
    assert told.out == "a\nb\nc\n", told.err
    assert said(server.requests[2], "user") == "one\ntwo\nthree"
    assert said(server.requests[3], "user") == "two\nthree"
    server.replies = [full]
    told = talk(server, CHAT, "one")
    assert "cannot take so long a conversation" in told.err


def test_the_length_is_counted_as_the_provider_counts(server: ChatServer) -> None:
    words = "word " * 100
    server.otherwise = lambda _: Reply("ok", asked_tokens=100_000)
    more = {"HARK_CHAT_WINDOW_TOKENS": "1000", "HARK_CHAT_TOOLS": "off"}
    talk(server, CHAT, f"1 {words}", f"2 {words}", f"3 {words}", **more)
    assert [said(one, "user").count("word ") // 99 for one in server.requests] == [1, 1, 1]
    server.requests.clear()
    server.otherwise = lambda _: Reply("ok")
    talk(server, CHAT, f"1 {words}", f"2 {words}", f"3 {words}", **more)
    assert [said(one, "user").count("word ") // 99 for one in server.requests] == [1, 2, 3]


def test_what_a_model_thinks_aloud_is_not_shown_or_told_again(server: ChatServer) -> None:
    server.replies = [
        Reply("<think>\nhm, {so}\n</think>\n\nYes."),
        Reply("a <think> tag"),
        Reply("<think>only thoughts"),
    ]
    told = talk(server, CHAT, "one", "two", "three")
    assert told.out == "Yes.\na <think> tag\n"
    assert "its answer is empty" in told.err
    assert said(server.requests[1], "assistant") == "Yes."


def test_after_an_answer_that_failed_no_two_messages_of_one_role_are_sent(server: ChatServer) -> None:
    server.replies = [Reply(status=400, error="no"), Reply("Now.")]
    talk(server, CHAT, "one", "two")
    asked = [one for one in server.requests[1]["messages"] if one["role"] != "system"]
    assert [(one["role"], one["content"]) for one in asked] == [("user", "one\n\ntwo")]


def test_only_the_address_that_was_named_is_asked_and_with_its_own_key(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-secret")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Own: header-secret")
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Own: header-secret")
    monkeypatch.setenv("HARK_CHAT_KEY", "key-of-another")
    for api in (CHAT, ANTHROPIC):
        assert talk(server, api, "hi").status == 0
        assert "secret" not in str(server.headers[-1]).lower()
        assert "key-of-another" in str(server.headers[-1])
    assert talk(server, RESPONSES, "hi").status == 0
    assert "key-of-another" not in str(server.headers[-1])
    assert "Bearer k" in str(server.headers[-1])
    count = len(server.requests)
    for address in ("localhost:1234/v1", "ftp://host/v1"):
        told = chat("hi", env={"HARK_CHAT_MODEL": "openai:m", "OPENAI_API_KEY": "k", "HARK_CHAT_BASE_URL": address})
        assert told.status == 2
        assert "Nothing was sent" in told.err
    other = ChatServer()
    server.replies = [Reply(status=307, error=other.url)]
    told = talk(server, CHAT, "hi")
    assert "307 Temporary Redirect" in told.err
    assert other.requests == []
    assert len(server.requests) == count + 1
    other.close()


def test_what_goes_wrong_is_said_with_its_cause(server: ChatServer) -> None:
    key = "a-key-of-no-known-form"
    server.replies = [Reply(status=401, error=f"wrong key {key}")]
    told = talk(server, CHAT, "hi", HARK_CHAT_KEY=key)
    assert "HTTP 401: wrong key [masked key]" in told.err
    count = len(server.requests)
    assert talk(server, CHAT, "hi", HARK_CHAT_KEY="a-key\n").status == 0
    for wrong in ("\u9375", "two words"):
        told = talk(server, CHAT, "hi", HARK_CHAT_KEY=wrong)
        assert told.status == 2
        assert "HARK_CHAT_KEY is no key" in told.err
    assert len(server.requests) == count + 1
    env = {"HARK_CHAT_MODEL": "openai:m"}
    told = chat("hi", env={**env, "HARK_CHAT_BASE_URL": "http://127.0.0.1:1/v1"})
    assert "http://127.0.0.1:1/v1: " in told.err
    assert "refused" in told.err or "failed" in told.err
    told = chat("hi", env={**env, "HARK_CHAT_BASE_URL": "http://no-such-host.invalid/v1"})
    assert "no-such-host.invalid" in told.err
    assert "TaskGroup" not in told.err
    for api, end in ((CHAT, "content_filter"), (ANTHROPIC, "refusal")):
        server.replies = [Reply("", end=end)]
        assert "it refuses to answer" in talk(server, api, "hi").err, api
