"""The words of dates in English, Chinese and Japanese, and how a text is cut into them.

Each word is a token: a kind of one letter and a value. The letters of a text's tokens are a word of their own, on
which the rules of `date_phrases` are patterns. Spaces are no tokens; whatever else is no date word is `#`.

    D  day: how many from today         K  part of such a day (tonight)     G  part of a day (morning)
    P  named period: unit, how many     S  shift of what follows (last)     U  unit (days, 週間)
    y m d h f  年 月 日 時 分            H  half      r  quarter (季)         j  第
    N C  number, year    l  number word    J  month name      W w  weekday, short weekday     k  weekend
    Y V X T I  2026-03-18, 2026-03, 3/18, 15:00, ISO date-time     Q  Q3     O  noon, midnight     a  am, pm
    B F  ago, from now     p  in     L  the past, the coming (days)     b E  end of, 底      e  era (令和)
    R -  to     M  from     q &  between, and     t o n x u  the, of, の, at, on     i  18th     (  (五)     z  zone
    s  after next    v  every    c  first, second    g  上半年
"""

from __future__ import annotations

import re
from functools import cache

from harkback._record import NamedTuple
from harkback.dates import _DAYS, _ENGLISH, _MOMENT, _NAMED, _NUMERAL, _UNITS, _VARIANTS, _number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Words = dict[str, list[tuple[str, str, Any]]]

_TIME_KINDS = ("T", "a", "h", "C")
PAST, COMING, NEAR, TOLD = "past", "coming", "near", "told"
MOST_DIGITS = 4

_ONE_SPELLING: dict[int, str | int | None] = {
    **_VARIANTS,
    **dict(zip(map(ord, "来后点从会议开国于晩発发为〜～–—―〰　"), "來後點從會議開國於晚發發為~~~~~~ ", strict=True)),
    **{code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)},
    **{ord(sign): ord(sign) + 32 for sign in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"},
    **{code: code - 0xFEE0 + 32 for code in range(0xFF21, 0xFF3B)},
    0xFF5E: "~",
}
"""One sign for one sign, so that a place in the text stays what it was."""

PARTS = {
    "early": (0, 6, 0),
    "morning": (6, 12, 1),
    "noon": (11, 13, 10),
    "afternoon": (12, 18, 12),
    "dusk": (16, 19, 15),
    "evening": (18, 24, 17),
    "late": (22, 26, 20),
}
"""Parts of a day: from and to which hour, and the first hour that one on a clock's face can mean in it."""

_WORDS: dict[str, dict[Any, str]] = {
    "D": {
        0: "本日",
        1: "tomorrow/明天/明日/あした",
        2: "the day after tomorrow/day after tomorrow/後天/明後日/あさって",
        3: "大後天/しあさって/明々後日",
    },
    "K": {
        (0, "evening"): "tonight/this evening/今晚/今夜",
        (-1, "evening"): "last night/last evening/yesterday evening/昨晚/昨夜",
        (1, "evening"): "tomorrow night/tomorrow evening/明晚",
        (0, "morning"): "this morning/今早/今朝/今晨",
        (1, "morning"): "明早/明晨",
        (0, "afternoon"): "this afternoon",
    },
    "G": {
        "early": "凌晨/未明/早朝/清晨/清早/一大早",
        "morning": "morning/in the morning/早上/上午/午前/朝/早晨",
        "noon": "中午/昼/お昼",
        "afternoon": "afternoon/in the afternoon/下午/午後",
        "dusk": "夕方/傍晚",
        "evening": "evening/night/in the evening/at night/晚上/晚間/夜/夜晚/夜間",
        "late": "深夜/半夜/夜中",
    },
    "P": {
        ("week", 1): "next week/來週",
        ("week", 2): "the week after next/week after next/再來週",
        ("week", -2): "the week before last/week before last",
        ("month", 1): "next month/來月",
        ("month", 2): "the month after next/month after next/再來月",
        ("month", -2): "the month before last/month before last",
        ("quarter", 0): "今四半期",
        ("quarter", 1): "來四半期/次四半期",
        ("quarter", -1): "前四半期/先四半期",
        ("year", 0): "本年",
        ("year", 1): "next year/明年/來年",
        ("year", 2): "the year after next/year after next/後年/再來年",
        ("year", 3): "大後年",
        ("year", -2): "the year before last/year before last",
        ("year", -3): "大前年",
    },
    "S": {
        (-2, ""): "上上/上上個",
        (-1, ""): "last/上/上個",
        (0, ""): "this/這/這個/本",
        (1, ""): "next/下/下個",
        (2, ""): "下下/下下個",
        (1, COMING): "coming/this coming/upcoming/次の/今度の/下一個/下一",
        (-1, PAST): "this past/この前の/上一個/上一",
    },
    "U": {"hour": "小時/個小時", "day": "日間", "week": "個星期", "month": "個月"},
    "y": {"year": "年"},
    "m": {"": "月/月份"},
    "d": {"day": "日/號"},
    "h": {"hour": "時/點/點鐘/點整"},
    "f": {"minute": "分/分鐘"},
    "H": {0.5: "半/half a/half an"},
    "r": {"quarter": "quarter/季/季度/四半期"},
    "j": {"": "第"},
    "Q": {1: "一季度", 2: "二季度", 3: "三季度", 4: "四季度"},
    "k": {"": "weekend/the weekend/週末"},
    "O": {12 * 60: "noon/midday/正午", 24 * 60: "midnight/午夜"},
    "a": {"early": "am/a.m./a.m", "afternoon": "pm/p.m./p.m"},
    "J": {
        1: "january/jan/jan.",
        2: "february/feb/feb.",
        3: "march/mar/mar.",
        4: "april/apr/apr.",
        5: "may",
        6: "june/jun/jun.",
        7: "july/jul/jul.",
        8: "august/aug/aug.",
        9: "september/sep/sep./sept/sept.",
        10: "october/oct/oct.",
        11: "november/nov/nov.",
        12: "december/dec/dec.",
    },
    "B": {-1: "ago/前/以前/之前"},
    "F": {1: "from now/from today/後/以後/之後"},
    "p": {1: "in"},
    "L": {
        (-1, "bare"): "past",
        (-1, ""): "最近/最近の/過去/過去の/近/ここ/この",
        (1, ""): "接下來/接下來的/未來/未來的/今後",
    },
    "b": {
        0: "beginning of/the beginning of/start of/the start of",
        1: "middle of/the middle of",
        2: "end of/the end of",
        4: "early",
        5: "mid",
        6: "late",
    },
    "E": {0: "初/上旬", 1: "中旬", 2: "底/末/下旬", 3: "中"},
    "R": {"": "to/until/till/through/到/至/から/~"},
    "M": {"": "from/從/自"},
    "q": {"": "between"},
    "&": {"": "and"},
    "t": {"": "the"},
    "o": {"": "of"},
    "n": {"": "の/的"},
    "s": {2: "after next", -2: "before last"},
    "x": {"": "at/around/about"},
    "u": {"": "on"},
    "i": {"": "st/nd/rd/th"},
    "e": {2018: "令和", 1988: "平成", 1925: "昭和", 1911: "民國", 0: "西元/公元/西暦"},
    "z": {
        0: "utc/gmt",
        60: "cet",
        120: "cest",
        540: "jst",
        -240: "edt",
        -300: "est",
        -420: "pdt",
        -480: "pst",
        None: "cst/ist/bst/et/ct/mt/pt",
    },
    "c": {1: "first", 2: "second", 3: "third", 4: "fourth"},
    "g": {1: "上半年/上半期", 7: "下半年/下半期"},
    "v": {"": "every/every other/every single/each/daily/weekly/nightly/每/每個/毎/隔週/隔天"},
    # Words that only begin or end like a date word.
    "#": {
        "": "馬上/線上/以上/以下/一下/加上/晚點/早點/上下/日本/月球/月亮/月台/月餅/月薪/月租/月刊/月經/月費/月票"
        "/週期/週邊/前端/後端/前面/後面/前提/前者/後者/前後/時候/時代/時點/時刻/點子/點選/點擊/點數/個半/十分/一旦"
        "/black friday/good friday/casual friday/今日頭條/明後天/年代/年度/年間/年頭/後天的/後天性/分析/分支/分別/分類"
    },
}
_HIRAGANA_DAYS = ("きょう", "きのう", "あした", "あさって", "おととい")
_SIGNS = {"-": "-", "~": "R", ",": ",", "@": "x", "&": "&"}
_NUMBER_WORDS = {**_ENGLISH, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12}
_OTHER_UNITS = ("年", "分", "分鐘", "mon")
"""Units of `dates` that are words of their own here."""
_NO_NAMED = ("上", "這", "本")
"""The past's own words in `dates` that begin so are put together here, of a shift and what it shifts."""

_TAIL = r"(?![0-9_%]|[./:,][0-9]|\.[a-z])"
_HEAD = r"(?<![a-z0-9_./\\#$€£¥])(?:(?<![a-z]-)|(?<=[ap]m-)|(?<=[0-9](?:st|nd|rd|th)-))"
_CENTURY = r"(?:19|20)[0-9]{2}"
_NUMBERS = (
    ("Y", rf"({_CENTURY})([-/])([0-9]{{1,2}})\2([0-9]{{1,2}}){_TAIL}(?!-[0-9])"),
    ("Y", rf"({_CENTURY})(\.)([0-9]{{2}})\.([0-9]{{2}}){_TAIL}"),
    ("V", rf"({_CENTURY})[-/]([0-9]{{1,2}}){_TAIL}(?!-[0-9])"),
    ("X", rf"([0-9]{{1,2}})/([0-9]{{1,2}}){_TAIL}"),
    ("T", rf"([0-9]{{1,2}}):([0-9]{{2}})(?::[0-9]{{2}})?{_TAIL}"),
    ("C", rf"({_CENTURY}){_TAIL}"),
    ("N", rf"([0-9]{{1,4}}){_TAIL}"),
)
_SIGNS_OF_NUMBERS = ("-", "/", ":", ".", ",", "_", "%")
_NO_NUMBER = r"[0-9][0-9./:,_-]*[0-9]|[0-9]"
_OFFSET = (
    r"\(?(?:(?:utc|gmt)? ?(\+|-(?=[0-9]{4}))([01][0-9]):?([0-5][0-9])|(?:utc|gmt) ?([+-])([01]?[0-9]))(?![0-9:])\)?"
)
_IN_BRACKETS = (
    r"\((?:(?:週|星期)?[一二三四五六日月火水木金土]曜?日?"
    r"|mon|tues?|wed|thur?s?|fri|sat|sun|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\)"
)
_NOT_BEFORE = {
    "m": "月天(?!氣)|月[0-9一二兩三四五六七八九十]次",
    "P": "年度",
    "h": "點[也都建意東理原不]",
    "W": "[一二三四五六日天][個次天人本報件項條種]|[日曜]大工|[日曜]日?々",
}
"""What makes another word of a word's last sign: 五月天 is a band, 週三次 is three times a week."""


class Token(NamedTuple):
    """A date word of a text: its kind, what it says and where it stands."""

    kind: str
    value: Any
    start: int
    end: int


def spelled(text: str) -> str:
    """Bring width, case and script into one form of the same length."""
    return text.lower() if text.isascii() else text.translate(_ONE_SPELLING)


def may_hold(low: str) -> bool:
    """Whether a text has a digit or any sign or word without which there is no date."""
    if low.isascii():
        return not _triggers().isdisjoint(re.findall("[a-z]+|[0-9]", low))
    return not _triggers().isdisjoint(re.findall(r"[a-z]+|[0-9]|[^\x00-\x7f]", low)) or any(
        word in low for word in _HIRAGANA_DAYS
    )


def tokens(low: str) -> list[Token]:
    """Cut a text, spelled in one form, into date words; everything between them is one `#`."""
    words, piece = _words()
    cut: list[Token] = []
    at = 0
    for found in re.finditer(piece, low):
        if found.start() < at:
            continue
        if low[at : found.start()].strip(" \t"):
            cut.append(Token("#", "", at, found.start()))
        token = _token(low, found.start(), found.end(), words, cut[-1].kind if cut else "#")
        if token.kind != "#" or not cut or cut[-1].kind != "#":
            cut.append(token)
        at = token.end
    return cut


@cache
def _triggers() -> frozenset[str]:
    """Give digits, signs and words of which every date has one, but for days in hiragana."""
    words, _ = _words()
    apart = set("0123456789天日週月年曜點時季晚早午夜晨朝星拜分半")
    for kind in "DGJKPUrkOabBFWw":
        apart |= {word.split()[-1] for row in words.values() for word, its, _ in row if its == kind and word.isascii()}
    return frozenset(apart - {"of", "early", "late", "m", "h", "d"})


@cache
def _words() -> tuple[Words, str]:
    """Give all words under their first sign (in letters: under the first word), longest first, and the pattern."""
    listed = [
        (kind, value, word) for kind, row in _WORDS.items() for value, words in row.items() for word in words.split("/")
    ]
    listed += [("U", unit, word) for word, unit in _UNITS.items() if word not in _OTHER_UNITS]
    listed += [("l", number, word) for word, number in _NUMBER_WORDS.items()]
    listed += [("w" if word.isascii() and not word.endswith("day") else "W", day, word) for word, day in _DAYS.items()]
    for word, (unit, back) in _NAMED.items():
        if not word.startswith(_NO_NAMED):
            listed.append(("D", -back, word) if unit == "day" else ("P", (unit, -back), word))
    ordered: Words = {}
    for kind, value, word in sorted(listed, key=lambda row: -len(row[2])):
        plain = spelled(word)
        first = re.match("[a-z]+", plain)
        ordered.setdefault(first[0] if first else plain[0], []).append((plain, kind, value))
    signs = "".join(sorted(key for key in ordered if not key.isascii()))
    return ordered, rf"[0-9]+|[a-z]+|[{signs}〇零一二兩三四五六七八九十元(,@&~+-]"


def _token(low: str, start: int, end: int, words: Words, before: str) -> Token:
    sign = low[start]
    if before in _TIME_KINDS and (zone := _zone(low, start)):
        return zone
    if sign.isdigit():
        return _numbers(low, start, end)
    for word, kind, value in words.get(low[start:end], ()):
        if low.startswith(word, start) and _fits(low, start, word, kind, before):
            return Token(kind, value, start, start + len(word))
    return _letters(low, start, end) if sign.isascii() else _numeral(low, start, before)


def _fits(low: str, start: int, word: str, kind: str, before: str) -> bool:
    """Whether a word stands for itself and is no part of a longer one."""
    after = low[start + len(word) : start + len(word) + 3]
    if word == "日本" or kind == "z":
        return before != "N" if kind == "#" else before in _TIME_KINDS
    if word.isascii():
        inside = kind not in "aiU" and re.match(r"[a-zà-ӿ0-9_@#./\\]", low[start - 1 : start])
        return (
            not inside and not (word[-1].isalpha() and re.match("[a-zà-ӿ0-9_]", after)) and not _full_stop(word, after)
        )
    if kind == "D" and re.match("[ぁ-ん]", word):
        return not re.match("[ぁ-ん]", low[start - 1 : start]) and not re.match("(?![はのにもまかで])[ぁ-ん]", after)
    return not (_NOT_BEFORE.get(kind) and re.match(_NOT_BEFORE[kind], word[-1] + after))


def _full_stop(word: str, after: str) -> bool:
    """Whether the stop of `Sept.` ends a sentence and no abbreviation."""
    return word[-1] == "." and word[:-1].isalpha() and not re.match(" ?[0-9]", after)


def _zone(low: str, start: int) -> Token | None:
    """Read +0800, -0400 and (UTC+8) behind a time."""
    found = re.compile(_OFFSET).match(low, start)
    if not found:
        return None
    sign, hours, minutes = found[1] or found[4], int(found[2] or found[5]), int(found[3] or 0)
    return Token("z", (hours * 60 + minutes) * (-1 if sign == "-" else 1), start, found.end())


def _letters(low: str, start: int, end: int) -> Token:
    """Read what is no word of the tables: Q3, (Fri) and signs."""
    if low[start] in _SIGNS:
        return Token(_SIGNS[low[start]], "", start, end)
    if found := re.compile(_IN_BRACKETS).match(low, start):
        return Token("(", "", start, found.end())
    if found := re.compile(r"(?<![a-z0-9])q([1-4])(?![a-z0-9_])").match(low, start):
        return Token("Q", int(found[1]), start, found.end())
    return Token("#", "", start, end)


def _numbers(low: str, start: int, end: int) -> Token:
    """Read digits with what belongs to them; a version, an amount or an address is none."""
    if re.compile(_HEAD).match(low, start):
        if low[end : end + 1] not in _SIGNS_OF_NUMBERS and end - start < MOST_DIGITS:
            return Token("N", int(low[start:end]), start, end)
        moment = None
        if low.startswith(("19", "20"), start):
            moment = re.compile(rf"{_MOMENT}(?![0-9a-z_:.])").match(low, start)
        if moment and (moment["second"] or "t" in moment[0] or (":" in moment[0] and moment["sign"] != "-")):
            return Token("I", moment[0], start, moment.end())
        for kind, pattern in _NUMBERS:
            if found := re.compile(pattern).match(low, start):
                values = [int(digits) for digits in found.groups() if digits.isdigit()]
                return Token(kind, values[0] if kind in "NC" else tuple(values), start, found.end())
    found = re.compile(_NO_NUMBER).match(low, start)
    return Token("#", "", start, found.end() if found else start + 1)


def _numeral(low: str, start: int, before: str) -> Token:
    """Read a Chinese number; 三五天 is some days and no 35, digit by digit only years are written."""
    if low[start] == "元" and before == "e":
        return Token("N", 1, start, start + 1)
    numeral = re.compile(_NUMERAL).match(low, start)
    if not numeral:
        return Token("#", "", start, start + 1)
    digits = _number(numeral[0])
    by_digit = len(numeral[0]) > 1 and "十" not in numeral[0] and low[numeral.end() : numeral.end() + 1] != "年"
    if by_digit or not digits.isdigit() or len(digits) > MOST_DIGITS:
        return Token("#", "", start, numeral.end())
    return Token("C" if re.fullmatch(_CENTURY, digits) else "N", int(digits), start, numeral.end())
