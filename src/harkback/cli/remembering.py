"""The commands about memories: call the archive, hand the result to the printer."""

from __future__ import annotations

import re
import sys

from harkback import errors
from harkback.archive.memories import EVERYWHERE, HERE, Details
from harkback.cli import memory_printing as printing
from harkback.cli.opening import in_step, opened, reach
from harkback.cli.opening import memories as _memories
from harkback.cli.progress import Bar
from harkback.cli.terminal import note
from harkback.config import option
from harkback.memory.profile import section
from harkback.memory.recall import Wanted
from harkback.query import instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from harkback.archive.memories import Memories
    from harkback.memory.saving import Saved

_MOST_LINES = 10_000
_ITEM = r"\A\s*(?:[-*+•](?:\s+\[[ xX]\])?|\d{1,3}[.)])(?:\s+|\Z)"
_VECTORS_S = 1.0


def remember(options: argparse.Namespace) -> int:
    """Save a fact, or each line of standard input."""
    details = _details(options)._replace(supersedes=options.supersedes, source=options.source)
    if options.text == ["-"]:
        return _remember_lines(_lines(sys.stdin.read()), details, as_json=options.json)
    archive = _memories()
    reach(archive)
    saved = archive.remember(" ".join(options.text), details)
    in_step(archive)
    printing.saved(saved, archive.now_ms, as_json=options.json)
    _make_vectors(archive)
    return 0


def _remember_lines(lines: dict[int, str], details: Details, *, as_json: bool) -> int:
    """Save each line; what cannot be saved is told with its number, and the rest is saved."""
    if len(lines) > 1 and details.supersedes:
        raise errors.BadValue("--supersedes", details.supersedes, "It goes with one fact, not with several lines.")
    archive = _memories()
    reach(archive)
    saved: list[Saved] = []
    bad: list[tuple[int, str]] = []
    with Bar(is_shown=sys.stderr.isatty() and not sys.stdout.isatty()) as bar:
        for number, done in zip(lines, archive.remember_each(list(lines.values()), details), strict=True):
            if isinstance(done, errors.HarkError):
                bad.append((number, str(done)))
                note(f"line {number}: {done}")
            else:
                saved.append(done)
                if not as_json:
                    printing.saved(done, archive.now_ms, as_json=False)
            bar.lines(len(saved) + len(bad), len(lines))
    sys.stdout.flush()
    in_step(archive)
    if as_json:
        printing.all_saved(saved, bad)
    _make_vectors(archive)
    return 2 if bad else 0


def _lines(text: str) -> dict[int, str]:
    """Give the lines that say something by their numbers, without what makes them items of a list."""
    lines = {number: re.sub(_ITEM, "", line).strip() for number, line in enumerate(text.splitlines(), 1)}
    lines = {number: line for number, line in lines.items() if line}
    if not lines:
        raise errors.BadValue("-", "", "Standard input holds no line.")
    if len(lines) > _MOST_LINES:
        raise errors.BadValue("-", f"{len(lines)} lines", f"At most {_MOST_LINES:,} at once.")
    return lines


def _details(options: argparse.Namespace) -> Details:
    return Details(
        options.kind,
        options.importance,
        None if options.entity is None else tuple(options.entity),
        None if options.tag is None else tuple(options.tag),
        options.date,
        "" if options.everywhere else options.project,
    )


def recall(options: argparse.Namespace) -> int:
    """Find what answers a question."""
    archive = _memories()
    limit = archive.settings.number("recall.limit") if options.n is None else options.n
    _refuse_less("-n", limit, "recall.limit")
    wanted = Wanted(
        limit,
        tuple(options.kind or ()),
        _instant("since", options.since, archive.now_ms),
        _instant("until", options.until, archive.now_ms),
        _instant("until", options.as_of, archive.now_ms, "--as-of"),
        options.history,
    )
    in_step(archive)
    trouble = "" if options.words else _make_vectors(archive)
    texts = [" ".join(options.query), *options.also]
    answer = archive.recall(texts, wanted, scope=_scope(options), meaning=not options.words)
    answer = answer._replace(trouble=answer.trouble or trouble)
    printing.recalled(answer, archive.now_ms, as_json=options.json, explain=options.explain)
    sys.stdout.flush()
    archive.touch(answer)
    return 0 if answer.hits else 1


def _refuse_less(flag: str, number: int, name: str) -> None:
    """Refuse what the option of the same meaning refuses. Raises BadValue."""
    if number < option(name).least:
        raise errors.BadValue(flag, number, f"It takes {option(name).takes}.")


def _make_vectors(archive: Memories) -> str:
    """Make vectors of what has none yet, for a moment; gives what keeps meaning from being looked at, or nothing."""
    sys.stdout.flush()
    try:
        archive.make_vectors(_VECTORS_S)
    except errors.EmbedderFailed as error:
        return str(error)
    except (errors.ArchiveReadOnly, errors.DiskFull):
        return ""
    return ""


def _instant(bound: str, text: str | None, now_ms: int, option: str = "") -> int | None:
    """Read a time, past or to come. Raises BadValue."""
    if text is None:
        return None
    try:
        return instant(bound, text, now_ms, option or f"--{bound}")
    except errors.BadValue:
        from harkback.occasions import occasion

        found = occasion(text, now_ms)
        if found is None:
            raise
        return found.until_ms if bound == "until" else found.since_ms


def _scope(options: argparse.Namespace) -> str:
    return EVERYWHERE if options.everywhere else options.project or HERE


def memories(options: argparse.Namespace) -> int:
    """List, export, import, or keep folders."""
    archive = _memories()
    if options.action:
        from harkback.cli.memory_files import run

        reach(archive)
        status = run(archive, options)
        reach(archive)
        return status
    in_step(archive)
    listed = archive.listed(
        kinds=options.kind or (), due=options.due, scope=_scope(options), history=options.history, limit=options.n
    )
    printing.listed(listed, archive.now_ms, as_json=options.json)
    return 0 if listed.memories else 1


def done(options: argparse.Namespace) -> int:
    """Mark memories as done, or as active again."""
    archive = _memories()
    reach(archive)
    changed = [(archive.reopen if options.undo else archive.finish)(one) for one in options.id]
    in_step(archive)
    printing.changed(changed, archive.now_ms, as_json=options.json)
    return 0


def edit(options: argparse.Namespace) -> int:
    """Change a memory."""
    archive = _memories()
    details = _details(options)
    text = " ".join(options.text).strip()
    if not text and all(value is None for value in details[:6]):
        raise errors.NothingToChange(options.id)
    in_step(archive)  # what was changed by hand is not to be lost
    changed = archive.edit(options.id, text, details)
    in_step(archive)
    printing.changed([changed], archive.now_ms, as_json=options.json)
    return 0


def supersede(options: argparse.Namespace) -> int:
    """Replace a memory."""
    archive = _memories()
    in_step(archive)
    saved = archive.supersede(options.id, " ".join(options.text), _details(options))
    in_step(archive)
    printing.saved(saved, archive.now_ms, as_json=options.json)
    return 0


def context(options: argparse.Namespace) -> int:
    """Print what is known before a word was said."""
    from harkback.archive.context import context as gather

    archive = _memories()
    in_step(archive)
    found = gather(archive, opened(), _scope(options))
    budget = archive.settings.number("context.budget") if options.budget is None else options.budget
    _refuse_less("--budget", budget, "context.budget")
    printing.context(found, archive.now_ms, budget=budget, as_json=options.json)
    return 0


def profile(options: argparse.Namespace) -> int:
    """Show the profile, write a section, show its history, or print the material for a new one."""
    from harkback.archive.context import material, ordered

    archive = _memories()
    reach(archive)
    action, rest = (options.action or ["show"])[0], options.action[1:]
    if action == "edit" and rest:
        if not rest[1:]:
            raise errors.BadUsage("hark profile edit", "TEXT is missing (- reads it from standard input)")
        text = sys.stdin.read() if rest[1:] == ["-"] else " ".join(rest[1:])
        archive.write_profile(rest[0], text)
        reach(archive)
    elif action == "history" and len(rest) == 1:
        printing.history(archive.profile(section(rest[0]).name), archive.now_ms, as_json=options.json)
        return 0
    elif action == "refresh" and not rest:
        printing.material(material(archive), as_json=options.json)
        return 0
    elif action != "show" or rest:
        raise errors.BadUsage("hark profile", "it takes show, edit SECTION TEXT, history SECTION or refresh")
    printing.profile(ordered(archive.profile()), archive.now_ms, as_json=options.json)
    return 0


COMMANDS = {
    "remember": remember,
    "recall": recall,
    "memories": memories,
    "done": done,
    "edit": edit,
    "supersede": supersede,
    "context": context,
    "profile": profile,
}
