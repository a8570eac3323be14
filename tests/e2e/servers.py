"""A server in a process of its own, and ways to ask it."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import harkback
from harkback.engines.tokens import Token, TokenStore

if TYPE_CHECKING:
    from collections.abc import Mapping

HERE = Path(__file__).parent
SECRET = "owner-" + "S3cr3tOfTheOwner_" * 2
READING = "reader-" + "S3cr3tOfTheReader" * 2
QUESTION = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'


class Reply(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def add_token(folder: str, name: str, secret: str, scope: str = "delete", expires_ms: int | None = None) -> None:
    store = TokenStore.open(folder, write=True)
    assert store is not None
    with store:
        store.add(Token(name, scope, 1, expires_ms), secret)


class Server:
    """Started and stopped as a person or systemd does it."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.folder = folder
        self.said = folder.parent / f"{folder.name}.said"
        add_token(str(folder), "owner", SECRET)
        add_token(str(folder), "reader", READING, "read")
        given = {"folder": str(folder), "port": 0, **settings}
        source = os.path.dirname(os.path.dirname(harkback.__file__))
        with self.said.open("wb") as errors:
            self.process = subprocess.Popen(
                [sys.executable, str(HERE / "echo_server.py"), json.dumps(given)],
                env={**os.environ, "PYTHONPATH": source},
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        assert self.address, self.said.read_text()
        self.port = int(self.address.rpartition(":")[2])

    def stop(self, number: int = signal.SIGTERM, within_s: float = 10.0) -> tuple[int, str]:
        """Give the exit status and what was said on stdout since."""
        self.process.send_signal(number)
        out, _ = self.process.communicate(timeout=within_s)
        return self.process.returncode, out

    def ask(
        self,
        path: str = "/mcp",
        body: bytes | None = QUESTION,
        method: str = "POST",
        headers: Mapping[str, str | None] | None = None,
        secret: str = SECRET,
        ip: str = "",
    ) -> Reply:
        """Send one request; a header that is None is left out."""
        told: dict[str, str | None] = {"Content-Type": "application/json"}
        if secret:
            told["Authorization"] = f"Bearer {secret}"
        if ip:
            told["X-Forwarded-For"] = ip
        told |= headers or {}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.putrequest(method, path, skip_host="Host" in told, skip_accept_encoding=True)
            for name, value in told.items():
                if value is not None:
                    connection.putheader(name, value)
            if body is not None:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            reply = connection.getresponse()
            return Reply(reply.status, {k.lower(): v for k, v in reply.getheaders()}, reply.read())
        finally:
            connection.close()

    def raw(self, data: bytes, timeout_s: float = 10.0) -> bytes:
        """Send bytes and read until the other side ends."""
        with socket.create_connection(("127.0.0.1", self.port), timeout_s) as connection:
            connection.sendall(data)
            pieces = []
            while piece := connection.recv(65_536):
                pieces.append(piece)
            return b"".join(pieces)

    def line(self, ip: str) -> dict[str, Any]:
        """Give the last line about an address; it is written when the answer is on its way already."""
        until = time.monotonic() + 5
        while time.monotonic() < until:
            found = [one for one in self.lines() if one["ip"] == ip]
            if found:
                return found[-1]
        raise AssertionError(ip)

    def lines(self, name: str = "access.jsonl") -> list[dict[str, Any]]:
        path = self.folder / name
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
