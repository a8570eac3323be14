"""A search finds exactly the messages in which grep, on equally folded text, finds the same.

Small alphabets, so that chance makes neighbours, near misses and repetitions. What grep must find is said here by
hand: by character classes and word lists of this file, not by the analyser that is under test.
"""

from __future__ import annotations

import itertools
import json
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from harkback import rank
from harkback.archive.sessions import Archive
from harkback.config import Place
from harkback.query import parse
from harkback.text.fold import fold

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

NOW_MS = 1_796_029_200_000
SESSIONS = ("11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222")

CJK_RUN = re.compile("[々〇ぁ-ゖァ-ヺー㐀-䶿一-鿿가-힣\U00020000-\U0003ffff]+")

some = settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)


class Sessions:
    """Texts stored as the prompts of two sessions, read in two steps, and searched."""

    def __init__(self, folder: str, texts: Sequence[str]) -> None:
        self.texts = list(texts)
        self.archive = Archive(Place(f"{folder}/home", f"{folder}/archive"), {}, NOW_MS, folder)
        base = Path(folder, "home", ".claude", "projects", "-w")
        base.mkdir(parents=True)
        rows = [self._row(number, text) for number, text in enumerate(texts)]
        for half in (rows[: len(rows) // 2], rows[len(rows) // 2 :]):
            for number, session in enumerate(SESSIONS):
                with (base / f"{session}.jsonl").open("ab") as file:
                    file.writelines(half[number::2])
            self.archive.sync()

    def _row(self, number: int, text: str) -> bytes:
        row = {
            "type": "user",
            "uuid": f"u{number}",
            "timestamp": f"2026-11-01T09:{number:02d}:00Z",
            "message": {"role": "user", "content": text},
        }
        return json.dumps(row).encode() + b"\n"

    def holding(
        self, query: str, *, substring: bool = False, tiers: Sequence[int] = (rank.PHRASE, rank.ALL)
    ) -> list[str]:
        """Give the texts found to hold all of a query, sorted."""
        asked = parse(query, NOW_MS)
        found = self.archive.search(asked, limit=100, substring=substring, sync=False).found
        return sorted(hit.part.text for hit in found.hits if hit.tier in tiers)

    def grep(self, holds: Callable[[str], bool]) -> list[str]:
        return sorted(text for text in self.texts if holds(fold(text)))


def stored(texts: Sequence[str]) -> tuple[tempfile.TemporaryDirectory[str], Sessions]:
    folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    return folder, Sessions(folder.name, texts)


# -- CJK ---------------------------------------------------------------------------------------------------------

HAN = "資料库庫中文本設设定檢検索々〇𠮷"
KANA = "サーバのはっ"
PIECES = st.one_of(
    st.text(HAN, min_size=1, max_size=5),
    st.text(KANA, min_size=1, max_size=4),
    st.text(HAN + KANA + "한국", min_size=1, max_size=6),
    st.sampled_from(
        ["ｻｰﾊﾞｰ", "か\u3099", "ㇰ", "㍿", "🎉", "👍🏽", "API", "ＡＰＩ", "v2", "getUserName", "é", "e\u0301"]
    ),
    st.sampled_from([" ", "  ", "。", "、", "\n", "/", "-", "・", "「", "」", ":", "\u200b", "\u3000"]),
)
MIXED = st.lists(PIECES, min_size=1, max_size=8).map(lambda pieces: "問" + "".join(pieces) + "了")
"""No text begins or ends with something that is stripped."""


@some
@given(st.lists(MIXED, min_size=1, max_size=8), st.data())
@example(["問中文本了", "問中文 文本了", "問中文。本了", "問中文中本了"], None)
@example(["問サーバー了", "問ｻｰﾊﾞｰ了", "問サーバ ー了"], None)
def test_a_cjk_run_is_found_wherever_it_stands_and_nowhere_else(texts: list[str], data: st.DataObject | None) -> None:
    folder, kept = stored(texts)
    with folder:
        runs = sorted({run for text in texts for run in CJK_RUN.findall(fold(text))})
        cuts = [run[a:b] for run in runs for a, b in itertools.combinations(range(len(run) + 1), 2) if b - a <= 8]
        queries = cuts if data is None else data.draw(st.lists(st.sampled_from(cuts), min_size=1, max_size=8))
        for query in queries:
            wanted = kept.grep(lambda text, query=query: query in text)  # type: ignore[misc]
            assert kept.holding(query) == wanted, query
            assert kept.holding(f'"{query}"') == wanted, query
            if len(query) <= 4:
                assert kept.holding(query, tiers=range(rank.NONE)) == wanted, query


@some
@given(st.lists(MIXED, min_size=1, max_size=6), st.text(HAN + KANA, min_size=1, max_size=4))
def test_what_nobody_said_side_by_side_is_not_found(texts: list[str], query: str) -> None:
    folder, kept = stored(texts)
    with folder:
        wanted = kept.grep(lambda text: fold(query) in text)
        assert kept.holding(query, tiers=range(rank.NONE)) == wanted


# -- Latin words -------------------------------------------------------------------------------------------------

TOKENS: dict[str, set[str]] = {
    "getUserName": {"getusername", "get", "user", "name", "get_user"},  # parts side by side, however they are joined
    "get_user": {"get_user", "get", "user"},
    "HTTPServer": {"httpserver", "http", "server"},
    "ＡＰＩ": {"api"},
    "api": {"api"},
    "5G": {"5g"},
    "v2.10": {"v2", "10"},
    "foo.bar()": {"foo", "bar"},
    "wrong-book": {"wrong", "book"},
    "naïve": {"naïve"},
    "NEEDLE42X": {"needle42x"},
    "__init__": {"init"},
    "C++": {"c"},
    "ß": {"ß"},
    "資料": set(),
    "🎉": set(),
}
ALL_TOKENS = sorted(set().union(*TOKENS.values()))
WRITTEN = st.lists(st.sampled_from(sorted(TOKENS)), min_size=1, max_size=6)


@some
@given(st.lists(WRITTEN, min_size=1, max_size=8), st.lists(st.sampled_from(ALL_TOKENS), min_size=1, max_size=8))
def test_a_latin_word_is_found_where_it_is_a_word_or_part_of_an_identifier(
    written: list[list[str]], asked: list[str]
) -> None:
    texts = ["問 " + " ".join(words) for words in written]
    folder, kept = stored(texts)
    with folder:
        for query in asked:
            holding = [
                text for text, words in zip(texts, written, strict=True) if any(query in TOKENS[word] for word in words)
            ]
            assert kept.holding(query) == sorted(holding), query
            assert kept.holding(query.upper() if query != "ß" else query) == sorted(holding), query


LETTERS = st.text("bcfg", min_size=1, max_size=7)
WITH_DIGITS = st.text("bc1", min_size=1, max_size=7)


@some
@given(st.lists(st.lists(WITH_DIGITS, min_size=1, max_size=4), min_size=1, max_size=6), st.data())
def test_with_substring_any_three_signs_are_found_inside_words(written: list[list[str]], data: st.DataObject) -> None:
    texts = ["問" + " ".join(words) for words in written]
    words = sorted({word for row in written for word in row if len(word) > 2})
    assume(words)
    folder, kept = stored(texts)
    with folder:
        word = data.draw(st.sampled_from(words))
        at = data.draw(st.integers(0, len(word) - 3))
        query = word[at : data.draw(st.integers(at + 3, len(word)))]
        assert kept.holding(query, substring=True) == kept.grep(lambda text: query in text)


@some
@given(st.lists(st.lists(LETTERS, min_size=1, max_size=4), min_size=1, max_size=6), st.data())
def test_letters_that_are_no_word_anywhere_are_found_inside_words(
    written: list[list[str]], data: st.DataObject
) -> None:
    texts = ["問 " + " ".join(words) for words in written]
    words = sorted({word for row in written for word in row if len(word) > 2})
    assume(words)
    folder, kept = stored(texts)
    with folder:
        word = data.draw(st.sampled_from(words))
        at = data.draw(st.integers(0, len(word) - 3))
        query = word[at : data.draw(st.integers(at + 3, len(word)))]
        is_word = any(query in row for row in written)
        assert kept.holding(query) == kept.grep(
            lambda text: query in (text.split() if is_word else text)  # the whole word first
        )


# -- phrases, minus, OR ------------------------------------------------------------------------------------------

SAYINGS = st.lists(
    st.sampled_from(["red", "blue", "green", "ＲＥＤ", "資料", "設定", "料", "設", "サーバー", "資料庫", "v2", "5"]),
    min_size=1,
    max_size=7,
).map(" ".join)


def bordered(query: str) -> Callable[[str], bool]:
    """Grep for a text whose Latin ends are ends of words."""
    before = "(?<![a-z0-9])" if query[0].isascii() else ""
    after = "(?![a-z0-9])" if query[-1].isascii() else ""
    pattern = re.compile(before + re.escape(query) + after)
    return lambda text: pattern.search(text) is not None


@some
@given(st.lists(SAYINGS, min_size=1, max_size=8), st.data())
def test_a_quoted_phrase_is_found_where_it_stands_as_it_is(texts: list[str], data: st.DataObject) -> None:
    folder, kept = stored(texts)
    with folder:
        for _ in range(4):
            text = fold(data.draw(st.sampled_from(texts)))
            borders = [
                at for at in range(len(text) + 1) if not re.search(r"[a-z0-9]{2}", text[max(0, at - 1) : at + 1])
            ]
            start, end = sorted(data.draw(st.lists(st.sampled_from(borders), min_size=2, max_size=2, unique=True)))
            query = text[start:end].strip()
            if query:
                assert kept.holding(f'"{query}"') == kept.grep(bordered(query)), query


TERMS = ["red", "blue", "green", "資料", "料", "設定", "庫", "サーバー", '"red blue"', '"資料 設定"']


@some
@given(
    st.lists(SAYINGS, min_size=1, max_size=8),
    st.lists(st.lists(st.sampled_from(TERMS), min_size=1, max_size=3, unique=True), min_size=1, max_size=3),
    st.lists(st.sampled_from(TERMS), max_size=2),
)
def test_all_any_and_none_mean_what_they_say(texts: list[str], every: list[list[str]], none: list[str]) -> None:
    query = " ".join([*(" OR ".join(some_of) for some_of in every), *(f"-{term}" for term in none)])

    def holds(text: str) -> bool:
        def has(term: str) -> bool:
            return bordered(fold(term.strip('"')))(text)

        return all(any(map(has, some_of)) for some_of in every) and not any(map(has, none))

    folder, kept = stored(texts)
    with folder:
        assert kept.holding(query) == kept.grep(holds), query
