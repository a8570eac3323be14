"""`POST /api/memories`: other machines of the same person share the memories of this one."""

from __future__ import annotations

import asyncio
import json
from time import monotonic

from harkback import errors
from harkback.archive.sharing import NotUnderstood, as_json, asked_of, share
from harkback.server.audit import MOST_IDS, Entry, hash_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any

    from harkback.archive.memories import Memories
    from harkback.archive.sharing import Asked, Given

    App = Callable[[Any, Any, Any], Awaitable[None]]
    Scope = dict[str, Any]
    Receive = Callable[[], Awaitable[Any]]
    Send = Callable[[Any], Awaitable[None]]

PATH = "/api/memories"
TOOL, FORGETS = "api/memories", "api/memories forget"
"""What the audit log calls a request, and the part of one that forgets."""

MOST_BYTES = 1 << 20
_WRITE, _DELETE = frozenset({"write", "delete"}), "delete"


class _Refused(Exception):
    """A request that is answered with a status and a sentence."""

    def __init__(self, status: int, said: str) -> None:
        super().__init__(said)
        self.status = status


class MemoriesApi:
    """An ASGI application; what stands before it has looked at the token and left who asks in `scope["hark"]`.

    That has a `name` and a `scope`: read (is told what changed), write (tells memories as well) or delete (tells what
    was forgotten as well). What a client may not tell is left out, and the answer says which scope it has.
    """

    def __init__(self, memories: Callable[[], Memories], write: Callable[[Entry], None]) -> None:
        """Both are called in a thread, for each request that was understood.

        `memories` gives the memories as of now; `write` writes down what was done, and raises FileUnwritable.
        """
        self.memories, self.write = memories, write

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        try:
            status, said = 200, await self._answer(scope, receive)
        except _Refused as refused:
            status, said = refused.status, _json({"error": str(refused)})
        except errors.HarkError:
            status, said = (
                503,
                _json({"error": "The memories cannot be used now. `hark check` on the server says why."}),
            )
        data = said.encode("utf-8", "replace")
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(data)).encode())]
        headers += [(b"cache-control", b"no-store")] + ([(b"allow", b"POST")] if status == 405 else [])  # noqa: PLR2004
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": data})

    async def _answer(self, scope: Scope, receive: Receive) -> str:
        who = scope.get("hark")
        if who is None:
            raise _Refused(401, "A token is needed.")
        if scope["method"] != "POST":
            raise _Refused(405, "It takes POST.")
        data = await _body(receive)
        try:
            asked = asked_of(json.loads(data))
        except NotUnderstood as error:
            raise _Refused(400, str(error)) from error
        except (ValueError, RecursionError) as error:
            raise _Refused(400, "The body is no JSON.") from error

        return await asyncio.to_thread(self._share, asked, who, hash_of(data.decode("utf-8", "replace")))

    def _share(self, asked: Asked, who: Any, arguments: str) -> str:
        """Do what was asked and write it down; gives the answer."""
        began = monotonic()
        entry = Entry(who.name, "", "", TOOL, arguments=arguments)
        try:
            given = share(self.memories(), asked, may_write=who.scope in _WRITE, may_delete=who.scope == _DELETE)
        except errors.HarkError:
            self.write(entry._replace(status="error", ms=_ms(began)))
            raise
        said = _json(_value(given, who.scope))
        entry = entry._replace(chars=len(said), ms=_ms(began))
        for start in range(0, max(1, len(given.changed)), MOST_IDS):
            self.write(entry._replace(ids=given.changed[start : start + MOST_IDS]))
        for start in range(0, len(given.forgotten), MOST_IDS):
            self.write(entry._replace(tool=FORGETS, ids=given.forgotten[start : start + MOST_IDS]))
        return said


def _value(given: Given, scope: str) -> dict[str, Any]:
    found = given.told
    return {
        "store": given.store,
        "scope": scope,
        "cursor": f"{found.upto}-{found.upto_keys}",
        "lines": found.lines,
        "forgotten": as_json(found.forgotten),
        "more": found.more,
        "bad": given.bad,
    }


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


def _ms(began: float) -> int:
    return round((monotonic() - began) * 1000)


def beside(api: MemoriesApi, app: App) -> App:
    """Give the application that answers `/api/memories` and leaves everything else to another one."""

    async def either(scope: Any, receive: Receive, send: Send) -> None:
        is_ours = scope["type"] == "http" and scope["path"] == PATH
        await (api if is_ours else app)(scope, receive, send)

    return either


async def _body(receive: Receive) -> bytes:
    data: bytes = b""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _Refused(400, "The body is cut off.")
        data += message.get("body", b"")
        if len(data) > MOST_BYTES:
            raise _Refused(413, "The body is larger than 1 MiB.")
        if not message.get("more_body"):
            return data
