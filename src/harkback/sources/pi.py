"""Pi's transcripts, and those of programs that keep Pi's format: where they lie. `_pi_rows` has what they say.

Layout: `<agent folder>/sessions/--<munged cwd>--/<time>_<session>.jsonl`; the agent folder is `~/.pi/agent` or
`PI_CODING_AGENT_DIR`, of oh-my-pi `~/.omp/agent`. With `PI_CODING_AGENT_SESSION_DIR`, or `sessionDir` in the agent
folder's settings.json, they lie flat in that folder. OpenClaw has `~/.openclaw/agents/<agent>/sessions/<session>.jsonl`
and, of what it has reset, `<session>.jsonl.reset.<time>`: most of its history. This module is imported by every search
and must stay light.
"""

from __future__ import annotations

import os

from harkback.sources._folders import existing, named, readable, transcripts_of, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping

    from harkback.model import Bounds, Checkpoint, Record, Transcript

NAME = "pi"
PARSER = 3
WHERE = "~/.pi/agent; oh-my-pi: ~/.omp/agent; OpenClaw: ~/.openclaw"
VARIABLES = ("PI_CODING_AGENT_DIR", "PI_CODING_AGENT_SESSION_DIR")

_SETTINGS_LIMIT = 1 << 20
_RESET = ".jsonl.reset."
_OPEN_CLAW = os.path.join(".openclaw", "agents")


def roots(home: str, env: Mapping[str, str]) -> list[str]:
    """List the existing folders in which sessions lie, each once: those that variables and settings name, the usual."""
    agent_folders = [
        *named(env.get("PI_CODING_AGENT_DIR", ""), home),
        os.path.join(home, ".pi", "agent"),
    ]
    settings = [env.get("PI_CODING_AGENT_SESSION_DIR", ""), *(_session_folder(folder) for folder in agent_folders)]
    usual = [os.path.join(folder, "sessions") for folder in [*agent_folders, os.path.join(home, ".omp", "agent")]]
    # A relative folder is one of whatever project Pi was started in: nobody knows it here.
    given = [path for one in settings if one[:1] in "~/\\" or os.path.isabs(one) for path in named(one, home)]
    return existing([*given, *usual, os.path.join(home, _OPEN_CLAW)])


def discover(home: str, env: Mapping[str, str]) -> Iterator[Transcript]:
    """Find every transcript: a scandir per folder, a stat per file; unreadable folders are passed over."""
    for folder, entries in _walk_all(home, env):
        yield from _transcripts(folder, entries)


def folders(home: str, env: Mapping[str, str]) -> list[str]:
    """List the folders whose mtime tells that a new transcript has appeared in them or right below."""
    return [folder for folder, _ in _walk_all(home, env)]


def look(folder: str, known: Container[str]) -> Iterator[tuple[str, list[Transcript]]]:
    """Look again into one of `folders`: its transcripts, then those of folders below it not `known`."""
    for path, entries in walk(folder, _is_transcript, known):
        yield path, list(_transcripts(path, entries))


def recent(home: str, env: Mapping[str, str]) -> Iterator[str]:  # noqa: ARG001 - as every source has it
    """Give nothing: Pi keeps no list of its last prompts."""
    yield from ()


def names_mark(home: str, env: Mapping[str, str]) -> str:  # noqa: ARG001 - as every source has it
    """Give nothing: names stand in the transcripts."""
    return ""


def names(home: str, env: Mapping[str, str]) -> dict[str, tuple[str, int]]:  # noqa: ARG001 - as every source has it
    """Give nothing: names stand in the transcripts."""
    return {}


def read(
    transcript: Transcript, checkpoint: Checkpoint | None, *, full: bool = False, bounds: Bounds | None = None
) -> Iterator[Record]:
    """Read what was appended since `checkpoint`; see `sources.Source`."""
    # Parsing needs orjson and regular expressions, which a search that finds nothing new never pays for.
    from harkback.sources._pi_rows import read as read_rows

    return read_rows(transcript, checkpoint, full=full, bounds=bounds)


def _walk_all(home: str, env: Mapping[str, str]) -> Iterator[tuple[str, list[os.DirEntry[str]]]]:
    """Walk every root; one may lie in another."""
    seen: set[str] = set()
    for root in roots(home, env):
        for folder, entries in walk(root, _is_transcript):
            if folder not in seen:
                seen.add(folder)
                yield folder, entries


def _session_folder(agent_folder: str) -> str:
    """Read `sessionDir` from the settings, "" if it is not there."""
    path = os.path.join(agent_folder, "settings.json")
    if not os.path.isfile(path):
        return ""
    import json

    try:
        with open(path, encoding="utf-8") as file:
            settings = json.loads(file.read(_SETTINGS_LIMIT))
    except (OSError, ValueError, RecursionError):
        return ""
    folder = settings.get("sessionDir") if isinstance(settings, dict) else None
    return folder if isinstance(folder, str) else ""


def _is_transcript(name: str) -> bool:
    """Tell by its name; OpenClaw's traces and the copies it makes before a compaction are none."""
    if _is_reset(name):
        return True
    return name.endswith(".jsonl") and not name.endswith(".trajectory.jsonl") and ".checkpoint." not in name


def _is_reset(name: str) -> bool:
    """Whether OpenClaw moved a transcript aside; what it deleted has another end."""
    _, mark, when = name.partition(_RESET)
    return bool(mark) and len(when) == len("2026-03-06T05-00-00.000Z") and when[:4].isdecimal() and when[-1] == "Z"


def _transcripts(folder: str, entries: list[os.DirEntry[str]]) -> Iterator[Transcript]:
    is_open_claw = _OPEN_CLAW in folder
    if is_open_claw and os.path.basename(folder) != "sessions":
        return iter(())
    own = entries if is_open_claw else [entry for entry in entries if not _is_reset(entry.name)]
    return transcripts_of(NAME, own, native_of)


def native_of(path: str) -> str:
    """Make a session's id of its file's name or path, whichever system wrote it; an id stays as it is."""
    stem = path.replace("\\", "/").rpartition("/")[2].partition(_RESET)[0].removesuffix(".jsonl")
    time, mark, name = stem.partition("_")
    native = name if mark and "T" in time and time[:4].isdecimal() else stem
    return readable(native)
