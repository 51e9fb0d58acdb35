"""Near pairs along a genome: searched for, in blankets, and not in the answer."""

from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest

import markhood
from markhood.learning.methods import METHODS
from messages import ignores, refuses, warns

STEP = 100


def genome(n_sites=10, n_samples=400):
    """Sites that depend on the one before, and a last one that depends on the first as well."""
    rng = np.random.default_rng(4)
    sites = rng.integers(0, 2, size=(n_samples, n_sites))
    for j in range(1, n_sites):
        is_copy = rng.random(n_samples) < 0.85
        sites[is_copy, j] = sites[is_copy, j - 1]
    is_copy = rng.random(n_samples) < 0.3
    sites[is_copy, -1] = sites[is_copy, 0]
    return pd.DataFrame(sites, columns=[f"chr1:{STEP * j}" for j in range(n_sites)])


@ignores("negative-evidence")
@pytest.mark.parametrize("method", [name for name in METHODS if name != "plm"])
def test_property_what_is_left_is_what_it_was_among_all(method):
    whole = markhood.learn(genome(), method)
    far = np.diff(whole.edges, axis=1)[:, 0] > 1
    graph = markhood.learn(genome(), method, genome=markhood.Genome(min_distance=STEP + 1))
    assert np.array_equal(graph.edges, whole.edges[far])
    np.testing.assert_allclose(graph.evidence_ends, whole.evidence_ends[far])
    np.testing.assert_allclose(graph.coupling_ends, whole.coupling_ends[far])
    assert graph.provenance["near_edges_left_out"] == whole.n_edges - graph.n_edges > 0
    assert graph.provenance["min_distance"] == STEP + 1


def test_property_where_pairs_are_ranked_near_ones_take_no_places():
    whole = markhood.PseudoLikelihood(top=45).fit(genome())
    far = (
        markhood.PseudoLikelihood(top=5, genome=markhood.Genome(min_distance=STEP + 1))
        .fit(genome())
        .graph_
    )
    best = [
        pair for pair in whole.graph_.edges[whole.graph_.strongest(45)] if pair[1] - pair[0] > 1
    ]
    assert far.edges.tolist() == sorted(pair.tolist() for pair in best[:5])


def test_example_near_pairs_condition():
    graph = markhood.learn(genome(), genome=markhood.Genome(min_distance=STEP + 1))
    assert graph.edge_names()[graph.strongest(1)[0]] == ("chr1:0", "chr1:900")
    forbidden = [(j, j + 1) for j in range(9)]
    assert (
        markhood.learn(genome(), knowledge=markhood.Knowledge(forbidden_edges=forbidden)).n_edges
        > graph.n_edges + 5
    )


def test_example_levels_imputation_and_what_is_learned_beside():
    steps = genome() + genome(10).sample(frac=1, random_state=1).to_numpy()
    whole, graph = (
        markhood.learn(steps, genome=markhood.Genome(min_distance=d)) for d in (0, STEP + 1)
    )
    far = np.diff(whole.edges, axis=1)[:, 0] > 1
    assert np.array_equal(graph.edges, whole.edges[far])
    holes = genome().mask(np.random.default_rng(3).random((400, 10)) < 0.02)
    imputed = markhood.PLRHC(
        missing="impute",
        run=markhood.Run(imputations=2),
        genome=markhood.Genome(min_distance=STEP + 1),
    ).fit(holes)
    for found in (imputed.graph_, imputed.or_graph_, imputed.screened_graph_):
        assert (np.diff(found.edges, axis=1) > 1).all()
    assert imputed.graph_.has_edge(0, 9)
    assert imputed.graph_.annotations["share"].shape == (imputed.graph_.n_edges,)


def test_example_two_chromosomes_are_never_near_and_what_lies_nowhere_neither():
    table = genome().rename(columns={"chr1:300": "age", "chr1:400": "chr2:400"})
    whole, graph = (
        markhood.learn(table, genome=markhood.Genome(min_distance=d)) for d in (0, STEP + 1)
    )
    assert {whole.edge_names()[k] for k in range(whole.n_edges)} - set(graph.edge_names()) == {
        (a, b)
        for a, b in whole.edge_names()
        if a[:5] == b[:5] == "chr1:" and abs(int(a[5:]) - int(b[5:])) == STEP
    }
    assert graph.has_edge("age", "chr2:400")


@pytest.mark.parametrize("method", ["plrhc", "l1lr", "chow-liu", "bayes", "plm"])
def test_example_where_only_near_edges_are_found_pairs_alone_are_spoken_of(method):
    is_conditional = METHODS[method].is_conditional and not METHODS[method].only_ranks
    with warns("linkage", where="min_distance") if is_conditional else nullcontext():
        far = markhood.Genome(min_distance=1e6)
        assert not markhood.learn(genome(), method, genome=far).n_edges
    assert not markhood.learn(
        genome(), "pairwise", genome=markhood.Genome(min_distance=1e6)
    ).n_edges


def test_example_replicates_groups_gammas_and_shuffles_leave_them_out_too():
    table = genome()
    drawn = markhood.bootstrap(
        table, replicates=3, n_jobs=1, genome=markhood.Genome(min_distance=STEP + 1)
    )
    assert all(abs(int(r["source"][5:]) - int(r["target"][5:])) > STEP for r in drawn.edges())
    edge = next(row for row in drawn.edges() if row["in_graph"])
    assert edge["coupling"] == pytest.approx(float(drawn.graph.coupling[0]), rel=0.2)
    again = drawn.graph.bootstrap(table, replicates=2, n_jobs=1)
    assert again.graph == drawn.graph
    halves = np.arange(400) % 2
    compared = markhood.compare_groups(
        table, by=halves, permutations=2, genome=markhood.Genome(min_distance=STEP + 1)
    )
    assert (np.diff(compared.edges, axis=1) > 1).all()
    path = markhood.gamma_path(
        table, gammas=[0.5], n_jobs=1, genome=markhood.Genome(min_distance=STEP + 1)
    )
    assert path.graphs[0].edges.tolist() == drawn.graph.edges.tolist()
    with warns("linkage", where="min_distance"):
        shuffled = markhood.learn(
            table, genome=markhood.Genome(min_distance=1e6), run=markhood.Run(shuffles=2)
        )
    assert shuffled.provenance["edges_by_chance"] == [0, 0]


def test_example_what_cannot_be_asked_for():
    table = genome()
    with refuses("option-needed", "positions"):
        markhood.learn(table.to_numpy(), genome=markhood.Genome(min_distance=5))
    with pytest.raises(markhood.InputError, match="min_distance"):
        markhood.learn(table, genome=markhood.Genome(min_distance=-1))
    with refuses("constraints"):
        markhood.learn(
            table,
            genome=markhood.Genome(min_distance=STEP + 1),
            knowledge=markhood.Knowledge(required_edges=[(0, 1)]),
        )


def test_example_on_a_circle_the_way_over_the_origin_counts(tmp_path):
    table, ends = genome(), ("chr1:0", "chr1:900")
    line = markhood.learn(table, genome=markhood.Genome(min_distance=STEP + 1))
    assert line.has_edge(*ends)
    circle = markhood.learn(
        table, genome=markhood.Genome(min_distance=STEP + 1, genome_length=1000)
    )
    assert set(line.edge_names()) - set(circle.edge_names()) == {ends}
    whole = markhood.learn(table, genome=markhood.Genome(genome_length=1000))
    markhood.write_graph(whole, tmp_path / "graph.csv")
    assert markhood.read_graph(tmp_path / "graph.csv") == whole
    lines = (tmp_path / "graph.csv").read_text().splitlines()
    assert any(line.startswith("chr1:0,chr1:900,") and line.endswith(",100.0") for line in lines)
    again = whole.bootstrap(table, replicates=2, n_jobs=1)
    assert again.graph.variables.genome_length == 1000


@pytest.mark.parametrize(
    ("names", "length", "expected"),
    [
        (None, 1000, ("positions", "genome_length")),
        ({}, 0, ("option-value", "genome_length")),
        ({}, 10**13, ("option-value", "genome_length")),
        ({}, 500, ("option-value", "genome_length", "900", "500")),
        ({"chr1:300": "chr2:300"}, 1000, ("option-conflict", "genome_length")),
    ],
)
def test_example_what_is_no_circle(names, length, expected):
    table = genome().to_numpy() if names is None else genome().rename(columns=names)
    with refuses(*expected):
        markhood.learn(table, genome=markhood.Genome(genome_length=length))
