from __future__ import annotations

import sys
import warnings

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from markhood.data.codebook import table_summary
from markhood.data.formats.files import read_samples
from markhood.data.formats.statistics import read_statistics
from markhood.data.reading import Reading
from markhood.errors import InputError
from messages import ignores, refuses

FRAME = pd.DataFrame(
    {
        "mood": [3.0, 1.0, 2.0, 99.0, 3.0, 1.0],
        "sex": [2.0, 1.0, 1.0, 2.0, np.nan, 1.0],
        "age": [30.0, 31.0, 99.0, 30.0, 31.0, 30.0],
        "weight": [1.0, 2.0, 1.0, 1.0, 1.0, 1.0],
    }
)
LABELS = {
    "mood": {1: "never", 2: "often", 3: "always", 99: "refused"},
    "sex": {1: "man", 2: "woman"},
    "age": {99: "99 or more"},
}


def test_example_spss_with_labels_and_declared_missing_values(tmp_path, decode):
    path = tmp_path / "t.sav"
    pyreadstat.write_sav(FRAME, path, variable_value_labels=LABELS, missing_ranges={"mood": [99]})
    samples = read_samples(path, missing="level", weights="weight")
    assert samples.names == ("mood", "sex", "age")
    assert samples.levels == (
        ("never", "often", "always", None),
        ("man", "woman", None),
        (30, 31, "99 or more"),
    )
    assert decode(samples)[3] == (None, "woman", 30)
    assert samples.total_weight == 7
    assert table_summary(samples).n_missing == 2


@ignores("missing-codes")
@pytest.mark.parametrize(
    ("ending", "write"), [("dta", pyreadstat.write_dta), ("zsav", pyreadstat.write_sav)]
)
def test_example_other_programs(tmp_path, ending, write):
    path = tmp_path / f"t.{ending}"
    write(FRAME, path, variable_value_labels=LABELS)
    samples = read_samples(path, columns=["mood", "sex"], missing="impute")
    assert samples.levels == (("never", "often", "always", "refused"), ("man", "woman"))


def test_example_whole_numbers_beyond_those_of_integers(tmp_path):
    frame = pd.DataFrame({"a": [1e300, 0.0, 1.0, 0.0], "b": [0.0, 1.0, 1.0, 0.0]})
    pyreadstat.write_dta(frame, tmp_path / "t.dta")
    assert read_samples(tmp_path / "t.dta").levels == ((0.0, 1.0, 1e300), (0, 1))


@pytest.mark.parametrize(
    ("labels", "measure", "kind"),
    [
        ({1: "never", 2: "often", 3: "always"}, "ordinal", "ordinal"),
        ({1: "never", 2: "often", 3: "always"}, "scale", "ordinal"),
        ({1: "north", 2: "south", 3: "west"}, "nominal", "nominal"),
        ({1: "north", 2: "south", 3: "west"}, "unknown", "nominal"),
        ({1: "not at all", 3: "very much"}, "nominal", "ordinal"),
        ({}, "nominal", "ordinal"),
    ],
)
def test_example_which_labelled_values_are_steps(tmp_path, labels, measure, kind):
    path = tmp_path / "t.sav"
    frame = FRAME[FRAME.mood < 9][["mood", "weight"]]
    pyreadstat.write_sav(
        frame, path, variable_value_labels={"mood": labels}, variable_measure={"mood": measure}
    )
    samples = read_samples(path)
    assert samples.variables.kinds == (kind, "binary")
    notes = [one.text for one in samples.account.findings if one.code == "level-kinds"]
    assert any("1 column of labelled values" in text for text in notes) == (kind == "nominal")


def test_example_two_values_with_one_label_are_two_levels(tmp_path):
    path = tmp_path / "t.sav"
    labels = {"mood": {1: "low", 2: "low", 3: "high"}}
    pyreadstat.write_sav(FRAME[FRAME.mood < 9], path, variable_value_labels=labels)
    samples = read_samples(path, columns=["mood", "weight"])
    assert samples.levels[0] == ("low (1)", "low (2)", "high")


def test_example_damaged_and_without_the_library(tmp_path, monkeypatch):
    path = tmp_path / "t.sav"
    path.write_bytes(b"$FL2" + bytes(100))
    with refuses("file-damaged", "t.sav"):
        read_samples(path)
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    with refuses("library-missing", "pyreadstat", "pip install 'markhood[statistics]'"):
        read_samples(path)


@pytest.mark.parametrize("ending", [".sav", ".dta"])
def test_property_damaged_files_end_in_a_sentence_or_are_read(ending, tmp_path):
    """Some of these files crash the library or make it run forever, but not this process."""
    whole = tmp_path / f"whole{ending}"
    table = pd.DataFrame({"a": [1.0, 2.0] * 20, "b": [1.0, 1.0, 3.0, 2.0] * 10})
    (pyreadstat.write_sav if ending == ".sav" else pyreadstat.write_dta)(table, str(whole))
    rng, content = np.random.default_rng(5), whole.read_bytes()
    refused = 0
    for k in range(4):
        damaged = bytearray(content)
        for at in rng.integers(0, len(damaged), 12):
            damaged[at] = rng.integers(0, 256)
        path = tmp_path / f"{k}{ending}"
        path.write_bytes(damaged)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                read_statistics(path, Reading(), seconds=2)
        except InputError:
            refused += 1
    assert refused > 0
