"""The files of a folder that is kept in step: looked through, read, and written so that nothing is half done.

Nothing outside the folder is touched: links are not followed, neither for reading nor for writing. A file is written
beside itself and put in its place in one step, and only if it still is as it was read.
"""

from __future__ import annotations

import os
import stat

from harkback._record import NamedTuple
from harkback.engines.local.memory_folders import Seen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_BYTES = 1_000_000
MOST_FILES = 20_000
_LEFT_OUT = frozenset({"node_modules", "__pycache__"})
_TEMPORARY = ".hark-new"
_STALE_S = 3600
_BOM = "\ufeff"


class Unreadable(Exception):
    """A file that is left alone, and why."""


class NoText(Unreadable):
    """A file that is left alone as long as it is as it is."""


class Scan(NamedTuple):
    """The Markdown files of a folder."""

    files: dict[str, Seen]
    """By their names: paths inside the folder, with slashes."""
    links: tuple[str, ...]
    """Links, which are not followed."""
    problem: str
    """Why the folder cannot be looked through; nothing else is known then."""


class Found(NamedTuple):
    """A file as it was read."""

    text: str
    is_marked: bool
    """Whether it begins with a byte order mark."""
    seen: Seen


def scan(folder: str) -> Scan:
    """Look through a folder, hidden folders left out."""
    files: dict[str, Seen] = {}
    links: list[str] = []
    try:
        for entry, name in _entries(folder, ""):
            if entry.is_symlink():
                links.append(name)
            else:
                told = entry.stat(follow_symlinks=False)
                if stat.S_ISREG(told.st_mode):
                    files[name] = Seen(told.st_size, told.st_mtime_ns)
            if len(files) > MOST_FILES:
                return Scan({}, (), f"it holds more than {MOST_FILES:,} Markdown files")
    except OSError as error:
        return Scan({}, (), error.strerror or str(error))
    return Scan(files, tuple(links), "")


def _entries(folder: str, inside: str) -> Iterator[tuple[os.DirEntry[str], str]]:
    with os.scandir(os.path.join(folder, inside) if inside else folder) as entries:
        for entry in sorted(entries, key=lambda one: one.name):
            name = f"{inside}/{entry.name}" if inside else entry.name
            if entry.name.startswith("."):
                _tidy(entry)
            elif entry.name.lower().endswith(".md"):
                if entry.is_symlink() or not entry.is_dir():
                    yield entry, name
            elif entry.name not in _LEFT_OUT and entry.is_dir(follow_symlinks=False):
                yield from _entries(folder, name)


def _tidy(entry: os.DirEntry[str]) -> None:
    """Delete what a writer left behind that was killed long ago."""
    if not entry.name.endswith(_TEMPORARY):
        return
    from contextlib import suppress
    from time import time

    with suppress(OSError):
        if entry.is_file(follow_symlinks=False) and time() - entry.stat().st_mtime > _STALE_S:
            os.unlink(entry.path)


def path_in(folder: str, name: str) -> str:
    """Give the path of a file by its name. Raises Unreadable where it would lie outside the folder."""
    pieces = name.split("/")
    path = os.path.join(folder, *pieces)
    if any(piece in {"", ".", ".."} for piece in pieces) or os.path.isabs(name) or os.path.islink(path):
        raise Unreadable("it lies outside the folder")
    above = os.path.realpath(os.path.dirname(path))
    if os.path.commonpath([above, os.path.realpath(folder)]) != os.path.realpath(folder):
        raise Unreadable("it lies outside the folder")
    return path


def read(folder: str, name: str) -> Found:
    """Read a file. Raises Unreadable."""
    try:
        with open(path_in(folder, name), "rb") as file:
            data = file.read(MOST_BYTES + 1)
            told = os.fstat(file.fileno())
    except OSError as error:
        raise Unreadable(error.strerror or str(error)) from error
    if len(data) > MOST_BYTES:
        raise NoText("it is larger than 1 MB")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise NoText("it is not UTF-8") from None
    seen = Seen(told.st_size, told.st_mtime_ns)
    return Found(text.removeprefix(_BOM), text.startswith(_BOM), seen)


def write(folder: str, name: str, text: str, before: Found | None) -> Seen:
    """Write a file that is as it was read (None: is not there yet). Raises Unreadable."""
    try:
        path = path_in(folder, name)
        spare = os.path.join(os.path.dirname(path), f".{os.path.basename(path)}.{os.getpid()}{_TEMPORARY}")
        mode = stat.S_IMODE(os.stat(path).st_mode) if before is not None else None
        data = ((_BOM if before is not None and before.is_marked else "") + text).encode("utf-8", "replace")
        try:
            with open(spare, "wb") as file:
                file.write(data)
                if mode is not None:
                    os.chmod(spare, mode)
                file.flush()
                os.fsync(file.fileno())
                told = os.fstat(file.fileno())
            _check(path, before)
            os.replace(spare, path)
        except BaseException:
            if os.path.exists(spare):
                os.unlink(spare)
            raise
    except OSError as error:
        raise Unreadable(error.strerror or str(error)) from error
    return Seen(told.st_size, told.st_mtime_ns)


def delete(folder: str, name: str, before: Found) -> None:
    """Delete a file that is as it was read. Raises Unreadable."""
    try:
        path = path_in(folder, name)
        _check(path, before)
        os.unlink(path)
    except OSError as error:
        raise Unreadable(error.strerror or str(error)) from error


def _check(path: str, before: Found | None) -> None:
    try:
        told = os.lstat(path)
    except FileNotFoundError:
        if before is None:
            return
        raise Unreadable("it was deleted meanwhile") from None
    if before is None or before.seen != (told.st_size, told.st_mtime_ns):
        raise Unreadable("it was changed meanwhile")
