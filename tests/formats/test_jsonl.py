"""Reading lines of a JSONL file that may hold anything and may still be growing."""

from __future__ import annotations

import io
import json
import os
import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest

from harkback.model import Checkpoint, Problem
from harkback.sources import jsonl
from harkback.sources.files import open_transcript

if TYPE_CHECKING:
    from pathlib import Path

GOOD = b'{"a":1}'
KNOWN = {"a": 1}

# name, bytes of the file, values read, (kind, offset, length) of the problems, where to go on
LINES: list[tuple[str, bytes, list[Any], list[tuple[str, int, int]], int]] = [
    ("nothing at all", b"", [], [], 0),
    ("two objects", GOOD + b"\n" + GOOD + b"\n", [KNOWN, KNOWN], [], 16),
    ("empty lines are nothing", b"\n \n" + GOOD + b"\n\n", [KNOWN], [], 12),
    ("windows line ends", GOOD + b"\r\n\r\n", [KNOWN], [], 11),
    ("a byte order mark", b"\xef\xbb\xbf" + GOOD + b"\n", [KNOWN], [], 11),
    ("a last line without newline is whole", GOOD, [KNOWN], [], 7),
    ("a last line is half written", GOOD + b"\n" + b'{"a":', [KNOWN], [], 8),
    ("a last number may still grow", b"12", [], [], 0),
    ("a last run of NULs may still grow", GOOD + b"\n\0\0\0", [KNOWN], [], 8),
    (
        "other line separators do not split",
        '{"a":"x\u2028y\u0085z\x0c"}\n'.replace("\x0c", "\\f").encode(),
        [{"a": "x\u2028y\u0085z\x0c"}],
        [],
        19,
    ),
    ("null", b"null\n", [], [("not-an-object", 0, 4)], 5),
    ("a number", b"3\n", [], [("not-an-object", 0, 1)], 2),
    ("a list", b'["a"]\n', [], [("not-an-object", 0, 5)], 6),
    ("a string", b'"a"\n', [], [("not-an-object", 0, 3)], 4),
    ("a comment", b"# no\n" + GOOD + b"\n", [KNOWN], [("not-json", 0, 4)], 13),
    ("a control character", b'{"a":"x\x01y"}\n', [{"a": "x\x01y"}], [("repaired", 0, 11)], 12),
    ("half a surrogate pair", b'{"a":"\\ud83dx"}\n', [{"a": "\ufffdx"}], [("repaired", 0, 15)], 16),
    ("an escaped pair", b'{"a":"\\ud83d\\ude00"}\n', [{"a": "\U0001f600"}], [], 21),
    ("broken UTF-8", b'{"a":"\xe4\xb8"}\n', [{"a": "\ufffd"}], [("repaired", 0, 10)], 11),
    ("only NULs", b"\0" * 5 + b"\n" + GOOD + b"\n", [KNOWN], [("nul-run", 0, 5)], 14),
    ("NULs before a record", b"\0\0" + GOOD + b"\n", [KNOWN], [("nul-run", 0, 9)], 10),
    ("NULs inside", b'{"a":\0\0}\n', [], [("nul-run", 0, 8)], 9),
    ("a cut line with the next one behind it", b'{"b":{"c' + GOOD + b"\n", [KNOWN], [("glued", 0, 15)], 16),
    ("two objects on a line", GOOD + GOOD + b"\n", [KNOWN, KNOWN], [("glued", 0, 14)], 15),
    ("an object inside a cut line is no record", b'{"b":{"c":1},"d\n', [], [("not-json", 0, 15)], 16),
    ("nested too deep", b'{"a":' * 3000 + b"\n", [], [("not-json", 0, 15000)], 15001),
]


def read(data: bytes, start: int = 0) -> tuple[list[Any], list[Problem], int]:
    records = jsonl.Records(io.BufferedReader(io.BytesIO(data)), start)
    found = [value for _, _, value in records]
    problems = [one for one in found if isinstance(one, Problem)]
    return [one for one in found if not isinstance(one, Problem)], problems, records.end


@pytest.mark.parametrize(("name", "data", "values", "problems", "end"), LINES, ids=[line[0] for line in LINES])
def test_a_line_gives_its_value_or_a_problem(
    name: str, data: bytes, values: list[Any], problems: list[tuple[str, int, int]], end: int
) -> None:
    del name
    found, told, reached = read(data)
    assert found == values
    assert [(one.kind, one.offset, one.length) for one in told] == problems
    assert reached == end


def test_offsets_and_lengths_lead_back_to_the_line() -> None:
    data = '{"a":"一"}\n'.encode() + b"\r\n" + b'{"a":2} \r\n' + b'{"a":3}'
    records = jsonl.Records(io.BufferedReader(io.BytesIO(data)), 0)
    lines = [data[offset : offset + length] for offset, length, _ in records]
    assert lines == ['{"a":"一"}'.encode(), b'{"a":2}', b'{"a":3}']


def test_records_saved_from_a_glued_line_lead_back_to_themselves() -> None:
    data = b'{"b":"\xff' + GOOD + b' {"a":2}\n'
    records = jsonl.Records(io.BufferedReader(io.BytesIO(data)), 0)
    lines = [data[at : at + size] for at, size, value in records if not isinstance(value, Problem)]
    assert lines == [GOOD, b'{"a":2}']


def test_a_problem_shows_no_more_than_the_first_forty_characters() -> None:
    _, (problem,), _ = read(b"secret " + b"x" * 40 + b"NOT THIS\n")
    assert "secret" in problem.detail
    assert "NOT THIS" not in problem.detail
    _, (problem,), _ = read(b"\x01" * 300 + b"\n")
    assert len(problem.detail) <= 120


def test_lines_named_by_skip_are_passed_over_but_not_when_half_written() -> None:
    data = b'{"skip":1}\n' + GOOD + b'\n{"skip":2}'
    records = jsonl.Records(io.BufferedReader(io.BytesIO(data)), 0, lambda line: b"skip" in line)
    assert [value for _, _, value in records] == [KNOWN]
    assert records.end == 19


def test_a_forty_megabyte_line_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"a":"' + b"x" * (40 << 20) + b'"}\n' + GOOD + b"\n")
    with path.open("rb") as file:
        records = list(jsonl.Records(file, 0))
    assert [len(str(value)) > 40 << 20 for _, _, value in records] == [True, False]


def test_a_longer_line_is_left_out_and_the_next_one_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    with path.open("wb") as file:
        file.truncate(70 << 20)
        file.seek(0, os.SEEK_END)
        file.write(b"\n" + GOOD + b"\n")
    with path.open("rb") as opened:
        records = jsonl.Records(opened, 0)
        (problem, good) = [value for _, _, value in records]
    assert problem == Problem(0, 70 << 20, "line-too-long", "73400320 bytes; lines of more than 67108864 are left out")
    assert good == KNOWN
    assert records.end == (70 << 20) + 9


def test_two_hundred_megabytes_without_a_line_end_do_not_fill_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    with path.open("wb") as file:
        file.write(GOOD + b"\n")
        file.truncate(200 << 20)
    tracemalloc.start()
    with path.open("rb") as opened:
        records = jsonl.Records(opened, 0)
        values = [value for _, _, value in records]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert values == [KNOWN]
    assert records.end == 8
    assert peak < 140 << 20


BODY = b"".join(b'{"n":%d,"pad":"%s"}\n' % (n, b"x" * 90) for n in range(500))


def changed(path: Path, checkpoint: Checkpoint) -> str | None:
    with open_transcript(str(path)) as file:
        return file.changed(checkpoint)


# name, what the file holds later, reason
LATER = [
    ("unchanged", BODY, None),
    ("appended to", BODY + BODY, None),
    ("cut short", BODY[:-1], "truncated"),
    ("emptied", b"", "truncated"),
    ("another first line", BODY.replace(b'"n":0,', b'"n":9,', 1), "rewritten"),
    ("another last line", BODY.replace(b'"n":499,', b'"n":498,', 1), "rewritten"),
    ("shifted by one line and longer", BODY[105:] + BODY, "rewritten"),
]


@pytest.mark.parametrize(("name", "later", "reason"), LATER, ids=[one[0] for one in LATER])
def test_a_checkpoint_knows_whether_what_precedes_it_still_stands(
    tmp_path: Path, name: str, later: bytes, reason: str | None
) -> None:
    path = tmp_path / f"{name}.jsonl"
    path.write_bytes(BODY)
    with path.open("rb", buffering=0) as file:
        checkpoint = Checkpoint(len(BODY), jsonl.fingerprint(file, len(BODY)))
    path.write_bytes(later)
    assert changed(path, checkpoint) == reason


def test_a_change_between_the_samples_of_a_small_file_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    data = json.dumps({"a": "x" * 8000}).encode() + b"\n"
    path.write_bytes(data)
    with path.open("rb", buffering=0) as file:
        checkpoint = Checkpoint(len(data), jsonl.fingerprint(file, len(data)))
    path.write_bytes(data[:5000] + b"y" + data[5001:])
    assert changed(path, checkpoint) == "rewritten"


def test_a_fingerprint_costs_the_same_for_any_size(tmp_path: Path) -> None:
    class Counting(io.FileIO):
        seen = 0

        def read(self, size: int | None = -1, /) -> bytes:
            found = super().read(size)
            Counting.seen += len(found)
            return found

    path = tmp_path / "x.jsonl"
    with path.open("wb") as file:
        file.truncate(1 << 30)
    with Counting(str(path)) as raw:
        jsonl.fingerprint(raw, 1 << 30)
    assert Counting.seen == 2 * 4096 + 6 * 512
