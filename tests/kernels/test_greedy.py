from collections import Counter

import pytest

from markhood.kernels.greedy import TIE, best_of, grow_and_shrink


def test_example_ties_go_to_the_lower_index():
    assert best_of([0.0, 5.0, 5.0 + TIE / 2, 5.0]) == 1
    assert best_of([0.0, 5.0, 5.0 + 3 * TIE]) == 2
    assert best_of([-float("inf")] * 2) == 0


def search(scores, candidates):
    """Grow and shrink on scores given by a dictionary; others score nothing."""
    evaluations = Counter()
    found = grow_and_shrink(lambda b: scores.get(tuple(b), -100.0), candidates, evaluations)
    return *found, dict(evaluations)


def test_example_the_best_candidates_come_in_one_by_one():
    scores = {(): 0, (1,): 1, (2,): 3, (3,): 2, (1, 2): 4, (2, 3): 3.5, (1, 2, 3): 3.9}
    assert search(scores, [1, 2, 3]) == ([1, 2], 4, {1: 3, 2: 2, 3: 1})


def test_example_a_member_goes_when_the_others_do_without_it():
    scores = {(): 0, (1,): 3, (2,): 1, (3,): 1, (1, 2): 4, (1, 3): 3.5, (1, 2, 3): 5, (2, 3): 6}
    blanket, score, evaluations = search(scores, [1, 2, 3])
    assert (blanket, score) == ([2, 3], 6)
    assert evaluations == {1: 3, 2: 2 + 3, 3: 1 + 1}


@pytest.mark.parametrize(("gain", "grows"), [(TIE / 2, False), (2 * TIE, True)])
def test_example_a_gain_of_rounding_is_none(gain, grows):
    blanket, _, _ = search({(): 0.0, (1,): gain}, [1])
    assert blanket == ([1] if grows else [])


def test_example_nowhere_to_look():
    assert search({(): 2.5}, []) == ([], 2.5, {})
