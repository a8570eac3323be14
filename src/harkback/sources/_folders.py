"""Walking the folders in which an agent keeps its transcripts. Imported by every search: must stay light."""

from __future__ import annotations

import os

from harkback.model import Transcript

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator

DEPTH = 6


def walk(
    folder: str, is_transcript: Callable[[str], bool], known: Container[str] = (), depth: int = DEPTH
) -> Iterator[tuple[str, list[os.DirEntry[str]]]]:
    """Give a folder and those below it, each with its files that `is_transcript` by name.

    Folders below that are `known` are passed over, and links back to what is walked anyway; one that may not be read
    is given without files.
    """
    files: list[os.DirEntry[str]] = []
    below: list[os.DirEntry[str]] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if is_transcript(entry.name):
                    # A pipe by that name would block the reader for ever.
                    if entry.is_file():
                        files.append(entry)
                elif entry.is_dir():
                    below.append(entry)
    except PermissionError:
        below = []
    except OSError:
        return
    yield folder, files
    for one in below if depth else ():
        if one.path not in known and not _leads_back(one, folder):
            yield from walk(one.path, is_transcript, known, depth - 1)


def _leads_back(entry: os.DirEntry[str], folder: str) -> bool:
    """Whether an entry of `folder` is a link to it or to a folder above it."""
    if not entry.is_symlink():
        return False
    return (os.path.realpath(folder) + os.sep).startswith(os.path.realpath(entry.path) + os.sep)


def tail(path: str, size: int) -> list[bytes]:
    """Give the lines in the last `size` bytes of a file, the first of them perhaps cut; nothing if there is none."""
    try:
        with open(path, "rb") as file:
            end = file.seek(0, os.SEEK_END)
            file.seek(max(0, end - size))
            return file.read().split(b"\n")
    except OSError:
        return []


def named(value: str, home: str) -> list[str]:
    """Give the folder that a variable names, as the agents take it; none where it is empty."""
    if not value:
        return []
    return [os.path.join(home, value[2:]) if value.startswith(("~/", "~\\")) else os.path.abspath(value)]


def existing(folders: list[str]) -> list[str]:
    """Give those of the folders that exist, each once, whatever links lead to it."""
    found: dict[str, str] = {}
    for folder in folders:
        if os.path.isdir(folder):
            found.setdefault(os.path.realpath(folder), folder)
    return list(found.values())


def readable(native: str) -> str:
    """Give a session's id as text, whatever bytes its file's name holds."""
    return native if native.isascii() else native.encode("utf-8", "replace").decode()


def transcripts_of(
    agent: str, entries: Iterable[os.DirEntry[str]], native_of: Callable[[str], str]
) -> Iterator[Transcript]:
    """Give the transcripts that files are; `native_of` makes the session's id of a file's name."""
    for entry in entries:
        try:
            stat = entry.stat()
        except OSError:  # removed while we look
            continue
        yield Transcript(agent, entry.path, native_of(entry.name), stat.st_size, stat.st_mtime_ns, stat.st_ino)
