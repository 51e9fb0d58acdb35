from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markhood.kernels.greedy import grow_and_shrink
from markhood.kernels.ties import TIE, best_of


def test_example_ties_go_to_the_lower_index():
    assert best_of([0.0, 5.0, 5.0 + TIE / 2, 5.0]) == 1
    assert best_of([0.0, 5.0, 5.0 + 3 * TIE]) == 2
    assert best_of([-float("inf")] * 2) == 0


def search(scores, candidates, kept=()):
    """Grow and shrink on scores given by a dictionary; others score nothing."""
    evaluations = Counter()
    found = grow_and_shrink(lambda b: scores.get(tuple(b), -100.0), candidates, evaluations, kept)
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


def test_example_kept_members_are_there_from_the_start_and_stay():
    scores = {(): 9, (4,): 0, (1, 4): 3, (2, 4): 1, (1, 2, 4): 4, (1, 2): 50}
    assert search(scores, [1, 2, 4], [4]) == ([1, 2, 4], 4, {2: 2, 3: 1})
    assert search({(2, 4): 1.5}, [2], [2, 4]) == ([2, 4], 1.5, {})


def test_example_besides_kept_members_one_goes_when_the_others_do_without_it():
    scores = {(): 0, (1,): 3, (2,): 1, (3,): 1, (1, 2): 4, (1, 3): 3.5, (1, 2, 3): 5, (2, 3): 6}
    beside = {(*blanket, 9): score for blanket, score in scores.items()}
    blanket, score, evaluations = search(beside, [1, 2, 3], [9])
    assert (blanket, score) == ([2, 3, 9], 6)
    assert evaluations == {2: 3, 3: 2 + 3, 4: 1 + 1}


def always_shrinking(score, candidates, kept):
    """The same search in sets, which tries to take out of blankets of any size."""
    blanket = frozenset(kept)
    while True:
        larger = [blanket | {c} for c in candidates if c not in blanket]
        if not larger:
            return sorted(blanket)
        grown = larger[best_of([score(sorted(b)) for b in larger])]
        if not score(sorted(grown)) > score(sorted(blanket)) + TIE:
            return sorted(blanket)
        blanket = grown
        while smaller := [blanket - {b} for b in sorted(blanket) if b not in kept]:
            shrunk = smaller[best_of([score(sorted(b)) for b in smaller])]
            if not score(sorted(shrunk)) > score(sorted(blanket)) + TIE:
                break
            blanket = shrunk


@given(
    seed=st.integers(0, 10**9),
    kept=st.sets(st.integers(0, 6), max_size=3),
    few=st.booleans(),
)
def test_property_two_beside_the_kept_members_never_shrink(seed, kept, few):
    """Any scores at all, with many ties where there are few of them."""
    drawn = {}

    def score(blanket):
        if tuple(blanket) not in drawn:
            rng = Random(f"{seed} {blanket}")
            drawn[tuple(blanket)] = rng.randint(0, 4) * TIE if few else rng.random() + len(blanket)
        return drawn[tuple(blanket)]

    candidates = [v for v in range(6) if v not in kept or seed % 2]
    found, _ = grow_and_shrink(score, candidates, Counter(), sorted(kept))
    assert kept <= set(found)
    assert found == always_shrinking(score, candidates, sorted(kept))
