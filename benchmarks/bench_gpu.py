"""The screen on an NVIDIA GPU, against the tensor cores with nothing else to do; no rows where there is no card.

A pair of rows of bits is two operations a sample, an AND and an addition, as in a matrix product.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from clock import fastest
from random_samples import chains
from report import Row

from markhood import InputError
from markhood.data.samples import Samples, Weights
from markhood.data.variables import Variables
from markhood.execution.runner import Runner
from markhood.kernels.native import NativeKernels
from markhood.kernels.protocol import Kernels
from markhood.learning.run import kernels_named
from markhood.scores.discrete import DiscreteScorer
from markhood.search.screen import screen
from markhood.search.values.job import Job

N_SAMPLES = 10_240


def rows() -> Iterator[Row]:
    """Measure binary variables, three levels and weights; then the same on the threads of the processor."""
    try:
        card = kernels_named("cuda")
    except InputError:
        return
    bare = _rate(chains(131_072, 10 * N_SAMPLES), card)  # rows so long that products are all
    for d in (131_072, 1_048_576):
        yield _against_products(f"{d}", chains(d, N_SAMPLES), card, bare)
    yield _against_products("131072, 3 levels", _three_levels(131_072), card, bare)
    yield _against_products("65536, weights of 11 digits", _weighted(65_536), card, bare)
    yield _against_threads("16384", chains(16_384, N_SAMPLES), card)
    yield _against_threads("16384, 3 levels", _three_levels(16_384), card)
    yield _against_threads("8192, weights of 11 digits", _weighted(8192), card)


def _three_levels(d: int) -> Samples:
    """Make variables whose first level has half the samples, and each other level a quarter."""
    which, other = chains(d, N_SAMPLES), chains(d, N_SAMPLES, 2)
    words = np.empty((2 * d, which.words.shape[1]), np.uint64)
    words[::2], words[1::2] = which.words & other.words, which.words & ~other.words
    return Samples(words, N_SAMPLES, Variables(which.names, ((0, 1, 2),) * d))


def _weighted(d: int) -> Samples:
    weights = np.random.default_rng(1).integers(1, 2048, N_SAMPLES)
    samples = chains(d, N_SAMPLES)
    return Samples(samples.words, N_SAMPLES, samples.variables, weights=Weights(weights, 1 / 1024))


def _seconds(samples: Samples, *kernels: Kernels) -> list[float]:
    jobs = [Job(samples, DiscreteScorer(samples, kernels=k), Runner(-1)) for k in kernels]
    return fastest(*(lambda job=job: screen(job, 0.5) for job in jobs), rounds=3)


def _rate(samples: Samples, card: Kernels) -> float:
    """Return the operations a second of the whole screen, from call to sorted pairs."""
    weighting = samples.bits.weighting
    n_planes = 1 if weighting is None else len(weighting.planes)
    pairs_of_rows = len(samples.words) * (len(samples.words) - 1) / 2
    operations = 2 * pairs_of_rows * samples.n_samples * n_planes
    return operations / _seconds(samples, card)[0]


def _against_products(what: str, samples: Samples, card: Kernels, bare: float) -> Row:
    rate = _rate(samples, card)
    return Row(
        f"GPU: screen {what} x {N_SAMPLES}",
        f"{rate / 1e12:.0f} T operations/s",
        f"131072 x {10 * N_SAMPLES}, nearly products alone, {bare / 1e12:.0f} T/s",
        f"{rate / bare:.0%}",
    )


def _against_threads(what: str, samples: Samples, card: Kernels) -> Row:
    ours, threads = _seconds(samples, card, NativeKernels())
    return Row(
        f"GPU: screen {what} x {N_SAMPLES}",
        f"{ours:.3f} s",
        f"all threads {threads:.3f} s",
        f"{threads / ours:.1f} x",
    )
