"""How much of an answer that still grows is drawn for good."""

from __future__ import annotations

import pytest

from harkback.chat.terminal import settled


@pytest.mark.parametrize(
    ("text", "done"),
    [
        ("", ""),
        ("one\ntwo", ""),
        ("one\n\n", "one\n\n"),
        ("one\n\ntwo\n\nthr", "one\n\ntwo\n\n"),
        ("one\n\n```\na\n\nb", "one\n\n"),
        ("```\na\n\nb\n```\n\nend", "```\na\n\nb\n```\n\n"),
    ],
)
def test_whole_blocks_are_settled_and_code_only_as_a_whole(text: str, done: str) -> None:
    assert text[: settled(text)] == done
