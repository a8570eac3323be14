"""Opening the archive at the front door: the only place that reads environment, clock and folder for the commands."""

from __future__ import annotations

import os
import sys
from time import time

from harkback.archive.sessions import Archive
from harkback.cli.terminal import look
from harkback.config import place, read_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harkback.archive.memories import Memories
    from harkback.config import Settings


def opened() -> Archive:
    """Give the half of the archive that is about sessions."""
    return Archive(place(os.environ), os.environ, int(time() * 1000), folder(), set_up())


def folder() -> str:
    """Name the folder one stands in: nothing where it was deleted, and bytes that are no UTF-8 replaced."""
    try:
        return os.getcwd().encode("utf-8", "replace").decode()
    except OSError:
        return ""


def set_up() -> Settings:
    """Read what is set, say in one line what of it does not count, and make the printer heed it."""
    settings = read_settings(os.environ, place(os.environ).data)
    look.color = settings.text("color")
    if settings.notes:
        more = len(settings.notes) - 1
        rest = f" And {more} more: hark config" if more else ""
        print(f"hark: {settings.notes[0]}{rest}", file=sys.stderr)
    return settings


def in_step(archive: Memories, *, whole: bool = False) -> None:
    """Exchange what changed with the server, read what was changed by hand in folders, and write what changed here.

    Costs a request where a server was set, a look at the files where folders are kept, nothing elsewhere. Of files all
    are read or the newest.
    """
    reach(archive, whole=whole)
    if not archive.has_folders():
        return
    from harkback.archive.memory_folders import MemoryFolders
    from harkback.cli.memory_files import tell

    folders = MemoryFolders(archive)
    tell(folders.sync() if whole else folders.look())
    reach(archive)


def reach(archive: Memories, *, whole: bool = False) -> None:
    """Exchange what changed with the server, where one was set; what is wrong with it is said and ends nothing."""
    if not archive.settings.text("server.url"):
        return
    from harkback.archive.replica import Replica
    from harkback.cli.terminal import note

    if problem := Replica(archive).meet(whole=whole):
        note(problem)


def in_step_where_readable(archive: Memories, *, whole: bool = False) -> str:
    """Do the same for a command that is about sessions: memories that cannot be read do not end it. Gives why."""
    from harkback.errors import MemoriesDamaged

    try:
        in_step(archive, whole=whole)
    except MemoriesDamaged as error:
        return str(error)
    return ""


def memories_of(archive: Archive) -> Memories:
    """Give the half about memories of an archive that is open already."""
    from harkback.archive.memories import Memories

    return Memories(archive.place, archive.env, archive.now_ms, archive.cwd, archive.settings, archive.embedders)


def memories() -> Memories:
    """Give the half of the archive that is about memories."""
    from harkback.archive.memories import Memories

    return Memories(place(os.environ), os.environ, int(time() * 1000), folder(), set_up())
