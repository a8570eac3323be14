"""Why a search found nothing: the same question, and looser forms of it, put to what is indexed today."""

from __future__ import annotations

import re
from time import monotonic

from harkback.audit.figures import (
    ABSENT,
    FILTERED,
    LATER,
    OTHER_LANE,
    SYNTAX,
    TOO_SHORT,
    UNCHECKED,
    Why,
)
from harkback.engines.local import LocalEngine
from harkback.engines.local.transcripts import Transcripts
from harkback.errors import Ambiguous, BadValue, NotFound, TooShort
from harkback.model import CONTEXT, LANES, MAIN_LANES, MEMORY
from harkback.query import Filter, Query, Word, parse, with_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from harkback.archive.sessions import Archive
    from harkback.audit.walk import Asked

MOST = 200
"""So many different questions are put again."""

LIMIT_S = 20.0
"""For so long; in an archive of a million texts that is about as many."""

_LOOKED_AT = 10
# Lane `context` holds the calls themselves: whatever was looked for stands there.
_EVERY_LANE = tuple(lane for lane in range(len(LANES)) if lane != CONTEXT)
_ONLY_MEMORIES = Filter("in", (LANES[MEMORY],))
_SIGNS = '"“”「」『』｢｣＂:：'


class Again:
    """Puts questions again, each once."""

    def __init__(self, archive: Archive) -> None:
        """Ask `archive`, of which nothing new is read."""
        self.archive = archive
        self.known: dict[tuple[object, ...], Why] = {}
        self.families: dict[str, tuple[str, ...]] = {}
        self.until = monotonic() + LIMIT_S

    def why(self, asked: Asked) -> Why:
        """Say why a call found nothing, and whether it would find something today."""
        call = asked.call
        if not call.is_known or not call.queries:
            return Why(UNCHECKED)
        if call.asked not in self.known:
            if len(self.known) >= MOST or monotonic() > self.until:
                return Why(UNCHECKED)
            self.known[call.asked] = self._why(asked)
        return self.known[call.asked]

    def _why(self, asked: Asked) -> Why:
        try:
            queries = [_query(one, asked) for one in asked.call.queries]
        except BadValue:
            return Why(SYNTAX)
        # Where nothing stands in its lanes a search shows what stands in others; here without the calls themselves.
        now = self._finds(queries, asked, None)
        is_of_memories = asked.call.action == "recall"
        if not now and not is_of_memories:
            now = self._finds(queries, asked, None, lanes=_EVERY_LANE)
        is_nowhere = not now and not is_of_memories
        return Why(self._reason(queries, asked, is_nowhere=is_nowhere), bool(now))

    def _reason(self, queries: list[Query], asked: Asked, *, is_nowhere: bool) -> str:
        """Try looser forms one after the other, in what had been said by then.

        What stands nowhere today as it was asked need not be looked for in less than today's index.
        """
        then_ms = asked.time_ms
        bare = [one._replace(filters=()) for one in queries]
        lanes_alone = [one._replace(filters=tuple(f for f in one.filters if f.field != "in")) for one in queries]
        plain = [_plain(one) for one in queries]
        forms = (
            (LATER, queries, (), False),
            (OTHER_LANE, lanes_alone, _EVERY_LANE, False),
            (FILTERED, bare, (), False),
            (OTHER_LANE, bare, _EVERY_LANE, False),
            (TOO_SHORT, bare, _EVERY_LANE, True),
            (SYNTAX, plain, _EVERY_LANE, False),
        )
        tried: list[tuple[list[Query], tuple[int, ...], bool]] = []
        for reason, form, lanes, substring in forms:
            is_hopeless = is_nowhere and form == queries and not substring
            if is_hopeless or (form, lanes, substring) in tried:
                continue
            tried.append((form, lanes, substring))
            if texts := self._finds(form, asked, then_ms, lanes=lanes, substring=substring):
                # A search looks inside of words by itself where a word stands nowhere.
                return TOO_SHORT if _is_inside(form, texts) else reason
        return TOO_SHORT if _is_one_character(queries) else ABSENT

    def _finds(
        self,
        queries: Iterable[Query],
        asked: Asked,
        until_ms: int | None,
        *,
        lanes: tuple[int, ...] = (),
        substring: bool = False,
    ) -> list[str]:
        """Give what any wording finds besides the session that asked and its copies; with `until_ms` of before that."""
        return [text for one in queries for text in self._texts(one, asked, until_ms, lanes, substring)]

    def _texts(
        self, query: Query, asked: Asked, until_ms: int | None, lanes: tuple[int, ...], substring: bool
    ) -> list[str]:
        call = asked.call
        searched = lanes or (_EVERY_LANE if "all" in call.flags else MAIN_LANES)
        if call.action == "recall" and not lanes:
            query = query._replace(filters=(*query.filters, _ONLY_MEMORIES))
        try:
            answer = self.archive.search(
                query if until_ms is None else _until(query, until_ms),
                limit=_LOOKED_AT,
                lanes=searched,
                substring=substring or "substring" in call.flags,
                sync=False,
                exclude=self._family(asked.about.session),
            )
        except (NotFound, TooShort, Ambiguous):  # a session that a filter names
            return []
        told = [one.memory for one in answer.memories]
        return [
            *(one.text for one in told if until_ms is None or one.created_ms < until_ms),
            *(one.part.text for one in answer.found.hits if one.part.lane in searched),
        ]

    def _family(self, session: str) -> tuple[str, ...]:
        """Give a session with its forks and what it was forked from: its own prompts stand in them."""
        if session not in self.families:
            found = [session]
            if (engine := LocalEngine.open(self.archive.place.data)) is not None:
                try:
                    agent, _, native = session.partition(":")
                    found = Transcripts(engine.rows).family(agent, native)
                finally:
                    engine.close()
            self.families[session] = tuple(found)
        return self.families[session]


def _is_inside(queries: Iterable[Query], texts: Iterable[str]) -> bool:
    """Whether a question of one Latin word is found only inside of words."""
    words = [word.text for one in queries for clause in one.clauses for word in clause.words]
    if len(words) != 1 or not words[0].isascii() or not words[0].isalnum():
        return False
    begins = re.compile(rf"(?<![a-z0-9]){re.escape(words[0])}", re.IGNORECASE)
    return not any(begins.search(text) for text in texts)


def _query(text: str, asked: Asked) -> Query:
    """Read a question as it was read then. Raises BadValue."""
    now_ms = asked.time_ms or 0
    options: dict[str, list[str]] = {}
    for name, value in asked.call.options:
        options.setdefault(name, []).append(value)
    return with_options(parse(text, now_ms), now_ms, **options)


def _until(query: Query, until_ms: int) -> Query:
    """Bound a question by a time."""
    bounds = [one.until_ms for one in query.filters if one.field == "until" and not one.negated]
    others = tuple(one for one in query.filters if one.field != "until" or one.negated)
    least = min([until_ms, *(one for one in bounds if one is not None)])
    return query._replace(filters=(*others, Filter("until", ("then",), until_ms=least)))


def _is_one_character(queries: Iterable[Query]) -> bool:
    words = [word.text for one in queries for clause in one.clauses for word in clause.words]
    return bool(words) and all(len(word) == 1 for word in words)


def _plain(query: Query) -> Query:
    """Take every word for itself: without quotes, fields and dashes."""
    text = query.text.translate(dict.fromkeys(map(ord, _SIGNS), " "))
    plain = parse(" ".join(word.lstrip("-－") for word in text.split()), 0)
    clauses = tuple(one._replace(words=tuple(Word(word.text) for word in one.words)) for one in plain.clauses)
    return plain._replace(clauses=clauses, filters=())
