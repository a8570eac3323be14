"""The same server over HTTP, stateless, with JSON answers; what guards it stands before it (`harkback.server`)."""

from __future__ import annotations

import contextlib
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp.server.transport_security import TransportSecuritySettings

from harkback.errors import HarkError
from harkback.mcp.calls import HERE_CALLER, Caller, Calls, Told
from harkback.mcp.catalogue import READ
from harkback.mcp.refusals import refusal
from harkback.mcp.sdk import server

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from typing import Protocol

    from mcp.server.context import ServerRequestContext
    from starlette.applications import Starlette

    from harkback.mcp.calls import Door

    class Audit(Protocol):
        """Where calls are written down."""

        def ready(self) -> None:
            """See that something can be written. Raises FileUnwritable."""

        def write(self, done: Done) -> None:
            """Write a call down. Never raises."""


def http_app(door: Door, audit: Audit) -> Starlette:
    """Make the app: `/mcp`, and `/chatgpt` with the two tools more; `audit` is told of each call, without its text.

    Who calls is what the gate put into `scope["hark"]`; without it nothing but reading is allowed.
    """
    from starlette.applications import Starlette

    calls = _Audited(door, audit)
    apps = [_app(calls, path, is_chatgpt=is_chatgpt) for path, is_chatgpt in (("/mcp", False), ("/chatgpt", True))]

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with contextlib.AsyncExitStack() as stack:
            for app in apps:
                await stack.enter_async_context(app.router.lifespan_context(app))
            yield

    return Starlette(routes=[route for app in apps for route in app.routes], lifespan=lifespan)


def _app(calls: Calls, path: str, *, is_chatgpt: bool) -> Starlette:
    made = server(calls, lambda context: _caller(context, is_chatgpt=is_chatgpt))
    return made.streamable_http_app(
        streamable_http_path=path, json_response=True, stateless_http=True, transport_security=_OPEN
    )


_OPEN = TransportSecuritySettings(enable_dns_rebinding_protection=False)
"""Host and Origin are checked by the gate, which knows the public name."""


def _caller(context: ServerRequestContext[Any], *, is_chatgpt: bool) -> Caller:
    request = context.request
    known = request.scope.get("hark") if request is not None else None
    if known is None:
        return Caller("?", READ, is_chatgpt=is_chatgpt)
    told = (context.meta or {}).get("io.modelcontextprotocol/clientInfo")
    client = told if isinstance(told, dict) else {}
    name, version = (str(client.get(key, "")) for key in ("name", "version"))
    name = name or _agent(request)
    return Caller(known.name, known.scope, is_chatgpt=is_chatgpt, client=name, version=version)


def _agent(request: Any) -> str:
    """Name a client that does not name itself with each call: by its user agent, up to the first bracket."""
    told: str = request.headers.get("user-agent", "")
    return told.partition("(")[0].strip()


class Done(NamedTuple):
    """A call that was done, for the audit log; its arguments are not to be written down themselves."""

    caller: Caller
    tool: str
    arguments: dict[str, Any]
    ids: tuple[str, ...]
    characters: int
    """Of the answer."""
    is_error: bool
    ms: int


class _Audited(Calls):
    """Calls that are written down: who, which tool, which memories; never a text."""

    def __init__(self, door: Door, audit: Audit) -> None:
        super().__init__(door)
        self._audit = audit

    def call(self, name: str, given: dict[str, Any], caller: Caller = HERE_CALLER) -> Told:
        """Do one call, and write it down; where that cannot be, nothing is done."""
        began = monotonic()
        try:
            self._audit.ready()
        except HarkError as error:
            return Told(refusal(error, is_remote=True), is_error=True)
        told = super().call(name, given, caller)
        named = [value for key in ("id", "supersedes") if isinstance(value := given.get(key), str)]
        ids = tuple(dict.fromkeys([*told.ids, *named]))
        ms = round((monotonic() - began) * 1000)
        self._audit.write(Done(caller, name[:60], given, ids, len(told.text), told.is_error, ms))
        return told
