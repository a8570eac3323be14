"""What setting up needs to know of an agent program: its files, and what each of them looks like with us in it."""

from __future__ import annotations

import os
import re

from harkback._record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

SERVER = "harkback"
"""The name of our MCP server in every agent's settings."""

PLAIN = "hark hook"
"""The hook's command line as anybody would write it, and so ours whoever wrote it."""

_HOOK = re.compile(r"""(?:^|[\\/"'&\s])hark(?:\.exe)?["']*\s+hook\s*$""")


class Unfit(ValueError):
    """A file is not such that we could be put into it; says where and why."""


class Where(NamedTuple):
    """What moves an agent's folders."""

    home: str
    env: Mapping[str, str] = {}

    def folder(self, variable: str, *usual: str) -> str:
        """Name the folder that a variable moves; `usual` says where it lies in the home folder otherwise."""
        chosen = self.env.get(variable, "") if variable else ""
        return os.path.abspath(os.path.expanduser(chosen)) if chosen else os.path.join(self.home, *usual)


class Wanted(NamedTuple):
    """What is to be written."""

    hook: str = PLAIN
    """The command line of the hook, as a shell takes it."""
    program: str = "hark"
    """The program alone, a name or a path."""
    context: bool = False
    """Whether a session begins with recent context."""
    mcp: bool = True
    env: Mapping[str, str] = {}
    """What we must find in our environment, because the agent may not hand it on."""
    known: tuple[str, ...] = ()
    """Command lines of the hook that we wrote before, which are ours like the one of today."""

    @property
    def lines(self) -> frozenset[str]:
        """Every command line of the hook that is ours."""
        return frozenset((PLAIN, self.hook, *self.known))


class Part(NamedTuple):
    """One file, and what is ours in it."""

    path: str
    what: str
    """What it holds of us, in words."""
    put: Callable[[str | None], str]
    """From the text of the file, None for no file, to the text with us in it. Raises Unfit."""
    take: Callable[[str, str | None], str | None]
    """From a text with us in it and the text before we came to the text without us, None for no file. Raises Unfit."""
    cut: Callable[[str], str]
    """From a text to the text without us, where it is not known what stood there before. Raises Unfit."""
    is_own: bool = False
    """Whether nothing in the file is anybody else's."""
    piece: Callable[[str], str] | None = None
    """From a text to what we write in it as a whole, line ends plain, "" for nothing; None where we write entries."""
    others: Callable[[str], Sequence[str]] | None = None
    """From a text to the command lines in it that start such a hook as ours, and are not ours."""


class Agent(NamedTuple):
    """One agent program."""

    name: str
    title: str
    program: str
    """What it is called on a command line."""
    folder: Callable[[Where], str]
    """Where its settings lie."""
    parts: Callable[[Where, Wanted], list[Part]]
    note: str = ""
    """What a person has to know after setting it up."""


def is_hook(command: object) -> bool:
    """Whether a command line starts the hook of a program of our name, whoever wrote it."""
    return isinstance(command, str) and _HOOK.search(command) is not None


def is_server(value: object) -> bool:
    """Whether an entry of an MCP server starts `hark mcp`."""
    if not isinstance(value, dict):
        return False
    command, args = value.get("command"), value.get("args")
    if isinstance(command, list):  # as opencode writes it
        command, args = (command[0] if command else ""), command[1:]
    name = re.split(r"[\\/]", command)[-1] if isinstance(command, str) else ""
    return name.removesuffix(".exe") == "hark" and args == ["mcp"]
