from __future__ import annotations

import pandas as pd
import pytest

from markhood.data.codebook import Column, table_summary
from markhood.data.coding.encode import encode
from markhood.data.formats.files import read_samples
from markhood.errors import DataWarning
from messages import refuses, warns

FRAME = pd.DataFrame(
    {
        "id": ["p1", "p2", "p3", "p4"],
        "sex": ["m", "f", "f", "m"],
        "mood": [1, 2, 3, None],
        "town": ["A", "B", None, "C"],
        "here": [1, 1, 1, 1],
    }
)


def test_example_summary_of_a_table():
    with warns("left-out", where="here"):
        found = table_summary(encode(FRAME, exclude="id", missing="level"))
    assert (found.n_rows, found.n_samples, found.n_missing) == (4, 4, 2)
    assert found.columns == (
        Column("sex", "binary", ("f", "m"), 0),
        Column("mood", "numbers", (1, 2, 3, None), 1),
        Column("town", "categories", ("A", "B", "C", None), 1),
    )
    assert found.kinds == {"binary": 1, "numbers": 1, "categories": 1}
    assert found.left_out == {"id": "excluded", "here": "a single value"}
    (finding,) = (one for one in found.findings if one.severity == "warning")
    assert (finding.code, finding.where) == ("left-out", "here")


def test_example_dropped_rows_are_counted_with_their_missing_values():
    with warns("left-out", "rows-dropped", where="here"):
        found = table_summary(encode(FRAME, exclude=["id"], missing="drop"))
    assert (found.n_rows, found.n_samples, found.n_missing) == (4, 2, 2)
    assert found.as_json()["rows"] == 4


def test_example_warnings_point_at_the_callers_line(tmp_path):
    FRAME.to_csv(tmp_path / "t.csv")
    for call in (
        lambda: encode(FRAME, missing="drop"),
        lambda: read_samples(tmp_path / "t.csv", missing="drop"),
    ):
        with pytest.warns(DataWarning) as caught:
            call()
        assert {w.filename for w in caught} == {__file__}


def test_example_warnings_of_estimators_point_at_the_callers_line():
    from markhood import PLRHC

    with pytest.warns(DataWarning) as caught:
        PLRHC(missing="drop").fit(FRAME)
    assert {w.filename for w in caught} == {__file__}


def test_example_warnings_are_emitted_before_an_error(tmp_path):
    rows = "".join(f"{k},{k % 3 or 'inf'},{k % 2}\n" for k in range(100))
    (tmp_path / "t.csv").write_text(",0,1\n".replace("0,1", "a,b") + rows)
    with (
        warns("index-column", where="t.csv"),
        refuses("infinite-values", "a"),
    ):
        read_samples(tmp_path / "t.csv")
