"""`check_model()`: check whether a pairwise network fits the data.

Compare the data with samples of a model: pairs, triples and sum scores.

    pairs       covariances of the scores of two variables
    triples     third central moments of the scores of three variables
    sum score   distribution of the sum of the level numbers of all binary and ordered variables

Samples of the size of the data are drawn from the model, again and again. A moment is expressed in
standard deviations of its values in these samples, and the largest one is compared with the largest
ones of the samples, which gives a p-value for all moments together. The distribution of the sum
score is compared by sum_t (share_t - expected_t)^2 / expected_t.

The parameters were estimated from the same data, so the data are closer to the model than its
samples are. The p-values are therefore somewhat too large: alarms are rarer than their level.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Floats, Ints
from markhood.data.matching import real_units
from markhood.data.rest_scores import stored_components
from markhood.data.to_frame import frame_of_rows
from markhood.data.weights import WeightsAre
from markhood.errors import InputError, warn
from markhood.graph.notebook import result_html
from markhood.model.checking.third_order import Tested, third_order_tests
from markhood.model.fitted.model import FittedModel
from markhood.model.fitting.contingency import Observed
from markhood.model.fitting.fit import fit_model, observed_of, read_for, reading_of_rows
from markhood.model.fitting.layout import Layout
from markhood.options import check_value

MOST_TRIPLES = 20_000
MOST_SUMS = 40  # classes of the sum score
LEVEL = 0.05
FEWEST_SAMPLES = 50


class Compared(NamedTuple):
    """Numbers of the data, and their means and quantiles over samples of the model.

    All of shape (n,); ``z`` is the difference from the mean in standard deviations over samples.
    ``p_value`` concerns all numbers together.
    """

    observed: Floats
    expected: Floats
    low: Floats
    high: Floats
    z: Floats
    p_value: float


@dataclass(frozen=True, eq=False)
class Statistics:
    """The numbers that are compared, for level numbers of shape (n_samples, n_variables)."""

    layout: Layout
    pairs: Ints  # of score columns
    triples: Ints
    summed: Ints  # variables in the sum score

    @classmethod
    def of(cls, layout: Layout, triples: Ints) -> Statistics:
        """Choose the statistics of a model; ``triples`` are those of variables to compare."""
        starts = np.concatenate([[0], np.cumsum(layout.n_scores)])
        owners = np.repeat(np.arange(len(layout.variables)), layout.n_scores)
        pairs = np.array(
            [(a, b) for a, b in combinations(range(len(owners)), 2) if owners[a] != owners[b]],
            np.int64,
        ).reshape(-1, 2)
        single = layout.n_scores == 1
        kept = triples[single[triples].all(axis=1)][:MOST_TRIPLES]
        return cls(layout, pairs, starts[kept], np.flatnonzero(single))

    def values(
        self, codes: NDArray[np.integer], weights: Floats | None = None
    ) -> tuple[Floats, Floats, Floats]:
        """Return the moments of pairs and triples, and the shares of sum scores."""
        share = np.full(len(codes), 1 / len(codes)) if weights is None else weights / weights.sum()
        columns = [scores[codes[:, v]] for v, scores in enumerate(self.layout.scores)]
        centred = np.concatenate(columns, axis=1)
        centred = centred - share @ centred
        covariances = (centred * share[:, None]).T @ centred
        return (
            covariances[self.pairs[:, 0], self.pairs[:, 1]],
            self._third_moments(centred, share),
            self._sums(codes, share),
        )

    def _third_moments(self, centred: Floats, share: Floats) -> Floats:
        found = np.empty(len(self.triples))
        for a in np.unique(self.triples[:, 0]).tolist():
            own = np.flatnonzero(self.triples[:, 0] == a)
            moments = (centred * (share * centred[:, a])[:, None]).T @ centred
            found[own] = moments[self.triples[own, 1], self.triples[own, 2]]
        return found

    def _sums(self, codes: NDArray[np.integer], share: Floats) -> Floats:
        most = int((self.layout.n_levels[self.summed] - 1).sum())
        sums = codes[:, self.summed].sum(axis=1) // self.sum_width
        return np.asarray(
            np.bincount(sums, share, minlength=most // self.sum_width + 1), np.float64
        )

    @property
    def sum_width(self) -> int:
        """Number of sum scores in a class."""
        return 1 + int((self.layout.n_levels[self.summed] - 1).sum()) // MOST_SUMS


def compared(observed: Floats, drawn: Floats, by_largest: bool = True) -> Compared:
    """Compare numbers with those of samples of a model, shape (n_replicates, n).

    Parameters
    ----------
    by_largest : bool, default=True
        Whether the p-value is that of the largest deviation; otherwise of the sum of squares in
        units of the expected values.
    """
    expected, spread = drawn.mean(axis=0), drawn.std(axis=0, ddof=1)
    units = np.where(spread > 0, spread, np.inf)
    scale = units if by_largest else np.sqrt(np.where(expected > 0, expected, np.inf))
    sizes = [np.abs((own - expected) / scale) for own in (observed[None], drawn)]
    ones = [s.max(axis=1, initial=0) if by_largest else (s**2).sum(axis=1) for s in sizes]
    p_value = (1 + int((ones[1] >= ones[0][0]).sum())) / (1 + len(drawn))
    if not by_largest and (observed[expected == 0] > 0).any():  # a sum score that never occurs
        p_value = 1 / (1 + len(drawn))
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    return Compared(observed, expected, low, high, (observed - expected) / units, p_value)


Row = dict[str, Any]


@dataclass(frozen=True, eq=False)
class ModelCheck:
    """How well a pairwise network fits data.

    Attributes
    ----------
    model : FittedModel
    n_samples : int
        Number of complete samples that were used.
    replicates : int
        Number of samples of the model that the data were compared with.
    """

    model: FittedModel
    n_samples: int
    replicates: int
    _tested: Tested
    _statistics: Statistics
    _compared: tuple[Compared, ...]

    @property
    def p_values(self) -> dict[str, float]:
        """The p-value of each part of the check.

        ``third_order``: interactions of three variables, which no pairwise network has. ``pairs``,
        ``triples`` and ``sum_score``: this network with its edges and parameters; absent for a
        model with continuous covariates.
        """
        smallest = float(self._tested.adjusted.min(initial=1.0))
        names = ("pairs", "triples", "sum_score")
        parts = zip(names, self._compared, strict=False)
        return {"third_order": smallest, **{name: own.p_value for name, own in parts}}

    def third_order_rows(self) -> list[Row]:
        """Describe the test of every triple for a third-order interaction, smallest p first.

        Returns
        -------
        list of dict
            ``first``, ``second``, ``third``; whether they are a ``triangle`` of the graph; the
            ``effect`` (one-step estimate of the log odds term of the product of the three) with its
            ``error``; ``p_value``, and ``p_adjusted`` for all triples.
        """
        tested, names = self._tested, self.model.variables.names
        order = np.lexsort((tested.p_values, tested.adjusted))
        return [
            {
                **_named(("first", "second", "third"), [names[v] for v in tested.triples[t]]),
                "triangle": int(tested.in_graph[t]),
                "effect": float(tested.effects[t]),
                "error": float(tested.errors[t]),
                "p_value": float(tested.p_values[t]),
                "p_adjusted": float(tested.adjusted[t]),
            }
            for t in order.tolist()
        ]

    def pair_rows(self) -> list[Row]:
        """Compare the covariances of scores of all pairs with the model, largest deviation first.

        Returns
        -------
        list of dict
            ``source``, ``target``; ``edge``, whether they are joined; the ``observed`` and
            ``expected`` covariance, and the deviation ``z`` in standard deviations over samples of
            the model.
        """
        if not self._compared:
            return []
        owners = self._owners
        edges = {tuple(pair) for pair in self.model.graph.edges.tolist()}
        pairs = owners[self._statistics.pairs]
        rows = _moment_rows(self._compared[0], pairs, self.model.variables.names)
        for row, pair in zip(rows, pairs.tolist(), strict=True):
            row["edge"] = int(tuple(pair) in edges)
        return sorted(rows, key=lambda row: -abs(row["z"]))

    def triple_rows(self) -> list[Row]:
        """Compare the third central moments with the model, as `pair_rows` does."""
        if not self._compared:
            return []
        triples = self._owners[self._statistics.triples]
        rows = _moment_rows(self._compared[1], triples, self.model.variables.names)
        return sorted(rows, key=lambda row: -abs(row["z"]))

    def sum_score_rows(self) -> list[Row]:
        """Compare the distribution of the sum score with the model.

        Returns
        -------
        list of dict
            The ``sum_score`` (the sum of the level numbers of binary and ordered variables; the
            first of a class if there are many), its ``observed`` and ``expected`` share, and the
            95 % interval of the share in samples of the model (``low``, ``high``).
        """
        if not self._compared:
            return []
        own, width = self._compared[2], self._statistics.sum_width
        columns = zip(own.observed, own.expected, own.low, own.high, strict=True)
        names = ("observed", "expected", "low", "high")
        return [
            {"sum_score": width * k, **_named(names, [float(x) for x in numbers])}
            for k, numbers in enumerate(columns)
        ]

    def to_frame(self) -> Any:
        """Return `third_order_rows` as a pandas or polars data frame."""
        names = ("first", "second", "third", "triangle", "effect", "error", "p_value", "p_adjusted")
        return frame_of_rows(self.third_order_rows(), names, self.model.graph.provenance)

    def findings(self) -> list[str]:
        """State in sentences what does not fit at the 5 % level."""
        return list(self._findings())

    def _findings(self) -> Iterator[str]:
        p = self.p_values
        tested = self._tested
        what = "all triples" if tested.has_all else "the triangles of the graph"
        if p["third_order"] <= LEVEL:
            best = self.third_order_rows()[0]
            yield (
                f"{best['first']}, {best['second']} and {best['third']} interact beyond pairs "
                f"(third-order effect {best['effect']:.2g}, adjusted p = {best['p_adjusted']:.2g}; "
                f"{len(tested.triples)} triples tested): the dependence of two changes with the "
                "third, and a pairwise network describes it on average only."
            )
        else:
            yield f"No third-order interaction was found among {what} ({len(tested.triples)})."
        parts = {
            "pairs": "covariances of pairs",
            "triples": "third moments of triples",
            "sum_score": "distribution of the sum score",
        }
        wrong = [name for name in parts if p.get(name, 1) <= LEVEL]
        for name in wrong:
            yield f"The network does not reproduce the {parts[name]} (p = {p[name]:.2g})."
        if self._compared and not wrong:
            yield "The network reproduces pairs, triples and the distribution of the sum score."

    @property
    def _owners(self) -> Any:
        layout = self._statistics.layout
        return np.repeat(np.arange(len(layout.variables)), layout.n_scores)

    def __repr__(self) -> str:
        """List the p-values in a line."""
        listed = ", ".join(f"{name} p = {p:.3g}" for name, p in self.p_values.items())
        return f"<ModelCheck: {listed}; {self.n_samples} samples>"

    def _repr_html_(self) -> str:
        facts = [
            ("samples", str(self.n_samples)),
            *((name.replace("_", " "), f"p = {p:.3g}") for name, p in self.p_values.items()),
        ]
        facts += [("finding", text) for text in self.findings()]
        return result_html("ModelCheck", facts, self.third_order_rows())


def check_model(
    model: Any,
    data: Any,
    *,
    replicates: int = 200,
    seed: int = 0,
    weights: Any = None,
    weights_are: WeightsAre = "auto",
    clusters: Any = None,
) -> ModelCheck:
    """Check whether a pairwise network fits data.

    The check answers two questions. Is there an interaction of three variables, which no pairwise
    network has? And does this network reproduce the covariances of pairs, the third moments of
    triples and the distribution of the sum score?

    Parameters
    ----------
    model : FittedModel or Graph
        A graph is fitted to the data first.
    data : array, data frame, sparse matrix or Samples, of shape (n_samples, n_variables), or path
        The data that the model was fitted to. Samples with missing values are not used.
    replicates : int, default=200
        Number of samples of the model to compare the data with.
    seed : int, default=0
        Random seed of these samples.
    weights, weights_are, clusters
        As for `fit_model`.

    Returns
    -------
    ModelCheck

    Examples
    --------
    >>> import markhood
    >>> rng = np.random.default_rng(0)
    >>> x = rng.integers(0, 2, size=(1000, 4))
    >>> x[:, 2] = np.where(rng.random(1000) < 0.8, x[:, 0] ^ x[:, 1], x[:, 2])
    >>> found = check_model(markhood.learn(x), x, replicates=50)
    >>> row = found.third_order_rows()[0]
    >>> row["first"], row["second"], row["third"], row["p_adjusted"] < 0.001
    ('x0', 'x1', 'x2', True)
    """
    check_value("replicates", replicates, int, low=20, high=100_000)
    check_value("seed", seed, int, low=0)
    fitted = model
    if not isinstance(model, FittedModel):
        fitted = fit_model(model, data, weights=weights, weights_are=weights_are, clusters=clusters)
    graph = fitted.graph
    given = reading_of_rows(weights, weights_are, clusters)
    samples = read_for(graph, data, "auto", "auto", given)
    components = stored_components(graph.provenance, graph.variables)
    units = real_units(graph.provenance)
    observed = _complete(observed_of(samples, graph.variables, units, components))
    n_reals = len(units) + (0 if components is None else components.n)
    layout = Layout(graph.variables, graph.edges, n_reals, components is not None)
    tested = third_order_tests(layout, observed)
    statistics = Statistics.of(layout, tested.triples)
    size = round(float(observed.weights.sum()))
    parts: tuple[Compared, ...] = ()
    if not fitted.covariates:
        streams = np.random.SeedSequence(seed).spawn(int(replicates))
        drawn = [statistics.values(fitted.distribution.sample(size, own)) for own in streams]
        known = statistics.values(observed.codes.T, observed.weights)
        parts = tuple(
            compared(own, np.array([each[k] for each in drawn]), by_largest=k < 2)
            for k, own in enumerate(known)
        )
    return ModelCheck(fitted, observed.n_samples, int(replicates), tested, statistics, parts)


def _complete(observed: Observed) -> Observed:
    """Return the samples without missing values."""
    known = (observed.codes != Observed.UNKNOWN).all(axis=0)
    n, total = int(known.sum()), observed.n_samples
    weight = float(observed.weights[known].sum())
    if weight < FEWEST_SAMPLES:
        raise InputError(
            "too-few-rows",
            "",
            f"The check needs at least {FEWEST_SAMPLES} samples without missing values, and there "
            f"are {weight:.4g}: leave out columns with many missing values.",
        )
    if n < total:
        warn(
            "rows-dropped", "", f"{total - n} of {total} samples with missing values are not used."
        )
    clusters = observed.clusters
    return replace(
        observed,
        codes=observed.codes[:, known],
        weights=observed.weights[known],
        reals=observed.reals[..., known] if observed.reals.size else observed.reals,
        clusters=None if clusters is None else np.unique(clusters[known], return_inverse=True)[1],
    )


def _moment_rows(own: Compared, members: Any, names: tuple[str, ...]) -> list[Row]:
    heads = ("source", "target") if members.shape[1] == 2 else ("first", "second", "third")
    return [
        {
            **_named(heads, [names[v] for v in some]),
            "observed": float(own.observed[k]),
            "expected": float(own.expected[k]),
            "z": float(own.z[k]),
        }
        for k, some in enumerate(members.tolist())
    ]


def _named(names: tuple[str, ...], values: list[Any]) -> Row:
    return dict(zip(names, values, strict=True))
