"""How long ago something was, in the language of the text that it stands with."""

from __future__ import annotations

import re

_MINUTE, _HOUR, _DAY = 60, 3600, 86400
# Unit in seconds, and its name in English, Chinese and Japanese. Months and years are rounded: "3 個月前" is no date.
_UNITS = (
    (365 * _DAY, "year", "年", "年"),
    (30 * _DAY, "month", " 個月", "か月"),
    (7 * _DAY, "week", " 週", "週間"),
    (_DAY, "day", " 天", "日"),
    (_HOUR, "hour", " 小時", "時間"),
    (_MINUTE, "minute", " 分鐘", "分"),
)
_SIMPLIFIED = str.maketrans("個週時鐘後剛", "个周时钟后刚")
# Characters that only simplified text has, of the commonest.
_IS_SIMPLIFIED = r"[们这个时间说对发现会开关为来过还没问题应该写进从给让认识东车长门马见书电话点样机种经线级]"


def language_of(text: str) -> str:
    """Say in which language a text is written, as far as its script tells: ja, zh-TW, zh-CN or en."""
    if re.search(r"[\u3041-\u30fa]", text):
        return "ja"
    if re.search(r"[\u4e00-\u9fff]", text):
        return "zh-CN" if re.search(_IS_SIMPLIFIED, text) else "zh-TW"
    return "en"


def age(time_ms: int, now_ms: int, language: str = "en") -> str:
    """Write how long before `now_ms` a time lies, or after it: "3 days ago", "3 天前", "3日前", "in 2 weeks"."""
    seconds = (now_ms - time_ms) / 1000
    is_past = seconds >= 0
    seconds = abs(seconds)
    for unit, english, chinese, japanese in _UNITS:
        number = int(seconds // unit)
        if not number:
            continue
        if language == "ja":
            return f"{number}{japanese}{'前' if is_past else '後'}"
        if language.startswith("zh"):
            written = f"{number}{chinese if chinese != '年' else ' 年'}{'前' if is_past else '後'}"
            return written.translate(_SIMPLIFIED) if language == "zh-CN" else written
        name = english if number == 1 else f"{english}s"
        return f"{number} {name} ago" if is_past else f"in {number} {name}"
    words = {"ja": "今", "zh-TW": "剛剛", "zh-CN": "刚刚"}
    return words.get(language, "just now")
