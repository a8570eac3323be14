"""The one thing that is said unasked: what is near, and of which the person just spoke."""

from __future__ import annotations

import re

from harkback.archive.memories import told_time
from harkback.memory.ages import age, language_of
from harkback.model import ACTIVE, EVENT, FACT, TASK
from harkback.moments import local, span
from harkback.occasions import has_happened
from harkback.telling import line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harkback.memory.recall import Recalled
    from harkback.model import Memory

_DAY_MS = 86_400_000
_NEAR_DAYS = 7
_FITS = 0.4
"""A memory whose similarity is less was hardly spoken of."""
_FITS_ON_ITS_DAY = 0.25
"""So much of the words is enough, where its day was named as well."""

_OFFERS = {
    "zh-TW": "{when}（{age}）：{text}。需要準備嗎？",
    "zh-CN": "{when}（{age}）：{text}。需要准备吗？",
    "ja": "{when}（{age}）：{text}。準備しましょうか？",
    "en": "{when} ({age}): {text}. Shall we prepare for it?",
}
_TODAY = {"zh-TW": "今天", "zh-CN": "今天", "ja": "今日", "en": "today"}

_OWED = re.compile(
    r"\b(?:must|(?:have|has|had|need|needs|ought|got) to|should|due(?! to)|expires?|deadline|to-?do)\b"
    r"|必[須须]|需要|[應应][該该]|一定要|截止|到期|期限|[記记]得|[別别]忘"
    r"|要(?:[交繳缴付寄還还買买做辦办]|完成|提交|[續续][約约期]|更新|[報报][名稅税]|[處处]理|[準准][備备])"
    r"|なければ|なきゃ|ないと(?:いけ|だめ|ダメ)|べき|必要|締め?切|〆切|までに",
    re.IGNORECASE,
)
_HAPPENS = re.compile(
    r"\b(?:meetings?|call|appointment|interview|exam|flight|trip|party|wedding|dinner|lunch|concert|conference|demo|visit"
    r"|dentist|doctor|ceremony|webinar|workshop)\b"
    r"|[會会][議议面]|[開开][會会]|面[試试談谈]|考[試试]|[飛飞班][機机]|航班|聚[餐會会]|婚[禮礼]|音[樂乐][會会]|演唱[會会]|[講讲]座"
    r"|看[診诊牙]|[門门][診诊]|牙[醫医]|出差|旅[行遊游]|比[賽赛]|典[禮礼]|派[對对]|[約约][會会診诊]|[發发]表[會会]"
    r"|会議|打ち?合わせ|ミーティング|面接|試験|歯医者|病院|飛行機|フライト|飲み会|結婚式|コンサート|デート|試合|発表",
    re.IGNORECASE,
)
_COMES_AGAIN = re.compile(
    r"\b(?:every|each|daily|weekly|monthly|yearly|birthday|anniversary|(?:mon|tues|wednes|thurs|fri|satur|sun)days)\b"
    r"|每|生日|[紀纪]念日|毎|誕生日|記念日",
    re.IGNORECASE,
)


def kind_of(text: str, now_ms: int) -> str:
    """Give the kind of a fact that somebody saves: what is owed by a date, or happens on one, and is still to come."""
    is_owed = _OWED.search(text) is not None
    found = None if _COMES_AGAIN.search(text) else told_time(text, TASK if is_owed else FACT, now_ms)
    if found is None or found.until_ms <= now_ms or has_happened(text, found.words):
        return FACT
    if is_owed:
        return TASK
    return EVENT if found.precision == "minute" or _HAPPENS.search(text) else FACT


def offer(recalled: Sequence[Recalled], said: str, now_ms: int) -> str:
    """Write the line, in the language of what was `said`; "" where nothing is due."""
    one = next((hit.memory for hit in recalled if _is_spoken_of(hit) and _is_due(hit.memory, now_ms)), None)
    if one is None:
        return ""
    language = language_of(said)
    return _OFFERS[language].format(
        when=span(one.event_since_ms, one.event_until_ms),
        age=_age(one, now_ms, language),
        text=line(one.text).rstrip("。."),
    )


def _is_spoken_of(hit: Recalled) -> bool:
    return hit.similarity >= _FITS or (hit.date > 0 and hit.words >= _FITS_ON_ITS_DAY)


def _is_due(one: Memory, now_ms: int) -> bool:
    """Whether it is open and on one of the next seven days; a task may be late."""
    since_ms = one.event_since_ms
    if one.status != ACTIVE or since_ms is None or _days(since_ms, now_ms) > _NEAR_DAYS:
        return False
    if one.kind == TASK or since_ms > now_ms:
        return True
    return (one.event_until_ms or since_ms) > now_ms and not has_happened(one.text, one.event_words)


def _age(one: Memory, now_ms: int, language: str) -> str:
    """Say how far off it is, in days of the calendar where it names no time of day, or is a day away or more."""
    since_ms = one.event_since_ms or now_ms
    is_day = one.event_until_ms is not None and _is_midnight(since_ms) and _is_midnight(one.event_until_ms)
    if not is_day and abs(since_ms - now_ms) < _DAY_MS:
        return age(since_ms, now_ms, language)
    days = _days(since_ms, now_ms)
    return age(now_ms + days * _DAY_MS, now_ms, language) if days else _TODAY[language]


def _days(time_ms: int, now_ms: int) -> int:
    """Count the midnights between."""
    day, today = local(time_ms), local(now_ms)
    if day is None or today is None:
        return (time_ms - now_ms) // _DAY_MS
    return (day.date() - today.date()).days


def _is_midnight(time_ms: int) -> bool:
    moment = local(time_ms)
    return moment is not None and (moment.hour, moment.minute) == (0, 0)
