"""A server that runs until it is stopped: where it listens, and that it may."""

from __future__ import annotations

import errno
import logging
import os
import signal
import socket
import ssl
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import uvicorn

from harkback import errors
from harkback.engines.tokens import TokenStore
from harkback.server.audit import AuditLog
from harkback.server.connections import patient
from harkback.server.gate import Gate, Limits
from harkback.server.logs import AccessLog
from harkback.server.origins import checked_url, doors, is_loopback, proxies

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from harkback.server.gate import App

MOST_CONNECTIONS = 256
_HEAD_BYTES = 16_384
_SHUTDOWN_S = 1
_END_S = 1.5
"""So long after a signal the program is over at the latest."""
_KEPT_S = 5
_KEPT_BY_PROXY_S = 125
"""A proxy keeps connections for two minutes; it must be the one that ends them, or a request is lost on the way."""


class Settings(NamedTuple):
    """How a server is to run."""

    folder: str
    """Of the archive, where tokens and logs lie."""
    host: str = "127.0.0.1"
    port: int = 8765
    """0: any free one."""
    public_url: str = ""
    is_behind_proxy: bool = False
    proxy: str = "127.0.0.1 ::1"
    """Addresses of the proxy, which is believed only with `is_behind_proxy`."""
    tls_cert: str = ""
    tls_key: str = ""
    limits: Limits = Limits()
    methods: tuple[str, ...] = ("POST",)

    @property
    def has_tls(self) -> bool:
        """Whether it speaks HTTPS itself."""
        return bool(self.tls_cert)


def serve(app: App, settings: Settings, now_ms: Callable[[], int], on_listening: Callable[[str], None]) -> None:
    """Serve `app` behind the gate until SIGINT or SIGTERM; `on_listening` is told the address once it answers.

    In the main thread a signal ends the whole program, at the latest after 1.5 seconds.
    Raises BadValue, OpenToAll, HalfOfTls, TlsUnreadable, NoTokens, PortTaken, CannotListen, before anything is
    served, and what opening the tokens raises.
    """
    public_url = checked_url(settings.public_url)
    believed = proxies(settings.proxy if settings.is_behind_proxy else "")
    _check_tls(settings)
    if not (is_loopback(settings.host) or settings.has_tls or settings.is_behind_proxy):
        raise errors.OpenToAll(settings.host)
    with _tokens(settings.folder, now_ms()) as tokens, _listening(settings) as listener, _terse_logs():
        port = int(listener.getsockname()[1])
        gate = Gate(
            app,
            tokens=tokens,
            doors=doors(settings.host, port, public_url),
            access=AccessLog(settings.folder, now_ms),
            audit=AuditLog(settings.folder, now_ms),
            now_ms=now_ms,
            proxies=believed,
            limits=settings.limits,
            methods=settings.methods,
        )
        name = f"[{settings.host}]" if ":" in settings.host else settings.host
        address = f"{'https' if settings.has_tls else 'http'}://{name}:{port}"
        _Server(_config(gate, settings), lambda: on_listening(address)).run(sockets=[listener])


def _config(gate: Gate, settings: Settings) -> uvicorn.Config:
    return uvicorn.Config(
        gate,
        loop="asyncio",
        http=patient(settings.limits.head_s),
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=_KEPT_BY_PROXY_S if settings.is_behind_proxy else _KEPT_S,
        timeout_graceful_shutdown=_SHUTDOWN_S,
        h11_max_incomplete_event_size=_HEAD_BYTES,
        ssl_certfile=settings.tls_cert or None,
        ssl_keyfile=settings.tls_key or None,
    )


class _Server(uvicorn.Server):
    """uvicorn's server, which says when it answers, and whose end by a signal is a good one."""

    def __init__(self, config: uvicorn.Config, on_started: Callable[[], None]) -> None:
        super().__init__(config)
        self.on_started = on_started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self.on_started()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self._stop) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        self.force_exit = self.should_exit  # twice: at once
        self.should_exit = True
        last = threading.Timer(_END_S, _leave)
        last.daemon = True
        last.start()


def _leave() -> None:
    """End the program though a call is still at work in a thread, which nobody can stop: what it stores, it stores
    whole or not at all.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _check_tls(settings: Settings) -> None:
    """See that the certificate and its key can be used. Raises HalfOfTls, TlsUnreadable."""
    if not settings.tls_cert and not settings.tls_key:
        return
    if not settings.tls_cert or not settings.tls_key:
        raise errors.HalfOfTls("--tls-key" if settings.tls_cert else "--tls-cert")
    try:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(settings.tls_cert, settings.tls_key, password=lambda: "")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or getattr(error, "reason", None) or error
        raise errors.TlsUnreadable(settings.tls_cert, settings.tls_key, reason) from error


def _tokens(folder: str, now_ms: int) -> TokenStore:
    """Open the tokens. Raises NoTokens where none opens anything."""
    found = TokenStore.open(folder)
    if found is None:
        raise errors.NoTokens
    with found:
        if not any(one.is_live(now_ms) for one in found.all()):
            raise errors.NoTokens
    store = TokenStore.open(folder, write=True)
    assert store is not None
    return store


def _listening(settings: Settings) -> socket.socket:
    """Open the socket. Raises PortTaken, CannotListen."""
    host, port = settings.host, settings.port
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise errors.CannotListen(host, port, error.strerror or error) from error
    try:
        if os.name == "posix":  # elsewhere it would let two programs listen on one port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen()
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise errors.PortTaken(host, port, port + 1) from error
        raise errors.CannotListen(host, port, error.strerror or error) from error
    return listener


@contextmanager
def _terse_logs() -> Iterator[None]:
    """Say of what libraries log only who says it: a message may hold what was asked, or what was remembered."""
    root, terse = logging.getLogger(), _Terse(logging.WARNING)
    root.addHandler(terse)
    try:
        yield
    finally:
        root.removeHandler(terse)


class _Terse(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        text = record.msg if record.name.startswith("uvicorn") else record.levelname.lower()
        print(f"hark: {record.name}: {text}", file=sys.stderr)
