"""What has to stand around a phrase that may be a date or something else.

9/10 is a ratio, may a verb, Sun a company, Q3 a question: such a phrase is a date only where the text says so. One
function decides for one weakness that a rule of `date_days` or `date_phrases` names; `_SURROUNDINGS` lists them.
"""

from __future__ import annotations

import re

from harkback._record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harkback.date_words import Token

_NEAR_CHARS = 24
_ENOUGH_ALONE = ("slash", "clock", "quarter")
"""Weaknesses of what is a date where it is the whole text."""
_ON = r"\b(?:on|due|before|after|until|till|since|dated?|deadline|released|between)(?: is| was|:)? $|\beta:? $"
_BY = r"(?:\b(?:by|from|for|to)|[於在到至從自是為]|日期?:?|[0-9]/[0-9]{1,2} ?(?:[、,和與跟或]|and|or)) ?$"
_IN = r"\b(?:in|since|during|until|till|end of|beginning of|early|mid|late)[ -]$"
_AT = r"(?:\b(?:at|by|until|till|from|before|after|around|about|since) |[於在到至從約] ?)$"
_WHAT_HAPPENS = (
    r" ?(?:の|的)?(?:開會|會議|ミーティング|打ち合わせ|面談|定例|截止|到期|締|〆|まで|開始|上線|發布|部署|リリース"
    r"|デプロイ|公開|之前|以前|前|起|請假|休|出發|集合|見面|見|頃|ごろ|スタート)"
)
_PARTICLE = r" ?(?:は|に|から)"
_SHARE = (
    r" ?(?:of\b|tests?\b|done\b|passed\b|failed\b|complete|finished\b|merged\b|green\b|ready\b|full\b|price\b|cup\b"
    r"|個|項|件|次|分|名|人|測試|テスト|通過|完了|完成|%|の確率)"
)
_SHARES = (2, 3, 4, 5, 6, 8, 10, 12)
_PLURAL = r" [a-z]+s\b| ?(?:ms|px|kb|mb|gb|k|m)\b"
_VERBS = ("may", "march")
_NAMES = ("may", "march", "april", "june", "august")
_SHORT_DAYS = ("tue", "tues", "wed", "thu", "thur", "thurs", "fri")


def is_meant(weak: str, text: str, low: str, cut: list[Token]) -> bool:
    """Whether the text around some tokens says that they are a date."""
    start, end = cut[0].start, cut[-1].end
    if weak in _ENOUGH_ALONE and text[start:end] == text.strip():
        return True
    before, after = low[max(0, start - _NEAR_CHARS) : start], low[end : end + _NEAR_CHARS]
    return _SURROUNDINGS[weak](_Around(before, after, text[end : end + 2], text[start:end], cut, text))


class _Around(NamedTuple):
    """What stands before and behind a phrase, and the phrase."""

    before: str
    after: str
    after_as_written: str
    words: str
    cut: list[Token]
    text: str

    def follows(self, pattern: str) -> bool:
        return bool(re.search(pattern, self.before))

    def precedes(self, pattern: str) -> bool:
        return bool(re.match(pattern, self.after))

    def month(self) -> str:
        token = next(token for token in self.cut if token.kind == "J")
        return self.text[token.start : token.end]

    def joins(self) -> bool:
        return any(token.kind in "R-" for token in self.cut)

    def before_a_name(self) -> bool:
        return bool(re.match(" [A-Z]", self.after_as_written)) and not self.precedes(r" i\b")


def _slash(around: _Around) -> bool:
    """Whether 5/17 is a day: behind on, due, at a line's beginning; a simple fraction only beside the surest words."""
    month, day = next(token.value for token in around.cut if token.kind == "X")
    if around.precedes(_SHARE):
        return False
    if around.follows(_ON) or around.precedes(_WHAT_HAPPENS):
        return True
    if month < day and day in _SHARES:
        return False
    begins = not around.before.rpartition("\n")[2].strip(" -*•") and around.precedes("[ :,、]")
    return around.follows(_BY) or around.precedes(_PARTICLE) or (begins and not around.precedes(_PLURAL))


def _slashes(around: _Around) -> bool:
    """Whether 5/17-5/20 are days and not two fractions."""
    pairs = [token.value for token in around.cut if token.kind == "X"]
    return any(month >= day or day not in _SHARES for month, day in pairs)


def _clock(around: _Around) -> bool:
    return around.follows(_AT) or around.precedes(_WHAT_HAPPENS) or around.precedes(_PARTICLE)


def _noon(around: _Around) -> bool:
    return not around.words.isascii() or around.follows(_AT)


def _month(around: _Around) -> bool:
    """Whether a name of a month alone is one: April and June are people, march and may are verbs."""
    name = around.month()
    low = name.lower()
    if low in _NAMES and around.before_a_name():
        return False
    if name[0].isupper():
        sure = low == "july" or (len(low) > len("july") and low not in _NAMES) or around.joins()
        return sure or around.follows(rf"{_IN}|{_ON}|{_BY}|\bof $")
    return (len(low) > len("mar") or low == "may") and around.follows(_IN)


def _shifted_month(around: _Around) -> bool:
    name = around.month()
    return name[0].isupper() or name not in _VERBS or "of" in around.words.split()


def _month_day(around: _Around) -> bool:
    """Whether March 18 is a day: you may 8 of them."""
    name = around.month()
    if name[0].isupper() or around.follows(f"{_ON}|{_BY}"):
        return True
    told = any(token.kind in "ioCP" for token in around.cut)
    return told or (len(name) > len("sept") and name not in _VERBS)


def _month_year(around: _Around) -> bool:
    name = around.month()
    return name[0].isupper() or name not in _VERBS or around.follows(f"{_IN}|{_BY}")


def _weekday(around: _Around) -> bool:
    """Whether Sat is a day: behind on, by; not in on Sun Microsystems."""
    if not around.words[0].isupper() or around.before_a_name():
        return False
    return around.follows(f"{_ON}|{_BY}") or around.joins()


def _shifted_weekday(around: _Around) -> bool:
    name = around.words.split()[-1]
    return name[0].isupper() or name in _SHORT_DAYS


def _quarter(around: _Around) -> bool:
    return around.follows(f"{_IN}|{_ON}|{_BY}") or around.precedes(_PARTICLE) or around.precedes(_WHAT_HAPPENS)


def _year(around: _Around) -> bool:
    return not around.precedes(_PLURAL)


def _lone_year(around: _Around) -> bool:
    return around.follows(r"\b(?:in|since|during) $") and not around.precedes(_PLURAL)


_SURROUNDINGS = {
    "slash": _slash,
    "slashes": _slashes,
    "clock": _clock,
    "noon": _noon,
    "month": _month,
    "shifted month": _shifted_month,
    "month day": _month_day,
    "month year": _month_year,
    "weekday": _weekday,
    "shifted weekday": _shifted_weekday,
    "quarter": _quarter,
    "year": _year,
    "lone year": _lone_year,
}
