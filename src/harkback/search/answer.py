"""Answering a search: candidates ordered, rows read for the hits that are shown and no more, snippets cut."""

from __future__ import annotations

from harkback import rank
from harkback._record import NamedTuple
from harkback.model import LANES
from harkback.search.snippet import SNIPPET_CHARS, Snippet, snippet
from harkback.terms import SENTENCE, needs, rechecked
from harkback.text.fold import fold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harkback.engines.local import Asking, Candidates, LocalEngine, Search
    from harkback.model import Place, StoredPart, StoredSession
    from harkback.rank import Candidate, Ranked
    from harkback.terms import Need

_SHORTEST_STEM = 4

RECHECK = 200
"""Queries with signs that tokens drop (`C++`) are looked for in the texts of the candidates, so many at a time."""

DEEP_POOL = 5000
"""Among so many candidates at most."""


class Hit(NamedTuple):
    """One message, or with `--by session` the best message of a session."""

    part: StoredPart
    session: StoredSession
    copies: tuple[Place, ...]
    tier: int
    score: float
    age_factor: float
    share: float
    snippet: Snippet
    before: tuple[StoredPart, ...]
    after: tuple[StoredPart, ...]


class Found(NamedTuple):
    """The hits of a search and what there is besides."""

    tier: int
    hits: tuple[Hit, ...]
    lanes: dict[str, int]
    more: int
    """Candidates that were ranked and are not shown."""


class Looking:
    """One search being answered."""

    def __init__(self, engine: LocalEngine, search: Search, now_ms: int, project: int | None, context: int) -> None:
        """`project` is the engine's number of the asker's project; `context` the turns shown around a hit."""
        self.engine = engine
        self.search = search
        self.now_ms = now_ms
        self.project = project
        self.context = context
        self.needs = needs(search.query)
        self._kept: dict[int, StoredPart] = {}

    def messages(self) -> Found:
        """Find messages."""
        found, ranked = self._by_words()
        return self._found(ranked, found.lane_counts)

    def _by_words(self) -> tuple[Candidates, list[Ranked]]:
        """Find and order by words; where nothing holds them all, phrases are looked for in the texts as well."""
        first = self._held(self.search)
        again = None if _is_exact(first[1]) else rechecked(self.needs)
        if again is None:
            return first
        as_typed, self.needs = self.needs, again
        second = self._held(self.search._replace(needs=again))
        if _is_exact(second[1]):
            return second
        self.needs = as_typed
        return first

    def _held(self, search: Search) -> tuple[Candidates, list[Ranked]]:
        found = self.engine.find(search)
        ranked = self._ranked(found.candidates, found.elsewhere)
        exact = [one for one in ranked if one.tier <= rank.ALL]
        if self._is_literal and len(exact) >= search.pool and self._holding(exact) < search.limit:
            # Only the texts tell `c++` from `c`, and what holds it may lie deep.
            found = self.engine.find(search._replace(pool=DEEP_POOL))
            ranked = self._ranked(found.candidates, found.elsewhere)
        return found, self._as_typed(ranked)

    @property
    def _is_literal(self) -> bool:
        return any(need.is_literal for need in self.needs)

    def by_meaning(self, asked: Asking) -> Found:
        """Find messages by words and meaning together; what is found by words alone is never left out."""
        found, by_words = self._by_words()
        others = rank.by_time(found.elsewhere, self.now_ms, elsewhere=True)
        tiers = {one.candidate.seq: one.tier for one in [*others, *by_words]}
        if self._is_literal:
            others = [one for one in others if self._holds(one)]
        held = (
            [one.candidate for one in [*others, *by_words]] if self._is_literal else found.candidates + found.elsewhere
        )
        joined = self._with_near(held, asked, self.search)
        ranked = self._allowed(rank.by_meaning(joined, self.now_ms, self.project, tiers))
        if self.search.newest:
            ranked.sort(key=_newest_first)
        ranked = rank.spread_all(ranked)
        if not self.search.newest:
            ranked = rank.woven(ranked, by_words)
        return self._found(rank.led(ranked, by_words), found.lane_counts)

    def _with_near(self, candidates: Sequence[Candidate], asked: Asking, search: Search) -> list[Candidate]:
        """Join what holds the words and what is near in meaning, each with how near it is."""
        near = {one.seq: one for one in self.engine.find_near(search, asked, search.pool)}
        held = self.engine.cosines(asked, [one.seq for one in candidates])
        return list((near | {one.seq: one._replace(meaning=held.get(one.seq)) for one in candidates}).values())

    def sessions(self, asked: Asking | None) -> Found:
        """Find sessions: by all that is said in one, by its best three messages, and by what is nearest in meaning."""
        search = self.search._replace(limit=rank.SESSION_POOL, pool=rank.SESSION_POOL, is_wide=True)
        found = self.engine.find(search)
        candidates = found.candidates or found.elsewhere
        elsewhere = {one.seq: rank.ELSEWHERE for one in found.elsewhere}
        counted = self.engine.session_scores(search, rank.SESSION_POOL)
        numbers = [one.session for one in counted] + [one.session for one in candidates]
        sizes = self.engine.rows.session_sizes(numbers)
        scores = dict(rank.sessions([(one.session, one.hits) for one in counted], candidates, sizes))
        best: dict[int, Ranked] = {}
        ranked = rank.by_relevance(candidates, self.now_ms, self.project, elsewhere=not found.candidates)
        for one in self._allowed(ranked):
            best.setdefault(one.candidate.session, one)
        if asked is None:
            chosen = [best[session]._replace(score=score) for session, score in scores.items() if session in best]
        else:
            joined = self._with_near([*found.candidates, *found.elsewhere], asked, search)
            ranked = self._allowed(rank.by_meaning(joined, self.now_ms, self.project, elsewhere))
            chosen = rank.sessions_by_meaning(ranked, scores)
        if self.search.newest:
            chosen.sort(key=_newest_first)
        return self._found(self._as_typed(chosen), found.lane_counts)

    def _found(self, ranked: list[Ranked], lane_counts: dict[int, int]) -> Found:
        hits, more = self._hits(ranked)
        lanes = {LANES[lane]: count for lane, count in sorted(lane_counts.items())}
        return Found(min((hit.tier for hit in hits), default=rank.NONE), tuple(hits), lanes, more)

    def _ranked(self, candidates: Sequence[Candidate], elsewhere: Sequence[Candidate]) -> list[Ranked]:
        if self.search.newest or not any(not need.negated for need in self.needs):
            ranked = rank.by_time(candidates, self.now_ms)
            others = rank.by_time(elsewhere, self.now_ms, elsewhere=True)
        else:
            ranked = rank.by_relevance(candidates, self.now_ms, self.project)
            others = rank.by_relevance(elsewhere, self.now_ms, self.project, elsewhere=True)
            if not any(one.field == "session" for one in self.search.query.filters):
                ranked, others = rank.spread(ranked), rank.spread(others)
        return rank.merged(ranked, others)

    # -- rows for the hits that are shown -------------------------------------------------------------------------

    def _hits(self, ranked: list[Ranked]) -> tuple[list[Hit], int]:
        chosen = self._chosen(ranked)
        hits = [self._hit(one, part) for one, part in chosen]
        return hits, max(0, len(ranked) - len(chosen))

    def _chosen(self, ranked: list[Ranked]) -> list[tuple[Ranked, StoredPart]]:
        limit = self.search.limit
        chosen: list[tuple[Ranked, StoredPart]] = []
        seen: set[str] = set()
        at = 0
        while len(chosen) < limit and at < len(ranked):
            some = ranked[at : at + max(limit - len(chosen), 1)]
            at += len(some)
            parts = self.parts([one.candidate.seq for one in some])
            for one in some:
                part = parts.get(one.candidate.seq)
                # A row that is gone was forgotten or replaced after the index was written.
                if part is not None and part.message not in seen:
                    seen.add(part.message)
                    chosen.append((one, part))
        return chosen

    def parts(self, seqs: list[int]) -> dict[int, StoredPart]:
        """Read rows, each only once."""
        self._kept.update(self.engine.rows.parts([seq for seq in seqs if seq not in self._kept]))
        return self._kept

    def _holding(self, ranked: list[Ranked]) -> int:
        return sum(1 for one in ranked if self._holds(one))

    def _holds(self, one: Ranked) -> bool:
        part = self.parts([one.candidate.seq]).get(one.candidate.seq)
        if part is None:
            return False
        folded = fold(part.text)
        return all(need.holds(folded) != need.negated for need in self.needs if need.is_literal)

    def _as_typed(self, ranked: list[Ranked]) -> list[Ranked]:
        """Let the texts tell what tokens cannot: signs, scripts and other forms of the words."""
        if not self._is_literal:
            return self._as_typed_first(ranked, self.search.limit)
        if any(need.is_literal and not need.negated for need in self.needs):
            return self._literal_first(ranked)
        return self._allowed(ranked)

    def _allowed(self, ranked: list[Ranked]) -> list[Ranked]:
        """Leave out what holds the signs that must not be there (`-C++`); words that must not are told by the index."""
        unwanted = [need for need in self.needs if need.negated and need.is_literal]
        if not unwanted:
            return ranked
        parts = self.parts([one.candidate.seq for one in ranked])
        texts = {one.candidate.seq: fold(part.text) for one in ranked if (part := parts.get(one.candidate.seq))}
        return [one for one in ranked if not any(need.holds(texts.get(one.candidate.seq, "")) for need in unwanted)]

    def _literal_first(self, ranked: list[Ranked]) -> list[Ranked]:
        """Keep what holds the signs as typed; when nothing does, keep the words without them, as tier `most`."""
        holding: list[Ranked] = []
        # What holds the signs holds the words side by side as well.
        exact = [one for one in ranked if one.tier <= rank.ALL or one.tier == rank.ELSEWHERE]
        for at in range(0, len(exact), RECHECK):
            some = exact[at : at + RECHECK]
            self.parts([one.candidate.seq for one in some])
            holding += [one for one in some if self._holds(one)]
            if len(holding) >= self.search.limit:
                break
        if holding or any(need.negated and need.is_literal for need in self.needs):
            return holding
        return [one._replace(tier=max(one.tier, rank.MOST)) for one in ranked]

    def _as_typed_first(self, ranked: list[Ranked], limit: int) -> list[Ranked]:
        """Among hits of one tier, put those first that hold the words as typed: in that script, with those signs."""
        words = [word.text for clause in self.search.query.clauses if not clause.negated for word in clause.words]
        # Case is not looked at; for plain small words tokens have said all there is.
        telling = [
            w.lower().rstrip(SENTENCE) for w in words if fold(w) != w.lower() or not w.replace("_", "").isalnum()
        ]
        if not any(telling) or not ranked:
            return ranked
        top = ranked[: limit * 2]
        parts = self.parts([one.candidate.seq for one in top])

        def misses(one: Ranked) -> int:
            part = parts.get(one.candidate.seq)
            text = part.text.lower() if part else ""
            return sum(word not in text for word in telling)

        top.sort(key=lambda one: (min(one.tier, rank.MOST), misses(one)) if one.tier <= rank.ALL else (rank.MOST, 0))
        return top + ranked[limit * 2 :]

    def _hit(self, one: Ranked, part: StoredPart) -> Hit:
        places = self.engine.rows.places(part)
        # The session it was first said in, unless that one is left out.
        left_out = self.search.exclude_sessions
        first = min(
            places,
            key=lambda place: (place.session.number in left_out, place.order),
        )
        copies = {place.session.number: place for place in places if place.session.number != first.session.number}
        before, after = self.engine.rows.around(first.transcript, first.offset, self.context)
        chars = SNIPPET_CHARS + self.context * 100
        return Hit(
            part,
            first.session,
            tuple(copies.values()),
            one.tier,
            one.score,
            one.age_factor,
            one.candidate.share,
            snippet(part.text, wanted_texts(self.needs), chars),
            tuple(before),
            tuple(after),
        )


def _is_exact(ranked: Sequence[Ranked]) -> bool:
    return any(one.tier <= rank.ALL for one in ranked)


def _newest_first(one: Ranked) -> int:
    return -(one.candidate.time_ms or 0)


def wanted_texts(wanted: Sequence[Need]) -> list[str]:
    """Give the folded texts to mark in a hit: whole words first, then what they break into, then their stems."""
    texts: list[str] = []
    for need in wanted:
        if not need.negated:
            texts += [atom.literal or atom.text for atom in need.atoms]
    for need in wanted:
        if not need.negated:
            texts += [atom.text for atom in need.loose]
            texts += [_stem(atom.word) for atom in need.loose if len(atom.word) > _SHORTEST_STEM]
    return [text for text in dict.fromkeys(texts) if text]


def _stem(word: str) -> str:
    """Cut the commonest English endings, enough to mark `deployed` for `deploy`."""
    for ending in ("ations", "ation", "ments", "ment", "ings", "ing", "ies", "ed", "es", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word[: -len(ending)]
    return word


__all__ = ["Found", "Hit", "Looking", "wanted_texts"]
