"""Kernels of the compiled module; the instruction set is chosen at run time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, wraps
from typing import Any, ClassVar, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Floats, Ints, Words
from markhood.errors import InputError
from markhood.kernels import _native
from markhood.kernels.bits import Bits
from markhood.kernels.lists import Lists
from markhood.kernels.networks import (
    Chains,
    IsingNetwork,
    Network,
    PottsFits,
    PottsPenalty,
    PottsSamples,
)
from markhood.kernels.protocol import (
    AssociatedPairs,
    AssociatedTables,
    Blankets,
    Costs,
    FitPenalty,
    Fits,
    Flipped,
    GraphChain,
    GraphSums,
    L1Paths,
    PairFits,
    PairPrior,
    Pricing,
    Residuals,
    Tiling,
    Unsound,
)

P = ParamSpec("P")
R = TypeVar("R")


def fits(kernel: Callable[P, R]) -> Callable[P, R]:
    """Raise an `InputError` if a regression of the kernel has too many parameters."""

    @wraps(kernel)
    def fit(*arguments: P.args, **options: P.kwargs) -> R:
        try:
            return kernel(*arguments, **options)
        except OverflowError:
            raise InputError(
                "many-parameters",
                "",
                "The regression of a variable on its neighbours would have more than 4096 "
                "parameters. Merge rare levels, or leave out columns with many levels.",
            ) from None

    return fit


@dataclass(frozen=True)
class NativeKernels:
    """Kernels for x86-64 (AVX-512, AVX2, POPCNT), arm64 (NEON) and any other processor."""

    # A few milliseconds of counting, with columns that fit in the level-2 cache.
    TILING: ClassVar[Tiling] = Tiling(words=4e7, side=1024)

    instruction_set: str = ""  # one of ``available()``. The empty string selects the best one
    # Number of steps after which a fit of `l1_paths` or `fit_potts` is reported as not converged.
    most_steps: int = 500

    @property
    def name(self) -> str:
        return f"native-{self.instruction_set or self.available()[0]}"

    @staticmethod
    def available() -> list[str]:
        """Instruction sets that this processor can run, best first."""
        return _native.instruction_sets()

    def tiling(self, bits: Bits) -> Tiling:
        return self.TILING

    def associated_pairs(
        self,
        bits: Bits,
        ones: Ints,
        n_log_n: Floats,
        rows: range,
        columns: range,
        least_ratio: float,
    ) -> AssociatedPairs:
        found = _native.associated_pairs(
            _packed(bits),
            ones,
            n_log_n,
            (rows.start, rows.stop),
            (columns.start, columns.stop),
            least_ratio,
            self.instruction_set,
        ).reshape(-1, 3)
        return AssociatedPairs(found[:, :2], found[:, 2])

    @fits
    def associated_tables(
        self, bits: Bits, rows: range, columns: range, costs: Costs
    ) -> AssociatedTables:
        pairs, ratios = _native.associated_tables(
            _packed(bits),
            (rows.start, rows.stop),
            (columns.start, columns.stop),
            _criterion(costs, bits.n_samples),
            self.instruction_set,
        )
        return AssociatedTables(pairs.reshape(-1, 2), ratios)

    @fits
    def associated_among(self, bits: Bits, pairs: Ints, costs: Costs) -> AssociatedTables:
        found, ratios = _native.associated_among(
            _packed(bits),
            np.ascontiguousarray(pairs),
            _criterion(costs, bits.n_samples),
            self.instruction_set,
        )
        return AssociatedTables(found.reshape(-1, 2), ratios)

    def associated_residuals(
        self, bits: Bits, rows: range, columns: range, residuals: Residuals, least: float
    ) -> AssociatedTables:
        means, variances, least_variance = residuals
        pairs, statistics = _native.associated_residuals(
            _packed(bits),
            (rows.start, rows.stop),
            (columns.start, columns.stop),
            means,
            variances,
            least,
            least_variance,
            self.instruction_set,
        )
        return AssociatedTables(pairs.reshape(-1, 2), statistics)

    @fits
    def toggle_scores(
        self, bits: Bits, targets: Ints, blankets: Lists, toggles: Lists, costs: Pricing
    ) -> tuple[Floats, Floats]:
        return _native.toggle_scores(
            _packed(bits),
            targets,
            blankets.arrays,
            toggles.arrays,
            _criterion(costs, bits.n_samples),
            self.instruction_set,
        )

    @fits
    def grow_blankets(
        self,
        bits: Bits,
        targets: Ints,
        candidates: Lists,
        costs: Pricing,
        kept: Lists | None = None,
    ) -> Blankets:
        kept = Lists.empty(len(targets)) if kept is None else kept
        starts, members, scores, evaluations, n_bounded, not_converged = _native.grow_blankets(
            _packed(bits),
            targets,
            candidates.arrays,
            kept.arrays,
            _criterion(costs, bits.n_samples),
            self.instruction_set,
        )
        return Blankets(Lists(starts, members), scores, evaluations, n_bounded, not_converged)

    @fits
    def climb_groups(
        self,
        bits: Bits,
        groups: Lists,
        blankets: Lists,
        partners: Lists,
        changes: Floats,
        costs: Pricing,
    ) -> Flipped:
        present, changes, highest, gained, not_converged, *evaluations = _native.climb_groups(
            _packed(bits),
            groups.arrays,
            blankets.arrays,
            partners.arrays,
            changes,
            _criterion(costs, bits.n_samples),
            self.instruction_set,
        )
        return Flipped(
            present.view(np.bool_), changes, highest, gained, Lists(*evaluations), not_converged
        )

    @fits
    def fit_blankets(self, bits: Bits, targets: Ints, blankets: Lists, penalty: FitPenalty) -> Fits:
        likelihoods, coefficients, infinite, statuses = _native.fit_blankets(
            _packed(bits),
            targets,
            blankets.arrays,
            _criterion(Costs(0.0, 0.0, penalty), bits.n_samples),
            self.instruction_set,
        )
        return Fits(likelihoods, coefficients, infinite.view(np.bool_), statuses)

    def gibbs(
        self, network: Network, chains: Chains, burn_in: int, thinning: int, n_draws: int
    ) -> tuple[NDArray[np.uint8], Chains]:
        advance: Any = _native.potts_gibbs
        if isinstance(network, IsingNetwork):
            advance = _native.ising_gibbs
        draws, states, generators = advance(
            network.neighbours.arrays,
            *network[1:-1],
            network.is_wide.view(np.uint8),
            *chains,
            burn_in,
            thinning,
            n_draws,
            self.instruction_set,
        )
        shape = chains.states.shape
        moved = Chains(states.reshape(shape), generators.reshape(chains.generators.shape))
        return draws.reshape(n_draws, *shape), moved

    def independence_tests(
        self, bits: Bits, targets: Ints, givens: Lists, others: Lists, log_factorials: Floats
    ) -> Floats:
        return _native.independence_tests(
            _packed(bits),
            targets,
            givens.arrays,
            others.arrays,
            log_factorials,
            self.instruction_set,
        )

    def l1_paths(
        self,
        bits: Bits,
        targets: Ints,
        candidates: Lists,
        penalties: Floats,
        fractions: Floats,
        largest_support: int,
    ) -> L1Paths:
        *fits, converged, sizes, supports, slopes = _native.l1_paths(
            _packed(bits),
            targets,
            candidates.arrays,
            penalties,
            fractions,
            largest_support,
            self.most_steps,
            self.instruction_set,
        )
        lambdas, intercepts, likelihoods = (f.reshape(len(targets), len(fractions)) for f in fits)
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        is_converged = converged.view(np.bool_)
        return L1Paths(
            lambdas, intercepts, likelihoods, Lists(starts, supports), slopes, is_converged
        )

    @fits
    def fit_pairs(
        self,
        bits: Bits,
        pairs: Ints,
        given_first: Lists,
        given_second: Lists,
        scale: float,
        n_covariates: int = 0,
    ) -> PairFits:
        fitted = _native.fit_pairs(
            _packed(bits),
            pairs,
            given_first.arrays,
            given_second.arrays,
            scale,
            n_covariates,
            self.instruction_set,
        )
        return PairFits(*fitted)

    @fits
    def sample_graphs(
        self,
        bits: Bits,
        pairs: Ints,
        prior: PairPrior,
        chain: GraphChain,
        n_settling: int,
        n_sweeps: int,
        n_covariates: int = 0,
    ) -> tuple[GraphSums, GraphChain]:
        sampled = _native.sample_graphs(
            _packed(bits),
            pairs,
            *prior,
            chain.present,
            chain.generator,
            chain.fits,
            n_settling,
            n_sweeps,
            n_covariates,
            self.instruction_set,
        )
        present, generator, densities, probabilities, couplings, squares, n_fits, fits = sampled
        sums = GraphSums(densities, probabilities, couplings, squares, n_fits)
        return sums, GraphChain(present, generator, None if chain.fits is None else fits)

    def fit_potts(
        self,
        samples: PottsSamples,
        targets: Ints,
        penalty: PottsPenalty,
        tolerance: float,
        most_steps: int | None = None,
    ) -> PottsFits:
        steps = self.most_steps if most_steps is None else most_steps
        table, norms, n_steps = _native.fit_potts(
            *samples, targets, *penalty, tolerance, steps, self.instruction_set
        )
        rows = table.reshape(int(samples.starts[-1]) + 1, -1)
        return PottsFits(rows, n_steps, norms <= tolerance)

    def unsound_variables(self, bits: Bits, masked: Ints, masks: Words) -> Unsound:
        found = _native.unsound_variables(_packed(bits), masked, masks, self.instruction_set)
        return Unsound(*found)


# The compiled module's view of the samples in use.
_PACKED: WeakKeyDictionary[Bits, _native.Bits] = WeakKeyDictionary()


def _packed(bits: Bits) -> _native.Bits:
    """Return the samples as the compiled module takes them, validated once."""
    found = _PACKED.get(bits)
    if found is None:
        found = _PACKED[bits] = _native.Bits(
            bits.words, bits.n_samples, bits.starts, bits.weighting, bits.ordered, bits.reals
        )
    return found


@lru_cache(maxsize=4)
def _criterion(costs: Pricing, n_samples: int) -> _native.Costs:
    """Return the costs as the compiled module takes them."""
    if isinstance(costs, Costs):
        return _native.Costs(costs.parameter, costs.variable, *costs.penalty, None)
    from scipy.special import gammaln

    counts = np.arange(n_samples + 1.0)
    log_gamma = np.column_stack([gammaln(counts + 0.5) - gammaln(0.5), gammaln(counts + 1.0)])
    return _native.Costs(0.0, costs.variable, 0.0, 0.0, log_gamma)
