"""HTML for notebooks: tables of properties and of the first rows, and a picture of a graph.

The HTML is self-contained and sets no colours, so it fits light and dark notebooks. Names come from
the user's data and are escaped.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from markhood.graph.edge_table import has_sign

if TYPE_CHECKING:
    from markhood.graph.graph import Graph

Fact = tuple[str, str]

_SHOWN = 10  # rows
_LINE = "border-bottom:1px solid rgba(127,127,127,.35)"
_CELL = f"text-align:left;padding:2px 12px 2px 0;overflow-wrap:anywhere;{_LINE}"
_TABLE = "border-collapse:collapse;margin:0 0 8px 0;font-size:inherit"


def graph_html(graph: Graph, title: str = "Graph", facts: Iterable[Fact] = ()) -> str:
    """Return the HTML of a graph, or of a result with a graph, for `_repr_html_`.

    Examples
    --------
    >>> from markhood.graph.graph import Graph
    >>> "a &lt; b" in graph_html(Graph(["a < b", "c"], [(0, 1)]))
    True
    """
    from markhood.output.pictures.svg import network_svg

    known = _table((), [*facts, *_shape(graph), *_origin(graph.provenance)])
    parts = [f"<div><strong>{title}</strong>", network_svg(graph), known]
    if graph.n_edges:
        further = [name.replace("_", " ") for name in graph.annotations]
        head = ("edge", "", "evidence", "coupling", *further)
        parts.append(_table(head, _strongest_rows(graph)))
        if graph.n_edges > _SHOWN:
            parts.append(
                f"<small>the {_SHOWN} edges with the most evidence of {graph.n_edges}</small>"
            )
    return "".join([*parts, "</div>"])


def result_html(title: str, facts: Iterable[Fact], rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the HTML of a result: a table of properties, and its first rows.

    Examples
    --------
    >>> "0.333" in result_html("Bootstrap", [("replicates", "3")], [{"frequency": 1 / 3}])
    True
    """
    parts = [f"<div><strong>{title}</strong>", _table((), facts)]
    if rows:
        head = [name.replace("_", " ") for name in rows[0]]
        shown = [tuple(_cell(value) for value in row.values()) for row in rows[:_SHOWN]]
        parts.append(_table(head, shown))
        if len(rows) > _SHOWN:
            parts.append(f"<small>{_SHOWN} of {len(rows)} rows</small>")
    return "".join([*parts, "</div>"])


def _shape(graph: Graph) -> list[Fact]:
    pairs = graph.n_nodes * (graph.n_nodes - 1) // 2
    rows = [("nodes", str(graph.n_nodes)), ("edges", str(graph.n_edges))]
    if pairs:
        rows[1] = ("edges", f"{graph.n_edges} ({graph.n_edges / pairs:.3g} of all pairs)")
    if graph.members:
        columns = graph.n_nodes + graph.variables.n_members
        largest = 1 + max(map(len, graph.members.values()))
        rows.insert(1, ("groups", f"{len(graph.members)} of {columns} columns, {largest} at most"))
    if graph.n_nodes:
        degree = graph.degree
        components = graph.components()
        isolated = int((degree == 0).sum())
        rows += [
            ("degrees", f"{degree.min()} to {degree.max()}, mean {degree.mean():.3g}"),
            ("components", f"{len(components)}, the largest of {len(components[0])} nodes"),
            ("isolated nodes", str(isolated)),
        ]
    return rows


def _origin(provenance: Mapping[str, Any]) -> list[Fact]:
    """Return the parts of the provenance that are shown."""
    wanted = ("method", "parameters", "known", "imputation", "data", "seconds", "version")
    return [(key, _words(provenance[key])) for key in wanted if key in provenance]


def _words(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_short(_words(item))}" for key, item in value.items())
    return f"{value:.4g}" if isinstance(value, float) else _short(str(value))


def _short(text: str) -> str:
    return text if len(text) <= 80 else text[:79] + "…"


def _strongest_rows(graph: Graph) -> list[tuple[str, ...]]:
    names, evidence, coupling = graph.edge_names(), graph.evidence, graph.coupling
    signed = has_sign(graph)
    return [
        (
            *names[row],
            _figure(evidence[row], ".1f"),
            _figure(coupling[row], "+.2f" if signed[row] else ".2f"),
            *(_figure(numbers[row], ".3g") for numbers in graph.annotations.values()),
        )
        for row in graph.strongest(_SHOWN).tolist()
    ]


def _cell(value: Any) -> str:
    return _figure(value, ".3g") if isinstance(value, float) else str(value)


def _figure(number: float, form: str) -> str:
    if math.isnan(number):
        return "?"
    if math.isinf(number):
        return "+∞" if number > 0 else "-∞"
    return format(number, form)


def _table(head: Iterable[str], rows: Iterable[tuple[str, ...]]) -> str:
    titles = "".join(f'<th style="{_CELL}">{_escaped(cell)}</th>' for cell in head)
    lines = [f"<tr>{titles}</tr>"] if titles else []
    first = _CELL if titles else f"{_CELL};white-space:nowrap"  # short labels, not names from data
    for row in rows:
        styles = (first, *(_CELL for _ in row[1:]))
        cells = "".join(
            f'<td style="{style}">{_escaped(cell)}</td>'
            for style, cell in zip(styles, row, strict=True)
        )
        lines.append(f"<tr>{cells}</tr>")
    return f'<table style="{_TABLE}">{"".join(lines)}</table>'


def _escaped(text: str) -> str:
    # A lone surrogate cannot be encoded; its character reference can.
    return html.escape(text).encode("utf-8", "xmlcharrefreplace").decode("utf-8")
