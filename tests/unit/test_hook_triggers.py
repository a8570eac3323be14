"""When a hook speaks: recall and precision over all prompts, and why each list is kept apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harkback.hooks.topic import topic
from harkback.hooks.triggers import own_words, points_to_past

if TYPE_CHECKING:
    from tests.unit import trigger_prompts as prompts
else:
    import trigger_prompts as prompts

LISTS = (prompts.LISTED, prompts.HELD_OUT, prompts.LAST, prompts.ENGLISH, prompts.OTHERS)


@pytest.mark.parametrize("language", ["zh", "ja", "en"])
def test_prompts_that_point_to_the_past_are_told_from_those_that_do_not(language: str) -> None:
    pointing = [prompt for one in LISTS if language in one for prompt in one[language][0]]
    others = [prompt for one in LISTS if language in one for prompt in one[language][1]]
    assert len(pointing) >= 55
    assert len(others) >= 55
    found = [prompt for prompt in pointing if points_to_past(prompt)]
    wrong = [prompt for prompt in others if points_to_past(prompt)]
    assert len(found) / len(pointing) >= 0.95, set(pointing) - set(found)
    assert len(found) / (len(found) + len(wrong)) >= 0.95, wrong


@pytest.mark.parametrize(
    "prompt",
    [
        "review this:\n```\nlast time we fixed it\n```",
        '<pasted_content id="1">上次我們決定用 Redis</pasted_content> 請整理成表格',
        "> as we discussed yesterday\n\nplease shorten this mail",
        "rename `last_time_we_met` to `met`",
        "<hook_context>before, we decided</hook_context>\nwrite a test",
        "見 https://example.org/last-time-we-met 的格式",
    ],
)
def test_what_is_pasted_or_put_in_is_not_looked_at(prompt: str) -> None:
    assert not points_to_past(prompt)
    assert points_to_past(f"{prompt}\n我記得上次有一個")


def test_of_a_long_prompt_beginning_and_end_are_looked_at() -> None:
    filler = "please format this table. " * 400
    assert points_to_past(f"what did we decide last time? {filler}")
    assert points_to_past(f"{filler} 上次我們怎麼做的？")
    assert not points_to_past(filler)
    assert len(own_words(filler)) < 3100


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("上次那個憑證的問題怎麼解的？", "憑證"),
        ("how did we fix the 5G card last time", "5G card"),
        ("前回の 5G カードの件、どう直したっけ？", "5G カード"),
        ("之前決定用 tantivy 還是 FTS5？", "tantivy FTS5"),
        ("what did we decide about the auth flow?", "auth flow"),
        ("我們不是修過 nginx.conf 的 proxy_read_timeout 嗎", "nginx.conf proxy_read_timeout"),
        ("didn't we solve this already?", ""),
        ("還記得嗎", ""),
        ("last time we set the quokka retry budget, what was it", "quokka retry budget"),
        ("之前資料庫連線池設多少", "資料庫連線池"),
        ("where did I put the C++ notes for wwan.conf?", "C++ wwan.conf"),
    ],
)
def test_what_it_is_about_is_left_of_a_prompt(prompt: str, words: str) -> None:
    assert points_to_past(prompt)
    assert topic(prompt) == words
