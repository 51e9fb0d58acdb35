"""Models in files: read back bit for bit, by this version and later ones; damaged files are refused."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import markhood
from markhood.graph.graph import Graph
from messages import refuses

STORED = Path(__file__).parent / "models"  # written by version 0.1.0, never to be written again
RNG = np.random.default_rng(2)
COINS = RNG.integers(0, 2, (60, 3))
COINS[:, 2] = np.where(RNG.random(60) < 0.8, COINS[:, 0], COINS[:, 2])
MIXED = pd.DataFrame(
    {
        "smokes": np.array(["no", "yes"])[COINS[:, 0]],
        "mood": COINS.sum(axis=1),
        "town": np.array(["A", "B", "C"])[RNG.integers(0, 3, 60)],
    }
)


def models():
    chain = [(0, 1), (1, 2)]
    return {
        "ising": markhood.fit_model(Graph(["a", "b", "c"], [(0, 2)]), COINS),
        "potts": markhood.fit_model(Graph(list(MIXED), chain), MIXED, method="average", prior=1.0),
    }


def same(one, other):
    assert one.graph == other.graph
    assert one.variables == other.variables
    assert (one.method, one.prior, one.n_samples) == (other.method, other.prior, other.n_samples)
    for name in ("couplings", "fields"):
        for a, b in zip(getattr(one, name), getattr(other, name), strict=True):
            np.testing.assert_array_equal(a, b)
        for a, b in zip(getattr(one.errors, name), getattr(other.errors, name), strict=True):
            np.testing.assert_array_equal(a, b)
    assert one.coupling_rows() == other.coupling_rows()
    assert one.field_rows() == other.field_rows()


@pytest.mark.parametrize("name", ["ising", "potts"])
def test_property_a_model_comes_back_as_it_was(tmp_path, name):
    model = models()[name]
    markhood.write_model(model, tmp_path / "model.json")
    same(markhood.read_model(tmp_path / "model.json"), model)
    assert markhood.read_graph(tmp_path / "model.json") == model.graph


@pytest.mark.filterwarnings("ignore::markhood.errors.DataWarning")
def test_example_infinities_come_back(tmp_path):
    data = np.repeat([[0, 0], [1, 1]], [9, 6], axis=0)
    model = markhood.fit_model(Graph("ab", [(0, 1)]), data, prior=None)
    markhood.write_model(model, tmp_path / "model.json")
    again = markhood.read_model(tmp_path / "model.json")
    assert again.couplings.tolist() == [np.inf]
    assert again.prior is None


@pytest.mark.parametrize("name", ["ising", "potts"])
def test_golden_files_of_version_1_are_read(name):
    """Numbers to a 1e-9th of those that this version fits: the file is older than the code."""
    stored, now = markhood.read_model(STORED / f"{name}-1.json"), models()[name]
    np.testing.assert_allclose(stored.couplings, now.couplings, atol=1e-6)
    data = COINS if name == "ising" else MIXED
    assert stored.log_pseudo_likelihood(data) == pytest.approx(now.log_pseudo_likelihood(data))
    np.testing.assert_allclose(stored.predict_proba(data, 0), now.predict_proba(data, 0), atol=1e-6)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda d: d | {"version": 99}, "file-format"),
        (lambda d: {"nodes": [], "edges": []}, "file-format"),
        (lambda d: {k: v for k, v in d.items() if k != "fields"}, "file-damaged"),
        (lambda d: d | {"couplings": [1.0, 2.0]}, "file-damaged"),
        (lambda d: d | {"coupling_errors": []}, "file-damaged"),
        (lambda d: d | {"infinite_couplings": [7]}, "file-damaged"),
        (lambda d: d | {"infinite_fields": [2**63]}, "file-damaged"),
    ],
)
def test_example_damaged_files_are_refused(tmp_path, change, code):
    document = json.loads((STORED / "ising-1.json").read_text())
    path = tmp_path / "model.json"
    path.write_text(json.dumps(change(document)))
    with refuses(code, str(path)):
        markhood.read_model(path)


def test_example_what_is_no_json_is_refused(tmp_path):
    (tmp_path / "model.json").write_text("{")
    with refuses("file-damaged", str(tmp_path / "model.json")):
        markhood.read_model(tmp_path / "model.json")
    (tmp_path / "model.json").write_text("[" * 100_000)
    with refuses("file-damaged", str(tmp_path / "model.json")):
        markhood.read_model(tmp_path / "model.json")
    with refuses("file-not-found", str(tmp_path / "other.json")):
        markhood.read_model(tmp_path / "other.json")
    with refuses("file-format", str(tmp_path / "model.pickle")):
        markhood.write_model(models()["ising"], tmp_path / "model.pickle")
