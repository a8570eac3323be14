"""`hark config`: what can be set, what it is set to and where; and setting it."""

from __future__ import annotations

import json
import sys

from harkback import config_file, errors, wire
from harkback.cli import terminal
from harkback.config import (
    ENVIRONMENT,
    FILE,
    FOLDER,
    OPTIONS,
    find,
    option,
    path_of,
    read_file,
    read_settings,
    understood,
    written,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from harkback.config import Option, Setting, Settings


def show_or_set(env: Mapping[str, str], folder: str, key: str, value: str | None, *, unset: bool, as_json: bool) -> int:
    """List what is set, print one option, set it or take it out; gives 0.

    What stands in the file is taken out whether it is an option or not. Raises UnknownOption, BadValue, NoKey, and
    what reading or writing the file raises.
    """
    if unset and not key:
        raise errors.NoKey(path_of(folder))
    if unset and value is not None:
        raise errors.BadValue("--unset", value, "It takes the name of one option.")
    if unset and config_file.unset(folder, key):
        known, done = find(key), f"{key} is taken out of {path_of(folder)}"
    else:
        known = option(key) if key or value is not None else None
        done = _change(folder, known, value) if known and (unset or value is not None) else ""
    read_file(folder)  # a list of what counts, when nothing in the file does, would mislead
    settings = read_settings(env, folder)
    terminal.look.color = settings.text("color")
    shown = [settings.of(one.name) for one in (OPTIONS if known is None else (known,))]
    if as_json:
        print(json.dumps(wire.options(shown, path_of(folder), settings.notes), ensure_ascii=False))
    elif done or known is not None:
        print(done or settings.text(key))
    else:
        _list(shown)
    _tell(settings, known, is_changed=bool(done))
    return 0


def _change(folder: str, known: Option, value: str | None) -> str:
    """Set an option; gives what was done. No value: it was to be taken out, and does not stand in the file."""
    if known.kind == FOLDER:
        raise errors.BadValue(known.name, value or "", f"It is set in the environment only: {known.env}.")
    if value is None:
        return f"{known.name} does not stand in {path_of(folder)}"
    config_file.set_value(folder, known.name, understood(known, value))
    return f"{known.name} is set to {value} in {path_of(folder)}"


def _list(shown: list[Setting]) -> None:
    for one in shown:
        value = written(one.value)
        print(f"{one.option.name:<26}{value:<12}  {one.origin:<13}{one.option.help}")


def _tell(settings: Settings, known: Option | None, *, is_changed: bool) -> None:
    for note in settings.notes:
        print(f"hark: {note}", file=sys.stderr)
    if known is None:
        return
    one = settings.of(known.name)
    if is_changed and one.origin == ENVIRONMENT and known.kind != FOLDER:
        print(f"hark: {known.env} in the environment counts more than {FILE}", file=sys.stderr)
    if not is_changed:
        print(f"{one.origin}; {known.help}; takes {known.takes}", file=sys.stderr)
