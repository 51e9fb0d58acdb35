import numpy as np

from markhood.kernels.lists import Lists
from markhood.scores.bic import Bic
from markhood.scores.discrete import ReadableScorer, scorer_for
from oracles.networks import awkward, network
from oracles.packing import samples_of
from oracles.scoring import OwnCriterion


class CountsMembers:
    """Not a likelihood at all: up to two members are welcome."""

    def score(self, table):
        return -abs(table.n_blanket - 2)


class Louder(Bic):
    def score(self, table):
        return 2 * super().score(table)


def test_example_only_the_built_in_criterion_is_scored_by_the_kernels(native_kernels):
    samples = samples_of(network(0, 50, 3))
    assert not isinstance(scorer_for(samples, Bic(), native_kernels), ReadableScorer)
    for criterion in (OwnCriterion(), Louder(), CountsMembers()):
        assert isinstance(scorer_for(samples, criterion, native_kernels), ReadableScorer)


def test_example_a_users_criterion_decides(native_kernels):
    scorer = scorer_for(samples_of(network(0, 50, 5)), CountsMembers(), native_kernels)
    found = scorer.grown(np.array([0, 3]), Lists.of([[1, 2, 4], [0]]))
    assert [m.tolist() for m in found.members] == [[1, 2], [0]]
    assert found.scores.tolist() == [0, -1]
    assert found.evaluations.tolist() == [0, 4, 2, 1]


def test_property_both_scorers_score_alike(kernels):
    for values in (network(1, 200, 8), awkward(5, 60)):
        d = values.shape[1]
        samples = samples_of(values)
        fast = scorer_for(samples, Bic(0.5), kernels)
        readable = scorer_for(samples, OwnCriterion(), kernels)
        targets, spaces = (
            np.arange(d),
            Lists.of([[v for v in range(d) if v != t] for t in range(d)]),
        )
        one, other = fast.grown(targets, spaces), readable.grown(targets, spaces)
        assert [m.tolist() for m in one.members] == [m.tolist() for m in other.members]
        np.testing.assert_allclose(one.scores, other.scores, rtol=0, atol=1e-9)
        assert one.evaluations.tolist() == other.evaluations.tolist()
        for a, b in zip(
            fast.toggled(targets, one.members, spaces),
            readable.toggled(targets, one.members, spaces),
            strict=True,
        ):
            np.testing.assert_allclose(a, b, rtol=0, atol=1e-9)
