"""`plan()`: the number of samples that a study needs, by simulation.

Data sets are drawn from a model of the expected network, a graph is learned from each as `learn`
would, and compared with the network. The power at N is the probability that a measure reaches its
target; the answer is the smallest N with the wanted power.

    1. double N until more than half of a few data sets reach the target
    2. draw data sets at sizes between half and twice the estimate
    3. regress success on log N by logistic regression, which gives N and its standard error;
       repeat from 2 if the estimate is outside of the sizes that were tried

Close to the answer the power is nearly logistic in log N, so that all data sets of step 2 inform
the estimate; a grid of sizes with a separate share at each needs several times as many.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from markhood.data.samples import Samples
from markhood.data.to_frame import frame_of_rows
from markhood.data.variables import Variables
from markhood.errors import InputError, option
from markhood.execution.runner import Progress, Runner, no_progress
from markhood.graph.graph import Graph
from markhood.graph.notebook import result_html
from markhood.graph.numbering import pair_numbers
from markhood.kernels.words import packed
from markhood.learning.imputation.learn_imputed import completed_search
from markhood.learning.request import Request
from markhood.learning.run import kernels_named
from markhood.model.fitted.model import FittedModel
from markhood.model.fitting.fit import fit_model
from markhood.model.ising.model import IsingModel
from markhood.model.potts.model import PottsModel
from markhood.options import check_value
from markhood.output.graphs.files import read_graph
from markhood.output.model_files import holds_model, read_model
from markhood.scores.discrete import scorer_for
from markhood.search.values.job import Job
from markhood.simulate.networks import erdos_renyi
from markhood.stability.bootstrap import bootstrap_samples
from markhood.stability.centrality import correlation
from markhood.stability.replicates import reported_couplings

# Measures with the value that they should reach by default.
TARGETS = {"sensitivity": 0.6, "specificity": 0.95, "correlation": 0.8, "edge": 1.0, "cs": 0.5}
SMALLEST, LARGEST = 25, 100_000  # sizes that are tried
FIRST_SETS = 12  # data sets at each size of step 1
FACTORS = 2.0 ** np.linspace(-1, 1, 9)  # sizes of step 2, in units of the estimate
MOST_ROUNDS = 4
CASES = 100  # case-dropping replicates for a CS coefficient
WEAK_SLOPE = 0.05  # prior precision in the regression, for rounds in which all data sets agree

Model = IsingModel | PottsModel
ModelOf = Callable[[int], Model]


@dataclass(frozen=True, eq=False)
class Plan:
    """How often data sets of several sizes reach a target, and the size that a study needs.

    Attributes
    ----------
    measure : str
    target, power : float
    n_samples : int or None
        Smallest number of samples at which ``measure`` is at least ``target`` with probability
        ``power``; None if 100 000 samples are not enough.
    low, high : float
        95 % interval of ``n_samples``, from the Monte Carlo error; NaN if it is None.
    sizes : ndarray of shape (n_sets,)
        Number of samples of every simulated data set.
    values : ndarray of shape (n_sets,)
        Its measure.
    missing_share : float
        Share of the values that were made missing at random.
    about : str
        The network and method, for `paragraph`.
    """

    measure: str
    target: float
    power: float
    n_samples: int | None
    low: float
    high: float
    sizes: NDArray[np.int64]
    values: NDArray[np.float64]
    missing_share: float
    about: str

    @cached_property
    def _rows(self) -> list[dict[str, Any]]:
        rows = []
        for n in np.unique(self.sizes).tolist():
            own = self.values[self.sizes == n]
            share = float((own >= self.target).mean())
            rows.append(
                {
                    "samples": n,
                    "data_sets": len(own),
                    self.measure: float(own.mean()),
                    "standard_error": float(own.std() / np.sqrt(len(own))),
                    "power": share,
                    "power_error": float(np.sqrt(share * (1 - share) / len(own))),
                }
            )
        return rows

    def rows(self) -> list[dict[str, Any]]:
        """Describe each size in a row.

        Returns
        -------
        list of dict
            ``samples``, the number of ``data_sets``, the mean of the measure with its
            ``standard_error``, and the ``power`` with its standard error ``power_error``.
        """
        return self._rows

    def to_frame(self) -> Any:
        """Return `rows` as a pandas or polars data frame."""
        return frame_of_rows(self.rows())

    def paragraph(self) -> str:
        """Return a paragraph for a preregistration."""
        from importlib.metadata import version

        wanted = {
            "edge": "finding the edge",
            "cs": f"a CS coefficient of strength of at least {self.target:g}",
        }.get(self.measure, f"a {self.measure} of at least {self.target:g}")
        missing = f", with {100 * self.missing_share:g} % missing values" * (self.missing_share > 0)
        found = "More than 100 000 participants are needed"
        if self.n_samples is not None:
            found = (
                f"{self.n_samples} participants are needed (95 % Monte Carlo interval "
                f"{self.low:.0f} to {self.high:.0f})"
            )
        return (
            f"The sample size was planned by simulation with markhood {version('markhood')}. "
            f"{len(self.sizes)} data sets were drawn from {self.about}{missing}. {found} for "
            f"{wanted} with a probability of {100 * self.power:g} %."
        )

    def __repr__(self) -> str:
        """Describe the plan in a line."""
        n = "more than 100000" if self.n_samples is None else str(self.n_samples)
        return (
            f"<Plan: {n} samples for {self.measure} >= {self.target:g} with probability "
            f"{self.power:g}, from {len(self.sizes)} data sets>"
        )

    def _repr_html_(self) -> str:
        facts = [("samples", repr(self)), ("text", self.paragraph())]
        return result_html("Plan", facts, self.rows())


def plan(
    source: Any = None,
    measure: str = "sensitivity",
    target: float | None = None,
    power: float = 0.8,
    *,
    nodes: int = 20,
    density: float = 0.15,
    coupling: float = 1.0,
    levels: int = 2,
    edge: Sequence[str] | None = None,
    missing_share: float = 0.0,
    data_sets: int = 1800,
    method: str = "plrhc",
    progress: Progress = no_progress,
    **options: Any,
) -> Plan:
    """Find the number of samples that a study needs.

    Parameters
    ----------
    source : table, path, Graph, FittedModel, IsingModel or PottsModel, optional
        The expected network: pilot data, from which a model is fitted; a graph with couplings,
        whose levels are then equally frequent on average; or a model. By default a new random
        network for each data set, described by ``nodes``, ``density``, ``coupling`` and ``levels``.
    measure : {"sensitivity", "specificity", "correlation", "edge", "cs"}, default="sensitivity"
        Share of the edges that are found; share of the other pairs that are not; correlation of
        the learned couplings with those of the network over all pairs; whether one edge is found;
        or the CS coefficient of strength.
    target : float, optional
        Value that the measure should reach: by default 0.6 for sensitivity, 0.95 for specificity,
        0.8 for correlation, 0.5 for cs. An edge is found or not.
    power : float, default=0.8
        Probability with which it should be reached.
    nodes, density, coupling, levels
        The random network, if there is no ``source``: number of variables, share of pairs that are
        edges, mean |coupling| (they are uniform between half and one and a half times this, with
        random signs), and number of ordered levels of each variable.
    edge : pair of str, optional
        For ``measure="edge"``: its ends; by default the weakest edge of the network.
    missing_share : float, default=0
        Share of the values that will be missing, at random.
    data_sets : int, default=1800
        Number of data sets of a round; the Monte Carlo error falls with its square root.
    method
        As for `learn`.
    progress : callable, optional
        Called with the name of a phase, the number of tiles done and the number of tiles.
    **options
        Options of `learn` and of the method.

    Returns
    -------
    Plan

    Examples
    --------
    >>> found = plan(nodes=6, density=0.4, coupling=2.0, data_sets=45, n_jobs=1)
    >>> 50 < found.n_samples < 500
    True
    """
    network = {"nodes": nodes, "density": density, "coupling": coupling, "levels": levels}
    request = Request.from_call(method, options, progress)
    return plan_request(
        request, source, network, measure, target, power, edge, missing_share, data_sets
    )


def plan_request(
    request: Request,
    source: Any,
    network: Mapping[str, Any],
    measure: str,
    target: float | None,
    power: float,
    edge: Sequence[str] | None,
    missing_share: float,
    data_sets: int,
) -> Plan:
    """Implement `plan`; ``network`` describes a random network, used if the source is None."""
    target = _checked(measure, target, power, missing_share, data_sets)
    if source is None:
        model_of, about = _described(**network)
    else:
        model, about = _model(request, source)
        model_of = partial(_always, model)
    study = _Study(request, model_of, measure, _edge_number(model_of(0), edge), missing_share)
    runner = Runner(request.run.n_jobs, request.run.report)
    sizes, values = np.empty(0, np.int64), np.empty(0)

    def simulate(phase: str, at: NDArray[np.int64]) -> None:
        nonlocal sizes, values
        tiles = [(len(sizes) + k, int(n)) for k, n in enumerate(at.tolist())]
        drawn = np.array(list(runner.map(phase, study.value, tiles)))
        sizes, values = np.concatenate([sizes, at]), np.concatenate([values, drawn])

    n = SMALLEST
    while True:
        simulate("sizes", np.full(FIRST_SETS, n))
        if (values[-FIRST_SETS:] >= target).mean() > 0.5 or 2 * n > LARGEST:
            break
        n *= 2
    estimate = float(n)
    for _ in range(MOST_ROUNDS):
        tried = np.unique((estimate * FACTORS).clip(SMALLEST, LARGEST).astype(np.int64))
        simulate("data sets", np.repeat(tried, -(-data_sets // len(tried))))
        near = (sizes >= tried[0]) & (sizes <= tried[-1])
        centre, slope, covariance = _logistic(np.log(sizes[near]), values[near] >= target)
        previous, estimate = estimate, _root(centre, slope, power)
        if abs(np.log(estimate / previous)) < np.log(1.5):
            break
    is_reached = estimate <= LARGEST
    return Plan(
        measure,
        target,
        power,
        int(np.ceil(max(estimate, SMALLEST))) if is_reached else None,
        *(_interval(estimate, slope, power, covariance) if is_reached else (np.nan, np.nan)),
        sizes,
        values,
        missing_share,
        f"{about}, analysed with method {request.method.name}",
    )


def _always(model: Model, _: int) -> Model:
    return model


@dataclass(frozen=True, eq=False)
class _Study:
    """Draws and measures one data set."""

    request: Request
    model_of: ModelOf
    measure: str
    edge: int
    missing_share: float

    def value(self, tile: tuple[int, int]) -> float:
        """Return the measure of the data set with this number and size."""
        number, n = tile
        seeds = np.random.SeedSequence(self.request.seed, spawn_key=(number,)).spawn(3)
        model, rng = (
            self.model_of(int(seeds[0].generate_state(1)[0])),
            np.random.default_rng(seeds[2]),
        )
        samples = _with_missing(model.sample_packed(n, seeds[1]), self.missing_share, rng)
        if self.measure == "cs":
            one = self.request.with_run(n_jobs=1, progress=no_progress, checkpoint=None)
            found = bootstrap_samples(one, samples, CASES, "cases", None)
            return float(next(r["cs"] for r in found.stability() if r["measure"] == "strength"))
        edges, couplings = self._learned(samples, rng)
        truth, learned = (pair_numbers(one) for one in (model.graph.edges, edges))
        n_pairs = model.n_variables * (model.n_variables - 1) // 2
        if self.measure == "edge":
            weakest = int(np.argmin(np.abs(_couplings(model))))
            return float(truth[self.edge if self.edge >= 0 else weakest] in learned)
        n_found = len(np.intersect1d(truth, learned))
        if self.measure == "sensitivity":
            return n_found / max(1, len(truth))
        if self.measure == "specificity":
            return 1 - (len(learned) - n_found) / max(1, n_pairs - len(truth))
        listed = np.union1d(truth, learned)
        both = np.zeros((2, len(listed)))
        both[0, np.searchsorted(listed, truth)] = _couplings(model)
        both[1, np.searchsorted(listed, learned)] = couplings
        return float(np.nan_to_num(correlation(both[0], both[1], n_pairs)))

    def _learned(
        self, samples: Samples, rng: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
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


def _couplings(model: Model) -> NDArray[np.float64]:
    """Return the couplings of a model: per step, or the norms of zero-sum tables."""
    if isinstance(model, IsingModel):
        return model.couplings
    known = model.graph.coupling
    norms = np.array([np.linalg.norm(table) for table in model.zero_sum().tables])
    return np.where(np.isfinite(known), known, norms)


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


def _described(nodes: int, density: float, coupling: float, levels: int) -> tuple[ModelOf, str]:
    """Return random networks by seed, and a description of them."""
    check_value("nodes", nodes, int, low=2, high=1000)
    check_value("levels", levels, int, low=2, high=64)
    check_value("density", density, float, low=0, high=1)
    check_value("coupling", coupling, float, low=0, high=50)
    names = tuple(f"x{k}" for k in range(nodes))
    is_binary = levels == 2
    values = (tuple(range(levels)),) * nodes
    variables = Variables(names, values, None if is_binary else (True,) * nodes)
    # A step between levels in units of that of a binary variable, at equal standard deviations.
    step = np.sqrt(3 / (levels**2 - 1))

    def model_of(seed: int) -> Model:
        rng = np.random.default_rng(seed)
        edges = erdos_renyi(nodes, density, rng).edges
        sizes = rng.uniform(0.5 * coupling, 1.5 * coupling, len(edges))
        return _symmetric(variables, edges, sizes * rng.choice((-1, 1), len(edges)) * step**2)

    return model_of, (
        f"random networks of {nodes} {'binary' if is_binary else f'{levels}-level ordinal'} "
        f"variables with density {density:g} and mean |coupling| {coupling:g}"
    )


def _symmetric(
    variables: Variables,
    edges: NDArray[np.int64],
    couplings: NDArray[np.float64],
    tables: Sequence[NDArray[np.float64] | None] = (),
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


def _edge_number(model: Model, edge: Sequence[str] | None) -> int:
    """Return the row of an edge in the graph of the model; -1 for its weakest edge."""
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


def _logistic(
    x: NDArray[np.float64], success: NDArray[np.bool_]
) -> tuple[float, float, NDArray[np.float64]]:
    """Regress success on x: the x of probability 1/2, the slope, and the covariance of both.

    The logarithm of the slope is fitted: power rises with the number of samples.
    """
    from scipy.optimize import minimize
    from scipy.special import expit

    def loss(at: NDArray[np.float64]) -> float:
        centre, log_slope = at
        eta = np.exp(log_slope) * (x - centre)
        ridge = WEAK_SLOPE * ((log_slope - np.log(5)) ** 2 + (centre - x.mean()) ** 2)
        return float(np.logaddexp(0, np.where(success, -eta, eta)).sum() + ridge)

    found = minimize(loss, [x.mean(), np.log(5)], method="Nelder-Mead", options={"maxiter": 2000})
    centre, slope = float(found.x[0]), float(np.exp(found.x[1]))
    p = expit(slope * (x - centre))
    design = np.column_stack([np.full(len(x), -slope), slope * (x - centre)])
    information = design.T @ ((p * (1 - p))[:, None] * design) + 2 * WEAK_SLOPE * np.eye(2)
    return centre, slope, np.linalg.inv(information)


def _root(centre: float, slope: float, power: float) -> float:
    """Return the number of samples at which the regression has this power."""
    return float(np.exp(min(centre + np.log(power / (1 - power)) / slope, np.log(10 * LARGEST))))


def _interval(
    estimate: float, slope: float, power: float, covariance: NDArray[np.float64]
) -> tuple[float, float]:
    """Return the 95 % interval of the estimate by the delta method, for log N."""
    gradient = np.array([1.0, -np.log(power / (1 - power)) / slope])
    half = 1.96 * float(np.sqrt(gradient @ covariance @ gradient))
    return float(estimate * np.exp(-half)), float(estimate * np.exp(half))


def _checked(
    measure: str, target: float | None, power: float, missing_share: float, data_sets: int
) -> float:
    """Return the target, or raise `InputError` for options that are out of range."""
    if measure not in TARGETS:
        raise InputError(
            "option-value",
            "measure",
            f"Unknown {option('measure')} {measure!r}: choose one of {', '.join(TARGETS)}.",
        )
    found = TARGETS[measure] if target is None else target
    check_value("target", found, float, low=0, high=1)
    check_value("power", power, float, above=0, below=1)
    check_value("missing_share", missing_share, float, low=0, below=1)
    check_value("data_sets", data_sets, int, low=len(FACTORS))
    return float(found)
