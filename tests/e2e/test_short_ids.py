"""Short session ids: what one command prints, every other accepts, however alike the agents' own ids begin."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.pens import Codex, Pi, hark
else:
    from pens import Codex, Pi, hark

# Version 7: the first 48 bits are the time, so all sessions of one minute begin alike.
FIRST = "01a22bd3-04cc-7691-9d80-5e3ebbb7df99"
SECOND = "01a22bd3-04cd-7df1-8dc7-11c996b231f9"
THIRD = "01a22bd3-1a21-7df1-8dc7-11c996b231f9"
ALONE = "0fffffff-04cc-7691-9d80-5e3ebbb7df99"


def codex(home: Path, number: int, native: str, **meta: str) -> None:
    pen = Codex(number, "2026-11-03")
    pen.native = native
    pen.rows[0]["payload"].update({"id": native, **meta})
    pen.user(f"pear {number}")
    pen.write(home)


@pytest.fixture
def alike(own_home: Path) -> Path:
    codex(own_home, 1, FIRST)
    codex(own_home, 2, SECOND, forked_from_id=FIRST)
    codex(own_home, 3, THIRD)
    codex(own_home, 4, ALONE)
    return own_home


@pytest.mark.usefixtures("alike")
def test_what_a_search_prints_leads_to_the_session() -> None:
    out = hark("search", "--budget", "0", "pear").out
    shown = dict(zip(re.findall(r"pear (\d)", out), re.findall(r"session ([0-9a-f-]+)", out), strict=True))
    assert shown == {"1": "01a22bd3-04cc", "2": "01a22bd3-04cd", "3": "01a22bd3-1", "4": "0fffffff"}
    for number, short in shown.items():
        assert f"pear {number}" in hark("show", short).out
        assert hark("resume", short).status == 0


@pytest.mark.usefixtures("alike")
def test_a_parent_is_named_so_that_it_is_found() -> None:
    hark("sync")
    (said,) = re.findall(r"fork of ([0-9a-f-]+)", hark("sessions").out)
    assert said == "01a22bd3-04cc"
    assert "pear 1" in hark("show", said).out
    found = hark("show", SECOND[:8])
    assert found.status == 2
    assert all(native in found.err for native in (FIRST, SECOND, THIRD))


def test_two_agents_with_one_id_are_told_apart(own_home: Path) -> None:
    codex(own_home, 1, FIRST)
    pi = Pi(2, "2026-11-03")
    pi.rows[0]["id"] = pi.native = FIRST
    pi.user("pear 2")
    pi.write(own_home)
    shown = sorted(re.findall(r"session (\S+)", hark("search", "pear").out))
    assert shown == [f"codex:{FIRST}", f"pi:{FIRST}"]
    assert [hark("show", one).status for one in shown] == [0, 0]


@pytest.mark.usefixtures("alike")
@pytest.mark.parametrize(
    "argv",
    [
        ("show", "{}"),
        ("resume", "{}"),
        ("forget", "{}", "--yes"),
        ("forget", "--session", "{}", "--yes"),
        ("sessions", "--parent", "{}"),
        ("search", "pear session:{}"),
        ("search", "pear", "--exclude-session", "{}"),
        ("events", "--session", "{}", "--stats"),
    ],
)
def test_fewer_than_four_characters_are_said_to_be_too_few(argv: tuple[str, ...]) -> None:
    hark("sync")
    for short in ("0ff", "mab", "x"):
        done = hark(*(one.format(short) for one in argv))
        assert (done.status, done.out) == (1, "")
        assert f"the id '{short}'" in done.err
        assert "fewer than four characters are too few" in done.err
    assert "too few" not in hark(*(one.format("0ffe") for one in argv)).err
    assert "too few" not in hark(*(one.format("0fff") for one in argv)).err


def test_an_id_that_is_so_short_is_found(own_home: Path) -> None:
    codex(own_home, 1, "ab")
    hark("sync")
    assert "pear 1" in hark("show", "ab").out
