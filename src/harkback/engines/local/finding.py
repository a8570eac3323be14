"""Finding candidates in the word index: which parts hold which words of the query, with what filters ask.

No row is read here. A search runs, in this order and only as far as needed: every word (`all`), the words of a
question broken down (`most`, `any`), the lanes that are not searched by default.
"""

from __future__ import annotations

from itertools import accumulate
from math import log

from harkback._record import NamedTuple
from harkback.engines.local import words
from harkback.model import LANES, MAIN_LANES
from harkback.rank import Candidate
from harkback.terms import MOST_ATOMS, MOST_SESSION_ATOMS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    import tantivy

    from harkback.terms import Atom, Need, Phrase

POOL = 200
"""So many candidates are ranked; beyond that the order no longer depends on anything but BM25."""

FORMS = 40
"""At most so many English forms of a word are looked up in the term dictionary."""

COMMON_SHARE = 0.2
"""A word in more of all parts than this says nothing in a question of several words; it is searched for no tier."""

COMMON_IN_SESSIONS = 0.3

FEWEST_TELLING = 3

MOST_POSTINGS = 1_000_000
"""An OR of words that stand in so many parts together takes about 15 ms; the commonest are left out beyond."""

MOST_PIECES = 48

LOOSE_POOLS = 4
"""A loose search over all lanes looks at so many pools, of which those of the searched lanes are ranked."""

MANY_PARTS = 400_000
"""Up to so many parts the whole term dictionary can be looked through for a text inside words in 0.1 s."""

FEW_PARTS = 1000
FEW_SHARE = 0.01
"""A word in more parts than both is neither looked for in other forms (5 ms) nor inside other words (15 ms)."""

_SHORTEST_INSIDE = 3
_SHORTEST_STEM = 3


class Request(NamedTuple):
    """What a search asks of an engine, with names already turned into numbers."""

    needs: tuple[Need, ...]
    whole: Phrase | None
    lanes: tuple[int, ...]
    filters: tuple[tantivy.Query, ...]
    excluded: tuple[tantivy.Query, ...]
    limit: int
    newest: bool
    substring: bool
    pool: int
    is_wide: bool
    """Whether sessions are asked for: more of the words are used then."""


class Found(NamedTuple):
    """What one index holds for a request."""

    candidates: tuple[Candidate, ...]
    elsewhere: tuple[Candidate, ...]
    lane_counts: dict[int, int]


class Asked:
    """The words of a request, looked up in one index."""

    def __init__(self, searcher: tantivy.Searcher, request: Request) -> None:
        """Look the words up once; every query is then made of the same pieces."""
        self.searcher = searcher
        self.request = request
        self._queries: dict[Atom, tantivy.Query] = {}
        self.wanted = [need for need in request.needs if not need.negated]
        self.unwanted = [need for need in request.needs if need.negated]

    def atom(self, atom: Atom, *, literal: bool = False) -> tantivy.Query:
        """Ask for one atom, widened as far as the request allows."""
        if literal:
            return words.atom(atom, ())
        if atom not in self._queries:
            self._queries[atom] = self._widened(atom)
        return self._queries[atom]

    def _widened(self, atom: Atom) -> tantivy.Query:
        held = self.searcher.doc_freq("w", atom.word) if atom.word else 0
        is_common = held > FEW_PARTS and held > FEW_SHARE * self.searcher.num_docs
        query = words.atom(atom, () if is_common else self._forms(atom.word))
        if self.request.substring:
            return self._with_inside(query, _inside_tokens(atom))
        may_be_inside = len(atom.word) >= _SHORTEST_INSIDE and atom.word.isascii() and atom.word.isalpha()
        if may_be_inside and held <= FEW_PARTS and (not held or self._is_absent(query)):
            return words.union([query, words.boosted(words.inside([atom.word], words.LETTERS), 0.5)])
        return query

    def _with_inside(self, query: tantivy.Query, tokens: list[str]) -> tantivy.Query:
        """Add words that hold the text inside; in a large archive ids (`3f9a1c…`) only when nothing else does."""
        if not tokens:
            return query
        is_large = self.searcher.num_docs > MANY_PARTS
        inside = words.inside(tokens, words.IDENTIFIERS if is_large else words.ANY_CHARACTER)
        if is_large and self._is_absent(inside):
            inside = words.inside(tokens, words.ANY_CHARACTER)
        return words.union([query, words.boosted(inside, 0.5)])

    def _is_absent(self, query: tantivy.Query) -> bool:
        """Whether nothing in the lanes that are searched holds it."""
        narrowed = words.filtered(query, _filters(self.request, self.request.lanes))
        return not self.searcher.search(narrowed, 1, count=False).hits

    def _forms(self, word: str) -> list[str]:
        """Other forms of an English word that the index holds: `deploy` → deployed, deployment …"""
        if not (word.isascii() and word.isalpha()):
            return []
        stem = words.stem(word)
        prefix = stem.removesuffix("i")
        if len(prefix) < _SHORTEST_STEM:
            return []
        near = self.searcher.terms_with_prefix("w", prefix, limit=FORMS)
        return [term for term, _ in near if term != word and term.isascii() and words.stem(term) == stem]

    def frequency(self, atom: Atom) -> int:
        """Estimate in how many parts an atom stands: that of its rarest token."""
        phrase = atom.phrases[0]
        tokens = phrase.tokens[:-1] if phrase.open_end and len(phrase.tokens) > 1 else phrase.tokens
        return min(self.searcher.doc_freq("w", token) for token in tokens)

    def need(self, need: Need) -> tantivy.Query:
        """Ask for one need as it is written."""
        return words.union([self.atom(atom) for atom in need.atoms])

    def all(self) -> tantivy.Query:
        """Ask for every need; without any word, for everything."""
        if not self.wanted:
            return self.minus(words.everything())
        query = words.both([self.need(need) for need in self.wanted])
        return self.minus(query)

    def minus(self, query: tantivy.Query) -> tantivy.Query:
        """Take away what holds an unwanted word."""
        # What signs tell apart (`-C++`) only the text can exclude.
        unwanted = [need for need in self.unwanted if not need.is_literal]
        return words.without(query, [words.union([self.atom(a, literal=True) for a in n.atoms]) for n in unwanted])

    def loose(self) -> list[tuple[Atom, float]]:
        """Break the needs down; gives the rarest atoms with their weights (inverse document frequency)."""
        is_wide = self.request.is_wide
        most, common = (MOST_SESSION_ATOMS, COMMON_IN_SESSIONS) if is_wide else (MOST_ATOMS, COMMON_SHARE)
        atoms = dict.fromkeys(atom for need in self.wanted for atom in need.loose)
        total = self.searcher.num_docs + 1
        counted = sorted(((self.frequency(atom) + 1, atom) for atom in atoms), key=lambda pair: pair[0])
        telling = [pair for pair in counted if pair[0] <= common * total]
        kept = telling if len(telling) >= FEWEST_TELLING else counted[:FEWEST_TELLING]
        sums = accumulate(held for held, _ in kept)
        most = min(most, max(FEWEST_TELLING, sum(1 for held in sums if held <= MOST_POSTINGS)))
        return [(atom, log(1.0 + total / held)) for held, atom in kept[:most]]

    def any(self, atoms: Sequence[tuple[Atom, float]]) -> tantivy.Query:
        """Ask for candidates that may hold some of these atoms: for single words only, which is fast.

        A short CJK run is asked for by its pieces: they bring forward what speaks of it, and `shares` then tells
        whether it is really there, unbroken.
        """
        alone = [self.atom(atom) for atom, _ in atoms if not _is_run(atom)]
        pieces = dict.fromkeys(t for atom, _ in atoms if _is_run(atom) for t in atom.phrases[0].tokens)
        return self.minus(words.union([*alone, *words.tokens(list(pieces)[:MOST_PIECES])]))


def _is_run(atom: Atom) -> bool:
    return len(atom.phrases[0].tokens) > 1 and not atom.phrases[0].open_end


def _inside_tokens(atom: Atom) -> list[str]:
    """Tokens whose first may begin, and whose last may end, inside a word; none for CJK, which is found anyway."""
    tokens = [atom.word] if atom.word else list(atom.phrases[-1].tokens)
    is_latin = all(token.isascii() for token in tokens)
    return tokens if is_latin and sum(map(len, tokens)) >= _SHORTEST_INSIDE else []


def find(searcher: tantivy.Searcher, request: Request) -> Found:
    """Find the candidates of one index."""
    asked = Asked(searcher, request)
    exact = asked.all()
    counts = _lane_counts(asked, exact)
    here = sum(counts.get(lane, 0) for lane in request.lanes)
    others = tuple(lane for lane in range(len(LANES)) if lane not in request.lanes)
    candidates = _exact(asked, exact, request.lanes, here) if here else []
    elsewhere: list[Candidate] = []
    if request.lanes == MAIN_LANES and not here:
        elsewhere = _exact(asked, exact, others, sum(counts.values())) if counts else []
    atoms = asked.loose() if asked.wanted and here < request.limit else []
    if _differs(asked, atoms):
        seen = {one.seq for one in candidates}
        loosened, loose_elsewhere = _loosened(asked, atoms, others)
        candidates += [one for one in loosened if one.seq not in seen]
        if not candidates and not elsewhere and request.lanes == MAIN_LANES:
            elsewhere = loose_elsewhere
        for one in [*loosened, *loose_elsewhere] if not counts else ():
            counts[one.lane] = counts.get(one.lane, 0) + 1
    return Found(tuple(candidates), tuple(elsewhere), counts)


def _differs(asked: Asked, atoms: Sequence[tuple[Atom, float]]) -> bool:
    """Whether breaking down gives anything that was not asked for already."""
    return len(atoms) > 1 or (len(atoms) == 1 and atoms[0][0] not in asked.wanted[0].atoms)


def _exact(asked: Asked, query: tantivy.Query, lanes: tuple[int, ...], held: int) -> list[Candidate]:
    """Give the parts that meet every need, of `held` that do."""
    request = asked.request
    whole = request.whole if not request.is_wide else None
    if whole is not None and not request.newest and held > request.pool:
        # Those that hold the words side by side must be inside the pool.
        query = words.preferring(query, [words.phrase(whole)])
    query = words.without(words.filtered(query, _filters(request, lanes)), request.excluded)
    if request.newest or not asked.wanted:
        found = asked.searcher.search(query, request.pool, count=False, order_by_field="time")
        pool = [(0.0, address) for _, address in found.hits]
    else:
        pool = list(asked.searcher.search(query, request.pool, count=False).hits)
    seqs = _column(asked, "seq", pool)
    phrases: set[int] = set()
    if whole is not None and seqs:
        phrases = {seq for seq, bits in _bits(asked.searcher, [words.phrase(whole)], seqs) if bits}
    return _described(asked, pool, seqs, dict.fromkeys(seqs, 1.0), phrases)


def _loosened(
    asked: Asked, atoms: Sequence[tuple[Atom, float]], others: tuple[int, ...]
) -> tuple[list[Candidate], list[Candidate]]:
    """Give the parts that hold some of the words: of the lanes that are searched, and of the `others`.

    Ranked over all lanes first: a lane filter inside an OR of common words doubles its time.
    """
    request = asked.request
    query = asked.any(atoms)
    free = words.without(words.filtered(query, request.filters), request.excluded)
    pool = list(asked.searcher.search(free, LOOSE_POOLS * request.pool, count=False).hits)
    lanes = _column(asked, "lane", pool)
    own = [hit for hit, lane in zip(pool, lanes, strict=True) if lane in request.lanes][: request.pool]
    if len(own) < 2 * request.limit and len(pool) == LOOSE_POOLS * request.pool:
        narrowed = words.without(words.filtered(query, _filters(request, request.lanes)), request.excluded)
        own = list(asked.searcher.search(narrowed, request.pool, count=False).hits)
    beyond = [hit for hit, lane in zip(pool, lanes, strict=True) if lane in others][: request.limit * 2]
    return _held(asked, own, atoms), [] if own else _held(asked, beyond, atoms)


def _held(
    asked: Asked, pool: list[tuple[float, tantivy.DocAddress]], atoms: Sequence[tuple[Atom, float]]
) -> list[Candidate]:
    seqs = _column(asked, "seq", pool)
    shares = _shares(asked, seqs, atoms)
    return [one for one in _described(asked, pool, seqs, shares, set()) if one.share]


def _filters(request: Request, lanes: tuple[int, ...]) -> list[tantivy.Query]:
    chosen = [*request.filters]
    if len(lanes) < len(LANES):
        chosen.append(words.lanes(lanes))
    return chosen


def _lane_counts(asked: Asked, query: tantivy.Query) -> dict[int, int]:
    request = asked.request
    narrowed = words.without(words.filtered(query, request.filters), request.excluded)
    buckets = asked.searcher.aggregate(narrowed, {"lane": {"terms": {"field": "lane", "size": len(LANES)}}})
    return {int(bucket["key"]): int(bucket["doc_count"]) for bucket in buckets["lane"]["buckets"]}


def _column(asked: Asked, name: str, pool: list[tuple[float, tantivy.DocAddress]]) -> list[int]:
    return [int(value or 0) for value in asked.searcher.fast_field_values(name, [address for _, address in pool])]


def _described(
    asked: Asked,
    pool: list[tuple[float, tantivy.DocAddress]],
    seqs: list[int],
    shares: dict[int, float],
    phrases: set[int],
) -> list[Candidate]:
    """Add to each found part the numbers that ranking needs."""
    lanes, roles, sessions, projects = (_column(asked, name, pool) for name in ("lane", "role", "session", "project"))
    times = asked.searcher.fast_field_values("time", [address for _, address in pool])
    return [
        Candidate(
            seq,
            max(0.0, float(score)),
            shares.get(seq, 0.0),
            seq in phrases,
            lane,
            role,
            None if time is None else int(time),
            session,
            project,
        )
        for (score, _), seq, lane, role, time, session, project in zip(
            pool, seqs, lanes, roles, times, sessions, projects, strict=True
        )
    ]


def described(searcher: tantivy.Searcher, request: Request, seqs: Sequence[int]) -> list[Candidate]:
    """Describe those of some parts that pass the filters and lie in the searched lanes, and which words they hold.

    What holds an unwanted word does not pass; of signs (`-C++`) only the text tells that.
    """
    asked = Asked(searcher, request)
    among = [words.numbers("seq", seqs), *_filters(request, request.lanes)]
    most = max(1, len(seqs))
    query = words.without(words.filtered(asked.minus(words.everything()), among), request.excluded)
    addresses = [address for _, address in searcher.search(query, most, count=False).hits]
    numbers = _column(asked, "seq", [(0.0, address) for address in addresses])
    atoms = asked.loose() if asked.wanted else []
    held = searcher.search(words.filtered(asked.any(atoms), among), most, count=False).hits if atoms else []
    scores = dict(zip(_column(asked, "seq", held), (score for score, _ in held), strict=True))
    pool = [(scores.get(seq, 0.0), address) for seq, address in zip(numbers, addresses, strict=True)]
    return _described(asked, pool, numbers, _shares(asked, numbers, atoms), set())


def all_seqs(searcher: tantivy.Searcher, request: Request, most: int) -> list[int]:
    """Give the parts that pass the filters, lie in the searched lanes and hold no unwanted word: the newest, first."""
    asked = Asked(searcher, request)
    everything = asked.minus(words.everything())
    query = words.without(words.filtered(everything, _filters(request, request.lanes)), request.excluded)
    found = searcher.search(query, most, count=False, order_by_field="time").hits
    return _column(asked, "seq", [(0.0, address) for _, address in found])


def _shares(asked: Asked, seqs: list[int], atoms: Sequence[tuple[Atom, float]]) -> dict[int, float]:
    if not seqs:
        return {}
    total = sum(weight for _, weight in atoms) or 1.0
    shares = dict.fromkeys(seqs, 0.0)
    for start in range(0, len(atoms), words.BITS_AT_ONCE):
        some = atoms[start : start + words.BITS_AT_ONCE]
        for seq, bits in _bits(asked.searcher, [asked.atom(atom) for atom, _ in some], seqs):
            held = sum(weight for number, (_, weight) in enumerate(some) if bits >> number & 1)
            shares[seq] += held / total
    # Broken down, it is never the whole need: at most `most`.
    return {seq: min(share, 0.999) for seq, share in shares.items()}


def _bits(searcher: tantivy.Searcher, queries: Sequence[tantivy.Query], seqs: list[int]) -> list[tuple[int, int]]:
    hits = searcher.search(words.matched(queries, seqs), len(seqs), count=False).hits
    found = searcher.fast_field_values("seq", [address for _, address in hits])
    return [(int(seq or 0), int(score)) for seq, (score, _) in zip(found, hits, strict=True)]


def session_counts(searcher: tantivy.Searcher, query: tantivy.Query, most: int) -> dict[int, int]:
    """Count the parts of each session that match; the `most` sessions with most of them."""
    buckets = searcher.aggregate(query, {"s": {"terms": {"field": "session", "size": most}}})
    return {int(bucket["key"]): int(bucket["doc_count"]) for bucket in buckets["s"]["buckets"]}
