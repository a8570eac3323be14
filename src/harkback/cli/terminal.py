"""What everything that is printed is made of: colours for a person at a terminal, plain text in a pipe, JSON."""

from __future__ import annotations

import os
import sys

from harkback.telling import base, plain, title_of, when

BOLD, DIM, CYAN, GREEN, OFF = "\x1b[1;33m", "\x1b[2m", "\x1b[36m", "\x1b[32m", "\x1b[0m"


class Look:
    """How everything is printed, as a person has set it."""

    color = "auto"


look = Look()


def is_terminal() -> bool:
    """Whether colours are wanted."""
    if look.color != "auto":
        return look.color == "always"
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def paint(text: str, colour: str) -> str:
    """Colour a text, where colours are wanted."""
    return f"{colour}{text}{OFF}" if is_terminal() else text


def print_json(value: object) -> None:
    """Print a value as JSON."""
    print(dumped(value))


def dumped(value: object) -> str:
    """Write a value as JSON."""
    import json  # 2 ms that plain output need not pay

    return json.dumps(value, ensure_ascii=False)


def amount(number: int, what: str) -> str:
    """Write a number with what is counted: "1 hit", "2 hits"."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def have(number: int) -> str:
    """Give "has" for one, "have" for others."""
    return "has" if number == 1 else "have"


def are(number: int) -> str:
    """Give "is" for one, "are" for others."""
    return "is" if number == 1 else "are"


def note(text: str) -> None:
    """Say something on the side, on stderr."""
    sys.stdout.flush()  # in a merged stream the status line comes last
    print(plain(text), file=sys.stderr)


def indented(text: str) -> str:
    """Indent a text."""
    return "\n".join("    " + line for line in text.splitlines() if line.strip())


def tally(counts: dict[str, int]) -> str:
    """Write counts, the largest first."""
    most = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return ", ".join(f"{name or '?'} {number:,}" for name, number in most)


__all__ = [
    "BOLD",
    "CYAN",
    "DIM",
    "GREEN",
    "OFF",
    "amount",
    "are",
    "base",
    "dumped",
    "have",
    "indented",
    "is_terminal",
    "look",
    "note",
    "paint",
    "plain",
    "print_json",
    "tally",
    "title_of",
    "when",
]
