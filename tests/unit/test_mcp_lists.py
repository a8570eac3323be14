"""What agents read before they call: within its budget, and the same as the SDK would answer."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest

from harkback.cli.agents_door import Door
from harkback.mcp import lists
from harkback.mcp.calls import Calls
from harkback.mcp.catalogue import CHATGPT_TOOLS, INSTRUCTIONS, TOOLS
from harkback.mcp.sdk import serve
from harkback.mcp.stdio import Front

if TYPE_CHECKING:
    from collections.abc import Iterator

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}
LISTS = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")
CLIENT = {"capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


class Wire:
    """A wire made of lists."""

    def __init__(self, lines: list[bytes]) -> None:
        self.inside = lines
        self.written: list[bytes] = []

    def lines(self) -> Iterator[bytes]:
        return iter(self.inside)

    def write(self, line: bytes) -> None:
        self.written.append(line)


def request(number: int, method: str, params: dict[str, Any] | None = None) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}}).encode()


def of_sdk(lines: list[bytes]) -> dict[int, dict[str, Any]]:
    wire: Any = Wire(lines)
    serve(wire, [], set(), Calls(Door(is_remote=False)))
    return {one["id"]: one for one in map(json.loads, wire.written)}


def of_front(lines: list[bytes]) -> dict[int, dict[str, Any]]:
    front = Front()
    told = [front.answer(line) for line in lines]
    assert None not in told
    return {one["id"]: one for one in map(json.loads, filter(None, told))}


@pytest.mark.parametrize("version", lists.LEGACY)
def test_the_first_answers_are_those_of_the_sdk(version: str) -> None:
    lines = [
        request(0, "initialize", {"protocolVersion": version, **CLIENT}),
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
        *(request(number, method) for number, method in enumerate((*LISTS, "ping"), 1)),
    ]
    ours = of_front(lines)
    assert len(ours) == 6
    assert ours == of_sdk(lines)


def test_the_first_answers_of_the_newer_protocol_are_those_of_the_sdk() -> None:
    methods = ("server/discover", *LISTS, "subscriptions/listen")
    lines = [request(number, one, {"_meta": META, "notifications": {}}) for number, one in enumerate(methods)]
    ours = of_front(lines)
    assert len(ours) == 6
    assert ours == of_sdk(lines)


@pytest.mark.parametrize(
    "line",
    [
        request(1, "tools/call", {"name": "search_memory", "arguments": {"queries": ["x"]}, "_meta": META}),
        request(1, "tools/list"),  # before the handshake
        request(1, "initialize", {"protocolVersion": "1999-01-01", **CLIENT}),
        request(1, "initialize", {"protocolVersion": "2025-06-18"}),
        request(1, "tools/list", {"_meta": {**META, "io.modelcontextprotocol/protocolVersion": "2099-01-01"}}),
        request(1, "tools/list", {"_meta": META, "cursor": "x"}),
        b"no json",
        b"[1]",
        b"\xff\xfe",
        b"[" * 5000,
    ],
)
def test_whatever_is_not_known_beforehand_is_left_to_the_sdk(line: bytes) -> None:
    assert Front().answer(line) is None


def test_what_a_model_reads_stays_within_its_budget() -> None:
    # o200k makes 2,180 tokens of 9,050 characters: 4.15 a token.
    whole = json.dumps(lists.listed("tools/list"), ensure_ascii=False, separators=(",", ":"))
    assert len(whole) / 4.15 <= 2500
    assert len(INSTRUCTIONS) <= 1500
    opening = INSTRUCTIONS.partition("\n")[0]
    assert len(opening) <= 250
    assert all(
        word in opening for word in ("search_memory", "save_memory", "get_recent_context", "last time", "上次", "前回")
    )
    assert all(len(tool.description) <= 1024 for tool in CHATGPT_TOOLS)
    assert [tool.name for tool in TOOLS] == [
        "search_memory",
        "save_memory",
        "update_memory",
        "forget_memory",
        "search_sessions",
        "read_session",
        "get_recent_context",
    ]


def test_the_list_of_tools_changes_only_on_purpose() -> None:
    """Clients and people agreed to these texts: whoever changes one writes the new number here."""
    told = json.dumps([lists.tool(one) for one in CHATGPT_TOOLS], sort_keys=True, ensure_ascii=False)
    assert hashlib.sha256((told + INSTRUCTIONS).encode()).hexdigest()[:16] == "0fe76c7bf7d5997e"


def test_a_token_sees_only_what_it_may_use() -> None:
    names = {scope: [one.name for one in lists.tools_of(scope)] for scope in ("read", "write", "delete")}
    assert names["read"] == ["search_memory", "search_sessions", "read_session", "get_recent_context"]
    assert {*names["write"]} - {*names["read"]} == {"save_memory", "update_memory"}
    assert {*names["delete"]} - {*names["write"]} == {"forget_memory"}
    assert [one.name for one in lists.tools_of("read", is_chatgpt=True)][:2] == ["search", "fetch"]
