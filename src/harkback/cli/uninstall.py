"""`hark uninstall`: what is taken out, what stays, and the two questions before an archive is deleted."""

from __future__ import annotations

import json
import sys

from harkback import errors, wire
from harkback.archive.removal import size, uninstall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from harkback.archive.removal import Removed
    from harkback.config import Place

QUESTIONS = ("yes", "delete")
"""What must be typed, one after the other; each `--yes` answers one of them."""


def take_out(
    place: Place, env: Mapping[str, str], waiting: Callable[[], None], *, delete: bool, yes: int, as_json: bool
) -> int:
    """Take out what was installed, delete the archive if that is wanted and confirmed; gives 0.

    Raises NotConfirmed, NoTerminal, before anything is done.
    """
    if delete:
        _confirm(place.data, yes)
    done = uninstall(place, env, delete=delete, waiting=waiting)
    if as_json:
        print(json.dumps(wire.uninstalled(done), ensure_ascii=False))
    else:
        _tell(done, delete=delete)
    return 0


def _confirm(folder: str, answered: int) -> None:
    """Ask what was not answered on the command line."""
    open_questions = QUESTIONS[answered:]
    if not open_questions:
        return
    if sys.stdin is None or not sys.stdin.isatty():
        raise errors.NoTerminal(folder)
    print(f"The archive in {folder} ({size(folder) / 1e6:,.1f} MB) will be deleted for good.", file=sys.stderr)
    print("It also keeps sessions that your agents have deleted since; nothing can read those again.", file=sys.stderr)
    for word in open_questions:
        print(f"Type {word} to go on: ", end="", file=sys.stderr, flush=True)
        if sys.stdin.readline().strip().lower() != word:
            raise errors.NotConfirmed(folder)


def _tell(done: Removed, *, delete: bool) -> None:
    for line in done.taken_out:
        print(f"taken out  {line}")
    if not done.taken_out:
        print("Nothing is installed outside the archive's folder, so there was nothing to take out.")
    if done.deleted:
        print(f"deleted    {', '.join(done.deleted)} in {done.folder} ({done.bytes / 1e6:,.1f} MB)")
    elif delete or not done.bytes:
        print(f"There is no archive in {done.folder}.")
    else:
        print(f"The archive stays in {done.folder} ({done.bytes / 1e6:,.1f} MB).")
        print("hark uninstall --delete-archive deletes it, after asking twice.")
    if done.left and delete:
        print(f"left       {', '.join(done.left)} in {done.folder}: not ours")
    print("The program itself goes as it came: uv tool uninstall harkback, or pipx uninstall harkback.")
