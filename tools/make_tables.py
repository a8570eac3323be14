# ruff: noqa: INP001 - a script, not part of a package
"""Write `src/harkback/text/_tables.py`, the table that decides letters, borders and folding.

    python tools/make_tables.py

Needs `opencc-python-reimplemented` (Apache-2.0) for the Traditional to Simplified pairs and takes the newest
Unicode data it finds: the package `unicodedata2`, else the interpreter's own. Neither is needed at run time.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import textwrap
import unicodedata
from itertools import groupby
from typing import Any

ucd: Any = unicodedata
if importlib.util.find_spec("unicodedata2"):
    ucd = importlib.import_module("unicodedata2")

OUT = os.path.join(os.path.dirname(__file__), "..", "src", "harkback", "text", "_tables.py")
YPOGEGRAMMENI = 0x345  # the one mark that case folding would turn into a letter

# Everything that is written without spaces or runs together with such text: Han with all its extension
# planes, kana, bopomofo, Hangul, their iteration and prolonged sound marks.
CJK = (
    (0x1100, 0x11FF),
    (0x2E80, 0x2FDF),
    (0x3005, 0x3007),
    (0x3021, 0x302F),
    (0x3031, 0x3035),
    (0x3038, 0x303C),
    (0x3041, 0x309A),
    (0x309D, 0x309F),
    (0x30A1, 0x30FA),
    (0x30FC, 0x312F),
    (0x3131, 0x318E),
    (0x31A0, 0x31BF),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xA960, 0xA97C),
    (0xAC00, 0xD7FB),
    (0xF900, 0xFAFF),
    (0xFF66, 0xFF9D),
    (0xFFA0, 0xFFDC),
    (0x16FE3, 0x16FE3),
    (0x16FF0, 0x16FF6),
    (0x1AFF0, 0x1B16F),
    (0x20000, 0x2FFFD),
    (0x30000, 0x3FFFD),
)
# Missing in the list because mainland text has both; the particle (看著), by far the commoner, is 着 there.
EXTRA_HAN = {"著": "着"}
# Blocks where a code point that is not assigned yet will be a pictograph.
PICTOGRAPHS = (0x1F000, 0x1FAFF)
# Marks that show nothing and must not become a word: combining grapheme joiner, variation selectors.
INVISIBLE = (
    (0x34F, 0x34F),
    (0x2065, 0x2065),
    (0x180B, 0x180F),
    (0xFE00, 0xFE0F),
    (0xFFF0, 0xFFFF),
    (0xE0000, 0x10FFFF),
)

HEADER = '''"""The table that decides letters, borders and folding: data only, made by `tools/make_tables.py`.

Unicode {version}. HAN_FROM/HAN_TO are the one-to-one pairs (first choice) of the Traditional to Simplified
character list of OpenCC (https://github.com/BYVoid/OpenCC), Apache License 2.0, as packaged in
`opencc-python-reimplemented`, and the pair 著/着; all else comes from the Unicode Character Database.

KINDS covers the code points from 0 to 0xFFFF, KINDS_ASTRAL the rest, in runs, a length and one letter each:
s separator, w word, c CJK, y symbol; W and C are word and CJK characters that may melt into the one before.
UPPER/LOWER pair the upper-case letters with their lower-case partners, by code point; FOLD_FROM/FOLD_TO fold
without counting as upper case (final sigma, Cherokee).
"""

'''


def inside(code: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    """Whether `code` lies in one of the closed ranges."""
    return any(low <= code <= high for low, high in ranges)


def composing() -> set[str]:
    """Find the characters that can be second in a composition, Hangul vowels and finals included."""
    found = {chr(code) for code in (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))}
    for code in range(sys.maxunicode + 1):
        parts = ucd.decomposition(chr(code)).split()
        if len(parts) == 2 and not parts[0].startswith("<"):  # noqa: PLR2004
            whole = ucd.normalize("NFC", "".join(chr(int(part, 16)) for part in parts))
            if whole == chr(code):
                found.add(chr(int(parts[1], 16)))
    return found


def kind(code: int, seconds: set[str]) -> str:
    """Class of one code point, as a letter of KINDS."""
    char = chr(code)
    category = ucd.category(char)
    if char == "_":
        return "w"
    if category in {"Cc", "Cf", "Cs", "Co", "Me"} or category[0] in "PZ" or inside(code, INVISIBLE):
        return "s"
    if inside(code, CJK):
        return "C" if char in seconds else "c"
    if category == "Cn":
        return "y" if inside(code, (PICTOGRAPHS,)) else "w"
    if category[0] == "S":
        return "s" if char.isascii() else "y"
    return "W" if char in seconds else "w"


def kinds(name: str, codes: range) -> str:
    """Assign to `name` the kinds of `codes`, as lengths and letters."""
    seconds = composing()
    letters = (kind(code, seconds) for code in codes)
    runs = " ".join(f"{len(list(group))}{letter}" for letter, group in groupby(letters))
    return assignment(name, [line + " " for line in textwrap.wrap(runs, 100)])


def lowered(char: str) -> str:
    """Fold the case of one character to one character; the dotted capital I of Turkish becomes a plain i."""
    if ord(char) == YPOGEGRAMMENI:
        return char
    if char == "\u0130":
        return "i"
    return next((to for to in (char.casefold(), char.lower()) if len(to) == 1), char)


def cases() -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Pairs of upper and lower case, and pairs that fold without being upper case."""
    upper: list[tuple[str, str]] = []
    other: list[tuple[str, str]] = []
    for code in range(sys.maxunicode + 1):
        char = chr(code)
        if ucd.normalize("NFKC", char) == char and lowered(char) != char:
            (upper if ucd.category(char) in {"Lu", "Lt"} else other).append((char, lowered(char)))
    return upper, other


def han() -> list[tuple[str, str]]:
    """One-to-one Traditional to Simplified pairs, followed to their end, normalised."""
    spec = importlib.util.find_spec("opencc")
    assert spec is not None
    assert spec.origin is not None
    path = os.path.join(os.path.dirname(spec.origin), "dictionary", "TSCharacters.txt")
    pairs = dict(EXTRA_HAN)
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            char, _, choices = line.strip().partition("\t")
            pairs[char] = ucd.normalize("NFKC", choices.split()[0])
    ends = {}
    for char, first in pairs.items():
        to = first
        while pairs.get(to, to) != to:
            to = pairs[to]
        if len(char) == len(to) == 1 and to != char and ucd.normalize("NFKC", char) == char:
            ends[char] = to
    return sorted(ends.items())


def assignment(name: str, lines: list[str]) -> str:
    """One assignment of a text cut into lines, in the shape that the formatter gives it."""
    whole = "".join(lines)
    if len(name) + len(whole) <= 105:  # noqa: PLR2004 - it fits a line
        return f'{name} = "{whole}"\n'
    return f"{name} = (\n" + "".join(f'    "{line}"\n' for line in lines) + ")\n"


def main() -> None:
    """Write the table."""
    upper, other = cases()
    columns = {"UPPER": upper, "LOWER": upper, "FOLD_FROM": other, "FOLD_TO": other, "HAN_FROM": han()}
    columns["HAN_TO"] = columns["HAN_FROM"]
    with open(OUT, "w", encoding="utf-8", newline="\n") as out:
        out.write(HEADER.format(version=ucd.unidata_version))
        out.write(kinds("KINDS", range(0x10000)))
        out.write(kinds("KINDS_ASTRAL", range(0x10000, sys.maxunicode + 1)))
        for name, pairs in columns.items():
            side = name in {"LOWER", "FOLD_TO", "HAN_TO"}
            text = "".join(pair[side] for pair in pairs)
            out.write(assignment(name, [text[at : at + 50] for at in range(0, len(text), 50)]))


if __name__ == "__main__":
    main()
