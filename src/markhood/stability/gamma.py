"""`gamma_path()`: learn with several values of gamma, and measure how well each graph predicts.

Gamma is the weight of the penalty on edges in BIC_gamma, in addition to log(N)/2 per parameter, and
the data do not determine it. Three results help to choose it: the largest gamma at which each edge
is present; the EBIC of each graph, at one gamma so that graphs can be compared; and the
cross-validated log pseudo-likelihood, from graphs and weak-prior regressions of the training
samples. Cross-validation favours prediction and tends to admit a few false edges, so the sparsest
graph within one standard error of the best is reported too.

With missing values, each graph is the one that `learn` finds by imputation, and its EBIC is the
mean over imputed data sets. Within a fold, the training samples are imputed without the held-out
samples, and only their observed values are scored (`observed_pseudo_likelihood`). All gammas of a
fold use the same random numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from markhood.arrays import Floats, Ints
from markhood.data.samples import Samples
from markhood.data.to_frame import frame_of_rows
from markhood.errors import InputError, option, option_error
from markhood.execution.runner import Progress, Runner, no_progress
from markhood.graph.graph import Graph
from markhood.graph.notebook import result_html
from markhood.graph.numbering import pair_numbers, pairs_numbered
from markhood.kernels.lists import Lists
from markhood.learning.describe import regress
from markhood.learning.imputation.imputed_samples import observed_pseudo_likelihood
from markhood.learning.imputation.learn_imputed import (
    Imputation,
    completed_on,
    completed_search,
    learn_imputed,
)
from markhood.learning.methods import Method
from markhood.learning.request import Request
from markhood.options import check_value
from markhood.scores.bic import Bic
from markhood.scores.discrete import scorer_for
from markhood.search.values.job import Job
from markhood.stability.replicates import WEAK

GAMMAS = (0.0, 0.125, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0)
USUAL_GAMMA = EBIC_GAMMA = 0.5
DENSE = 2.0  # neighbours per variable
ALL_SAMPLES = -1  # in place of the number of a held-out fold


@dataclass(frozen=True, eq=False)
class GammaPath:
    """Graphs learned with several values of gamma.

    Attributes
    ----------
    gammas : tuple of float
        In ascending order.
    graphs : tuple of Graph
        The graph learned with each gamma, without evidence or couplings.
    held_out : ndarray of shape (n_gammas, n_folds)
        Mean log pseudo-likelihood of the held-out samples of each fold.
    ebic : ndarray of shape (n_gammas,)
        EBIC of each graph at gamma 0.5; lower is better.
    """

    gammas: tuple[float, ...]
    graphs: tuple[Graph, ...]
    held_out: Floats
    ebic: Floats

    @property
    def best(self) -> float:
        """The gamma whose graphs predict held-out samples best."""
        return self.gammas[int(np.argmax(self.held_out.mean(axis=1)))]

    @property
    def sparsest(self) -> float:
        """The largest gamma that predicts within one standard error of the best."""
        gaps, errors = self._gaps
        return max(g for g, gap, e in zip(self.gammas, gaps, errors, strict=True) if gap <= e)

    @property
    def suggested(self) -> float:
        """The default gamma for a sparse graph, and `best` for a denser one.

        The default penalty is that of sparse graphs. It misses many edges where the graph at the
        largest gamma up to 0.5 has two neighbours or more per variable.
        """
        usual = max((g for g in self.gammas if g <= USUAL_GAMMA), default=self.gammas[0])
        graph = self.graphs[self.gammas.index(usual)]
        return self.best if 2 * graph.n_edges >= DENSE * graph.n_nodes else usual

    @cached_property
    def _gaps(self) -> tuple[Floats, Floats]:
        """Loss of each gamma against the best one, and its standard error, both paired by fold."""
        apart = self.held_out[self.gammas.index(self.best)] - self.held_out
        errors = apart.std(axis=1, ddof=1) / np.sqrt(self.held_out.shape[1])
        return apart.mean(axis=1), errors

    def rows(self) -> list[dict[str, Any]]:
        """Describe each gamma in a row.

        Returns
        -------
        list of dict
            ``gamma``; the number of ``edges``; ``held_out``, the mean log pseudo-likelihood of
            held-out samples; ``below_best``, its difference from that of the best gamma, with its
            ``standard_error`` over folds (`sparsest` is the largest gamma with
            ``below_best <= standard_error``); and ``ebic``.
        """
        return [
            {
                "gamma": gamma,
                "edges": graph.n_edges,
                "held_out": float(own.mean()),
                "below_best": float(gap),
                "standard_error": float(error),
                "ebic": float(ebic),
            }
            for gamma, graph, own, gap, error, ebic in zip(
                self.gammas, self.graphs, self.held_out, *self._gaps, self.ebic, strict=True
            )
        ]

    def to_frame(self) -> Any:
        """Return `rows` as a pandas or polars data frame."""
        return frame_of_rows(self.rows(), (), self.graphs[0].provenance)

    def edges(self) -> list[dict[str, Any]]:
        """Describe each edge: the largest gamma and the number of gammas whose graphs have it."""
        at: dict[int, list[float]] = {}
        for gamma, graph in zip(self.gammas, self.graphs, strict=True):
            for number in pair_numbers(graph.edges).tolist():
                at.setdefault(number, []).append(gamma)
        nodes, ends = self.graphs[0].nodes, pairs_numbered(np.array(sorted(at), np.int64))
        rows = [
            {
                "source": nodes[i],
                "target": nodes[j],
                "largest_gamma": max(at[number]),
                "gammas": len(at[number]),
            }
            for number, (i, j) in zip(sorted(at), ends.tolist(), strict=True)
        ]
        return sorted(rows, key=lambda row: (-row["largest_gamma"], -row["gammas"]))

    def __repr__(self) -> str:
        """Describe the path in a line."""
        return (
            f"<GammaPath: {len(self.gammas)} gammas from {self.gammas[0]:g} to "
            f"{self.gammas[-1]:g}; suggested {self.suggested:g}, best {self.best:g}, sparsest "
            f"within a standard error {self.sparsest:g}>"
        )

    def _repr_html_(self) -> str:
        named = [(n, f"gamma {getattr(self, n):g}") for n in ("suggested", "best", "sparsest")]
        return result_html("GammaPath", named, self.rows())


def gamma_path(
    data: Any,
    method: str = "plrhc",
    *,
    gammas: Sequence[float] = GAMMAS,
    folds: int = 5,
    progress: Progress = no_progress,
    **options: Any,
) -> GammaPath:
    """Learn with several gammas, and cross-validate how well each predicts held-out samples.

    Parameters
    ----------
    data, method
        As for `learn`; the method must have a gamma.
    gammas : sequence of float, default=(0, 0.125, 0.25, 0.5, 0.75, 1, 1.5, 2)
    folds : int, default=5
        Number of folds of the cross-validation.
    progress : callable, optional
        Called with the name of a phase, the number of tiles done and the number of tiles.
    **options
        Options of `learn` and of the method, except gamma.

    Returns
    -------
    GammaPath

    Examples
    --------
    >>> coins = np.random.default_rng(0).integers(0, 2, size=(200, 4))
    >>> coins[:, 2] = coins[:, 0] ^ (np.random.default_rng(1).random(200) < 0.2)
    >>> path = gamma_path(coins, gammas=[0.5, 90], n_jobs=1)
    >>> [row["edges"] for row in path.rows()], path.sparsest
    ([1, 0], 0.5)
    """
    request = Request.from_call(method, options, progress)
    return follow_gamma(request, request.read(data), gammas, folds)


def follow_gamma(
    request: Request, samples: Samples, gammas: Sequence[float], folds: int
) -> GammaPath:
    """Implement `gamma_path` for samples that have been read."""
    ascending = _checked(request.method, samples, gammas, folds)
    samples = request.prepared(samples)
    request.copies(samples).warn()
    methods = [replace(request.method, gamma=gamma) for gamma in ascending]  # type: ignore[call-arg]
    seed, imputation = request.seed, request.imputation
    rng = np.random.default_rng(seed)
    unit = np.arange(samples.n_samples) if samples.clusters is None else samples.clusters
    fold_of = rng.permutation(np.arange(int(unit.max()) + 1) % int(folds))[unit]
    with request.job(samples, {"gammas": ascending, "folds": int(folds)}) as job:
        known, kernels = job.constraints, job.scorer.kernels

        def follow(tile: tuple[int, int]) -> tuple[Ints, float]:
            k, fold = tile
            part = samples if fold == ALL_SAMPLES else samples.take(np.flatnonzero(fold_of != fold))
            criterion = methods[k].scored_by
            own = Job(part, scorer_for(part, criterion, kernels), Runner(1), known)
            random = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(fold + 1,)))
            if fold == ALL_SAMPLES:
                edges = _learned_edges(own, methods[k], imputation)
                sets = completed_on(own, edges, random, imputation.sets)
                return edges, float(np.mean([_ebic(completed, edges) for completed in sets]))
            found, (completed,) = completed_search(own, methods[k], random)
            weak = replace(completed, scorer=scorer_for(completed.samples, WEAK, kernels))
            left_out = samples.take(np.flatnonzero(fold_of == fold))
            regressions, floor = regress(weak, found.edges), 1 / (2 * part.n_samples)
            return found.edges, observed_pseudo_likelihood(regressions, left_out, floor, random)

        tiles = [(k, f) for k in range(len(methods)) for f in (ALL_SAMPLES, *range(int(folds)))]
        found = dict(zip(tiles, job.runner.map("gammas", follow, tiles), strict=True))
        n_nodes = job.n_variables - len(known.covariates)
    variables = samples.variables.pick(range(n_nodes))
    edges = [found[k, ALL_SAMPLES][0] for k in range(len(methods))]
    origin = {"data": {"library": samples.library}}
    return GammaPath(
        ascending,
        tuple(Graph(variables, own[known.reports(own)], provenance=origin) for own in edges),
        np.array([[found[k, f][1] for f in range(int(folds))] for k in range(len(methods))]),
        np.array([found[k, ALL_SAMPLES][1] for k in range(len(methods))]),
    )


def _learned_edges(job: Job, method: Method, imputation: Imputation) -> Ints:
    """Return the edges that `learn` would find."""
    if not job.samples.missing or method.takes_missing:
        return method.search(job).edges
    return learn_imputed(job, method, imputation).edges


def _ebic(job: Job, edges: Ints) -> float:
    """Return the EBIC of a graph: minus twice the sum of BIC_gamma over all variables."""
    d = job.n_variables
    blankets = job.constraints.adjusted(np.arange(d), Lists.of_neighbours(edges, d))
    scorer = scorer_for(job.samples, Bic(EBIC_GAMMA), job.scorer.kernels)
    scores, _ = scorer.toggled(np.arange(d), blankets, Lists.empty(d))
    return -2 * float(scores[~job.samples.is_constant].sum())


def _checked(
    method: Method, samples: Samples, gammas: Sequence[float], folds: int
) -> tuple[float, ...]:
    """Return the gammas in ascending order, or raise `InputError`."""
    if not hasattr(method, "gamma"):
        raise InputError(
            "not-supported",
            "method",
            f"Method {method.name!r} has no {option('gamma')}: choose another method.",
        )
    if not isinstance(gammas, Iterable):
        raise option_error("gammas", f"must be a list, not {gammas!r}.")
    listed = list(gammas)
    for gamma in listed:
        check_value("gammas", gamma, float, low=0)
    if not listed:
        raise option_error("gammas", "is empty: give at least one number.")
    n_units = samples.n_samples if samples.clusters is None else int(samples.clusters.max()) + 1
    check_value("folds", folds, int, low=2, high=n_units // 2)
    return tuple(sorted({float(gamma) for gamma in listed}))
