"""`hark setup plugin` and `hark setup schedule`: what is set up besides the agents themselves."""

from __future__ import annotations

import os
import shutil
import sys

from harkback import __version__, errors
from harkback.agents import command, files, timers
from harkback.agents import plugin as plugins
from harkback.cli import setup_printing
from harkback.cli.asking import is_agreed
from harkback.cli.terminal import note

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from harkback.config import Place


def plugin(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Write the plugin into a folder; gives 0, 2 where it was not agreed to. Raises BadUsage, SettingsUnfit."""
    if len(options.what) != 2:  # noqa: PLR2004
        raise errors.BadUsage("hark setup", "plugin takes one folder: `hark setup plugin DIR`")
    if options.undo or options.status:
        raise errors.BadUsage("hark setup", "a plugin is taken out by the agent that it was added to")
    folder = os.path.abspath(options.what[1])
    changes = plugins.planned(folder, __version__, context=options.context)
    overwritten = [one for one in changes if one.old is not None]
    if not options.json:
        setup_printing.diffs(changes)
    if options.dry_run:
        return 0
    if overwritten and not options.yes:
        sys.stdout.flush()
        if not is_agreed("Write this?"):
            return 2
    files.write_all(changes)
    setup_printing.plugin(folder, changes, as_json=options.json)
    if not command.is_on(command.login_path(env), env):
        note(
            "The plugin needs `hark` on the PATH of a login, where it is not: `uv tool install harkback` puts it there."
        )
    return 0


def schedule(
    options: argparse.Namespace, place: Place, env: Mapping[str, str], path: str, own: Mapping[str, str]
) -> int:
    """Begin or end the timer; gives 0, 2 where it was not agreed to. Raises NoTimer, TimerFailed."""
    if len(options.what) > 1 or options.status:
        raise errors.BadUsage(
            "hark setup", "schedule takes no other word, and --undo, --dry-run, --yes and --json alone"
        )
    found = timers.installed(place.home, env) if options.undo else None
    if options.undo and found is None:
        return setup_printing.no_timer(as_json=options.json)
    if found is None:
        found = timers.timer(place.home, env, _program(path, env), own)
    begins = not options.undo
    changes = timers.changes(found, begins=begins)
    lists = timers.cron_lists(found, begins=begins) if found.is_cron else ("", "")
    is_same = not changes and lists[0] == lists[1] and (not begins or timers.installed(place.home, env) is not None)
    if not options.json:
        setup_printing.timer(found, changes, lists, begins=begins)
    if not is_same and not options.dry_run and not options.yes:
        sys.stdout.flush()
        if not is_agreed("Do this?"):
            return 2
    if not is_same and not options.dry_run:
        (timers.start if begins else timers.stop)(found)
    setup_printing.timer_done(found, begins=begins, is_same=is_same, is_dry=options.dry_run, as_json=options.json)
    return 0


def _program(path: str, env: Mapping[str, str]) -> str:
    """Name the program in full: a timer has no PATH to speak of."""
    name = command.program(path, sys.executable, sys.argv[0], env)
    return shutil.which(name, path=path) or name
