"""Recalling: which memories answer a question, in which order, and why.

Signals, each 0 to 1, are weighed and summed: words (BM25 relative to the best, times the share of the question held),
pieces of the question inside the text, an entity or tag that the question names, a time that it speaks of, and where an
embedder is at hand, meaning.
The sum over the weights that this question can have is the similarity, a little less where a day or a number is asked
for and none is there; what replaced another has the better one of both. It is multiplied by decay, and an open task of
importance 4 or 5 gets a boost. Of near-equal scores the more important comes first. A question that names a time counts
decay from there, and takes what is of that time before near-equals. A question for what holds now goes from the best to
newer ones of the same matter, sooner where they say that something changed; one for what held before passes by the
newest.
"""

from __future__ import annotations

from harkback._record import NamedTuple
from harkback.model import ACTIVE, ARCHIVED, DONE, EVENT, SUPERSEDED, TASK, Memory
from harkback.text.fold import fold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeVar

    from harkback.engines.local.memories import MemoryStore
    from harkback.memory.asking import Question, Wording

    Key = TypeVar("Key", int, str)

DAY_MS = 86_400_000

POOL = 100
"""So many memories that pass the filters are weighed."""

NEAR_ENOUGH = 0.38
"""What shares no word with the question is an answer only if its meaning is so near (a cosine of .19, centred)."""

_CHUNK = 100
_NEAR_EQUAL = 0.02
_NOW_SHARE = 0.9
"""To a question for what holds now, a newer memory that fits at least so well beside the best may say it anew."""

_OF_TIME_SHARE = 0.8
"""What is of the time that a question names comes first, if it fits at least so well beside the best."""

_CHANGED_SHARE = 0.15
"""The same of one that says that something changed: moved, replaced, 改成, に変えた."""

_SAME_MATTER = 0.25
"""Share of the words of the shorter one that both have, to be of the same matter."""

_COMPARED = 20

_IMPORTANT = 4
_SHORTEST_NAME = 2
_SHORTEST_INSIDE = 3
_HERE = 1.05
_NO_ANSWER = 0.85
"""What is left of the similarity of a memory without a day or a number, where the question asks for one."""
_LONGEST_CHAIN = 20


class Weights(NamedTuple):
    """How recall weighs; all of it can be set."""

    words: float = 3.0
    substring: float = 2.0
    name: float = 2.0
    date: float = 1.0
    meaning: float = 2.0
    decay: float = 0.98
    """What is left of an event's or a finished task's score after a day."""
    slow_decay: float = 0.9999
    """The same of facts, preferences, decisions and lessons."""
    floor: float = 0.3
    """No memory decays below this share: an old exact answer stays ahead of a recent weak one."""
    boost: float = 0.1
    """Added for an open task of importance 4 or 5."""


class Wanted(NamedTuple):
    """What may be among the answers."""

    limit: int = 5
    kinds: tuple[str, ...] = ()
    since_ms: int | None = None
    until_ms: int | None = None
    as_of_ms: int | None = None
    """Answer as one would have then."""
    history: bool = False
    """What was superseded or archived as well."""
    projects: tuple[str, ...] | None = None
    """Only what holds in these projects (empty: everywhere); None for all."""
    sealed: tuple[str, ...] = ()
    """Projects left out."""
    here: str = ""
    """The project one stands in, which comes first."""


class Signals(NamedTuple):
    """How well a memory fits a question; the similarity, which orders them, is the first."""

    similarity: float
    words: float
    substring: float
    name: float
    date: float
    meaning: float


class Recalled(NamedTuple):
    """A memory that answers, and why."""

    memory: Memory
    score: float
    similarity: float
    words: float
    substring: float
    name: float
    date: float
    meaning: float
    decay: float
    boost: float
    is_current: bool
    """Whether it still holds, or held at the time that was asked for."""


def decay(memory: Memory, now_ms: int, weights: Weights) -> float:
    """Give the share of its score that a memory keeps: `rate` per 24 hours since what it speaks of, or since it was
    last confirmed.

    What is still to come has not aged. A similarity of .8 becomes .7993 after an hour, .436 after 30 days.
    """
    since = memory.changed_ms or memory.created_ms
    if memory.kind == EVENT and memory.event_since_ms is not None:
        since = memory.event_since_ms
    elif memory.kind == TASK and memory.ended_ms is not None:
        since = memory.ended_ms
    return _left(memory, now_ms - since, weights)


def _left(memory: Memory, age_ms: int, weights: Weights) -> float:
    is_fast = memory.kind == EVENT or (memory.kind == TASK and memory.status == DONE)
    rate = weights.decay if is_fast else weights.slow_decay
    return max(weights.floor, float(rate ** (max(0, age_ms) / DAY_MS)))


def _decay(memory: Memory, asked: Question, now_ms: int, weights: Weights) -> float:
    """Count decay from the time that a question names, to both sides, or from now."""
    if asked.since_ms is None or asked.until_ms is None:
        return decay(memory, now_ms, weights)
    since, until = _span(memory)
    return _left(memory, max(asked.since_ms - until, since - asked.until_ms), weights)


def recall(
    store: MemoryStore,
    asked: Question,
    wanted: Wanted,
    weights: Weights,
    now_ms: int,
    near: Mapping[int, float] | None = None,
) -> list[Recalled]:
    """Find what answers a question, best first; `near` says of memories by number how near their meaning is, 0 to 1."""
    words = _words(store, asked)
    numbers = sorted(words, key=words.__getitem__, reverse=True)
    if near is not None:
        nearest = sorted((one for one in near if near[one] >= NEAR_ENOUGH), key=near.__getitem__, reverse=True)
        numbers = list(dict.fromkeys([*numbers[: POOL // 2], *nearest[:POOL], *numbers[POOL // 2 :]]))
    if asked.since_ms is not None and asked.until_ms is not None:
        dated = store.on(asked.since_ms, asked.until_ms)
        numbers = list(dict.fromkeys([*numbers[:POOL], *dated, *numbers[POOL:]]))
    moment = now_ms if wanted.as_of_ms is None else wanted.as_of_ms
    pool, replaced = _pool(store, numbers, wanted, moment)
    has_names = any(_name(memory, asked) for memory in [*pool.values(), *replaced.values()])
    weighed = {
        one.id: _weighed(one, words.get(number, 0.0), _near(number, near), asked, weights, has_names=has_names)
        for number, one in (pool | replaced).items()
    }
    found = {one.id: one for one in pool.values()}
    passes = _filter(wanted)
    heirs = _heirs(store, list(replaced.values()), wanted, moment)
    for old, heir in heirs.items():
        if passes(heir):
            found[heir.id] = heir
            own = weighed.get(heir.id) or _weighed(heir, 0.0, _near(0, near), asked, weights, has_names=has_names)
            weighed[heir.id] = max(own, weighed[old])  # it speaks of the same, perhaps in other words
    hits = [_scored(one, weighed[one.id], asked, wanted, weights, moment) for one in found.values()]
    behind = {old: heir.id for old, heir in heirs.items()}
    return _ordered([one for one in hits if one.similarity > 0], behind, asked, moment)[: wanted.limit]


def _words(store: MemoryStore, asked: Question) -> dict[int, float]:
    """Score every memory that holds words of one of the wordings, by its best one; 0 to 1."""
    words: dict[int, float] = {}
    for wording in asked.wordings:
        scored = store.scored(wording.terms)
        if not words:
            words = scored
        else:
            for number, score in scored.items():
                words[number] = max(words.get(number, 0.0), score)
        if not scored:
            for word in dict.fromkeys([*wording.words, *wording.terms]):
                if len(word) >= (_SHORTEST_INSIDE if word.isascii() else 1):
                    words |= {number: words.get(number, 0.0) for number in store.holding(word)}
    return words


def _pool(
    store: MemoryStore, numbers: Sequence[int], wanted: Wanted, moment_ms: int
) -> tuple[dict[int, Memory], dict[int, Memory]]:
    """Read the first memories that pass the filters; with those met on the way that others have replaced."""
    passes = _filter(wanted)
    pool: dict[int, Memory] = {}
    replaced: dict[int, Memory] = {}
    for start in range(0, len(numbers), _CHUNK):
        read = store.by_number(numbers[start : start + _CHUNK])
        if wanted.as_of_ms is not None:
            read = _as_of(store, read, moment_ms)
        for number in numbers[start : start + _CHUNK]:
            if number not in read:
                continue
            if read[number].status == SUPERSEDED and len(replaced) < POOL and _may_be_seen(read[number], wanted):
                replaced[number] = read[number]
            if passes(read[number]):
                pool[number] = read[number]
                if len(pool) == POOL:
                    return pool, replaced
    return pool, replaced


def _heirs(store: MemoryStore, replaced: list[Memory], wanted: Wanted, moment_ms: int) -> dict[str, Memory]:
    """Give for each memory that was replaced, by its id, the one that holds in its place."""
    heirs: dict[str, Memory] = {}
    open_ends = {one.id: one for one in replaced}
    for _ in range(_LONGEST_CHAIN):
        after = store.successors([one.id for one in open_ends.values()]) if open_ends else {}
        if wanted.as_of_ms is not None:
            after = _as_of(store, after, moment_ms)
        ends = {first: after[one.id] for first, one in open_ends.items() if one.id in after}
        heirs |= {first: one for first, one in ends.items() if one.status != SUPERSEDED}
        open_ends = {first: one for first, one in ends.items() if one.status == SUPERSEDED}
    return heirs


def _filter(wanted: Wanted) -> Callable[[Memory], bool]:
    left_out = () if wanted.history else (SUPERSEDED, ARCHIVED)

    def passes(memory: Memory) -> bool:
        if memory.status in left_out or (wanted.kinds and memory.kind not in wanted.kinds):
            return False
        if not _may_be_seen(memory, wanted):
            return False
        since, until = _span(memory)
        if wanted.since_ms is not None and until <= wanted.since_ms:
            return False
        return wanted.until_ms is None or since < wanted.until_ms

    return passes


def _may_be_seen(memory: Memory, wanted: Wanted) -> bool:
    if not memory.project:
        return True
    return memory.project not in wanted.sealed and (wanted.projects is None or memory.project in wanted.projects)


def _as_of(store: MemoryStore, read: Mapping[Key, Memory], moment_ms: int) -> dict[Key, Memory]:
    """Give memories as they stood at a moment: what came later is left out, what was replaced later still holds."""
    after = store.successors([one.id for one in read.values() if one.status == SUPERSEDED])
    then: dict[Key, Memory] = {}
    for key, memory in read.items():
        if memory.valid_ms > moment_ms:
            continue
        ended = memory.ended_ms
        if memory.status == SUPERSEDED and memory.id in after:
            ended = after[memory.id].valid_ms
        if memory.status != ACTIVE and ended is not None and ended > moment_ms:
            memory = memory._replace(status=ACTIVE, ended_ms=None)  # noqa: PLW2901 - as it was
        texts = [text for until, text in reversed(store.past(memory)) if until > moment_ms]
        then[key] = memory._replace(text=texts[0]) if texts else memory
    return then


def _near(number: int, near: Mapping[int, float] | None) -> float | None:
    return None if near is None else near.get(number, 0.0)


def _weighed(
    memory: Memory, words: float, near: float | None, asked: Question, weights: Weights, *, has_names: bool
) -> Signals:
    folded = fold(memory.text)
    substring = max((_inside(wording, folded) for wording in asked.wordings), default=0.0)
    name = float(_name(memory, asked))
    date = float(_touches(memory, asked))
    total = weights.words * words + weights.substring * substring
    most = weights.words + weights.substring
    if has_names:
        total += weights.name * name
        most += weights.name
    if asked.since_ms is not None:
        total += weights.date * date
        most += weights.date
    if near is not None:
        total += weights.meaning * near
        most += weights.meaning
    looks = next((wording.answer for wording in asked.wordings if wording.answer), None)
    if looks is not None and looks.search(folded) is None:
        total *= _NO_ANSWER
    return Signals(total / most if most else 0.0, words, substring, name, date, near or 0.0)


def _scored(
    memory: Memory, signals: Signals, asked: Question, wanted: Wanted, weights: Weights, moment_ms: int
) -> Recalled:
    kept = _decay(memory, asked, moment_ms, weights)
    is_open = memory.kind == TASK and memory.status == ACTIVE
    boost = weights.boost if is_open and memory.importance >= _IMPORTANT and signals.similarity else 0.0
    here = _HERE if wanted.here and memory.project == wanted.here else 1.0
    is_current = memory.status in {ACTIVE, DONE}
    return Recalled(
        memory, signals.similarity * kept * here + boost, *signals, decay=kept, boost=boost, is_current=is_current
    )


def _inside(wording: Wording, folded: str) -> float:
    """Give the share of a question's pieces that stand in a text as they are; 1 for the whole question."""
    if wording.folded and wording.folded in folded:
        return 1.0
    total = sum(map(len, wording.pieces))
    return sum(len(piece) for piece in wording.pieces if piece in folded) / total if total else 0.0


def _name(memory: Memory, asked: Question) -> bool:
    """Whether the question names an entity or a tag of a memory."""
    for value in (*memory.entities, *memory.tags):
        name = fold(value)
        if len(name) < _SHORTEST_NAME:
            continue
        for wording in asked.wordings:
            if name in wording.words if name.isascii() and name.isalnum() else name in wording.folded:
                return True
    return False


def _span(memory: Memory) -> tuple[int, int]:
    """Give the time that a memory speaks of, else the moment when it was saved."""
    since = memory.valid_ms
    return since, memory.event_until_ms if memory.event_until_ms is not None else since + 1


def _touches(memory: Memory, asked: Question) -> bool:
    if asked.since_ms is None or asked.until_ms is None:
        return False
    since, until = _span(memory)
    return since < asked.until_ms and until > asked.since_ms


def _ordered(found: list[Recalled], heirs: dict[str, str], asked: Question, moment_ms: int) -> list[Recalled]:
    """Sort what was found: by score and importance; asked for now, the newest of its matter first; what was replaced
    behind what replaced it.
    """

    def rank(one: Recalled) -> tuple[float, ...]:
        step = -round(one.score / _NEAR_EQUAL)
        return (not one.is_current, step, -one.memory.importance, -one.score, -one.memory.valid_ms)

    ranked = sorted(found, key=rank)
    if asked.asks_for_now and ranked:
        lead = _newest(ranked, moment_ms)
        ranked.sort(key=lambda one: one is not lead)
    elif asked.asks_for_then and ranked:
        lead = _before_newest(ranked)
        ranked.sort(key=lambda one: one is not lead)
    elif asked.since_ms is not None and ranked:
        least = _OF_TIME_SHARE * ranked[0].score
        ranked.sort(key=lambda one: not (one.date and one.is_current and one.score >= least))
    there = {one.memory.id for one in ranked}
    behind: dict[str, list[Recalled]] = {}
    for one in ranked:
        behind.setdefault(heirs[one.memory.id] if heirs.get(one.memory.id) in there else "", []).append(one)
    ordered: list[Recalled] = []
    for one in behind.get("", []):
        ordered += [one, *sorted(behind.get(one.memory.id, []), key=lambda old: -old.memory.valid_ms)]
    return ordered


def _before_newest(ranked: list[Recalled]) -> Recalled:
    """Give the best that speaks of the matter of the best and is not the newest of those."""
    from harkback.engines.local.words import stem
    from harkback.memory.likeness import said, share

    best = ranked[0]
    mine = said(best.memory.text, stem)
    near = [one for one in ranked[:_COMPARED] if one.similarity >= _NOW_SHARE * best.similarity]
    near = [one for one in near if share(mine, said(one.memory.text, stem)) >= _SAME_MATTER]
    newest = max(near, key=lambda one: one.memory.valid_ms)
    return next((one for one in near if one is not newest), best)


def _newest(ranked: list[Recalled], moment_ms: int) -> Recalled:
    """Give the newest that speaks of the matter of the best, going from each to a newer one that says something else.

    What has replaced another is known to be the newest, unless one says that it changed again.
    """
    from harkback.engines.local.words import stem
    from harkback.memory.likeness import said, share

    best = ranked[0]
    holding = [one for one in ranked if one.is_current and one.memory.valid_ms <= moment_ms]
    near = [one for one in holding if one.similarity >= _CHANGED_SHARE * best.similarity][:_COMPARED]
    if not near:
        return best
    lead = near[0]
    says = {one.memory.id: said(one.memory.text, stem) for one in near}
    while True:
        mine = says[lead.memory.id]
        newer = [
            (one.similarity * alike, one)
            for one in near
            if one.memory.valid_ms > lead.memory.valid_ms
            and (says[one.memory.id].is_change or not lead.memory.supersedes)
            and one.similarity >= (_CHANGED_SHARE if says[one.memory.id].is_change else _NOW_SHARE) * near[0].similarity
            and (alike := share(mine, says[one.memory.id])) >= _SAME_MATTER
        ]
        if not newer:
            return lead
        lead = max(newer, key=lambda pair: pair[0])[1]
