"""What stays and what goes of any conversation."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from harkback.chat.compaction import FILE, IMAGE, MESSAGE_TOKENS, compact, estimate

TEXTS = st.text(st.sampled_from("ab 會議の🙂\n"), max_size=30)
IMAGES = st.sampled_from(
    [
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "image", "source": {"type": "base64", "data": "AAAA"}},
        {"type": "input_image", "image_url": "https://example.org/a.png"},
    ]
)
CONTENTS = st.one_of(TEXTS, st.lists(st.one_of(st.builds(lambda t: {"type": "text", "text": t}, TEXTS), IMAGES)))


def tools(number: int, text: str) -> list[dict[str, Any]]:
    call = {"id": f"c{number}", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{number}", "content": text},
    ]


@st.composite
def rounds(draw: st.DrawFn) -> list[dict[str, Any]]:
    said: list[dict[str, Any]] = [{"role": "user", "content": draw(CONTENTS)}]
    for number in range(draw(st.integers(0, 2))):
        said += tools(number, draw(TEXTS))
    if draw(st.booleans()):
        said.append({"role": "assistant", "content": draw(TEXTS)})
    return said


CONVERSATIONS = st.lists(rounds(), max_size=25)
HEADS = st.lists(st.builds(lambda text: {"role": "system", "content": text}, TEXTS), max_size=2)


@given(HEADS, CONVERSATIONS, st.integers(0, 400))
def test_only_whole_rounds_go_and_the_oldest_first(
    head: list[dict[str, Any]], said: list[list[dict[str, Any]]], limit: int
) -> None:
    done = compact([*head, *(one for told in said for one in told)], limit)
    assert list(done.kept[: len(head)]) == head
    left = list(done.kept[len(head) :])
    ends = [sum(len(told) for told in said[:gone]) for gone in range(len(said) + 1)]
    assert len(done.cut) in ends
    assert len(done.cut) + len(left) == ends[-1]
    assert not said or left
    assert not left or left[0]["role"] == "user"
    called = {call["id"] for one in left for call in one.get("tool_calls") or []}
    assert {one["tool_call_id"] for one in left if one["role"] == "tool"} <= called


@given(HEADS, CONVERSATIONS, st.integers(0, 400))
def test_what_is_left_fits_or_is_one_round_and_no_more_went_than_a_fifth_too_many(
    head: list[dict[str, Any]], said: list[list[dict[str, Any]]], limit: int
) -> None:
    messages = [*head, *(one for told in said for one in told)]
    done = compact(messages, limit)
    number = sum(one["role"] == "user" for one in done.kept)
    assert done.tokens <= limit or number <= 1
    assert done.tokens == compact(done.kept, 1 << 60).tokens
    if compact(messages, 1 << 60).tokens <= limit:
        assert done.cut == ()
    again = compact(done.kept, limit)
    assert (again.kept, again.cut) == (done.kept, ())


@given(CONVERSATIONS)
def test_no_image_is_left_and_no_other_text_is_touched(said: list[list[dict[str, Any]]]) -> None:
    messages = [one for told in said for one in told]
    done = compact(messages, 1 << 60)
    for old, new in zip(messages, done.kept, strict=True):
        assert (old["role"], old.get("tool_calls")) == (new["role"], new.get("tool_calls"))
        if not isinstance(old["content"], list):
            assert old["content"] == new["content"]
            continue
        texts = [part.get("text", IMAGE) for part in old["content"]]
        assert [part["text"] for part in new["content"]] == texts
        assert "base64" not in str(new)


def test_of_ten_rounds_two_go_at_once() -> None:
    messages = [{"role": "user", "content": "a" * 40} for _ in range(10)]
    whole = compact(messages, 1000)
    assert whole.tokens == 10 * (10 + MESSAGE_TOKENS)
    assert len(compact(messages, 139).cut) == 2
    assert len(compact(messages, 111).cut) == 4  # of the eight that are left two more
    assert len(compact(messages, 0).kept) == 1


def test_the_estimate_is_the_one_that_is_stated() -> None:
    assert estimate("") == 0
    assert estimate("會議") == 2
    assert estimate("abcd") == 1
    assert estimate("abcde 會議") == 4


def test_results_of_tools_in_a_message_of_the_person_begin_no_round() -> None:
    result: dict[str, Any] = {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "done"}],
    }
    call: dict[str, Any] = {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}],
    }
    messages = [{"role": "user", "content": "first"}, call, result, {"role": "user", "content": "second"}]
    assert list(compact(messages, 0).kept) == messages[3:]
    assert list(compact(messages, 0).cut) == messages[:3]


def test_results_stay_with_their_calls_also_where_something_is_said_beside_them() -> None:
    call = {"type": "tool_use", "id": "t1", "name": "f", "input": {"type": "file", "path": "a"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "ok"}
    said: list[dict[str, Any]] = [
        {"role": "user", "content": "one " * 50},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result, {"type": "text", "text": "and look at this"}]},
        {"role": "assistant", "content": "I see."},
        {"role": "user", "content": "two"},
    ]
    assert compact(said, 10_000).kept == tuple(said)
    assert compact(said, 20).kept == tuple(said[4:])
    items = [
        {"type": "message", "role": "user", "content": "go"},
        {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "x" * 400},
        {"type": "message", "role": "user", "content": "on"},
    ]
    assert compact(items, 30).kept == tuple(items[3:])


def test_files_are_named_whatever_provider_they_are_for() -> None:
    pdf = {"type": "base64", "media_type": "application/pdf", "data": "AAAA"}
    parts: list[dict[str, Any]] = [
        {"type": "document", "source": pdf},
        {"type": "file", "file": {"file_data": "data:application/pdf;base64,AAAA"}},
        {"type": "input_file", "file_data": "data:application/pdf;base64,AAAA"},
        {"inlineData": {"mimeType": "image/png", "data": "AAAA"}},
        {"inline_data": {"mime_type": "application/pdf", "data": "AAAA"}},
        {"type": "text", "text": "see data:application/pdf;base64,AAAA there"},
    ]
    (one,) = compact([{"role": "user", "content": parts}], 1 << 60).kept
    assert [part["text"] for part in one["content"]] == [FILE, FILE, FILE, IMAGE, FILE, f"see {FILE} there"]
