"""How many edges chance alone would make, of so many variables and so few samples.

The screen lets a pair pass whose likelihood ratio exceeds its price. Where nothing depends on anything, twice
the ratio is about chi-squared with as many degrees of freedom as the pair has parameters, so the number
of pairs that pass by chance is known before the data are looked at: BIC_gamma promises that it
vanishes as samples grow, not that it is small. What asymptotics cannot see (rare levels, blankets)
the data can tell: with every column shuffled nothing depends on anything, and what is learned then is
chance.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from markhood.data.samples import Samples, taken_bits
from markhood.errors import option, warn
from markhood.execution.runner import no_progress
from markhood.learning.imputation.completed import Completed
from markhood.scores.bic import Bic
from markhood.search.values.job import Job

if TYPE_CHECKING:
    from markhood.learning.methods.method import Method

MANY = 0.2  # as a share of the edges that were found: from here on chance is spoken of
LARGEST_GAMMA = 8.0


def expected_pairs(samples: Samples, gamma: float) -> float:
    """Return how many pairs would pass the screen if no variable depended on another.

    Examples
    --------
    >>> from markhood.data.coding.encode import encode
    >>> coins = encode(np.random.default_rng(0).integers(0, 2, size=(50, 225)))
    >>> round(expected_pairs(coins, 0.5)), round(expected_pairs(coins, 1.0), 1)
    (57, 3.1)
    """
    from scipy.special import chdtrc

    costs = Bic(gamma).costs(samples.total_weight, samples.n_variables)
    rows = samples.bits.n_scores[~samples.is_constant]
    sizes = sorted(Counter(rows.tolist()).items())
    total = 0.0
    for k, (a, n_a) in enumerate(sizes):
        for b, n_b in sizes[k:]:
            n_pairs = n_a * (n_a - 1) / 2 if a == b else n_a * n_b
            price = a * b * costs.parameter + costs.variable
            total += n_pairs * float(chdtrc(a * b, 2 * price))
    return total


def safer_gamma(samples: Samples, gamma: float) -> float:
    """Return the least gamma, in steps of a quarter, with which less than one pair is expected."""
    while expected_pairs(samples, gamma) >= 1 and gamma < LARGEST_GAMMA:
        gamma = 0.25 * (np.floor(gamma / 0.25) + 1)
    return float(gamma)


def warn_of_chance(job: Job, gamma: float, n_edges: int) -> None:
    """Warn where a good part of the edges, tested by BIC_gamma, could be chance."""
    if not n_edges:
        return
    expected, d = expected_pairs(job.samples, gamma), job.n_variables
    if expected < 1 or expected < MANY * n_edges:
        return
    warn(
        "chance-edges",
        "",
        f"With {job.samples.n_samples} samples of {d} variables about {expected:.0f} pairs would "
        f"pass the test though nothing depended on anything, so that some of the {n_edges} edges "
        f"can be chance: choose {option('gamma', safer_gamma(job.samples, gamma))} to be safe, or "
        f"see how many edges shuffled columns have with {option('shuffles', 5)}.",
    )


def edges_by_chance(job: Job, method: Method, times: int, seed: int | None) -> list[int]:
    """Search with every column shuffled, and count the edges; missing values are filled by chance."""
    counts: list[int] = []
    runner = replace(job.runner, progress=no_progress, checkpoint=None)
    for own in np.random.SeedSequence(seed).spawn(times):
        job.runner.progress("shuffles", len(counts), times)
        rng = np.random.default_rng(own)
        samples = Completed(job.samples, rng).samples() if job.samples.missing else job.samples
        mixed = replace(job.on(shuffled(samples, rng)), runner=runner)
        counts.append(int(job.knowledge.reports(method.search(mixed).edges).sum()))
    return counts


def shuffled(samples: Samples, rng: np.random.Generator) -> Samples:
    """Return samples with the values of every variable in a random order of their own."""
    words = np.empty_like(samples.words, subok=False)
    for variable in range(samples.n_variables):
        start, stop = samples.starts[variable : variable + 2].tolist()
        order = rng.permutation(samples.n_samples)
        words[start:stop] = taken_bits(samples.words[start:stop], samples.n_samples, order)
    return replace(samples, words=words)
