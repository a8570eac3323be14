"""Taking out of every agent, and out of the system's timers, what was set up there."""

from __future__ import annotations

from harkback.agents import command, setup, timers
from harkback.agents.program import Where
from harkback.agents.table import AGENTS
from harkback.config import place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def out_of_agents(home: str, env: Mapping[str, str]) -> list[str]:
    """Undo every set-up; a line for each file. Raises what `setup.undone` and `setup.taken_out` do."""
    found = place(env)
    data, wanted = found.data, command.wanted(found, env, command.login_path(env))
    plans = [setup.undone(one, Where(home, env), wanted, data) for one in AGENTS]
    lines = []
    for plan in plans:
        setup.taken_out(plan, data)
        lines += [f"what was set up for {plan.agent.title} in {one.path}" for one in plan.changes]
    return lines


def out_of_timers(home: str, env: Mapping[str, str]) -> list[str]:
    """End the timer that runs `hark sync`. Raises TimerFailed."""
    found = timers.installed(home, env)
    if found is None:
        return []
    timers.stop(found)
    return [f"the timer that runs `hark sync` ({found.what})"]
