from __future__ import annotations

import pytest

from harkback.text.fold import COMPOSING, IS_LOWER, IS_UPPER, fold, fold_spans, kinds, kinds_of, pairs


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("", ""),
        ("ASCII Text_1", "ascii text_1"),
        ("ＡＢＣ１２３", "abc123"),  # full width
        ("：，！", ":,!"),
        ("ｶﾞｷﾞﾊﾟ", "ガギパ"),  # half-width kana with their marks
        ("か\u3099", "が"),
        ("Résumé ÉTÉ", "résumé été"),  # accents stay
        ("e\u0301", "é"),
        ("ΣΊΣΥΦΟΣ σίσυφος", "σίσυφοσ σίσυφοσ"),  # final sigma
        ("Straße GROẞ", "straße groß"),  # one to one: ß never becomes ss
        ("İstanbul I\u0307", "istanbul i"),
        ("設定檔與資料庫", "设定档与资料库"),
        ("设定档", "设定档"),
        ("乾著髮裏", "干着发里"),
        ("検索", "検索"),  # shinjitai that the list of Traditional characters does not hold
        ("①㎏ﬁ…", "1kgfi..."),
        ("H\u0331A", "ẖa"),  # composes only in lower case
        ("Ꮳꮳ", "ᏣᏣ"),  # Cherokee folds to capitals
        ("😀→", "😀→"),
        ("\ud800", "\ud800"),
    ],
)
def test_text_folds_to_the_form_in_which_it_is_compared(text: str, folded: str) -> None:
    assert fold(text) == folded
    assert fold(folded) == folded


@pytest.mark.parametrize(
    ("text", "folded", "at"),
    [
        ("", "", [0]),
        ("Ab", "ab", [0, 1, 2]),
        ("設定", "设定", [0, 1, 2]),
        ("ｶﾞx", "ガx", [0, 2, 3]),
        ("㎏x", "kgx", [0, 0, 1, 2]),
        ("a e\u0301 b", "a é b", [0, 1, 2, 4, 5, 6]),
        ("H\u0331A", "ẖa", [0, 2, 3]),
        ("\u0301a", "\u0301a", [0, 1, 2]),
        ("\u1112\u1161\u11ab글", "한글", [0, 3, 4]),  # Hangul from its letters
    ],
)
def test_every_folded_character_knows_where_it_came_from(text: str, folded: str, at: list[int]) -> None:
    assert fold_spans(text) == (folded, at)


def test_the_pairs_lead_nowhere_further() -> None:
    table = pairs()
    assert not [code for code, folded in table.items() if folded in table]
    assert not [code for code, folded in table.items() if fold(chr(folded)) != chr(folded)]


def test_folding_keeps_the_kind_of_a_character_but_for_its_case() -> None:
    table = kinds(astral=True)
    case = IS_UPPER | IS_LOWER
    changed = [code for code, folded in pairs().items() if (table[code] ^ table[folded]) & ~case]
    assert changed == []
    assert [code for code in pairs() if table[code] & COMPOSING] == []


def test_the_short_table_of_kinds_is_the_beginning_of_the_long_one() -> None:
    assert len(kinds()) == 0x10000
    assert len(kinds(astral=True)) == 0x110000
    assert kinds(astral=True)[:0x10000] == kinds()
    assert kinds_of("A😀") == kinds_of("A") + kinds_of("😀")
