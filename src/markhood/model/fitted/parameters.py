"""`FittedParameters`: estimates of fields and couplings, with errors, intervals and a summary.

`IsingModel` and `PottsModel` are distributions of level numbers. A fitted model has one of them,
the names of its variables and levels, and the standard errors of its parameters. If all variables
are binary it is an `IsingModel` in 0/1 coding, otherwise a `PottsModel` with zero-sum tables and
fields.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from markhood.arrays import Bools, Floats, Ints
from markhood.data.to_frame import frame_of_rows
from markhood.data.variables import Variables
from markhood.errors import InputError
from markhood.graph.graph import Graph
from markhood.graph.notebook import graph_html
from markhood.model.fitted.rows import (
    coupling_rows,
    covariate_rows,
    deviations_within,
    field_rows,
    parameter_rows,
)
from markhood.model.fitted.summary import SELECTION, Summary, criterion, summary_of
from markhood.model.ising.model import IsingModel
from markhood.model.potts.model import PottsModel


@dataclass(frozen=True, eq=False)
class Errors:
    """Standard errors.

    Attributes
    ----------
    couplings : ndarray of shape (n_edges,)
    tables : tuple of ndarray of shape (r_i, r_j), or None
        Errors of the table of each edge; None for an edge with a single number.
    fields : ndarray of shape (n_variables,), or tuple of ndarray of shape (r_i,)
    spin_fields : ndarray of shape (n_variables,), or None
        Errors of the fields in -1/+1 coding, if all variables are binary.
    """

    couplings: Floats
    tables: tuple[Floats | None, ...]
    fields: Floats | tuple[Floats, ...]
    spin_fields: Floats | None


class Covariate(NamedTuple):
    """A continuous covariate of a model, and its effects on the levels of all variables.

    ``effects``, of shape (n_columns,), are the changes in log-probability of the levels per unit of
    the covariate, and ``errors`` their standard errors; the effects on each variable sum to 0.
    Fields are those at the ``mean`` of the covariate.
    """

    name: str
    mean: float
    sd: float
    effects: Floats
    errors: Floats


class CouplingTable(NamedTuple):
    """A zero-sum table of couplings with standard errors, and the levels of rows and columns."""

    rows: tuple[Any, ...]
    columns: tuple[Any, ...]
    values: Floats
    errors: Floats


class FittedParameters:
    """The parameters of a fitted model; see `FittedModel`."""

    def __init__(
        self,
        distribution: IsingModel | PottsModel,
        graph: Graph,
        errors: Errors,
        infinite_couplings: Bools,
        infinite_fields: Bools,
        method: str,
        prior: float | None,
        n_samples: int,
        llf: float | None = None,
        total_weight: float | None = None,
        covariates: tuple[Covariate, ...] = (),
        converged: Bools | None = None,
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
        self.covariates = covariates
        self.converged = np.ones(len(self.variables), np.bool_) if converged is None else converged
        self._learned = graph

    @property
    def is_selected(self) -> bool:
        """Whether the graph was learned, so that intervals do not include its selection."""
        about = self._learned.provenance
        return "method" in about and not about.get("all_pairs", False)

    @property
    def variables(self) -> Variables:
        """Names, levels and kinds of the variables."""
        return self.distribution.graph.variables

    @property
    def couplings(self) -> Floats:
        """The coupling of each edge, in the order of ``graph.edges``, shape (n_edges,).

        The conditional log odds ratio; for ordered levels, per step of both variables; otherwise
        the norm of the table. Infinite if the data are separated.
        """
        numbers = self._finite_couplings.copy()
        at = self.infinite_couplings
        numbers[at] = np.where(self._has_table[at], np.inf, np.copysign(np.inf, numbers[at]))
        return numbers

    @property
    def fields(self) -> Floats | tuple[Floats, ...]:
        """The fields (thresholds) of each variable.

        If all variables are binary, shape (n_variables,), in 0/1 coding: the log odds of the second
        level when all neighbours are at their first. Otherwise a zero-sum vector per variable.
        """
        if isinstance(self.distribution, PottsModel):
            return self.distribution.fields
        numbers = self.distribution.fields.copy()
        at = self.infinite_fields
        numbers[at] = np.copysign(np.inf, numbers[at])
        return numbers

    @cached_property
    def graph(self) -> Graph:
        """The graph with the couplings of the model."""
        low, high = self.intervals().T
        own = {"coupling_error": self.errors.couplings, "coupling_low": low, "coupling_high": high}
        # Annotations that depend on the learned couplings do not apply to those of the model.
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

    def intervals(self, level: float = 0.95) -> Floats:
        """Return a confidence interval for the coupling of each edge, shape (n_edges, 2).

        Parameters
        ----------
        level : float, default=0.95
            Confidence level. Intervals for the norm of a table do not extend below 0; those of
            infinite estimates have no bounds.

        Notes
        -----
        Intervals hold for a given graph. They do not include the selection of edges from the same
        data (`is_selected`): use ``fit_model(..., all_pairs=True)``.
        """
        half = deviations_within(level) * self.errors.couplings
        middle = self._finite_couplings
        found = np.column_stack([middle - half, middle + half])
        found[self.infinite_couplings] = -np.inf, np.inf
        found[self._has_table, 0] = np.maximum(found[self._has_table, 0], 0)
        return found

    def table(self, first: str | int, second: str | int) -> CouplingTable:
        """Return the coupling of two neighbours as a zero-sum table, with level names.

        Parameters
        ----------
        first, second : str or int
            Names or numbers of the variables of the rows and of the columns.
        """
        i, j = self._number(first), self._number(second)
        at = np.flatnonzero((self._edges == sorted((i, j))).all(axis=1))
        if not len(at):
            a, b = self.variables.names[i], self.variables.names[j]
            raise InputError(
                "graph-unknown", f"{a} - {b}", f"The model has no coupling of {a!r} and {b!r}."
            )
        k = int(at[0])
        values, errors = self._tables[k], self.errors.tables[k]
        if errors is None:  # a coupling per step, in units of the table of a unit coupling
            errors = np.abs(self._steps(k)) * self.errors.couplings[k]
        own = values if i < j else values.T, errors if i < j else errors.T
        return CouplingTable(self.levels[i], self.levels[j], *own)

    def coupling_rows(self, coding: str = "01") -> list[dict[str, Any]]:
        """Return the couplings as rows, one per edge or per cell of the table of an edge.

        Parameters
        ----------
        coding : {"01", "spins"}, default="01"
            Coding of binary variables; "spins" is -1/+1 and requires that all variables are binary.
        """
        return coupling_rows(self, coding)

    def field_rows(self, coding: str = "01") -> list[dict[str, Any]]:
        """Return the fields (thresholds) as rows, one per variable or per level.

        The intervals hold for a given graph. If it was learned from the same data, they are too
        narrow, because a field also changes with every edge that is left out: use
        ``fit_model(..., all_pairs=True)``.

        Parameters
        ----------
        coding : {"01", "spins"}, default="01"
            As for `coupling_rows`.
        """
        return field_rows(self, coding)

    def covariate_rows(self) -> list[dict[str, Any]]:
        """Return the effects of continuous covariates as rows, per variable or per level.

        The effect is per unit of the covariate: on the log odds of a step up for binary and ordinal
        variables, otherwise on the log-probability of a level (zero-sum).
        """
        return covariate_rows(self)

    def to_frame(self) -> Any:
        """Return fields, covariate effects and couplings as a pandas or polars data frame.

        The columns are ``parameter``, the name as in `params`; ``variable``, ``level``, ``other``
        and ``other_level``; ``value``, its standard ``error``, and a 95 % interval (``low``,
        ``high``).
        """
        return frame_of_rows(parameter_rows(self), (), self.graph.provenance)

    @property
    def params(self) -> Any:
        """All parameters by name, such as ``a`` and ``a:b``, or ``a[x]:b[y]`` for levels.

        A pandas series, or a polars data frame with the columns ``parameter`` and ``value``.
        """
        return self._named("value")

    @property
    def bse(self) -> Any:
        """The standard errors of `params`, by the same names."""
        return self._named("error")

    def conf_int(self, level: float = 0.95) -> Any:
        """Return confidence intervals of `params`, as the columns ``low`` and ``high``.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level.
        """
        return self._named("low", "high", level=level)

    @property
    def aic(self) -> float:
        """Akaike's information criterion of the fit; lower is better.

        Compare it between models fitted to the same samples by the same method. For
        pseudo-likelihood it is the sum of the criteria of all regressions.
        """
        return criterion(self, 2.0)

    @property
    def bic(self) -> float:
        """Bayesian information criterion: as `aic`, with penalty log(n) per parameter."""
        return criterion(self, float(np.log(self.total_weight or 1.0)))

    def summary(self, level: float = 0.95) -> Summary:
        """Return a printable summary: the fit, fields and couplings with errors and intervals.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level of the intervals.
        """
        return summary_of(self, level)

    def to_spins(self) -> tuple[Floats, Floats]:
        """Return couplings and fields of binary variables in -1/+1 coding; see `recode`."""
        if isinstance(self.distribution, IsingModel):
            return self.distribution.to_spins()
        raise InputError(
            "not-supported",
            "coding",
            "The -1/+1 coding is for binary variables, but some variables of this model have more "
            "levels. Its tables and fields are zero-sum.",
        )

    def __repr__(self) -> str:
        """Describe the model in a line."""
        n = len(self._edges)
        return (
            f"<{type(self).__name__}: {len(self.variables)} variables, {n} coupling{'s'[: n != 1]},"
            f" fitted to {self.n_samples} samples by {self.method}>"
        )

    def _repr_html_(self) -> str:
        fitted = f"{self.n_samples} samples by {self.method}"
        known = [] if self.llf is None else [("AIC, BIC", f"{self.aic:.1f}, {self.bic:.1f}")]
        caveat = [("intervals", SELECTION)] if self.is_selected else []
        return graph_html(self.graph, "FittedModel", [("fitted to", fitted), *known, *caveat])

    def describe_methods(self) -> str:
        """Return a paragraph for a methods section: that of the graph, and the estimation."""
        fitted = {
            "pseudo-likelihood": "joint pseudo-likelihood",
            "likelihood": "maximum likelihood",
            "average": "separate regressions, averaged over the two ends of each edge",
        }[self.method]
        prior = "" if self.prior is None else f", with normal priors ({self.prior:g} for couplings)"
        what = "all pairs" if self._learned.provenance.get("all_pairs") else "the edges"
        own = (
            f"Fields and the couplings of {what} were estimated by {fitted}{prior}, with sandwich "
            "standard errors."
        )
        if self.is_selected:
            own += " Their intervals do not include the selection of edges."
        if "method" not in self._learned.provenance:
            return own
        return f"{self._learned.describe_methods()} {own}"

    def _named(self, *columns: str, level: float = 0.95) -> Any:
        """Return columns of `to_frame` by the names of parameters."""
        rows = parameter_rows(self, level)
        frame = frame_of_rows([{k: row[k] for k in ("parameter", *columns)} for row in rows])
        if not hasattr(frame, "set_index"):
            return frame  # polars data frames do not have an index
        frame = frame.set_index("parameter")
        return frame[columns[0]] if len(columns) == 1 else frame

    @property
    def _edges(self) -> Ints:
        return self.distribution.graph.edges

    @cached_property
    def levels(self) -> list[tuple[Any, ...]]:
        """The levels of each variable, in order; a constant variable has None as second level."""
        known = self.variables.levels or ()
        return [own if len(own) > 1 else (*own, None) for own in known]

    @cached_property
    def _has_table(self) -> Bools:
        return np.array([own is not None for own in self.errors.tables], np.bool_)

    @cached_property
    def _tables(self) -> tuple[Floats, ...]:
        if isinstance(self.distribution, PottsModel):
            return self.distribution.tables
        corners = np.array([[0.25, -0.25], [-0.25, 0.25]])
        return tuple(coupling * corners for coupling in self.distribution.couplings)

    @cached_property
    def _finite_couplings(self) -> Floats:
        if isinstance(self.distribution, IsingModel):
            return self.distribution.couplings.copy()
        found = [
            np.linalg.norm(table) if has else table[-1, -1] / self._steps(k)[-1, -1]
            for k, (table, has) in enumerate(zip(self._tables, self._has_table, strict=True))
        ]
        return np.array(found, dtype=np.float64)

    def _steps(self, edge: int) -> Floats:
        """Return the zero-sum table of a unit coupling per step."""
        ends = [np.arange(r) - (r - 1) / 2 for r in self._tables[edge].shape]
        return np.outer(*ends)

    def _number(self, variable: str | int) -> int:
        return self.distribution.graph.number(variable)
