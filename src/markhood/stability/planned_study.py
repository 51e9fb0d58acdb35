"""One simulated data set of a planned study, and how well its analysis did."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from markhood.arrays import Floats, Ints
from markhood.data.samples import Samples
from markhood.data.variables import Variables
from markhood.errors import InputError
from markhood.execution.runner import Runner, no_progress
from markhood.graph.graph import Graph
from markhood.graph.numbering import pair_numbers
from markhood.kernels.words import packed
from markhood.learning.imputation.learn_imputed import completed_search
from markhood.learning.request import Request
from markhood.learning.run import kernels_named
from markhood.model.fitted.model import FittedModel
from markhood.model.fitting.fit import fit_model
from markhood.model.ising.model import IsingModel
from markhood.model.potts.model import PottsModel
from markhood.output.graphs.files import read_graph
from markhood.output.model_files import holds_model, read_model
from markhood.scores.discrete import scorer_for
from markhood.search.values.job import Job
from markhood.simulate.networks import erdos_renyi
from markhood.stability.bootstrap import bootstrap_samples
from markhood.stability.centrality import correlation
from markhood.stability.grouped import read_groups
from markhood.stability.groups import compare
from markhood.stability.replicates import reported_couplings
from markhood.stability.studies import BootstrapOptions, GroupOptions, NetworkOptions

Model = IsingModel | PottsModel
ModelOf = Callable[[int], Model]  # by a seed
CASES = BootstrapOptions(replicates=100, resample="cases")  # for a CS coefficient
PERMUTATIONS = GroupOptions(permutations=199)
LEVEL = 0.05


def expected_network(
    request: Request, source: Any, described: NetworkOptions
) -> tuple[ModelOf, str]:
    """Return the network of a planned study by seed, and a description of it."""
    if source is None:
        return described_networks(described)
    model, about = _model(request, source)
    return partial(_always, model), about


def _always(model: Model, _: int) -> Model:
    return model


def with_change(model: Model, edge: int, difference: float) -> Model:
    """Return a model whose coupling of one edge is closer to 0, or beyond, by a difference.

    Fields in -1/+1 coding, or with zero-sum tables, stay as they are.

    Examples
    --------
    >>> graph = Graph("abc", [(0, 1), (1, 2)])
    >>> changed = with_change(IsingModel(graph, [2.0, -1.0], [0.0, 0.0, 0.0]), 1, 0.5)
    >>> changed.couplings.tolist(), changed.fields.tolist()
    ([2.0, -0.5], [0.0, -0.25, -0.25])
    """
    i, j = model.graph.edges[edge].tolist()
    change = -float(np.sign(couplings_of_model(model)[edge]) or 1.0) * difference
    if isinstance(model, IsingModel):
        couplings, fields = model.couplings.copy(), model.fields.copy()
        couplings[edge] += change
        fields[[i, j]] -= change / 2
        return IsingModel(model.graph, couplings, fields)
    tables = [table.copy() for table in model.tables]
    steps = [np.arange(r) - (r - 1) / 2 for r in tables[edge].shape]
    tables[edge] += change * np.multiply.outer(*steps)
    return PottsModel(Graph(model.graph.variables, model.graph.edges), tables, model.fields)


def couplings_of_model(model: Model) -> Floats:
    """Return the couplings of a model: per step, or the norms of zero-sum tables."""
    if isinstance(model, IsingModel):
        return model.couplings
    known = model.graph.coupling
    norms = np.array([np.linalg.norm(table) for table in model.zero_sum().tables])
    return np.where(np.isfinite(known), known, norms)


def described_networks(described: NetworkOptions) -> tuple[ModelOf, str]:
    """Return random networks by seed, and a description of them."""
    nodes, density, coupling, levels = (getattr(described, n) for n in NetworkOptions.names())
    names = tuple(f"x{k}" for k in range(nodes))
    is_binary = levels == 2
    values = (tuple(range(levels)),) * nodes
    variables = Variables(names, values, None if is_binary else (True,) * nodes)
    # A step between levels in units of that of a binary variable, at equal standard deviations.
    step = np.sqrt(3 / (levels**2 - 1))

    def model_of(seed: int) -> Model:
        rng = np.random.default_rng(seed)
        edges = erdos_renyi(nodes, density, rng).edges
        if density and not len(edges):  # a network without an edge has nothing to find
            edges = np.sort(rng.choice(nodes, (1, 2), replace=False), axis=1)
        sizes = rng.uniform(0.5 * coupling, 1.5 * coupling, len(edges))
        return _symmetric(variables, edges, sizes * rng.choice((-1, 1), len(edges)) * step**2)

    return model_of, (
        f"random networks of {nodes} {'binary' if is_binary else f'{levels}-level ordinal'} "
        f"variables with density {density:g} and mean |coupling| {coupling:g}"
    )


def _symmetric(
    variables: Variables, edges: Ints, couplings: Floats, tables: Sequence[Floats | None] = ()
) -> Model:
    """Return a model in which a level is as frequent as its mirror image, with given couplings."""
    ends = np.column_stack([couplings, couplings])
    graph = Graph(variables, edges, coupling_ends=ends, coupling_tables=tables)
    n_levels = [len(own) for own in variables.levels or ()]
    if set(n_levels) == {2} and not any(table is not None for table in tables):
        fields = -np.bincount(edges.ravel(), np.repeat(couplings, 2), graph.n_nodes) / 2
        return IsingModel(graph, couplings, fields)
    steps = [np.arange(r) - (r - 1) / 2 for r in n_levels]
    known = list(tables) or [None] * len(edges)
    whole = [
        c * np.multiply.outer(steps[i], steps[j]) if table is None else table
        for c, (i, j), table in zip(couplings.tolist(), edges.tolist(), known, strict=True)
    ]
    return PottsModel(graph, whole, [np.zeros(r) for r in n_levels])


def _model(request: Request, source: Any) -> tuple[Model, str]:
    """Return the model of a network, fitted to pilot data if need be, and a description of it."""
    if isinstance(source, (str, os.PathLike)):
        if holds_model(source):
            source = read_model(source)
        elif Path(source).suffix.lower() in (".json", ".graphml", ".gexf"):
            source = read_graph(source)
    if isinstance(source, Graph):
        if not np.isfinite(source.coupling).all() or source.variables.levels is None:
            raise InputError(
                "separated",
                "source",
                "The network needs finite couplings and known levels: pass a model from "
                "markhood.fit_model, or pilot data.",
            )
        about = f"a network of {source.n_nodes} variables and {source.n_edges} edges"
        return _symmetric(
            source.variables, source.edges, source.coupling, source.coupling_tables
        ), about
    if isinstance(source, (IsingModel, PottsModel)):
        n = source.graph.n_edges
        return source, f"a model with {source.n_variables} variables and {n} edges"
    pilot = ""
    if not isinstance(source, FittedModel):
        samples = request.read(source)
        pilot = f" fitted to pilot data of {samples.n_samples} samples"
        source = fit_model(request.learn(samples).graph, samples)
    model = source.distribution
    n = model.graph.n_edges
    return model, f"a model with {model.n_variables} variables and {n} edges{pilot}"


def edge_number(model: Model, edge: Sequence[str] | None) -> int:
    """Return the row of an edge in the graph of the model; -1 for its weakest edge."""
    if not model.graph.n_edges:
        raise InputError(
            "graph-empty",
            "source",
            "The expected network has no edges: describe one with a larger density, or use pilot "
            "data with more samples.",
        )
    if edge is None:
        return -1
    pair = sorted(model.graph.number(end) for end in edge)
    at = np.flatnonzero((model.graph.edges == pair).all(axis=1))
    if len(pair) != 2 or not len(at):
        raise InputError(
            "graph-unknown",
            " - ".join(map(str, edge)),
            f"The network has no edge {' - '.join(map(str, edge))!r}: choose one of its edges.",
        )
    return int(at[0])


@dataclass(frozen=True, eq=False)
class Study:
    """Draws and measures data sets."""

    request: Request  # the planned analysis
    model_of: ModelOf  # the network by a seed
    measure: str
    edge: int = -1  # row of the edge for the measures ``edge`` and ``group``; -1 for the weakest
    missing_share: float = 0.0
    difference: float = 1.0  # by how much the coupling of the edge is smaller in the second group

    def value(self, tile: tuple[int, int]) -> float:
        """Return the measure of the data set with this number and size."""
        number, n = tile
        seeds = np.random.SeedSequence(self.request.seed, spawn_key=(number,)).spawn(3)
        model = self.model_of(int(seeds[0].generate_state(1)[0]))
        rng = np.random.default_rng(seeds[2])
        if self.measure == "group":
            return self._has_found_difference(model, n, seeds[1], rng)
        samples = _with_missing(model.sample_packed(n, seeds[1]), self.missing_share, rng)
        if self.measure == "cs":
            found = bootstrap_samples(self._alone, samples, CASES)
            return float(next(r["cs"] for r in found.stability() if r["measure"] == "strength"))
        edges, couplings = self._learned(samples, rng)
        truth, learned = (pair_numbers(one) for one in (model.graph.edges, edges))
        n_pairs = model.n_variables * (model.n_variables - 1) // 2
        if self.measure == "edge":
            return float(truth[self._row(model)] in learned)
        n_found = len(np.intersect1d(truth, learned))
        if self.measure == "sensitivity":
            return n_found / max(1, len(truth))
        if self.measure == "specificity":
            return 1 - (len(learned) - n_found) / max(1, n_pairs - len(truth))
        listed = np.union1d(truth, learned)
        both = np.zeros((2, len(listed)))
        both[0, np.searchsorted(listed, truth)] = couplings_of_model(model)
        both[1, np.searchsorted(listed, learned)] = couplings
        return float(np.nan_to_num(correlation(both[0], both[1], n_pairs)))

    @property
    def _alone(self) -> Request:
        """The request within a tile."""
        return self.request.with_run(n_jobs=1, progress=no_progress, checkpoint=None)

    def _row(self, model: Model) -> int:
        weakest = int(np.argmin(np.abs(couplings_of_model(model))))
        return self.edge if self.edge >= 0 else weakest

    def edge_words(self, is_one_network: bool) -> str:
        """Name the edge to be found."""
        if self.edge < 0 and not is_one_network:
            return "the weakest one of each network"
        model = self.model_of(0)
        name = " \N{EN DASH} ".join(model.graph.edge_names()[self._row(model)])
        return f"{name}, the weakest one" if self.edge < 0 else name

    def _has_found_difference(
        self, model: Model, n: int, seed: np.random.SeedSequence, rng: np.random.Generator
    ) -> float:
        """Return whether the test of the changed coupling is significant."""
        row = self._row(model)
        models = model, with_change(model, row, self.difference)
        sizes, own_seeds = ((n + 1) // 2, n // 2), seed.spawn(2)
        tables: Sequence[Samples] = [
            _with_missing(one.sample_packed(size, own), self.missing_share, rng)
            for one, size, own in zip(models, sizes, own_seeds, strict=True)
        ]
        request = replace(self._alone, may_raise_gamma=False)
        groups = read_groups([(request, table) for table in tables], None, None, None)
        found = compare(request, groups, PERMUTATIONS)
        pair = set(model.graph.edge_names()[row])
        rows = [r for r in found.edge_rows() if {r["source"], r["target"]} == pair]
        return float(any(r["p_adjusted"] <= LEVEL for r in rows))

    def _learned(self, samples: Samples, rng: np.random.Generator) -> tuple[Ints, Floats]:
        """Return the edges that `learn` would find, and their couplings."""
        request = self.request
        samples = request.prepared(samples)
        scorer = scorer_for(samples, request.method.scored_by, kernels_named(request.run.kernels))
        known = request.constraints(samples.variables)
        job = Job(samples, scorer, Runner(1), known, int(rng.integers(2**31)))
        found, completed = completed_search(job, request.method, rng)
        if self.measure != "correlation":
            return found.edges[known.reports(found.edges)], np.empty(0)
        return reported_couplings(completed, found.edges, found.is_marginal)


def _with_missing(samples: Samples, share: float, rng: np.random.Generator) -> Samples:
    """Make values missing at random."""
    if not share:
        return samples
    words, missing = samples.words.copy(), {}
    for j in range(samples.n_variables):
        mask = packed(rng.random(samples.n_samples) < share, words.shape[1])
        words[samples.starts[j] : samples.starts[j + 1]] &= ~mask
        missing[j] = mask
    return replace(samples, words=words, missing=missing)
