"""`FittedModel`: a distribution that was fitted to data, in the words of the data.

`IsingModel` and `PottsModel` are distributions of level numbers; a fitted model holds one of them, with the names of
its variables and levels, the standard errors of its numbers, and what it can be asked. All binary
variables make an `IsingModel` in 0/1 coding, others a `PottsModel` whose tables and fields are zero-sum.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from markhood.data.matching import UNKNOWN, codes_like
from markhood.data.to_frame import (
    frame_library,
    frame_of_levels,
    frame_of_rows,
    level_array,
)
from markhood.data.variables import Variables
from markhood.errors import InputError
from markhood.graph.graph import Graph
from markhood.graph.notebook import graph_html
from markhood.model.annealing import Estimate
from markhood.model.fitted.pgmpy import to_pgmpy
from markhood.model.fitted.prediction import predict
from markhood.model.fitted.query import Answer, answer
from markhood.model.fitted.rows import coupling_rows, deviations_within, field_rows, parameter_rows
from markhood.model.fitted.scoring import Predictability, predictability
from markhood.model.fitted.summary import Summary, criterion, summary_of
from markhood.model.ising.model import IsingModel
from markhood.model.one_hot import OneHot
from markhood.model.potts.model import PottsModel
from markhood.model.sampling.settings import Seed

_BLOCK = 1 << 22  # numbers of all samples' log odds at a time


@dataclass(frozen=True, eq=False)
class Errors:
    """Standard errors.

    Attributes
    ----------
    couplings : ndarray of shape (n_edges,)
    tables : tuple of ndarray of shape (r_i, r_j), or None
        Of each edge's table; None for an edge that has a number.
    fields : ndarray of shape (n_variables,), or tuple of ndarray of shape (r_i,)
    spin_fields : ndarray of shape (n_variables,), or None
        Of fields in -1/+1 coding, where all variables are binary.
    """

    couplings: NDArray[np.float64]
    tables: tuple[NDArray[np.float64] | None, ...]
    fields: NDArray[np.float64] | tuple[NDArray[np.float64], ...]
    spin_fields: NDArray[np.float64] | None


class Table(NamedTuple):
    """A coupling as a zero-sum table, with the levels of its rows and columns, and standard errors."""

    rows: tuple[Any, ...]
    columns: tuple[Any, ...]
    values: NDArray[np.float64]
    errors: NDArray[np.float64]


class FittedModel:
    """A pairwise Markov network with its fields and couplings, fitted to data.

    Made by `fit_model`, by ``model_`` of every estimator, or read from a file by `read_model`.

    Attributes
    ----------
    distribution : IsingModel or PottsModel
        The distribution of level numbers.
    graph : Graph
        The graph with these couplings in place of those that it was learned with, their standard
        errors (``coupling_error``) and 95 % intervals (``coupling_low``, ``coupling_high``).
    errors : Errors
        Standard errors of couplings, tables and fields.
    infinite_couplings, infinite_fields : ndarray of bool
        Of which edges and variables the maximum is infinite; always of none where there was a prior.
    method : {"pseudo-likelihood", "likelihood", "average"}
    prior : float or None
        Standard deviation of couplings beforehand.
    n_samples : int
        How many samples it was fitted to.
    llf : float or None
        Log-likelihood of these samples, or log pseudo-likelihood where that was maximised; None if it
        was read from a file without it.
    total_weight : float or None
        The sum of the samples' weights.

    Examples
    --------
    >>> import markhood
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> rain = rng.integers(0, 2, 300)
    >>> wet = np.where(rng.random(300) < 0.9, rain, 1 - rain)
    >>> data = np.column_stack([rain, wet])
    >>> model = markhood.fit_model(markhood.Graph(["rain", "wet"], [(0, 1)]), data)
    >>> model
    <FittedModel: 2 variables, 1 coupling, fitted to 300 samples by pseudo-likelihood>
    >>> model.predict_proba([[1, 0], [1, 1]], "rain").round(1).tolist()
    [[0.9, 0.1], [0.1, 0.9]]
    """

    def __init__(
        self,
        distribution: IsingModel | PottsModel,
        graph: Graph,
        errors: Errors,
        infinite_couplings: NDArray[np.bool_],
        infinite_fields: NDArray[np.bool_],
        method: str,
        prior: float | None,
        n_samples: int,
        llf: float | None = None,
        total_weight: float | None = None,
    ) -> None:
        self.distribution = distribution
        self.errors = errors
        self.infinite_couplings = infinite_couplings
        self.infinite_fields = infinite_fields
        self.method = method
        self.prior = prior
        self.n_samples = n_samples
        self.llf = llf
        self.total_weight = total_weight
        self._learned = graph

    @property
    def variables(self) -> Variables:
        """Names, levels and kinds of the variables."""
        return self.distribution.graph.variables

    @property
    def couplings(self) -> NDArray[np.float64]:
        """A number for every edge, in the order of ``graph.edges``, shape (n_edges,).

        The log odds ratio given all others; of a step of each where levels are ordered; elsewhere the size of
        the table. Infinite where there is no maximum.
        """
        numbers = self._finite_couplings.copy()
        at = self.infinite_couplings
        numbers[at] = np.where(self._has_table[at], np.inf, np.copysign(np.inf, numbers[at]))
        return numbers

    @property
    def fields(self) -> NDArray[np.float64] | tuple[NDArray[np.float64], ...]:
        """What favours the levels of each variable, its neighbours apart.

        Where all variables are binary, shape (n_variables,), in 0/1 coding: the log odds of the second
        level while all neighbours are at their first. Else a zero-sum vector of n_levels numbers each.
        """
        if isinstance(self.distribution, PottsModel):
            return self.distribution.fields
        numbers = self.distribution.fields.copy()
        at = self.infinite_fields
        numbers[at] = np.copysign(np.inf, numbers[at])
        return numbers

    @cached_property
    def graph(self) -> Graph:
        """The graph with the model's couplings."""
        low, high = self.intervals().T
        own = {"coupling_error": self.errors.couplings, "coupling_low": low, "coupling_high": high}
        # What was learned of other couplings than these would contradict them.
        stale = (*own, "standardized")
        kept = {k: v for k, v in self._learned.annotations.items() if k not in stale}
        tables = [t if has else None for t, has in zip(self._tables, self._has_table, strict=True)]
        about = {"method": self.method, "prior": self.prior, "samples": self.n_samples}
        return Graph(
            self.variables,
            self._learned.edges,
            self._learned.evidence_ends,
            np.column_stack([self.couplings, self.couplings]),
            {**self._learned.provenance, "model": about},
            tables,
            {**kept, **own},
        )

    def intervals(self, level: float = 0.95) -> NDArray[np.float64]:
        """Return an interval for the coupling of every edge, shape (n_edges, 2).

        Parameters
        ----------
        level : float, default=0.95
            How often such intervals have the true coupling in them. A table's size has none below 0.
        """
        half = deviations_within(level) * self.errors.couplings
        middle = self._finite_couplings
        found = np.column_stack([middle - half, middle + half])
        found[self._has_table, 0] = np.maximum(found[self._has_table, 0], 0)
        found[self.infinite_couplings] = np.nan
        return found

    def table(self, first: str | int, second: str | int) -> Table:
        """Return the coupling of two neighbours as a zero-sum table, with the names of levels.

        Parameters
        ----------
        first, second : str or int
            The variable of the rows, and that of the columns: names or numbers.
        """
        i, j = self._number(first), self._number(second)
        at = np.flatnonzero((self._edges == sorted((i, j))).all(axis=1))
        if not len(at):
            names = self.variables.names
            raise InputError(f"The model has no coupling of {names[i]!r} and {names[j]!r}.")
        k = int(at[0])
        values, errors = self._tables[k], self.errors.tables[k]
        if errors is None:  # a table of one number: a multiple of what a step of both does
            errors = np.abs(self._steps(k)) * self.errors.couplings[k]
        own = values if i < j else values.T, errors if i < j else errors.T
        return Table(self.levels[i], self.levels[j], *own)

    def coupling_rows(self, coding: str = "01") -> list[dict[str, Any]]:
        """Return the couplings as rows: a row an edge, or a cell where an edge has a table.

        Parameters
        ----------
        coding : {"01", "spins"}, default="01"
            Of binary variables; "spins" is -1/+1, and for models of binary variables only.

        Returns
        -------
        list of dict
            For a data frame or a CSV.
        """
        return coupling_rows(self, coding)

    def field_rows(self, coding: str = "01") -> list[dict[str, Any]]:
        """Return the fields (thresholds) as rows: one for each variable, or for each of its levels.

        Parameters
        ----------
        coding : {"01", "spins"}, default="01"
            As for `coupling_rows`.
        """
        return field_rows(self, coding)

    def to_frame(self) -> Any:
        """Return all parameters as a data frame, fields and then couplings: pandas, or polars.

        The columns are ``parameter``, its name as in `params`; ``variable``, ``level``, ``other`` and
        ``other_level``, where it belongs; ``value``, its standard ``error``, and a 95 % interval (``low``,
        ``high``).
        """
        return frame_of_rows(parameter_rows(self))

    @property
    def params(self) -> Any:
        """All fields and couplings by name, such as ``a`` and ``a:b``, or ``a[x]:b[y]`` of levels.

        A pandas series, or a polars frame with the columns ``parameter`` and ``value``.
        """
        return self._named("value")

    @property
    def bse(self) -> Any:
        """The standard errors of `params`, named likewise."""
        return self._named("error")

    def conf_int(self, level: float = 0.95) -> Any:
        """Return intervals of `params`, named likewise, as the columns ``low`` and ``high``.

        Parameters
        ----------
        level : float, default=0.95
            How often such intervals have the true number in them.
        """
        return self._named("low", "high", level=level)

    @property
    def aic(self) -> float:
        """Akaike's information criterion of the fit: the lower, the better.

        Compare it among models that were fitted to the same samples by the same method. By
        pseudo-likelihood it is the sum of the criteria of all regressions.
        """
        return criterion(self, 2.0)

    @property
    def bic(self) -> float:
        """Bayesian information criterion of the fit, as `aic`, with the price log(n) a parameter."""
        return criterion(self, float(np.log(self.total_weight or 1.0)))

    def summary(self, level: float = 0.95) -> Summary:
        """Return a table to print: the fit, then fields and couplings with errors and intervals.

        Parameters
        ----------
        level : float, default=0.95
            Of intervals.
        """
        return summary_of(self, level)

    def to_spins(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return couplings and fields in -1/+1 coding, where all variables are binary: see `recode`."""
        if isinstance(self.distribution, IsingModel):
            return self.distribution.to_spins()
        raise InputError(
            "Only binary variables are spins, and some of this model have more levels; its tables and "
            "fields are zero-sum."
        )

    def to_pgmpy(self) -> Any:
        """Return the distribution as a `pgmpy.models.DiscreteMarkovNetwork` (extra ``pgmpy``)."""
        return to_pgmpy(self)

    def predict(
        self, data: Any, target: str | int | Sequence[str | int], seed: Seed = 0
    ) -> NDArray[Any]:
        """Return the most probable level of one or some variables given all others.

        Parameters
        ----------
        data : array, data frame, sparse matrix or Samples, of shape (n_samples, n_columns), or path
            With all columns of the model, or all but the targets, which are not looked at. Missing
            values are summed over.
        target : str, int or sequence of them
            Names or numbers of variables.
        seed : int, SeedSequence or Generator, default=0
            For sums over so many unknown values at once that they have to be sampled.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
            Levels as the data have them; of several targets, each the most probable for itself.
        """
        wanted, is_one = self._targets(target)
        chances = self._chances(data, wanted, seed)
        columns = []
        for variable, own in zip(wanted, chances, strict=True):
            levels = level_array(self.levels[variable])
            columns.append(levels[own.argmax(axis=1)])
        return columns[0] if is_one else np.stack([c.astype(object) for c in columns], axis=1)

    def predict_proba(
        self, data: Any, target: str | int | Sequence[str | int], seed: Seed = 0
    ) -> NDArray[np.float64] | list[NDArray[np.float64]]:
        """Return the probabilities of the levels of one or some variables given all others.

        Parameters
        ----------
        data, target, seed
            As for `predict`.

        Returns
        -------
        ndarray of shape (n_samples, n_levels), or a list of such arrays for several targets
            In the order of the variable's levels.
        """
        wanted, is_one = self._targets(target)
        chances = self._chances(data, wanted, seed)
        return chances[0] if is_one else chances

    def query(
        self,
        target: str | int | Sequence[str | int],
        evidence: Mapping[str, Any] | None = None,
        seed: Seed = 0,
    ) -> Answer:
        """Return the distribution of one or some variables given others, the rest summed over.

        Parameters
        ----------
        target : str, int or sequence of them
            Names or numbers of variables; of several, the distribution is the joint one.
        evidence : mapping, optional
            Names of variables that are known, and the level of each as the data have it.
        seed : int, SeedSequence or Generator, default=0
            Of Gibbs chains, where the graph has too many cycles for exact sums.

        Returns
        -------
        Answer
            With ``probabilities``, ``method`` ("exact" or "sampled"), ``error`` and ``to_frame()``.

        Examples
        --------
        >>> import markhood
        >>> data = [["no", 0, 0], ["no", 0, 1], ["yes", 1, 1], ["yes", 1, 0], ["yes", 0, 1]] * 20
        >>> model = markhood.fit_model(markhood.Graph("abc", [(0, 1), (1, 2)]), data)
        >>> model.query("a", {"c": 1})
        <Answer (exact): a = yes with probability 0.5458>
        """
        wanted = list(dict.fromkeys(self._targets(target)[0]))
        known = {self._number(name): value for name, value in (evidence or {}).items()}
        both = [self.variables.names[v] for v in wanted if v in known]
        if both:
            raise InputError(f"{both[0]!r} is a target and in the evidence: leave it out of one.")
        codes = np.full(len(self.variables), UNKNOWN, np.uint16)
        if known:
            row = np.array([[known.get(v) for v in range(len(codes))]], dtype=object)
            hidden = [v for v in range(len(codes)) if v not in known]
            codes = codes_like(row, self.variables, hidden)[:, 0]
        return answer(self, wanted, codes, seed)

    def complete(self, data: Any, seed: Seed = 0) -> Any:
        """Return data with missing values replaced by the most probable ones, all of a sample together.

        Parameters
        ----------
        data : array, data frame, sparse matrix or Samples, of shape (n_samples, n_columns), or path
        seed : int, SeedSequence or Generator, default=0
            Of the search for the best values, where a sample misses too many for all to be tried.

        Returns
        -------
        pandas or polars data frame
            The model's variables in their order, with the levels of the data; ordered texts are ordered
            categories. A pandas frame keeps its index.
        """
        codes = codes_like(data, self.variables)
        found = predict(self._network, codes, np.random.default_rng(seed)).most_probable
        frame = frame_of_levels(self.variables, found.T, frame_library(data))
        if type(data).__module__.split(".")[0] == "pandas":
            frame.index = data.index
        return frame

    def sample(self, n_samples: int, seed: Seed = None, **settings: Any) -> Any:
        """Draw samples, levels as the data have them; ``distribution.sample`` draws level numbers.

        Parameters
        ----------
        n_samples : int
        seed : int, SeedSequence or Generator, optional
        **settings
            Of the sampler, as for `IsingModel.sample`.

        Returns
        -------
        pandas or polars data frame
            As for `complete`.
        """
        drawn = self.distribution.sample(n_samples, seed, **settings)
        return frame_of_levels(self.variables, drawn)

    def energy(self, data: Any) -> NDArray[np.float64]:
        """Return the energy of every sample, -log p(x) - log Z, shape (n_samples,)."""
        return self.distribution.energy(self._complete_codes(data).T)

    def log_pseudo_likelihood(self, data: Any) -> float:
        """Return the mean over samples of the sum of the variables' log-probabilities given the others."""
        codes = self._complete_codes(data)
        total = 0.0
        for part, logs in self._conditional_logs(codes):
            indicators = self._network.indicators(codes[:, part])
            total += float((logs * indicators).sum())
        return float(total / codes.shape[1])

    def log_likelihood(
        self, data: Any, seed: Seed = 0, *, chains: int = 128, steps: int = 1000
    ) -> Estimate:
        """Return the mean log-likelihood of samples, and its error.

        Parameters
        ----------
        data : array, data frame, sparse matrix or Samples, of shape (n_samples, n_columns), or path
        seed, chains, steps
            Of annealed importance sampling, as for `IsingModel.estimate_log_partition`, where the
            graph has too many cycles for an exact sum.

        Returns
        -------
        Estimate
            ``value``, and ``error``, which is 0 where the value is exact.
        """
        mean = -float(self.energy(data).mean())
        try:
            found = Estimate(self.distribution.log_partition(), 0.0)
        except InputError:
            found = self.distribution.estimate_log_partition(seed, chains=chains, steps=steps)
        return Estimate(mean - found.value, found.error)

    def predictability(self, data: Any) -> Predictability:
        """Say how well each variable is predicted from the others, beside its commonest level.

        Parameters
        ----------
        data : array, data frame, sparse matrix or Samples, of shape (n_samples, n_columns), or path
            Best others than those that the model was fitted to. Each variable is predicted in the
            samples that have it and all its neighbours.
        """
        codes = codes_like(data, self.variables)
        known = codes != UNKNOWN
        with_blanket = known.copy()
        for i, j in self._edges.tolist():
            with_blanket[i] &= known[j]
            with_blanket[j] &= known[i]
        parts = [logs for _, logs in self._conditional_logs(np.where(known, codes, 0), known)]
        together = np.concatenate(parts)
        ends = np.cumsum(self._network.n_levels)[:-1]
        by_variable = np.split(together, ends, axis=1)
        return predictability(self.variables.names, by_variable, codes, with_blanket)

    def __repr__(self) -> str:
        """Say how large the model is, and what it was fitted to."""
        n = len(self._edges)
        return (
            f"<FittedModel: {len(self.variables)} variables, {n} coupling{'s'[: n != 1]}, fitted to "
            f"{self.n_samples} samples by {self.method}>"
        )

    def _repr_html_(self) -> str:
        fitted = f"{self.n_samples} samples by {self.method}"
        known = [] if self.llf is None else [("AIC, BIC", f"{self.aic:.1f}, {self.bic:.1f}")]
        return graph_html(self.graph, "FittedModel", [("fitted to", fitted), *known])

    def _named(self, *columns: str, level: float = 0.95) -> Any:
        """Return columns of `to_frame` by the names of parameters."""
        rows = parameter_rows(self, level)
        frame = frame_of_rows([{k: row[k] for k in ("parameter", *columns)} for row in rows])
        if not hasattr(frame, "set_index"):
            return frame  # polars has no index
        frame = frame.set_index("parameter")
        return frame[columns[0]] if len(columns) == 1 else frame

    @property
    def _edges(self) -> NDArray[np.int64]:
        return self.distribution.graph.edges

    @cached_property
    def _network(self) -> OneHot:
        return OneHot.of(self._edges, *self.distribution.as_tables())

    @cached_property
    def levels(self) -> list[tuple[Any, ...]]:
        """The levels of each variable, in order; a constant one has a second that was never seen."""
        known = self.variables.levels or ()
        return [own if len(own) > 1 else (*own, None) for own in known]

    @cached_property
    def _has_table(self) -> NDArray[np.bool_]:
        return np.array([own is not None for own in self.errors.tables], np.bool_)

    @cached_property
    def _tables(self) -> tuple[NDArray[np.float64], ...]:
        if isinstance(self.distribution, PottsModel):
            return self.distribution.tables
        corners = np.array([[0.25, -0.25], [-0.25, 0.25]])
        return tuple(coupling * corners for coupling in self.distribution.couplings)

    @cached_property
    def _finite_couplings(self) -> NDArray[np.float64]:
        if isinstance(self.distribution, IsingModel):
            return self.distribution.couplings.copy()
        found = [
            np.linalg.norm(table) if has else table[-1, -1] / self._steps(k)[-1, -1]
            for k, (table, has) in enumerate(zip(self._tables, self._has_table, strict=True))
        ]
        return np.array(found, dtype=np.float64)

    def _steps(self, edge: int) -> NDArray[np.float64]:
        """Return the table that a step of both ends makes."""
        ends = [np.arange(r) - (r - 1) / 2 for r in self._network.n_levels[self._edges[edge]]]
        return np.outer(*ends)

    def _chances(self, data: Any, wanted: Sequence[int], seed: Seed) -> list[NDArray[np.float64]]:
        codes = codes_like(data, self.variables, hidden=wanted)
        found = predict(self._network, codes, np.random.default_rng(seed))
        return [found.chances[:, self._network.columns_of(np.array([v]))] for v in wanted]

    def _conditional_logs(
        self, codes: NDArray[np.uint16], known: NDArray[np.bool_] | None = None
    ) -> Iterable[tuple[slice, NDArray[np.float64]]]:
        """Return the log-probabilities of all levels given the other variables, some samples at a time."""
        rows = max(1, _BLOCK // len(self._network.fields))
        for first in range(0, codes.shape[1], rows):
            part = slice(first, first + rows)
            own = None if known is None else known[:, part]
            indicators = self._network.indicators(codes[:, part], own)
            yield part, self._network.normalised(self._network.logits(indicators))

    def _complete_codes(self, data: Any) -> NDArray[np.uint16]:
        codes = codes_like(data, self.variables)
        gaps = np.flatnonzero((codes == UNKNOWN).any(axis=1))
        if len(gaps):
            name = self.variables.names[int(gaps[0])]
            raise InputError(
                f"Column {name!r} has missing values, and only complete samples have a probability: "
                "leave those samples out, or complete them with model.complete(data)."
            )
        return codes

    def _targets(self, target: str | int | Sequence[str | int]) -> tuple[list[int], bool]:
        if isinstance(target, (str, int, np.integer)):
            return [self._number(target)], True
        wanted = [self._number(one) for one in target]
        if not wanted:
            raise InputError("There is no target: name one variable or more.")
        return wanted, False

    def _number(self, variable: str | int) -> int:
        return self.distribution.graph.number(variable)
