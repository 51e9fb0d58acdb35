"""Random couplings and fields on a given graph.

The paper draws for every edge a table phi(x_i, x_j) of four uniform numbers and has no node
potentials. In 0/1 coding such a table is

    coupling  log(phi11 phi00 / (phi10 phi01)),
    and adds  log(phi10 / phi00) to field i,  log(phi01 / phi00) to field j,

so that fields come from the tables. The other potentials draw couplings and fields as they stand in
0/1 coding; for numbers in -1/+1 coding there is `IsingModel.from_spins`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from markhood.errors import InputError
from markhood.graph.graph import Graph
from markhood.model.ising import IsingModel

Seed: TypeAlias = int | np.random.SeedSequence | np.random.Generator | None


class Potentials(Protocol):
    """A way to draw couplings and fields; write your own by giving a class this method."""

    def draw(self, graph: Graph, rng: np.random.Generator) -> IsingModel:
        """Return a model on the graph."""


@dataclass(frozen=True)
class UniformTables:
    """The paper's: a table of four independent U(0, 1) numbers for every edge."""

    def draw(self, graph: Graph, rng: np.random.Generator) -> IsingModel:
        """Return a model on the graph."""
        # 1 - U is never zero, and as uniform as U.
        log_tables = np.log(1.0 - rng.random((graph.n_edges, 2, 2)))
        couplings, fields = from_log_tables(graph, log_tables)
        return IsingModel(graph, couplings, fields)


@dataclass(frozen=True)
class NormalCouplings:
    """Couplings from a normal distribution.

    Attributes
    ----------
    scale : float
        Standard deviation.
    fields : float
        Standard deviation of the fields; 0 for none.
    """

    scale: float = 1.0
    fields: float = 0.0

    def draw(self, graph: Graph, rng: np.random.Generator) -> IsingModel:
        """Return a model on the graph."""
        _require_scale("scale", self.scale)
        couplings = rng.normal(0.0, self.scale, graph.n_edges)
        return IsingModel(graph, couplings, _normal_fields(graph, self.fields, rng))


@dataclass(frozen=True)
class UniformCouplings:
    """Couplings uniform between `low` and `high`.

    Attributes
    ----------
    low, high : float
    fields : float
        Standard deviation of the fields; 0 for none.
    """

    low: float = -1.0
    high: float = 1.0
    fields: float = 0.0

    def draw(self, graph: Graph, rng: np.random.Generator) -> IsingModel:
        """Return a model on the graph."""
        if not self.low <= self.high:
            raise InputError(
                f"low is {self.low} and high is {self.high}; low must not be above high."
            )
        couplings = rng.uniform(self.low, self.high, graph.n_edges)
        return IsingModel(graph, couplings, _normal_fields(graph, self.fields, rng))


@dataclass(frozen=True)
class SignedCouplings:
    """Couplings of one strength, each with a random sign.

    Attributes
    ----------
    strength : float
    fields : float
        Standard deviation of the fields; 0 for none.
    """

    strength: float = 1.0
    fields: float = 0.0

    def draw(self, graph: Graph, rng: np.random.Generator) -> IsingModel:
        """Return a model on the graph."""
        couplings = self.strength * rng.choice((-1.0, 1.0), graph.n_edges)
        return IsingModel(graph, couplings, _normal_fields(graph, self.fields, rng))


POTENTIALS: dict[str, type[UniformTables | NormalCouplings | UniformCouplings | SignedCouplings]]
POTENTIALS = {
    "uniform-tables": UniformTables,
    "normal": NormalCouplings,
    "uniform": UniformCouplings,
    "signs": SignedCouplings,
}


def ising(
    graph: Graph, potentials: str | Potentials = "uniform-tables", seed: Seed = None
) -> IsingModel:
    """Put random potentials on a graph.

    Parameters
    ----------
    graph : Graph
    potentials : str or Potentials, default="uniform-tables"
        A word of `POTENTIALS` ("uniform-tables", "normal", "uniform" or "signs", each with its
        defaults), or a value such as ``NormalCouplings(scale=0.5, fields=1.0)``.
    seed : int, SeedSequence or Generator, optional

    Returns
    -------
    IsingModel

    Examples
    --------
    >>> from markhood.simulate.networks import cycle
    >>> ising(cycle(4), SignedCouplings(0.5), seed=1).couplings
    array([-0.5,  0.5,  0.5,  0.5])
    """
    if isinstance(potentials, str):
        if potentials not in POTENTIALS:
            known = ", ".join(map(repr, POTENTIALS))
            raise InputError(f"There are no potentials {potentials!r}; there are {known}.")
        potentials = POTENTIALS[potentials]()
    return potentials.draw(graph, np.random.default_rng(seed))


def from_log_tables(
    graph: Graph, log_tables: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return couplings and fields of edge potentials log phi(x_i, x_j), shape (n_edges, 2, 2).

    Examples
    --------
    >>> tables = np.log([[[1.0, 2.0], [3.0, 12.0]]])
    >>> couplings, fields = from_log_tables(Graph("ab", [(0, 1)]), tables)
    >>> np.exp(couplings).round(9), np.exp(fields).round(9)
    (array([2.]), array([3., 2.]))
    """
    zero, second, first, both = log_tables.reshape(-1, 4).T
    fields = np.zeros(graph.n_nodes)
    np.add.at(fields, graph.edges, np.stack((first - zero, second - zero), axis=1))
    return both + zero - first - second, fields


def _normal_fields(graph: Graph, scale: float, rng: np.random.Generator) -> NDArray[np.float64]:
    _require_scale("fields", scale)
    return rng.normal(0.0, scale, graph.n_nodes)


def _require_scale(name: str, scale: float) -> None:
    if not 0.0 <= scale < np.inf:
        raise InputError(f"{name} is {scale}; a standard deviation is zero or more.")
