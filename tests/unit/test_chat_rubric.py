"""The rubric: its cases are sound, good answers pass, bad ones are stopped or fail, and all go their way to an archive.

`rubric_answers.jsonl` has for each case what a good model answers and what a weak or a fooled one may; `stopped` names
what speaks against the latter without asking what it means, and is empty where only the rubric finds it wrong.
"""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from harkback import errors
from harkback.archive.memories import EVERYWHERE, Memories
from harkback.chat.conversation import Conversation
from harkback.chat.evaluating import Total, by, evaluate, judge, total
from harkback.chat.extraction import INSTRUCTION, question, read
from harkback.chat.remembering import Remembering
from harkback.chat.rubric import Case, load
from harkback.config import place
from harkback.memory.ages import language_of
from harkback.moments import local

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from harkback.archive.memories import Details
    from harkback.memory.saving import Saved
    from harkback.models.chatting import Call, Line, Tool

CASES = {one.id: one for one in load()}
ABOUT = {
    *("decision", "agreement", "refusal", "preference", "event", "task", "goal", "two facts", "lesson", "correction"),
    *("never mind", "small talk", "question", "recalled", "tool output", "page", "supposition", "other people"),
    *("hypothetical", "joke", "saved already"),
}


def answers() -> dict[str, dict[str, Any]]:
    with open(os.path.join(os.path.dirname(__file__), "rubric_answers.jsonl"), encoding="utf-8") as file:
        return {one["id"]: one for one in map(json.loads, file)}


ANSWERS = answers()
BAD = [(name, bad) for name, one in ANSWERS.items() for bad in one["bad"]]


def answer(facts: Sequence[dict[str, Any]]) -> str:
    return json.dumps({"memories": list(facts), "summary": "What was said."}, ensure_ascii=False)


class Said:
    """An answer in two pieces, or an error."""

    def __init__(self, reply: str | Exception) -> None:
        self.reply = reply
        self.calls: Sequence[Call] = ()
        self.asked_tokens = 0
        self.is_cut = False

    def __iter__(self) -> Iterator[str]:
        if isinstance(self.reply, Exception):
            raise self.reply
        yield from (self.reply[:7], self.reply[7:])

    def give(self, results: Sequence[str]) -> None:
        raise AssertionError(results)


class Scripted:
    """A model that answers as it was told, one after the other; an error is raised."""

    name = "scripted:small"

    def __init__(self, *replies: str | Exception) -> None:
        self.replies = list(replies)
        self.asked: list[tuple[str, str]] = []

    def warm(self) -> None:
        pass

    def stream(self, system: str, lines: Sequence[Line], tools: Sequence[Tool] = ()) -> Said:
        assert not tools
        self.asked.append((system, lines[-1].text))
        return Said(self.replies.pop(0))


# -- the cases ------------------------------------------------------------------------------------------------


def test_there_are_cases_of_every_kind_in_every_language() -> None:
    assert len(CASES) >= 44
    assert {one.about for one in CASES.values()} == ABOUT
    languages = {one.language for one in CASES.values()}
    assert languages == {"zh-TW", "zh-CN", "ja", "en", "mixed"}
    months = {datetime.fromtimestamp(one.turns[0].time_ms / 1000, UTC).strftime("%Y-%m") for one in CASES.values()}
    assert len(months) >= 12  # nothing leans on one date
    assert ANSWERS.keys() == CASES.keys()


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_case_is_written_as_it_says(case: Case) -> None:
    assert [turn.time_ms for turn in case.turns] == sorted({turn.time_ms for turn in case.turns})
    said = "".join(turn.text for turn in case.turns)
    if case.language != "mixed" and case.about != "page":  # a page may be of any language
        assert language_of(said) == case.language
    for wanted in case.keep:
        assert any(all(word in said for word in one.split("|")[:1]) for one in wanted.words), "said by nobody"
        assert not wanted.day or not any(wanted.day in turn.text for turn in case.turns)  # it has to be found


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_good_answer_passes(case: Case) -> None:
    verdict = judge(case, read(answer(ANSWERS[case.id]["good"]), case.turns))
    assert verdict.why == ""
    assert (verdict.kept, verdict.junk) == (len(case.keep), 0)


@pytest.mark.parametrize(("name", "bad"), BAD, ids=[f"{name}: {bad['name']}" for name, bad in BAD])
def test_a_bad_answer_is_stopped_or_fails(name: str, bad: dict[str, Any]) -> None:
    case = CASES[name]
    assert judge(case, read(answer(ANSWERS[name]["good"]), case.turns)).why == ""
    found = read(answer(bad["facts"]), case.turns)
    if bad["stopped"]:
        assert found.facts == ()
        assert set(found.dropped) == {bad["stopped"]}
    else:
        assert found.dropped == ()
        assert judge(case, found).why != ""


def test_most_bad_answers_are_stopped_whoever_gave_them() -> None:
    stopped = [bad["stopped"] for _, bad in BAD if bad["stopped"]]
    assert len(stopped) >= 65
    assert set(stopped) == {"unsaid", "language", "question", "taken back", "beside", "saved"}
    by_pages = {bad["name"]: bad["stopped"] for name, bad in BAD if CASES[name].about == "page"}
    assert [name for name, why in by_pages.items() if not why] == ["what a page says, which nothing marks as one"]


# -- the way into an archive ----------------------------------------------------------------------------------


class Noting(Memories):
    """Memories that note what became of each fact."""

    noted: list[Saved]

    def remember(self, text: str, details: Details | None = None) -> Saved:
        assert details is not None
        self.noted.append(super().remember(text, details))
        return self.noted[-1]


def taken(case: Case, chatter: Scripted) -> tuple[Noting, Conversation]:
    """Say a case's turns, and let memories be taken of them, as a chat does."""
    where = place(os.environ)
    memories = Noting(where, {}, case.turns[-1].time_ms + 60_000, "")
    memories.noted = []
    talk = Conversation.begin(where.data, case.turns[0].time_ms, "")
    for turn in case.turns:
        talk.add(turn.role, turn.text, turn.time_ms)
    remembering = Remembering(lambda: memories, lambda _: None, 8000)
    remembering.take(talk, chatter)
    remembering.close()
    assert remembering.trouble == ""
    return memories, Conversation.load(talk.path)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_is_said_becomes_memories_and_what_is_stopped_does_not(case: Case) -> None:
    good = ANSWERS[case.id]["good"]
    stopped = [fact for bad in ANSWERS[case.id]["bad"] if bad["stopped"] for fact in bad["facts"]]
    chatter = Scripted(answer([*stopped, *good]))
    memories, talk = taken(case, chatter)
    assert chatter.asked == [(INSTRUCTION, question(case.turns)[0].text)]
    assert talk.extracted == len(case.turns)
    kept = {one.text: one for one in memories.listed(scope=EVERYWHERE).memories}
    assert kept.keys() == {fact["text"] for fact in good}
    for fact in good:
        one = kept[fact["text"]]
        assert (one.kind, one.importance, list(one.entities)) == (fact["kind"], fact["importance"], fact["entities"])
        assert (one.session, one.provenance) == (talk.id, "assistant")
        assert one.text == fact["text"]  # in the language in which it was said
    days = {wanted.day for wanted in case.keep if wanted.day}
    moments = [local(one.event_since_ms) for one in kept.values()]
    assert days <= {moment.date().isoformat() for moment in moments if moment is not None}


@pytest.mark.parametrize(
    ("before", "name"),
    [
        ("The staging db is on port 5432", "en-correction-port"),
        ("log 留 90 天就夠了，再多太貴", "zh-tw-refusal-logs"),
        ("うちのPythonは3.11（夏に上げた）", "ja-correction-python"),
    ],
)
def test_what_may_contradict_an_earlier_memory_is_noted_as_such(before: str, name: str) -> None:
    case = CASES[name]
    old = Memories(place(os.environ), {}, case.turns[0].time_ms - 86_400_000, "").remember(before)
    memories, _ = taken(case, Scripted(answer(ANSWERS[name]["good"])))
    assert old.memory.id in {one.id for saved in memories.noted for one in saved.contradictions}
    assert before in {one.text for one in memories.listed(scope=EVERYWHERE).memories}  # nothing is replaced unasked


def test_what_is_known_is_confirmed_and_no_second_memory() -> None:
    case = CASES["en-decision-sqlite"]
    good = answer(ANSWERS[case.id]["good"])
    taken(case, Scripted(good))
    memories, _ = taken(case, Scripted(good))
    assert [saved.action for saved in memories.noted] == ["reinforced"]
    assert [one.confirmed for one in memories.listed(scope=EVERYWHERE).memories] == [1]


# -- judging --------------------------------------------------------------------------------------------------


def test_each_thing_that_is_wrong_is_counted_and_told() -> None:
    def verdict(name: str, *facts: dict[str, Any]) -> tuple[int, int, int, int, int, str]:
        case = CASES[name]._replace(most=1)
        one = judge(case, read(answer(facts), case.turns))
        return one.kept, one.junk, one.wrong_kind, one.wrong_day, one.wrong_language, one.why

    (meeting,) = ANSWERS["zh-tw-event-thursday"]["good"]
    assert verdict("zh-tw-event-thursday", meeting) == (1, 0, 0, 0, 0, "")
    assert verdict("zh-tw-event-thursday") == (0, 0, 0, 0, 0, "missed: 設計組")
    assert verdict("zh-tw-event-thursday", {**meeting, "kind": "lesson"}) == (
        *(1, 0, 1, 0, 0),
        "lesson is no event or task: 設計組",
    )
    assert verdict("zh-tw-event-thursday", {**meeting, "text": "要跟設計組開會"}) == (
        *(1, 0, 0, 1, 0),
        "not on 2026-03-05: 設計組",
    )
    assert verdict("zh-tw-event-thursday", {**meeting, "text": "Meeting with design"}) == (
        *(0, 0, 0, 0, 1),
        "missed: 設計組; dropped: language",
    )
    more = {**meeting, "text": "要討論新的 onboarding", "quote": "討論新的 onboarding"}
    assert verdict("zh-tw-event-thursday", meeting, more) == (1, 1, 0, 0, 0, "2 facts, at most 1")
    junk = {**more, "text": "要討論新的 onboarding 議程"}
    assert verdict("zh-tw-event-thursday", meeting, junk)[5] == "junk: 要討論新的 onboarding 議程"


def test_a_model_that_fails_is_asked_twice_and_told_from_one_that_is_not_there() -> None:
    cases = [CASES["en-decision-sqlite"], CASES["en-joke"], CASES["zh-tw-small-talk"], CASES["en-question"]]
    good, none = answer(ANSWERS[cases[0].id]["good"]), answer([])
    busy = errors.ModelFailed("scripted:small", "too much at once")
    chatter = Scripted(busy, good, "I cannot.", "No.", none, busy, busy)
    found = list(evaluate(cases, chatter))
    assert [one.why for one in found] == [
        "",
        "no answer: no JSON",
        "",
        "no answer: too much at once",
    ]
    assert total(found) == Total(4, 2, 1, 1, 0, 0, 0, 0, 2)
    assert (total(found).recall, total(found).precision) == (1.0, 1.0)
    assert total(found[2:]).recall is None
    assert by(found, "language").keys() == {"en", "zh-TW"}
    assert by(found, "language")["zh-TW"].cases == 1
    with pytest.raises(errors.ModelAway, match="too much at once"):
        list(evaluate(cases, Scripted(*[busy] * 6)))
    with pytest.raises(errors.ModelAway):
        list(evaluate(cases[:1], Scripted(busy, busy)))


# -- reading a rubric -----------------------------------------------------------------------------------------

LINE: dict[str, Any] = {
    "id": "mine",
    "language": "en",
    "about": "decision",
    "turns": [{"role": "user", "time": "2031-05-06T12:00:00+02:00", "text": "we moved to Hugo"}],
    "keep": [{"kinds": ["decision"], "words": ["Hugo"]}],
}


def test_a_rubric_of_ones_own_is_read(tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    file.write_text(f"\ufeff{json.dumps(LINE)}\n\n{json.dumps({**LINE, 'id': 'b', 'most': 3})}\n", encoding="utf-8")
    one, other = load(str(file))
    assert (one.least, one.most, one.junk) == (1, 1, ())
    assert other.most == 3
    assert one.turns[0].time_ms == 1_935_828_000_000


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ("{", "Expecting property name"),
        ("[]", "it is no JSON object"),
        ({"id": ""}, "id: there is no text"),
        ({"id": "mine"}, "there is a case 'mine' already"),
        ({"turns": "x"}, "turns: it is no list of objects"),
        ({"turns": []}, "turns: the person says nothing"),
        ({"turns": [{**LINE["turns"][0], "role": "assistant"}]}, "turns: the person says nothing"),
        ({"turns": [{**LINE["turns"][0], "role": "tool"}]}, "role: 'tool' is neither user nor assistant"),
        ({"turns": [{**LINE["turns"][0], "time": "yesterday"}]}, "Invalid isoformat string"),
        ({"turns": [{**LINE["turns"][0], "time": "2031-05-06T12:00:00"}]}, "has no zone"),
        ({"keep": [{"kinds": ["opinion"], "words": ["x"]}]}, "kinds: valid are fact, "),
        ({"keep": [{"kinds": ["fact"], "words": []}]}, "words: there are none"),
        ({"keep": [{"kinds": ["fact"], "words": "Hugo"}]}, "words: it is no list of texts"),
        ({"keep": [{"kinds": ["fact"], "words": ["x"], "day": "May"}]}, "Invalid isoformat string"),
        ({"junk": [1]}, "junk: it is no list of texts"),
        ({"most": 0}, "most is less"),
        ({"most": True}, "most: True is no number"),
        ({"least": 2}, "most is less"),
    ],
)
def test_what_is_wrong_in_a_rubric_is_told_with_its_line(tmp_path: Path, wrong: Any, why: str) -> None:
    file = tmp_path / "mine.jsonl"
    second = wrong if isinstance(wrong, str) else json.dumps({**LINE, "id": "other", **wrong})
    file.write_text(f"{json.dumps(LINE)}\n{json.dumps({**LINE, 'id': 'other'})}\n", encoding="utf-8")
    assert len(load(str(file))) == 2
    file.write_text(f"{json.dumps(LINE)}\n\n{second}\n", encoding="utf-8")
    with pytest.raises(errors.BadRubric) as told:
        load(str(file))
    assert "line 3: " in str(told.value)
    assert why in str(told.value)


def test_a_rubric_without_cases_and_one_that_is_not_there_are_told(tmp_path: Path) -> None:
    with pytest.raises(errors.FileUnreadable):
        load(str(tmp_path / "none.jsonl"))
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(errors.BadRubric, match="there is no case"):
        load(str(tmp_path / "empty.jsonl"))
