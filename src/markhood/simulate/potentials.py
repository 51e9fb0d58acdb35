"""Random couplings and fields on a given graph.

The paper draws a table phi(x_i, x_j) of four uniform numbers for each edge and has no node
potentials. In 0/1 coding such a table is

    coupling  log(phi11 phi00 / (phi10 phi01)),
    and adds  log(phi10 / phi00) to field i,  log(phi01 / phi00) to field j,

so that fields come from the tables. The other potentials draw couplings and fields directly in
0/1 coding; `IsingModel.from_spins` converts from -1/+1 coding.

With more levels each edge has a table of r_i by r_j entries from the same distributions: log phi
with uniform phi, or normal, uniform or +-strength.

With ordered levels each edge has one coupling. Level k of r has the score
u_k = 1/2 + (k - (r - 1)/2) / sqrt((r^2 - 1)/3). The scores have mean 1/2 and standard deviation 1/2
over the levels, as 0 and 1 have, and

    log p(x) = sum_i h_i u(x_i) + sum_ij J_ij u(x_i) u(x_j) - log Z

has the couplings and fields that `ising` draws. Couplings are therefore comparable between
variables with different numbers of levels, while the coupling per step falls with that number.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from markhood.arrays import Floats, Ints
from markhood.errors import InputError
from markhood.graph.graph import Graph
from markhood.model.ising.model import IsingModel
from markhood.model.potts.model import PottsModel
from markhood.model.potts.network import checked_levels
from markhood.model.sampling.gibbs import Seed
from markhood.options import check_value, checked


class Potentials(Protocol):
    """A distribution of couplings and fields; any class with this method can be used."""

    def draw(self, graph: Graph, rng: np.random.Generator) -> IsingModel:
        """Return a model on the graph."""


class TablePotentials(Protocol):
    """A distribution of tables and fields; any class with these methods can be used."""

    def entries(self, n: int, rng: np.random.Generator) -> Floats:
        """Draw n entries of tables."""

    def level_fields(self, n: int, rng: np.random.Generator) -> Floats:
        """Draw n fields, one for each level of each variable."""


@dataclass(frozen=True)
class UniformTables:
    """Tables of independent U(0, 1) numbers without fields, as in the paper."""

    def draw(self, graph: Graph, rng: np.random.Generator) -> IsingModel:
        """Return a model on the graph."""
        # rng.random() may return 0, and 1 minus it cannot.
        log_tables = np.log(1.0 - rng.random((graph.n_edges, 2, 2)))
        couplings, fields = from_log_tables(graph, log_tables)
        return IsingModel(graph, couplings, fields)

    def entries(self, n: int, rng: np.random.Generator) -> Floats:
        return np.log(1.0 - rng.random(n))

    def level_fields(self, n: int, rng: np.random.Generator) -> Floats:
        """Return n zeros."""
        return np.zeros(n)


class _Couplings(ABC):
    """One number per edge, and normal fields."""

    fields: float

    @abstractmethod
    def entries(self, n: int, rng: np.random.Generator) -> Floats:
        """Draw n couplings or entries of tables."""

    def draw(self, graph: Graph, rng: np.random.Generator) -> IsingModel:
        """Return a model on the graph."""
        couplings = self.entries(graph.n_edges, rng)
        return IsingModel(graph, couplings, self.level_fields(graph.n_nodes, rng))

    def level_fields(self, n: int, rng: np.random.Generator) -> Floats:
        """Draw n fields."""
        _require_scale("fields", self.fields)
        return rng.normal(0.0, self.fields, n)


@dataclass(frozen=True)
class NormalCouplings(_Couplings):
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

    def entries(self, n: int, rng: np.random.Generator) -> Floats:
        _require_scale("scale", self.scale)
        return rng.normal(0.0, self.scale, n)


@dataclass(frozen=True)
class UniformCouplings(_Couplings):
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

    def entries(self, n: int, rng: np.random.Generator) -> Floats:
        if not self.low <= self.high:
            raise InputError(
                "option-value", "low", f"low ({self.low}) must not exceed high ({self.high})."
            )
        return rng.uniform(self.low, self.high, n)


@dataclass(frozen=True)
class SignedCouplings(_Couplings):
    """Couplings of one strength, each with a random sign.

    Attributes
    ----------
    strength : float
    fields : float
        Standard deviation of the fields; 0 for none.
    """

    strength: float = 1.0
    fields: float = 0.0

    def entries(self, n: int, rng: np.random.Generator) -> Floats:
        return np.asarray(self.strength * rng.choice((-1.0, 1.0), n))


POTENTIALS: dict[str, type[UniformTables | NormalCouplings | UniformCouplings | SignedCouplings]]
POTENTIALS = {
    "uniform-tables": UniformTables,
    "normal": NormalCouplings,
    "uniform": UniformCouplings,
    "signs": SignedCouplings,
}


@checked
def ising(
    graph: Graph, potentials: str | Potentials = "uniform-tables", seed: Seed = None
) -> IsingModel:
    """Make an Ising model with random couplings and fields on a graph.

    Parameters
    ----------
    graph : Graph
    potentials : str or Potentials, default="uniform-tables"
        "uniform-tables", "normal", "uniform" or "signs" (each with its defaults), or a value such
        as ``NormalCouplings(scale=0.5, fields=1.0)``.
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
    chosen = _by_name(potentials) if isinstance(potentials, str) else potentials
    return chosen.draw(graph, np.random.default_rng(seed))


@checked
def potts(
    graph: Graph,
    levels: int | Sequence[int],
    potentials: str | TablePotentials = "uniform-tables",
    seed: Seed = None,
) -> PottsModel:
    """Make a Potts model with random tables and fields on a graph.

    Parameters
    ----------
    graph : Graph
    levels : int or sequence of int
        Number of levels of each variable, from 2 to 256. A shorter sequence is repeated: ``[2, 3]``
        gives x0, x2, ... two levels and x1, x3, ... three.
    potentials : str or TablePotentials, default="uniform-tables"
        "uniform-tables", "normal", "uniform" or "signs" (each with its defaults), or a value such
        as ``NormalCouplings(scale=0.5, fields=1.0)``.
    seed : int, SeedSequence or Generator, optional

    Returns
    -------
    PottsModel

    Examples
    --------
    >>> from markhood.simulate.networks import cycle
    >>> model = potts(cycle(4), levels=[2, 3], seed=1)
    >>> model.n_levels.tolist(), model.tables[0].shape
    ([2, 3, 2, 3], (2, 3))
    """
    chosen = _by_name(potentials) if isinstance(potentials, str) else potentials
    rng = np.random.default_rng(seed)
    n_levels = _repeated(levels, graph.n_nodes)
    shapes = n_levels[graph.edges]
    ends = np.cumsum(shapes.prod(axis=1))
    entries = np.split(chosen.entries(int(ends[-1]) if len(ends) else 0, rng), ends[:-1])
    tables = [e.reshape(shape) for e, shape in zip(entries, shapes.tolist(), strict=False)]
    fields = chosen.level_fields(int(n_levels.sum()), rng)
    return PottsModel(graph, tables, np.split(fields, np.cumsum(n_levels)[:-1]))


@checked
def ordinal(
    graph: Graph,
    levels: int | Sequence[int] = 5,
    potentials: str | Potentials = "uniform-tables",
    seed: Seed = None,
) -> PottsModel:
    """Make a model of variables with ordered levels, with one random coupling per edge.

    Parameters
    ----------
    graph : Graph
    levels : int or sequence of int, default=5
        Number of levels of each variable, from 2 to 256; repeated as for `potts`.
    potentials : str or Potentials, default="uniform-tables"
        As for `ising`, which is the same model with two levels. The coupling per step falls with
        the number of levels, so that the strength of the association does not depend on it.
    seed : int, SeedSequence or Generator, optional

    Returns
    -------
    PottsModel
        Its ``graph`` has the couplings per step, as `learn` reports them.

    Examples
    --------
    >>> from markhood.simulate.networks import cycle
    >>> model = ordinal(cycle(4), 5, SignedCouplings(2.0), seed=1)
    >>> model.graph.coupling
    array([-0.25,  0.25,  0.25,  0.25])
    >>> model.sample_packed(500, seed=1).variables.kinds[0]
    'ordinal'
    """
    binary = ising(graph, potentials, seed)
    counts = _repeated(levels, graph.n_nodes)
    step = 0.5 / np.sqrt((counts**2 - 1) / 12)
    first = 0.5 - step * (counts - 1) / 2  # the score of the lowest level
    i, j = graph.edges.T
    slopes = binary.fields.copy()
    np.add.at(slopes, i, binary.couplings * first[j])
    np.add.at(slopes, j, binary.couplings * first[i])
    fields = [a * np.arange(r) for a, r in zip(slopes * step, counts.tolist(), strict=True)]
    network = Graph(graph.nodes, graph.edges)  # without the levels that the given graph may have
    return PottsModel.from_steps(network, binary.couplings * step[i] * step[j], fields)


def random_model(
    graph: Graph, levels: Sequence[int], potentials: str, seed: Seed = None, kind: str = "nominal"
) -> IsingModel | PottsModel:
    """Make an `ising` model if all variables are binary, else a `potts` or `ordinal` model.

    Examples
    --------
    >>> random_model(Graph("ab", [(0, 1)]), [3, 2], "normal", seed=1)
    <PottsModel: 2 variables of 2 to 3 levels, 1 tables>
    """
    check_value("kind", kind, Literal["nominal", "ordinal"])
    if set(levels) == {2}:
        return ising(graph, potentials, seed)
    return (ordinal if kind == "ordinal" else potts)(graph, levels, potentials, seed)


def _repeated(levels: int | Sequence[int], n_variables: int) -> Ints:
    if np.size(levels) == 0:
        raise InputError("option-value", "levels", "levels is empty: give at least one number.")
    return checked_levels(np.resize(levels, n_variables), n_variables)


def _by_name(
    potentials: str,
) -> UniformTables | NormalCouplings | UniformCouplings | SignedCouplings:
    if potentials not in POTENTIALS:
        known = ", ".join(map(repr, POTENTIALS))
        raise InputError(
            "option-unknown",
            "potentials",
            f"Unknown potentials {potentials!r}: choose one of {known}.",
        )
    return POTENTIALS[potentials]()


def from_log_tables(graph: Graph, log_tables: Floats) -> tuple[Floats, Floats]:
    """Convert edge potentials log phi(x_i, x_j), shape (n_edges, 2, 2), to couplings and fields.

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


def _require_scale(name: str, scale: float) -> None:
    if not 0.0 <= scale < np.inf:
        raise InputError(
            "option-value", name, f"{name} is a standard deviation: give 0 or more, not {scale}."
        )
