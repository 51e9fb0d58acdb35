"""Validation of the settings of the samplers."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from markhood.errors import InputError
from markhood.options import check_value

Seed: TypeAlias = int | np.random.SeedSequence | np.random.Generator | None
Method: TypeAlias = Literal["auto", "exact", "gibbs"]


def check_settings(
    n_samples: int, method: str, burn_in: int, thinning: int, chains: int, n_jobs: int | None
) -> None:
    """Raise `InputError` for settings that are out of range."""
    require_counts(n_samples=n_samples, thinning=thinning, chains=chains)
    check_value("burn_in", burn_in, int, low=0)
    check_value("n_jobs", n_jobs, int | None)
    check_value("method", method, Method)
    if n_jobs == 0:
        raise InputError(
            "option-value", "n_jobs", "n_jobs is 0; give a number of threads, or -1 for all."
        )


def require_counts(**counts: int) -> None:
    """Raise `InputError` unless all counts are positive."""
    for name, count in counts.items():
        check_value(name, count, int, low=1)
