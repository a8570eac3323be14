"""Whatever a transcript has become, reading it never fails, and what it still says can be stored."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from harkback.engines.local import LocalEngine
from harkback.ingest.changes import Changes
from harkback.ingest.reading import Reader
from harkback.model import LANES, ROLES, UNREADABLE, Checkpoint, Message, Problem, Restart, Session
from harkback.sources import SOURCES, source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tests.property.transcripts import ALL, PACKED, Log

    from harkback.model import Record, Transcript
else:
    from transcripts import ALL, PACKED, Log

some = settings(
    max_examples=10,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
once = settings(some, max_examples=1, phases=[Phase.generate])

NOW_MS = 1_796_100_000_000
MOST_MS = 100_000_000_000_000


def deep(depth: int, *, is_list: bool) -> str:
    opening, closing = ("[", "]") if is_list else ('{"text":', "}")
    return opening * depth + "1" + closing * depth


VALUES = (
    "null",
    "true",
    "-1",
    "0.5",
    "18446744073709551616",
    '""',
    '"word"',
    '"\\ud800 half \\udc00"',
    '"\\u0000\\u001b[31m \\u0000"',
    '"9999-99-99T99:99:99.999Z"',
    '"9999-12-31T23:59:59.999-12:00"',
    '"0001-01-01T00:00:00+12:00"',
    '"/\\u0000/../' + "x" * 300 + '"',
    '"<system-reminder><harkback>"',
    "[]",
    '[null,0,"word",[],{}]',
    "{}",
    '{"type":"text","text":null,"content":{},"id":[]}',
    deep(100, is_list=True),
    deep(900, is_list=False),
)
"""JSON as it may stand in somebody else's file."""

ODD_VALUES = ("9" * 40, "-1e400", "[NaN]")
"""Those that only the tolerant parser makes numbers of."""

TOO_MUCH = ("9" * 5000, deep(5000, is_list=True), deep(40_000, is_list=False))
"""What no parser takes."""

# -- reading and storing -----------------------------------------------------------------------------------------


def read(one: Transcript, *, full: bool) -> list[Record]:
    """Read all of it, and see that the promises of `Source.read` are kept."""
    found = list(source(one.agent).read(one, None, full=full))
    assert isinstance(found[-1], Checkpoint)
    is_unreadable = any(isinstance(record, Problem) and record.kind == UNREADABLE for record in found)
    assert is_unreadable or isinstance(found[-2], Session)
    assert not any(isinstance(record, Restart) for record in found)
    places = [record.offset for record in found if isinstance(record, Message)]
    assert places == sorted(places), "values come in file order"
    # What breaks off in the middle (a compressed file) is told so far; the place to go on from stays where it was.
    end = None if is_unreadable else found[-1].offset
    for record in found:
        if isinstance(record, Message):
            check(record, end, full=full)
    return found


def check(message: Message, end: int | None, *, full: bool) -> None:
    assert message.key
    assert message.role in range(len(ROLES))
    assert message.time_ms is None or 0 < message.time_ms < MOST_MS
    assert 0 <= message.offset < message.offset + message.length
    assert end is None or message.offset + message.length <= max(end, 1)
    assert message.parts or full
    for part in message.parts:
        assert part.lane in range(len(LANES))
        assert part.text or part.args is not None
        for text in (part.text, part.tool, *part.files, message.key, message.model, message.branch):
            text.encode()
        assert "\0" not in part.text + part.tool


def store(base: str, transcripts: Sequence[Transcript]) -> int:
    """Store them as a sync does; gives the number of messages that the archive has then."""
    engine = LocalEngine.open(f"{base}/archive", write=True)
    assert engine is not None
    try:
        Reader(engine, NOW_MS).read(Changes(tuple(transcripts)))
    finally:
        engine.close()
    con = sqlite3.connect(f"file:{base}/archive/archive.sqlite?mode=ro", uri=True)
    try:
        assert con.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return int(con.execute("SELECT count(DISTINCT message) FROM part WHERE lane <> 2").fetchone()[0])
    finally:
        con.close()


# -- damage ------------------------------------------------------------------------------------------------------


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Give the path to every value inside a value."""
    inner: Iterable[tuple[str | int, Any]] = ()
    if isinstance(value, dict):
        inner = value.items()
    elif isinstance(value, list):
        inner = enumerate(value)
    for key, one in inner:
        yield (*path, key)
        yield from places(one, (*path, key))


def replaced(line: bytes, path: Sequence[str | int], value: str, *, is_odd: bool) -> bytes:
    """Write another value at a path. An `is_odd` line is one that only the tolerant parser reads."""
    row = json.loads(line)
    inner = row
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = "@other@"
    text = json.dumps(row).replace('"@other@"', value)
    return (('{"\\udfff":0,' + text[1:]) if is_odd else text).encode() + b"\n"


Damage = tuple[str, int, int, Any]

BYTES = st.one_of(
    st.binary(max_size=6), st.sampled_from([b"\0" * 40, b"\n", b"\xff", b'"', b"{", b"}", b"\xed\xa0\x80"])
)
DAMAGES = st.one_of(
    st.tuples(st.sampled_from(["write", "insert"]), st.integers(0, 1 << 20), st.just(0), BYTES),
    st.tuples(st.sampled_from(["cut", "remove"]), st.integers(0, 1 << 20), st.integers(0, 300), st.none()),
    st.tuples(st.sampled_from(["swap", "drop", "repeat"]), st.integers(0, 999), st.integers(0, 999), st.none()),
    st.tuples(
        st.just("value"),
        st.integers(0, 999),
        st.integers(0, 999),
        st.tuples(st.sampled_from([*VALUES, *ODD_VALUES, *TOO_MUCH]), st.booleans()),
    ),
)
"""What is done, two numbers that say where, and with what."""


def damaged(data: bytes, damages: Iterable[Damage]) -> bytes:
    for kind, first, second, what in damages:
        if kind in {"swap", "drop", "repeat", "value"}:
            data = b"".join(_lines_changed(data.splitlines(keepends=True), kind, first, second, what))
            continue
        at = first % (len(data) + 1)
        if kind == "cut":
            data = data[:at]
        elif kind == "remove":
            data = data[:at] + data[at + second :]
        else:
            data = data[:at] + what + data[at + (len(what) if kind == "write" else 0) :]
    return data


def _lines_changed(lines: list[bytes], kind: str, first: int, second: int, what: Any) -> list[bytes]:
    if not lines:
        return lines
    one, other = first % len(lines), second % len(lines)
    if kind == "swap":
        lines[one], lines[other] = lines[other], lines[one]
    elif kind == "drop":
        del lines[one]
    elif kind == "repeat":
        lines[other:other] = [lines[one]] * 3
    else:
        lines[one] = _value_changed(lines[one], second, *what)
    return lines


def _value_changed(line: bytes, number: int, value: str, is_odd: bool) -> bytes:
    try:
        found = list(places(json.loads(line)))
    except (ValueError, RecursionError):
        return line
    return replaced(line, found[number % len(found)], value, is_odd=is_odd) if found else line


every_log = pytest.mark.parametrize("log", [*ALL, *PACKED], ids=str)


@every_log
@some
@given(st.lists(DAMAGES, min_size=1, max_size=5))
def test_a_damaged_transcript_is_read(log: Log, damages: list[Damage]) -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as base:
        log.put_beside(base)
        one = log.put(base, damaged(log.data, damages))
        read(one, full=True)
        read(one, full=False)


@every_log
@once
@given(st.lists(st.lists(DAMAGES, min_size=1, max_size=5), min_size=8, max_size=8))
def test_damaged_transcripts_are_stored(log: Log, damages: list[list[Damage]]) -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as base:
        kept = [log.put(f"{base}/{number}", damaged(log.data, one)) for number, one in enumerate(damages)]
        kept = [one._replace(native=f"{one.native}-{number}") for number, one in enumerate(kept)]
        wanted = {message.key for one in kept for message in read(one, full=False) if isinstance(message, Message)}
        assert (store(base, kept) > 0) == bool(wanted)


# -- every value of every kind of record ---------------------------------------------------------------------------


def kind_of(row: dict[str, Any]) -> str:
    """Name the kind of a record by its type and that of what it carries."""
    inner: dict[str, Any] = next((row[name] for name in ("payload", "message", "attachment") if name in row), {})
    return f"{row.get('type')} {inner.get('type')} {inner.get('role')}"


Shape = tuple[str, tuple[str, ...]]
Spot = tuple[Log, int, tuple[str | int, ...]]


def kinds(agent: str) -> dict[Shape, Spot]:
    """Give one place for each value of each kind of record that an agent's transcripts hold."""
    found: dict[Shape, Spot] = {}
    for log in ALL:
        if log.agent == agent:
            for number, line in enumerate(log.lines):
                row = json.loads(line)
                kind = kind_of(row)
                for path in places(row):
                    shape = tuple(key if isinstance(key, str) else "" for key in path)
                    found.setdefault((kind, shape), (log, number, path))
    return found


def variants(log: Log, number: int, path: Sequence[str | int]) -> list[bytes]:
    """Give every other value in its place: of a later record all in one transcript, of a first one in one each."""
    lines = log.lines
    others = [replaced(lines[number], path, value, is_odd=False) for value in VALUES]
    others += [replaced(lines[number], path, value, is_odd=True) for value in ODD_VALUES]
    after = lines[number : number + 4]
    if number:
        return [b"".join([lines[0], *others, *after])]
    return [b"".join([other, *after[1:]]) for other in others]


@pytest.mark.parametrize("agent", SOURCES)
def test_any_value_may_stand_anywhere(agent: str) -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as base:
        kept: list[Transcript] = []
        for (kind, shape), (log, number, path) in kinds(agent).items():
            for data in variants(log, number, path):
                one = log.put(f"{base}/{len(kept)}", data)
                one = one._replace(native=f"{one.native}-{len(kept)}")
                kept.append(one)
                try:
                    read(one, full=True)
                    read(one, full=False)
                except Exception as error:
                    raise AssertionError(kind, shape, _culprit(log, base, data)) from error
        assert store(base, kept) > 100


def _culprit(log: Log, base: str, data: bytes) -> bytes:
    """Find the line that cannot be read on its own, else give all of them."""
    for line in data.splitlines(keepends=True):
        try:
            read(log.put(base, line), full=True)
        except Exception:  # noqa: BLE001 - whatever it was
            return line
    return data
