"""Random models for property tests."""

import numpy as np
from hypothesis import strategies as st

from markhood.graph.graph import Graph
from markhood.model.ising import IsingModel

numbers = st.floats(-4.0, 4.0)


@st.composite
def models(draw, most=7, forest=False):
    d = draw(st.integers(1, most))
    if forest:
        # Each variable hangs on an earlier one or begins a tree; the labels are then shuffled.
        labels = draw(st.permutations(range(d)))
        above = [draw(st.integers(-1, i - 1)) for i in range(d)]
        edges = [(labels[i], labels[p]) for i, p in enumerate(above) if p >= 0]
    else:
        pairs = [(i, j) for j in range(d) for i in range(j)]
        edges = [pair for pair in pairs if draw(st.booleans())]
    couplings = draw(st.lists(numbers, min_size=len(edges), max_size=len(edges)))
    fields = draw(st.lists(numbers, min_size=d, max_size=d))
    graph = Graph([f"x{i}" for i in range(d)], edges)
    return IsingModel(graph, np.array(couplings), np.array(fields))
