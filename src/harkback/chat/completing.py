"""What may follow behind what was typed of a command: its name, then kinds, ids, on and off."""

from __future__ import annotations

from harkback import errors
from harkback._record import NamedTuple
from harkback.archive.memories import EVERYWHERE
from harkback.chat.commands import COMMANDS
from harkback.chat.conversation import earlier
from harkback.model import MEMORY_KINDS
from harkback.telling import line
from harkback.text.shorten import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from harkback.chat.talking import Chat

    Offered = Iterable[tuple[str, str]]
    """Words, each with what is said of it."""

_MOST = 50
_SHORT = 8
_HELP_CHARS = 60


class Suggestion(NamedTuple):
    """A word that may follow."""

    text: str
    help: str
    typed: int
    """So many characters before the cursor it takes the place of."""


def suggestions(chat: Chat, typed: str) -> list[Suggestion]:
    """Say what may follow; nothing where the archive cannot be read."""
    if not typed.startswith("/") or "\n" in typed:
        return []
    *before, last = typed.split(" ")
    try:
        offered = _offered(chat, [one for one in before if one])
        return [Suggestion(text, told, len(last)) for text, told in offered if text.startswith(last)][:_MOST]
    except errors.HarkError:
        return []


def _offered(chat: Chat, before: Sequence[str]) -> Offered:
    if not before:
        return [(one.name, one.help) for one in COMMANDS]
    values = _VALUES.get(before[0].lower())
    return values(chat, before[1:]) if values else ()


def _of_mem(_: Chat, before: Sequence[str]) -> Offered:
    if not before:
        return [("list", "list memories")]
    if before[-1] == "--kind":
        return [(kind, "") for kind in MEMORY_KINDS]
    return [("--kind", "of one kind"), ("--everywhere", "also of other projects")]


def _memories(chat: Chat, before: Sequence[str]) -> Offered:
    if before:
        return ()
    return ((one.id, _cut(one.text)) for one in chat.memories().listed(scope=EVERYWHERE).memories)


def _conversations(chat: Chat, before: Sequence[str]) -> Offered:
    return () if before else ((one.native[:_SHORT], _cut(one.title)) for one in earlier(chat.data, _MOST))


def _switches(_: Chat, before: Sequence[str]) -> Offered:
    return () if before else [("on", ""), ("off", "")]


def _cut(text: str) -> str:
    return shorten(line(text), _HELP_CHARS)


_VALUES: dict[str, Callable[[Chat, Sequence[str]], Offered]] = {
    "/mem": _of_mem,
    "/forget": _memories,
    "/resume": _conversations,
    "/shell": _switches,
}
