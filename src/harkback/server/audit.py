"""Who read, wrote and deleted what through the server, in a file that only grows; no text of a memory is in it."""

from __future__ import annotations

import hashlib
import json
import os

from harkback import errors
from harkback._record import NamedTuple
from harkback.server.logs import append, stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

AUDIT_FILE = "audit.jsonl"
_NAME_CHARS = 60
MOST_IDS = 50
"""Of one call at most so many ids are written down."""

_TAIL_BYTES = 1 << 20


class Entry(NamedTuple):
    """One call of a tool."""

    token: str
    """The name of the token."""
    client: str
    """What the client calls itself."""
    version: str
    tool: str
    ids: tuple[str, ...] = ()
    """Of memories and sessions that were named, made or changed."""
    arguments: str = ""
    """What `hash_of` gives of them."""
    chars: int = 0
    """Of the answer."""
    status: str = "ok"
    """`ok`, or `error`."""
    ms: int = 0


def hash_of(arguments: object) -> str:
    """Give a short hash of a call's arguments, by which the same call is known again."""
    written = json.dumps(arguments, ensure_ascii=True, sort_keys=True, default=str)
    return hashlib.sha256(written.encode()).hexdigest()[:16]


class AuditLog:
    """The calls of tools, in `audit.jsonl`. May be written to from several threads and processes at once."""

    def __init__(self, folder: str, now_ms: Callable[[], int]) -> None:
        """Write into `folder`, which is there."""
        self.folder = folder
        self.path = os.path.join(folder, AUDIT_FILE)
        self.now_ms = now_ms

    def ready(self) -> None:
        """See that a call could be written down. Raises FileUnwritable: what cannot be is not to be done unseen."""
        try:
            os.close(os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0), 0o600))
        except OSError as error:
            raise errors.FileUnwritable(self.path, error.strerror or error) from error

    def write(self, entry: Entry) -> None:
        """Add a call. Raises FileUnwritable."""
        cut = entry._replace(
            client=entry.client[:_NAME_CHARS],
            version=entry.version[:_NAME_CHARS],
            tool=entry.tool[:_NAME_CHARS],
            ids=tuple(one[:_NAME_CHARS] for one in entry.ids[:MOST_IDS]),
        )
        try:
            append(self.path, {"time": stamp(self.now_ms()), **cut._asdict()})
        except OSError as error:
            raise errors.FileUnwritable(self.path, error.strerror or error) from error


def last(folder: str, number: int) -> list[dict[str, Any]]:
    """Give the last calls, the newest last; lines that are none are left out. Raises FileUnreadable."""
    path = os.path.join(folder, AUDIT_FILE)
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            start, lines = size, list[bytes]()
            while start and len(lines) <= number:
                start = max(0, start - max(_TAIL_BYTES, size - start))
                file.seek(start)
                lines = file.read(size - start).splitlines()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise errors.FileUnreadable(path, error.strerror or error) from error
    return [one for line in lines[-number:] if (one := _entry(line)) is not None] if number else []


def _entry(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
