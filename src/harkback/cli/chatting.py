"""`hark chat`: the model that was set, the archive, and where one types."""

from __future__ import annotations

import os

from harkback import errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from harkback.config import Settings
    from harkback.models.chatting import Chatter


def chat(options: argparse.Namespace) -> int:
    """Talk until the person ends it."""
    from harkback.chat.running import run
    from harkback.chat.screen import Pipes
    from harkback.chat.talking import Chat
    from harkback.cli.agents_door import Door

    door = Door(is_remote=False)
    screen = Pipes()
    talk = Chat(
        door, screen, lambda name: _loaded(name, door.settings), options.model or door.settings.text("chat.model")
    )
    if options.resume:
        talk.resume(options.resume)
    return run(talk, screen)


def _loaded(name: str, settings: Settings) -> Chatter:
    """Open the model of a name. Raises NoModel, BadValue, NoChatKey, ExtraMissing."""
    from harkback.models.chatting import load, setup_of

    if not name:
        raise errors.NoModel
    setup = setup_of(name, settings.text("chat.base_url"), os.environ, settings.seconds("chat.timeout_s"))
    return load(setup)
