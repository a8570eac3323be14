"""Who may come in over HTTP, with what, and what is written down of it: each asked of a server that runs."""

from __future__ import annotations

import itertools
import json
import random
import signal
import socket
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from harkback.engines.tokens import TokenStore

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.e2e.servers import QUESTION, READING, SECRET, Reply, Server, add_token
else:
    from servers import QUESTION, READING, SECRET, Reply, Server, add_token

PUBLIC = "https://memory.example.org"
TIGHT = {"head_s": 0.5, "body_s": 0.4, "request_s": 0.8, "in_flight": 2}
HEAD = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer "

_numbers = itertools.count(1)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Give a server behind a proxy, so that each test can come from an address of its own."""
    found = Server(tmp_path_factory.mktemp("gate") / "archive", is_behind_proxy=True, public_url=PUBLIC)
    yield found
    if found.process.poll() is None:
        found.stop()


@pytest.fixture(scope="module")
def tight(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Give a server without a proxy that has little patience."""
    found = Server(tmp_path_factory.mktemp("tight") / "archive", limits=TIGHT)
    yield found
    found.stop()


@pytest.fixture
def ip() -> str:
    return another()


def another() -> str:
    """Give an address from which nobody has asked yet."""
    number = next(_numbers)
    return f"198.51.{number // 250}.{number % 250 + 1}"


def refused(reply: Reply, status: int) -> bool:
    """Whether an answer is a refusal as all are: short, JSON, nothing of the machine in it."""
    assert reply.status == status, reply
    assert reply.headers["content-type"] == "application/json"
    assert "error" in reply.json
    assert "Traceback" not in reply.body.decode()
    assert ".py" not in reply.body.decode()
    return True


# -- secrets ---------------------------------------------------------------------------------------------------


def test_a_token_works_as_a_header_and_in_the_path(server: Server, ip: str) -> None:
    for path, secret, inner in (
        ("/mcp", SECRET, "/mcp"),
        ("/chatgpt", SECRET, "/chatgpt"),
        ("/api/memories", SECRET, "/api/memories"),
        (f"/mcp/{SECRET}", "", "/mcp"),
        (f"/chatgpt/{SECRET}", "", "/chatgpt"),
    ):
        reply = server.ask(path, secret=secret, ip=ip)
        assert reply.status == 200, (path, reply)
        assert (reply.json["path"], reply.json["raw_path"], reply.json["asked"]["id"]) == (inner, inner, 1)
        assert reply.json["caller"] == {"name": "owner", "scope": "delete", "is_path_secret": not secret}
    assert server.ask(secret=READING, ip=ip).json["caller"]["scope"] == "read"


def test_a_wrong_path_secret_gets_the_very_answer_of_an_unknown_path(server: Server, ip: str) -> None:
    assert server.ask(f"/mcp/{SECRET}", secret="", ip=ip).status == 200
    unknown = server.ask("/nothing/here", secret="", ip=ip)
    assert refused(unknown, 404)
    for path in (f"/mcp/{SECRET[:-1]}", f"/mcp/{SECRET}x", f"/mcp/{SECRET}/x", f"/mcp//{SECRET}", f"/{SECRET}"):
        told = server.ask(path, secret="", ip=ip)
        without_date = [{k: v for k, v in one.headers.items() if k != "date"} for one in (told, unknown)]
        assert (told.status, told.body, without_date[0]) == (404, unknown.body, without_date[1]), path
        assert list(told.headers) == list(unknown.headers)


def test_a_secret_in_the_path_opens_nothing_but_the_tools(server: Server, ip: str) -> None:
    assert server.ask("/api/memories", ip=ip).status == 200
    assert refused(server.ask(f"/api/{SECRET}", secret="", ip=ip), 401)
    assert refused(server.ask(f"/api/memories/{SECRET}", secret="", ip=ip), 401)


def test_without_a_token_or_with_a_wrong_one_nothing_is_told_but_401(server: Server, ip: str) -> None:
    assert server.ask(ip=ip).status == 200
    for path in ("/mcp", "/chatgpt", "/api", "/api/memories"):
        for header in (None, "", "Bearer", "Bearer ", f"Bearer {SECRET[:-1]}", f"Basic {SECRET}", SECRET):
            reply = server.ask(path, secret="", headers={"Authorization": header}, ip=another())
            assert refused(reply, 401), (path, header)
            assert reply.headers["www-authenticate"] == "Bearer"
            assert "resource_metadata" not in str(reply)


def test_two_tokens_in_one_request_are_none(server: Server, ip: str) -> None:
    head = f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: {ip}\r\nConnection: close\r\n"
    one = f"Authorization: Bearer {SECRET}\r\n"
    rest = f"Content-Type: application/json\r\nContent-Length: {len(QUESTION)}\r\n\r\n{QUESTION.decode()}"
    assert server.raw((head + one + rest).encode()).startswith(b"HTTP/1.1 200 ")
    assert server.raw((head + one + one + rest).encode()).startswith(b"HTTP/1.1 401 ")


def test_a_token_in_the_query_is_refused(server: Server, ip: str) -> None:
    assert server.ask("/mcp?session=1", ip=ip).status == 200
    for name in ("token", "access_token", "api_key", "key", "auth", "Secret"):
        assert refused(server.ask(f"/mcp?{name}={SECRET}", secret="", ip=ip), 400)
        assert refused(server.ask(f"/mcp/{SECRET}?{name}={SECRET}", secret="", ip=ip), 400)
    assert refused(server.ask(f"/mcp?q={SECRET}", secret="", ip=ip), 401)


def test_there_are_no_documents_about_logging_in(server: Server, ip: str) -> None:
    assert server.ask(ip=ip).status == 200
    names = ("oauth-protected-resource", "oauth-authorization-server", "openid-configuration")
    for name in names:
        for path in (f"/.well-known/{name}", f"/.well-known/{name}/mcp/{SECRET}", f"/mcp/.well-known/{name}"):
            assert refused(server.ask(path, method="GET", body=None, secret="", ip=ip), 404)
    for path in ("/register", "/authorize", "/token", "/", "/favicon.ico"):
        assert refused(server.ask(path, secret="", ip=ip), 404)


def test_a_revoked_a_rotated_and_an_expired_token_are_refused_at_the_next_request(server: Server, ip: str) -> None:
    folder = str(server.folder)
    store = TokenStore.open(folder, write=True)
    assert store is not None
    soon_ms = int(time.time() * 1000) + 700
    with store:
        for name, expires_ms in (("lost", None), ("old", None), ("brief", soon_ms)):
            add_token(folder, name, f"{name}-secret-of-enough-length", expires_ms=expires_ms)
            assert server.ask(secret=f"{name}-secret-of-enough-length", ip=ip).status == 200
        store.revoke("lost", 2)
        store.rotate("old", "a-new-secret-of-enough-length", 2)
        while time.time() * 1000 <= soon_ms:
            time.sleep(0.02)
        for name in ("lost", "old", "brief"):
            assert refused(server.ask(secret=f"{name}-secret-of-enough-length", ip=ip), 401)
        assert server.ask(secret="a-new-secret-of-enough-length", ip=ip).status == 200


def test_when_a_token_was_used_is_written_down_once_a_minute(server: Server, ip: str) -> None:
    add_token(str(server.folder), "watched", "the-secret-of-the-watched-one")

    def used() -> int | None:
        store = TokenStore.open(str(server.folder))
        assert store is not None
        with store:
            return next(one.used_ms for one in store.all() if one.name == "watched")

    assert used() is None
    assert server.ask(secret="the-secret-of-the-watched-one", ip=ip).status == 200
    first = used()
    assert first is not None
    assert abs(first - time.time() * 1000) < 5000
    assert server.ask(secret="the-secret-of-the-watched-one", ip=ip).status == 200
    assert used() == first


# -- transport -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host", ["memory.example.org", "Memory.Example.org:443", "localhost", "127.0.0.1:1", "[::1]:80"]
)
def test_a_name_of_ours_is_answered(server: Server, ip: str, host: str) -> None:
    assert server.ask(headers={"Host": host}, ip=ip).status == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "memory.example.org.evil.example",
        "evil.example:443",
        "x@localhost",
        "localhost/x",
        "0.0.0.0",
        "a b",
    ],
)
def test_another_name_is_not(server: Server, ip: str, host: str) -> None:
    assert server.ask(headers={"Host": host}, ip=ip).status in {421, 400}


@pytest.mark.parametrize("origin", [None, PUBLIC, "https://claude.ai", "https://chatgpt.com"])
def test_pages_of_ours_and_of_the_hosts_may_ask(server: Server, ip: str, origin: str | None) -> None:
    reply = server.ask(headers={"Origin": origin}, ip=ip)
    assert reply.status == 200
    assert not [name for name in reply.headers if name.startswith("access-control-")]


def test_a_page_of_the_server_itself_may_ask(tight: Server) -> None:
    assert tight.ask(headers={"Origin": f"http://localhost:{tight.port}"}).status == 200
    assert refused(tight.ask(headers={"Origin": "http://localhost:1"}), 403)


@pytest.mark.parametrize(
    "origin", ["null", "", "https://evil.example", "http://claude.ai", "https://claude.ai.evil.example"]
)
def test_other_pages_may_not(server: Server, ip: str, origin: str) -> None:
    assert refused(server.ask(headers={"Origin": origin}, ip=ip), 403)


def test_a_body_of_a_mebibyte_is_taken_and_no_larger_one(server: Server, ip: str) -> None:
    most = 1 << 20
    fits = json.dumps({"x": "y" * (most - 9)}).encode()
    assert len(fits) == most
    assert server.ask(body=fits, ip=ip).status == 200
    assert refused(server.ask(body=fits + b" ", ip=ip), 413)
    assert refused(server.ask(body=b"x" * (3 << 20), ip=ip), 413)


def test_a_body_in_pieces_is_bounded_too(server: Server, ip: str) -> None:
    head = HEAD + SECRET.encode() + f"\r\nX-Forwarded-For: {ip}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    piece = b"10000\r\n" + b" " * 65_536 + b"\r\n"
    small = b"2\r\n{}\r\n0\r\n\r\n"
    assert server.raw(head.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n") + small).startswith(b"HTTP/1.1 200 ")
    assert server.raw(head + piece * 17 + small).startswith(b"HTTP/1.1 413 ")


@pytest.mark.parametrize("kind", [None, "", "text/plain", "application/x-www-form-urlencoded", "application/jsonx"])
def test_only_json_is_taken(server: Server, ip: str, kind: str | None) -> None:
    assert server.ask(headers={"Content-Type": "application/json; charset=utf-8"}, ip=ip).status == 200
    assert refused(server.ask(headers={"Content-Type": kind}, ip=ip), 415)
    assert refused(server.ask(headers={"Content-Encoding": "gzip"}, ip=ip), 415)


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[" * 5000 + b"]" * 5000, b'{"a":' * 5000 + b"1" + b"}" * 5000, b"\xff", b'"x"', b"1", b"NaN"]
)
def test_what_is_no_json_object_is_refused(server: Server, ip: str, body: bytes) -> None:
    assert refused(server.ask(body=body, ip=ip), 400)


def test_several_requests_in_one_are_refused(server: Server, ip: str) -> None:
    reply = server.ask(body=b"[" + QUESTION + b"]", ip=ip)
    assert refused(reply, 400)
    assert reply.json["error"]["code"] == -32600


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "OPTIONS", "PATCH", "BREW"])
def test_other_methods_are_named_405_to_who_may_ask(server: Server, ip: str, method: str) -> None:
    for path, secret in (("/mcp", SECRET), (f"/mcp/{SECRET}", ""), ("/api/memories", SECRET)):
        reply = server.ask(path, method=method, body=None, secret=secret, ip=ip)
        assert refused(reply, 405)
        assert reply.headers["allow"] == "POST"
    assert refused(server.ask(method=method, body=None, secret="", ip=ip), 401)


def test_a_slow_body_and_a_slow_answer_end(tight: Server) -> None:
    assert tight.ask(body=b'{"do": "sleep", "s": 0.1}').status == 200
    assert refused(tight.ask(body=b'{"do": "sleep", "s": 5}'), 504)
    told = tight.raw(HEAD + SECRET.encode() + b"\r\nContent-Length: 50\r\n\r\n{")
    assert told.startswith(b"HTTP/1.1 408 ")


def test_more_than_a_few_at_once_are_put_off(tight: Server) -> None:
    with ThreadPoolExecutor(6) as pool:
        replies = list(pool.map(lambda _: tight.ask(body=b'{"do": "sleep", "s": 0.4}'), range(6)))
    assert sorted({one.status for one in replies}) == [200, 503]
    assert {one.headers.get("retry-after") for one in replies if one.status == 503} == {"1"}
    assert tight.ask().status == 200


def test_guessing_is_slowed_down_and_its_owner_served_all_the_while(server: Server, ip: str) -> None:
    statuses = [server.ask(f"/mcp/guess{number}", secret="", ip=ip).status for number in range(25)]
    assert statuses == [404] * 20 + [429] * 5
    told = server.ask(secret="wrong", ip=ip)
    assert refused(told, 429)
    assert 1 <= int(told.headers["retry-after"]) <= 5
    assert server.ask("/nothing", secret="", ip=ip).body == told.body, "nor does an unknown path tell more"
    assert server.ask(ip=ip).status == 200
    assert server.ask(f"/mcp/{SECRET}", secret="", ip=ip).status == 200
    assert server.ask("/mcp/guess", secret="", ip=another()).status == 404, "another address is another one"


def test_a_token_that_asks_too_often_has_to_wait(tmp_path_factory: pytest.TempPathFactory) -> None:
    found = Server(tmp_path_factory.mktemp("rate") / "archive", limits={"token_burst": 5, "token_per_s": 0.5})
    try:
        replies = [found.ask() for _ in range(8)]
        assert [one.status for one in replies[:5]] == [200] * 5
        assert replies[7].status == 429
        assert replies[7].headers["retry-after"] == "2"
        assert found.ask(secret=READING).status == 200, "another token has its own"
    finally:
        found.stop()


def test_what_a_proxy_says_of_addresses_is_believed_only_behind_one(server: Server, tight: Server, ip: str) -> None:
    server.ask(ip=f"203.0.113.9, {ip}, 127.0.0.1")
    assert server.line(ip)["status"] == 200
    server.ask(ip="no address")
    assert server.line("127.0.0.1")["status"] == 200
    tight.ask(ip=ip)
    assert {one["ip"] for one in tight.lines()} == {"127.0.0.1"}


def test_every_answer_is_kept_by_nobody_and_names_no_program(server: Server, ip: str) -> None:
    asked = [server.ask(ip=ip), server.ask(secret="", ip=ip), server.ask("/x", ip=ip), server.ask(body=b"{", ip=ip)]
    asked += [server.ask(method="GET", body=None, ip=ip), server.ask(headers={"Host": "evil.example"}, ip=ip)]
    assert [one.status for one in asked] == [200, 401, 404, 400, 405, 421]
    for reply in asked:
        assert reply.headers["cache-control"] == "no-store"
        assert reply.headers["referrer-policy"] == "no-referrer"
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert not {"server", "set-cookie", "access-control-allow-origin", "x-powered-by"} & set(reply.headers)


def test_the_application_sees_no_secret(server: Server, ip: str) -> None:
    sent = {"Cookie": f"a={SECRET}", "Referer": f"{PUBLIC}/mcp/{SECRET}", "User-Agent": "an agent"}
    for path, secret in (("/mcp", SECRET), (f"/mcp/{SECRET}", "")):
        reply = server.ask(f"{path}?page=1", secret=secret, headers=sent, ip=ip)
        assert ["user-agent", "an agent"] in reply.json["headers"]
        assert SECRET not in reply.body.decode()
        assert reply.json["query"] == ""


def test_an_error_of_the_application_is_told_to_nobody_and_written_down(server: Server, ip: str) -> None:
    assert refused(server.ask(body=b'{"do": "raise"}', ip=ip), 500)
    line = server.line(ip)
    assert (line["status"], line["token"], line["error"].partition(":")[0]) == (
        500,
        "owner",
        "ValueError at echo_server.py",
    )
    assert refused(server.ask(body=b'{"do": "nothing"}', ip=ip), 500)
    assert "nobody should read" not in (server.folder / "access.jsonl").read_text() + server.said.read_text()
    assert server.ask(ip=ip).status == 200


def test_an_answer_that_breaks_off_ends_its_connection_only(server: Server, ip: str) -> None:
    body = b'{"do": "break"}'
    head = HEAD + SECRET.encode() + f"\r\nX-Forwarded-For: {ip}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    assert server.raw(head + body).startswith(b"HTTP/1.1 200 ")
    assert server.ask(ip=ip).status == 200


# -- logs ------------------------------------------------------------------------------------------------------


def test_a_request_is_one_line_without_its_secret_or_query(server: Server, ip: str) -> None:
    agent = f"Claude-User/1.0 \x7f {SECRET} " + "é " * 200
    server.ask(f"/mcp/{SECRET}?page=2", secret="", headers={"User-Agent": agent.encode().decode("latin-1")}, ip=ip)
    line = server.line(ip)
    assert set(line) == {"time", "ip", "method", "route", "status", "ms", "bytes", "agent", "token"}
    assert (line["ip"], line["method"], line["route"], line["status"], line["token"]) == (
        ip,
        "POST",
        "/mcp/***",
        200,
        "owner",
    )
    assert line["agent"].startswith("Claude-User/1.0 ? *** ??")
    assert len(line["agent"]) == 120
    assert line["bytes"] > 0
    assert stat.S_IMODE((server.folder / "access.jsonl").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("path", "route"),
    [
        (f"/.well-known/oauth-protected-resource/mcp/{SECRET}", "/.well-known/***"),
        (f"/mcp/{SECRET[:-1]}", "/mcp/***"),
        (f"/mcp{SECRET}", "/***"),
        (f"/{SECRET}", "/***"),
        (f"//mcp/{SECRET}", "/***"),
        (f"/mcp/{SECRET}/x", "/mcp/***"),
        ("/api/memories", "/api/***"),
        ("/mcp", "/mcp"),
        ("/", "/"),
    ],
)
def test_paths_are_written_down_as_far_as_they_are_known(server: Server, ip: str, path: str, route: str) -> None:
    server.ask(path, secret="", ip=ip)
    assert server.line(ip)["route"] == route


def test_the_application_writes_down_who_did_what(server: Server, ip: str) -> None:
    assert server.ask(body=b'{"do": "audit", "text": "a memory"}', ip=ip).status == 200
    (line,) = server.lines("audit.jsonl")
    assert line.pop("time").startswith("20")
    assert len(line.pop("arguments")) == 16
    assert line == {
        "token": "owner",
        "client": "a client",
        "version": "1.0",
        "tool": "save_memory",
        "ids": ["k1234567"],
        "chars": 12,
        "status": "ok",
        "ms": 0,
    }
    assert stat.S_IMODE((server.folder / "audit.jsonl").stat().st_mode) == 0o600


# -- under load ------------------------------------------------------------------------------------------------


def test_of_two_thousand_requests_at_ten_in_flight_none_is_lost(tmp_path_factory: pytest.TempPathFactory) -> None:
    found = Server(tmp_path_factory.mktemp("load") / "archive")
    secrets = [f"secret-of-device-{number}" for number in range(10)]
    for number, secret in enumerate(secrets):
        add_token(str(found.folder), f"device-{number}", secret)
    try:
        with ThreadPoolExecutor(10) as pool:
            statuses = list(pool.map(lambda number: found.ask(secret=secrets[number % 10]).status, range(2000)))
        assert statuses == [200] * 2000
    finally:
        found.stop()
    assert len(found.lines()) == 2000


def test_a_head_that_does_not_end_is_hung_up_on(tight: Server) -> None:
    assert tight.raw(b"POST /mcp HTTP/1.1\r\nHost: loc", timeout_s=3) == b""
    assert tight.raw(b"", timeout_s=3) == b""


def test_many_that_hold_their_connections_keep_nobody_out(tight: Server) -> None:
    held = [socket.create_connection(("127.0.0.1", tight.port), 5) for _ in range(300)]
    try:
        assert tight.ask().status == 503
        for one in held:
            assert one.recv(10) == b""
        assert tight.ask().status == 200
    finally:
        for one in held:
            one.close()


PATHS = (
    "/mcp",
    "/chatgpt",
    "/api",
    "/.well-known",
    "/",
    "//",
    "..",
    "%2e%2e",
    "%00",
    "%ff",
    "%E9",
    "?a=b",
    "#",
    f"/{SECRET}",
)
NAMES = (
    "Authorization",
    "Content-Type",
    "Content-Length",
    "Transfer-Encoding",
    "Host",
    "Origin",
    "Cookie",
    "Expect",
    "X-A",
)
VALUES = ("", "Bearer", f"Bearer {SECRET}", "text/plain", "-1", "5", "chunked", "null", "localhost", "é", "x" * 900)
BODIES = ("", "{}", "[]", "{", "null", "\x00", '{"a":' * 900, "\ud800", '{"method": 5}', "2\r\n{}\r\n0\r\n\r\n")
METHODS = ("POST", "POST", "POST", "POST", "GET", "DELETE", "post", "P@ST")


def test_whatever_is_sent_the_server_does_not_fail(server: Server) -> None:
    chance = random.Random(7)
    counted: dict[str, int] = {}
    for number in range(800):
        path = "/mcp" if chance.random() < 0.5 else "".join(chance.choices(PATHS, k=chance.randint(1, 3)))
        version = chance.choice(("1.1", "1.1", "1.1", "1.0", "9"))
        lines = [f"{chance.choice(METHODS)} {path} HTTP/{version}", "Connection: close"]
        lines += ["Host: localhost", f"X-Forwarded-For: 192.0.2.{number % 250}"]
        body = chance.choice(BODIES).encode("utf-8", "surrogatepass")
        if chance.random() < 0.7:
            lines += [
                "Content-Type: application/json",
                f"Authorization: Bearer {SECRET}",
                f"Content-Length: {len(body)}",
            ]
        if chance.random() < 0.5:
            lines += [f"{chance.choice(NAMES)}: {chance.choice(VALUES)}"]
        data = ("\r\n".join(lines) + "\r\n\r\n").encode() + body
        with socket.create_connection(("127.0.0.1", server.port), 10) as connection:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            told = b""
            while piece := connection.recv(65_536):
                told += piece
        status = told[9:12].decode()
        assert not status.startswith("5"), (data, told)
        counted[status] = counted.get(status, 0) + 1
    assert {"200", "400", "401", "403", "404", "405", "415"} <= set(counted), counted
    assert server.ask(ip="192.0.2.254").status == 200


# -- the end (the last tests of this file: they stop the server) -----------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("busy", ["", "sleep", "work"])
def test_a_signal_ends_it_within_two_seconds_with_status_0(
    tmp_path_factory: pytest.TempPathFactory, number: int, busy: str
) -> None:
    found = Server(tmp_path_factory.mktemp("end") / "archive")
    body = json.dumps({"do": busy, "s": 50}).encode()
    head = HEAD + SECRET.encode() + f"\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    with socket.create_connection(("127.0.0.1", found.port)) as connection:
        if busy:
            connection.sendall(head + body)
        assert found.ask().status == 200
        assert found.stop(number, within_s=2) == (0, "ended\n")


def test_after_all_of_this_no_secret_stands_anywhere(server: Server) -> None:
    status, out = server.stop()
    assert status == 0
    files = [path for path in server.folder.rglob("*") if path.is_file()]
    assert {"access.jsonl", "audit.jsonl", "server.sqlite"} <= {path.name for path in files}
    written = [out.encode(), server.said.read_bytes(), *(path.read_bytes() for path in files)]
    assert any(b'"route"' in one for one in written)
    for secret in (SECRET, READING):
        for piece in (secret, secret[:-1], secret[1:]):
            assert not [one for one in written if piece.encode() in one]
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in files)
