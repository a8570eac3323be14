"""A sync that runs beside us and ends by itself: no daemon, at most one at a time."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def start_sync(env: Mapping[str, str], data: str) -> None:
    """Start `hark sync` detached; a failure to start is no error of the search."""
    # -P: nothing is imported from the folder that the search was typed in, which others may have written.
    argv = [sys.executable, "-P", "-m", "harkback", "sync", "--background"]
    own = {**env, "HARK_HOME": data}
    try:
        if hasattr(os, "posix_spawn"):
            # `subprocess` takes 7 ms to import; this takes one.
            null = os.open(os.devnull, os.O_RDWR)
            actions = [(os.POSIX_SPAWN_DUP2, null, number) for number in range(3)]
            try:
                os.posix_spawn(sys.executable, argv, own, file_actions=actions, setsid=True)
            finally:
                os.close(null)
        else:
            import subprocess

            flags = getattr(subprocess, "DETACHED_PROCESS", 0) | getattr(subprocess, "CREATE_NO_WINDOW", 0)
            subprocess.Popen(argv, env=own, close_fds=True, creationflags=flags)
    except (OSError, NotImplementedError):
        return
