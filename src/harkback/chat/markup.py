"""An answer as Markdown for a terminal, of which nothing that was written gets lost."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from rich.markdown import Markdown, MarkdownElement, TableElement
from rich.segment import Segment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import ClassVar

    from markdown_it.token import Token
    from rich.console import Console, ConsoleOptions, RenderResult

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})([^\n]*)")


class _Table(TableElement):
    """A table whose long words, such as a line of Chinese, go on in the next row; rich itself cuts them."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for table in super().__rich_console__(console, options):
            for column in getattr(table, "columns", ()):
                column.overflow = "fold"
            yield table


class Markup(Markdown):
    """Some blocks of Markdown. Tags, ends of lines and addresses are shown: a model means them as they stand."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {**Markdown.elements, "table_open": _Table}

    def __init__(self, text: str) -> None:
        super().__init__("", hyperlinks=False)
        parser = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"]).disable("reference")
        self.markup = text
        self.parsed = parser.parse(text)
        for token in self.parsed:
            token.children = list(_shown(token.children)) if token.children else token.children

    @property
    def has_table(self) -> bool:
        """Whether one of the blocks is a table, whose first rows change with its last."""
        return any(token.type == "table_open" for token in self.parsed)

    def rows(self, console: Console) -> list[list[Segment]]:
        """Give what is drawn, row by row, without blanks at the ends."""
        lines = console.render_lines(self, console.options, pad=False)
        return [_stripped(line) for line in lines]


def _shown(tokens: Iterable[Token]) -> Iterable[Token]:
    """Put text in the place of what rich would leave out."""
    is_address = False
    for token in tokens:
        match token.type:
            case "softbreak":
                token.type = "hardbreak"
            case "image":
                token.type, token.tag, token.children = "text", "", None
                token.content = f"{token.content} ({token.attrs.get('src', '')})".lstrip()
            case "link_open" if token.markup == "autolink":
                is_address = True
                continue
            case "link_close" if is_address:
                is_address = False
                continue
            case _:
                pass
        yield token


def _stripped(row: list[Segment]) -> list[Segment]:
    """Take blanks without a background from the end of a row: they would be copied, and wrap in a smaller window."""
    row = [one for one in row if not one.control]
    while row and not (row[-1].style and row[-1].style.bgcolor):
        text, style, _ = row.pop()
        if text := text.rstrip(" "):
            return [*row, Segment(text, style)]
    return row


def settled(text: str) -> int:
    """Say up to where a text that grows holds whole blocks of Markdown.

    That is the last empty line outside of code behind which something begins at the margin: what is indented may belong
    to the item of a list before it.
    """
    end = at = blank = 0
    fence = ""
    for line in text.split("\n"):
        if not fence and blank and line[:1].strip():
            end = blank
        at += len(line) + 1
        blank = at if not line.strip() and not fence else 0
        fence = _fence_after(fence, line)
    return end


def _fence_after(fence: str, line: str) -> str:
    """Give the fence of the code that goes on behind a line, or ""."""
    found = _FENCE.match(line)
    if not found:
        return fence
    mark, rest = found.groups()
    if fence:
        is_end = mark[0] == fence[0] and len(mark) >= len(fence) and not rest.strip()
        return "" if is_end else fence
    return "" if mark[0] == "`" and "`" in rest else mark
