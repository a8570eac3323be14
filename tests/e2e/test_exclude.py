"""Projects that are not read, and projects that are found only from inside themselves."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from harkback.cli import asking
from harkback.ingest.excluded import Excluded, is_match

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.pens import PENS, Claude, Codex, Pen, hark, hits, texts
else:
    from pens import PENS, Claude, Codex, Pen, hark, hits, texts


@pytest.fixture
def folders(own_home: Path) -> tuple[Path, Path]:
    """Write a session of each agent in an open and in a secret project."""
    places = (own_home / "work" / "open", own_home / "work" / "secret-a")
    for place in places:
        place.mkdir(parents=True)
    for number, kind in enumerate(PENS):
        for at, place in enumerate(places):
            pen = kind(10 * at + number + 1, "2026-11-03", str(place))
            pen.user(f"pear {place.name} {kind.agent}")
            pen.write(own_home)
    return places


def projects(*argv: str) -> set[str]:
    return {text.split()[1] for text in texts("pear", *argv)}


PATTERNS = ["secret-*", "~/work/secret-a", "~/work/secret-*", "*/secret-a", "secret-a"]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_what_was_read_of_an_excluded_project_is_forgotten_and_nothing_more_is_read(
    own_home: Path, folders: tuple[Path, Path], pattern: str
) -> None:
    assert projects() == {"open", "secret-a"}
    done = hark("exclude", "add", pattern, "--yes")
    assert (done.status, "3 sessions that had been read are forgotten" in done.out) == (0, True)
    assert projects() == {"open"}
    late = Claude(99, "2026-11-04", str(folders[1]))
    late.user("pear secret-a late")
    late.write(own_home)
    assert projects() == {"open"}
    hark("sync", "--full")
    assert projects() == {"open"}
    for name in os.listdir(os.environ["HARK_HOME"]):
        path = os.path.join(os.environ["HARK_HOME"], name)
        if os.path.isfile(path):
            with open(path, "rb") as file:
                assert b"pear secret-a" not in file.read()
    assert hark("exclude", "list").out.startswith("excluded")
    assert hark("exclude", "remove", pattern).status == 0
    hark("sync")
    assert len(texts("pear", "secret-a")) == 4
    assert hark("exclude", "list").status == 1


@pytest.fixture
def transcripts(own_home: Path, folders: tuple[Path, Path]) -> list[Path]:
    """Read everything, then let the agent delete one transcript of the secret project; give the others."""
    assert projects() == {"open", "secret-a"}
    pens = [kind(10 + number, "2026-11-03", str(folders[1])) for number, kind in enumerate(PENS, 1)]
    paths = [pen.path(own_home) for pen in pens]
    assert all(path.exists() for path in paths)
    paths[0].unlink()
    return paths[1:]


def test_what_excluding_would_forget_is_shown_and_asked_for(
    folders: tuple[Path, Path], transcripts: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(transcripts) == 2
    asked = hark("exclude", "add", "secret-*")
    assert asked.status == 2
    assert f"3 sessions would be forgotten:\n    project {folders[1]}: 3 sessions\n" in asked.err
    assert "1 session of them would be lost for good" in asked.err
    assert "--yes" in asked.err
    told = {"schema": 1, "agreed": False, "changed": False, "forgotten": 3, "lost": 1, "projects": {str(folders[1]): 3}}
    assert hark("exclude", "add", "secret-*", "--json").json == told
    monkeypatch.setattr(asking, "is_agreed", lambda _: False)
    assert hark("exclude", "add", "secret-*").status == 2
    assert hark("exclude", "list").status == 1
    assert projects() == {"open", "secret-a"}
    monkeypatch.setattr(asking, "is_agreed", lambda _: True)
    assert hark("exclude", "add", "secret-*", "--json").json == {**told, "agreed": True, "changed": True}
    assert projects() == {"open"}


def test_the_answer_says_what_is_lost_for_good(transcripts: list[Path]) -> None:
    done = hark("exclude", "add", "secret-*", "--yes")
    told = "3 sessions that had been read are forgotten, 1 of them for good (no transcript is left)"
    assert done.out == f"secret-* is not read; {told}\n"
    removed = hark("exclude", "remove", "secret-*")
    assert (removed.status, "no transcript any more do not come back" in removed.out) == (0, True)
    hark("sync")
    assert texts("pear", "secret-a") == [f"pear secret-a {kind.agent}" for kind in PENS[1:]]
    for path in transcripts:
        path.write_bytes(b"")
    assert hark("exclude", "add", "secret-*", "--json", "--yes").json["lost"] == 2


def test_a_blank_pattern_is_refused(folders: tuple[Path, Path]) -> None:
    assert len(folders) == 2
    for blank in ("", " ", "\t"):
        done = hark("exclude", "add", blank, "--yes")
        assert (done.status, "needs a project" in done.err) == (2, True)
    assert hark("exclude", "list").status == 1


def test_nothing_is_asked_where_nothing_fits_or_nothing_would_be_forgotten(folders: tuple[Path, Path]) -> None:
    (folders[0] / ".harkignore").touch()
    assert projects() == {"secret-a"}
    assert hark("exclude", "add", "secret-*").status == 2
    assert hark("exclude", "add", "nosuch-*").status == 0
    assert hark("exclude", "add", "secret-*", "--sealed").status == 0
    assert projects() == set()
    assert hark("exclude", "remove", "secret-*").out == "secret-* is found again\n"
    assert projects() == {"secret-a"}


def test_a_folder_inside_a_repository_can_be_excluded_alone(own_home: Path) -> None:
    repository = own_home / "work" / "repo"
    (repository / ".git").mkdir(parents=True)
    for number, name in enumerate(("open", "secret"), 1):
        (repository / name).mkdir()
        pen = Claude(number, "2026-11-03", str(repository / name))
        pen.user(f"pear {name}")
        pen.write(own_home)
    assert projects() == {"open", "secret"}
    done = hark("exclude", "add", "secret", "--yes", "--json").json
    assert (done["forgotten"], done["projects"]) == (1, {str(repository): 1})
    assert projects() == {"open"}


def test_what_was_just_forgotten_does_not_count_as_unread(folders: tuple[Path, Path]) -> None:
    assert projects() == {"open", "secret-a"}
    assert folders
    hark("exclude", "add", "secret-*", "--yes")
    assert hark("status", "--json").json["coverage"]["pending"] == 0


@pytest.mark.parametrize("kind", PENS)
@pytest.mark.parametrize("secret", ["original", "fork"])
def test_what_also_stands_in_an_open_project_stays(own_home: Path, kind: type[Pen], secret: str) -> None:
    places = {name: own_home / "work" / name for name in ("original", "fork")}
    for place in places.values():
        place.mkdir(parents=True)
    original = kind(1, "2026-11-03", str(places["original"]))
    original.user("pear shared")
    original.say("pear shared answer")
    original.write(own_home)
    fork = kind(2, "2026-11-04", str(places["fork"]))
    if isinstance(fork, Claude):
        original.rows = [{**row, "cwd": fork.cwd} for row in original.rows]
    fork.copy(original, len(original.rows))
    fork.user("pear fork alone")
    fork.write(own_home)
    before = texts("pear")
    assert before == ["pear fork alone", "pear shared", "pear shared answer"]
    assert all(len(hit["copies"]) == 1 for hit in hits("shared"))
    done = hark("exclude", "add", secret, "--yes", "--json").json
    assert done["forgotten"] == 1
    left = before if secret == "original" else before[1:]
    assert texts("pear") == left
    (project,) = {hit["project"] for hit in hark("search", "--json", "pear").json["hits"]}
    assert project != str(places[secret])
    assert hark("check").status == 0
    counted = hark("status", "--json").json["coverage"]
    hark("sync", "--full")
    assert texts("pear") == left
    again = hark("status", "--json").json["coverage"]
    assert {**again, "last_full_pass": None} == {**counted, "last_full_pass": None}


@pytest.mark.parametrize("pattern", [".", "./", "../secret-a"])
def test_a_relative_path_is_that_of_the_folder_one_stands_in(
    folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, pattern: str
) -> None:
    assert projects() == {"open", "secret-a"}
    monkeypatch.chdir(folders[1])
    assert "3 sessions that had been read are forgotten" in hark("exclude", "add", pattern, "--yes").out
    assert hark("exclude", "list").out.split()[1].endswith("/secret-a")
    assert projects() == {"open"}
    assert hark("exclude", "remove", pattern).status == 0


def test_a_pattern_that_fits_nothing_changes_nothing(folders: tuple[Path, Path]) -> None:
    assert folders
    added = hark("exclude", "add", "secre")
    assert (added.status, added.out) == (0, "secre is not read; nothing in the archive fits it yet\n")
    assert projects() == {"open", "secret-a"}
    assert hark("exclude", "remove", "secre").status == 0
    again = hark("exclude", "remove", "secre")
    assert (again.status, again.out) == (1, "secre was neither excluded nor sealed.\n")
    assert hark("exclude", "add").status == 2


def test_an_ignore_file_keeps_a_project_from_being_read(own_home: Path, folders: tuple[Path, Path]) -> None:
    (folders[1] / ".harkignore").touch()
    assert projects() == {"open"}
    below = folders[1] / "deep" / "er"
    below.mkdir(parents=True)
    pen = Claude(50, "2026-11-04", str(below))
    pen.user("pear below")
    pen.write(own_home)
    assert projects() == {"open"}


def test_an_ignore_file_that_comes_later_takes_out_what_was_read(folders: tuple[Path, Path]) -> None:
    assert projects() == {"open", "secret-a"}
    (folders[1] / ".harkignore").touch()
    hark("sync")
    assert projects() == {"open"}
    (folders[1] / ".harkignore").unlink()
    assert projects() == {"open"}
    hark("sync")
    assert projects() == {"open", "secret-a"}


@pytest.mark.parametrize("way", ["pattern", "file", "file met by a search"])
@pytest.mark.parametrize("full", [(), ("--full",)], ids=["sync", "sync --full"])
def test_what_is_excluded_and_wanted_again_is_read_and_counted(
    own_home: Path, folders: tuple[Path, Path], way: str, full: tuple[str, ...]
) -> None:
    assert projects() == {"open", "secret-a"}
    pen = Claude(11, "2026-11-03", str(folders[1]))
    pen.user("pear secret-a claude-code")
    for number in range(3):
        if way == "pattern":
            hark("exclude", "add", "secret-*", "--yes")
        else:
            (folders[1] / ".harkignore").touch()
        if way == "file met by a search":
            pen.user(f"pear secret-a {number}")
            pen.write(own_home)
        else:
            hark("sync")
        assert projects() == {"open"}
        status = hark("status", "--json").json["coverage"]
        assert (status["files"], status["pending"]) == (3, 0)
        assert "the total of" not in hark("check").out
        if way == "pattern":
            hark("exclude", "remove", "secret-*")
        else:
            (folders[1] / ".harkignore").unlink()
        told = hark("sync", *full, "--json").json
        assert told["coverage"]["files"] == 6
        assert projects() == {"open", "secret-a"}
        assert hark("check", "--json").json["faults"] == []
    assert hark("sync", "--json").json["files"] == 0


def test_a_sync_says_what_an_ignore_file_made_it_forget(folders: tuple[Path, Path], transcripts: list[Path]) -> None:
    assert len(transcripts) == 2
    assert "harkignore" not in hark("sync").out
    (folders[1] / ".harkignore").touch()
    done = hark("sync").out.splitlines()
    assert "3 sessions forgotten (.harkignore), 1 of them for good (no transcript is left)" in done
    assert projects() == {"open"}
    assert "harkignore" not in hark("sync").out
    assert hark("status", "--json").json["coverage"]["pending"] == 0
    (folders[0] / ".harkignore").touch()
    told = hark("sync", "--json").json
    assert (told["forgotten"], told["lost"]) == (3, 0)


@pytest.mark.parametrize("kind", PENS)
def test_a_search_that_meets_an_ignore_file_forgets_and_says_so(
    own_home: Path, folders: tuple[Path, Path], transcripts: list[Path], kind: type[Pen]
) -> None:
    assert len(transcripts) == 2
    (folders[1] / ".harkignore").touch()
    pen = kind(10 + 1 + PENS.index(kind), "2026-11-03", str(folders[1]))
    pen.user(f"pear secret-a {kind.agent}")
    pen.user("pear secret-a late")
    pen.write(own_home)
    assert projects("--no-sync") == {"open", "secret-a"}
    assert traces("secret") != []
    found = hark("search", "--json", "pear").json
    assert {hit["snippet"].split()[1] for hit in found["hits"]} == {"open"}
    gone = 0 if kind is PENS[0] else 1
    lost = f", {gone} of them for good (no transcript is left)" if gone else ""
    assert found["notes"] == [f"3 sessions forgotten (.harkignore){lost}"]
    assert found["lanes"]["talk"] == 3
    assert hark("search", "--json", "pear").json["notes"] == []
    hark("sync")
    assert projects() == {"open"}
    assert hark("check").status == 0
    assert traces("secret") == []


def test_events_that_meet_an_ignore_file_say_what_was_forgotten(
    own_home: Path, folders: tuple[Path, Path], capfd: pytest.CaptureFixture[str]
) -> None:
    from harkback.cli import main

    assert main(["events"]) == 0
    before = capfd.readouterr()
    assert ("secret-a" in before.out, "harkignore" in before.err) == (True, False)
    (folders[1] / ".harkignore").touch()
    pen = Claude(11, "2026-11-03", str(folders[1]))
    pen.user("pear secret-a claude-code")
    pen.user("pear secret-a late")
    pen.write(own_home)
    assert main(["events"]) == 0
    after = capfd.readouterr()
    assert ("secret-a" in after.out, "3 sessions forgotten (.harkignore)" in after.err) == (False, True)


def titled(home: Path, pen: Pen, number: int, title: str, cwd: str) -> None:
    """Write a session that gives another one a title, as old Claude Code does, in its first line."""
    one = Claude(number, "2026-11-05", cwd)
    one.rows.append({"type": "summary", "summary": title, "leafUuid": pen.rows[-1]["uuid"]})
    one.user(f"plum {number}")
    one.write(home)


@pytest.fixture
def claude(own_home: Path, folders: tuple[Path, Path]) -> list[Pen]:
    """Give Claude Code's session of each project, and let one in the open project name them."""
    pens: list[Pen] = [Claude(1, "2026-11-03", str(folders[0])), Claude(11, "2026-11-03", str(folders[1]))]
    for number, pen in enumerate(pens):
        pen.user(f"pear {('open', 'secret-a')[number]} claude-code")
        titled(own_home, pen, 50 + number, f"kiwi {('open', 'secret')[number]}", str(folders[0]))
    return pens


def test_a_title_that_is_told_elsewhere_is_not_kept_of_an_excluded_session(
    own_home: Path, folders: tuple[Path, Path], claude: list[Pen]
) -> None:
    assert texts("kiwi") == ["kiwi open", "kiwi secret"]
    assert traces("secret", "kiwi") != []
    hark("exclude", "add", "secret-*", "--yes")
    assert (texts("kiwi"), traces("secret", "kiwi")) == (["kiwi open"], [])
    hark("sync", "--full")
    assert (texts("kiwi"), traces("secret", "kiwi")) == (["kiwi open"], [])
    titled(own_home, claude[1], 60, "kiwi secret later", str(folders[0]))
    assert (texts("kiwi"), traces("secret", "kiwi")) == (["kiwi open"], [])
    assert texts("plum") == [f"plum {number}" for number in (50, 51, 60)]


@pytest.mark.usefixtures("claude")
def test_a_title_is_not_kept_of_a_session_that_was_never_read(own_home: Path, folders: tuple[Path, Path]) -> None:
    (folders[1] / ".harkignore").touch()
    assert own_home.exists()
    hark("sync")
    assert (texts("kiwi"), traces("secret", "kiwi")) == (["kiwi open"], [])


def test_what_an_excluded_transcript_tells_before_its_folder_is_not_kept(
    own_home: Path, folders: tuple[Path, Path]
) -> None:
    pen = Claude(1, "2026-11-03", str(folders[0]))
    pen.user("pear open claude-code")
    titled(own_home, pen, 60, "kiwi secret", str(folders[1]))
    hark("exclude", "add", "secret-*")
    hark("sync")
    assert projects() == {"open"}
    assert (texts("kiwi"), traces("secret", "kiwi")) == ([], [])
    hark("exclude", "remove", "secret-*")
    hark("sync")
    assert texts("kiwi") == ["kiwi secret"]
    assert traces("secret", "kiwi") != []


def test_a_name_in_codex_own_index_is_not_kept_of_an_excluded_session(
    own_home: Path, folders: tuple[Path, Path]
) -> None:
    pens = [Codex(10 * at + 2, "2026-11-03", str(place)) for at, place in enumerate(folders)]
    assert projects() == {"open", "secret-a"}
    for name, pen in zip(("open", "secret"), pens, strict=True):
        pen.title(own_home, f"kiwi {name}")
    assert texts("kiwi") == ["kiwi open", "kiwi secret"]
    hark("exclude", "add", "secret-*", "--yes")
    assert (texts("kiwi"), traces("secret", "kiwi")) == (["kiwi open"], [])
    for name, pen in zip(("open", "secret"), pens, strict=True):
        pen.title(own_home, f"kiwi {name} later")
    assert (texts("kiwi"), traces("secret", "kiwi")) == (["kiwi open later"], [])
    hark("sync", "--full")
    assert (texts("kiwi"), traces("secret", "kiwi")) == (["kiwi open later"], [])
    hark("exclude", "remove", "secret-*")
    hark("sync")
    assert texts("kiwi") == ["kiwi open later", "kiwi secret later"]


def traces(word: str, before: str = "pear") -> list[str]:
    """Name the files of the archive in which a word stands; the paths of transcripts may."""
    found: list[str] = []
    for base, _, names in os.walk(os.environ["HARK_HOME"]):
        for name in names:
            with open(os.path.join(base, name), "rb") as file:
                found += [name] * (f"{before} {word}".encode() in file.read())
    return found


@pytest.mark.parametrize("how", ["pattern", "file"])
def test_nothing_of_an_excluded_project_is_pending(own_home: Path, folders: tuple[Path, Path], how: str) -> None:
    hark("sync")
    late = Claude(99, "2026-11-04", str(folders[0]))
    late.user("pear late")
    late.write(own_home)
    assert "1 transcript has something new" in hark("status").out
    hark("sync")
    assert "pending    nothing" in hark("status").out
    if how == "file":
        (folders[1] / ".harkignore").touch()
        hark("sync")
    else:
        hark("exclude", "add", "secret-a", "--yes")
        hark("exclude", "add", "nothing-else", "--yes")
    assert "pending    nothing" in hark("status").out
    assert "not read yet" not in hark("sources").out
    assert "the archive holds 4 transcripts" in hark("sync").out
    assert hark("check").status == 0


def test_the_name_of_an_excluded_thread_is_not_stored(own_home: Path, folders: tuple[Path, Path]) -> None:
    hark("exclude", "add", "secret-a")
    for number, place in enumerate(folders):
        pen = Codex(70 + number, "2026-11-05", str(place))
        pen.user("pear")
        pen.title(own_home, f"quince {place.name}")
        pen.write(own_home)
    hark("sync")
    assert texts("quince") == ["quince open"]


def test_forgetting_a_session_that_was_excluded_keeps_the_totals(folders: tuple[Path, Path]) -> None:
    hark("sync")
    (native,) = [one["id"] for one in hark("sessions", "--json", "secret-a claude").json["sessions"]]
    assert folders
    hark("exclude", "add", "secret-a", "--yes")
    assert "the archive holds 3 transcripts" in hark("sync").out
    assert hark("forget", "--session", native, "--yes").status == 0
    assert "the archive holds 3 transcripts" in hark("sync").out


@pytest.mark.parametrize("how", ["excluded", "ignored", "sealed"])
def test_a_search_says_that_everything_is_excluded(folders: tuple[Path, Path], how: str) -> None:
    assert projects() == {"open", "secret-a"}
    for place in folders:
        assert "exclude" not in hark("search", "nowhere").out
        if how == "ignored":
            (place / ".harkignore").touch()
            hark("sync")
        else:
            hark("exclude", "add", place.name, *(["--sealed"] if how == "sealed" else []), "--yes")
    for argv in (("pear",), ("--by", "session", "pear"), ("since:2026-01-01",), ("--no-sync", "pear")):
        found = hark("search", *argv)
        assert found.status == 1
        assert found.out.startswith(f"Nothing found. Every project is {'sealed' if how == 'sealed' else 'excluded'}")
        assert "`hark exclude list`" in found.out


def test_a_sealed_project_is_found_only_from_inside(
    folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert projects() == {"open", "secret-a"}
    assert hark("exclude", "add", "secret-*", "--sealed", "--yes").status == 0
    assert projects() == {"open"}
    assert projects("--by", "session") == {"open"}
    listed = hark("sessions", "--json").json["sessions"]
    assert {os.path.basename(one["cwd"]) for one in listed} == {"open"}
    monkeypatch.chdir(folders[1])
    assert projects() == {"open", "secret-a"}
    assert len(hark("sessions", "--json").json["sessions"]) == 6


def test_events_leave_a_sealed_project_out(
    folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    from harkback.cli import main

    assert projects() == {"open", "secret-a"}
    hark("exclude", "add", "secret-*", "--sealed", "--yes")
    assert main(["events"]) == 0
    assert "secret-a" not in capfd.readouterr().out
    monkeypatch.chdir(folders[1])
    assert main(["events"]) == 0
    assert "secret-a" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("folder", "pattern", "fits"),
    [
        ("/w/a", "a", True),
        ("/w/a", "/w/a", True),
        ("/w/a", "b", False),
        ("/w/ab", "a", False),
        ("/w/ab", "a*", True),
        ("/w/x/ab", "/w/*", True),
        ("C:\\w\\a", "C:/w/a", True),
        ("C:\\w\\a", "a", True),
    ],
)
def test_a_pattern_is_a_name_or_a_path(folder: str, pattern: str, fits: bool) -> None:
    assert is_match(folder, [pattern]) is fits


def test_what_lies_below_an_excluded_folder_is_excluded_too(tmp_path: Path) -> None:
    excluded = Excluded(["~/a"], "/h")
    assert excluded.holds("/h/a/b/c")
    assert not excluded.holds("/h/ab")
    assert not Excluded([], "/h").holds(str(tmp_path))


def test_every_agent_is_kept_out(own_home: Path, folders: tuple[Path, Path]) -> None:
    assert own_home.exists()
    hark("exclude", "add", str(folders[1]))
    agents = {one["agent"] for one in hark("search", "--json", "pear").json["hits"]}
    assert agents == {pen.agent for pen in PENS}
    assert isinstance(PENS[0](1, "2026-11-03"), Pen)
