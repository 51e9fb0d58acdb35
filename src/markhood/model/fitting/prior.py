"""The weak prior of fields and couplings: normal, and the same whichever level is called the first.

A coupling of two numbers is N(0, scale^2). A table has the prior under which the log odds ratio of any
two levels of the one and any two of the other is N(0, scale^2), whatever their order; so two
levels are the same as a number. A field's prior is four times as wide, because any frequency of a level is as likely
beforehand as any other, and so is that of a slope on a standardised covariate.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from markhood.model.fitting.layout import Layout, centred_scores

SCALE = 2.5  # the usual weakly informative one of logistic regressions
FIELDS_WIDER = 4.0


def precision(layout: Layout, scale: float) -> Any:
    """Return the inverse covariance of the parameters, block by block.

    Examples
    --------
    >>> from markhood.data.variables import Variables
    >>> layout = Layout(Variables(("a", "b"), ((0, 1), (0, 1))), np.array([[0, 1]]))
    >>> precision(layout, 2.0).diagonal().tolist()
    [0.015625, 0.015625, 0.25]
    """
    from scipy.sparse import block_diag, coo_array

    known: dict[tuple[int, ...], NDArray[np.float64]] = {}
    wide = (FIELDS_WIDER * scale) ** 2
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
    # One sparse array among them, and the result is one too.
    return block_diag([coo_array(blocks[0]), *blocks[1:]], format="csr")


def _centring(n_levels: int) -> NDArray[np.float64]:
    """Return the sums of squares of the scores of levels but the first, once centred."""
    scores = centred_scores(n_levels, False)
    return scores.T @ scores


def _roughness(n_levels: int, n_scores: int) -> NDArray[np.float64]:
    """Return what a prior of one end's numbers weighs them by: twice the centring, or one."""
    return np.eye(1) if n_scores == 1 else 2 * _centring(n_levels)
