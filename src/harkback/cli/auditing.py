"""`hark audit`: how agents use us, as tables, JSON or a page."""

from __future__ import annotations

import os
import sys

from harkback import errors
from harkback.cli.opening import opened
from harkback.cli.terminal import CYAN, OFF, is_terminal, note, print_json
from harkback.query import FIELDS, parse, with_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from harkback.archive.auditing import Audited


def audit(options: argparse.Namespace) -> int:
    """Print what an audit found; gives 0, 1 where there was no call. Raises BadValue, NothingYet, FileUnwritable."""
    from harkback.archive.auditing import audit as audited

    archive = opened()
    given = {field.name: getattr(options, f"field_{field.name}", None) for field in FIELDS}
    query = with_options(parse("", archive.now_ms), archive.now_ms, **given)
    command = options.program.strip()
    if not command or any(sign.isspace() or sign in "/\\" for sign in command):
        raise errors.BadValue("--command", options.program, "Give the name of a program, such as rg.")
    found = audited(archive, query, command, sync=not options.no_sync)
    if options.html is not None:
        _write(options.html, found, archive.now_ms)
    if options.json:
        from harkback import wire

        print_json(wire.audit(found))
    else:
        _print(found)
    for text in found.notes:
        note(text)
    if found.pending:
        note(f"{found.pending:,} transcripts have something that was not read yet and is not counted: hark sync")
    return 0 if found.figures.calls or found.figures.hook.spoke else 1


def _print(found: Audited) -> None:
    from harkback.cli.audit_tables import written

    if not found.figures.calls and not found.figures.hook.spoke:
        print(f"No call of {found.figures.command} stands in the transcripts that were read.")
        return
    print(written(found.figures, (CYAN, OFF) if is_terminal() else ("", "")))


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _write(path: str, found: Audited, now_ms: int) -> None:
    """Write the page, for its owner alone. Raises FileUnwritable."""
    from harkback.cli.audit_page import page

    text = page(found.figures, now_ms)
    try:
        with open(path, "w", encoding="utf-8", errors="replace", newline="\n", opener=_private) as file:
            file.write(text)
    except OSError as error:
        raise errors.FileUnwritable(path, error.strerror or str(error)) from error
    note(f"written: {os.path.abspath(path)}")
    sys.stderr.flush()
