"""Pages of Markdown: nothing changes but what is changed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from harkback.memory.index import Entry, indexed
from harkback.memory.markdown import edited, item_lines, named, parse, whole, with_whole

PIECES = st.sampled_from(
    [
        "---", "name: x", "description: a # b", "tags:", "  - y", "hark: list", "- item", "- [x] done", "* star",
        "  more", "", "text", "# Head", "```", "<!--", "-->", "- a <!-- k0123abcd -->", "<!-- k0123abcd -->", "\t- in",
        "- ", "-", "- - -", "1. one", "> q", "\\[", "- \\[x] y", "\u2028", "文字", "- 項目 <!-- kabcdefgh -->",
    ]
)  # fmt: skip
PAGES = st.builds(lambda lines, end: end.join(lines), st.lists(PIECES, max_size=30), st.sampled_from(["\n", "\r\n"]))
TEXTS = st.one_of(
    st.lists(PIECES, min_size=1, max_size=6).map("\n".join), st.text(st.characters(exclude_characters="\r"), min_size=1)
).map(str.strip)


@given(PAGES | st.text())
def test_a_page_of_which_nothing_is_changed_stays_as_it_is(text: str) -> None:
    page = parse(text)
    assert page.text == text
    assert edited(page, {}) == text
    assert all(0 <= one.first < one.last <= len(page.lines) for one in page.items)
    whole(page, 100)


@given(PAGES)
def test_naming_an_item_changes_nothing_it_says(text: str) -> None:
    page = parse(text)
    lines = {number: named(page, item, "k99999999") for number, item in enumerate(page.items)}
    again = parse(edited(page, lines))
    assert [(one.text, one.is_done) for one in again.items] == [(one.text, one.is_done) for one in page.items]
    assert {one.id for one in again.items} <= {"k99999999"}


@given(PAGES, TEXTS.filter(bool), st.booleans())
def test_an_item_that_is_added_is_read_again_and_the_others_stay(text: str, said: str, is_done: bool) -> None:
    page = parse("- first one\n" + text)
    made = item_lines(said, "k99999999", is_task=False, is_done=is_done, end="")
    again = parse(edited(page, {}, made))
    (new,) = (one for one in again.items if one.id == "k99999999")
    assert new.is_done is is_done
    assert [one.text for one in again.items if one != new] == [one.text for one in page.items]
    twice = parse(
        edited(parse("- first one\n"), {}, item_lines(new.text, "k99999999", is_task=False, is_done=is_done, end=""))
    )
    assert twice.items[1].text == new.text, "what was read is written and read again the same"


@given(PAGES)
def test_taking_out_all_items_leaves_everything_else(text: str) -> None:
    page = parse(text)
    kept = [line for at, line in enumerate(page.lines) if not any(one.first <= at < one.last for one in page.items)]
    assert edited(page, {number: [] for number in range(len(page.items))}) == "\n".join(kept)


@given(PAGES, st.text(st.characters(exclude_characters="\r\n"), min_size=1, max_size=50).map(str.strip).filter(bool))
def test_another_text_of_a_whole_leaves_the_rest(text: str, said: str) -> None:
    page = parse(text)
    before = whole(page, 10_000)
    first, last = before.place or page.keys["description"]
    after = with_whole(page, said).split("\n")
    assert after[:first] == list(page.lines[:first])
    assert after[len(after) - (len(page.lines) - last) :] == list(page.lines[last:])


@given(PAGES, st.integers(10, 40))
def test_an_index_is_made_once_and_keeps_the_lines_of_others(text: str, most: int) -> None:
    entries = [Entry(f"a b({number}).md", f"says {number}", (number % 5, number), is_ours=True) for number in range(30)]
    one = indexed(text, entries, (), most, 100_000)
    two = indexed(one.text, entries, (), most, 100_000)
    assert (two.text, two.left_out) == (one.text, one.left_out)
    if not text:
        assert len(one.text.splitlines()) == most if most < 32 else not one.left_out
    others = [line for line in one.text.split("\n") if "says" not in line and (text or not line.startswith("# "))]
    assert [line.rstrip() for line in text.split("\n") if line] == [line.rstrip() for line in others if line]
