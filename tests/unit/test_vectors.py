"""Vectors in mapped files: the nearest are found as by comparing all, filters hold, what is gone leaves nothing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from harkback.engines.local import vector_files
from harkback.engines.local.schema import transaction
from harkback.engines.local.vector_files import FILES
from harkback.engines.local.vectors import BLOCK, CLOSELY, VectorSet, open_vectors, vectors_in
from harkback.errors import VectorsDamaged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

DIM = 128


def made(count: int, seed: int = 1, dim: int = DIM) -> NDArray[np.float32]:
    """Make vectors that all lie in one corner, as a model's do."""
    rng = np.random.default_rng(seed)
    matters = np.random.default_rng(0).normal(size=(40, dim))
    rows: NDArray[np.float32] = (matters[rng.integers(0, 40, count)] + rng.normal(size=(count, dim)) + 0.8).astype("f4")
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[VectorSet]:
    con = open_vectors(str(tmp_path), write=True)
    assert con is not None
    one = VectorSet(con, str(tmp_path), "a model")
    one.begin(DIM, {script: np.zeros(DIM, np.float32) for script in range(3)})
    yield one
    con.close()


def put(kept: VectorSet, rows: NDArray[np.float32], first: int = 1) -> None:
    with transaction(kept.con):
        kept.append(range(first, first + len(rows)), [number % 3 for number in range(len(rows))], rows)


def test_the_nearest_are_those_that_comparing_all_finds(kept: VectorSet) -> None:
    rows = made(BLOCK + 500)
    for at in range(0, len(rows), 300):
        put(kept, rows[at : at + 300], at + 1)
    middles = kept.middles()
    centred = rows - np.array([middles[number % 300 % 3] for number in range(len(rows))])
    centred /= np.linalg.norm(centred, axis=1, keepdims=True)
    right = 0
    for asked in made(20, seed=2):
        one = asked - middles[1]
        wanted = np.argsort(-(centred @ (one / np.linalg.norm(one))))[:10] + 1
        found = [near.seq for near in kept.nearest(asked[None].copy(), [1], 10)]
        right += len(set(found) & set(wanted.tolist()))
    assert right >= 180  # of vectors that lie as they like, the hardest case


def test_of_several_wordings_the_nearest_counts(kept: VectorSet) -> None:
    rows = made(50)
    put(kept, rows)
    found = kept.nearest(rows[[7, 30]].copy(), [7 % 3, 30 % 3], 2)
    assert {one.seq for one in found} == {8, 31}
    assert all(one.cosine > 0.99 for one in found)


def test_what_may_not_be_given_is_not_and_what_may_is(kept: VectorSet) -> None:
    rows = made(2000)
    put(kept, rows)
    assert kept.nearest(rows[:1].copy(), [0], 1)[0].seq == 1
    far = kept.nearest(rows[:1].copy(), [0], 10, among=[1500, 1700])
    assert {one.seq for one in far} == {1500, 1700}
    many = kept.nearest(rows[:1].copy(), [0], 10, among=range(1000, 2001))
    assert len(many) == 10
    assert all(one.seq >= 1000 for one in many)
    assert kept.nearest(rows[:1].copy(), [0], 10, among=[]) == []


def test_what_is_gone_leaves_nothing(kept: VectorSet) -> None:
    rows = made(100)
    put(kept, rows)
    held = np.array(kept._rows(kept.count)[41])
    assert held.any()
    assert kept.drop(np.array([42])) == 1
    assert not np.array(kept._rows(kept.count)[41]).any()
    for name in ("rows", "ids", "bits"):
        with open(os.path.join(kept.folder, name), "rb") as file:
            assert held.tobytes() not in file.read()
    assert 42 not in kept.seqs()
    assert 42 not in {one.seq for one in kept.nearest(rows[41:42].copy(), [41 % 3], 100)}


@pytest.mark.parametrize("dim", [1, 7, 63, 100, 384, 1000])
def test_a_model_may_have_any_number_of_numbers(tmp_path: Path, dim: int) -> None:
    with vectors_in(str(tmp_path), write=True) as con:
        assert con is not None
        one = VectorSet(con, str(tmp_path), "a model")
        one.begin(dim, {script: np.zeros(dim, np.float32) for script in range(3)})
        rows = made(CLOSELY + 200, dim=dim)
        put(one, rows)
    with vectors_in(str(tmp_path)) as con:
        assert con is not None
        one = VectorSet(con, str(tmp_path), "a model")
        found = one.nearest(rows[30:31].copy(), [0], 3)
        assert one.cosines(rows[30:31].copy(), [0], [31])[31] > 0.99
        assert dim < 63 or found[0].seq == 31


@pytest.mark.parametrize("before", [0, 50, BLOCK, BLOCK + 7])
def test_what_a_killed_process_wrote_beyond_is_cleared_by_the_next_that_writes(
    kept: VectorSet, tmp_path: Path, before: int
) -> None:
    rows = made(before)
    if before:
        put(kept, rows)
    kept.con.execute("BEGIN")
    kept.append(range(before + 1, before + BLOCK + 1), [0] * BLOCK, made(BLOCK, seed=9))
    kept.con.execute("ROLLBACK")
    held = {name: (Path(kept.folder) / name).read_bytes() for name in FILES}
    again = VectorSet(kept.con, str(tmp_path), "a model")
    assert sorted(again.seqs()) == list(range(1, before + 1))
    again.clear_beyond()
    whole = before // BLOCK * BLOCK
    for name, row, counted in (("ids", 8, before), ("rows", DIM, before), ("bits", DIM // 8, whole)):
        now = (Path(kept.folder) / name).read_bytes()
        assert now[: counted * row] == held[name][: counted * row]
        beyond = row * (counted if name != "bits" or before % BLOCK == 0 else whole + BLOCK)
        assert held[name][beyond:].strip(b"\0")
        assert not now[beyond:].strip(b"\0")
    if before % BLOCK:
        last = again._bits(before)[-1]
        assert last[:, : before % BLOCK].any()
        assert not last[:, before % BLOCK :].any()
    put(again, made(1, seed=3), before + 1)
    assert again.nearest(made(1, seed=3), [0], 1)[0].seq == before + 1


def test_vectors_of_another_model_are_not_looked_at(kept: VectorSet, tmp_path: Path) -> None:
    put(kept, made(10))
    other = VectorSet(kept.con, str(tmp_path), "another")
    assert (other.count, other.nearest(made(1), [0], 5)) == (0, [])
    assert VectorSet(kept.con, str(tmp_path), "a model").count == 10
    vector_files.throw_away(str(tmp_path))
    assert not vector_files.there_are(str(tmp_path))
    assert os.listdir(tmp_path) == []


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 1)


@pytest.mark.parametrize("name", ["ids", "rows", "bits"])
@pytest.mark.parametrize("damage", [cut, os.unlink])
def test_files_that_are_missing_or_too_short_are_found_when_a_set_is_opened(
    kept: VectorSet, tmp_path: Path, name: str, damage: Callable[[Path], None]
) -> None:
    put(kept, made(10))
    assert VectorSet(kept.con, str(tmp_path), "a model").count == 10
    damage(Path(kept.folder) / name)
    with pytest.raises(VectorsDamaged, match="hark rebuild"):
        VectorSet(kept.con, str(tmp_path), "a model")


def read_set(folder: Path) -> int:
    with vectors_in(str(folder)) as con:
        assert con is not None
        return VectorSet(con, str(folder), "a model").count


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE vector_set SET rows = 5000",
        "UPDATE vector_set SET dim = 64000",
        "UPDATE vector_set SET dim = 0",
        "UPDATE vector_set SET dim = 'many'",
        "UPDATE vector_middle SET data = x'0000'",
        "UPDATE vector_middle SET data = zeroblob(508) || x'0000c07f'",
        "DELETE FROM vector_middle WHERE script = 1",
        "DROP TABLE vector_middle",
        "DROP TABLE vector_set",
    ],
)
def test_a_database_that_does_not_agree_is_found(kept: VectorSet, tmp_path: Path, statement: str) -> None:
    put(kept, made(10))
    assert read_set(tmp_path) == 10
    kept.con.execute(statement)
    with pytest.raises(VectorsDamaged):
        read_set(tmp_path)


def test_a_database_that_is_none_or_of_a_newer_program_is_told_as_vectors(kept: VectorSet, tmp_path: Path) -> None:
    kept.con.execute("PRAGMA user_version = 99")
    for write in (False, True):
        with pytest.raises(VectorsDamaged, match="newer"):
            open_vectors(str(tmp_path), write=write)
    kept.con.close()
    (tmp_path / "vectors.sqlite").write_bytes(b"no database" * 1000)
    for write in (False, True):
        with pytest.raises(VectorsDamaged):
            open_vectors(str(tmp_path), write=write)
