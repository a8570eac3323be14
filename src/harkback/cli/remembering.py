"""The commands about memories: call the archive, hand the result to the printer."""

from __future__ import annotations

import sys

from harkback import errors
from harkback.archive.memories import EVERYWHERE, HERE, Details
from harkback.cli import memory_printing as printing
from harkback.cli.opening import in_step, opened
from harkback.cli.opening import memories as _memories
from harkback.memory.profile import section
from harkback.memory.recall import Wanted
from harkback.query import instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

_MOST_LINES = 10_000


def remember(options: argparse.Namespace) -> int:
    """Save a fact, or each line of standard input."""
    texts = _texts(options.text)
    details = _details(options)._replace(supersedes=options.supersedes, source=options.source)
    archive = _memories()
    if len(texts) > 1 and options.supersedes:
        raise errors.BadValue("--supersedes", options.supersedes, "It goes with one fact, not with several lines.")
    saved = [archive.remember(text, details) for text in texts]
    in_step(archive)
    printing.saved(saved, archive.now_ms, as_json=options.json, is_one=options.text != ["-"])
    return 0


def _texts(words: list[str]) -> list[str]:
    if words != ["-"]:
        return [" ".join(words)]
    lines = [line.strip() for line in sys.stdin.read().splitlines() if line.strip()]
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
    limit = archive.settings.number("recall.limit") if options.n is None else max(1, options.n)
    wanted = Wanted(
        limit,
        tuple(options.kind or ()),
        _instant("since", options.since, archive.now_ms),
        _instant("until", options.until, archive.now_ms),
        _instant("until", options.as_of, archive.now_ms, "--as-of"),
        options.history,
    )
    in_step(archive)
    answer = archive.recall([" ".join(options.query), *options.also], wanted, scope=_scope(options))
    printing.recalled(answer, archive.now_ms, as_json=options.json, explain=options.explain)
    sys.stdout.flush()
    archive.touch(answer)
    return 0 if answer.hits else 1


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

        return run(archive, options)
    in_step(archive)
    listed = archive.listed(
        kinds=options.kind or (), due=options.due, scope=_scope(options), history=options.history, limit=options.n
    )
    printing.listed(listed, archive.now_ms, as_json=options.json)
    return 0 if listed.memories else 1


def done(options: argparse.Namespace) -> int:
    """Mark memories as done, or as active again."""
    archive = _memories()
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
    printing.saved([saved], archive.now_ms, as_json=options.json, is_one=True)
    return 0


def context(options: argparse.Namespace) -> int:
    """Print what is known before a word was said."""
    from harkback.archive.context import context as gather

    archive = _memories()
    in_step(archive)
    found = gather(archive, opened(), _scope(options))
    budget = archive.settings.number("context.budget") if options.budget is None else options.budget
    printing.context(found, archive.now_ms, budget=budget, as_json=options.json)
    return 0


def profile(options: argparse.Namespace) -> int:
    """Show the profile, write a section, show its history, or print the material for a new one."""
    from harkback.archive.context import material, ordered

    archive = _memories()
    action, rest = (options.action or ["show"])[0], options.action[1:]
    if action == "edit" and rest:
        if not rest[1:]:
            raise errors.BadUsage("hark profile edit", "TEXT is missing (- reads it from standard input)")
        text = sys.stdin.read() if rest[1:] == ["-"] else " ".join(rest[1:])
        archive.write_profile(rest[0], text)
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
