"""Tokens: what the word index holds and what a query asks for.

CJK runs become overlapping bigrams and a last single character, words stay whole and are followed by their
parts (snake_case, camelCase), symbols stand alone. This plain form is the reference for `batch`.
"""

from __future__ import annotations

import re

from harkback.text.fold import (
    COMPOSING,
    IS_UNDERSCORE,
    clusters,
    fold,
    fold_spans,
    kinds,
    kinds_of,
    nfkc,
    pairs,
)

LONGEST = 64
"""Characters of a word beyond which it is cut into pieces of this length and not split by its spelling."""

# The patterns read kinds, one byte a character, not text: \x01 to \x0f and \x41 to \x4f are word characters
# (64 marks a composing one), \x10 and \x50 CJK, \x20 a symbol.
RUN = re.compile(rb"[\x01-\x0f\x41-\x4f]+|[\x10\x50]+|\x20")
WORD_BITS = 15
SYMBOL_KIND = 0x20
_CAPITAL, _UNDERSCORE = b"\x05", b"\x09"
# Between parts: underscores; before a capital that follows or precedes a small letter. A capital alone after
# a digit begins none, so that 5G stays one.
_BETWEEN = re.compile(rb"\x09+|(?<=\x03)(?=\x05)|(?<=[^\x09])(?=\x05\x03)")


def tokens(text: str) -> list[str]:
    """Cut `text` into folded tokens, in order; a whole word comes before its parts."""
    folded, kind = folded_kinds(text)
    return [folded[start:end] for start, end in cuts(kind)]


def token_string(text: str) -> str:
    """Give the tokens of `text` joined by spaces: what the index's whitespace tokenizer is fed."""
    return " ".join(tokens(text))


def spans(text: str) -> list[tuple[str, int, int]]:
    """Give the tokens of `text` with their start and end in `text` itself, for highlighting.

    The spans of neighbours overlap: a bigram covers two characters, the parts of a word lie inside the whole.
    """
    folded, kind = folded_kinds(text)
    _, at = fold_spans(text)
    ends = at[:]  # where the cluster of the character before ends
    for index in range(len(ends) - 2, 0, -1):
        if at[index] == at[index - 1]:
            ends[index] = ends[index + 1]
    return [(folded[start:end], at[start], ends[end]) for start, end in cuts(kind)]


def folded_kinds(text: str) -> tuple[str, bytes]:
    """Fold `text` and give the kind of every folded character; capitals are still known as such."""
    if text.isascii():
        return text.lower(), text.encode().translate(kinds()[:256])
    plain = nfkc(text)
    kind = kinds_of(plain)
    folded = plain.translate(pairs())
    if max(kind) < COMPOSING or nfkc(folded) == folded:
        return folded, kind
    return _folded_by_cluster(plain)


def _folded_by_cluster(text: str) -> tuple[str, bytes]:
    # Folding made a capital compose with its mark, so places before and after no longer correspond.
    folded = ""
    kind = bytearray()
    for start, end in clusters(text):
        piece = fold(text[start:end])
        folded += piece
        kind += kinds_of(text[start]) + kinds_of(piece[1:])
    return folded, bytes(kind)


def cuts(kind: bytes) -> list[tuple[int, int]]:
    """Give start and end of every token in text of these kinds."""
    found: list[tuple[int, int]] = []
    nothing_splits = _CAPITAL not in kind and _UNDERSCORE not in kind
    for run in RUN.finditer(kind):
        start, end = run.span()
        if kind[start] & WORD_BITS and nothing_splits and end - start <= LONGEST:
            found.append((start, end))
        elif kind[start] & WORD_BITS:
            found += _word_cuts(kind, start, end)
        else:
            found += zip(range(start, end - 1), range(start + 2, end + 1), strict=True)
            found.append((end - 1, end))
    return found


def _word_cuts(kind: bytes, start: int, end: int) -> list[tuple[int, int]]:
    while start < end and kind[start] & IS_UNDERSCORE:
        start += 1
    while start < end and kind[end - 1] & IS_UNDERSCORE:
        end -= 1
    if end - start > LONGEST:
        return [(at, min(at + LONGEST, end)) for at in range(start, end, LONGEST)]
    parts = []
    at = start
    for between in _BETWEEN.finditer(kind[start:end]):
        parts.append((at, start + between.start()))
        at = start + between.end()
    if start < end:
        parts.append((at, end))
    return [(start, end), *parts] if len(parts) > 1 else parts
