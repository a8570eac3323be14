"""Cursors: where a list goes on, signed, and bound to who asked and for what."""

from __future__ import annotations

import hashlib
import hmac
import json
import os

from harkback.mcp.arguments import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Cursors:
    """The cursors of one process: another one does not know them."""

    def __init__(self) -> None:
        """Make a key."""
        self._key = os.urandom(32)

    def make(self, at: int, caller: str, tool: str, arguments: dict[str, Any]) -> str:
        """Write the place `at` in the answer to a call."""
        return f"{at}.{self._sign(at, caller, tool, arguments)}"

    def read(self, caller: str, tool: str, arguments: dict[str, Any]) -> int:
        """Give the place that the call's cursor names, 0 without one. Raises Refused."""
        cursor = arguments.get("cursor")
        if not cursor:
            return 0
        number, _, sign = cursor.partition(".")
        if number.isascii() and number.isdigit() and len(number) < len("1000000"):
            at = int(number)
            if hmac.compare_digest(sign, self._sign(at, caller, tool, arguments)):
                return at
        raise Refused("This cursor is of another question or another time. Ask again without cursor.")

    def _sign(self, at: int, caller: str, tool: str, arguments: dict[str, Any]) -> str:
        rest = {name: value for name, value in arguments.items() if name != "cursor"}
        told = json.dumps([at, caller, tool, rest], sort_keys=True).encode()
        return hmac.new(self._key, told, hashlib.sha256).hexdigest()[:16]
