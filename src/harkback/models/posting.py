"""Posting to a server, and waiting no longer than was said, however slowly it answers.

The timeout of a socket is one of each reading: a server that sends a byte now and then holds a reader for ever. So the
posting is done by a thread beside us, which is cut off.
"""

from __future__ import annotations

from contextlib import suppress
from http.client import HTTPConnection, HTTPSConnection
from socket import SHUT_RDWR
from ssl import create_default_context
from threading import Thread
from time import monotonic
from urllib.error import HTTPError
from urllib.request import HTTPHandler, HTTPRedirectHandler, HTTPSHandler, Request, build_opener

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from http.client import HTTPResponse
    from typing import Any

    Connect = Callable[..., HTTPConnection]

_MOST_BYTES = 64 << 20
_PIECE = 1 << 16


def post(request: Request, limit_s: float) -> bytes:
    """Give what a server answers within a time. Raises OSError, HTTPException, ValueError."""
    call = _Call(request, limit_s)
    call.start()
    call.join(limit_s)
    late = call.is_alive()
    if late:
        call.cut()
    if late or isinstance(call.error, TimeoutError):  # either of the two may see first that the time is over
        raise TimeoutError(f"no whole answer within {limit_s:g} s") from call.error
    if call.error is not None:
        raise call.error
    return call.answer


class _Call(Thread):
    """One posting. A program that ends does not wait for it."""

    def __init__(self, request: Request, limit_s: float) -> None:
        super().__init__(daemon=True)
        self.request = request
        self.limit_s = limit_s
        self.until = monotonic() + limit_s
        self.connections: list[HTTPConnection] = []
        self.answer = b""
        self.error: Exception | None = None

    def run(self) -> None:
        opener = build_opener(_Plain(self._held), _Secure(self._held), _Redirected)
        try:
            with opener.open(self.request, timeout=self.limit_s) as answer:
                self.answer = self._body(answer)
        except Exception as error:  # noqa: BLE001 - raised again by whoever waits
            if isinstance(error, HTTPError):
                error.close()  # it holds the answer
            self.error = error

    def _body(self, answer: HTTPResponse) -> bytes:
        body = bytearray()
        while piece := answer.read1(_PIECE):
            body += piece
            if len(body) > _MOST_BYTES:
                raise ValueError(f"its answer has more than {_MOST_BYTES:,} bytes")
            if monotonic() > self.until:
                raise TimeoutError
        return bytes(body)

    def _held(self, connect: Connect) -> Connect:
        def connected(host: str, **more: Any) -> HTTPConnection:
            self.connections.append(connect(host, **more))
            return self.connections[-1]

        return connected

    def cut(self) -> None:
        """End what is still being read."""
        for one in self.connections:
            with suppress(OSError, AttributeError):  # gone meanwhile
                one.sock.shutdown(SHUT_RDWR)


class _Plain(HTTPHandler):
    def __init__(self, held: Callable[[Connect], Connect]) -> None:
        super().__init__()
        self.held = held

    def http_open(self, req: Request) -> HTTPResponse:
        return self.do_open(self.held(HTTPConnection), req)


class _Secure(HTTPSHandler):
    def __init__(self, held: Callable[[Connect], Connect]) -> None:
        super().__init__()
        self.held = held

    def https_open(self, req: Request) -> HTTPResponse:
        return self.do_open(self.held(HTTPSConnection), req, context=create_default_context())


class _Redirected(HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        """Go nowhere else: texts and key are for the server that was named."""
