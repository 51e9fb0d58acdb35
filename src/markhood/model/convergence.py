"""Convergence diagnostics of Markov chains: split R-hat and effective sample size.

Split each chain into halves, which gives m sequences of n draws; W is the mean of their variances
and B/n the variance of their means. With V = (n - 1)/n W + B/n, which overestimates the variance
until the chains have mixed,

    R-hat = sqrt(V / W),      effective samples = m n / (1 + 2 sum_t rho_t),

rho_t = 1 - (W - mean autocovariance at lag t) / V. The sum is over Geyer's initial monotone
positive sequence of pairs of lags. These are the split R-hat and the effective sample size of the
mean of *Bayesian Data Analysis* (and of Stan and ArviZ), without rank normalisation, which does not
apply to binary draws.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from markhood.arrays import Floats
from markhood.errors import InputError, option, warn

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
