"""`hark setup`: the change of every file is shown and asked for, then made; undone and looked at in the same way."""

from __future__ import annotations

import os
import shutil
import sys
from importlib.util import find_spec

from harkback import config_file, errors, remote
from harkback._record import NamedTuple
from harkback.agents import codex, codex_trust, command, files, records, setup, trying
from harkback.agents.program import Wanted, Where
from harkback.agents.table import AGENTS, BY_NAME
from harkback.cli import setup_printing, setup_targets
from harkback.cli.asking import is_agreed
from harkback.cli.opening import set_up
from harkback.cli.terminal import note
from harkback.config import option, place, read_settings, understood
from harkback.engines.local import guarded, lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping

    from harkback.agents.program import Agent
    from harkback.agents.setup import Plan
    from harkback.agents.trying import Tried
    from harkback.config import Place

_WAIT_S = 10
ALL = "all"


class Here(NamedTuple):
    """What a set-up needs to know of this machine."""

    place: Place
    env: Mapping[str, str]
    path: str
    """The PATH of a login."""
    wanted: Wanted

    @property
    def where(self) -> Where:
        """What moves the agents' folders."""
        return Where(self.place.home, self.env)

    def program(self, name: str) -> str:
        """Find an agent program; "" where there is none."""
        return shutil.which(name, path=os.pathsep.join((self.path, self.env.get("PATH", "")))) or ""


def run(options: argparse.Namespace) -> int:
    """Do what was asked; gives 0, 1 where no agent was found, 2 where it was not agreed to or the hook fails."""
    set_up()
    words = options.what
    if words[:1] == ["plugin"]:
        return setup_targets.plugin(options, os.environ)
    here = _here(context=options.context, mcp=not options.no_mcp)
    if words[:1] == ["schedule"]:
        return setup_targets.schedule(options, here.place, here.env, here.path, here.wanted.env)
    if options.status:
        return _status(here, _named(words) or list(AGENTS), as_json=options.json)
    if options.undo:
        return _undo(here, _named(words) or list(AGENTS), options)
    return _set_up(here, _named(words) or _found(here), options)


def _here(*, context: bool, mcp: bool) -> Here:
    env = dict(os.environ)
    found = place(env)
    path = command.login_path(env)
    wanted = command.wanted(found, env, path)._replace(context=context, mcp=mcp)
    return Here(found, env, path, wanted)


def _named(words: list[str]) -> list[Agent]:
    """Give the agents that were named, none where none were. Raises BadValue."""
    if ALL in words:
        return list(AGENTS)
    for word in words:
        if word not in BY_NAME:
            names = ", ".join(BY_NAME)
            raise errors.BadValue("hark setup", word, f"It takes {names}, all, plugin DIR or schedule.")
    return [BY_NAME[word] for word in dict.fromkeys(words)]


def _found(here: Here) -> list[Agent]:
    """Give the agents that are on this machine. Raises NoAgent."""
    found = [one for one in AGENTS if os.path.isdir(one.folder(here.where)) or here.program(one.program)]
    if not found:
        raise errors.NoAgent(AGENTS[0].name)
    return found


def _set_up(here: Here, agents: list[Agent], options: argparse.Namespace) -> int:
    if options.server:
        remote.check_address(options.server)
    data = here.place.data

    def planned() -> list[Plan]:
        return [_planned(here, one) for one in agents]

    plans = planned()
    if not _may_go_on(plans, options, "Write this?"):
        return 0 if options.dry_run else 2
    tried = None
    if not options.dry_run:
        _carry_out(plans, planned, data, lambda plan: setup.carried_out(plan, data))
        _set_options(options, here)
        tried = trying.try_hook(here.wanted.hook, here.path, here.env, here.place.home)
    if options.trust:
        plans = [one._replace(agent=one.agent._replace(note="")) for one in plans]
    setup_printing.done(plans, tried, as_json=options.json, is_dry=options.dry_run)
    if here.wanted.mcp and find_spec("mcp") is None:
        note(str(errors.ExtraMissing("hark mcp", "mcp", "mcp")))
    if options.trust and not options.dry_run and codex.AGENT in agents:
        _trust(here)
        note("Codex trusts the hook.")
    return 2 if tried and not tried.is_fine else 0


def _planned(here: Here, agent: Agent) -> Plan:
    """Plan for one agent, keep what was chosen when it was set up before, and say so. Raises as `setup.planned`."""
    data, wanted = here.place.data, here.wanted
    old = records.load(data, agent.name)
    if old is None:
        return setup.planned(agent, here.where, wanted, data)
    again = f"hark setup {agent.name}"
    stays = []
    if old.mcp and not wanted.mcp:
        stays.append(
            f"The MCP server stays as it was set up before; `{again} --undo`, then `{again} --no-mcp` takes it out"
        )
    if old.context and not wanted.context:
        stays.append(
            f"Sessions go on to begin with context, as chosen before; `{again} --undo`, then `{again}` ends that"
        )
    wanted = wanted._replace(context=wanted.context or old.context, mcp=wanted.mcp or old.mcp)
    plan = setup.planned(agent, here.where, wanted, data)
    return plan._replace(notes=(*plan.notes, *stays))


def _may_go_on(plans: list[Plan], options: argparse.Namespace, question: str) -> bool:
    """Show what would be changed, and ask where there is something to ask. Raises NotAgreed."""
    if not options.json:
        setup_printing.shown(plans)
    if options.dry_run:
        return True
    if options.yes or not any(plan.changes for plan in plans):
        return True
    agreed = False
    try:
        sys.stdout.flush()
        agreed = is_agreed(question)
    finally:
        if not agreed and options.json:
            setup_printing.done(plans, None, as_json=True, is_dry=True)
    return agreed


def _carry_out(plans: list[Plan], again: Callable[[], list[Plan]], data: str, each: Callable[[Plan], None]) -> None:
    """Do what was shown, while no other set-up runs. Raises SettingsMoved where it would be something else by now."""
    if not any(plan.changes for plan in plans) and not os.path.isdir(os.path.join(data, records.FOLDER)):
        return
    with guarded(data):
        os.makedirs(data, mode=0o700, exist_ok=True)
        with lock.locked(data, lock.SETUP, wait_s=_WAIT_S) as is_ours:
            if not is_ours:
                raise errors.SetupRunning
            fresh = again()
            for shown, now in zip(plans, fresh, strict=True):
                if odd := [one for one in now.changes if one not in shown.changes]:
                    raise errors.SettingsMoved(odd[0].path)
            for plan in fresh:
                each(plan)


def _set_options(options: argparse.Namespace, here: Here) -> None:
    """Set what was chosen besides; what is missing for a server is said, and ends nothing."""
    data = here.place.data
    if options.context:
        config_file.set_value(data, "hook.context", value=True)
    if options.server:
        config_file.set_value(data, "server.url", understood(option("server.url"), options.server))
        try:
            remote.server_of(read_settings(here.env, data), data)
        except errors.HarkError as error:
            note(str(error))


def _trust(here: Here) -> None:
    """Let Codex trust the hook, and count what it writes for that as ours. Raises NoTrust."""
    program = here.program(codex.AGENT.program)
    if not program:
        raise errors.NoTrust("`codex` is not found")
    folder, data = codex.folder(here.where), here.place.data
    path = os.path.join(folder, codex.SETTINGS)
    before = files.read(path)
    codex_trust.trust(program, here.env, here.place.home, os.path.join(folder, codex.HOOKS), _lines(here))
    records.adopt(data, codex.AGENT.name, path, before, files.read(path))


def _lines(here: Here) -> frozenset[str]:
    """Give the command lines of the hook that are ours in Codex. Raises BackupDamaged."""
    old = records.load(here.place.data, codex.AGENT.name)
    return here.wanted._replace(known=(*here.wanted.known, *(old.hooks if old else ()))).lines


def _undo(here: Here, agents: list[Agent], options: argparse.Namespace) -> int:
    data = here.place.data

    def planned() -> list[Plan]:
        return [setup.undone(one, here.where, here.wanted, data) for one in agents]

    every = planned()
    plans = [one for one in every if options.what or one.changes or one.left or one.notes]
    if not _may_go_on(plans, options, "Take this out?"):
        return 0 if options.dry_run else 2
    if not options.dry_run:
        _carry_out(every, planned, data, lambda plan: setup.taken_out(plan, data))
    setup_printing.undone(plans, as_json=options.json, is_dry=options.dry_run)
    return 0


def _status(here: Here, agents: list[Agent], *, as_json: bool) -> int:
    data = here.place.data
    states = [setup.state(one, here.where, here.wanted, data, lambda name: bool(here.program(name))) for one in agents]
    tried: Tried | None = None
    if any(one.installed != setup.NOTHING for one in states):
        tried = trying.try_hook(here.wanted.hook, here.path, here.env, here.place.home)
    trusted = ""
    if any(one.agent is codex.AGENT and one.installed != setup.NOTHING for one in states):
        trusted = _trusted(here)
    setup_printing.states(states, tried, trusted, as_json=as_json)
    return 0


def _trusted(here: Here) -> str:
    program = here.program(codex.AGENT.program)
    if not program:
        return "not known, because `codex` is not found"
    try:
        hooks = os.path.join(codex.folder(here.where), codex.HOOKS)
        return codex_trust.trusted(program, here.env, here.place.home, hooks, _lines(here))
    except errors.NoTrust as error:
        return f"not known: {error}"
