"""Times of day in a run of date words: 下午三點, 15時半, 3:30 p.m., at noon, 3-5pm."""

from __future__ import annotations

from harkback._record import NamedTuple
from harkback.date_days import compiled
from harkback.date_words import PARTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harkback.date_words import Token

DAY_MINUTES = 24 * 60
HOUR_MINUTES = 60
LAST_HOUR = 24
NOON = 12
MORNING_MINUTES = 6 * HOUR_MINUTES
_TWO_DIGITS = 10
_EITHER_HALF = range(1, 7)
"""Three o'clock without morning or afternoon is not known; nine is nine."""


class Time(NamedTuple):
    """A time of day in minutes, which may pass midnight, up to `end`."""

    end: int
    since: int
    until: int
    weak: str = ""
    part: str = ""
    fine: str = "minute"
    minutes_east: int | None = None


# Rules, as in `date_days`
_TIMES = ("Ta?", "Gn?T", "TG", "G?Nh(?:Nf?|H)?", "Na", "xNG", "O")
# Where the part of the day was said: tonight at 8
_KNOWN_PART_TIMES = ("xN(?![hyd/a:])",)


def part_time(part: str, end: int) -> Time:
    """Give a whole part of a day."""
    since, until, _ = PARTS[part]
    return Time(end, since * HOUR_MINUTES, until * HOUR_MINUTES, "", part, "hour")


def times(kinds: str, cut: list[Token], at: int, part: str = "") -> list[Time]:
    """Give the times of day that may begin at a token; `part` is the part of the day that was said before."""
    found = []
    for pattern in _TIMES + (_KNOWN_PART_TIMES if part else ()):
        taken = compiled(pattern).match(kinds, at)
        time = time_of(taken[0], cut[at : taken.end()], taken.end(), part) if taken else None
        if time is not None:
            found += with_zone(kinds, cut, time)
    return found + [joined for one in found for joined in _time_range(kinds, cut, one)] + _hours(kinds, cut, at)


def with_zone(kinds: str, cut: list[Token], time: Time) -> list[Time]:
    """Give a time with the zone behind it; none where that zone is not known."""
    if kinds[time.end : time.end + 1] != "z":
        return [time]
    east = cut[time.end].value
    return [] if east is None else [time._replace(end=time.end + 1, minutes_east=east)]


def time_of(taken: str, cut: list[Token], end: int, part: str) -> Time | None:
    """Read the time that some tokens say in a part of the day, or None."""
    values = {token.kind: token.value for token in cut}
    if taken == "O":
        return Time(end, values["O"], values["O"] + 1, "noon")
    part = values.get("a") or values.get("G") or part
    numbers = [token.value for token in cut if token.kind == "N"]
    hour, minute = values["T"] if "T" in values else (numbers[0], numbers[1] if len(numbers) > 1 else 0)
    minute = 30 if "H" in values else minute
    if len(numbers) > 1 and "f" not in values and minute < _TWO_DIGITS:
        return None
    if not part and hour in _EITHER_HALF and not _padded(cut[0]):
        return None
    since = _on_the_clock(hour, part)
    if since is None or minute >= HOUR_MINUTES or ("a" in values and not 1 <= hour <= NOON):
        return None
    since = since * HOUR_MINUTES + minute
    if since > LAST_HOUR * HOUR_MINUTES and not part:
        return None
    said = part or "H" in values or "f" in values or (hour > NOON and "T" not in values)
    return Time(end, since, since + 1, "" if said else "clock", part)


def _padded(token: Token) -> bool:
    """Whether a time is written 03:00, which no afternoon is."""
    return token.kind == "T" and (token.end - token.start) not in (len("3:00"), len("3:00:00"))


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


def _time_range(kinds: str, cut: list[Token], first: Time) -> list[Time]:
    """Read 下午3點到5點 and 15:00-16:00: the part of the day holds for both."""
    if kinds[first.end : first.end + 1] not in ("R", "-") or first.end + 1 >= len(kinds):
        return []
    lasts = times(kinds, cut, first.end + 1, first.part)
    return [
        first._replace(end=last.end, until=last.since, weak=first.weak and last.weak, fine="range")
        for last in lasts
        if last.fine == "minute" and last.since > first.since and (first.part or kinds[last.end - 1] != "a")
    ]


def _hours(kinds: str, cut: list[Token], at: int) -> list[Time]:
    """Read 3-5pm: the afternoon holds for both, but in 11-1pm for the second only."""
    taken = compiled("[NT][R-][NT]a").match(kinds, at)
    if not taken:
        return []
    last = time_of(kinds[at + 2 : at + 4], cut[at + 2 : at + 4], at + 4, "")
    for part in (cut[at + 3].value, ""):
        first = time_of(kinds[at], cut[at : at + 1], at + 4, part)
        if first and last and first.since < last.since:
            return [first._replace(until=last.since, weak="", fine="range")]
    return []


def past_midnight(time: Time, part: str) -> Time:
    """Last night at 2am is the morning after."""
    if part not in ("evening", "late") or time.since >= MORNING_MINUTES:
        return time
    return time._replace(since=time.since + DAY_MINUTES, until=time.until + DAY_MINUTES)
