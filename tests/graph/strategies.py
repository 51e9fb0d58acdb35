"""Hypothesis strategies for graphs, with the names and numbers that break file formats."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from markhood.graph.graph import Graph

HOSTILE = [
    "",
    " ",
    "a",
    "a ",
    " a",
    "1",
    "1.0",
    "01",
    "nan",
    "inf",
    "None",
    "True",
    "a<b>&amp;&",
    "\"'",
    '"',
    "a,b;c\td",
    "line\nbreak",
    "carriage\rreturn",
    "both\r\n",
    "\n",
    "\r",
    "\t",
    "ä",
    "a\u0308",
    "\u2028",
    "\x85",
    "\ufeffbom",
    "🦆",
    "]]>",
    "<!--",
    "&#10;",
    "source",
    "=1+1",
    "#",
]
# Not for XML, and the last two not for UTF-8.
UNPRINTABLE = ["\0", "nul\0", "\x1b[0m", "\ufffe", "\udc80", "a\ud800"]

xml_names = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(
        st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff"),
        max_size=6,
    ),
)
utf8_names = st.one_of(xml_names, st.text(max_size=6), st.sampled_from(UNPRINTABLE[:-2]))
all_names = st.one_of(utf8_names, st.sampled_from(UNPRINTABLE))

numbers = st.one_of(st.floats(), st.integers(-3, 3), st.just(float("nan")))
provenances = st.dictionaries(
    st.text(max_size=5),
    st.one_of(st.text(max_size=5), st.integers(), st.just({"seconds": [0.25, None, True]})),
    max_size=3,
)


annotation_names = st.sampled_from(["share", "evidence_variance", "ärger", "_", "u_of_edge", "N1"])
tables = st.tuples(st.integers(2, 4), st.integers(2, 4)).flatmap(
    lambda shape: st.lists(
        st.floats(allow_nan=False, allow_infinity=False),
        min_size=shape[0] * shape[1],
        max_size=shape[0] * shape[1],
    ).map(lambda values: np.array(values).reshape(shape))
)


@st.composite
def graphs(draw: st.DrawFn, names: st.SearchStrategy[str] = all_names) -> Graph:
    nodes = draw(st.lists(names, max_size=7, unique=True))
    pairs = [(i, j) for i in range(len(nodes)) for j in range(len(nodes)) if i < j]
    edges = draw(st.lists(st.sampled_from(pairs), max_size=8, unique=True)) if pairs else []
    ends = st.lists(st.tuples(numbers, numbers), min_size=len(edges), max_size=len(edges))
    each = st.lists(numbers, min_size=len(edges), max_size=len(edges))
    return Graph(
        nodes,
        edges,
        np.array(draw(ends)),
        np.array(draw(ends)),
        draw(provenances),
        [draw(st.none() | tables) for _ in edges] if draw(st.booleans()) else (),
        draw(st.dictionaries(annotation_names, each, max_size=2)),
    )


def without_tables(graph: Graph) -> Graph:
    """Return a graph without its coupling tables, as formats that cannot store them do."""
    ends = graph.evidence_ends, graph.coupling_ends
    return Graph(graph.nodes, graph.edges, *ends, annotations=graph.annotations)
