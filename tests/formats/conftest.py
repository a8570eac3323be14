"""Transcripts written for the tests, row by row."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from harkback.model import Checkpoint, Message, Session, Transcript
from harkback.sources import source

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from harkback.model import Record

pytest.register_assert_rewrite("logs")  # its checks tell what was given, as those in the test files do

SESSION = "11111111-1111-4111-8111-111111111111"


class Project:
    """One project folder of a Claude Code home; `write` and `read` name files below it."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.folder = home / ".claude" / "projects" / "-w"
        self.folder.mkdir(parents=True)

    def write(self, name: str, rows: Iterable[Any] | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = rows if isinstance(rows, bytes) else b"".join(line(row) for row in rows)
        path.write_bytes(data)
        return path

    def transcript(self, name: str = f"{SESSION}.jsonl") -> Transcript:
        path = str(self.folder / name)
        return next(one for one in source("claude-code").discover(str(self.home), {}) if one.path == path)

    def records(self, name: str = f"{SESSION}.jsonl", checkpoint: Checkpoint | None = None) -> list[Record]:
        return list(source("claude-code").read(self.transcript(name), checkpoint))

    def say(self, *rows: Any) -> list[Message]:
        """Write the rows as one session and read its messages."""
        self.write(f"{SESSION}.jsonl", rows)
        return [record for record in self.records() if isinstance(record, Message)]

    def session(self, *rows: Any) -> Session:
        """Write the rows as one session and read what is known of it at the end."""
        self.write(f"{SESSION}.jsonl", rows)
        return [record for record in self.records() if isinstance(record, Session)][-1]


def line(row: Any) -> bytes:
    return row if isinstance(row, bytes) else json.dumps(row, ensure_ascii=False).encode() + b"\n"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)
