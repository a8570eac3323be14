"""Cleaning: what a terminal or an attachment leaves in a text and nobody searches for.

All of it is cheap where there is nothing to clean; most texts pass with a few scans of C speed.
"""

from __future__ import annotations

import re

BLOB = 200
"""Characters of base64 in one run that make a blob; shorter runs are ids and hashes."""

# The patterns stay strings: `re` compiles and keeps them when first needed, a search needs none.
# ECMA-48: CSI, OSC (ended by BEL or ST, else by the line), DCS and its kin, then any other escape.
_ESCAPE = r"\x1b(?:\[[0-?]*[ -/]*[@-~]?|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[PX^_][^\x1b]*\x1b\\|[ -/]*[0-~]?)"
_BASE64 = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_")
_RUN = r"[A-Za-z0-9+/_-]+={0,2}"
_DATA_URL = r"data:[A-Za-z0-9_.+/;=-]{0,100}base64,\Z"
_DATA_URL_LONGEST = 120
_SAMPLE = 1000
_NEEDLES = (
    "error",
    "Error",
    "ERROR",
    "FAIL",
    "Traceback",
    "Exception",
    "warning",
    "panic",
    "错误",
    "錯誤",
    "エラー",
)
_LONG_OUTPUT = 64 << 10
_LAST_SCANNED = 32 << 10
_LINE_LONGEST = 300
_WORD_LONGEST = 80
_CUT = "\n...\n"
"""ASCII: one `…` would throw a whole tool output onto the slow path of the tokeniser (4 times slower)."""


def clean(text: str) -> str:
    """Drop terminal escapes, NULs and base64 blobs; make half surrogate pairs U+FFFD.

    A blob of `BLOB` or more characters, with the head of its `data:` URL, becomes `[base64 N characters]`.
    """
    if "\x1b" in text:
        text = re.sub(_ESCAPE, "", text)
    if "\x00" in text:
        text = text.replace("\x00", "")
    if not text.isascii():
        text = _without_half_pairs(text)
    return _without_blobs(text) if len(text) >= BLOB else text


def bound(text: str, head: int = 1000, tail: int = 500, lines: int = 8) -> str:
    """Shorten tool output to `head` characters, `lines` lines that look like errors, and `tail` characters.

    Output of `head + tail` characters or fewer stays whole. The cuts move to a space or line end close by, so
    that no half words are indexed.
    """
    return joined(text, spans(text, head, tail, lines))


def spans(text: str, head: int, tail: int, lines: int = 8) -> list[tuple[int, int]]:
    """Say what `bound` keeps: of a long text its beginning, the lines that look like errors, its end."""
    if len(text) <= head + tail:
        return [(0, len(text))]
    first, last = _before_word(text, head), _after_word(text, len(text) - tail)
    start = first if len(text) <= _LONG_OUTPUT else max(first, len(text) - _LAST_SCANNED)
    return [(0, first), *_error_lines(text, start, last, lines), (last, len(text))]


def joined(text: str, kept: list[tuple[int, int]]) -> str:
    """Join what is kept of a text; marks where something was left out between beginning, lines and end."""
    if len(kept) == 1:
        return text[kept[0][0] : kept[0][1]]
    (first, *lines, last) = [text[start:end] for start, end in kept]
    middle = ["\n".join([line.strip() for line in lines])] if lines else []
    return _CUT.join([first, *middle, last])


def _without_half_pairs(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _without_blobs(text: str) -> str:
    at = _next_run(text, 0)
    if at < 0:
        return text
    one_run = re.compile(_RUN)
    pieces: list[str] = []
    done = 0
    while at >= 0:
        run = one_run.match(text, at)
        assert run is not None
        end = run.end()
        url = re.search(_DATA_URL, text[max(done, at - _DATA_URL_LONGEST) : at])
        if url or _is_random(run[0]):
            pieces += (text[done : at - (len(url[0]) if url else 0)], f"[base64 {end - at} characters]")
            done = end
        at = _next_run(text, end)
    return "".join((*pieces, text[done:])) if pieces else text


def _next_run(text: str, at: int) -> int:
    """Find the start of the next run of `BLOB` base64 characters, or -1; `at` must be the start of a run.

    Looks at the last place of each window first, so that ordinary text is crossed in steps of nearly `BLOB`.
    """
    last = len(text) - BLOB
    while at <= last:
        stop = text.rfind(" ", at, at + BLOB)
        if stop < 0:
            stop = at + BLOB - 1
            while stop >= at and text[stop] in _BASE64:
                stop -= 1
            if stop < at:
                return at
        at = stop + 1
    return -1


def _is_random(run: str) -> bool:
    """Tell encoded bytes from paths, identifiers and hex: cases and digits mix, joining marks are few."""
    sample = run[:_SAMPLE]
    size = len(sample)
    upper = len(re.findall("[A-Z]", sample))
    lower = len(re.findall("[a-z]", sample))
    digits = len(re.findall("[0-9]", sample))
    marks = max(map(sample.count, "/-_"))
    return upper * 10 >= size and lower * 20 >= size and digits * 40 >= size and marks * 16 <= size


def _error_lines(text: str, start: int, end: int, most: int) -> list[tuple[int, int]]:
    found: dict[int, int] = {}
    for needle in _NEEDLES:
        if len(found) >= most:
            break
        at = text.find(needle, start, end)
        while at >= 0 and len(found) < most:
            low = max(text.rfind("\n", start, at) + 1, start, at - _LINE_LONGEST // 2)
            line_end = text.find("\n", at, end)
            high = min(line_end if line_end >= 0 else end, low + _LINE_LONGEST)
            found[low] = high
            at = text.find(needle, high, end)
    return sorted(found.items())


def _before_word(text: str, at: int) -> int:
    """Move `at` back to a space or line end within a word's length, if there is one."""
    low = max(at - _WORD_LONGEST, 0)
    space = max(text.rfind(" ", low, at + 1), text.rfind("\n", low, at + 1))
    return space if space > 0 else at


def _after_word(text: str, at: int) -> int:
    """Move `at` on to what follows a space or line end within a word's length, if there is one."""
    spaces = [space for mark in " \n" if (space := text.find(mark, max(at - 1, 0), at + _WORD_LONGEST)) >= 0]
    return min(spaces) + 1 if spaces else at
