"""What a query asks of the word index: its words as tokens, shared by every engine.

A query is a list of `Need`s that must all be met. A need is met by any of its `Atom`s; when nothing meets it as
written, its `loose` atoms say into what it may be broken. A CJK run of up to four characters, and anything
quoted, is one atom and is never broken.
"""

from __future__ import annotations

from harkback._record import NamedTuple
from harkback.text.fold import fold
from harkback.text.runs import CJK, WORD, runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harkback.query import Clause, Query, Word
    from harkback.text.runs import Run

UNBROKEN_CHARS = 4
"""A CJK run of up to this many characters is searched only as it is."""

PAIR = 2

MOST_ATOMS = 24
"""At most so many atoms of a question are searched, the rarest: more find no better and cost more."""

MOST_SESSION_ATOMS = 30
"""The same for whole sessions, which speak of more."""


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
    literal: str = ""
    """Folded text to look for in the hit itself when tokens cannot tell (`c++`, `--no-cache`), or empty."""


class Need(NamedTuple):
    """One word, phrase or OR of words of the query."""

    atoms: tuple[Atom, ...]
    loose: tuple[Atom, ...]
    negated: bool = False

    @property
    def is_literal(self) -> bool:
        """Whether the hit's own text must be looked at."""
        return any(atom.literal for atom in self.atoms)

    def holds(self, folded: str) -> bool:
        """Whether a folded text that the index gave for this need really meets it."""
        return any(
            atom.literal in folded
            if atom.literal
            else any(all(token in folded for token in phrase.tokens) for phrase in atom.phrases)
            for atom in self.atoms
        )


def needs(query: Query) -> tuple[Need, ...]:
    """Turn the clauses of a query into needs; a clause without anything searchable is left out."""
    return tuple(need for clause in query.clauses if (need := _need(clause)) is not None)


def rechecked(wanted: tuple[Need, ...]) -> tuple[Need, ...] | None:
    """Ask for the tokens of phrases anywhere, and for the phrases in the hit's own text; None without phrases.

    For when nothing is found: in the index `getUserName` is followed by its parts, which a phrase typed in small
    letters does not expect.
    """
    changed: list[Need] = []
    for need in wanted:
        atom = need.atoms[0]
        tokens = atom.phrases[0].tokens
        is_phrase = need.loose == need.atoms and len(tokens) >= PAIR and any(token.isascii() for token in tokens)
        if need.negated or len(need.atoms) > 1 or not is_phrase:
            changed.append(need)
            continue
        ends_open = atom.phrases[0].open_end
        changed += [
            Need((Atom((Phrase((token,), ends_open and at == len(tokens) - 1),), token, literal=atom.text),), ())
            for at, token in enumerate(tokens)
        ]
    return tuple(changed) if len(changed) > len(wanted) else None


def whole_phrase(query: Query) -> Phrase | None:
    """Give all the words of a query as one phrase, as they would stand side by side in a text."""
    clauses = [clause for clause in query.clauses if not clause.negated]
    if not clauses or any(len(clause.words) != 1 for clause in clauses):
        return None
    pieces = runs(" ".join(clause.words[0].text for clause in clauses))
    return _atom(pieces, "").phrases[0] if pieces else None


def _need(clause: Clause) -> Need | None:
    atoms: list[Atom] = []
    loose: list[Atom] = []
    for word in clause.words:
        pieces = runs(word.text)
        if not pieces:
            continue
        atom = _atom(pieces, fold(word.text))._replace(literal=_literal(word))
        if word.quoted:
            atom = atom._replace(word="")
        atoms.append(atom)
        loose.extend([atom] if word.quoted else _broken(pieces))
    return Need(tuple(atoms), tuple(loose), clause.negated) if atoms else None


# Signs that make another thing of the word they touch, and that tokens drop.
_LEADING = "-.$@#+"
_TRAILING = "+#"
SENTENCE = ".,;:!?)]}'\"…。，、；：！？）」』"


def _literal(word: Word) -> str:
    """Return the text to recheck: where tokens would take `C++` for `c` and `--no-cache` for "no cache".

    Signs inside a word (`foo.bar`, `well-known`) and those of a sentence need no recheck.
    """
    folded = fold(word.text).strip()
    bare = folded.rstrip(SENTENCE)
    is_sign = bare[:1] in _LEADING or bare[-1:] in _TRAILING
    return bare if bare and is_sign and folded.isascii() else ""


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
