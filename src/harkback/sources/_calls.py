"""What of a tool call is worth finding: the tool's name with its telling arguments.

Argument names: the own tools of Claude Code 1.0 to 2.1, Codex 0.32 to 0.171 and Pi 0.73 to 1.6. Each source names its
agent's own tools, whose other arguments are switches; all other tools (MCP, plugins) are told by all their strings.
"""

from __future__ import annotations

import re

from harkback.model import CALLS, CONTEXT, Part
from harkback.redact import GIVING, command_line, masker, named_by
from harkback.sources._values import head
from harkback.text.clean import clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator
    from typing import Any

# In this order; the number bounds the characters.
_TELLING = (
    ("command", 2000),
    ("cmd", 2000),
    ("file_path", 500),
    ("path", 500),
    ("notebook_path", 500),
    ("pattern", 1000),
    ("glob", 500),
    ("url", 2000),
    ("query", 1000),
    ("skill", 200),
    ("args", 1000),
    ("subagent_type", 100),
    ("description", 500),
    ("prompt", 4000),
    ("plan", 4000),
)
_EDITED = ("old_string", "new_string", "new_source", "oldText", "newText", "content")
_FILES = ("file_path", "path", "notebook_path")
SPAWNING = frozenset({"Task", "Agent"})
_SPAWN_PROMPT = 200
"""A subagent's task stands whole as the first message of the subagent's own transcript."""

_PATH_CHARS = 1000
_FIRST_LINES = 3
_FIRST_CHARS = 600
_OTHER_CHARS = 500
_OTHER_TOTAL = 4000
_DEPTH = 6


_OWN_TOOL = re.compile(r".*harkback.*_(?:memory|sessions?|context)")
_OWN_COMMAND = re.compile(r"\s*(?:\S*[/\\])?hark\s+[a-z][^;&\n]*")


def is_own(tool: str, arguments: dict[str, Any]) -> bool:
    """Whether a call asked us: what was looked for last time is no answer to the same question today."""
    command = arguments.get("command", arguments.get("cmd"))
    return bool(_OWN_TOOL.fullmatch(tool)) or (type(command) is str and bool(_OWN_COMMAND.fullmatch(command)))


def call(tool: str, arguments: Any, own_tools: Container[str], *, full: bool = False) -> Part | None:
    """Make the searchable text of a call, None if no argument tells anything.

    Of the agent's `own_tools` only the telling arguments count. Calls of our own tools are context. With `full` the
    part carries all of them and is never None.
    """
    if not isinstance(arguments, dict):
        return Part(CALLS, clean(tool), clean(tool), args=arguments or {}) if full else None
    told = [
        head(value, _SPAWN_PROMPT if key == "prompt" and tool in SPAWNING else chars).strip()
        for key, chars in _TELLING
        if type(value := arguments.get(key)) is str
    ]
    told += _edits(arguments)
    if type(todos := arguments.get("todos")) is list:
        told += [todo["content"] for todo in todos if type(todo) is dict and type(todo.get("content")) is str]
    if tool not in own_tools:
        told += _others(arguments)
    told = [text for text in told if text]
    if not told and not full:
        return None
    files = tuple(
        clean(head(value, _PATH_CHARS)) for key in _FILES if type(value := arguments.get(key)) is str and value
    )
    text = clean(f"{tool} " + "\n".join(told)).strip()
    lane = CONTEXT if not full and is_own(tool, arguments) else CALLS
    return Part(lane, text, clean(tool), files, args=arguments if full else None)


def _edits(arguments: dict[str, Any]) -> list[str]:
    """Take the first lines of what an edit replaces and writes (MultiEdit: of each of its edits)."""
    edits = arguments.get("edits")
    many = [one for one in edits if type(one) is dict] if type(edits) is list else []
    return [
        "\n".join(head(value, _FIRST_CHARS).split("\n", _FIRST_LINES)[:_FIRST_LINES]).strip()
        for one in (arguments, *many)
        for key in _EDITED
        if type(value := one.get(key)) is str
    ]


def _others(arguments: dict[str, Any]) -> Iterator[str]:
    """Take all strings of a tool that is not known, up to a total."""
    taken = {key for key, _ in _TELLING} | set(_EDITED)
    left = _OTHER_TOTAL
    for value in strings({key: value for key, value in arguments.items() if key not in taken}, _DEPTH):
        yield head(value, min(left, _OTHER_CHARS)).strip()
        left -= len(value[:_OTHER_CHARS])
        if left <= 0:
            return


def strings(value: Any, depth: int = _DEPTH) -> Iterator[str]:
    """Give all texts in a JSON value, to a depth."""
    if isinstance(value, str):
        yield value
    elif depth and isinstance(value, list):
        for one in _in_line(value):
            yield from strings(one, depth - 1)
    elif depth and isinstance(value, dict):
        name = named_by(value)
        for key, one in value.items():
            yield from strings(
                _named(name if name and key in GIVING else key, one) if type(one) is str else one, depth - 1
            )


def _in_line(values: list[Any]) -> list[Any]:
    """Write a command's words in one line where only that tells that one of them is a secret."""
    line = command_line(values)
    return values if not line or masker().is_clean(line) else [line]


def _named(key: str, value: str) -> str:
    """Write a value with its name where only that tells that it is a secret."""
    mask = masker()
    named = f'{key}: "{value.replace(chr(34), "!")}"'
    return value if mask.is_clean(named) or not mask.is_clean(value) else named
