"""Which words start us from an agent: the same after an upgrade, and found where an agent looks."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys

from harkback import __version__
from harkback.agents.program import PLAIN, Wanted
from harkback.config import place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from harkback.config import Place

_LOGIN_S = 5
_VERSION_S = 2
_USUAL = ("/usr/local/bin", "/usr/bin", "/bin")
_MARK = "hark-path:"


def login_path(env: Mapping[str, str]) -> str:
    """Give the PATH that a fresh login shell has, the usual one where none answers.

    A virtual environment that is active here is not on it, and neither is what only this shell knows.
    """
    if sys.platform == "win32":
        venv = env.get("VIRTUAL_ENV", "")
        items = env.get("PATH", "").split(os.pathsep)
        return os.pathsep.join(one for one in items if not venv or not one.lower().startswith(venv.lower()))
    home = env.get("HOME", "")
    shell = env.get("SHELL") or "/bin/sh"
    bare = {key: env[key] for key in ("HOME", "USER", "LOGNAME", "LANG", "TMPDIR") if key in env}
    usual = os.pathsep.join(_USUAL)
    try:
        asked = [shell, "-lc", f'printf "%s%s" "{_MARK}" "$PATH"']
        done = _run(asked, {**bare, "PATH": usual, "SHELL": shell}, _LOGIN_S, home if os.path.isdir(home) else None)
    except (OSError, subprocess.TimeoutExpired):
        return usual
    _, mark, path = done.stdout.rpartition(_MARK)
    return path.strip() if mark and path.strip() else usual


def _run(
    argv: list[str], env: dict[str, str], limit_s: float, folder: str | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program that is asked something. Raises OSError, TimeoutExpired."""
    return subprocess.run(
        argv,
        env=env,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=limit_s,
        check=False,
    )


def program(path: str, python: str, started_as: str, env: Mapping[str, str]) -> str:
    """Name the program: `hark` where a PATH has this version outside of a virtual environment, else where it lies.

    `python` is the running interpreter and `started_as` the first word of the command line. A link into a virtual
    environment, as pipx and uv make them, is no virtual environment itself.
    """
    if is_on(path, env):
        return "hark"
    name = "hark.exe" if sys.platform == "win32" else "hark"
    beside = os.path.join(os.path.dirname(os.path.abspath(python)), name)
    if os.path.isfile(beside):
        return beside
    return os.path.abspath(started_as) if os.path.basename(started_as) in {"hark", "hark.exe"} else "hark"


def wanted(found: Place, env: Mapping[str, str], path: str) -> Wanted:
    """Say how agents shall start this program; `path` is the PATH of a login, `found` where the archive is."""
    name = program(path, sys.executable, sys.argv[0], env)
    # Agents may start us with little of their environment: what moves the archive must stand in the settings.
    usual = place({"HOME": found.home, **{key: env[key] for key in ("LOCALAPPDATA",) if key in env}})
    own = {} if usual.data == found.data else {"HARK_HOME": found.data}
    return Wanted(hook_line(name, own), name, env=own, known=(hook_line(name),))


def is_on(path: str, env: Mapping[str, str]) -> bool:
    """Whether `hark` on a PATH is this version of us, outside of a virtual environment, and not another's program."""
    found = shutil.which("hark", path=path)
    if not found or os.path.exists(os.path.join(os.path.dirname(os.path.dirname(found)), "pyvenv.cfg")):
        return False
    bare = {key: env[key] for key in ("HOME", "USERPROFILE", "SYSTEMROOT", "LANG") if key in env}
    try:
        done = _run([found, "--version"], {**bare, "PATH": path}, _VERSION_S)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and done.stdout.strip() == f"hark {__version__}"


def hook_line(name: str, own: Mapping[str, str] | None = None) -> str:
    """Give the command line of the hook, as a shell takes it; `own` is what it must find in its environment.

    On Windows no line of both of its shells sets a variable: there it stands in the user's environment.
    """
    if sys.platform == "win32":
        return PLAIN if name == "hark" else f'"{name}" hook'
    env = "".join(f"{key}={shlex.quote(value)} " for key, value in (own or {}).items())
    return f"{f'env {env}' if env else ''}{shlex.quote(name)} hook"
