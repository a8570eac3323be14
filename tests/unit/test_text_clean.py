from __future__ import annotations

import base64
import random

import pytest

from harkback.text.clean import bound, clean

_BYTES = random.Random(7).randbytes(3000)
BLOB = base64.b64encode(_BYTES).decode()  # 4000 characters, no padding
URL_BLOB = base64.urlsafe_b64encode(_BYTES[:300]).decode()  # 400


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("plain 文字 text", "plain 文字 text"),
        ("\x1b[1;31mred\x1b[0m plain", "red plain"),
        ("\x1b[2K\x1b[1Gdone", "done"),
        ("\x1b[38;2;1;2;3mx\x1b[m", "x"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;http://x.y\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]0;never ended\nnext line", "\nnext line"),
        ("\x1bPq#0;2;0\x1b\\after", "after"),
        ("\x1b(Bx\x1b=y", "xy"),
        ("end\x1b", "end"),
        ("array[0m] stays", "array[0m] stays"),  # without the escape it is text
        ("a\x00b", "ab"),
        ("a\ud800b", "a\ufffdb"),
        ("\udc00", "\ufffd"),
        ("\ud83d\ude00!", "😀!"),  # two halves make a whole
        ("😀", "😀"),
    ],
)
def test_terminal_leavings_are_dropped_and_text_stays(text: str, expected: str) -> None:
    assert clean(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (BLOB, "[base64 4000 characters]"),
        (BLOB[:200], "[base64 200 characters]"),
        (f"before {BLOB} after", "before [base64 4000 characters] after"),
        (f'{{"data":"{BLOB[:398]}=="}}', '{"data":"[base64 400 characters]"}'),
        (f"圖片{BLOB}在此", "圖片[base64 4000 characters]在此"),
        (f"![x](data:image/png;base64,{BLOB})", "![x]([base64 4000 characters])"),
        (f"data:x;base64,{'A' * 300}.", "[base64 300 characters]."),
        (f"a {URL_BLOB} b\n{BLOB} c", "a [base64 400 characters] b\n[base64 4000 characters] c"),
    ],
)
def test_blobs_become_a_short_note(text: str, expected: str) -> None:
    assert clean(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        BLOB[:199],
        f"{BLOB[:199]} {BLOB[:199]}",
        "0123456789abcdef" * 40,  # hex
        "word" * 100,
        "someVeryLongCamelCaseIdentifier" * 20,
        "/home/dev/Projects2/harkback/src/Main9" * 10,
        "snake_case_name_2_Xy" * 20,
        "A" * 300,
        "中文沒有空格" * 100,
        "-" * 500,
        "x=1;" * 200,
    ],
)
def test_long_text_that_is_no_blob_stays(text: str) -> None:
    assert clean(text) == text


def test_short_output_stays_whole() -> None:
    text = "x" * 1500
    assert bound(text) == text
    assert bound("ab cd", head=3, tail=2) == "ab cd"


def test_long_output_keeps_head_tail_and_the_lines_that_look_like_errors() -> None:
    filler = "nothing to see\n" * 40
    text = f"start {filler}  TypeError: no such thing\n{filler}資料庫錯誤：連線\n{filler}finish"
    assert bound(text, head=5, tail=6) == ("start\n...\nTypeError: no such thing\n資料庫錯誤：連線\n...\nfinish")


def test_output_without_errors_keeps_head_and_tail() -> None:
    assert bound("alpha " + "word " * 100 + "omega", head=5, tail=5) == "alpha\n...\nomega"


def test_no_half_words_are_kept_where_a_space_is_near() -> None:
    text = "first second " + "filler " * 50 + "almost last"
    assert bound(text, head=9, tail=6) == "first\n...\nlast"


def test_a_text_without_spaces_is_cut_where_asked() -> None:
    assert bound("a" * 500 + "b" * 500, head=10, tail=10) == "a" * 10 + "\n...\n" + "b" * 10


def test_at_most_so_many_error_lines_are_kept_and_each_is_bounded() -> None:
    text = "head " + "".join(f"error {number} {'y' * 900}\n" for number in range(20)) + " tail"
    middle = bound(text, head=4, tail=4, lines=3).split("\n...\n")[1].split("\n")
    assert len(middle) == 3
    assert all(line.startswith("error ") and len(line) <= 300 for line in middle)


def test_only_the_end_of_very_long_output_is_searched_for_errors() -> None:
    filler = "nothing to see\n" * 5000
    late = f"head {filler}error: late\n tail"
    early = f"head error: early\n{filler} tail"
    assert "error: late" in bound(late, head=4, tail=5)
    assert "error: early" not in bound(early, head=4, tail=5)


def test_the_marks_of_a_cut_keep_ascii_output_ascii() -> None:
    assert bound("error line\n" * 1000).isascii()
