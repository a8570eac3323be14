"""JSON as people write it: where each value stands in the text, so that one is changed and the rest stays.

Comments and trailing commas are taken, which several agents allow in their settings. Nothing is ever written anew: what
is put in is a piece of text at one place, and taking it out again gives the bytes from before.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache

from harkback._record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_BLANKS = re.compile(r"[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_LINE_REST = re.compile(r"(?:[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/))*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|true|false|null")
_REST = re.compile(r"[ \t]*(?:\r?\n|\Z)")
_LEAD = re.compile(r"[ \t]*")
_DEPTH = 200


class NoJson(ValueError):
    """The text is no JSON; says where and what."""


class Item(NamedTuple):
    """A member of an object or an element of an array."""

    key: str
    """Its name; "" in an array."""
    start: int
    """Where it begins in the text: at its name, where it has one."""
    node: Node
    comma: int
    """Where the comma after it stands; -1 for none."""

    @property
    def end(self) -> int:
        """Where its value ends."""
        return self.node.end


class Node(NamedTuple):
    """A value and its place in the text."""

    start: int
    end: int
    value: Any
    """What it is, as `json` gives it."""
    items: tuple[Item, ...] = ()

    def item(self, key: str) -> Item | None:
        """Find a member of an object."""
        return next((one for one in self.items if one.key == key), None)

    def at(self, *path: str) -> Node | None:
        """Find what stands below names, None where one is missing."""
        node: Node | None = self
        for key in path:
            found = node.item(key) if node is not None and isinstance(node.value, dict) else None
            node = found.node if found else None
        return node


@lru_cache(maxsize=8)
def parse(text: str) -> Node:
    """Read a text; the same one is read once. Raises NoJson, also for a name that stands twice in one object."""
    at = _blank(text, 0)
    node = _value(text, at, 0)
    end = _blank(text, node.end)
    if end != len(text):
        raise _no_json(text, end, "more follows")
    return node


def _value(text: str, at: int, depth: int) -> Node:
    if depth > _DEPTH:
        raise _no_json(text, at, "it is nested too deeply")
    sign = text[at : at + 1]
    if sign in {"{", "["} and sign:
        return _box(text, at, depth)
    match = _STRING.match(text, at) if sign == '"' else _SCALAR.match(text, at)
    if match is None:
        raise _no_json(text, at, "a value is missing")
    return Node(at, match.end(), _read(text, match))


def _read(text: str, match: re.Match[str]) -> Any:
    said = match[0]
    if said[0] == '"' and "\\" not in said:  # most of what is in a file of megabytes
        return said[1:-1]
    try:
        return json.loads(said)
    except ValueError as error:
        raise _no_json(text, match.start(), "this is no value") from error


def _box(text: str, start: int, depth: int) -> Node:
    is_object = text[start] == "{"
    close = "}" if is_object else "]"
    items: list[Item] = []
    at = _blank(text, start + 1)
    while text[at : at + 1] != close:
        if items and items[-1].comma < 0:
            raise _no_json(text, at, "a comma is missing")
        item = _item(text, at, depth, is_object=is_object)
        items.append(item)
        at = _blank(text, item.end if item.comma < 0 else item.comma + 1)
    value: Any = {one.key: one.node.value for one in items} if is_object else [one.node.value for one in items]
    if is_object and len(value) != len(items):
        raise _no_json(text, start, "a name stands twice in one object")
    return Node(start, at + 1, value, tuple(items))


def _item(text: str, at: int, depth: int, *, is_object: bool) -> Item:
    key, start = "", at
    if is_object:
        match = _STRING.match(text, at)
        if match is None:
            raise _no_json(text, at, "a name in quotes is missing")
        key = _read(text, match)
        at = _blank(text, match.end())
        if text[at : at + 1] != ":":
            raise _no_json(text, at, "a colon is missing")
        at = _blank(text, at + 1)
    node = _value(text, at, depth + 1)
    after = _blank(text, node.end)
    return Item(key, start, node, after if text[after : after + 1] == "," else -1)


def _blank(text: str, at: int) -> int:
    """Go on behind spaces and comments."""
    while match := _BLANKS.match(text, at):
        at = match.end()
    return at


def _no_json(text: str, at: int, what: str) -> NoJson:
    return NoJson(f"line {text.count(chr(10), 0, at) + 1}: {what}")


# -- changing ------------------------------------------------------------------------------------------------------


def added(text: str, box: Node, key: str, value: object) -> str:
    """Give the text with one more member at the end of an object, or element of an array (then without `key`)."""
    if not box.items:
        return _first(text, box, key, value)
    last = box.items[-1]
    lead = _own_line(text, box.items[0].start)
    trailing = last.comma >= 0
    if lead is None:
        piece = _written(key, value)
        if trailing:
            return _put(text, last.comma + 1, f" {piece},")
        return _put(text, last.end, f", {piece}")
    piece = line_end(text) + lead + _written(key, value, lead, indent(text), line_end(text))
    if trailing:
        return _put(text, _past_comment(text, last.comma + 1), f"{piece},")
    text = _put(text, last.end, ",")
    return _put(text, _past_comment(text, last.end + 1), piece)


def _first(text: str, box: Node, key: str, value: object) -> str:
    end, step = line_end(text), indent(text)
    outer = _lead(text, box.start)
    piece = end + outer + step + _written(key, value, outer + step, step, end) + end + outer
    return _put(text, box.start + 1, piece)


def removed(text: str, box: Node, number: int) -> str:
    """Give the text without a member or element, which takes along the line that it stands on."""
    item = box.items[number]
    is_last = number == len(box.items) - 1
    if len(box.items) == 1:
        return _emptied(text, box, item)
    lead = _own_line(text, item.start)
    start = item.start if lead is None else _line_start(text, item.start)
    behind = item.end if item.comma < 0 else item.comma + 1
    after = box.items[number - 1].comma + 1 if number else box.start + 1
    if lead is not None and _ends_in_comment(text, after, start) and not _REST.match(text, behind):
        start = item.start  # what follows in the line must not come to stand in that comment
    if item.comma >= 0:
        if lead is None and number == 0:
            return text[:start] + text[box.items[1].start :]
        if lead is None:
            start = box.items[number - 1].comma + 1
        return text[:start] + text[item.comma + 1 :]
    assert is_last
    comma = box.items[number - 1].comma
    if lead is None:
        between = text[comma + 1 : item.start]
        return text[:comma] + ("" if not between.strip() else between) + text[item.end :]
    return text[:comma] + text[comma + 1 : start] + text[item.end :]


def _ends_in_comment(text: str, at: int, end: int) -> bool:
    """Whether what stands between two places ends in a comment to the end of the line."""
    is_comment = False
    while at < end and (match := _BLANKS.match(text, at, end)):
        is_comment, at = match[0].startswith("//"), match.end()
    return is_comment


def _emptied(text: str, box: Node, item: Item) -> str:
    """Take out the only member: what `_first` put in, or all that stands from the bracket to its end."""
    end = item.end if item.comma < 0 else item.comma + 1
    start = box.start + 1
    if text[start : item.start].strip():
        start = item.start
    after = line_end(text) + _lead(text, box.start)
    if text.startswith(after, end):
        end += len(after)
    return text[:start] + text[end:]


def replaced(text: str, node: Node, value: object) -> str:
    """Give the text with another value in the place of one."""
    lead = _lead(text, node.start)
    step = indent(text) if "\n" in text[node.start : node.end] else ""
    return text[: node.start] + _dumped(value, lead, step, line_end(text)) + text[node.end :]


def _written(key: str, value: object, lead: str = "", step: str = "", end: str = "\n") -> str:
    name = f"{json.dumps(key, ensure_ascii=False)}: " if key else ""
    return name + _dumped(value, lead, step, end)


def _dumped(value: object, lead: str, step: str, end: str) -> str:
    """Write a value over several lines where there is an indentation."""
    if not step:
        return json.dumps(value, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False, indent=step).replace("\n", end + lead)


def line_end(text: str) -> str:
    """Say how lines end in a text."""
    return "\r\n" if "\r\n" in text else "\n"


def indent(text: str) -> str:
    """Say by what a text is indented: the first line that is; two spaces where none is."""
    found = re.search(r"^[\[{][ \t]*\r?\n([ \t]+)[\"\[{]", text, re.MULTILINE)
    return found[1] if found else "  "


def _own_line(text: str, at: int) -> str | None:
    """Give the indentation of what begins a line, None for what does not."""
    lead = _lead(text, at)
    start = at - len(lead)
    return lead if start > 0 and text[start - 1] == "\n" and text[start:at] == lead else None


def _lead(text: str, at: int) -> str:
    """Give the indentation of the line in which something stands."""
    match = _LEAD.match(text, text.rfind("\n", 0, at) + 1)
    return match[0][: max(0, at - match.start())] if match else ""


def _line_start(text: str, at: int) -> int:
    """Find where the line break before a line begins."""
    newline = text.rfind("\n", 0, at)
    return newline - 1 if text[newline - 1 : newline] == "\r" and line_end(text) == "\r\n" else newline


def _past_comment(text: str, at: int) -> int:
    match = _LINE_REST.match(text, at)
    return match.end() if match else at


def _put(text: str, at: int, piece: str) -> str:
    return text[:at] + piece + text[at:]
