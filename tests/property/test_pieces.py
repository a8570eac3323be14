"""A transcript read in any pieces gives what one read gives: the same values, and the same archive."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harkback.engines.local import LocalEngine
from harkback.ingest import reading
from harkback.ingest.changes import Changes
from harkback.ingest.reading import Reader
from harkback.model import Checkpoint, Message, Problem, Restart, Session, SessionTitle
from harkback.sources import jsonl, source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from tests.property.transcripts import ALL, Log

    from harkback.model import Record, Transcript
else:
    from transcripts import ALL, Log

some = settings(
    max_examples=6,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)

HOMES = sorted({log.home for log in ALL})
CODEX = [log for log in ALL if log.agent == "codex"]
NOW_MS = 1_796_100_000_000

every_log = pytest.mark.parametrize("log", ALL, ids=str)


# -- values ------------------------------------------------------------------------------------------------------


class Read(NamedTuple):
    """All that reading gave, in however many goes."""

    said: list[tuple[Any, ...]]
    titles: list[SessionTitle]
    problems: list[Problem]
    session: Session
    checkpoint: Checkpoint


def gathered(records: Iterable[Record]) -> Read:
    """Sort values by kind. Nothing that was read before may be taken back."""
    kept = list(records)
    *_, session, checkpoint = kept
    assert isinstance(session, Session)
    assert isinstance(checkpoint, Checkpoint)
    assert not any(isinstance(one, Restart) for one in kept)
    return Read(
        [
            (one.offset, one.length, one.key, one.copy_key, one.role, one.time_ms, one.parts, one.model, one.branch)
            for one in kept
            if isinstance(one, Message)
        ],
        [one for one in kept if isinstance(one, SessionTitle)],
        [one for one in kept if isinstance(one, Problem)],
        session,
        checkpoint,
    )


def check(found: Read, whole: Read, where: object = None) -> None:
    for kind, had, wanted in zip(Read._fields, found, whole, strict=True):
        assert had == wanted, (kind, where)


def read(one: Transcript, before: Checkpoint | None = None, *, full: bool = False) -> list[Record]:
    return list(source(one.agent).read(one, before, full=full))


def in_pieces(
    log: Log, base: str, data: bytes, cuts: Iterable[int], *, full: bool = False, at: Checkpoint | None = None
) -> list[Record]:
    """Read as the file grows to each of the cuts and to its end."""
    found: list[Record] = []
    for end in [*sorted(cuts), len(data)]:
        now = read(log.put(base, data[:end]), at, full=full)
        found += now
        assert isinstance(now[-1], Checkpoint)
        at = now[-1]
    return found


def borders(data: bytes) -> list[int]:
    """Give where each line but the last ends."""
    return [at + 1 for at, byte in enumerate(data) if byte == 0x0A][:-1]


@pytest.fixture
def base(tmp_path: Path) -> str:
    return str(tmp_path)


@every_log
def test_a_transcript_can_grow_by_one_line_at_a_time(log: Log, base: str) -> None:
    log.put_beside(base)
    ends = borders(log.data)
    whole = gathered(in_pieces(log, base, log.data, []))
    check(gathered(in_pieces(log, base, log.data, ends)), whole)
    # The same with each line's newline written only with the next line.
    check(gathered(in_pieces(log, base, log.data, [end - 1 for end in ends])), whole)


@every_log
def test_a_transcript_can_grow_once_at_any_line(log: Log, base: str) -> None:
    """Two goes for every border: in Codex's a prompt may wait for the event that comes behind it."""
    log.put_beside(base)
    whole = gathered(in_pieces(log, base, log.data, []))
    for end in borders(log.data):
        check(gathered(in_pieces(log, base, log.data, [end])), whole, end)


@every_log
@some
@given(st.lists(st.integers(0, 1 << 20), max_size=5), st.sampled_from([1, 500, 4000, jsonl.CHECKPOINT_EVERY]), st.booleans())
def test_a_transcript_can_be_read_in_any_pieces(log: Log, cuts: list[int], every: int, full: bool) -> None:
    with tempfile.TemporaryDirectory() as base, pytest.MonkeyPatch.context() as patch:
        log.put_beside(base)
        places = [cut % (len(log.data) + 1) for cut in cuts]
        whole = gathered(in_pieces(log, base, log.data, [], full=full))
        patch.setattr(jsonl, "CHECKPOINT_EVERY", every)
        found = gathered(in_pieces(log, base, log.data, places, full=full))
        if full:  # the program that began a session is not kept: events are read from the beginning
            found = found._replace(session=whole.session)
        check(found, whole)


def after_each_checkpoint(records: Sequence[Record]) -> Iterator[tuple[Checkpoint, Sequence[Record], Sequence[Record]]]:
    for number, one in enumerate(records):
        if isinstance(one, Checkpoint):
            yield one, records[: number + 1], records[number + 1 :]


@pytest.mark.parametrize("pack", [bytes, zstandard.ZstdCompressor().compress], ids=["plain", "zst"])
@pytest.mark.parametrize("log", ALL, ids=str)
def test_reading_goes_on_from_any_checkpoint_in_the_middle(
    log: Log, base: str, monkeypatch: pytest.MonkeyPatch, pack: Callable[[bytes], bytes]
) -> None:
    is_packed = pack is not bytes
    if is_packed and log.agent != "codex":
        pytest.skip("only Codex compresses")
    log.put_beside(base)
    one = log._replace(name=log.name + ".zst" * is_packed).put(base, pack(log.data))
    whole = gathered(read(one))
    monkeypatch.setattr(jsonl, "CHECKPOINT_EVERY", 1)
    in_small = read(one)
    check(gathered(in_small), whole)
    found = list(after_each_checkpoint(in_small))
    assert len(found) > len(log.lines) // 2 or not log.data
    for at, before, _ in found[:-1]:
        check(gathered([*before, *read(one, at)]), whole, at.offset)


REORDERED = st.lists(
    st.tuples(st.sampled_from(["swap", "drop", "repeat", "next"]), st.integers(0, 1000), st.integers(0, 1000)),
    min_size=1,
    max_size=6,
)


def reordered(lines: list[bytes], changes: Iterable[tuple[str, int, int]]) -> bytes:
    """Write lines in another order, twice or not at all; `next` exchanges neighbours."""
    lines = list(lines)
    for kind, first, second in changes:
        if len(lines) < 2:
            break
        one, other = first % len(lines), second % len(lines)
        if kind == "next":
            other = (one + 1) % len(lines)
        if kind == "drop":
            del lines[one]
        elif kind == "repeat":
            lines.insert(other, lines[one])
        else:
            lines[one], lines[other] = lines[other], lines[one]
    return b"".join(lines)


@every_log
@some
@given(REORDERED)
def test_lines_in_any_order_can_be_read_in_pieces(log: Log, changes: list[tuple[str, int, int]]) -> None:
    data = reordered(log.lines, changes)
    with tempfile.TemporaryDirectory() as base:
        log.put_beside(base)
        whole = gathered(in_pieces(log, base, data, []))
        check(gathered(in_pieces(log, base, data, borders(data))), whole)


# -- the archive -------------------------------------------------------------------------------------------------

TABLES = {
    "transcripts": "SELECT transcript.agent, path, native, size, offset, fingerprint, state, parser, messages, chars, gone"
    " FROM transcript JOIN session ON session.id = session",
    "sessions": "SELECT session.agent, native, title, title_rank, ifnull(text, ''), ifnull(label.value, ''), cwd,"
    " last_cwd, session.branch, started, ended, parent, relation, agent_type FROM session"
    " LEFT JOIN label ON label.id = project LEFT JOIN part ON part.seq = title_seq",
    "parts": "SELECT part.message, lane, role, time, ifnull(tool.value, ''), ifnull(model.value, ''),"
    " ifnull(branch.value, ''), files IS NULL, text FROM part LEFT JOIN label tool ON tool.id = part.tool"
    " LEFT JOIN label model ON model.id = part.model LEFT JOIN label branch ON branch.id = part.branch",
    "places": "SELECT message, path, pos, length FROM (SELECT message, transcript, pos, length FROM part"
    " UNION SELECT message, transcript, pos, length FROM copy) JOIN transcript ON transcript.id = transcript",
    "identities": "SELECT identity.key, part.message FROM identity JOIN part ON part.seq = identity.seq",
    "problems": "SELECT path, pos, length, kind, detail FROM problem JOIN transcript ON id = transcript",
    "claims": "SELECT key, title FROM claim",
    "tallies": "SELECT key, value FROM meta WHERE key LIKE 'total%' AND value",
    "names": "SELECT DISTINCT kind, value FROM label WHERE kind <> 'project'",
}
"""What an archive holds. Which of several equal copies owns the rows depends on which was read first."""


def tables(data: str) -> dict[str, list[tuple[Any, ...]]]:
    con = sqlite3.connect(f"file:{data}/archive.sqlite?mode=ro", uri=True)
    try:
        found = {name: sorted(con.execute(statement), key=repr) for name, statement in TABLES.items()}
        labels = dict(con.execute("SELECT id, value FROM label"))
        found["files"] = sorted(
            (message, *(labels[int(number)] for number in files.split()))
            for message, files in con.execute("SELECT message, files FROM part WHERE files > ''")
        )
        return found
    finally:
        con.close()


def sync(data: str, changed: Sequence[Transcript]) -> None:
    engine = LocalEngine.open(data, write=True)
    assert engine is not None
    try:
        Reader(engine, NOW_MS).read(Changes(tuple(changed)))
    finally:
        engine.close()


def stored(base: str, data: str, logs: Sequence[tuple[Log, Sequence[bytes]]]) -> dict[str, list[tuple[Any, ...]]]:
    """Sync as the files become each of the contents in turn, those that did not change left alone."""
    for number in range(max(len(contents) for _, contents in logs)):
        sync(
            data,
            [
                log.put(base, contents[number], number=number + 1)
                for log, contents in logs
                if number < len(contents) and (not number or contents[number] != contents[number - 1])
            ],
        )
    return tables(data)


@pytest.mark.parametrize("home", HOMES, ids=lambda home: "-".join(home.split(os.sep)[-3:-1]) or home)
@settings(some, max_examples=2)
@given(st.lists(st.integers(0, 1 << 24), min_size=2, max_size=4), st.sampled_from([300, jsonl.CHECKPOINT_EVERY]))
def test_a_home_that_is_read_in_pieces_makes_the_same_archive(home: str, cuts: list[int], every: int) -> None:
    logs = [log for log in ALL if log.home == home]
    with tempfile.TemporaryDirectory() as base, pytest.MonkeyPatch.context() as patch:
        for log in logs:
            log.put_beside(f"{base}/home")
        growing = []
        for number, log in enumerate(logs):
            ends = sorted((cut * (2 * number + 1) + number) % (len(log.data) + 1) for cut in cuts)
            growing.append((log, [*(log.data[:end] for end in ends), log.data]))
        whole = stored(f"{base}/home", f"{base}/whole", [(log, [log.data]) for log in logs])
        patch.setattr(jsonl, "CHECKPOINT_EVERY", every)
        patch.setattr(reading, "BATCH_CHARS", 0)
        found = stored(f"{base}/home", f"{base}/pieces", growing)
        for name, rows in whole.items():
            assert found[name] == rows, name
