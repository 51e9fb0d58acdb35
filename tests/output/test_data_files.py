"""Simulated data in files: what is written is what was drawn, whole or in parts."""

import numpy as np
import pytest

import markhood
from markhood.graph.graph import Graph
from markhood.model.potts.model import PottsModel
from markhood.output.data_files import write_data, write_samples
from markhood.simulate.networks import cycle
from markhood.simulate.potentials import ising, potts
from messages import ignores

ENDINGS = ["csv", "tsv", "parquet", "arrow", "feather", "npy", "npz"]
SETTINGS = {"seed": 3, "burn_in": 20}
MODELS = {
    "binary": ising(cycle(6), seed=1),
    "levels": potts(cycle(6), [2, 3, 5], seed=1),
    "many-levels": potts(cycle(6), [2, 64], seed=1),
    # Levels 1 and 3 of a never occur, b is always 1, and the first level of c never occurs.
    "gaps": PottsModel(
        Graph("abc", []), [], [[0, -90, 0, -90, 0], [-90.0, 0.0], [-90.0, 0.0, 0.0]]
    ),
}


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_property_packed_samples_are_written_as_others(model, ending, tmp_path):
    whole, parts = tmp_path / f"whole.{ending}", tmp_path / f"parts.{ending}"
    write_data(model.sample(700, **SETTINGS), model.graph.nodes, whole)
    write_samples(model.sample_packed(700, **SETTINGS), parts, block_bytes=5000)
    assert parts.read_bytes() == whole.read_bytes()


@ignores("distinct-column")
def test_example_levels_are_read_back(tmp_path):
    model = MODELS["many-levels"]
    write_data(model.sample(4000, **SETTINGS), model.graph.nodes, tmp_path / "data.csv")
    assert np.loadtxt(tmp_path / "data.csv", delimiter=",", skiprows=1).max() == 63
    samples = markhood.read_samples(tmp_path / "data.csv", kinds="nominal")
    assert samples.fingerprint == model.sample_packed(4000, **SETTINGS).fingerprint
