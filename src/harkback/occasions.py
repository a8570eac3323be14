"""The dates that a text speaks of, in English, Chinese and Japanese.

`dates` reads one whole phrase about the past; this reads phrases inside sentences, with times of day and with what is
still to come. What may as well be something else is a date only beside a word that says so (`date_surroundings`).
What is not understood is not guessed.

How open dates are read (`lean`): a date without a year is the nearest one (`NEAR`), the last one that has begun
(`PAST`) or the first one that is not over (`COMING`); a bare weekday the next one, or with `PAST` the last one, never
today. `TOLD` takes of these what the sentence tells (`date_tense`). Last, this and next weekday lie in the ISO week
before, of and after today's. An open end of a range is the first one after its beginning; since Monday is since the
last one. A time of day without a day is today's, unless a date stands in its sentence. An hour from 1 to 6 without its
part of the day is not known, other hours are of 24. The parts of days, months and years are tables in `date_words` and
`date_phrases`.
"""

from __future__ import annotations

import re
from bisect import bisect

from harkback._record import NamedTuple
from harkback.date_days import Sense
from harkback.date_phrases import precision, read, span
from harkback.date_surroundings import is_meant
from harkback.date_tense import lean_of
from harkback.date_words import COMING, NEAR, PAST, TOLD, may_hold, spelled, tokens
from harkback.dates import HOUR_MS, LONGEST_CHARS, MINUTE_MS, _Clock, parse_range

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
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
    since, until = known[0], max(known[1], known[0] + MINUTE_MS)  # now is this minute
    return Occasion(first, first + len(words), words, since, until, _precision(until - since))


def has_happened(text: str, words: str) -> bool:
    """Whether a text tells what it tells of a date, by its words, as past: "We moved in May", said in May."""
    at = text.find(words)
    return bool(words) and at >= 0 and lean_of(spelled(text), at, at + len(words)) == PAST


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
    return sorted(found + _of_today(low, alone, [*found, *(token for token in cut if token.kind == "v")]))


def _seen(place: _Place, at: int) -> tuple[Reading, Occasion] | None:
    """Give the longest reading that begins at a token, has such a day, and is borne out by the text around it."""
    kind, after = place.kinds[at], place.kinds[at + 1 : at + 2]
    if kind in _NEVER_FIRST or (after in ("#", "") and kind not in _ALONE):
        return None
    sense = place.sense
    if sense.lean == TOLD:
        seen = _seen(place._replace(sense=sense._replace(lean=NEAR)), at)
        lean = lean_of(place.low, seen[1].start, seen[1].end) if seen else NEAR
        return seen if lean == NEAR else _seen(place._replace(sense=sense._replace(lean=lean)), at)
    if sense.lean == NEAR and place.low.endswith("since ", 0, place.cut[at].start):
        sense = sense._replace(lean=PAST)
    try:
        readings = read(place.kinds, place.cut, at, sense)
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
    return not re.match(r"[a-zà-ӿ0-9_]", low[end : end + 1]) or not re.match(r"[a-z0-9]", low[end - 1])


def _of_today(low: str, times: list[Occasion], dates: Iterable[Occasion | Token]) -> list[Occasion]:
    """Give the times of day that share no sentence with a date, or with every day: those are hardly today's."""
    ends = [end.start() for end in re.finditer(_SENTENCE_END, low)] if times else []
    dated = {bisect(ends, date.start) for date in dates}
    return [time for time in times if bisect(ends, time.start) not in dated]


_NEVER_FIRST = "#BFEiRon&,(azu-"
_ALONE = "DPWwkYVXTIKQCOgJ"
_LONGEST_START = 4
_NO_TIME_AFTER = r"[XYVdJi(][,xnu]*$|[hTNaf][R-]$"
_BEGUN_BEFORE = r"y\|[NC]|(?:c|Un|jN)\|[Ww]|UM\|."
"""What stands before a piece, and what the piece begins with: 113年5月, 第2週の月曜, a week from Monday."""
_SENTENCE_END = r"[。!?;\n]|\. "
_GOES_ON = "[Ww][oU]|JN"
_AGAIN = "v[^#,]*"
"""What comes again and again has no date."""


def _borne_out(place: _Place, at: int, reading: Reading) -> bool:
    """Whether a reading is sure, or the text around it says that it is a date."""
    if _is_a_piece(place.kinds, at, reading):
        return False
    if not reading.weak:
        return True
    if place.whole:
        return place.text != "may"
    return is_meant(reading.weak, place.text, place.low, place.cut[at : reading.end])


def _is_a_piece(kinds: str, at: int, reading: Reading) -> bool:
    """Whether a reading is what is left of a longer phrase that is not understood: 113年[5月], last Friday of …."""
    before = kinds[max(0, at - _LONGEST_START) : at]
    if reading.alone and re.search(_NO_TIME_AFTER, before):
        return True
    if re.search(_BEGUN_BEFORE, f"{before}|{kinds[at]}"):
        return True
    return re.compile(_GOES_ON).match(kinds, reading.end - 1) is not None


__all__ = ["COMING", "NEAR", "PAST", "TOLD", "Occasion", "has_happened", "occasion", "occasions"]
