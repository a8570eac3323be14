"""Whether two texts say the same, or say something else of the same thing. Pure: texts in, values out.

A text is compared by what it says: stems of Latin words, CJK characters one by one, without words that only hold a
sentence together. Two say the same only if one says all that the other does, in the same order; numbers with their
signs, names with their points and slashes, negation, tense and who is spoken of count as said (5432 is not 5433, C not
C++, "use tabs" not "do not use tabs", 我 not 他). Where it is not sure it says no: what is saved twice is not lost.
"""

from __future__ import annotations

import re

from harkback._record import NamedTuple
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
# Those that can be left out and nothing else is said. What is left says how the others belong together: to or from
# Kim, に or から, and or or.
_EMPTY = frozenset(
    [
        *re.findall(r"\S+", "a an are be been being do does is it its just really so the very"),
        *"的了着呢啊吧吗嘛们很个はのすまただ",
    ]
)
_SPEAKER = frozenset(["i", "i'm", "me", "my", "our", "us", "we", "我"])
_BY_WHOM = r"是(?=[由在用以])"
_FUNCTION_CHARS = frozenset("的了着过呢啊吧吗嘛们很也都就和与及而且是在有我你他她它这那个をはがにでともへやすまただの")
# Long ones first: each is taken out where it is found, so that 不要 counts once.
_NEGATIONS = (
    r"\b(?:not|no|never|none|nothing|without|cannot|avoid|stop(?:ped|s)?|disabled?)\b|n't\b|n’t\b",
    r"不再|不要|不用|不能|不会|不得|禁止|不|没有|没|别|勿|无|未|非|ません|なく|ない|なし|ずに|ぬ",
)
# What one may say of many things at once: another one is no contradiction, if it is said of the same.
_ADDITIVE = r"\b(?:likes?|loves?|enjoys?|knows?|speaks?|owns?)\b|喜欢|喜爱|会说|が好き|が话せる"
_ALSO = r"\b(?:also|too|as well)\b|也|还有|(?<=[^\u3040-\u309f])も(?![のしうちっどとら])"
# Who is spoken of; the one who speaks may be left out.
_PERSONS = (
    ("they", r"\b(?:they|them|their)\b|他们|她们|彼ら"),
    ("she", r"\b(?:she|her|hers)\b|她(?!们)|彼女"),
    ("he", r"\b(?:he|him|his)\b|(?<![其吉])他(?!们)|彼(?![女ら])"),
    ("you", r"\b(?:you|your|yours)\b|你|您|あなた"),
)
_TENSES = (("past", r"\b(?:was|were|had|did|used to)\b|曾"), ("will", r"\b(?:will|would|going to)\b|'ll\b|将(?!军)"))
# The same said politely or not.
_MANNERS = (
    r"(?:であります|である|でした|です|だ|があります|がある|にあります|にある|ています|ている)(?=[\s。．.!！?？]|$)"
)
# What says that something is not as it was; folded.
_CHANGE = (
    r"\b(?:now|instead|any ?more|no longer|(?:took|taken|hand(?:ed)?|gone|went) over"
    r"|(?:mov|switch|chang|replac|renam|upgrad|downgrad|migrat|transferr|reassign|extend|postpon|reschedul|shift"
    r"|convert|retir)(?:ed|es|e)|(?:raised|lowered|pushed|brought|put back) (?:to|from|forward))\b"
    r"|改|换|搬|迁|移到|移至|转到|转为|转成|升级|升到|降级|降到|交接|交给|接手|接任|接替|取代|延到|延至|延后|延长|拉长|提前到|调整|变更|变成|跳槽"
    r"|変え|変わ|変更|移し|移っ|移行|切り替え|乗り换え|引き継|交代|交替|代わ|替え|替わ|置き换え|延び|延ば|延长|引っ越|転职|改め|改名|になった|に上げ|に下げ"
)
_NUMBER = r"(?:(?<!\w)[-+−±~<>≤≥=]+\s?)?[$€£¥]?[0-9]+(?:[.,:/-][0-9]+)*(?:\s?[%‰°$€£¥])?"
# Names that signs belong to: paths, addresses, C++ and C#.
_SIGNED = r"[a-z0-9_]+(?:[./:\\@]+[a-z0-9_]+)+|\b[a-z](?:\+\+|#)|~/\S+"
SHINGLE = 2
_SHORT_UNITS = 6
_EXTRA_SHARE = 0.2
_SAME_SHARE = 0.6
_FRAME_SHARE = 0.4
_FEWEST_SHARED = 2


class Said(NamedTuple):
    """What a text says, for comparing."""

    units: tuple[str, ...]
    """Stems and characters, in order."""
    frame: frozenset[str]
    """The same with the characters that hold a sentence together."""
    numbers: tuple[str, ...]
    negations: int
    marks: frozenset[str]
    """Who is spoken of, tense, and names with their signs."""
    additive_of: str | None
    """Of whom it says one of several things that may all hold (what somebody likes, knows, owns), or None."""
    is_also: bool
    relations: tuple[str, ...]
    """The words and characters that say how the others belong together, in order."""
    is_change: bool
    """Whether it says that something is not as it was."""


def said(text: str, stem: Callable[[str], str]) -> Said:
    """Take a text apart; `stem` gives the stem of an English word."""
    from harkback.text.fold import fold

    folded = fold(text)
    negations = sum(len(re.findall(pattern, folded)) for pattern in _NEGATIONS)
    units: list[str] = []
    frame: list[str] = []
    relations: list[str] = []
    for run in runs(re.sub(_BY_WHOM, "", re.sub(_MANNERS, " ", folded))):
        if run.kind == CJK:
            frame += run.text
            units += [sign for sign in run.text if sign not in _FUNCTION_CHARS]
            relations += [sign for sign in run.text if sign in _FUNCTION_CHARS]
        elif run.text in FUNCTION_WORDS:
            frame += [run.text] if run.text not in _ARTICLES else []
            relations.append(run.text)
        elif run.text.strip("_"):
            units.append(stem(run.text) if run.text.isascii() and run.text.isalpha() else run.text)
    units = [unit for unit in units if unit.isalnum() or len(unit) > 1]
    additive = re.search(_ADDITIVE, folded)
    persons = [name for name, pattern in _PERSONS if re.search(pattern, folded)]
    empty = _EMPTY if persons else _EMPTY | _SPEAKER
    return Said(
        units=tuple(units),
        frame=frozenset([*units, *frame]),
        numbers=tuple("".join(number.split()) for number in re.findall(_NUMBER, folded)),
        negations=negations,
        marks=frozenset(
            persons + [name for name, pattern in _TENSES if re.search(pattern, folded)] + re.findall(_SIGNED, folded)
        ),
        additive_of=_subject(folded, additive) if additive else None,
        is_also=re.search(_ALSO, folded) is not None,
        relations=tuple(one for one in relations if one not in empty),
        is_change=re.search(_CHANGE, folded) is not None,
    )


def _subject(folded: str, additive: re.Match[str]) -> str:
    """What stands before "likes"; in Japanese, where the object does as well, what は ends."""
    before = folded[: additive.start()]
    return "".join(filter(str.isalnum, before.rpartition("は")[0] if additive[0].startswith("が") else before))


def is_same(one: Said, other: Said) -> bool:
    """Whether two texts say the same: one may say a little more, but not each something that the other does not."""
    if _guards(one) != _guards(other) or not one.units or not other.units:
        return False
    less, more = sorted((one.units, other.units), key=len)
    if not _is_within(less, more):
        return False
    extra, least = len(set(more) - set(less)), len(set(less))
    if extra > (_EXTRA_SHARE * least if least >= _SHORT_UNITS else 0):
        return False
    return _share(_shingles(one.units), _shingles(other.units)) >= _SAME_SHARE


def is_alike(one: Said, other: Said) -> bool:
    """Whether numbers, negations, persons, tenses, names with signs and what joins the words are the same."""
    return _guards(one) == _guards(other)


def _guards(one: Said) -> tuple[object, ...]:
    return one.numbers, one.negations, one.marks, one.relations


def _is_within(less: tuple[str, ...], more: tuple[str, ...]) -> bool:
    """Whether all of `less` stands in `more`, in this order."""
    rest = iter(more)
    return all(unit in rest for unit in less)


def may_contradict(one: Said, other: Said) -> float:
    """Say how likely two texts say different things of the same matter: 0 for no, else the share that they share."""
    mine, yours = one.frame, other.frame
    shared = len(mine & yours)
    if shared < _FEWEST_SHARED or not set(one.units) & set(other.units) or is_same(one, other):
        return 0.0
    is_other = one.numbers != other.numbers or one.negations != other.negations
    is_other = is_other or (not _may_both_hold(one, other) and bool(mine - yours) and bool(yours - mine))
    held = shared / min(len(mine), len(yours))
    return held if is_other and held >= _FRAME_SHARE else 0.0


def _may_both_hold(one: Said, other: Said) -> bool:
    if one.is_also or other.is_also:
        return True
    return one.additive_of is not None and one.additive_of == other.additive_of


def share(one: Said, other: Said) -> float:
    """Give the share of what the shorter text says that the other one says as well."""
    mine, yours = set(one.units), set(other.units)
    return len(mine & yours) / max(1, min(len(mine), len(yours)))


def _shingles(units: tuple[str, ...]) -> set[tuple[str, ...]]:
    return {units[at : at + SHINGLE] for at in range(max(1, len(units) - SHINGLE + 1))}


def _share(one: set[tuple[str, ...]], other: set[tuple[str, ...]]) -> float:
    return len(one & other) / len(one | other)


def weight(text: str) -> int:
    """Say how much a text can say at all: one for a CJK character, two for a word."""
    return sum(len(run.text) if run.kind == CJK else 2 for run in runs(text) if any(map(str.isalnum, run.text)))
