"""Validation of the settings of the samplers."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from markhood.errors import InputError

Seed: TypeAlias = int | np.random.SeedSequence | np.random.Generator | None
Method: TypeAlias = Literal["auto", "exact", "gibbs"]


def check_settings(
    n_samples: int, method: str, burn_in: int, thinning: int, chains: int, n_jobs: int | None
) -> None:
    """Raise `InputError` for settings that are out of range."""
    require_counts(n_samples=n_samples, thinning=thinning, chains=chains)
    if burn_in < 0:
        raise InputError(
            "option-value", "burn_in", f"burn_in is {burn_in}; it must be zero or more sweeps."
        )
    if n_jobs == 0:
        raise InputError(
            "option-value", "n_jobs", "n_jobs is 0; give a number of threads, or -1 for all."
        )
    if method not in ("auto", "exact", "gibbs"):
        raise InputError(
            "option-value",
            "method",
            f"method is {method!r}; it must be 'auto', 'exact' or 'gibbs'.",
        )


def require_counts(**counts: int) -> None:
    """Raise `InputError` unless all counts are positive."""
    for name, count in counts.items():
        if count < 1:
            raise InputError("option-value", name, f"{name} is {count}; it must be at least 1.")
