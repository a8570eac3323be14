"""The commands and their options, as `--help` shows them."""

from __future__ import annotations

import argparse
from functools import partial

from harkback import __version__
from harkback.cli import chat_parser, memory_parser, server_parser, setup_parser
from harkback.cli.parser_parts import add_filters, count, help_of, json_flag
from harkback.config import DEFAULTS, option
from harkback.errors import BadUsage, UnknownCommand
from harkback.model import KINDS
from harkback.query import FIELDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn


EPILOG = """\
words        every word must be there; if none holds all, what holds most of them
"a phrase"   exactly this     -word  not this     A OR B  one of them
fields       {fields}
             several values with commas: in:talk,calls; a field alone is a search: file:nginx.conf
exit status  0 found, 1 nothing found, 2 error
"""


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are ours: one line, and the next step."""

    def error(self, message: str) -> NoReturn:
        raise BadUsage(self.prog, message)


def parser() -> argparse.ArgumentParser:
    """Make the parser of `hark`."""
    top = _Parser(
        prog="hark",
        allow_abbrev=False,
        description="Find again what was said in past sessions of your coding agents.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"hark {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", prog="hark")
    for add in _ADDERS:
        add(partial(commands.add_parser, allow_abbrev=False))
    return top


def parse(argv: list[str]) -> argparse.Namespace:
    """Parse a command line, options and words in any order.

    Where a text is taken (`search`, `remember` …), what begins with a dash and is no option is a word of it: `-not`,
    `--no-cache`. Raises BadUsage, UnknownCommand.
    """
    top = parser()
    if not argv[0].startswith("-") and argv[0] not in _commands(top):
        near = _near(argv[0], list(_commands(top)))
        raise UnknownCommand(argv[0], f"Did you mean {near!r}? " if near else "")
    one = _commands(top).get(argv[0])
    if one is not None:
        alone, valued = _option_names(one)
        options, words = _split(argv[1:], alone, valued)
        known = sorted(alone | valued)
        meant = [(item, near) for item in words if item.startswith("--") and (near := _meant(item, known))]
        if meant and argv[0] in _TAKING_TEXT[1:] and "--" not in argv:
            item, near = meant[0]
            raise BadUsage(one.prog, f"{item} is no option, did you mean {near}? Behind -- it is a word of the text")
        odd = next((item for item in words if item.startswith("--") and item[2:3].isalpha()), "")
        if odd and argv[0] in _KEEPING_TEXT and "--" not in argv:
            raise BadUsage(one.prog, f"{odd} is no option; behind -- it is a word of the text")
        is_text = argv[0] in _TAKING_TEXT or "--" in argv
        argv = [argv[0], *options, *(["--"] if words and is_text else []), *words]
    found, rest = top.parse_known_args(argv)
    if rest or found.command is None:
        raise _misplaced(_commands(top).get(found.command, top), rest)
    if found.command == "search":
        found.notes = [f"{item} was searched as a word; did you mean the option {near}?" for item, near in meant]
    return found


_KEEPING_TEXT = ("remember", "edit", "supersede")
"""What these are given is kept: a mistyped option must not become a part of it."""

_TAKING_TEXT = ("search", "recall", "remember", "edit", "supersede")


def _misplaced(one: argparse.ArgumentParser, rest: list[str]) -> BadUsage:
    """Say of what a command does not take whether it was meant otherwise."""
    known = [name for action in one._actions for name in action.option_strings]  # noqa: SLF001 - no public list
    if not rest:
        return BadUsage(one.prog, "a command is missing")
    if rest[0] in known:
        return BadUsage(one.prog, f"{rest[0]} belongs behind the command")
    near = _near(rest[0], known)
    return BadUsage(one.prog, f"{' '.join(rest)} is not understood" + (f", did you mean {near}?" if near else ""))


def _near(text: str, known: list[str]) -> str:
    """Give the one of the known names that is spelt alike, "" where there is none."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(text, known, 1, 0.6)), "")


_GUESSES = {"--limit": "-n", "--max": "-n", "--count": "-n", "--top": "-n", "--context": "-C", "--lane": "--in"}
_GUESSES |= {"--global": "--everywhere", "--everywhere": "--global"}
"""What a word was meant for that is an option of another command, or of other programs."""


def _meant(item: str, known: list[str]) -> str:
    """Say which option a word may have been meant for; words such as `--no-cache` are none."""
    from difflib import get_close_matches

    name = item.partition("=")[0]
    guess = _GUESSES.get(name, "")
    near = [guess] if guess in known else get_close_matches(name, known, 1, 0.75)
    return near[0] if near else ""


def _commands(top: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Give the parsers of the commands; argparse has no public way to them."""
    (commands,) = (action for action in top._actions if isinstance(action, argparse._SubParsersAction))  # noqa: SLF001
    return dict(commands.choices)


def _option_names(one: argparse.ArgumentParser) -> tuple[set[str], set[str]]:
    """Name the options of a command that stand alone and those that a value follows."""
    alone: set[str] = set()
    valued: set[str] = set()
    for action in one._actions:  # noqa: SLF001 - argparse has no public list
        (alone if action.nargs == 0 else valued).update(action.option_strings)
    return alone, valued


def _split(argv: list[str], alone: set[str], valued: set[str]) -> tuple[list[str], list[str]]:
    """Part options (with their values) from the words of the query."""
    options: list[str] = []
    words: list[str] = []
    at = 0
    while at < len(argv):
        item = argv[at]
        at += 1
        if item == "--":
            return options, words + argv[at:]
        if item in alone or (item.startswith("--") and item.partition("=")[0] in valued and "=" in item):
            options.append(item)
        elif item in valued:
            options += [item, *argv[at : at + 1]]
            at += 1
        elif item[:2] in valued and item[2:].isdigit():  # -n5, -C2
            options.append(item)
        else:
            words.append(item)
    return options, words


def _search(add: Callable[..., argparse.ArgumentParser]) -> None:
    fields = " ".join(f"{field.name}:" for field in FIELDS)
    one = add(
        "search",
        help="find what was said",
        description="Find what was said in past sessions. What is new is read first.",
        epilog=EPILOG.format(fields=fields),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    one.add_argument("query", nargs="*", metavar="QUERY", help="words, in any language; filters alone are a query too")
    one.add_argument("-n", type=count, metavar="N", help=help_of("search.limit"))
    one.add_argument("-C", type=count, metavar="N", dest="context", help=help_of("search.context"))
    add_filters(one)
    one.add_argument("--all", action="store_true", help="search every lane, tool output and thinking too")
    one.add_argument("--exclude-session", action="append", default=[], metavar="ID", help="leave a session out")
    one.add_argument("--include-current", action="store_true", help="search the asking session too")
    one.add_argument("--sort", choices=option("search.sort").choices, help=help_of("search.sort"))
    one.add_argument("--by", choices=option("search.by").choices, help=help_of("search.by"))
    one.add_argument(
        "--substring", action="store_true", help="find parts of Latin words too (three characters or more)"
    )
    one.add_argument(
        "--meaning", action="store_true", help="find what means the same as well, in other words and languages"
    )
    one.add_argument("--no-sync", action="store_true", help="search only what was read before")
    one.add_argument(
        "--budget",
        type=count,
        metavar="CHARS",
        help=f"print at most so many characters ({DEFAULTS.text('search.budget')}; 0: no limit)",
    )
    json_flag(one)


def _show(add: Callable[..., argparse.ArgumentParser]) -> None:
    one = add(
        "show",
        help="read on: a message, or a session",
        description="Show a message with the turns around it, or a session: its prompts, final answers and files.",
    )
    one.add_argument("id", metavar="ID", help="an id that any command printed, its beginning, or the agent's own id")
    one.add_argument("-C", type=count, metavar="N", dest="context", help=help_of("show.context"))
    one.add_argument("--page", type=count, default=1, metavar="N", help="page of a session or of a long message (1)")
    one.add_argument("--raw", action="store_true", help="print the record from the transcript, secrets masked")
    one.add_argument("--reveal", action="store_true", help="with --raw: as it stands, secrets too")
    json_flag(one)


def _sessions(add: Callable[..., argparse.ArgumentParser]) -> None:
    one = add("sessions", help="list sessions, newest first", description="List sessions, newest first.")
    one.add_argument("title", nargs="*", metavar="TITLE", help="a piece of the title")
    add_filters(one, "agent", "project", "branch", "session", "since", "until")
    one.add_argument("-n", type=count, metavar="N", help=help_of("sessions.limit"))
    one.add_argument("--page", type=count, default=1, metavar="N", help="page of the list (1)")
    one.add_argument("--parent", metavar="ID", default="", help="sessions that descend from this one")
    one.add_argument("--messages", type=count, default=0, metavar="N", help="sessions with at least N messages")
    one.add_argument("--subagents", action="store_true", help="list subagents' sessions too")
    json_flag(one)


def _resume(add: Callable[..., argparse.ArgumentParser]) -> None:
    one = add(
        "resume",
        help="the command that goes on with a session",
        description="Print the command that goes on with a session in its agent. Nothing is started.",
    )
    one.add_argument("id", metavar="ID", help="the id of a session or of one of its messages")
    json_flag(one)


def _events(add: Callable[..., argparse.ArgumentParser]) -> None:
    one = add(
        "events",
        help="everything that was said and done, as JSON lines",
        description="Print everything that was said and done, one JSON object a line, the oldest session first. Texts"
        " are whole as long as the transcript is on disk; copies made by forks and resumes are given once.",
    )
    add_filters(one, "agent", "project", "session", "since", "until", "tool")
    one.add_argument(
        "--kind",
        action="append",
        default=[],
        choices=KINDS,
        metavar="KIND",
        help=f"only events of this kind: {', '.join(KINDS)}",
    )
    one.add_argument("--copies", action="store_true", help="give a message in every session in which it stands")
    one.add_argument(
        "--stats",
        action="store_true",
        help="count by day, agent and project instead: events, tools, skills, hooks, models, tokens",
    )
    one.add_argument("--no-sync", action="store_true", help="give only what was read before")
    json_flag(one)


def _sources(add: Callable[..., argparse.ArgumentParser]) -> None:
    json_flag(
        add(
            "sources",
            help="which agents were found, and what was read of them",
            description="Say for each agent where its transcripts lie and what was read of them.",
        )
    )


def _forget(add: Callable[..., argparse.ArgumentParser]) -> None:
    one = add(
        "forget",
        help="take something out of the archive for good",
        description="Take messages, sessions or memories out of the archive for good, wherever copies stand. Shows"
        " what, and asks. The agents' transcripts are not touched, and a later sync does not bring it back.",
    )
    one.add_argument(
        "id", nargs="*", metavar="ID", help="messages, sessions or memories, by any id that a command printed"
    )
    one.add_argument("--session", action="append", default=[], metavar="ID", help="a session")
    one.add_argument("--project", action="append", default=[], metavar="PROJECT", help="every session of a project")
    one.add_argument("--before", metavar="DATE", help="everything said before this date")
    one.add_argument(
        "--match",
        metavar="QUERY",
        help="every message that a search for this finds, in any lane; - reads it from standard input",
    )
    one.add_argument("--yes", action="store_true", help="do not ask")
    json_flag(one)


def _exclude(add: Callable[..., argparse.ArgumentParser]) -> None:
    one = add(
        "exclude",
        help="keep projects from being read, or from being found elsewhere",
        description="Keep projects from being read; what was read of them is forgotten, after it was shown and asked"
        " for. A sealed project is read, but"
        " found only from inside itself.",
    )
    one.add_argument("action", choices=("add", "remove", "list"), metavar="add|remove|list", help="what to do")
    one.add_argument(
        "pattern", nargs="?", metavar="PATTERN", help="a folder's name or path; * and ? stand for anything"
    )
    one.add_argument("--sealed", action="store_true", help="with add: read it, but find it only from inside itself")
    one.add_argument("--yes", action="store_true", help="do not ask before forgetting")
    json_flag(one)


def _check(add: Callable[..., argparse.ArgumentParser]) -> None:
    one = add(
        "check",
        help="prove that the archive agrees with itself",
        description="Prove that rows, totals, checkpoints and the word index agree. What does not is named, with the"
        " command that mends it, and the exit status is 2.",
    )
    one.add_argument("--secrets", action="store_true", help="look for secrets in what is stored instead")
    json_flag(one)


def _redact(add: Callable[..., argparse.ArgumentParser]) -> None:
    json_flag(
        add(
            "redact",
            help="mask secrets in what is stored",
            description="Mask the secrets that `hark check --secrets` finds in what is stored. New texts are masked"
            " when they are read.",
        )
    )


def _sync(add: Callable[..., argparse.ArgumentParser]) -> None:
    one = add("sync", help="read what is new", description="Read what is new in every agent's transcripts.")
    one.add_argument("--full", action="store_true", help="read every transcript again from its beginning")
    one.add_argument("--background", action="store_true", help=argparse.SUPPRESS)
    json_flag(one)


def _status(add: Callable[..., argparse.ArgumentParser]) -> None:
    json_flag(add("status", help="what is covered and what is not", description="Say what is covered and what is not."))


def _rebuild(add: Callable[..., argparse.ArgumentParser]) -> None:
    json_flag(add("rebuild", help="make the word index again", description="Make the word index again from the rows."))


def _config(add: Callable[..., argparse.ArgumentParser]) -> None:
    one = add(
        "config",
        help="what can be set, and what is",
        description="List what can be set, what it is set to and where; with KEY one option, with VALUE set it in"
        " config.toml.",
    )
    one.add_argument("key", nargs="?", default="", metavar="KEY", help="the name of an option, such as search.limit")
    one.add_argument("value", nargs="?", metavar="VALUE", help="what to set it to")
    one.add_argument("--unset", action="store_true", help="take KEY out of config.toml")
    json_flag(one)


def _uninstall(add: Callable[..., argparse.ArgumentParser]) -> None:
    one = add(
        "uninstall",
        help="take out what was installed",
        description="Take out everything that was installed outside the archive's folder. The archive stays unless"
        " you say so.",
    )
    one.add_argument("--delete-archive", action="store_true", help="delete the archive as well, after asking twice")
    one.add_argument("--yes", action="count", default=0, help="answer a question with yes; twice: both")
    json_flag(one)


def _demo(add: Callable[..., argparse.ArgumentParser]) -> None:
    one = add(
        "demo",
        help="try it on a sample archive",
        description="Search a sample archive in three languages. Your own archive is not touched.",
    )
    json_flag(one)


def _mcp(add: Callable[..., argparse.ArgumentParser]) -> None:
    add(
        "mcp",
        help="serve agents on this machine over MCP (stdio)",
        description="Serve the memory to an agent as MCP tools, on standard input and output, until the input ends."
        " An agent starts this by itself: docs/mcp.md says what to write into its settings.",
    )


def _hook(add: Callable[..., argparse.ArgumentParser]) -> None:
    add(
        "hook",
        help="answer a hook of an agent program",
        description="Read what an agent program sends to a hook on standard input, and answer: where a prompt points to"
        " past work, with a reminder to search first and the best that is there. Otherwise nothing is said,"
        " and never an error. Agents start this by themselves: docs/hook.md.",
    )


_ADDERS = (
    _search,
    memory_parser.recall,
    memory_parser.remember,
    memory_parser.memories,
    memory_parser.edit,
    memory_parser.done,
    memory_parser.supersede,
    memory_parser.context,
    memory_parser.profile,
    chat_parser.chat,
    chat_parser.compact,
    _hook,
    _mcp,
    server_parser.serve,
    server_parser.token,
    server_parser.audit,
    _show,
    _sessions,
    _resume,
    _events,
    _sources,
    _forget,
    _exclude,
    _check,
    _redact,
    _sync,
    _status,
    _rebuild,
    _config,
    setup_parser.setup,
    _uninstall,
    _demo,
)
"""In the order in which `--help` lists the commands."""
