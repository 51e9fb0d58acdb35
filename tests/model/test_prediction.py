"""Predictions against enumeration of the joint distribution, with missing and unknown values."""

from contextlib import nullcontext
from itertools import product

import numpy as np
import pandas as pd
import pytest

import markhood
from markhood.data.matching import UNKNOWN, numbers_like
from markhood.errors import InputError
from markhood.graph.graph import Graph
from markhood.model.fitted.prediction import predict
from messages import refuses, warns

NAMES = ["mood", "sleep", "work", "rain"]
LEVELS = [("bad", "good"), (1, 2, 3), ("home", "none", "out"), ("no", "yes")]
GRAPH = Graph(NAMES, [(0, 1), (0, 2), (1, 2), (2, 3)])


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(1)
    sleep = rng.integers(0, 3, 400)
    mood = (sleep + rng.integers(0, 3, 400) > 2).astype(int)
    work = np.where(rng.random(400) < 0.5, sleep, rng.integers(0, 3, 400))
    rain = np.where(rng.random(400) < 0.6, work > 1, rng.integers(0, 2, 400)).astype(int)
    columns = zip(NAMES, LEVELS, (mood, sleep, work, rain), strict=True)
    return pd.DataFrame({name: np.array(own, dtype=object)[k] for name, own, k in columns})


@pytest.fixture(scope="module")
def model(frame):
    return markhood.fit_model(GRAPH, frame)


def joint(model):
    """Return the probability of every state by its level numbers."""
    states = np.array(list(product(range(2), range(3), range(3), range(2))))
    weights = np.exp(model.distribution.log_potential(states))
    return states, weights / weights.sum()


@pytest.mark.parametrize("most_states", [1 << 12, 1])
def test_oracle_some_given_others(model, frame, most_states):
    states, chances = joint(model)
    rows = frame.iloc[:3]
    codes, rng = numbers_like(rows, model.variables)[0], np.random.default_rng(1)
    codes[[0, 2]] = UNKNOWN
    with nullcontext() if most_states > 1 else warns("sampled-prediction"):
        every = predict(model._network, codes, rng, most_states=most_states, sweeps=4000)
    found = [every.probabilities[:, :2], every.probabilities[:, 5:8]]
    if most_states > 1:
        np.testing.assert_equal(model.predict_proba(rows, ["mood", "work"]), found)
    for s, row in enumerate(rows.itertuples(index=False)):
        fits = (states[:, 1] == LEVELS[1].index(row.sleep)) & (
            states[:, 3] == LEVELS[3].index(row.rain)
        )
        for own, variable in zip(found, (0, 2), strict=True):
            expected = [
                chances[fits & (states[:, variable] == k)].sum() for k in range(own.shape[1])
            ]
            tolerance = 1e-12 if most_states > 1 else 0.04
            np.testing.assert_allclose(own[s], expected / np.sum(expected), atol=tolerance)


def test_oracle_completion_is_the_best_state(model, frame):
    states, chances = joint(model)
    holes = frame.iloc[:6].copy()
    holes.iloc[0, [0, 2]] = None
    holes.iloc[1, [0, 1, 2, 3]] = None
    holes.iloc[2, 3] = None
    holes.index = list("uvwxyz")
    completed = model.complete(holes)
    assert list(completed.index) == list("uvwxyz")
    assert model.complete(holes.to_numpy().tolist()).equals(completed.reset_index(drop=True))
    pairs = zip(holes.itertuples(index=False), completed.itertuples(index=False), strict=True)
    for row, own in pairs:
        numbers = [LEVELS[v].index(own[v]) for v in range(4)]
        known = [v for v in range(4) if not pd.isna(row[v])]
        assert all(own[v] == row[v] for v in known)
        fits = (states[:, known] == [numbers[v] for v in known]).all(axis=1)
        best = states[fits][chances[fits].argmax()]
        assert numbers == best.tolist()
    codes, rng = numbers_like(holes, model.variables)[0], np.random.default_rng(0)
    with warns("sampled-prediction"):
        found = predict(model._network, codes, rng, most_states=1).most_probable
    np.testing.assert_array_equal(found, numbers_like(completed, model.variables)[0])


def test_example_missing_values_are_summed_over(model, frame):
    states, chances = joint(model)
    row = frame.iloc[:1].drop(columns="mood").assign(work=None)
    found = model.predict_proba(row, "mood")[0]
    fits = (states[:, 1] == LEVELS[1].index(row.sleep.iloc[0])) & (
        states[:, 3] == LEVELS[3].index(row.rain.iloc[0])
    )
    expected = [chances[fits & (states[:, 0] == k)].sum() for k in range(2)]
    np.testing.assert_allclose(found, expected / np.sum(expected), atol=1e-12)


def test_example_predictions_are_levels_of_the_data(model, frame):
    assert set(model.predict(frame, "work")) <= set(LEVELS[2])
    both = model.predict(frame, ["mood", 1])
    assert both.shape == (400, 2)
    assert set(both[:, 1]) <= {1, 2, 3}
    drawn = model.sample(50, seed=1)
    assert all(set(drawn[name]) <= set(LEVELS[v]) for v, name in enumerate(NAMES))
    shares = model.predictability(frame)
    right = np.mean(model.predict(frame, "work") == frame["work"])
    assert shares.accuracy[2] == pytest.approx(right)
    assert shares.majority[2] == pytest.approx(frame["work"].value_counts(normalize=True).max())
    assert shares.rows()[2]["normalized_accuracy"] == pytest.approx(
        (right - shares.majority[2]) / (1 - shares.majority[2])
    )


def test_oracle_likelihoods(model, frame):
    states, chances = joint(model)
    index = {tuple(state): k for k, state in enumerate(states.tolist())}
    numbers = [
        tuple(LEVELS[v].index(value) for v, value in enumerate(row))
        for row in frame.itertuples(index=False)
    ]
    logs = np.log([chances[index[state]] for state in numbers])
    found = model.log_likelihood(frame)
    assert found.error == 0
    assert found.value == pytest.approx(logs.mean())
    by_hand = 0.0
    for state in numbers:
        for v, own in enumerate(LEVELS):
            others = [(*state[:v], k, *state[v + 1 :]) for k in range(len(own))]
            by_hand += np.log(chances[index[state]] / sum(chances[index[o]] for o in others))
    assert model.log_pseudo_likelihood(frame) == pytest.approx(by_hand / len(frame))
    energy = model.energy(frame)
    np.testing.assert_allclose(energy - energy[0], logs[0] - logs, atol=1e-9)


@pytest.mark.parametrize(
    ("ask", "finding"),
    [
        (lambda m, f: m.predict(f, "mod"), ("graph-unknown", "mod")),
        (lambda m, f: m.predict(f, []), ("option-needed", "target")),
        (lambda m, f: m.energy(f.assign(rain=None)), ("missing-values", "rain")),
        (lambda m, f: m.to_spins(), ("not-supported", "coding")),
        (lambda m, f: m.table("mood", "rain"), ("graph-unknown", "mood - rain")),
        (lambda m, f: m.intervals(1.5), ("option-value", "level")),
    ],
)
def test_example_bad_questions_are_refused(model, frame, ask, finding):
    with refuses(*finding):
        ask(model, frame)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda f: f.drop(columns="rain"), "'rain'"),
        (lambda f: f.assign(rain="often"), "'rain'"),
        (lambda f: [[1, 2]], "4 variables"),
    ],
)
def test_example_data_that_do_not_fit_are_refused(model, frame, change, named):
    with pytest.raises(InputError, match=named):
        model.predict(change(frame), "mood")


def test_example_one_column_is_enough_to_predict_another(tmp_path):
    rain = np.array(["no", "yes"])[np.arange(60) % 2]
    frame = pd.DataFrame({"rain": rain, "wet": np.where(np.arange(60) % 7, rain, "yes")})
    pair = markhood.fit_model(Graph(["rain", "wet"], [(0, 1)]), frame)
    frame.to_csv(tmp_path / "data.csv", index=False)
    expected = pair.predict_proba(frame, "wet")
    for data in (
        frame[["rain"]],
        frame[["rain"]].to_numpy(),
        frame.to_numpy(),
        tmp_path / "data.csv",
    ):
        np.testing.assert_array_equal(pair.predict_proba(data, "wet"), expected)
    with refuses("option-value"):
        pair.predict(frame, ["rain", "wet"])


def test_oracle_pgmpy_gives_the_same_probabilities(model, frame):
    pytest.importorskip("pgmpy")
    from pgmpy.inference import VariableElimination

    network = model.to_pgmpy()
    assert network.check_model()
    row = frame.iloc[0]
    given = {name: str(row[name]) for name in NAMES[1:]}
    found = VariableElimination(network).query(["mood"], given, show_progress=False)
    expected = model.predict_proba(frame.iloc[:1], "mood")[0]
    assert found.state_names["mood"] == ["bad", "good"]
    np.testing.assert_allclose(found.values / found.values.sum(), expected, atol=1e-9)
