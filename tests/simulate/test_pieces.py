"""Sampling by connected components: the right distribution, the same bits on any executor."""

import numpy as np
import pytest

from markhood.graph.graph import Graph
from markhood.kernels.tables import codes
from markhood.model.ising.model import IsingModel
from markhood.model.potts.model import PottsModel
from markhood.simulate.networks import chain, cycle, disjoint, grid, hub
from markhood.simulate.pieces import _pieces, sample_in_pieces
from markhood.simulate.potentials import ising, potts
from messages import refuses

# Components with interleaved variables, among them a single variable.
TANGLED = Graph("abcdefgh", [(0, 5), (5, 7), (0, 7), (1, 6), (2, 4)])
SETTINGS = {"burn_in": 100, "thinning": 5}


def values_of(samples):
    """Return the levels themselves, of shape (n_samples, n_variables)."""
    columns = [np.array(levels)[codes(samples.bits, v)] for v, levels in enumerate(samples.levels)]
    return np.column_stack(columns)


def test_property_pieces_are_a_partition_along_components():
    graph = disjoint([TANGLED] * 40 + [grid(100), hub(72), chain(1)])
    pieces = list(_pieces(graph))
    assert len(pieces) < 12
    nodes = np.concatenate([piece.nodes for piece in pieces])
    edges = np.concatenate([piece.edges for piece in pieces])
    assert sorted(nodes.tolist()) == list(range(graph.n_nodes))
    assert sorted(edges.tolist()) == list(range(graph.n_edges))
    for piece in pieces:
        assert np.isin(graph.edges[piece.edges], piece.nodes).all()


@pytest.mark.parametrize("levels", [2, [2, 3, 4]])
def test_oracle_marginals_of_every_variable_and_edge(levels):
    n = 20_000
    for model in (potts(TANGLED, levels, seed=3), ising(TANGLED, seed=3)):
        values = values_of(sample_in_pieces(model, n, seed=4, **SETTINGS))
        for (i, j), expected in zip(TANGLED.edges.tolist(), model.pair_marginals(), strict=True):
            found = np.zeros(expected.shape)
            np.add.at(found, (values[:, i], values[:, j]), 1 / n)
            # Neighbouring draws of a chain are not quite independent: eight standard errors.
            assert (abs(found - expected) < 8 * np.sqrt(expected / n) + 1e-3).all()


def test_property_other_components_are_independent():
    values = values_of(sample_in_pieces(ising(TANGLED, seed=3), 20_000, seed=4, **SETTINGS))
    correlation = np.corrcoef(values.T)
    apart = [(i, j) for i in (0, 5, 7) for j in (1, 2, 3, 4, 6)] + [(1, 2), (1, 3), (2, 6)]
    assert max(abs(correlation[i, j]) for i, j in apart) < 0.05


@pytest.mark.parametrize("levels", [2, [2, 5, 3]])
def test_property_threads_do_not_change_the_data(levels):
    graph = disjoint([cycle(5), chain(4), grid(9)] * 12)
    model = ising(graph, seed=1) if levels == 2 else potts(graph, levels, seed=1)
    alone = sample_in_pieces(model, 300, seed=7, burn_in=10)
    calls = []
    together = sample_in_pieces(
        model, 300, 7, burn_in=10, n_jobs=3, batch=2, progress=lambda *call: calls.append(call)
    )
    assert together.fingerprint == alone.fingerprint
    assert together.names == graph.nodes
    assert [done for _, done, _ in calls] == sorted({done for _, done, _ in calls})
    assert len(calls) > 1
    assert calls[-1][1] == calls[-1][2] == len(list(_pieces(graph)))
    assert sample_in_pieces(model, 300, seed=8, burn_in=10).fingerprint != alone.fingerprint


def test_example_seeds():
    model = ising(TANGLED, seed=1)
    sequence = np.random.SeedSequence(5)
    again = [sample_in_pieces(model, 100, seed, **SETTINGS) for seed in (5, sequence, sequence)]
    assert len({samples.fingerprint for samples in again}) == 1


def test_example_levels_that_do_not_occur_leave_no_rows():
    fields = [[0.0, 0.0, -60.0], [0.0, -60.0], [0.0, 0.0, 0.0]]
    model = PottsModel(Graph("abc", [(0, 2)]), [np.zeros((3, 3))], fields)
    samples = sample_in_pieces(model, 200, seed=1)
    assert samples.levels == ((0, 1), (0,), (0, 1, 2))
    assert len(samples.words) == 4


def test_example_many_variables_without_edges():
    model = IsingModel(Graph([f"x{i}" for i in range(1000)], []), [], np.full(1000, 1.0))
    samples = sample_in_pieces(model, 1000, seed=1)
    assert samples.ones.mean() == pytest.approx(731.06, rel=0.005)


def test_example_bad_settings_are_refused():
    with refuses("option-value", "n_samples"):
        sample_in_pieces(ising(TANGLED), 0)
    with refuses("option-value", "networks"):
        disjoint([])
