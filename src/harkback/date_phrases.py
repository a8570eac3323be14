"""What a run of date words says: days with times of day, spans of time from now, ends of months, from one to another.

Rules are patterns on the letters of the tokens, as in `date_days`; here they are put together.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone

from harkback._record import NamedTuple
from harkback.date_days import chosen, compiled, months, named, periods
from harkback.date_times import DAY_MINUTES, HOUR_MINUTES, Time, part_time, past_midnight, time_of, times, with_zone
from harkback.date_words import COMING, NEAR
from harkback.dates import MINUTE_MS, _back, _Clock, _moment, _ms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harkback.date_days import Days, Sense
    from harkback.date_words import Token

MOST_YEARS = 150
"""Nobody tells what happened `2000 years ago` as an event of theirs."""


class Reading(NamedTuple):
    """What tokens up to `end` say: whole days, a time on the first of them, or instants."""

    end: int
    unit: str
    days: Days | None = None
    weak: str = ""
    """What a text around it has to say before it is a date: see `date_surroundings`."""
    time: Time | None = None
    instants: tuple[int, int] | None = None
    alone: bool = False
    """Whether it is a time that names no day."""


def read(kinds: str, cut: list[Token], at: int, sense: Sense) -> list[Reading]:
    """Give what may begin at a token, the longest first."""
    opened = kinds[at] in "Mq" and at + 1 < len(kinds)
    first = at + 1 if opened else at
    found = _single(kinds, cut, first, sense)
    ranges = [joined for one in found for joined in _ranges(kinds, cut, first, one, sense)]
    if opened:
        found = [one for one in found if one.time and one.time.fine == "range"]
        found += [Reading(*one) for one in named(kinds, cut, at, sense)]
    return sorted(ranges + found, key=lambda one: -one.end)


def span(reading: Reading, clock: _Clock) -> tuple[int, int]:
    """Turn a reading into instants."""
    if reading.instants:
        return reading.instants
    assert reading.days is not None
    time = reading.time
    if time is None:
        return clock.days(*reading.days)
    zone = clock.zone if time.minutes_east is None else timezone(timedelta(minutes=time.minutes_east))
    since = _instant(reading.days[0], time.since, _Clock(clock.now_ms, zone))
    if time.fine == "minute":
        return since, since + MINUTE_MS
    return since, _instant(reading.days[0], time.until, _Clock(clock.now_ms, zone))


def precision(reading: Reading) -> str:
    """Say how fine a reading is: a minute, a part of a day, a day, or more."""
    if reading.time is not None:
        return reading.time.fine
    return reading.unit if reading.unit in ("minute", "hour", "day") else "range"


def _instant(day: date, minute: int, clock: _Clock) -> int:
    day += timedelta(days=minute // DAY_MINUTES)
    hour, minute = divmod(minute % DAY_MINUTES, HOUR_MINUTES)
    return _ms(datetime(day.year, day.month, day.day, hour, minute, tzinfo=clock.zone))


def _single(kinds: str, cut: list[Token], at: int, sense: Sense) -> list[Reading]:
    """Give everything that is no range of two."""
    found = [Reading(*one) for one in named(kinds, cut, at, sense)]
    found += _ends(kinds, cut, at, found, sense)
    found += _amounts(kinds, cut, at, sense)
    found += _unix_date(kinds, cut, at)
    if kinds[at] == "I":
        found += _iso(cut[at], at, sense)
    if kinds[at] == "K":
        found.append(_part_of(cut[at].value, at + 1, sense))
    timed = [with_time for one in found for with_time in _timed(kinds, cut, one, sense)]
    return found + timed + _time_first(kinds, cut, at, sense)


def _iso(token: Token, at: int, sense: Sense) -> list[Reading]:
    instants = _moment(token.value, sense.clock)
    return [Reading(at + 1, "minute" if ":" in token.value else "hour", instants=instants)] if instants else []


def _part_of(day_part: tuple[int, str], end: int, sense: Sense) -> Reading:
    """Read tonight, 昨晚, 明早."""
    ahead, part = day_part
    return Reading(end, "day", periods("day", ahead, sense.today), "", part_time(part, end))


# Beginnings and ends

_MONTH_THIRDS = ((0, 10), (10, 20), (20, None))
_YEAR_PARTS = {0: (1, 1), 1: (6, 2), 2: (12, 1), 4: (1, 4), 5: (5, 4), 6: (9, 4)}
"""The beginning of a year is January, its middle June and July, its end December; early, mid and late are thirds."""
_WHOLE = 3
_WEAK_END = {"month": "shifted month", "lone year": "year"}


def _ends(kinds: str, cut: list[Token], at: int, found: list[Reading], sense: Sense) -> list[Reading]:
    """Read 三月底, 今年底, 月初 and the end of March."""
    ends = []
    for one in found:
        after = compiled("y?E").match(kinds, one.end)
        if after and one.days and (part := _part(cut[after.end() - 1].value, one.unit, one.days)):
            ends.append(Reading(after.end(), "range", part))
    if kinds[at : at + 2] in ("mE", "yE") and (at == 0 or kinds[at - 1] not in "NlSPHj"):
        ends += _bare_end(cut[at].kind, cut[at + 1].value, at + 2, sense)
    before = compiled("b-?t?").match(kinds, at)
    if before and before.end() < len(kinds):
        ends += _begun(kinds, cut, at, before.end(), sense)
    return ends


def _bare_end(kind: str, which: int, end: int, sense: Sense) -> list[Reading]:
    """Read 月底 and 年底; 月中 is this month's middle, though 六月中 may be all of it, and 年中 all the year round."""
    if kind == "y":
        return _this(which, "year", end, sense) if which != _WHOLE else []
    return _this(1 if which == _WHOLE else which, "month", end, sense)


def _begun(kinds: str, cut: list[Token], at: int, start: int, sense: Sense) -> list[Reading]:
    which = cut[at].value
    if kinds[start] == "U":
        return _this(which, cut[start].value, start + 1, sense)
    return [
        Reading(one.end, "range", part, _WEAK_END.get(one.weak, one.weak))
        for one in named(kinds, cut, start, sense)
        if (part := _part(which, one.unit, one.days))
    ]


def _part(which: int, unit: str, days: Days) -> Days | None:
    if which == _WHOLE and unit in ("month", "year"):
        return days
    if unit == "month":
        since, until = _MONTH_THIRDS[which % 4]
        return days[0] + timedelta(days=since), days[1] if until is None else days[0] + timedelta(days=until)
    if unit == "year":
        return months(days[0].year, *_YEAR_PARTS[which])
    return None


def _this(which: int, unit: str, end: int, sense: Sense) -> list[Reading]:
    """Read an end of the month or year that is now, or of the one that a leaning sense means."""
    around = (0,) if sense.lean == NEAR else (-1, 0, 1)
    parts = [_part(which, unit, periods(unit, ahead, sense.anchor)) for ahead in around if unit in ("month", "year")]
    days = chosen([part for part in parts if part], sense)
    return [Reading(end, "range", days)] if days else []


# So long ago, so long from now

_AMOUNT = "[NlH][Uydf]H?"
_PART_OF_AMOUNT = "[nj]$|[Nl][R,-]$"
"""Before an amount: リリースの3日前 is not counted from now, and 2~3天後 not three."""
_HALVES = {"year": ("month", 6), "month": ("day", 15), "day": ("hour", 12), "hour": ("minute", 30)}


def _amounts(kinds: str, cut: list[Token], at: int, sense: Sense) -> list[Reading]:
    """Read 3 days ago, 兩小時後, in two weeks as a day or a minute, 最近三天 and the last week up to now."""
    found = []
    relative = compiled(f"(?:{_AMOUNT})+([BF])").match(kinds, at) or compiled(f"(p)(?:{_AMOUNT})+").match(kinds, at)
    if relative and not compiled(_PART_OF_AMOUNT).search(kinds[max(0, at - 2) : at]):
        sign = cut[relative.start(1)].value
        found += _moved(relative.end(), _sum(cut[at : relative.end()]), sign, sense)
    past = compiled(f"t?(?:L{_AMOUNT}|S[Nl][Uydf]H?)|t?(L)U").match(kinds, at)
    if past:
        found += _up_to_now(past.end(), cut[at : past.end()], bare=bool(past[1]), sense=sense)
    return found


def _sum(cut: list[Token]) -> dict[str, int] | None:
    """Add up `1天12小時`, 一年半; None where a unit is none or a half cannot be counted."""
    amounts: dict[str, int] = {}
    for piece in compiled("([NlH])[Uydf](H?)").finditer("".join(token.kind for token in cut)):
        number, unit = cut[piece.start()].value, cut[piece.start() + 1].value
        if unit in amounts or unit == "date":
            return None
        if piece[1] != "H":
            amounts[unit] = number
        if piece[1] == "H" or piece[2]:
            if unit not in _HALVES:
                return None
            smaller, half = _HALVES[unit]
            amounts[smaller] = amounts.get(smaller, 0) + half
    return amounts if amounts and amounts.get("year", 0) <= MOST_YEARS else None


def _moved(end: int, amounts: dict[str, int] | None, sign: int, sense: Sense) -> list[Reading]:
    if not amounts:
        return []
    start = _back({unit: -sign * number for unit, number in amounts.items()}, sense.clock)
    if set(amounts) <= {"hour", "minute"}:
        return [Reading(end, "minute", instants=(start, start + MINUTE_MS))]
    day = _Clock(start, sense.clock.zone).now().date()
    return [Reading(end, "day", (day, day + timedelta(days=1)))]


def _up_to_now(end: int, cut: list[Token], *, bare: bool, sense: Sense) -> list[Reading]:
    way = next(token.value for token in cut if token.kind in "LS")
    if bare and not way[1]:
        return []
    amounts = {cut[-1].value: 1} if bare else _sum([token for token in cut if token.kind not in "tLS"])
    if not amounts or way[0] not in (-1, 1):
        return []
    there = _back({unit: -way[0] * number for unit, number in amounts.items()}, sense.clock)
    now = sense.clock.now_ms
    return [Reading(end, "range", instants=(min(there, now), max(there, now)))]


# A day with a time

_WEEKDAY_BESIDE = r"\(|,?[Ww]"
_BETWEEN = "[,xnuM]*"


def _timed(kinds: str, cut: list[Token], day: Reading, sense: Sense) -> list[Reading]:
    """Give a day with the weekday that is told with it, and with the time."""
    if day.unit != "day" or not day.days:
        return []
    if day.time is not None:
        return _with_times(kinds, cut, day, sense)
    found = []
    if kinds[day.end - 1] in "Ww":
        found = [one._replace(weak="") for one in _days_after(kinds, cut, day.end, sense)]
    elif (beside := compiled(_WEEKDAY_BESIDE).match(kinds, day.end)) and (
        beside[0] == "(" or cut[beside.end() - 1].value == day.days[0].weekday()
    ):
        found = [day._replace(end=beside.end(), weak="")]
    return found + [timed for one in [day, *found] for timed in _with_times(kinds, cut, one, sense)]


def _days_after(kinds: str, cut: list[Token], end: int, sense: Sense) -> list[Reading]:
    """Give the dates behind a weekday: Friday, 22 May."""
    start = end + 1 if kinds[end : end + 1] == "," else end
    if start >= len(kinds) or kinds[start] not in "YXNJt":
        return []
    return [Reading(*one) for one in named(kinds, cut, start, sense) if one.unit == "day"]


def _with_times(kinds: str, cut: list[Token], day: Reading, sense: Sense) -> list[Reading]:
    part = day.time.part if day.time else ""
    between = compiled(_BETWEEN).match(kinds, day.end)
    assert between is not None
    found = []
    for start in {day.end, between.end(), max(day.end, between.end() - 1)}:
        if start < len(kinds):
            found += [
                day._replace(end=time.end, weak="", time=past_midnight(time, part))
                for time in times(kinds, cut, start, part)
            ]
    said = compiled("n?G").match(kinds, day.end)
    if said and not day.time:
        whole = day._replace(end=said.end(), weak="", time=part_time(cut[said.end() - 1].value, said.end()))
        found += [whole, *_with_times(kinds, cut, whole, sense)]
    return found


def _unix_date(kinds: str, cut: list[Token], at: int) -> list[Reading]:
    """Read what date and git print: Sat Nov 21 14:22:05 2026 +0800."""
    taken = compiled("[Ww]?(JNT)(z?C)").match(kinds, at)
    if not taken:
        return []
    month, day, clock = cut[taken.start(1) : taken.end(1)]
    year = cut[taken.end() - 1].value
    first = date(year, month.value, day.value)
    time = time_of("T", [clock], taken.end(1), "")
    if time and taken[2] == "C":
        time = time._replace(end=taken.end())
    zoned = with_zone(kinds, cut, time) if time else []
    return [Reading(max(one.end, taken.end()), "day", (first, first + timedelta(days=1)), time=one) for one in zoned]


def _time_first(kinds: str, cut: list[Token], at: int, sense: Sense) -> list[Reading]:
    """Read a time before its day (3pm on Friday), or alone for today's."""
    found = []
    today = periods("day", 0, sense.today)
    for time in times(kinds, cut, at):
        if at == 0 or kinds[at - 1] != "j":
            found.append(Reading(time.end, "day", today, time.weak, time, alone=True))
        if kinds[time.end : time.end + 1] == "u" or kinds[time.end - 1] in "aOzTR":
            start = time.end + (kinds[time.end : time.end + 1] in (",", "u"))
            days = _single_days(kinds, cut, start, sense) if start < len(kinds) else []
            found += [day._replace(weak="", time=time._replace(end=day.end)) for day in days]
    return found


def _single_days(kinds: str, cut: list[Token], at: int, sense: Sense) -> list[Reading]:
    if kinds[at] == "K":
        return [_part_of(cut[at].value, at + 1, sense)]
    return [Reading(*one) for one in named(kinds, cut, at, sense) if one.unit == "day"]


# From one to another


def _ranges(kinds: str, cut: list[Token], at: int, first: Reading, sense: Sense) -> list[Reading]:
    """Give the ranges that begin with a reading; the end's open date is the first one after the beginning."""
    joint = "&" if at and kinds[at - 1] == "q" else "R-"
    start = first.end + 1
    if first.alone or start >= len(kinds) or kinds[first.end] not in joint:
        return []
    after = sense._replace(anchor=first.days[0], lean=COMING) if first.days else sense
    since, until = span(first, sense.clock)
    found = []
    for last in _single(kinds, cut, start, after):
        if last.alone:
            continue
        to = span(last, sense.clock)
        until = to[0] if precision(last) == "minute" else to[1]
        if until > since and to[0] > since:
            weak = "slashes" if first.weak == last.weak == "slash" else first.weak or last.weak
            found.append(Reading(last.end, "range", None, weak, instants=(since, until)))
    return found
