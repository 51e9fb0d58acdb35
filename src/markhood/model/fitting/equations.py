"""Sparse linear equations of Newton steps.

Small systems are solved directly, large ones by conjugate gradients. These need only the memory of
the matrix, while the Cholesky factor of a large random graph is nearly dense.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MOST_DENSE = 1500  # parameters of a system that is solved directly
_RELATIVE_TOLERANCE = 1e-4  # of a step; the next step corrects the rest


class SparseEquations:
    """The linear solver of `newton`."""

    def factorise(self, matrix: csr_array, *, is_new: bool) -> None:
        """Keep a positive definite matrix."""
        self._matrix = matrix.toarray() if matrix.shape[0] <= MOST_DENSE else matrix

    def solve(self, right: NDArray[np.float64]) -> NDArray[np.float64]:
        """Solve the system, large ones to the relative tolerance of a step."""
        if isinstance(self._matrix, np.ndarray):
            return np.asarray(np.linalg.solve(self._matrix, right))
        from scipy.sparse import diags_array
        from scipy.sparse.linalg import cg

        scaling = diags_array(1 / self._matrix.diagonal())
        tolerance = _RELATIVE_TOLERANCE
        return np.asarray(cg(self._matrix, right, M=scaling, rtol=tolerance, maxiter=2000)[0])
