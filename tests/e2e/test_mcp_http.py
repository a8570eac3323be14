"""`hark serve` with the real tools behind its gate, as hosts of both eras of the protocol ask it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from http.client import HTTPConnection
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from tests.e2e.pens import hark
else:
    from pens import hark

CLIENT = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}
BOTH = "application/json, text/event-stream"


class Reply(NamedTuple):
    status: int
    headers: dict[str, str]
    body: Any


class Server:
    def __init__(self) -> None:
        argv = [sys.executable, "-m", "harkback", "serve", "--port", "0", "--json"]
        self.process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert self.process.stdout
        self.port = int(json.loads(self.process.stdout.readline())["address"].rpartition(":")[2])

    def ask(
        self, secret: str, method: str, params: Mapping[str, Any] | None = None, *, verb: str = "POST", **more: str
    ) -> Reply:
        body: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params or {}}
        if not method.startswith("notifications/"):
            body["id"] = 1
        headers = {"Content-Type": "application/json", "Accept": BOTH, "Authorization": f"Bearer {secret}"}
        headers |= {name.replace("_", "-"): value for name, value in more.items()}
        path = headers.pop("path", "/mcp")
        connection = HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request(verb, path, None if verb == "DELETE" else json.dumps(body), headers)
            got = connection.getresponse()
            text = got.read()
            told = json.loads(text) if text else None
            return Reply(got.status, {name.lower(): value for name, value in got.getheaders()}, told)
        finally:
            connection.close()

    def call(self, secret: str, name: str, /, **given: Any) -> str:
        reply = self.ask(secret, "tools/call", {"name": name, "arguments": given})
        assert reply.status == 200
        text: str = reply.body["result"]["content"][0]["text"]
        return text


def token(name: str, scope: str = "delete") -> str:
    secret: str = hark("token", "new", name, "--scope", scope, "--json").json["secret"]
    return secret


@pytest.fixture
def server() -> Iterator[Server]:
    token("first")
    one = Server()
    yield one
    one.process.terminate()
    one.process.communicate(timeout=5)


def test_what_a_phone_saves_is_found_at_the_desk_and_the_other_way_round(server: Server) -> None:
    phone = token("phone", "write")
    assert server.call(phone, "save_memory", text="閘道器的憑證每年三月用 Lego 更新").startswith("saved: ")
    assert "憑證" in hark("recall", "憑證").out
    hark("remember", "the lamp in the hall is green", "--global")
    assert "the lamp in the hall is green" in server.call(phone, "search_memory", queries=["lamp"])
    assert "may only write" in server.call(phone, "forget_memory", id="k12345678")
    names = [one["name"] for one in server.ask(phone, "tools/list").body["result"]["tools"]]
    assert len(names) == 6
    assert "forget_memory" not in names
    chatgpt = server.ask(phone, "tools/list", path="/chatgpt").body["result"]["tools"]
    assert [one["name"] for one in chatgpt][:2] == ["search", "fetch"]
    found = server.ask(phone, "tools/call", {"name": "search", "arguments": {"query": "lamp"}}, path="/chatgpt")
    assert "green" in json.loads(found.body["result"]["content"][0]["text"])["results"][0]["title"]


def test_every_call_is_written_down_without_its_text(server: Server) -> None:
    phone = token("phone")
    one = server.call(phone, "save_memory", text="the lamp in the hall is green").split("id=")[1].split(" ")[0]
    meta = {"name": "forget_memory", "arguments": {"id": one}, "_meta": META}
    told = server.ask(phone, "tools/call", meta, Mcp_Protocol_Version="2026-07-28", Mcp_Method="tools/call",
                      Mcp_Name="forget_memory")  # fmt: skip
    assert told.body["result"]["isError"] is False, told
    server.call(phone, "search_memory", queries=["nonsense"], wrong=1)
    calls = hark("audit", "log", "--json").json["calls"]
    assert [(call["tool"], call["token"], call["status"], call["ids"]) for call in calls] == [
        ("save_memory", "phone", "ok", [one]),
        ("forget_memory", "phone", "ok", [one]),
        ("search_memory", "phone", "error", []),
    ]
    assert calls[1]["client"] == "test"
    server.ask(
        phone, "tools/call", {"name": "forget_memory", "arguments": {"id": one}}, User_Agent="Claude-User/1.0 (x)"
    )
    last = hark("audit", "log", "--json").json["calls"][-1]
    assert (last["client"], last["status"], last["ids"]) == ("Claude-User/1.0", "error", [one])
    assert "lamp" not in json.dumps(calls)


def test_what_cannot_be_written_down_is_not_done(server: Server) -> None:
    phone = token("phone")
    assert server.call(phone, "save_memory", text="the lamp in the hall is green").startswith("saved: ")
    log = os.path.join(os.environ["HARK_HOME"], "audit.jsonl")
    os.rename(log, f"{log}.away")
    os.mkdir(log)
    assert "cannot be used now" in server.call(phone, "save_memory", text="the lamp in the cellar is blue")
    os.rmdir(log)
    assert "blue" not in server.call(phone, "search_memory", queries=["lamp"])
    assert "green" in server.call(phone, "search_memory", queries=["lamp"])


def test_tokens_that_are_taken_away_open_nothing_any_more(server: Server) -> None:
    phone = token("phone")
    assert server.ask(phone, "tools/list").status == 200
    assert server.ask(phone, "tools/list", path="/mcp/").status == 200
    for name in ("server.sqlite", "server.sqlite-wal", "server.sqlite-shm"):
        path = os.path.join(os.environ["HARK_HOME"], name)
        if os.path.exists(path):
            os.unlink(path)
    assert server.ask(phone, "tools/list").status == 401
    other = token("other")
    assert server.ask(other, "tools/list").status == 200
    assert server.ask(phone, "tools/list").status == 401


def test_a_client_of_the_older_protocol_has_a_session_of_its_own(server: Server) -> None:
    phone, other = token("phone"), token("other")
    began = server.ask(phone, "initialize", CLIENT)
    session = began.headers["mcp-session-id"]
    assert len(session) >= 48
    assert server.ask(phone, "notifications/initialized", mcp_session_id=session).status == 202
    assert server.ask(phone, "tools/list", mcp_session_id=session).status == 200
    assert server.ask(other, "tools/list", mcp_session_id=session).status == 404
    assert server.ask(phone, "tools/list", mcp_session_id="made.up").status == 404
    assert server.ask(other, "", verb="DELETE", mcp_session_id=session).status == 404
    assert server.ask(phone, "", verb="DELETE", mcp_session_id=session).status == 204
    assert server.ask(phone, "tools/list", mcp_session_id=session).status == 404
    assert server.ask(phone, "", verb="DELETE").status == 404
    assert server.ask(phone, "tools/list").status == 200


def test_a_server_that_was_started_again_knows_its_clients(server: Server) -> None:
    phone = token("phone")
    session = server.ask(phone, "initialize", CLIENT).headers["mcp-session-id"]
    server.process.terminate()
    server.process.communicate(timeout=5)
    again = Server()
    try:
        assert again.ask(phone, "tools/list", mcp_session_id=session).status == 200
        secret = hark("token", "rotate", "phone", "--json").json["secret"]
        assert again.ask(phone, "tools/list", mcp_session_id=session).status == 401
        assert again.ask(secret, "tools/list", mcp_session_id=session).status == 404
    finally:
        again.process.terminate()
        again.process.communicate(timeout=5)


def test_what_lies_on_the_server_is_not_told(server: Server, own_home: Path) -> None:
    phone = token("phone")
    server.call(phone, "save_memory", text="the lamp in the hall is green")
    with open(os.path.join(os.environ["HARK_HOME"], "memory.sqlite"), "r+b") as file:
        file.write(b"\0" * 4096)
    told = server.call(phone, "search_memory", queries=["lamp"])
    assert "cannot be used now" in told
    assert str(own_home.parent) not in told
