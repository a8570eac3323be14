"""What the figures suggest to change, by rules that docs/audit.md states."""

from __future__ import annotations

from harkback._record import NamedTuple
from harkback.audit.calls import OWN
from harkback.audit.figures import FILTERED, LATER, OTHER_LANE, SYNTAX, TOO_SHORT
from harkback.audit.results import FAILED, NOT_RUN, TIMED_OUT
from harkback.audit.steps import FOR_OUTPUT, FOR_TEXT, LANGUAGE, SAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from harkback.audit.figures import Figures

FEW = 3
"""What happened less often says nothing."""

SHARE = 0.1
MORE_THAN_HALF = 0.5
LOWER = 0.2
SOME = 5
MANY_PROMPTS = 100
SLOW_MS = 2000


class Advice(NamedTuple):
    """A suggestion and the rule that made it."""

    rule: str
    text: str


def advice(found: Figures) -> list[Advice]:
    """Give what the figures suggest, the readings of answers first."""
    rules = [_reading, _zero_hits, _next_steps, _speed]
    return [one for rule in (*rules, _hook) for one in rule(found) if rule is not _hook or found.command == OWN]


def _is_much(number: int, of: int) -> bool:
    return number >= FEW and number >= SHARE * of


def _reading(found: Figures) -> Iterator[Advice]:
    if _is_much(found.cut, found.searches):
        yield Advice(
            "cut",
            f"{found.cut} of {found.searches} searches went through a pipe or into a file. Tell agents that -n 3 or"
            " --budget 1500 makes an answer short without losing its status line.",
        )
    broken = found.whys.get(FAILED, 0) + found.whys.get(TIMED_OUT, 0)
    if _is_much(broken, found.searches):
        yield Advice("failed", f"{broken} calls failed or timed out. `hark status` says whether the archive is well.")
    if _is_much(found.whys.get(NOT_RUN, 0), found.searches):
        yield Advice(
            "not-run",
            "Several searches in one line joined by && stop at the first that finds nothing (exit status 1). Tell"
            " agents to join them with ; instead.",
        )
    short = found.short
    if short.readable >= SOME and short.others >= SOME:
        lower = short.others_hits / short.others - short.hits / short.readable
        if lower >= LOWER:
            yield Advice(
                "short-queries",
                f"Queries of one or two characters found something in {short.hits} of {short.readable} cases, others"
                f" in {short.others_hits} of {short.others}. Tell agents to add a word.",
            )


def _zero_hits(found: Figures) -> Iterator[Advice]:
    total = sum(found.reasons.values())
    told = {
        FILTERED: ("filters", "were found without their filters. Tell agents to search without filters first."),
        OTHER_LANE: ("other-lane", "stand only in tools' output or thinking. Tell agents to try --all."),
        LATER: ("indexed-later", "stood in transcripts that had not been read yet. Let `hark sync` run regularly."),
        TOO_SHORT: ("too-short", "were single characters or parts of words. Tell agents to try --substring."),
        SYNTAX: ("syntax", "are found as plain words. Tell agents to leave quotes and colons out of the query."),
    }
    for reason, (rule, text) in told.items():
        number = found.reasons.get(reason, 0)
        if _is_much(number, total):
            yield Advice(rule, f"{number} of {total} searches without a hit {text}")


def _next_steps(found: Figures) -> Iterator[Advice]:
    if found.raw.get(FOR_OUTPUT, 0) >= FEW:
        yield Advice(
            "raw-output",
            f"{found.raw[FOR_OUTPUT]} times an agent opened the raw transcript for a tool's output. `hark show --raw"
            " ID` gives it; a larger store.output_head keeps more of it.",
        )
    if found.raw.get(FOR_TEXT, 0) >= FEW:
        yield Advice(
            "raw-text",
            f"{found.raw[FOR_TEXT]} times an agent opened the raw transcript where a snippet was too short. `hark show"
            " ID` gives the whole message, -C 2 the turns around it.",
        )
    if found.again.get(SAME, 0) >= FEW:
        yield Advice("same-again", f"{found.again[SAME]} times the same was asked again in the same turn.")
    if found.again.get(LANGUAGE, 0) >= FEW:
        yield Advice(
            "other-language",
            f"{found.again[LANGUAGE]} times the second question was in another language. --meaning finds across"
            " languages in one call.",
        )


def _speed(found: Figures) -> Iterator[Advice]:
    if found.own_ms.number >= SOME and found.own_ms.p95 > SLOW_MS:
        seconds = found.own_ms.p95 / 1000
        yield Advice(
            "slow", f"One search of twenty takes {seconds:.1f} seconds or more. `hark status` says what waits."
        )


def _hook(found: Figures) -> Iterator[Advice]:
    hook = found.hook
    if hook.spoke >= SOME and hook.ignored > MORE_THAN_HALF * hook.spoke:
        yield Advice(
            "hook-ignored",
            f"The hook spoke {hook.spoke} times, and {hook.ignored} times no call followed. A rule in the agent's own"
            " memory file says the same with more weight.",
        )
    if not hook.spoke and sum(found.prompts.values()) >= MANY_PROMPTS:
        yield Advice("no-hook", "No hook has spoken yet. With a prompt hook agents search by themselves more often.")
