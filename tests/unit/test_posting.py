"""Posting with a deadline, against servers that answer in their own time."""

from __future__ import annotations

import socket
import threading
import time
from typing import TYPE_CHECKING
from urllib.error import HTTPError
from urllib.request import Request

import numpy as np
import pytest

from harkback.errors import EmbedderFailed
from harkback.models.embedders import ENDPOINT, Setup
from harkback.models.endpoint import QUESTION_S, Endpoint
from harkback.models.once import Once
from harkback.models.posting import _Call, post

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
DRIP = b"HTTP/1.1 200 OK\r\n" + b"X-More: 1\r\n" * 500


class Server:
    """Takes one connection after the other; `say` answers on it until `ended`."""

    def __init__(self, say: Callable[[Server, socket.socket], None]) -> None:
        self.say = say
        self.ended = threading.Event()
        self.cut_off = threading.Event()
        self.heard: list[bytes] = []
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.listening.getsockname()[1]}/v1"

    def serve(self) -> None:
        while not self.ended.is_set():
            try:
                connection, _ = self.listening.accept()
            except OSError:
                return
            with connection:
                self.heard.append(whole(connection))
                try:
                    self.say(self, connection)
                except OSError:
                    self.cut_off.set()

    def close(self) -> None:
        self.ended.set()
        self.listening.shutdown(socket.SHUT_RDWR)
        self.listening.close()
        self.thread.join()


def whole(connection: socket.socket) -> bytes:
    """Read a request with its body: what is left unread would reset the connection."""
    with connection.makefile("rb") as file:
        head = b"".join(iter(file.readline, b"\r\n"))
        length = next(line for line in head.lower().splitlines() if line.startswith(b"content-length:"))
        return head + file.read(int(length.split(b":")[1]))


def answer(_: Server, connection: socket.socket) -> None:
    connection.sendall(HEAD + b"hello")


def be_silent(server: Server, connection: socket.socket) -> None:
    connection.settimeout(10)
    if not connection.recv(1):
        server.cut_off.set()


def drip_head(server: Server, connection: socket.socket) -> None:
    drip(server, connection, DRIP)


def drip_body(server: Server, connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n")
    drip(server, connection, b"x" * 5000)


def drip(server: Server, connection: socket.socket, data: bytes) -> None:
    for at in range(len(data)):
        connection.sendall(data[at : at + 1])
        if server.ended.wait(0.02):
            return


def point_elsewhere(_: Server, connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n")


@pytest.fixture
def serving() -> Iterator[Callable[[Callable[[Server, socket.socket], None]], Server]]:
    servers: list[Server] = []

    def start(say: Callable[[Server, socket.socket], None]) -> Server:
        servers.append(Server(say))
        return servers[-1]

    yield start
    for one in servers:
        one.close()


def posted(server: Server, limit_s: float) -> bytes:
    return post(Request(server.address, b"{}"), limit_s)


@pytest.mark.parametrize("say", [be_silent, drip_head, drip_body])
def test_whoever_answers_too_slowly_is_cut_off(
    serving: Callable[[Callable[[Server, socket.socket], None]], Server], say: Callable[[Server, socket.socket], None]
) -> None:
    assert posted(serving(answer), 5) == b"hello"
    server = serving(say)
    began = time.monotonic()
    with pytest.raises(TimeoutError, match=r"^no whole answer within 0\.3 s$"):
        posted(server, 0.3)
    assert time.monotonic() - began < 1.5
    assert server.cut_off.wait(5)


@pytest.mark.parametrize("say", [be_silent, drip_body])
def test_the_reader_may_see_before_us_that_the_time_is_over(
    serving: Callable[[Callable[[Server, socket.socket], None]], Server],
    say: Callable[[Server, socket.socket], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    join = threading.Thread.join
    monkeypatch.setattr(_Call, "join", lambda call, limit_s: join(call, limit_s + 5))
    with pytest.raises(TimeoutError, match=r"^no whole answer within 0\.3 s$"):
        posted(serving(say), 0.3)


def test_a_question_has_less_time_than_a_sync_and_a_failure_ends_the_asking(
    serving: Callable[[Callable[[Server, socket.socket], None]], Server],
) -> None:
    server = serving(drip_body)
    one = Once(Endpoint(Setup(ENDPOINT, server.address, "m")))
    began = time.monotonic()
    for _ in range(3):
        with pytest.raises(EmbedderFailed, match="no whole answer within 3 s"):
            one.questions(["x"])
        with pytest.raises(EmbedderFailed):
            one.passages(["x"])
    assert QUESTION_S <= time.monotonic() - began < QUESTION_S + 1.5
    assert len(server.heard) == 1


def test_a_server_that_points_elsewhere_is_not_followed(
    serving: Callable[[Callable[[Server, socket.socket], None]], Server],
) -> None:
    with pytest.raises(HTTPError, match="302"):
        posted(serving(point_elsewhere), 5)


class Counted:
    """Gives the lengths of texts, and counts what it was asked."""

    model = "counted"

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked.append(list(texts))
        return np.array([[len(one), 1] for one in texts], np.float32)

    passages = questions


def test_nothing_is_asked_twice() -> None:
    inner = Counted()
    one = Once(inner)
    first = one.questions(["a", "bb", "a"])
    first -= 1
    assert one.questions(["bb", "ccc"]).tolist() == [[2, 1], [3, 1]]
    assert one.questions(["a"]).tolist() == [[1, 1]]
    assert inner.asked == [["a", "bb"], ["ccc"]]
    assert one.middles() == one.middles()
    assert len(inner.asked) == 3
