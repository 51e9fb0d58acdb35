"""New data are read like the training data, from a data frame, an array, samples or a path."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import markhood
from markhood.data.coding.encode import encode
from markhood.data.formats.files import read_samples
from markhood.data.matching import UNKNOWN, matched_codes, numbers_like
from markhood.data.storage.packed import write_packed
from markhood.data.variables import Variables
from markhood.errors import InputError
from markhood.graph.graph import Graph
from markhood.model.fitting.fit import fit_model
from messages import refuses
from oracles.options import grouped

N = 300


def table():
    rng = np.random.default_rng(4)
    a = rng.integers(0, 3, N)
    return pd.DataFrame(
        {
            "answer": np.where(np.arange(N) < 4, 4, a),  # a rare level, 4
            "age": np.round(rng.normal(40 + 10 * a, 5), 2),
            "word": np.where(np.arange(N) % 97 == 0, "rare", np.array(["x", "y", "z"])[a]),
            "yes": (rng.random(N) < 0.2 + 0.3 * a).astype(int),
        }
    )


def as_path(frame, folder, ending):
    path = folder / f"table.{ending}"
    frame.to_csv(path, index=False) if ending == "csv" else frame.to_parquet(path)
    return path


def as_packed(frame, folder):
    write_packed(encode(frame, bins=None), folder / "packed")
    return folder / "packed"


INPUTS = {
    "frame": lambda frame, folder: frame,
    "array": lambda frame, folder: frame.to_numpy(object),
    "samples": lambda frame, folder: encode(frame, bins=None),
    "csv": lambda frame, folder: as_path(frame, folder, "csv"),
    "parquet": lambda frame, folder: as_path(frame, folder, "parquet"),
    "packed": lambda frame, folder: as_packed(frame, folder),
}
READINGS = {
    "merge_rare": {"merge_rare": 10, "exclude": ["age"]},
    "bins": {"bins": 4},
    "both": {"bins": 4, "merge_rare": 10},
}


@pytest.mark.filterwarnings("ignore::markhood.errors.DataWarning")
@pytest.mark.parametrize("reading", READINGS.values(), ids=READINGS)
@pytest.mark.parametrize("name", INPUTS)
def test_oracle_all_kinds_of_input_are_read_like_the_training_data(name, reading, tmp_path):
    frame = table()
    trained = encode(frame, **grouped(reading))
    if name == "array" and "exclude" in reading:
        frame = frame.drop(columns="age")
    data = INPUTS[name](frame, tmp_path)
    graph = Graph(trained.variables, [(0, 1), (1, 2)])
    expected = fit_model(graph, trained)
    again = fit_model(graph, data)
    assert again.couplings == pytest.approx(expected.couplings)
    chances = expected.predict_proba(trained, "yes")
    assert expected.predict_proba(data, "yes") == pytest.approx(chances)


@pytest.mark.parametrize("kind", ["array", "frame", "csv", "samples"])
def test_example_letters_are_merged_as_in_the_training_data(kind, tmp_path):
    letters = ["A", "C", "G", "T", "A", "-"]
    frame = pd.DataFrame({"1": letters, "2": letters[::-1], "3": ["A", "G", "T", "C", "C", "T"]})
    trained = encode(frame, genome=markhood.Genome(letters="reduced"))
    assert trained.levels[0] == ("-", "AG", "CT")
    codes = numbers_like(INPUTS[kind](frame, tmp_path), trained.variables)[0]
    assert codes[0].tolist() == [1, 2, 1, 2, 1, 0]


def test_oracle_weights_count_samples_for_all_kinds_of_data():
    frame, weights = table()[["answer", "yes"]], np.arange(N) % 4
    graph = Graph(["answer", "yes"], [(0, 1)])
    expected = fit_model(graph, frame.loc[frame.index.repeat(weights)])
    assert fit_model(graph, frame, weights=weights).couplings == pytest.approx(expected.couplings)
    samples = encode(frame)
    again = fit_model(graph, samples, weights=weights)
    assert again.couplings == pytest.approx(expected.couplings)
    assert again.couplings != pytest.approx(fit_model(graph, samples).couplings)
    kept = encode(frame, weights=(np.arange(N) % 3 > 0).astype(int))
    both = fit_model(graph, kept, weights=weights)  # one per row of the table
    only = frame[np.arange(N) % 3 > 0]
    expected = fit_model(graph, only.loc[only.index.repeat(weights[np.arange(N) % 3 > 0])])
    assert both.couplings == pytest.approx(expected.couplings)


def test_example_options_that_samples_do_not_take():
    samples = encode(table()[["answer", "yes"]])
    for options in ({"missing_values": [-9]}, {"missing": "drop"}):
        with refuses("option-conflict", *options):
            fit_model(Graph(["answer", "yes"], [(0, 1)]), samples, **options)
    with pytest.raises(InputError, match=r"\(2,\) for 300 samples"):
        fit_model(Graph(["answer", "yes"], [(0, 1)]), samples, weights=[1, 2])
    heavy = encode(table()[["answer", "yes"]], weights=np.full(N, 2))
    with pytest.raises(InputError, match="weights"):
        fit_model(Graph(["answer", "yes"], [(0, 1)]), heavy, weights=np.ones(N))


def test_example_a_fitted_estimator_is_accepted_as_a_graph(tmp_path):
    frame = table()[["answer", "yes", "word"]]
    estimator = markhood.PLRHC().fit(frame)
    expected = fit_model(estimator.graph_, frame).couplings
    assert fit_model(estimator, frame).couplings == pytest.approx(expected)
    markhood.write_graph(estimator, tmp_path / "graph.json")
    assert markhood.read_graph(tmp_path / "graph.json") == estimator.graph_
    assert len(markhood.convert.to_pandas(estimator)) == estimator.graph_.n_edges
    assert markhood.plot.network(estimator) is not None
    with refuses("graph-invalid", "graph"):
        fit_model(markhood.PLRHC(), frame)


@pytest.mark.parametrize("letters_of", ["all", "reduced"])
def test_oracle_new_sequences_are_read_like_the_training_data(letters_of, tmp_path):
    letters = np.random.default_rng(1).choice(list("ACGT-"), (30, 6), p=[0.3, 0.2, 0.2, 0.25, 0.05])
    path, new = tmp_path / "old.fasta", tmp_path / "new.fasta"
    path.write_text("".join(f">s{k}\n{''.join(row)}\n" for k, row in enumerate(letters)))
    new.write_text("".join(f">s{k}\n{''.join(row)}\n" for k, row in enumerate(letters[:2])))
    trained = read_samples(path, genome=markhood.Genome(max_gap=1, letters=letters_of))
    expected = matched_codes(trained, trained.variables)[:, :2]
    assert np.array_equal(numbers_like(new, trained.variables)[0], expected)
    assert np.array_equal(numbers_like(letters[:2], trained.variables)[0], expected)


def test_example_missing_values_are_a_level_only_where_the_model_has_one():
    known = Variables(("a", "b"), ((0, 1, None), (0, 1)))
    frame = pd.DataFrame({"a": [0, None, 1], "b": [None, 1, 0]})
    for data in (
        frame,
        frame.to_numpy(),
        encode(frame, missing="impute"),
        encode(frame, missing="level"),
    ):
        assert numbers_like(data, known)[0].tolist() == [[0, 2, 1], [UNKNOWN, 1, 0]]  # fmt: skip


def test_example_levels_are_found_as_text_where_they_are_of_another_type():
    known = Variables(("a", "b"), (("1", "2"), (False, True)))
    assert numbers_like([[1, 0], ["2", 1]], known)[0].tolist() == [[0, 1], [0, 1]]
    known = Variables(("a", "b"), (("missing", None), (0, 1)))
    assert numbers_like([["missing", 0]], known)[0][0] == [0]


@pytest.mark.parametrize("kind", INPUTS)
def test_example_a_value_that_is_not_known_is_named(kind, tmp_path):
    known = Variables(("a", "b"), (("x", "y"), (0, 1)))
    frame = pd.DataFrame({"a": ["x", "y", "often"], "b": [0, 1, 1]})
    with pytest.raises(InputError, match="'a' has the value 'often'"):
        numbers_like(INPUTS[kind](frame, tmp_path), known)[0]


def test_example_columns_are_matched_by_name_and_those_of_arrays_by_number():
    known = Variables(("x1", "x3"), ((0, 1), (0, 1)))
    whole = np.array([[5, 0, 7, 1], [6, 1, 8, 0]])
    assert numbers_like(whole, known)[0].tolist() == [[0, 1], [1, 0]]
    assert numbers_like(whole[:, [1, 3]], known)[0].tolist() == [[0, 1], [1, 0]]
    with pytest.raises(InputError, match="shape"):
        numbers_like(whole[:, :3], known)[0]


def test_example_columns_of_arrays_when_variables_are_in_another_order():
    values = np.array([[0, 1, 2], [1, 2, 0]])
    numbered = Variables(("x1", "x2", "x0"), ((0, 1, 2),) * 3)
    assert numbers_like(values, numbered)[0].tolist() == [[1, 2], [2, 0], [0, 1]]
    named = Variables(("b", "c"), ((0, 1, 2),) * 2)
    assert numbers_like(values, named, names=("c", "a", "b"))[0].tolist() == [[2, 0], [0, 1]]
    assert numbers_like(values[:, :2], named, names=("c", "a", "b"))[0].tolist() == [[0, 1], [1, 2]]


def test_example_many_numbers_fall_into_bins():
    numbers = np.random.default_rng(0).normal(size=(70_000, 2))
    known = Variables(("a", "b"), (("[-3, 0)", "[0, 3]"), ("[-3, 1)", "[1, 3]")))
    codes = numbers_like(numbers, known)[0]
    assert np.array_equal(codes, (numbers >= [0, 1]).T)


def test_oracle_a_value_that_was_not_in_the_training_data_has_the_least_probability():
    frame = table()[["answer", "yes", "word"]]
    fitted = markhood.PLRHC().fit(frame[frame.answer < 4])
    regressions, margin = fitted.regressions_, 1 / 600
    new = pd.DataFrame({"answer": [0, 4], "yes": [1, 1], "word": ["x", "x"]})
    with pytest.raises(InputError, match="'answer' has the value 4"):
        numbers_like(new, regressions.variables)[0]
    codes = numbers_like(new, regressions.variables, unseen=True)[0]
    assert codes.tolist() == [[0, 3], [1, 1], [1, 1]]
    one = regressions.mean_log_probability(codes[:, 1:], margin)
    # As a neighbour it has the mean effect of all levels; its own probability is the margin.
    expected = np.log(margin)
    for name in ("yes", "word"):
        j = regressions.variables.names.index(name)
        blanket = regressions.blankets[j]
        assert 0 in blanket
        each = np.repeat(codes[:, 1:], 3, axis=1)
        each[0] = range(3)
        odds = regressions.log_odds(j, each[blanket]).mean(axis=0)
        chance = np.exp(odds[codes[j, 1]]) / np.exp(odds).sum()
        expected += np.log(np.clip(chance, margin, 1 - margin))
    assert one == pytest.approx(expected)
    other = regressions.mean_log_probability(codes[:, :1], margin)
    assert regressions.mean_log_probability(codes, margin) == pytest.approx((one + other) / 2)
    weights = np.array([3, 1])
    found = regressions.mean_log_probability(codes, margin, weights)
    assert found == pytest.approx((3 * other + one) / 4)
    codes[0, 1] = UNKNOWN
    assert regressions.mean_log_probability(codes, margin) == pytest.approx(other)


def test_example_numbers_beyond_all_bins_are_seen():
    known = Variables(("a", "b"), (("[-3, 0)", "[0, 3]"), ("x", "other")))
    data = [[-9, "z"], [9, "x"]]
    assert numbers_like(data, known, unseen=True)[0].tolist() == [[0, 1], [1, 0]]
    assert numbers_like([["low", "x"]], known, unseen=True)[0].tolist() == [[2], [0]]
