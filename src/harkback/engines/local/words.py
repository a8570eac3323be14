"""The Tantivy side of the local engine: one document per part, holding tokens and numbers, never the text.

Traps of the binding that shape this file (all measured, tantivy 0.27): integer fields only, since deleting by term
on an unsigned field deletes nothing and says nothing; a phrase of one word and `limit=0` panic with a
`BaseException`; tokenisers are not stored and must be registered on every open; a writer dropped without
`wait_merging_threads` leaves one more segment each time.
"""

from __future__ import annotations

import os

import tantivy

from harkback import errors
from harkback._record import NamedTuple
from harkback.model import MAIN_LANES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harkback.terms import Atom, Phrase

SCHEMA_VERSION = 1
"""Part of the folder's name: an index of another schema cannot be opened, so a new one is made beside it."""

MOST_SEGMENTS = 8
"""Above this many, a commit waits for merging threads, or their number would grow with every small commit."""

LONGEST_TOKEN_BYTES = 260
"""64 characters of four bytes each, and room; longer tokens would vanish silently at 65,530 bytes."""

_Q = tantivy.Query
_MUST, _SHOULD, _NOT = tantivy.Occur.Must, tantivy.Occur.Should, tantivy.Occur.MustNot
_INT = tantivy.FieldType.Integer


class Facts(NamedTuple):
    """The numbers of one part that filters and ranking use."""

    seq: int
    transcript: int
    session: int
    project: int
    agent: int
    lane: int
    role: int
    time_ms: int | None
    tool: int | None
    branch: int | None
    files: tuple[int, ...]


def _schema() -> tantivy.Schema:
    build = tantivy.SchemaBuilder()
    build.add_text_field("w", stored=False, tokenizer_name="hark", index_option="position")
    for name in ("seq", "session", "project", "lane", "role"):
        build.add_integer_field(name, indexed=True, fast=True)
    build.add_integer_field("time", fast=True)
    for name in ("transcript", "agent", "tool", "branch", "file"):
        build.add_integer_field(name, indexed=True)
    return build.build()


SCHEMA = _schema()


class Words:
    """The word index in one folder. Reading needs no lock; one writer at a time."""

    def __init__(self, index: tantivy.Index, folder: str) -> None:
        """Use `open_folder`, `create` or `in_memory`."""
        self.index = index
        self.folder = folder
        index.register_tokenizer(
            "hark",
            tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
            .filter(tantivy.Filter.remove_long(LONGEST_TOKEN_BYTES))
            .build(),
        )
        self._writer: tantivy.IndexWriter | None = None

    @classmethod
    def open_folder(cls, folder: str) -> Words:
        """Open what is there; raises ValueError when it is no index."""
        return cls(tantivy.Index.open(folder), folder)

    @classmethod
    def create(cls, folder: str) -> Words:
        """Make an empty index, or open the one that is there."""
        os.makedirs(folder, mode=0o700, exist_ok=True)
        return cls(tantivy.Index(SCHEMA, path=folder, reuse=True), folder)

    @classmethod
    def in_memory(cls) -> Words:
        """Make a small index for rows that the real one does not hold yet."""
        return cls(tantivy.Index(SCHEMA), "")

    # -- writing ---------------------------------------------------------------------------------------------

    def can_write(self, *, heap_bytes: int, threads: int = 1) -> bool:
        """Take the writer's lock; False when another process holds it.

        Beside a busy reader one thread is best on two cores; a rebuild, which reads little, gains by two.
        """
        if self._writer is None:
            try:
                self._writer = self.index.writer(heap_bytes, threads)
            except ValueError as error:
                if "Lock" in str(error):
                    return False
                raise
            self._sweep()
        return True

    def _sweep(self) -> None:
        """Remove what a killed writer leaves; we hold the lock, so none of it is live.

        Temporary files (`.tmpXXXXXX`), and lists of deletions that no commit names: the repair would make the same
        name again (`<segment>.<opstamp>.del`) and be refused, at every later sync.
        """
        if not self.folder:
            return
        import json

        with open(os.path.join(self.folder, "meta.json"), encoding="utf-8") as file:
            segments = json.load(file)["segments"]
        live = {f"{s['segment_id'].replace('-', '')}.{s['deletes']['opstamp']}.del" for s in segments if s["deletes"]}
        for name in os.listdir(self.folder):
            if name.startswith(".tmp") or (name.endswith(".del") and name not in live):
                # A thread of the writer before us may be at the same: the lock does not wait for its threads.
                try:
                    os.unlink(os.path.join(self.folder, name))
                except FileNotFoundError:
                    continue

    def add(self, facts: Sequence[Facts], strings: Sequence[str]) -> None:
        """Add parts with their token strings; they count only after `commit`."""
        writer = self._writer
        assert writer is not None
        make = tantivy.Document.from_dict
        for fact, string in zip(facts, strings, strict=True):
            values: dict[str, object] = {
                "w": string,
                "seq": fact[0],
                "transcript": fact[1],
                "session": fact[2],
                "project": fact[3],
                "agent": fact[4],
                "lane": fact[5],
                "role": fact[6],
            }
            if fact[7] is not None:
                values["time"] = fact[7]
            if fact[8] is not None:
                values["tool"] = fact[8]
            if fact[9] is not None:
                values["branch"] = fact[9]
            if fact[10]:
                values["file"] = list(fact[10])
            writer.add_document(make(values, SCHEMA))

    def remove(self, *, seq: int, transcript: int | None) -> None:
        """Remove one part, or every part of a transcript up to `seq`."""
        assert self._writer is not None
        if transcript is None:
            self._writer.delete_documents_by_query(_Q.term_query(SCHEMA, "seq", seq))
            return
        upto = _Q.range_query(SCHEMA, "seq", _INT, upper_bound=seq)
        only = _Q.term_query(SCHEMA, "transcript", transcript)
        self._writer.delete_documents_by_query(_Q.boolean_query([(_MUST, only), (_MUST, upto)]))

    def remove_above(self, seq: int) -> None:
        """Remove every part whose number is greater than `seq`."""
        assert self._writer is not None
        self._writer.delete_documents_by_query(
            _Q.range_query(SCHEMA, "seq", _INT, lower_bound=seq, include_lower=False)
        )

    def commit(self) -> None:
        """Make everything added and removed count, durably."""
        assert self._writer is not None
        self._writer.commit()
        self.index.reload()

    def rollback(self) -> None:
        """Forget what was added since the last commit."""
        if self._writer is not None:
            try:
                self._writer.rollback()
            except ValueError:
                self._writer = None  # it was killed: nothing was committed, and a new writer starts clean

    def close(self, *, merge: bool) -> None:
        """Give the lock back. With too many segments (always so with `merge`) wait for the merges under way."""
        writer, self._writer = self._writer, None
        if writer is None:
            return
        if merge or self.index.searcher().num_segments > MOST_SEGMENTS:
            try:
                writer.wait_merging_threads()
            except ValueError:
                return  # merging is an improvement; the next writer tries again
        del writer

    # -- reading ---------------------------------------------------------------------------------------------

    def searcher(self) -> tantivy.Searcher:
        """Give a snapshot: it stays as it is while others write."""
        return self.index.searcher()


def remove_folder(folder: str) -> None:
    """Remove an index that nothing points to any more."""
    from shutil import rmtree  # brings four compression modules, 4 ms

    rmtree(folder, ignore_errors=True)


class sound:  # noqa: N801  # used as a verb: `with sound(folder):`
    """Turn what the index says of its own damage, which may show at any reading, into our own error.

    It panics where it finds what cannot be: a `BaseException` of a class that nothing exports.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        if isinstance(error, ValueError) or (kind is not None and kind.__name__ == "PanicException"):
            raise errors.WordsMissing(self.folder, (str(error).splitlines() or ["it panicked"])[0][:160]) from error


_FOOTER_MAGIC = 1337


def damaged(folder: str) -> int:
    """Count the files of an index whose bytes are not those that were written: each ends with a sum of them."""
    import json

    with open(os.path.join(folder, "meta.json"), encoding="utf-8") as file:
        live = {one["segment_id"].replace("-", "") for one in json.load(file)["segments"]}
    return sum(
        not _is_whole(os.path.join(folder, name)) for name in os.listdir(folder) if name.partition(".")[0] in live
    )


def _is_whole(path: str) -> bool:
    import json
    from zlib import crc32

    try:
        with open(path, "rb") as file:
            end = file.seek(0, os.SEEK_END) - 8
            file.seek(end)
            length, magic = (int.from_bytes(file.read(4), "little") for _ in range(2))
            file.seek(end - length)
            told = json.loads(file.read(length))["crc"]
            file.seek(0)
            left, found = end - length, 0
            while left > 0 and (data := file.read(min(left, 1 << 20))):
                found, left = crc32(data, found), left - len(data)
    except FileNotFoundError:
        return True  # merged by another process meanwhile
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return magic == _FOOTER_MAGIC and found == told


# -- queries -------------------------------------------------------------------------------------------------


def phrase(wanted: Phrase) -> tantivy.Query:
    """Ask for tokens side by side."""
    tokens = list(wanted.tokens)
    if wanted.open_end:
        pattern = _escape(tokens[-1]) + ".?"
        if len(tokens) == 1:
            return _Q.regex_query(SCHEMA, "w", pattern)
        return _Q.regex_phrase_query(SCHEMA, "w", [*map(_escape, tokens[:-1]), pattern])
    if len(tokens) == 1:
        return _Q.term_query(SCHEMA, "w", tokens[0])
    return _Q.phrase_query(SCHEMA, "w", [*tokens])


LETTERS = "[a-z]*"
"""What may surround a text inside a word: letters only prunes every id, hash and number, 44 ms against 630."""

IDENTIFIERS = "[a-z]*[0-9]*[a-z]*"
"""Letters, at most one number between them (`utf8string`): passes over hashes and other ids."""

ANY_CHARACTER = ".*"


def inside(tokens: Sequence[str], any_: str) -> tantivy.Query:
    """Ask for words that hold the given text somewhere inside, with `any_` around it, through the term dictionary."""
    if len(tokens) == 1:
        return _Q.regex_query(SCHEMA, "w", any_ + _escape(tokens[0]) + any_)
    middle = [_escape(token) for token in tokens[1:-1]]
    return _Q.regex_phrase_query(SCHEMA, "w", [any_ + _escape(tokens[0]), *middle, _escape(tokens[-1]) + any_])


def union(queries: Sequence[tantivy.Query]) -> tantivy.Query:
    """Any of them."""
    return queries[0] if len(queries) == 1 else _Q.boolean_query([(_SHOULD, query) for query in queries])


def both(queries: Iterable[tantivy.Query]) -> tantivy.Query:
    """All of them."""
    listed = list(queries)
    return listed[0] if len(listed) == 1 else _Q.boolean_query([(_MUST, query) for query in listed])


def preferring(query: tantivy.Query, better: Sequence[tantivy.Query]) -> tantivy.Query:
    """`query`, and more so where some of `better` hold too."""
    return _Q.boolean_query([(_MUST, query), *((_SHOULD, boosted(one, 2.0)) for one in better)])


def tokens(listed: Sequence[str]) -> list[tantivy.Query]:
    """Parts that hold a token, one query each."""
    return [_Q.term_query(SCHEMA, "w", token) for token in listed]


def without(query: tantivy.Query, excluded: Sequence[tantivy.Query]) -> tantivy.Query:
    """`query` but none of `excluded`."""
    if not excluded:
        return query
    return _Q.boolean_query([(_MUST, query), *((_NOT, other) for other in excluded)])


def boosted(query: tantivy.Query, factor: float) -> tantivy.Query:
    """Multiply the score."""
    return _Q.boost_query(query, factor)


def filtered(query: tantivy.Query, filters: Sequence[tantivy.Query]) -> tantivy.Query:
    """`query` where every filter holds; filters do not count in the score."""
    if not filters:
        return query
    return _Q.boolean_query([(_MUST, query), *((_MUST, _Q.const_score_query(one, 0.0)) for one in filters)])


def everything() -> tantivy.Query:
    """Every part."""
    return _Q.all_query()


def nothing() -> tantivy.Query:
    """No part."""
    return _Q.empty_query()


def numbers(field: str, values: Sequence[int]) -> tantivy.Query:
    """Parts whose `field` is one of `values`."""
    if not values:
        return nothing()
    if len(values) == 1:
        return _Q.term_query(SCHEMA, field, values[0])
    return _Q.term_set_query(SCHEMA, field, list(values))


def between(field: str, start: int | None, end: int | None) -> tantivy.Query:
    """Parts whose `field` lies in [start, end)."""
    if start is None and end is None:
        return everything()
    # The binding refuses an unbounded side that is not inclusive.
    return _Q.range_query(SCHEMA, field, _INT, lower_bound=start, upper_bound=end, include_upper=end is None)


def lanes(wanted: Sequence[int]) -> tantivy.Query:
    """Parts of these lanes; the main ones lie together, so one range selects them (3 ms against 10)."""
    if tuple(wanted) == MAIN_LANES:
        return between("lane", MAIN_LANES[0], MAIN_LANES[-1] + 1)
    return numbers("lane", wanted)


def atom(wanted: Atom, forms: Sequence[str]) -> tantivy.Query:
    """Ask for an atom as written, or in other English forms or with its parts side by side (for less)."""
    first, *others = wanted.phrases
    queries = [phrase(first)]
    queries += [boosted(phrase(other), 0.5) for other in others]
    queries += [boosted(_Q.term_query(SCHEMA, "w", form), FORM_WEIGHT) for form in forms]
    return union(queries)


def matched(queries: Sequence[tantivy.Query], seqs: Sequence[int]) -> tantivy.Query:
    """Score each of the parts `seqs` with the sum of 2**i over the queries that it matches.

    A 32-bit float holds such a sum exactly for up to 24 queries: one cheap search tells which words each candidate
    holds, without reading a row.
    """
    assert len(queries) <= BITS_AT_ONCE
    flags = [(_SHOULD, _Q.const_score_query(query, float(1 << number))) for number, query in enumerate(queries)]
    return _Q.boolean_query([(_MUST, _Q.const_score_query(numbers("seq", seqs), 0.0)), *flags])


BITS_AT_ONCE = 24

FORM_WEIGHT = 0.4


def stem(word: str) -> str:
    """Give the stem of an English word (Snowball's English stemmer, as built into Tantivy)."""
    return str(_stemmer().analyze(word)[0]) if word else word


_kept: list[tantivy.TextAnalyzer] = []


def _stemmer() -> tantivy.TextAnalyzer:
    if not _kept:
        builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.raw())
        _kept.append(builder.filter(tantivy.Filter.stemmer("english")).build())
    return _kept[0]


_SPECIAL = frozenset("\\.+*?()|[]{}^$#&-~/<>@\"'`=!,;:%")


def _escape(token: str) -> str:
    return "".join("\\" + char if char in _SPECIAL else char for char in token)
