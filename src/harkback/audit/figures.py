"""Figures of an audit: how often, by whom, with what luck, and what came next."""

from __future__ import annotations

from harkback._record import NamedTuple
from harkback.audit.results import HITS, NONE, OTHER, UNREADABLE, WHYS
from harkback.audit.steps import AGAIN, RAW, STEPS
from harkback.moments import local

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from harkback.audit.walk import Asked, Spoke

NO_MONTH = "no date"

ABSENT, FILTERED, OTHER_LANE, LATER, TOO_SHORT, SYNTAX, UNCHECKED = (
    "absent", "filtered", "other lane", "indexed later", "too short", "syntax", "not checked",
)  # fmt: skip
REASONS = (ABSENT, FILTERED, OTHER_LANE, LATER, TOO_SHORT, SYNTAX, UNCHECKED)
"""Why a search found nothing."""

MOST_QUERIES = 50
"""So many of the searches that found nothing are named."""


SHORT_CHARS = 2
"""A query of so many characters is a short one."""


class Why(NamedTuple):
    """Why a search found nothing, and whether it would find something today."""

    reason: str
    is_found_now: bool = False


class Row(NamedTuple):
    """What is counted for a month, an agent or a project."""

    calls: int = 0
    hits: int = 0
    none: int = 0
    unreadable: int = 0


class Spread(NamedTuple):
    """Where numbers lie: the middle one, the one that nineteen of twenty do not pass, and how many there are."""

    p50: int = 0
    p95: int = 0
    number: int = 0
    total: int = 0


class Nothing(NamedTuple):
    """A search that found nothing."""

    query: str
    why: Why
    times: int
    time_ms: int | None
    """Of the last one."""
    session: str


class Hook(NamedTuple):
    """How often the hook spoke at a prompt and a call of ours followed or not, and at the starts of sessions."""

    spoke: int = 0
    used: int = 0
    starts: int = 0

    @property
    def ignored(self) -> int:
        """How often no call followed."""
        return self.spoke - self.used


class Short(NamedTuple):
    """Searches for at most two characters, and all others: how many could be read, and how many found something."""

    readable: int = 0
    hits: int = 0
    others: int = 0
    others_hits: int = 0


class Figures(NamedTuple):
    """All figures of an audit."""

    command: str
    calls: int
    sessions: int
    searches: int
    results: Row
    whys: dict[str, int]
    """Why answers could not be read."""
    months: dict[str, Row]
    agents: dict[str, Row]
    projects: dict[str, Row]
    ways: dict[str, int]
    actions: dict[str, int]
    steps: dict[str, int]
    raw: dict[str, int]
    again: dict[str, int]
    reasons: dict[str, int]
    found_now: int
    """Searches that found nothing and would find something today."""
    nothing: tuple[Nothing, ...]
    hook: Hook
    prompts: dict[str, int]
    """Prompts by month, of all sessions."""
    chars: Spread
    latency_ms: Spread
    own_ms: Spread
    """Of those whose answers say how long they took: in the others is how long a person thought about allowing it."""
    short: Short
    cut: int
    """Searches whose answer went through a pipe, into a file or a variable."""

    @property
    def hit_rate(self) -> float | None:
        """The share of the readable answers that held something; None where none could be read."""
        return rate(self.results)


def rate(row: Row) -> float | None:
    """Give the share of hits among what could be read."""
    readable = row.hits + row.none
    return row.hits / readable if readable else None


def figures(
    command: str,
    asked: Sequence[Asked],
    spoke: Sequence[Spoke],
    whys: Mapping[int, Why],
    prompts: dict[str, int],
) -> Figures:
    """Count; `whys` says of a search by its place in `asked` why it found nothing."""
    searches = [one for one in asked if one.result.verdict != OTHER]
    at_prompts = [one for one in spoke if not one.is_start]
    hook = Hook(len(at_prompts), sum(one.is_used for one in at_prompts), len(spoke) - len(at_prompts))
    return Figures(
        command,
        len(asked),
        len({one.about.session for one in asked}),
        len(searches),
        _row(searches),
        _counts((one.result.why for one in searches if one.result.verdict == UNREADABLE), WHYS),
        dict(sorted(_rows(asked, _month).items())),
        _largest(_rows(asked, lambda one: one.about.agent)),
        _largest(_rows(asked, lambda one: one.about.project)),
        _counts(one.call.way for one in asked),
        _counts(one.call.action for one in asked),
        _counts((one.step.kind for one in searches), STEPS),
        _counts(one.step.detail for one in searches if one.step.kind == RAW),
        _counts(one.step.detail for one in searches if one.step.kind == AGAIN),
        _counts((why.reason for why in whys.values()), REASONS),
        sum(why.is_found_now for why in whys.values()),
        _nothing(asked, whys),
        hook,
        dict(sorted(prompts.items())),
        _spread(one.chars for one in searches),
        _spread(one.latency_ms for one in searches if one.latency_ms is not None),
        _spread(one.result.ms for one in searches if one.result.ms is not None),
        _short(searches),
        sum(bool(one.call.cuts) for one in searches),
    )


def _row(asked: Iterable[Asked]) -> Row:
    verdicts = [one.result.verdict for one in asked]
    return Row(len(verdicts), *(verdicts.count(verdict) for verdict in (HITS, NONE, UNREADABLE)))


def _rows(asked: Sequence[Asked], key: Callable[[Asked], str]) -> dict[str, Row]:
    groups: dict[str, list[Asked]] = {}
    for one in asked:
        groups.setdefault(key(one), []).append(one)
    return {name: _row(group) for name, group in groups.items()}


def month_of(time_ms: int | None) -> str:
    """Name the month of a moment in the user's zone."""
    moment = local(time_ms)
    return moment.strftime("%Y-%m") if moment else NO_MONTH


def _month(one: Asked) -> str:
    return month_of(one.time_ms)


def _largest(rows: dict[str, Row]) -> dict[str, Row]:
    return dict(sorted(rows.items(), key=lambda one: (-one[1].calls, one[0])))


def _counts(names: Iterable[str], order: Sequence[str] = ()) -> dict[str, int]:
    """Count names: in a known order with those that never came, or the most frequent first."""
    counts = dict.fromkeys(order, 0)
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    return counts if order else dict(sorted(counts.items(), key=lambda one: (-one[1], one[0])))


def _spread(numbers: Iterable[int]) -> Spread:
    listed = sorted(numbers)
    if not listed:
        return Spread()
    p50, p95 = (listed[-(-len(listed) * share // 100) - 1] for share in (50, 95))
    return Spread(p50, p95, len(listed), sum(listed))


def _nothing(asked: Sequence[Asked], whys: Mapping[int, Why]) -> tuple[Nothing, ...]:
    """Name the searches that found nothing, each once, the last one first."""
    found: dict[tuple[object, ...], Nothing] = {}
    for number, why in whys.items():
        one = asked[number]
        times = found[one.call.asked].times if one.call.asked in found else 0
        query = " ".join([one.call.query, *(f"--{name} {value}" for name, value in one.call.options)])
        found[one.call.asked] = Nothing(query.strip(), why, times + 1, one.time_ms, one.about.session)
    return tuple(sorted(found.values(), key=lambda one: -(one.time_ms or 0))[:MOST_QUERIES])


def _short(searches: Sequence[Asked]) -> Short:
    readable = [one for one in searches if one.result.verdict in {HITS, NONE}]
    short = [one for one in readable if 0 < len(one.call.query.strip()) <= SHORT_CHARS]
    hits = sum(one.result.verdict == HITS for one in short)
    all_hits = sum(one.result.verdict == HITS for one in readable)
    return Short(len(short), hits, len(readable) - len(short), all_hits - hits)
