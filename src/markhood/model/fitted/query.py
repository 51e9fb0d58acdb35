"""The joint distribution of target variables given evidence; other variables are marginalised.

1. Absorb the evidence: an observed neighbour adds a row of its table to the field of a variable.
2. Keep the variables that are connected with the targets through unobserved variables.
3. Marginalise the rest with a junction tree. Tables of zeros make the targets neighbours of each
   other, so that one of its tables has their joint distribution. If tables would be too large,
   estimate the distribution by Gibbs sampling.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Floats, Ints
from markhood.data.to_frame import frame_of_rows
from markhood.data.variables import UNKNOWN, level_text
from markhood.errors import InputError
from markhood.graph.graph import Graph
from markhood.graph.notebook import result_html
from markhood.kernels.networks import CHAINS
from markhood.model.fitted.prediction import components, neighbour_sets
from markhood.model.potts.exact import MOST_STATES, JunctionTree
from markhood.model.potts.model import PottsModel
from markhood.model.potts.network import Arrays
from markhood.model.sampling.gibbs import Seed

if TYPE_CHECKING:
    from markhood.model.fitted.model import FittedModel

DRAWS = 2000  # per chain


@dataclass(frozen=True, eq=False)
class Answer:
    """The distribution of one or more variables given evidence.

    Attributes
    ----------
    targets : tuple of str
    levels : tuple of tuple
        The levels of each target, in order.
    probabilities : ndarray with one axis per target
        Probabilities of all combinations of levels.
    method : {"exact", "sampled"}
        Whether the probabilities are exact or estimated by Gibbs sampling.
    error : float
        The largest standard error of a probability; 0 if exact.
    """

    targets: tuple[str, ...]
    levels: tuple[tuple[Any, ...], ...]
    probabilities: Floats
    method: str
    error: float

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each combination of levels, with its ``probability``."""
        last = "probability" if "probability" not in self.targets else "probability_"
        return [
            {**dict(zip(self.targets, state, strict=True)), last: p}
            for state, p in zip(product(*self.levels), self.probabilities.flat, strict=True)
        ]

    def to_frame(self) -> Any:
        """Return `rows` as a pandas or polars data frame."""
        return frame_of_rows(self.rows())

    def __repr__(self) -> str:
        """Show the most probable combination."""
        state = np.unravel_index(int(self.probabilities.argmax()), self.probabilities.shape)
        named = zip(self.targets, self.levels, state, strict=True)
        best = ", ".join(f"{name} = {level_text(own[k])}" for name, own, k in named)
        return f"<Answer ({self._how}): {best} with probability {self.probabilities.max():.4g}>"

    @property
    def _how(self) -> str:
        is_exact = self.method == "exact"
        return "exact" if is_exact else f"sampled, standard error at most {self.error:.2g}"

    def _repr_html_(self) -> str:
        texts = [
            {name: own if isinstance(own, float) else level_text(own) for name, own in row.items()}
            for row in self.rows()
        ]
        return result_html("Answer", [("method", self._how)], texts)


def answer(
    model: FittedModel,
    targets: Sequence[int],
    codes: NDArray[np.uint16],
    seed: Seed,
    most_states: int = MOST_STATES,
) -> Answer:
    """Return the joint distribution of the targets.

    Parameters
    ----------
    model : FittedModel
    targets : sequence of int
    codes : ndarray of shape (n_variables,), dtype uint16
        The level of each variable, or `UNKNOWN`.
    seed : int, SeedSequence or Generator
        Random seed of the chains.
    most_states : int, default=2**20
        Number of cells of the largest table that may be summed over.
    """
    tables, fields = model.distribution.as_tables()
    names = tuple(model.variables.names[v] for v in targets)
    levels = tuple(model.levels[v] for v in targets)
    if prod(map(len, levels)) > most_states:
        raise InputError(
            "model-size",
            "targets",
            f"The targets have more than {most_states} combinations of levels: use fewer targets.",
        )
    edges = model.distribution.graph.edges
    kept, inner, fields = _absorbed(edges, tables, fields, codes, targets)
    number = {v: k for k, v in enumerate(kept)}
    own = [number[v] for v in targets]
    numbers = [(number[i], number[j]) for i, j in edges[inner].tolist()]
    joined = {tuple(sorted(pair)) for pair in numbers}
    added = [pair for pair in combinations(sorted(own), 2) if pair not in joined]
    inner_tables = (
        *(tables[e] for e in inner),
        *(np.zeros((len(fields[i]), len(fields[j]))) for i, j in added),
    )
    pairs = np.array([*numbers, *added], np.int64).reshape(-1, 2)
    tree = JunctionTree.of([len(field) for field in fields], pairs, most_states)
    if tree is not None:
        found = tree.joint(pairs, inner_tables, fields, own)
        return Answer(names, levels, found, "exact", 0.0)
    network = PottsModel(
        Graph([str(v) for v in kept], pairs[: len(numbers)]), inner_tables[: len(numbers)], fields
    )
    return Answer(names, levels, *_drawn(network, own, tuple(map(len, levels)), seed))


def _absorbed(
    edges: Ints, tables: Arrays, fields: Arrays, codes: NDArray[np.uint16], targets: Sequence[int]
) -> tuple[list[int], list[int], Arrays]:
    """Return the relevant variables, the edges among them, and their fields given the evidence."""
    unknown = np.flatnonzero(codes == UNKNOWN)
    parts = components(unknown, neighbour_sets(edges, len(fields)))
    kept = sorted(v for part in parts if set(targets) & set(part.tolist()) for v in part.tolist())
    at, inner, own = set(kept), list[int](), list(fields)
    for e, (i, j) in enumerate(edges.tolist()):
        if i in at and j in at:
            inner.append(e)
        elif i in at:
            own[i] = own[i] + tables[e][:, codes[j]]
        elif j in at:
            own[j] = own[j] + tables[e][codes[i]]
    return kept, inner, tuple(own[v] for v in kept)


def _drawn(
    network: PottsModel, targets: Sequence[int], shape: tuple[int, ...], seed: Seed
) -> tuple[Floats, str, float]:
    """Return estimated probabilities, "sampled", and their largest standard error over chains."""
    draws = network.sample(CHAINS * DRAWS, seed, chains=CHAINS)[:, list(targets)]
    state = np.ravel_multi_index(tuple(draws.T.astype(np.int64)), shape)
    by_chain = np.stack(
        [np.bincount(own, minlength=prod(shape)) for own in state.reshape(-1, CHAINS).T]
    )
    shares = by_chain / DRAWS
    errors = shares.std(axis=0, ddof=1) / np.sqrt(CHAINS)
    return shares.mean(axis=0).reshape(shape), "sampled", float(errors.max())
