"""Pairs ranked by the couplings of the whole Potts model."""

import numpy as np
import pandas as pd
import pytest

import markhood
from markhood.errors import InputError
from markhood.kernels.reference.backend import ReferenceKernels
from markhood.learning.request import Request
from markhood.search.ranking import signal
from messages import refuses
from oracles.networks import independent, network

VALUES = network(3, 400, 10, strength=1.5)
CHAIN = [(k, k + 1) for k in range(9)]


def letters(seed, n, length, planted):
    """Draw sequences of independent letters, but that planted pairs are complements."""
    rng = np.random.default_rng(seed)
    table = np.array(list("ACGU"))[rng.integers(4, size=(n, length))]
    partner = dict(zip("ACGU", "UGCA", strict=True))
    for i, j in planted:
        paired = rng.random(n) < 0.7
        table[paired, j] = [partner[x] for x in table[paired, i]]
    return pd.DataFrame(table, columns=[str(k + 1) for k in range(length)])


RNA = letters(0, 300, 20, [(0, 19), (1, 18), (5, 12)])


def test_example_planted_pairs_rank_first_and_stick_out():
    found = markhood.PseudoLikelihood().fit(RNA)
    assert found.graph_.edge_names() == [("1", "20"), ("2", "19"), ("6", "13")]
    assert len(found.pairs_) == len(found.scores_) == 190
    best = found.pairs_[np.argsort(-found.scores_)[:3]].tolist()
    assert sorted(best) == found.graph_.edges.tolist()
    np.testing.assert_allclose(found.graph_.evidence, np.sort(found.scores_)[-3:][::-1], rtol=0.5)


def test_example_tables_are_zero_sum_and_favour_complements():
    graph = markhood.learn(RNA, "plm", top=3)
    for table in graph.coupling_tables:
        np.testing.assert_allclose(table.sum(axis=0), 0, atol=1e-5)
        np.testing.assert_allclose(table.sum(axis=1), 0, atol=1e-5)
        assert (table.argmax(axis=1) == [3, 2, 1, 0]).all()


def test_example_binary_scores_are_sizes_of_couplings():
    graph = markhood.learn(VALUES, "plm", top=9)
    np.testing.assert_allclose(graph.evidence, np.abs(graph.coupling))
    truth = markhood.learn(VALUES, "hc")
    shared = {tuple(e) for e in graph.edges.tolist()} & {tuple(e) for e in truth.edges.tolist()}
    assert len(shared) >= 0.8 * min(truth.n_edges, 9)


def test_oracle_scores_are_those_of_the_twin():
    native = markhood.PseudoLikelihood(top=3).fit(RNA.iloc[:, :8])
    twin = markhood.PseudoLikelihood(top=3, run=markhood.Run(kernels=ReferenceKernels())).fit(
        RNA.iloc[:, :8]
    )
    np.testing.assert_allclose(native.scores_, twin.scores_, atol=2e-4)


def test_property_any_number_of_threads_gives_the_same_graph(tmp_path):
    one, two = (markhood.learn(RNA, "plm", n_jobs=n) for n in (1, 2))
    assert one == two
    saved = [
        markhood.learn(RNA, "plm", run=markhood.Run(checkpoint=tmp_path / "run")) for _ in range(2)
    ]
    assert saved[0] == saved[1] == one


@pytest.mark.filterwarnings("ignore::markhood.DataWarning")  # of repeated rows
def test_property_duplicated_samples_weigh_twice():
    twice = markhood.PseudoLikelihood(top=3).fit(pd.concat([RNA, RNA], ignore_index=True))
    weighted = markhood.PseudoLikelihood(top=3).fit(RNA, sample_weight=np.full(len(RNA), 2))
    np.testing.assert_allclose(twice.scores_, weighted.scores_, atol=2e-4)


@pytest.mark.parametrize("table", [RNA, pd.DataFrame(network(5, 300, 40, strength=1.0))])
def test_property_scores_do_not_depend_on_the_order_of_rows_or_columns(table):
    rng = np.random.default_rng(0)
    first = markhood.PseudoLikelihood().fit(table)
    rows = markhood.PseudoLikelihood().fit(table.iloc[rng.permutation(len(table))])
    order = rng.permutation(table.shape[1])
    columns = markhood.PseudoLikelihood().fit(table.iloc[:, order])
    place = {tuple(pair): k for k, pair in enumerate(first.pairs_.tolist())}
    same = [place[tuple(sorted(pair))] for pair in order[columns.pairs_].tolist()]
    np.testing.assert_allclose(rows.scores_, first.scores_, atol=2e-4)
    np.testing.assert_allclose(columns.scores_, first.scores_[same], atol=2e-4)
    edges = {frozenset(edge) for edge in first.graph_.edge_names()}
    assert edges == {frozenset(edge) for edge in rows.graph_.edge_names()}
    assert edges == {frozenset(edge) for edge in columns.graph_.edge_names()}


def test_example_missing_values_say_nothing():
    holes = RNA.mask(np.random.default_rng(1).random(RNA.shape) < 0.1)
    graph = markhood.learn(holes, "plm", missing="impute")
    assert graph.edge_names() == [("1", "20"), ("2", "19"), ("6", "13")]
    assert "share" not in graph.annotations


def test_example_what_is_known_beforehand_is_heeded():
    graph = markhood.learn(
        RNA,
        "plm",
        top=2,
        knowledge=markhood.Knowledge(required_edges=[("3", "4")], forbidden_edges=[("1", "20")]),
    )
    assert graph.edge_names() == [("2", "19"), ("3", "4"), ("6", "13")]


def test_example_constant_columns_have_no_pairs():
    with pytest.warns(markhood.DataWarning, match="same"):
        found = markhood.PseudoLikelihood(top=3).fit(RNA.assign(same="A"))
    assert len(found.pairs_) == 190
    assert found.graph_.n_edges == 3


def test_example_noise_has_no_edges():
    assert markhood.learn(independent(3, 300, 20), "plm").n_edges <= 2


def test_example_rare_letters_have_no_edges_by_chance():
    # A symmetric background takes the long right side of these scores for signal.
    rng = np.random.default_rng(1)
    shares = rng.dirichlet(np.full(5, 0.5), size=100) * 0.98 + 0.004
    table = np.column_stack([rng.choice(5, size=133, p=own) for own in shares])
    assert markhood.PseudoLikelihood(kinds="nominal").fit(table).graph_.n_edges == 0


def test_example_proteins_have_three_edges_for_two_positions():
    rng = np.random.default_rng(0)
    residues = np.array(list("ACDEFGHIKLMNPQRSTVWY-"))[rng.integers(21, size=(100, 10))]
    assert markhood.learn(residues, "plm").n_edges == 15


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"penalty": 0}, "penalty"),
        ({"top": 0}, "top"),
        ({"top": "all"}, "mixture"),
        ({"gamma": 0.5}, "plm.*gamma=0.5"),
    ],
)
def test_example_options_that_cannot_be_used_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        markhood.learn(RNA, "plm", **options)


def test_example_couplings_that_do_not_fit_in_memory_are_refused(monkeypatch):
    monkeypatch.setattr("markhood.search.pseudo_likelihood.available_memory", lambda: 1000)
    with refuses("memory"):
        markhood.learn(RNA, "plm")


def test_example_scores_without_a_signal_have_none():
    assert not signal(np.zeros(5)).any()
    assert not signal(np.empty(0), np.empty(0)).any()


def test_example_a_forecast_says_what_couplings_take():
    request = Request.of("plm", {"n_jobs": 1})
    said = request.forecast(request.read(RNA))
    assert said.seconds.keys() == {"couplings"}
    assert said.seconds["couplings"] > 0
    assert (said.pairs, said.candidates, said.memory) == (190, 19.0, 57600)
