"""Check whether fits have converged and whether chains over graphs agree.

All chains start at the same graph. Agreement therefore does not prove convergence, but
disagreement proves the lack of it.

**Threshold.** Probabilities on 14 simulated data sets of seven kinds were compared with those of
chains twenty times as long:

    largest difference between two chains    largest error of a pair's probability
    below 0.2                                0.06
    0.2 to 0.5                               0.05, 0.08, 0.15
    0.98 (hub of 256 variables, N = 250)     0.16

A difference above 0.5 means that a pair may be on the wrong side of 1/2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from markhood.errors import option, warn, warn_not_converged
from markhood.search.blankets import add_counts
from markhood.search.values.probabilities import EdgeProbabilities

MUCH = 0.5  # difference between two chains' probabilities of a pair that causes a warning


def fits_not_converged(
    names: Sequence[str], not_converged: Mapping[str, NDArray[np.int64]]
) -> dict[str, int]:
    """Return the number of fits that did not converge, for each variable that has any."""
    counts = add_counts(list(not_converged.values()))
    return {names[v]: int(counts[v]) for v in np.flatnonzero(counts).tolist()}


def warn_of_fits(names: Sequence[str], not_converged: Mapping[str, NDArray[np.int64]]) -> None:
    """Warn about fits that did not converge, naming their variables."""
    found = fits_not_converged(names, not_converged)
    warn_not_converged(list(found), sum(found.values()))


def warn_of_disagreement(found: EdgeProbabilities) -> None:
    """Warn where chains disagree about pairs, and suggest a number of sweeps."""
    if found.sweeps is None:
        return  # with missing values, a probability is the mean of many short chains
    apart = np.ptp(found.chain_probabilities, axis=0)
    much = int(np.count_nonzero(apart > MUCH))
    if not much:
        return
    pairs = "a pair" if much == 1 else f"{much} pairs"
    warn(
        "not-converged",
        "sweeps",
        f"The chains disagree about the probability of {pairs}, by up to {apart.max():.2f}, so "
        f"they were too short: try {option('sweeps', 4 * found.sweeps)}.",
    )
