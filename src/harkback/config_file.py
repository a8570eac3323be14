"""Writing `config.toml`: one option set or taken out, everything else in the file left as it is.

Values are replaced line by line, so that comments stay. What a change makes of the file is parsed and compared with
what was meant; where no change of a line gives that, nothing is written.
"""

from __future__ import annotations

import os
import re

from harkback import errors
from harkback.config import no_value, parsed, path_of, read_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from harkback.config import Value

_SCALAR = r"""(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s#,}]+)"""


def set_value(folder: str, name: str, value: Value) -> None:
    """Write an option into the file in a folder, which is made where there is none.

    Raises ConfigUnreadable, ConfigNotUnderstood, ConfigNotEditable, ConfigUnwritable.
    """
    text = read_text(folder)
    _write(folder, with_value(text, name, value, path_of(folder)))


def unset(folder: str, name: str) -> bool:
    """Take an option out of the file; False where it does not stand in it. Raises as `set_value` does."""
    text = read_text(folder)
    changed = without(text, name, path_of(folder))
    if changed is None:
        return False
    _write(folder, changed)
    return True


def with_value(text: str, name: str, value: Value, path: str) -> str:
    """Give the text of the file with an option set. Raises ConfigNotUnderstood, ConfigNotEditable."""
    wanted = parsed(text, path)
    *tables, key = name.split(".")
    table = wanted
    for one in tables:
        table = table.setdefault(one, {})
        if not isinstance(table, dict):
            raise no_value(text, tables[0], path)
    table[key] = value
    return _first_that_is(wanted, _with(text, name, _literal(value)), path, name)


def without(text: str, name: str, path: str) -> str | None:
    """Give the text of the file without an option, None where it has none. Raises as `with_value` does."""
    wanted = parsed(text, path)
    *tables, key = name.split(".")
    table: Any = wanted
    for one in tables:
        table = table.get(one) if isinstance(table, dict) else None
    if not isinstance(table, dict) or key not in table:
        return None
    del table[key]
    return _first_that_is(wanted, _without(text, name), path, name)


def _first_that_is(wanted: dict[str, Any], candidates: Iterator[str], path: str, name: str) -> str:
    meant = _comparable(wanted)
    for text in candidates:
        try:
            found = parsed(text, path)
        except errors.ConfigNotUnderstood:
            continue
        if _comparable(found) == meant:
            return text
    raise errors.ConfigNotEditable(path, name)


def _comparable(value: Any) -> Any:
    """Make values equal only where their types are too, and a table without anything in it the same as none."""
    if isinstance(value, dict):
        inner = {key: _comparable(one) for key, one in value.items()}
        return {key: one for key, one in inner.items() if one != {}}
    return [_comparable(one) for one in value] if isinstance(value, list) else (type(value), repr(value))


def _literal(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _with(text: str, name: str, literal: str) -> Iterator[str]:
    """Try the ways to set a value, the tidiest first."""
    lines, end = _lines(text)
    table, _, key = name.rpartition(".")
    for number, line in enumerate(lines):
        for found in _keys(line, name):
            changed = line[: found.start("value")] + literal + line[found.end("value") :]
            yield end.join([*lines[:number], changed, *lines[number + 1 :]])
    heads = [number for number, line in enumerate(lines) if line.lstrip().startswith("[")]
    for number in heads if table else []:
        if re.match(rf"\s*\[\s*{_spelled(table)}\s*\]", lines[number]):
            last = min([one for one in heads if one > number], default=len(lines))
            yield _inserted(lines, last, f"{key} = {literal}", end)
            yield _inserted(lines, number + 1, f"{key} = {literal}", end)
    if table:
        head = [""] if any(line.strip() for line in lines) else []
        yield _inserted(lines, len(lines), end.join([*head, f"[{table}]", f"{key} = {literal}"]), end)
    yield _inserted(lines, heads[0] if heads else len(lines), f"{name} = {literal}", end)
    yield _inserted(lines, 0, f"{name} = {literal}", end)


def _without(text: str, name: str) -> Iterator[str]:
    lines, end = _lines(text)
    for number, line in enumerate(lines):
        for found in _keys(line, name):
            if not line[: found.start()].strip() and not found["inline"]:
                yield end.join([*lines[:number], *lines[number + 1 :]])
            else:
                comma = re.compile(r"\s*,\s*").match(line, found.end("value"))
                rest = line[comma.end() if comma else found.end("value") :]
                before = line[: found.start("key")]
                yield end.join([*lines[:number], before + rest, *lines[number + 1 :]])
                yield end.join([*lines[:number], re.sub(r",\s*$", " ", before) + rest.lstrip(), *lines[number + 1 :]])


def _lines(text: str) -> tuple[list[str], str]:
    end = "\r\n" if "\r\n" in text else "\n"
    return text.split(end), end


def _keys(line: str, name: str) -> Iterator[re.Match[str]]:
    """Find where a line may set an option: by its last name below its table, in full, or in a table of one line."""
    last = name.rpartition(".")[2]
    for spelled in dict.fromkeys((name, last)):
        yield from re.finditer(
            rf"(?P<inline>^[^#]*[{{,]\s*|^\s*)(?P<key>{_spelled(spelled)}\s*=\s*)(?P<value>{_SCALAR})", line
        )


def _spelled(name: str) -> str:
    """Match a name with its pieces bare or quoted."""
    return r"\s*\.\s*".join(f"[\"']?{re.escape(one)}[\"']?" for one in name.split("."))


def _inserted(lines: list[str], at: int, line: str, end: str) -> str:
    """Put a line before line `at`, its comment and what is empty before them."""
    while at and at < len(lines) and lines[at - 1].lstrip().startswith("#"):
        at -= 1
    while at and not lines[at - 1].strip():
        at -= 1
    rest = lines[at:] or [""]
    return end.join([*lines[:at], line, *rest])


def _write(folder: str, text: str) -> None:
    """Write the file at once or not at all; a link to another place stays one."""
    path = os.path.realpath(path_of(folder))
    fresh = f"{path}.{os.getpid()}.new"
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        try:
            with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                file.write(text.encode())
                file.flush()
                os.fsync(file.fileno())
            if os.path.exists(path):
                os.chmod(fresh, os.stat(path).st_mode & 0o777)
            os.replace(fresh, path)
        except BaseException:
            if os.path.exists(fresh):
                os.unlink(fresh)
            raise
    except OSError as error:
        raise errors.ConfigUnwritable(path, error.strerror or error) from error
