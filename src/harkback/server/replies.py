"""What the gate itself answers, and the headers that every answer has."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable
    from typing import Any

    Send = Callable[[dict[str, Any]], Awaitable[None]]
    Headers = Iterable[tuple[bytes, bytes]]

SAFETY = (
    (b"cache-control", b"no-store"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
)
_OURS = frozenset({name for name, _ in SAFETY} | {b"server", b"x-powered-by", b"set-cookie"})
NO_SUCH_PATH = "There is nothing here."


class Refused(Exception):
    """A request that goes no further, with the answer that it gets."""

    def __init__(self, status: int, text: str, *, code: int = 0, closes: bool = False, more: Headers = ()) -> None:
        """`code` is JSON-RPC's, where the answer is one of that protocol; `closes`: no more is read from there."""
        super().__init__(text)
        self.status = status
        self.text = text
        self.code = code
        self.more = (*more, (b"connection", b"close")) if closes else tuple(more)

    @property
    def body(self) -> bytes:
        """Give the answer's body."""
        if self.code:
            error = {"code": self.code, "message": self.text}
            return json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()
        return json.dumps({"error": self.text}).encode()


def not_found() -> Refused:
    """Make the answer to an unknown path, and to a wrong secret: nobody can tell which."""
    return Refused(404, NO_SUCH_PATH)


def unauthorized() -> Refused:
    """Make the answer to a request without a token, which names no other way to get one."""
    return Refused(401, "A token is needed: Authorization: Bearer …", more=[(b"www-authenticate", b"Bearer")])


def too_many(wait_s: int) -> Refused:
    """Make the answer to who asks too often."""
    return Refused(429, "Too many requests.", more=[(b"retry-after", str(wait_s).encode())])


def safe_headers(headers: Headers) -> list[tuple[bytes, bytes]]:
    """Give an answer's headers with ours; what names the program, or opens it to other pages, goes."""
    kept = [
        (name, value)
        for name, value in headers
        if name.lower() not in _OURS and not name.lower().startswith(b"access-control-")
    ]
    return [*kept, *SAFETY]


async def send_refusal(refused: Refused, send: Send) -> None:
    """Send an answer of the gate."""
    body = refused.body
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *refused.more]
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
