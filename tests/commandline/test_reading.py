"""How the command line reads tables, and what it says of them."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from markhood.commandline.app import app

FRAME = pd.DataFrame(
    {
        "person": [f"p{k}" for k in range(60)],
        "Q1": [k % 2 for k in range(60)],
        "Q2": [k % 2 if k % 10 else -9 for k in range(60)],
        "Q3": ["abc"[k % 3] for k in range(60)],
        "note": ["x", "y"] * 30,
    }
)


@pytest.fixture
def learn(tmp_path):
    def learn_from(text, *options, name="t.csv"):
        (tmp_path / name).write_bytes(text.encode() if isinstance(text, str) else text)
        return CliRunner().invoke(app, ["learn", str(tmp_path / name), *options])

    return learn_from


def test_example_the_summary_says_what_was_understood(learn):
    done = learn(
        FRAME.to_csv(), "--exclude", "note,per*", "--missing-values=-9", "--missing", "drop"
    )
    assert done.exit_code == 0, done.output
    assert "54 samples, 3 variables" in done.stdout
    (read,) = (line for line in done.stdout.splitlines() if line.startswith("read "))
    assert all(fact in read for fact in ("60 rows", "note", "person", "6 missing values"))
    assert "binary    2 columns: Q1 and Q2 (0, 1)\n" in done.stdout
    assert "categories 1 column: Q3 (a, b, c)\n" in done.stdout


def test_example_notes_name_options_as_they_are_typed(learn):
    done = learn(FRAME.to_csv(index=False))
    assert "--kinds person=nominal" in done.stderr
    assert "[left-out]" in done.stderr
    assert "-9 (6 times in column 'Q2')" in done.stderr
    assert "--missing-values ''" in done.stderr
    assert "[missing-codes]" in done.stderr
    done = learn("0,1,2\n1,0,1\n0,1,1\n")
    assert "--no-header" in done.stderr
    assert "[file-header]" in done.stderr


def test_example_options_about_files(learn):
    done = learn(FRAME.to_csv(index=False), "--columns", "Q?", "--index", "person")
    assert "60 samples, 3 variables" in done.stdout
    done = learn("größe;b\n1,5;0\n2,5;1\n".encode("cp850"), "--encoding", "cp850")
    assert "größe (1.5, 2.5)" in done.stdout
    done = learn(FRAME[["Q1", "note"]].T.to_csv(header=False), "--transpose")
    assert "60 samples, 2 variables" in done.stdout
    assert "note (x, y)" in done.stdout


SCALES = pd.DataFrame(
    {
        "a": [k % 4 for k in range(80)],
        "b": [(k + k // 7) % 3 for k in range(80)],
        "c": [k % 2 for k in range(80)],
        "age": [20 + k * 7 % 61 for k in range(80)],
    }
)


@pytest.mark.parametrize(
    ("options", "columns"),
    [
        (["--bins", "4"], "ordered   3 columns"),
        (
            ["--bins", "age=5", "--kinds", "a=nominal,b=nominal"],
            "categories 2 columns: a (0 to 3); b (0 to 2)",
        ),
        (
            ["--bins", "4", "--kinds", "nominal"],
            "categories 3 columns",
        ),
        (
            ["--bins", "4", "--kinds", "b=nominal,a=ordinal"],
            "categories 1 column: b (0 to 2)",
        ),
    ],
)
def test_example_kinds_and_bins_as_they_are_typed(learn, options, columns):
    done = learn(SCALES.to_csv(index=False), *options)
    assert done.exit_code == 0, done.output
    assert columns in done.stdout
    assert "age ([20, " in done.stdout


def test_example_the_summary_lists_what_was_assumed(learn):
    done = learn(SCALES.to_csv(index=False), "--bins", "4")
    assumed = [line for line in done.stdout.splitlines() if line.startswith("assumed ")]
    assert any("2 columns" in line and "--kinds a=nominal" in line for line in assumed)


def test_example_consecutive_answers_are_a_range(learn):
    frame = pd.DataFrame(
        {"a": [k % 6 + 1 for k in range(60)], "b": [k // 10 + 1 for k in range(60)]}
    )
    assert "answers   1 to 6 in all columns\n" in learn(frame.to_csv(index=False)).stdout


def test_example_the_summary_names_the_next_step(learn):
    done = learn(SCALES.assign(d=SCALES["a"]).to_csv(index=False), "--bins", "4")
    assert re.search(
        r"Next: markhood bootstrap \S+t\.csv with the same options to see", done.stdout
    )
    independent = "a,b\n" + "0,0\n0,1\n1,0\n1,1\n" * 20
    assert "Next: markhood choose-gamma" in learn(independent).stdout


def test_example_tables_fit_80_columns_in_one_piece(learn, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    frame = SCALES.rename(columns={"a": "a-rather-long-name-of-a-variable", "b": "b" * 40})
    frame["copy"] = frame["a-rather-long-name-of-a-variable"]
    done = learn(frame.to_csv(index=False), "--bins", "4", "--method", "bayes")
    assert done.exit_code == 0, done.output
    _, _, table = done.stdout.partition("Edges with the most evidence\n")
    header, *rows = table.splitlines()[:2]
    assert header.split()[:5] == ["source", "target", "evidence", "coupling", "probability"]
    assert max(map(len, (header, *rows))) <= 80


def test_example_intervals_are_one_column_and_empty_for_tables(learn, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    rng = np.random.default_rng(0)
    x = rng.integers(0, 3, 300)
    frame = pd.DataFrame({"a": np.array(list("xyz"))[x], "b": (rng.random(300) < 0.2 + 0.3 * x)})
    frame["c"] = frame["b"] ^ (rng.random(300) < 0.1)
    done = learn(frame.to_csv(index=False), "--method", "bayes")
    header, *rows = done.stdout.partition("Edges with the most evidence")[2].splitlines()[1:]
    assert "  95 % interval  " in header
    assert not {"low", "high"} & set(header.split())
    assert any(re.search(r"[0-9.]+ to [0-9.]+", row) for row in rows)
    assert "nan" not in done.stdout


@pytest.mark.parametrize(
    ("options", "fact"),
    [
        (["--kinds", "steps"], "--kinds 'steps'"),
        (["--kinds", "z=nominal"], "'z'"),
        (["--bins", "age=few"], "--bins"),
    ],
)
def test_example_unknown_kinds_and_bins_are_refused(learn, options, fact):
    done = learn(SCALES.to_csv(index=False), *options)
    assert done.exit_code == 2
    assert fact in done.stderr


@pytest.mark.parametrize("options", [(), ("--missing", "error")])
def test_example_values_of_options_are_written_as_typed(learn, options):
    text = "a,b,c\n" + ",0,1\n1,0,0\n0,1,1\n1,1,0\n" * 15
    done = learn(text, *options)
    assert "'drop'" not in done.stderr
    assert re.search(r"--missing \w+, (drop|level) or (level|error)", done.stderr)
