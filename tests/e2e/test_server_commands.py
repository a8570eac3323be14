"""`hark token`, `hark serve`, `hark serve --check` and `hark audit log`, as a person types them."""

from __future__ import annotations

import http.server
import json
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
import urllib.request
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

import harkback
from harkback.cli import serving
from harkback.engines.tokens import FILE, TokenStore
from harkback.server import probe as probing
from harkback.server.audit import AuditLog, Entry
from harkback.server.limits import MOST_BUCKETS, Buckets, neighbourhood
from harkback.server.logs import Access, AccessLog
from harkback.server.probe import probe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.e2e.pens import hark
    from tests.e2e.servers import HERE, SECRET, Server
else:
    from pens import hark
    from servers import HERE, SECRET, Server


def archive() -> Path:
    return Path(os.environ["HARK_HOME"])


def found_by(secret: str) -> str | None:
    store = TokenStore.open(str(archive()))
    assert store is not None
    with store:
        token = store.find(secret, int(time.time() * 1000))
    return token and token.name


# -- tokens ----------------------------------------------------------------------------------------------------


def test_a_secret_is_shown_once_and_kept_as_a_hash_only() -> None:
    made = hark("token", "new", "kim-phone")
    secret = made.out.strip()
    assert len(secret) == 43
    assert secret not in made.err
    assert found_by(secret) == "kim-phone"
    assert found_by(secret[:-1]) is None
    assert hark("token", "list").out.startswith("kim-phone ")
    for path in archive().iterdir():
        assert secret[:-1].encode() not in path.read_bytes()
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_as_json_with_the_address_where_that_is_known() -> None:
    assert hark("config", "server.public_url", "https://m.example.org/").status == 0
    made = hark("token", "new", "金さんの電話", "--json").json
    assert made == {
        "schema": 1,
        "name": "金さんの電話",
        "secret": made["secret"],
        "url": f"https://m.example.org/mcp/{made['secret']}",
    }


def test_the_list_says_what_each_may_do_and_how_it_stands() -> None:
    assert hark("token", "list").status == 1
    hark("token", "new", "one")
    hark("token", "new", "two", "--scope", "read", "--expires", "90d")
    hark("token", "new", "three", "--scope", "delete", "--expires", "2999-03-01")
    hark("token", "revoke", "one")
    listed = {one["name"]: one for one in hark("token", "list", "--json").json["tokens"]}
    assert {name: (one["scope"], one["state"]) for name, one in listed.items()} == {
        "one": ("write", "revoked"),
        "two": ("read", "live"),
        "three": ("delete", "live"),
    }
    assert listed["three"]["expires"].startswith("2999-03-02T00:00:00")
    days = datetime.fromisoformat(listed["two"]["expires"]) - datetime.now(UTC)
    assert 89 <= days.days <= 90
    assert listed["one"]["used"] is None


def test_rotating_ends_the_old_secret_and_revoking_all() -> None:
    first = hark("token", "new", "one", "--json").json["secret"]
    second = hark("token", "rotate", "one", "--json").json["secret"]
    assert (found_by(first), found_by(second)) == (None, "one")
    assert hark("token", "revoke", "one").status == 0
    assert found_by(second) is None
    assert hark("token", "revoke", "one").status == 2
    third = hark("token", "new", "one", "--json").json["secret"]
    assert found_by(third) == "one"


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("new", "one"), "There is a token 'one' already"),
        (("new",), "It takes a name"),
        (("new", "a b"), "It takes a name"),
        (("new", "x" * 41), "It takes a name"),
        (("new", "two", "--expires", "yesterday"), "a day to come"),
        (("new", "two", "--expires", "0d"), "a day to come"),
        (("new", "two", "--expires", "soon"), "a day to come"),
        (("new", "two", "--scope", "all"), "invalid choice"),
        (("revoke", "two"), "No token has the name 'two'"),
        (("rotate", "two"), "No token has the name 'two'"),
        (("rotate", "one", "--scope", "read"), "belong to new"),
        (("list", "one"), "not understood"),
    ],
)
def test_what_is_not_understood_changes_nothing(argv: tuple[str, ...], said: str) -> None:
    secret = hark("token", "new", "one", "--json").json["secret"]
    told = hark("token", *argv)
    assert told.status in {1, 2}
    assert said in told.err
    assert found_by(secret) == "one"
    assert len(hark("token", "list", "--json").json["tokens"]) == 1


def test_a_damaged_file_of_tokens_is_named() -> None:
    hark("token", "new", "one")
    (archive() / FILE).write_bytes(b"no database" * 500)
    told = hark("token", "list")
    assert told.status == 2
    assert f"{FILE} is damaged" in told.err
    assert hark("remember", "the kettle is on the second shelf").status == 0


def test_an_uninstall_takes_tokens_and_logs_along() -> None:
    hark("token", "new", "one")
    AuditLog(str(archive()), lambda: 0).write(Entry("one", "", "", "save_memory"))
    assert hark("uninstall", "--delete-archive", "--yes", "--yes").status == 0
    assert not archive().exists()


# -- serving ---------------------------------------------------------------------------------------------------


@pytest.fixture
def without_an_application(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "_app", lambda _: None)


@pytest.mark.usefixtures("without_an_application")
@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("--host", "0.0.0.0"), "Add --tls-cert and --tls-key, or --behind-proxy"),
        (("--host", "::"), "Add --tls-cert"),
        (("--host", "192.0.2.1"), "Add --tls-cert"),
        (("--host", "192.0.2.1", "--behind-proxy"), "Nothing can listen on port"),
        (("--tls-cert", "x.pem"), "--tls-key is missing"),
        (("--tls-cert", "x.pem", "--tls-key", "y.pem"), "cannot be used (No such file"),
        (("--public-url", "memory.example.org"), "It takes a scheme and a name"),
        (("--public-url", "https://memory.example.org/mcp"), "It takes a scheme and a name"),
        (("--port", "70000"), "It takes a number, 0 to 65,535"),
        (("--token-file", "x"), "belongs to --check"),
    ],
)
def test_what_would_be_unsafe_or_cannot_work_is_refused_before_anything_is_served(
    argv: tuple[str, ...], said: str
) -> None:
    hark("token", "new", "one")
    told = hark("serve", "--port", "0", *argv) if "--port" not in argv else hark("serve", *argv)
    assert (told.status, told.out) == (2, "")
    assert said in told.err


@pytest.mark.usefixtures("without_an_application")
def test_without_a_live_token_nothing_is_served() -> None:
    assert "`hark token new NAME` makes one" in hark("serve", "--port", "0").err
    assert not (archive() / FILE).exists()
    hark("token", "new", "one")
    hark("token", "revoke", "one")
    assert "`hark token new NAME` makes one" in hark("serve", "--port", "0").err


@pytest.mark.usefixtures("without_an_application")
def test_a_port_that_is_taken_is_named() -> None:
    hark("token", "new", "one")
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        told = hark("serve", "--port", str(port))
    assert told.status == 2
    assert f"listens on port {port} of 127.0.0.1" in told.err


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "_NEEDED", ("uvicorn", "no_such_package"))
    told = hark("serve")
    assert told.status == 2
    assert "no_such_package is missing" in told.err
    assert "pip install 'harkback[mcp]'" in told.err


def start(*argv: str) -> subprocess.Popen[str]:
    source = os.path.dirname(os.path.dirname(harkback.__file__))
    return subprocess.Popen(
        [sys.executable, str(HERE / "echo_server.py"), "serve", *argv],
        env={**os.environ, "PYTHONPATH": source},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_it_says_in_one_line_where_it_listens_and_ends_with_status_0() -> None:
    hark("token", "new", "one")
    with start("--port", "0", "--public-url", "https://m.example.org") as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=10)
    address = line.removeprefix("hark: listening on ").partition(",")[0]
    assert line == f"hark: listening on {address}, known as https://m.example.org; Ctrl-C ends it\n"
    assert (process.returncode, out, err) == (0, "", "")


def test_the_tools_stand_behind_the_gate_and_each_call_is_written_down() -> None:
    secret = hark("token", "new", "kim-phone", "--json").json["secret"]
    reading = hark("token", "new", "guest", "--scope", "read", "--json").json["secret"]
    source = os.path.dirname(os.path.dirname(harkback.__file__))
    argv = [sys.executable, "-m", "harkback", "serve", "--port", "0", "--json"]
    env = {**os.environ, "PYTHONPATH": source}
    with subprocess.Popen(argv, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = json.loads(process.stdout.readline())["address"]
        assert "saved" in called(address, secret, "save_memory", {"text": "the kettle stands on the second shelf"})
        assert "second shelf" in called(address, reading, "search_memory", {"queries": ["where is the kettle"]})
        assert "saved" not in called(address, reading, "save_memory", {"text": "the ladder stands in the yard"})
        assert all(one.is_fine for one in probe(f"{address}/mcp/{secret}"))
        assert all(one.is_fine for one in probe(f"{address}/chatgpt/{secret}"))
        process.terminate()
        _, err = process.communicate(timeout=10)
    assert process.returncode == 0
    assert "second shelf" in hark("recall", "kettle").out
    calls = hark("audit", "log", "--json").json["calls"]
    assert [(one["token"], one["tool"], one["status"]) for one in calls[:2]] == [
        ("kim-phone", "save_memory", "ok"),
        ("guest", "search_memory", "ok"),
    ]
    assert len(calls[0]["ids"]) == 1
    written = (archive() / "audit.jsonl").read_text() + (archive() / "access.jsonl").read_text() + err
    assert "kettle" not in written
    assert secret not in written


def called(address: str, secret: str, tool: str, arguments: dict[str, Any]) -> str:
    """Call a tool as a host does; gives the answer's text."""
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    told = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    request = urllib.request.Request(f"{address}/mcp/{secret}", json.dumps(asked).encode(), told)
    with urllib.request.urlopen(request, timeout=10) as reply:
        return str(json.load(reply))


def test_it_speaks_https_itself_and_then_may_be_reached_from_elsewhere(tmp_path: Path) -> None:
    certificate, key = own_certificate(tmp_path)
    hark("token", "new", "one")
    with start("--port", "0", "--host", "0.0.0.0", "--tls-cert", certificate, "--tls-key", key, "--json") as process:
        assert process.stdout is not None
        told = json.loads(process.stdout.readline())
        port = told["address"].rpartition(":")[2]
        checks = probe(f"https://127.0.0.1:{port}/mcp/x")
        process.terminate()
        process.communicate(timeout=10)
    assert told["address"].startswith("https://0.0.0.0:")
    assert process.returncode == 0
    assert [(one.what, one.is_fine) for one in checks] == [("name", True), ("TLS", False)]
    assert "self-signed" in checks[1].found
    assert "fullchain.pem" in checks[1].next_step


def own_certificate(folder: Path) -> tuple[str, str]:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    made = made.not_valid_before(now - timedelta(1)).not_valid_after(now + timedelta(30))
    paths = folder / "cert.pem", folder / "key.pem"
    paths[0].write_bytes(made.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    paths[1].write_bytes(key.private_bytes(*form))
    return str(paths[0]), str(paths[1])


# -- looking at a server from outside --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    found = Server(tmp_path_factory.mktemp("checked") / "archive")
    yield found
    found.stop()


def test_of_a_server_that_is_well_every_line_is_ok(server: Server, tmp_path: Path) -> None:
    told = hark("serve", "--check", f"{server.address}/mcp/{SECRET}")
    assert told.status == 0, told
    assert {line[:6] for line in told.out.splitlines()} == {"ok    "}
    assert "initialize (2025-11-25, a browser's Accept): 200 as application/json" in told.out
    assert "server/discover (2026-07-28, a client's Accept): 200" in told.out
    assert "wrong secret: 404" in told.out
    assert SECRET not in told.out + told.err
    (tmp_path / "secret").write_text(f"{SECRET}\n")
    (tmp_path / "secret").chmod(0o640)
    assert (
        "can be read by others"
        in hark("serve", "--check", server.address, "--token-file", str(tmp_path / "secret")).err
    )
    (tmp_path / "secret").chmod(0o600)
    assert hark("serve", "--check", server.address, "--token-file", str(tmp_path / "secret")).status == 0


@pytest.mark.parametrize(
    ("path", "status", "step"),
    [("/mcp/wrong", "404", "hark token rotate"), ("/mcp", "401", "Put the secret into the path")],
)
def test_a_wrong_or_missing_secret_is_told(server: Server, path: str, status: str, step: str) -> None:
    told = hark("serve", "--check", f"{server.address}{path}")
    assert told.status == 2
    assert f"a client's Accept): {status}\n" in told.out
    assert step in told.out


def test_what_is_no_address_and_what_nobody_answers_is_told() -> None:
    assert "It takes an address" in hark("serve", "--check", "ftp://x/mcp/a-secret").err
    assert "a-secret" not in hark("serve", "--check", "ftp://x/mcp/a-secret").err
    assert (
        "name: no-such-host.invalid is not found" in hark("serve", "--check", "https://no-such-host.invalid/mcp/x").out
    )
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
    assert "hark serve` runs" in hark("serve", "--check", f"http://127.0.0.1:{port}/mcp/x").out


class Other(http.server.BaseHTTPRequestHandler):
    """A server that answers as others do."""

    status: ClassVar[int] = 200
    told: ClassVar[dict[str, str]] = {}
    body: ClassVar[bytes] = b'{"jsonrpc": "2.0", "id": 1, "result": {}}'
    has_well_known: ClassVar[bool] = False
    waits_s: ClassVar[float] = 0.0

    def do_GET(self) -> None:
        self._send(200 if self.has_well_known else 404, {}, b"{}")

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        time.sleep(self.waits_s)
        self._send(404 if "wrong" in self.path else self.status, self.told, self.body)

    def _send(self, status: int, told: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in told.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def looked_at(**facts: Any) -> dict[str, probing.Check]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("Facts", (Other,), facts)) as other:
        threading.Thread(target=other.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        found = probe(f"http://127.0.0.1:{other.server_port}/mcp/secret")
        other.shutdown()
    return {one.what: one for one in found}


ASKED = "initialize (2025-11-25, a client's Accept)"
EVENT = b'event: message\ndata: {"jsonrpc": "2.0", "id": 1, "result": {}}\n\n'


def test_what_others_answer_is_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    assert all(one.is_fine for one in looked_at(told={"Content-Type": "application/json"}).values())
    assert looked_at(told={"Content-Type": "text/event-stream"}, body=EVENT)[ASKED].is_fine
    bots = looked_at(status=403, told={"cf-mitigated": "challenge", "cf-ray": "8"})[ASKED]
    assert (bots.is_fine, "Block AI bots" in bots.next_step) == (False, True)
    assert "access.jsonl" in looked_at(status=403)[ASKED].next_step
    moved = looked_at(status=308, told={"Location": "https://b.example"})[ASKED]
    assert (moved.found, "do not follow" in moved.next_step) == ("308, a redirect", True)
    assert "--public-url" in looked_at(status=421)[ASKED].next_step
    assert "points to its port" in looked_at(status=502)[ASKED].next_step
    assert "Something else answers" in looked_at(body=b"<html>")[ASKED].next_step
    login = looked_at(has_well_known=True)["well-known"]
    assert (login.is_fine, "a name of its own" in login.next_step) == (False, True)
    monkeypatch.setattr(probing, "ANSWER_S", 0.1)
    assert "no answer within" in looked_at(waits_s=0.3)[ASKED].found


# -- logs ------------------------------------------------------------------------------------------------------


def test_the_audit_log_is_printed_and_never_holds_more_than_it_was_given() -> None:
    assert hark("audit", "log").status == 1
    os.makedirs(archive())
    log = AuditLog(str(archive()), lambda: 1_800_000_000_000)
    for number in range(3):
        log.write(Entry("kim-phone", "claude-ai\x1b[31m", "1.0", "save_memory", (f"k000000{number}",), ms=number))
    told = hark("audit", "log", "-n", "2")
    assert told.out.splitlines() == [
        f"2027-01-15T08:00:00.000+00:00  kim-phone  claude-ai [31m 1.0  save_memory  k000000{number}  ok"
        for number in (1, 2)
    ]
    assert len(hark("audit", "log", "--json").json["calls"]) == 3
    assert hark("audit", "log", "-n", "0").status == 1


def test_a_long_access_log_makes_room_and_one_older_is_kept(tmp_path: Path) -> None:
    log = AccessLog(str(tmp_path), lambda: 0, most_bytes=1000)
    for number in range(40):
        log.write(Access("127.0.0.1", "POST", "/mcp", 200, number, 1, "an agent"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["access.jsonl", "access.jsonl.1"]
    assert all(path.stat().st_size < 1300 for path in tmp_path.iterdir())


def test_a_log_that_cannot_be_written_is_told_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = AccessLog(str(tmp_path / "gone"), lambda: 0)
    for _ in range(2):
        log.write(Access("127.0.0.1", "POST", "/mcp", 200, 0, 1, ""))
    assert capsys.readouterr().err.count("cannot be written") == 1


# -- limits ----------------------------------------------------------------------------------------------------


def test_a_bucket_fills_again_with_time() -> None:
    now = [0.0]
    buckets = Buckets(0.2, 2, lambda: now[0])
    assert [buckets.take("a") for _ in range(3)] == [0, 0, 5]
    assert buckets.take("b") == 0
    now[0] = 4.0
    assert buckets.take("a") == 1
    now[0] = 5.0
    assert [buckets.take("a") for _ in range(2)] == [0, 5]
    now[0] = 1000.0
    assert [buckets.take("a") for _ in range(3)] == [0, 0, 5]
    for number in range(MOST_BUCKETS + 10):
        buckets.take(str(number))
    assert len(buckets._levels) == MOST_BUCKETS


@pytest.mark.parametrize(
    ("address", "kept"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8::1:2:3:4", "2001:db8::"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("unix:", "unix:"),
    ],
)
def test_whoever_has_many_addresses_counts_as_one(address: str, kept: str) -> None:
    assert neighbourhood(address) == kept
