"""`hark config` as a person types it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harkback.config import OPTIONS

if TYPE_CHECKING:
    from tests.e2e.pens import hark
else:
    from pens import hark


def file() -> Path:
    return Path(os.environ["HARK_HOME"]) / "config.toml"


def test_the_list_says_of_every_option_what_it_is_and_where_it_was_set(monkeypatch: pytest.MonkeyPatch) -> None:
    hark("config", "search.limit", "20")
    monkeypatch.setenv("HARK_SHOW_CONTEXT", "3")
    found = hark("config")
    assert (found.status, found.err) == (0, "")
    rows = {line.split()[0]: line.split()[1:3] for line in found.out.splitlines()}
    assert list(rows) == [one.name for one in OPTIONS]
    assert rows["search.limit"] == ["20", "config.toml"]
    assert rows["show.context"] == ["3", "environment"]
    assert rows["search.sort"] == ["relevance", "default"]
    assert rows["home"] == [os.environ["HARK_HOME"], "environment"]


def test_one_option_is_its_value_alone_and_the_rest_on_the_side() -> None:
    found = hark("config", "sync.background_limit_s")
    assert (found.status, found.out) == (0, "600\n")
    assert found.err.startswith("default; how long that process may read")
    assert hark("config", "search.limit", "--json").json["options"][0]["value"] == 10


def test_an_option_is_set_and_taken_out_and_the_file_keeps_its_comments() -> None:
    file().parent.mkdir()
    file().write_text("# mine\n[search]\ncontext = 1 # one\n", encoding="utf-8")
    found = hark("config", "search.limit", "20")
    assert (found.status, found.out, found.err) == (0, f"search.limit is set to 20 in {file()}\n", "")
    assert file().read_text(encoding="utf-8") == "# mine\n[search]\ncontext = 1 # one\nlimit = 20\n"
    assert hark("config", "search.limit").out == "20\n"
    assert hark("config", "--unset", "search.limit").out == f"search.limit is taken out of {file()}\n"
    assert file().read_text(encoding="utf-8") == "# mine\n[search]\ncontext = 1 # one\n"
    assert hark("config", "--unset", "search.limit").out == f"search.limit does not stand in {file()}\n"
    assert hark("config", "search.limit").out == "10\n"


def test_a_variable_that_counts_more_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARK_SEARCH_LIMIT", "7")
    found = hark("config", "search.limit", "20")
    assert found.err == "hark: HARK_SEARCH_LIMIT in the environment counts more than config.toml\n"
    assert hark("config", "search.limit").out == "7\n"


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("serch.limit",), "There is no option 'serch.limit'. Did you mean 'search.limit'?"),
        (("serch.limit", "5"), "Did you mean 'search.limit'?"),
        (("--unset", "serch.limit"), "Did you mean 'search.limit'?"),
        (("search.limit", "many"), "search.limit: 'many' is not understood. It takes a number, 1 to 100,000."),
        (("search.limit", ""), "It takes a number, 1 to 100,000."),
        (("home", "/elsewhere"), "It is set in the environment only: HARK_HOME."),
        (("--unset", "home"), "It is set in the environment only: HARK_HOME."),
        (("--unset",), "`hark config --unset` needs the name of what is to be taken out of"),
        (("--unset", ""), "such as search.limit"),
        (("", "5"), "There is no option ''."),
        (("--unset", "search.limit", "5"), "It takes the name of one option."),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_is_written(argv: tuple[str, ...], said: str) -> None:
    found = hark("config", *argv)
    assert (found.status, found.out) == (2, "")
    assert said in found.err
    assert not file().exists()


@pytest.mark.parametrize("argv", [(), ("search.limit",), ("search.limit", "5"), ("--unset", "search.limit")])
def test_a_file_that_is_no_toml_is_named_with_its_line_and_left_alone(argv: tuple[str, ...]) -> None:
    file().parent.mkdir()
    file().write_text("\nlimit 5\n", encoding="utf-8")
    found = hark("config", *argv)
    assert (found.status, found.out) == (2, "")
    assert f"hark: {file()} is not understood in line 2: " in found.err
    assert file().read_text(encoding="utf-8") == "\nlimit 5\n"


def test_all_that_does_not_count_is_listed_on_the_side() -> None:
    file().parent.mkdir()
    file().write_text("[search]\nlimit = 0\nsort = 'up'\n", encoding="utf-8")
    found = hark("config")
    assert found.status == 0
    assert found.err.count(f"hark: {file()}: ") == 2
    assert len(hark("config", "--json").json["notes"]) == 2


@pytest.mark.parametrize(
    ("text", "key", "left"),
    [
        ("# mine\n[search]\nlimt = 5\ncontext = 1\n", "search.limt", "# mine\n[search]\ncontext = 1\n"),
        ("serch = 5\n[search]\ncontext = 1\n", "serch", "[search]\ncontext = 1\n"),
        ("search = 5\n", "search", ""),
        ("home = '/elsewhere'\ncolor = 'auto'\n", "home", "color = 'auto'\n"),
    ],
)
def test_what_does_not_count_is_named_with_its_file_and_can_be_taken_out(text: str, key: str, left: str) -> None:
    file().parent.mkdir()
    file().write_text(text, encoding="utf-8")
    for argv in (("config",), ("search", "pear")):
        said = hark(*argv).err
        assert f"hark: {file()}" in said
    done = hark("config", "--unset", key)
    assert (done.status, done.out, done.err) == (0, f"{key} is taken out of {file()}\n", "")
    assert file().read_text(encoding="utf-8") == left
    assert hark("config").err == ""
    assert hark("config", "--unset", key).status == 2


def test_a_value_where_a_table_belongs_is_named_with_its_line() -> None:
    file().parent.mkdir()
    file().write_text("# mine\nsearch = 5\n", encoding="utf-8")
    said = f"hark: {file()} is not understood in line 2: search is a group of options and has no value of its own"
    assert hark("config").err.startswith(said)
    found = hark("config", "search.limit", "20")
    assert (found.status, found.err.startswith(said)) == (2, True)


@pytest.mark.usefixtures("own_home")
def test_an_address_that_is_none_is_refused_and_nothing_is_set() -> None:
    for address in ("ftp://x", "localhost:11434"):
        told = hark("config", "meaning.endpoint", address)
        assert (told.status, "http://127.0.0.1:11434/v1" in told.err) == (2, True)
    assert hark("config", "meaning.endpoint").out == "\n"
    assert hark("config", "meaning.endpoint", "http://127.0.0.1:11434/v1").status == 0
    assert hark("config", "meaning.endpoint").out == "http://127.0.0.1:11434/v1\n"
