"""Scores that tie."""

import numpy as np
import pytest

from markhood.kernels.ties import TIE, best_of, levelled


@pytest.mark.parametrize(
    ("scores", "best"),
    [
        ([1.0, 2.0, 2.0], 1),
        ([2.0 - TIE / 2, 2.0], 0),
        ([2.0 - 2 * TIE, 2.0], 1),
        ([-np.inf, 0.0], 1),
    ],
)
def test_example_the_lowest_of_the_best(scores, best):
    assert best_of(scores) == best


@pytest.mark.parametrize("seed", range(5))
def test_property_rounding_does_not_reorder(seed):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 30, size=200) * 0.1
    noisy = scores + rng.normal(0, 1e-13, size=200)
    levels = levelled(noisy)
    assert (
        np.lexsort((np.arange(200), -levels)).tolist()
        == np.lexsort((np.arange(200), -scores)).tolist()
    )
    assert len(np.unique(levels)) == len(np.unique(scores))
    np.testing.assert_allclose(levels, scores, rtol=0, atol=1e-11)


def test_example_no_scores_and_infinite_ones():
    assert levelled(np.empty(0)).tolist() == []
    assert levelled(np.array([np.inf, 1.0, np.inf])).tolist() == [np.inf, 1.0, np.inf]
