"""Calls in what an agent did: of `hark` in a shell, of our tools over MCP, or of another command."""

from __future__ import annotations

import re

from harkback._record import NamedTuple
from harkback.audit.shell import Command, Word, commands
from harkback.query import FIELDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

OWN = "hark"
MODULE = "harkback"

SHELL, MCP = "shell", "mcp"

HELP = "help"
"""The action of a call that only asks how the command is used."""

SEARCHES = frozenset({"search", "recall", "search_memory", "search_sessions"})
"""What asks: only these find something or nothing."""

READS = frozenset({"show", "read_session", "events", "resume"})
"""What reads on from something that was found."""

# fmt: off
TOOLS = (
    "search_memory", "search_sessions", "save_memory", "update_memory", "forget_memory", "read_session",
    "get_recent_context",
)
VALUED = frozenset(f"--{field.name}" for field in FIELDS) | {
    "-n", "-C", "--also", "--as-of", "--budget", "--by", "--exclude-session", "--kind", "--page", "--parent",
    "--messages", "--sort", "--importance", "--entity", "--tag", "--date", "--from", "--supersedes", "--scope",
}
"""Options of `hark` that a value follows."""

_ALONE = frozenset(f"--{name}" for name in (
    "all", "copies", "everywhere", "explain", "global", "history", "include-current", "json", "meaning",
    "no-sync", "raw", "reveal", "stats", "subagents", "substring", "undo", "version", "words", "yes",
))
# fmt: on

_TAKING_TEXT = frozenset({"search", "recall", "remember", "edit", "supersede"})
_VERBS = frozenset({"search", "find", "query", "grep", "show", "recall", "ask"})
"""Sub-commands that another command may have: the query comes after them."""
_ASKING = (_VERBS | {""}) - READS

FINDERS = frozenset({"rg", "rga", "grep", "egrep", "fgrep", "zgrep", "ugrep", "ag", "ack"})
"""Programs that print what they find and nothing else, and end with status 1 where they find nothing."""
# Their options that a value follows; `-n`, which takes a number elsewhere, numbers their lines.
_FINDERS_VALUED = frozenset({"-A", "-B", "-C", "-M", "-d", "-f", "-g", "-j", "-m", "-t", "--glob", "--type"})

_FIELD_NAMES = frozenset(field.name for field in FIELDS)
_SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh", "fish"})
_PYTHON = re.compile(r"python[\d.]*(?:\.exe)?")
_DEPTH = 4

# Commands that run another one, with those of their options that a value follows.
_RUNNERS: dict[str, frozenset[str]] = {
    "builtin": frozenset(),
    "command": frozenset(),
    "env": frozenset({"-u", "--unset", "-C", "--chdir", "-S"}),
    "exec": frozenset({"-a"}),
    "nice": frozenset({"-n"}),
    "nohup": frozenset(),
    "stdbuf": frozenset({"-i", "-o", "-e"}),
    "sudo": frozenset({"-u", "-g", "-h", "-p", "-C", "-D"}),
    "time": frozenset({"-f", "-o"}),
    "timeout": frozenset({"-k", "-s", "--kill-after", "--signal"}),
    "uvx": frozenset({"--from", "--with", "--python", "-p"}),
    "xargs": frozenset({"-n", "-I", "-L", "-P", "-d", "-s", "-a", "-E"}),
}
_TOOL_RUNNERS = frozenset({"uv", "poetry", "pipx", "pdm", "hatch", "rye", "pipenv", "mise", "direnv"})
_RUN_VALUED = frozenset({
    "--project", "--directory", "--with", "--python", "-p", "--extra", "--group", "--env", "-C", "--from", "--spec",
})  # fmt: skip
_RUN_BY_FIND = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_HARMLESS = frozenset({"cat", "tee"})
_TOOL = re.compile(r".*harkback.*_(?:memory|sessions?|context)")
_NESTED = re.compile(rf"harkback[\w.\[\]\"']{{0,80}}?({'|'.join(TOOLS)})[\]\"']*\s*\(")


class Call(NamedTuple):
    """One call."""

    way: str
    """`shell` or `mcp`."""
    action: str
    """The sub-command, or the tool's name without its server; empty for the bare command."""
    query: str = ""
    """What it was given; several wordings with ` / ` between them."""
    queries: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    """The filters given as options, by the name of their field."""
    flags: tuple[str, ...] = ()
    is_known: bool = True
    """Whether the query stands there as it was asked, and nothing was left to the shell."""
    cuts: tuple[str, ...] = ()
    """What stood between its answer and who reads it: programs of a pipe, `file`, `variable`."""

    @property
    def asked(self) -> tuple[object, ...]:
        """What tells this question from others."""
        return self.queries, self.options, self.flags, self.action

    @property
    def is_search(self) -> bool:
        """Whether it asked for something, so that it found something or nothing."""
        return self.action in SEARCHES or (self.action in _ASKING and bool(self.query))


def calls_in(line: str, command: str = OWN) -> list[Call]:
    """Give the calls of a command in a line for a shell, in the order in which they stand there."""
    return list(_calls(line, command, (), _DEPTH))


def _calls(line: str, command: str, cuts: tuple[str, ...], depth: int) -> Iterator[Call]:
    if depth <= 0 or not _may_hold(line, command):
        return
    for one in commands(line):
        here = (*(_base(name) for name in one.through), *cuts)
        here = tuple(dict.fromkeys(name for name in here if name and name not in _HARMLESS))
        here = (*here, "file") if one.is_in_file else here
        for word in (*one.assigned, *one.words):
            # What fills a variable in is not read by anybody; in words of `echo` it is, but not as it stands.
            for inner in word.inner:
                yield from _calls(inner, command, ("variable",), depth - 1)
        yield from _of_command(one, command, here, depth)


def _may_hold(line: str, command: str) -> bool:
    return command in line or (command == OWN and MODULE in line)


def _of_command(one: Command, command: str, cuts: tuple[str, ...], depth: int) -> Iterator[Call]:
    words = _program(one.words)
    if not words or depth <= 0:
        return
    name = _base(words[0].text)
    if name == "find":
        for run in _run_by_find(words):
            yield from _of_command(one._replace(words=run), command, cuts, depth - 1)
    if name in _SHELLS or name == "eval":
        yield from _calls(_script(name, words[1:], one.heredoc), command, cuts, depth - 1)
        return
    if command == OWN and _PYTHON.fullmatch(name):
        words = _module(words)
        name = OWN if words else ""
    if name == command:
        yield _own(words[1:], cuts) if command == OWN else _other(words[1:], cuts, command)


def _base(path: str) -> str:
    """Give a program's name without its folder."""
    return re.split(r"[/\\]", path)[-1].removesuffix(".exe")


def _program(words: Sequence[Word]) -> Sequence[Word]:
    """Drop the commands that only run another one: `sudo`, `timeout 5`, `uv run` …"""
    for _ in range(10):
        name = _base(words[0].text) if words else ""
        if name in _RUNNERS:
            rest = _past_options(words[1:], _RUNNERS[name])
            if name == "env":
                rest = rest[next((at for at, word in enumerate(rest) if "=" not in word.text), len(rest)) :]
            if name == "command" and words[1:] and words[1].text in {"-v", "-V"}:
                return ()
            words = rest[1:] if name == "timeout" else rest
        elif name in _TOOL_RUNNERS and len(words) > 1 and words[1].text in {"run", "exec", "x", "tool"}:
            rest = words[2:]
            rest = rest[1:] if rest and rest[0].text == "run" else rest
            words = _past_options(rest, _RUN_VALUED)
        else:
            break
    return words


def _run_by_find(words: Sequence[Word]) -> Iterator[tuple[Word, ...]]:
    """Give the commands that `find` runs; it fills `{}` in."""
    run: list[Word] | None = None
    for word in words:
        if run is None:
            run = [] if word.text in _RUN_BY_FIND else None
        elif word.text == ";" or (word.text == "+" and run and run[-1].text == "{}"):
            yield tuple(run)
            run = None
        else:
            run.append(word._replace(is_known=word.is_known and "{}" not in word.text))


def _past_options(words: Sequence[Word], valued: frozenset[str]) -> Sequence[Word]:
    at = 0
    while at < len(words) and words[at].text.startswith("-"):
        if words[at].text == "--":
            return words[at + 1 :]
        at += 2 if words[at].text in valued else 1
    return words[at:]


def _script(name: str, words: Sequence[Word], heredoc: str) -> str:
    """Give the line that a shell is told to run: behind `-c`, or on its input."""
    if name == "eval":
        return " ".join(word.text for word in words)
    for at, word in enumerate(words):
        if re.fullmatch(r"-[a-z]*c", word.text):
            return words[at + 1].text if at + 1 < len(words) else ""
        if not word.text.startswith("-"):
            return ""  # a file is run
    return heredoc


def _module(words: Sequence[Word]) -> Sequence[Word]:
    """Give `harkback` and what follows of `python -m harkback …`; nothing for other modules."""
    at = 1
    while at < len(words) and words[at].text.startswith("-"):
        if words[at].text == "-m":
            return words[at + 1 :] if words[at + 1 : at + 2] and words[at + 1].text == MODULE else ()
        at += 2 if words[at].text in {"-X", "-W"} else 1
    return ()


def _own(words: Sequence[Word], cuts: tuple[str, ...]) -> Call:
    """Read a call of `hark`, as its own parser would."""
    action = words[0].text if words and not words[0].text.startswith("-") else ""
    options: list[tuple[str, str]] = []
    flags: list[str] = []
    said: list[Word] = []
    asks_for_help = False
    rest = list(words[1:] if action else words)
    while rest:
        word = rest.pop(0)
        name, equals, value = word.text.partition("=")
        if word.text == "--":
            said += rest
            break
        if name in VALUED and (equals or rest):
            value = value if equals else rest.pop(0).text
            if name[2:] in _FIELD_NAMES:
                options.append((name[2:], value))
        elif word.text in {"-h", "--help"}:
            asks_for_help = True
        elif word.text in _ALONE:
            flags.append(word.text[2:])
        elif re.fullmatch(r"-[nC]\d+", word.text) or (word.text[:1] == "-" and action not in _TAKING_TEXT):
            continue
        else:
            said.append(word)
    if asks_for_help:
        return Call(SHELL, HELP, cuts=cuts)
    query = " ".join(word.text for word in said)
    is_known = all(word.is_known for word in said)
    return Call(SHELL, action, query, (query,) if query else (), tuple(options), tuple(flags), is_known, cuts)


def _other(words: Sequence[Word], cuts: tuple[str, ...], command: str) -> Call:
    """Read a call of a command that is not ours: its query is what is neither an option nor the value of one."""
    said = _no_options(words, command)
    if any(word.text == "--help" for word in words):
        return Call(SHELL, HELP, cuts=cuts)
    action = said[0].text if len(said) > 1 and said[0].text in _VERBS else ""
    asked = said[1 if action else 0 :][:1]
    query = asked[0].text if asked else ""
    is_known = all(word.is_known for word in asked)
    return Call(SHELL, action, query, (query,) if query else (), is_known=is_known, cuts=cuts)


def _no_options(words: Sequence[Word], command: str) -> list[Word]:
    """Leave options out: of search programs with the values that are known, of others with the number after `-n`."""
    said: list[Word] = []
    before = ""
    for at, word in enumerate(words):
        if word.text == "--":
            return [*said, *words[at + 1 :]]
        is_number = word.text.isdigit() and re.fullmatch(r"-[A-Za-z]", before) is not None
        is_value = before in _FINDERS_VALUED if command in FINDERS else is_number
        if not is_value and not word.text.startswith("-"):
            said.append(word)
        before = "" if is_value else word.text
    return said


def call_of_tool(tool: str, arguments: dict[str, Any], command: str = OWN) -> list[Call]:
    """Give the calls that a tool's call is: of one of our tools, or of several in a script that runs them (Pi)."""
    if command != OWN:
        is_meant = f"__{command}__" in tool or tool.startswith((f"{command}_", f"mcp_{command}_"))
        return [_of_mcp(tool.rpartition("__")[2], arguments)] if is_meant else []
    if _TOOL.fullmatch(tool):
        return [_of_mcp(next((name for name in TOOLS if tool.endswith(name)), tool.rpartition("__")[2]), arguments)]
    script = arguments.get("code", arguments.get("script"))
    if tool == "codemode" and type(script) is str:
        return [Call(MCP, found[1], is_known=False) for found in _NESTED.finditer(script)]
    return []


def _of_mcp(action: str, arguments: dict[str, Any]) -> Call:
    given = next((arguments[name] for name in ("queries", "query", "id", "text") if name in arguments), "")
    queries = tuple(one for one in (given if type(given) is list else [given]) if type(one) is str and one)
    options = tuple((name, value) for name, value in arguments.items() if name in _FIELD_NAMES and type(value) is str)
    flags = ("history",) if arguments.get("history") is True else ()
    return Call(MCP, action, " / ".join(queries), queries, options, flags)
