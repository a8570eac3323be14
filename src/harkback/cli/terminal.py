"""What everything that is printed is made of: colours for a person at a terminal, plain text in a pipe, JSON."""

from __future__ import annotations

import os
import sys

from harkback.moments import local

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harkback.model import StoredSession

BOLD, DIM, CYAN, GREEN, OFF = "\x1b[1;33m", "\x1b[2m", "\x1b[36m", "\x1b[32m", "\x1b[0m"
TITLE_CHARS = 60


_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Signs that nobody sees, and after which letters stand in another order than they are stored in."""


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


def plain(text: str) -> str:
    """Take out what could steer a terminal, or turn around what is read; texts come from others."""
    if not _TURNING.isdisjoint(text):
        text = "".join(c for c in text if c not in _TURNING)
    return "".join(c if (c >= " " and c != "\x7f" and not "\x80" <= c <= "\x9f") or c in "\n\t" else " " for c in text)


def print_json(value: object) -> None:
    """Print a value as JSON."""
    print(dumped(value))


def dumped(value: object) -> str:
    """Write a value as JSON."""
    import json  # 2 ms that plain output need not pay

    return json.dumps(value, ensure_ascii=False)


def when(time_ms: int | None) -> str:
    """Write a moment in the user's zone."""
    moment = local(time_ms)
    return moment.strftime("%Y-%m-%d %H:%M%z") if moment else "no date"


def amount(number: int, what: str) -> str:
    """Write a number with what is counted: "1 hit", "2 hits"."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def have(number: int) -> str:
    """Give "has" for one, "have" for others."""
    return "has" if number == 1 else "have"


def are(number: int) -> str:
    """Give "is" for one, "are" for others."""
    return "is" if number == 1 else "are"


def base(path: str) -> str:
    """Give the last part of a path."""
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2] or path


def note(text: str) -> None:
    """Say something on the side, on stderr."""
    sys.stdout.flush()  # in a merged stream the status line comes last
    print(plain(text), file=sys.stderr)


def title_of(session: StoredSession) -> str:
    """Give the title of a session, cut to what fits a line."""
    title = plain(session.title)
    return title if len(title) <= TITLE_CHARS else title[: TITLE_CHARS - 1].rstrip() + "…"


def indented(text: str) -> str:
    """Indent a text."""
    return "\n".join("    " + line for line in text.splitlines() if line.strip())


def tally(counts: dict[str, int]) -> str:
    """Write counts, the largest first."""
    most = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return ", ".join(f"{name or '?'} {number:,}" for name, number in most)
