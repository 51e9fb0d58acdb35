from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from markhood.data.formats.files import read_samples
from markhood.data.understood import understood
from markhood.errors import InputError

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
    assert understood(samples).n_missing == 2


@pytest.mark.filterwarnings("ignore:.*are dropped:markhood.errors.DataWarning")
@pytest.mark.parametrize(
    ("ending", "write"), [("dta", pyreadstat.write_dta), ("zsav", pyreadstat.write_sav)]
)
def test_example_other_programs(tmp_path, ending, write):
    path = tmp_path / f"t.{ending}"
    write(FRAME, path, variable_value_labels=LABELS)
    samples = read_samples(path, columns=["mood", "sex"], missing="drop")
    assert samples.levels == (("never", "often", "always", "refused"), ("man", "woman"))


def test_example_two_values_with_one_label_are_two_levels(tmp_path):
    path = tmp_path / "t.sav"
    labels = {"mood": {1: "low", 2: "low", 3: "high"}}
    pyreadstat.write_sav(FRAME[FRAME.mood < 9], path, variable_value_labels=labels)
    samples = read_samples(path, columns=["mood", "weight"])
    assert samples.levels[0] == ("low (1)", "low (2)", "high")


def test_example_damaged_and_without_the_library(tmp_path, monkeypatch):
    path = tmp_path / "t.sav"
    path.write_bytes(b"$FL2" + bytes(100))
    with pytest.raises(InputError, match=r"cannot be read \(.*\): save it again\.$"):
        read_samples(path)
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    with pytest.raises(InputError, match=r"needs pyreadstat: pip install 'markhood\[statistics\]'"):
        read_samples(path)
