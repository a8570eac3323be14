"""Whether two texts say the same, or say something else of the same thing. Pure: texts in, values out.

The same is strict: every word and CJK character equal and in the same order, after folding (width, script, the case of
ordinary words) and without punctuation, white space, articles, a few English fillers and particles at the end. Chinese
numerals are the numbers that they write; question marks count. What is nearly the same is another fact: what is saved
twice is not lost.
"""

from __future__ import annotations

import re
from unicodedata import category

from harkback._record import NamedTuple
from harkback.text.fold import fold, nfkc
from harkback.text.runs import CJK, runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

FUNCTION_WORDS = frozenset(
    re.findall(
        r"\S+",
        "a an and are as at be been being but by did do does for from had has have he her his how i i'm in into is it"
        " its just me my of on or our really she so some than that the their them then there these they this those to"
        " too us very was we were what when where which who why will with would you your",
    )
)
"""English words that say little; left out of questions and comparisons."""

_ARTICLES = frozenset(("a", "an", "the"))
_FILLERS = _ARTICLES | {"please", "really", "very", "that"}
_NOT = ("not", "n't", "n’t")
_VERBS_OF_BEING = frozenset(("is", "are", "was", "were", "has", "had", "and", "or"))
_LAST_PARTICLES = r"(?:[了喔啊呢]+|です|だ)(?=[\W_]*$)(?![\W_]*[?？])"
_WIDE = r"\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_OPENING, _CLOSING = "\"'`“”‘’«»([{", "\"'`“”‘’«»)]}.,;:!…"
_NO_WORDS = frozenset(_OPENING + _CLOSING + "–—•·")
_ORDINARY = r"[^\W\d_]+(?:['’-][^\W\d_]+)*"
_LONGEST_UNIT_SIGN = 3
"""Capitals up to this length are no shouted word: MB is not Mb, IT not it."""
_NUMERALS = r"[〇零一二三四五六七八九十百千两兩]+"
_DIGITS = str.maketrans("〇零一二三四五六七八九两兩", "0012345678922")
_FUNCTION_CHARS = frozenset("的了着过呢啊吧吗嘛们很也都就和与及而且是在有我你他她它这那个をはがにでともへやすまただの")
# Long ones first: each is taken out where it is found, so that 不要 counts once.
_NEGATIONS = (
    r"\b(?:not|no|never|none|nothing|without|cannot|avoid|stop(?:ped|s)?|disabled?)\b|n't\b|n’t\b",
    r"不再|不要|不用|不能|不会|不得|禁止|不|没有|没|别|勿|无|未|非|ません|なく|ない|なし|ずに|ぬ",
)
# What one may say of many things at once: another one is no contradiction, if it is said of the same.
_ADDITIVE = r"\b(?:likes?|loves?|enjoys?|knows?|speaks?|owns?)\b|喜欢|喜爱|会说|が好き|が话せる"
_ALSO = r"\b(?:also|too|as well)\b|也|还有|(?<=[^\u3040-\u309f])も(?![のしうちっどとら])"
# What says that something is not as it was; folded.
_CHANGE = (
    r"\b(?:now|instead|any ?more|no longer|(?:took|taken|hand(?:ed)?|gone|went) over"
    r"|(?:mov|switch|chang|replac|renam|upgrad|downgrad|migrat|transferr|reassign|extend|postpon|reschedul|shift"
    r"|convert|retir)(?:ed|es|e)|(?:raised|lowered|pushed|brought|put back) (?:to|from|forward))\b"
    r"|改|换|搬|迁|移到|移至|转到|转为|转成|升级|升到|降级|降到|交接|交给|接手|接任|接替|取代|延到|延至|延后|延长|拉长|提前到|调整|变更|变成|跳槽"
    r"|変え|変わ|変更|移し|移っ|移行|切り替え|乗り换え|引き継|交代|交替|代わ|替え|替わ|置き换え|延び|延ば|延长|引っ越|転职|改め|改名|になった|に上げ|に下げ"
)
_NUMBER = r"(?:(?<!\w)[-+−±~<>≤≥=]+\s?)?[$€£¥]?[0-9]+(?:[.,:/-][0-9]+)*(?:\s?[%‰°$€£¥])?"
_FRAME_SHARE = 0.4
_FEWEST_SHARED = 2


class Said(NamedTuple):
    """What a text says, for comparing."""

    whole: tuple[str, ...]
    """Every word and character that counts, in order."""
    units: tuple[str, ...]
    """Stems and characters that tell something, in order."""
    frame: frozenset[str]
    """The same with the words and characters that hold a sentence together, without numbers."""
    numbers: tuple[str, ...]
    negations: int
    additive_of: str | None
    """Of whom it says one of several things that may all hold (what somebody likes, knows, owns), or None."""
    is_also: bool
    is_change: bool
    """Whether it says that something is not as it was."""


def said(text: str, stem: Callable[[str], str]) -> Said:
    """Take a text apart; `stem` gives the stem of an English word."""
    folded = fold(text)
    counted = re.sub(_NUMERALS, _arabic, folded)
    units: list[str] = []
    frame: list[str] = []
    for run in runs(counted):
        if run.kind == CJK:
            frame += run.text
            units += [sign for sign in run.text if sign not in _FUNCTION_CHARS]
        elif run.text in FUNCTION_WORDS:
            frame += [run.text] if run.text not in _ARTICLES else []
        elif run.text.strip("_"):
            units.append(stem(run.text) if run.text.isascii() and run.text.isalpha() else run.text)
    units = [unit for unit in units if unit.isalnum() or len(unit) > 1]
    whole = _whole(text)
    frame += [word.lower() for word in whole if len(word) == 1]  # bucket A
    additive = re.search(_ADDITIVE, folded)
    return Said(
        whole=whole,
        units=tuple(units),
        frame=frozenset(unit for unit in [*units, *frame] if not unit.isdigit()),
        numbers=tuple("".join(number.split()) for number in re.findall(_NUMBER, counted)),
        negations=sum(len(re.findall(pattern, folded)) for pattern in _NEGATIONS),
        additive_of=_subject(folded, additive) if additive else None,
        is_also=re.search(_ALSO, folded) is not None,
        is_change=re.search(_CHANGE, folded) is not None,
    )


def _whole(text: str) -> tuple[str, ...]:
    """Give the words and characters of a text that have to be equal."""
    apart = re.sub("[²³¹⁰-₉]+", r" \g<0> ", text)  # 10² is not 102
    plain = re.sub(_NUMERALS, _arabic, re.sub(_LAST_PARTICLES, "", nfkc(apart)))
    words: list[str] = []
    pieces = re.findall(rf"[{_WIDE}]|[^\s{_WIDE}]+", plain)
    for at, piece in enumerate(pieces):
        if piece in _FILLERS or (at == 0 and piece.lower() in _FILLERS):
            after = pieces[at + 1] if at + 1 < len(pieces) else "is"
            if after not in _VERBS_OF_BEING and not (words and words[-1].endswith(_NOT)):
                continue
        words += _words(piece)
    return tuple(words)


def _words(piece: str) -> list[str]:
    """Give a piece without quotes and stops around it; a question mark stands for itself."""
    if len(piece) == 1 and not piece.isascii():
        return [] if category(piece)[0] in "PZ" else [fold(piece)]
    asks = "?" in piece[len(piece.rstrip(_CLOSING + "?")) :]
    word = piece.lstrip(_OPENING).rstrip(_CLOSING + "?")
    if not word and not _NO_WORDS.issuperset(piece.rstrip("?")):
        word = piece
    is_shout = word.isupper() and word != "I" and len(word) <= _LONGEST_UNIT_SIGN
    is_ordinary = re.fullmatch(_ORDINARY, word) and not re.search("[a-z][A-Z]", word) and not is_shout
    found = [fold(word).replace("’", "'") if is_ordinary else word] if word else []
    return [*found, "?"] if asks else found


def _arabic(numeral: re.Match[str]) -> str:
    """Write a Chinese numeral in digits; what may be several numbers (三五天, 二百五) stays as it is."""
    signs = numeral[0].translate(_DIGITS)
    if signs.isdigit():
        return f" {signs} " if len(signs) in (1, 4) else numeral[0]
    found = re.fullmatch("(?:([1-9])千)?(?:([1-9])百)?(0?)(?:([1-9]?)(十))?([1-9]?)", signs)
    if not found or ((found[1] or found[2]) and found[6] and not found[5] and not found[3]):
        return numeral[0]
    thousands, hundreds, _, tens, has_ten, ones = found.groups()
    number = int(thousands or 0) * 1000 + int(hundreds or 0) * 100 + int(ones or 0)
    return f" {number + (int(tens or 1) * 10 if has_ten else 0)} "


def _subject(folded: str, additive: re.Match[str]) -> str:
    """What stands before "likes"; in Japanese, where the object does as well, what は ends."""
    before = folded[: additive.start()]
    return "".join(filter(str.isalnum, before.rpartition("は")[0] if additive[0].startswith("が") else before))


def is_same(one: Said, other: Said) -> bool:
    """Whether two texts say the same."""
    return bool(one.whole) and one.whole == other.whole


def may_contradict(one: Said, other: Said) -> float:
    """Say how likely two texts say different things of the same matter: 0 for no, else the share that they share."""
    mine, yours = one.frame, other.frame
    shared = len(mine & yours)
    if shared < _FEWEST_SHARED or not set(one.units) & set(other.units) & mine or is_same(one, other):
        return 0.0
    is_other = one.numbers != other.numbers or one.negations != other.negations or _is_swapped(one.whole, other.whole)
    is_other = is_other or _differ_in_case(one.whole, other.whole)
    is_other = is_other or (not _may_both_hold(one, other) and bool(mine - yours) and bool(yours - mine))
    held = shared / min(len(mine), len(yours))
    return held if is_other and held >= _FRAME_SHARE else 0.0


def _is_swapped(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two parts around a third have changed places: tabs not spaces, spaces not tabs."""
    if sorted(one) != sorted(other) or one == other:
        return False
    while one[0] == other[0]:
        one, other = one[1:], other[1:]
    while one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    return any(
        other == one[second:] + one[first:second] + one[:first]
        for first in range(1, len(one) - 1)
        for second in range(first + 1, len(one))
    )


def _differ_in_case(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether names that differ only in case are all that differs: userId, userID."""
    return one != other and [word.lower() for word in one] == [word.lower() for word in other]


def _may_both_hold(one: Said, other: Said) -> bool:
    if one.is_also or other.is_also:
        return True
    return one.additive_of is not None and one.additive_of == other.additive_of


def share(one: Said, other: Said) -> float:
    """Give the share of what the shorter text says that the other one says as well."""
    mine, yours = set(one.units), set(other.units)
    return len(mine & yours) / max(1, min(len(mine), len(yours)))


def weight(text: str) -> int:
    """Say how much a text can say at all: one for a CJK character, two for a word."""
    return sum(len(run.text) if run.kind == CJK else 2 for run in runs(text) if any(map(str.isalnum, run.text)))
