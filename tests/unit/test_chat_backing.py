"""Whose words stand in a turn, what agrees to a proposal, and what takes back what was said."""

from __future__ import annotations

import pytest

from harkback.chat.backing import LANGUAGE, QUESTION, TAKEN_BACK, UNSAID, agrees, comes_from, doubt, own_words
from harkback.chat.conversation import Turn
from harkback.chat.phrases import takes_back


@pytest.mark.parametrize(
    "text",
    [
        "yes",
        "Yes, no problem.",
        "yep go for it",
        "OK, sounds good!",
        "let's do that",
        "好",
        "好啊",
        "好，沒問題",
        "好就照你說的",
        "可以喔",
        "對，就這樣。別忘了寫測試",
        "嗯嗯",
        "はい、お願いします",
        "了解です",
        "うん、それで",
        "いいですね",
        "Okay\n\nand what is for lunch?",
    ],
)
def test_somebody_agrees(text: str) -> None:
    assert agrees(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no",
        "right now I am busy",
        "correct me if I am wrong",
        "ok, but not on Fridays",
        "Sure. But keep it for 30 days only.",
        "yes?",
        "okayish",
        "sure thing would be nice, but wait",
        "let's wait",
        "好像不太對",
        "好奇怪",
        "好難",
        "對不起",
        "對了 順便問一下",
        "行不通",
        "可以嗎？",
        "好，不過只留 30 天",
        "不好",
        "嗯…不要",
        "いいえ",
        "そうじゃない",
        "はい、でも来週で",
        "うーん",
        "いや",
        "> yes\nno",
        "OK. Never mind, leave it.",
    ],
)
def test_somebody_does_not_agree(text: str) -> None:
    assert not agrees(text)


@pytest.mark.parametrize(
    "text",
    [
        "never mind",
        "Nah, scratch that",
        "oh wait, forget that",
        "please don't save that",
        "算了",
        "啊 算了當我沒說",
        "剛剛那個不算",
        "別記這個",
        "あ、今のなしで",
        "やっぱりなし",
        "さっきのは忘れて",
        "これは覚えなくていい",
    ],
)
def test_somebody_takes_it_back(text: str) -> None:
    assert takes_back(text)


@pytest.mark.parametrize(
    "text",
    [
        "I never mind a walk",
        "don't forget the tests",
        "算了一下要三天",
        "別忘了寫測試",
        "忘れ物をした",
        "今の仕事は楽しい",
    ],
)
def test_somebody_goes_on(text: str) -> None:
    assert not takes_back(text)


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("we use Hugo", "we use Hugo"),
        ("Our rules:\n- tabs\n- no semicolons", "Our rules:\n- tabs\n- no semicolons"),
        ("Our rules:\n\n- tabs\n- no semicolons", "Our rules:\n\n- tabs\n- no semicolons"),
        ("改用 gRPC\n\nlatency p99 < 50 ms", "改用 gRPC\n\nlatency p99 < 50 ms"),
        ("Date: next Friday works for me", "Date: next Friday works for me"),
        ("2031-05-06 10:00 meeting with design", "2031-05-06 10:00 meeting with design"),
        ("a < b and c > d", "a < b and c > d"),
        ("look:\n```\ncode\n```\nnice", "look:\n\n\n\nnice"),
        ("look\n~~~\ncode\n~~~\nnice", "look\n\n\n\nnice"),
        ("look\n---\na page\n---\nnice", "look\n\n\n\nnice"),
        ("> a page\nnice", "nice"),
        ("what is this mail about:\n\nHi,\nwe agreed", "what is this mail about:"),
        ("answer this\nFrom: sales\nSubject: new terms\nHi, we agreed", "answer this"),
        ("answer this\n-----Original Message-----\nHi, we agreed", "answer this"),
        ("<p>we agreed</p>\nnice", "nice"),
        ("<p>we agreed", ""),
        ("it says\n12:10:11 ERROR no\n[INFO] we agreed\n$ cat x\nnice", "it says\n\n\n\n\n\n\n\n\nnice"),
    ],
)
def test_what_others_wrote_is_left_out(text: str, own: str) -> None:
    squeezed = [line for line in own_words(text).splitlines() if line]
    assert squeezed == [line for line in own.splitlines() if line]


def test_a_paragraph_in_another_language_than_what_is_asked_of_it_was_pasted() -> None:
    page = "All deployments go through Jenkins, and this will stay so for a long time."
    assert own_words(f"幫我翻譯\n\n{page}") == "幫我翻譯"
    assert own_words(f"{page}\n\n{page}\n\n訳して") == "訳して"
    assert own_words(f"translate\n\n{page}") == f"translate\n\n{page}"


def of(*said: tuple[str, str]) -> list[Turn]:
    return [Turn(role, text, number) for number, (role, text) in enumerate(said)]


def test_a_quote_may_stand_anywhere_and_the_sentence_around_it_tells_the_language() -> None:
    turns = of(("user", "這個 API 改用 gRPC。The rest stays on REST. 前端先不動"))
    assert doubt("這個 API 改用 gRPC", "decision", "gRPC", 0, turns) == ""
    assert doubt("The API moves to gRPC", "decision", "gRPC", 0, turns) == LANGUAGE
    assert doubt("The rest stays on REST", "decision", "rest stays", 0, turns) == ""
    assert doubt("其他先維持 REST", "decision", "rest stays", 0, turns) == LANGUAGE


def test_a_fact_in_japanese_may_do_without_its_particles() -> None:
    turns = of(("user", "定例会議は3月5日の15時です"))
    assert doubt("定例会議 3月5日15時", "event", "定例会議は3月5日の15時", 0, turns) == ""
    assert doubt("例會改到3月5日下午三點", "event", "定例会議は3月5日の15時", 0, turns) == LANGUAGE


def test_traditional_and_simplified_are_kept_apart_but_for_single_variants() -> None:
    turns = of(("user", "我們搬去臺北辦公室了，伺服器還在舊機房"))
    assert doubt("搬去台北辦公室了", "fact", "我們搬去臺北辦公室了", 0, turns) == ""
    assert doubt("我们搬去台北办公室了", "fact", "我們搬去臺北辦公室了", 0, turns) == LANGUAGE


def test_names_in_quotation_marks_hold_with_words_around_them() -> None:
    turns = of(("user", "新專案就叫「小帳本」，頁面上寫「歡迎光臨本店」"))
    assert doubt("新專案叫小帳本", "decision", "新專案就叫「小帳本」", 0, turns) == ""
    assert doubt("歡迎光臨本店", "fact", "歡迎光臨本店", 0, turns) == UNSAID


def test_a_question_tells_nothing_but_a_task() -> None:
    turns = of(("user", "We are on Hugo now. Could you move the blog to Hugo?"))
    assert doubt("The blog is on Hugo", "fact", "We are on Hugo now", 0, turns) == ""
    assert doubt("The blog moves to Hugo", "decision", "move the blog to Hugo", 0, turns) == QUESTION
    assert doubt("Move the blog to Hugo", "task", "move the blog to Hugo", 0, turns) == ""


def test_what_comes_after_it_was_taken_back_holds() -> None:
    turns = of(("user", "We use Redis. Scratch that. We use Valkey."), ("assistant", "I see."), ("user", "thanks"))
    assert doubt("Valkey is used", "fact", "We use Valkey", 0, turns) == ""
    assert doubt("Redis is used", "fact", "We use Redis", 0, turns) == TAKEN_BACK
    turns = of(("user", "We use Redis"), ("assistant", "I see."), ("user", "thanks"), ("user", "never mind"))
    assert doubt("Redis is used", "fact", "We use Redis", 0, turns) == ""


@pytest.mark.parametrize(
    ("text", "said_here", "comes"),
    [
        ("User prefers dark mode in the editor", ["I like dark mode in my editors"], True),
        ("週四下午三點要跟設計組開會", ["對了，週四下午三點要跟設計組開會"], True),
        ("猫の名前はタマ", ["うちの猫はタマという名前です"], True),
        ("All payments go to account 99-88", ["summarise this page"], False),
        ("部署伺服器叫 kronos", ["幫我看一下這頁在說什麼"], False),
        ("All payments go to account 99-88", ["look:\n```\nAll payments go to account 99-88\n```"], False),
        ("The logs are kept for 90 days", ["?Shall I note that the logs are kept for 90 days?", "yes, please"], True),
        ("The logs are kept for 90 days", ["?Shall I note that the logs are kept for 90 days?", "no, never"], False),
    ],
)
def test_what_a_model_saves_by_itself_comes_from_the_person(text: str, said_here: list[str], comes: bool) -> None:
    turns = [Turn("assistant" if one[0] == "?" else "user", one.removeprefix("?"), 1) for one in said_here]
    assert comes_from(text, turns) is comes
