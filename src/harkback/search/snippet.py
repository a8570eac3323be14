"""Cutting from a text the whole thought that holds a match."""

from __future__ import annotations

from harkback._record import NamedTuple
from harkback.text.fold import fold, fold_spans

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SNIPPET_CHARS = 300
MOST_MATCHES = 40
_LONGEST_FOLDED = 400_000
_MOST_FOUND = 2000
_SHORT = 2
_ENDS = "。！？!?\n；"
_CLOSERS = "」』”’）)]\"'"


class Snippet(NamedTuple):
    """Plain text and where in it the query's words stand."""

    text: str
    matches: tuple[tuple[int, int], ...]
    is_cut_before: bool
    is_cut_after: bool


def snippet(text: str, wanted: Sequence[str], chars: int = SNIPPET_CHARS) -> Snippet:
    """Cut about `chars` characters around the place where most of the folded texts `wanted` stand together."""
    shown = text[:_LONGEST_FOLDED]
    found = matches(shown, wanted)
    if len(shown) <= chars:
        return _cut(shown, 0, len(shown), found)
    start, end = _window(shown, found, chars)
    return _cut(shown, start, end, found)


def matches(text: str, wanted: Iterable[str]) -> list[tuple[int, int, int]]:
    """Find every place of the folded texts `wanted`: start, end and the number of the wanted text."""
    folded = fold(text)
    spans = None if len(folded) == len(text) else fold_spans(text)
    if spans is not None:
        folded = spans[0]
    found: list[tuple[int, int, int]] = []
    for number, one in enumerate(dict.fromkeys(wanted)):
        at = folded.find(one) if one else -1
        while at >= 0 and len(found) < _MOST_FOUND:
            end = at + len(one)
            if _is_bordered(folded, at, end):
                found.append((at, end, number))
            at = folded.find(one, end)
    if spans is not None:
        found = [(spans[1][start], spans[1][end], number) for start, end, number in found]
    found.sort()
    return found


def _is_bordered(folded: str, start: int, end: int) -> bool:
    """Keep a short Latin match from being marked inside another word (`c` in `cache`)."""
    if end - start > _SHORT or not folded[start:end].isascii():
        return True
    before, after = folded[start - 1 : start], folded[end : end + 1]
    return not (before.isascii() and before.isalnum()) and not (after.isascii() and after.isalnum())


def _window(text: str, found: list[tuple[int, int, int]], chars: int) -> tuple[int, int]:
    if not found:
        return _to_borders(text, 0, chars, chars)
    best = (-1, 0)
    for index, (start, _, _) in enumerate(found[:500]):
        held: dict[int, int] = {}
        for other, end, number in found[index : index + 60]:
            if end - start > chars * 2 // 3:
                break
            held.setdefault(number, end - other)
        best = max(best, (sum(held.values()) + len(held), -start))
    start = -best[1]
    return _to_borders(text, max(0, start - chars // 4), chars, chars)


def _to_borders(text: str, start: int, length: int, chars: int) -> tuple[int, int]:
    """Move a window's ends to where sentences or lines end, else to a space."""
    reach = chars // 3
    if start > 0:
        before = max((text.rfind(mark, max(0, start - reach), start) for mark in _ENDS), default=-1)
        if before < 0:
            before = text.rfind(" ", max(0, start - 20), start)
        start = before + 1 if before >= 0 else start
        while start < len(text) and text[start] in _CLOSERS + " \n\t":
            start += 1
    end = min(len(text), start + length)
    if end < len(text):
        after = [at for mark in _ENDS if (at := text.find(mark, end, end + reach)) >= 0]
        if after:
            end = min(after) + 1
        else:
            space = text.find(" ", end, end + 20)
            end = space if space >= 0 else end
    return start, end


def _cut(text: str, start: int, end: int, found: list[tuple[int, int, int]]) -> Snippet:
    piece = text[start:end]
    stripped = piece.strip()
    start += len(piece) - len(piece.lstrip())
    marks: list[tuple[int, int]] = []
    for at, to, _ in found:
        if at < start or to > start + len(stripped):
            continue
        if marks and at - start <= marks[-1][1]:
            marks[-1] = (marks[-1][0], max(marks[-1][1], to - start))
        else:
            marks.append((at - start, to - start))
    return Snippet(stripped, tuple(marks[:MOST_MATCHES]), start > 0, start + len(stripped) < len(text.rstrip()))
