"""The project of a folder: its repository, so that all worktrees of one repository are one project."""

from __future__ import annotations

import os


def project_of(cwd: str) -> str:
    """Give the path of the main repository that holds `cwd`, else `cwd` itself.

    A worktree's `.git` is a file that names `<repository>/.git/worktrees/<name>`. A folder that no longer exists
    is its own project.
    """
    if cwd[1:2] == ":":
        cwd = cwd[0].upper() + cwd[1:]  # an editor writes a drive's letter small, a shell large
    folder = cwd
    while folder:
        mark = os.path.join(folder, ".git")
        if os.path.isdir(mark):
            return folder
        if os.path.isfile(mark):
            return _main_repository(mark) or folder
        above = os.path.dirname(folder)
        if above == folder:
            break
        folder = above
    return cwd


def repository_of(cwd: str) -> str:
    """Give the path of the main repository that holds `cwd`; "" where none does."""
    found = project_of(cwd)
    return found if cwd and os.path.exists(os.path.join(found, ".git")) else ""


def _main_repository(mark: str) -> str:
    try:
        with open(mark, encoding="utf-8", errors="replace") as file:
            line = file.readline(4096).strip()
    except OSError:
        return ""
    name, _, target = line.partition(":")
    if name != "gitdir":
        return ""
    target = os.path.normpath(os.path.join(os.path.dirname(mark), target.strip()))
    head, git, _ = target.replace("\\", "/").partition("/.git/worktrees/")
    return target[: len(head)] if git else ""
