"""What is decided by scores hangs neither on their last digits nor on the order in which they
come."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.ranking import CLOSE, all_seen, best, disturbed, exceeds, ranked, reaches, reaching
from osler.records import RecordPool
from osler.settings.run_settings import RunSettings

SCORES = st.lists(st.integers(-50, 50).map(lambda number: number / 7), min_size=1, max_size=12)


def names_of(scores: list[float]) -> list[str]:
    return [f"name {place:02}" for place in range(len(scores))]


def test_equal_scores_are_in_the_order_of_their_names() -> None:
    sum_in_one_order, in_another = 0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1
    assert sum_in_one_order != in_another
    for scores in ([sum_in_one_order, in_another, 0.9], [in_another, sum_in_one_order, 0.9]):
        assert ranked(scores, ["b", "a", "c"]) == [2, 1, 0]
        assert best(scores[:2], ["b", "a"]) == 1


def test_a_score_that_is_a_limit_but_for_its_last_digits_reaches_it_and_does_not_exceed_it() -> (
    None
):
    for score in (0.1 + 0.2, 0.3, 0.3 - 1e-16):
        assert reaches(score, 0.3) and not exceeds(score, 0.3)
    assert 0.7 * 10 < 0.7 * 9 + 0.7 * 1 + 1e-9 and reaches(7, 0.7 * 10)
    assert not reaches(0.29, 0.3) and exceeds(0.31, 0.3)
    assert not reaches(1e9, float("inf")) and reaches(-1e9, float("-inf"))
    assert reaching(np.array([0.1 + 0.2, 0.29], dtype=np.float32), 0.3).tolist() == [True, False]


def test_small_steps_do_not_become_one_score() -> None:
    steps = [1 - step * CLOSE * 0.6 for step in range(6)]
    order = ranked(steps, [-place for place in range(6)])
    assert order == [1, 0, 3, 2, 5, 4]


@given(SCORES, st.randoms(use_true_random=False))
def test_order_and_noise_change_nothing(scores: list[float], draws: random.Random) -> None:
    names = names_of(scores)
    right = [
        names[place]
        for place in sorted(range(len(scores)), key=lambda place: (-scores[place], names[place]))
    ]
    places = list(range(len(scores)))
    draws.shuffle(places)
    mixed, called = [scores[place] for place in places], [names[place] for place in places]
    with disturbed(1e-9, draws.randrange(1000)):
        assert [called[place] for place in ranked(mixed, called)] == right
        assert called[best(mixed, called)] == right[0]
        assert [reaches(score, scores[0]) for score in scores] == [
            score >= scores[0] for score in scores
        ]
        assert [exceeds(score, scores[0]) for score in scores] == [
            score > scores[0] for score in scores
        ]
        assert reaching(np.array(scores), scores[0]).tolist() == [
            score >= scores[0] for score in scores
        ]


def test_noise_reaches_every_score_and_ends() -> None:
    with disturbed(1e-9):
        moved = all_seen(np.ones((2, 3)))
        assert (moved != 1.0).all() and moved == pytest.approx(1.0, rel=1e-9)
    assert (all_seen(np.ones(3)) == 1.0).all()


def test_a_limit_of_turns_is_not_one_more_for_the_last_digit_of_a_product() -> None:
    record = next(iter(RecordPool.open())).model_copy(update={"expected_rounds": 50})
    assert 50 * 1.1 > 55
    assert [
        RunSettings(turn_factor=factor).turn_limit(record) for factor in (1.0, 1.1, 1.11, 1.5)
    ] == [50, 55, 56, 75]
