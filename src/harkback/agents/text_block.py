"""Our few lines in a file of Markdown that is somebody else's: between two marks, behind what stands there."""

from __future__ import annotations

from harkback.agents.json_text import line_end
from harkback.agents.program import Unfit

BEGIN = "<!-- hark: begin -->"
END = "<!-- hark: end -->"


def put(text: str | None, body: str) -> str:
    """Give the text with the block in it, once and as it is written today. Raises Unfit."""
    text = text or ""
    end = line_end(text)
    block = end.join([BEGIN, *body.strip().splitlines(), END])
    if found := _span(text):
        return text[: found[0]] + block + text[found[1] :]
    if not text:
        return block + "\n"
    if text.endswith("\n"):
        return f"{text}{end}{block}{end}"
    return f"{text}{end}{end}{block}"


def block(text: str) -> str:
    """Give the block as it stands in a text, with plain line ends, "" for none. Raises Unfit."""
    found = _span(text)
    return text[found[0] : found[1]].replace("\r\n", "\n") if found else ""


def take(text: str, before: str | None) -> str | None:
    """Give the text without the block, None where nothing is left of a file that we made. Raises Unfit."""
    found = _span(text)
    if not found:
        return text
    head, rest = text[: found[0]], text[found[1] :]
    end = line_end(text)
    if rest.startswith(end):
        rest = rest[len(end) :]
        head = head.removesuffix(end)
    elif not rest:
        head = head.removesuffix(end).removesuffix(end)
    left = head + rest
    return None if before is None and not left.strip() else left


def _span(text: str) -> tuple[int, int] | None:
    """Find the block. Raises Unfit where it is not whole, or there twice."""
    counts = text.count(BEGIN), text.count(END)
    if counts == (0, 0):
        return None
    start, end = text.find(BEGIN), text.find(END)
    if counts != (1, 1) or end < start:
        raise Unfit(f"the marks {BEGIN} and {END} do not stand around one block")
    return start, end + len(END)
