"""`bootstrap()`: learn from many resampled data sets, and report how stable the graph is.

The same method with the same options learns from each data set, so the replicates include the
variation of the model selection. Intervals are quantiles over the replicates, with 0 where a pair
is not an edge. They describe how much a coupling varies and are not a test of whether it is 0,
because only strong pairs are selected as edges, in the replicates as in the graph. The frequency of
an edge in the replicates is the evidence for its existence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from markhood.arrays import Floats
from markhood.data.labels import read_labelled
from markhood.data.samples import Samples
from markhood.data.to_frame import frame_of_rows
from markhood.errors import InputError, option, option_error
from markhood.execution.runner import Progress, Runner, no_progress
from markhood.graph.graph import Graph
from markhood.graph.notebook import result_html
from markhood.graph.numbering import in_order, pair_numbers, pairs_numbered
from markhood.learning.imputation.learn_imputed import completed_on
from markhood.learning.learn import repeated, warn_of_other_data
from markhood.learning.request import Request
from markhood.model.fitted.model import FittedModel
from markhood.model.fitting.fit import fit_model
from markhood.options import documented
from markhood.search.values.job import Job
from markhood.stability.centrality import (
    CentralityRow,
    DifferenceRow,
    StabilityRow,
    centralities_of_all,
    centrality_rows,
    difference_rows,
    stability_rows,
)
from markhood.stability.communities import CommunityStability, community_stability
from markhood.stability.replicates import Replicates, replicate, reported_couplings
from markhood.stability.resampling import (
    RESAMPLINGS,
    FromModel,
    Resampling,
    Units,
)
from markhood.stability.studies import BootstrapOptions, Resample

EdgeRow = dict[str, Any]
EDGE_COLUMNS = (
    *("source", "target", "in_graph", "coupling", "frequency"),
    *("mean", "low", "high", "low_if_edge", "high_if_edge"),
)
DESCRIBED = {
    "rows": "The analysis was repeated in {} nonparametric bootstrap replicates (Epskamp, Borsboom "
    "and Fried, 2018).",
    "halves": "The analysis was repeated in {} complementary halves of the data, which bound the "
    "expected number of false edges (Shah and Samworth, 2013).",
    "cases": "The analysis was repeated in {} case-dropping subsets (Epskamp, Borsboom and Fried, "
    "2018).",
    "model": "The analysis was repeated in {} parametric bootstrap replicates, samples of the "
    "fitted model.",
}


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """A learned graph, and the graphs of many resampled data sets.

    Attributes
    ----------
    graph : Graph
        Learned from the data.
    couplings : ndarray of shape (n_edges,)
        Couplings of the graph under the weak prior of the replicates; always finite.
    replicates : Replicates
        The graph of each resampled data set.
    resample : {"rows", "halves", "cases", "model"}
        How the data sets were drawn.
    level : float
        Level of the intervals.
    """

    graph: Graph
    couplings: Floats
    replicates: Replicates
    resample: str
    level: float = 0.95

    @property
    def frequency(self) -> Floats:
        """Share of the replicates that have each edge of the graph, of shape (n_edges,)."""
        known = dict(
            zip(
                pair_numbers(self.replicates.pairs).tolist(),
                self.replicates.shares.tolist(),
                strict=True,
            )
        )
        return np.array([known.get(n, 0.0) for n in pair_numbers(self.graph.edges).tolist()])

    def edges(self) -> list[EdgeRow]:
        """Describe each pair that is an edge of the graph or of a replicate.

        Returns
        -------
        list of dict
            ``source``, ``target``; ``in_graph``, and the ``coupling`` in the graph; the
            ``frequency`` of the edge in the replicates; the ``mean`` of its coupling and the
            interval from ``low`` to ``high`` over all replicates, with 0 where it is not an edge;
            the interval from ``low_if_edge`` to ``high_if_edge`` over the replicates that have the
            edge; and for halves ``expected_false``, see `expected_false`.
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
        """Return the rows of `edges` as a pandas or polars data frame."""
        return frame_of_rows(self.edges(), EDGE_COLUMNS, self.graph.provenance)

    def expected_false(self, threshold: float) -> float:
        """Bound the expected number of false edges among those with at least this frequency.

        Let q be the mean number of edges in a half of the data and p the number of pairs. Of the
        pairs that are selected in a half with a probability of at most q / p, at most
        q^2 / (p (2 threshold - 1)) are expected to reach the frequency `threshold` (Shah and
        Samworth, 2013, theorem 1). The bound requires complementary halves.

        Parameters
        ----------
        threshold : float
            Above 1/2; otherwise the bound is infinite.
        """
        if self.resample != "halves":
            raise InputError(
                "not-supported",
                "resample",
                "The bound requires complementary halves: bootstrap with "
                f"{option('resample', 'halves')}.",
            )
        if threshold <= 0.5:
            return float("inf")
        d = self.graph.n_nodes
        n_pairs = max(1, d * (d - 1) // 2)
        mean = float(self.replicates.shares.sum())
        return mean**2 / (n_pairs * (2 * threshold - 1))

    def differences(self) -> list[DifferenceRow]:
        """Test whether the couplings of every two edges of the graph differ.

        Returns
        -------
        list of dict
            The ends of both edges, the ``difference`` of their couplings in the graph, its interval
            over the replicates (``low``, ``high``), the two-sided ``p_value`` from the share of
            replicates with either sign, and ``differ``, whether the interval excludes 0.
        """
        values = self.replicates.columns_of(self.graph.edges)
        return difference_rows(self.graph, self.couplings, values, self.level)

    def centrality(self, communities: Sequence[int] | None = None) -> list[CentralityRow]:
        """Compute the centralities of all nodes, with intervals over the replicates.

        Parameters
        ----------
        communities : sequence of int, optional
            The community number of each node, for the bridge measures; by default the communities
            that `markhood.plot.network` draws.

        Returns
        -------
        list of dict
            ``node``, ``measure``, its ``value`` in the graph, ``mean``, ``low`` and ``high``.
        """
        return centrality_rows(self._measured(communities), self.graph.nodes, self.level)

    def communities(self, most: int | None = None) -> CommunityStability:
        """Find the communities of every replicate, and how stable those of the graph are.

        Parameters
        ----------
        most : int, optional
            Use only this many replicates.

        Returns
        -------
        CommunityStability
            Share of the replicates in which two nodes are in one community, in which a node is in
            its own community, and with each number of communities.
        """
        return community_stability(self.graph, self.replicates.each()[:most])

    def stability(self) -> list[StabilityRow]:
        """Compute the correlation stability (CS) coefficients of centralities and couplings.

        Returns
        -------
        list of dict
            A row for each centrality measure and for the couplings (``edge``): ``cs``, the largest
            share of the samples that can be left out such that the correlation with the full data
            is at least 0.7 in 95 % of the replicates, and the mean correlation at each share.
        """
        if self.resample != "cases":
            raise InputError(
                "not-supported",
                "resample",
                "The stability of centralities requires case-dropping subsets: bootstrap with "
                f"{option('resample', 'cases')}.",
            )
        listed = np.union1d(pair_numbers(self.graph.edges), pair_numbers(self.replicates.pairs))
        couplings = np.zeros((1 + self.replicates.n_replicates, len(listed)))
        couplings[0, np.searchsorted(listed, pair_numbers(self.graph.edges))] = self.couplings
        couplings[1:] = self.replicates.columns_of(pairs_numbered(listed))
        n_pairs = self.graph.n_nodes * (self.graph.n_nodes - 1) // 2
        return stability_rows(self._measured(None), couplings, n_pairs)

    def describe_methods(self) -> str:
        """Return a paragraph for a methods section: that of the graph, and the resampling."""
        drawn = DESCRIBED[self.resample].format(self.replicates.n_replicates)
        found = (
            f"Intervals of couplings are {100 * self.level:g} % percentile intervals over the "
            "replicates, in which a pair without an edge has coupling 0."
        )
        if self.resample == "cases":
            listed = [
                f"{row['cs']:.2f} for {row['measure'].replace('_', ' ')}"
                for row in self.stability()
            ]
            found = (
                "The CS coefficient (the largest share of cases that can be dropped with a "
                "correlation of at least 0.7 with the full data in 95 % of the replicates) was "
                f"{', '.join(listed)}."
            )
        return f"{self.graph.describe_methods()} {drawn} {found}"

    def _measured(self, communities: Sequence[int] | None) -> dict[str, Floats]:
        if communities is None:
            return self._default_centralities
        return centralities_of_all(
            self.graph, self.couplings, self.replicates.each(), np.asarray(communities)
        )

    @cached_property
    def _default_centralities(self) -> dict[str, Floats]:
        return centralities_of_all(self.graph, self.couplings, self.replicates.each())

    def _stored(self, column: int | None) -> Floats:
        matrix = self.replicates.couplings
        if column is None:
            return np.empty(0)
        return np.asarray(matrix.data[matrix.indptr[column] : matrix.indptr[column + 1]])

    def __repr__(self) -> str:
        """Describe the bootstrap in a line."""
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


@documented(BootstrapOptions)
def bootstrap(
    data: Any,
    method: str = "plrhc",
    *,
    replicates: int = 1000,
    resample: Resample = "rows",
    strata: Any = None,
    model: Any = None,
    level: float = 0.95,
    progress: Progress = no_progress,
    **options: Any,
) -> Bootstrap:
    """Learn from many resampled data sets, and count how often each edge is found.

    Parameters
    ----------
    data, method
        As for `learn`.
    {parameters}
    model : FittedModel, or object with a method ``sample(n_samples, seed)``, optional
        For ``resample="model"``: a fitted model, an `IsingModel`, a `PottsModel`, or another object
        that draws level numbers. By default the model of the learned graph from `fit_model`.
    progress : callable, optional
        Called with the name of a phase, the number of tiles done and the number of tiles.
    **options
        Options of `learn` and of the method: ``gamma=0.25``, ``weights="weight"``,
        ``clusters="school"`` to draw whole clusters, ``n_jobs=2``, ``seed=1``,
        ``run=Run(checkpoint="folder")`` to resume an interrupted run, ...

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
    study = BootstrapOptions(replicates=replicates, resample=resample, strata=strata, level=level)
    return bootstrap_data(Request.from_call(method, options, progress), data, study, model)


def bootstrap_again(graph: Graph, data: Any, **options: Any) -> Bootstrap:
    """Bootstrap a graph with the request that it was learned with: see `Graph.bootstrap`."""
    own = {name: options.pop(name) for name in BootstrapOptions.names() if name in options}
    model = options.pop("model", None)
    found = bootstrap_data(repeated(graph, options), data, BootstrapOptions(**own), model)
    warn_of_other_data(graph, found.graph)
    return found


def bootstrap_data(
    request: Request, data: Any, study: BootstrapOptions, model: Any = None
) -> Bootstrap:
    """Read data with their strata, and bootstrap them."""
    samples, labels = read_labelled(data, request.reading, {"strata": study.strata})
    return bootstrap_samples(request, samples, study, labels["strata"], model)


def bootstrap_samples(
    request: Request,
    samples: Samples,
    study: BootstrapOptions,
    strata: list[Any] | None = None,
    model: Any = None,
) -> Bootstrap:
    """Implement `bootstrap` for samples that have been read, with the stratum of each."""
    _check(request, samples, study, model)
    samples = request.prepared(samples)
    request = request.with_safe_gamma(samples)
    seed = request.seed
    resampling: Resampling | None = None
    if study.resample in RESAMPLINGS:
        units = Units.of(samples.n_samples, seed, samples.clusters, strata)
        resampling = RESAMPLINGS[study.resample](units)
    learned = request.with_run(checkpoint=None).learn(samples)
    graph = learned.graph
    facts = {"resample": study.resample, "strata": strata, "model": model}
    with request.job(samples, facts) as job:
        alone, rng = replace(job, runner=Runner(1)), np.random.default_rng(seed)
        sets = completed_on(alone, learned.edges, rng, request.run.imputations)
        _, couplings = reported_couplings(sets, learned.edges, learned.is_marginal)
        if resampling is None:
            name = next(iter(samples.reals), None)
            if samples.n_reals:
                adjusted = f"the continuous covariate {name!r}" if name else "hidden factors"
                cut = f"cut {name!r} with {option('bins')}, or " if name else ""
                raise InputError(
                    "not-supported",
                    "resample",
                    f"{option('resample', 'model')} does not support {adjusted}: {cut}choose "
                    f"another {option('resample')}.",
                )
            fitted = fit_model(_with_covariates(graph, job), samples) if model is None else model
            distribution = fitted.distribution if isinstance(fitted, FittedModel) else fitted
            resampling = FromModel(distribution, seed, len(job.constraints.covariates))
        n_replicates = int(study.replicates)
        method = request.method.for_replicates(learned)
        found = replicate(replace(job, seed=seed), method, resampling, n_replicates)
    return Bootstrap(graph, couplings, found, study.resample, float(study.level))


def _check(request: Request, samples: Samples, study: BootstrapOptions, model: Any) -> None:
    """Raise `InputError` for options in conflict."""
    if model is not None and request.reading.adjust_for:
        raise option_error(
            "model",
            f"cannot be combined with {option('adjust_for')}: leave {option('model')} out, and a "
            "model with the covariates is fitted.",
            "option-conflict",
        )
    if study.resample == "model" and not (study.strata is None and samples.clusters is None):
        raise InputError(
            "option-conflict",
            "resample",
            f"{option('clusters')} and {option('strata')} cannot be combined with "
            f"{option('resample', 'model')}: leave one of the two out.",
        )
    if study.resample != "model" and model is not None:
        raise option_error(
            "model",
            f"is used only with {option('resample', 'model')}: choose that, or leave the model "
            "out.",
            "option-conflict",
        )


def _with_covariates(graph: Graph, job: Job) -> Graph:
    """Add edges between the covariates and all nodes, and among the covariates."""
    if not len(job.constraints.covariates):
        return graph
    i, j = np.triu_indices(job.n_variables, 1)
    joined = np.column_stack([i, j])[j >= job.n_nodes]
    edges = np.concatenate([graph.edges, joined])
    return Graph(job.samples.variables, edges[in_order(edges)])


def _bounds(values: Floats, level: float, suffix: str) -> dict[str, float]:
    """Return the ends of the interval that contains a share ``level`` of the values."""
    if not len(values):
        return {f"low{suffix}": float("nan"), f"high{suffix}": float("nan")}
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return {f"low{suffix}": float(low), f"high{suffix}": float(high)}
