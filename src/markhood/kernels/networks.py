"""Networks and samples in the form that kernels of networks use, and their results."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Bools, Floats, Ints
from markhood.kernels.lists import Lists

CHAINS = 16  # advanced by one call of the Gibbs kernel, one per SIMD lane
LEVELS_PER_VECTOR = 4  # the factors of a Potts variable's levels are padded to whole vectors
MOST_LEVELS = 256  # of a Potts variable, so that a level fits in a byte


class IsingNetwork(NamedTuple):
    """A binary network in the form that its Gibbs sampler uses.

    ``coupling_odds`` is exp(-coupling) for each of ``neighbours.values``, ``field_odds`` is
    exp(-field) for each variable, and ``order`` is the order of a sweep. ``is_wide`` marks the
    variables whose odds, or products of some of their factors, could leave the range of a float64.
    """

    neighbours: Lists
    coupling_odds: Floats
    field_odds: Floats
    order: Ints
    is_wide: Bools


class PottsNetwork(NamedTuple):
    """A network with any number of levels, in the form that its Gibbs sampler uses.

    A factor is exp of a field or of an entry of a coupling table, minus the largest of the
    competing values. Variable i with ``n_levels[i]`` levels has ``field_starts[i + 1] -
    field_starts[i]`` field factors, one for each level, padded with zeros to a multiple of
    `LEVELS_PER_VECTOR`. The factors of ``neighbours.values[k]`` begin at ``factor_starts[k]``: for
    each level of the neighbour, the same number of factors for the levels of i. ``order`` is the
    order of a sweep. ``is_wide`` marks the variables whose products of factors could leave the
    range of a float64.
    """

    neighbours: Lists
    factors: Floats
    factor_starts: Ints
    field_factors: Floats
    field_starts: Ints
    n_levels: Ints
    order: Ints
    is_wide: Bools


Network = IsingNetwork | PottsNetwork


class Chains(NamedTuple):
    """State of `CHAINS` chains: states (CHAINS, n_variables), generators (4, CHAINS)."""

    states: NDArray[np.uint8]
    generators: NDArray[np.uint32]


class PottsSamples(NamedTuple):
    """Samples in the form that a Potts model reads: a table row for every level of every variable.

    Variable v has the rows from ``starts[v]`` to ``starts[v + 1]``, one per level. `places`, of
    shape (n_samples, n_variables) and dtype int32, has the row of each value, or ``starts[-1]``
    where it is missing. ``weights``, of shape (n_samples,), are the sample weights.
    """

    places: NDArray[np.int32]
    starts: Ints
    weights: Floats


class PottsPenalty(NamedTuple):
    """Factors of the squared fields and of the squared couplings of i and j in the penalty.

    The factor of a coupling is ``variables[i] * variables[j]``, once in each of the two
    regressions.
    """

    field: float
    variables: Floats


class PottsFits(NamedTuple):
    """Regressions of some targets on all other variables: their part of a Potts model.

    ``table``, of shape (n_rows + 1, n_columns) and dtype float32, has a row for each level of each
    variable and a last row with the fields; it has a column for each level of each target. Fields
    are those of an average sample: the log odds are ``fields + sum over j of (row of x_j - mean row
    of j)``, with the mean over the samples. A target's own rows are zero. ``n_steps`` is the number
    of steps. ``converged``, of shape (n_targets,), marks the targets whose gradient is within the
    tolerance.
    """

    table: NDArray[np.float32]
    n_steps: int
    converged: Bools
