"""`SampledModel`, the base class of models: exact sampling if possible, else Gibbs sampling.

Convergence diagnostics of Markov chains: split R-hat and effective sample size. Split each chain
into halves, which gives m sequences of n draws; W is the mean of their variances and B/n the
variance of their means. With V = (n - 1)/n W + B/n, which overestimates the variance until the
chains have mixed,

    R-hat = sqrt(V / W), effective samples = m n / (1 + 2 sum_t rho_t),

rho_t = 1 - (W - mean autocovariance at lag t) / V. The sum is over Geyer's initial monotone
positive sequence of pairs of lags. These are the split R-hat and the effective sample size of the
mean of *Bayesian Data Analysis* (and of Stan and ArviZ), without rank normalisation, which does not
apply to binary draws.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from markhood.arrays import Floats, Ints
from markhood.data.samples import Samples
from markhood.errors import InputError, option, warn
from markhood.graph.graph import Graph
from markhood.kernels.native import NativeKernels
from markhood.kernels.networks import CHAINS
from markhood.kernels.protocol import Kernels
from markhood.model.one_hot import Estimate, OneHot, annealed_log_partition
from markhood.model.sampling.gibbs import (
    Advance,
    Method,
    Seed,
    check_settings,
    gibbs_blocks,
    require_counts,
)

MAX_R_HAT = 1.1  # above which a warning is emitted; below 1.01 is good


@dataclass(frozen=True, eq=False)
class Convergence:
    """Convergence diagnostics of each statistic.

    Attributes
    ----------
    names : tuple of str
        Names of the statistics: the variables, and the log potential.
    r_hat : ndarray of shape (n_statistics,)
        Near 1 if the chains agree (below 1.01 is good); NaN for a constant statistic.
    effective_samples : ndarray of shape (n_statistics,)
        Effective sample size of the mean; NaN for a constant statistic.
    """

    names: tuple[str, ...]
    r_hat: Floats
    effective_samples: Floats

    def __repr__(self) -> str:
        """Show the worst statistics."""
        if np.isnan(self.r_hat).all():
            return "<Convergence: nothing varies>"
        worst, fewest = np.nanargmax(self.r_hat), np.nanargmin(self.effective_samples)
        return (
            f"<Convergence: largest R-hat {self.r_hat[worst]:.3f} ({self.names[worst]}), fewest "
            f"effective samples {self.effective_samples[fewest]:.0f} ({self.names[fewest]})>"
        )

    def in_words(self, n_samples: int) -> str:
        """Describe the worst statistics of a run with `n_samples` samples."""
        if np.isnan(self.r_hat).all():
            return "All statistics are constant, so convergence cannot be assessed"
        return (
            f"R-hat at most {np.nanmax(self.r_hat):.3f}, effective samples at least "
            f"{np.nanmin(self.effective_samples):.0f} of {n_samples}"
        )


def chain_diagnostics(draws: Floats, names: tuple[str, ...]) -> Convergence:
    """Compute split R-hat and effective sample sizes.

    Parameters
    ----------
    draws : ndarray of shape (n_draws, n_chains, n_statistics)

    Warns
    -----
    DataWarning
        If an R-hat is above 1.1.

    Examples
    --------
    >>> chain_diagnostics(np.random.default_rng(1).random((500, 4, 1)), ("u",))
    <Convergence: largest R-hat 0.999 (u), fewest effective samples 1979 (u)>
    """
    half = len(draws) // 2
    if half < 2:
        raise InputError(
            "option-value",
            "chains",
            f"Each chain has {len(draws)} draws, but convergence diagnostics need at least 4: draw "
            "more samples or use fewer chains.",
        )
    split = np.concatenate((draws[:half], draws[len(draws) - half :]), axis=1)
    covariance = _autocovariance(split)
    within = (covariance[0] * half / (half - 1)).mean(axis=0)
    between = split.mean(axis=0).var(axis=0, ddof=1)
    varies = np.ptp(draws, axis=(0, 1)) > 0
    within = np.where(varies, within, np.nan)
    pooled = (half - 1) / half * within + between
    # Chains that are constant at different values have W = 0, and an infinite R-hat.
    with np.errstate(divide="ignore"):
        r_hat = np.sqrt(pooled / within)
    unbiased = covariance.mean(axis=1) * half / (half - 1)
    correlation = 1.0 - (within - unbiased) / pooled
    correlation[0] = 1.0
    found = Convergence(names, r_hat, split.shape[0] * split.shape[1] / _integrated(correlation))
    _warn_of_disagreement(found)
    return found


def _warn_of_disagreement(found: Convergence) -> None:
    """Warn about statistics whose R-hat is too large."""
    high = np.flatnonzero(np.nan_to_num(found.r_hat, nan=1.0, posinf=np.inf) > MAX_R_HAT)
    if not len(high):
        return
    worst = high[np.argmax(found.r_hat[high])]
    warn(
        "not-converged",
        found.names[worst],
        f"The chains have not converged for {len(high)} of {len(found.names)} statistics (R-hat "
        f"{found.r_hat[worst]:.2f} for {found.names[worst]!r}, where 1 is agreement): raise "
        f"{option('burn_in')} and {option('thinning')}.",
    )


def _autocovariance(draws: Floats) -> Floats:
    """Return the autocovariance of each chain and statistic at each lag, by Fourier transform."""
    n = len(draws)
    spectrum = np.fft.rfft(draws - draws.mean(axis=0), n=2 * n, axis=0)
    covariance: Floats = np.fft.irfft(np.abs(spectrum) ** 2, axis=0)[:n] / n
    return covariance


def _integrated(correlation: Floats) -> Floats:
    """Return 1 + 2 sum_t rho_t by Geyer's initial monotone sequence, from (n_lags, k)."""
    n_pairs = len(correlation) // 2
    pairs = correlation[: 2 * n_pairs].reshape(n_pairs, 2, -1).sum(axis=1)
    kept = np.logical_and.accumulate(pairs > 0, axis=0)
    monotone = np.minimum.accumulate(pairs, axis=0)
    total: Floats = 2.0 * np.where(kept, monotone, 0.0).sum(axis=0) - 1.0
    total[np.isnan(correlation[-1])] = np.nan
    # Stan's bound: antithetic chains may have more effective samples than draws, within limits.
    np.maximum(total, 1.0 / np.log10(max(10, len(correlation))), out=total)
    return total


Arrays = tuple[Floats, ...]


class ExactSampler(Protocol):
    """A sampler of independent samples."""

    def blocks(self, n_samples: int, seed: Seed) -> Iterator[NDArray[np.uint8]]:
        """Draw samples in blocks of rows."""


class SampledModel(ABC):
    """A distribution on a graph that can be sampled."""

    graph: Graph
    _exact: Any  # the result of exact inference, cached
    _no_exact_sampler: ClassVar[str]  # the message if exact sampling is not possible

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return self.graph.n_nodes

    def sample(
        self,
        n_samples: int,
        seed: Seed = None,
        *,
        method: Method = "auto",
        burn_in: int = 2000,
        thinning: int = 10,
        chains: int = CHAINS,
        n_jobs: int | None = None,
        kernels: Kernels | None = None,
    ) -> NDArray[np.uint8]:
        """Draw samples, independent ones if possible, otherwise by Gibbs sampling.

        Parameters
        ----------
        n_samples : int
        seed : int, SeedSequence or Generator, optional
            The same seed gives the same data for any `n_jobs`.
        method : {"auto", "exact", "gibbs"}, default="auto"
            Exact sampling is possible for forests, and for Potts networks of at most 2^20 states;
            "auto" uses it there. It ignores the arguments that follow.
        burn_in : int, default=2000
            Number of sweeps before the first sample of each chain.
        thinning : int, default=10
            Number of sweeps between two samples of a chain.
        chains : int, default=16
            Number of independent chains: sample s is draw s // chains of chain s % chains. Each
            chain has its own burn-in, but sixteen chains take no longer than one.
        n_jobs : int, optional
            Number of threads, as in joblib: None is one, -1 all. Each runs sixteen chains at a
            time.
        kernels : Kernels, optional
            Backend of the Gibbs sampler; by default the compiled one.

        Returns
        -------
        ndarray of shape (n_samples, n_variables), dtype uint8
            Level numbers.
        """
        chained = {"burn_in": burn_in, "thinning": thinning, "chains": chains, "n_jobs": n_jobs}
        blocks = self._blocks(n_samples, seed, method, kernels, **chained)
        samples = np.empty((n_samples, self.n_variables), dtype=np.uint8)
        row = 0
        for block in blocks:
            samples[row : row + len(block)] = block
            row += len(block)
        return samples

    def sample_packed(
        self,
        n_samples: int,
        seed: Seed = None,
        *,
        method: Method = "auto",
        burn_in: int = 2000,
        thinning: int = 10,
        chains: int = CHAINS,
        n_jobs: int | None = None,
        kernels: Kernels | None = None,
    ) -> Samples:
        """Draw the same samples as `sample`, packed, in an eighth of the memory.

        Levels of a Potts network that do not occur are left out of the levels of the samples.
        """
        chained = {"burn_in": burn_in, "thinning": thinning, "chains": chains, "n_jobs": n_jobs}
        blocks = self._blocks(n_samples, seed, method, kernels, **chained)
        return self._packed(blocks, n_samples)

    def energy(self, samples: ArrayLike) -> Floats:
        """Return the energy -log p(x) - log Z of each sample, shape (n_samples,).

        Parameters
        ----------
        samples : array-like of shape (n_samples, n_variables)
            Level numbers.
        """
        return -self.log_potential(samples)

    def convergence(self, samples: ArrayLike, chains: int = CHAINS) -> Convergence:
        """Compute convergence diagnostics of a Gibbs sample: R-hat and effective sample sizes.

        Parameters
        ----------
        samples : array-like of shape (n_samples, n_variables)
            The result of `sample`.
        chains : int, default=16
            The value passed to `sample`.

        Returns
        -------
        Convergence
            For every variable (for the indicators of all levels but the first, with more than two
            levels), and for the log potential.

        Examples
        --------
        >>> from markhood.model.ising.model import IsingModel
        >>> model = IsingModel(Graph("abc", [(0, 1), (1, 2), (0, 2)]), [1.0, 1.0, -1.0])
        >>> summary = model.convergence(model.sample(3200, seed=1))
        >>> summary.names
        ('a', 'b', 'c', 'log potential')
        >>> bool(summary.r_hat.max() < 1.05)
        True
        """
        values = self._checked(samples)
        require_counts(chains=chains)
        draws = len(values) // chains
        indicators = self._indicators(values)
        traced = np.column_stack((*indicators.values(), self.log_potential(values)))
        traced = traced[: draws * chains].reshape(draws, chains, traced.shape[1])
        return chain_diagnostics(traced, (*indicators, "log potential"))

    def estimate_log_partition(
        self, seed: Seed = None, *, chains: int = 128, steps: int = 1000
    ) -> Estimate:
        """Estimate log Z by annealed importance sampling, for any graph.

        Parameters
        ----------
        seed : int, SeedSequence or Generator, optional
        chains : int, default=128
        steps : int, default=1000
            Number of annealing steps; more steps reduce the error.

        Returns
        -------
        Estimate
            The ``value`` and its standard ``error``.
        """
        network = OneHot.of(self.graph.edges, *self.as_tables())
        return annealed_log_partition(network, seed, chains=chains, steps=steps)

    @abstractmethod
    def log_potential(self, samples: ArrayLike) -> Floats:
        """Return log p(x) + log Z of each sample."""

    def log_partition(self) -> float:
        """Return log Z, for forests, graphs of up to 2^20 states, and graphs of low treewidth."""
        return float(self._exact.log_partition)

    @abstractmethod
    def as_tables(self) -> tuple[Arrays, Arrays]:
        """Return tables and fields with one number per level."""

    @property
    @abstractmethod
    def _exact_sampler(self) -> ExactSampler | None:
        """The exact sampler of this model, or None."""

    @abstractmethod
    def _gibbs_sampler(self, kernels: Kernels) -> Advance:
        """Return the kernel that advances chains of this model."""

    @property
    @abstractmethod
    def _level_counts(self) -> int | Ints:
        """The number of levels of all variables, or of each."""

    def _checked(self, samples: ArrayLike) -> NDArray[Any]:
        """Return samples as level numbers, or raise `InputError`."""
        values = np.asarray(samples)
        if values.ndim != 2 or values.shape[1] != self.n_variables:
            raise InputError(
                "model-data",
                "samples",
                f"samples must have shape (n_samples, {self.n_variables}), not {values.shape}.",
            )
        return self._level_numbers(values)

    @abstractmethod
    def _level_numbers(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return values of the right shape as level numbers, or raise `InputError`."""

    @abstractmethod
    def _indicators(self, values: NDArray[Any]) -> dict[str, NDArray[Any]]:
        """Return the indicator of every level but the first, by name."""

    @abstractmethod
    def _packed(self, blocks: Iterator[NDArray[np.uint8]], n_samples: int) -> Samples:
        """Pack blocks of samples."""

    def _blocks(
        self, n_samples: int, seed: Seed, method: Method, kernels: Kernels | None, **chained: Any
    ) -> Iterator[NDArray[np.uint8]]:
        check_settings(n_samples, method, **chained)
        if method == "exact" and self._exact_sampler is None:
            raise InputError("model-size", "method", self._no_exact_sampler)
        if method != "gibbs" and self._exact_sampler is not None:
            return self._exact_sampler.blocks(n_samples, seed)
        return gibbs_blocks(
            self._gibbs_sampler(kernels or NativeKernels()),
            self.n_variables,
            self._level_counts,
            n_samples,
            seed,
            **chained,
        )
