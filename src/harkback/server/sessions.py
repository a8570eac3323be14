"""Session ids for clients of the protocol before 2026-07-28, without sessions: signed, so that nothing has to be kept.

The application behind is stateless, and a restarted server knows its clients' ids still. An id is of the token that it
was given to: any other one gets the 404 that tells a client to begin anew, as does an id that was ended.
"""

from __future__ import annotations

import hmac
import json
import secrets
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from harkback.server.bodies import header
from harkback.server.replies import Refused, send_refusal

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from harkback.server.callers import Caller

    App = Callable[[Any, Any, Any], Awaitable[None]]
    Message = dict[str, Any]

NAME = b"mcp-session-id"
_MOST_ENDED = 10_000


class Sessions:
    """An ASGI application around a stateless one; stands behind the gate, which says who calls."""

    def __init__(self, app: App) -> None:
        """No id was ended yet."""
        self.app = app
        self._ended: OrderedDict[str, None] = OrderedDict()

    async def __call__(self, scope: Message, receive: Any, send: Any) -> None:
        """Answer one request."""
        if scope["type"] != "http" or "hark" not in scope:
            await self.app(scope, receive, send)
            return
        caller: Caller = scope["hark"]
        given = header(scope["headers"], NAME).decode("latin-1")
        if scope["method"] == "DELETE":
            await self._end(given, caller, send)
        elif given:
            if self._is_known(given, caller):
                await self.app(scope, receive, send)
            else:
                await send_refusal(_UNKNOWN, send)
        else:
            message = await receive()
            again = _once(message, receive)
            begins = _begins(message.get("body", b""))
            await self.app(scope, again, _naming(_made(caller), send) if begins else send)

    def _is_known(self, one: str, caller: Caller) -> bool:
        number, _, sign = one.partition(".")
        return hmac.compare_digest(sign.encode(), _sign(number, caller).encode()) and one not in self._ended

    async def _end(self, one: str, caller: Caller, send: Any) -> None:
        if not self._is_known(one, caller):
            await send_refusal(_UNKNOWN, send)
            return
        self._ended[one] = None
        if len(self._ended) > _MOST_ENDED:
            self._ended.popitem(last=False)
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})


_UNKNOWN = Refused(404, "There is no such session. Begin a new one with initialize.", code=-32001)


def _made(caller: Caller) -> str:
    number = secrets.token_hex(16)
    return f"{number}.{_sign(number, caller)}"


def _sign(number: str, caller: Caller) -> str:
    return hmac.digest(caller.key, number.encode("utf-8", "replace"), "sha256").hex()[:32]


def _begins(body: bytes) -> bool:
    """Whether a body asks to begin."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return False
    return isinstance(message, dict) and message.get("method") == "initialize"


def _once(message: Message, receive: Any) -> Any:
    """Give a message once more, then what comes after it."""
    waiting = [message]

    async def again() -> Message:
        told: Message = waiting.pop() if waiting else await receive()
        return told

    return again


def _naming(one: str, send: Any) -> Any:
    """Put an id on an answer that is good."""

    async def named(message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] == 200:  # noqa: PLR2004 - OK
            message = {**message, "headers": [*message.get("headers", ()), (NAME, one.encode())]}
        await send(message)

    return named
