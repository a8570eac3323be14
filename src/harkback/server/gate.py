"""The gate before the application: who may come in, how often, with what; and what goes out again.

Every request is looked at in the same order: whom it means, which page it comes from, its token, how often that asks,
its method, its body. The body of a request without a token is never read.
"""

from __future__ import annotations

import asyncio
import os
import sys
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qsl

from harkback.server import bodies, replies
from harkback.server.callers import Caller
from harkback.server.limits import Buckets, neighbourhood
from harkback.server.logs import Access, agent_of, method_of, route_of
from harkback.server.origins import Proxies
from harkback.server.replies import Refused

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from harkback.engines.tokens import TokenStore
    from harkback.server.audit import AuditLog
    from harkback.server.logs import AccessLog
    from harkback.server.origins import Doors

    Scope = dict[str, Any]
    Receive = Callable[[], Awaitable[dict[str, Any]]]
    Send = Callable[[dict[str, Any]], Awaitable[None]]
    App = Callable[[Any, Any, Any], Awaitable[None]]

CALLER = "hark"
"""Where the application finds the `Caller` in its scope."""
AUDIT = "audit"
"""Where it finds the `AuditLog` in its scope's `state`."""

WITH_PATH_SECRET = ("/mcp", "/chatgpt")
_API = "/api"
_WELL_KNOWN = "/.well-known/"
_LIKE_TOKENS = ("token", "secret", "key", "auth", "password", "bearer")
_PRIVATE = frozenset({b"authorization", b"cookie", b"referer", b"proxy-authorization", b"forwarded"})
"""Headers that may hold a secret, or say where somebody is: nothing behind the gate needs them."""
_FRAMING = frozenset({b"content-length", b"transfer-encoding", b"expect"})
_HUNG_UP = 499
"""Written down where nobody waited for the answer, as other servers do."""


class Limits(NamedTuple):
    """What one request, one token and one address may have."""

    head_s: float = 10.0
    """So long the first line and the headers of a request may take to arrive."""
    body_bytes: int = 1 << 20
    body_s: float = 15.0
    request_s: float = 60.0
    in_flight: int = 64
    token_per_s: float = 50.0
    token_burst: int = 200
    failures: int = 20
    """Requests without a token that an address may make at once."""
    failure_s: float = 5.0
    """After so long it may make another one."""


class _Answer:
    """The way out: puts our headers on an answer and counts it."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status = 0
        self.bytes = 0

    async def send(self, message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message = {**message, "headers": replies.safe_headers(message.get("headers", ()))}
        elif message["type"] == "http.response.body":
            self.bytes += len(message.get("body", b""))
        await self._send(message)


class Gate:
    """An ASGI application around another, which gets only what may come in."""

    def __init__(
        self,
        app: App,
        *,
        tokens: TokenStore,
        doors: Doors,
        access: AccessLog,
        audit: AuditLog,
        now_ms: Callable[[], int],
        proxies: Proxies | None = None,
        limits: Limits | None = None,
        methods: tuple[str, ...] = ("POST",),
    ) -> None:
        """Stand before `app`, which is asked in the same thread; `methods` is what it takes."""
        self.app = app
        self.tokens = tokens
        self.doors = doors
        self.access = access
        self.audit = audit
        self.now_ms = now_ms
        self.proxies = proxies or Proxies()
        self.limits = limits or Limits()
        self.methods = methods
        self._asking = Buckets(self.limits.token_per_s, self.limits.token_burst, monotonic)
        self._failing = Buckets(1 / self.limits.failure_s, self.limits.failures, monotonic)
        self._in_flight = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; the application's own start and end pass by."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            await self._visit(scope, receive, _Answer(send))

    async def _visit(self, scope: Scope, receive: Receive, answer: _Answer) -> None:
        began = monotonic()
        peer = (scope.get("client") or ("",))[0]
        address = self.proxies.address(peer, scope["headers"])
        incoming = bodies.Incoming(receive, scope["headers"])
        token = error = ""
        try:
            caller, path = self._let_in(scope, address)
            token = caller.name
            await self._pass_on(_inner(scope, path, caller, self.audit), incoming, answer)
        except Refused as refused:
            await _refuse(refused, incoming, answer)
        except bodies.Gone:
            answer.status = _HUNG_UP
        except Exception as failure:  # noqa: BLE001 - whatever happened, nobody outside learns of it
            error = _place(failure)
            print(f"hark: {error}", file=sys.stderr)
            await _refuse(Refused(500, "Something went wrong here; the server's log has more."), incoming, answer)
        finally:
            self.access.write(
                Access(
                    address,
                    method_of(scope["method"]),
                    route_of(scope["path"]),
                    answer.status or _HUNG_UP,
                    round((monotonic() - began) * 1000),
                    answer.bytes,
                    agent_of(bodies.header(scope["headers"], b"user-agent").decode("latin-1")),
                    token,
                    error,
                )
            )

    def _let_in(self, scope: Scope, address: str) -> tuple[Caller, str]:
        """Find out who asks, and for which path. Raises Refused."""
        if not self.doors.is_host(scope["headers"]):
            raise Refused(421, "This server does not go by that name.")
        if not self.doors.is_origin(scope["headers"]):
            raise Refused(403, "No page of that origin may ask here.")
        try:
            caller, path = self._known(scope)
        except Refused as refused:
            is_guess = refused.status in {401, 404} and not scope["path"].startswith(_WELL_KNOWN)
            if is_guess and (wait_s := self._failing.take(neighbourhood(address))):
                raise replies.too_many(wait_s) from None
            raise
        if wait_s := self._asking.take(caller.name):
            raise replies.too_many(wait_s)
        if scope["method"] not in self.methods:
            allowed = ", ".join(self.methods)
            raise Refused(405, f"Only {allowed} is taken here.", more=[(b"allow", allowed.encode())])
        return caller, path

    def _known(self, scope: Scope) -> tuple[Caller, str]:
        path: str = scope["path"].rstrip("/")  # a pasted address often ends with one
        if path in {*WITH_PATH_SECRET, _API} or path.startswith(f"{_API}/"):
            _refuse_query_tokens(scope)
            caller = self._caller(_bearer(scope), is_path_secret=False)
            if caller is None:
                raise replies.unauthorized()
            return caller, path
        before, _, secret = path.rpartition("/")
        caller = self._caller(secret, is_path_secret=True) if before in WITH_PATH_SECRET else None
        if caller is None:
            raise replies.not_found()
        _refuse_query_tokens(scope)
        return caller, before

    def _caller(self, secret: str, *, is_path_secret: bool) -> Caller | None:
        now_ms = self.now_ms()
        token = self.tokens.find(secret, now_ms) if secret else None
        if token is None:
            return None
        self.tokens.used(token, now_ms)
        return Caller(token.name, token.scope, is_path_secret, token.key)

    async def _pass_on(self, scope: Scope, incoming: bodies.Incoming, answer: _Answer) -> None:
        """Ask the application, within bounds. Raises Refused, Gone, and what the application raises."""
        if self._in_flight >= self.limits.in_flight:
            raise Refused(503, "Too much is asked at once.", more=[(b"retry-after", b"1")])
        self._in_flight += 1
        try:
            async with asyncio.timeout(self.limits.request_s) as limit:
                has_body = scope["method"] == "POST"
                receive = await self._checked(scope, incoming) if has_body else incoming.receive
                await self.app(scope, receive, answer.send)
        except TimeoutError:
            if limit.expired():
                raise Refused(504, "That took too long.") from None
            raise
        finally:
            self._in_flight -= 1
        if not answer.status:
            raise RuntimeError("no answer")

    async def _checked(self, scope: Scope, incoming: bodies.Incoming) -> Receive:
        """Read and look at a body; gives the way to read it once more. Raises Refused, Gone."""
        headers = scope["headers"]
        bodies.check_type(headers)
        body = await incoming.read(most_bytes=self.limits.body_bytes, limit_s=self.limits.body_s)
        bodies.check_json(body)
        kept = [(name, value) for name, value in headers if name not in _FRAMING]
        scope["headers"] = [*kept, (b"content-length", str(len(body)).encode())]
        return bodies.again(body, incoming.receive)


def _inner(scope: Scope, path: str, caller: Caller, audit: AuditLog) -> Scope:
    """Give the scope as the application sees it: no secret in it, and who asks."""
    return {
        **scope,
        "path": path,
        "raw_path": path.encode("utf-8", "replace"),
        "query_string": b"",
        "headers": [
            (name, value)
            for name, value in scope["headers"]
            if name not in _PRIVATE and not name.startswith(b"x-forwarded-")
        ],
        "state": {**scope.get("state", {}), AUDIT: audit},
        CALLER: caller,
    }


def _bearer(scope: Scope) -> str:
    """Give the token in the header `Authorization`, "" where there is none, or several."""
    given = [value.decode("latin-1") for name, value in scope["headers"] if name == b"authorization"]
    kind, _, secret = given[0].partition(" ") if len(given) == 1 else ("", "", "")
    return secret.strip() if kind.lower() == "bearer" else ""


def _refuse_query_tokens(scope: Scope) -> None:
    """See that nobody puts a token where every proxy writes it down. Raises Refused."""
    names = [name.lower() for name, _ in parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)]
    if any(part in name for name in names for part in _LIKE_TOKENS):
        raise Refused(400, "A token stands in the header Authorization or in the path, not in the query.")


async def _refuse(refused: Refused, incoming: bodies.Incoming, answer: _Answer) -> None:
    """Send an answer of ours, where none has begun."""
    if answer.status:
        return
    await incoming.drain()
    await replies.send_refusal(refused, answer.send)


def _place(failure: BaseException) -> str:
    """Name the kind of an error and the line it comes from; its message may hold what nobody should read."""
    while isinstance(failure, BaseExceptionGroup):
        failure = failure.exceptions[0]
    trace = failure.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f" at {os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}" if trace else ""
    return f"{type(failure).__name__}{where}"
