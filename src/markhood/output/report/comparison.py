"""A page that compares graphs: the same layout, shared edges, and differences between couplings.

The page shows the union of the graphs. Every edge has a column with its coupling in each graph (0
where it is not an edge), and the difference of the last and the first graph. The interval of a
difference comes from the standard errors of fitted models (s = sqrt(s1^2 + s2^2)); groups that were
compared by `compare_groups` have p-values from permutations instead.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from markhood.data.variables import Variables
from markhood.errors import InputError, listed
from markhood.graph.edge_table import with_annotations
from markhood.graph.graph import Graph
from markhood.graph.numbering import pair_numbers
from markhood.options import checked
from markhood.output.file_writing import replace_all
from markhood.output.pictures.named_layouts import Layout, follows_edges, node_coordinates
from markhood.output.report import facts
from markhood.output.report.content import content, strict
from markhood.output.report.page import check_report_writable, filled
from markhood.output.report.study import Study

if TYPE_CHECKING:
    from markhood.stability.comparison import GroupComparison

MOST_GRAPHS = 30  # the graphs of an edge are bits of a number
NAMED = 3  # edges in a sentence
MAX_DIFFERENCES = 15  # tests of variables in the page
MINUS = "\N{MINUS SIGN}"
CHANCE = (
    "An edge in one network only does not show a difference: it may just have missed the threshold "
    "in the other."
)
DIFFERENCE = (
    f"Do the networks differ? Look at the difference of two couplings and its interval. {CHANCE}",
    f"Do the groups differ? Look at the p-values, from permutations of the groups. {CHANCE}",
)
LEVEL = 0.05
INTERVAL = 1.959964  # standard deviations of a 95 % interval


@checked
def write_comparison(
    graphs: Any,
    path: str | os.PathLike[str],
    title: str = "Comparison of networks",
    *,
    labels: Any = None,
    groups: Any = None,
    layout: Layout = "auto",
    columns: int | None = None,
) -> None:
    """Write several graphs as one interactive page, with the same layout.

    Parameters
    ----------
    graphs : mapping of str to Graph, or GroupComparison
        At least two graphs by name, or the result of `compare_groups`.
    path : str or path
        A name that ends in .html; an existing file is replaced.
    title : str
        Heading of the page.
    labels, groups, layout, columns
        As for `write_report`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> before, after = Graph("abc", [(0, 1)]), Graph("abc", [(0, 1), (1, 2)])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "two.html")
    ...     write_comparison({"before": before, "after": after}, path)
    ...     "only in after" in path.read_text()
    True
    """
    check_report_writable(path)
    data = comparison_content(graphs, title, labels, groups, layout, columns)
    replace_all({Path(path): filled(data).encode("utf-8")})


def comparison_content(
    graphs: Mapping[str, Graph] | GroupComparison,
    title: str,
    labels: Any = None,
    groups: Any = None,
    layout: Layout = "auto",
    columns: int | None = None,
) -> dict[str, Any]:
    """Return the data of the page; see `content`."""
    tested = None
    if not isinstance(graphs, Mapping):
        tested = graphs
        graphs = dict(zip(tested.names, tested.graphs, strict=True))
    if not 2 <= len(graphs) <= MOST_GRAPHS:
        raise InputError(
            "option-value",
            "graphs",
            f"A comparison needs 2 to {MOST_GRAPHS} graphs, not {len(graphs)}.",
        )
    names, given = list(graphs), list(graphs.values())
    aligned = _aligned(given)
    union, bits = _union(aligned)
    union = _with_tests(union, tested) if tested is not None else _with_intervals(union, aligned)
    study = Study.of(union, labels=labels, groups=groups)
    data = content(
        study, title, node_coordinates(union, layout, columns), follows_edges(union, layout)
    )
    sizes = tested.sizes if tested is not None else [_size(graph) for graph in aligned]
    shared = int((bits == 2 ** len(aligned) - 1).sum())
    data["graphs"] = [
        {"name": name, "samples": size, "edges": graph.n_edges}
        for name, size, graph in zip(names, sizes, aligned, strict=True)
    ]
    data["edges"]["graphs"] = bits.tolist()
    sources = {graph.provenance.get("data", {}).get("source") for graph in aligned}
    source = f"{sources.pop()}: " if len(sources) == 1 and None not in sources else ""
    data["summary"] = source + "; ".join(
        f"{name}: {'' if size is None else f'{size} samples, '}{graph.n_edges} edges"
        for name, size, graph in zip(names, sizes, aligned, strict=True)
    )
    data["findings"] = [
        _overlap(names, aligned, shared),
        *(_tests(tested) if tested is not None else _differences(union, names)),
        data["findings"][-1],
    ]
    if tested is not None:
        data["differences"] = _nodes_that_differ(tested)
        data["reading"] = data["reading"][1:]  # the tests have no evidence
    data["reading"].insert(0, DIFFERENCE[tested is not None])
    data.pop("measures", None)
    return data | {
        "cite": _citations(names, given, tested),
        "warnings": [
            f"{name}: {text}"
            for name, graph in zip(names, given, strict=True)
            for text in facts.warnings(graph, None)
        ],
        "run": [],
        "annotations": list(union.annotations),
    }


def _citations(
    names: Sequence[str], graphs: Sequence[Graph], tested: GroupComparison | None
) -> list[str]:
    """Return the methods paragraph of the comparison or of each graph, and all references."""
    paragraphs, references = [], []
    for name, graph in zip(names, graphs, strict=True):
        own = facts.citations(graph)
        if "method" in graph.provenance:
            paragraphs.append(f"{name}: {own.pop(0)}")
        references += own
    if tested is not None:
        paragraphs = [tested.describe_methods()]
    return [*paragraphs, *dict.fromkeys(references)]


def _aligned(graphs: Sequence[Graph]) -> list[Graph]:
    """Return the graphs with the same nodes in the same order: the union of all."""
    nodes = list(dict.fromkeys(name for graph in graphs for name in graph.nodes))
    first = graphs[0]
    variables = first.variables if tuple(nodes) == first.nodes else Variables(tuple(nodes))
    number = {name: k for k, name in enumerate(nodes)}
    found = []
    for graph in graphs:
        if graph.nodes == first.nodes and len(nodes) == first.n_nodes:
            found.append(graph)
            continue
        to = np.array([number[name] for name in graph.nodes], np.int64)
        found.append(
            Graph(
                variables,
                to[graph.edges].reshape(-1, 2),
                graph.evidence_ends,
                graph.coupling_ends,
                graph.provenance,
                annotations=graph.annotations,
            )
        )
    return found


def _union(graphs: Sequence[Graph]) -> tuple[Graph, NDArray[np.int64]]:
    """Return the graph with the edges of all, and the graphs of each edge as bits."""
    edges = np.unique(np.concatenate([graph.edges for graph in graphs]), axis=0)
    numbers = pair_numbers(edges)
    order = np.argsort(numbers)
    couplings = np.zeros((len(graphs), len(edges)))
    evidence = np.full((len(graphs), len(edges), 2), np.nan)
    bits = np.zeros(len(edges), np.int64)
    for g, graph in enumerate(graphs):
        at = order[np.searchsorted(numbers[order], pair_numbers(graph.edges))]
        couplings[g, at] = graph.coupling
        evidence[g, at] = graph.evidence_ends
        bits[at] |= 1 << g
    there = (bits[None] >> np.arange(len(graphs))[:, None]) & 1
    with np.errstate(invalid="ignore"):
        mean = np.where(there, couplings, 0).sum(axis=0) / np.maximum(there.sum(axis=0), 1)
        difference = couplings[-1] - couplings[0]
    best = np.where(
        np.isnan(evidence).all(axis=0),
        np.nan,
        np.nanmax(np.nan_to_num(evidence, nan=-np.inf), axis=0),
    )
    columns = {f"coupling_{g + 1}": own for g, own in enumerate(couplings)}
    union = Graph(
        graphs[0].variables,
        edges,
        best,
        np.column_stack([mean, mean]),
        coupling_tables=_tables(graphs, numbers),
        annotations={**columns, "difference": difference},
    )
    return union, bits


def _tables(
    graphs: Sequence[Graph], numbers: NDArray[np.int64]
) -> list[NDArray[np.float64] | None]:
    """Return the coupling table of each pair in the first graph that has one."""
    found: dict[int, NDArray[np.float64]] = {}
    for graph in graphs:
        own = pair_numbers(graph.edges).tolist()
        for number, table in zip(own, graph.coupling_tables, strict=False):
            if table is not None:
                found.setdefault(number, table)
    return [found.get(number) for number in numbers.tolist()] if found else []


def _with_intervals(union: Graph, graphs: Sequence[Graph]) -> Graph:
    """Add the interval of the difference where both couplings have an error."""
    first, last = (_errors(graph, union) for graph in (graphs[0], graphs[-1]))
    half = INTERVAL * np.sqrt(first**2 + last**2)
    if np.isnan(half).all():
        return union
    difference = union.annotations["difference"]
    ends = {"difference_low": difference - half, "difference_high": difference + half}
    return with_annotations(union, ends)


def _errors(graph: Graph, union: Graph) -> NDArray[np.float64]:
    """Return the standard error of the coupling of each edge of the union; NaN if unknown."""
    errors = np.full(union.n_edges, np.nan)
    low, high = (graph.annotations.get(name) for name in ("coupling_low", "coupling_high"))
    if low is not None and high is not None:
        known = dict(
            zip(pair_numbers(graph.edges).tolist(), (high - low) / 2 / INTERVAL, strict=True)
        )
        errors[:] = [known.get(n, np.nan) for n in pair_numbers(union.edges).tolist()]
    return errors


def _with_tests(union: Graph, tested: GroupComparison) -> Graph:
    """Replace couplings and differences by those of the test, and add its p-values."""
    rows = {(row["source"], row["target"]): row for row in tested.edge_rows(pairwise=False)}
    found = [rows.get(pair) for pair in union.edge_names()]

    def column(name: str) -> NDArray[np.float64]:
        return np.array([np.nan if row is None else row[name] for row in found])

    return with_annotations(
        union,
        {
            **{
                f"coupling_{g + 1}": column(f"coupling_{name}")
                for g, name in enumerate(tested.names)
            },
            "difference": column("difference"),
            "p_adjusted": column("p_adjusted"),
        },
    )


def _size(graph: Graph) -> int | None:
    data = graph.provenance.get("data")
    size = data.get("samples") if isinstance(data, Mapping) else None
    return size if isinstance(size, int) else None


def _overlap(names: Sequence[str], graphs: Sequence[Graph], shared: int) -> str:
    counts = [graph.n_edges for graph in graphs]
    if len(graphs) > 2:
        each = listed([f"{name} {n}" for name, n in zip(names, counts, strict=True)], MOST_GRAPHS)
        return f"{_edges(shared)} in all {len(graphs)} networks; the networks have {each} edges."
    return (
        f"{_edges(shared)} in both networks, {counts[0] - shared} only in {names[0]} and "
        f"{counts[1] - shared} only in {names[1]}."
    )


def _nodes_that_differ(tested: GroupComparison) -> list[list[Any]]:
    """Return the tests of fields and centralities with the smallest p-values."""
    fields = [{"node": row["variable"], "measure": "field", **row} for row in tested.field_rows()]
    rows = sorted([*fields, *tested.centrality_rows()], key=lambda row: row["p_adjusted"])
    columns = ("node", "measure", "first", "second", "difference", "p_value", "p_adjusted")
    return [
        [strict(row[name]) if isinstance(row[name], float) else row[name] for name in columns]
        for row in rows[:MAX_DIFFERENCES]
    ]


def _edges(n: int) -> str:
    return "1 edge is" if n == 1 else f"{n} edges are"


def _pair(graph: Graph, k: int) -> str:
    return " \N{EN DASH} ".join(graph.edge_names()[k])


def _differences(union: Graph, names: Sequence[str]) -> list[str]:
    """Name the edges whose couplings differ most."""
    difference = union.annotations["difference"]
    low, high = (union.annotations.get(f"difference_{end}") for end in ("low", "high"))
    finite = np.where(np.isfinite(difference), np.abs(difference), -1.0)
    order = [k for k in np.argsort(-finite, kind="stable").tolist() if finite[k] > 0][:NAMED]
    if not order:
        return []
    parts = [f"{_pair(union, k)} ({difference[k]:+.2f})" for k in order]
    text = f"The couplings that differ most ({names[-1]} minus {names[0]}) are {listed(parts)}."
    if low is None or high is None:
        return [text, "The graphs have no intervals: a difference may be due to chance."]
    n = int(((low > 0) | (high < 0)).sum())
    return [text, f"The 95 % interval of {n} differences excludes 0."]


def _tests(tested: GroupComparison) -> list[str]:
    """State the tests of the groups."""
    rows = [row for row in tested.edge_rows(pairwise=False) if row["p_adjusted"] < LEVEL]
    verdict = "differ" if tested.p_structure < LEVEL else "do not differ significantly"
    text = f"The networks {verdict} in structure (p = {tested.p_structure:.3g})"
    text += f"; the difference in overall strength has p = {tested.p_strength:.3g}."
    if not rows:
        return [text, f"No single coupling differs (adjusted p < {LEVEL:g})."]
    parts = []
    for row in rows[:NAMED]:
        numbers = [f"{row[f'coupling_{name}']:.2f}" for name in tested.names]
        own = listed(
            [
                f"{number.replace('-', MINUS)} in {name}"
                for number, name in zip(numbers, tested.names, strict=True)
            ]
        )
        parts.append(f"{row['source']} \N{EN DASH} {row['target']} ({own})")
    if len(rows) == 1:
        return [text, f"1 coupling differs (adjusted p < {LEVEL:g}): {parts[0]}."]
    count = f"{len(rows)} couplings differ (adjusted p < {LEVEL:g})"
    return [text, f"{count}, most clearly {listed(parts)}."]
