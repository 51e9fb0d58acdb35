"""Data for the benchmarks."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from markhood.data.coding.encode import encode
from markhood.data.coding.planes import every_sample
from markhood.data.samples import Samples, words_per_row
from markhood.data.variables import Variables, default_names
from markhood.execution.runner import Runner
from markhood.scores.discrete import DiscreteScorer
from markhood.search.values.job import Job
from markhood.simulate import grid, ising


def coins(n_variables: int, n_samples: int) -> Samples:
    """Toss fair coins: the screen has every pair to test and next to nothing to find."""
    rng = np.random.default_rng(1)
    return encode(rng.integers(0, 2, size=(n_samples, n_variables), dtype=np.uint8))


def dice(n_variables: int, n_samples: int, n_levels: int) -> Samples:
    """Throw fair dice, whose faces are steps: next to nothing to find."""
    rng = np.random.default_rng(1)
    faces = rng.integers(0, n_levels, size=(n_samples, n_variables), dtype=np.uint8)
    return encode(faces, kinds="ordinal")


def questionnaire(n_variables: int, n_samples: int, n_levels: int) -> Samples:
    """Answer questions with ordered levels; each group of five asks for one of several related traits."""
    rng = np.random.default_rng(1)
    traits = rng.normal(size=(n_samples, n_variables // 5)) + 0.5 * rng.normal(size=(n_samples, 1))
    answers = traits.repeat(5, axis=1) + 1.2 * rng.normal(size=(n_samples, n_variables))
    edges = np.quantile(answers, np.arange(1, n_levels) / n_levels)
    steps = np.searchsorted(edges, answers).astype(np.uint8)
    return encode(steps, kinds="ordinal")


def grid_network(n_variables: int, n_samples: int) -> Samples:
    """Sample the paper's grid network, with its potentials."""
    return encode(ising(grid(n_variables), seed=1).sample(n_samples, seed=2))


def chains(n_variables: int, n_samples: int, length: int = 16) -> Samples:
    """Make packed chains of variables, in which neighbours agree three times out of four."""
    rng = np.random.default_rng(1)
    shape = (n_variables, words_per_row(n_samples))
    words = rng.integers(0, 2**64, shape, dtype=np.uint64)
    for k in range(1, length):
        one, other = rng.integers(0, 2**64, (2, *words[k::length].shape), dtype=np.uint64)
        words[k::length] = words[k - 1 :: length][: len(one)] ^ (one & other)
    words &= every_sample(n_samples)
    variables = Variables(tuple(default_names(n_variables)), ((0, 1),) * n_variables)
    return Samples(words, n_samples, variables)


def write_pairs(path: Path, n_variables: int, n_samples: int) -> None:
    """Write an NPY file in which variables 2k and 2k + 1 agree three times out of four."""
    rng = np.random.default_rng(1)
    shape = (n_samples, n_variables)
    table = np.lib.format.open_memmap(path, mode="w+", dtype=np.uint8, shape=shape)
    for start in range(0, n_samples, 500):
        block = table[start : start + 500]
        first, one, other = rng.integers(
            0, 2, size=(3, len(block), n_variables // 2), dtype=np.uint8
        )
        block[:, ::2] = first
        block[:, 1::2] = first ^ (one & other)
    table.flush()


def job(samples: Samples, n_threads: int = 1) -> Job:
    """Return what a search of these samples is given."""
    return Job(samples, DiscreteScorer(samples), Runner(n_threads))
