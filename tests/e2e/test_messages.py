"""What the program says: counts as a person would say them, and for every mistake the next step."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

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
