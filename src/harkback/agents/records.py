"""What was written for an agent, and what stood there before: kept beside the archive, for undoing it.

`setup/AGENT.json` says it, `setup/AGENT/` holds each file as it was, for the owner alone.
"""

from __future__ import annotations

import json
import os
import shutil

from harkback import errors
from harkback._record import NamedTuple
from harkback.agents.files import digest, remove_empty, sweep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FOLDER = "setup"
_LAYOUT = 1


class Kept(NamedTuple):
    """One file that was written."""

    path: str
    written: str
    """The hash of what we wrote."""
    before: bytes | None
    """What stood there without us; None for no file."""
    piece: str = ""
    """The hash of what is ours as a whole in what we wrote, "" where that is entries."""


class Record(NamedTuple):
    """What was written for one agent."""

    files: tuple[Kept, ...] = ()
    folders: tuple[str, ...] = ()
    """Those that had to be made."""
    context: bool = False
    mcp: bool = True
    hooks: tuple[str, ...] = ()
    """The command lines of the hook that were written."""

    def of(self, path: str) -> Kept | None:
        """Find what is kept of a file."""
        return next((one for one in self.files if one.path == path), None)


def load(data: str, agent: str) -> Record | None:
    """Read what was written for an agent, None for nothing. Raises BackupDamaged."""
    path = _path(data, agent)
    try:
        with open(path, encoding="utf-8") as file:
            told = json.load(file)
        files = tuple(_kept(data, agent, one) for one in told["files"])
        return Record(
            files, tuple(told["folders"]), bool(told["context"]), bool(told["mcp"]), tuple(told.get("hooks", ()))
        )
    except FileNotFoundError:
        if os.path.exists(path):
            raise errors.BackupDamaged(path, "a file that it names is missing", agent) from None
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise errors.BackupDamaged(path, error, agent) from error


def _kept(data: str, agent: str, told: dict[str, Any]) -> Kept:
    piece = told.get("piece", "")
    if told["backup"] is None:
        return Kept(told["path"], told["written"], None, piece)
    with open(os.path.join(data, FOLDER, agent, os.path.basename(told["backup"])), "rb") as file:
        return Kept(told["path"], told["written"], file.read(), piece)


def save(data: str, agent: str, record: Record) -> None:
    """Write a record, the files in it first. Raises ArchiveReadOnly."""
    folder = os.path.join(data, FOLDER, agent)
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        told = []
        for number, one in enumerate(record.files):
            name = None if one.before is None else f"{number}-{one.written[:12]}-{os.path.basename(one.path)}"
            if name is not None and one.before is not None:
                _write(os.path.join(folder, name), one.before)
            told.append({"path": one.path, "written": one.written, "backup": name, "piece": one.piece})
        text = json.dumps(
            {
                "layout": _LAYOUT,
                "context": record.context,
                "mcp": record.mcp,
                "hooks": record.hooks,
                "folders": record.folders,
                "files": told,
            },
            ensure_ascii=False,
            indent=1,
        )
        _write(_path(data, agent), text.encode())
        keep = {one["backup"] for one in told}
        for name in os.listdir(folder):
            if name not in keep:
                os.unlink(os.path.join(folder, name))
    except OSError as error:
        raise errors.ArchiveReadOnly(data, error.strerror or error) from error


def adopt(data: str, agent: str, path: str, before: bytes | None, now: bytes | None) -> None:
    """Count as written by us what an agent wrote into a file because we asked it to.

    Where the file was not as we left it, its bytes from before cannot be brought back, and nothing is noted.
    """
    record = load(data, agent)
    kept = record.of(path) if record else None
    if record is None or now is None or before == now or (kept and kept.written != digest(before)):
        return
    files = [one for one in record.files if one.path != path]
    files.append(Kept(path, digest(now), kept.before if kept else before))
    save(data, agent, record._replace(files=tuple(files)))


def drop(data: str, agent: str) -> None:
    """Forget a record with its files; what is not there is no error."""
    path = _path(data, agent)
    if os.path.exists(path):  # it goes first: without the files that it names it would be damaged
        os.unlink(path)
    sweep(path)
    shutil.rmtree(os.path.join(data, FOLDER, agent), ignore_errors=True)
    remove_empty([os.path.join(data, FOLDER)])


def _path(data: str, agent: str) -> str:
    return os.path.join(data, FOLDER, f"{agent}.json")


def _write(path: str, content: bytes) -> None:
    """Write a file at once or not at all."""
    sweep(path)
    fresh = f"{path}.{os.getpid()}.hark-new"
    with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(fresh, path)
