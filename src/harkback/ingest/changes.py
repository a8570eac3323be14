"""Which transcripts changed on disk since they were last read, found cheaply or completely."""

from __future__ import annotations

import os

from harkback._record import NamedTuple
from harkback.engines.local.erasing import SESSION, session_key
from harkback.sources import SOURCES, source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from harkback.engines.local.reading import Rows
    from harkback.model import Transcript


class Changes(NamedTuple):
    """What a look at the disk found; `changed` holds the newest first."""

    changed: tuple[Transcript, ...] = ()
    gone: tuple[str, ...] = ()
    back: tuple[str, ...] = ()
    folders: tuple[tuple[str, str, int], ...] = ()
    """Path, agent and mtime of folders that are new or changed (all of them after a full pass)."""
    is_full: bool = False
    marks: tuple[tuple[str, str], ...] = ()
    """Agents whose names for sessions may have changed, with the marks of what they stand in now."""
    unnamed: tuple[str, ...] = ()
    """Transcripts that cannot be read because their path is not UTF-8, which nothing here can store; told as text."""


class Report(NamedTuple):
    """What a sync did."""

    files: int
    messages: int
    problems: int
    pending: int
    seconds: float
    unnamed: int = 0
    """Transcripts that cannot be read because their path is not UTF-8."""
    forgotten: int = 0
    """Sessions of projects that are not to be read any more."""
    lost: int = 0
    """Those of them that have no transcript any more."""

    @property
    def forgotten_note(self) -> str:
        """Say what was forgotten; empty when nothing was."""
        if not self.forgotten:
            return ""
        lost = f", {self.lost:,} of them for good (no transcript is left)" if self.lost else ""
        return f"{self.forgotten:,} session{'s' if self.forgotten > 1 else ''} forgotten (.harkignore){lost}"


def all_changes(rows: Rows | None, home: str, env: Mapping[str, str], *, everything: bool = False) -> Changes:
    """Compare every transcript on disk with what is known: 120 to 280 ms at 53,000 files.

    With `everything` each of them counts as changed.
    """
    changed: list[Transcript] = []
    gone: list[str] = []
    unnamed: list[str] = []
    back: list[str] = []
    folders: list[tuple[str, str, int]] = []
    forgotten = rows.forgotten(SESSION) if rows is not None else set()
    for name in SOURCES:
        agent = source(name)
        known = rows.known(name) if rows is not None else {}
        folders += [(path, name, _mtime(path)) for path in agent.folders(home, env) if is_text(path)]
        for seen in agent.discover(home, env):
            is_forgotten = bool(forgotten) and session_key(seen.agent, seen.native) in forgotten
            if is_forgotten:
                continue
            if not is_text(seen.path):
                unnamed.append(seen.path.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
                continue
            was = known.pop(seen.path, None)
            is_news = was is None or _differs(seen, was.size, was.mtime_ns, was.inode) or was.parser != agent.PARSER
            if is_news or everything:
                changed.append(seen)
            elif was is not None and was.is_gone:
                back.append(seen.path)
        gone += [path for path, was in known.items() if not was.is_gone and _is_gone(path)]
    changed.sort(key=lambda one: -one.mtime_ns)
    marks = renamed(rows, home, env)
    return Changes(
        tuple(changed), tuple(gone), tuple(back), tuple(folders), is_full=True, marks=marks, unnamed=tuple(unnamed)
    )


def hot_changes(rows: Rows, home: str, env: Mapping[str, str], most: int) -> Changes | None:
    """Look only where something is likely: known folders, `most` transcripts changed last, those the agents name.

    None when a full pass is due: nothing is known yet, an agent keeps its transcripts somewhere new, or this program
    reads transcripts in another way than the one that made the last full pass.
    """
    known = rows.folders()
    if rows.meta("parsers") != parsers() or not _covers(known, home, env):
        return None
    changed: dict[str, Transcript] = {}
    gone: list[str] = []
    folders = _look_again(rows, known, changed)
    for path, size, mtime, inode in rows.most_recent(most):
        try:
            stat = os.stat(path)
        except OSError:
            if _is_gone(path):
                gone.append(path)
            continue
        if (stat.st_size, stat.st_mtime_ns) != (size, mtime) or (inode and stat.st_ino != inode):
            _add_known(rows, path, stat, changed)
    for name in SOURCES:
        for path in source(name).recent(home, env):
            if path not in changed and is_text(path):
                _add_recent(rows, path, changed)
    newest = sorted(changed.values(), key=lambda one: -one.mtime_ns)
    return Changes(tuple(newest), tuple(gone), (), tuple(folders), marks=renamed(rows, home, env))


def parsers() -> str:
    """Name the versions in which this program reads each agent's transcripts."""
    return " ".join(f"{name}:{source(name).PARSER}" for name in SOURCES)


def renamed(rows: Rows | None, home: str, env: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Give the agents whose names for sessions stand outside the transcripts and may have changed."""
    now = ((name, source(name).names_mark(home, env)) for name in SOURCES)
    return tuple((name, mark) for name, mark in now if mark and (rows is None or rows.meta(f"names:{name}") != mark))


def _covers(known: list[tuple[str, str, int]], home: str, env: Mapping[str, str]) -> bool:
    """Whether every config folder of every agent has been looked through before."""
    paths = [path for path, _, _ in known]
    for name in SOURCES:
        for root in source(name).roots(home, env):
            below = root + os.sep
            if not any(path == root or path.startswith(below) for path in paths) and source(name).folders(home, env):
                return False
    return True


def _look_again(
    rows: Rows, known: list[tuple[str, str, int]], changed: dict[str, Transcript]
) -> list[tuple[str, str, int]]:
    """Look into the folders whose mtime changed; gives them and the new ones below them."""
    paths = {path for path, _, _ in known}
    folders: list[tuple[str, str, int]] = []
    for path, name, mtime in known:
        now = _mtime(path)
        if now == mtime or name not in SOURCES:
            continue
        for folder, found in source(name).look(path, paths):
            if is_text(folder):
                folders.append((folder, name, now if folder == path else _mtime(folder)))
                changed.update((seen.path, seen) for seen in found if is_text(seen.path) and _is_news(rows, seen))
    return folders


def is_text(path: str) -> bool:
    """Whether a path can be stored: on Linux a name may hold bytes that are no UTF-8."""
    if path.isascii():
        return True
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_news(rows: Rows, seen: Transcript) -> bool:
    was = rows.known_at([seen.path]).get(seen.path)
    if was is None and session_key(seen.agent, seen.native) in rows.forgotten(SESSION):
        return False
    return was is None or was.is_gone or _differs(seen, was.size, was.mtime_ns, was.inode)


def _differs(seen: Transcript, size: int, mtime_ns: int, inode: int) -> bool:
    return seen.size != size or seen.mtime_ns != mtime_ns or bool(inode and seen.inode and inode != seen.inode)


def _add_recent(rows: Rows, path: str, changed: dict[str, Transcript]) -> None:
    try:
        stat = os.stat(path)
    except OSError:
        return
    was = rows.known_at([path]).get(path)
    if was is not None and (was.size, was.mtime_ns) != (stat.st_size, stat.st_mtime_ns):
        _add_known(rows, path, stat, changed)


def _add_known(rows: Rows, path: str, stat: os.stat_result, changed: dict[str, Transcript]) -> None:
    kept = rows.transcript(path)
    if kept is not None:
        changed[path] = kept._replace(size=stat.st_size, mtime_ns=stat.st_mtime_ns, inode=stat.st_ino)


def _is_gone(path: str) -> bool:
    """Whether a transcript is really no longer there; one that we may not look at is not gone."""
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def _mtime(path: str) -> int:
    """Give a folder's mtime; 0 where it may not be read, so that it counts as changed once it may."""
    try:
        return os.stat(path).st_mtime_ns if os.access(path, os.R_OK | os.X_OK) else 0
    except OSError:
        return 0
