"""`hark chat`: the model that was set, the archive, and where one types."""

from __future__ import annotations

import os
import sys

from harkback import errors
from harkback.chat.screen import Pipes
from harkback.cli.terminal import is_terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from harkback.config import Settings
    from harkback.models.chatting import Chatter


def chat(options: argparse.Namespace) -> int:
    """Talk until the person ends it, or see how well the model takes memories."""
    if options.eval is not None:
        return _evaluate(options)
    if options.json:
        raise errors.BadUsage("hark chat", "--json goes with --eval")
    from harkback.chat.running import run
    from harkback.chat.talking import Chat
    from harkback.cli.agents_door import Door

    door = Door(is_remote=False)
    model = options.model or door.settings.text("chat.model")
    talk = Chat(door, Pipes(), lambda name: _loaded(name, door.settings), model)
    if options.resume:
        talk.resume(options.resume)
    if is_typed():
        from harkback.chat.completing import suggestions
        from harkback.chat.terminal import Terminal

        talk.screen = Terminal(
            talk.data, ready=talk.warm, suggest=lambda typed: suggestions(talk, typed), colors=is_terminal()
        )
        if options.resume:
            talk.screen.say(talk.conversation.recap())
    else:
        talk.warm()
    return run(talk)


def _evaluate(options: argparse.Namespace) -> int:
    from harkback.cli.evaluating import evaluate
    from harkback.cli.opening import set_up

    settings = set_up()
    chatter = _loaded(options.model or settings.text("chat.model"), settings)
    return evaluate(chatter, options.eval, as_json=options.json)


def is_typed() -> bool:
    """Whether a person types and reads at a terminal that can be drawn on."""
    from importlib.util import find_spec

    is_person = (
        sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    )
    return is_person and find_spec("prompt_toolkit") is not None


def _loaded(name: str, settings: Settings) -> Chatter:
    """Open the model of a name. Raises NoModel, BadValue, NoChatKey, ExtraMissing."""
    from harkback.models.chatting import load, setup_of

    if not name:
        raise errors.NoModel
    if "chat.base_url" in settings.refused:
        raise errors.NoSuchPlace("chat.base_url")
    return load(setup_of(name, settings.text("chat.base_url"), _key_of, settings.seconds("chat.timeout_s")))


def _key_of(name: str) -> str:
    """Look a key up, in the environment and then in the system's keyring; "" where there is none."""
    from harkback.keyring_keys import in_keyring

    return os.environ.get(name, "") or in_keyring(name)
