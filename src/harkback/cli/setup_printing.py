"""What `hark setup` prints: changes as unified diffs with secrets masked, and what came of them."""

from __future__ import annotations

import shlex
from difflib import unified_diff

from harkback import wire
from harkback.agents import setup
from harkback.cli.terminal import CYAN, DIM, GREEN, amount, paint, plain, print_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harkback.agents.files import Change
    from harkback.agents.setup import Plan, State
    from harkback.agents.timers import Timer
    from harkback.agents.trying import Tried


def difference(path: str, old: bytes | None, new: bytes | None) -> str:
    """Write a change of a file as a unified diff; what looks like a secret near it is masked."""
    before, after = _lines(old), _lines(new)
    names = ("/dev/null" if old is None else path, "/dev/null" if new is None else path)
    # A carriage return would make lines look equal that are not.
    text = "".join(unified_diff(before, after, *names))
    return _masked(text) if text else ""


def _lines(data: bytes | None) -> list[str]:
    text = (data or b"").decode("utf-8", "replace").replace("\r\n", "\n")
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n\\ No newline at end of file\n"
    return lines


def _masked(text: str) -> str:
    from harkback.redact import masker

    found = masker()
    return text if found.is_clean(text) else found.mask(text)[0]


def diffs(changes: Sequence[Change]) -> None:
    """Print changes of files."""
    for one in changes:
        if one.new is None:
            print(plain(f"{one.path} goes: there was none before"))
            continue
        for line in difference(one.path, one.old, one.new).splitlines():
            colour = {"+": GREEN, "-": CYAN, "@": DIM}.get(line[:1], "")
            print(paint(plain(line), colour) if colour else plain(line))
        print()


def shown(plans: Sequence[Plan]) -> None:
    """Print what would be changed for each agent."""
    for plan in plans:
        print(f"{plan.agent.title}: {amount(len(plan.changes), 'file')} to change" if plan.changes else _same(plan))
        for one in plan.notes:
            print(plain(f"  {one}"))
        diffs(plan.changes)


def _same(plan: Plan) -> str:
    return f"{plan.agent.title}: nothing to change"


def done(plans: Sequence[Plan], tried: Tried | None, *, as_json: bool, is_dry: bool) -> None:
    """Print what was set up and what the hook answered; with `is_dry` nothing was written."""
    if as_json:
        print_json(_json(plans, tried, is_dry=is_dry))
        return
    if is_dry:
        print("Nothing was written.")
        return
    for plan in plans:
        if plan.changes:
            print(f"{plan.agent.title}: set up, {amount(len(plan.changes), 'file')} written")
        if plan.changes and plan.agent.note:
            print(f"  {plan.agent.note}")
    if tried:
        print(plain(f"The hook {'works' if tried.is_fine else 'does not work yet'}: {tried.says}"))
    if any(plan.changes for plan in plans):
        print("`hark setup --undo` takes it out again.")


def undone(plans: Sequence[Plan], *, as_json: bool, is_dry: bool) -> None:
    """Print what was taken out."""
    if as_json:
        print_json(_json(plans, None, is_dry=is_dry))
        return
    if is_dry:
        print("Nothing was written.")
    elif not plans:
        print("Nothing is set up here, so there was nothing to take out.")
    for plan in plans:
        for path in plan.left:
            print(plain(f"left       {path}: somebody has changed it since"))
        if plan.changes and not is_dry:
            print(f"{plan.agent.title}: taken out, {amount(len(plan.changes), 'file')}")


def _json(plans: Sequence[Plan], tried: Tried | None, *, is_dry: bool) -> wire.Json:
    agents = [
        {
            "agent": plan.agent.name,
            "files": [{"path": one.path, "diff": difference(*one)} for one in plan.changes],
            "left": list(plan.left),
            "notes": list(plan.notes),
            "note": plan.agent.note if plan.changes else "",
        }
        for plan in plans
    ]
    return {"schema": wire.SCHEMA, "written": not is_dry, "agents": agents, "hook": _hook(tried)}


def _hook(tried: Tried | None) -> wire.Json | None:
    return None if tried is None else {"works": tried.is_fine, "says": tried.says}


def states(found: Sequence[State], tried: Tried | None, trusted: str, *, as_json: bool) -> None:
    """Print how far the agents are set up."""
    if as_json:
        agents = [
            {
                "agent": one.agent.name,
                "folder": one.folder,
                "is_found": one.is_found,
                "installed": one.installed,
                "trusted": _trust(one, trusted),
                "stale": list(one.stale),
                "problems": list(one.problems),
            }
            for one in found
        ]
        print_json({"schema": wire.SCHEMA, "agents": agents, "hook": _hook(tried)})
        return
    for one in found:
        trust = _trust(one, trusted)
        where = one.folder if one.is_found else f"{one.folder} (not found)"
        print(plain(f"{one.agent.name:<13}{one.installed:<8}{where}{f'  hook: {trust}' if trust else ''}"))
        for path in one.stale:
            print(plain(f"    stale: {path}; `hark setup {one.agent.name}` brings it up to date"))
        for problem in one.problems:
            print(plain(f"    {problem}"))
    if tried:
        print(plain(f"The hook {'works' if tried.is_fine else 'does not work yet'}: {tried.says}"))


def _trust(one: State, trusted: str) -> str:
    return trusted if one.agent.name == "codex" and one.installed != setup.NOTHING else ""


# -- plugin, schedule ----------------------------------------------------------------------------------------------


def plugin(folder: str, changes: Sequence[Change], *, as_json: bool) -> None:
    """Print where the plugin lies, and how agents take it in."""
    if as_json:
        print_json({"schema": wire.SCHEMA, "folder": folder, "files": [one.path for one in changes]})
        return
    print(f"{amount(len(changes), 'file')} written" if changes else "nothing to change")
    place = shlex.quote(folder)
    for name, take in (("claude", "install"), ("codex", "add")):
        print(plain(f"{name} plugin marketplace add {place} && {name} plugin {take} hark@harkback"))


def timer(found: Timer, changes: Sequence[Change], lists: tuple[str, str], *, begins: bool) -> None:
    """Print what beginning or ending a timer changes."""
    print(f"{found.what}: `hark sync` every 15 minutes {'begins' if begins else 'ends'}")
    diffs(changes)
    if lists[0] != lists[1]:
        print("".join(unified_diff(_lines(lists[0].encode()), _lines(lists[1].encode()), "crontab", "crontab")))
    for argv in found.starting if begins else found.ending:
        print(plain(f"$ {shlex.join(argv)}"))


def timer_done(found: Timer, *, begins: bool, is_same: bool, is_dry: bool, as_json: bool) -> None:
    """Print what came of it."""
    is_on = begins != is_dry or (is_same and begins)
    if as_json:
        print_json({"schema": wire.SCHEMA, "timer": found.what, "is_on": is_on})
    elif is_dry:
        print("Nothing was written.")
    elif is_same:
        print("nothing to change")
    else:
        print(f"{found.what}: {'begun; `hark setup schedule --undo` ends it' if begins else 'ended'}")


def no_timer(*, as_json: bool) -> int:
    """Say that none was begun; gives 0."""
    if as_json:
        print_json({"schema": wire.SCHEMA, "timer": None, "is_on": False})
    else:
        print("No timer was begun here, so there is nothing to end.")
    return 0
