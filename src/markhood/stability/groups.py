"""`compare_groups()`: do two groups have the same network? A permutation test.

The statistics are those of the network comparison test (van Borkulo and others, 2023):

    structure   the largest difference of a coupling
    strength    the difference of the sums of all couplings' sizes
    each edge, each field: the size of its difference

Labels are shuffled, all is learned and fitted anew in both groups, and a p-value is the share of the shuffles that differ
as much, the data themselves counted with them. P-values are adjusted by the largest difference of all (Westfall and Young,
single step), which takes their dependence into account and has no least p-value that many shuffles are needed to go
below. Of edges that are learned anew it is the largest of any pair, whether it is an edge of the data or not: the edges of the
data were chosen by the labels, and a largest among these alone was below 0.05 in 12 % of 200 pairs of equal
groups. Fields, and the edges of a kept graph, are the same in all shuffles, so each is measured in its own
standard deviations over them.

With ``relearn=False`` the graph is that of both groups together and only couplings are fitted anew: many times
faster, and as valid, because that graph does not know the labels. But an edge that has opposite signs in the two
groups may not be in it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from markhood.data.coding.encode import encode
from markhood.data.reading import TableFormat
from markhood.data.samples import Samples
from markhood.data.variables import level_text
from markhood.errors import InputError, option
from markhood.execution.runner import Progress, Runner, no_progress
from markhood.graph.graph import Graph
from markhood.learning.methods import Method
from markhood.learning.request import Request
from markhood.scores.scorer import Scorer
from markhood.search.values.job import Job
from markhood.search.values.knowledge import Knowledge
from markhood.stability.labels import column_values, read_with_labels
from markhood.stability.networks import Network, network_of, union

ALMOST = 1 - 1e-12  # what is as large but for rounding counts as such

EdgeRow = dict[str, Any]
FieldRow = dict[str, Any]


@dataclass(frozen=True, eq=False)
class GroupComparison:
    """Two groups' networks, and how much shuffled groups' differ.

    Attributes
    ----------
    names : tuple of str
        Of the two groups.
    sizes : tuple of int
        How many samples each has.
    graphs : tuple of Graph
        The network of each group, its couplings under the weak prior.
    edges : ndarray of shape (n_edges, 2)
        Edges of either network.
    structure, strength : float
        The largest difference of a coupling, and that of the sums of their sizes (the second group's less
        the first's).
    p_structure, p_strength : float
    """

    names: tuple[str, str]
    sizes: tuple[int, int]
    graphs: tuple[Graph, Graph]
    edges: NDArray[np.int64]
    structure: float
    strength: float
    p_structure: float
    p_strength: float
    _edge_tests: Differences
    _field_tests: Differences

    def edge_rows(self) -> list[EdgeRow]:
        """Describe every edge of either network, those that differ most surely first.

        Returns
        -------
        list of dict
            ``source``, ``target``, the ``coupling`` in each group (of a table, its size; 0 where it is no
            edge), the ``difference`` (of two tables, the size of theirs), ``p_value`` and ``p_adjusted``.
        """
        tests, nodes = self._edge_tests, self.graphs[0].nodes
        first, second = (_on(graph, self.edges) for graph in self.graphs)
        rows = [
            {
                "source": nodes[i],
                "target": nodes[j],
                f"coupling_{self.names[0]}": float(first[k]),
                f"coupling_{self.names[1]}": float(second[k]),
                "difference": float(tests.signed[k]),
                "p_value": float(tests.p_values[k]),
                "p_adjusted": float(tests.adjusted[k]),
            }
            for k, (i, j) in enumerate(self.edges.tolist())
        ]
        return sorted(rows, key=lambda row: (row["p_adjusted"], row["p_value"]))

    def field_rows(self) -> list[FieldRow]:
        """Describe every variable's fields, those that differ most surely first.

        Returns
        -------
        list of dict
            ``variable``, the ``difference`` of its field (of several levels, the size of their
            differences), ``p_value`` and ``p_adjusted``.
        """
        tests = self._field_tests
        rows = [
            {
                "variable": name,
                "difference": float(tests.signed[k]),
                "p_value": float(tests.p_values[k]),
                "p_adjusted": float(tests.adjusted[k]),
            }
            for k, name in enumerate(self.graphs[0].nodes)
        ]
        return sorted(rows, key=lambda row: (row["p_adjusted"], row["p_value"]))

    def __repr__(self) -> str:
        """Say what differs how surely."""
        return (
            f"<GroupComparison: {self.names[0]} ({self.sizes[0]}) and {self.names[1]} "
            f"({self.sizes[1]}); structure p = {self.p_structure:.3g}, strength p = "
            f"{self.p_strength:.3g}>"
        )


@dataclass(frozen=True, eq=False)
class Differences:
    """Differences of many numbers, and their p-values, all of shape (n,)."""

    signed: NDArray[np.float64]
    p_values: NDArray[np.float64]
    adjusted: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        signed: NDArray[np.float64],
        shuffled: NDArray[np.float64],
        largest: NDArray[np.float64] | None = None,
    ) -> Differences:
        """Compare differences with those of shuffled labels, of shape (n_shuffles, n).

        P-values are adjusted by the largest difference of each shuffle, where that is given, the data's own
        first; else by the largest of these, in standard deviations.

        Examples
        --------
        >>> shuffled = np.array([[0.1, 3.0], [0.2, 1.0], [0.3, 2.0]])
        >>> tests = Differences.of(np.array([-1.0, 1.5]), shuffled)
        >>> tests.p_values.tolist(), tests.adjusted.tolist()
        ([0.25, 0.75], [0.5, 0.75])
        """
        size = np.abs(signed)
        scaled = own = np.vstack([size, shuffled])
        if largest is None:
            spread = own.std(axis=0)
            scaled = own / np.where(spread > 0, spread, 1.0)
            largest = scaled.max(axis=1, initial=0.0)
        return cls(
            signed,
            _share_as_large(own),
            np.array([np.mean(largest >= scaled[0, k] * ALMOST) for k in range(len(size))]),
        )


@dataclass(frozen=True, eq=False)
class Groups:
    """Samples with two labels.

    Attributes
    ----------
    samples : Samples
    is_second : ndarray of shape (n_samples,), dtype bool
    names : tuple of str
    """

    samples: Samples
    is_second: NDArray[np.bool_]
    names: tuple[str, str]

    @classmethod
    def by(cls, samples: Samples, labels: list[Any]) -> Groups:
        """Group samples by labels, of which there must be two."""
        found = sorted(set(labels), key=lambda label: (level_text(label), str(type(label))))
        if len(labels) != samples.n_samples:
            raise InputError(
                f"There are {len(labels)} labels in {option('by')} for {samples.n_samples} samples: "
                "give each sample one, or the name of a column."
            )
        if len(found) != 2:
            raise InputError(
                f"{option('by')} has {len(found)} value{'s'[: len(found) != 1]}, and two groups are "
                "compared: keep the samples of two."
            )
        names = level_text(found[0]), level_text(found[1])
        return cls(samples, np.array([label == found[1] for label in labels]), names)

    @classmethod
    def of(cls, first: Samples, second: Samples, names: tuple[str, str]) -> Groups:
        """Put two groups' samples into one, with the levels of both."""
        if set(first.names) != set(second.names):
            apart = sorted(set(first.names) ^ set(second.names))
            raise InputError(
                f"The two groups have different columns ({apart[0]!r} is in one only): give the same "
                f"variables, or name them with {option('columns')}."
            )
        if first.weights is not None or second.weights is not None:
            raise InputError(
                "Groups of weighted samples are compared in one table: name its column."
            )
        columns = {
            name: column_values(first, k) + column_values(second, second.names.index(name))
            for k, name in enumerate(first.names)
        }
        table = np.empty((first.n_samples + second.n_samples, len(columns)), object)
        for k, values in enumerate(columns.values()):
            table[:, k] = values
        ordered = {
            name: "ordinal" if steps else "nominal"
            for name, steps in zip(first.names, first.variables.is_ordered, strict=True)
            if len(set(columns[name])) > 2
        }
        levels = max(len(set(values)) for values in columns.values())
        samples = encode(
            table,
            list(columns),
            kinds=ordered or "auto",
            table=TableFormat(max_levels=max(64, levels)),
            missing="level",
        )
        is_second = np.arange(samples.n_samples) >= first.n_samples
        return cls(samples, is_second, names)


def compare_groups(
    a: Any,
    b: Any = None,
    *,
    by: Any = None,
    method: str = "plrhc",
    permutations: int = 1000,
    relearn: bool = True,
    names: tuple[str, str] = ("a", "b"),
    progress: Progress = no_progress,
    **options: Any,
) -> GroupComparison:
    """Test whether two groups have the same network.

    Parameters
    ----------
    a, b : array, data frame, sparse matrix, Samples or path
        The samples of each group; or of both in `a`, with `by`.
    by : str or sequence of n_samples labels, optional
        The group of every sample of `a`: labels, or the name of their column.
    method : str, default="plrhc"
        As for `learn`.
    permutations : int, default=1000
        How often labels are shuffled.
    relearn : bool, default=True
        Whether both graphs are learned anew each time; else the graph is that of both groups together.
    names : tuple of str, default=("a", "b")
        What to call the groups, where there is no `by`.
    progress : callable, optional
        Told the name of a phase, tiles done and tiles in all.
    **options
        Of `learn` and of the method: ``gamma=0.25``, ``n_jobs=2``, ``seed=1``, ``checkpoint="folder"``, ...

    Returns
    -------
    GroupComparison

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.integers(0, 2, size=(400, 3))
    >>> group = np.repeat(["old", "young"], 200)
    >>> x[:, 1] = np.where((group == "old") & (rng.random(400) < 0.8), x[:, 0], x[:, 1])
    >>> found = compare_groups(x, by=group, permutations=50, n_jobs=1)
    >>> found.edge_rows()[0]["source"], found.p_structure < 0.05
    ('x0', True)
    """
    request = Request.from_call(method, options, progress)
    if (b is None) == (by is None):
        raise InputError(
            f"Two groups are two tables, or one with {option('by')}: give one of the two."
        )
    if by is None:
        groups = Groups.of(request.read(a), request.read(b), names)
    else:
        samples, labels = read_with_labels(request, a, {"by": by})
        groups = Groups.by(samples, list(labels["by"] or ()))
    return compare(request, groups, permutations, relearn)


def compare(request: Request, groups: Groups, permutations: int, relearn: bool) -> GroupComparison:
    """Do what `compare_groups` says, with groups that have been read."""
    if not isinstance(permutations, Integral) or isinstance(permutations, bool) or permutations < 1:
        raise InputError(
            f"{option('permutations')} must be a whole number from 1 up, not {permutations!r}."
        )
    if groups.samples.missing:
        raise InputError(
            f"Groups with missing values are not compared: choose {option('missing', 'drop')} or "
            f"{option('missing', 'level')}, or impute them before."
        )
    samples = request.prepared(groups.samples)
    seed = request.seed
    run = {
        "groups": np.packbits(groups.is_second).tobytes().hex(),
        "relearn": relearn,
    }
    start = np.random.SeedSequence(seed).entropy
    with request.job(samples, run) as job:
        pooled = None if relearn else request.method.search(replace(job, runner=Runner(1))).edges
        learner = _Learner(samples, job.scorer, job.knowledge, request.method, pooled)
        first, second = learner.networks(groups.is_second)
        edges = union(first.edges, second.edges)

        def shuffled(number: int) -> tuple[float, float, NDArray[np.float64], NDArray[np.float64]]:
            rng = np.random.default_rng(np.random.SeedSequence(start, spawn_key=(number,)))
            one, other = learner.networks(rng.permutation(groups.is_second))
            everywhere = union(one.edges, other.edges)
            return (
                float(_sizes(other.on(everywhere) - one.on(everywhere)).max(initial=0.0)),
                abs(other.strength - one.strength),
                _sizes(other.on(edges) - one.on(edges)),
                _sizes(other.fields - one.fields),
            )

        found = list(job.runner.map("permutations", shuffled, range(int(permutations))))
    differences = second.on(edges) - first.on(edges)
    structure = float(_sizes(differences).max(initial=0.0))
    largest = np.array([structure, *(f[0] for f in found)])
    strength = second.strength - first.strength
    return GroupComparison(
        groups.names,
        (int((~groups.is_second).sum()), int(groups.is_second.sum())),
        (first.graph(samples), second.graph(samples)),
        edges,
        structure,
        strength,
        float(_share_as_large(largest[:, None])[0]),
        float(_share_as_large(np.array([abs(strength), *(f[1] for f in found)])[:, None])[0]),
        Differences.of(
            _signed(differences), np.array([f[2] for f in found]), largest if relearn else None
        ),
        Differences.of(_signed(second.fields - first.fields), np.array([f[3] for f in found])),
    )


@dataclass(frozen=True, eq=False)
class _Learner:
    """Learns the networks of two groups, wherever the labels are.

    Of a job it has what a tile may hold: the runner can have a connection.
    """

    samples: Samples
    scorer: Scorer
    knowledge: Knowledge
    method: Method
    pooled: NDArray[np.int64] | None  # the graph of all samples, where none is learned anew

    def networks(self, is_second: NDArray[np.bool_]) -> tuple[Network, Network]:
        """Return the networks of the samples that are not of the second group, and of those that are."""
        return self._network(np.flatnonzero(~is_second)), self._network(np.flatnonzero(is_second))

    def _network(self, rows: NDArray[np.int64]) -> Network:
        own = self.samples.take(rows)
        job = Job(own, self.scorer.on(own), Runner(1), self.knowledge)
        return network_of(
            job, self.method.search(job).edges if self.pooled is None else self.pooled
        )


def _sizes(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.linalg.norm(differences, axis=1))


def _signed(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return differences of single numbers with their sign, and the sizes of all others."""
    single = (differences[:, 1:] == 0).all(axis=1)
    return np.where(single, differences[:, 0], _sizes(differences))


def _share_as_large(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of rows whose values are as large as the first row's, that one included."""
    return np.asarray((values >= values[0] * ALMOST).mean(axis=0))


def _on(graph: Graph, edges: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return a graph's couplings at some pairs, 0 where they are no edge."""
    known = dict(zip(map(tuple, graph.edges.tolist()), graph.coupling.tolist(), strict=True))
    return np.array([known.get((i, j), 0.0) for i, j in edges.tolist()])
