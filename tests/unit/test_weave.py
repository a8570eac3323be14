"""The order by words alone within the one by words and meaning."""

from __future__ import annotations

import random

import pytest

from harkback import rank
from harkback.model import TALK, USER
from harkback.rank import ANY, MEANING, MOST, PHRASE, Candidate, Ranked, woven


def one(seq: int, tier: int, score: float = 0.0) -> Ranked:
    return Ranked(Candidate(seq, 0.0, 0.0, False, TALK, USER, None, seq, 0), tier, score, 1.0)


def seqs(ranked: list[Ranked]) -> list[int]:
    return [each.candidate.seq for each in ranked]


def test_hits_by_words_stand_at_every_second_place_at_the_latest() -> None:
    near = [one(seq, MEANING) for seq in range(100, 110)]
    by_words = [one(1, PHRASE), one(2, MOST), one(3, MOST)]
    assert seqs(woven([*near, *by_words], by_words))[:8] == [100, 101, 1, 102, 2, 103, 3, 104]


def test_hits_that_stand_higher_already_stay_there_and_loose_ones_by_their_score() -> None:
    ranked = [one(1, MOST), *(one(seq, MEANING) for seq in range(100, 106)), one(2, MOST), one(3, ANY)]
    by_words = [one(1, MOST), one(2, MOST), one(3, ANY)]
    assert seqs(woven(ranked, by_words)) == [1, 100, 101, 102, 2, 103, 104, 105, 3]
    assert woven(ranked, []) == ranked
    assert seqs(woven([], by_words)) == [1, 2]


@pytest.mark.parametrize("seed", range(40))
def test_nothing_is_lost_or_doubled_and_every_place_holds(seed: int) -> None:
    dice = random.Random(seed)
    every = [one(seq, dice.choice((PHRASE, rank.ALL, MOST, ANY, MEANING))) for seq in range(40)]
    by_words = dice.sample([each for each in every if each.tier <= ANY], 12)
    order = seqs(woven(every, by_words))
    assert sorted(order) == list(range(40))
    due = [each.candidate.seq for each in by_words if each.tier <= MOST]
    assert all(order.index(seq) + 1 <= 2 * place + 1 for place, seq in enumerate(due, 1))
    others = [seq for seq in order if seq not in due]
    assert others == sorted(others)
