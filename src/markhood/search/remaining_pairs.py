"""The pairs that are no candidates, as a histogram: what they say of the density of edges.

Nearly all pairs of variables are far from being edges, but together they say how many there are; so the
sampler over graphs counts them by the Bayes factor that two variables have on their own. With the
likelihood ratio L (N times the mutual information) and the information I = N v_i v_j of a log odds ratio
at zero, v being the variance of a variable,

    log BF = L s^2 I / (1 + s^2 I) - log(1 + s^2 I) / 2        for couplings of scale s;

with more levels I has an eigenvalue for each number of the coupling. That takes a likelihood for a bell curve, which it is not
where one level is rare, and the few pairs with a large L decide: among 50 plots of forest with every species
shuffled it made the density .005 to .008 where fits of these pairs make it .001 to .004. So pairs of little information
that may count are fitted (`pair_fit`). Where couplings are tables, pairs for which their own association speaks are many,
most of it indirect: counted as they are they made the density of a family of tRNA .55, with a graph that has .07. So the likeliest become
candidates, and the others count as no edges. There is never a d x d array: of more than `MOST_VARIABLES` some, drawn at
random, stand for all, and their quarter of a million pairs for all pairs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from markhood.graph.numbering import pair_numbers, pairs_numbered
from markhood.scores.scorer import Pairs, Scorer
from markhood.search.values.job import Job

MOST_VARIABLES = 724  # and fewer where they have many levels
BINS = 128
LEAST_WIDTH = 1e-6
LITTLE_INFORMATION = (
    10.0  # beyond which the formula is within a tenth for all but pairs that are candidates anyway
)
LEAST_RATIO = 1.0  # of a pair that may count
LEAST_PROBABILITY = 0.01  # that two variables on their own give a candidate of the screen
MOST_LIKELY = 2000  # pairs that are made candidates because they may count
LIKELY_EACH = 3  # the same for every variable, where couplings are tables and samples not few


@dataclass(frozen=True, eq=False)
class RemainingPairs:
    """Pairs that may be edges, each standing for ``weight`` of them.

    Attributes
    ----------
    numbers : ndarray of shape (n,), dtype int64
        Of each pair, as `pair_numbers` gives them.
    ratios : ndarray of shape (n,), dtype float64
        Likelihood ratios.
    information : ndarray of shape (n, q), dtype float64
        Of each number of the coupling, at zero; where a pair has fewer than q, zero.
    weight : float
    scorer : Scorer
    has_few_samples : bool
        Fewer than variables.
    n_variables : int
    """

    numbers: NDArray[np.int64]
    ratios: NDArray[np.float64]
    information: NDArray[np.float64]
    weight: float
    scorer: Scorer
    has_few_samples: bool
    n_variables: int

    def histogram(
        self, candidates: NDArray[np.int64], scale: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the log Bayes factors of some bins, and how many pairs but the candidates each has."""
        is_other = ~np.isin(self.numbers, candidates)
        if not is_other.any():
            return np.empty(0), np.empty(0)
        factors = self._factors(is_other, scale)
        # What speaks for tables that are no candidates is taken to be indirect: they count as those for which least speaks.
        is_indirect = self._is_table[is_other] & (factors > 0)
        factors[is_indirect] = min(0.0, float(factors.min()))
        # Bins have a width, even where all pairs are alike.
        bounds = np.linspace(factors.min() - LEAST_WIDTH, factors.max() + LEAST_WIDTH, BINS + 1)
        counts = np.histogram(factors, bounds)[0]
        # The mean Bayes factor of a bin: probabilities as small as theirs are in proportion to it.
        sums = np.histogram(factors, bounds, weights=np.exp(factors))[0]
        used = counts > 0
        return np.log(sums[used] / counts[used]), counts[used] * self.weight

    def likeliest(self, scale: float) -> NDArray[np.int64]:
        """Return the likeliest of the pairs whose own Bayes factor speaks for an edge.

        Only where no pair stands for others; and with more samples than variables only pairs whose coupling is a table, each
        number of which the screen prices as if it were seen well. Of 30 variables with five letters, 300 samples
        and 24 to 37 edges it left 9 to 20 out; three pairs a variable bring all but 0 to 4 back, and no more of them
        change anything. Other pairs the screen finds; on seven kinds of simulated data these candidates then changed
        nothing and took ten times the fits.
        """
        missed = self._is_table | self.has_few_samples
        if self.weight > 1 or not missed.any():
            return np.empty((0, 2), np.int64)
        factors, numbers = self._factors(missed, scale), self.numbers[missed]
        most = MOST_LIKELY if self.has_few_samples else LIKELY_EACH * self.n_variables
        order = np.argsort(-factors, kind="stable")[:most]
        return pairs_numbered(numbers[np.sort(order[factors[order] > 0])])

    @property
    def _is_table(self) -> NDArray[np.bool_]:
        """Of which pairs the coupling has several numbers."""
        return np.asarray(np.count_nonzero(self.information, axis=1) > 1)

    def _factors(self, which: NDArray[np.bool_], scale: float) -> NDArray[np.float64]:
        """Return log Bayes factors by the formula, or by a fit where that is not good enough."""
        ratios, known = self.ratios[which], scale * scale * self.information[which]
        factors = _log_bayes_factors(ratios, known)
        is_little = self.information[which].max(axis=1, initial=0.0) < LITTLE_INFORMATION
        fitted = is_little & (ratios > LEAST_RATIO)
        pairs = pairs_numbered(self.numbers[which][fitted])
        factors[fitted] = self.scorer.pair_factors(pairs, scale)
        return factors


def may_be_edges(
    job: Job, screened: Pairs, gamma: float, density: float, scale: float
) -> NDArray[np.int64]:
    """Return the pairs of a screen at gamma whose own Bayes factor leaves them `LEAST_PROBABILITY`.

    Of a hundred thousand variables a million pairs pass the screen by chance. They are counted in
    the histogram instead. Where variables have more levels, or a pair little information, all stay.
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


def _variances(job: Job) -> NDArray[np.float64]:
    """Return the variance of every binary node, given the covariates where there are any."""
    if job.n_nodes < job.n_variables or job.samples.n_reals:
        return job.scorer.spreads(np.arange(job.n_nodes))[:, 0]
    share = job.samples.shares
    return share * (1 - share)


def _log_bayes_factors(
    ratios: NDArray[np.float64], known: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the formula above for pairs of some ratios and information, in units of the scale."""
    shrunk = (known / (1 + known)).sum(axis=1) / np.maximum((known > 0).sum(axis=1), 1)
    return np.asarray(ratios * shrunk - np.log1p(known).sum(axis=1) / 2)


def measure_remaining_pairs(job: Job) -> RemainingPairs:
    """Measure all pairs that may be edges, or those of some variables."""
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
    return RemainingPairs(
        pair_numbers(np.column_stack([chosen[i], chosen[j]])[allowed]),
        ratios[i, j][allowed],
        information.reshape(len(i), spreads.shape[1] ** 2)[allowed],
        d * (d - 1) / max(n * (n - 1), 1),
        job.scorer,
        samples.total_weight < d,
        d,
    )
