"""An answer that is drawn while it comes, by a thread of its own: nothing that the person does tears what it writes.

Only the last rows are drawn again. What stands above them is written for good, so that an answer longer than the window
can be read, and a window that is made smaller holds no rows that were left behind.
"""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic

from rich.cells import get_character_cell_size
from rich.control import Control
from rich.segment import ControlType, Segment, Segments
from rich.style import Style

from harkback.chat.markup import Markup, settled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import TracebackType
    from typing import Self

    from prompt_toolkit.input import Input
    from rich.console import Console

    Row = Sequence[Segment]

_PAUSE_S = 1 / 12
_SILENCE_S = 1.0
_REST = 3
"""Drawing takes a quarter of the time at most."""
_INK = re.compile(r"\w+")
_WAITING = (Segment("…", Style(dim=True)),)
_MOST_LIVE = 4
"""So many rows may become something else, such as the head of a table; of more, a smaller window may push some out."""
_ECHO = 0o10  # of Linux, macOS and the BSDs; the module that names it is not on Windows, which shows nothing unread


class Drawing:
    """One answer; `add` gives it the next piece. On the way out it is drawn as a whole. Raises OSError there."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._page = Page(console)
        self._text = ""
        self._at = 0
        """So much of the text is drawn for good."""
        self._trouble: OSError | None = None
        self._wake = Event()
        self._ended = Event()
        self._thread = Thread(target=self._run, daemon=True, name="drawing")

    def __enter__(self) -> Self:
        """Begin to draw; after a second without a piece, a sign that one waits."""
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Wait until all is drawn."""
        self._ended.set()
        self._wake.set()
        self._thread.join()
        if self._trouble and error is None:
            raise self._trouble

    def add(self, piece: str) -> None:
        """Let the text grow."""
        self._text += piece
        self._wake.set()

    def _run(self) -> None:
        try:
            self._draw_on()
        except OSError as error:
            self._trouble = error

    def _draw_on(self) -> None:
        began = monotonic()
        self._console.show_cursor(False)
        try:
            while not self._ended.is_set():
                self._wake.wait(_PAUSE_S)
                self._wake.clear()
                drawn = monotonic()
                self._draw(is_late=drawn - began > _SILENCE_S)
                self._ended.wait(max(_PAUSE_S, _REST * (monotonic() - drawn)))
            self._page.finish(self._text[self._at :])
        finally:
            self._console.show_cursor(True)

    def _draw(self, *, is_late: bool) -> None:
        text = self._text
        if end := settled(text[self._at :]):
            self._page.finish(text[self._at : self._at + end])
            self._page.part()
            self._at += end
        if text.strip():
            self._page.grow(text[self._at :])
        elif is_late:
            self._page.wait()


class Page:
    """Where blocks of Markdown are drawn, one below the other, the last of which may still grow."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live: list[Row] = []
        """The rows that are drawn again; the cursor stands below them."""
        self._kept = ""
        """The words of the block that stand above them."""

    def wait(self) -> None:
        """Show that nothing has come so far."""
        self._replace([], [_WAITING])

    def grow(self, text: str) -> None:
        """Draw a block that is not whole."""
        markup = Markup(text)
        rows = self._below(markup.rows(self._console))
        most = max(1, self._console.height - 2)
        if markup.has_table:
            self._replace([], rows[-most:])
        else:
            at = max(0, len(rows) - min(most, _MOST_LIVE))
            self._kept += _inked(rows[:at])
            self._replace(rows[:at], rows[at:])

    def finish(self, text: str) -> None:
        """Draw a whole block for good."""
        rows = self._below(Markup(text).rows(self._console)) if text.strip() else []
        self._replace(rows, [])
        self._kept = ""

    def part(self) -> None:
        """Leave a row empty."""
        self._replace([()], [])

    def _below(self, rows: list[list[Segment]]) -> list[list[Segment]]:
        """Leave out what stands there for good; nothing, where the block became another by what was added."""
        left = self._kept
        for at, row in enumerate(rows):
            if not left:
                return rows[at:]
            ink = _inked([row])
            if len(ink) > len(left) and ink.startswith(left):  # the window is wider or smaller than it was
                return [_behind(row, len(left)), *rows[at + 1 :]]
            if not left.startswith(ink):
                break
            left = left[len(ink) :]
        if not left:
            return []
        self._kept = ""
        return rows

    def _replace(self, done: Sequence[Row], live: Sequence[Row]) -> None:
        if not done and live == self._live:
            return
        with self._console:
            self._console.control(self._erased())
            for row in (*done, *live):
                self._console.print(Segments([*row, Segment.line()]), end="", crop=False)
        self._live = list(live)

    def _erased(self) -> Control:
        """Take the live rows away, of which a smaller window makes more."""
        height = sum(height_of(row, self._console.width) for row in self._live)
        erase = (ControlType.ERASE_IN_LINE, 2)
        return Control(ControlType.CARRIAGE_RETURN, erase, *(((ControlType.CURSOR_UP, 1), erase) * height))


def height_of(row: Row, width: int) -> int:
    """Say how many rows of a window a row takes up, where it is longer than the window is wide."""
    rows, at = 1, 0
    for segment in row:
        for character in segment.text:
            cells = get_character_cell_size(character)
            if at + cells > width:
                rows, at = rows + 1, 0
            at += cells
    return rows


def _behind(row: Row, count: int) -> list[Segment]:
    """Give what stands in a row behind so many characters of its words."""
    kept: list[Segment] = []
    for text, style, _ in row:
        at = 0
        while at < len(text) and (count or (not kept and text[at] == " ")):
            count -= bool(_INK.match(text[at]))
            at += 1
        kept += [Segment(text[at:], style)] if text[at:] else []
    return kept


def _inked(rows: Sequence[Row]) -> str:
    """Give the words of rows: blanks hang on the width of the window, and signs go when the emphasis is whole."""
    return "".join("".join(_INK.findall("".join(one.text for one in row))) or "\n" for row in rows)


@contextmanager
def unechoed(source: Input) -> Iterator[None]:
    """Let what is typed meanwhile stay out of what is drawn; it is there for the next prompt."""
    if sys.platform == "win32":
        yield
        return
    from prompt_toolkit.input.vt100 import raw_mode

    class _Unechoed(raw_mode):
        @classmethod
        def _patch_lflag(cls, attrs: int) -> int:
            return attrs & ~_ECHO

    with _Unechoed(source.fileno()):
        yield
