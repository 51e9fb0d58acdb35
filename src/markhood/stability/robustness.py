"""`robustness()`: the same network under other defensible choices (a multiverse analysis).

An analysis is a request. The analyses are all combinations of the values that are given for some of
its options, on all samples, and the request as it is on each of some subsets of the samples:

    choices     options with several values: method, gamma, edge_prior, kinds, missing, ...
    analyses    {all combinations of choices} x {all samples}  +  {the request} x {subsets}

Two analyses that come to the same samples and the same method count once, such as an option that a
method does not have. The share of the analyses in which a pair is an edge says whether a finding
depends on choices that could have been made otherwise. It is not a probability, because the
analyses use the same data and are not equally plausible.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from typing import Any

import numpy as np

from markhood.data.labels import read_labelled
from markhood.data.samples import Samples
from markhood.data.to_frame import frame_of_rows
from markhood.errors import ConvergenceWarning, DataWarning, InputError, option, option_error, warn
from markhood.execution.runner import Progress, no_progress
from markhood.graph.edge_table import with_annotations
from markhood.graph.graph import Graph
from markhood.graph.notebook import result_html
from markhood.learning.methods import METHODS as KNOWN
from markhood.learning.request import Request
from markhood.options import check_value
from markhood.stability.resampling import derived_seed

METHODS = ("plrhc", "bayes")
OF_BINARY = ("l1lr",)  # a usual method for binary variables; it ignores the order of levels
GAMMAS = (0.25, 0.5, 1.0)
EDGE_PRIORS = (None, 0.1, 0.5)
MOST_ANALYSES = 10_000
SHARE_OF_SUBSET = 0.8
EDGE_COLUMNS = (
    *("source", "target", "in_graph", "share", "analyses"),
    *("positive", "median_coupling", "low", "high"),
)

Row = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Analysis:
    """One analysis: its choices, the subset of samples, and the graph."""

    choices: Mapping[str, Any]
    subset: str
    graph: Graph

    @property
    def couplings(self) -> dict[tuple[str, str], float]:
        """The coupling of each edge by its ends, in alphabetical order; NaN without a sign."""
        tables = self.graph.coupling_tables or (None,) * self.graph.n_edges
        each = zip(self.graph.edge_names(), self.graph.coupling.tolist(), tables, strict=True)
        return {
            (min(pair), max(pair)): coupling if table is None else float("nan")
            for pair, coupling, table in each
        }


@dataclass(frozen=True, eq=False)
class Robustness:
    """The networks of several analyses of the same data.

    Attributes
    ----------
    analyses : tuple of Analysis
        The first one is the request itself on all samples.
    left_out : tuple of str
        Analyses that were not possible, with the reason.
    """

    analyses: tuple[Analysis, ...]
    left_out: tuple[str, ...] = ()

    @cached_property
    def graph(self) -> Graph:
        """The graph of the first analysis; its annotation ``robustness`` is the share."""
        graph = self.analyses[0].graph
        shares = {(r["source"], r["target"]): r["share"] for r in self._edges}
        pairs = [shares[min(pair), max(pair)] for pair in graph.edge_names()]
        return with_annotations(graph, {"robustness": pairs})

    @cached_property
    def _edges(self) -> list[Row]:
        found: dict[tuple[str, str], list[float]] = {}
        for analysis in self.analyses:
            for pair, coupling in analysis.couplings.items():
                found.setdefault(pair, []).append(coupling)
        first = self.analyses[0].couplings
        rows = []
        for (a, b), values in found.items():
            signed = [v for v in values if not np.isnan(v)]
            finite = np.array([v for v in signed if np.isfinite(v)])
            quantiles = np.quantile(finite, [0.5, 0, 1]) if len(finite) else np.full(3, np.nan)
            numbers = dict(zip(("median_coupling", "low", "high"), quantiles.tolist(), strict=True))
            rows.append(
                {
                    "source": a,
                    "target": b,
                    "in_graph": int((a, b) in first),
                    "share": len(values) / len(self.analyses),
                    "analyses": len(values),
                    "positive": float(np.mean([v > 0 for v in signed])) if signed else np.nan,
                    **numbers,
                }
            )
        return sorted(rows, key=lambda row: (-row["share"], row["source"], row["target"]))

    def edges(self) -> list[Row]:
        """Describe each pair that is an edge in at least one analysis, most frequent first.

        Returns
        -------
        list of dict
            ``source``, ``target``; ``in_graph``, whether it is an edge of the first analysis; the
            ``share`` and number of ``analyses`` in which it is an edge; the share of these in which
            its coupling is ``positive``; and the ``median_coupling``, with the smallest (``low``)
            and largest (``high``) finite one. Coupling tables have no sign and are not counted in
            the last four.
        """
        return [dict(row) for row in self._edges]

    def to_frame(self) -> Any:
        """Return the rows of `edges` as a pandas or polars data frame."""
        return frame_of_rows(self.edges(), EDGE_COLUMNS, self.analyses[0].graph.provenance)

    def rows(self) -> list[Row]:
        """Describe each analysis in a row.

        Returns
        -------
        list of dict
            The value of each choice (empty if the method does not have it), the ``subset``, the
            number of ``samples`` and ``edges``, and the number of edges that are ``shared`` with
            the first analysis.
        """
        first = self.analyses[0].couplings.keys()
        names = dict.fromkeys(name for one in self.analyses for name in one.choices)
        return [
            {
                **{n: _text(one.choices[n]) if n in one.choices else "" for n in names},
                "subset": one.subset,
                "samples": one.graph.provenance["data"]["samples"],
                "edges": one.graph.n_edges,
                "shared": len(first & one.couplings.keys()),
            }
            for one in self.analyses
        ]

    def choices(self) -> list[Row]:
        """Describe what each value of each choice does.

        Returns
        -------
        list of dict
            ``choice``, ``value``, the number of ``analyses`` with it, their mean number of
            ``edges``, and ``kept``, the mean share of the first analysis's edges that they have.
        """
        n_first = max(1, self.analyses[0].graph.n_edges)
        rows = self.rows()
        names = [name for name in rows[0] if name not in ("samples", "edges", "shared")]
        found = []
        for name in names:
            for value in dict.fromkeys(row[name] for row in rows if row[name]):
                own = [row for row in rows if row[name] == value]
                found.append(
                    {
                        "choice": name,
                        "value": value,
                        "analyses": len(own),
                        "edges": float(np.mean([row["edges"] for row in own])),
                        "kept": float(np.mean([row["shared"] / n_first for row in own])),
                    }
                )
        counts = {name: sum(row["choice"] == name for row in found) for name in names}
        return [row for row in found if counts[row["choice"]] > 1]

    def describe_methods(self) -> str:
        """Return a paragraph for a methods section: that of the graph, and the analyses."""
        varied = list(dict.fromkeys(row["choice"].replace("_", " ") for row in self.choices()))
        n, always = len(self.analyses), sum(row["share"] == 1 for row in self._edges)
        own = [row["share"] for row in self._edges if row["in_graph"]]
        often = sum(share >= 0.9 for share in own)
        return (
            f"{self.analyses[0].graph.describe_methods()} A multiverse analysis repeated this in "
            f"{n} analyses with other choices of {', '.join(varied)} (Steegen et al., 2016): "
            f"{often} of the {len(own)} edges were in at least 90 % of the analyses, and {always} "
            f"in all of them."
        )

    def __repr__(self) -> str:
        """Describe the analyses in a line."""
        always = sum(row["share"] == 1 for row in self._edges)
        return (
            f"<Robustness: {len(self.analyses)} analyses; {always} of {len(self._edges)} pairs are "
            "edges in all of them>"
        )

    def _repr_html_(self) -> str:
        facts = [("analyses", str(len(self.analyses))), ("edges", repr(self))]
        return result_html("Robustness", facts, self.edges())


def robustness(
    data: Any,
    method: str = "plrhc",
    *,
    vary: Mapping[str, Sequence[Any]] | None = None,
    subsets: Any = 5,
    progress: Progress = no_progress,
    **options: Any,
) -> Robustness:
    """Learn the network under several choices, and count how often each edge is found.

    Parameters
    ----------
    data, method
        As for `learn`.
    vary : mapping of str to sequence, optional
        Values of options of `learn` and of methods, by name, such as ``{"gamma": [0.25, 0.5],
        "missing": ["drop", "impute"]}``; ``"method"`` is one of the names. All combinations are
        analysed. By default: the methods plrhc and bayes (and l1lr for binary variables), each with
        three gammas or priors of edges; ordered levels as categories, if there are any; and rows
        with missing values left out, if there are any.
    subsets : int, str or sequence of n_samples labels, default=5
        Number of random subsets with 80 % of the samples; or labels of samples, or the name of
        their column, where each subset leaves out the samples with one label.
    progress : callable, optional
        Called with the name of a phase, the number of tiles done and the number of tiles.
    **options
        Options of `learn` and of the method, for the first analysis.

    Returns
    -------
    Robustness

    Examples
    --------
    >>> coins = np.random.default_rng(0).integers(0, 2, size=(300, 4))
    >>> coins[:, 2] = coins[:, 0] ^ (np.random.default_rng(1).random(300) < 0.2)
    >>> found = robustness(coins, vary={"gamma": [0, 0.5, 1]}, subsets=2)
    >>> found
    <Robustness: 5 analyses; 1 of 1 pairs are edges in all of them>
    """
    request = Request.from_call(method, options, progress)
    return vary_request(request, data, vary, subsets)


def vary_request(
    request: Request, data: Any, vary: Mapping[str, Sequence[Any]] | None, subsets: Any
) -> Robustness:
    """Implement `robustness` for a request."""
    request = request.with_run(checkpoint=None)
    labels = None if isinstance(subsets, (int, np.integer)) else subsets
    check_value("subsets", 0 if labels is not None else subsets, int, low=0, high=1000)
    given = None if vary is None else _checked(request, vary)
    samples, found = read_labelled(data, request.reading, {"subsets": labels})
    choices = _default_choices(request, samples) if given is None else given
    base = {name: _current(request, name) for name in choices}
    listed = [base, *({**base, **one} for one in _combinations(choices))]
    study = _Study(request, data, samples)
    parts = _subsets(samples, found["subsets"], subsets, request.seed)
    total = len(listed) + len(parts)
    for k, one in enumerate(listed):
        study.add(one, "all")
        request.run.report("analyses", k + 1, total)
    for k, (name, rows) in enumerate(parts):
        study.add(base, name, rows)
        request.run.report("analyses", len(listed) + k + 1, total)
    if study.left_out:
        warn(
            "analyses-left-out",
            "vary",
            f"{len(study.left_out)} analyses were not possible. The first: {study.left_out[0]}",
        )
    return Robustness(tuple(study.analyses), tuple(study.left_out))


class _Study:
    """Learn analysis after analysis, without repetitions."""

    def __init__(self, request: Request, data: Any, samples: Samples) -> None:
        self._request, self._data = request, data
        self._read = {repr(request.reading.as_json()): samples}
        self._done: set[str] = set()
        self.analyses: list[Analysis] = []
        self.left_out: list[str] = []

    def add(self, choices: Mapping[str, Any], subset: str, rows: Any = None) -> None:
        """Learn one analysis, unless an earlier one is the same; the first one may raise."""
        request = self._request.varied(choices) if self.analyses else self._request
        try:
            with warnings.catch_warnings():
                if self.analyses:  # the warnings of the first analysis hold for all
                    for kind in (DataWarning, ConvergenceWarning):
                        warnings.simplefilter("ignore", kind)
                self._learn(request, choices, subset, rows)
        except InputError as error:
            if not self.analyses:
                raise
            named = ", ".join(f"{name} = {_text(value)}" for name, value in choices.items())
            self.left_out.append(f"{named}: {error}")

    def _learn(self, request: Request, choices: Mapping[str, Any], subset: str, rows: Any) -> None:
        read = repr(request.reading.as_json())
        if read not in self._read:
            self._read[read] = request.read(self._data)
        samples = self._read[read]
        samples = request.prepared(samples if rows is None else samples.take(rows))
        request = request.with_safe_gamma(samples)
        parts = request.method.name, request.method.as_json(), request.knowledge.as_json()
        key = repr([*parts, samples.fingerprint])
        if key in self._done:
            return
        self._done.add(key)
        used = {n: _current(request, n) for n in choices if n not in _foreign(request)}
        self.analyses.append(Analysis(used, subset, request.learn(samples).graph))


def _default_choices(request: Request, samples: Samples) -> dict[str, list[Any]]:
    """Return the choices that are usually open."""
    others = (*METHODS, *OF_BINARY) if samples.is_binary else METHODS
    methods = list(dict.fromkeys([request.method.name, *others]))
    found: dict[str, list[Any]] = {
        "method": methods,
        "gamma": list(GAMMAS),
        "edge_prior": list(EDGE_PRIORS),
    }
    if any(samples.variables.is_ordered) and isinstance(request.reading.kinds, str):
        found["kinds"] = [request.reading.kinds, "nominal"]
    if samples.missing:
        found["missing"] = [request.reading.missing, "drop"]
    return found


def _checked(request: Request, vary: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    """Return the choices as lists; raise `InputError` for values that a request cannot have."""
    if not isinstance(vary, Mapping):
        raise option_error(
            "vary", f"must be a mapping of options to lists of values, not {vary!r}."
        )
    for name, values in vary.items():
        is_list = isinstance(values, Iterable) and not isinstance(values, (str, Mapping))
        if not is_list or not list(values):
            raise InputError(
                "option-value",
                str(name),
                f"{option('vary')} needs a list of values for {name}, not {values!r}.",
            )
    choices = {name: list(values) for name, values in vary.items()}
    if (n := prod(map(len, choices.values()))) > MOST_ANALYSES:
        raise option_error(
            "vary", f"has {n} combinations, and the limit is {MOST_ANALYSES}: give fewer values."
        )
    for one in _combinations(choices):
        request.varied(one)
    return choices


def _combinations(choices: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(choices, own, strict=True)) for own in product(*choices.values())]


def _foreign(request: Request) -> set[str]:
    """Return the options of other methods."""
    known = {name for kind in KNOWN.values() for name in kind.names()}
    return known - set(request.method.names())


def _current(request: Request, name: str) -> Any:
    """Return the value of an option in a request; None for an option of another method."""
    if name == "method":
        return request.method.name
    groups = (request.method, request.reading, request.knowledge, request.run)
    return next((getattr(own, name) for own in groups if name in own.names()), None)


def _subsets(
    samples: Samples, labels: list[Any] | None, subsets: Any, seed: int
) -> list[tuple[str, Any]]:
    """Return the names and rows of the subsets."""
    if labels is not None:
        texts = np.array([str(label) for label in labels])
        return [(f"without {one}", np.flatnonzero(texts != one)) for one in np.unique(texts)]
    size = round(SHARE_OF_SUBSET * samples.n_samples)
    found = []
    for k in range(int(subsets)):
        rng = np.random.default_rng(derived_seed(seed, k))
        rows = np.sort(rng.choice(samples.n_samples, size, replace=False))
        found.append((f"random {SHARE_OF_SUBSET:.0%}", rows))
    return found


def _text(value: Any) -> str:
    return "default" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
