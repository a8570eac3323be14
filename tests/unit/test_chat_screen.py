"""How an answer that still grows is drawn: as a whole, once, and with every word that was written."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from harkback.chat.drawing import Drawing, Page, height_of
from harkback.chat.markup import Markup, settled
from harkback.chat.terminal import _Masked

if TYPE_CHECKING:
    from pathlib import Path

    from rich.segment import Segment


def console(width: int = 40, height: int = 10) -> Console:
    file = io.StringIO()
    return Console(file=file, force_terminal=True, width=width, height=height, color_system=None, highlight=False)


def written(rows: list[list[Segment]]) -> list[str]:
    return ["".join(one.text for one in row).rstrip() for row in rows]


def shown(text: str, width: int = 40) -> str:
    return "\n".join(written(Markup(text).rows(console(width))))


@pytest.mark.parametrize(
    ("text", "done"),
    [
        ("", ""),
        ("one\ntwo", ""),
        ("one\n\n", ""),
        ("one\n\ntw", "one\n\n"),
        ("one\n\ntwo\n\nthr", "one\n\ntwo\n\n"),
        ("one\n\n\n\ntwo", "one\n\n\n\n"),
        ("one\n\n```\na\n\nb", "one\n\n"),
        ("```\na\n\nb\n```\n\nend", "```\na\n\nb\n```\n\n"),
        ("1. a\n\n    b", ""),
        ("1. a\n\n    ```sh\n    b\n\n    c\n    ```\n\n2. d", "1. a\n\n    ```sh\n    b\n\n    c\n    ```\n\n"),
        ("````md\n```\na\n```\n\nb\n````\n\nc", "````md\n```\na\n```\n\nb\n````\n\n"),
        ("```\n~~~\n\na\n```\n\nb", "```\n~~~\n\na\n```\n\n"),
        ("```\n``` not the end\n\na", ""),
        ("``` in ` line\n\na", "``` in ` line\n\n"),
        ("a\u2028\u2028b\u2028c", ""),
    ],
)
def test_whole_blocks_are_settled_and_code_only_as_a_whole(text: str, done: str) -> None:
    assert text[: settled(text)] == done


@pytest.mark.parametrize(
    "text",
    [
        "List<String> and the <title> tag, a<b>c",
        "<script>alert(1)</script>",
        "<!-- a remark -->",
        "[1]: https://example.com/a",
        "look at https://example.com/a (https://example.com/b)",
        "a & b &c; d",
    ],
)
def test_what_looks_like_a_tag_is_text(text: str) -> None:
    assert shown(text, 80) == text


def test_lines_stay_lines_and_addresses_are_shown() -> None:
    assert shown("第一行\n第二行\n第三行") == "第一行\n第二行\n第三行"
    assert shown("**one**\n*two*") == "one\ntwo"
    told = shown("[here](https://a.org/x) ![a cat](cat.png) ![](dog.png) <https://b.org>", 100)
    assert told == "here (https://a.org/x) a cat (cat.png) (dog.png) https://b.org"


def test_no_cell_of_a_table_is_cut() -> None:
    wide = "這是一個很長的中文欄位沒有空白"
    told = shown(f"| a | b |\n|---|---|\n| {wide} | {wide} |\n| {'x' * 60} | b |", 30)
    assert "…" not in told
    assert told.count("x") == 60
    for one in wide:
        assert told.count(one) == 2 * wide.count(one)


def test_steps_with_code_between_them_are_steps() -> None:
    text = "1. first\n\n    ```sh\n    make\n    ```\n\n2. second\n"
    end = settled(text)
    told = f"{shown(text[:end])}\n{shown(text[end:])}"
    assert "```" not in told
    assert [line.split() for line in told.split("\n") if line.strip()] == [["1", "first"], ["make"], ["2", "second"]]


def test_a_row_takes_up_more_rows_of_a_smaller_window() -> None:
    (row,) = Markup("寬字寬字寬").rows(console())
    assert [height_of(row, width) for width in (40, 10, 9, 5, 4, 3, 2)] == [1, 1, 2, 3, 3, 5, 5]
    assert height_of([], 40) == 1


def rows_of(page_of: Console) -> str:
    """Give what a terminal shows of what was written, all of it; a row that is drawn again takes another's place."""
    assert isinstance(page_of.file, io.StringIO)
    rows, at = [""], 0
    for part in page_of.file.getvalue().replace("\x1b[1A", "\x00").replace("\x1b[2K", "\x01").split("\n"):
        for one in part:
            if one == "\x00":
                at -= 1
            elif one == "\x01":
                rows[at] = ""
            elif one != "\r":
                rows[at] += one
        at += 1
        rows += [""] * (at - len(rows) + 1)
    return "\n".join(row.rstrip() for row in rows).rstrip()


@pytest.mark.parametrize("height", [6, 10, 100])
@pytest.mark.parametrize(
    "text",
    [
        "```py\n" + "".join(f"line {one} = 1\n\n" for one in range(40)) + "```\n",
        "\n".join(f"{one}. step\n   goes on" for one in range(1, 30)),
        "\n".join(f"- 會議 {one}" for one in range(1, 30)),
        "word " * 300,
        "| a | b |\n|---|---|\n" + "\n".join(f"| {one * 'x'} | {one} |" for one in range(1, 30)),
    ],
    ids=["code", "steps", "list", "paragraph", "table"],
)
def test_what_grew_piece_by_piece_stands_there_as_if_drawn_at_once(text: str, height: int) -> None:
    growing, whole = console(height=height), console(height=height)
    page = Page(growing)
    for end in range(0, len(text), 7):
        page.grow(text[:end])
    page.finish(text)
    Page(whole).finish(text)
    # the numbers of a list move to the right with its tenth
    assert [row.split() for row in rows_of(growing).split("\n")] == [row.split() for row in rows_of(whole).split("\n")]
    assert len(rows_of(whole).split("\n")) > 25


def test_of_a_long_answer_the_end_is_shown_while_it_comes() -> None:
    one = console(height=10)
    page = Page(one)
    lines = [f"line {number}" for number in range(100)]
    page.grow("```\n" + "\n".join(lines))
    assert [row.strip() for row in rows_of(one).split("\n") if row.strip()] == lines


@pytest.mark.parametrize("width", [15, 31, 60])
@pytest.mark.parametrize("text", [" ".join(f"word{one}," for one in range(60)), "這是一個很長的句子。" * 30])
def test_in_a_window_of_another_width_it_goes_on_where_it_stood(text: str, width: int) -> None:
    one = console(height=6)
    page = Page(one)
    page.grow(text[: len(text) // 2])
    one.width = width
    page._live = []
    page.finish(text)
    told = rows_of(one).replace("\n", " ").replace(" ", "")
    last = len(text.replace(" ", "")) - len(text[: len(text) // 2].replace(" ", ""))
    assert told.endswith(text.replace(" ", "")[-last:])
    assert told.startswith(text.replace(" ", "")[:20])


def test_what_became_bold_or_a_link_by_its_last_sign_is_not_written_twice() -> None:
    one = console(height=6)
    page = Page(one)
    rest = "\n".join(f"row {number}" for number in range(20))
    page.grow(f"**begun [there\n{rest}")
    page.finish(f"**begun [there\n{rest}](https://a.org)**")
    assert rows_of(one) == f"**begun [there\n{rest} (https://a.org)"


def test_a_block_that_became_another_is_drawn_again_whole() -> None:
    one = console(height=6)
    page = Page(one)
    rest = "\n".join(f"row {number}" for number in range(20))
    page.grow(f"&am\n{rest}")
    page.finish(f"&amp;\n{rest}")
    assert rows_of(one).partition("row 15\n&\n")[2] == rest


def test_an_answer_that_comes_in_pieces_is_drawn_to_its_end() -> None:
    one = console()
    with Drawing(one) as drawing:
        for piece in ("Hel", "lo.\n", "\n- a", "\n- b\n\n", "", "The end."):
            drawing.add(piece)
    told = rows_of(one).replace("\x1b[?25l", "").replace("\x1b[?25h", "")
    assert [line.strip() for line in told.strip().split("\n")] == ["Hello.", "", "• a", "• b", "", "The end."]


def test_where_nothing_can_be_written_that_is_said_when_the_answer_has_ended() -> None:
    class Broken(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(5, text)

    with pytest.raises(OSError, match="Errno 5"), Drawing(Console(file=Broken(), force_terminal=True)) as drawing:
        drawing.add("Hello")


def test_a_history_that_cannot_be_read_or_kept_is_told_once_and_kept_for_now(tmp_path: Path) -> None:
    path = tmp_path / "chat" / "history"
    kept = _Masked(str(path))
    kept.append_string("first")
    assert kept.news() == ""
    assert list(_Masked(str(path)).load_history_strings()) == ["first"]
    path.unlink()
    path.mkdir()
    assert list(kept.load_history_strings()) == []
    assert "history cannot be read" in kept.news()
    kept.append_string("second")
    assert kept.news() == ""
    assert kept.get_strings()[-1] == "second"
