"""Transcripts that their agent moves or compresses are the same ones, and nobody has deleted them."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest
import zstandard

from harkback.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.pens import Codex, hark, hits
else:
    from pens import Codex, hark, hits


@pytest.fixture
def pen(own_home: Path) -> Codex:
    made = Codex(1, "2026-11-03")
    made.user("pear one")
    made.write(own_home)
    other = Codex(2, "2026-11-04")
    other.user("pear two")
    other.write(own_home)
    assert len(hits("pear")) == 2
    return made


def archived(home: Path, pen: Codex) -> Path:
    folder = home / ".codex" / "archived_sessions"
    folder.mkdir(exist_ok=True)
    path = pen.path(home)
    return type(path)(shutil.move(path, folder / path.name))


def codex_source() -> dict[str, Any]:
    (found,) = [one for one in hark("sources", "--json").json["sources"] if one["agent"] == "codex"]
    return dict(found)


def test_the_first_archived_session_is_found_where_it_lies_now(own_home: Path, pen: Codex) -> None:
    path = archived(own_home, pen)
    (hit,) = hits("pear one")[:1]
    assert (hit["gone"], hit["copies"], hit["session"]) == (False, [], pen.id)
    assert hark("resume", pen.native).status == 0
    assert str(path) in hark("show", hit["id"]).out
    assert b"pear one" in path.read_bytes()
    assert (codex_source()["files"], codex_source()["gone"], codex_source()["messages"]) == (2, 0, 2)
    assert "deleted" not in hark("status").out


def test_a_moved_transcript_is_not_read_again_and_goes_on_growing(
    own_home: Path, pen: Codex, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = archived(own_home, pen)
    hits("pear")
    back = pen.path(own_home)
    shutil.move(path, back)
    since = len(pen.rows)
    pen.user("pear three")
    pen.append(own_home, since)
    read: list[int] = []
    from harkback.sources import codex

    real = codex.read

    def counting(transcript: Any, checkpoint: Any, **more: Any) -> Any:
        read.append(checkpoint.offset if checkpoint else 0)
        return real(transcript, checkpoint, **more)

    monkeypatch.setattr(codex, "read", counting)
    assert sorted(hit["snippet"] for hit in hits("pear")) == ["pear one", "pear three", "pear two"]
    assert read
    assert 0 not in read
    assert codex_source()["files"] == 2


def test_a_compressed_transcript_takes_the_place_of_the_plain_one(
    own_home: Path, pen: Codex, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = pen.path(own_home)
    packed = path.with_name(path.name + ".zst")
    packed.write_bytes(zstandard.ZstdCompressor().compress(path.read_bytes()))
    path.unlink()
    (hit,) = hits("pear one")[:1]
    assert (hit["gone"], hit["copies"]) == (False, [])
    assert main(["show", "--raw", hit["id"]]) == 0
    assert json.loads(capfdbinary.readouterr().out)["payload"]["content"][0]["text"] == "pear one"
    assert (codex_source()["files"], codex_source()["gone"], codex_source()["messages"]) == (2, 0, 2)
    packed.unlink()
    pen.write(own_home)
    (hit,) = hits("pear one")[:1]
    assert (hit["gone"], hit["copies"]) == (False, [])


def test_a_deleted_one_is_still_told_from_a_moved_one(own_home: Path, pen: Codex) -> None:
    os.remove(pen.path(own_home))
    (hit,) = hits("pear one")[:1]
    assert hit["gone"]
    assert codex_source()["gone"] == 1


def test_links_that_lead_back_show_nothing_twice(own_home: Path, pen: Codex) -> None:
    sessions = own_home / ".codex" / "sessions"
    os.symlink(sessions, sessions / "2026" / "again", target_is_directory=True)
    os.symlink("..", sessions / "up", target_is_directory=True)
    hark("sync")
    assert (codex_source()["on_disk"], codex_source()["files"]) == (2, 2)
    assert [hit["copies"] for hit in hits("pear")] == [[], []]
    elsewhere = own_home / "elsewhere"
    elsewhere.mkdir()
    path = pen.path(own_home)
    shutil.move(path, elsewhere / path.name)
    os.symlink(elsewhere, sessions / "other", target_is_directory=True)
    assert len(hits("pear")) == 2
    assert codex_source()["on_disk"] == 2


def test_forks_are_called_forks(own_home: Path, pen: Codex) -> None:
    fork = Codex(7, "2026-11-05", forked_from_id=pen.native)
    fork.user("pear fork")
    fork.write(own_home)
    hark("sync")
    assert f"fork {fork.id}" in hark("show", pen.native).out
