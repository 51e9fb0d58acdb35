"""`bootstrap()`: learn from many drawn data sets, and say what of the graph would come out again.

The same method with the same options learns from every data set, so what is measured is the whole road from
a table to a graph, its choices included. Intervals are quantiles over the replicates, 0 where a pair is no
edge. They say how much a coupling varies, and are no test of whether it is 0: a pair comes into
a graph only if it is strong, in the replicates as in the graph. The share of the replicates with the edge is
what speaks of that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from markhood.data.samples import Samples
from markhood.data.to_frame import frame_of_rows
from markhood.errors import InputError, option
from markhood.execution.runner import Progress, Runner, no_progress
from markhood.graph.graph import Graph
from markhood.graph.notebook import result_html
from markhood.graph.numbering import in_order, pair_numbers, pairs_numbered
from markhood.learning.again import repeated, warn_of_other_data
from markhood.learning.imputation.learn_imputed import completed_on
from markhood.learning.request import Request
from markhood.model.fitted.model import FittedModel
from markhood.model.fitting.fit import fit_model
from markhood.search.values.job import Job
from markhood.stability.centrality import (
    CentralityRow,
    StabilityRow,
    centralities_of_all,
    centrality_rows,
    stability_rows,
)
from markhood.stability.differences import DifferenceRow, difference_rows
from markhood.stability.labels import read_with_labels
from markhood.stability.replicates import Replicates, replicate, reported_couplings
from markhood.stability.resampling import RESAMPLINGS, Drawn, Resampling, Units

WAYS = (*RESAMPLINGS, "model")
EdgeRow = dict[str, Any]
EDGE_COLUMNS = (
    *("source", "target", "in_graph", "coupling", "frequency"),
    *("mean", "low", "high", "low_if_edge", "high_if_edge"),
)


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """A learned graph, and the graphs of many data sets drawn from its data.

    Attributes
    ----------
    graph : Graph
        Learned from the data themselves.
    couplings : ndarray of shape (n_edges,)
        Of the graph's edges, under the same weak prior as in the replicates, and finite.
    replicates : Replicates
        The graph of every drawn data set.
    resample : {"rows", "halves", "cases", "model"}
        How they were drawn.
    level : float
        Of intervals.
    """

    graph: Graph
    couplings: NDArray[np.float64]
    replicates: Replicates
    resample: str
    level: float = 0.95

    @property
    def frequency(self) -> NDArray[np.float64]:
        """In what share of the replicates each edge of the graph is, of shape (n_edges,)."""
        known = dict(
            zip(
                pair_numbers(self.replicates.pairs).tolist(),
                self.replicates.shares.tolist(),
                strict=True,
            )
        )
        return np.array([known.get(n, 0.0) for n in pair_numbers(self.graph.edges).tolist()])

    def edges(self) -> list[EdgeRow]:
        """Describe every pair that is an edge of the graph or of a replicate, in a row each.

        Returns
        -------
        list of dict
            ``source``, ``target``; ``in_graph``, and the ``coupling`` there; the ``frequency`` of the edge
            in the replicates; the ``mean`` of its coupling, ``low`` and ``high`` over all replicates,
            0 where it is no edge, and ``low_if_edge`` and ``high_if_edge`` over those where it is one.
            Of halves also ``expected_false``: see `expected_false`.
        """
        known = dict(zip(pair_numbers(self.graph.edges).tolist(), self.couplings, strict=True))
        pairs = {n: k for k, n in enumerate(pair_numbers(self.replicates.pairs).tolist())}
        names, rows = self.graph.nodes, []
        numbers = sorted(known.keys() | pairs.keys())
        ends = pairs_numbered(np.array(numbers, np.int64)).tolist()
        for number, (i, j) in zip(numbers, ends, strict=True):
            stored = self._stored(pairs.get(number))
            frequency = len(stored) / self.replicates.n_replicates
            absent = np.zeros(self.replicates.n_replicates - len(stored))
            everywhere = np.concatenate([stored, absent])
            row: EdgeRow = {
                "source": names[i],
                "target": names[j],
                "in_graph": int(number in known),
                "coupling": float(known.get(number, 0.0)),
                "frequency": frequency,
                "mean": float(everywhere.mean()),
                **_bounds(everywhere, self.level, ""),
                **_bounds(stored, self.level, "_if_edge"),
            }
            if self.resample == "halves":
                row["expected_false"] = self.expected_false(frequency)
            rows.append(row)
        return rows

    def to_frame(self) -> Any:
        """Return the rows of `edges` as a data frame: pandas, or polars."""
        return frame_of_rows(self.edges(), EDGE_COLUMNS, self.graph.provenance)

    def expected_false(self, threshold: float) -> float:
        """Bound how many edges are expected to reach a frequency though they are improbable.

        Of the edges that half of the data give with a probability of no more than q / p (the mean
        number of edges over that of pairs), no more than q^2 / (p (2 threshold - 1)) are expected to
        be in a share `threshold` of the halves (Shah and Samworth, 2013, theorem 1). It takes
        complementary pairs and nothing else.

        Parameters
        ----------
        threshold : float
            Above 1/2; below it there is no bound, and the answer is infinite.
        """
        if self.resample != "halves":
            raise InputError(
                f"The bound is for complementary halves: choose {option('resample', 'halves')}."
            )
        if threshold <= 0.5:
            return float("inf")
        d = self.graph.n_nodes
        n_pairs = max(1, d * (d - 1) // 2)
        mean = float(self.replicates.shares.sum())
        return mean**2 / (n_pairs * (2 * threshold - 1))

    def differences(self) -> list[DifferenceRow]:
        """Test for every two edges of the graph whether their couplings differ.

        Returns
        -------
        list of dict
            The ends of both edges, the ``difference`` of their couplings in the graph, its interval
            over the replicates (``low``, ``high``), the ``p_value`` (two-sided, from the share of
            replicates with either sign) and ``differ``, whether the interval is without 0.
        """
        values = self.replicates.columns_of(self.graph.edges)
        return difference_rows(self.graph, self.couplings, values, self.level)

    def centrality(self, communities: Sequence[int] | None = None) -> list[CentralityRow]:
        """Measure how central every node is, with intervals over the replicates.

        Parameters
        ----------
        communities : sequence of int, optional
            The number of every node's community, for the bridge measures; by default those of the
            graph (`markhood.plot.network` draws them).

        Returns
        -------
        list of dict
            ``node``, ``measure``, its ``value`` in the graph, ``mean``, ``low`` and ``high``.
        """
        return centrality_rows(self._measured(communities), self.graph.nodes, self.level)

    def stability(self) -> list[StabilityRow]:
        """Say how many samples can be left out before the order of the nodes is lost.

        Returns
        -------
        list of dict
            A row for each measure and for the couplings (``edge``): ``cs``, the largest share of the
            samples that can be left out so that the correlation with what all samples give is 0.7
            or more in 95 % of the replicates (the CS coefficient), and the mean correlation at each share.
        """
        if self.resample != "cases":
            raise InputError(
                "How far centralities hold is seen by leaving samples out: choose "
                f"{option('resample', 'cases')}."
            )
        edges = self.replicates.columns_of(self.graph.edges)
        return stability_rows(self._measured(None), self.couplings, edges)

    def _measured(self, communities: Sequence[int] | None) -> dict[str, NDArray[np.float64]]:
        if communities is None:
            return self._by_default
        return centralities_of_all(
            self.graph, self.couplings, self.replicates.each(), np.asarray(communities)
        )

    @cached_property
    def _by_default(self) -> dict[str, NDArray[np.float64]]:
        return centralities_of_all(self.graph, self.couplings, self.replicates.each())

    def _stored(self, column: int | None) -> NDArray[np.float64]:
        matrix = self.replicates.couplings
        if column is None:
            return np.empty(0)
        return np.asarray(matrix.data[matrix.indptr[column] : matrix.indptr[column + 1]])

    def __repr__(self) -> str:
        """Say how many replicates there are of what."""
        return (
            f"<Bootstrap: {self.replicates.n_replicates} replicates ({self.resample}) of a graph "
            f"with {self.graph.n_nodes} nodes and {self.graph.n_edges} edges>"
        )

    def _repr_html_(self) -> str:
        facts = [
            ("replicates", f"{self.replicates.n_replicates} ({self.resample})"),
            ("graph", f"{self.graph.n_nodes} nodes, {self.graph.n_edges} edges"),
            ("interval", f"{100 * self.level:g} %"),
        ]
        ordered = sorted(self.edges(), key=lambda row: -row["frequency"])
        return result_html("Bootstrap", facts, ordered)


def bootstrap(
    data: Any,
    method: str = "plrhc",
    *,
    replicates: int = 1000,
    resample: str = "rows",
    clusters: Any = None,
    strata: Any = None,
    model: Any = None,
    level: float = 0.95,
    progress: Progress = no_progress,
    **options: Any,
) -> Bootstrap:
    """Learn from many data sets drawn from the data, and count how often each edge comes out.

    Parameters
    ----------
    data, method
        As for `learn`.
    replicates : int, default=1000
        How many data sets are drawn.
    resample : {"rows", "halves", "cases", "model"}, default="rows"
        Samples with replacement; complementary halves, for a bound on false edges; parts, for the
        stability of centralities; or samples of a model of the learned graph.
    clusters : str or sequence of n_samples labels, optional
        Samples of one label are drawn together; labels, or the name of their column.
    strata : str or sequence of n_samples labels, optional
        Samples are drawn within each label's, so that their shares stay.
    model : FittedModel, or object with a method ``sample(n_samples, seed)``, optional
        For ``resample="model"``: a fitted model, an `IsingModel`, a `PottsModel`, or any other that
        returns level numbers. By default the learned graph's, by `fit_model`.
    level : float, default=0.95
        Of intervals.
    progress : callable, optional
        Called with the name of a phase, the number of tiles done and the number of all tiles.
    **options
        Of `learn` and of the method: ``gamma=0.25``, ``weights="weight"``, ``n_jobs=2``, ``seed=1``,
        ``run=Run(checkpoint="folder")``, from which a run that was killed continues, ...

    Returns
    -------
    Bootstrap

    Examples
    --------
    >>> coins = np.random.default_rng(0).integers(0, 2, size=(200, 3))
    >>> coins[:, 2] = coins[:, 0] ^ (np.random.default_rng(1).random(200) < 0.2)
    >>> found = bootstrap(coins, replicates=50, n_jobs=1)
    >>> found.graph.edge_names(), found.frequency.tolist()
    ([('x0', 'x2')], [1.0])
    >>> row = next(row for row in found.edges() if row["in_graph"])
    >>> bool(row["low"] < row["coupling"] < row["high"])
    True
    """
    request = Request.from_call(method, options, progress)
    return bootstrap_data(
        request, data, replicates, resample, {"clusters": clusters, "strata": strata}, model, level
    )


def bootstrap_again(graph: Graph, data: Any, **options: Any) -> Bootstrap:
    """Bootstrap a graph with the request that it was learned with: see `Graph.bootstrap`."""
    own = {
        name: options.pop(name)
        for name in ("replicates", "resample", "clusters", "strata", "model", "level")
        if name in options
    }
    request = repeated(graph, options)
    labels = {name: own.pop(name, None) for name in ("clusters", "strata")}
    found = bootstrap_data(request, data, labels=labels, **own)
    warn_of_other_data(graph, found.graph)
    return found


def bootstrap_data(
    request: Request,
    data: Any,
    replicates: int = 1000,
    resample: str = "rows",
    labels: Mapping[str, Any] | None = None,
    model: Any = None,
    level: float = 0.95,
) -> Bootstrap:
    """Read data with their labels, and do what `bootstrap` says."""
    samples, of_samples = read_with_labels(request, data, labels or {})
    return bootstrap_samples(request, samples, replicates, resample, of_samples, model, level)


def bootstrap_samples(
    request: Request,
    samples: Samples,
    replicates: int,
    resample: str,
    labels: dict[str, Any],
    model: Any = None,
    level: float = 0.95,
) -> Bootstrap:
    """Do what `bootstrap` says, with samples that have been read."""
    _check(request, samples, replicates, resample, labels, model, level)
    samples = request.prepared(samples)
    seed = request.seed
    resampling: Resampling | None = None
    if resample in RESAMPLINGS:
        resampling = RESAMPLINGS[resample](Units.of(samples.n_samples, seed, **labels))
    learned = request.with_run(checkpoint=None).learn(samples)
    graph = learned.graph
    study = {"resample": resample, "labels": labels, "model": model}
    with request.job(samples, study) as job:
        alone, rng = replace(job, runner=Runner(1)), np.random.default_rng(seed)
        sets = completed_on(alone, learned.found_edges, rng, request.run.imputations)
        _, couplings = reported_couplings(sets, learned.found_edges, learned.is_marginal)
        if resampling is None:
            if samples.n_reals:
                raise InputError(
                    f"{option('resample', 'model')} draws nodes given covariates of levels only: cut the covariate "
                    f"{next(iter(samples.reals))!r} with {option('bins')}, or choose another {option('resample')}."
                )
            fitted = fit_model(_with_covariates(graph, job), samples) if model is None else model
            distribution = fitted.distribution if isinstance(fitted, FittedModel) else fitted
            resampling = Drawn(distribution, seed, len(job.constraints.covariates))
        found = replicate(replace(job, seed=seed), request.method, resampling, int(replicates))
    return Bootstrap(graph, couplings, found, resample, float(level))


def _check(
    request: Request,
    samples: Samples,
    replicates: int,
    resample: str,
    labels: dict[str, Any],
    model: Any,
    level: float,
) -> None:
    """Raise for what cannot be asked for."""
    if not isinstance(replicates, Integral) or isinstance(replicates, bool) or replicates < 2:
        raise InputError(
            f"{option('replicates')} must be a whole number from 2 up, not {replicates!r}."
        )
    if resample not in WAYS:
        raise InputError(
            f"Unknown {option('resample')} {resample!r}: choose one of {', '.join(WAYS)}."
        )
    if not isinstance(level, Real) or not 0 < level < 1:
        raise InputError(
            f"{option('level')} must be a number between 0 and 1, both excluded, not {level!r}."
        )
    if model is not None and request.reading.adjust_for:
        raise InputError(
            f"{option('adjust_for')} needs a model that has the covariates: leave {option('model')} out, and "
            "the one of the learned graph is fitted with them."
        )
    if resample == "model" and any(given is not None for given in labels.values()):
        raise InputError(
            f"{option('clusters')} and {option('strata')} are for samples that are drawn, and "
            f"{option('resample', 'model')} draws none: leave one of the two out."
        )
    if resample != "model" and model is not None:
        raise InputError(
            f"{option('model')} is for {option('resample', 'model')}: choose it, or leave the model "
            "out."
        )


def _with_covariates(graph: Graph, job: Job) -> Graph:
    """Join the covariates to all nodes and to each other."""
    if not len(job.constraints.covariates):
        return graph
    i, j = np.triu_indices(job.n_variables, 1)
    joined = np.column_stack([i, j])[j >= job.n_nodes]
    edges = np.concatenate([graph.edges, joined])
    return Graph(job.samples.variables, edges[in_order(edges)])


def _bounds(values: NDArray[np.float64], level: float, suffix: str) -> dict[str, float]:
    """Return the quantiles between which a share of the values lies."""
    if not len(values):
        return {f"low{suffix}": float("nan"), f"high{suffix}": float("nan")}
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return {f"low{suffix}": float(low), f"high{suffix}": float(high)}
