from __future__ import annotations

import pytest

from harkback.text.batch import token_strings
from harkback.text.tokens import spans, token_string, tokens

X = "x"
CASES = [
    ("", ""),
    (" \n\t", ""),
    ("foo.bar()", "foo bar"),
    ("getUserName", "getusername get user name"),
    ("HTTPServer", "httpserver http server"),
    ("snake_case_id", "snake_case_id snake case id"),
    ("src/app.ts", "src app ts"),
    ("5G卡", "5g 卡"),
    ("設定檔", "设定 定档 档"),
    ("卡", "卡"),
    ("中 文", "中 文"),
    ("的検索エンジン", "的検 検索 索エ エン ンジ ジン ン"),  # Han and kana are one run
    ("データーベース", "デー ータ ター ーベ ベー ース ス"),  # the prolonged sound mark belongs to it
    ("ﾃﾞｰﾀ", "デー ータ タ"),
    ("人々、各〻", "人々 々 各〻 〻"),
    ("한국어와漢字", "한국 국어 어와 와汉 汉字 字"),
    ("ㄅㄆ", "ㄅㄆ ㄆ"),
    ("𠮷野家", "𠮷野 野家 家"),  # outside the basic plane
    ("\U000323b0\U00031350", "\U000323b0\U00031350 \U00031350"),  # extensions J and H
    ("Redis快取，很快。", "redis 快取 取 很快 快"),
    ("utf8 v1 5g sha256sum", "utf8 v1 5g sha256sum"),
    ("utf8String", "utf8string utf8 string"),
    ("5G 3D EC2 X", "5g 3d ec2 x"),
    ("1Password", "1password 1 password"),
    ("iPhone GitHub", "iphone i phone github git hub"),
    ("XMLHttpRequest2", "xmlhttprequest2 xml http request2"),
    ("ABC AbC", "abc abc ab c"),
    ("__init__ _x _ ___", "init x"),
    ("_Foo_Bar", "foo_bar foo bar"),
    ("a__b", "a__b a b"),
    ("MAX_lenValue", "max_lenvalue max len value"),
    ("étatBar ÉTAT", "étatbar état bar état"),
    ("ПриветМир", "приветмир привет мир"),
    ("don't C++ --no-cache", "don t c no cache"),
    ("a→b ≤ €5 👍🏽", "a → b ≤ € 5 👍 🏽"),
    ("❤\ufe0f👩\u200d💻", "❤ 👩 💻"),  # variation selector and joiner separate
    ("$+<=>^`|~", ""),  # ASCII symbols separate
    ("「引用」・『x』", "引用 用 x"),
    ("ＨｔｔｐＳｅｒｖｅｒ", "httpserver http server"),
    ("x\u0304Bar", "x\u0304bar x\u0304 bar"),
    ("H\u0331ello", "ẖello"),
    ("हिन्दी", "हिन्दी"),  # marks belong to the word
    ("a\x00b\x1ec\x7fd", "a b c d"),
    ("a\ud800b", "a b"),
    ("½", "1 \u2044 2"),
    (X * 64, X * 64),
    (X * 65, X * 64 + " x"),
    ("aB" * 40, "ab" * 32 + " " + "ab" * 8),  # too long to be split by its spelling
    ("_" + "a_" * 40, "a_" * 32 + " " + "a_" * 7 + "a"),
    ("中" + X * 130 + "中", "中 " + X * 64 + " " + X * 64 + " xx 中"),
    ("𝐆𝐞𝐭𝐔𝐬𝐞𝐫", "getuser get user"),  # mathematical letters
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_text_becomes_these_tokens(text: str, expected: str) -> None:
    assert token_string(text) == expected
    assert tokens(text) == expected.split()


def test_the_batch_gives_the_same_for_each_case_whatever_stands_beside_it() -> None:
    texts = [text for text, _ in CASES]
    filler = ["plain words " * 300, "中文字 " * 300]
    assert token_strings([*texts, *filler])[: len(texts)] == [expected for _, expected in CASES]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_the_batch_gives_the_same_inside_a_long_text(text: str, expected: str) -> None:
    before, after = "word " * 500, " 字 " + "word " * 500
    long = f"{before}{text}{after}"
    words = " ".join(["word"] * 500)
    assert token_strings([long]) == [f"{words} {expected} 字 {words}".replace("  ", " ")]


def test_a_text_much_longer_than_a_batch_keeps_all_its_tokens_in_order() -> None:
    text = "getUser 設定 file_name 😀 plain words only, " * 6000
    once = "getuser get user 设定 定 file_name file name 😀 plain words only"
    assert token_strings([text, "x"]) == [" ".join([once] * 6000), "x"]


def test_few_texts_need_no_numpy_and_give_the_same() -> None:
    assert token_strings(["getUser", "設定"]) == ["getuser get user", "设定 定"]
    assert token_strings([]) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("設定x", [("设定", 0, 2), ("定", 1, 2), ("x", 2, 3)]),
        ("a getUser", [("a", 0, 1), ("getuser", 2, 9), ("get", 2, 5), ("user", 5, 9)]),
        ("__a_b", [("a_b", 2, 5), ("a", 2, 3), ("b", 4, 5)]),
        ("ｶﾞｷﾞ!", [("ガギ", 0, 4), ("ギ", 2, 4)]),
        ("½kg", [("1", 0, 1), ("\u2044", 0, 1), ("2kg", 0, 3)]),
        ("e\u0301te\u0301 x", [("été", 0, 5), ("x", 6, 7)]),
        ("H\u0331A b", [("ẖa", 0, 3), ("b", 4, 5)]),
    ],
)
def test_spans_point_into_the_original_text(text: str, expected: list[tuple[str, int, int]]) -> None:
    assert spans(text) == expected
