"""A timer of the system that runs `hark sync` every 15 minutes: systemd, launchd, Windows Task Scheduler or cron."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from html import escape

from harkback import errors
from harkback._record import NamedTuple
from harkback.agents import files
from harkback.agents.files import Change

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MINUTES = 15
NAME = "harkback-sync"
_LABEL = "io.harkback.sync"
_CRON = "# harkback-sync"
_LIMIT_S = 30


class Timer(NamedTuple):
    """One way to have a program run again and again."""

    what: str
    files: tuple[tuple[str, str], ...] = ()
    """Paths and what is to stand in them."""
    starting: tuple[tuple[str, ...], ...] = ()
    """Commands that begin it, once the files are there."""
    ending: tuple[tuple[str, ...], ...] = ()
    cron_line: str = ""

    @property
    def is_cron(self) -> bool:
        """Whether it is a line in the list of cron."""
        return bool(self.cron_line)


def timer(home: str, env: Mapping[str, str], program: str = "hark", own: Mapping[str, str] | None = None) -> Timer:
    """Find the way that this system has; `own` is what the program must find in its environment. Raises NoTimer."""
    own = own or {}
    if sys.platform == "win32":
        return _task(program)
    if sys.platform == "darwin":
        return _launchd(home, program, own)
    if shutil.which("systemctl", path=env.get("PATH")) and _runs(("systemctl", "--user", "show-environment")):
        return _systemd(home, env, program, own)
    if shutil.which("crontab", path=env.get("PATH")):
        before = "".join(f"{key}={shlex.quote(value)} " for key, value in own.items())
        line = f"*/{MINUTES} * * * * {before}{shlex.quote(program)} sync --background {_CRON}"
        return Timer("cron", cron_line=line.replace("%", "\\%"))
    raise errors.NoTimer("systemd for this user nor cron")


def _systemd(home: str, env: Mapping[str, str], program: str, own: Mapping[str, str]) -> Timer:
    folder = os.path.join(env.get("XDG_CONFIG_HOME") or os.path.join(home, ".config"), "systemd", "user")
    given = "".join(f'Environment="{_unit(f"{key}={value}")}"\n' for key, value in own.items())
    service = (
        "[Unit]\nDescription=Read what is new in the transcripts of coding agents\n\n"
        f'[Service]\nType=oneshot\n{given}ExecStart="{_unit(program)}" sync --background\nNice=10\n'
    )
    every = (
        f"[Unit]\nDescription=hark sync every {MINUTES} minutes\n\n"
        f"[Timer]\nOnStartupSec=2min\nOnUnitActiveSec={MINUTES}min\n\n[Install]\nWantedBy=timers.target\n"
    )
    unit = f"{NAME}.timer"
    return Timer(
        "systemd",
        ((os.path.join(folder, f"{NAME}.service"), service), (os.path.join(folder, unit), every)),
        (("systemctl", "--user", "daemon-reload"), ("systemctl", "--user", "enable", "--now", unit)),
        (("systemctl", "--user", "disable", "--now", unit),),
    )


def _unit(text: str) -> str:
    """Write a text as systemd reads it between quotes."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")


def _launchd(home: str, program: str, own: Mapping[str, str]) -> Timer:
    path = os.path.join(home, "Library", "LaunchAgents", f"{_LABEL}.plist")
    words = "".join(f"<string>{escape(one)}</string>" for one in (program, "sync", "--background"))
    given = "".join(f"<key>{escape(key)}</key><string>{escape(value)}</string>" for key, value in own.items())
    text = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n'
        f'<plist version="1.0"><dict>\n<key>Label</key><string>{_LABEL}</string>\n'
        f"<key>ProgramArguments</key><array>{words}</array>\n"
        f"<key>EnvironmentVariables</key><dict>{given}</dict>\n"
        f"<key>StartInterval</key><integer>{MINUTES * 60}</integer>\n"
        "<key>ProcessType</key><string>Background</string>\n</dict></plist>\n"
    )
    return Timer(
        "launchd", ((path, text),), (("launchctl", "load", "-w", path),), (("launchctl", "unload", "-w", path),)
    )


def _task(program: str) -> Timer:
    line = f'"{program}" sync --background'
    made = ("schtasks", "/Create", "/F", "/TN", NAME, "/SC", "MINUTE", "/MO", str(MINUTES), "/TR", line)
    return Timer("Task Scheduler", (), (made,), (("schtasks", "/Delete", "/F", "/TN", NAME),))


def installed(home: str, env: Mapping[str, str]) -> Timer | None:
    """Give the timer that was begun here, None where there is none."""
    try:
        found = timer(home, env)
    except errors.NoTimer:
        return None
    if found.is_cron:
        return found if _CRON in _cron_list() else None
    if found.files:
        return found if any(os.path.exists(path) for path, _ in found.files) else None
    return found if _runs(("schtasks", "/Query", "/TN", NAME)) else None


def changes(found: Timer, *, begins: bool) -> list[Change]:
    """Say which files begin or end to be; cron's list is no file, and is told apart. Raises SettingsUnfit."""
    wanted = [(path, text.encode() if begins else None) for path, text in found.files]
    listed = [Change(path, files.read(path), new) for path, new in wanted]
    return [one for one in listed if one.old != one.new]


def cron_lists(found: Timer, *, begins: bool) -> tuple[str, str]:
    """Give cron's list as it is and as it will be."""
    now = _cron_list()
    kept = "".join(line for line in now.splitlines(keepends=True) if not line.rstrip().endswith(_CRON))
    if begins and kept and not kept.endswith("\n"):
        kept += "\n"
    return now, f"{kept}{found.cron_line}\n" if begins else kept


def start(found: Timer) -> None:
    """Begin it. Raises TimerFailed, after what was done is taken back; SettingsUnwritable, SettingsMoved."""
    if found.is_cron:
        _set_cron(cron_lists(found, begins=True)[1])
        return
    planned = changes(found, begins=True)
    files.write_all(planned)
    try:
        _run_all(found.starting)
    except errors.TimerFailed:
        files.write_all([Change(one.path, one.new, one.old) for one in planned])
        raise


def stop(found: Timer) -> None:
    """End it. Raises TimerFailed, SettingsUnwritable, SettingsMoved."""
    if found.is_cron:
        _set_cron(cron_lists(found, begins=False)[1])
        return
    _run_all(found.ending)
    files.write_all(changes(found, begins=False))
    files.remove_empty([os.path.dirname(path) for path, _ in found.files])
    if found.what == "systemd":
        _runs(("systemctl", "--user", "daemon-reload"))


def _cron_list() -> str:
    done = _run(("crontab", "-l"))
    return done.stdout if done and not done.returncode else ""


def _set_cron(text: str) -> None:
    done = _run(("crontab", "-"), text) if text else _run(("crontab", "-r"))
    if done is None or done.returncode:
        raise errors.TimerFailed("crontab -", (done.stderr.strip()[:200] if done else "") or "no reason was given")


def _run_all(commands: Sequence[tuple[str, ...]]) -> None:
    for argv in commands:
        done = _run(argv)
        if done is None or done.returncode:
            said = done.stderr.strip()[:200] if done else ""
            raise errors.TimerFailed(shlex.join(argv), said or "no reason was given")


def _runs(argv: tuple[str, ...]) -> bool:
    done = _run(argv)
    return done is not None and not done.returncode


def _run(argv: tuple[str, ...], text: str = "") -> subprocess.CompletedProcess[str] | None:
    try:
        return subprocess.run(
            argv, input=text, capture_output=True, encoding="utf-8", errors="replace", timeout=_LIMIT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
