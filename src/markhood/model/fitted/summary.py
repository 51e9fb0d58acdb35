"""The printed summary of a fitted model, in the style of statsmodels, and its information criteria.

    AIC = 2 k - 2 l,      BIC = k log(n) - 2 l,

with l the log-likelihood of the data and n the sum of their weights. For a model fitted by
pseudo-likelihood, l is the log pseudo-likelihood, and k counts the parameters of all regressions,
so each coupling twice. With this count AIC is unbiased for the log pseudo-likelihood of new
samples; with the number of distinct parameters it would not be (`tests/model/test_summary.py`).
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING, Any

from markhood.errors import InputError, printable
from markhood.model.fitted.rows import parameter_rows
from markhood.model.fitting.layout import Layout

if TYPE_CHECKING:
    from markhood.model.fitted.parameters import FittedParameters

_NUMBERS = ("value", "error", "low", "high")
WIDTH = 72
# Next to all intervals of a model on a learned graph: see docs/reference/benchmarks-models.md.
SELECTION = (
    "Intervals hold for a given graph. If it was learned from the same data, 95 % intervals of "
    "fields may cover the truth in less than 70 % of cases, and couplings are exaggerated in small "
    "samples: fit all pairs for intervals that hold."
)


@dataclass(frozen=True)
class Summary:
    """The text of a summary, for printing and for notebooks."""

    text: str

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"


def criterion(model: FittedParameters, penalty: float) -> float:
    """Return minus twice the log-likelihood plus a penalty per parameter."""
    if model.llf is None:
        raise InputError(
            "no-provenance",
            "model",
            "The file of the model does not contain its log-likelihood: fit the model again with "
            "fit_model(graph, data).",
        )
    layout = Layout(model.variables, model.distribution.graph.edges)
    n_fields = int(layout.field_starts[-1])
    n_couplings = layout.n_parameters - n_fields
    k = n_fields + n_couplings * (1 if model.method == "likelihood" else 2)
    k += len(model.covariates) * int(layout.n_scores.sum())
    return penalty * k - 2 * model.llf


def summary_of(model: FittedParameters, level: float) -> Summary:
    """Return the summary of a model: the fit, fields, covariates and couplings."""
    rows = parameter_rows(model, level)
    heads = ["", "value", "std err", f"[{(1 - level) / 2:.4g}", f"{(1 + level) / 2:.4g}]"]
    cells = [
        [printable(row["parameter"]), *(f"{row[name]:.4f}" for name in _NUMBERS)] for row in rows
    ]
    heading, *lines = _aligned([heads, *cells])
    n_fields = sum(row["other"] == "" for row in rows)
    n_own = n_fields + len(model.covariate_rows())
    parts = [f"Pairwise Markov network of {len(model.variables)} variables", _facts(model)]
    sections = [("Fields", lines[:n_fields]), ("Couplings", lines[n_own:])]
    if n_own > n_fields:
        sections.insert(1, ("Covariates", lines[n_fields:n_own]))
    for title, own in sections:
        parts.append("\n".join([title, heading, *own]) if own else f"{title}: none")
    if model.is_selected:
        parts.append(fill(SELECTION, WIDTH))
    rule = "=" * max(len(line) for part in parts for line in part.splitlines())
    return Summary(f"\n{rule}\n".join(parts))


def _facts(model: FittedParameters) -> str:
    """Return properties of the fit, two per line."""
    is_likelihood = model.method == "likelihood"
    known: list[tuple[str, Any]] = [
        ("Method", model.method),
        ("Samples", model.n_samples),
        ("Prior", "none" if model.prior is None else f"{model.prior:g}"),
        ("Couplings", model.distribution.graph.n_edges),
    ]
    if model.llf is not None:
        known += [
            ("Log-likelihood" if is_likelihood else "Log pseudo-likelihood", f"{model.llf:.2f}"),
            ("AIC", f"{model.aic:.2f}"),
            ("Converged", _share(model)),
            ("BIC", f"{model.bic:.2f}"),
        ]
    cells = [[name and f"{name}:", str(value)] for name, value in known]
    return "\n".join(_aligned([[*cells[k], *cells[k + 1]] for k in range(0, len(cells), 2)]))


def _share(model: FittedParameters) -> str:
    n = int(model.converged.sum())
    return "yes" if n == len(model.converged) else f"{n} of {len(model.converged)} variables"


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows as lines, with the first column left-aligned and the others right-aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if k == 0 else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
