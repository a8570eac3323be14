"""`MEMORY.md`, the index of a folder: one line for each file, as many as fit, the least important left out. Pure."""

from __future__ import annotations

import re

from harkback._record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

FILE = "MEMORY.md"
SUMMARY_CHARS = 150
BEGINNING = "# Memory\n\n"

_LINE = r"\s*(?:[-*+]|\d{1,3}[.)])[ \t]+\[(?:[^\]]|\\\])*\]\(<?(?P<target>[^)>]+)>?\)"
_ESCAPES = (("%20", " "), ("%28", "("), ("%29", ")"), ("%25", "%"))


class Entry(NamedTuple):
    """A file that the index is to name."""

    file: str
    summary: str
    rank: tuple[int, int]
    """How much it matters: the importance of the most important memory in it, and when the newest was changed."""
    is_ours: bool
    """Whether a line of our form is to be written anew."""


class Indexed(NamedTuple):
    """The index as it is to be."""

    text: str
    left_out: tuple[str, ...]
    """Files for whose lines there was no room."""


def file_of(line: str) -> str:
    """Name the file that a line of the index stands for; "" for any other line."""
    match = re.match(_LINE, line)
    if not match:
        return ""
    target = match["target"].strip().removeprefix("./")
    if ":" in target or target.startswith(("/", "#")):
        return ""
    for escaped, sign in _ESCAPES:
        target = target.replace(escaped, sign)
    return target.partition("#")[0]


def line_of(entry: Entry) -> str:
    """Write the line of a file."""
    summary = " ".join(entry.summary.split())
    if len(summary) > SUMMARY_CHARS:
        summary = f"{summary[: SUMMARY_CHARS - 1].rstrip()}…"
    return _head(entry) + summary


def _head(entry: Entry) -> str:
    target = entry.file
    for escaped, sign in reversed(_ESCAPES):
        target = target.replace(sign, escaped)
    name = entry.file.removesuffix(".md").replace("[", "(").replace("]", ")")
    return f"- [{name}](./{target}): "


def indexed(text: str, entries: Sequence[Entry], gone: Collection[str], most_lines: int, most_bytes: int) -> Indexed:
    """Bring an index up to date; lines of others stay as they are, as long as there is room."""
    wanted = {entry.file: entry for entry in entries}
    end = "\r" if "\r\n" in text else ""
    lines: list[tuple[str, str]] = []
    for line in (text or BEGINNING).split("\n"):
        file = file_of(line)
        entry = wanted.pop(file, None)
        if entry is not None and entry.is_ours and line.startswith(_head(entry)):
            lines.append((line_of(entry) + end, file))
        elif entry is not None or not file or file not in gone:
            lines.append((line, file if entry is not None else ""))
    new = [(line_of(entry) + end, entry.file) for entry in wanted.values()]
    place = max((at + 1 for at, (_, file) in enumerate(lines) if file), default=len(lines) - (not lines[-1][0].strip()))
    if new and place == len(lines):
        if end and not lines[-1][0].endswith(end):
            lines[-1] = lines[-1][0] + end, lines[-1][1]
        new.append(("", ""))
    lines[place:place] = new
    return _bounded(lines, {entry.file: entry.rank for entry in entries}, most_lines, most_bytes)


def _bounded(
    lines: list[tuple[str, str]], ranks: dict[str, tuple[int, int]], most_lines: int, most_bytes: int
) -> Indexed:
    number = len(lines) - (not lines[-1][0])
    size = sum(len(line.encode("utf-8", "replace")) + 1 for line, _ in lines) - 1
    out: set[str] = set()
    for _, file, cost in sorted((ranks[file], file, len(line.encode()) + 1) for line, file in lines if file):
        if number <= most_lines and size <= most_bytes:
            break
        if file not in out:
            out.add(file)
            number, size = number - 1, size - cost
    kept = [line for line, file in lines if not file or file not in out]
    return Indexed("\n".join(kept), tuple(sorted(out)))
