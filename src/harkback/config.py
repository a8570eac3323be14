"""Where things lie and what can be set. Only front doors read the environment; they pass values down."""

from __future__ import annotations

import os
import sys

from harkback import errors
from harkback._record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Place(NamedTuple):
    """The folders of one user, as found at a front door."""

    home: str
    """The user's home folder, under which agents keep their transcripts."""
    data: str
    """The folder of the archive."""


def place(env: Mapping[str, str]) -> Place:
    """Find the folders: `HARK_HOME`, else the platform's data folder (the rules `platformdirs` follows).

    `platformdirs` itself takes 12 ms to import, a fifth of what a whole `hark search` may take. Raises BadValue for a
    path that is not UTF-8.
    """
    found = _place(env)
    try:
        found.data.encode()
    except UnicodeEncodeError:
        advice = "The index knows only paths in UTF-8; name another folder."
        raise errors.BadValue("HARK_HOME", found.data, advice) from None
    return found


def _place(env: Mapping[str, str]) -> Place:
    home = env.get("HOME") or env.get("USERPROFILE") or os.path.expanduser("~")
    chosen = env.get("HARK_HOME")
    if chosen:
        return Place(home, os.path.abspath(os.path.expanduser(chosen)))
    if sys.platform == "win32":
        base = env.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
    elif sys.platform == "darwin":
        base = os.path.join(home, "Library", "Application Support")
    else:
        base = env.get("XDG_DATA_HOME") or os.path.join(home, ".local", "share")
    return Place(home, os.path.join(base, "harkback"))
