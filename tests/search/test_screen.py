from dataclasses import replace
from math import log

import numpy as np
import pytest

from markhood.kernels.protocol import Tiling
from markhood.search.screen import screen
from markhood.search.values.job import EarlierScreen
from oracles.counting import likelihood_ratio
from oracles.jobs import job_of
from oracles.networks import network
from oracles.packing import samples_of


@pytest.mark.parametrize("gamma", [0.0, 0.5, 3.0])
def test_oracle_pairs_that_beat_the_penalty(kernels, gamma):
    values = network(7, 130, 40)
    penalty = log(130) / 2 + gamma * log(39)
    gains = {
        (i, j): likelihood_ratio(values, i, j) - penalty
        for i in range(40)
        for j in range(i + 1, 40)
    }
    expected = {pair: gain for pair, gain in gains.items() if gain > 1e-9}
    found = screen(job_of(samples_of(values), kernels=kernels), gamma)
    assert [tuple(edge) for edge in found.edges.tolist()] == list(expected)
    np.testing.assert_allclose(found.gains, list(expected.values()), rtol=0, atol=1e-9)
    assert expected


@pytest.mark.parametrize("n_jobs", [1, 2, 4])
def test_property_tiles_and_threads_do_not_matter(kernels, n_jobs, monkeypatch):
    samples = samples_of(network(8, 130, 100))
    whole = screen(job_of(samples, kernels=kernels), 0.5)
    assert len(whole.edges) > 50
    smallest = Tiling(words=1, side=1)
    monkeypatch.setattr(type(kernels), "tiling", lambda self, bits: smallest)
    cut = screen(job_of(samples, kernels=kernels, n_jobs=n_jobs), 0.5)
    assert cut.edges.tolist() == whole.edges.tolist()
    assert cut.gains.tolist() == whole.gains.tolist()


def test_example_nothing_depends_on_anything(kernels):
    values = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    assert screen(job_of(samples_of(values), kernels=kernels), 0.5).edges.shape == (0, 2)


@pytest.mark.parametrize("n_tiles", [0, 1, 4])
@pytest.mark.parametrize("gamma", [0.25, 0.75])
def test_property_tiles_of_an_earlier_screen_are_not_tested_again(kernels, n_tiles, gamma):
    job = job_of(samples_of(network(8, 130, 100)), kernels=kernels)
    first = job.scorer.tiles()[:n_tiles]
    assert len(first) == n_tiles
    found = tuple(job.scorer.pairs(tile, 0.25) for tile in first)
    tested = []
    runner = replace(job.runner, progress=lambda phase, done, total: tested.append(total))
    again = screen(replace(job, runner=runner, earlier=EarlierScreen(0.25, found, 0.0)), gamma)
    whole = screen(job, gamma)
    assert again.edges.tolist() == whole.edges.tolist()
    np.testing.assert_allclose(again.gains, whole.gains, rtol=0, atol=1e-12)
    assert tested[-1] == len(job.scorer.tiles()) - n_tiles
    smaller = screen(replace(job, earlier=EarlierScreen(9.0, found[:0], 0.0)), gamma)
    assert smaller.edges.tolist() == whole.edges.tolist()
