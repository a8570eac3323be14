"""The bin: memories that were forgotten a short while ago and can still be brought back.

Only here does anything of them stand: the line that an export would write of each. So nothing that reads memories needs
to know of the bin.
"""

from __future__ import annotations

import json

from harkback import errors
from harkback._record import NamedTuple
from harkback.engines.local.schema import version

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator

WITH_BIN = 3
"""The layout from which on there is a bin; a reader meets older ones."""


class Binned(NamedTuple):
    """A memory in the bin."""

    id: str
    line: str
    """What an export writes of it: JSON with all it ever said."""
    at_ms: int
    """When it was put there."""


class BinRows:
    """The rows of the bin; changes are made inside `MemoryStore.writing`."""

    def __init__(self, con: sqlite3.Connection) -> None:
        """`con` is the store's."""
        self.con = con

    def all(self) -> list[Binned]:
        """Give what is in the bin, the latest first."""
        if version(self.con) < WITH_BIN:
            return []
        return [Binned(*row) for row in self.con.execute("SELECT id, line, at_ms FROM bin ORDER BY at_ms DESC, id")]

    def find(self, prefix: str) -> Binned:
        """Find what is in the bin by its id or the beginning of it. Raises NotInBin, Ambiguous."""
        low = prefix.lower()
        found = [one for one in self.all() if low and one.id.startswith(low)]
        exact = [one for one in found if one.id == low]
        if not found:
            raise errors.NotInBin(prefix)
        if len(found) > 1 and not exact:
            raise errors.Ambiguous(prefix, ", ".join(one.id for one in found))
        return (exact or found)[0]

    def knows(self, prefix: str) -> bool:
        """Whether a text is the id, or the beginning of the id, of something in the bin."""
        low = prefix.lower()
        return bool(low) and any(one.id.startswith(low) for one in self.all())

    def put(self, one: Binned) -> None:
        """Put a memory in that was taken out of all other tables."""
        self.con.execute("INSERT OR REPLACE INTO bin(id, line, at_ms) VALUES(?, ?, ?)", one)

    def drop(self, one: str) -> bool:
        """Take a memory out; gives whether it was there."""
        return bool(self.con.execute("DELETE FROM bin WHERE id = ?", (one,)).rowcount)

    def expired(self, before_ms: int) -> list[str]:
        """Name what was put in before a moment."""
        return [one for (one,) in self.con.execute("SELECT id FROM bin WHERE at_ms < ?", (before_ms,))]

    def texts(self) -> Iterator[str]:
        """Give every text that stands in the bin."""
        for one in self.all():
            yield from _texts(json.loads(one.line))

    def rewrite(self, change: Callable[[str], str]) -> None:
        """Put every text through `change`."""
        for one in self.all():
            value = json.loads(one.line)
            new = _changed(value, change)
            if new != value:
                self.put(one._replace(line=json.dumps(new, ensure_ascii=False)))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)


def _changed(value: object, change: Callable[[str], str]) -> object:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_changed(one, change) for one in value]
    return {key: _changed(one, change) for key, one in value.items()} if isinstance(value, dict) else value
