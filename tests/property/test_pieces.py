"""A transcript read in any pieces gives what one read gives: the same values, and the same archive."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
import tantivy
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from harkback.engines.local import LocalEngine
from harkback.ingest import reading
from harkback.ingest.changes import Changes
from harkback.ingest.reading import Reader
from harkback.model import Checkpoint, Message, Problem, Restart, Session, SessionTitle
from harkback.sources import jsonl, source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from tests.property.transcripts import ALL, MADE, PACKED, Log

    from harkback.model import Record, Transcript
else:
    from transcripts import ALL, MADE, PACKED, Log

some = settings(
    max_examples=4,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)

HOMES = sorted({log.home for log in ALL})
NOW_MS = 1_796_100_000_000

every_log = pytest.mark.parametrize("log", ALL, ids=str)


# -- values ------------------------------------------------------------------------------------------------------


class Read(NamedTuple):
    """All that reading gave, in however many goes."""

    said: list[Message]
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
        [one for one in kept if isinstance(one, Message)],
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
@pytest.mark.parametrize("full", [False, True], ids=["short", "full"])
def test_a_transcript_can_grow_by_one_line_at_a_time(log: Log, base: str, full: bool) -> None:
    log.put_beside(base)
    ends = borders(log.data)
    whole = gathered(in_pieces(log, base, log.data, [], full=full))
    # The second time each line's newline is written only with the next line.
    for cuts in (ends, [end - 1 for end in ends]):
        check(same_program(gathered(in_pieces(log, base, log.data, cuts, full=full)), whole), whole)


def same_program(found: Read, whole: Read) -> Read:
    """Take the program that began the session from `whole`.

    It is told in full only, and not kept: what is read in full is read from the beginning.
    """
    return found._replace(session=found.session._replace(originator=whole.session.originator))


@every_log
def test_a_transcript_can_grow_once_at_any_line(log: Log, base: str) -> None:
    """Two goes for every border: in Codex's a prompt may wait for the event that comes behind it."""
    log.put_beside(base)
    whole = gathered(in_pieces(log, base, log.data, []))
    for end in borders(log.data):
        check(gathered(in_pieces(log, base, log.data, [end])), whole, end)


@every_log
@some
@given(
    st.lists(st.integers(0, 1 << 20), max_size=5),
    st.sampled_from([1, 500, 4000, jsonl.CHECKPOINT_EVERY]),
    st.booleans(),
)
def test_a_transcript_can_be_read_in_any_pieces(log: Log, cuts: list[int], every: int, full: bool) -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as base, pytest.MonkeyPatch.context() as patch:
        log.put_beside(base)
        places = [cut % (len(log.data) + 1) for cut in cuts]
        whole = gathered(in_pieces(log, base, log.data, [], full=full))
        patch.setattr(jsonl, "CHECKPOINT_EVERY", every)
        check(same_program(gathered(in_pieces(log, base, log.data, places, full=full)), whole), whole)


def after_each_checkpoint(records: Sequence[Record]) -> Iterator[tuple[Checkpoint, Sequence[Record], Sequence[Record]]]:
    for number, one in enumerate(records):
        if isinstance(one, Checkpoint):
            yield one, records[: number + 1], records[number + 1 :]


@pytest.mark.parametrize("log", [*ALL, *PACKED], ids=str)
def test_reading_goes_on_from_any_checkpoint_in_the_middle(
    log: Log, base: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.put_beside(base)
    one = log.put(base, log.data)
    whole = gathered(read(one))
    monkeypatch.setattr(jsonl, "CHECKPOINT_EVERY", 1)
    in_small = read(one)
    check(gathered(in_small), whole)
    found = list(after_each_checkpoint(in_small))
    assert len(found) > len(whole.said) // 2
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
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as base:
        log.put_beside(base)
        whole = gathered(in_pieces(log, base, data, []))
        check(gathered(in_pieces(log, base, data, borders(data))), whole)


# -- the archive -------------------------------------------------------------------------------------------------

TABLES = {
    "transcripts": "SELECT transcript.agent, path, native, size, offset, fingerprint, state, parser, messages, chars,"
    " gone FROM transcript JOIN session ON session.id = session",
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


Tables = dict[str, list[tuple[Any, ...]]]


def tables(data: str) -> Tables:
    con = sqlite3.connect(f"file:{data}/archive.sqlite?mode=ro", uri=True)
    try:
        found = {name: sorted(con.execute(statement), key=repr) for name, statement in TABLES.items()}
        labels = dict(con.execute("SELECT id, value FROM label"))
        found["files"] = sorted(
            (message, *(labels[int(number)] for number in files.split()))
            for message, files in con.execute("SELECT message, files FROM part WHERE files > ''")
        )
        found["index"] = sorted(documents(con, data), key=repr)
        return found
    finally:
        con.close()


def documents(con: sqlite3.Connection, data: str) -> Iterator[tuple[Any, ...]]:
    """Give what the word index knows of each part."""
    message = dict(con.execute("SELECT seq, message FROM part"))
    names = {0: "", **dict(con.execute("SELECT id, value FROM label WHERE kind='project'"))}
    engine = LocalEngine.open(data)
    assert engine is not None
    try:
        assert engine.index is not None
        searcher = engine.index.searcher()
        places = [place for _, place in searcher.search(tantivy.Query.all_query(), limit=1_000_000).hits]
        columns = [searcher.fast_field_values(name, places) for name in ("seq", "lane", "role", "time")]
        projects = searcher.fast_field_values("project", places)
        for seq, project, *facts in zip(columns[0], projects, *columns[1:], strict=True):
            yield message[seq], names[int(project or 0)], *facts
    finally:
        engine.close()


def sync(data: str, changed: Sequence[Transcript]) -> None:
    engine = LocalEngine.open(data, write=True)
    assert engine is not None
    try:
        Reader(engine, NOW_MS).read(Changes(tuple(changed)))
    finally:
        engine.close()


def stored(base: str, data: str, logs: Sequence[tuple[Log, Sequence[bytes]]]) -> Tables:
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


def name_of(home: str) -> str:
    return "-".join(home.split(os.sep)[-3:-1]) or home


def check_archive(found: Tables, whole: Tables) -> None:
    for name, rows in whole.items():
        assert found[name] == rows, name


@pytest.mark.parametrize("home", HOMES, ids=name_of)
@settings(some, max_examples=2, phases=[Phase.explicit, Phase.generate])
@given(st.lists(st.integers(0, 1 << 24), min_size=2, max_size=3), st.sampled_from([300, jsonl.CHECKPOINT_EVERY]))
@example([0, 378], 300)
def test_a_home_that_is_read_in_pieces_makes_the_same_archive(home: str, cuts: list[int], every: int) -> None:
    logs = [log for log in ALL if log.home == home]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as base, pytest.MonkeyPatch.context() as patch:
        for log in logs:
            log.put_beside(f"{base}/home")
        growing = []
        for number, log in enumerate(logs):
            ends = sorted((cut * (2 * number + 1) + number) % (len(log.data) + 1) for cut in cuts)
            growing.append((log, [*(log.data[:end] for end in ends), log.data]))
        whole = stored(f"{base}/home", f"{base}/whole", [(log, [log.data]) for log in logs])
        patch.setattr(jsonl, "CHECKPOINT_EVERY", every)
        patch.setattr(reading, "BATCH_CHARS", 0)
        check_archive(stored(f"{base}/home", f"{base}/pieces", growing), whole)


def test_what_grows_by_one_line_at_a_time_makes_the_same_archive(base: str) -> None:
    growing = [(log, [*(log.data[:end] for end in borders(log.data)), log.data]) for log in MADE]
    whole = stored(f"{base}/home", f"{base}/whole", [(log, [log.data]) for log in MADE])
    check_archive(stored(f"{base}/home", f"{base}/pieces", growing), whole)


@pytest.mark.parametrize("home", sorted({log.home for log in PACKED}), ids=name_of)
@settings(some, max_examples=1, phases=[Phase.generate])
@given(st.integers(0, 1 << 24), st.integers(1, 255))
def test_a_compressed_transcript_that_was_damaged_at_first_is_stored_whole(home: str, cut: int, change: int) -> None:
    logs = [log for log in PACKED if log.home == home]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as base, pytest.MonkeyPatch.context() as patch:
        mended = []
        for number, log in enumerate(logs):
            log.put_beside(f"{base}/home")
            at = (cut * (2 * number + 1)) % len(log.data)
            other = log.data[:at] + bytes([log.data[at] ^ change]) + log.data[at + 1 :]
            mended.append((log, [other, log.data[:at], log.data]))
        whole = stored(f"{base}/home", f"{base}/whole", [(log, [log.data]) for log in logs])
        patch.setattr(jsonl, "CHECKPOINT_EVERY", 300)
        patch.setattr(reading, "BATCH_CHARS", 0)
        check_archive(stored(f"{base}/home", f"{base}/mended", mended), whole)
