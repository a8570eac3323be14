"""The end of an archive: taking out what was installed elsewhere, and deleting what lies in its folder."""

from __future__ import annotations

import os
import re

from harkback import errors
from harkback._record import NamedTuple
from harkback.agents import INSTALLED
from harkback.config import FILE, HOME, option, path_of, read_file
from harkback.engines.local import guarded, removing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from harkback.agents import Remover
    from harkback.config import Place

_CHAT = r"[0-9T-]{19}_[0-9a-f-]{36}\.jsonl|history"


class Removed(NamedTuple):
    """What an uninstall did."""

    taken_out: tuple[str, ...]
    """What was installed outside the archive's folder, a line each."""
    folder: str
    bytes: int
    """How much of it is ours, or was before it was deleted."""
    deleted: tuple[str, ...]
    left: tuple[str, ...]
    """What lies in the folder and is not ours."""


def uninstall(
    place: Place,
    env: Mapping[str, str],
    *,
    delete: bool,
    removers: Sequence[Remover] = INSTALLED,
    waiting: Callable[[], None] = lambda: None,
) -> Removed:
    """Take out everything that we installed elsewhere; with `delete` the archive as well, for good.

    Waits for a sync that is running. Raises ArchiveReadOnly.
    """
    folder = place.data
    taken_out = [line for remover in removers for line in remover(place.home, env)]
    number = size(folder)
    deleted: list[str] = []
    if delete:
        deleted = removing.remove(folder, waiting)
        with guarded(folder):
            for path in _settings_files(folder):
                os.unlink(path)
                deleted.append(os.path.relpath(path, folder))
            removing.remove_if_empty(os.path.join(folder, "chat"))
        removing.remove_if_empty(folder)
    return Removed(tuple(taken_out), folder, number, tuple(deleted), others(folder))


def size(folder: str) -> int:
    """Give the bytes of what is ours in a folder."""
    return removing.holdings(folder).bytes + sum(os.lstat(path).st_size for path in _settings_files(folder))


def others(folder: str) -> tuple[str, ...]:
    """Name what lies in a folder and is not ours."""
    found = removing.holdings(folder)
    ours = {*found.rows, *found.locks, *_settings_files(folder)}
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return ()
    paths = ((name, os.path.join(folder, name)) for name in names)
    return tuple(name for name, path in paths if path not in ours and not _holds_only(path, ours))


def _holds_only(path: str, ours: set[str]) -> bool:
    """Whether a folder is an index of ours with nothing else in it."""
    if os.path.islink(path) or not os.path.isdir(path) or not any(one.startswith(path + os.sep) for one in ours):
        return False
    return all(os.path.join(path, name) in ours for name in os.listdir(path))


def _settings_files(folder: str) -> list[str]:
    """Find `config.toml` and what a killed writing of it left, and what `hark chat` wrote.

    A `config.toml` that sets anything but our options is not ours.
    """
    try:
        names = [one for one in os.listdir(folder) if re.fullmatch(rf"{re.escape(FILE)}\.\d+\.new", one)]
    except OSError:
        return []
    names += _chat_files(folder)
    path = path_of(folder)
    if os.path.isfile(path) and not os.path.islink(path) and _is_ours(folder):
        names.append(FILE)
    return [os.path.join(folder, name) for name in names]


def _chat_files(folder: str) -> list[str]:
    """Find what `hark chat` wrote, by names below the folder."""
    try:
        names = os.listdir(os.path.join(folder, "chat"))
    except OSError:
        return []
    written = [one for one in names if re.fullmatch(_CHAT, one)]
    paths = [os.path.join("chat", one) for one in written]
    return [one for one in paths if os.path.isfile(os.path.join(folder, one))]


def _is_ours(folder: str) -> bool:
    try:
        return all(option(name).name != HOME for name in read_file(folder))
    except errors.HarkError:
        return False
