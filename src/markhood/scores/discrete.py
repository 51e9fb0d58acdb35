"""Scores of discrete variables, computed by the kernels from packed samples.

`DiscreteScorer` supports the built-in criteria. `ReadableScorer` supports any object with a method
`score(table)`: it scores blankets in Python, by the same greedy search, and leaves everything else
to the kernels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self

import numpy as np

from markhood.arrays import Floats, Ints
from markhood.data.samples import Samples
from markhood.data.weights import repeated
from markhood.execution.runner import cut, one_blas_thread
from markhood.kernels import flips, greedy
from markhood.kernels.bits import Bits, Reals
from markhood.kernels.lists import Lists
from markhood.kernels.native import NativeKernels
from markhood.kernels.networks import PottsFits, PottsPenalty, PottsSamples
from markhood.kernels.protocol import (
    NO_PENALTY,
    Blankets,
    Costs,
    Fits,
    Flipped,
    GraphChain,
    GraphSums,
    Kernels,
    L1Paths,
    PairFits,
    PairPrior,
    Pricing,
    Residuals,
)
from markhood.kernels.tables import codes, likelihood_ratios, n_parameters
from markhood.kernels.ties import TIE
from markhood.kernels.words import unpacked
from markhood.scores.bic import Bic
from markhood.scores.criterion import Criterion, blanket_table
from markhood.scores.given import (
    coarse,
    covariate_design,
    fitted_shares,
    indicators_of_covariates,
    least_share_of_price,
    maximum_in_strata,
    residuals_of,
    score_statistics,
    scored_variable,
    spreads_given,
    spreads_within,
    strata_of,
)
from markhood.scores.independence import log_factorials
from markhood.scores.mpl import Mpl
from markhood.scores.scorer import Dependence, Pairs, Scorer, Tile, Which

FEWEST_BLOCKS = 4  # gives ten tiles, so that threads can share the screen of a few variables
# Tolerance of a Potts fit, about in standard errors. The largest error of a coupling is then 1e-4
# (of 1.5) on a grid of 1024 binary variables, and 5e-5 (of 2.9) on a grid of 144 with five levels.
POTTS_TOLERANCE = 1e-3
POTTS_ROUNDING = 1e-6  # of single precision, for a total weight of 1
LEAST_RATIO = 1e-12  # threshold where all pairs are requested
LEAST_WORTH = 1.0  # nats; below this most pairs of a stratum pass, and it is not screened
COLUMNS_PER_BLOCK = 32  # block size of the kernels; a tile has whole blocks


@dataclass(frozen=True)
class DiscreteScorer:
    """Scores from the kernels."""

    samples: Samples
    criterion: Criterion = field(default_factory=Bic)  # what scores blankets
    kernels: Kernels = field(default_factory=NativeKernels)  # by default the compiled ones
    # Number of covariates, which come last: pairs are measured conditional on them (`given.py`).
    # Blankets contain them as members if requested.
    n_covariates: int = 0

    def on(self, samples: Samples) -> Self:
        return replace(self, samples=samples)

    def given(self, n_covariates: int) -> Self:
        return replace(self, n_covariates=n_covariates)

    def tiles(self) -> list[Tile]:
        bits, d = self.samples.bits, self.samples.n_variables - self.n_covariates
        # Computed once, before all threads need it.
        if bits.reals is not None:
            _ = self._given_covariates if self._residuals is None else None
        elif self.n_covariates:
            _ = self._slack
        elif bits.is_plain:
            _ = self.samples.ones
        planes = 1 if bits.weighting is None else len(bits.weighting.planes)
        words = bits.words.shape[1] * planes * (self.samples.starts[d] / d) ** 2  # of a pair
        tiling = self.kernels.tiling(bits)
        side = min(int((tiling.words / words) ** 0.5), tiling.side, d // FEWEST_BLOCKS)
        side = side // COLUMNS_PER_BLOCK * COLUMNS_PER_BLOCK
        blocks = cut(d, max(side, COLUMNS_PER_BLOCK))
        # By columns, so that the first tiles need few variables while the rest is copied to a GPU.
        return [(rows, columns) for k, columns in enumerate(blocks) for rows in blocks[: k + 1]]

    def pairs(self, tile: Tile, gamma: float | None, fitted: Which | None = None) -> Pairs:
        costs = self._prices(Bic(gamma)) if gamma is not None else Costs(0.0, TIE)
        if self.samples.bits.reals is not None and costs.parameter:
            edges, gains = self._pairs_by_score(tile, costs, fitted)
        else:
            edges, gains = (self._pairs_given if self._has_covariates else self._pairs)(tile, costs)
        # The kernels' sums may differ in the last digit, which is not a gain.
        passing = gains > TIE
        return Pairs(edges[passing], gains[passing])

    def _pairs(self, tile: Tile, costs: Costs) -> Pairs:
        found = self._plain_pairs if self.samples.bits.is_plain else self._pairs_of_levels
        return found(tile, costs)

    def _pairs_given(self, tile: Tile, costs: Costs) -> Pairs:
        """Fit the pairs of a tile given the covariates, except those that cannot pass."""
        is_all = self.samples.bits.reals is not None  # without a penalty
        edges = _all_pairs(tile) if is_all else self._may_pass(tile, costs)
        return Pairs(edges, self._ratios(edges) - self._priced(edges, costs))

    def _pairs_by_score(self, tile: Tile, costs: Costs, fitted: Which | None) -> Pairs:
        """Fit the pairs of a tile given real columns, except those that cannot pass."""
        least = least_share_of_price(self.samples.n_samples)
        if self._residuals is not None:
            edges, ratios = self.kernels.associated_residuals(
                self.samples.bits,
                *tile,
                self._residuals,
                least * (costs.parameter + costs.variable),
            )
        else:
            edges, ratios = _all_pairs(tile), self._score_statistics(tile) / 2
            is_likely = ratios >= least * self._priced(edges, costs)
            edges, ratios = edges[is_likely], ratios[is_likely]
        is_fitted = np.ones(len(edges), np.bool_) if fitted is None else fitted(edges)
        ratios[is_fitted] = self._ratios(edges[is_fitted])
        return Pairs(edges, ratios - self._priced(edges, costs))

    def _score_statistics(self, tile: Tile) -> Floats:
        """Return the score statistics of all pairs i < j of a tile."""
        bits, weights = self.samples.bits, self._weights
        rows, columns = (
            [scored_variable(bits, v, self._shares_given(v), weights) for v in part]
            for part in tile
        )
        statistics = score_statistics(rows, columns, weights)
        i, j = np.indices(statistics.shape)
        return statistics[i + tile[0].start < j + tile[1].start]

    @cached_property
    def _residuals(self) -> Residuals | None:
        """Residuals of all nodes given real columns, if they are binary."""
        bits = self.samples.bits
        if bits.reals is None or not self.samples.is_binary:
            return None
        coefficients = np.array(self._coefficients(replace(bits, reals=coarse(bits.reals))))
        with one_blas_thread():
            return residuals_of(bits, coefficients, self.n_covariates, self._weights)

    def _may_pass(self, tile: Tile, costs: Costs) -> Ints:
        """Return the pairs of a tile whose bound reaches their penalty, in lexicographic order."""
        slack = sum(self._slack[part.start : part.stop].max(initial=0.0) for part in tile)
        n, variable = self._n_strata, costs.variable - slack - TIE
        # Kernels need penalties of at least zero; an edge has parameters, which absorb the rest.
        least = Costs((costs.parameter + min(variable, 0.0)) / n, max(variable, 0.0) / n)
        if least.parameter + least.variable > LEAST_WORTH:
            found = [scorer._pairs(tile, least).edges for scorer in self._strata_scorers]
            numbers = np.unique(_numbers(np.concatenate(found)))
            edges = np.column_stack([numbers >> 32, numbers & 0xFFFFFFFF])
        else:
            edges = _all_pairs(tile)
        if not costs.parameter:
            return edges  # all pairs are requested
        bounds = self._slack[edges].sum(axis=1) + TIE
        for scorer in self._strata_scorers:
            own = self.kernels.associated_among(scorer.samples.bits, edges, Costs(LEAST_RATIO, 0.0))
            at = np.searchsorted(_numbers(edges), _numbers(own.pairs))
            bounds[at] += own.ratios
        return np.asarray(edges[bounds >= self._priced(edges, costs)])

    @property
    def _has_covariates(self) -> bool:
        return bool(self.n_covariates) or self.samples.bits.reals is not None

    @cached_property
    def _weights(self) -> Floats:
        weighting = self.samples.bits.weighting
        return np.ones(self.samples.n_samples) if weighting is None else weighting.weights

    @cached_property
    def _given_covariates(self) -> list[Floats]:
        """The coefficients of every node's regression on its real columns and the covariates."""
        return self._coefficients(self.samples.bits)

    def _coefficients(self, bits: Bits) -> list[Floats]:
        d = self.samples.n_variables
        nodes = np.arange(d - self.n_covariates)
        fits = self.kernels.fit_blankets(bits, nodes, self._covariates_of(nodes), NO_PENALTY)
        n_predictors = bits.n_reals + int(bits.n_scores[d - self.n_covariates :].sum())
        own = np.diff(self.samples.starts)[nodes] + n_predictors * bits.n_scores[nodes]
        return np.split(fits.coefficients, np.cumsum(own)[:-1])

    def _shares_given(self, node: int) -> Floats:
        """Return the probabilities of a node's levels in every sample, given the covariates."""
        bits, coefficients = self.samples.bits, self._given_covariates[node]
        design = covariate_design(bits, self.n_covariates, node)
        return fitted_shares(bits, node, coefficients, design)

    def _covariates_of(self, nodes: Ints) -> Lists:
        """Return the covariates as the blanket of every node."""
        last = np.arange(self.samples.n_variables - self.n_covariates, self.samples.n_variables)
        return Lists(np.arange(len(nodes) + 1) * self.n_covariates, np.tile(last, len(nodes)))

    def _ratios(self, pairs: Ints) -> Floats:
        """Return each pair's likelihood ratio given the covariates alone."""
        alone = Lists.empty(len(pairs))
        fits = self._pair_fits(pairs, alone, alone, np.inf)
        return np.asarray(fits.joint - fits.apart)

    def _pair_fits(self, pairs: Ints, first: Lists, second: Lists, scale: float) -> PairFits:
        bits, n_covariates = self._pair_bits
        return self.kernels.fit_pairs(bits, pairs, first, second, scale, n_covariates)

    def _plain_pairs(self, tile: Tile, costs: Costs) -> Pairs:
        bits, ones, n_log_n = self.samples.bits, self.samples.ones, self._n_log_n
        penalty = costs.parameter + costs.variable
        edges, joint = self.kernels.associated_pairs(bits, ones, n_log_n, *tile, penalty)
        ones_i, ones_j = ones[edges].T
        return Pairs(edges, likelihood_ratios(joint, ones_i, ones_j, n_log_n) - penalty)

    def _pairs_of_levels(self, tile: Tile, costs: Costs) -> Pairs:
        bits = self.samples.bits
        edges, ratios = self.kernels.associated_tables(bits, *tile, costs)
        return Pairs(edges, ratios - self._priced(edges, costs))

    def prices(self, pairs: Ints, gamma: float) -> Floats:
        return self._priced(pairs, self._prices(Bic(gamma)))

    def _priced(self, pairs: Ints, costs: Costs) -> Floats:
        parameters = n_parameters(self.samples.bits, *pairs.T)
        return np.asarray(parameters * costs.parameter + costs.variable)

    def toggled(self, targets: Ints, blankets: Lists, toggles: Lists) -> tuple[Floats, Floats]:
        bits = self.samples.bits
        return self.kernels.toggle_scores(bits, targets, blankets, toggles, self._costs)

    def grown(self, targets: Ints, candidates: Lists, kept: Lists | None = None) -> Blankets:
        bits = self.samples.bits
        return self.kernels.grow_blankets(bits, targets, candidates, self._costs, kept)

    def climbed(self, groups: Lists, blankets: Lists, partners: Lists, changes: Floats) -> Flipped:
        bits = self.samples.bits
        return self.kernels.climb_groups(bits, groups, blankets, partners, changes, self._costs)

    def fitted(self, targets: Ints, blankets: Lists) -> Fits:
        """Fit each target's regression on its blanket, with the criterion's penalty if any."""
        penalty = self.criterion.penalty if isinstance(self.criterion, Bic) else NO_PENALTY
        return self.kernels.fit_blankets(self.samples.bits, targets, blankets, penalty)

    def independence(self, targets: Ints, givens: Lists, others: Lists) -> Floats:
        return self.kernels.independence_tests(
            self.samples.bits, targets, givens, others, self._log_factorials
        )

    def l1_paths(
        self,
        targets: Ints,
        candidates: Lists,
        fractions: Floats,
        largest_support: int | None,
        standardize: bool,
    ) -> L1Paths:
        rows = _indicators(self.samples, targets)
        own = np.repeat(np.arange(len(targets)), np.diff(self.samples.starts)[targets])
        among = [_indicators(self.samples, variables) for variables in candidates]
        n_rows = len(self.samples.words)
        of_nodes = int(self.samples.starts[self.samples.n_variables - self.n_covariates])
        largest = n_rows if largest_support is None else largest_support + n_rows - of_nodes
        bits, deviations = self._repeated_rows
        penalties = deviations.copy() if standardize else np.ones(n_rows)
        penalties[of_nodes:] = 0.0
        paths = self.kernels.l1_paths(
            bits,
            rows,
            Lists.of([among[target] for target in own.tolist()]),
            penalties,
            fractions,
            largest,
        )
        scale = self.samples.total_weight / bits.n_samples
        return paths._replace(log_likelihoods=paths.log_likelihoods * scale)

    def pair_gains(self, pairs: Ints, first: Lists, second: Lists, gamma: float) -> Floats:
        fits = self._pair_fits(pairs, first, second, np.inf)
        return np.asarray(fits.joint - fits.apart - self.prices(pairs, gamma))

    def pair_factors(self, pairs: Ints, scale: float) -> Floats:
        alone = Lists.empty(len(pairs))
        fits = self._pair_fits(pairs, alone, alone, scale)
        prior = n_parameters(self.samples.bits, *pairs.T) * np.log(scale)
        return np.asarray(fits.joint - fits.apart - prior - fits.log_determinants / 2)

    def dependence(self, variables: Ints) -> Dependence:
        n = len(variables)
        ratios = np.zeros((n, n))
        if self._has_covariates:
            i, j = np.triu_indices(n, 1)
            ratios[i, j] = self._ratios(np.column_stack([variables[i], variables[j]]))
        else:
            found = self.kernels.associated_tables(
                self.samples.pick(variables).bits, range(n), range(n), Costs(LEAST_RATIO, 0.0)
            )
            ratios[tuple(found.pairs.T)] = found.ratios
        return Dependence(ratios, self.spreads(variables))

    def spreads(self, variables: Ints) -> Floats:
        bits = self.samples.bits
        if bits.reals is None:
            return spreads_within(self.samples, variables, self._strata)
        spreads = np.zeros((len(variables), int(bits.n_scores[variables].max(initial=1))))
        for k, v in enumerate(variables.tolist()):
            own = spreads_given(bits, v, self._shares_given(v), self._weights)
            spreads[k, : len(own)] = own
        return spreads

    def swept(
        self, pairs: Ints, prior: PairPrior, chain: GraphChain, n_settling: int, n_sweeps: int
    ) -> tuple[GraphSums, GraphChain]:
        bits, n_covariates = self._pair_bits
        return self.kernels.sample_graphs(
            bits, pairs, prior, chain, n_settling, n_sweeps, n_covariates
        )

    def potts(
        self, targets: Ints, penalty: PottsPenalty, most_steps: int | None = None
    ) -> PottsFits:
        reachable = POTTS_ROUNDING * float(np.sqrt(self.samples.total_weight))
        tolerance = max(POTTS_TOLERANCE, reachable)
        return self.kernels.fit_potts(self._placed, targets, penalty, tolerance, most_steps)

    @cached_property
    def owners(self) -> Ints:
        return np.repeat(np.arange(self.samples.n_variables), np.diff(self.samples.starts))

    def _prices(self, criterion: Bic) -> Costs:
        return criterion.costs(self.samples.total_weight, self.samples.n_variables)

    @cached_property
    def _costs(self) -> Pricing:
        assert isinstance(self.criterion, Bic | Mpl)
        return self.criterion.costs(self.samples.total_weight, self.samples.n_variables)

    @cached_property
    def _placed(self) -> PottsSamples:
        """Every value as the number of its level among those of all variables."""
        samples, bits = self.samples, self.samples.bits
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.diff(samples.starts) + 1)])
        places = np.empty((samples.n_samples, samples.n_variables), np.int32)
        for v in range(samples.n_variables):
            places[:, v] = codes(bits, v) + starts[v]
        weighting = bits.weighting
        weights = np.ones(samples.n_samples) if weighting is None else weighting.weights.copy()
        for v, mask in samples.missing.items():
            is_missing = unpacked(mask, samples.n_samples).astype(np.bool_)
            places[is_missing, v] = starts[-1]
            if v >= samples.n_variables - self.n_covariates:
                weights[is_missing] = 0.0  # leave out samples with a missing covariate
        return PottsSamples(places, starts, weights)

    @cached_property
    def _pair_bits(self) -> tuple[Bits, int]:
        return indicators_of_covariates(self.samples.bits, self.n_covariates)

    @cached_property
    def _strata(self) -> Ints:
        return strata_of(self.samples.bits, self.n_covariates)

    @property
    def _n_strata(self) -> int:
        return int(self._strata.max(initial=0)) + 1

    @cached_property
    def _strata_scorers(self) -> list[Self]:
        """The scorers of the nodes in each stratum's samples."""
        nodes = self.samples.pick(np.arange(self.samples.n_variables - self.n_covariates))
        strata = [np.flatnonzero(self._strata == k) for k in range(self._n_strata)]
        return [replace(self, samples=nodes.take(rows), n_covariates=0) for rows in strata]

    @cached_property
    def _slack(self) -> Floats:
        """The gain of each node's shares in strata over its regression on the covariates."""
        bits, d = self.samples.bits, self.samples.n_variables
        nodes = np.arange(d - self.n_covariates)
        covariates = self._covariates_of(nodes)
        reached = self.kernels.fit_blankets(bits, nodes, covariates, NO_PENALTY).log_likelihoods
        best = [maximum_in_strata(bits, v, self._strata) for v in nodes.tolist()]
        return np.maximum(np.array(best) - reached, 0.0)

    @cached_property
    def _n_log_n(self) -> Floats:
        n_log_n = np.arange(self.samples.n_samples + 1, dtype=np.float64)
        n_log_n[1:] *= np.log(n_log_n[1:])
        return n_log_n

    @cached_property
    def _log_factorials(self) -> Floats:
        return log_factorials(self.samples.n_samples)

    @cached_property
    def _repeated_rows(self) -> tuple[Bits, Floats]:
        """Every indicator as a binary variable, and its standard deviation, or 1.

        Paths do not support weights: samples are repeated by their weights.
        """
        samples = repeated(self.samples)
        share = samples.ones / samples.n_samples
        varies = (share > 0) & (share < 1)
        deviations = np.sqrt(np.where(varies, share * (1 - share), 1.0))
        reals = samples.bits.reals
        if reals is not None and reals.columns.ndim == 3:  # every target has its own columns
            reals = Reals.of(np.repeat(reals.columns, np.diff(samples.starts), axis=0))
        return Bits(samples.words, samples.n_samples, reals=reals), deviations


@dataclass(frozen=True)
class ReadableScorer(DiscreteScorer):
    """Scores of blankets from a criterion written in Python."""

    def toggled(self, targets: Ints, blankets: Lists, toggles: Lists) -> tuple[Floats, Floats]:
        return greedy.toggle_scores(self._score, targets, blankets, toggles)

    def grown(self, targets: Ints, candidates: Lists, kept: Lists | None = None) -> Blankets:
        return greedy.grow_blankets(self._score, targets, candidates, kept)

    def climbed(self, groups: Lists, blankets: Lists, partners: Lists, changes: Floats) -> Flipped:
        return flips.climb_groups(self._score, groups, blankets, partners, changes)

    def _score(self, target: int, blanket: Sequence[int]) -> float:
        return float(self.criterion.score(blanket_table(self.samples, target, blanket)))


def scorer_for(samples: Samples, criterion: Criterion, kernels: Kernels) -> Scorer:
    """Return a scorer that uses the kernels if they support the criterion."""
    # A subclass may score differently, so compare exact types.
    if type(criterion) in (Bic, Mpl):
        return DiscreteScorer(samples, criterion, kernels)
    return ReadableScorer(samples, criterion, kernels)


def _all_pairs(tile: Tile) -> Ints:
    """Return the pairs i < j of a tile."""
    rows, columns = tile
    i, j = np.meshgrid(np.arange(rows.start, rows.stop), columns, indexing="ij")
    edges = np.column_stack([i.ravel(), j.ravel()]).astype(np.int64)
    return edges[edges[:, 0] < edges[:, 1]]


def _numbers(pairs: Ints) -> Ints:
    return np.asarray(pairs[:, 0] << 32 | pairs[:, 1])


def _indicators(samples: Samples, variables: Ints) -> Ints:
    """Return the numbers of the indicator rows of some variables, in their order."""
    if samples.is_binary:
        return variables
    starts, stops = samples.starts[variables].tolist(), samples.starts[variables + 1].tolist()
    rows = [np.arange(start, stop) for start, stop in zip(starts, stops, strict=True)]
    return np.concatenate([np.empty(0, np.int64), *rows])
