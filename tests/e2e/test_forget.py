"""`hark forget`: the words are nowhere afterwards, a sync does not bring them back, the rest answers as before."""

from __future__ import annotations

import io
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import tantivy

from harkback.cli import asking
from harkback.text.tokens import token_string

if TYPE_CHECKING:
    from tests.e2e.pens import PENS, Claude, Codex, Pen, Pi, hark, hits, texts
else:
    from pens import PENS, Claude, Codex, Pen, Pi, hark, hits, texts

WORD = "xyzzyquux"
HAN = "祕密驗收"


@pytest.fixture
def pens(own_home: Path) -> list[Pen]:
    """Write three sessions, each with a first prompt, a secret one in the middle, and a last."""
    made = [pen(number, "2026-11-03", f"/w/{pen.agent}") for number, pen in enumerate(PENS, 1)]
    for pen in made:
        pen.user(f"pear first {pen.agent} zebra{pen.number}z")
        pen.user(f"{WORD} {HAN} {pen.agent}")
        pen.say(f"pear answer {pen.agent}")
        pen.write(own_home)
    hark("sync")
    return made


def traces(home: Path, *words: str) -> list[str]:
    """Name the files of the archive in which a word stands, as bytes or as a term of the index."""
    folder = os.environ["HARK_HOME"]
    found: list[str] = []
    for base, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(base, name), "rb") as file:
                data = file.read()
            found += [name for word in words if word.encode() in data]
    con = sqlite3.connect(os.path.join(folder, "archive.sqlite"))
    (index,) = con.execute("SELECT value FROM meta WHERE key='words'").fetchone()
    con.close()
    searcher = tantivy.Index.open(os.path.join(folder, index)).searcher()
    # The count of documents that ever held a term, deleted ones too: what is left in the dictionary.
    tokens = {token for word in words for token in token_string(word).split()}
    found += [f"term {token}" for token in tokens if len(token) > 1 and searcher.doc_freq("w", token)]
    assert home.exists()
    return found


def answers() -> list[Any]:
    return [hark("search", "--json", "--no-sync", "pear").json["hits"], hark("sessions", "--json").json["sessions"]]


def test_a_forgotten_message_is_nowhere_and_stays_away(own_home: Path, pens: list[Pen]) -> None:
    assert traces(own_home, WORD, HAN)
    ids = [hit["id"] for hit in hits(WORD)]
    assert len(ids) == 3
    before = [hit["snippet"] for hit in hits("pear")]
    done = hark("forget", *ids, "--yes")
    assert (done.status, done.out) == (0, "forgot 3 messages and 0 sessions; a sync does not bring them back\n")
    assert traces(own_home, WORD, HAN) == []
    assert hits(WORD) == []
    hark("sync", "--full")
    assert hits(WORD) == []
    assert traces(own_home, WORD, HAN) == []
    assert [hit["snippet"] for hit in hits("pear")] == before
    for pen in pens:
        pen.user(f"pear later {pen.agent}")
        pen.write(own_home)
    assert len(texts("later")) == 3
    assert hits(WORD) == []


@pytest.mark.parametrize("kind", PENS)
def test_a_forgotten_session_is_not_read_again(own_home: Path, pens: list[Pen], kind: type[Pen]) -> None:
    (pen,) = [one for one in pens if isinstance(one, kind)]
    assert hark("forget", "--session", pen.native, "--yes").status == 0
    assert pen.agent not in {hit["agent"] for hit in hits("pear")}
    since = len(pen.rows)
    pen.user("pear more")
    pen.append(own_home, since)
    hark("sync")
    assert texts("more") == []
    assert hark("show", pen.native).status == 1
    assert traces(own_home, f"zebra{pen.number}z") == []
    assert len(hits("pear")) == 4


def test_the_title_that_was_made_of_it_goes_too(own_home: Path) -> None:
    pen = Claude(1, "2026-11-03")
    pen.user(f"{WORD} as a title")
    pen.say("pear")
    pen.write(own_home)
    (hit,) = hits(WORD)
    assert hit["title"] == f"{WORD} as a title"
    hark("forget", hit["id"], "--yes")
    assert traces(own_home, WORD) == []
    pen.user("pear again")
    pen.write(own_home)
    assert {hit["title"] for hit in hits("pear")} == {""}
    assert traces(own_home, WORD) == []


def test_a_title_that_another_transcript_gives_does_not_come_back(own_home: Path) -> None:
    pens = [Claude(number, "2026-11-03") for number in (1, 2)]
    for pen in pens:
        pen.user("pear asked")
        pen.say(f"pear {pen.native}")
        pen.write(own_home)
    for number, pen in enumerate(pens):
        one = Claude(10 + number, "2026-11-04")
        one.rows.append({"type": "summary", "summary": f"{WORD} {number}", "leafUuid": pen.rows[-1]["uuid"]})
        if number == 0:
            one.write(own_home)
            hark("sync")
            assert traces(own_home, WORD) != []
            hark("forget", "--session", pen.native, "--yes")
            assert traces(own_home, WORD) == []
        else:
            hark("forget", "--session", pen.native, "--yes")
            one.write(own_home)
    hark("sync")
    hark("sync", "--full")
    assert traces(own_home, WORD) == []


@pytest.mark.parametrize("kind", PENS)
def test_of_a_forgotten_project_only_the_agents_folders_are_left_while_they_exist(
    own_home: Path, kind: type[Pen]
) -> None:
    pens = [kind(1, "2026-11-03", f"/w/{WORD}"), kind(2, "2026-11-03", "/w/demo")]
    for pen in pens:
        pen.user("pear asked")
        pen.write(own_home)
    place = pens[0].path(own_home).parent
    if kind is Claude:
        place = place.parent / f"-w-{WORD}"
        place.mkdir()
        pens[0].path(own_home).rename(place / pens[0].path(own_home).name)
        pens[1].write(own_home)
    hark("sync")
    assert hark("forget", "--project", WORD, "--yes").status == 0
    hark("sync")
    con = sqlite3.connect(os.path.join(os.environ["HARK_HOME"], "archive.sqlite"))
    tables = [name for (name,) in con.execute("SELECT name FROM sqlite_schema WHERE type='table'")]
    left = {one for one in tables for row in con.execute(f"SELECT * FROM {one}") if WORD in repr(row)}
    con.close()
    assert left == (set() if kind is Codex else {"folder"})
    shutil.rmtree(place)
    pens[1].write(own_home)
    hark("sync")
    assert traces(own_home, WORD) == []


def test_the_names_of_a_forgotten_message_are_not_stored_again(own_home: Path) -> None:
    pen = Claude(1, "2026-11-03")
    pen.user("pear asked")
    pen.user(f"{WORD} there")
    pen.rows[-1]["gitBranch"] = "branch-zebra"
    pen.edit(f"/w/demo/{WORD}.md")
    pen.write(own_home)
    hark("sync")
    assert traces(own_home, f"{WORD}.md", "branch-zebra") != []
    assert hark("forget", "--match", WORD, "--yes").status == 0
    assert traces(own_home, f"{WORD}.md", "branch-zebra") == []
    hark("sync", "--full")
    pen.write(own_home)
    hark("sync")
    assert traces(own_home, WORD, "branch-zebra") == []
    assert hark("check").status == 0
    assert len(hits("pear")) == 1


@pytest.mark.parametrize("by", ["query", "id"])
def test_a_forgotten_title_that_another_transcript_gives_does_not_come_back(own_home: Path, by: str) -> None:
    pen, other, same = Claude(1, "2026-11-03"), Claude(2, "2026-11-04"), Claude(3, "2026-11-05")
    pen.user("pear asked")
    other.rows.append({"type": "summary", "summary": f"{WORD} plan", "leafUuid": pen.rows[-1]["uuid"]})
    same.user("pear elsewhere")
    same.title(own_home, f"{WORD} plan")
    for one in (pen, other, same):
        one.write(own_home)
    (hit, second) = hits(WORD)
    assert {hit["session"], second["session"]} == {pen.id, same.id}
    named = ("--match", WORD) if by == "query" else (next(one["id"] for one in hits(WORD) if one["session"] == pen.id),)
    assert hark("forget", *named, "--yes").status == 0
    assert traces(own_home, WORD) == []
    for argv in (("sync",), ("sync", "--full")):
        hark(*argv)
        assert (hits(WORD), traces(own_home, WORD)) == ([], [])
        assert hark("check").status == 0
    same.title(own_home, "zebra now")
    same.write(own_home)
    assert [one["session"] for one in hits("zebra")] == [same.id]
    assert hark("check").status == 0


@pytest.mark.parametrize("is_known", [True, False], ids=["fork read before", "fork read after"])
@pytest.mark.parametrize("kind", PENS)
def test_a_session_that_says_only_what_was_forgotten_is_not_listed(
    own_home: Path, kind: type[Pen], is_known: bool
) -> None:
    first, fork, other = kind(1, "2026-11-03"), kind(2, "2026-11-04"), kind(3, "2026-11-05")
    first.user(f"{WORD} first")
    first.say("pear answer")
    first.write(own_home)
    other.user("pear other")
    other.write(own_home)
    fork.copy(first, len(first.rows))
    if is_known:
        fork.title(own_home, f"{HAN} fork")
        fork.write(own_home)
    hark("sync")
    if is_known:
        assert fork.native in hark("sessions").out
        assert len(hits(HAN)) == 1
    hark("forget", "--session", first.native, "--yes")
    if not is_known:
        fork.title(own_home, f"{HAN} fork")
        fork.write(own_home)
    for argv in (("sync",), ("sync", "--full")):
        hark(*argv)
        listed = hark("sessions", "--subagents").out
        assert (fork.native in listed, other.native in listed) == (False, True)
        assert (hits(WORD), hits(HAN)) == ([], [])
        assert len(hits("pear")) == 1
        assert hark("check").status == 0
    assert traces(own_home, WORD, HAN) == []
    since = len(fork.rows)
    fork.user("pear goes on")
    fork.append(own_home, since)
    assert texts("goes on") == ["pear goes on"]
    assert fork.native in hark("sessions").out


def test_copies_in_forks_go_too(own_home: Path) -> None:
    first = Pi(1, "2026-11-03")
    first.user(f"{WORD} first")
    first.write(own_home)
    fork = Pi(2, "2026-11-04")
    fork.copy(first, len(first.rows))
    fork.user("pear in the fork")
    fork.write(own_home)
    (hit,) = hits(WORD)
    assert len(hit["copies"]) == 1
    hark("forget", "--session", first.native, "--yes")
    assert (hits(WORD), traces(own_home, WORD)) == ([], [])
    hark("sync", "--full")
    assert (hits(WORD), texts("pear")) == ([], ["pear in the fork"])


def test_a_project_a_time_and_a_query_name_what_goes(own_home: Path, pens: list[Pen]) -> None:
    assert len(pens) == 3
    late = Codex(9, "2026-11-20", "/w/late")
    late.user("pear late")
    late.write(own_home)
    hark("sync")
    assert hark("forget", "--match", f"{WORD} {HAN}", "--yes").out.startswith("forgot 3 messages")
    assert hark("forget", "--project", "codex", "--yes").out.startswith("forgot 2 messages and 1 session")
    assert {hit["agent"] for hit in hits("pear first")} == {"claude-code", "pi"}
    assert hark("forget", "--before", "2026-11-10", "--yes").status == 0
    assert texts("pear") == ["pear late"]
    assert traces(own_home, WORD, "first") == []


def test_nothing_is_forgotten_unasked(own_home: Path, pens: list[Pen], monkeypatch: pytest.MonkeyPatch) -> None:
    assert own_home.exists()
    asked = hark("forget", "--session", pens[0].native)
    assert asked.status == 2
    assert "--yes" in asked.err
    monkeypatch.setattr(asking, "is_agreed", lambda _: False)
    refused = hark("forget", "--session", pens[0].native)
    assert refused.status == 2
    assert "3 messages in all" in refused.err
    assert pens[0].native[:8] in refused.err
    assert len(hits(WORD)) == 3
    assert hark("forget", "--match", "nosuchword", "--yes").status == 1
    assert hark("forget", "--yes").status == 2
    assert hark("forget", "mnosuchid0000", "--yes").status == 1
    misread = hark("forget", "--before", "someday", "--yes")
    assert misread.status == 2
    assert "--before: 'someday'" in misread.err
    assert len(hits(WORD)) == 3


@pytest.mark.parametrize("blank", ["", " ", "/", " \\ "])
@pytest.mark.parametrize("way", ["--project", "--session", "ID", "--before", "--match", "project:"])
def test_a_blank_name_names_nothing(own_home: Path, pens: list[Pen], way: str, blank: str) -> None:
    assert own_home.exists()
    named = (blank,) if way == "ID" else ("--match", f'project:"{blank}"') if way == "project:" else (way, blank)
    done = hark("forget", *named, "--yes")
    assert done.status in {1, 2}
    assert "forgot " not in done.out
    if way in {"--project", "--session"}:
        assert hark("forget", way, pens[0].native, way, blank, "--yes").status == 2
    assert len(hits("pear")) == 6


def test_every_project_that_a_part_of_a_name_fits_is_shown_before(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, folder in enumerate(("/w/shop", "/w/shop-old", "/w/shop-old", "/w/bakery"), 1):
        pen = Claude(number, "2026-11-03", folder)
        pen.user(f"pear {number} {folder}")
        pen.write(own_home)
    hark("sync")
    for part, told in (
        ("shop-", {"/w/shop-old": 2}),
        ("/w/s", {"/w/shop-old": 2, "/w/shop": 1}),
        ("shop", {"/w/shop": 1}),
    ):
        asked = hark("forget", "--project", part)
        assert asked.status == 2
        lines = [line.strip() for line in asked.err.splitlines() if line.startswith("    project")]
        assert lines == [
            f"project {path}: {number} session{'s' if number > 1 else ''}" for path, number in told.items()
        ]
        asked = hark("forget", "--project", part, "--json")
        assert (asked.status, asked.json["forgotten"], asked.json["projects"]) == (2, False, told)
    monkeypatch.setattr(asking, "is_agreed", lambda _: False)
    refused = hark("forget", "--project", "shop-", "--json")
    assert (refused.status, refused.json["forgotten"], refused.json["sessions"]) == (2, False, 2)
    assert len(hits("pear")) == 4
    monkeypatch.setattr(asking, "is_agreed", lambda _: True)
    done = hark("forget", "--project", "shop-", "--json")
    assert (done.status, done.json["forgotten"], done.json["projects"]) == (0, True, {"/w/shop-old": 2})
    assert texts("pear") == ["pear 1 /w/shop", "pear 4 /w/bakery"]


def test_what_two_options_name_together_is_not_guessed(own_home: Path, pens: list[Pen]) -> None:
    assert own_home.exists()
    assert len(pens) > 1
    both = hark("forget", "--project", "codex", "--before", "2026-11-10", "--yes")
    assert both.status == 2
    assert "--project and --before were given together" in both.err
    assert hark("forget", pens[0].native, "--match", WORD, "--yes").status == 2
    assert len(hits(WORD)) == 3
    narrowed = hark("forget", "--match", f"{WORD} until:2001-01-01", "--yes")
    assert narrowed.status == 1
    assert hark("forget", "--match", f"{WORD} until:2099-01-01", "--yes").out.startswith("forgot 3 messages")


def test_a_query_can_come_from_standard_input(own_home: Path, pens: list[Pen], monkeypatch: pytest.MonkeyPatch) -> None:
    assert (own_home.exists(), len(pens)) == (True, 3)
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{WORD} {HAN}\n"))
    unasked = hark("forget", "--match", "-")
    assert unasked.status == 2
    assert ("3 messages in all" in unasked.err, "--yes" in unasked.err) == (True, True)
    assert len(hits(WORD)) == 3
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{WORD} {HAN}\npear\n"))
    assert hark("forget", "--match", "-", "--yes").out.startswith("forgot 3 messages")
    assert traces(own_home, WORD, HAN) == []
    assert len(hits("pear")) == 6


def test_a_query_from_standard_input_is_utf_8_whatever_the_locale(own_home: Path, pens: list[Pen]) -> None:
    assert (own_home.exists(), len(pens)) == (True, 3)
    done = subprocess.run(
        [sys.executable, "-m", "harkback", "forget", "--match", "-", "--yes"],
        input=f"{HAN}\n".encode(),
        env={**os.environ, "PYTHONIOENCODING": "latin-1"},
        capture_output=True,
        check=True,
    )
    assert done.stdout.startswith(b"forgot 3 messages")


@pytest.mark.parametrize("query", ["", "  ", "!!!", "in:talk"])
def test_a_query_without_a_word_forgets_nothing(
    own_home: Path, pens: list[Pen], monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    assert (own_home.exists(), len(pens)) == (True, 3)
    refused = hark("forget", "--match", query, "--yes")
    assert (refused.status, "no word that could be looked for" in refused.err) == (2, True)
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{query}\n"))
    assert hark("forget", "--match", "-", "--yes").status == 2
    assert len(hits("pear")) == 6
    assert hark("forget", "--match", f"{query} pear", "--yes").status == 0
    assert hits("pear") == []


def test_totals_agree_after_forgetting(own_home: Path, pens: list[Pen]) -> None:
    hark("forget", *[hit["id"] for hit in hits(WORD)], "--session", pens[1].native, "--yes")
    state = hark("status", "--json").json["coverage"]
    assert (state["files"], state["messages"]) == (2, 4)
    os.environ["HARK_HOME"] = str(own_home / "clean")
    con = sqlite3.connect(own_home.parent / "archive" / "archive.sqlite")
    assert con.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    parts = con.execute("SELECT count(*) FROM part").fetchone()[0]
    assert con.execute("SELECT value FROM meta WHERE key='total_parts'").fetchone()[0] == parts
    con.close()


def test_a_kill_before_the_new_index_is_made_up_for_by_the_next_sync(
    own_home: Path, pens: list[Pen], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(pens) == 3

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("harkback.engines.local.engine.LocalEngine.rebuild", killed)
        with pytest.raises(KeyboardInterrupt):
            hark("forget", "--match", WORD, "--yes")
    assert hits("--no-sync", WORD) == []
    assert any(trace.startswith("term") for trace in traces(own_home, WORD))
    assert "forgotten words are still in the word index" in hark("check").out
    hark("sync")
    assert traces(own_home, WORD, HAN) == []
    assert hark("check").status == 0


@pytest.mark.parametrize("how", ["told", "fork"])
def test_a_forgotten_prompt_is_no_title_where_another_title_is_forgotten_too(own_home: Path, how: str) -> None:
    first = Claude(1, "2026-11-03")
    first.user("galumphing plan of tables")
    first.say("planned all")
    first.user("thanks a lot")
    first.say("welcome")
    if how == "fork":
        first.rows.append({"type": "custom-title", "customTitle": "brillig custom", "sessionId": first.id})
    first.write(own_home)
    if how == "fork":
        fork = Claude(3, "2026-11-05")
        fork.copy(first, 4)
        fork.user("the fork goes on")
        fork.write(own_home)
    teller = Claude(2, "2026-11-04")
    teller.rows.append({"type": "summary", "summary": "zorblattian one", "leafUuid": first.rows[1]["uuid"]})
    teller.user("gardens")
    teller.write(own_home)
    hark("sync")
    if how == "told":
        prompt = next(one["id"] for one in hark("search", "--json", "galumphing").json["hits"] if one["role"] == "user")
        hark("forget", prompt, "--yes")
        hark("forget", "--match", "zorblattian", "--yes")
    else:
        hark("forget", "--session", first.id, "--yes")
    hark("sync", "--full")
    for word in ("galumphing", "zorblattian") if how == "told" else ("galumphing",):
        for path in Path(os.environ["HARK_HOME"]).rglob("*"):
            assert not path.is_file() or word.encode() not in path.read_bytes(), (word, path)
    assert "galumphing" not in hark("sessions", "--json").out
    assert hark("check").status == 0
