"""Estimate how many edges chance alone would produce.

A pair passes the screen if its likelihood ratio exceeds the penalty. Under independence, twice the
ratio is approximately chi-squared with one degree of freedom per parameter of the pair, so the
expected number of false positives is known before the data are seen. BIC_gamma guarantees that it
vanishes as the sample size grows, not that it is small. A permutation test covers what the
asymptotic formula misses (rare levels, blankets): any edge learned after every column is shuffled
is due to chance.

Warn if most edges lower the score that reports their evidence. Methods choose edges by criteria of
their own: a joint posterior of independence tests, marginal likelihoods, paths of a penalty. The
evidence is the gain in BIC_gamma from including an edge in the finished graph. Where most gains are
negative, the two criteria disagree about the graph. That happens in near-deterministic data and
with few samples per parameter, where the prior of the method's own tests decides.
"""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from markhood.data.samples import Samples, taken_bits
from markhood.errors import option, warn
from markhood.execution.runner import no_progress
from markhood.graph.graph import Graph
from markhood.kernels.words import unpacked
from markhood.learning.imputation.imputed_samples import ImputedSamples
from markhood.scores.bic import Bic
from markhood.search.screen import passing, screen
from markhood.search.values.constraints import Constraints
from markhood.search.values.job import EarlierScreen, Job

if TYPE_CHECKING:
    from markhood.learning.methods.method import Method

MANY = 0.1  # warn if this share of the edges is expected by chance
TOO_MANY = 1 / 3  # raise gamma if this share of the pairs is expected by chance
FEW_SAMPLES = 200  # the asymptotic formula is not used for fewer
WORTH_COUNTING = 0.3  # expected pairs
SHUFFLES = 10
LARGEST_GAMMA = 8.0
MOST_KEPT = 1 << 24  # passing pairs: 400 MB
FEW_EDGES = 3


def expected_pairs(samples: Samples, gamma: float) -> float:
    """Return the expected number of pairs that pass the screen if all variables are independent.

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
    counts = np.bincount(rows)
    sizes = [(k, n) for k, n in enumerate(counts.tolist()) if n]
    total = 0.0
    for k, (a, n_a) in enumerate(sizes):
        for b, n_b in sizes[k:]:
            n_pairs = n_a * (n_a - 1) / 2 if a == b else n_a * n_b
            price = a * b * costs.parameter + costs.variable
            total += n_pairs * float(chdtrc(a * b, 2 * price))
    return total


def pairs_by_chance(job: Job, gamma: float) -> float:
    """Return the expected number of pairs that pass the screen by chance.

    With few samples the asymptotic formula is too small by up to a half, so shuffled columns are
    screened instead.
    """
    expected = expected_pairs(job.samples, gamma)
    if expected < WORTH_COUNTING or job.samples.n_samples > FEW_SAMPLES:
        return expected
    seeds = np.random.SeedSequence(0).spawn(SHUFFLES)
    mixed = [_shuffled_job(job, np.random.default_rng(own)) for own in seeds]
    return float(np.mean([len(screen(one, gamma).edges) for one in mixed]))


def safer_gamma(job: Job, gamma: float) -> float:
    """Return the smallest gamma, in steps of 0.25, at which less than one pair is expected."""
    while pairs_by_chance(job, gamma) >= 1 and gamma < LARGEST_GAMMA:
        gamma = 0.25 * (np.floor(gamma / 0.25) + 1)
    return float(gamma)


def raised_gamma(job: Job, gamma: float) -> tuple[float, EarlierScreen | None]:
    """Return a larger gamma if more than a third of the passing pairs would be chance; and say so.

    At the returned gamma less than one pair is expected by chance. What the screen that counts the
    passing pairs has found is returned too.
    """
    if expected_pairs(job.samples, gamma) < 1:
        return gamma, None
    by_chance, found, n_passing, start = pairs_by_chance(job, gamma), [], 0, perf_counter()
    for pairs in passing(job, gamma):
        n_passing += len(pairs.edges)
        if n_passing <= MOST_KEPT:
            found.append(pairs)
    earlier = EarlierScreen(gamma, tuple(found), perf_counter() - start)
    raised = gamma if by_chance <= TOO_MANY * n_passing else safer_gamma(job, gamma)
    if raised == gamma:
        return gamma, earlier
    warn(
        "chance-edges",
        "gamma",
        f"Of {n_passing} pairs that depend on each other at gamma = {gamma:g}, about "
        f"{min(by_chance, n_passing):.0f} would do so by chance, with {job.samples.n_samples} "
        f"samples of {job.n_variables} variables. So {option('gamma', raised)} was used, at which "
        f"less than one is expected by chance. To keep the default, set {option('gamma', gamma)}.",
    )
    return raised, earlier


def warn_of_chance(job: Job, gamma: float, n_edges: int, n_screened: int | None) -> None:
    """Warn where a large share of the edges tested by BIC_gamma could be due to chance.

    The edges are assumed to have the same share of chance as the pairs that pass the screen, which
    tests all pairs. A method without a screen tests the pairs that may be edges.
    """
    if not n_edges:
        return
    if n_screened is None:
        n_pairs = max(1, job.n_nodes * (job.n_nodes - 1) // 2)
        share = job.constraints.n_allowed(job.n_nodes) / n_pairs
    else:
        share = min(1.0, n_edges / max(n_screened, 1))
    by_chance = pairs_by_chance(job, gamma) * share
    if by_chance < 1 or by_chance < MANY * n_edges:
        return
    warn(
        "chance-edges",
        "",
        f"About {min(by_chance, n_edges):.0f} of the {n_edges} edges are expected by chance: as "
        f"many would be found in {job.samples.n_samples} samples of {job.n_variables} independent "
        f"variables. Use {option('gamma', safer_gamma(job, gamma))} to expect less than "
        f"one, or count the edges of shuffled columns with {option('shuffles', 5)}.",
    )


def edges_by_chance(job: Job, method: Method, times: int, seed: int | None) -> list[int]:
    """Search with shuffled columns and count the edges; missing values are drawn at random."""
    counts: list[int] = []
    for own in np.random.SeedSequence(seed).spawn(times):
        job.runner.progress("shuffles", len(counts), times)
        mixed = _shuffled_job(job, np.random.default_rng(own))
        counts.append(int(job.constraints.reports(method.search(mixed).edges).sum()))
    return counts


def _shuffled_job(job: Job, rng: np.random.Generator) -> Job:
    samples = ImputedSamples(job.samples, rng).samples() if job.samples.missing else job.samples
    runner = replace(job.runner, progress=no_progress, checkpoint=None)
    return replace(job.on(shuffled(samples, rng)), runner=runner)


def shuffled(samples: Samples, rng: np.random.Generator) -> Samples:
    """Return samples with the values of each variable permuted independently.

    Random numbers are assigned by the frequencies of levels, so that the result does not depend on
    the order of variables, and on that of samples only if they have weights or covariates.
    """
    words = np.empty_like(samples.words, subok=False)
    rows = [slice(*samples.starts[v : v + 2].tolist()) for v in range(samples.n_variables)]
    counts = [
        (n, *samples.ones[own].tolist()) for n, own in zip(samples.bits.n_scores, rows, strict=True)
    ]
    for variable in sorted(range(len(rows)), key=counts.__getitem__):
        own = samples.words[rows[variable]]
        by_level = np.lexsort(unpacked(own, samples.n_samples))
        order = by_level[rng.permutation(samples.n_samples)]
        words[rows[variable]] = taken_bits(own, samples.n_samples, order)
    return replace(samples, words=words)


def warn_of_negative_evidence(graph: Graph, constraints: Constraints) -> None:
    """Warn if more than half of the edges have negative evidence; required ones are not counted."""
    n_negative = int(np.sum((graph.evidence < 0) & ~constraints.requires(graph.edges)))
    if graph.n_edges < FEW_EDGES or 2 * n_negative <= graph.n_edges:
        return
    worst = graph.edge_names()[int(np.argmin(graph.evidence))]
    warn(
        "negative-evidence",
        f"{worst[0]} - {worst[1]}",
        f"{n_negative} of {graph.n_edges} edges have negative evidence: BIC would leave them out. "
        "The data are nearly deterministic or have few samples per parameter, where criteria "
        f"disagree. Compare with {option('method', 'plrhc')} and its default options.",
    )
