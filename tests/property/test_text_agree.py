from __future__ import annotations

from itertools import pairwise
from unicodedata import normalize

from hypothesis import given, settings
from hypothesis import strategies as st

from harkback.text.batch import token_strings
from harkback.text.clean import bound, clean
from harkback.text.fold import fold, fold_spans
from harkback.text.tokens import spans, token_string, tokens

_ANY = st.characters(codec=None)
_NEAR = st.sampled_from(
    "aBcD09__  .-\n\x1e\x00\x1béÉßẞİΣς中設檔々ーｶﾞハ゜か\u3099한\u1112\u1161\u11ab𠮷"
    "H\u0331J\u030cx\u0301\u0345→≤€😀\ufe0f\u200d\ud83d\ude00㎏½…，①ａＢ＿㑮ไทยุहिन्\u0f73\u0344𝐀",
)
_WORDS = st.sampled_from(
    [
        "getUserName",
        "HTTPServer",
        "snake_case",
        "__init__",
        "x" * 63,
        "aB" * 33,
        "a_" * 40,
        "設定檔",
        "utf8String",
        " ",
    ],
)
_TEXT = st.one_of(
    st.text(_ANY, max_size=60),
    st.text(_NEAR, max_size=60),
    st.lists(st.one_of(_WORDS, st.text(_NEAR, max_size=6)), max_size=20).map("".join),
)
_FILLER = "plain words and 中文字 too " * 90  # enough for the batch to be done with numpy


@settings(max_examples=500, deadline=None)
@given(st.lists(_TEXT, max_size=8))
def test_the_batch_equals_the_plain_form(texts: list[str]) -> None:
    assert token_strings([*texts, _FILLER])[:-1] == [token_string(text) for text in texts]


@settings(max_examples=300, deadline=None)
@given(_TEXT, _TEXT, st.sampled_from([" ", "\n", ""]))
def test_the_batch_equals_the_plain_form_in_long_texts(before: str, after: str, between: str) -> None:
    ascii_stretch = between.join(["long_enough toBe cut"] * 60)
    text = f"{before}{ascii_stretch}{after}{ascii_stretch}"
    assert token_strings([text, _FILLER])[0] == token_string(text)


@settings(max_examples=500, deadline=None)
@given(_TEXT)
def test_folding_twice_changes_nothing_more(text: str) -> None:
    folded = fold(text)
    assert fold(folded) == folded
    assert normalize("NFKC", folded) == folded


@settings(max_examples=500, deadline=None)
@given(_TEXT)
def test_folded_characters_lead_back_to_the_text(text: str) -> None:
    folded, at = fold_spans(text)
    assert folded == fold(text)
    assert len(at) == len(folded) + 1
    assert at[-1] == len(text)
    assert all(first <= second for first, second in pairwise(at))


@settings(max_examples=500, deadline=None)
@given(_TEXT)
def test_spans_are_the_tokens_and_cover_text_that_holds_them(text: str) -> None:
    found = spans(text)
    assert [token for token, _, _ in found] == tokens(text)
    for token, start, end in found:
        assert 0 <= start < end <= len(text)
        assert token in fold(text[start:end])


@settings(max_examples=300, deadline=None)
@given(_TEXT)
def test_tokens_hold_no_white_space_and_are_never_empty(text: str) -> None:
    assert token_string(text).split() == tokens(text)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.text("文字が한ー", min_size=2, max_size=12), min_size=1, max_size=3))
def test_every_stretch_of_a_cjk_run_is_a_phrase_of_its_bigrams(runs: list[str]) -> None:
    text = " ".join(runs)
    whole = tokens(text)
    for run in runs:
        for start in range(len(run) - 1):
            bigrams = [run[at : at + 2] for at in range(start, len(run) - 1)]
            assert any(whole[at : at + len(bigrams)] == bigrams for at in range(len(whole)))


@settings(max_examples=300, deadline=None)
@given(_TEXT)
def test_cleaning_leaves_valid_text_and_cleaning_again_changes_nothing(text: str) -> None:
    cleaned = clean(text)
    cleaned.encode()
    assert "\x1b" not in cleaned
    assert "\x00" not in cleaned
    assert clean(cleaned) == cleaned


@settings(max_examples=300, deadline=None)
@given(_TEXT, st.integers(1, 20), st.integers(1, 20), st.integers(0, 3))
def test_bounded_text_begins_and_ends_like_the_text(text: str, head: int, tail: int, lines: int) -> None:
    bounded = bound(text, head, tail, lines)
    assert len(bounded) <= max(len(text), head + tail) + 310 * lines + 20
    assert bounded[:1] == text[:1]
    assert bounded[-1:] == text[-1:] or bounded.endswith("\n...\n")


def test_the_batch_equals_the_plain_form_for_every_character_of_the_basic_plane() -> None:
    texts = [f"a{char}B 中{char}文{char}" for char in map(chr, range(0x10000))]
    assert token_strings(texts) == [token_string(text) for text in texts]
