"""Check whether fits have converged, and chains over graphs agree and do not drift.

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

from markhood.arrays import Ints
from markhood.errors import option, warn, warn_not_converged
from markhood.search.blankets import add_counts
from markhood.search.values.probabilities import EdgeProbabilities

FEW_EDGES = 5  # whose number may depend on the prior without a warning
MUCH = 0.5  # difference between two chains' probabilities of a pair that causes a warning


def fits_not_converged(names: Sequence[str], not_converged: Mapping[str, Ints]) -> dict[str, int]:
    """Return the number of fits that did not converge, for each variable that has any."""
    counts = add_counts(list(not_converged.values()))
    return {names[v]: int(counts[v]) for v in np.flatnonzero(counts).tolist()}


def warn_of_fits(names: Sequence[str], not_converged: Mapping[str, Ints]) -> None:
    """Warn about fits that did not converge, naming their variables."""
    found = fits_not_converged(names, not_converged)
    warn_not_converged(list(found), sum(found.values()))


def warn_of_chains(found: EdgeProbabilities) -> None:
    """Warn if chains disagree about pairs or drift, and suggest a number of sweeps."""
    if found.sweeps is None or found.draws is None:
        return  # with missing values, a probability is the mean of many short chains
    apart = np.ptp(found.chain_probabilities, axis=0)
    much = int(np.count_nonzero(apart > MUCH))
    longer = f"the chains were too short: try {option('sweeps', 4 * found.sweeps)}"
    if much:
        pairs = "a pair" if much == 1 else f"{much} pairs"
        warn(
            "not-converged",
            "sweeps",
            f"The chains disagree about the probability of {pairs}, by up to {apart.max():.2f}, so "
            f"{longer}.",
        )
    if found.draws.has_drift:
        first, second = found.draws.density_halves.mean(axis=0)
        warn(
            "not-converged",
            "sweeps",
            f"The density of edges was {first:.3g} in the first half of the chains and "
            f"{second:.3g} in the second, so {longer}.",
        )


def warn_of_prior(found: EdgeProbabilities) -> None:
    """Warn if the number of edges depends on the density of edges that was learned."""
    fewer, edges, more = (found.n_edges_at(factor) for factor in (1 / 3, 1.0, 3.0))
    if more - fewer > max(FEW_EDGES, edges):
        warn(
            "prior-dependent",
            "edge_prior",
            f"The data say little about the number of edges: {edges} pairs are more probable than "
            f"not, and would be {fewer} or {more} if the prior odds of an edge were a third or "
            f"three times those learned (density {found.density:.3g}). Compare with a fixed "
            f"{option('edge_prior')}.",
        )
