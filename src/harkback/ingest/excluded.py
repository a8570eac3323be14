"""Which projects are not to be read, and which are found only from inside themselves."""

from __future__ import annotations

import os
from fnmatch import fnmatchcase

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

IGNORE_FILE = ".harkignore"
"""A file of this name in a folder keeps everything that was said in it, or below it, from being read."""


class Excluded:
    """Answers for folders; each is looked at once."""

    def __init__(self, patterns: Iterable[str], home: str, *, files: bool = True) -> None:
        """Take glob patterns: of a path (`~/work/client-*`), or of a folder's name alone (`client-*`).

        Without `files` no ignore file is looked for.
        """
        self.patterns = tuple(_expanded(one, home) for one in patterns)
        self._files = files
        self._known: dict[str, bool] = {}

    def holds(self, folder: str) -> bool:
        """Whether a folder, or one above it, fits a pattern or has an ignore file."""
        if folder not in self._known:
            self._known[folder] = any(map(self._is_named, _upwards(folder)))
        return self._known[folder]

    def _is_named(self, folder: str) -> bool:
        if is_match(folder, self.patterns):
            return True
        return self._files and os.path.exists(os.path.join(folder, IGNORE_FILE))


def is_match(folder: str, patterns: Iterable[str]) -> bool:
    """Whether a folder's path, or its name where the pattern is one, fits a pattern."""
    path = folder.replace("\\", "/")
    name = path.rpartition("/")[2]
    return any(fnmatchcase(path if "/" in one else name, one) for one in patterns)


def sealed_projects(patterns: Iterable[str], home: str, projects: dict[int, str], here: str) -> list[int]:
    """Give the numbers of the projects that fit a pattern, or lie in a folder that does, but for the one we are in."""
    sealed = Excluded(patterns, home, files=False)
    return [number for number, path in projects.items() if path != here and sealed.holds(path)]


def sealed_paths(patterns: Iterable[str], home: str, projects: Iterable[str], here: str) -> tuple[str, ...]:
    """Give the paths of the projects that are sealed, but for the one we are in."""
    paths = dict(enumerate(projects))
    return tuple(paths[number] for number in sealed_projects(patterns, home, paths, here))


def _expanded(pattern: str, home: str) -> str:
    if pattern.startswith(("~/", "~\\")):
        pattern = os.path.join(home, pattern[2:])
    return pattern.replace("\\", "/").rstrip("/") or "/"


def _upwards(folder: str) -> list[str]:
    found: list[str] = []
    while folder and (not found or folder != found[-1]):
        found.append(folder)
        folder = os.path.dirname(folder)
    return found
