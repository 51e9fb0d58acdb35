"""The weak normal prior of fields and couplings, which does not depend on the order of levels.

A coupling that is one number is N(0, scale^2). The prior of a table is such that the log odds ratio
of any two levels of one variable and any two of the other is N(0, scale^2), so a table of two
binary variables has the prior of one number. The priors of fields, and of slopes on standardised
covariates, are four times as wide, because the frequencies of levels may be anything.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from markhood.model.fitting.layout import Layout, centred_scores

SCALE = 2.5  # the usual weakly informative prior of logistic regression
FIELD_FACTOR = 4.0


def precision(layout: Layout, scale: float) -> Any:
    """Return the block-diagonal precision matrix of the parameters.

    Examples
    --------
    >>> from markhood.data.variables import Variables
    >>> layout = Layout(Variables(("a", "b"), ((0, 1), (0, 1))), np.array([[0, 1]]))
    >>> precision(layout, 2.0).diagonal().tolist()
    [0.015625, 0.015625, 0.25]
    """
    from scipy.sparse import block_diag, coo_array

    known: dict[tuple[int, ...], NDArray[np.float64]] = {}
    wide = (FIELD_FACTOR * scale) ** 2
    blocks = [2 * _centring(r) / wide for r in layout.n_levels.tolist()]
    for i, j in layout.edges.tolist():
        key = tuple(layout.n_levels[[i, j]].tolist() + layout.n_scores[[i, j]].tolist())
        if key not in known:
            both = np.kron(_roughness(*key[0::2]), _roughness(*key[1::2]))
            known[key] = np.asarray(both / scale**2)
        blocks.append(known[key])
    if layout.n_reals:
        blocks += [
            np.asarray(np.kron(_roughness(r, q) / wide, np.eye(layout.n_reals)), np.float64)
            for r, q in zip(layout.n_levels.tolist(), layout.n_scores.tolist(), strict=True)
        ]
    # The result is a sparse array if at least one block is.
    return block_diag([coo_array(blocks[0]), *blocks[1:]], format="csr")


def _centring(n_levels: int) -> NDArray[np.float64]:
    """Return the cross-products of the centred indicators of all levels but the first."""
    scores = centred_scores(n_levels, False)
    return scores.T @ scores


def _roughness(n_levels: int, n_scores: int) -> NDArray[np.float64]:
    """Return the factor of one end in the precision of a coupling."""
    return np.eye(1) if n_scores == 1 else 2 * _centring(n_levels)
