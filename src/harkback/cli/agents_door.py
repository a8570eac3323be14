"""How agents come in: `hark mcp`, and the archive as the server opens it."""

from __future__ import annotations

import os
from time import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from harkback.archive.memories import Memories
    from harkback.archive.sessions import Archive
    from harkback.mcp.stdio import Wire


class Door:
    """Opens both halves of the archive, anew for each call."""

    def __init__(self, *, is_remote: bool, cwd: str = "", is_silent: bool = False) -> None:
        """Who comes from elsewhere stands in no project, and asks from no session of this machine.

        `cwd` is where the asking agent works, where that is another folder than ours; `is_silent`: nothing is said of
        what is set and does not count.
        """
        from harkback.agents import ASKING
        from harkback.cli.opening import folder, set_up
        from harkback.config import place, read_settings

        self.env: Mapping[str, str] = dict(os.environ)
        if is_remote:
            hidden = {name for _, name in ASKING}
            self.env = {name: value for name, value in self.env.items() if name not in hidden}
        self.cwd = "" if is_remote else cwd or folder()
        self.settings = read_settings(self.env, place(self.env).data) if is_silent else set_up()

    def both(self, asking: Mapping[str, str]) -> tuple[Archive, Memories]:
        """Open both halves; `asking` names the sessions that may be asking, as in an environment."""
        from harkback.archive.memories import Memories
        from harkback.archive.sessions import Archive
        from harkback.config import place

        env = {**self.env, **asking}
        now_ms = int(time() * 1000)
        where = place(env)
        archive = Archive(where, env, now_ms, self.cwd, self.settings)
        return archive, Memories(where, env, now_ms, self.cwd, self.settings, archive.embedders)

    def in_step(self, memories: Memories) -> None:
        """Bring the server and folders of Markdown in step with the memories."""
        from harkback.cli.opening import reach

        reach(memories)
        if memories.has_folders():
            from harkback.archive.memory_folders import MemoryFolders

            MemoryFolders(memories).look()
            reach(memories)

    def sync_later(self) -> None:
        """Let `hark sync` run beside us, where that was not switched off."""
        if self.settings.is_on("sync.background"):
            from harkback.cli.background import start_sync
            from harkback.config import place

            start_sync(self.env, place(self.env).data)


def mcp() -> int:
    """Serve over stdio until the input ends."""
    from harkback.mcp.stdio import serve

    serve(_hand_over)
    return 0


def hook() -> int:
    """Answer one hook of an agent."""
    from harkback.hooks.running import run

    return run(lambda cwd: Door(is_remote=False, cwd=cwd, is_silent=True))


def _hand_over(wire: Wire, first: list[bytes], answered: set[object]) -> None:
    """Let the SDK go on. Raises ExtraMissing."""
    from harkback.mcp.calls import Calls

    try:
        from harkback.mcp.sdk import serve
    except ImportError as error:
        from harkback.errors import ExtraMissing

        raise ExtraMissing("hark mcp", "mcp", error.name) from error
    serve(wire, first, answered, Calls(Door(is_remote=False)))
