"""Date words in English, Chinese and Japanese, read as ranges of time.

A range is half-open, [start, end), in milliseconds since 1970 in UTC. Days are counted on the calendar of
the user's zone and turned into instants last, so that months of any length and clock changes come out right:
a day begins at its first instant and ends where the next one begins.

One rule is one function from the tidied text to a range or None; `_RULES` lists them in the order they are
tried. Words that need no pattern stand in the tables `_PERIODS`, `_DAYS` and `_UNITS`.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone
from unicodedata import normalize

from harkback._record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import tzinfo

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
LONGEST_CHARS = 64
"""No single date is longer; the limit keeps a pasted page from being normalised."""

# Patterns are strings, compiled when first used: all of them would cost a dated search 2 ms, most need two.

# One spelling for each word, so that the tables need not hold the product of both scripts.
_VARIANTS = str.maketrans("个这两礼号时钟间过现周カヵヶケ箇", "個這兩禮號時鐘間過現週ヶヶヶヶヶ")
_CJK_SPACE = r"(?<=[\u3040-\u9fff]) | (?=[\u3040-\u9fff])"

_PERIODS = {
    ("day", 0): "today/今天/今日/きょう",
    ("day", 1): "yesterday/昨天/昨日/きのう",
    ("day", 2): "day before yesterday/the day before yesterday/前天/前日/一昨日/おととい",
    ("day", 3): "大前天/一昨々日/さきおととい",
    ("week", 0): "this week/本週/這週/這個週/這星期/這個星期/本星期/這禮拜/這個禮拜/今週",
    ("week", 1): "last week/上週/上個週/上星期/上個星期/上禮拜/上個禮拜/先週",
    ("week", 2): "上上週/上上星期/上上個星期/上上禮拜/上上個禮拜/先々週",
    ("month", 0): "this month/本月/這月/這個月/今月",
    ("month", 1): "last month/上月/上個月/先月",
    ("month", 2): "上上月/上上個月/先々月",
    ("year", 0): "this year/今年/本年",
    ("year", 1): "last year/去年/昨年",
    ("year", 2): "前年/一昨年",
}
_NAMED = {word: period for period, words in _PERIODS.items() for word in words.split("/")}
_NOW = ("now", "現在", "今")

_WEEKDAYS = (
    "monday mon 週一 星期一 禮拜一 月曜 月曜日",
    "tuesday tue tues 週二 星期二 禮拜二 火曜 火曜日",
    "wednesday wed 週三 星期三 禮拜三 水曜 水曜日",
    "thursday thu thur thurs 週四 星期四 禮拜四 木曜 木曜日",
    "friday fri 週五 星期五 禮拜五 金曜 金曜日",
    "saturday sat 週六 星期六 禮拜六 土曜 土曜日",
    "sunday sun 週日 週天 星期日 星期天 禮拜日 禮拜天 日曜 日曜日",
)
_DAYS = {word: index for index, words in enumerate(_WEEKDAYS) for word in words.split()}
# Longest first: `上上週三` also begins with `上`.
_WEEK_OF = r"(?P<two>上上個?|先々週の?)|(?P<one>last |上個?|先週の?)|(?P<this>this |這個?|本|今週の?)"
_WEEKS_BACK = {"two": 2, "one": 1, "this": 0}

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH_NAME = (
    r"(?P<name>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_YEAR = r"(?P<y>19[0-9]{2}|2[0-9]{3})"
_CALENDAR = (
    rf"{_YEAR}年?",
    rf"{_YEAR}[-/.](?P<m>[0-9]{{1,2}})",
    rf"{_YEAR}(?P<mark>[-/.])(?P<m>[0-9]{{1,2}})(?P=mark)(?P<d>[0-9]{{1,2}})",
    rf"{_YEAR}(?P<m>[0-9]{{2}})(?P<d>[0-9]{{2}})",
    r"(?P<m>[0-9]{1,2})/(?P<d>[0-9]{1,2})",
    rf"(?:{_YEAR}年)?(?P<m>[0-9]{{1,2}})月(?:(?P<d>[0-9]{{1,2}})[日號])?",
    rf"{_MONTH_NAME} (?P<d>[0-9]{{1,2}})(?:st|nd|rd|th)?(?:,? {_YEAR})?",
    rf"(?P<d>[0-9]{{1,2}})(?:st|nd|rd|th)? (?:of )?{_MONTH_NAME}(?:,? {_YEAR})?",
    rf"{_MONTH_NAME} {_YEAR}",
)
_NAMED_YEAR = r"(今年|去年|昨年|前年|一昨年)の?(?=[0-9])"
_MOMENT = (
    rf"{_YEAR}(?P<mark>[-/]?)(?P<m>[0-9]{{1,2}})(?P=mark)(?P<d>[0-9]{{1,2}})[t ](?P<hour>[0-9]{{1,2}})"
    r"(?::?(?P<minute>[0-9]{2})(?::?(?P<second>[0-9]{2})(?:[.,](?P<fraction>[0-9]{1,9}))?)?)?"
    r" ?(?P<zone>z|utc|(?P<sign>[-+])(?P<zh>[0-9]{2})(?::?(?P<zm>[0-9]{2}))?)?"
)

_UNIT_WORDS = {
    "minute": "m min mins minute minutes 分 分鐘",
    "hour": "h hr hrs hour hours 小時 個小時 鐘頭 個鐘頭 時間",
    "day": "d day days 天 日間",
    "week": "w wk wks week weeks 週 週間 星期 個星期 禮拜 個禮拜",
    "month": "mo mon month months 個月 ヶ月 か月 ヶ月間 か月間",
    "year": "y yr yrs year years 年 年間",
}
_UNITS = {word: unit for unit, words in _UNIT_WORDS.items() for word in words.split()}
_AGO = r"(?: ago|以前|之前|前)$"
_PAST = r"^(?:in the )?(?:last |past |最近の?|過去の?|近|この|ここ)"
_AMOUNT = r"([0-9]{1,4}) ?([^0-9\s]+) ?"
_ENGLISH = {
    word: n for n, words in enumerate(("a an one", "two", "three", "four", "five", "six"), 1) for word in words.split()
}

_NUMERALS = "〇一二三四五六七八九"
_NUMERAL = "[〇零一二兩三四五六七八九十]+"


class _Clock(NamedTuple):
    """The moment and the zone in which a date word was said."""

    now_ms: int
    zone: tzinfo | None

    def now(self) -> datetime:
        """Give the local time; without a zone a naive one, which `timestamp` takes for the system's own."""
        return datetime.fromtimestamp(self.now_ms / 1000, self.zone)

    def day_ms(self, day: date) -> int:
        """Give a local day's first instant (fold 0: of two midnights the first, of none the clock change)."""
        return _ms(datetime(day.year, day.month, day.day, tzinfo=self.zone))

    def days(self, first: date, after: date) -> tuple[int, int]:
        """Turn whole local days into a range."""
        return self.day_ms(first), self.day_ms(after)


def parse_range(text: str, now_ms: int, zone: tzinfo | None = None) -> tuple[int, int] | None:
    """Read one date, period, weekday or age; None if it is not understood.

    `now_ms` is the moment from which ages and names count; without `zone` the system's zone holds. An age
    such as `7d` reaches up to now, `7 days ago` is that whole day. Dates without a year and bare weekdays lie
    in the past, for what is looked for has been said. Never raises for any text.
    """
    clock = _Clock(now_ms, zone)
    words = _tidy(text)
    if not words:
        return None
    try:
        for rule in _RULES:
            found = rule(words, clock)
            if found is not None:
                return found
    except (ValueError, OverflowError, OSError):
        # 30 February, year 0, or a year the system's clock functions do not know (Windows before 1970).
        return None
    return None


def parse_age(text: str, now_ms: int, zone: tzinfo | None = None) -> int | None:
    """Read a bare age (`7d`, `最近3天`) as the moment it reaches back to; None for everything else."""
    try:
        found = _age(_arabic(_tidy(text)), _Clock(now_ms, zone))
    except (ValueError, OverflowError, OSError):
        return None
    return None if found is None else found[0]


def _tidy(text: str) -> str:
    """Bring full width, case, script and spaces into one form; empty if the text is too long for a date."""
    if len(text) > LONGEST_CHARS:
        return ""
    words = " ".join(normalize("NFKC", text).casefold().translate(_VARIANTS).split())
    return words if words.isascii() else re.sub(_CJK_SPACE, "", words)


def _arabic(words: str) -> str:
    """Write Chinese numerals up to 99, and years digit by digit, in digits."""
    return words if words.isascii() else re.sub(_NUMERAL, lambda found: _number(found[0]), words)


def _number(numeral: str) -> str:
    plain = numeral.replace("零", "〇").replace("兩", "二")
    tens, has_ten, ones = plain.partition("十")
    if not has_ten:
        return "".join(str(_NUMERALS.index(digit)) for digit in plain)
    if len(tens) > 1 or len(ones) > 1 or ones == "十":
        return numeral
    return str((_NUMERALS.index(tens) if tens else 1) * 10 + (_NUMERALS.index(ones) if ones else 0))


def _ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


def _named(words: str, clock: _Clock) -> tuple[int, int] | None:
    if words in _NOW:
        return clock.now_ms, clock.now_ms + 1
    if words not in _NAMED:
        return None
    unit, back = _NAMED[words]
    return clock.days(*_period(unit, back, clock.now().date()))


def _period(unit: str, back: int, today: date) -> tuple[date, date]:
    """Find the day, ISO week, month or year that lies `back` before the one of today."""
    if unit == "day":
        first = today - timedelta(days=back)
        return first, first + timedelta(days=1)
    if unit == "week":
        first = today - timedelta(days=today.weekday() + 7 * back)
        return first, first + timedelta(days=7)
    if unit == "month":
        return _month(today.year, today.month - back)
    return date(today.year - back, 1, 1), date(today.year - back + 1, 1, 1)


def _month(year: int, month: int) -> tuple[date, date]:
    """Give a month's first day and the next month's; `month` may lie outside 1 to 12 and then counts on."""
    index = year * 12 + month - 1
    return date(index // 12, index % 12 + 1, 1), date((index + 1) // 12, (index + 1) % 12 + 1, 1)


def _weekday(words: str, clock: _Clock) -> tuple[int, int] | None:
    named_week = re.match(_WEEK_OF, words)
    weekday = _DAYS.get(words[named_week.end() :] if named_week else words)
    if weekday is None:
        return None
    today = clock.now().date()
    if named_week:
        back = _WEEKS_BACK[named_week.lastgroup or "this"]
        first = _period("week", back, today)[0] + timedelta(days=weekday)
    else:
        first = today - timedelta(days=(today.weekday() - weekday - 1) % 7 + 1)
    return clock.days(first, first + timedelta(days=1))


def _calendar(words: str, clock: _Clock) -> tuple[int, int] | None:
    today = clock.now().date()
    words = _arabic(words) if words not in _NAMED else words
    words = re.sub(_NAMED_YEAR, lambda found: f"{today.year - _NAMED[found[1]][1]}年", words)
    for pattern in _CALENDAR:
        found = re.fullmatch(pattern, words)
        if found:
            days = _written(found.groupdict(), today)
            return clock.days(*days) if days else None
    return None


def _written(parts: dict[str, str | None], today: date) -> tuple[date, date] | None:
    """Find the year, month or day whose numbers were written; None if it never was."""
    name, day = parts.get("name"), parts.get("d")
    month = _MONTHS.index(name[:3]) + 1 if name else int(parts.get("m") or 0)
    if year := int(parts.get("y") or 0):
        if "m" not in parts and not name:
            return date(year, 1, 1), date(year + 1, 1, 1)
        return _one_day(date(year, month, int(day))) if day else _checked_month(year, month)
    # 29 February may lie eight years back (around 2100).
    for past in range(today.year, today.year - 9, -1):
        try:
            days = _one_day(date(past, month, int(day))) if day else _checked_month(past, month)
        except ValueError:
            continue
        if days[0] <= today:
            return days
    return None


def _one_day(day: date) -> tuple[date, date]:
    return day, day + timedelta(days=1)


def _checked_month(year: int, month: int) -> tuple[date, date]:
    return _month(date(year, month, 1).year, month)


def _moment(words: str, clock: _Clock) -> tuple[int, int] | None:
    """Read an ISO 8601 date-time, which lasts as long as its smallest number says: an hour down to 1 ms."""
    found = re.fullmatch(_MOMENT, words)
    if not found:
        return None
    zone = clock.zone
    if found["sign"]:
        minutes = int(found["zh"]) * 60 + int(found["zm"] or 0)
        zone = timezone(timedelta(minutes=-minutes if found["sign"] == "-" else minutes))
    elif found["zone"]:
        zone = UTC
    year, month, day = int(found["y"]), int(found["m"]), int(found["d"])
    minute, second = int(found["minute"] or 0), int(found["second"] or 0)
    start = _ms(datetime(year, month, day, int(found["hour"]), minute, second, tzinfo=zone))
    if found["fraction"]:
        start += int(found["fraction"].ljust(3, "0")[:3])
        return start, start + 1
    return start, start + (1000 if found["second"] else MINUTE_MS if found["minute"] else HOUR_MS)


def _past(words: str, clock: _Clock) -> tuple[int, int] | None:
    """Read `3 days ago` as that whole day, `3 hours ago` as the minute that begins then."""
    words = _arabic(words)
    ago = re.search(_AGO, words)
    if not ago:
        return _age(words, clock)
    amounts = _amounts(words[: ago.start()], {**_UNITS, "日": "day"})
    if not amounts:
        return None
    start = _back(amounts, clock)
    if set(amounts) <= {"hour", "minute"}:
        return start, start + MINUTE_MS
    return clock.days(*_one_day(_Clock(start, clock.zone).now().date()))


def _age(words: str, clock: _Clock) -> tuple[int, int] | None:
    rest = re.sub(_PAST, "", words)
    if rest != words and rest in _UNITS:
        rest = f"1 {rest}"  # "past week"
    amounts = _amounts(rest, _UNITS)
    return (_back(amounts, clock), clock.now_ms) if amounts else None


def _amounts(words: str, units: dict[str, str]) -> dict[str, int] | None:
    """Take `1d 12h` apart; None unless every piece is a number with a unit, each unit once."""
    first, _, rest = words.partition(" ")
    if first in _ENGLISH:
        words = f"{_ENGLISH[first]} {rest}"
    amounts: dict[str, int] = {}
    at = 0
    while at < len(words):
        found = re.match(_AMOUNT, words[at:])
        unit = units.get(found[2]) if found else None
        if not found or unit is None or unit in amounts:
            return None
        amounts[unit] = int(found[1])
        at += found.end()
    return amounts or None


def _back(amounts: dict[str, int], clock: _Clock) -> int:
    """Go back by the calendar for days and longer, by elapsed time for hours and minutes."""
    elapsed = amounts.get("hour", 0) * HOUR_MS + amounts.get("minute", 0) * MINUTE_MS
    months = amounts.get("year", 0) * 12 + amounts.get("month", 0)
    days = amounts.get("week", 0) * 7 + amounts.get("day", 0)
    if not months and not days:
        return clock.now_ms - elapsed
    now = clock.now()
    first, after = _month(now.year, now.month - months)
    day = min(now.day, (after - timedelta(days=1)).day)
    moment = now.replace(year=first.year, month=first.month, day=day, fold=0) - timedelta(days=days)
    return _ms(moment) - elapsed


_RULES = (_named, _weekday, _calendar, _moment, _past)

__all__ = ["parse_age", "parse_range"]
