"""Random models for property tests."""

import numpy as np
from hypothesis import strategies as st

from markhood.graph.graph import Graph
from markhood.model.ising.model import IsingModel
from markhood.model.potts.model import PottsModel

numbers = st.floats(-4.0, 4.0)


@st.composite
def models(draw, most=7, forest=False):
    d = draw(st.integers(1, most))
    if forest:
        # Each variable has an earlier one as parent or is a root; the labels are then shuffled.
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


@st.composite
def potts_models(draw, most=5, forest=False, spread=4.0):
    shape = draw(models(most=most, forest=forest)).graph
    n_levels = [draw(st.integers(2, 5)) for _ in range(shape.n_nodes)]
    rng = np.random.default_rng(draw(st.integers(0, 1 << 30)))
    tables = [rng.uniform(-spread, spread, (n_levels[i], n_levels[j])) for i, j in shape.edges]
    return PottsModel(shape, tables, [rng.uniform(-2.0, 2.0, r) for r in n_levels])
