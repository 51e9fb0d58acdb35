"""The data of a page, as JSON; `web/src/data.js` reads them.

Every list of `nodes` has an entry per variable, and every list of `edges` an entry per edge. JSON
has no infinity: an infinite number is the text "inf" or "-inf", an unknown one null. Keys:

===========  ====================================================================================
title, file  heading, and stem of the names of downloads; `summary` is the subtitle
findings     sentences of the box at the top
nodes        name; x, y; community; levels; if known: text, group (number in `groups`, -1 for
             none), members, shares (level and share), stays (share of replicates in which it is
             in its community), predictability, fields (level, value, low,
             high), forbidden (numbers of the variables that may not be neighbours)
edges        source, target (numbers); the columns of `columns` (evidence and coupling only where
             the ends do not determine them); if known: table, counts, bend, required (0 or 1),
             graphs (see below)
columns      columns of the edges in a download; `annotations` are those that are not in every
             graph
groups       names of the groups of variables; `unclear` if there are no clear communities
measures     centralities by name: value, and low and high if known; `level` is that of intervals,
             and `stability` has the CS coefficient of measures
classes      numbers of pairs by class, and undecided pairs; see `graph/pair_classes.py`
factors      loadings of hidden factors: columns, loadings (a list per factor), explained
graphs       for a comparison: name, samples, edges and communities of each graph. An edge has a
             bit in `edges.graphs` for each graph that has it, and its coupling in the column
             `coupling_N` (N from 1)
differences  of groups that were tested: variable, measure, the two groups, difference, p-value,
             adjusted p-value
distances    along a genome: `of` each edge, and outliers of the evidence
===========  ====================================================================================

Further keys are texts: selection (a note next to intervals), notes, reading, bands, run, data,
warnings, cite, bibtex, licences, about.
"""

from __future__ import annotations

import math
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from markhood.graph.columns import END_COLUMNS, NUMBER_COLUMNS
from markhood.graph.edge_table import about_graph, number_columns, table_column
from markhood.graph.graph import Graph
from markhood.graph.pair_classes import stored_classes
from markhood.model.fitted.summary import SELECTION
from markhood.output.citation import BIBTEX
from markhood.output.pictures.bends import bends
from markhood.output.pictures.genome import ByDistance
from markhood.output.pictures.layout import Coordinates
from markhood.output.report import facts
from markhood.output.report.findings import findings
from markhood.output.report.pairs import pair_counts
from markhood.output.report.shares import level_shares
from markhood.output.report.study import Study

MAX_FORBIDDEN = 2000  # pairs that are listed


def content(
    study: Study, title: str, coordinates: Coordinates, edges_are_straight: bool
) -> dict[str, Any]:
    """Return the data of the page; edges are straight if the layout follows them."""
    graph, samples = study.graph, study.samples
    bent = {} if edges_are_straight else {"bend": bends(coordinates, graph.edges).round(3).tolist()}
    selection = SELECTION if study.model is not None and study.model.is_selected else ""
    further: dict[str, Any] = {
        "measures": _numbers(study.measures),
        "classes": _classes(graph),
        "factors": _factors(graph),
        "unclear": not study.communities.is_clear,
        "selection": selection,
        "distances": None if graph.variables.loci is None else _distances(graph),
    }
    return {
        "title": title,
        "file": re.sub(r"\W+", "-", Path(title).stem, flags=re.ASCII).strip("-") or "graph",
        "summary": facts.summary(graph),
        "findings": findings(study),
        "nodes": _nodes(study, coordinates.round(3)),
        "edges": _edges(study) | bent,
        "groups": _group_names(study),
        "columns": [*NUMBER_COLUMNS, *graph.annotations],
        "annotations": list(graph.annotations),
        "notes": facts.notes(graph),
        "reading": facts.how_to_read(graph),
        "bands": facts.bands(graph),
        "run": facts.run_rows(graph),
        "data": facts.data_rows(graph, samples),
        "warnings": [*facts.warnings(graph, samples), *filter(None, [selection])],
        "level": study.level,
        "stability": [[row["measure"], strict(row["cs"])] for row in study.stability],
        "cite": facts.citations(study.learned, study.model, study.replicates, study.cases),
        "bibtex": BIBTEX,
        "licences": asset("LICENSES.txt"),
        "about": about_graph(graph),
        **{name: part for name, part in further.items() if part},
    }


def _nodes(study: Study, coordinates: Coordinates) -> dict[str, Any]:
    graph = study.graph
    nodes: dict[str, Any] = {
        "name": graph.nodes,
        "x": coordinates[:, 0].tolist(),
        "y": coordinates[:, 1].tolist(),
        "community": study.communities.labels.tolist(),
        "levels": facts.level_names(graph),
    }
    if graph.members:
        nodes["members"] = _members(graph)
    if study.samples is not None:
        nodes["shares"] = level_shares(study.samples)
    if study.texts is not None:
        nodes["text"] = study.texts
    if study.group_labels is not None:
        numbers = {name: k for k, name in enumerate(_group_names(study))}
        nodes["group"] = [numbers.get(name, -1) for name in study.group_labels]
    if study.stays is not None:
        nodes["stays"] = [strict(x) for x in study.stays.round(3).tolist()]
    if study.predictability is not None:
        nodes["predictability"] = [strict(x) for x in study.predictability.tolist()]
    if study.fields is not None:
        nodes["fields"] = [[[n, *map(strict, x)] for n, *x in own] for own in study.fields]
    if forbidden := _pairs(graph, "forbidden_edges")[:MAX_FORBIDDEN]:
        nodes["forbidden"] = [
            [b if a == k else a for a, b in forbidden if k in (a, b)] for k in range(graph.n_nodes)
        ]
    return nodes


def _group_names(study: Study) -> list[str]:
    """List the groups in the order of their first variables."""
    return list(dict.fromkeys(filter(None, study.group_labels or ())))


def _members(graph: Graph) -> list[list[str]]:
    """Return the other columns of the group of each node, with a minus before a complement."""
    return [
        [f"\N{MINUS SIGN}{m.name}" if m.opposite else m.name for m in own]
        for own in graph.variables.members or ()
    ]


def _edges(study: Study) -> dict[str, Any]:
    """Return the columns of edges; evidence and coupling only if the ends do not determine them."""
    graph = study.graph
    numbers = number_columns(graph)
    own = (*END_COLUMNS, *graph.annotations, *(["coupling"] if graph.coupling_tables else []))
    edges: dict[str, Any] = {
        "source": graph.edges[:, 0].tolist(),
        "target": graph.edges[:, 1].tolist(),
        **{name: [strict(number) for number in numbers[name]] for name in own},
    }
    if graph.coupling_tables:
        edges["table"] = table_column(graph)
    counts = None if study.samples is None else pair_counts(graph, study.samples)
    if counts is not None:
        edges["counts"] = counts
    if required := set(_pairs(graph, "required_edges")):
        edges["required"] = [int((i, j) in required) for i, j in graph.edges.tolist()]
    return edges


def _pairs(graph: Graph, option: str) -> list[tuple[int, int]]:
    """Return pairs of nodes that were given as prior knowledge, by name or number."""
    known = graph.provenance.get("knowledge")
    given = known.get(option) if isinstance(known, dict) else None
    numbers: dict[Any, int] = {name: k for k, name in enumerate(graph.nodes)}
    pairs = []
    for pair in given if isinstance(given, list) else ():
        ends = [numbers.get(end, end) for end in pair] if isinstance(pair, list) else []
        known_ends = sorted(end for end in ends if isinstance(end, int))
        if len(known_ends) == 2:
            pairs.append((known_ends[0], known_ends[1]))
    return pairs


def _classes(graph: Graph) -> dict[str, Any] | None:
    """Return the classes of pairs, with the pairs of nodes as numbers."""
    found = stored_classes(graph)
    if found is None:
        return None
    numbers = {name: k for k, name in enumerate(graph.nodes)}
    known = [k for k, pair in enumerate(found["pairs"]) if numbers.keys() >= set(pair)]
    return found | {
        "pairs": [[numbers[name] for name in found["pairs"][k]] for k in known],
        **{name: [found[name][k] for k in known] for name in ("probability", "bayes_factor")},
    }


def _factors(graph: Graph) -> dict[str, Any] | None:
    """Return the rotated loadings of the hidden factors."""
    if graph.factors is None:
        return None
    found = graph.factors.rotated()
    return {
        "columns": list(found.columns),
        "loadings": found.loadings.T.round(3).tolist(),
        "explained": found.explained.round(4).tolist(),
    }


def _distances(graph: Graph) -> dict[str, Any]:
    """Return the distance between the ends of every edge, and the outliers of the evidence."""
    least = graph.provenance.get("min_distance")
    found = ByDistance.of(graph, min_distance=least if isinstance(least, (int, float)) else None)
    return {
        "of": [strict(distance) for distance in found.distances.tolist()],
        "kind": (found.is_outlier.astype(int) + found.is_extreme).tolist(),
        "outlier": found.outlier if math.isfinite(found.outlier) else None,
        "extreme": found.extreme if math.isfinite(found.extreme) else None,
        "least": least if isinstance(least, (int, float)) else None,
    }


def _numbers(measures: dict[str, dict[str, Any]]) -> dict[str, dict[str, list[Any]]]:
    return {
        name: {
            part: [strict(x) for x in np.round(column, 4).tolist()] for part, column in own.items()
        }
        for name, own in measures.items()
    }


def strict(number: float) -> float | str | None:
    """Return null for an unknown number, and "inf" or "-inf" for an infinite one, as JSON needs."""
    if math.isnan(number):
        return None
    return str(number) if math.isinf(number) else number


def asset(name: str) -> str:
    """Return a file of the page."""
    return files("markhood.output.report").joinpath(name).read_text(encoding="utf-8")
