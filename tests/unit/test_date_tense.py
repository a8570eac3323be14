"""Dates without a year, weekdays and months: the tense of the sentence tells which ones are meant.

Written before the code, but for five rows of what is booked, cancelled or asked for, which other sentences brought up.
`NOW` is Wednesday 20 May 2026 in Taipei.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from harkback.date_tense import lean_of
from harkback.occasions import COMING, NEAR, PAST, TOLD, has_happened, occasions

TAIPEI = timezone(timedelta(hours=8))
NOW = 1_779_258_600_000  # 2026-05-20T06:30:00Z
DECEMBER = 1_796_090_400_000  # 2026-12-01

HAPPENED = (
    "In April we released version 2.0 of the app",
    "The office moved in March",
    "The office moved in October",
    "I was hired on 6/17",
    "I met Ken on June 17",
    "The office closed on Friday",
    "The db crashed on Sunday at 3am",
    "We had an outage on Monday and it took four hours",
    "On Friday, Kim sent the contract",
    "The server went down on Saturday",
    "Tom has been ill since Friday",
    "We finished the migration before Friday",
    "It worked until Friday, then it broke",
    "What happened on Friday?",
    "When did the office move, in October?",
    "By October we had rewritten the parser",
    "My sister got married on June 3",
    "I used to work on Fridays, and on Friday I stopped",
    "The deadline was Friday",
    "我在十月換了工作",
    "星期五資料庫當機了",
    "伺服器星期天掛了",
    "下半年業績成長了",
    "6月17日已經部署完成",
    "6/17 開過會了",
    "小雯十月曾經去過京都",
    "星期五剛簽約",
    "我們星期五之前就把合約簽好了",
    "星期六備份失敗了，主機也壞了",
    "星期五發生什麼事",
    "十月我們終於搬完家了",
    "6月17日に入社しました",
    "金曜日に障害が起きた",
    "週末に登山した",
    "10月に引っ越した。",
    "金曜日は休みだった",
    "土曜に本を読んだ",
    "金曜までに提出した",
    "6月17日に契約しましたが、まだ届きません",
    "金曜日に何がありましたか？",
    "金曜日の会議は長かった",
)
AHEAD = (
    "Before March the contract must be renewed",
    "The contract must be renewed by March",
    "We will move in April",
    "We are going to release in April",
    "The report is due on April 17",
    "The deadline is 4/17",
    "We plan to ship on April 17",
    "The demo was moved to Friday",
    "The launch was postponed to April",
    "The workshop is scheduled for April 17",
    "The office is closed until April 17",
    "You should call Kim on Friday",
    "Don't forget the birthday of Mei on April 17",
    "I promised to finish it by Friday",
    "Kim asked for the report by Friday",
    "The contract that was signed has to be renewed in April",
    "合約要在三月續約",
    "我們將於四月搬家",
    "四月會換新主機",
    "四月會議要改到三樓",
    "4月17日之前要更新憑證",
    "記得4月17日繳費",
    "四月十七日截止",
    "三月前得把憑證換掉",
    "會議改到星期五了",
    "我約了星期五見面",
    "預計四月上線",
    "別忘了4月17日開會",
    "應該在四月完成重構",
    "我們準備在三月推出新版",
    "4月17日までに提出する",
    "4月にリリース予定",
    "4月17日に引っ越します",
    "4月に転職するつもり",
    "締め切りは4月17日",
    "4月17日に更新しなければならない",
    "会議は金曜に延期された",
    "4月17日に届くでしょう",
    "4月17日に忘れずに電話してください",
)
NEITHER = (
    "The demo with Kim, Friday",
    "The library is closed on Friday",
    "星期五在台北開會",
    "金曜日は会議",
    "6月17日に入社した田中さん",
    "除了星期五，我都在家",
    "六月的會議取消了",
    "星期五下午三點看牙醫，已經預約了",
    "Dinner with Mei on Friday is booked",
    "Kim, who was ill, is back on Friday",
)


def first(text: str, lean: str, now_ms: int = NOW) -> tuple[int, int]:
    found = occasions(text, now_ms, TAIPEI, lean=lean)[0]
    return found.since_ms, found.until_ms


@pytest.mark.parametrize("text", HAPPENED)
def test_what_has_happened_lies_in_the_past(text: str) -> None:
    assert first(text, TOLD) == first(text, PAST)
    assert first(text, TOLD)[0] < NOW
    assert first(text, COMING)[1] > NOW


@pytest.mark.parametrize("text", AHEAD)
def test_what_is_to_happen_lies_ahead(text: str) -> None:
    assert first(text, TOLD) == first(text, COMING)
    assert first(text, TOLD)[1] > NOW
    assert first(text, PAST)[0] < NOW


@pytest.mark.parametrize("text", NEITHER)
def test_where_no_tense_tells_the_nearest_is_taken(text: str) -> None:
    assert first(text, TOLD) == first(text, NEAR)
    assert first(text, PAST) != first(text, COMING)


def test_each_date_of_a_text_has_the_tense_of_its_own_clause() -> None:
    text = "We signed the lease in March. It must be renewed by April"
    march, april = occasions(text, NOW, TAIPEI, lean=TOLD)
    assert datetime.fromtimestamp(march.since_ms / 1000, TAIPEI).date().isoformat() == "2026-03-01"
    assert datetime.fromtimestamp(april.since_ms / 1000, TAIPEI).date().isoformat() == "2027-04-01"


def test_before_june_said_in_december_is_next_june() -> None:
    since, _ = first("Before June the contract must be renewed", TOLD, DECEMBER)
    assert datetime.fromtimestamp(since / 1000, TAIPEI).date().isoformat() == "2027-06-01"


def test_what_happened_this_month_is_over_though_the_month_is_not() -> None:
    assert has_happened("We moved in May", "May")
    assert not has_happened("We must move in May", "May")
    assert not has_happened("We moved", "May")
    assert not has_happened("We moved", "")


def test_the_lean_is_told_by_what_stands_around_a_phrase() -> None:
    assert lean_of("the office moved in march", 20, 25) == PAST
    assert lean_of("the office will move in march", 24, 29) == COMING
    assert lean_of("the office, march", 12, 17) == NEAR
    assert lean_of("", 0, 0) == NEAR


def test_the_tables_are_as_long_as_they_are_said_to_be() -> None:
    assert len(HAPPENED) >= 30
    assert len(AHEAD) >= 30
