"""Requests: errors are raised before any work, and options reach the result."""

import ast
from pathlib import Path

import numpy as np
import pytest

import markhood
from markhood import InputError
from markhood.data.coding.encode import encode
from markhood.learning.methods import L1Logistic, Pairwise, Plrhc
from markhood.learning.request import Request
from messages import refuses, warns
from oracles.counting import likelihood_ratio
from oracles.networks import network
from oracles.ordered import ordinal_chain

SOURCE = Path(markhood.__file__).parent


def with_holes(values, share, seed=1):
    holes = np.random.default_rng(seed).random(values.shape) < share
    return np.where(holes, np.nan, values)


@pytest.mark.parametrize("n_jobs", [0, 1.5, "two"])
def test_example_threads_must_be_a_number_of_them(n_jobs):
    with pytest.raises(InputError, match=r"^n_jobs must be a (whole )?number"):
        Request.of(Plrhc(), {"n_jobs": n_jobs})


@pytest.mark.parametrize("seed", [2**63, 2**128 - 1])
def test_example_a_seed_may_have_128_bits(seed):
    values = network(3, 100, 4, strength=1.5)
    one, again = (markhood.learn(values, "bayes", seed=seed, sweeps=2, chains=1) for _ in range(2))
    assert one == again


@pytest.mark.parametrize("seed", [-1, 2**128, 10**5000, -(10**5000), 1.5, True], ids=type)
def test_example_other_seeds_are_refused(seed):
    with refuses("option-value", "seed"):
        Request.of(Plrhc(), {"seed": seed})


def test_example_imputation_keeps_the_slopes_of_paths_without_a_refit():
    """If the path of a data set leaves a neighbour out, its slope is zero; a refit is larger."""
    values = network(3, 600, 12, strength=1.5)
    options = {"refit": False, "standardize": True, "gamma": 0.0}
    missing = with_holes(values, 0.02)
    shrunken = markhood.learn(
        missing, "l1lr", missing="impute", run=markhood.Run(imputations=4), **options
    )
    refitted = markhood.learn(
        missing, "l1lr", missing="impute", gamma=0.0, run=markhood.Run(imputations=4)
    )
    complete = markhood.learn(values, "l1lr", **options)
    pairs = {pair: k for k, pair in enumerate(refitted.edge_names())}
    shared = [(k, pairs[pair]) for k, pair in enumerate(shrunken.edge_names()) if pair in pairs]
    assert len(shared) > 3
    own, theirs = np.array(shared).T
    assert (np.abs(shrunken.coupling[own]) < np.abs(refitted.coupling[theirs])).all()
    pairs = {pair: k for k, pair in enumerate(complete.edge_names())}
    for k, pair in enumerate(shrunken.edge_names()):
        if pair in pairs:
            assert shrunken.coupling[k] == pytest.approx(complete.coupling[pairs[pair]], abs=0.5)


def test_oracle_evidence_and_coupling_of_a_pair_are_its_own():
    values = network(5, 400, 12, strength=2.0)
    learned = Request(Pairwise()).learn(encode(values))
    graph = learned.graph
    price = np.log(400) / 2 + 0.5 * np.log(11)
    assert graph.n_edges > 12
    for (i, j), evidence, coupling in zip(
        graph.edges.tolist(), graph.evidence, graph.coupling, strict=True
    ):
        assert evidence == pytest.approx(2 * (likelihood_ratio(values, i, j) - price), abs=1e-8)
        counts = np.zeros((2, 2))
        np.add.at(counts, (values[:, i], values[:, j]), 1)
        odds = np.log(counts[1, 1] * counts[0, 0] / (counts[1, 0] * counts[0, 1]))
        assert coupling == pytest.approx(odds, abs=1e-6)
    np.testing.assert_allclose(graph.evidence, learned.screened_graph.evidence, atol=1e-8)
    assert learned.regressions is None
    assert (graph.evidence > 0).all()


def test_oracle_tables_of_pairs_with_more_levels():
    rng = np.random.default_rng(2)
    a = rng.integers(0, 3, 500)
    b = np.where(rng.random(500) < 0.6, a, rng.integers(0, 3, 500))
    c = np.where(rng.random(500) < 0.6, b, rng.integers(0, 3, 500))
    graph = markhood.learn(np.column_stack([a, b, c]), "pairwise", kinds="nominal")
    assert graph.edges.tolist() == [[0, 1], [0, 2], [1, 2]]
    counts = np.zeros((3, 3))
    np.add.at(counts, (a, c), 1)
    logs = np.log(counts)
    zero_sum = logs - logs.mean(0) - logs.mean(1, keepdims=True) + logs.mean()
    np.testing.assert_allclose(graph.coupling_tables[1], zero_sum, atol=1e-6)


def test_example_samples_and_paths_can_be_scored_as_they_can_be_fitted(tmp_path):
    values = network(7, 200, 6)
    samples = encode(values)
    fitted = markhood.PLRHC().fit(samples)
    expected = markhood.PLRHC().fit(values).score(values)
    assert fitted.score(samples) == pytest.approx(expected)
    markhood.pack(_saved(tmp_path / "values.npy", values), tmp_path / "packed")
    assert fitted.score(tmp_path / "packed") == pytest.approx(expected)
    strange = encode(values + 3)  # with levels that the fitted data do not have
    assert fitted.score(strange) == pytest.approx(6 * np.log(1 / 400))


def _saved(path, values):
    np.save(path, values)
    return path


def test_example_a_million_ways_to_start_are_one_with_the_same_seed():
    values = with_holes(network(4, 150, 6, strength=1.5), 0.1)
    one, same = (
        markhood.learn(values, missing="impute", seed=3, run=markhood.Run(imputations=2))
        for _ in range(2)
    )
    assert one == same
    anyhow = [
        markhood.learn(
            values, missing="impute", seed=None, run=markhood.Run(imputations=2)
        ).evidence.tolist()
        for _ in range(2)
    ]
    assert anyhow[0] != anyhow[1]


def test_example_regressions_have_fields():
    values = network(9, 500, 5)
    fitted = markhood.PLRHC(gamma=100.0).fit(values)  # no edges: fields are log odds
    share = values.mean(axis=0)
    fields = np.array([field[0] for field in fitted.regressions_.fields])
    np.testing.assert_allclose(fields, np.log(share / (1 - share)), atol=1e-6)
    assert fitted.regressions_.variables == fitted.graph_.variables


def test_example_method_l1lr_has_no_option_that_can_only_fail():
    assert not hasattr(markhood.MarginalPseudoLikelihood(), "fit_penalty")
    assert L1Logistic().scored_by.gamma == 0.5


def _ending(call):
    """Return the last literal part of an InputError's text, where the source has it."""
    if not call.args:
        return None
    text = call.args[-1]  # of (code, where, text)
    if isinstance(text, ast.JoinedStr):
        text = text.values[-1]
    return text.value if isinstance(text, ast.Constant) else None


def test_property_every_message_ends_with_a_full_stop():
    endings = {
        f"{path.relative_to(SOURCE)}:{node.lineno}": _ending(node)
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "InputError"
    }
    texts = {place: text for place, text in endings.items() if isinstance(text, str)}
    assert len(texts) > 100
    assert not {p: t for p, t in texts.items() if not t.rstrip().endswith((".", "?"))}


@pytest.mark.parametrize(
    ("method", "options"), [("mpl", {}), ("bjp", {}), ("l1lr", {}), ("hc", {"criterion": "mpl"})]
)
def test_example_methods_that_know_no_order_say_so(method, options):
    """Ordered levels are categories to them: the graph is that of categories."""
    values = ordinal_chain(9, 300, (3, 4, 3), coupling=0.6)
    with warns("level-kinds", where="kinds"):
        graph = markhood.learn(values, method, **options)
    plain = markhood.learn(values, method, kinds="nominal", **options)
    assert graph.edges.tolist() == plain.edges.tolist()
    assert graph.coupling.tolist() == plain.coupling.tolist()
    assert "ordinal" not in graph.variables.kinds
