"""What a query asks of the word index: its words as tokens, shared by every engine.

A query is a list of `Need`s that must all be met. A need is met by any of its `Atom`s; when nothing meets it as
written, its `loose` atoms say into what it may be broken. A CJK run of up to four characters, and anything
quoted, is one atom and is never broken.
"""

from __future__ import annotations

from harkback._record import NamedTuple
from harkback.text import fold
from harkback.text.runs import CJK, WORD, runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harkback.query import Clause, Query, Word
    from harkback.text.runs import Run

UNBROKEN_CHARS = 4
"""A CJK run of up to this many characters is searched only as it is."""

MOST_ATOMS = 30
"""At most so many atoms of a query are searched, the rarest (an OR of 300 terms costs 24 ms, of 30 common 23)."""


class Phrase(NamedTuple):
    """Tokens that stand one after the other; with `open_end` the last one may go on (`卡` also in `卡的`)."""

    tokens: tuple[str, ...]
    open_end: bool = False


class Atom(NamedTuple):
    """Something that is found whole or not at all."""

    phrases: tuple[Phrase, ...]
    """Alternatives, the most exact first."""
    text: str
    """The folded text that a hit holds."""
    word: str = ""
    """The folded Latin word, where the atom is just one: it may stand in other English forms or inside a word."""


class Need(NamedTuple):
    """One word, phrase or OR of words of the query."""

    atoms: tuple[Atom, ...]
    loose: tuple[Atom, ...]
    negated: bool
    literal: str
    """Folded text to look for in the hit itself when tokens cannot tell (`c++`, `--no-cache`), or empty."""


def needs(query: Query) -> tuple[Need, ...]:
    """Turn the clauses of a query into needs; a clause without anything searchable is left out."""
    return tuple(need for clause in query.clauses if (need := _need(clause)) is not None)


def whole_phrase(wanted: tuple[Need, ...]) -> Phrase | None:
    """Give the whole query as one phrase, where its words could stand side by side as typed."""
    positive = [need for need in wanted if not need.negated]
    if not positive or any(len(need.atoms) != 1 for need in positive):
        return None
    tokens: list[str] = []
    for need in positive:
        phrase = need.atoms[0].phrases[0]
        if phrase.open_end and need is not positive[-1]:
            tokens.extend(phrase.tokens)
            continue
        tokens.extend(_closed(phrase, need.atoms[0].text) if need is not positive[-1] else phrase.tokens)
    return Phrase(tuple(tokens), positive[-1].atoms[0].phrases[0].open_end)


def _closed(phrase: Phrase, text: str) -> tuple[str, ...]:
    """Add the last unigram that a CJK run has where it ends before a space (`定檔` ends as `定檔 檔`)."""
    last = phrase.tokens[-1]
    is_bigram = len(last) == 2 and text.endswith(last) and any(run.kind == CJK for run in runs(last))
    return (*phrase.tokens, last[-1]) if is_bigram else phrase.tokens


def _need(clause: Clause) -> Need | None:
    atoms: list[Atom] = []
    loose: list[Atom] = []
    literal = ""
    for word in clause.words:
        pieces = list(runs(word.text))
        if not pieces:
            continue
        atoms.append(_atom(pieces, fold(word.text)))
        loose.extend([atoms[-1]] if word.quoted else _broken(pieces))
        literal = _literal(word, pieces)
    if not atoms:
        return None
    return Need(tuple(atoms), tuple(loose), clause.negated, literal if len(clause.words) == 1 else "")


def _literal(word: Word, pieces: list[Run]) -> str:
    """Return the text to recheck: what a phrase of tokens would not tell apart from something else."""
    folded = fold(word.text).strip()
    bare = "".join(folded.split())
    held = sum(len(piece.text) for piece in pieces)
    return folded if held < len(bare) else ""


def _atom(pieces: list[Run], text: str) -> Atom:
    tokens: list[str] = []
    for piece in pieces:
        tokens.extend(piece.tokens)
    last = pieces[-1]
    open_end = False
    if last.kind == CJK:
        if len(last.text) > 1:
            tokens.pop()  # the last unigram holds only where the run ends; the bigrams hold everywhere
        else:
            open_end = True
    phrases = [Phrase(tuple(tokens), open_end)]
    word = ""
    if len(pieces) == 1 and last.kind == WORD:
        # `getUserName`, however it is cased; then its parts side by side (`get_user_name`, "get user name").
        phrases = [Phrase((last.tokens[0],))]
        word = last.tokens[0]
        if len(last.tokens) > 1 and last.text == word:
            phrases.append(Phrase(tuple(last.tokens[1:])))
    elif any(piece.kind == WORD and len(piece.tokens) > 1 and piece.text == piece.tokens[0] for piece in pieces):
        plain: list[str] = []
        for piece in pieces:
            is_split = piece.kind == WORD and piece.text == piece.tokens[0]
            plain.extend(piece.tokens[:1] if is_split else piece.tokens)
        if last.kind == CJK and len(last.text) > 1:
            plain.pop()
        phrases.append(Phrase(tuple(plain), open_end))
    return Atom(tuple(phrases), text.strip(), word)


def _broken(pieces: list[Run]) -> list[Atom]:
    broken: list[Atom] = []
    for piece in pieces:
        if piece.kind == CJK and len(piece.text) > UNBROKEN_CHARS:
            broken.extend(Atom((Phrase((pair,)),), pair) for pair in piece.tokens[:-1])
        else:
            broken.append(_atom([piece], piece.text))
    return broken
