"""Two machines with one memory: two homes and a real server between them, which is there or is not."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harkback import errors
from harkback.archive.memories import EVERYWHERE, Details
from harkback.archive.replica import Replica
from harkback.engines.local import memories
from harkback.engines.local.memories import MemoryStore
from harkback.engines.local.memory_changes import ChangeRows
from harkback.memory.recall import Wanted
from harkback.model import ACTIVE, DONE, SUPERSEDED, Memory
from harkback.remote import server_of
from harkback.server import api

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.e2e.machines import Machine, Two, two_machines
else:
    from machines import Machine, Two, two_machines


@pytest.fixture
def two(tmp_path: Path) -> Iterator[Two]:
    with two_machines(tmp_path) as made:
        yield made


# -- the morning after ---------------------------------------------------------------------------------------------


def test_the_morning_after(two: Two) -> None:
    saved = two.ada.hark("remember", "--json", "The staging database runs on port 5433")
    assert (saved.returncode, saved.stderr) == (0, "")
    one = json.loads(saved.stdout)["id"]
    found = two.bob.hark("recall", "--json", "which port does the db of staging use")
    assert [each["id"] for each in json.loads(found.stdout)["hits"]] == [one]
    two.post.stop()
    assert two.ada.hark("remember", "The mail server is called Quince").returncode == 0
    told = two.bob.hark("remember", "The build machine is called Medlar")
    assert (told.returncode, "cannot be reached" in told.stderr) == (0, True)
    assert two.bob.hark("remember", "the mail server is called Quince").stderr == ""  # said once in half a minute
    assert "port 5433" in two.bob.hark("recall", "port of the staging database").stdout
    assert json.loads(two.bob.hark("status", "--json").stdout)["server"]["waiting"] == 2
    two.post.start()
    two.bob.later_ms = two.ada.later_ms = 31_000
    two.meet()
    texts = ["The build machine is called Medlar", "The mail server is called Quince"]
    assert [text.lower() for text in two.ada.active()] == [
        text.lower() for text in [*texts, "The staging database runs on port 5433"]
    ]
    server = json.loads(two.bob.hark("status", "--json").stdout)["server"]
    assert (server["waiting"], server["problem"], bool(server["last_contact"])) == (0, "", True)
    assert "everything delivered" in two.bob.hark("status").stdout


def test_a_real_server_behind_its_gate_shares_memories(tmp_path: Path) -> None:
    there = Machine(tmp_path / "there")
    token = there.hark("token", "new", "laptop", "--scope", "delete", "--json")
    env = {**os.environ, "HOME": str(there.home), "HARK_HOME": there.place.data}
    argv = [sys.executable, "-m", "harkback", "serve", "--port", "0"]
    with subprocess.Popen(argv, env=env, stderr=subprocess.PIPE, text=True) as served:
        try:
            assert served.stderr is not None
            said = re.search(r"http://[0-9.]+:[0-9]+", served.stderr.readline())
            assert said is not None
            ada = Machine(tmp_path / "ada", said[0], json.loads(token.stdout)["secret"])
            saved = ada.hark("remember", "The lamp of the yard is green")
            assert (saved.returncode, saved.stderr) == (0, "")
            assert there.active() == ["The lamp of the yard is green"]
            calls = json.loads(there.hark("audit", "log", "--json").stdout)["calls"]
            told = [(one["token"], one["tool"], one["ids"], one["status"]) for one in calls]
            assert ("laptop", "api/memories", list(there.all()), "ok") in told
            assert "lamp" not in json.dumps(calls)
            ada.write_token("qux-zug")
            assert "hark token new" in ada.meet()
        finally:
            served.terminate()


def test_every_change_travels(two: Two) -> None:
    task = two.ada.save("Renew the TLS certificate", Details(kind="task", tags=("ops",)))
    port = two.ada.save("The staging database runs on port 5433")
    lamp = two.ada.save("The lamp of the yard is green")
    two.meet()
    two.bob.memories.finish(task.id)
    newer = two.bob.memories.supersede(port.id, "The staging database runs on port 6000").memory
    two.bob.memories.edit(lamp.id, "The lamp of the yard is blue", Details())
    two.meet()
    held = two.ada.all()
    assert (held[task.id].status, held[port.id].status, held[newer.id].supersedes) == (DONE, SUPERSEDED, port.id)
    assert (held[lamp.id].text, two.ada.past(lamp.id)) == ("The lamp of the yard is blue", [lamp.text])
    two.ada.memories.reopen(task.id)
    two.ada.memories.edit(task.id, "", Details(importance=5, tags=()))
    two.ada.memories.forget([lamp.id])
    two.meet()
    held = two.bob.all()
    assert (held[task.id].status, held[task.id].importance, held[task.id].tags) == (ACTIVE, 5, ())
    assert lamp.id not in held
    for one in (two.ada, two.bob, two.there):
        raw = b"".join(path.read_bytes() for path in Path(one.place.data).glob("memory.sqlite*"))
        assert (b"5433" in raw, b"lamp of the yard" in raw) == (True, False)


def test_the_profile_travels_with_its_history(two: Two) -> None:
    two.ada.memories.write_profile("work", "Kim builds gateways")
    two.bob.memories.write_profile("person", "Kim lives in Tainan")
    two.meet()
    assert {one.section: one.text for one in two.ada.memories.profile()} == {
        "work": "Kim builds gateways",
        "person": "Kim lives in Tainan",
    }
    two.ada.memories.write_profile("work", "Kim builds bridges")
    two.bob.later_ms = 1000
    two.bob.memories.write_profile("work", "Kim builds boats")
    two.meet()
    told = ["Kim builds boats", "Kim builds bridges", "Kim builds gateways"]
    for one in (two.ada, two.bob, two.there):
        assert [text.text for text in one.memories.profile("work")] == told


def test_what_is_put_in_the_bin_is_hidden_everywhere_and_undone_from_anywhere(two: Two) -> None:
    one = two.ada.save("The heron nests in the willow")
    two.meet()
    before = two.ada.all()
    two.there.memories.put_in_bin(one.id)
    two.meet()
    assert two.bob.all() == {}
    assert [each.memory.id for each in two.bob.memories.in_bin()] == [one.id]
    two.bob.memories.take_from_bin(one.id)
    two.meet()
    assert two.ada.all() == before
    assert (two.there.memories.in_bin(), two.ada.memories.in_bin()) == ([], [])
    two.ada.memories.put_in_bin(one.id)
    two.bob.memories.edit(one.id, "The heron nests in the oak", Details())  # apart: not to be lost by an undo
    two.meet()
    assert two.bob.all() == {}
    two.ada.memories.take_from_bin(one.id)
    two.meet()
    assert two.there.all()[one.id].text == "The heron nests in the oak"
    two.bob.memories.put_in_bin(one.id)
    two.meet()
    two.there.memories.forget([one.id])
    two.meet()
    for machine in (two.ada, two.bob, two.there):
        assert (machine.all(), machine.memories.in_bin()) == ({}, [])
        raw = b"".join(path.read_bytes() for path in Path(machine.place.data).glob("memory.sqlite*"))
        assert b"heron" not in raw


def test_a_project_that_lies_elsewhere_is_known_by_its_name(two: Two) -> None:
    for machine, where in ((two.ada, "work/shop"), (two.bob, "src/shop"), (two.bob, "src/other")):
        (machine.home / where / ".git").mkdir(parents=True)
    two.ada.memories.remember("The port of staging is 5433", Details(project=str(two.ada.home / "work/shop")))
    two.meet()
    (two.ada.home / "work").rename(two.ada.home / "away")  # both homes are on this machine
    for where, found in (("src/shop", 1), ("src/other", 0)):
        two.bob.cwd = str(two.bob.home / where)
        assert len(two.bob.memories.recall(["port of staging"], Wanted()).hits) == found
        assert len(two.bob.memories.listed().memories) == found


# -- apart -----------------------------------------------------------------------------------------------------------


def test_both_changed_the_same_and_the_later_one_counts_while_the_other_stays_in_its_history(two: Two) -> None:
    lamp = two.ada.save("The lamp of the yard is green")
    two.meet()
    two.ada.memories.edit(lamp.id, "The lamp of the yard is red", Details())
    two.bob.later_ms = 5000
    two.bob.memories.edit(lamp.id, "The lamp of the yard is blue", Details())
    two.meet()
    for one in (two.ada, two.bob, two.there):
        assert one.active() == ["The lamp of the yard is blue"]
        assert sorted(one.past(lamp.id)) == ["The lamp of the yard is green", "The lamp of the yard is red"]
    assert two.ada.memories.recall(["yard lamp"], Wanted()).hits[0].memory.text == "The lamp of the yard is blue"


def test_a_clock_that_is_behind_does_not_undo_what_is_newer(two: Two) -> None:
    two.ada.later_ms = 3_600_000
    lamp = two.ada.save("The lamp of the yard is green")
    two.meet()
    two.bob.memories.edit(lamp.id, "The lamp of the yard is blue", Details())  # an hour before it was saved
    two.meet()
    assert two.ada.active() == ["The lamp of the yard is blue"]


def test_the_same_saved_apart_is_one_and_both_ids_lead_to_it(two: Two) -> None:
    assert two.there.save("The printer stands on the second floor").text
    mine = two.ada.save("The mail server is called Quince", Details(tags=("mail",)))
    other = two.bob.save("the mail server is called Quince.", Details(importance=5))
    two.meet()
    two.meet()
    held = two.ada.all()
    assert sum("uince" in one.text for one in held.values() if one.status == ACTIVE) == 1
    (kept,) = (one for one in held.values() if one.status == ACTIVE and "uince" in one.text)
    assert (kept.importance, kept.tags) == (5, ("mail",))
    assert {kept.id, kept.supersedes} == {mine.id, other.id}
    two.bob.memories.edit(kept.id, "The mail server is called Medlar", Details())
    two.meet()
    assert [one.text for one in two.ada.all().values() if one.status == ACTIVE and "mail" in one.text] == [
        "The mail server is called Medlar"
    ]


def test_forgotten_on_one_and_changed_on_the_other_stays_forgotten(two: Two) -> None:
    lamp = two.ada.save("The lamp of the yard is green")
    two.meet()
    two.ada.memories.forget([lamp.id])
    two.bob.later_ms = 5000
    two.bob.memories.edit(lamp.id, "The lamp of the yard is blue", Details())
    two.meet()
    assert two.bob.all() == {}


def test_a_client_that_has_memories_of_its_own_brings_them_and_old_ones_are_not_doubled(two: Two) -> None:
    for number in range(30):
        two.ada.save(f"The host number {number} is called H{number}x")
        two.there.save(f"The host number {number + 20} is called H{number + 20}x")
    gone = two.ada.save("The lamp of the yard is green")
    two.ada.memories.forget([gone.id])
    two.meet()
    assert len(two.bob.active()) == 50
    two.meet()


def test_what_an_older_layout_holds_is_shared_whole(two: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(memories, "LAYOUT", memories.LAYOUT._replace(migrations=memories.MIGRATIONS[:3]))
        for name in ("alter", "alter_section", "turn"):
            patch.setattr(ChangeRows, name, lambda *_: None)
        patch.setattr(ChangeRows, "altered_ms", lambda *_: 0)
        lamp = two.ada.save("The lamp of the yard is green")
        gone = two.ada.save("The lamp of the hall is red")
        two.ada.memories.forget([gone.id])
        two.ada.memories.write_profile("work", "Kim builds gateways")
    with two.there.memories._store(write=True) as store, store.writing():
        store.add(gone, "lampofthehallisred")
    two.meet()
    assert list(two.bob.all()) == [lamp.id]
    assert [one.text for one in two.bob.memories.profile()] == ["Kim builds gateways"]


def test_two_thousand_memories_come_in_pages(two: Two) -> None:
    fill(two.there, 2000)
    began = time.monotonic()
    assert two.bob.meet() == ""
    assert time.monotonic() - began < 15
    assert len(two.bob.all()) == 2000
    assert two.bob.waiting() == 0
    fill(two.ada, 600, "ada")
    two.meet()
    assert len(two.bob.all()) == 2600


def fill(machine: Machine, count: int, name: str = "there") -> None:
    with machine.memories._store(write=True) as store, store.writing():
        for number in range(count):
            text = f"Host {name}{number} answers on port {number + 1000} of network {name}{number % 17}"
            made = Memory("", text, created_ms=number + 1, changed_ms=number + 1)
            store.add(made, f"host{name}{number}port{number + 1000}network{name}{number % 17}")


def test_two_clients_that_save_at_once_lose_nothing(two: Two) -> None:
    def run(machine: Machine, name: str) -> None:
        for number in range(25):
            machine.save(f"The host of {name} has the number {number}")
            machine.save(f"The shared fact has the number {number}")
            assert machine.meet() == ""

    threads = [threading.Thread(target=run, args=pair) for pair in ((two.ada, "ada"), (two.bob, "bob"))]
    for one in threads:
        one.start()
    for one in threads:
        one.join(60)
    two.meet()
    two.meet()
    expected = [f"The host of {name} has the number {number}" for name in ("ada", "bob") for number in range(25)]
    assert two.ada.active() == sorted(expected + [f"The shared fact has the number {number}" for number in range(25)])


VICTIM = """
import os, signal, sqlite3, sys
from harkback.archive.memories import Memories
from harkback.archive.replica import Replica
from harkback.config import Place, read_settings

class Mortal(sqlite3.Connection):
    left = int(sys.argv[1])

    def execute(self, *values):
        Mortal.left -= 1
        if Mortal.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().execute(*values)

connect = sqlite3.connect
sqlite3.connect = lambda *args, **more: connect(*args, factory=Mortal, **more)
home = os.environ["HARK_HOME"]
memories = Memories(Place(os.environ["HOME"], home), {}, 1_780_000_000_000, "/", read_settings(os.environ, home))
Replica(memories).meet(whole=True)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no SIGKILL")
def test_a_client_that_is_killed_at_any_moment_loses_and_doubles_nothing(two: Two) -> None:
    env = {**os.environ, "HOME": str(two.ada.home), "HARK_HOME": two.ada.place.data, "HARK_SERVER": two.post.url}
    statuses = []
    for number in range(8, 200, 16):
        two.ada.save(f"The host of ada has the number {number}")
        two.bob.save(f"The host of bob has the number {number}")
        assert two.bob.meet() == ""
        run = subprocess.run([sys.executable, "-c", VICTIM, str(number)], env=env, check=False, stderr=subprocess.PIPE)
        assert run.returncode in {-9, 0}, run.stderr
        statuses.append(run.returncode)
    assert statuses[0] == -9
    two.meet()
    assert len(two.ada.all()) == 2 * len(statuses)


def test_a_server_that_lost_its_memories_gets_them_back(two: Two) -> None:
    two.ada.save("The lamp of the yard is green")
    two.bob.save("The mail server is called Quince")
    two.meet()
    for path in Path(two.there.place.data).glob("memory.sqlite*"):
        path.unlink()
    two.meet()
    assert len(two.there.all()) == 2


# -- tokens and servers that do not answer as they should ----------------------------------------------------------


def test_a_token_reaches_as_far_as_its_scope(two: Two) -> None:
    lamp = two.ada.save("The lamp of the yard is green")
    two.meet()
    two.bob.write_token("read-me")
    two.bob.save("The mail server is called Quince")
    two.bob.memories.forget([lamp.id])
    for _ in range(2):
        assert two.bob.meet() == ""
        assert (two.bob.waiting(), len(two.there.all())) == (1, 1)
    shared = Replica(two.bob.memories).shared()
    assert shared is not None
    assert "read only" in shared.problem
    two.bob.write_token("write-me")
    assert [two.bob.meet(), two.bob.meet()] == ["", ""]
    assert (two.bob.waiting(), len(two.there.all())) == (0, 2)


@pytest.mark.parametrize("scope", ["write-me", "read-me"])
def test_what_was_forgotten_without_the_right_to_stays_forgotten_on_that_machine_alone(two: Two, scope: str) -> None:
    lamp, heron, mail = (
        two.ada.save(text)
        for text in (
            "The lamp of the yard is green",
            "The heron nests in the willow",
            "The mail server is called Quince",
        )
    )
    two.meet()
    two.bob.write_token(scope)
    assert two.bob.meet() == ""
    two.bob.memories.forget([lamp.id])
    two.bob.memories.put_in_bin(heron.id)
    two.bob.write_token("all-of-it")  # before it is met again
    two.ada.memories.edit(lamp.id, "The lamp of the yard is blue", Details())
    for _ in range(2):
        assert [one.meet() for one in (two.ada, two.bob, two.ada)] == ["", "", ""]
        assert (list(two.bob.all()), two.bob.waiting()) == ([mail.id], 0)
        assert set(two.ada.all()) == set(two.there.all()) == {lamp.id, heron.id, mail.id}
        for path in Path(two.there.place.data).glob("memory.sqlite*"):
            path.unlink()  # a server that begins anew is not told either
    two.bob.memories.forget([mail.id])
    assert [one.meet() for one in (two.bob, two.ada)] == ["", ""]
    assert set(two.ada.all()) == {lamp.id, heron.id}


def test_a_wrong_token_is_said_in_one_line_and_what_is_here_answers(two: Two) -> None:
    two.ada.save("The lamp of the yard is green")
    two.ada.write_token("qux-zug")
    told = two.ada.hark("recall", "lamp of the yard")
    assert (told.returncode, "green" in told.stdout) == (0, True)
    (line,) = told.stderr.splitlines()
    assert "hark token new" in line
    assert "qux-zug" not in line


def test_a_token_that_others_can_read_and_none_are_refused(two: Two) -> None:
    settings = two.ada.memories.settings
    assert server_of(settings, two.ada.place.data) is not None
    two.ada.file.chmod(0o640)
    if os.name == "posix":
        with pytest.raises(errors.TokenExposed):
            server_of(settings, two.ada.place.data)
    two.ada.file.unlink()
    with pytest.raises(errors.NoToken):
        server_of(settings, two.ada.place.data)
    assert "hark token new" in two.ada.meet()


@pytest.mark.parametrize(
    "url",
    ["http://example.org", "ftp://127.0.0.1", "127.0.0.1:80", "https://", "https://kim:pw@example.org",
     "http://127.0.0.1.example.org", "https://a.b/?token=x", "http://[::1"],
)  # fmt: skip
def test_an_address_over_which_a_token_could_leak_is_refused(tmp_path: Path, url: str) -> None:
    assert server_of(Machine(tmp_path / "good", "http://127.0.0.1:9").memories.settings, str(tmp_path / "good/archive"))
    machine = Machine(tmp_path / "bad", url)
    with pytest.raises(errors.BadServer) as caught:
        server_of(machine.memories.settings, machine.place.data)
    assert "pw" not in str(caught.value)


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[1, 2, 3]",
        b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n",
        b"SSH-2.0-OpenSSH\r\n",
        b"",
    ],
)
def test_what_is_no_hark_server_is_said_and_ends_nothing(tmp_path: Path, answer: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        machine = Machine(tmp_path / "ada", f"http://127.0.0.1:{server.getsockname()[1]}")
        machine.save("The lamp of the yard is green")

        def serve() -> None:
            con, _ = server.accept()
            with con:
                con.recv(1 << 16)
                con.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        told = machine.meet()
        thread.join(5)
    assert told.startswith(machine.url)
    assert machine.waiting() == 1


@pytest.mark.parametrize("failure", ["full", "damaged"])
def test_a_server_that_has_no_room_is_said_to_be_stuck_and_changes_wait(
    two: Two, failure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    two.ada.save("The lamp of the yard is green")
    assert two.ada.meet() == ""
    two.ada.save("The mail server is called Quince")
    with monkeypatch.context() as patch:
        error = errors.DiskFull(two.there.place.data) if failure == "full" else errors.MemoriesDamaged("a", "b")

        def share(*_: object, **__: object) -> None:
            raise error

        patch.setattr(api, "share", share)
        told = two.ada.meet()
    assert told.startswith(f"{two.post.url} cannot read or write its memories now (status 503)")
    assert "changes wait" in told
    assert two.ada.waiting() == 1
    assert "cannot read or write" in two.ada.hark("status").stdout
    assert (two.ada.meet(), two.ada.waiting(), len(two.there.all())) == ("", 0, 2)


@pytest.mark.parametrize("pieces", [1, 3])
def test_an_answer_in_chunks_is_read_whole(tmp_path: Path, pieces: int) -> None:
    body = json.dumps({"store": "a", "scope": "delete", "cursor": "1-1", "lines": [], "forgotten": []}).encode()
    size = -(-len(body) // pieces)
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in cut(body, size)) + b"0\r\n\r\n"
    with socket.create_server(("127.0.0.1", 0)) as server:
        machine = Machine(tmp_path / "ada", f"http://127.0.0.1:{server.getsockname()[1]}/")

        def serve() -> None:
            con, _ = server.accept()
            with con:
                con.recv(1 << 16)
                con.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)

        thread = threading.Thread(target=serve)
        thread.start()
        assert machine.meet() == ""
        thread.join(5)


def cut(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


def test_one_that_is_silent_costs_a_second_and_then_nothing_for_half_a_minute(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        machine = Machine(tmp_path / "ada", f"http://127.0.0.1:{server.getsockname()[1]}")
        machine.save("The lamp of the yard is green")
        began = time.monotonic()
        assert "in time" in Replica(machine.memories).meet()
        assert 0.5 < time.monotonic() - began < 1.6
        began = time.monotonic()
        assert Replica(machine.memories).meet() == ""
        assert time.monotonic() - began < 0.2
        machine.later_ms = 31_000
        assert "in time" in Replica(machine.memories).meet()


# -- the endpoint ----------------------------------------------------------------------------------------------------


def post(two: Two, body: bytes, token: str = "all-of-it", method: str = "POST") -> tuple[int, Any]:
    con = HTTPConnection("127.0.0.1", two.post.port, timeout=10)
    try:
        con.request(method, "/api/memories", body, {"Authorization": f"Bearer {token}"})
        answer = con.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        con.close()


def test_a_good_request_is_answered_and_bad_ones_are_refused_with_a_sentence(two: Two) -> None:
    two.there.save("The lamp of the yard is green")
    status, value = post(two, b'{"since": ""}')
    assert (status, len(value["lines"]), value["more"]) == (200, 1, False)
    assert post(two, json.dumps({"since": value["cursor"]}).encode())[1]["lines"] == []
    bad: list[Any] = [[], 1, {"since": "x"}, {"since": 5}, {"lines": "x"}, {"lines": [1]}, {"lines": ["x"] * 2000}]
    bad += [{"forgotten": [one]} for one in ("x", {}, {"key": "zz", "state": "gone", "turn": 1, "at_ms": 0})]
    bad += [
        {"forgotten": [{"key": "1", "state": state, "turn": turn, "at_ms": 0}]}
        for state, turn in (("x", 1), ("gone", -1))
    ]
    bad += [{"forgotten": [{"key": "1" * 40, "state": "gone", "turn": 1, "at_ms": 0}]}]
    for one in [*(json.dumps(value).encode() for value in bad), b"", b"{", b"\xff", b"[" * 5000]:
        status, value = post(two, one)
        assert (status, set(value)) == (400, {"error"}), one[:80]
    assert post(two, b'{"since": ""}', "wrong")[0] == 401
    assert post(two, b"", method="GET")[0] == 405
    assert post(two, b" " * (1 << 20) + b"{}")[0] == 413
    assert len(two.there.all()) == 1


def test_lines_that_are_no_memories_are_named_and_the_others_taken(two: Two) -> None:
    good = {"id": "k12345678", "text": "The lamp of the yard is green", "created_ms": 5, "changed_ms": 5}
    odd = ["no JSON", "[1]", '{"id": "k2", "text": "The lamp of the hall is red"}', '{"text": "x"}', '{"profile": {}}']
    odd += ['{"profile": {"section": "nowhere", "text": "x", "changed_ms": 1}}']
    status, value = post(two, json.dumps({"lines": [json.dumps(good), *odd]}).encode())
    assert (status, len(value["bad"])) == (200, len(odd))
    assert two.there.active() == [good["text"]]


def test_what_was_told_asked_and_forgotten_is_written_down_without_a_text(two: Two) -> None:
    fill(two.ada, 60)
    lamp = two.ada.save("The lamp of the yard is green")
    two.ada.memories.write_profile("work", "Kim builds gateways")
    assert two.ada.meet() == ""
    told = [one for entry in two.post.audit for one in entry.ids]
    assert sorted(told) == sorted([*two.ada.all(), "profile:work"])
    assert {(one.token, one.tool, one.status) for one in two.post.audit} == {("test", "api/memories", "ok")}
    two.post.audit.clear()
    assert two.bob.meet() == ""
    assert (two.post.audit[0].ids, two.post.audit[0].chars > 1000) == ((), True)  # asked only
    two.post.audit.clear()
    two.bob.memories.forget([lamp.id])
    two.bob.memories.put_in_bin(two.bob.save("The heron nests in the willow").id)
    assert two.bob.meet() == ""
    assert [(one.tool, one.ids) for one in two.post.audit[:2]] == [
        ("api/memories", ()),
        ("api/memories forget", (lamp.id,)),
    ]
    assert "lamp" not in str(two.post.audit)
    with open(Path(two.there.place.data, "memory.sqlite"), "r+b") as file:
        file.write(b"\0" * 4096)
    two.post.audit.clear()
    assert post(two, b'{"since": ""}')[0] == 503
    assert [(one.tool, one.status) for one in two.post.audit] == [("api/memories", "error")]


def test_what_cannot_be_written_down_is_not_answered(two: Two) -> None:
    two.there.save("The lamp of the yard is green")
    assert post(two, b'{"since": ""}')[0] == 200

    def fail(_: object) -> None:
        raise errors.FileUnwritable("audit.jsonl", "no space")

    two.post.api.write = fail
    status, value = post(two, b'{"since": ""}')
    assert (status, set(value)) == (503, {"error"})


def test_secrets_are_masked_on_their_way_in(two: Two) -> None:
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    line = json.dumps({"id": "k12345678", "text": f"The token of the robot is {key}", "created_ms": 5})
    assert post(two, json.dumps({"lines": [line]}).encode())[0] == 200
    assert len(two.there.all()) == 1
    assert key not in str(two.there.all())


def test_a_command_asks_at_most_every_two_seconds_unless_it_has_something_to_tell(two: Two) -> None:
    assert Replica(two.ada.memories).meet() == ""
    two.there.save("The lamp of the yard is green")
    assert Replica(two.ada.memories).meet() == ""
    assert MemoryStore.exists(two.ada.place.data)
    assert two.ada.all() == {}
    two.ada.save("The mail server is called Quince")
    assert Replica(two.ada.memories).meet() == ""
    assert len(two.ada.all()) == 2
    assert two.ada.memories.listed(scope=EVERYWHERE).memories
