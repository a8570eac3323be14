"""Runs: the stretches of one kind of character that a query's word is made of."""

from __future__ import annotations

from harkback._record import NamedTuple
from harkback.text.tokens import RUN, SYMBOL_KIND, WORD_BITS, cuts, folded_kinds

WORD, CJK, SYMBOL = "word", "cjk", "symbol"


class Run(NamedTuple):
    """One stretch with the tokens it gives."""

    kind: str
    text: str
    """Folded, without leading or trailing underscores."""
    tokens: tuple[str, ...]


def runs(text: str) -> list[Run]:
    """Cut a text into runs, in order; what separates them is dropped."""
    folded, kinds = folded_kinds(text)
    found: list[Run] = []
    for match in RUN.finditer(kinds):
        start, end = match.span()
        own = tuple(folded[start + a : start + b] for a, b in cuts(kinds[start:end]))
        if not own:
            continue
        piece = folded[start:end]
        if kinds[start] & WORD_BITS:
            found.append(Run(WORD, piece.strip("_"), own))
        else:
            found.append(Run(SYMBOL if kinds[start] == SYMBOL_KIND else CJK, piece, own))
    return found
