"""What the program says: counts as a person would say them, and for every mistake the next step."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.pens import Claude, hark
else:
    from pens import Claude, hark


def test_one_of_something_is_said_in_the_singular(own_home: Path) -> None:
    pen = Claude(1, "2026-11-03")
    pen.user("pear")
    path = pen.write(own_home)
    path.write_bytes(path.read_bytes() + b"x\n")
    old = Claude(2, "2026-11-03")
    old.user("apple")
    gone = old.write(own_home)
    os.utime(gone, (1, 1))
    said = hark().out
    hark("sync")
    said += hark("status").out
    gone.unlink()
    hark("forget", "--session", old.native, "--yes")
    said += hark("sync").out
    for argv in ((), ("status",), ("sessions",), ("sources",), ("events", "--stats"), ("rebuild",), ("search", "pear")):
        done = hark(*argv)
        said += done.out + done.err
    path.unlink()
    hark("sync")
    said += hark("events", "--stats").err
    late = Claude(3, "2026-11-04")
    late.user("pear")
    late.write(own_home)
    said += hark("status").out
    for one in ("1 transcript", "1 message", "1 session", "1 text", "1 record", "1 problem", "1 byte"):
        assert re.search(rf"(?<![\d,]){one}\b", said), (one, said)
    for one in ("1 transcript has something new", "will delete 1 transcript within", "1 session counted as kept here"):
        assert one in said
    assert re.findall(r"(?<![\d,.])1 (?:more |other )?(?:[a-z]+[^si]s)\b", said) == []


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("exclude",), "`hark exclude`: the following arguments are required: add|remove|list; `hark exclude --help`"),
        (("exclude", "bogus", "x"), "`hark exclude`: argument add|remove|list: invalid choice: 'bogus'"),
        (
            ("exclude", "add", "a", "b"),
            "`hark exclude`: b is not understood; `hark exclude --help` says what it takes.",
        ),
        (("redact", "foo"), "`hark redact`: foo is not understood; `hark redact --help` says what it takes."),
        (("show",), "`hark show`: the following arguments are required: ID; `hark show --help`"),
        (("show", "--page", "x", "m123"), "`hark show`: argument --page: 'x' is no number from 0 to 100000"),
        (("search", "-n", "x", "pear"), "`hark search`: argument -n: 'x' is no number from 0 to 100000"),
        (("search", "--sort", "up", "pear"), "`hark search`: argument --sort: invalid choice: 'up'"),
        (("sessions", "-n"), "`hark sessions`: argument -n: expected one argument; `hark sessions --help`"),
        (("sync", "--ful"), "`hark sync`: --ful is not understood, did you mean --full?; `hark sync --help`"),
        (("--json", "status"), "`hark status`: --json belongs behind the command; `hark status --help`"),
        (("--bogus",), "`hark`: --bogus is not understood; `hark --help` says what it takes."),
        (("--",), "`hark`: "),  # Pythons differ in what they call it
        (("serch", "pear"), "There is no command 'serch'. Did you mean 'search'? `hark --help` lists all of them"),
        (
            ("5G", "card"),
            "There is no command '5G'. `hark --help` lists all of them; `hark search 5G` looks for the word.",
        ),
    ],
)
def test_what_a_command_does_not_take_is_one_line_with_the_next_step(argv: tuple[str, ...], said: str) -> None:
    done = hark(*argv)
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert done.err.startswith(f"hark: {said}")
    assert "--help` " in done.err


@pytest.mark.parametrize("argv", [("--help",), ("exclude", "--help"), ("--version",)])
def test_help_is_printed_in_full(argv: tuple[str, ...]) -> None:
    done = hark(*argv)
    assert (done.status, done.err) == (0, "")
    assert "usage: hark" in done.out or done.out.startswith("hark ")
