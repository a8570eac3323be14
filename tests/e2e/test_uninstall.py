"""`hark uninstall`: nothing goes unasked, nothing goes that is not ours, and what stays is said."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harkback.archive.removal import uninstall
from harkback.config import Place
from harkback.engines.local import locked
from harkback.engines.local.removing import holdings, remove

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.e2e.pens import Claude, hark, texts
else:
    from pens import Claude, hark, texts

BOTH = ("uninstall", "--delete-archive", "--yes", "--yes")


@pytest.fixture
def archive(own_home: Path) -> Path:
    """Give the folder of an archive with one session and a config.toml."""
    pen = Claude(1, "2026-11-03")
    pen.user("quince")
    pen.write(own_home)
    hark("sync")
    hark("config", "search.limit", "5")
    return Path(os.environ["HARK_HOME"])


def everything(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def test_the_archive_stays_and_is_named(archive: Path) -> None:
    before = everything(archive)
    found = hark("uninstall")
    assert (found.status, found.err) == (0, "")
    assert "nothing to take out" in found.out
    assert f"The archive stays in {archive} (0." in found.out
    assert everything(archive) == before
    told = hark("uninstall", "--json").json
    assert (told["taken_out"], told["folder"], told["deleted"], told["left"]) == ([], str(archive), [], [])
    assert told["bytes"] == sum(path.stat().st_size for path in archive.rglob("*") if path.is_file())


def test_without_an_archive_it_says_so() -> None:
    for argv in (("uninstall",), BOTH):
        found = hark(*argv)
        assert found.status == 0
        assert f"There is no archive in {os.environ['HARK_HOME']}." in found.out
    assert not Path(os.environ["HARK_HOME"]).exists()


def test_what_was_installed_is_taken_out_and_said(archive: Path, own_home: Path) -> None:
    def remover(home: str, env: Mapping[str, str]) -> list[str]:
        return [f"a hook in {home} for {env['NAME']}"]

    def nothing(home: str, env: Mapping[str, str]) -> list[str]:
        return [] if home and env else ["no home"]

    place = Place(str(own_home), str(archive))
    done = uninstall(place, {"NAME": "someone"}, delete=False, removers=(remover, nothing, remover))
    assert done.taken_out == (f"a hook in {own_home} for someone",) * 2
    assert (archive / "archive.sqlite").exists()


@pytest.mark.parametrize("yes", [(), ("--yes",)])
def test_without_a_terminal_both_answers_must_stand_on_the_command_line(archive: Path, yes: tuple[str, ...]) -> None:
    before = everything(archive)
    done = subprocess.run(
        [sys.executable, "-m", "harkback", "uninstall", "--delete-archive", *yes],
        input="yes\ndelete\n",
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "there is no terminal to ask on" in done.stderr
    assert everything(archive) == before


def test_with_both_answers_everything_of_ours_goes_and_the_folder_too(archive: Path) -> None:
    found = hark(*BOTH)
    assert (found.status, found.err) == (0, "")
    assert "deleted    words-1.1-1, archive.sqlite, sync.lock, config.toml in " in found.out
    assert not archive.exists()
    assert texts("quince") == ["quince"], "and the next search begins anew"


def test_what_is_not_ours_stays_and_is_named(archive: Path, tmp_path: Path) -> None:
    (archive / "notes.txt").write_text("mine")
    (archive / "archive.sqlite.bak").write_text("mine")
    (archive / "words-list").mkdir()
    (archive / "words-list" / "meta.json").write_text("mine")
    (archive / "words-1.1-1" / "mine.txt").write_text("mine")
    (archive / "archive.sqlite-shm").mkdir()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "meta.json").write_text("mine")
    kept = {"archive.sqlite-shm", "archive.sqlite.bak", "notes.txt", "words-1.1-1", "words-list"}
    if os.name == "posix":
        (archive / "words-9.9-9").symlink_to(elsewhere)
        (archive / "archive.sqlite-wal").symlink_to(archive / "notes.txt")
        kept |= {"archive.sqlite-wal", "words-9.9-9"}
    assert set(hark("uninstall", "--json").json["left"]) >= kept
    found = hark(*BOTH, "--json").json
    assert {"archive.sqlite", "sync.lock", "config.toml"} <= set(found["deleted"])
    assert set(found["left"]) == kept
    assert everything(archive) - {"words-9.9-9/meta.json"} == {
        *kept,
        "words-list/meta.json",
        "words-1.1-1/mine.txt",
    }
    assert (elsewhere / "meta.json").read_text() == "mine"


@pytest.mark.parametrize("text", ["[search]\nlimit = 5\n[package]\nname = 'mine'\n", "home = 'x'\n", "no toml\n"])
def test_a_config_toml_of_somebody_else_stays(archive: Path, text: str) -> None:
    (archive / "config.toml").write_text(text, encoding="utf-8")
    found = hark(*BOTH, "--json").json
    assert "config.toml" not in found["deleted"]
    assert found["left"] == ["config.toml"]
    assert (archive / "config.toml").read_text(encoding="utf-8") == text


def test_a_folder_that_holds_no_archive_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "words-1.1-1").mkdir()
    (tmp_path / "words-1.1-1" / "essay.txt").write_text("mine")
    (tmp_path / "README").write_text("mine")
    monkeypatch.setenv("HARK_HOME", str(tmp_path))
    before = everything(tmp_path)
    assert hark(*BOTH).status == 0
    assert everything(tmp_path) == before


def test_it_waits_for_a_sync_that_is_running(archive: Path) -> None:
    running = locked(str(archive), wait_s=0, waiting=lambda: None)
    assert running.__enter__()
    waited: list[bool] = []

    def waiting() -> None:
        waited.append((archive / "archive.sqlite").exists())
        running.__exit__()

    assert "archive.sqlite" in remove(str(archive), waiting)
    assert waited == [True]


def test_a_deletion_that_was_killed_leaves_an_archive_or_none(archive: Path, tmp_path: Path) -> None:
    found = holdings(str(archive))
    paths = [*found.rows, *found.locks]
    assert len(paths) > 8
    whole = tmp_path / "whole"
    shutil.copytree(archive, whole)
    for number in range(len(paths) + 1):
        shutil.rmtree(archive)
        shutil.copytree(whole, archive)
        for path in paths[:number]:
            os.unlink(path)
        assert hark("sync").status == 0, number
        assert texts("quince") == ["quince"], number


TERMINAL = pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal is needed")


def typed(text: str, *argv: str) -> subprocess.CompletedProcess[str]:
    """Run the program with a terminal on which this is typed."""
    ours, theirs = os.openpty()
    try:
        os.write(ours, text.encode())
        return subprocess.run(
            [sys.executable, "-m", "harkback", "uninstall", "--delete-archive", *argv],
            stdin=theirs,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
    finally:
        os.close(ours)
        os.close(theirs)


@TERMINAL
@pytest.mark.parametrize(
    ("text", "yes"), [("yes\ndelete\n", ()), ("delete\n", ("--yes",)), ("Yes\nDELETE\n", ()), ("", ("--yes", "--yes"))]
)
def test_on_a_terminal_it_asks_what_was_not_answered(archive: Path, text: str, yes: tuple[str, ...]) -> None:
    done = typed(text, *yes)
    assert done.returncode == 0, done.stderr
    assert not archive.exists()
    assert [f"Type {word}" in done.stderr for word in ("yes", "delete")] == [not yes, len(yes) < 2]
    assert (f"The archive in {archive} (" in done.stderr) is (len(yes) < 2)


@TERMINAL
@pytest.mark.parametrize(
    ("text", "yes"),
    [("no\n", ()), ("yes\nyes\n", ()), ("yes\n\n", ()), ("y\ndelete\n", ()), ("yes\n\x04", ()), ("\x04", ("--yes",))],
)
def test_any_other_answer_stops_it(archive: Path, text: str, yes: tuple[str, ...]) -> None:
    before = everything(archive)
    done = typed(text, *yes, "--json")
    assert (done.returncode, done.stdout) == (1, "")
    assert "nothing was done" in done.stderr
    assert everything(archive) == before
