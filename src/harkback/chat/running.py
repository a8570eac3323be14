"""The loop of `hark chat`: read, answer, and go on whatever goes wrong."""

from __future__ import annotations

from threading import Timer

from harkback import errors
from harkback.chat import commands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harkback.chat.screen import Screen
    from harkback.chat.talking import Chat

_PATIENCE_S = 0.5
_TAKING = "Taking memories of what was said … (Ctrl-C leaves that to a later chat)"


def run(chat: Chat) -> int:
    """Talk until the end of the input; gives 0, or 2 where the last thing said could not be answered."""
    screen = chat.screen
    status = _talk(chat, screen)
    waiting = Timer(_PATIENCE_S, screen.note, (_TAKING,))
    waiting.daemon = True
    waiting.start()
    try:
        trouble = chat.close()
        waiting.cancel()
        _tell_news(chat, screen)
        if trouble:
            screen.note(f"hark: No memories were taken of the last turns ({trouble}). {_what_then(chat)}")
    except KeyboardInterrupt:
        screen.note(f"hark: No memories were taken of the last turns. {_what_then(chat)}")
    finally:
        waiting.cancel()
    return status


def _what_then(chat: Chat) -> str:
    if chat.conversation.trouble:
        return "They were not written down either, so no later hark chat can."
    return "A later hark chat tries again."


def _talk(chat: Chat, screen: Screen) -> int:
    status = 0
    if not chat.model:
        say_how_to_set_up(screen)
        status = 2
    while True:
        try:
            _tell_news(chat, screen)
            typed = _read(screen)
            if typed is None:
                return status
            if typed.strip():
                status = 0
                _one(chat, screen, typed)
        except commands.Leave:
            return status
        except errors.NoModel:
            say_how_to_set_up(screen)
            status = 2
        except errors.HarkError as error:
            screen.note(f"hark: {error}")
            status = 2
        except KeyboardInterrupt:
            screen.note("(cut short; Ctrl-D ends)")


def _read(screen: Screen) -> str | None:
    while True:
        try:
            return screen.read()
        except KeyboardInterrupt:
            screen.note("(Ctrl-D ends)")


def _tell_news(chat: Chat, screen: Screen) -> None:
    if told := chat.news():
        screen.note(told)
    if told := chat.conversation.news():
        screen.note(f"hark: {told} The chat goes on; what is said is written down as soon as that can be done.")


def say_how_to_set_up(screen: Screen) -> None:
    """Say in two lines how a model is set up."""
    screen.note(f"hark: {errors.NoModel()}")
    screen.note("Or with a key in OPENAI_API_KEY or ANTHROPIC_API_KEY: --model openai:NAME, --model anthropic:NAME.")


def _one(chat: Chat, screen: Screen, typed: str) -> None:
    if not typed.startswith("/"):
        chat.turn(typed)
    elif told := commands.run(chat, typed):
        screen.say(told)
