"""Starts syncs that die at a given step: run as a process of its own, one JSON request a line on stdin.

It imports the program once and forks a victim for each request, which costs a tenth of a new process. A victim
is the unchanged program except that each step of its writing (every SQL statement that changes something, before
and after each COMMIT, each call of the index's writer) first reports its name through a pipe and then, if this is
the step to die at, kills itself with SIGKILL. With `after_s` the nursery kills it from outside at that moment.

Request: `home`, `data`, `now_ms`, `step` (die at the n-th step) or `point` with `nth` (die at the n-th step of
that name) or `after_s` or none of them. Answer: `status` of the victim as `os.waitpid` gives it, `steps`.
"""

from __future__ import annotations

import json
import os
import re
import select
import signal
import sqlite3
import sys
from time import monotonic
from typing import Any

import harkback.ingest.changes  # what a sync imports late, so that no victim has to
import harkback.sources._claude_code_rows
import harkback.text.batch  # noqa: F401
from harkback.archive import sessions
from harkback.config import Place
from harkback.engines.local import schema, words, writing
from harkback.ingest import reading
from harkback.sources import jsonl

# Batches as small as can be, so that a small home sees as many commits as a large one.
SMALL = (
    (writing, "CHUNK_BYTES", 600),
    (writing, "BATCH_CHARS", 900),
    (reading, "BATCH_CHARS", 900),
    (jsonl, "CHECKPOINT_EVERY", 2000),
)

_TABLE = re.compile(r"(?:INTO|UPDATE(?: OR IGNORE)?|FROM|CREATE TABLE|CREATE INDEX|PRAGMA)\s+(\w+)")
_SILENT = re.compile(r"CREATE TEMP|\s*(?:SELECT|PRAGMA(?!\s+(?:wal_checkpoint|user_version=)))")


class Steps:
    """Counts the steps of this process, reports them and dies at the one it was told."""

    def __init__(self) -> None:
        self.pipe = -1
        self.request: dict[str, Any] = {}
        self.number = 0
        self.seen = 0

    def take(self, name: str) -> None:
        self.number += 1
        os.write(self.pipe, name.encode() + b"\n")
        if name == self.request.get("point"):
            self.seen += 1
        if self.number == self.request.get("step") or (self.seen and self.seen == self.request.get("nth")):
            os.kill(os.getpid(), signal.SIGKILL)


STEPS = Steps()


class Watched(sqlite3.Connection):
    """A connection whose changes are steps."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.kinds: set[str] = set()
        """What the transaction under way has changed so far."""

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        if _SILENT.match(sql):
            return super().execute(sql, *values)
        return self._step(sql, lambda: super(Watched, self).execute(sql, *values))

    def executemany(self, sql: str, *values: Any) -> sqlite3.Cursor:
        return self._step(sql, lambda: super(Watched, self).executemany(sql, *values))

    def _step(self, sql: str, run: Any) -> sqlite3.Cursor:
        name = self._name(sql)
        STEPS.take(f"before {name}")
        done: sqlite3.Cursor = run()
        if name.startswith("COMMIT"):
            STEPS.take(f"after {name}")
        return done

    def _name(self, sql: str) -> str:
        if sql.startswith("BEGIN"):
            self.kinds = set()
            return "BEGIN"
        if sql == "COMMIT":
            return f"COMMIT of {self._kind()}"
        table = _TABLE.search(sql)
        what = "watermark" if "'indexed'" in sql else table[1] if table else sql.split(maxsplit=1)[0]
        if sql.startswith("DELETE FROM part"):
            what = "forget"
        self.kinds.add(what)
        return f"{sql.split(maxsplit=1)[0]} {what}"

    def _kind(self) -> str:
        return next((kind for kind in ("watermark", "part", "forget") if kind in self.kinds), "facts")


def _watch() -> None:
    for module, name, value in SMALL:
        getattr(module, name)  # a name that is no longer there would make the batches large again, and nobody see it
        setattr(module, name, value)
    connect = sqlite3.connect

    def watched(*args: Any, **options: Any) -> Any:
        return connect(*args, **options, factory=Watched)

    schema.sqlite3.connect = watched  # type: ignore[attr-defined]
    for name in ("add", "remove", "remove_above", "commit", "close", "create", "can_write"):
        _wrap(words.Words, name, "index " + name)
    _wrap(words, "remove_folder", "index folder removal")


def _wrap(owner: Any, attribute: str, name: str) -> None:
    inner = getattr(owner, attribute)

    def outer(*args: Any, **options: Any) -> Any:
        STEPS.take(f"before {name}")
        done = inner(*args, **options)
        STEPS.take(f"after {name}")
        return done

    setattr(owner, attribute, outer)


def _live(request: dict[str, Any], pipe: int) -> None:
    """Be a victim."""
    status = 3
    try:
        STEPS.pipe, STEPS.request = pipe, request
        place = Place(request["home"], request["data"])
        archive = sessions.Archive(place, {}, request["now_ms"], "/")
        if request.get("rebuild"):
            archive.rebuild()
        else:
            archive.sync()
        status = 0
    except BaseException as error:  # noqa: BLE001  # whatever it is, the test wants to read it
        os.write(pipe, f"raised {type(error).__name__}: {error}\n".encode())
    finally:
        os._exit(status)


def _serve(request: dict[str, Any]) -> dict[str, Any]:
    there, here = os.pipe()
    victim = os.fork()
    if victim == 0:
        os.close(there)
        _live(request, here)
    os.close(here)
    until = monotonic() + float(request.get("after_s", 60.0))
    said = b""
    while True:
        ready, _, _ = select.select([there], [], [], max(0.0, until - monotonic()))
        if not ready:
            os.kill(victim, signal.SIGKILL)
            break
        some = os.read(there, 1 << 16)
        if not some:
            break
        said += some
    status = os.waitpid(victim, 0)[1]
    while some := os.read(there, 1 << 16):
        said += some
    os.close(there)
    return {"status": status, "steps": said.decode().splitlines()}


if __name__ == "__main__":
    _watch()
    for asked in sys.stdin:
        sys.stdout.write(json.dumps(_serve(json.loads(asked))) + "\n")
        sys.stdout.flush()
