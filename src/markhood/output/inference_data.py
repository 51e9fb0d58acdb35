"""Convert draws of graphs to `arviz.InferenceData` (extra ``arviz``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from markhood.arrays import Ints
from markhood.errors import installed

if TYPE_CHECKING:
    from markhood.search.values.probabilities import Draws


def to_inference_data(draws: Draws, pairs: Ints, names: Sequence[str]) -> Any:
    """Return draws as `arviz.InferenceData`, one draw for each averaged sweep.

    Parameters
    ----------
    pairs : ndarray of shape (n_pairs, 2)
    """
    arviz = installed("arviz")
    posterior = {
        "edge": draws.edges,
        "probability": draws.probabilities,
        "density": draws.densities,
    }
    of_pairs = ["pair"]
    return arviz.from_dict(
        posterior=posterior,
        coords={"pair": [f"{names[i]} - {names[j]}" for i, j in pairs.tolist()]},
        dims={"edge": of_pairs, "probability": of_pairs},
    )
