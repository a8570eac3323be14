"""Names that stand many times, kept once and numbered: agents, projects, tools, models, branches, files."""

from __future__ import annotations

from harkback.engines.local.schema import guarded, transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from harkback.engines.local.opened import Open
    from harkback.model import Message

_FIND = "SELECT id FROM label WHERE base=? AND kind=? AND value=?"


def base_name(value: str) -> str:
    """Give the last part of a path in small letters, by which people name files and projects."""
    return value.lower().replace("\\", "/").rstrip("/").rpartition("/")[2]


class Labels:
    """Numbers of names, by kind; new ones are written at once, in short transactions of their own."""

    def __init__(self, con: sqlite3.Connection, folder: str) -> None:
        """Begin with nothing known."""
        self.con = con
        self.folder = folder
        self.agents: dict[str, int] = {}
        self.models: dict[str, int] = {}
        self.branches: dict[str, int] = {}
        self.tools: dict[str, int] = {}
        self.files: dict[str, int] = {}
        self._projects: dict[str, int] = {}
        self._kinds = {
            "agent": self.agents,
            "model": self.models,
            "branch": self.branches,
            "tool": self.tools,
            "file": self.files,
            "project": self._projects,
        }
        self._next = 1
        """The next number, as long as every name is in the dictionaries: only in a new archive."""

    def number(self, kind: str, value: str) -> int:
        """Give the number of one name."""
        known = self._kinds[kind]
        if value not in known:
            self._write({(kind, value): None})
        return known[value]

    def learn(self, waiting: Sequence[tuple[Open, Message]]) -> None:
        """Know every name of these messages, in one short transaction."""
        agents, models, branches, tools, files = self.agents, self.models, self.branches, self.tools, self.files
        fresh: dict[tuple[str, str], None] = {}
        for opened, message in waiting:
            if opened.agent not in agents:
                fresh["agent", opened.agent] = None
            if message.model and message.model not in models:
                fresh["model", message.model] = None
            if message.branch and message.branch not in branches:
                fresh["branch", message.branch] = None
            for _, _, tool, paths, _, _, _ in message.parts:
                if tool and tool not in tools:
                    fresh["tool", tool] = None
                for path in paths:
                    if path not in files:
                        fresh["file", path] = None
        if fresh:
            self._write(fresh)

    def _write(self, fresh: dict[tuple[str, str], None]) -> None:
        with guarded(self.folder), transaction(self.con) as con:
            first = con.execute("SELECT ifnull(max(id), 0) + 1 FROM label").fetchone()[0]
            missing = list(fresh)
            if first != self._next:  # what others wrote is not in the dictionaries
                missing = [name for name in fresh if not self._look_up(name)]
            con.executemany(
                "INSERT INTO label VALUES(?, ?, ?, ?)",
                [(number, kind, value, base_name(value)) for number, (kind, value) in enumerate(missing, first)],
            )
        for number, (kind, value) in enumerate(missing, first):
            self._kinds[kind][value] = number
        if first == self._next:
            self._next = first + len(missing)

    def _look_up(self, name: tuple[str, str]) -> bool:
        row = self.con.execute(_FIND, (base_name(name[1]), *name)).fetchone()
        if row is not None:
            self._kinds[name[0]][name[1]] = row[0]
        return row is not None
