"""Finding dates in a text never fails, whatever the text."""

from __future__ import annotations

from datetime import timedelta, timezone
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harkback.occasions import COMING, NEAR, PAST, occasion, occasions

if TYPE_CHECKING:
    from datetime import tzinfo

NOW = 1_779_258_600_000  # 2026-05-20T06:30:00Z
ZONES = [timezone(timedelta(hours=8)), ZoneInfo("America/New_York"), ZoneInfo("Pacific/Apia"), None]
PIECES = [
    "上", "下", "這", "本", "週", "個", "月", "年", "日", "天", "三", "十", "二十", "兩", "半", "前", "後",
    "底", "初", "中", "末", "的", "の", "到", "〜", "-", "/", ":", ",", ".", "3", "15", "31", "2026",
    "2026-02-30", "2/29", "24:00", "3:30", "午後", "下午", "今晚", "時", "點", "分", "金曜", "週五", "週末",
    "令和", "民國", "元", "第", "季", "来週", "先月", "去年", "毎", "last", "next", "this", "the", "of", "on",
    "at", "in", "from", "to", "between", "and", "Friday", "sat", "May", "march", "March", "18th", "1st", "pm",
    "a.m.", "noon", "ago", "weeks", "an", "half", "every", "Q3", "early", "mid", "end", "week", "year", "99999",
    "9999", "UTC", "+0900", "(", ")", "\n", "\u3000",
]  # fmt: skip


def _joined(pieces: list[str]) -> st.SearchStrategy[str]:
    return st.sampled_from([" ", ""]).map(lambda gap: gap.join(pieces))


@settings(max_examples=400, deadline=None)
@given(
    st.one_of(st.text(max_size=80), st.lists(st.sampled_from(PIECES), max_size=12).flatmap(_joined)),
    st.sampled_from([PAST, COMING, NEAR]),
    st.sampled_from(ZONES),
    st.sampled_from([NOW, 0, -62_135_596_800_000, 253_402_300_799_000, 10**18]),
)
def test_occasions_stand_in_the_text_one_after_the_other(
    text: str, lean: str, zone: tzinfo | None, now_ms: int
) -> None:
    end = 0
    for seen in occasions(text, now_ms, zone, lean=lean):
        assert end <= seen.start < seen.end <= len(text)
        assert text[seen.start : seen.end] == seen.words
        assert seen.since_ms < seen.until_ms
        assert seen.precision in ("minute", "hour", "day", "range")
        end = seen.end
    whole = occasion(text, now_ms, zone, lean=lean)
    assert whole is None or whole.since_ms < whole.until_ms


@pytest.mark.parametrize("text", ["昨天開會", "see you next Friday"])
def test_there_are_occasions_to_be_found(text: str) -> None:
    assert occasions(text, NOW, ZONES[0])
