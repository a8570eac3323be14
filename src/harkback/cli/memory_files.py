"""`hark memories export`, `import`, `folder`, `bin` and `restore`: call the archive, print what it did."""

from __future__ import annotations

import sys

from harkback import errors
from harkback.archive.memory_files import JSON, MARKDOWN, MemoryFiles
from harkback.archive.memory_folders import MemoryFolders
from harkback.cli import memory_printing as printing
from harkback.cli.asking import is_agreed
from harkback.cli.opening import in_step
from harkback.cli.terminal import base, note, plain, print_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from harkback.archive.memories import Memories
    from harkback.memory.folders import Synced
    from harkback.memory.merging import Imported, Plan

_SHOWN = 10


def run(archive: Memories, options: argparse.Namespace) -> int:
    """Do what the words behind `hark memories` say."""
    action, *named = list[str](options.action)
    if action == "folder" and named:
        action, *named = f"folder {named[0]}", *named[1:]
    do = _ACTIONS.get((action, len(named)))
    if do is None:
        known = "export FILE|-, import FILE|DIR|-, folder add DIR, folder remove DIR, folder list, bin or restore ID"
        raise errors.BadValue("hark memories", " ".join(options.action), f"It takes nothing (a list), or {known}.")
    return do(archive, options, *named) or 0


def _project(options: argparse.Namespace) -> str | None:
    return "" if options.everywhere else options.project


def _export(archive: Memories, options: argparse.Namespace, file: str) -> None:
    form, files = options.format or JSON, MemoryFiles(archive)
    if file == "-":
        sys.stdout.write(files.text(form=form, project=options.project)[0])
        return
    if form == JSON and file.lower().endswith((".md", ".markdown")) and not options.format:
        form = MARKDOWN
    done = files.export(file, form=form, project=options.project, overwrite=options.yes)
    if options.json:
        from harkback import wire

        print_json(wire.exported(done))
        return
    sections = f" and {done.sections:,} sections of the profile" if done.sections else ""
    print(plain(f"{_memories(done.memories)}{sections} written to {done.file}"))


def _import(archive: Memories, options: argparse.Namespace, file: str) -> int:
    def agreed(plan: Plan) -> bool:
        asked = f"This would replace the texts of {_memories(plan.replaces)} and add {plan.adds:,}. Go on?"
        return options.yes or is_agreed(asked)

    text = sys.stdin.read().removeprefix("\ufeff") if file == "-" else None
    done = MemoryFiles(archive).bring(file, is_agreed=agreed, project=_project(options), text=text)
    if options.json:
        from harkback import wire

        print_json(wire.imported(done))
    else:
        _imported(done)
    return 2 if done.is_nothing else 0


def _imported(done: Imported) -> None:
    counts = [("added", done.added), ("merged with what is stored", done.merged), ("kept as they are here", done.kept)]
    counts += [("forgotten here", done.forgotten), ("not read", len(done.bad))]
    told = ", ".join(f"{number:,} {what}" for what, number in counts if number or what == "added")
    sections = f"; {done.sections:,} sections of the profile" if done.sections else ""
    print(f"{told}{sections}")
    for file, line, reason in done.bad[:_SHOWN]:
        note(f"{base(file)} line {line}: {reason}" if line else f"{base(file)}: {reason}")
    if len(done.bad) > _SHOWN:
        note(f"and {len(done.bad) - _SHOWN:,} more: --json names all")


def _add(archive: Memories, options: argparse.Namespace, folder: str) -> None:
    synced(MemoryFolders(archive).add(folder, _project(options)), as_json=options.json)


def _remove(archive: Memories, options: argparse.Namespace, folder: str) -> None:
    done = MemoryFolders(archive).remove(folder)
    if options.json:
        from harkback import wire

        print_json(wire.removed_folder(done))
        return
    print(plain(f"{done.path} is no longer kept in step; its files and the memories stay."))


def _list(archive: Memories, options: argparse.Namespace) -> None:
    kept = MemoryFolders(archive).kept()
    if options.json:
        from harkback import wire

        print_json(wire.folders(kept))
        return
    for one in kept:
        problem = f"  cannot be read: {one.problem}" if one.problem else ""
        print(plain(f"{one.path}  {_where(one.project)}  {_memories(one.memories)}{problem}"))
    if not kept:
        print("No folder is kept in step. `hark memories folder add DIR` keeps one.")


def _bin(archive: Memories, options: argparse.Namespace) -> int:
    found = archive.in_bin()
    printing.binned(found, archive.now_ms, as_json=options.json)
    return 0 if found else 1


def _restore(archive: Memories, options: argparse.Namespace, one: str) -> None:
    restored = archive.take_from_bin(one)
    in_step(archive)
    printing.changed([restored], archive.now_ms, as_json=options.json)


def synced(done: Synced, *, as_json: bool) -> None:
    """Print what was done about a folder that was added."""
    if as_json:
        from harkback import wire

        print_json(wire.synced(done))
        return
    print(plain(f"{done.path} is kept in step with the memories of {_where(done.project)}: {_done(done)}"))
    tell([done._replace(added=0, changed=0, archived=0, written=0)])


def tell(all_done: Sequence[Synced]) -> None:
    """Say on the side what was done about folders, in a line each; nothing of those without news."""
    for done in all_done:
        if done.added or done.changed or done.archived:
            note(f"{done.path}: {_done(done)}")
        for one in done.notes[:_SHOWN]:
            note(f"{base(done.path)}: {one}")
        if len(done.notes) > _SHOWN:
            note(f"{base(done.path)}: and {len(done.notes) - _SHOWN:,} more notes")


def _done(done: Synced) -> str:
    return (
        f"{_memories(done.added)} added from its files, {done.changed:,} changed, {done.archived:,} archived;"
        f" {done.written:,} {'file' if done.written == 1 else 'files'} written"
    )


def _where(project: str) -> str:
    return base(project) if project else "everywhere"


def _memories(number: int) -> str:
    return f"{number:,} {'memory' if number == 1 else 'memories'}"


_ACTIONS: dict[tuple[str, int], Callable[..., int | None]] = {
    ("export", 1): _export,
    ("import", 1): _import,
    ("folder add", 1): _add,
    ("folder remove", 1): _remove,
    ("folder list", 0): _list,
    ("bin", 0): _bin,
    ("restore", 1): _restore,
}
