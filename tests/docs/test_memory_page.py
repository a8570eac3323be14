"""docs/memory.md does what it says, typed line by line."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parent.parent.parent / "docs" / "memory.md"
AN_ID = re.compile(r"\bk[0-9a-hj-km-np-tv-z]{8}\b")


def typed() -> list[tuple[str, list[str]]]:
    """Give each line after a prompt with what is shown below it."""
    found: list[tuple[str, list[str]]] = []
    for block in re.findall(r"^```console\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            else:
                found[-1][1].append(line)
    return found


@pytest.mark.skipif(sys.platform == "win32", reason="the page shows a Unix shell")
def test_the_page_works_as_written(own_home: Path, tmp_path: Path) -> None:
    assert own_home.exists()
    lines = typed()
    assert len(lines) >= 14
    real: dict[str, str] = {}
    said: dict[str, str] = {}
    for line, shown in lines:
        own = AN_ID.sub(lambda one: real.get(one[0], one[0]), line)
        own = re.sub(r"^hark ", f"{shlex.quote(sys.executable)} -m harkback ", own)
        done = subprocess.run(own, shell=True, cwd=tmp_path, capture_output=True, check=False, encoding="utf-8")
        assert done.returncode == 0, (line, done.stdout, done.stderr)
        for written, told in zip(AN_ID.findall("\n".join(shown)), AN_ID.findall(done.stdout), strict=False):
            real.setdefault(written, told)
        expected = [AN_ID.sub(lambda one: real.get(one[0], one[0]), one) for one in shown]
        assert done.stdout.splitlines()[: len(expected)] == expected, line
        said[line] = done.stdout
    assert "6001" in said["hark recall 'the port of staging, currently'"].split("\n", 2)[1]
    assert "MEMORY" not in said["cat notes/MEMORY.md"] or "facts" in said["cat notes/MEMORY.md"]
    assert "6001" in said["cat notes/facts.md"]
    assert "6002" in said["hark recall 'the port of staging'"].split("\n", 2)[1]
    for path in [*Path(os.environ["HARK_HOME"]).rglob("*"), *(tmp_path / "notes").rglob("*")]:
        assert not path.is_file() or b"port 6000" not in path.read_bytes(), path
