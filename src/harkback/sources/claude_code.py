"""Claude Code's transcripts: where they lie. What the rows in them mean is in `_claude_code_rows`.

Layout (Claude Code 1.0 to 2.1, seen and documented): `<config>/projects/<munged cwd>/<session>.jsonl`;
subagents in `<session>/subagents/agent-<id>.jsonl` and `<session>/subagents/workflows/<run>/`, up to 2.0 as
`agent-<id>.jsonl` beside the session. This module is imported by every search and must stay light.
"""

from __future__ import annotations

import os

from harkback.sources._folders import existing, named, readable, tail, transcripts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping

    from harkback.model import Bounds, Checkpoint, Record, Transcript

NAME = "claude-code"
PARSER = 3
WHERE = "~/.claude, ~/.config/claude"
VARIABLES = ("CLAUDE_CONFIG_DIR",)

_NOT_TRANSCRIPTS = frozenset({"journal.jsonl", "history.jsonl"})
_HISTORY_TAIL = 64 << 10
_RECENT = 20
_NAME_LIMIT = 200
"""Claude Code cuts longer folder names here and adds a hash of the path."""


def roots(home: str, env: Mapping[str, str]) -> list[str]:
    """List the existing config folders, each once: `CLAUDE_CONFIG_DIR` (may be a list), the usual two."""
    value = env.get("CLAUDE_CONFIG_DIR", "")
    several = [value] if os.path.isdir(value) else value.replace(",", os.pathsep).split(os.pathsep)
    usual = [os.path.join(home, ".claude"), os.path.join(home, ".config", "claude")]
    return existing([path for one in several for path in named(one.strip(), home)] + usual)


def discover(home: str, env: Mapping[str, str]) -> Iterator[Transcript]:
    """Find every transcript: a scandir per folder, a stat per file; unreadable folders are passed over."""
    for root in roots(home, env):
        for _, session, entries in _walk(os.path.join(root, "projects")):
            yield from _transcripts(session, entries)


def folders(home: str, env: Mapping[str, str]) -> list[str]:
    """List the folders whose mtime tells that a new transcript has appeared in them or right below."""
    return [folder for root in roots(home, env) for folder, _, _ in _walk(os.path.join(root, "projects"))]


def look(folder: str, known: Container[str]) -> Iterator[tuple[str, list[Transcript]]]:
    """Look again into one of `folders`: its transcripts, then those of folders below it not `known`."""
    above, name = os.path.split(folder)
    walk: Iterator[tuple[str, str, list[os.DirEntry[str]]]]
    if name == "projects":
        walk = _walk(folder)
    elif os.path.basename(above) == "projects":
        walk = _walk_project(folder)
    elif name == "workflows":
        walk = _walk_runs(folder, os.path.basename(os.path.dirname(above)))
    elif os.path.basename(above) == "workflows":
        session = os.path.basename(os.path.dirname(os.path.dirname(above)))
        walk = iter([(folder, session, _scan(folder)[0])])
    else:
        walk = _walk_session(above if name == "subagents" else folder)
    for path, session, entries in walk:
        if path == folder or path not in known:
            yield path, list(_transcripts(session, entries))


def recent(home: str, env: Mapping[str, str]) -> Iterator[str]:
    """Give the existing transcripts that the prompt history names last, newest first, at most 20."""
    named: dict[str, int] = {}
    for root in roots(home, env):
        for when, project, session in _history(os.path.join(root, "history.jsonl")):
            path = _path_of(root, project, session)
            named[path] = max(when, named.get(path, 0))
    existing = (path for path in sorted(named, key=lambda path: -named[path]) if os.path.isfile(path))
    for path, _ in zip(existing, range(_RECENT), strict=False):
        yield path


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
    from harkback.sources._claude_code_rows import read as read_rows

    return read_rows(transcript, checkpoint, full=full, bounds=bounds)


def _transcripts(session: str, entries: list[os.DirEntry[str]]) -> Iterator[Transcript]:
    return transcripts_of(NAME, entries, lambda name: _native(name, session))


def _walk(projects: str) -> Iterator[tuple[str, str, list[os.DirEntry[str]]]]:
    """Go through the folders: path, session whose subagents lie there ("" for a project), transcripts."""
    _, children = _scan(projects)
    if children is None:
        return
    yield projects, "", []
    for project in children:
        yield from _walk_project(project.path)


def _walk_project(project: str) -> Iterator[tuple[str, str, list[os.DirEntry[str]]]]:
    files, sessions = _scan(project)
    yield project, "", files
    for session in sessions or ():
        yield from _walk_session(session.path)


def _walk_session(session: str) -> Iterator[tuple[str, str, list[os.DirEntry[str]]]]:
    name = os.path.basename(session)
    inner = session + os.sep + "subagents"
    files, below = _scan(inner)
    if below is None:
        # No subagents yet: when the first one comes, the session's folder changes.
        yield session, name, []
        return
    yield inner, name, files
    for workflows in below:
        if workflows.name == "workflows":
            yield from _walk_runs(workflows.path, name)


def _walk_runs(workflows: str, session: str) -> Iterator[tuple[str, str, list[os.DirEntry[str]]]]:
    yield workflows, session, []
    for run in _scan(workflows)[1] or ():
        yield run.path, session, _scan(run.path)[0]


def _scan(folder: str) -> tuple[list[os.DirEntry[str]], list[os.DirEntry[str]] | None]:
    """List transcripts and folders in `folder`; None for the folders if it cannot be read."""
    files: list[os.DirEntry[str]] = []
    below: list[os.DirEntry[str]] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(".jsonl"):
                    # A pipe by that name would block the reader for ever.
                    if entry.is_file() and entry.name not in _NOT_TRANSCRIPTS:
                        files.append(entry)
                elif entry.is_dir():
                    below.append(entry)
    except OSError:
        return files, None
    return files, below


def _native(name: str, session: str) -> str:
    """Make the session's id of its place; whose an old `agent-<id>.jsonl` is, only its rows know."""
    stem = name[: -len(".jsonl")]
    if session:
        stem = f"{session}/{stem.removeprefix('agent-')}"
    return readable(stem)


def _history(path: str) -> list[tuple[int, str, str]]:
    """Read time, project folder and session id from the last prompts of the history file."""
    lines = tail(path, _HISTORY_TAIL)
    if not lines:
        return []
    import json

    found = []
    for line in lines:
        try:
            row = json.loads(line)
            when, project, session = row["timestamp"], row["project"], row["sessionId"]
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
        if isinstance(when, int) and isinstance(project, str) and isinstance(session, str):
            found.append((when, project, session))
    return found


def _path_of(root: str, project: str, session: str) -> str:
    """Name the transcript of a session as Claude Code does, "" if `session` is no plain id."""
    if not session.replace("-", "").replace("_", "").isalnum():
        return ""
    name = "".join(
        c if c.isascii() and c.isalnum() else "-" if c <= "\uffff" else "--"  # it counts UTF-16 units
        for c in project
    )
    projects = os.path.join(root, "projects")
    if len(name) > _NAME_LIMIT:
        start = name[:_NAME_LIMIT] + "-"
        name = next((e.name for e in _scan(projects)[1] or () if e.name.startswith(start)), name)
    return os.path.join(projects, name, session + ".jsonl")
