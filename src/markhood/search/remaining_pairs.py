"""Pairs that are not candidates, as a histogram: their contribution to the density of edges.

Nearly all pairs of variables are far from being edges, but together they determine the density. The
graph sampler therefore counts them by their marginal Bayes factor. With the likelihood ratio L (N
times the mutual information) and the information I = N v_i v_j of a log odds ratio at zero, where v
is the variance of a variable,

    log BF = L s^2 I / (1 + s^2 I) - log(1 + s^2 I) / 2        for couplings of scale s;

with more levels, I has one eigenvalue per parameter of the coupling. The formula assumes a Gaussian
likelihood, which fails for rare levels, and the few pairs with a large L dominate: on 50 forest
plots with shuffled species it gave densities of .005 to .008, and fits of these pairs .001 to .004.
Pairs with little information that may matter are therefore fitted (`pair_fit`). For coupling
tables, many pairs have a large marginal association, mostly indirect: counted as they are, they
gave a density of .55 for a tRNA family whose graph has .07. The likeliest of them become
candidates, and the others count as absent edges. No d x d array is needed: with more than
`MOST_VARIABLES` variables, a random subset represents all.

**Prior of the density.** If the Bayes factors are uninformative, the mean probability of all pairs
is whatever density one starts from. The density has the prior Beta(1, b), b = d/2 (1 + 100/N): the
histogram has b additional pairs that are not edges. With N = 20 rows, fits of several neighbours
overfit, which the second factor outweighs.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from markhood.arrays import Bools, Floats, Ints
from markhood.data.samples import Samples
from markhood.graph.numbering import pair_numbers, pairs_numbered
from markhood.scores.scorer import Pairs, Scorer
from markhood.search.values.job import Job

MOST_VARIABLES = 724  # fewer if they have many levels
BINS = 128
LEAST_WIDTH = 1e-6
LITTLE_INFORMATION = 10.0  # above it, the formula is within 0.1 for all but candidates
LEAST_RATIO = 1.0  # of a pair that may matter
LEAST_PROBABILITY = 0.01  # marginal probability of a screened candidate
FEW_PAIRS = 5000  # all of them are candidates
FEW_SAMPLES = 100.0  # with fewer, the prior of the density is stronger
SLOPES_PER_SAMPLE, MOST_SLOPES = 2, 2000  # a native fit of both ends has at most 4096 parameters
LIKELY_EACH = 3  # per variable, for coupling tables with enough samples


@dataclass(frozen=True, eq=False)
class RemainingPairs:
    """Allowed pairs, each representing ``weight`` pairs."""

    numbers: Ints  # (n,): pair numbers, as returned by `pair_numbers`
    ratios: Floats  # (n,): likelihood ratios
    # (n, q): information of each parameter of the coupling at zero; zero-padded.
    information: Floats
    weight: float
    n_absent: float  # additional pairs without an edge: b of the prior Beta(1, b) of the density
    scorer: Scorer
    n_variables: int
    # The log Bayes factors of all pairs for the last scale.
    known: dict[float, Floats] = field(default_factory=dict)

    def histogram(self, candidates: Ints, scale: float) -> tuple[Floats, Floats]:
        """Return the log Bayes factors of bins, and their numbers of non-candidate pairs.

        The last bin has the pairs that the prior of the density adds.
        """
        is_other = ~np.isin(self.numbers, candidates)
        if not is_other.any():
            return np.array([-np.inf]), np.array([self.n_absent])
        factors = self._factors(scale)[is_other]
        # Association of tables that are not candidates is taken as indirect: use the lowest factor.
        is_indirect = self._is_table[is_other] & (factors > 0)
        factors[is_indirect] = min(0.0, float(factors.min()))
        # Bins have a positive width, even if all pairs are equal.
        bounds = np.linspace(factors.min() - LEAST_WIDTH, factors.max() + LEAST_WIDTH, BINS + 1)
        counts = np.histogram(factors, bounds)[0]
        # The mean Bayes factor of a bin: small probabilities are proportional to it.
        sums = np.histogram(factors, bounds, weights=np.exp(factors))[0]
        used = counts > 0
        return (
            np.append(np.log(sums[used] / counts[used]), -np.inf),
            np.append(counts[used] * self.weight, self.n_absent),
        )

    def likely(self, scale: float, density: float) -> Ints:
        """Return the pairs whose marginal probability is at least `LEAST_PROBABILITY`.

        Of a few variables, all pairs whose coupling is one number: an indirect association may
        hide a coupling of the other sign. Many tables are associated indirectly; three per
        variable recover all but 0 to 4 of 24 to 37 edges of 30 variables of five letters with 300
        samples, and more change nothing. The screen misses 9 to 20 of them. No pairs where one
        represents others.
        """
        if self.weight > 1:
            return np.empty((0, 2), np.int64)
        factors = self._factors(scale)
        is_likely = factors > np.log(LEAST_PROBABILITY) - np.log(density)
        ranks = np.argsort(np.argsort(-factors, kind="stable"), kind="stable")
        is_likely &= ~self._is_table | (ranks < LIKELY_EACH * self.n_variables)
        if len(factors) <= FEW_PAIRS:
            is_likely |= ~self._is_table
        return pairs_numbered(self.numbers[is_likely])

    @property
    def _is_table(self) -> Bools:
        """Which pairs have a coupling with several parameters."""
        return np.asarray(np.count_nonzero(self.information, axis=1) > 1)

    def _factors(self, scale: float) -> Floats:
        """Return log Bayes factors by the formula, or by a fit where it is inaccurate."""
        if scale not in self.known:
            factors = _log_bayes_factors(self.ratios, scale * scale * self.information)
            is_little = self.information.max(axis=1, initial=0.0) < LITTLE_INFORMATION
            fitted = is_little & (self.ratios > LEAST_RATIO)
            factors[fitted] = self.scorer.pair_factors(pairs_numbered(self.numbers[fitted]), scale)
            self.known.clear()
            self.known[scale] = factors
        return self.known[scale]


def most_slopes(samples: Samples) -> float:
    """Return how many slopes the regression of a variable on its neighbours may have.

    With many more slopes than samples it explains any data, and says nothing about another
    neighbour. Of the 114 edges of three networks of 30 variables with eight levels, 100 samples
    find 53 with one slope per sample, 110 with two, and all without a limit, in 6 times the time.
    """
    return min(max(SLOPES_PER_SAMPLE * samples.total_weight, 1.0), MOST_SLOPES)


def has_too_many(samples: Samples, pairs: Ints) -> Bools:
    """Return which pairs have more coupling parameters than a regression may have slopes."""
    sizes = samples.bits.n_scores[pairs].prod(axis=1)
    return np.asarray(sizes > most_slopes(samples))


def may_be_edges(job: Job, screened: Pairs, gamma: float, density: float, scale: float) -> Ints:
    """Return screened pairs whose marginal probability is at least `LEAST_PROBABILITY`.

    With a hundred thousand variables, a million pairs pass the screen by chance; the histogram
    counts them instead. Pairs with more levels or little information are all kept.
    """
    samples = job.samples
    if samples.starts[job.n_nodes] > job.n_nodes:
        return screened.edges
    spread = _variances(job)
    known = samples.total_weight * spread[screened.edges].prod(axis=1)
    ratios = screened.gains + job.scorer.prices(screened.edges, gamma)
    factors = _log_bayes_factors(ratios, scale * scale * known[:, np.newaxis])
    least = np.log(LEAST_PROBABILITY) - np.log(density)
    return np.asarray(screened.edges[(factors > least) | (known < LITTLE_INFORMATION)])


def _variances(job: Job) -> Floats:
    """Return the variance of every binary node, given the covariates if there are any."""
    if job.n_nodes < job.n_variables or job.samples.n_reals:
        return job.scorer.spreads(np.arange(job.n_nodes))[:, 0]
    share = job.samples.shares
    return share * (1 - share)


def _log_bayes_factors(ratios: Floats, known: Floats) -> Floats:
    """Evaluate the formula above; ``known`` is the information in units of the scale."""
    shrunk = (known / (1 + known)).sum(axis=1) / np.maximum((known > 0).sum(axis=1), 1)
    return np.asarray(ratios * shrunk - np.log1p(known).sum(axis=1) / 2)


def measure_remaining_pairs(job: Job) -> RemainingPairs:
    """Measure all allowed pairs, or those of a random subset of variables."""
    samples, d = job.samples, job.n_nodes
    most = MOST_VARIABLES // int(np.diff(samples.starts)[:d].max(initial=1))
    chosen = np.arange(d)
    if d > most:
        rng = np.random.default_rng(job.seed)
        chosen = np.sort(rng.choice(d, min(d, max(32, most)), replace=False))
    n = len(chosen)
    i, j = np.triu_indices(n, 1)
    ratios, spreads = job.scorer.dependence(chosen)
    information = np.einsum("nu,nv->nuv", samples.total_weight * spreads[i], spreads[j])
    varies = ~samples.is_constant[chosen]
    allowed = job.constraints.allows(chosen[i], chosen[j]) & varies[i] & varies[j]
    allowed &= ~has_too_many(samples, np.column_stack([chosen[i], chosen[j]]))
    return RemainingPairs(
        pair_numbers(np.column_stack([chosen[i], chosen[j]])[allowed]),
        ratios[i, j][allowed],
        information.reshape(len(i), spreads.shape[1] ** 2)[allowed],
        d * (d - 1) / max(n * (n - 1), 1),
        d / 2 * (1 + FEW_SAMPLES / samples.total_weight),
        job.scorer,
        d,
    )
