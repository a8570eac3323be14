"""Options: what a value may be, where it may stand, which of two places counts, and what is said of the rest."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest

from harkback import errors
from harkback.config import (
    ADDRESS,
    CHOICE,
    DECIMAL,
    DEFAULTS,
    FOLDER,
    OPTIONS,
    SECONDS,
    SWITCH,
    TEXT,
    Settings,
    option,
    read_file,
    read_settings,
    understood,
    written,
)

if TYPE_CHECKING:
    from pathlib import Path

NAMES = [one.name for one in OPTIONS]


def put(folder: Path, text: str | bytes) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_bytes(text.encode() if isinstance(text, str) else text)
    return str(folder)


def read(folder: Path, text: str | bytes, **env: str) -> Settings:
    return read_settings(env, put(folder, text))


# -- the table -----------------------------------------------------------------------------------------------------


def test_names_and_variables_are_there_once() -> None:
    assert len(set(NAMES)) == len(NAMES)
    variables = [one.env for one in OPTIONS]
    assert len(set(variables)) == len(variables)
    assert all(re.fullmatch(r"HARK_[A-Z_]+", one) for one in variables)


@pytest.mark.parametrize("name", NAMES)
def test_the_default_is_a_value_that_the_option_takes(name: str) -> None:
    known = option(name)
    assert understood(known, known.default) == known.default
    assert understood(known, written(known.default)) == known.default
    assert DEFAULTS.of(name) == (known, known.default, "default")


@pytest.mark.parametrize("name", NAMES)
def test_every_option_refuses_something_and_says_what_it_takes(name: str) -> None:
    known = option(name)
    with pytest.raises(errors.BadValue, match=re.escape(known.takes)):
        understood(known, ["a list"])


@pytest.mark.parametrize(
    ("name", "value", "read"),
    [
        ("search.limit", "25", 25),
        ("search.limit", 1, 1),
        ("search.limit", "100000", 100_000),
        ("search.catch_up_s", "0.25", 0.25),
        ("search.catch_up_s", "3", 3.0),
        ("search.catch_up_s", 0, 0.0),
        ("search.sort", "newest", "newest"),
        ("sync.background", "OFF", False),
        ("sync.background", "yes", True),
        ("sync.background", False, False),
        ("meaning.endpoint", "http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/v1"),
        ("meaning.endpoint", "HTTPS://models.example/openai/v1/", "HTTPS://models.example/openai/v1/"),
        ("meaning.endpoint", "http://[::1]:8080", "http://[::1]:8080"),
        ("meaning.endpoint", "", ""),
    ],
)
def test_a_value_is_understood(name: str, value: object, read: object) -> None:
    found = understood(option(name), value)
    assert (found, type(found)) == (read, type(read))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("meaning.endpoint", "ftp://x"),
        ("meaning.endpoint", "127.0.0.1:11434"),
        ("meaning.endpoint", "http://"),
        ("meaning.endpoint", "http://a b"),
        ("meaning.endpoint", "http://a:port"),
        ("meaning.endpoint", "http://user:key@a/v1"),
        ("meaning.endpoint", "http://a/v1?key=b"),
        ("meaning.endpoint", 5),
        ("search.limit", "0"),
        ("search.limit", "100001"),
        ("search.limit", "-1"),
        ("search.limit", "ten"),
        ("search.limit", ""),
        ("search.limit", "1.5"),
        ("search.limit", "٣"),
        ("search.limit", 2.0),
        ("search.limit", True),
        ("search.limit", 10**400),
        ("search.catch_up_s", "601"),
        ("search.catch_up_s", "nan"),
        ("search.catch_up_s", float("nan")),
        ("search.catch_up_s", float("inf")),
        ("search.catch_up_s", "1e2"),
        ("search.catch_up_s", False),
        ("search.sort", "Newest"),
        ("search.sort", True),
        ("sync.background", "maybe"),
        ("sync.background", 1),
        ("color", {}),
    ],
)
def test_a_value_that_does_not_fit_is_refused(name: str, value: object) -> None:
    with pytest.raises(errors.BadValue):
        understood(option(name), value)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("search.limt", "search.limit"),
        ("colour", "color"),
        ("Search.Sort", "search.sort"),
        ("page_chars", "show.page_chars"),
        ("background", "sync.background"),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest_one(name: str, near: str) -> None:
    with pytest.raises(errors.UnknownOption, match=f"'{re.escape(name)}'.*'{re.escape(near)}'"):
        option(name)


def test_a_name_that_is_near_to_none_is_answered_with_the_way_to_the_list() -> None:
    with pytest.raises(errors.UnknownOption) as told:
        option("驗收")
    assert str(told.value) == "There is no option '驗收'. `hark config` lists all of them."


# -- where it may stand --------------------------------------------------------------------------------------------


def test_the_environment_counts_more_than_the_file_and_the_file_more_than_the_default(tmp_path: Path) -> None:
    text = "color = 'never'\n[search]\nlimit = 5\ncatch_up_s = 2\n[sync]\nbackground = false\n"
    found = read(tmp_path, text, HARK_SEARCH_LIMIT="7")
    assert found.of("search.limit")[1:] == (7, "environment")
    assert found.of("search.catch_up_s")[1:] == (2.0, "config.toml")
    assert found.of("search.context")[1:] == (0, "default")
    assert (found.number("search.limit"), found.seconds("search.catch_up_s")) == (7, 2.0)
    assert (found.is_on("sync.background"), found.text("color"), found.text("sync.background")) == (
        False,
        "never",
        "off",
    )
    assert found.notes == ()


def test_an_empty_variable_is_not_set(tmp_path: Path) -> None:
    assert read(tmp_path, "[search]\nlimit = 5\n", HARK_SEARCH_LIMIT="").number("search.limit") == 5


@pytest.mark.parametrize("known", [one for one in OPTIONS if one.kind != FOLDER], ids=lambda one: one.name)
def test_every_option_is_read_from_the_environment_and_from_the_file(known: tuple[str, ...], tmp_path: Path) -> None:
    one = option(known[0])
    others = {SWITCH: "off" if one.default else "on", SECONDS: "2.5", DECIMAL: "0.25", TEXT: "a", ADDRESS: "http://a"}
    other = one.choices[-1] if one.kind == CHOICE else others.get(one.kind, "501")
    quoted = f'"{other}"' if one.kind in {CHOICE, SWITCH, TEXT, ADDRESS} else other
    value = understood(one, other)
    assert value != one.default
    assert read_settings({one.env: other}, str(tmp_path)).of(one.name) == (one, value, "environment")
    assert read(tmp_path, f"{one.name} = {quoted}\n").of(one.name) == (one, value, "config.toml")


def test_where_the_archive_is_stands_in_the_environment_only(tmp_path: Path) -> None:
    found = read(tmp_path, "home = '/elsewhere'\n")
    assert found.of("home")[1:] == (str(tmp_path), "default")
    (note,) = found.notes
    told = "home: '/elsewhere' is not understood. It is set in the environment only: HARK_HOME."
    assert note == f"{tmp_path / 'config.toml'}: {told}"
    assert read_settings({"HARK_HOME": str(tmp_path)}, str(tmp_path)).of("home")[1:] == (str(tmp_path), "environment")


def test_what_is_not_understood_is_told_and_the_rest_counts(tmp_path: Path) -> None:
    text = "[search]\nlimit = 'many'\ncontext = 3\nlimt = 4\n[[mine]]\na = 1\n"
    path = tmp_path / "config.toml"
    found = read(tmp_path, text, HARK_SHOW_CONTEXT="x", HARK_COLOR="never")
    taken_out = "`hark config` lists all of them. `hark config --unset {}` takes it out."
    assert found.notes == (
        f"{path}: search.limit: 'many' is not understood. It takes a number, 1 to 100,000.",
        f"{path}: There is no option 'search.limt'. Did you mean 'search.limit'? {taken_out.format('search.limt')}",
        f"{path}: There is no option 'mine'. {taken_out.format('mine')}",
        "HARK_SHOW_CONTEXT: show.context: 'x' is not understood. It takes a number, 0 to 100,000.",
    )
    assert (found.number("search.limit"), found.number("search.context"), found.text("color")) == (10, 3, "never")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (b"[search]\nlimit = 5\nsort newest\n", 3),
        (b"[search\n", 1),
        (b"color = 'auto\n", 1),
        (b"\n\ncolor =", 3),
        (b"a = 1\na = 2\n", 2),
        (b"a = 1\n# \xff\n", 2),
        (b"a = " + b"[" * 20_000, 1),
        (b"x = '''\nopen\n", 2),
    ],
    ids=["no equals sign", "bracket", "quote", "no value", "twice", "bytes", "deep", "end"],
)
def test_a_file_that_is_no_toml_is_told_with_its_line_and_nothing_of_it_counts(
    tmp_path: Path, text: bytes, line: int
) -> None:
    folder = put(tmp_path, text)
    with pytest.raises(errors.ConfigNotUnderstood, match=rf"config\.toml is not understood in line {line}: "):
        read_file(folder)
    found = read_settings({"HARK_SEARCH_LIMIT": "3"}, folder)
    assert len(found.notes) == 1
    assert found.notes[0].endswith("Until then nothing in it counts.")
    assert (found.number("search.limit"), found.number("search.context")) == (3, 0)


def test_a_file_as_windows_writes_it_is_read(tmp_path: Path) -> None:
    assert read(tmp_path, b"\xef\xbb\xbf[search]\r\nlimit = 5\r\n").number("search.limit") == 5


def test_a_file_that_may_not_be_read_is_told(tmp_path: Path) -> None:
    os.mkdir(tmp_path / "config.toml")
    found = read_settings({}, str(tmp_path))
    assert len(found.notes) == 1
    assert "config.toml cannot be read" in found.notes[0]
    assert found.number("search.limit") == 10


def test_without_a_file_or_a_folder_nothing_is_said(tmp_path: Path) -> None:
    assert read_settings({}, str(tmp_path)).notes == ()
    assert read_settings({}, str(tmp_path / "none" / "of" / "these")).notes == ()
    (tmp_path / "file").touch()
    assert read_settings({}, str(tmp_path / "file")).notes == ()
