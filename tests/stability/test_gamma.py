"""The gamma path: its graphs, their cross-validation, and the gammas that it recommends."""

import numpy as np
import pytest
from typer.testing import CliRunner

import markhood
from markhood.commandline.app import app
from markhood.scores.bic import Bic
from markhood.scores.criterion import blanket_table
from markhood.stability.gamma import GammaPath
from messages import refuses
from oracles.networks import network

VALUES = network(31, 300, 6, strength=1.5)


def test_oracle_graphs_and_ebic_are_those_of_each_gamma():
    path = markhood.gamma_path(VALUES, gammas=[1, 0, 0.25], folds=3, n_jobs=1)
    assert path.gammas == (0.0, 0.25, 1.0)
    for gamma, graph, ebic in zip(path.gammas, path.graphs, path.ebic, strict=True):
        learned = markhood.learn(VALUES, gamma=gamma)
        np.testing.assert_array_equal(graph.edges, learned.edges)
        samples, total = markhood.encode(VALUES), 0.0
        for v in range(6):
            blanket = [graph.nodes.index(name) for name in graph.neighbours(v)]
            total += Bic(0.5).score(blanket_table(samples, v, blanket))
        assert ebic == pytest.approx(-2 * total)
    kept = {(r["source"], r["target"]): r["largest_gamma"] for r in path.edges()}
    for a, b in path.graphs[-1].edge_names():
        assert kept[a, b] == 1.0


def test_oracle_held_out_is_the_likelihood_of_the_left_out_fold():
    path = markhood.gamma_path(VALUES, gammas=[100], folds=2, n_jobs=1, seed=3)
    assert path.graphs[0].n_edges == 0
    folds = np.random.default_rng(3).permutation(np.arange(300) % 2)
    for fold in range(2):
        share = VALUES[folds != fold].mean(axis=0)
        x = VALUES[folds == fold]
        alone = (x * np.log(share) + (1 - x) * np.log(1 - share)).sum(axis=1).mean()
        assert path.held_out[0, fold] == pytest.approx(alone)


def test_property_any_number_of_threads_gives_the_same():
    one, two = (markhood.gamma_path(VALUES, folds=2, n_jobs=jobs) for jobs in (1, 2))
    assert one.rows() == two.rows()


def test_example_at_the_command_line_and_drawn(tmp_path):
    table, out, edges = (tmp_path / name for name in ("data.csv", "path.csv", "edges.csv"))
    np.savetxt(table, VALUES, fmt="%d", delimiter=",", header="a,b,c,d,e,f", comments="")
    words = ["choose-gamma", table, "--gammas", "0,0.5,2", "--folds", 2, "-j", 1, "-o", out,
             "--edges", edges, "--plot", tmp_path / "path.svg"]  # fmt: skip
    done = CliRunner().invoke(app, list(map(str, words)))
    assert done.exit_code == 0, done.output
    assert "predicts held-out samples best" in done.stdout
    assert len(out.read_text().splitlines()) == 4
    assert edges.read_text().startswith("source,target,largest_gamma,gammas")


@pytest.mark.parametrize(
    ("options", "finding"),
    [
        ({"gammas": [-1]}, ("option-value", "gammas")),
        ({"gammas": []}, ("option-value", "gammas")),
        ({"folds": 1}, ("option-value", "folds")),
        ({"method": "bayes"}, ("not-supported", "method")),
    ],
)
def test_example_bad_options_are_refused(options, finding):
    with refuses(*finding):
        markhood.gamma_path(VALUES, **options)


# Folds differ by far more than the gammas do, as if some samples were hard to predict.
HARD = np.array([0.0, 4.0, 8.0, 2.0])


def hand_made(*below):
    graphs = tuple(markhood.Graph("ab", []) for _ in below)
    held_out = -HARD - np.array(below)
    return GammaPath(tuple(map(float, range(len(below)))), graphs, held_out, np.zeros(len(below)))


def test_example_the_sparsest_is_within_the_paired_standard_error():
    near, far = [-0.1, 0.2, 0.1, -0.1], [0.2, 0.2, 0.2, 0.3]
    path = hand_made([0, 0, 0, 0], near, far)
    assert (path.best, path.sparsest) == (0.0, 1.0)
    rows = path.rows()
    for row, below in zip(rows, ([0] * 4, near, far), strict=True):
        assert row["below_best"] == pytest.approx(np.mean(below))
        assert row["standard_error"] == pytest.approx(np.std(below, ddof=1) / 2)
    # Without pairing, all gammas would be within one standard error.
    assert rows[2]["below_best"] < HARD.std(ddof=1) / 2


def test_example_a_gamma_that_predicts_worse_in_every_fold_is_never_the_sparsest():
    assert hand_made([0, 0, 0, 0], [1, 1, 1, 1.001]).sparsest == 0.0
    assert hand_made([0.5, 0.5, 0.5, 0.501], [0, 0, 0, 0], [1, 1, 1, 1]).sparsest == 1.0


def test_example_the_sparsest_follows_from_the_rows():
    path = markhood.gamma_path(VALUES, folds=4, n_jobs=1)
    within = [r["gamma"] for r in path.rows() if r["below_best"] <= r["standard_error"]]
    assert path.sparsest == max(within)


def test_example_dense_graphs_get_the_best_gamma():
    rng = np.random.default_rng(0)
    sparse = rng.integers(0, 2, (200, 6))
    sparse[:, 1] = sparse[:, 0] ^ (rng.random(200) < 0.1)
    dense = (rng.random((400, 1)) < 0.5) ^ (rng.random((400, 6)) < 0.2)
    options = {"gammas": [0, 0.25, 1], "n_jobs": 1, "factors": 0}
    path = markhood.gamma_path(sparse, **options)
    assert path.suggested == 0.25
    path = markhood.gamma_path(dense.astype(int), **options)
    assert 2 * path.graphs[1].n_edges >= 2 * 6
    assert path.suggested == path.best
