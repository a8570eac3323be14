"""Folding: the form in which the index and the query compare text.

NFKC, simple case folding and Traditional to Simplified Chinese, character by character; accents stay. The
pairs come from `_tables`; the table for `str.translate` is built at first use (0.4 ms), not at import.
"""

from __future__ import annotations

from unicodedata import combining, decomposition, is_normalized, normalize

from harkback.text._tables import FOLD_FROM, FOLD_TO, HAN_FROM, HAN_TO, KINDS, KINDS_ASTRAL, LOWER, UPPER

# What a character is, as bits, so that a test for any of several kinds is one `&`. A separator has none.
WORD, IS_LOWER, IS_UPPER, IS_UNDERSCORE, CJK, SYMBOL, COMPOSING = 1, 2, 4, 8, 16, 32, 64

_LETTER_KINDS = {
    letter: bytes((kind,))
    for letter, kind in zip("swWcCy", (0, WORD, WORD | COMPOSING, CJK, CJK | COMPOSING, SYMBOL), strict=True)
}

_pairs: dict[int, int] = {}
_kinds: dict[bool, bytes] = {}


def pairs() -> dict[int, int]:
    """Give the table of one-to-one pairs for `str.translate`; applying it twice changes nothing more."""
    if not _pairs:
        _pairs.update(str.maketrans(UPPER + FOLD_FROM + HAN_FROM, LOWER + FOLD_TO + HAN_TO))
    return _pairs


def kinds(astral: bool = False) -> bytes:
    """Give the kind of every code point up to 0xFFFF, or of all: of NFKC text before it is folded.

    Folding only turns `IS_UPPER` into `IS_LOWER`.
    """
    if astral not in _kinds:
        table = bytearray(kinds()) if astral else bytearray()
        for run in (KINDS_ASTRAL if astral else KINDS).split():
            table += _LETTER_KINDS[run[-1]] * int(run[:-1])
        for case, kind in ((LOWER, WORD | IS_LOWER), (UPPER, WORD | IS_UPPER)):
            for code in map(ord, case):
                if code < len(table):
                    table[code] = kind
        table[ord("_")] |= IS_UNDERSCORE
        _kinds[astral] = bytes(table)
    return _kinds[astral]


def kinds_of(text: str) -> bytes:
    """Give the kind of every character of `text`, which must be NFKC."""
    return bytes(map(kinds(max(text, default="") > "\uffff").__getitem__, map(ord, text)))


def fold(text: str) -> str:
    """Fold `text` for comparison: NFKC, lower case, Simplified Chinese; folding twice changes no more."""
    if text.isascii():
        return text.lower()
    folded = nfkc(text).translate(pairs())
    # A small letter may compose with a mark where the capital could not (H with U+0331 below).
    while not is_normalized("NFKC", folded):
        folded = normalize("NFKC", folded).translate(pairs())
    return folded


def fold_spans(text: str) -> tuple[str, list[int]]:
    """Fold `text` and say where each folded character came from.

    The list has one index into `text` per folded character, the start of the cluster that it came from, and
    `len(text)` at the end. A cluster is a character with what composes with it (half-width kana and mark).
    """
    folded = fold(text)
    if is_normalized("NFKC", text) and len(folded) == len(text):
        return folded, list(range(len(text) + 1))
    at: list[int] = []
    for start, end in clusters(text):
        at += [start] * len(fold(text[start:end]))
    at.append(len(text))
    return folded, at


def clusters(text: str) -> list[tuple[int, int]]:
    """Cut `text` into ranges that normalise independently of each other."""
    starts = [at for at, char in enumerate(text) if not at or char.isascii() or _stands_alone(char)]
    return list(zip(starts, [*starts[1:], len(text)], strict=True))


def nfkc(text: str) -> str:
    """Normalise to NFKC; text that is so already is only checked, at more than 1 GB/s."""
    return text if is_normalized("NFKC", text) else normalize("NFKC", text)


def _stands_alone(char: str) -> bool:
    first = normalize("NFKD", char)[0] if decomposition(char) else char
    return not (combining(first) or kinds_of(first)[0] & COMPOSING)
