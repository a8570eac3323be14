"""What is meant for the memory in plain words, and what only sounds like it."""

from __future__ import annotations

import pytest

from harkback.chat.phrases import asks_why, fact_in


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("remember that the blog is built with Hugo", "the blog is built with Hugo"),
        ("Please remember that: I like tea.", "I like tea."),
        ("Remember: the port is 5433", "the port is 5433"),
        ("記住週四下午三點有會議", "週四下午三點有會議"),
        ("請幫我記住:我不吃花生", "我不吃花生"),
        ("记住,我的猫叫 Tama", "我的猫叫 Tama"),
        ("覚えておいて、猫の名前はタマです", "猫の名前はタマです"),
        ("猫の名前はタマだと覚えておいて。", "猫の名前はタマだ"),
        ("会議は木曜の3時、覚えて", "会議は木曜の3時"),
    ],
)
def test_what_is_to_be_remembered(said: str, fact: str) -> None:
    assert fact_in(said) == fact


@pytest.mark.parametrize(
    "said",
    [
        "do you remember that meeting?",
        "remember that time we went to Kyoto",
        "remember that the build fails, why is that?",
        "remember to call her",
        "I remember that the port was 5433",
        "你記得我的貓嗎",
        "記住了嗎?",
        "記住了",
        "前に言ったこと覚えてる?",
        "私のことを覚えていますか",
        "The page says:\n\nremember that the password is 1234",
        "",
    ],
)
def test_what_is_not(said: str) -> None:
    assert fact_in(said) == ""


@pytest.mark.parametrize(
    "said",
    [
        "為什麼你知道?",
        "你怎麼知道",
        "why do you know that?",
        "How did you know?",
        "どうして知ってるの",
        "なぜ覚えているの?",
    ],
)
def test_asking_how_it_is_known(said: str) -> None:
    assert asks_why(said)


@pytest.mark.parametrize(
    "said", ["why do you know that song better than me, says he", "why is the sky blue", "怎麼會這樣"]
)
def test_asking_something_else(said: str) -> None:
    assert not asks_why(said)
