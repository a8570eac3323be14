"""Putting ourselves into an agent's files, taking ourselves out, and saying what stands there. Knows no agent.

Two steps each: a plan says what every file would look like, and raises for all that stands in the way; carrying it out
changes all files of an agent or none.
"""

from __future__ import annotations

import os
from itertools import product

from harkback import errors
from harkback._record import NamedTuple
from harkback.agents import command, files, records
from harkback.agents.files import Change
from harkback.agents.program import Unfit
from harkback.agents.records import Kept, Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from harkback.agents.program import Agent, Part, Wanted, Where

_MARK = b"Written by `hark setup`"

NOTHING, PARTLY, STALE, WHOLE = "no", "partly", "stale", "yes"
"""How far an agent is set up."""


class Plan(NamedTuple):
    """What is to be done for one agent."""

    agent: Agent
    changes: tuple[Change, ...]
    record: Record | None
    """What will be kept; None where nothing is."""
    left: tuple[str, ...] = ()
    """Files of ours that stay, because somebody changed them since."""
    notes: tuple[str, ...] = ()
    """What a person has to know of files that are not as we would have them."""
    seen: tuple[str, ...] = ()
    """The files that were looked at."""


class State(NamedTuple):
    """How far an agent is set up."""

    agent: Agent
    folder: str
    is_found: bool
    """Whether the agent program was found on this machine."""
    installed: str
    stale: tuple[str, ...]
    """Files that would look otherwise today."""
    problems: tuple[str, ...]


def planned(agent: Agent, where: Where, wanted: Wanted, data: str) -> Plan:
    """Work out what would be written. Raises SettingsUnfit, SettingsReadOnly, BackupDamaged."""
    old = records.load(data, agent.name) or Record()
    changes: list[Change] = []
    kept: list[Kept] = []
    notes: list[str] = []
    parts = agent.parts(where, wanted._replace(known=(*wanted.known, *old.hooks)))
    for part in parts:
        now, was = files.read(part.path), old.of(part.path)
        is_edited = _is_edited(part, now, was)
        new = now if is_edited else _put(part, now)
        notes += [_edited(part, agent)] if is_edited else _twice(part, now)
        if new == now:
            kept += filter(None, [was])
            continue
        files.check_writable(part.path, agent.name)
        changes.append(Change(part.path, now, new))
        piece = files.digest(_piece(part, new).encode()) if part.piece else ""
        kept.append(Kept(part.path, files.digest(new), _without_us(part, now, was), piece))
    kept += [one for one in old.files if one.path not in {part.path for part in parts}]
    record = Record(tuple(kept), old.folders, wanted.context, wanted.mcp, _lines(old, wanted))
    return Plan(agent, tuple(changes), record, notes=tuple(notes), seen=tuple(part.path for part in parts))


def _lines(old: Record, wanted: Wanted) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*old.hooks, wanted.hook)))


def _others(part: Part, data: bytes | None) -> list[str]:
    text = files.text_of(data, part.path)
    try:
        return list(part.others(text)) if part.others and text else []
    except Unfit as error:
        raise errors.SettingsUnfit(part.path, error) from error


def _twice(part: Part, now: bytes | None) -> list[str]:
    return [
        f"{part.path} stays with `{one}`, which `hark setup` did not write: the hook speaks twice until you take it out"
        for one in _others(part, now)
    ]


def _piece(part: Part, data: bytes | None) -> str:
    text = files.text_of(data, part.path)
    try:
        return part.piece(text) if part.piece and text else ""
    except Unfit as error:
        raise errors.SettingsUnfit(part.path, error) from error


def _is_edited(part: Part, now: bytes | None, kept: Kept | None) -> bool:
    """Whether somebody changed what is ours as a whole. Raises SettingsUnfit where a whole file never was ours."""
    piece = _piece(part, now)
    if not piece or piece == _piece(part, _put(part, None)):
        return False
    if kept and (files.digest(now) == kept.written or files.digest(piece.encode()) == kept.piece):
        return False
    if part.is_own and kept is None:
        raise errors.SettingsUnfit(part.path, "it is a file of somebody else")
    return True


def _edited(part: Part, agent: Agent) -> str:
    again = f"`hark setup {agent.name}`"
    renewed = f"move the file away, then {again}" if part.is_own else f"`hark setup {agent.name} --undo`, then {again}"
    return f"{part.path} stays: somebody has changed the {part.what} in it. To renew it: {renewed}"


def _put(part: Part, now: bytes | None) -> bytes | None:
    try:
        return files.bytes_of(part.put(files.text_of(now, part.path)), now)
    except Unfit as error:
        raise errors.SettingsUnfit(part.path, error) from error


def _without_us(part: Part, now: bytes | None, kept: Kept | None) -> bytes | None:
    """Say what a file would be if we had never come: what was kept, with what others have changed since."""
    if part.is_own:
        return kept.before if kept else None
    if kept is None or now is None:
        return now
    if files.digest(now) == kept.written:
        return kept.before
    return _taken(part, now, kept.before)


def _taken(part: Part, now: bytes, before: bytes | None) -> bytes | None:
    try:
        text, old = files.text_of(now, part.path), files.text_of(before, part.path)
        assert text is not None
        return files.bytes_of(part.take(text, old), now)
    except Unfit as error:
        raise errors.SettingsUnfit(part.path, error) from error


def carried_out(plan: Plan, data: str) -> None:
    """Do what was planned: all files or none. Raises as `files.write_all` and `records.save` do."""
    for path in plan.seen:
        files.sweep(path)
    if not plan.changes:
        return
    old = records.load(data, plan.agent.name)
    if plan.record is not None:
        # First what leads back, then the files: a kill between them leaves nothing that cannot be undone.
        records.save(data, plan.agent.name, _widened(plan.record, plan.changes))
    try:
        made = files.write_all(plan.changes)
    except BaseException:
        if plan.record is not None:
            _restore(data, plan.agent.name, old)
        raise
    if plan.record is None:
        files.remove_empty(old.folders if old else ())
        records.drop(data, plan.agent.name)
    elif made:
        folders = dict.fromkeys((*plan.record.folders, *made))
        records.save(data, plan.agent.name, plan.record._replace(folders=tuple(folders)))


def _widened(record: Record, changes: Sequence[Change]) -> Record:
    """Count the folders that will be made among those to remove later."""
    missing = []
    for change in changes:
        folder = os.path.dirname(os.path.realpath(change.path))
        while not os.path.isdir(folder):
            missing.append(folder)
            folder = os.path.dirname(folder)
    return record._replace(folders=tuple(dict.fromkeys((*record.folders, *missing))))


def _restore(data: str, agent: str, old: Record | None) -> None:
    if old is None:
        records.drop(data, agent)
    else:
        records.save(data, agent, old)


def undone(agent: Agent, where: Where, wanted: Wanted, data: str) -> Plan:
    """Work out what taking us out would change. Raises SettingsUnfit, SettingsReadOnly, BackupDamaged."""
    record = records.load(data, agent.name) or Record()
    parts: dict[str, list[Part]] = {}
    usual = wanted._replace(hook=command.hook_line(wanted.program), env={})
    # Whatever was chosen when it was set up, and wherever the archive was.
    for one, context, mcp in product((wanted, usual), (True, False), (True, False)):
        for part in agent.parts(where, one._replace(mcp=mcp, context=context, known=(*wanted.known, *record.hooks))):
            parts.setdefault(part.path, []).append(part)
    changes, left, notes = [], [], []
    seen = tuple(dict.fromkeys((*(one.path for one in record.files), *parts)))
    for path in seen:
        now, kept = files.read(path), record.of(path)
        if now is None:
            continue
        new = _recognised(parts[path], now) if kept is None else _put_back(parts.get(path, []), now, kept)
        if new == now:
            left += [path] if kept is not None and kept.before is None else []
            notes += [_unknown(path)] if kept is None and parts[path][0].is_own and _MARK in now else []
        else:
            files.check_writable(path, agent.name)
            changes.append(Change(path, now, new))
        notes += [_foreign(path, one) for one in _others(parts[path][0], new)] if path in parts else []
    unknown = [one.path for one in changes if record.of(one.path) is None]
    notes += [_unrecorded(unknown, data)] if unknown else []
    return Plan(agent, tuple(changes), None, tuple(left), tuple(notes), seen)


def _put_back(parts: Sequence[Part], now: bytes, kept: Kept) -> bytes | None:
    """Say what a file becomes of which it is known what we wrote, and what stood there before."""
    if files.digest(now) == kept.written:
        return kept.before
    new: bytes | None = now
    for part in parts:
        new = None if new is None else _taken(part, new, kept.before)
    return new


def _recognised(parts: Sequence[Part], now: bytes) -> bytes | None:
    """Say what a file becomes of which nothing is known: it goes only where it is what we write from nothing."""
    if any(now == _put(part, None) for part in parts):
        return None
    for part in parts:
        text = files.text_of(now, part.path)
        try:
            now = files.bytes_of(part.cut(text or ""), now) or b""
        except Unfit as error:
            raise errors.SettingsUnfit(part.path, error) from error
    return now


def _unrecorded(paths: Sequence[str], data: str) -> str:
    return (
        f"{', '.join(paths)}: there is no record in {data}, so that only what is recognised is taken out."
        " Where it was set up with another HARK_HOME, its backup is in that one, and `hark setup --undo` with it brings"
        " everything back"
    )


def _unknown(path: str) -> str:
    return f"{path} stays: it is not what `hark setup` writes today, and no record here says that it wrote it"


def _foreign(path: str, line: str) -> str:
    return f"{path} stays with `{line}`, which no record here says that `hark setup` wrote"


def taken_out(plan: Plan, data: str) -> None:
    """Carry out an undoing, and forget what was kept for it. Raises as `carried_out`."""
    carried_out(plan, data)
    if not plan.changes:
        old = records.load(data, plan.agent.name)
        files.remove_empty(old.folders if old else ())
        records.drop(data, plan.agent.name)


def state(agent: Agent, where: Where, wanted: Wanted, data: str, has_program: Callable[[str], bool]) -> State:
    """Say how far an agent is set up; what cannot be read is told among the problems."""
    folder = agent.folder(where)
    is_found = os.path.isdir(folder) or has_program(agent.program)
    problems: list[str] = []
    counts = {NOTHING: 0, STALE: 0, WHOLE: 0}
    stale = []
    try:
        record = records.load(data, agent.name)
    except errors.BackupDamaged as error:
        record = None
        problems.append(str(error))
    if record:
        wanted = wanted._replace(context=record.context, mcp=record.mcp, known=(*wanted.known, *record.hooks))
    for part in agent.parts(where, wanted):
        try:
            kept = record.of(part.path) if record else None
            found = _state(part, kept)
            problems += [_edited(part, agent)] if _is_edited(part, files.read(part.path), kept) else []
            problems += _twice(part, files.read(part.path)) if found in {STALE, WHOLE} else []
        except errors.SettingsUnfit as error:
            problems.append(str(error))
            continue
        counts[found] += 1
        stale += [part.path] if found == STALE else []
    installed = WHOLE if not counts[NOTHING] else PARTLY
    if not counts[STALE] and not counts[WHOLE]:
        installed = NOTHING
    elif counts[STALE]:
        installed = STALE
    return State(agent, folder, is_found, installed, tuple(stale), tuple(problems))


def _state(part: Part, kept: Kept | None) -> str:
    now = files.read(part.path)
    if now is None:
        return NOTHING
    if _is_edited(part, now, kept) or _put(part, now) == now:
        return WHOLE
    text = files.text_of(now, part.path)
    assert text is not None
    has_ours = _taken(part, now, None) != now or (part.is_own and text.strip())
    return STALE if has_ours else NOTHING
