"""Checking the arguments of a call; what is wrong is told with what is right."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harkback.mcp.catalogue import Schema, Tool


class Refused(Exception):
    """A call that cannot be done; its text says why and what to do next."""


def checked(tool: Tool, given: dict[str, Any]) -> dict[str, Any]:
    """Give the arguments of a call, those that are null left out. Raises Refused."""
    unknown = [name for name in given if name not in tool.arguments]
    if unknown:
        plural = "arguments" if len(unknown) > 1 else "argument"
        raise Refused(f"{tool.name} has no {plural} {', '.join(map(_shown, unknown))}. It takes {_taken(tool)}.")
    taken = {name: value for name, value in given.items() if value is not None}
    missing = [name for name in tool.required if name not in taken]
    if missing:
        raise Refused(f"{tool.name} needs {', '.join(missing)}. It takes {_taken(tool)}.")
    return {name: _fitting(name, value, tool.arguments[name]) for name, value in taken.items()}


def _taken(tool: Tool) -> str:
    return ", ".join(f"{name} (required)" if name in tool.required else name for name in tool.arguments)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"  # noqa: PLR2004 - as much as a message needs


def _fitting(name: str, value: object, schema: Schema) -> object:
    kind = schema["type"]
    if kind == "array":
        return _list(name, value, schema)
    if kind == "integer":
        return _number(name, value, schema)
    if kind == "boolean":
        if not isinstance(value, bool):
            raise Refused(f"{name} must be true or false (got {_shown(value)}).")
        return value
    return _text(name, value, schema)


def _list(name: str, value: object, schema: Schema) -> list[str]:
    values = [value] if isinstance(value, str) else value  # one text is a list of one
    if not isinstance(values, list) or not all(isinstance(one, str) for one in values):
        raise Refused(f"{name} must be a list of texts (got {_shown(value)}).")
    if len(values) > schema["maxItems"]:
        raise Refused(f"{name} takes {schema['maxItems']} at most (got {len(values)}).")
    for one in values:
        _text(name, one, schema["items"])
    return values


def _number(name: str, value: object, schema: Schema) -> int:
    least, most = schema["minimum"], schema["maximum"]
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise Refused(f"{name} must be a number from {least} to {most} (got {_shown(value)}).")
    return value


def _text(name: str, value: object, schema: Schema) -> str:
    if not isinstance(value, str):
        raise Refused(f"{name} must be a text (got {_shown(value)}).")
    if "enum" in schema:
        if value not in schema["enum"]:
            raise Refused(f"{name} must be one of {', '.join(schema['enum'])} (got {_shown(value)}).")
    elif len(value) > schema["maxLength"]:
        raise Refused(f"{name} takes {schema['maxLength']:,} characters at most (got {len(value):,}).")
    return value
