"""A home with transcripts, an archive of it, and a comparison of two archives down to the last row."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

import tantivy

from harkback import rank
from harkback.archive.sessions import Archive
from harkback.config import DEFAULTS, Place, Settings, read_settings
from harkback.engines.local import LocalEngine
from harkback.query import parse

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from harkback.archive.answers import Answer

NOW_MS = 1_780_000_000_000


class State(NamedTuple):
    """All that an archive holds, without the numbers that depend on when what was read."""

    transcripts: list[tuple[Any, ...]]
    sessions: list[tuple[Any, ...]]
    messages: dict[int, tuple[Any, ...]]
    problems: list[tuple[Any, ...]]
    claims: list[tuple[Any, ...]]
    identities: dict[int, int]
    tallies: dict[str, int]
    integrity: str
    dead: int
    documents: list[tuple[Any, ...]]
    """What the index knows of each part beside its words, by number; equal to `parts`."""
    parts: list[tuple[Any, ...]]
    waiting: int
    """Parts above the index's watermark."""


def settings(**env: str) -> Settings:
    """Give what is set by these variables."""
    return read_settings(env, "")


class World:
    """A Claude Code home below `base` with an archive beside it."""

    def __init__(self, base: Path, data: str = "data") -> None:
        self.base = base
        self.home = str(base / "home")
        self.data = str(base / data)
        self.projects = os.path.join(self.home, ".claude", "projects")
        self.settings = DEFAULTS
        os.makedirs(os.path.join(self.projects, "-w"), exist_ok=True)

    def path(self, name: str) -> str:
        """Name the transcript of a session; `name` may begin with another project folder."""
        folder, _, stem = name.rpartition("/")
        return os.path.join(self.projects, folder or "-w", f"{stem}.jsonl")

    def write(self, name: str, rows: Iterable[Any], mode: str = "wb") -> str:
        """Write rows (objects, or bytes as they are) and return the path."""
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, mode) as file:
            file.write(b"".join(line(row) for row in rows))
        return path

    def append(self, name: str, rows: Iterable[Any]) -> str:
        return self.write(name, rows, "ab")

    def beside(self, data: str) -> World:
        """Give the same home with another archive."""
        return World(self.base, data)

    def archive(self, now_ms: int = NOW_MS) -> Archive:
        return Archive(Place(self.home, self.data), {}, now_ms, "/", self.settings)

    def sync(self, now_ms: int = NOW_MS) -> None:
        self.archive(now_ms).sync()

    def search(self, text: str, now_ms: int = NOW_MS, **options: Any) -> Answer:
        return self.archive(now_ms).search(parse(text, now_ms), limit=300, **options)

    def found(self, text: str, **options: Any) -> list[str]:
        """Give the texts that a search finds, sorted."""
        return sorted(hit.part.text for hit in self.search(text, **options).found.hits)

    def sql(self, statement: str) -> list[tuple[Any, ...]]:
        con = _open(self.data)
        try:
            return con.execute(statement).fetchall()
        finally:
            con.close()

    def state(self) -> State:
        """Read everything back."""
        return _state(self.data)

    def scores(self, queries: Iterable[str]) -> dict[str, list[tuple[str, float]]]:
        """Give the messages found with their scores."""
        return {
            text: sorted((hit.part.message, round(hit.score, 4)) for hit in self.search(text, sync=False).found.hits)
            for text in queries
        }

    def answers(self, queries: Iterable[str], *, is_exact: bool = False) -> dict[str, Any]:
        """Answer queries from what is stored, in a form that two archives can be compared by.

        Until the index merges, deleted texts still count in how rare a word is, so that the border between the
        tiers `most` and `any` may differ; unless `is_exact`, the two count as one.
        """
        return {text: _answer(self.search(text, sync=False), is_exact=is_exact) for text in queries}


def line(row: Any) -> bytes:
    return row if isinstance(row, bytes) else json.dumps(row, ensure_ascii=False).encode() + b"\n"


def say(uuid: str, text: str, session: str = "a", minute: int = 0, **more: Any) -> dict[str, Any]:
    """Make the row of a prompt as Claude Code 2.1 writes it."""
    return {
        "type": "user",
        "uuid": uuid,
        "sessionId": session,
        "timestamp": f"2026-05-{1 + minute // 1440:02}T{minute // 60 % 24:02}:{minute % 60:02}:00.000Z",
        "cwd": "/w",
        "gitBranch": "main",
        "message": {"role": "user", "content": text},
        **more,
    }


class Killed(NamedTuple):
    """One victim: where it died (its last step), or None if it lived to the end."""

    last: str | None
    steps: list[str]


class Nursery:
    """The process that forks victims; `log` is what became of each."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.log: list[Killed] = []
        script = os.path.join(os.path.dirname(__file__), "nursery.py")
        self.process = subprocess.Popen([sys.executable, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def sync(self, **how: Any) -> Killed:
        """Let a victim sync (or `rebuild`); see `nursery` for how it may die."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        request = {"home": self.world.home, "data": self.world.data, "now_ms": NOW_MS, **how}
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        steps = answer["steps"]
        is_dead = os.WIFSIGNALED(answer["status"])
        if not is_dead:
            assert answer["status"] == 0, steps[-1]
        else:
            assert os.WTERMSIG(answer["status"]) == signal.SIGKILL
        killed = Killed((steps[-1] if steps else "at the start") if is_dead else None, steps)
        self.log.append(killed)
        return killed

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(10)


_MESSAGES = (
    "SELECT part.message, transcript.path, pos, part.length, lane, role, time, ifnull(tool.value, ''),"
    " ifnull(model.value, ''), ifnull(branch.value, ''), files, text FROM part"
    " JOIN transcript ON transcript.id = part.transcript LEFT JOIN label tool ON tool.id = part.tool"
    " LEFT JOIN label model ON model.id = part.model LEFT JOIN label branch ON branch.id = part.branch"
)
_SESSIONS = (
    "SELECT session.agent, native, title, title_rank, part.text, ifnull(label.value, ''), cwd, last_cwd, branch_.b,"
    " started, ended, parent, relation, agent_type FROM (SELECT *, branch b FROM session) session"
    " JOIN (SELECT id, branch b FROM session) branch_ ON branch_.id = session.id"
    " LEFT JOIN label ON label.id = project LEFT JOIN part ON part.seq = title_seq"
)
_FIELDS = ("seq", "session", "project", "lane", "role", "time")
_PARTS = (
    "SELECT seq, session.id, ifnull(project, 0), lane, role, time FROM part"
    " JOIN transcript ON transcript.id = part.transcript JOIN session ON session.id = transcript.session ORDER BY seq"
)


def _open(data: str) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{quote(data)}/archive.sqlite?mode=ro", uri=True)


def _state(data: str) -> State:
    con = _open(data)

    def rows(statement: str) -> list[tuple[Any, ...]]:
        return con.execute(statement).fetchall()

    try:
        meta = dict(rows("SELECT key, value FROM meta"))
        return State(
            transcripts=sorted(
                rows(
                    "SELECT transcript.agent, path, native, size, mtime, inode, offset, fingerprint, state, parser,"
                    " messages, gone FROM transcript JOIN session ON session.id = session"
                )
            ),
            sessions=sorted(rows(_SESSIONS), key=repr),
            messages=_messages(con),
            problems=sorted(
                rows("SELECT path, pos, length, kind, detail FROM problem JOIN transcript ON id = transcript")
            ),
            claims=sorted(rows("SELECT key, title FROM claim")),
            identities=dict(
                rows("SELECT identity.key, part.message FROM identity JOIN part ON part.seq = identity.seq")
            ),
            tallies={key: value for key, value in meta.items() if key.startswith("total_") and value},
            integrity=rows("PRAGMA integrity_check")[0][0],
            dead=rows("SELECT count(*) FROM dead")[0][0],
            documents=_documents(data),
            parts=rows(_PARTS),
            waiting=rows(f"SELECT count(*) FROM part WHERE seq > {meta.get('indexed', 0)}")[0][0],
        )
    finally:
        con.close()


def _messages(con: sqlite3.Connection) -> dict[int, tuple[Any, ...]]:
    """Give for each message its places and what it says.

    Which of several equal copies owns the rows depends on which was read first; the set of places does not.
    """
    places: dict[int, set[tuple[Any, ...]]] = {}
    says: dict[int, list[tuple[Any, ...]]] = {}
    labels = dict(con.execute("SELECT id, value FROM label").fetchall())
    for message, path, pos, length, *facts, files, text in con.execute(_MESSAGES):
        places.setdefault(message, set()).add((path, pos, length))
        named = tuple(labels[int(number)] for number in (files or "").split())
        says.setdefault(message, []).append((*facts, named, text))
    for message, path, pos, length in con.execute(
        "SELECT message, path, pos, length FROM copy JOIN transcript ON transcript.id = transcript"
    ):
        places.setdefault(message, set()).add((path, pos, length))
    return {key: (sorted(places[key]), sorted(says.get(key, []), key=repr)) for key in sorted(places)}


def _documents(data: str) -> list[tuple[Any, ...]]:
    engine = LocalEngine.open(data)
    assert engine is not None
    try:
        assert engine.index is not None
        searcher = engine.index.searcher()
        found = searcher.search(tantivy.Query.all_query(), limit=1_000_000)
        places = [place for _, place in found.hits]
        columns = [searcher.fast_field_values(name, places) for name in _FIELDS]
        return sorted(zip(*columns, strict=True))
    finally:
        engine.close()


def _answer(answer: Answer, *, is_exact: bool) -> Any:
    def tier(number: int) -> int:
        return rank.MOST if number == rank.ANY and not is_exact else number

    found = answer.found
    hits = sorted(
        (
            hit.part.message,
            hit.session.native,
            hit.part.lane,
            hit.part.role,
            tier(hit.tier),
            hit.part.text,
            sorted({hit.session.native, *(copy.session.native for copy in hit.copies)}),
            hit.snippet,
        )
        for hit in found.hits
    )
    return {"tier": tier(found.tier), "lanes": found.lanes, "more": found.more, "hits": hits}
