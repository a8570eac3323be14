"""A server with which memories are shared: its address, the token for it, one request.

HTTP is spoken in a few lines here, because `http.client` costs 12 ms at start-up and `urllib.request` 18; redirects, on
which a token could leak, are not followed.
"""

from __future__ import annotations

import json
import os
import re
import stat
from time import monotonic

from harkback import errors
from harkback._record import NamedTuple
from harkback.keyring_keys import in_keyring

TYPE_CHECKING = False
if TYPE_CHECKING:
    from socket import socket
    from typing import Any

    from harkback.config import Settings

TOKEN_FILE = "server-token"  # noqa: S105 - the name of a file
PATH = "/api/memories"
CONNECT_S = 0.5
WHOLE_S = 1.0
"""So long a request may take that delivers nothing, connecting included."""

_LINE_S = 0.03
"""So much longer for each memory that is delivered."""
_MOST_BYTES = 2 << 20
_CHUNK = 1 << 16
_USUAL_PORTS = (80, 443)
_OK, _UNAUTHORISED, _FORBIDDEN, _MISSING = 200, 401, 403, 404
_STUCK = frozenset({502, 503, 504})
"""What a server answers that has no room or is damaged, and what a proxy answers in the place of one that is away."""


class Server(NamedTuple):
    """A server and what opens it."""

    url: str
    host: str
    port: int
    is_plain: bool
    path: str
    token: str
    token_file: str


def server_of(settings: Settings, folder: str) -> Server | None:
    """Give the server that was set; None where none was.

    Raises BadServer, NoToken, TokenExposed, FileUnreadable.
    """
    url = settings.text("server.url").strip()
    if not url:
        return None
    host, port, is_plain, path = _address(url)
    file = os.path.expanduser(settings.text("server.token_file")) or os.path.join(folder, TOKEN_FILE)
    token = _in_file(file) or in_keyring(url)
    if not re.fullmatch(r"[!-~]+", token):
        raise errors.NoToken(url, file)
    return Server(url, host, port, is_plain, path, token, file)


def check_address(url: str) -> None:
    """See that memories could be shared with a server of this address. Raises BadServer."""
    _address(url)


def _address(url: str) -> tuple[str, int, bool, str]:
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise errors.BadServer(url, error) from error
    if parts.scheme not in {"http", "https"} or not host:
        raise errors.BadServer(url, "an address begins with https://, or with http:// for this machine")
    if parts.username or parts.password or parts.query:
        raise errors.BadServer(_bare(host), "an address holds no password and no query; the token stands in a file")
    if parts.scheme == "http" and not _is_here(host):
        raise errors.BadServer(url, "over http:// anybody on the way could read the token; use https://")
    path = parts.path.rstrip("/").removesuffix("/mcp")
    if not re.fullmatch(r"[!-~]*", host + path):
        raise errors.BadServer(url, "an address holds no spaces and only ASCII; write other names as xn--…")
    is_plain = parts.scheme == "http"
    return host, port or (_USUAL_PORTS[0] if is_plain else _USUAL_PORTS[1]), is_plain, path + PATH


def _bare(host: str) -> str:
    return f"…{host}"


def _is_here(host: str) -> bool:
    """Whether a host is this machine."""
    return host in {"localhost", "::1"} or (host.startswith("127.") and host.replace(".", "").isdigit())


def _in_file(file: str) -> str:
    """Read the token; "" where there is no such file. Raises TokenExposed, FileUnreadable."""
    try:
        with open(file, encoding="utf-8") as opened:
            mode = os.fstat(opened.fileno()).st_mode
            if os.name == "posix" and stat.S_IMODE(mode) & 0o077:
                raise errors.TokenExposed(file)
            return opened.read(1000).strip()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise errors.FileUnreadable(file, getattr(error, "strerror", "") or error) from error


def ask(server: Server, body: dict[str, Any]) -> dict[str, Any]:
    """Send one request, and give what was answered. Raises ServerAway, ServerRefuses, ServerStuck, ServerOdd."""
    data = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
    until = monotonic() + WHOLE_S + _LINE_S * len(body.get("lines", ()))
    try:
        with _connection(server) as con:
            con.settimeout(_left(until))
            con.sendall(_head(server, len(data)) + data)
            answer = _read(con, until)
    except TimeoutError as error:
        raise errors.ServerAway(server.url, "it did not answer in time") from error
    except (OSError, ValueError) as error:
        raise errors.ServerAway(server.url, getattr(error, "strerror", "") or error) from error
    return _understood(server, *_taken_apart(server, answer))


def _connection(server: Server) -> socket:
    from socket import create_connection

    con = create_connection((server.host, server.port), CONNECT_S)
    if server.is_plain:
        return con
    from ssl import create_default_context  # 5 ms, not paid for a server on this machine

    try:
        return create_default_context().wrap_socket(con, server_hostname=server.host)
    except BaseException:
        con.close()
        raise


def _head(server: Server, length: int) -> bytes:
    host = f"[{server.host}]" if ":" in server.host else server.host
    lines = (
        f"POST {server.path} HTTP/1.1",
        f"Host: {host}:{server.port}" if server.port not in _USUAL_PORTS else f"Host: {host}",
        f"Authorization: Bearer {server.token}",
        "Content-Type: application/json",
        f"Content-Length: {length}",
        "Accept: application/json",
        "Connection: close",
    )
    return "\r\n".join((*lines, "", "")).encode("ascii")


def _left(until: float) -> float:
    left = until - monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _read(con: socket, until: float) -> bytes:
    """Read to the end, piece by piece, so that an answer that trickles in ends in time too."""
    pieces: list[bytes] = []
    size = 0
    while size <= _MOST_BYTES:
        con.settimeout(_left(until))
        piece = con.recv(_CHUNK)
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)
        size += len(piece)
    raise ValueError("its answer is too long")


def _taken_apart(server: Server, answer: bytes) -> tuple[int, bytes]:
    """Give the status and the body of an answer. Raises ServerOdd."""
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *headers = head.decode("latin-1").split("\r\n")
    status = re.match(r"HTTP/1\.[01] ([0-9]{3})(?: |$)", first)
    if status is None:
        raise errors.ServerOdd(server.url, "its answer is no HTTP")
    if any(re.match(r"transfer-encoding:\s*chunked\s*$", one, re.IGNORECASE) for one in headers):
        body = _joined(body)
    return int(status[1]), body


def _joined(chunks: bytes) -> bytes:
    """Join what was sent in chunks; what is cut off ends there, and is no whole JSON then."""
    body = b""
    while True:
        size, _, rest = chunks.partition(b"\r\n")
        length = re.match(rb"[0-9A-Fa-f]{1,8}", size)
        if length is None or not (number := int(length[0], 16)):
            return body
        body += rest[:number]
        chunks = rest[number + 2 :]


def _understood(server: Server, status: int, data: bytes) -> dict[str, Any]:
    if status == _UNAUTHORISED:
        raise errors.ServerRefuses(server.url, server.token_file)
    if status in _STUCK:
        raise errors.ServerStuck(server.url, status)
    if status != _OK:
        hint = ", which has no memories to share" if status in {_FORBIDDEN, _MISSING} else ""
        raise errors.ServerOdd(server.url, f"status {status}{hint}")
    try:
        answer = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise errors.ServerOdd(server.url, "its answer is no JSON") from error
    if not isinstance(answer, dict):
        raise errors.ServerOdd(server.url, "its answer is no object")
    return answer
