"""What is offered unasked, and of which kind a fact with a date is."""

from __future__ import annotations

from datetime import datetime

import pytest

from harkback.archive.memories import told_time
from harkback.chat.offering import kind_of, offer
from harkback.memory.recall import Recalled
from harkback.model import DONE, EVENT, FACT, TASK, Memory

TUESDAY = int(datetime(2031, 5, 6, 16, 0).timestamp() * 1000)  # noqa: DTZ001 - the zone of the machine, as said there


def hit(
    text: str, kind: str, *, similarity: float = 0.9, status: str = "active", words: float = 0, date: float = 0
) -> Recalled:
    found = told_time(text, kind, TUESDAY)
    since, until, told = (found.since_ms, found.until_ms, found.words) if found else (None, None, "")
    one = Memory("k1", text, kind=kind, status=status, event_since_ms=since, event_until_ms=until, event_words=told)
    return Recalled(one, 1.0, similarity, words, 0, 0, date, 0, 1.0, 0, is_current=True)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I must renew the passport by Friday", TASK),
        ("the report is due on Thursday", TASK),
        ("週五要交報告", TASK),
        ("金曜までにレポートを出す", TASK),
        ("週四下午三點有會議", EVENT),
        ("週四下午三點要跟設計組開會", EVENT),
        ("the meeting with Kim is on Thursday", EVENT),
        ("明日は3時に歯医者", EVENT),
        ("dentist tomorrow", EVENT),
        ("The port is 5433", FACT),
        ("I should drink more water", FACT),
        ("I moved to Berlin last Friday", FACT),
        ("我昨天跟小明開會", FACT),
        ("we have a standup every Monday at 9", FACT),
        ("我的生日是5月9日", FACT),
        ("記住我們下週換成 Podman 了", FACT),
    ],
)
def test_a_date_to_come_makes_a_task_or_an_event(text: str, kind: str) -> None:
    assert kind_of(text, TUESDAY) == kind


@pytest.mark.parametrize(
    ("text", "kind", "said", "begin"),
    [
        ("I must renew the passport by Thursday", TASK, "the passport", "2031-05-08 (in 2 days): I must renew"),
        ("the office closes on Thursday", FACT, "the office", "2031-05-08 (in 2 days): the office"),
        ("the office closes tomorrow", FACT, "the office", "2031-05-07 (in 1 day): the office"),
        ("the report is due today", TASK, "the report", "2031-05-06 (today): the report"),
        ("the report is due today", TASK, "報告", "2031-05-06（今天）：the report"),
        ("週四下午三點有會議", EVENT, "週四的會議", "2031-05-08 15:00（2 天後）：週四下午三點有會議。需要"),
        ("the demo is today at 18:00", EVENT, "the demo", "2031-05-06 18:00 (in 2 hours): the demo"),
        ("木曜に会議", EVENT, "木曜の会議", "2031-05-08（2日後）：木曜に会議。準備"),
    ],
)
def test_what_is_near_is_offered_by_the_days_of_the_calendar(text: str, kind: str, said: str, begin: str) -> None:
    assert offer([hit(text, kind)], said, TUESDAY).startswith(begin)


def test_what_is_far_or_over_or_done_or_not_spoken_of_is_not_offered() -> None:
    near = "the office closes on Thursday"
    assert offer([hit(near, FACT)], "the office", TUESDAY)
    assert not offer([hit(near, FACT, similarity=0.1)], "the office", TUESDAY)
    assert not offer([hit(near, FACT, similarity=0.1, words=0.3)], "the office", TUESDAY)
    assert not offer([hit(near, FACT, similarity=0.1, date=1)], "the office", TUESDAY)
    assert offer([hit(near, FACT, similarity=0.1, words=0.3, date=1)], "the office", TUESDAY)
    assert offer([hit("the demo is on 2031-05-13 at 18:00", EVENT)], "the demo", TUESDAY)
    assert not offer([hit("the demo is on 2031-05-14 at 9:00", EVENT)], "the demo", TUESDAY)
    assert not offer([hit(near, FACT, status=DONE)], "the office", TUESDAY)
    for text in ("the office closes in 3 weeks", "the office closed on Monday", "we moved in May", "the port is 5433"):
        assert not offer([hit(text, FACT)], "the office", TUESDAY)
