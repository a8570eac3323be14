"""Our table in Codex's `config.toml`: put behind everything else, so that nothing of it is written anew."""

from __future__ import annotations

import json
import re

from harkback.agents.json_text import line_end
from harkback.agents.program import Unfit, is_server

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

_HEAD = re.compile(r"^[ \t]*\[", re.MULTILINE)


def put(text: str | None, above: str, name: str, values: Mapping[str, Any]) -> str:
    """Give the text with the table `[above.name]` in it. Raises Unfit."""
    text = text or ""
    meant = _parsed(text)
    tables = meant.setdefault(above, {})
    if not isinstance(tables, dict):
        raise Unfit(f"{above} is no table")
    old = tables.get(name)
    if old is not None and not is_server(old):
        raise Unfit(f"{above}.{name} is something else than what `hark setup` writes")
    merged = {**(old or {}), **values}
    if old == merged:
        return text
    tables[name] = merged
    rest = text if old is None else _without(text, above, name)
    end = line_end(text)
    changed = _gap(rest, end) + _written(above, name, merged, end)
    if not text or rest.endswith("\n"):
        changed += end
    if not _is_read_as(changed, meant):
        raise Unfit(f"{above} is written so that nothing can be put behind it")
    return changed


def take(text: str, above: str, name: str, before: str | None) -> str | None:
    """Give the text without the table, None where nothing is left of a file that we made. Raises Unfit."""
    meant = _parsed(text)
    tables = meant.get(above)
    if not isinstance(tables, dict) or not is_server(tables.get(name)):
        return text
    if name in _parsed(before or "").get(above, {}):
        return text  # it was somebody's before we came
    changed = _without(text, above, name)
    return None if before is None and not changed.strip() else changed


def without_tables(text: str, above: str, names: Sequence[str], before: str | None) -> str:
    """Give the text without the tables `[above."name"]` that another program wrote about us.

    The head above them goes with the last of them, where it was not there before we came.
    """
    heads = [f"{above}.{json.dumps(name)}" for name in names]
    changed = text
    for head in heads:
        changed = _if_toml(_cut(changed, _head(head)), changed)
    has_more = re.search(rf"^[ \t]*\[{re.escape(above)}\.", changed, re.MULTILINE)
    if changed != text and not has_more and not _head(above).search(before or ""):
        head = rf"^[ \t]*\[{re.escape(above)}\][ \t]*"
        alone = re.compile(rf"(?:\r?\n)?{head}\s*\Z|{head}\r?\n\s*(?=^[ \t]*\[)", re.MULTILINE)
        changed = _if_toml(alone.sub("", changed, count=1), changed)
    return changed


def _head(name: str) -> re.Pattern[str]:
    return re.compile(rf"^[ \t]*\[{re.escape(name)}\][ \t]*\r?$", re.MULTILINE)


def _if_toml(text: str, otherwise: str) -> str:
    try:
        _parsed(text)
    except Unfit:
        return otherwise
    return text


def _parsed(text: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unfit(f"it is no TOML ({error})") from error


def _is_read_as(text: str, meant: dict[str, Any]) -> bool:
    try:
        return _parsed(text) == meant
    except Unfit:
        return False


def _gap(text: str, end: str) -> str:
    """End the last line, with a blank one behind it."""
    if not text:
        return text
    return text + end if text.endswith("\n") else text + end + end


def _written(above: str, name: str, values: Mapping[str, Any], end: str) -> str:
    inner = {key: value for key, value in values.items() if isinstance(value, dict)}
    lines = [f"[{above}.{name}]"]
    lines += [
        f"{_key(key)} = {json.dumps(value, ensure_ascii=False)}" for key, value in values.items() if key not in inner
    ]
    for key, table in inner.items():
        lines += ["", f"[{above}.{name}.{_key(key)}]"]
        lines += [f"{_key(one)} = {json.dumps(value, ensure_ascii=False)}" for one, value in table.items()]
    return end.join(lines)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[\w-]+", name, re.ASCII) else json.dumps(name, ensure_ascii=False)


def _without(text: str, above: str, name: str) -> str:
    """Cut out a table with those below it. Raises Unfit where it is written in another way than with heads."""
    meant = _parsed(text)
    tables = meant[above]
    del tables[name]
    if not tables and not re.search(rf"^[ \t]*\[{re.escape(above)}\]", text, re.MULTILINE):
        del meant[above]
    heads = re.compile(
        rf"^[ \t]*\[{re.escape(above)}\.[\"']?{re.escape(name)}[\"']?(?:\.[^\]]*)?\][^\r\n]*", re.MULTILINE
    )
    changed = text
    while (shorter := _cut(changed, heads)) != changed:
        changed = shorter
    if not _is_read_as(changed, meant):
        raise Unfit(f"{above}.{name} is not a table with a head of its own")
    return changed


def _cut(text: str, head: re.Pattern[str]) -> str:
    """Cut from a head to the next one, or to the end, with the blank line before it."""
    found = head.search(text)
    if not found:
        return text
    after = _HEAD.search(text, found.end())
    end = line_end(text)
    start, stop = found.start(), len(text)
    if after:
        stop = after.start()
        comments = re.search(r"(?:^[ \t]*#[^\n]*\n|^[ \t]*\r?\n)+\Z", text[start:stop], re.MULTILINE)
        stop = start + comments.start() if comments else stop
        if text.startswith(end, stop):  # the blank line goes with the table
            stop += len(end)
        return text[:start] + text[stop:]
    ends = text.endswith("\n")
    before = text[:start].removesuffix(end)
    return before if ends else before.removesuffix(end)
