"""A server with which memories are shared: its address, the token for it, one request.

`http.client` and not `urllib.request`, which costs 8 ms more at start-up and follows redirects, with the token.
"""

from __future__ import annotations

import json
import os
import stat
from time import monotonic

from harkback import errors
from harkback._record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from http.client import HTTPConnection, HTTPResponse
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
_OK, _UNAUTHORISED, _FORBIDDEN, _MISSING = 200, 401, 403, 404


class Server(NamedTuple):
    """A server and what opens it."""

    url: str
    host: str
    port: int | None
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
    token = _in_file(file) or _in_keyring(url)
    if not token:
        raise errors.NoToken(url, file)
    return Server(url, host, port, is_plain, path, token, file)


def _address(url: str) -> tuple[str, int | None, bool, str]:
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
    return host, port, parts.scheme == "http", path + PATH


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


def _in_keyring(url: str) -> str:
    """Ask the system's keyring, where the package for it is installed."""
    from importlib.util import find_spec

    if find_spec("keyring") is None:
        return ""
    from importlib import import_module

    try:
        return str(import_module("keyring").get_password("harkback", url) or "").strip()
    except Exception:  # noqa: BLE001 - each system's keyring fails in its own way
        return ""


def ask(server: Server, body: dict[str, Any]) -> dict[str, Any]:
    """Send one request, and give what was answered. Raises ServerAway, ServerRefuses, ServerOdd."""
    from http.client import HTTPException

    data = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
    until = monotonic() + WHOLE_S + _LINE_S * len(body.get("lines", ()))
    con = _connection(server)
    try:
        con.connect()
        con.sock.settimeout(_left(until))
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {server.token}"}
        con.request("POST", server.path, data, headers)
        answer = con.getresponse()
        return _understood(server, answer.status, _read(answer, con, until))
    except TimeoutError as error:
        raise errors.ServerAway(server.url, "it did not answer in time") from error
    except HTTPException as error:
        raise errors.ServerOdd(server.url, f"{type(error).__name__}") from error
    except (OSError, ValueError) as error:
        raise errors.ServerAway(server.url, getattr(error, "strerror", "") or error) from error
    finally:
        con.close()


def _connection(server: Server) -> HTTPConnection:
    from http.client import HTTPConnection, HTTPSConnection

    return (HTTPConnection if server.is_plain else HTTPSConnection)(server.host, server.port, timeout=CONNECT_S)


def _left(until: float) -> float:
    left = until - monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _read(answer: HTTPResponse, con: HTTPConnection, until: float) -> bytes:
    """Read an answer piece by piece, so that one that trickles in ends in time too."""
    data = b""
    while len(data) <= _MOST_BYTES:
        if con.sock is not None:
            con.sock.settimeout(_left(until))
        piece = answer.read1(_CHUNK)
        if not piece:
            return data
        data += piece
    raise ValueError("its answer is too long")


def _understood(server: Server, status: int, data: bytes) -> dict[str, Any]:
    if status == _UNAUTHORISED:
        raise errors.ServerRefuses(server.url, server.token_file)
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
