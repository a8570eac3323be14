"""`hark check` finds each thing that does not agree and names what mends it; `hark redact` masks what is stored."""

from __future__ import annotations

import os
import sqlite3
from typing import TYPE_CHECKING

import pytest

from harkback import redact
from harkback.engines.local import LocalEngine

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.pens import PENS, Claude, Pen, Pi, hark, hits
else:
    from pens import PENS, Claude, Pen, Pi, hark, hits


@pytest.fixture
def archive(own_home: Path) -> str:
    for number, kind in enumerate(PENS, 1):
        pen = kind(number, "2026-11-03")
        pen.user(f"pear {kind.agent}")
        pen.say("an answer")
        pen.write(own_home)
    origin = Pi(8, "2026-11-04")
    origin.user("pear origin")
    origin.write(own_home)
    fork = Pi(9, "2026-11-05")
    fork.copy(origin, len(origin.rows))
    fork.user("pear fork")
    fork.write(own_home)
    hark("sync")
    return os.environ["HARK_HOME"]


def change(folder: str, *statements: str) -> None:
    con = sqlite3.connect(os.path.join(folder, "archive.sqlite"))
    for statement in statements:
        con.execute(statement)
    con.commit()
    con.close()


def test_a_sound_archive_agrees(archive: str) -> None:
    assert os.path.isdir(archive)
    checked = hark("check", "--json")
    assert (checked.status, checked.json["faults"]) == (0, [])
    assert hark("check").out.startswith("rows, totals, checkpoints and the word index agree")


BREAKS = [
    ("DELETE FROM part WHERE seq = 1", "words of texts that are gone are in the index", "hark rebuild"),
    ("DELETE FROM identity WHERE seq = 1", "texts without a name", "hark sync --full"),
    ("UPDATE meta SET value = value + 1 WHERE key = 'total_parts'", "the total of parts is wrong", "hark sync --full"),
    ("UPDATE part SET transcript = 999 WHERE seq = 1", "texts of no transcript", "hark sync --full"),
    ("INSERT INTO copy VALUES(12345, 1, 0, 1)", "copies of no message", "hark sync --full"),
    ("UPDATE part SET lane = 7 WHERE seq = 1", "texts stand in the index as something else", "hark rebuild"),
    ("UPDATE transcript SET fingerprint = ''", "checkpoints without a fingerprint", "hark sync --full"),
    ("UPDATE copy SET transcript = 999", "copies in no transcript", "hark sync --full"),
    ("UPDATE session SET title_seq = 999 WHERE id = 1", "titles without a text", "hark sync --full"),
    ("DELETE FROM session WHERE id = 1", "transcripts of no session", "hark sync --full"),
    (
        "INSERT INTO tombstone SELECT message, 'message' FROM part WHERE seq = 1",
        "forgotten messages that are still there",
        "hark sync --full",
    ),
]


@pytest.mark.parametrize(("statement", "kind", "mend"), BREAKS, ids=[one[1] for one in BREAKS])
def test_what_does_not_agree_is_named_with_what_mends_it(archive: str, statement: str, kind: str, mend: str) -> None:
    change(archive, statement)
    checked = hark("check", "--json")
    assert checked.status == 2
    assert (kind, mend) in {(one["kind"], one["mend"]) for one in checked.json["faults"]}
    said = hark("check")
    assert (said.status, mend in said.out) == (2, True)
    hark("sync")
    for one in sorted({one["mend"] for one in checked.json["faults"]}, reverse=True):
        assert hark(*one.split()[1:]).status == 0
    assert hark("check", "--json").json["faults"] == []
    assert hits("pear") != []


def test_what_is_mended_without_transcripts_keeps_the_texts(archive: str, own_home: Path) -> None:
    own_home.rename(own_home.with_name("away"))
    own_home.mkdir()
    change(archive, "DELETE FROM session WHERE id = 1", "DELETE FROM identity", "DELETE FROM meta WHERE key > 'total'")
    hark("sync", "--full")
    hark("rebuild")
    assert hark("check", "--json").json["faults"] == []
    assert len(hits("pear")) == 5


@pytest.mark.parametrize("kind", PENS)
def test_a_transcript_that_was_written_anew_leaves_nothing_to_mend(own_home: Path, kind: type[Pen]) -> None:
    pen = kind(1, "2026-11-03")
    pen.user("pear first")
    pen.say("an answer")
    pen.title(own_home, "zebra")
    pen.write(own_home)
    hark("sync")
    pen.rewind(pen.head)
    pen.user("apple in its place")
    pen.write(own_home)
    assert (hits("pear"), len(hits("apple"))) == ([], 1)
    assert hark("check", "--json").json["faults"] == []


def test_what_the_index_has_lost_comes_back_with_the_command_that_is_named(archive: str) -> None:
    engine = LocalEngine.open(archive, write=True)
    assert engine is not None
    assert engine.index is not None
    engine.index.can_write(heap_bytes=15_000_000)
    engine.index.remove(seq=1, transcript=None)
    engine.index.commit()
    engine.index.close(merge=False)
    engine.close()
    (fault,) = hark("check", "--json").json["faults"]
    assert (fault["kind"], fault["number"], fault["mend"]) == ("texts are missing in the word index", 1, "hark rebuild")
    hark("rebuild")
    assert hark("check").status == 0


@pytest.mark.parametrize("kind", [".term", ".idx", ".fast", ".fieldnorm"])
def test_a_damaged_word_index_is_called_that_and_rebuild_mends_it(archive: str, own_home: Path, kind: str) -> None:
    assert own_home.exists()
    (folder,) = [name for name in os.listdir(archive) if name.startswith("words-")]
    for name in os.listdir(os.path.join(archive, folder)):
        if name.endswith(kind):
            path = os.path.join(archive, folder, name)
            with open(path, "r+b") as file:
                # The end, where what opens an index looks, stays as it is.
                data = file.read()
                end = data.rindex(b'{"version"') - 8
                file.seek(0)
                file.write(bytes(byte ^ 0xA5 for byte in data[: max(1, end // 2)]))
    (fault,) = hark("check", "--json").json["faults"]
    assert (fault["kind"], fault["mend"]) == ("files of the word index are damaged", "hark rebuild")
    for argv in (("search", "--no-sync", "pear"), ("search", "--no-sync", "--by", "session", "pear answer")):
        done = hark(*argv)
        assert done.status in {0, 1, 2}
        assert done.status != 2 or ("hark rebuild" in done.err and "word index" in done.err)
    assert hark("forget", "--match", "pear").status in {1, 2}
    assert hark("rebuild").status == 0
    assert hark("check", "--json").json["faults"] == []
    assert len(hits("pear")) == 5


def test_the_small_letters_of_a_name_are_no_secret_and_follow_what_is_masked(own_home: Path) -> None:
    name = "GHP_" + "ABCDEFGHIJ" * 3 + "KLMNOP"  # no token: those begin in small letters
    pen = Claude(1, "2026-11-03", f"/w/{name}")
    pen.user("pear")
    pen.edit(f"/w/{name}/{name}")
    pen.write(own_home)
    hark("sync")
    assert hark("check", "--secrets").status == 0
    change(
        os.environ["HARK_HOME"],
        "UPDATE label SET value = '/w/AKIAQ7ZPLANTED7XYZ12', base = 'akiaq7zplanted7xyz12' WHERE kind = 'project'",
    )
    assert hark("redact").status == 0
    con = sqlite3.connect(os.path.join(os.environ["HARK_HOME"], "archive.sqlite"))
    ((value, base),) = con.execute("SELECT value, base FROM label WHERE kind = 'project'").fetchall()
    con.close()
    assert "PLANTED" not in value
    assert "planted" not in base
    assert hark("check", "--secrets").status == 0


def spoil(archive: str, page: int) -> None:
    """Overwrite the database from a page on, as a bad disk does."""
    path = os.path.join(archive, "archive.sqlite")
    con = sqlite3.connect(path)
    con.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    con.close()
    size = os.path.getsize(path) - page * 8192
    with open(path, "r+b") as file:
        file.seek(page * 8192)
        file.write(b"\xff" * size)


READING = (
    ("search", "pear"),
    ("search", "--no-sync", "pear"),
    ("sessions",),
    ("status",),
    ("check",),
    ("sources",),
    (),
)
WRITING = (("sync",), ("rebuild",), ("exclude", "add", "nothing"), ("forget", "--project", "demo", "--yes"))


@pytest.mark.parametrize("page", [0, 1])
def test_a_damaged_database_is_called_that_by_every_command(archive: str, own_home: Path, page: int) -> None:
    assert all(hark(*argv).status == 0 for argv in READING)
    spoil(archive, page)
    for argv in (*READING, *WRITING):
        done = hark(*argv)
        assert (done.status, done.out) == (2, ""), argv
        assert done.err.startswith(f"hark: The archive in {archive} is damaged ("), argv
        assert "Move that folder elsewhere and run `hark sync`" in done.err
    os.rename(archive, own_home / "elsewhere")
    assert hark("sync").status == 0
    assert hits("pear")


def test_a_damaged_lock_file_is_named_and_a_search_answers(archive: str, own_home: Path) -> None:
    lock = os.path.join(archive, "sync.lock")
    assert hark("sync").status == 0
    with open(lock, "wb") as file:
        file.write(b"x" * 9000)
    pen = Claude(20, "2026-11-06")
    pen.user("pear late")
    pen.write(own_home)
    found = hark("search", "pear")
    assert found.status == 0
    done = hark("sync")
    assert (done.status, done.err.startswith(f"hark: {lock} is damaged (")) == (2, True)
    assert f"{lock} is damaged" in found.err
    os.unlink(lock)
    assert hark("sync").status == 0
    assert hits("late")


SECRET = "ghp_" + "a1B2c3D4" * 5


def problems() -> list[str]:
    con = sqlite3.connect(os.path.join(os.environ["HARK_HOME"], "archive.sqlite"))
    found = [detail for (detail,) in con.execute("SELECT detail FROM problem")]
    con.close()
    return found


def test_what_older_rules_let_through_is_found_and_masked(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pen = Claude(1, "2026-11-03", f"/w/{SECRET}")
    pen.user(f"pear {SECRET}")
    pen.say("done")
    pen.rows[-1]["gitBranch"] = SECRET
    pen.rows.append({"type": "summary", "summary": f"title {SECRET}", "leafUuid": "nowhere"})
    with pen.write(own_home).open("a") as file:
        file.write("{ a damaged line\n")
    with monkeypatch.context() as patch:
        patch.setattr(redact.Masker, "is_clean", lambda _, text: bool(text) or True)
        patch.setattr(redact.Masker, "mask", lambda _, text: (text, {}))
        hark("sync")
        (hit,) = hits("pear")
        assert SECRET in hit["snippet"]
    change(os.environ["HARK_HOME"], f"UPDATE problem SET detail = detail || '{SECRET}'")
    assert any(SECRET in detail for detail in problems())
    found = hark("check", "--secrets", "--json")
    assert found.status == 2
    assert found.json["secrets"]["github-token"] >= 1
    assert hark("check", "--secrets").out.startswith("secrets    github-token")
    done = hark("redact", "--json")
    assert done.json["masked"]["github-token"] >= 1
    assert hark("check", "--secrets").status == 0
    assert hark("check").status == 0
    (hit,) = hits("pear")
    assert hit["snippet"] == "pear [masked github-token]"
    for base, _, names in os.walk(os.environ["HARK_HOME"]):
        for name in names:
            with open(os.path.join(base, name), "rb") as file:
                data = file.read()
            assert SECRET.encode() not in data, name
            assert SECRET.lower().encode() not in data, name
    assert hark("redact").out == "nothing had to be masked\n"
