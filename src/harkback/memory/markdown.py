"""Memories in Markdown: taken from a page, and written into it so that all else stays byte for byte. Pure.

A page is its lines. It is a list (one memory for each top-level item, its id in a comment behind it), or a whole that
is one memory: its description, else its heading and first paragraph. What cannot be told for certain is left alone.
"""

from __future__ import annotations

import json
import re

from harkback._record import NamedTuple
from harkback.model import DECISION, EVENT, FACT, LESSON, MEMORY_KINDS, PREFERENCE, TASK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Value = str | tuple[str, ...]

LIST_FILES = {
    FACT: "facts",
    PREFERENCE: "preferences",
    DECISION: "decisions",
    LESSON: "lessons",
    TASK: "tasks",
    EVENT: "events",
}
"""The names of our own lists, one for each kind."""

MARK = "hark"
"""The key of a front matter that makes a page a list of ours."""

_FRONT_LINES = 200
_ID = r"<!-- *(k[0-9a-hjkmnp-tv-z]{8}) *-->"
_ITEM = r" ?(?P<sign>[-*+]|\d{1,3}[.)])[ \t]+(?P<rest>\S.*)\Z"
_BOX = r"\[(?P<mark>[ xX])\][ \t]+(?=\S)"
_INDENTED = r"(?:\t| {2,})\s*\S"
_ENDS_TEXT = r"\s*(?:#|[-*+]\s|\d+[.)]\s|```|~~~|>|\||<|---|\Z)"
_KINDS = {**dict.fromkeys(("user", "feedback"), PREFERENCE), "project": FACT, "reference": FACT}
_PLAIN_VALUE = r"[^\s\"'\[\]{}>|*&!%#`@,?:-](?:[^:#\n]|:(?=\S)|(?<=\S)#)*(?<!\s)"


class Item(NamedTuple):
    """One item of a list."""

    first: int
    last: int
    """Its lines: [first, last)."""
    id: str
    text: str
    is_done: bool
    heading: str
    """The heading that it stands under."""
    sign: str = "-"
    """What makes it an item: a dash, or a number."""


class Page(NamedTuple):
    """A file of Markdown."""

    lines: tuple[str, ...]
    """As they stand, without their line feeds."""
    body: int
    """The line at which the text begins, behind the front matter."""
    front: Mapping[str, Value]
    keys: Mapping[str, tuple[int, int]]
    """Where each key of the front matter stands."""
    items: tuple[Item, ...]

    @property
    def text(self) -> str:
        """The whole, as it stands in the file."""
        return "\n".join(self.lines)

    @property
    def end(self) -> str:
        """What stands before each line feed."""
        return "\r" if len(self.lines) > 1 and self.lines[0].endswith("\r") else ""


class Whole(NamedTuple):
    """What a page says as one memory, and where."""

    text: str
    heading: str
    """What stands before it in the memory's text."""
    place: tuple[int, int] | None
    """The lines that hold it; None: the description does."""


def parse(text: str) -> Page:
    """Take a page apart."""
    lines = tuple(text.split("\n"))
    body, front, keys = _front(lines)
    return Page(lines, body, front, keys, tuple(_items(lines, body)))


# -- front matter ------------------------------------------------------------------------------------------------


def _front(lines: Sequence[str]) -> tuple[int, dict[str, Value], dict[str, tuple[int, int]]]:
    if lines[0].rstrip() != "---":
        return 0, {}, {}
    ends = (at for at in range(1, min(len(lines), _FRONT_LINES)) if lines[at].rstrip() in {"---", "..."})
    end = next(ends, 0)
    values: dict[str, Value] = {}
    keys: dict[str, tuple[int, int]] = {}
    at = 1
    while at < end:
        match = re.match(r"([A-Za-z_][\w .-]*?)[ \t]*:(?:[ \t]+(.*))?\Z", lines[at].rstrip())
        after = at + 1
        if match:
            while after < end and (not lines[after].strip() or lines[after][:1] in {" ", "\t", "-"}):
                after += 1
            keys[match[1]] = at, after
            values |= _value(match[1], (match[2] or "").strip(), [line.rstrip() for line in lines[at + 1 : after]])
        at = after
    return (end + 1 if end else 0), values, keys


def _value(key: str, said: str, below: list[str]) -> dict[str, Value]:
    if said[:1] in {"|", ">"}:
        return {key: ("\n" if said[0] == "|" else " ").join(line.strip() for line in below).strip()}
    if said.startswith("[") and said.endswith("]"):
        return {key: tuple(one for part in said[1:-1].split(",") if (one := _bare(part)))}
    if said:
        return {key: _bare(" ".join([said, *(line.strip() for line in below if line.strip())]))}
    entries = [line.strip()[2:] for line in below if line.strip().startswith("- ")]
    if entries:
        return {key: tuple(map(_bare, entries))}
    pairs = [line.strip().partition(":") for line in below if ":" in line]
    return {key: "", **{f"{key}.{name.strip()}": _bare(value) for name, _, value in pairs}}


def _bare(value: str) -> str:
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] == '"':
        try:
            read = json.loads(value)
        except ValueError:
            return value[1:-1]
        return read if isinstance(read, str) else value
    if len(value) > 1 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    return value


def word(page: Page, key: str) -> str:
    """Give a value of the front matter as a text; "" where there is none."""
    value = page.front.get(key, "")
    return value if isinstance(value, str) else ", ".join(value)


def words(page: Page, key: str) -> tuple[str, ...]:
    """Give a value of the front matter as several."""
    value = page.front.get(key, ())
    return value if isinstance(value, tuple) else tuple(re.findall(r"[^,\s#]+", value))


# -- lists -------------------------------------------------------------------------------------------------------


def _items(lines: Sequence[str], body: int) -> list[Item]:
    found: list[Item] = []
    heading = ""
    at = body
    while at < len(lines):
        line = lines[at].rstrip()
        if fence := re.match(r" {0,3}(```+|~~~+)", line):
            at = _behind(lines, at + 1, fence[1])
        elif line.lstrip().startswith("<!--") and "-->" not in line:
            at = _behind(lines, at + 1, "-->")
        elif re.match(_ITEM, line) and not re.fullmatch(r"\s*(?:[-*+]\s*)+", line):
            last = _last(lines, at)
            found.append(_item([one.rstrip() for one in lines[at:last]], at, last, heading))
            at = last
        else:
            if title := re.match(r"#{1,6}\s+(.*?)\s*#*\Z", line):
                heading = title[1]
            at += 1
    return found


def _behind(lines: Sequence[str], at: int, sign: str) -> int:
    return next((one + 1 for one in range(at, len(lines)) if sign in lines[one]), len(lines))


def _last(lines: Sequence[str], first: int) -> int:
    """Say where an item ends: behind its indented lines, and those that go on with its paragraph."""
    last = at = first + 1
    while at < len(lines):
        line = lines[at].rstrip()
        if re.match(_INDENTED, line) or (at == last and not re.match(_ENDS_TEXT, line)):
            last = at + 1
        elif line:
            break
        at += 1
    return last


def _item(lines: list[str], first: int, last: int, heading: str) -> Item:
    start = re.match(_ITEM, lines[0])
    assert start is not None
    inside = rf"\A(?:\t| {{1,{len(start['sign']) + 1}}})"
    said = [start["rest"], *(re.sub(inside, "", line) for line in lines[1:])]
    name = ""
    for at in (0, -1):
        marks = re.search(rf"(?:\s*{_ID})\s*\Z", said[at])
        if marks:
            name = marks[1]
            said[at] = said[at][: marks.start()]
            break
    box = re.match(_BOX, said[0])
    if box:
        said[0] = said[0][box.end() :]
    text = "\n".join(line.rstrip() for line in said).strip()
    is_done = box is not None and box["mark"] != " "
    return Item(first, last, name, text.removeprefix("\\"), is_done, heading, start["sign"])


def item_lines(text: str, name: str, *, is_task: bool, is_done: bool, end: str, sign: str = "-") -> list[str]:
    """Write an item; one without a `name` gets no comment."""
    head, *rest = text.split("\n")
    box = "[x] " if is_done else "[ ] " if is_task else ""
    if head.startswith(("\\", "[ ] ", "[x] ", "[X] ")):
        head = "\\" + head
    comment = f" <!-- {name} -->" if name else ""
    inside = " " * (len(sign) + 1)
    return [f"{sign} {box}{head}{comment}{end}", *(f"{inside}{line}{end}" if line.strip() else end for line in rest)]


def named(page: Page, item: Item, name: str) -> list[str]:
    """Give the lines of an item with its id, all else as it stands."""
    lines = list(page.lines[item.first : item.last])
    for at in (0, -1):
        bare = re.sub(rf"(?:\s*{_ID})\s*\Z", "", lines[at])
        if bare != lines[at].rstrip():
            lines[at] = bare + page.end
    bare = lines[0].rstrip()
    lines[0] = f"{bare} <!-- {name} -->{page.end}"
    return lines


def edited(page: Page, edits: Mapping[int, Sequence[str]], added: Sequence[str] = ()) -> str:
    """Write a page with other lines in the place of some items (by their number), and items added behind the last."""
    lines = list(page.lines)
    place = page.items[-1].last if page.items else len(lines)
    if not page.items and lines and not lines[-1].strip():
        place -= 1
    if added:
        is_open = place == len(lines) and page.end and not lines[place - 1].endswith("\r")
        if is_open:
            lines[place - 1] += page.end
        lines[place:place] = added
        if place + len(added) == len(lines):
            lines.append("")
    for number in sorted(edits, reverse=True):
        item = page.items[number]
        lines[item.first : item.last] = edits[number]
    return "\n".join(lines)


def kind_of(heading: str) -> str:
    """Say of which kind what stands in a list of this name is; "" where the name says nothing."""
    low = heading.strip().lower()
    return next((kind for kind, name in LIST_FILES.items() if low in {kind, name}), "")


def new_list(kind: str, where: str, end: str = "") -> str:
    """Begin a list of ours."""
    name = LIST_FILES[kind]
    lines = [
        "---",
        f"name: {name}",
        f"description: {_quoted(f'{name.capitalize()} that hold {where}, one in each item')}",
        f"{MARK}: list",
        f"kind: {kind}",
        "---",
        "",
        "",
    ]
    return f"{end}\n".join(lines)


def is_list(page: Page, stem: str) -> bool:
    """Whether each item is a memory, and gets its id: a list of ours, or one that looks like it."""
    if page.front:
        is_foreign = "description" in page.front or "name" in page.front
        return word(page, MARK) == "list" or (not is_foreign and any(one.id for one in page.items))
    return any(one.id for one in page.items) or (bool(kind_of(stem)) and bool(page.items))


def list_kind(page: Page, stem: str) -> str:
    """Say of which kind the items of a list are."""
    said = word(page, "kind").lower()
    return said if said in MEMORY_KINDS else kind_of(stem) or FACT


# -- pages that are one memory -----------------------------------------------------------------------------------


def name_in(page: Page) -> str:
    """Give the id that the front matter holds; "" for a page of somebody else's."""
    said = word(page, "id")
    return said if re.fullmatch(r"k[0-9a-hjkmnp-tv-z]{8}", said) else ""


def whole(page: Page, limit: int) -> Whole:
    """Say what a page says as one memory, in at most `limit` characters; nothing where it is empty."""
    if said := word(page, "description").strip():
        return Whole(said[:limit], "", None)
    heading, at = "", page.body
    place = at, at
    while at < len(page.lines):
        line = page.lines[at].strip()
        title = re.match(r"#{1,6}\s+(.*?)\s*#*\Z", line)
        if title and heading:
            break
        if title:
            heading, place = title[1], (at, at + 1)
        elif line and not re.fullmatch(r"[-*_ ]+|<!--.*-->", line):
            ends = (end for end in range(at, len(page.lines)) if not page.lines[end].strip())
            end = next(ends, len(page.lines))
            before = f"{heading}: " if heading else ""
            said = "\n".join(one.rstrip() for one in page.lines[at:end]).strip()
            return Whole((before + said)[:limit].rstrip(), before, (at, end))
        at += 1
    return Whole(heading[:limit], "", place) if heading else Whole("", "", (page.body, page.body))


def with_whole(page: Page, text: str) -> str:
    """Write a page that says something else as one memory; the rest of it stays."""
    said = whole(page, len(page.text) + 1)
    if said.place is None:
        return with_front(page, "description", text)
    text = text.removeprefix(said.heading)
    lines = list(page.lines)
    first, last = said.place
    title = re.match(r"#{1,6}\s+", lines[first]) if first < last else None
    written = [f"{title[0]}{' '.join(text.split())}"] if title else text.split("\n")
    lines[first:last] = [line + page.end for line in written]
    return "\n".join(lines)


def with_front(page: Page, key: str, value: str) -> str:
    """Write a page with another value for a key that its front matter holds."""
    first, last = page.keys[key]
    lines = list(page.lines)
    lines[first:last] = [f"{key}: {_quoted(value)}{page.end}"]
    return "\n".join(lines)


def _quoted(value: str) -> str:
    return value if re.fullmatch(_PLAIN_VALUE, value) else json.dumps(value, ensure_ascii=False)


def whole_kind(page: Page) -> str:
    """Say of which kind a page is as one memory, as far as it says."""
    said = (word(page, "kind") or word(page, "type") or word(page, "metadata.type")).lower()
    return said if said in MEMORY_KINDS else _KINDS.get(said, FACT)
