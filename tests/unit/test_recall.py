"""Which memories answer, in which order, and why: reference points of decay, each filter, each signal."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from harkback.engines.local.memories import MemoryStore
from harkback.memory.asking import question
from harkback.memory.recall import Recalled, Wanted, Weights, decay, recall
from harkback.memory.saving import normal, save
from harkback.model import (
    ARCHIVED,
    DECISION,
    DONE,
    EVENT,
    FACT,
    LESSON,
    PREFERENCE,
    SUPERSEDED,
    TASK,
    Memory,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
NOW_MS = 1_780_000_000_000
ANY = Wanted()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[MemoryStore]:
    made = MemoryStore.open(str(tmp_path / "archive"), write=True)
    assert made is not None
    yield made
    made.close()


def put(store: MemoryStore, text: str, days: float = 0, **more: Any) -> Memory:
    """Store a memory that was saved so many days ago, as it is."""
    then = NOW_MS - int(days * DAY_MS)
    with store.writing():
        return store.add(Memory("", text, **{"created_ms": then, "changed_ms": then, **more}), normal(text))


def hits(store: MemoryStore, *asked: str, wanted: Wanted = ANY) -> list[Recalled]:
    return recall(store, question(asked, NOW_MS), wanted, Weights(), NOW_MS)


def found(store: MemoryStore, *asked: str, wanted: Wanted = ANY) -> list[str]:
    return [one.memory.text for one in hits(store, *asked, wanted=wanted)]


# -- decay -------------------------------------------------------------------------------------------------------


def old(hours: float, kind: str = EVENT, **more: Any) -> Memory:
    then = NOW_MS - int(hours * HOUR_MS)
    return Memory("k", "text", kind, created_ms=then, changed_ms=then, **more)


def test_a_similarity_of_point_eight_is_point_7993_after_an_hour_and_point_436_after_thirty_days() -> None:
    assert 0.8 * decay(old(0), NOW_MS, Weights()) == pytest.approx(0.8)
    assert 0.8 * decay(old(1), NOW_MS, Weights()) == pytest.approx(0.7993, abs=5e-5)
    assert 0.8 * decay(old(30 * 24), NOW_MS, Weights()) == pytest.approx(0.4364, abs=5e-5)


@pytest.mark.parametrize("kind", [FACT, PREFERENCE, DECISION, LESSON, TASK])
def test_what_does_not_pass_by_decays_slowly(kind: str) -> None:
    assert decay(old(30 * 24, kind), NOW_MS, Weights()) == pytest.approx(0.99700, abs=5e-6)
    assert decay(old(365 * 24, kind), NOW_MS, Weights()) == pytest.approx(0.96416, abs=5e-6)


def test_a_finished_task_decays_as_fast_as_an_event_from_the_day_it_was_finished() -> None:
    finished = old(90 * 24, TASK, status=DONE, ended_ms=NOW_MS - 30 * DAY_MS)
    assert decay(finished, NOW_MS, Weights()) == pytest.approx(0.54548, abs=5e-6)


def test_nothing_decays_below_the_floor() -> None:
    assert decay(old(24 * 59), NOW_MS, Weights()) == pytest.approx(0.30363, abs=5e-6)
    assert decay(old(24 * 3650), NOW_MS, Weights()) == 0.3
    assert decay(old(24 * 3650), NOW_MS, Weights(floor=0.5)) == 0.5


def test_what_is_still_to_come_has_not_aged() -> None:
    ahead = old(24 * 90, event_since_ms=NOW_MS + 7 * DAY_MS, event_until_ms=NOW_MS + 8 * DAY_MS)
    assert decay(ahead, NOW_MS, Weights()) == 1.0
    assert decay(ahead, NOW_MS + 37 * DAY_MS, Weights()) == pytest.approx(0.54548, abs=5e-6)


def test_an_old_exact_answer_stays_ahead_of_a_recent_weak_one(store: MemoryStore) -> None:
    put(store, "The printer in Utrecht needs a static address", days=3000)
    put(store, "A printer was seen")
    assert found(store, "printer in Utrecht static address")[0] == "The printer in Utrecht needs a static address"


# -- order -------------------------------------------------------------------------------------------------------


def test_an_open_task_of_importance_four_is_raised_by_a_tenth(store: MemoryStore) -> None:
    for importance in (3, 4, 5):
        put(store, f"renew the certificate of host{importance}", kind=TASK, importance=importance)
    put(store, "renew the certificate of host6", kind=TASK, importance=5, status=DONE, ended_ms=NOW_MS)
    put(store, "renew the certificate of host7", kind=FACT, importance=5)
    boosts = {one.memory.text[-5:]: one.boost for one in hits(store, "renew certificate", wanted=Wanted(limit=9))}
    assert boosts == {"host3": 0, "host4": 0.1, "host5": 0.1, "host6": 0, "host7": 0}
    scores = {one.memory.text[-5:]: one.score for one in hits(store, "renew certificate", wanted=Wanted(limit=9))}
    assert scores["host4"] == pytest.approx(scores["host3"] + 0.1)


def test_of_near_equal_scores_the_more_important_comes_first(store: MemoryStore) -> None:
    put(store, "The gateway restarts at night one", importance=2)
    put(store, "The gateway restarts at night two", importance=5, days=3)
    put(store, "The gateway restarts at night six", importance=3)
    assert [text[-3:] for text in found(store, "gateway restarts")] == ["two", "six", "one"]


def test_importance_does_not_outweigh_a_clearly_better_answer(store: MemoryStore) -> None:
    put(store, "The gateway restarts at night", importance=1)
    put(store, "The gateway was bought in Osaka", importance=5)
    assert found(store, "when does the gateway restart at night")[0] == "The gateway restarts at night"


def test_what_holds_here_comes_before_what_holds_everywhere_and_elsewhere(store: MemoryStore) -> None:
    put(store, "Lint with flake8 one", project="/w/other")
    put(store, "Lint with flake8 two", project="/w/here")
    put(store, "Lint with flake8 six")
    wanted = Wanted(here="/w/here")
    assert found(store, "lint flake8", wanted=wanted)[0] == "Lint with flake8 two"
    assert found(store, "lint flake8", wanted=Wanted(here="/w/other"))[0] == "Lint with flake8 one"


def test_asked_for_now_what_is_still_to_come_is_not_first(store: MemoryStore) -> None:
    put(store, "The office is in Ghent", days=300)
    put(store, "The office is in Bruges", event_since_ms=NOW_MS + 30 * DAY_MS, event_until_ms=NOW_MS + 31 * DAY_MS)
    assert found(store, "where is the office now") == ["The office is in Ghent", "The office is in Bruges"]


def test_asked_for_now_a_newer_fact_of_another_matter_is_not_first(store: MemoryStore) -> None:
    put(store, "The address of the office is Ghent", days=300)
    put(store, "The address of the office changed to Bruges", days=100)
    put(store, "The office has a coffee machine from Jura", days=1)
    assert found(store, "current address of the office")[0] == "The address of the office changed to Bruges"


def test_what_was_superseded_on_purpose_is_not_overtaken_by_a_guess(store: MemoryStore) -> None:
    first = save(store, Memory("", "The search service is owned by Tom", created_ms=NOW_MS - 9 * DAY_MS), NOW_MS)
    newer = Memory("", "Elena looks after the search service", supersedes=first.memory.id, created_ms=NOW_MS - DAY_MS)
    save(store, newer, NOW_MS)
    put(store, "The search service uses OpenSearch")
    assert found(store, "who currently owns the search service")[0] == "Elena looks after the search service"


# -- a time in the question ----------------------------------------------------------------------------------------


def ms(day: str) -> int:
    return int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp() * 1000)


def since(day: str) -> float:
    return (NOW_MS - ms(day)) / DAY_MS


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("2024年辦公室在哪", "辦公室在台北"),
        ("2026年辦公室在哪", "辦公室在新竹"),
        ("辦公室2024年5月在哪裡", "辦公室在台北"),
        ("以前辦公室在哪", "辦公室在台北"),
        ("辦公室之前在哪裡", "辦公室在台北"),
        ("辦公室現在在哪", "辦公室在新竹"),
        ("辦公室在哪", "辦公室在新竹"),
    ],
)
def test_the_time_that_a_question_names_says_which_of_two_answers(
    store: MemoryStore, question: str, first: str
) -> None:
    put(store, "辦公室在台北", days=since("2024-05-10"))
    put(store, "辦公室在新竹", days=since("2026-05-10"))
    assert found(store, question) == [first, *{"辦公室在台北", "辦公室在新竹"} - {first}]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("where was the office in 2024", "The office is in Ghent"),
        ("where was the office formerly", "The office is in Ghent"),
        ("where did the office use to be", "The office is in Ghent"),
        ("where is the office", "The office is in Bruges"),
    ],
)
def test_the_same_in_english(store: MemoryStore, question: str, first: str) -> None:
    put(store, "The office is in Ghent", days=since("2024-05-10"))
    put(store, "The office is in Bruges", days=since("2026-05-10"))
    assert found(store, question)[0] == first


def test_what_is_of_the_time_but_of_another_matter_is_not_first(store: MemoryStore) -> None:
    put(store, "The office of the tax adviser moved to Ghent", days=since("2026-05-10"))
    put(store, "Coffee for the office is bought in Aalst", days=since("2024-05-10"))
    assert found(store, "where did the office of the tax adviser move in 2024")[0].endswith("Ghent")


def test_a_question_with_a_time_counts_decay_from_that_time(store: MemoryStore) -> None:
    put(store, "The workshop took place in Kyoto", kind=EVENT, days=since("2024-05-10"))
    put(store, "The workshop was held in Kyoto again", kind=EVENT, days=since("2024-06-30"))
    (first, second) = hits(store, "workshop in Kyoto in May 2024")
    assert (first.decay, first.memory.text) == (1.0, "The workshop took place in Kyoto")
    assert second.decay == pytest.approx(0.98**29, abs=0.03)
    assert {one.decay for one in hits(store, "workshop in Kyoto")} == {0.3}


def test_formerly_does_not_take_another_matter(store: MemoryStore) -> None:
    put(store, "The office has a coffee machine from Jura", days=900)
    put(store, "The address of the office is Bruges", days=1)
    assert found(store, "address of the office formerly")[0] == "The address of the office is Bruges"
    assert found(store, "which machine is used to make coffee in the office")[0].startswith("The office has a coffee")


# -- filters -----------------------------------------------------------------------------------------------------


def test_only_the_wanted_kinds_answer(store: MemoryStore) -> None:
    put(store, "The parser is written in Rust", kind=DECISION)
    put(store, "The parser is slow on tables", kind=LESSON)
    assert len(found(store, "parser")) == 2
    assert found(store, "parser", wanted=Wanted(kinds=(LESSON,))) == ["The parser is slow on tables"]
    assert found(store, "parser", wanted=Wanted(kinds=(EVENT,))) == []


def test_since_and_until_take_the_time_it_speaks_of_else_when_it_was_saved(store: MemoryStore) -> None:
    put(store, "The workshop took place in Kyoto", days=1, event_since_ms=NOW_MS - 90 * DAY_MS,
        event_until_ms=NOW_MS - 89 * DAY_MS)  # fmt: skip
    put(store, "The workshop was fun for all", days=10)
    assert len(found(store, "workshop")) == 2
    assert found(store, "workshop", wanted=Wanted(since_ms=NOW_MS - 20 * DAY_MS)) == ["The workshop was fun for all"]
    assert found(store, "workshop", wanted=Wanted(until_ms=NOW_MS - 20 * DAY_MS)) == [
        "The workshop took place in Kyoto"
    ]
    between = Wanted(since_ms=NOW_MS - 90 * DAY_MS, until_ms=NOW_MS - 89 * DAY_MS)
    assert found(store, "workshop", wanted=between) == ["The workshop took place in Kyoto"]


def chain(store: MemoryStore) -> None:
    """Tabs, two spaces, four spaces: saved 30, 20 and 10 days ago, each in the place of the one before."""
    last = ""
    for days, text in ((30, "Indent with tabs"), (20, "Indent with two spaces"), (10, "Indentation is four spaces")):
        then = NOW_MS - days * DAY_MS
        last = save(store, Memory("", text, supersedes=last, created_ms=then, changed_ms=then), then).memory.id


@pytest.mark.parametrize(
    ("days", "answers"),
    [
        (40, []),
        (25, ["Indent with tabs"]),
        (15, ["Indent with two spaces"]),
        (5, ["Indentation is four spaces"]),
    ],
)
def test_as_of_a_day_the_answer_is_what_held_then(store: MemoryStore, days: int, answers: list[str]) -> None:
    chain(store)
    assert found(store, "how to indent") == ["Indentation is four spaces"]
    assert found(store, "how to indent", wanted=Wanted(as_of_ms=NOW_MS - days * DAY_MS)) == answers


def test_with_history_what_was_replaced_stands_behind_what_replaced_it(store: MemoryStore) -> None:
    chain(store)
    put(store, "Indent the changelog as well")
    with_history = hits(store, "indent", wanted=Wanted(history=True))
    texts = [one.memory.text for one in with_history]
    at = texts.index("Indentation is four spaces")
    assert texts[at : at + 3] == ["Indentation is four spaces", "Indent with two spaces", "Indent with tabs"]
    assert [one.is_current for one in with_history[at : at + 3]] == [True, False, False]
    assert "Indent with tabs" not in found(store, "indent")


def test_as_of_a_day_a_text_that_was_edited_later_reads_as_it_did(store: MemoryStore) -> None:
    kept = put(store, "The mascot is a heron", days=30)
    with store.writing():
        store.change(kept._replace(text="The mascot is a crane"), normal("The mascot is a crane"), NOW_MS - 10 * DAY_MS)
    assert found(store, "mascot") == ["The mascot is a crane"]
    assert found(store, "mascot", wanted=Wanted(as_of_ms=NOW_MS - 20 * DAY_MS)) == ["The mascot is a heron"]


def test_what_was_archived_is_found_with_history_and_as_of_a_day_before(store: MemoryStore) -> None:
    put(store, "The mascot is a heron", days=30, status=ARCHIVED, ended_ms=NOW_MS - 10 * DAY_MS)
    assert found(store, "mascot") == []
    assert found(store, "mascot", wanted=Wanted(history=True)) == ["The mascot is a heron"]
    assert found(store, "mascot", wanted=Wanted(as_of_ms=NOW_MS - 20 * DAY_MS)) == ["The mascot is a heron"]
    assert found(store, "mascot", wanted=Wanted(as_of_ms=NOW_MS - 5 * DAY_MS)) == []


def test_the_limit_is_kept(store: MemoryStore) -> None:
    for number in range(9):
        put(store, f"The lamp number {number} is blue")
    assert len(found(store, "lamp")) == 5
    assert len(found(store, "lamp", wanted=Wanted(limit=2))) == 2
    assert len(found(store, "lamp", wanted=Wanted(limit=20))) == 9


def test_a_question_for_another_project_never_gets_what_holds_here(store: MemoryStore) -> None:
    put(store, "Migrations are run by alembic", project="/w/a")
    put(store, "Migrations are run by flyway", project="/w/b")
    put(store, "Migrations are reviewed twice")
    assert len(found(store, "migrations")) == 3
    assert sorted(found(store, "migrations", wanted=Wanted(projects=("", "/w/a")))) == [
        "Migrations are reviewed twice",
        "Migrations are run by alembic",
    ]
    assert sorted(found(store, "migrations", wanted=Wanted(projects=("/w/b",), history=True))) == [
        "Migrations are reviewed twice",
        "Migrations are run by flyway",
    ]


def test_what_a_sealed_project_holds_is_left_out_and_lends_no_words(store: MemoryStore) -> None:
    sealed = put(store, "The vault code is a palindrome", project="/w/sealed", status=SUPERSEDED, ended_ms=NOW_MS)
    put(store, "Codes are kept by Ines", supersedes=sealed.id)
    put(store, "The vault is green inside", project="/w/sealed")
    assert sorted(found(store, "vault palindrome")) == ["Codes are kept by Ines", "The vault is green inside"]
    assert found(store, "vault palindrome", wanted=Wanted(sealed=("/w/sealed",))) == []
    assert found(store, "vault", wanted=Wanted(sealed=("/w/sealed",), history=True)) == []


# -- words -------------------------------------------------------------------------------------------------------


def test_a_question_in_another_wording_or_language_finds_as_well(store: MemoryStore) -> None:
    put(store, "部署前要先通知客服")
    put(store, "Coffee is on the second floor")
    assert found(store, "what to do before a deploy") == []
    assert found(store, "what to do before a deploy", "部署前要做什麼") == ["部署前要先通知客服"]


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("快取伺服器的記憶體上限是 4 GB", "快取伺服器的記憶體上限是多少"),
        ("資料庫密碼每季更換一次", "資料庫密碼多久更換一次呢?"),
        ("キャッシュの上限は 4 GB です", "キャッシュの上限はいくつですか"),
        ("議事録は毎週金曜に共有する", "議事録はいつ共有しますか?"),
        ("我住在板橋", "我現在住哪裡?"),
        ("我住在板橋", "住哪?"),
        ("適者生存的故事寫在 readme", "適者生存"),
        ("即適者生存也", "适者生存"),
        ("止損點設在百分之五", "止損"),
        ("每天走路對健康有益", "健康"),
        ("這個用戶偏好深色", "用户"),
        ("重跑gen-itgc後50條", "gen"),
        ("重跑gen-itgc後50條", "itgc"),
        ("重跑gen-itgc後50條", "重跑"),
        ("文書管理システムを更新した", "管理"),
        ("The ticket is in PostgreSQL", "gresql"),
        ("Uses kubernetes for staging", "bernet"),
        ("getUserName is deprecated", "username"),
        ("ログはLokiで集める", "loki"),
    ],
)
def test_it_is_found(store: MemoryStore, text: str, asked: str) -> None:
    put(store, text)
    put(store, "Something else entirely: 完全無關, まったく別")
    assert found(store, "entirely") == ["Something else entirely: 完全無關, まったく別"]
    assert found(store, asked)[:1] == [text]


def test_of_a_word_that_nothing_holds_nothing_is_said(store: MemoryStore) -> None:
    put(store, "The ticket is in PostgreSQL")
    assert found(store, "postgresql") == ["The ticket is in PostgreSQL"]
    assert found(store, "zebra") == []
    assert found(store, "斑馬") == []
    assert found(store, "") == []
    assert found(store, "?!") == []


def test_the_pieces_of_a_question_as_they_stand_count_more_than_its_scattered_words(store: MemoryStore) -> None:
    put(store, "The queue is red and the worker sleeps")
    put(store, "The red queue worker sleeps")
    put(store, "紅色隊列由阿德看管")
    assert found(store, "red queue")[0] == "The red queue worker sleeps"
    assert hits(store, "紅色隊列")[0].substring == 1.0


def test_an_entity_or_a_tag_that_the_question_names_counts(store: MemoryStore) -> None:
    put(store, "Prefers tea in the morning meeting", entities=("Mei",), days=9)
    put(store, "Prefers coffee in the morning meeting", entities=("Tom",))
    put(store, "午後喝茶", tags=("飲食",))
    first = hits(store, "what does Mei prefer in the morning meeting")[0]
    assert first.memory.text == "Prefers tea in the morning meeting"
    assert first.name == 1.0
    assert found(store, "Tom morning")[0] == "Prefers coffee in the morning meeting"
    assert found(store, "飲食") == ["午後喝茶"]


def test_a_short_latin_name_inside_a_longer_word_is_not_that_name(store: MemoryStore) -> None:
    put(store, "Prefers tea with milk", entities=("Al",))
    assert hits(store, "tea for Al")[0].name == 1.0
    assert hits(store, "tea for all")[0].name == 0.0


def test_the_numbers_that_explain_an_answer_lie_between_nothing_and_one(store: MemoryStore) -> None:
    put(store, "The lamp is blue", days=400)
    for one in hits(store, "is the lamp blue"):
        for value in (one.similarity, one.words, one.substring, one.name, one.date, one.decay):
            assert 0.0 <= value <= 1.0
        assert one.score == pytest.approx(one.similarity * one.decay)


def test_a_memory_that_replaced_another_is_found_by_the_words_of_either(store: MemoryStore) -> None:
    before = save(store, Memory("", "我在鼎新電腦上班", created_ms=NOW_MS - 9 * DAY_MS), NOW_MS)
    put(store, "公司的電腦都裝了防毒")
    assert found(store, "在哪裡上班") == ["我在鼎新電腦上班"]
    save(store, Memory("", "跳槽到街口支付了", supersedes=before.memory.id, created_ms=NOW_MS), NOW_MS)
    assert found(store, "在哪裡上班") == ["跳槽到街口支付了"]


def test_what_asks_for_a_day_or_a_number_is_answered_by_what_holds_one(store: MemoryStore) -> None:
    put(store, "Standup must be short")
    put(store, "Standup is on Wednesdays", days=200)
    put(store, "朝會不用帶電腦")
    put(store, "朝會在週三早上", days=200)
    assert found(store, "which day is standup")[0] == "Standup is on Wednesdays"
    assert found(store, "朝會是星期幾")[0] == "朝會在週三早上"


def test_a_chain_that_bites_its_tail_ends(store: MemoryStore) -> None:
    one = put(store, "The heron stands", status=SUPERSEDED, ended_ms=NOW_MS)
    two = put(store, "The heron flies", status=SUPERSEDED, ended_ms=NOW_MS, supersedes=one.id)
    with store.writing():
        store.change(one._replace(supersedes=two.id), normal(one.text), NOW_MS)
    assert found(store, "heron") == []
    assert len(found(store, "heron", wanted=Wanted(history=True))) == 2


def test_a_character_that_stands_alone_between_particles_is_still_asked_for(store: MemoryStore) -> None:
    put(store, "私の席は五階の窓際")
    put(store, "部長の机は四階の奥", days=-1)
    assert found(store, "私の席は何階ですか?")[0] == "私の席は五階の窓際"


@pytest.mark.parametrize(
    ("fact", "asked"),
    [
        ("資料庫放在新竹機房", "数据库在哪"),
        ("数据库放在新竹机房", "資料庫在哪"),
        ("伺服器每週三重開機", "服务器什么时候重启"),
        ("這個專案的預設分支是 trunk", "项目默认分支"),
        ("日志写进内存再落盘", "記憶體"),
    ],
)
def test_words_of_taiwan_and_the_mainland_meet(store: MemoryStore, fact: str, asked: str) -> None:
    put(store, "咖啡豆放在廚房的櫃子裡")
    put(store, fact)
    assert found(store, asked)[:1] == [fact]
