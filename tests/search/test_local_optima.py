"""Where the searches end: nothing they may do next would gain, every score computed anew."""

import numpy as np
import pytest

from markhood.kernels.flips import climb_groups
from markhood.kernels.greedy import toggle_scores
from markhood.scores.bic import Bic
from markhood.search.blankets import AllVariables, combine, search_blankets
from markhood.search.climb import climb
from markhood.search.values.job import Job
from oracles.jobs import job_of
from oracles.networks import awkward, network
from oracles.packing import samples_of
from oracles.scoring import bic, gain_of_flip

DATA = {
    "network": network(11, 400, 9, strength=2.0),
    "weak": network(12, 250, 10, strength=1.0),
    "awkward": awkward(2, 80),
}


def searched(values, gamma):
    job = job_of(samples_of(values), Bic(gamma))
    return job, search_blankets(job, AllVariables(job.n_variables))


@pytest.mark.parametrize("gamma", [0.0, 0.5])
@pytest.mark.parametrize("name", DATA)
def test_oracle_no_addition_to_a_blanket_gains(name, gamma):
    values = DATA[name]
    _, found = searched(values, gamma)
    assert len(found.members.values) > 1
    for target, members in enumerate(found.members):
        blanket = members.tolist()
        score = bic(values, target, blanket, gamma)
        assert found.scores[target] == pytest.approx(score, abs=1e-8)
        others = set(range(values.shape[1])) - {target, *blanket}
        for added in others:
            assert bic(values, target, sorted([*blanket, added]), gamma) <= score + 2e-9
        for dropped in blanket if len(blanket) > 2 else []:
            assert bic(values, target, [b for b in blanket if b != dropped], gamma) <= score + 2e-9


@pytest.mark.parametrize("gamma", [0.0, 0.5])
@pytest.mark.parametrize("name", DATA)
def test_oracle_no_flip_of_an_edge_gains(name, gamma):
    values = DATA[name]
    job, found = searched(values, gamma)
    or_edges = combine(found.members, "or")
    climbed = climb(job, or_edges)
    edges = climbed.edges.tolist()
    assert set(map(tuple, edges)) <= set(map(tuple, or_edges.tolist()))
    for edge in or_edges.tolist():
        assert gain_of_flip(values, edges, edge, gamma) <= 2e-9


class TableScorer:
    """Scores of whole blankets by a dictionary, to play the climb through by hand."""

    def __init__(self, scores):
        self.scores = scores

    def score(self, target, blanket):
        return float(self.scores.get((target, tuple(blanket)), 0.0))

    def toggled(self, targets, blankets, toggles):
        return toggle_scores(self.score, targets, blankets, toggles)

    def climbed(self, groups, blankets, partners, changes):
        return climb_groups(self.score, groups, blankets, partners, changes)


def job_on(scorer, n_variables):
    return Job(samples_of(np.zeros((2, n_variables), dtype=np.uint8)), scorer)


def test_example_the_best_flip_first_and_an_edge_comes_back():
    """Out go 0-1, 0-2 and 0-3, the best first; without the others 0-1 is worth having again."""
    edges = np.array([[0, 1], [0, 2], [0, 3]])
    of_0 = {(1, 2, 3): 0, (2, 3): 3, (3,): 5, (): 6, (1,): 7}
    scores = {(0, blanket): score for blanket, score in of_0.items()}
    climbed = climb(job_on(TableScorer(scores), 4), edges)
    assert climbed.edges.tolist() == [[0, 1]]
    # By hand: six flips at first, then after each of four moves those at its two ends.
    assert climbed.evaluations.tolist() == [6, 8, 7, 1]


def test_example_ties_go_to_the_lower_edge():
    edges = np.array([[0, 1], [0, 2]])
    scores = {(0, (2,)): 1.0, (0, (1,)): 1.0 + 5e-10, (0, ()): -9.0}
    assert climb(job_on(TableScorer(scores), 3), edges).edges.tolist() == [[0, 2]]


def test_example_groups_climb_on_their_own_until_they_meet():
    """0-1 and 3-4 are removed. Then 1-3 gains at both ends, so the four variables climb again."""
    edges = np.array([[0, 1], [1, 2], [1, 3], [3, 4], [5, 6], [7, 8]])
    scores = {(0, ()): 2.0, (4, ()): 1.0, (7, ()): 5.0, (1, (2,)): 1.0, (3, ()): 1.0}
    asked = []

    class Watching(TableScorer):
        def climbed(self, groups, *others):
            asked.extend(variables.tolist() for variables in groups)
            return super().climbed(groups, *others)

    climbed = climb(job_on(Watching(scores), 9), edges)
    assert asked == [[0, 1], [3, 4], [7, 8], [0, 1, 3, 4]]
    assert climbed.edges.tolist() == [[1, 2], [5, 6]]
    # Twelve at first; then those at 0, 1, 3 and 4 for 0-1 and 3-4, at 1 and 3 for 1-3, at 7 and 8.
    assert climbed.evaluations.sum() == 12 + (1 + 3) + (2 + 1) + (3 + 2) + (1 + 1)


def test_example_no_edges_nothing_to_climb():
    climbed = climb(job_on(TableScorer({}), 3), np.empty((0, 2), dtype=np.int64))
    assert climbed.edges.shape == (0, 2)
    assert climbed.evaluations.sum() == 0
