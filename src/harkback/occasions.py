"""The dates that a text speaks of, in English, Chinese and Japanese.

`dates` reads one whole phrase about the past; this reads phrases inside sentences, with times of day and with what is
still to come. What may as well be something else is a date only beside a word that says so (`_SURROUNDINGS`): 9/10 is
a ratio, may a verb, Sun a company. What is not understood is not guessed.

How open dates are read (`lean`): a date without a year is the nearest one (`NEAR`), the last one that has begun
(`PAST`) or the first one that is not over (`COMING`); a bare weekday the next one, or with `PAST` the last one, never
today. Last, this and next weekday lie in the ISO week before, of and after today. The parts of a day, month and year
are tables in `date_words` and `date_phrases`; an hour without its part of the day is one of 24.
"""

from __future__ import annotations

import re

from harkback._record import NamedTuple
from harkback.date_days import Sense
from harkback.date_phrases import precision, read, span
from harkback.date_words import COMING, NEAR, PAST, may_hold, spelled, tokens
from harkback.dates import HOUR_MS, LONGEST_CHARS, MINUTE_MS, _Clock, parse_range

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import tzinfo

    from harkback.date_phrases import Reading
    from harkback.date_words import Token

LONGEST_DAY_MS = 25 * HOUR_MS


class Occasion(NamedTuple):
    """A date that a text speaks of: where it stands, and when it is, [since, until) in ms since 1970."""

    start: int
    end: int
    words: str
    since_ms: int
    until_ms: int
    precision: str
    """`minute` (or finer), `hour` for a part of a day, `day`, or `range` for what is longer or from one to another."""


def occasions(text: str, now_ms: int, zone: tzinfo | None = None, *, lean: str = NEAR) -> list[Occasion]:
    """Find every date in a text, in order and not overlapping, each as long as it can be read.

    `now_ms` is when the text was written; without `zone` the system's holds. Never raises for any text.
    """
    return _found(text, now_ms, zone, lean, whole=False)


def occasion(text: str, now_ms: int, zone: tzinfo | None = None, *, lean: str = NEAR) -> Occasion | None:
    """Read a whole text as one date; None where it is not understood or there is no such day."""
    first = len(text) - len(text.lstrip())
    words = text.strip()
    if not words or len(words) > LONGEST_CHARS:
        return None
    for found in _found(words, now_ms, zone, lean, whole=True):
        if found.end == len(words) and found.start in (0, _before(words)):
            return found._replace(start=first + found.start, end=first + found.end)
        break
    known = parse_range(words, now_ms, zone)
    if known is None or known[0] >= known[1]:
        return None
    return Occasion(first, first + len(words), words, *known, _precision(known[1] - known[0]))


def _before(words: str) -> int:
    found = re.match(r"(?:on|at|in|the) ", words.lower())
    return found.end() if found else 0


def _precision(length_ms: int) -> str:
    steps = ((MINUTE_MS, "minute"), (HOUR_MS, "hour"), (LONGEST_DAY_MS, "day"))
    return next((name for most, name in steps if length_ms <= most), "range")


class _Place(NamedTuple):
    """A text, cut into words, and how it is read."""

    text: str
    low: str
    cut: list[Token]
    kinds: str
    sense: Sense
    whole: bool


def _found(text: str, now_ms: int, zone: tzinfo | None, lean: str, *, whole: bool) -> list[Occasion]:
    low = spelled(text)
    if not may_hold(low):
        return []
    try:
        clock = _Clock(now_ms, zone)
        today = clock.now().date()
    except (ValueError, OverflowError, OSError):
        return []
    cut = tokens(low)
    place = _Place(text, low, cut, "".join(token.kind for token in cut), Sense(clock, today, today, lean), whole)
    found: list[Occasion] = []
    alone: list[Occasion] = []
    at = 0
    while at < len(cut):
        if again := re.compile(_AGAIN).match(place.kinds, at):
            at = again.end()
        elif seen := _seen(place, at):
            reading, one = seen
            at = reading.end
            (alone if reading.alone else found).append(one)
        else:
            at += 1
    days = [(one.start, one.end) for one in found] + [(token.start, token.end) for token in cut if token.kind == "v"]
    return sorted(found + [time for time in alone if not _beside_a_day(low, time, days)])


def _seen(place: _Place, at: int) -> tuple[Reading, Occasion] | None:
    """Give the longest reading that begins at a token, has such a day, and is borne out by the text around it."""
    if place.kinds[at] in _NEVER_FIRST:
        return None
    try:
        readings = read(place.kinds, place.cut, at, place.sense)
    except (ValueError, OverflowError, OSError):
        return None
    for reading in readings:
        start, end = place.cut[at].start, place.cut[reading.end - 1].end
        if not _ends_a_word(place.low, end) or not _borne_out(place, at, reading):
            continue
        try:
            since, until = span(reading, place.sense.clock)
        except (ValueError, OverflowError, OSError):
            continue
        if since < until:
            return reading, Occasion(start, end, place.text[start:end], since, until, precision(reading))
    return None


def _ends_a_word(low: str, end: int) -> bool:
    return not re.match(r"[a-z0-9_]", low[end : end + 1]) or not re.match(r"[a-z0-9]", low[end - 1])


def _beside_a_day(low: str, time: Occasion, days: list[tuple[int, int]]) -> bool:
    """Whether a time of day shares its sentence with a date, or with every day: it is hardly today's then."""
    for start, end in days:
        between = low[min(end, time.end) : max(start, time.start)]
        if not re.search(_SENTENCE_END, between):
            return True
    return False


# What else has to stand there

_NEAR_CHARS = 24
_NEVER_FIRST = "#BFEiRon&,(azu-"
_NO_TIME_AFTER = "XYVdJi("
_SENTENCE_END = r"[。!?;\n]|\. "
_AGAIN = "v[^#,]*"
"""What comes again and again has no date."""

_ON = r"\b(?:on|due|before|after|until|till|since|dated?|deadline|released|between)(?: is| was|:)? $"
_BY = r"(?:\b(?:by|from|for|to|of|in)|[於在到至從自]|日期?:?) ?$"
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


def _borne_out(place: _Place, at: int, reading: Reading) -> bool:
    """Whether a reading is sure, or the text around it says that it is a date."""
    if reading.alone and re.search(f"[{_NO_TIME_AFTER}][,xnu]*$", place.kinds[:at]):
        return False
    if not reading.weak:
        return True
    start, end = place.cut[at].start, place.cut[reading.end - 1].end
    if place.whole:
        return place.text != "may"
    return _SURROUNDINGS[reading.weak](
        _Around(
            place.low[max(0, start - _NEAR_CHARS) : start],
            place.low[end : end + _NEAR_CHARS],
            place.text[end : end + 2],
            place.text[start:end],
            place.cut[at : reading.end],
            place.text,
        )
    )


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

    def before_a_name(self) -> bool:
        return bool(re.match(" [A-Z]", self.after_as_written)) and not self.precedes(" i\b")


def _slash(around: _Around) -> bool:
    """Whether 5/17 is a day: behind on, due, at a line's beginning; a simple fraction only beside the surest words."""
    month, day = next(token.value for token in around.cut if token.kind == "X")
    if around.precedes(_SHARE):
        return False
    if around.follows(_ON) or around.precedes(_WHAT_HAPPENS):
        return True
    if month < day and day in _SHARES:
        return False
    begins = not around.before.rpartition("\n")[2].strip(" -*•") and around.precedes("[ :,]")
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
        return (low not in _NAMES and len(low) > len("july")) or low == "july" or around.follows(f"{_IN}|{_ON}|{_BY}")
    return len(low) > len("mar") and around.follows(_IN)


def _shifted_month(around: _Around) -> bool:
    name = around.month()
    return name[0].isupper() or name not in _VERBS or "of" in around.words.split()


def _month_day(around: _Around) -> bool:
    """Whether March 18 is a day: you may 8 of them."""
    name = around.month()
    if name[0].isupper() or around.follows(f"{_ON}|{_BY}"):
        return True
    told = any(token.kind in "io" or (token.kind == "N" and token.value > 31) for token in around.cut)  # noqa: PLR2004
    return told or (len(name) > len("sept") and name != "may")


def _month_year(around: _Around) -> bool:
    name = around.month()
    return name[0].isupper() or name not in _VERBS or around.follows(f"{_IN}|{_BY}")


def _weekday(around: _Around) -> bool:
    """Whether Sat is a day: behind on, by; not in on Sun Microsystems."""
    if not around.words[0].isupper() or around.before_a_name():
        return False
    return around.follows(f"{_ON}|{_BY}") or any(token.kind in "R-" for token in around.cut)


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

__all__ = ["COMING", "NEAR", "PAST", "Occasion", "occasion", "occasions"]
