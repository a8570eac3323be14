"""What is typed with a slash: one table, from which help and completion are made."""

from __future__ import annotations

import os
import shlex

from harkback import errors
from harkback._record import NamedTuple
from harkback.archive.memories import EVERYWHERE, HERE
from harkback.chat.conversation import earlier, paths
from harkback.chat.talking import score
from harkback.mcp import rendering
from harkback.memory.ages import age, language_of
from harkback.memory.recall import Wanted
from harkback.model import MEMORY_KINDS
from harkback.telling import line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harkback.chat.talking import Chat
    from harkback.memory.merging import Plan

    Run = Callable[[Chat, str], str]
    """Does what was asked, given what stands behind the command; gives what is shown. Raises HarkError."""


_MOST_LISTED = 20
_SHORT = 8
_HELP_AT = 18
_BAD_SHOWN = 5
_TEXTS = ("TEXT", "QUESTION")
_QUOTES = "\"'"
_FEWEST_QUOTED = 2
_IN_CHAT = {
    errors.NoMemory: errors.NoChatMemory,
    errors.NothingRemembered: errors.NoneInChat,
    errors.NotFound: errors.NoEarlierChat,
    errors.FileThere: errors.ChatFileThere,
    errors.NotAgreed: errors.ImportNotAgreed,
}
"""What says elsewhere which command of the shell is next."""


class Command(NamedTuple):
    """One command."""

    name: str
    takes: str
    help: str
    run: Run


class Leave(Exception):
    """The person wants to go."""


def run(chat: Chat, typed: str) -> str:
    """Do what was typed, or say it to the model where it is no command; gives what is shown.

    Raises HarkError, Leave.
    """
    name, rest = [*typed.split(maxsplit=1), ""][:2]
    found = BY_NAME.get(name.lower())
    is_pasted = "\n" in typed.strip() and (found is None or found.takes not in _TEXTS)
    if is_pasted or "/" in name[1:]:
        chat.turn(typed)
        return ""
    if found is None:
        raise errors.UnknownChatCommand(name)
    try:
        return found.run(chat, rest.strip())
    except tuple(_IN_CHAT) as error:
        raise _IN_CHAT.get(type(error), type(error))(*error.values) from error


def _remember(chat: Chat, rest: str) -> str:
    return chat.remember(_given("/remember", rest))


def _recall(chat: Chat, rest: str) -> str:
    memories = chat.memories()
    answer = memories.recall([_given("/recall", rest)], Wanted(chat.door.settings.number("recall.limit")))
    lines = [f"{rendering.memory(one.memory, memories.now_ms)}\n    {score(one)}" for one in answer.hits]
    return "\n".join(lines) or answer.hint.replace("--everywhere", "/mem list --everywhere")


def _mem(chat: Chat, rest: str) -> str:
    words = [part for word in _words("/mem", rest) for part in _parted(word)]
    kinds: list[str] = []
    scope = HERE
    if words[:1] != ["list"]:
        raise errors.ChatUsage("/mem", "list, with --kind KIND or --everywhere behind it")
    words = words[1:]
    while words:
        if words[0] == "--everywhere":
            scope, words = EVERYWHERE, words[1:]
        elif words[0] == "--kind" and words[1:] and words[1] in MEMORY_KINDS:
            kinds, words = [*kinds, words[1]], words[2:]
        else:
            raise errors.ChatUsage("/mem list", f"--everywhere and --kind with {', '.join(MEMORY_KINDS)}")
    memories = chat.memories()
    listed = memories.listed(kinds=kinds, scope=scope)
    return "\n".join(rendering.memory(one, memories.now_ms) for one in listed.memories) or "No memory fits."


def _forget(chat: Chat, rest: str) -> str:
    memories = chat.memories()
    hidden = memories.put_in_bin(_given("/forget", rest))
    chat.used = tuple(one for one in chat.used if one.memory.id != hidden.id)
    chat.door.in_step(memories)
    return f"Forgotten: {line(hidden.text)}\n    for a day hark memories restore {hidden.id} brings it back"


def _profile(chat: Chat, _: str) -> str:
    sections = [one for one in chat.memories().profile() if one.text]
    told = "\n".join(f"{one.section}\n    {line(one.text)}" for one in sections)
    return told or "The profile says nothing yet. `hark profile edit SECTION TEXT` writes a section."


def _why(chat: Chat, _: str) -> str:
    return chat.why()


def _dump(chat: Chat, _: str) -> str:
    memories = chat.memories()
    listed = memories.listed(scope=EVERYWHERE, history=True)
    return "\n".join(rendering.memory(one, memories.now_ms) for one in listed.memories) or "Nothing is remembered."


def _export(chat: Chat, rest: str) -> str:
    from harkback.archive.memory_files import MemoryFiles

    done = MemoryFiles(chat.memories()).export(_unquoted(_given("/export", rest)))
    return f"{done.memories:,} memories written to {done.file}"


def _import(chat: Chat, rest: str) -> str:
    from harkback.archive.memory_files import MemoryFiles

    def is_agreed(plan: Plan) -> bool:
        told = f"{file}: {plan.replaces:,} texts of memories would be replaced, {plan.adds:,} memories added."
        return chat.screen.confirms(told, "Go on?") is True

    memories = chat.memories()
    file = _file(chat.door.cwd, _unquoted(_given("/import", rest)))
    done = MemoryFiles(memories).bring(file, is_agreed=is_agreed)
    chat.door.in_step(memories)
    told = f"{done.added:,} memories added, {done.merged:,} merged, {done.kept:,} known already"
    bad = [f"    line {number}: {why}" for _, number, why in done.bad[:_BAD_SHOWN]]
    more = len(done.bad) - len(bad)
    return "\n".join([told, *bad, *([f"    and {more:,} more lines that are no memories"] if more else [])])


def _new(chat: Chat, _: str) -> str:
    chat.begin()
    return "A new conversation begins."


def _sessions(chat: Chat, _: str) -> str:
    told = []
    now_ms = chat.memories().now_ms
    for one in earlier(chat.data, _MOST_LISTED):
        ended = age(one.last_ms(now_ms), now_ms, language_of(one.title))
        told.append(f"{one.native[:_SHORT]}  {ended}  {line(one.title)}")
    older = len(paths(chat.data)) - _MOST_LISTED
    if older > 0:
        told.append(f"{older:,} older ones are not listed; /resume ID goes on with any.")
    return "\n".join(told) or "There is no earlier conversation."


def _resume(chat: Chat, rest: str) -> str:
    chat.resume(_given("/resume", rest))
    return chat.conversation.recap()


def _model(chat: Chat, rest: str) -> str:
    if rest:
        chat.take(rest)
    return f"The model is {chat.model}." if chat.model else "No model is set. /model ollama:NAME takes one."


def _shell(chat: Chat, rest: str) -> str:
    if rest not in {"on", "off", ""}:
        raise errors.ChatUsage("/shell", "on or off")
    chat.tools.has_shell = rest == "on" if rest else chat.tools.has_shell
    if chat.tools.has_shell:
        return (
            "The model may ask to run shell commands; each is shown and runs only after your yes. /shell off ends it."
        )
    return "The model runs nothing. /shell on lets it ask, for this chat."


def _compact(chat: Chat, _: str) -> str:
    cut = chat.shorten()
    return f"{cut:,} messages are no longer shown to the model; they are kept." if cut else "There is one round only."


def _help(_: Chat, __: str) -> str:
    names = [f"{one.name} {one.takes}".strip() for one in COMMANDS]
    gap = f"\n{'':{_HELP_AT}}"
    lines = [
        f"{name:{_HELP_AT}}{one.help}" if len(name) < _HELP_AT else f"{name}{gap}{one.help}"
        for name, one in zip(names, COMMANDS, strict=True)
    ]
    return "\n".join([*lines, "Anything else is said to the model. “Remember that …”, 記住…, 覚えて… saves at once."])


def _exit(_: Chat, __: str) -> str:
    raise Leave


def _given(name: str, rest: str) -> str:
    if not rest:
        raise errors.ChatUsage(name, BY_NAME[name].takes)
    return rest


def _words(name: str, rest: str) -> list[str]:
    try:
        return shlex.split(rest)
    except ValueError as error:
        raise errors.ChatUsage(name, f"{BY_NAME[name].takes} ({error})") from error


def _parted(word: str) -> list[str]:
    """Take `--kind=task` apart."""
    name, sign, value = word.partition("=")
    return [name, value] if sign and name.startswith("--") else [word]


def _unquoted(path: str) -> str:
    """Take the quotes off that stand around a whole path; a backslash is part of it."""
    is_quoted = len(path) > _FEWEST_QUOTED and path[0] in _QUOTES and path[0] == path[-1]
    return path[1:-1] if is_quoted else path


def _file(cwd: str, named: str) -> str:
    """Give the path of what is a file, and has memories as JSON lines. Raises ChatUsage, FileUnreadable."""
    path = os.path.abspath(os.path.join(cwd or os.sep, os.path.expanduser(named)))
    if os.path.isdir(path) or path.lower().endswith((".md", ".markdown")):
        elsewhere = "a file of JSON lines; in a shell, `hark memories import` takes folders and Markdown as well"
        raise errors.ChatUsage("/import", elsewhere)
    if os.path.exists(path) and not os.path.isfile(path):
        raise errors.FileUnreadable(path, "it is no file")
    return path


COMMANDS = (
    Command("/remember", "TEXT", "save a fact", _remember),
    Command("/recall", "QUESTION", "find memories, and say how they scored", _recall),
    Command("/mem", "list [--kind KIND] [--everywhere]", "list memories", _mem),
    Command("/forget", "ID", "forget a memory (for a day it can be brought back)", _forget),
    Command("/profile", "", "show what is known of you", _profile),
    Command("/why", "", "show the memories of the last answer, and how they scored", _why),
    Command("/dump", "", "show all memories", _dump),
    Command("/export", "FILE", "write all memories to a file, as JSON lines", _export),
    Command("/import", "FILE", "read memories from a file and merge them", _import),
    Command("/new", "", "begin a new conversation", _new),
    Command("/sessions", "", "list the latest conversations", _sessions),
    Command("/resume", "ID", "go on with one", _resume),
    Command("/model", "[NAME]", "show the model, or go on with another", _model),
    Command("/shell", "on | off", "let the model ask to run commands, each after your yes", _shell),
    Command("/compact", "", "leave the oldest fifth of the conversation out", _compact),
    Command("/help", "", "list the commands", _help),
    Command("/exit", "", "end (also Ctrl-D)", _exit),
)
BY_NAME = {one.name: one for one in COMMANDS}
