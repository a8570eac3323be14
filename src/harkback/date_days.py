"""The days, weeks, months and years that date words name.

A rule is a pattern on the letters of the tokens (`date_words` lists them) and a function from the tokens it took to a
unit and its days. `_DAY_RULES` is the table; all of them are tried at a place, and the longest holds.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from functools import cache

from harkback._record import NamedTuple
from harkback.date_words import COMING, NEAR, PAST
from harkback.dates import _Clock, _period

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from harkback.date_words import Token

    Days = tuple[date, date]
    Found = tuple[str, Days | None]

YEARS = range(1900, 2100)
QUARTERS = range(1, 5)
_LAST = 2
"""The value of 末: 先週末 is a weekend, 今週中 is none."""


class Sense(NamedTuple):
    """When a text was written and how its open dates lean, counted from the day `anchor`."""

    clock: _Clock
    today: date
    anchor: date
    lean: str


class Named(NamedTuple):
    """What tokens up to `end` name."""

    end: int
    unit: str
    days: Days
    weak: str
    """What a text around it has to say before it is a date: see `date_surroundings`."""


# Which of several years, months or weeks


def chosen(spans: Iterable[Days], sense: Sense) -> Days | None:
    """Choose as the sense leans: the last that has begun, the first that is not over, or the nearest."""
    anchor = sense.anchor
    spans = list(spans)
    if sense.lean == PAST:
        return max((one for one in spans if one[0] <= anchor), default=None)
    if sense.lean == COMING:
        return min((one for one in spans if one[1] > anchor), default=None)
    middle = 2 * anchor.toordinal() + 1
    return min(spans, key=lambda one: abs(middle - one[0].toordinal() - one[1].toordinal()), default=None)


def some_year(make: Callable[[int], Days], sense: Sense) -> Days | None:
    """Choose among years that have such a day; 29 February may lie eight years away."""
    for reach in (1, 8):
        spans = []
        for year in range(sense.anchor.year - reach, sense.anchor.year + reach + 1):
            try:
                spans.append(make(year))
            except ValueError:
                continue
        if one := chosen(spans, sense):
            return one
    return None


def _day(year: int, month: int, day: int) -> Days:
    first = date(year, month, day)
    return first, first + timedelta(days=1)


def months(year: int, month: int, count: int = 1) -> Days:
    """Give some whole months."""
    index = year * 12 + month - 1 + count
    return date(year, month, 1), date(index // 12, index % 12 + 1, 1)


def _quarter(year: int, number: int) -> Days:
    return months(year, 3 * number - 2, 3)


def periods(unit: str, ahead: int, today: date) -> Days:
    """Give the day, week, month, quarter or year that lies so many ahead of the one of today."""
    if unit == "quarter":
        index = today.year * 4 + (today.month - 1) // 3 + ahead
        return _quarter(index // 4, index % 4 + 1)
    return _period(unit, -ahead, today)


def _weekday(day: int, sense: Sense) -> Days:
    """A bare weekday is never the day itself: the last one before it or the next one after it."""
    anchor = sense.anchor
    if sense.lean == PAST:
        first = anchor - timedelta(days=(anchor.weekday() - day - 1) % 7 + 1)
    else:
        first = anchor + timedelta(days=(day - anchor.weekday() - 1) % 7 + 1)
    return first, first + timedelta(days=1)


# Rules: from the tokens taken, by kind, to a unit and days


class Taken:
    """The tokens that a rule took."""

    def __init__(self, kinds: str, cut: list[Token]) -> None:
        self.kinds = kinds
        self.cut = cut

    def all(self, kind: str) -> list[Any]:
        """Give the values of all tokens of some kinds."""
        return [token.value for token in self.cut if token.kind in kind]

    def one(self, kind: str) -> Any:
        """Give the value of the first token of some kinds, or None."""
        return next(iter(self.all(kind)), None)


def _day_name(taken: Taken, sense: Sense) -> Found:
    return "day", periods("day", taken.one("D"), sense.today)


def _named(taken: Taken, sense: Sense) -> Found:
    unit, ahead = taken.one("P")
    return unit, periods(unit, ahead, sense.today)


def _shifted(taken: Taken, sense: Sense) -> Found:
    unit = "month" if taken.one("m") is not None else taken.one("Ur")
    if unit not in ("week", "month", "year", "quarter"):
        return "", None
    return unit, periods(unit, taken.one("S")[0], sense.today)


def _week_day(taken: Taken, sense: Sense) -> Found:
    """Read 下週三, 来週の金曜, next Friday, Friday next week: the day of that ISO week."""
    ahead, lean = taken.one("S") or (taken.one("s") or 0, "")
    if taken.one("U") not in (None, "week"):
        return "", None
    if period := taken.one("P"):
        unit, ahead = period
        if unit != "week":
            return "", None
    if lean:
        return "day", _weekday(taken.one("Ww"), sense._replace(lean=lean, anchor=sense.today))
    first = periods("week", ahead, sense.today)[0] + timedelta(days=taken.one("Ww"))
    return "day", (first, first + timedelta(days=1))


def _weekday_the(taken: Taken, sense: Sense) -> Found:
    """Read Friday the 13th: a day of that number that is a Friday."""
    spans = []
    for ahead in range(-12, 13):
        first = periods("month", ahead, sense.anchor)[0]
        try:
            days = _day(first.year, first.month, taken.one("N"))
        except ValueError:
            continue
        if days[0].weekday() == taken.one("W"):
            spans.append(days)
    return "day", chosen(spans, sense)


def _bare_weekday(taken: Taken, sense: Sense) -> Found:
    return "day", _weekday(taken.one("Ww"), sense)


def _weekend(taken: Taken, sense: Sense) -> Found:
    ahead = taken.one("S") or taken.one("P")
    if ahead is None:
        weeks = (0,) if sense.lean == NEAR else (-1, 0, 1)
        return "weekend", chosen((_weekend_of(week, sense.anchor) for week in weeks), sense)
    if taken.one("P") and (ahead[0] != "week" or taken.one("E") not in (None, _LAST)):
        return "", None
    return "weekend", _weekend_of(ahead[1] if taken.one("P") else ahead[0], sense.today)


def _weekend_of(ahead: int, today: date) -> Days:
    after = periods("week", ahead, today)[1]
    return after - timedelta(days=2), after


def _written_day(taken: Taken, _sense: Sense) -> Found:
    return "day", _day(*taken.one("Y"))


def _written_month(taken: Taken, _sense: Sense) -> Found:
    return "month", months(*taken.one("V"))


def _slashed(taken: Taken, sense: Sense) -> Found:
    month, day = taken.one("X")
    return "day", some_year(lambda year: _day(year, month, day), sense)


def _slashed_to(taken: Taken, sense: Sense) -> Found:
    month, day = taken.one("X")
    return _from_to(None, month, day, taken.one("N"), sense)


def _cjk(taken: Taken, sense: Sense) -> Found:
    """Read 年 月 日, with an era or without."""
    numbers = dict(zip(re.findall("[NC]([ymd])", taken.kinds), taken.all("NC"), strict=True))
    year = numbers.get("y")
    if year is not None:
        year += taken.one("e") or 0
        if year not in YEARS:
            return "", None
    return _calendar(year, numbers.get("m"), numbers.get("d"), sense)


def _in_period(taken: Taken, sense: Sense) -> Found:
    """Read 去年三月, 今年の5月3日, 今月18日, the 5th of next month."""
    unit, ahead = taken.one("P") or ("month", taken.one("S")[0])
    first = periods(unit, ahead, sense.today)[0]
    numbers = taken.all("N")
    if "Nm" in taken.kinds and unit == "year":
        return _calendar(first.year, numbers[0], numbers[1] if len(numbers) > 1 else None, sense)
    if "Nm" not in taken.kinds and unit == "month":
        return "day", _day(first.year, first.month, numbers[0])
    return "", None


def _english(taken: Taken, sense: Sense) -> Found:
    """Read March 18th, 18 March 2026, March 2026, March last year."""
    unit, ahead = taken.one("P") or ("year", None)
    if unit != "year":
        return "", None
    year = taken.one("C") if ahead is None else sense.today.year + ahead
    return _calendar(year, taken.one("J"), taken.one("N"), sense)


def _of_month(taken: Taken, sense: Sense) -> Found:
    """Read the second Monday of June, the last Friday of next month, the last day of May."""
    number = taken.one("c") or taken.one("S")[0]
    unit, ahead = taken.one("P") or ("month", 0)
    weekday = taken.one("W")
    if unit != "month" or number not in (-1, 1, 2, 3, 4) or (weekday is None and (taken.one("U") != "day")):
        return "", None

    def day(year: int, month: int) -> Days:
        first, after = months(year, month)
        found = [first + timedelta(days=ahead) for ahead in range((after - first).days)]
        found = [day for day in found if weekday in (None, day.weekday())]
        chosen = found[number if number < 0 else number - 1]
        return chosen, chosen + timedelta(days=1)

    if taken.one("P"):
        first = periods("month", ahead, sense.today)[0]
        return "day", day(first.year, first.month)
    year, month = taken.one("C"), taken.one("J")
    return "day", day(year, month) if year else some_year(lambda some: day(some, month), sense)


def _calendar(year: int | None, month: int | None, day: int | None, sense: Sense) -> Found:
    if month is None:
        return ("year", months(year, 1, 12)) if year is not None else ("", None)
    if day is None:
        if year is not None:
            return "month", months(year, month)
        return "month", some_year(lambda some: months(some, month), sense)
    if year is not None:
        return "day", _day(year, month, day)
    return "day", some_year(lambda some: _day(some, month, day), sense)


def _month_shifted(taken: Taken, sense: Sense) -> Found:
    """Read last March (the latest that is over), next March (the first to begin) and this March."""
    month, (ahead, _) = taken.one("J"), taken.one("S")
    today = sense.today
    spans = [months(year, month) for year in range(today.year - 2, today.year + 3)]
    if ahead < 0:
        return "month", max(one for one in spans if one[1] <= today)
    if ahead > 0:
        return "month", min(one for one in spans if one[0] > today)
    return "month", months(today.year, month)


def _month_days(taken: Taken, sense: Sense) -> Found:
    """Read March 3-5, between 2 and 5 May, 5月17日〜20日."""
    *months, first, last = taken.all("N")
    year, month = taken.one("C"), taken.one("J") or months[-1]
    if "y" in taken.kinds and year is None:
        year = months[0] + (taken.one("e") or 0)
    return _from_to(year, month, first, last, sense)


def _some_months(taken: Taken, sense: Sense) -> Found:
    """Read 4〜6月."""
    first, last = taken.all("N")
    if first >= last:
        return "", None
    return _in_year("range", taken, lambda year: (date(year, first, 1), months(year, last)[1]), sense)


def _from_to(year: int | None, month: int, first: int, last: int, sense: Sense) -> Found:
    if first >= last:
        return "", None

    def days(year: int) -> Days:
        return date(year, month, first), date(year, month, last) + timedelta(days=1)

    return "range", days(year) if year is not None else some_year(days, sense)


def _quarters(taken: Taken, sense: Sense) -> Found:
    """Read Q3, Q3 2026, 2026年第三季, 去年第四季."""
    number = taken.one("Q") or taken.all("N")[-1]
    if number not in QUARTERS:
        return "", None
    return _in_year("quarter", taken, lambda year: _quarter(year, number), sense)


def _half_year(taken: Taken, sense: Sense) -> Found:
    return _in_year("range", taken, lambda year: months(year, taken.one("g"), 6), sense)


def _in_year(unit: str, taken: Taken, make: Callable[[int], Days], sense: Sense) -> Found:
    """Give a part of the year that was named, or of one that the sense chooses."""
    named_unit, ahead = taken.one("P") or ("year", None)
    if named_unit != "year":
        return "", None
    year = taken.one("C") if ahead is None else sense.today.year + ahead
    return unit, make(year) if year else some_year(make, sense)


def _lone_year(taken: Taken, _sense: Sense) -> Found:
    return "year", months(taken.one("C"), 1, 12)


_YEAR = "(?:Cyn?|Pn?)"
_DAY_RULES: tuple[tuple[str, Callable[[Taken, Sense], Found], str], ...] = (
    ("D", _day_name, ""),
    ("P", _named, ""),
    ("S(?:m|U|r)", _shifted, ""),
    ("(?:[SP]|SU)[nu]?W|W(?:,?o?P|s)", _week_day, ""),
    ("Wt?Ni", _weekday_the, ""),
    ("[SP]n?w", _week_day, "shifted weekday"),
    ("W", _bare_weekday, ""),
    ("w", _bare_weekday, "weekday"),
    ("Sk|Pn?k|PE|k", _weekend, ""),
    ("Y", _written_day, ""),
    ("V", _written_month, ""),
    ("X", _slashed, "slash"),
    ("X[R-]N", _slashed_to, "slash"),
    ("(?:e?[NC]yn?)?Nm(?:Nd)?|e?[NC]y", _cjk, ""),
    ("Pn?Nm(?:Nd)?|Pn?Nd|Smn?Nd|t?Ni?oP|Pu?t?Ni", _in_period, ""),
    ("JNi?(?:,?C)?|t?Ni?o?J(?:,?C)?|JNi?,?o?P", _english, "month day"),
    ("Jo?C|Jo?P", _english, "month year"),
    ("J", _english, "month"),
    ("SJ", _month_shifted, "shifted month"),
    ("t?(?:c|S)[WU]o(?:P|J(?:,?C)?)", _of_month, ""),
    ("JNi?[R-]Ni?(?:,?C)?|t?Ni?[R-]t?Ni?o?J(?:,?C)?|qNi?&Ni?o?J(?:,?C)?", _month_days, "month day"),
    ("(?:e?[NC]y)?NmNd?[R-]Nd", _month_days, ""),
    ("(?:Cy)?N[R-]Nm", _some_months, ""),
    ("QC|Cy?n?j?Q|Pn?j?Q|jQ", _quarters, ""),
    ("Q", _quarters, "quarter"),
    (f"{_YEAR}?jNr", _quarters, ""),
    (f"{_YEAR}?g", _half_year, ""),
    ("C", _lone_year, "lone year"),
)


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern when it is first used."""
    return re.compile(pattern)


def named(kinds: str, cut: list[Token], at: int, sense: Sense) -> list[Named]:
    """Give the days, weeks, months and years that may begin at a token."""
    readings = []
    for pattern, rule, weak in _DAY_RULES:
        taken = compiled(pattern).match(kinds, at)
        if not taken:
            continue
        try:
            unit, days = rule(Taken(taken[0], cut[at : taken.end()]), sense)
        except (ValueError, OverflowError):
            continue
        if days:
            readings.append(Named(taken.end(), unit, days, weak))
    return readings
