"""A page that compares graphs: the same layout, shared edges, and differences between couplings.

The page shows the union of the graphs. Every edge has a column with its coupling in each graph (0
where it is not an edge), and the difference of the last and the first graph. The interval of a
difference comes from the standard errors of fitted models (s = sqrt(s1^2 + s2^2)); groups that were
compared by `compare_groups` have p-values from permutations instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from markhood.arrays import Floats, Ints
from markhood.data.variables import Variables
from markhood.errors import InputError, listed
from markhood.graph.graph import Graph
from markhood.graph.graph_like import as_graph
from markhood.graph.numbering import pair_numbers
from markhood.output.pictures.named_layouts import Layout, follows_edges, node_coordinates
from markhood.output.report import facts
from markhood.output.report.content import content, strict
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
MEAN = (
    "The mean coupling is that of the networks with the edge; a network without it has a coupling "
    "of 0."
)
MEAN_OF_TESTS = (
    "Couplings were estimated for all compared pairs in each group, whether or not the pair is an "
    "edge there. The mean coupling is that of the groups with the edge."
)
LEVEL = 0.05
INTERVAL = 1.959964  # standard deviations of a 95 % interval


def comparison_content(
    graphs: Mapping[str, Graph] | GroupComparison,
    title: str | None = None,
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
    names, given = list(graphs), [as_graph(graph) for graph in graphs.values()]
    aligned = _aligned(given)
    union, bits = _union(aligned, tested)
    study = Study.of(union, labels=labels, groups=groups)
    coordinates = node_coordinates(union, layout, columns)
    title = title or listed(names, MOST_GRAPHS)
    data = content(study, title, coordinates, follows_edges(union, layout))
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
        *(_verdicts(tested) if tested is not None else _differences(union, names)),
        data["findings"][-1],
    ]
    if tested is not None:
        data["differences"] = _nodes_that_differ(tested)
        data["reading"] = data["reading"][1:]  # the tests have no evidence
    data["reading"].insert(0, DIFFERENCE[tested is not None])
    data["notes"].append(MEAN if tested is None else MEAN_OF_TESTS)
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


def _union(graphs: Sequence[Graph], tested: GroupComparison | None = None) -> tuple[Graph, Ints]:
    """Return the graph with the edges of all, and the graphs of each edge as bits."""
    edges = np.unique(np.concatenate([graph.edges for graph in graphs]), axis=0)
    numbers = pair_numbers(edges)
    order = np.argsort(numbers)
    couplings = np.zeros((len(graphs), len(edges)))
    evidence = np.full((len(graphs), len(edges), 2), -np.inf)
    there = np.zeros((len(graphs), len(edges)), bool)
    for g, graph in enumerate(graphs):
        at = order[np.searchsorted(numbers[order], pair_numbers(graph.edges))]
        couplings[g, at] = graph.coupling
        evidence[g, at] = np.nan_to_num(graph.evidence_ends, nan=-np.inf)
        there[g, at] = True
    best = evidence.max(axis=0)
    with np.errstate(invalid="ignore"):
        columns = {"difference": couplings[-1] - couplings[0]}
    if tested is None:
        columns |= _intervals(graphs, numbers, columns["difference"])
    else:
        couplings, columns = _tests(tested, graphs[0].nodes, edges)
    own = {f"coupling_{g + 1}": column for g, column in enumerate(couplings)}
    with np.errstate(invalid="ignore"):
        mean = np.where(there, couplings, 0).sum(axis=0) / np.maximum(there.sum(axis=0), 1)
    union = Graph(
        graphs[0].variables,
        edges,
        np.where(np.isneginf(best), np.nan, best),
        np.column_stack([mean, mean]),
        coupling_tables=_tables(graphs, numbers),
        annotations=own | columns,
    )
    return union, there.T @ (1 << np.arange(len(graphs)))


def _tables(graphs: Sequence[Graph], numbers: Ints) -> list[Floats | None]:
    """Return the coupling table of each pair in the first graph that has one."""
    found: dict[int, Floats] = {}
    for graph in graphs:
        own = pair_numbers(graph.edges).tolist()
        for number, table in zip(own, graph.coupling_tables, strict=False):
            if table is not None:
                found.setdefault(number, table)
    return [found.get(number) for number in numbers.tolist()] if found else []


def _intervals(graphs: Sequence[Graph], numbers: Ints, difference: Floats) -> dict[str, Floats]:
    """Return the interval of the difference where both couplings have an error."""
    first, last = (_errors(graph, numbers) for graph in (graphs[0], graphs[-1]))
    half = INTERVAL * np.sqrt(first**2 + last**2)
    if np.isnan(half).all():
        return {}
    return {"difference_low": difference - half, "difference_high": difference + half}


def _errors(graph: Graph, numbers: Ints) -> Floats:
    """Return the standard error of the coupling of each pair; NaN if unknown."""
    low, high = (graph.annotations.get(name) for name in ("coupling_low", "coupling_high"))
    if low is None or high is None:
        return np.full(len(numbers), np.nan)
    errors = (high - low) / 2 / INTERVAL
    known = dict(zip(pair_numbers(graph.edges).tolist(), errors.tolist(), strict=True))
    return np.array([known.get(number, np.nan) for number in numbers.tolist()])


def _tests(
    tested: GroupComparison, nodes: Sequence[str], edges: Ints
) -> tuple[Floats, dict[str, Floats]]:
    """Return the couplings of the test in every group, their differences and p-values."""
    rows = {(row["source"], row["target"]): row for row in tested.edge_rows(pairwise=False)}
    found = [rows.get((nodes[i], nodes[j]), {}) for i, j in edges.tolist()]

    def column(name: str) -> Floats:
        return np.array([row.get(name, np.nan) for row in found], np.float64)

    couplings = np.array([column(f"coupling_{name}") for name in tested.names])
    return couplings, {name: column(name) for name in ("difference", "p_adjusted")}


def _size(graph: Graph) -> int | None:
    data = graph.provenance.get("data")
    size = data.get("samples") if isinstance(data, Mapping) else None
    return size if isinstance(size, int) else None


def _overlap(names: Sequence[str], graphs: Sequence[Graph], shared: int) -> str:
    counts = [graph.n_edges for graph in graphs]
    if len(graphs) > 2:
        each = listed([f"{name} has {n}" for name, n in zip(names, counts, strict=True)], NAMED)
        return f"{_edges(shared)} in all {len(graphs)} networks: {each}."
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
    sizes = [f"{difference[k]:+.2f}".replace("-", MINUS) for k in order]
    parts = [f"{_pair(union, k)} ({size})" for k, size in zip(order, sizes, strict=True)]
    text = f"The couplings that differ most ({names[-1]} minus {names[0]}) are {listed(parts)}."
    if low is None or high is None:
        return [text, "The graphs have no intervals: a difference may be due to chance."]
    n = int(((low > 0) | (high < 0)).sum())
    return [text, f"The 95 % interval of {n} differences excludes 0."]


def _verdicts(tested: GroupComparison) -> list[str]:
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
