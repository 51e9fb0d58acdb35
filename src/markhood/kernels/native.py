"""Kernels from the compiled module; the instruction set is chosen at run time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, wraps
from typing import Any, ClassVar, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from markhood.errors import InputError
from markhood.kernels import _native
from markhood.kernels.lists import Lists
from markhood.kernels.protocol import (
    AssociatedPairs,
    AssociatedTables,
    Bits,
    Blankets,
    Chains,
    Costs,
    FitPenalty,
    Fits,
    Flipped,
    GraphChain,
    GraphSums,
    IsingNetwork,
    L1Paths,
    Network,
    PairFits,
    PairPrior,
    PottsFits,
    PottsPenalty,
    PottsSamples,
    Pricing,
    Tiling,
    Unsound,
)

P = ParamSpec("P")
R = TypeVar("R")


def fits(kernel: Callable[P, R]) -> Callable[P, R]:
    """Let a kernel say in a sentence where a regression has too many parameters for its memory."""

    @wraps(kernel)
    def fit(*arguments: P.args, **options: P.kwargs) -> R:
        try:
            return kernel(*arguments, **options)
        except OverflowError:
            raise InputError(
                "many-parameters",
                "",
                "A variable and its neighbours have so many levels that their regression would "
                "have more than 4096 parameters: merge rare levels, or leave such columns out.",
            ) from None

    return fit


@dataclass(frozen=True)
class NativeKernels:
    """Kernels for x86-64 (AVX-512, AVX2, POPCNT), arm64 (NEON) and any other processor.

    Parameters
    ----------
    instruction_set : str, default=""
        One of ``available()``. The empty string means the best one.
    most_steps : int, default=500
        Steps after which a fit of `l1_paths` or `fit_potts` has not converged.
    """

    # A few milliseconds of counting, and columns that stay in the second-level cache.
    TILING: ClassVar[Tiling] = Tiling(words=4e7, side=1024)

    instruction_set: str = ""
    most_steps: int = 500

    @property
    def name(self) -> str:
        """What to call the backend."""
        return f"native-{self.instruction_set or self.available()[0]}"

    @staticmethod
    def available() -> list[str]:
        """Instruction sets that this processor can run, best first."""
        return _native.instruction_sets()

    def tiling(self, bits: Bits) -> Tiling:
        """Say how large a tile of the screen of these variables should be."""
        return self.TILING

    def associated_pairs(
        self,
        bits: Bits,
        ones: NDArray[np.int64],
        n_log_n: NDArray[np.float64],
        rows: range,
        columns: range,
        least_ratio: float,
    ) -> AssociatedPairs:
        """Find the pairs of the tile with a likelihood ratio at the bound or above."""
        found = _native.associated_pairs(
            bits.words,
            bits.n_samples,
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
        """Find the pairs of the tile whose likelihood ratio is their price or more."""
        pairs, ratios = _native.associated_tables(
            bits.words,
            bits.n_samples,
            (rows.start, rows.stop),
            (columns.start, columns.stop),
            costs.parameter,
            costs.variable,
            **_digits(bits),
            **_variables(bits),
            **_kinds(bits),
            instruction_set=self.instruction_set,
        )
        return AssociatedTables(pairs.reshape(-1, 2), ratios)

    @fits
    def associated_among(
        self, bits: Bits, pairs: NDArray[np.int64], costs: Costs
    ) -> AssociatedTables:
        """Find those of some pairs i < j whose likelihood ratio is their price or more."""
        found, ratios = _native.associated_among(
            bits.words,
            bits.n_samples,
            np.ascontiguousarray(pairs),
            costs.parameter,
            costs.variable,
            **_digits(bits),
            **_variables(bits),
            **_kinds(bits),
            instruction_set=self.instruction_set,
        )
        return AssociatedTables(found.reshape(-1, 2), ratios)

    @fits
    def toggle_scores(
        self,
        bits: Bits,
        targets: NDArray[np.int64],
        blankets: Lists,
        toggles: Lists,
        costs: Pricing,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Score each target's blanket, and it with each of ``toggles`` put in or taken out."""
        return _native.toggle_scores(
            bits.words,
            bits.n_samples,
            targets,
            blankets.starts,
            blankets.values,
            toggles.starts,
            toggles.values,
            **_criterion(costs, bits.n_samples),
            **_variables(bits),
            **_kinds(bits),
            reals=bits.reals,
            instruction_set=self.instruction_set,
        )

    @fits
    def grow_blankets(
        self,
        bits: Bits,
        targets: NDArray[np.int64],
        candidates: Lists,
        costs: Pricing,
        kept: Lists | None = None,
    ) -> Blankets:
        """Search greedily for each target's blanket among its candidates."""
        kept = Lists.empty(len(targets)) if kept is None else kept
        starts, members, scores, evaluations, n_bounded, not_converged = _native.grow_blankets(
            bits.words,
            bits.n_samples,
            targets,
            candidates.starts,
            candidates.values,
            kept.starts,
            kept.values,
            **_criterion(costs, bits.n_samples),
            **_variables(bits),
            **_kinds(bits),
            reals=bits.reals,
            instruction_set=self.instruction_set,
        )
        return Blankets(Lists(starts, members), scores, evaluations, n_bounded, not_converged)

    @fits
    def climb_groups(
        self,
        bits: Bits,
        groups: Lists,
        blankets: Lists,
        partners: Lists,
        changes: NDArray[np.float64],
        costs: Pricing,
    ) -> Flipped:
        """Flip the edge that gains most within each group until none gains."""
        present, highest, not_converged, *evaluations = _native.climb_groups(
            bits.words,
            bits.n_samples,
            groups.starts,
            groups.values,
            blankets.starts,
            blankets.values,
            partners.starts,
            partners.values,
            changes,
            **_criterion(costs, bits.n_samples),
            **_variables(bits),
            **_kinds(bits),
            reals=bits.reals,
            instruction_set=self.instruction_set,
        )
        return Flipped(present.view(np.bool_), highest, Lists(*evaluations), not_converged)

    @fits
    def fit_blankets(
        self, bits: Bits, targets: NDArray[np.int64], blankets: Lists, penalty: FitPenalty
    ) -> Fits:
        """Fit each target's logistic regression on its blanket."""
        likelihoods, coefficients, infinite, statuses = _native.fit_blankets(
            bits.words,
            bits.n_samples,
            targets,
            blankets.starts,
            blankets.values,
            **penalty._asdict(),
            **_variables(bits),
            **_kinds(bits),
            reals=bits.reals,
            instruction_set=self.instruction_set,
        )
        return Fits(likelihoods, coefficients, infinite.view(np.bool_), statuses)

    def gibbs(
        self, network: Network, chains: Chains, burn_in: int, thinning: int, n_draws: int
    ) -> tuple[NDArray[np.uint8], Chains]:
        """Advance the chains: ``burn_in`` sweeps, then ``n_draws`` times ``thinning`` sweeps."""
        settings = {
            "is_wide": network.is_wide.view(np.uint8),
            "states": chains.states,
            "generators": chains.generators,
            "burn_in": burn_in,
            "thinning": thinning,
            "n_draws": n_draws,
            "instruction_set": self.instruction_set,
        }
        advance: Any = _native.potts_gibbs
        if isinstance(network, IsingNetwork):
            advance = _native.ising_gibbs
        draws, states, generators = advance(
            network.neighbours.starts, network.neighbours.values, *network[1:-1], **settings
        )
        shape = chains.states.shape
        moved = Chains(states.reshape(shape), generators.reshape(chains.generators.shape))
        return draws.reshape(n_draws, *shape), moved

    def independence_tests(
        self,
        bits: Bits,
        targets: NDArray[np.int64],
        givens: Lists,
        others: Lists,
        log_factorials: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Test each target against each of its ``others``, given its list of ``givens``."""
        return _native.independence_tests(
            bits.words,
            bits.n_samples,
            targets,
            givens.starts,
            givens.values,
            others.starts,
            others.values,
            log_factorials,
            **_variables(bits),
            instruction_set=self.instruction_set,
        )

    def l1_paths(
        self,
        bits: Bits,
        targets: NDArray[np.int64],
        candidates: Lists,
        penalties: NDArray[np.float64],
        fractions: NDArray[np.float64],
        largest_support: int,
    ) -> L1Paths:
        """Fit each target's L1-penalised logistic regressions on its candidates."""
        *fits, converged, sizes, supports, slopes = _native.l1_paths(
            bits.words,
            bits.n_samples,
            targets,
            candidates.starts,
            candidates.values,
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
        pairs: NDArray[np.int64],
        given_first: Lists,
        given_second: Lists,
        scale: float,
        n_covariates: int = 0,
    ) -> PairFits:
        """Fit each pair with and without its coupling."""
        fitted = _native.fit_pairs(
            bits.words,
            bits.n_samples,
            pairs,
            given_first.starts,
            given_first.values,
            given_second.starts,
            given_second.values,
            scale,
            **_variables(bits),
            **_kinds(bits),
            reals=bits.reals,
            n_covariates=n_covariates,
            instruction_set=self.instruction_set,
        )
        return PairFits(*fitted)

    @fits
    def sample_graphs(
        self,
        bits: Bits,
        pairs: NDArray[np.int64],
        prior: PairPrior,
        chain: GraphChain,
        n_settling: int,
        n_sweeps: int,
        n_covariates: int = 0,
    ) -> tuple[GraphSums, GraphChain]:
        """Advance a chain over graphs."""
        sampled = _native.sample_graphs(
            bits.words,
            bits.n_samples,
            pairs,
            *prior,
            chain.present,
            chain.generator,
            chain.fits,
            n_settling,
            n_sweeps,
            bits.starts,
            _variables(bits)["weights"],
            _kinds(bits)["ordered"],
            bits.reals,
            n_covariates,
            self.instruction_set,
        )
        present, generator, densities, probabilities, couplings, squares, n_fits, fits = sampled
        sums = GraphSums(densities, probabilities, couplings, squares, n_fits)
        return sums, GraphChain(present, generator, None if chain.fits is None else fits)

    def fit_potts(
        self,
        samples: PottsSamples,
        targets: NDArray[np.int64],
        penalty: PottsPenalty,
        tolerance: float,
        most_steps: int | None = None,
    ) -> PottsFits:
        """Fit the regressions of some targets on all other variables."""
        steps = self.most_steps if most_steps is None else most_steps
        table, norms, n_steps = _native.fit_potts(
            *samples, targets, *penalty, tolerance, steps, self.instruction_set
        )
        rows = table.reshape(int(samples.starts[-1]) + 1, -1)
        return PottsFits(rows, n_steps, norms <= tolerance)

    def unsound_variables(
        self, bits: Bits, masked: NDArray[np.int64], masks: NDArray[np.uint64]
    ) -> Unsound:
        """Find variables whose rows are not what the other operations take for granted."""
        found = _native.unsound_variables(
            bits.words, bits.n_samples, bits.starts, masked, masks, self.instruction_set
        )
        return Unsound(*found)


def _criterion(costs: Pricing, n_samples: int) -> dict[str, Any]:
    """Return what the compiled module calls these prices."""
    if isinstance(costs, Costs):
        return {
            "parameter_cost": costs.parameter,
            "variable_cost": costs.variable,
            "log_gamma": None,
            "l1": costs.penalty.l1,
            "l2": costs.penalty.l2,
        }
    return {
        "parameter_cost": 0.0,
        "variable_cost": costs.variable,
        "log_gamma": _log_gamma(n_samples),
        "l1": 0.0,
        "l2": 0.0,
    }


def _variables(bits: Bits) -> dict[str, Any]:
    """Return what the compiled module wants to know of levels and weights."""
    weighting = bits.weighting
    return {"starts": bits.starts, "weights": None if weighting is None else weighting.weights}


def _kinds(bits: Bits) -> dict[str, Any]:
    """Return what the compiled module wants to know of kinds."""
    return {"ordered": None if bits.ordered is None else bits.ordered.view(np.uint8)}


def _digits(bits: Bits) -> dict[str, Any]:
    """Return what the compiled module wants to know of the binary digits of weights."""
    weighting = bits.weighting
    if weighting is None:
        return {"planes": None, "unit": 1.0}
    return {"planes": weighting.planes, "unit": weighting.unit}


@lru_cache(maxsize=4)
def _log_gamma(n_samples: int) -> NDArray[np.float64]:
    """Return log G(k + 1/2) - log G(1/2) and log G(k + 1) for k = 0 ... n_samples."""
    from scipy.special import gammaln

    counts = np.arange(n_samples + 1.0)
    return np.column_stack([gammaln(counts + 0.5) - gammaln(0.5), gammaln(counts + 1.0)])
