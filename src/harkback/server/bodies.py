"""The body of a request: read within bounds, and looked at before anything else is done with it."""

from __future__ import annotations

import asyncio

from harkback.server.replies import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from typing import Any

    Receive = Callable[[], Awaitable[dict[str, Any]]]
    Headers = Sequence[tuple[bytes, bytes]]

_DRAINED_BYTES = 4 << 20
_DRAINING_S = 2.0


class Gone(Exception):
    """Whoever asked hung up before all was said."""


def header(headers: Headers, name: bytes) -> bytes:
    """Give the value of a header, empty where there is none."""
    return next((value for one, value in headers if one == name), b"")


def check_type(headers: Headers) -> None:
    """See that a body is said to be plain JSON. Raises Refused."""
    kinds = [value for name, value in headers if name == b"content-type"]
    kind = kinds[0].partition(b";")[0].strip().lower() if len(kinds) == 1 else b""
    if kind != b"application/json":
        raise Refused(415, "A request has the content type application/json.")
    if header(headers, b"content-encoding").strip().lower() not in {b"", b"identity"}:
        raise Refused(415, "A request is not compressed.")


class Incoming:
    """The body of one request while it arrives."""

    def __init__(self, receive: Receive, headers: Headers) -> None:
        """`headers` are the request's."""
        self._receive = receive
        self.headers = headers
        has_body = header(headers, b"content-length") not in {b"", b"0"} or header(headers, b"transfer-encoding")
        self.is_whole = not has_body
        """Whether nothing more comes."""

    async def receive(self) -> dict[str, Any]:
        """Give the next piece, as ASGI does."""
        message = await self._receive()
        self.is_whole = message["type"] == "http.disconnect" or not message.get("more_body", False)
        return message

    async def read(self, *, most_bytes: int, limit_s: float) -> bytes:
        """Read a body of at most so many bytes, in at most so many seconds. Raises Refused, Gone."""
        told = header(self.headers, b"content-length")
        if told.isdigit() and int(told) > most_bytes:
            raise _too_large(most_bytes)
        try:
            async with asyncio.timeout(limit_s):
                return await self._gathered(most_bytes)
        except TimeoutError:
            self.is_whole = True  # no use in waiting for the rest
            raise Refused(408, "The request took too long to arrive.", closes=True) from None

    async def _gathered(self, most_bytes: int) -> bytes:
        pieces: list[bytes] = []
        size = 0
        while True:
            message = await self.receive()
            if message["type"] == "http.disconnect":
                raise Gone
            pieces.append(message.get("body", b""))
            size += len(pieces[-1])
            if size > most_bytes:
                raise _too_large(most_bytes)
            if self.is_whole:
                return b"".join(pieces)

    async def drain(self) -> None:
        """Take in, within bounds, what is left and nobody wants: else the answer is lost with the connection."""
        if header(self.headers, b"expect"):
            return
        size = 0
        try:
            async with asyncio.timeout(_DRAINING_S):
                while not self.is_whole and size < _DRAINED_BYTES:
                    size += len((await self.receive()).get("body", b""))
        except TimeoutError:
            return


def _too_large(most_bytes: int) -> Refused:
    return Refused(413, f"A request has at most {most_bytes:,} bytes.", closes=True)


def check_json(body: bytes) -> None:
    """See that a body is one JSON object, of a depth that can be read. Raises Refused."""
    import orjson

    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise Refused(400, "The request is not JSON that can be read.", code=-32700) from None
    if isinstance(value, list):
        raise Refused(400, "Several requests in one are not taken; send each by itself.", code=-32600)
    if not isinstance(value, dict):
        raise Refused(400, "A request is a JSON object.", code=-32600)


def again(body: bytes, receive: Receive) -> Receive:
    """Give a body that was read once more, then whatever comes after it."""
    is_given = False

    async def receive_again() -> dict[str, Any]:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive_again
