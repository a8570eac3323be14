"""How well a model takes memories: its answers held against the rubric. Nothing is saved."""

from __future__ import annotations

from harkback import errors
from harkback._record import NamedTuple
from harkback.archive.memories import told_time
from harkback.chat.asking import asked
from harkback.chat.backing import LANGUAGE, folded
from harkback.chat.extraction import Unusable
from harkback.moments import local

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from harkback.chat.extraction import Extracted, Fact
    from harkback.chat.rubric import Case, Wanted
    from harkback.models.chatting import Chatter

_GIVEN_UP = 3
"""A model that failed so often, and never answered, is not there."""


class Verdict(NamedTuple):
    """What a model made of one case."""

    case: Case
    kept: int
    """Facts of those that are wanted."""
    junk: int
    """Facts that may not be kept, or are too many."""
    wrong_kind: int
    wrong_day: int
    wrong_language: int
    """Facts that were dropped because they are not in the language of what was said."""
    is_answered: bool
    why: str
    """Why it failed, in one line; empty where it passed."""


class Total(NamedTuple):
    """Verdicts, counted."""

    cases: int
    passed: int
    wanted: int
    kept: int
    junk: int
    wrong_kind: int
    wrong_day: int
    wrong_language: int
    unanswered: int

    @property
    def recall(self) -> float | None:
        """The share of what is wanted that was kept; None where nothing is wanted."""
        return self.kept / self.wanted if self.wanted else None

    @property
    def precision(self) -> float | None:
        """The share of what was kept that is no junk; None where nothing was."""
        told = self.kept + self.junk
        return self.kept / told if told else None


def evaluate(cases: Sequence[Case], chatter: Chatter) -> Iterator[Verdict]:
    """Ask a model for each case, and judge what it gives. Raises ModelAway where it never answers."""
    failed, has_answered = 0, False
    for number, case in enumerate(cases, 1):
        try:
            verdict = judge(case, asked(case.turns, chatter))
            has_answered = True
        except Unusable as error:
            verdict = unanswered(case, str(error))
            has_answered = True
        except errors.ModelFailed as error:
            failed += 1
            if not has_answered and failed in {_GIVEN_UP, len(cases)} and failed == number:
                raise errors.ModelAway(*error.values) from error
            verdict = unanswered(case, str(error.values[-1]))
        yield verdict


def judge(case: Case, found: Extracted) -> Verdict:
    """Hold what was extracted against a case."""
    chosen = {wanted: _chosen(wanted, found.facts) for wanted in case.keep}
    right = {fact for fact in chosen.values() if fact is not None}
    kinds = [one for one, fact in chosen.items() if fact is not None and fact.kind not in one.kinds]
    days = [one for one, fact in chosen.items() if fact is not None and one.day and _day(fact, case) != one.day]
    missed = [one for one, fact in chosen.items() if fact is None]
    bad = [fact for fact in found.facts if any(_holds(fact.text, word) for word in case.junk)]
    extra = max(0, len(found.facts) - len({*right, *bad}) - max(0, case.most - len(right)))
    why = [f"missed: {_words(one)}" for one in missed]
    why += [f"{_kind(chosen[one])} is no {' or '.join(one.kinds)}: {_words(one)}" for one in kinds]
    why += [f"not on {one.day}: {_words(one)}" for one in days]
    why += [f"junk: {fact.text}" for fact in bad]
    why += [f"{len(found.facts)} facts, at most {case.most}"] if len(found.facts) > case.most and not bad else []
    why += [f"{len(found.facts)} facts, at least {case.least}"] if len(found.facts) < case.least and not missed else []
    why += [f"dropped: {', '.join(found.dropped)}"] if why and found.dropped else []
    return Verdict(
        case,
        sum(fact is not None and fact not in bad for fact in chosen.values()),
        len(bad) + extra,
        len(kinds),
        len(days),
        found.dropped.count(LANGUAGE),
        is_answered=True,
        why="; ".join(why),
    )


def unanswered(case: Case, why: str) -> Verdict:
    """Judge an answer that did not come, or was none."""
    return Verdict(case, 0, 0, 0, 0, 0, is_answered=False, why=f"no answer: {why}")


def total(verdicts: Iterable[Verdict]) -> Total:
    """Count verdicts."""
    ones = list(verdicts)
    return Total(
        len(ones),
        sum(not one.why for one in ones),
        sum(len(one.case.keep) for one in ones),
        sum(one.kept for one in ones),
        sum(one.junk for one in ones),
        sum(one.wrong_kind for one in ones),
        sum(one.wrong_day for one in ones),
        sum(one.wrong_language for one in ones),
        sum(not one.is_answered for one in ones),
    )


def by(verdicts: Sequence[Verdict], name: str) -> dict[str, Total]:
    """Count verdicts for each `language`, or for each thing that cases are `about`."""
    groups: dict[str, list[Verdict]] = {}
    for one in verdicts:
        groups.setdefault(getattr(one.case, name), []).append(one)
    return {group: total(ones) for group, ones in groups.items()}


def _chosen(wanted: Wanted, facts: Sequence[Fact]) -> Fact | None:
    """Give the fact that says what is wanted, one of a kind that is wanted first."""
    fitting = [fact for fact in facts if all(_holds(f"{fact.text}\n{fact.quote}", word) for word in wanted.words)]
    return next((fact for fact in fitting if fact.kind in wanted.kinds), fitting[0] if fitting else None)


def _holds(text: str, word: str) -> bool:
    return any(folded(one) in folded(text) for one in word.split("|"))


def _day(fact: Fact, case: Case) -> str:
    """Give the day that a fact speaks of, as saving it would find it."""
    found = told_time(fact.text, fact.kind, case.turns[fact.turn].time_ms, case.zone)
    moment = local(found.since_ms) if found is not None else None
    return moment.astimezone(case.zone).date().isoformat() if moment is not None else ""


def _words(wanted: Wanted) -> str:
    return ", ".join(wanted.words)


def _kind(fact: Fact | None) -> str:
    return fact.kind if fact is not None else ""
