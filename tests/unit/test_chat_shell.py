"""A shell command that a model asked for: bounded in time and in what is kept of it."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from harkback.chat.shell import MOST_BYTES, run

if TYPE_CHECKING:
    from pathlib import Path


def test_status_and_output_of_both_kinds_are_given(tmp_path: Path) -> None:
    assert run("echo 出力; echo wrong >&2; exit 3", str(tmp_path), os.environ) == "exit status 3\n出力\nwrong"
    assert run("pwd; cat", str(tmp_path), os.environ) == f"exit status 0\n{os.path.realpath(tmp_path)}"
    assert run("true", str(tmp_path), os.environ) == "exit status 0"
    assert run('echo "$ONLY"', str(tmp_path), {**os.environ, "ONLY": "this"}) == "exit status 0\nthis"


def test_of_a_long_output_the_beginning_and_the_end_are_kept(tmp_path: Path) -> None:
    told = run("seq 1 100000", str(tmp_path), os.environ)
    assert len(told) < MOST_BYTES + 100
    assert told.startswith("exit status 0\n1\n2\n3\n")
    assert told.endswith("\n99999\n100000")
    assert "bytes left out]" in told
    short = run("seq 1 1000", str(tmp_path), os.environ)
    assert short == "exit status 0\n" + "\n".join(map(str, range(1, 1001)))


def test_what_does_not_end_is_ended_with_all_that_it_began(tmp_path: Path) -> None:
    began = time.monotonic()
    told = run("(sleep 2; touch late) & echo one; yes > /dev/null", str(tmp_path), os.environ, limit_s=0.3)
    assert told == "ended after 0.3 s, before it was done\none"
    assert time.monotonic() - began < 1.8
    told = run("(sleep 2; touch late) & echo two", str(tmp_path), os.environ)
    assert told == "exit status 0\ntwo"
    assert time.monotonic() - began < 2
    time.sleep(2.3)
    assert not (tmp_path / "late").exists()
