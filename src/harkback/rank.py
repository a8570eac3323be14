"""Puts what an engine found into order. The only place that scores, so that every engine orders alike.

Pure: numbers in, numbers out. Words come first, as tiers: `phrase` (the query's words side by side, as typed),
`all` (every word), `most` (words that carry most of the query's weight), `any`. Inside a tier the score is the
engine's BM25, relative to the best, times what speaks for a hit: its age, its lane, its speaker, this project.
"""

from __future__ import annotations

from math import log

from harkback._record import NamedTuple
from harkback.model import CALLS, MEMORY, TALK, TITLE, USER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PHRASE, ALL, MOST, ANY, MEANING, ELSEWHERE, NONE = range(7)
TIERS = ("phrase", "all", "most", "any", "meaning", "elsewhere", "none")

MOST_SHARE = 0.6
"""A hit is of tier `most` when the words it holds carry this share of the query's weight (inverse frequency)."""

_DAY_MS = 86_400_000
HALF_LIFE_DAYS = 180.0
AGE_SHARE = 0.25
"""At most so much of a score is lost to age: an old exact answer stays ahead of a recent weak one."""

_LANE_WEIGHT = {TALK: 1.0, TITLE: 1.15, MEMORY: 1.2, CALLS: 0.75}
_OTHER_LANE_WEIGHT = 0.7
_USER_WEIGHT = 1.05
_PROJECT_WEIGHT = 1.2

PER_SESSION = 5
"""So many hits of one session are shown before the other sessions have had theirs."""


class Candidate(NamedTuple):
    """A part that matched, with the numbers that ranking needs and none of its text."""

    seq: int
    bm25: float
    share: float
    """Weight of the query's words that it holds, 0 to 1."""
    is_phrase: bool
    lane: int
    role: int
    time_ms: int | None
    session: int
    project: int
    meaning: float | None = None
    """How near its meaning is to the question's (a centred cosine), where that is known."""


class Ranked(NamedTuple):
    """A candidate with its place in the answer explained."""

    candidate: Candidate
    tier: int
    score: float
    age_factor: float


def tier_of(candidate: Candidate, *, elsewhere: bool = False) -> int:
    """Say how well the words are met."""
    if elsewhere:
        return ELSEWHERE
    if candidate.is_phrase:
        return PHRASE
    if candidate.share >= 1.0 - 1e-6:
        return ALL
    return MOST if candidate.share >= MOST_SHARE else ANY


def age_factor(time_ms: int | None, now_ms: int) -> float:
    """Give 1 for now, falling to 1 - AGE_SHARE; half of that share is lost after HALF_LIFE_DAYS."""
    if time_ms is None:
        return 1.0 - AGE_SHARE
    days = max(0.0, (now_ms - time_ms) / _DAY_MS)
    return 1.0 - AGE_SHARE + AGE_SHARE * float(0.5 ** (days / HALF_LIFE_DAYS))


def _favour(one: Candidate, project: int | None) -> float:
    """Give what a candidate's lane, speaker and project are worth."""
    worth = _LANE_WEIGHT.get(one.lane, _OTHER_LANE_WEIGHT)
    if one.role == USER:
        worth *= _USER_WEIGHT
    return worth * _PROJECT_WEIGHT if project is not None and one.project == project else worth


def by_relevance(
    candidates: Sequence[Candidate], now_ms: int, project: int | None, *, elsewhere: bool = False
) -> list[Ranked]:
    """Order candidates: tier first, then score; equal ones newest first."""
    best = max((candidate.bm25 for candidate in candidates), default=0.0) or 1.0
    ranked = []
    for one in candidates:
        age = age_factor(one.time_ms, now_ms)
        score = (one.bm25 / best) * (0.3 + 0.7 * one.share) * age * _favour(one, project)
        ranked.append(Ranked(one, tier_of(one, elsewhere=elsewhere), score, age))
    # What carries most of the weight and what carries some compete by score: a threshold must not turn the order.
    ranked.sort(key=lambda r: (min(r.tier, MOST), -r.score, -(r.candidate.time_ms or 0), r.candidate.seq))
    return ranked


WORDS_WEIGHT, MEANING_WEIGHT = 3.0, 1.0
SHARE_POWER = 1.5
FULL_MEANING = 0.5
"""A centred cosine of so much is as near as a question and its answer come."""

NO_TIERS: Mapping[int, int] = {}

LEAST_MEANING = 0.19
"""What holds none of the words is an answer only if its meaning is so near."""


def together(words: float, share: float, meaning: float) -> float:
    """Give one score of words (0 to 1, relative to the best) and meaning (a centred cosine).

    Words count by a power of the share of the query that is held: where they hardly match, meaning decides. Weights
    and power are the best for DRCD, JSQuAD and questions in another language together.
    """
    near = min(1.0, max(0.0, meaning / FULL_MEANING))
    return (WORDS_WEIGHT * words * float(share**SHARE_POWER) + MEANING_WEIGHT * near) / (WORDS_WEIGHT + MEANING_WEIGHT)


def by_meaning(
    candidates: Sequence[Candidate], now_ms: int, project: int | None, tiers: Mapping[int, int] = NO_TIERS
) -> list[Ranked]:
    """Order candidates by words and meaning, whatever the tier; a hit by words alone is never left out.

    `tiers` are those that the words gave, by the parts' numbers, where more than the share tells them.
    """
    best = max((one.bm25 for one in candidates), default=0.0) or 1.0
    ranked = []
    for one in candidates:
        has_words = bool(one.share)
        if not has_words and (one.meaning is None or one.meaning < LEAST_MEANING):
            continue
        age = age_factor(one.time_ms, now_ms)
        score = together(one.bm25 / best, one.share, one.meaning or 0.0)
        score *= age * _favour(one, project)
        ranked.append(Ranked(one, tiers.get(one.seq, tier_of(one) if has_words else MEANING), score, age))
    ranked.sort(key=lambda r: (-r.score, -(r.candidate.time_ms or 0), r.candidate.seq))
    return ranked


def by_time(candidates: Sequence[Candidate], now_ms: int, *, elsewhere: bool = False) -> list[Ranked]:
    """Order candidates newest first; those without a time come last."""
    ranked = [
        Ranked(one, tier_of(one, elsewhere=elsewhere), one.bm25, age_factor(one.time_ms, now_ms)) for one in candidates
    ]
    ranked.sort(key=lambda r: (-(r.candidate.time_ms or 0), r.candidate.seq))
    return ranked


def spread(ranked: Sequence[Ranked], per_session: int = PER_SESSION) -> list[Ranked]:
    """Move what goes beyond `per_session` hits of one session behind the others of its tier."""
    seen: dict[tuple[int, int], int] = {}
    first: dict[int, list[Ranked]] = {}
    later: dict[int, list[Ranked]] = {}
    for one in ranked:
        tier = min(one.tier, MOST)
        key = (tier, one.candidate.session)
        seen[key] = seen.get(key, 0) + 1
        (first if seen[key] <= per_session else later).setdefault(tier, []).append(one)
    spreadout: list[Ranked] = []
    for tier in sorted(first):
        spreadout += first[tier] + later.get(tier, [])
    return spreadout


def spread_all(ranked: Sequence[Ranked], per_session: int = PER_SESSION) -> list[Ranked]:
    """Move what goes beyond `per_session` hits of one session behind all others."""
    seen: dict[int, int] = {}
    first: list[Ranked] = []
    later: list[Ranked] = []
    for one in ranked:
        session = one.candidate.session
        seen[session] = seen.get(session, 0) + 1
        (first if seen[session] <= per_session else later).append(one)
    return [*first, *later]


def led(ranked: Sequence[Ranked], by_words: Sequence[Ranked]) -> list[Ranked]:
    """Put what holds every word, in a lane that is not searched, first where words alone do (see `merged`)."""
    if not by_words or by_words[0].tier != ELSEWHERE:
        return list(ranked)
    first = [one for one in by_words if one.tier == ELSEWHERE and one.candidate.share >= 1.0 - 1e-6]
    seqs = {one.candidate.seq for one in first}
    return [*first, *(one for one in ranked if one.candidate.seq not in seqs)]


def woven(ranked: Sequence[Ranked], by_words: Sequence[Ranked]) -> list[Ranked]:
    """Weave the order by words alone into one by words and meaning (`ranked`), so that it is never thrown over.

    Of those that hold most of the query, the one that words put at place r stands at place 2r + 1 at the latest. Looser
    ones stand by their score: woven as well they cost 6 of 72 questions whose answer is in another language.
    """
    scored = {one.candidate.seq: one for one in ranked}
    due = [scored.get(one.candidate.seq, one) for one in by_words if one.tier <= MOST]
    left = {one.candidate.seq: one for one in [*ranked, *due]}
    order: list[Ranked] = []
    for place, one in enumerate(due, 1):
        while one.candidate.seq in left and len(order) < 2 * place and (first := next(iter(left))) != one.candidate.seq:
            order.append(left.pop(first))
        if one.candidate.seq in left:
            order.append(left.pop(one.candidate.seq))
    return [*order, *left.values()]


def merged(ranked: Sequence[Ranked], elsewhere: Sequence[Ranked]) -> list[Ranked]:
    """Join the searched lanes and the others into one order.

    An answer that holds every word leaves out what holds only some. What the other lanes hold comes first only
    where the searched lanes have nothing but loose matches.
    """
    tiers = {one.tier for one in ranked}
    if PHRASE in tiers or ALL in tiers:
        return [one for one in ranked if one.tier <= MOST]
    if MOST in tiers or not elsewhere:
        return list(ranked)
    return [*elsewhere, *ranked]


SESSION_POOL = 600
"""So many messages and sessions are compared for `--by session`."""

# For long documents less than BM25's usual 1.2 and 0.75 is best (Anserini's defaults are 0.9 and 0.4).
_K1, _B = 0.8, 0.4
WHOLE_SHARE = 0.6


def sessions(
    counted: Sequence[tuple[int, tuple[int, ...]]], candidates: Sequence[Candidate], sizes: dict[int, int]
) -> list[tuple[int, float]]:
    """Order sessions, best first: by BM25 over the whole session, and by the sum of its best three messages.

    `counted` gives for each session in how many of its messages each word stands, `sizes` how many characters it
    has. The formula is Robertson's BM25 with a session as the document; on whole conversations both signals together
    find more than either alone (any@10 .84 against .83 and .74 on RealMem).
    """
    mean = sum(sizes.values()) / len(sizes) if sizes else 1.0
    weights = [_rarity(len(counted), held) for held in map(_holders, zip(*(hits for _, hits in counted), strict=True))]
    whole: dict[int, float] = {}
    for session, hits in counted:
        length = 1.0 - _B + _B * sizes.get(session, 0) / (mean or 1.0)
        whole[session] = sum(
            weight * hit * (_K1 + 1) / (hit + _K1 * length) for weight, hit in zip(weights, hits, strict=True) if hit
        )
    best: dict[int, list[float]] = {}
    for one in sorted(candidates, key=lambda candidate: -candidate.bm25):
        best.setdefault(one.session, []).append(one.bm25)
    top = {session: sum(scores[:3]) for session, scores in best.items()}
    most_whole = max(whole.values(), default=0.0) or 1.0
    most_top = max(top.values(), default=0.0) or 1.0
    scores = {
        session: WHOLE_SHARE * whole.get(session, 0.0) / most_whole
        + (1.0 - WHOLE_SHARE) * top.get(session, 0.0) / most_top
        for session in whole.keys() | top.keys()
    }
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))


def sessions_by_meaning(ranked: Sequence[Ranked], scores: dict[int, float]) -> list[Ranked]:
    """Order sessions by words (`scores`, 0 to 1) and meaning: of each its best message, with the session's score.

    `ranked` are messages by words and meaning, the best first.
    """
    best: dict[int, Ranked] = {}
    share: dict[int, float] = {}
    near: dict[int, float] = {}
    for one in ranked:
        session = one.candidate.session
        best.setdefault(session, one)
        share[session] = max(share.get(session, 0.0), one.candidate.share)
        near[session] = max(near.get(session, 0.0), one.candidate.meaning or 0.0)
    chosen = [
        one._replace(score=together(scores.get(session, 0.0), share[session], near[session]))
        for session, one in best.items()
    ]
    return sorted(chosen, key=lambda one: -one.score)


def _holders(hits: tuple[int, ...]) -> int:
    return sum(1 for hit in hits if hit)


def _rarity(sessions_in_all: int, holding: int) -> float:
    return log(1.0 + (sessions_in_all - holding + 0.5) / (holding + 0.5))
