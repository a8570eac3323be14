"""Reading and writing other programs' files: through links, with their modes, several of them or none."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from contextlib import suppress

from harkback import errors
from harkback._record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_BOM = "\ufeff"


class Change(NamedTuple):
    """What is to become of one file."""

    path: str
    old: bytes | None
    """What stands in it; None for no file."""
    new: bytes | None
    """What shall stand in it; None where it goes."""


def read(path: str) -> bytes | None:
    """Read a file, None where there is none. Raises SettingsUnfit."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise errors.SettingsUnfit(path, "it is no file")  # reading a pipe would wait for ever
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise errors.SettingsUnfit(path, error.strerror or error) from error


def text_of(data: bytes | None, path: str) -> str | None:
    """Give the text of a file, without the mark that some editors put first. Raises SettingsUnfit."""
    if data is None:
        return None
    try:
        return data.decode().removeprefix(_BOM)
    except UnicodeDecodeError as error:
        raise errors.SettingsUnfit(path, f"it is not UTF-8 (byte {error.start:,})") from error


def bytes_of(text: str | None, like: bytes | None) -> bytes | None:
    """Give the bytes of a text, with the mark first where the file had it."""
    if text is None:
        return None
    return (_BOM.encode() if (like or b"").startswith(_BOM.encode()) else b"") + text.encode()


def digest(data: bytes | None) -> str:
    """Name what stands in a file; "" for no file."""
    return "" if data is None else hashlib.sha256(data).hexdigest()


def check_writable(path: str, agent: str) -> None:
    """See that a file, or the folder that it will stand in, may be changed. Raises SettingsReadOnly, SettingsUnfit.

    The owner's bit counts even for root, who would be let through: somebody set it on purpose.
    """
    real = os.path.realpath(path)
    if os.path.exists(real):
        if not stat.S_ISREG(os.stat(real).st_mode):
            raise errors.SettingsUnfit(path, "it is no file")
        if not os.stat(real).st_mode & stat.S_IWUSR or not os.access(real, os.W_OK):
            raise errors.SettingsReadOnly(path, "it is read-only", agent)
    folder = os.path.dirname(real)
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    if not os.path.isdir(folder):
        raise errors.SettingsUnfit(path, f"{folder} is no folder")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise errors.SettingsReadOnly(path, f"its folder {folder} is read-only", agent)


def write_all(changes: Sequence[Change]) -> list[str]:
    """Make all changes or none; gives the folders that had to be made.

    Everything is written beside its place first, so that what is left is renaming. Raises SettingsMoved where a file
    is no longer what it was, SettingsUnwritable.
    """
    made: list[str] = []
    ready: list[tuple[Change, str]] = []
    done: list[Change] = []
    path = ""
    try:
        for change in changes:
            path = change.path
            _check_same(change)
            ready.append((change, _beside(change, made)))
        for change, fresh in ready:
            path = change.path
            _swap(change, fresh)
            done.append(change)
    except BaseException as error:
        for change in reversed(done):
            back = Change(change.path, change.new, change.old)
            _swap(back, _beside(back, made))
        for _, fresh in ready:
            if fresh and os.path.exists(fresh):
                os.unlink(fresh)
        remove_empty(made)
        if isinstance(error, OSError):
            raise errors.SettingsUnwritable(path, error.strerror or error) from error
        raise
    return made


def _check_same(change: Change) -> None:
    if read(change.path) != change.old:
        raise errors.SettingsMoved(change.path)


def _beside(change: Change, made: list[str]) -> str:
    """Write what a file is to hold beside it; gives where, "" where the file is to go."""
    if change.new is None:
        return ""
    real = os.path.realpath(change.path)
    _make_folder(os.path.dirname(real), made)
    sweep(change.path)
    fresh = f"{real}.{os.getpid()}.hark-new"
    try:
        with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(change.new)
            file.flush()
            os.fsync(file.fileno())
        _as_before(fresh, real)
    except BaseException:
        if os.path.exists(fresh):
            os.unlink(fresh)
        raise
    return fresh


def _as_before(fresh: str, real: str) -> None:
    """Give a new file the mode and the owner of the one whose place it takes."""
    if not os.path.exists(real):
        return
    old, new = os.stat(real), os.stat(fresh)
    if hasattr(os, "chown") and (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        os.chown(fresh, old.st_uid, old.st_gid)
    os.chmod(fresh, stat.S_IMODE(old.st_mode))


def sweep(path: str) -> None:
    """Delete what a killed writing of the same file left beside it, where that may be deleted.

    Only one set-up at a time may do so: another may be writing.
    """
    folder, name = os.path.split(os.path.realpath(path))
    with suppress(OSError):
        for one in os.listdir(folder):
            if re.fullmatch(rf"{re.escape(name)}\.\d+\.hark-new", one):
                os.unlink(os.path.join(folder, one))


def _make_folder(folder: str, made: list[str]) -> None:
    missing = []
    while not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    for one in reversed(missing):
        os.mkdir(one, 0o700)
        made.append(one)


def _swap(change: Change, fresh: str) -> None:
    real = os.path.realpath(change.path)
    if fresh:
        os.replace(fresh, real)
    elif os.path.exists(real):
        os.unlink(real)


def remove_empty(folders: Sequence[str]) -> None:
    """Remove those of the folders in which nothing lies, the innermost first."""
    for folder in sorted(folders, key=len, reverse=True):
        try:
            os.rmdir(folder)
        except OSError:
            continue
