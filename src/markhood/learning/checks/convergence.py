"""Whether fits have converged, and whether chains over graphs agree.

All chains begin at one graph, so chains that agree are no proof that they have been everywhere; chains
that do not are proof that they have not.

**How much is much.** On 14 simulated data sets of seven kinds, probabilities were compared with those of chains twenty times
as long. Where two chains differed by less than 0.2, no pair was off by more than 0.06; from 0.2 to 0.5, by 0.05, 0.08 and
0.15; where they differed by 0.98 (a hub of 256 variables, 250 samples), by 0.16. So a warning from 0.5 on is about
pairs that may be on the wrong side of 1/2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from markhood.errors import option, warn, warn_not_converged
from markhood.search.blankets import add_counts
from markhood.search.values.probabilities import EdgeProbabilities

MUCH = 0.5  # difference between two chains' probabilities of a pair


def fits_not_converged(
    names: Sequence[str], not_converged: Mapping[str, NDArray[np.int64]]
) -> dict[str, int]:
    """Return how many fits of each variable did not converge in all phases, of those that have any."""
    counts = add_counts(list(not_converged.values()))
    return {names[v]: int(counts[v]) for v in np.flatnonzero(counts).tolist()}


def warn_of_fits(names: Sequence[str], not_converged: Mapping[str, NDArray[np.int64]]) -> None:
    """Warn of fits that did not converge, and name their variables."""
    found = fits_not_converged(names, not_converged)
    warn_not_converged(list(found), sum(found.values()))


def warn_of_disagreement(found: EdgeProbabilities) -> None:
    """Warn where chains disagree much about pairs, and name the number of sweeps to try."""
    if found.sweeps is None:
        return  # with missing values a probability is the mean of many short chains
    apart = np.ptp(found.chain_probabilities, axis=0)
    much = int(np.count_nonzero(apart > MUCH))
    if not much:
        return
    pairs = "a pair" if much == 1 else f"{much} pairs"
    warn(
        "not-converged",
        "sweeps",
        f"The chains disagree about the probability of {pairs}, by up to {apart.max():.2f}, so "
        f"that they were too short: give {option('sweeps', 4 * found.sweeps)}, say.",
    )
