"""Linear equations of many parameters, of which each meets only a few others.

Few are solved for at once; many by conjugate gradients, which need no more memory than the matrix has entries: a factor of a large
random graph fills up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

DENSE = 1500  # parameters that are solved for at once
_RELATIVE = 1e-4  # of a step: what is left is for the next one


class SparseEquations:
    """What `newton` solves for a step."""

    def factorise(self, matrix: csr_array, *, is_new: bool) -> None:
        """Keep a positive definite matrix."""
        self._matrix = matrix.toarray() if matrix.shape[0] <= DENSE else matrix

    def solve(self, right: NDArray[np.float64]) -> NDArray[np.float64]:
        """Solve, to the precision of a step."""
        if isinstance(self._matrix, np.ndarray):
            return np.asarray(np.linalg.solve(self._matrix, right))
        from scipy.sparse import diags_array
        from scipy.sparse.linalg import cg

        scaling = diags_array(1 / self._matrix.diagonal())
        return np.asarray(cg(self._matrix, right, M=scaling, rtol=_RELATIVE, maxiter=2000)[0])
