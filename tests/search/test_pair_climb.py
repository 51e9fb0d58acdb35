"""The climb with the likelihood of pairs."""

import numpy as np
import pytest

import markhood
from markhood.kernels.lists import Lists
from markhood.search.climb import climb_pairs
from markhood.search.hill_climbing import hill_climb
from markhood.search.screen import screen
from markhood.search.values.constraints import NO_CONSTRAINTS, Constraints
from messages import refuses
from oracles.jobs import job_of
from oracles.networks import network
from oracles.packing import samples_of, samples_with_levels


def learn(samples, kernels=None, start="or", constraints=NO_CONSTRAINTS):
    job = job_of(samples, kernels=kernels, constraints=constraints)
    return hill_climb(job, gamma=0.5, depth=3, rule="pair", start=start)


def test_example_a_tree_of_pairs_is_the_screen():
    """Without other neighbours the gain is the screen's, so what passed stays."""
    rng = np.random.default_rng(1)
    first = rng.integers(0, 2, (500, 4))
    values = np.concatenate([first, first ^ (rng.random((500, 4)) < 0.3)], axis=1)
    job = job_of(samples_of(values))
    screened = screen(job, 0.5)
    assert len(screened.edges) == 4
    climbed = climb_pairs(job, screened.edges, 0.5)
    np.testing.assert_array_equal(climbed.edges, screened.edges)


def test_property_no_flip_gains_at_the_end(kernels):
    samples = samples_of(network(5, 300, 8, strength=1.5))
    learned = learn(samples, kernels)
    present = {tuple(edge) for edge in learned.edges.tolist()}
    for edge in learned.or_edges.tolist():
        known = Constraints(required=np.array([e for e in sorted(present) if e != tuple(edge)]))
        both = np.array(sorted(present | {tuple(edge)}))
        job = job_of(samples, kernels=kernels, constraints=known)
        alone = climb_pairs(job, both, 0.5, "empty")
        assert (edge in alone.edges.tolist()) == (tuple(edge) in present)


def test_example_every_start_and_backend_has_the_strong_edges(kernels):
    samples = samples_of(network(5, 400, 6, strength=2.0))
    here, there = learn(samples, kernels), learn(samples)
    np.testing.assert_array_equal(here.edges, there.edges)
    assert len(learn(samples, kernels, start="empty").edges) > 0


def test_example_what_is_known_beforehand_holds():
    samples = samples_of(network(5, 300, 8, strength=2.0))
    first = learn(samples).edges
    known = Constraints(required=np.array([[0, 7]]), forbidden=first[:1])
    edges = learn(samples, constraints=known).edges.tolist()
    assert [0, 7] in edges
    assert first[0].tolist() not in edges


def test_example_levels():
    rng = np.random.default_rng(4)
    values = rng.integers(0, 3, (400, 4))
    values[:, 1] = np.where(rng.random(400) < 0.6, values[:, 0], values[:, 1])
    assert learn(samples_with_levels(values)).edges.tolist() == [[0, 1]]


@pytest.mark.parametrize("options", [{"criterion": "mpl"}, {"fit_penalty": "l2"}])
def test_example_pairs_have_one_price_only(options):
    with refuses("option-conflict", "rule"):
        markhood.learn(network(5, 100, 4), rule="pair", **options)


def test_example_an_ordered_pair_is_the_screens_gain():
    """One parameter, one price: what passed the screen of steps stays."""
    rng = np.random.default_rng(4)
    values = rng.integers(0, 4, (300, 3))
    values[:, 1] = np.clip(values[:, 0] + rng.integers(-1, 2, 300), 0, 3)
    job = job_of(samples_with_levels(values).with_order((True,) * 3))
    screened = screen(job, 0.5)
    assert screened.edges.tolist() == [[0, 1]]
    alone = Lists.empty(1)
    gain = job.scorer.pair_gains(screened.edges, alone, alone, 0.5)
    np.testing.assert_allclose(gain, screened.gains, atol=1e-8)
