"""What a run of date words says: days with times of day, spans of time from now, ends of months, from one to another.

Rules are patterns on the letters of the tokens, as in `date_days`; here they are put together.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from harkback._record import NamedTuple
from harkback.date_days import chosen, compiled, months, named, periods
from harkback.date_words import COMING, NEAR, PARTS
from harkback.dates import MINUTE_MS, _back, _Clock, _moment, _ms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import date

    from harkback.date_days import Days, Sense
    from harkback.date_words import Token

DAY_MINUTES = 24 * 60
HOUR_MINUTES = 60
LAST_HOUR = 24
NOON = 12
MOST_YEARS = 150
"""Nobody tells what happened `2000 years ago` as an event of theirs."""


class Reading(NamedTuple):
    """What tokens up to `end` say: whole days, a time on the first of them, or instants."""

    end: int
    unit: str
    days: Days | None = None
    weak: str = ""
    """What a text around it has to say before it is a date: see `occasions`."""
    time: _Time | None = None
    instants: tuple[int, int] | None = None
    alone: bool = False
    """Whether it is a time that names no day."""


class _Time(NamedTuple):
    """A time of day in minutes, which may pass midnight, up to `end`."""

    end: int
    since: int
    until: int
    weak: str = ""
    part: str = ""
    fine: str = "minute"
    hours_east: int | None = None


def read(kinds: str, cut: list[Token], at: int, sense: Sense) -> list[Reading]:
    """Give what may begin at a token, the longest first."""
    opened = kinds[at] in "Mq" and at + 1 < len(kinds)
    first = at + 1 if opened else at
    found = _single(kinds, cut, first, sense)
    ranges = [joined for one in found for joined in _ranges(kinds, cut, first, one, sense)]
    if opened:
        found = named_range(kinds, cut, at, sense)
    return sorted(ranges + found, key=lambda one: -one.end)


def named_range(kinds: str, cut: list[Token], at: int, sense: Sense) -> list[Reading]:
    """Give `between 2 and 5 May`, which is one name."""
    return [Reading(*one) for one in named(kinds, cut, at, sense)]


def span(reading: Reading, clock: _Clock) -> tuple[int, int]:
    """Turn a reading into instants."""
    if reading.instants:
        return reading.instants
    assert reading.days is not None
    time = reading.time
    if time is None:
        return clock.days(*reading.days)
    zone = clock.zone if time.hours_east is None else timezone(timedelta(hours=time.hours_east))
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
    if kinds[at] == "I":
        found += _iso(cut[at], at, sense)
    if kinds[at] == "K":
        found.append(_part_of(cut[at].value, at + 1, sense))
    timed = [with_time for one in found for with_time in _timed(kinds, cut, at, one, sense)]
    return found + timed + _time_first(kinds, cut, at, sense)


def _iso(token: Token, at: int, sense: Sense) -> list[Reading]:
    instants = _moment(token.value, sense.clock)
    return [Reading(at + 1, "minute" if ":" in token.value else "hour", instants=instants)] if instants else []


def _part_of(day_part: tuple[int, str], end: int, sense: Sense) -> Reading:
    """Read tonight, 昨晚, 明早."""
    ahead, part = day_part
    return Reading(end, "day", periods("day", ahead, sense.today), "", _part_time(part, end))


# Beginnings and ends

_MONTH_THIRDS = ((0, 10), (10, 20), (20, None))
_YEAR_PARTS = {0: (1, 1), 1: (6, 2), 2: (12, 1), 4: (1, 4), 5: (5, 4), 6: (9, 4)}
"""The beginning of a year is January, its middle June and July, its end December; early, mid and late are thirds."""
_WHOLE = 3


def _ends(kinds: str, cut: list[Token], at: int, found: list[Reading], sense: Sense) -> list[Reading]:
    """Read 三月底, 今年底, 月初 and the end of March."""
    ends = []
    for one in found:
        after = compiled("y?E").match(kinds, one.end)
        if after and one.days and (part := _part(cut[after.end() - 1].value, one.unit, one.days)):
            ends.append(Reading(after.end(), "range", part))
    if compiled("[my]E").match(kinds, at) and (at == 0 or kinds[at - 1] not in "NlSPHj"):
        ends += _this(cut[at + 1].value % _WHOLE, "month" if kinds[at] == "m" else "year", at + 2, sense)
    before = compiled("b-?t?").match(kinds, at)
    if before and before.end() < len(kinds):
        ends += _begun(kinds, cut, at, before.end(), sense)
    return ends


def _begun(kinds: str, cut: list[Token], at: int, start: int, sense: Sense) -> list[Reading]:
    which = cut[at].value
    if kinds[start] == "U":
        return _this(which, cut[start].value, start + 1, sense)
    ends = []
    if kinds[start] == "N" and (year := cut[start].value) > 1900:  # noqa: PLR2004
        ends += [Reading(start + 1, "range", _part(which, "year", months(year, 1, 12)), "year")]
    for one in named(kinds, cut, start, sense):
        if part := _part(which, one.unit, one.days):
            ends.append(Reading(one.end, "range", part, one.weak and "shifted month"))
    return ends


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
_HALVES = {"year": ("month", 6), "month": ("day", 15), "day": ("hour", 12), "hour": ("minute", 30)}


def _amounts(kinds: str, cut: list[Token], at: int, sense: Sense) -> list[Reading]:
    """Read 3 days ago, 兩小時後, in two weeks as a day or a minute, 最近三天 and the last week up to now."""
    found = []
    relative = compiled(f"(?:{_AMOUNT})+([BF])").match(kinds, at) or compiled(f"(p)(?:{_AMOUNT})+").match(kinds, at)
    if relative and (at == 0 or kinds[at - 1] not in "nj"):
        sign = cut[relative.start(1)].value
        found += _moved(relative.end(), _sum(cut[at : relative.end()]), sign, sense)
    past = compiled(f"t?[LS]({_AMOUNT})|t?(L)U").match(kinds, at)
    if past:
        found += _up_to_now(past.end(), cut[at : past.end()], bare=bool(past[2]), sense=sense)
    return found


def _sum(cut: list[Token]) -> dict[str, int] | None:
    """Add up `1天12小時`, 一年半; None where a unit is none or a half cannot be counted."""
    amounts: dict[str, int] = {}
    number: float | None = None
    unit = ""
    for token in cut:
        if token.kind in "Nl":
            number = token.value
        elif token.kind == "H" and number is None:
            half = _HALVES.get(unit) if unit else ("", 0)
            if half is None:
                return None
            if unit:
                amounts[half[0]] = amounts.get(half[0], 0) + half[1]
            else:
                number = token.value
        elif token.kind in "Uydf":
            unit = token.value
            if number is None or unit == "date" or unit in amounts:
                return None
            whole = _HALVES.get(unit, ("", 0)) if number == 0.5 else (unit, int(number))  # noqa: PLR2004
            if not whole[0]:
                return None
            amounts[whole[0]] = whole[1]
            number = None
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


# Times of day

_TIMES = ("Ta?", "Gn?T", "TG", "G?Nh(?:Nf?|H)?", "Na", "xNG", "O")
_KNOWN_PART_TIMES = ("xN(?![hyd/a:])",)


def _part_time(part: str, end: int) -> _Time:
    since, until, _ = PARTS[part]
    return _Time(end, since * HOUR_MINUTES, until * HOUR_MINUTES, "", part, "hour")


def _times(kinds: str, cut: list[Token], at: int, part: str = "") -> list[_Time]:
    """Give the times of day that may begin at a token; `part` is the part of the day that was said before."""
    found = []
    for pattern in _TIMES + (_KNOWN_PART_TIMES if part else ()):
        taken = compiled(pattern).match(kinds, at)
        time = _time(taken[0], cut[at : taken.end()], taken.end(), part) if taken else None
        if time is not None:
            found += _with_zone(kinds, cut, time)
    return found + [joined for one in found for joined in _time_range(kinds, cut, one)] + _hours(kinds, cut, at)


def _with_zone(kinds: str, cut: list[Token], time: _Time) -> list[_Time]:
    if kinds[time.end : time.end + 1] != "z":
        return [time]
    east = cut[time.end].value
    return [] if east is None else [time._replace(end=time.end + 1, hours_east=east)]


def _time(taken: str, cut: list[Token], end: int, part: str) -> _Time | None:
    values = {token.kind: token.value for token in cut}
    if taken == "O":
        return _Time(end, values["O"], values["O"] + 1, "noon")
    part = values.get("a") or values.get("G") or part
    numbers = [token.value for token in cut if token.kind == "N"]
    hour, minute = values["T"] if "T" in values else (numbers[0], numbers[1] if len(numbers) > 1 else 0)
    minute = 30 if "H" in values else minute
    if len(numbers) > 1 and "f" not in values and minute < 10:  # noqa: PLR2004
        return None
    since = _on_the_clock(hour, part)
    if since is None or minute >= HOUR_MINUTES or ("a" in values and not 1 <= hour <= NOON):
        return None
    since = since * HOUR_MINUTES + minute
    if since > LAST_HOUR * HOUR_MINUTES and not part:
        return None
    said = part or "H" in values or "f" in values or (hour > NOON and "T" not in values)
    return _Time(end, since, since + 1, "" if said else "clock", part)


def _on_the_clock(hour: int, part: str) -> int | None:
    """Find the hour of the day; 12 at night is the end of that day, one o'clock at night is an hour later."""
    if hour > LAST_HOUR:
        return None
    if not part:
        return hour
    earliest = PARTS[part][2]
    if hour > NOON:
        return hour if earliest >= NOON else None
    if hour == 0 and earliest <= 1:
        return 0
    hour %= NOON
    while hour < earliest:
        hour += NOON
    return hour


def _time_range(kinds: str, cut: list[Token], first: _Time) -> list[_Time]:
    """Read 下午3點到5點 and 15:00-16:00: the part of the day holds for both."""
    if kinds[first.end : first.end + 1] not in ("R", "-") or first.end + 1 >= len(kinds):
        return []
    lasts = _times(kinds, cut, first.end + 1, first.part)
    return [
        first._replace(end=last.end, until=last.since, weak=first.weak and last.weak, fine="range")
        for last in lasts
        if last.fine == "minute" and last.since > first.since and (first.part or kinds[last.end - 1] != "a")
    ]


def _hours(kinds: str, cut: list[Token], at: int) -> list[_Time]:
    """Read 3-5pm: the afternoon holds for both, but in 11-1pm for the second only."""
    taken = compiled("[NT][R-][NT]a").match(kinds, at)
    if not taken:
        return []
    last = _time(kinds[at + 2 : at + 4], cut[at + 2 : at + 4], at + 4, "")
    for part in (cut[at + 3].value, ""):
        first = _time(kinds[at], cut[at : at + 1], at + 4, part)
        if first and last and first.since < last.since:
            return [first._replace(until=last.since, weak="", fine="range")]
    return []


# A day with a time

_WEEKDAY_BESIDE = r"\(|,?[Ww]"
_BETWEEN = "[,xnuM]*"


def _timed(kinds: str, cut: list[Token], at: int, day: Reading, sense: Sense) -> list[Reading]:
    """Give a day with the weekday that is told with it, and with the time."""
    if day.unit != "day" or not day.days:
        return []
    if day.time is not None:
        return _with_times(kinds, cut, day, sense)
    found = []
    if kinds[at] in "Ww" and day.end == at + 1:
        found = [one._replace(weak="") for one in _days_after(kinds, cut, day.end, sense)]
    elif beside := compiled(_WEEKDAY_BESIDE).match(kinds, day.end):
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
            found += [day._replace(end=time.end, weak="", time=time) for time in _times(kinds, cut, start, part)]
    said = compiled("n?G").match(kinds, day.end)
    if said and not day.time:
        whole = day._replace(end=said.end(), weak="", time=_part_time(cut[said.end() - 1].value, said.end()))
        found += [whole, *_with_times(kinds, cut, whole, sense)]
    return found


def _time_first(kinds: str, cut: list[Token], at: int, sense: Sense) -> list[Reading]:
    """Read a time before its day (3pm on Friday), or alone for today's."""
    found = []
    today = periods("day", 0, sense.today)
    for time in _times(kinds, cut, at):
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
    if start >= len(kinds) or kinds[first.end] not in joint:
        return []
    after = sense._replace(anchor=first.days[0], lean=COMING) if first.days else sense
    since, until = span(first, sense.clock)
    found = []
    for last in _single(kinds, cut, start, after):
        to = span(last, sense.clock)
        until = to[0] if precision(last) == "minute" else to[1]
        if until > since and to[0] > since:
            weak = "slashes" if first.weak == last.weak == "slash" else first.weak or last.weak
            found.append(Reading(last.end, "range", None, weak, instants=(since, until)))
    return found
