"""config.toml is changed in one place and stays as it is in all others, whatever it looks like."""

from __future__ import annotations

import os
import stat
import tomllib
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harkback import errors
from harkback.config import OPTIONS, path_of, read_file
from harkback.config_file import set_value, unset, with_value, without

if TYPE_CHECKING:
    from pathlib import Path

MINE = "# mine\n[mine]\nx = 1  # one\n"


@pytest.mark.parametrize(
    ("text", "name", "value", "made"),
    [
        ("", "search.limit", 9, "[search]\nlimit = 9\n"),
        ("", "color", "never", 'color = "never"\n'),
        ("# hi\n", "search.limit", 9, "# hi\n\n[search]\nlimit = 9\n"),
        (MINE, "search.limit", 9, f"{MINE}\n[search]\nlimit = 9\n"),
        (MINE, "color", "never", f'color = "never"\n{MINE}'),
        ("[search]\nlimit = 5 # five\n\n" + MINE, "search.limit", 9, "[search]\nlimit = 9 # five\n\n" + MINE),
        ("[search]\n# limit = 5\ncontext = 1\n\n" + MINE, "search.limit", 9,
         "[search]\n# limit = 5\ncontext = 1\nlimit = 9\n\n" + MINE),
        ("search.limit=5\n", "search.limit", 9, "search.limit=9\n"),
        ('"search" . "limit" = 5\n', "search.limit", 9, '"search" . "limit" = 9\n'),
        ("search.context = 1\n", "search.limit", 9, "search.context = 1\nsearch.limit = 9\n"),
        ("search = { context = 1, limit = 5 } # a\n", "search.limit", 9,
         "search = { context = 1, limit = 9 } # a\n"),
        ("color = 'never' # c\n", "color", "auto", 'color = "auto" # c\n'),
        ("color = 'a # b'\n", "color", "auto", 'color = "auto"\n'),
        ("[search]\r\nlimit = 5\r\n", "search.limit", 9, "[search]\r\nlimit = 9\r\n"),
        ("[search]\r\n", "search.limit", 9, "[search]\r\nlimit = 9\r\n"),
        ("[search]\ncontext = 1", "search.limit", 9, "[search]\ncontext = 1\nlimit = 9\n"),
        ("[sessions]\nlimit = 5\n[search]\nlimit = 6\n", "search.limit", 9,
         "[sessions]\nlimit = 5\n[search]\nlimit = 9\n"),
        ('x = """\n[search]\nlimit = 5\n"""\n', "search.limit", 9,
         'x = """\n[search]\nlimit = 5\n"""\n\n[search]\nlimit = 9\n'),
        ("[sync]\nbackground = true\n", "sync.background", False, "[sync]\nbackground = false\n"),
        ("[search]\nlimit = true\n", "search.limit", 1, "[search]\nlimit = 1\n"),
        ("", "search.catch_up_s", 0.5, "[search]\ncatch_up_s = 0.5\n"),
    ],
)  # fmt: skip
def test_a_value_is_set_where_it_stands_or_where_it_belongs(text: str, name: str, value: int | str, made: str) -> None:
    assert with_value(text, name, value, "config.toml") == made
    assert with_value(made, name, value, "config.toml") == made


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("", None),
        ("# search.limit = 5\n", None),
        ("[search]\ncontext = 1\n", None),
        ("search = 5\n", None),
        ("[search]\nlimit = 5 # five\n# more\n" + MINE, "[search]\n# more\n" + MINE),
        ("search.limit = 5\n" + MINE, MINE),
        ("search = { limit = 5, context = 1 }\n", "search = { context = 1 }\n"),
        ("search = { context = 1, limit = 5 }\n", "search = { context = 1 }\n"),
        ("search = { limit = 5 }\n", "search = { }\n"),
        ("[sessions]\nlimit = 5\n[search]\nlimit = 6\n", "[sessions]\nlimit = 5\n[search]\n"),
        ("[search]\r\nlimit = 5\r\ncontext = 1\r\n", "[search]\r\ncontext = 1\r\n"),
    ],
)
def test_a_value_is_taken_out_and_nothing_else(text: str, made: str | None) -> None:
    found = without(text, "search.limit", "config.toml")
    assert (found if found is None else found.replace("{  }", "{ }")) == made


@pytest.mark.parametrize("text", ["[search]\nlimit = [\n 1,\n 2]\n", 'search.limit = """\n5"""\n'])
def test_what_cannot_be_changed_line_by_line_is_left_alone(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(errors.ConfigNotEditable, match=r"search\.limit"):
        set_value(str(tmp_path), "search.limit", 9)
    assert path.read_text(encoding="utf-8") == text
    assert os.listdir(tmp_path) == ["config.toml"]


def test_a_value_where_a_table_belongs_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("# mine\nsearch = 5\n", encoding="utf-8")
    with pytest.raises(
        errors.ConfigNotUnderstood, match=r"config\.toml is not understood in line 2: search is a group"
    ):
        set_value(str(tmp_path), "search.limit", 9)
    assert path.read_text(encoding="utf-8") == "# mine\nsearch = 5\n"


def test_a_file_that_is_no_toml_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("limit 5\n", encoding="utf-8")
    with pytest.raises(errors.ConfigNotUnderstood):
        set_value(str(tmp_path), "search.limit", 9)
    with pytest.raises(errors.ConfigNotUnderstood):
        unset(str(tmp_path), "search.limit")
    assert (tmp_path / "config.toml").read_text(encoding="utf-8") == "limit 5\n"


LINES = st.sampled_from(
    ["", "# a comment", "[search]", "[mine]", "[mine.search]", "[[list]]", "limit = 5", "context = 1 # one", "x = 'a'",
     "search.limit = 7", "search.by = 'message'", 'color = "auto"', "search = { limit = 3 }", "y = '''", "'''",
     "z = [", " 1, # two", "]", '"search".limit = 2', "when = 2026-11-30", 'limit = "#"']
)  # fmt: skip


@given(st.lists(LINES, max_size=8), st.sampled_from(["search.limit", "color", "show.context"]), st.booleans())
def test_no_file_loses_anything(lines: list[str], name: str, is_set: bool) -> None:
    text = "\n".join(lines)
    try:
        before = tomllib.loads(text)
    except ValueError:
        return
    value = "never" if name == "color" else 42
    try:
        made = with_value(text, name, value, "config.toml") if is_set else without(text, name, "config.toml")
    except errors.ConfigNotEditable:
        return
    if made is None:
        return
    after = tomllib.loads(made)
    *tables, key = name.split(".")
    for found in (before, after):
        inner = found
        for one in tables:
            inner = inner.setdefault(one, {})
        assert inner.pop(key, None) == value if found is after and is_set else True
        inner.pop(key, None)
    assert after == before
    kept = [line for line in lines if line.lstrip().startswith("#")]
    assert [line for line in made.splitlines() if line.lstrip().startswith("#")] == kept


def test_the_file_and_its_folder_are_made_for_their_owner_alone(tmp_path: Path) -> None:
    folder = str(tmp_path / "new" / "folder")
    set_value(folder, "search.limit", 9)
    assert read_file(folder) == {"search.limit": 9}
    assert os.listdir(folder) == ["config.toml"]
    if os.name == "posix":
        assert stat.S_IMODE(os.stat(path_of(folder)).st_mode) == 0o600


@pytest.mark.skipif(os.name != "posix", reason="Windows has other rights, and no links without them")
def test_a_link_stays_one_and_its_file_keeps_its_rights(tmp_path: Path) -> None:
    kept = tmp_path / "dotfiles.toml"
    kept.write_text("[search]\nlimit = 5\n", encoding="utf-8")
    kept.chmod(0o640)
    folder = tmp_path / "archive"
    folder.mkdir()
    (folder / "config.toml").symlink_to(kept)
    set_value(str(folder), "search.limit", 9)
    assert (folder / "config.toml").is_symlink()
    assert kept.read_text(encoding="utf-8") == "[search]\nlimit = 9\n"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o640


def test_where_nothing_can_be_written_it_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(errors.ConfigUnwritable, match="cannot be written"):
        set_value(str(tmp_path / "file"), "search.limit", 9)


@pytest.mark.parametrize("name", [one.name for one in OPTIONS])
def test_every_default_can_be_written_and_read(tmp_path: Path, name: str) -> None:
    (default,) = (one.default for one in OPTIONS if one.name == name)
    set_value(str(tmp_path), name, default)
    assert read_file(str(tmp_path)) == {name: default}
