"""A warning where a method's own criterion and the evidence of its edges disagree."""

import numpy as np

import markhood
from messages import ignores, warns


def near_chain(n=100, d=30):
    rng = np.random.default_rng(0)
    x = np.zeros((n, d), np.int64)
    x[:, 0] = rng.integers(0, 2, n)
    for j in range(1, d):
        x[:, j] = np.where(rng.random(n) < 0.02, rng.integers(0, 2, n), x[:, j - 1])
    return x


def test_example_most_edges_of_bjp_in_a_nearly_deterministic_chain():
    with ignores("identical-columns"), warns("negative-evidence", facts=("negative evidence",)):
        graph = markhood.learn(near_chain(), "bjp")
    assert (graph.evidence < 0).mean() > 0.5


def test_example_none_where_the_criteria_agree():
    with ignores("identical-columns"):
        graph = markhood.learn(near_chain())
    assert (graph.evidence > 0).all()
