"""Two homes with memories and a server between them, which is there or is not."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import uvicorn

from harkback.archive.memories import Details, Memories
from harkback.archive.replica import Replica
from harkback.config import DEFAULTS, Place, Setting, Settings, option
from harkback.engines.local.memories import MemoryStore
from harkback.model import ACTIVE, Memory
from harkback.server.api import MemoriesApi

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harkback.server.audit import Entry

SECRETS = {"read-me": "read", "write-me": "write", "all-of-it": "delete"}


class Caller(NamedTuple):
    name: str
    scope: str


class Machine:
    """A home with memories."""

    def __init__(self, home: Path, url: str = "", token: str = "all-of-it") -> None:
        self.home, self.url = home, url
        self.place = Place(str(home), str(home / "archive"))
        (home / "archive").mkdir(parents=True, mode=0o700)
        self.file = home / "archive" / "server-token"
        self.write_token(token)
        self.later_ms = 0
        self.cwd = str(home)

    def write_token(self, token: str) -> None:
        self.file.write_text(token + "\n")
        self.file.chmod(0o600)

    @property
    def memories(self) -> Memories:
        given = {"server.url": Setting(option("server.url"), self.url, "test")} if self.url else {}
        settings = Settings(given) if given else DEFAULTS
        return Memories(self.place, {}, int(time.time() * 1000) + self.later_ms, self.cwd, settings)

    def meet(self) -> str:
        return Replica(self.memories).meet(whole=True)

    def save(self, text: str, details: Details | None = None) -> Memory:
        return self.memories.remember(text, details or Details()).memory

    @property
    def store(self) -> MemoryStore:
        store = MemoryStore.open(self.place.data)
        assert store is not None
        return store

    def all(self) -> dict[str, Memory]:
        """Give every memory as it stands, without what need not be the same on two machines."""
        with self.store as store:
            assert list(store.faults()) == []
            return {one.id: one._replace(confirmed=0, uses=0, used_ms=None) for one in store.all()}

    def past(self, one: str) -> list[str]:
        return [text for _, text in self.memories.find(one)[1]]

    def active(self) -> list[str]:
        return sorted(one.text for one in self.all().values() if one.status == ACTIVE)

    def waiting(self) -> int:
        shared = Replica(self.memories).shared()
        assert shared is not None
        return shared.waiting

    def hark(self, *argv: str, **more: str) -> subprocess.CompletedProcess[str]:
        env = {**os.environ, "HOME": str(self.home), "HARK_HOME": self.place.data, "HARK_SERVER": self.url, **more}
        return subprocess.run(
            [sys.executable, "-m", "harkback", *argv], env=env, capture_output=True, text=True, check=False, timeout=60
        )


class Post:
    """A server on a port, which can be stopped and started again."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.asked: list[dict[str, Any]] = []
        self.audit: list[Entry] = []
        self.api = MemoriesApi(lambda: machine.memories, self.audit.append)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        headers = dict(scope["headers"])
        secret = headers.get(b"authorization", b"").decode().removeprefix("Bearer ")
        if scope["path"] == "/api/memories" and secret in SECRETS:
            scope["hark"] = Caller("test", SECRETS[secret])
        await self.api(scope, receive, send)

    def start(self) -> None:
        config = uvicorn.Config(self, "127.0.0.1", self.port, log_level="critical", lifespan="off", ws="none")
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=lambda: asyncio.run(self.server.serve()), daemon=True)
        self.thread.start()
        until = time.monotonic() + 10
        while not self.server.started:
            assert time.monotonic() < until
            time.sleep(0.01)

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join(10)


class Two(NamedTuple):
    """Two clients and the server between them."""

    ada: Machine
    bob: Machine
    there: Machine
    post: Post

    def meet(self) -> None:
        """Let both tell and ask until nothing is left to tell."""
        for one in (self.ada, self.bob, self.ada, self.bob):
            assert one.meet() == ""
        assert (self.ada.waiting(), self.bob.waiting()) == (0, 0)
        assert self.ada.all() == self.bob.all() == self.there.all()


@contextlib.contextmanager
def two_machines(folder: Path) -> Iterator[Two]:
    there = Machine(folder / "there")
    post = Post(there)
    post.start()
    try:
        yield Two(Machine(folder / "ada", post.url), Machine(folder / "bob", post.url), there, post)
    finally:
        post.stop()
