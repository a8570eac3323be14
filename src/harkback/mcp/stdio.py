"""`hark mcp`: the first questions of a client answered at once, everything else by the SDK.

Codex gives a server 0.6 seconds before it asks its model without the tools, and importing the SDK takes longer than
that on a busy machine. So what is known beforehand (the handshake, the lists) is answered here, with the standard
library; the first message of another kind loads the SDK, which is told the handshake again and then has the wire.
"""

from __future__ import annotations

import json
import os
import signal
import sys

from harkback.mcp.lists import LEGACY, MODERN, VERSION_KEY, discovered, initialized, listed, listed_now

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    Json = dict[str, Any]
    HandOver = Callable[["Wire", list[bytes], set[object]], None]

_AT_ONCE = 1 << 16
_NOT_FOUND = -32601


class Wire:
    """Standard input and output, kept for the protocol alone: whatever else prints, prints on stderr."""

    def __init__(self) -> None:
        """Take both over."""
        sys.stdout.flush()
        self._in = os.dup(0)
        self._out = os.dup(1)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        os.dup2(2, 1)
        self._rest = b""

    def lines(self) -> Iterator[bytes]:
        """Give line after line until the input ends."""
        while True:
            line, end, rest = self._rest.partition(b"\n")
            if end:
                self._rest = rest
                yield _whole(line)
                continue
            more = os.read(self._in, _AT_ONCE)
            if not more:
                self._rest = b""
                if line:
                    yield _whole(line)
                return
            self._rest += more

    def write(self, line: bytes) -> None:
        """Write a line whole. Raises BrokenPipeError."""
        line += b"\n"
        while line:
            line = line[os.write(self._out, line) :]


def _whole(line: bytes) -> bytes:
    """Write half of a surrogate pair (clients that cut texts send it) as a sign: no encoder takes it."""
    if b"\\ud" not in line.lower():
        return line
    message = parsed(line)
    return line if message is None else json.dumps(message, ensure_ascii=False).encode("utf-8", "replace")


class Front:
    """Answers what is known before anything is loaded."""

    def __init__(self) -> None:
        """Nothing was asked yet."""
        self.handshake: list[bytes] = []
        """What the SDK must be told again."""
        self.answered: set[object] = set()
        """The ids of these requests, whose answers the client has already."""

    def answer(self, line: bytes) -> bytes | None:
        """Answer a line, with nothing where none is wanted; None where this is not for us."""
        message = _parsed(line)
        if message is None:
            return None
        method, number = message.get("method"), message.get("id")
        if method == "notifications/initialized" and self.handshake:
            self.handshake.append(line)
            return b""
        if method == "notifications/cancelled":
            return b""
        if not isinstance(method, str) or not isinstance(number, (int, str)) or isinstance(number, bool):
            return None
        params = message.get("params")
        told = self._told(method, params if isinstance(params, dict) else {})
        if told is None:
            return None
        if method == "initialize":
            self.handshake = [line]
            self.answered = {number}
        return json.dumps({"jsonrpc": "2.0", "id": number, **told}, ensure_ascii=False).encode()

    def _told(self, method: str, params: Json) -> Json | None:
        if "cursor" in params:
            return None
        meta = params.get("_meta")
        version = meta.get(VERSION_KEY) if isinstance(meta, dict) else None
        if version is not None:
            return _told_now(method) if version == MODERN else None
        if method == "initialize":
            wanted = params.get("protocolVersion")
            is_whole = isinstance(params.get("clientInfo"), dict) and isinstance(params.get("capabilities"), dict)
            return {"result": initialized(wanted)} if wanted in LEGACY and is_whole else None
        if not self.handshake:
            return None
        result = {} if method == "ping" else listed(method)
        return None if result is None else {"result": result}


def _told_now(method: str) -> Json | None:
    if method == "subscriptions/listen":  # nothing of ours changes while it runs
        return {"error": {"code": _NOT_FOUND, "message": "Method not found", "data": method}}
    result = discovered() if method == "server/discover" else listed_now(method)
    return None if result is None else {"result": result}


def _parsed(line: bytes) -> Json | None:
    message = parsed(line)
    is_ours = isinstance(message, dict) and message.get("jsonrpc") == "2.0"
    return message if is_ours else None


def parsed(line: bytes) -> Any:
    """Read a line; None for what is no JSON."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def serve(hand_over: HandOver) -> None:
    """Serve until the input ends. Ctrl-C in the agent's terminal reaches us too, and is not meant for us."""
    signal.signal(signal.SIGINT, signal.SIG_DFL if os.isatty(0) else signal.SIG_IGN)
    wire, front = Wire(), Front()
    for line in wire.lines():
        if not line.strip():
            continue
        told = front.answer(line)
        if told is None:
            hand_over(wire, [*front.handshake, line], front.answered)
            return
        if told:
            wire.write(told)
