"""Sparse linear equations of Newton steps.

Small systems are solved directly, large ones by conjugate gradients. These need only the memory of
the matrix, while the Cholesky factor of a large random graph is nearly dense.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from markhood.model.fitting.information import Information

MOST_DENSE = 1500  # parameters of a system that is solved directly
_RELATIVE_TOLERANCE = 1e-2  # of a step; the next step corrects the rest


class SparseEquations:
    """The linear solver of `newton`."""

    def factorise(self, matrix: Information, *, is_new: bool) -> None:
        """Keep a positive definite matrix."""
        n = matrix.shape[0]
        self._matrix = matrix.block(np.arange(n)) if n <= MOST_DENSE else matrix

    def solve(self, right: NDArray[np.float64]) -> NDArray[np.float64]:
        """Solve the system, large ones to the relative tolerance of a step."""
        if isinstance(self._matrix, np.ndarray):
            return np.asarray(np.linalg.solve(self._matrix, right))
        from scipy.sparse import diags_array
        from scipy.sparse.linalg import LinearOperator, cg

        scaling = diags_array(1 / self._matrix.diagonal())
        product = LinearOperator(self._matrix.shape, self._matrix.__matmul__, dtype=np.float64)
        return np.asarray(cg(product, right, M=scaling, rtol=_RELATIVE_TOLERANCE, maxiter=2000)[0])
