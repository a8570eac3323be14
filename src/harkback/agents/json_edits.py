"""What is put into an agent's JSON settings and taken out again: a named entry, or a hook in a list."""

from __future__ import annotations

import json

from harkback._record import NamedTuple
from harkback.agents.json_text import NoJson, added, parse, removed, replaced
from harkback.agents.program import PLAIN, Unfit, is_hook, is_server

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from harkback.agents.json_text import Node


class Server(NamedTuple):
    """An MCP server under its name."""

    path: tuple[str, ...]
    value: dict[str, Any]


class Hook(NamedTuple):
    """A command in the list of an event, in the form that Claude Code began and several follow."""

    event: str
    handler: dict[str, Any]
    lines: frozenset[str] = frozenset({PLAIN})
    """The command lines that are ours."""

    @property
    def path(self) -> tuple[str, ...]:
        """Where the list stands."""
        return ("hooks", self.event)


Edit = Server | Hook


def put(text: str | None, edits: Sequence[Edit]) -> str:
    """Give the text with all of them in it; what stands there already stays as it is. Raises Unfit."""
    changed = text or ""
    if not changed.strip():
        changed = "{}\n"
    for edit in edits:
        changed = _put_server(changed, edit) if isinstance(edit, Server) else _put_hook(changed, edit)
    return changed


def take(text: str, edits: Sequence[Edit], before: str | None) -> str | None:
    """Give the text without them; None where nothing is left of a file that we made. Raises Unfit."""
    if not text.strip():
        return text
    changed = text
    for edit in reversed(edits):
        changed = _take_server(changed, edit, before) if isinstance(edit, Server) else _take_hook(changed, edit, before)
    is_bare = changed != text and parse(changed).value == {} and not changed.strip(" \t\r\n{}")
    return before if is_bare and not (before or "").strip() else changed


def cut(text: str, edits: Sequence[Edit]) -> str:
    """Give the text without them where it is not known what stood there before: objects stay, also empty ones.

    Only the list of an event goes with the last hook in it. Raises Unfit.
    """
    if not text.strip():
        return text
    for edit in reversed(edits):
        boxes = json.dumps({edit.path[0]: {}})
        text = _take_server(text, edit, boxes) if isinstance(edit, Server) else _take_hook(text, edit, boxes)
    return text


def _root(text: str) -> Node:
    """Read a text that must hold an object. Raises Unfit."""
    try:
        root = parse(text)
    except (NoJson, RecursionError) as error:
        raise Unfit(f"it is not the JSON that the agent reads ({error})") from error
    if not isinstance(root.value, dict):
        raise Unfit("it holds no JSON object")
    return root


def _before(text: str | None, *path: str) -> tuple[str, Node] | None:
    """Find what stood at a place before we came, with the text in which it stood."""
    try:
        node = parse(text or "").at(*path)
    except (NoJson, RecursionError):
        return None
    return (text or "", node) if node else None


def _made(text: str, path: tuple[str, ...], value: object) -> str:
    """Put in a member, with the objects above it that are missing. Raises Unfit."""
    root = _root(text)
    for depth in range(len(path)):
        node = root.at(*path[:depth])
        if node is None:
            continue
        if not isinstance(node.value, dict):
            raise Unfit(f"{'.'.join(path[:depth])} is no object")
        if path[depth] not in node.value:
            for key in reversed(path[depth + 1 :]):
                value = {key: value}
            return added(text, node, path[depth], value)
    raise Unfit(f"{'.'.join(path)} is there already")


def _tidied(text: str, path: tuple[str, ...], before: str | None) -> str:
    """Take out what is empty along a path and was not there before we came."""
    for depth in range(len(path), 0, -1):
        root = parse(text)
        node = root.at(*path[:depth])
        if node is None or node.value or _before(before, *path[:depth]):
            break
        parent = root.at(*path[: depth - 1])
        assert parent
        text = removed(text, parent, [one.key for one in parent.items].index(path[depth - 1]))
    return text


# -- servers -------------------------------------------------------------------------------------------------------


def _put_server(text: str, edit: Server) -> str:
    node = _root(text).at(*edit.path)
    if node is None:
        return _made(text, edit.path, edit.value)
    if not is_server(node.value):
        raise Unfit(f"{'.'.join(edit.path)} is something else than what `hark setup` writes")
    return _set(text, edit.path, edit.value)


def _set(text: str, path: tuple[str, ...], values: dict[str, Any]) -> str:
    """Give an object these values, one by one, and leave its others."""
    for key, value in values.items():
        node = parse(text).at(*path)
        assert node
        text = _with(text, node, key, value)
    return text


def _with(text: str, node: Node, key: str, value: Any) -> str:
    """Give an object one value; the text stays as it is where it has that already."""
    item = node.item(key)
    if item is None:
        return added(text, node, key, value)
    return text if item.node.value == value else replaced(text, item.node, value)


def _take_server(text: str, edit: Server, before: str | None) -> str:
    root = _root(text)
    node, parent = root.at(*edit.path), root.at(*edit.path[:-1])
    if node is None or parent is None or not is_server(node.value):
        return text
    if old := _before(before, *edit.path):
        said, was = old
        return text[: node.start] + said[was.start : was.end] + text[node.end :]
    text = removed(text, parent, [one.key for one in parent.items].index(edit.path[-1]))
    return _tidied(text, edit.path[:-1], before)


# -- hooks ---------------------------------------------------------------------------------------------------------


def _list(text: str, edit: Hook) -> Node | None:
    """Find the list of an event. Raises Unfit."""
    root = _root(text)
    above, node = root.at("hooks"), root.at(*edit.path)
    if above is not None and not isinstance(above.value, dict):
        raise Unfit("hooks is no object")
    if node is not None and not isinstance(node.value, list):
        raise Unfit(f"hooks.{edit.event} is no list")
    return node


def _commands(node: Node) -> Iterator[tuple[int, int, object]]:
    """Give the commands of a list of hooks: number of the group, number in it, command."""
    for number, group in enumerate(node.items):
        handlers = group.node.at("hooks")
        for which, handler in enumerate(handlers.items if handlers else ()):
            if isinstance(handler.node.value, dict):
                yield number, which, handler.node.value.get("command")


def _ours(node: Node, edit: Hook) -> tuple[int, int] | None:
    """Say which group of a list, and which of its handlers, is our hook."""
    mine = (edit.handler.get("command"), *edit.lines)
    return next(((number, which) for number, which, command in _commands(node) if command in mine), None)


def others(text: str, edits: Sequence[Edit]) -> list[str]:
    """Give the command lines of such hooks as ours that are not ours, in the lists that ours stand in. Raises Unfit."""
    if not text.strip():
        return []
    found: list[str] = []
    for edit in edits:
        node = _list(text, edit) if isinstance(edit, Hook) else None
        if node is not None and isinstance(edit, Hook):
            mine = (edit.handler.get("command"), *edit.lines)
            found += [str(one) for _, _, one in _commands(node) if is_hook(one) and one not in mine]
    return list(dict.fromkeys(found))


def places(text: str | None, edits: Sequence[Hook]) -> list[tuple[str, int, int]]:
    """Say where our hooks stand: event, number of the group, number in it; nowhere in what cannot be read."""
    found = []
    for edit in edits:
        try:
            node = parse(text or "").at(*edit.path)
        except (NoJson, RecursionError):
            return []
        place = _ours(node, edit) if node is not None and isinstance(node.value, list) else None
        found += [(edit.event, *place)] if place else []
    return found


def _handlers(node: Node, number: int) -> Node:
    found = node.items[number].node.at("hooks")
    assert found
    return found


def _put_hook(text: str, edit: Hook) -> str:
    node = _list(text, edit)
    group = {"hooks": [edit.handler]}
    if node is None:
        return _made(text, edit.path, [group])
    place = _ours(node, edit)
    if place is None:
        return added(text, node, "", group)
    for key, value in edit.handler.items():
        node = _list(text, edit)
        assert node
        handler = _handlers(node, place[0]).items[place[1]].node
        text = _with(text, handler, key, value)
    return text


def _take_hook(text: str, edit: Hook, before: str | None) -> str:
    node = _list(text, edit)
    place = _ours(node, edit) if node else None
    old = _before(before, *edit.path)
    if node is None or place is None or (old and _ours(old[1], edit)):
        return text
    handlers = _handlers(node, place[0])
    if len(handlers.items) > 1:
        return removed(text, handlers, place[1])
    return _tidied(removed(text, node, place[0]), edit.path, before)
