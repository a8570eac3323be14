"""What is written down of each request: never a secret, a query or a text; one JSON object a line."""

from __future__ import annotations

import json
import os
import re
import sys
from datetime import UTC, datetime

from harkback._record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

ACCESS_FILE = "access.jsonl"
MOST_BYTES = 10_000_000
"""A file that is larger becomes the older one, whose name ends in `.1`; that is all that is kept."""
METHODS = frozenset({"GET", "POST", "DELETE", "HEAD", "OPTIONS", "PUT", "PATCH"})
_AGENT_CHARS = 120
_LIKE_A_SECRET = re.compile(r"[A-Za-z0-9_-]{24,}")
_KNOWN = ("mcp", "chatgpt", "api", ".well-known")


class Access(NamedTuple):
    """One request and its answer."""

    ip: str
    method: str
    route: str
    status: int
    ms: int
    bytes: int
    agent: str
    token: str = ""
    """The name of the token with which it came in."""
    error: str = ""
    """The kind of an error of ours, and the line of code it came from."""


def route_of(path: str) -> str:
    """Name a path without anything that may be a secret: its first part where that is known, and no more."""
    if path == "/":
        return path
    first, slash, _ = path.removeprefix("/").partition("/")
    if first not in _KNOWN:
        return "/***"
    return f"/{first}/***" if slash else f"/{first}"


def method_of(method: str) -> str:
    """Name a method; one that nobody knows may be anything."""
    return method if method in METHODS else "OTHER"


def agent_of(text: str) -> str:
    """Cut a user agent to what a line may hold; what looks like a secret is left out."""
    plain = "".join(one if " " <= one <= "~" else "?" for one in text)
    return _LIKE_A_SECRET.sub("***", plain)[:_AGENT_CHARS]


def append(path: str, line: dict[str, Any]) -> int:
    """Add a line to a file that is for its owner alone, in one piece; gives the file's size. Raises OSError."""
    data = json.dumps(line, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
    number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        os.write(number, data)
        return os.fstat(number).st_size
    finally:
        os.close(number)


def stamp(now_ms: int) -> str:
    """Write a moment in UTC, to the millisecond."""
    return datetime.fromtimestamp(now_ms / 1000, UTC).isoformat(timespec="milliseconds")


class AccessLog:
    """The requests that were answered, in `access.jsonl`."""

    def __init__(self, folder: str, now_ms: Callable[[], int], most_bytes: int = MOST_BYTES) -> None:
        """Write into `folder`."""
        self.path = os.path.join(folder, ACCESS_FILE)
        self.now_ms = now_ms
        self.most_bytes = most_bytes
        self._is_told = False

    def write(self, access: Access) -> None:
        """Add a line. A disk that is full is told once, on stderr, and keeps nobody out."""
        try:
            line = {name: value for name, value in access._asdict().items() if value != ""}
            if append(self.path, {"time": stamp(self.now_ms()), **line}) > self.most_bytes:
                os.replace(self.path, f"{self.path}.1")
        except OSError as error:
            if not self._is_told:
                print(f"hark: {self.path} cannot be written ({error.strerror or error})", file=sys.stderr)
            self._is_told = True
