"""Pairs and groups as people give them, and each sentence for those that cannot be used."""

import os

import numpy as np
import pandas as pd
import polars as pl
import pytest

from markhood.errors import InputError
from markhood.learning.known import known_groups, known_pairs, known_priors
from messages import refuses

NAMES = ["smokes", "coughs", "tired", "a,b"]


def pairs(given, names=NAMES):
    return known_pairs(given, names, "forbidden_edges").tolist()


@pytest.mark.parametrize(
    "given",
    [
        [("coughs", "smokes"), ("tired", "a,b")],
        [(1, 0), ("tired", 3), ("smokes", "coughs")],
        {("smokes", "coughs"), ("tired", "a,b")},
        np.array([[2, 3], [1, 0], [0, 1]], dtype=np.uint8),
        np.array([["smokes", "coughs"], ["tired", "a,b"]]),
        pd.DataFrame({"from": ["smokes", "tired"], "to": ["coughs", "a,b"]}),
        pl.DataFrame({"from": [0, 3], "to": [1, 2]}),
        iter([("coughs", "smokes"), (2, 3)]),
    ],
    ids=["names", "mixed", "set", "integers", "strings", "pandas", "polars", "iterator"],
)
def test_example_pairs_in_python(given):
    assert pairs(given) == [[0, 1], [2, 3]]


@pytest.mark.parametrize(
    "text",
    [
        'smokes,coughs\ntired,"a,b"\n',
        "\ufeffcoughs\tsmokes\r\n\r\na,b\ttired\r\n",
        "source;target\n1;0\n3;tired\n1;0\n",
        'target,source,evidence,coupling\ncoughs,smokes,1.5,\n"a,b",tired,,\n',
        " smokes | coughs \n 2 | 3 \n",
    ],
    ids=["csv", "tsv", "header", "edge-list", "bars"],
)
def test_example_pairs_in_a_file(tmp_path, text):
    path = tmp_path / "pairs.txt"
    path.write_text(text, encoding="utf-8", newline="")
    assert pairs(path) == pairs(str(path)) == [[0, 1], [2, 3]]


@pytest.mark.parametrize("given", [None, [], np.empty((0, 2), dtype=np.int64), np.empty(0)])
def test_example_no_pairs(given):
    found = known_pairs(given, NAMES, "pairs")
    assert found.shape == (0, 2)
    assert found.dtype == np.int64


def test_example_a_header_alone_is_no_pair(tmp_path):
    path = tmp_path / "none.csv"
    path.write_text("source,target\n")
    assert pairs(path) == []


def test_example_numbers_that_are_names_are_names(tmp_path):
    names = ["3", "2", "1", "0"]
    path = tmp_path / "pairs.csv"
    path.write_text("3,2\n")
    assert pairs(path, names) == pairs([("3", "2")], names) == [[0, 1]]
    assert pairs([(0, 1)], ["0", "1", "2"]) == [[0, 1]]
    path.write_text("3,7\n")
    with refuses("unknown-column", "7"):
        pairs(path, names)
    with refuses("unknown-column", "3"):
        pairs([(3, 2)], names)


@pytest.mark.parametrize(
    ("given", "code", "where"),
    [
        ([(0, 1), ("Smoke", "tired")], "unknown-column", "Smoke"),
        ([("tired", "tired")], "constraints", "tired"),
        ([(0, 4)], "unknown-column", "4"),
        (np.array([[-1, 0]]), "unknown-column", "-1"),
        ([(0, 1.5)], "unknown-column", ""),
    ],
)
def test_example_pairs_that_cannot_be_used(given, code, where):
    with refuses(code, where):
        pairs(given)


@pytest.mark.parametrize("given", ["ab", [1, 2], np.arange(4), np.ones((2, 3), int), 7, [(1,)]])
def test_example_what_is_no_pair_at_all(given):
    if isinstance(given, str):
        given = [given]  # a text alone is a path
    with refuses("constraints"):
        pairs(given)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "is empty: use lines with source and target"),
        (b"smokes,coughs\ntired,x,y\n", "Line 2 of FILE has 3 fields instead of 2"),
        (b"smokes\n", "Line 1 of FILE has 1 field instead of 2"),
        (b"from,to\nsmokes,coughs\n", r"There is no variable 'from' \(line 1 of FILE\)"),
        (b"smokes,coughs\n\ncoughs,9\n", r"There is no column 9 \(line 3 of FILE\)"),
        (b"smokes,\xff\n", "FILE is not UTF-8 text: save the file as UTF-8"),
        (b"smokes," + b"x" * 200_000, "Line 1 of FILE cannot be read as delimited text"),
    ],
)
def test_example_files_that_cannot_be_used(tmp_path, text, message):
    path = tmp_path / "pairs.csv"
    path.write_bytes(text)
    with pytest.raises(InputError, match=message.replace("FILE", str(path))):
        pairs(path)


def test_example_a_file_that_is_not_there(tmp_path):
    for path in (tmp_path / "no.csv", tmp_path):
        with pytest.raises(InputError):
            pairs(path)


@pytest.mark.parametrize(
    "given",
    [
        {"smokes": "habit", "coughs": "sign", "tired": "sign", "a,b": "habit"},
        {3: 1, 0: 1, "tired": 2, "coughs": 2},
        ["habit", "sign", "sign", "habit"],
        np.array([5, 7, 7, 5]),
        pd.Series([1, 2, 1, 2], index=["smokes", "tired", "a,b", "coughs"]),
        pl.Series(["h", "s", "s", "h"]),
    ],
    ids=["mapping", "numbers", "list", "array", "pandas", "polars"],
)
def test_example_groups_in_python(given):
    assert known_groups(given, NAMES).tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize("header", ["", "variable,group\n"])
def test_example_groups_in_a_file(tmp_path, header):
    path = tmp_path / "groups.csv"
    path.write_text(header + 'tired,sign\nsmokes,habit\n"a,b",habit\ncoughs,sign\ntired,sign\n')
    assert known_groups(path, NAMES).tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"smokes": 1, "coughs": 1, "tired": 2}, "'a,b'"),
        ([1, None, float("nan"), pd.NA], "'coughs', 'tired' and 'a,b'"),
        ({"smokes": 1, 0: 2}, r"'smokes' .* 1 and 2"),
        ([1, 2, 3], "3 .* 4"),
        ({1, 2, 3, 4}, "set"),
        (3, "int"),
        ([[1], [1], [2], [2]], r"\[1\].*'smokes'"),
    ],
)
def test_example_groups_that_cannot_be_used(given, named):
    with pytest.raises(InputError, match=named) as error:
        known_groups(given, NAMES)
    assert (error.value.code, error.value.where) == ("constraints", "groups")


def test_example_groups_of_an_unknown_variable():
    with refuses("unknown-column", "smoke"):
        known_groups({"smoke": 1}, NAMES)


def test_example_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "edges.csv")
    with refuses("file-unreadable", "edges.csv"):
        pairs(tmp_path / "edges.csv")


@pytest.mark.parametrize(
    "given",
    [
        {("coughs", "smokes"): 0.9, ("tired", "a,b"): 0.25},
        [(1, 0, 0.9), ("tired", 3, 0.25), ("smokes", "coughs", 0.9)],
        np.array([[2, 3, 0.25], [1, 0, 0.9]], dtype=object),
        pd.Series({("smokes", "coughs"): 0.9, ("tired", "a,b"): 0.25}),
        pd.DataFrame({"from": ["smokes", "tired"], "to": ["coughs", "a,b"], "p": [0.9, 0.25]}),
        pd.DataFrame(
            {
                "evidence": [1.0, 2.0],
                "probability": [0.9, 0.25],
                "target": [0, 2],
                "source": [1, 3],
            },
            dtype=object,
        ),
        pl.DataFrame(
            {"source": ["smokes", "tired"], "target": ["coughs", "a,b"], "probability": [0.9, 0.25]}
        ),
    ],
    ids=["mapping", "rows", "array", "series", "pandas", "named", "polars"],
)
def test_example_priors_in_python(given):
    found, probabilities = known_priors(given, NAMES)
    assert found.tolist() == [[0, 1], [2, 3]]
    assert probabilities.tolist() == [0.9, 0.25]


@pytest.mark.parametrize(
    "text",
    [
        'smokes,coughs,0.9\ntired,"a,b",.25\n',
        "source\ttarget\tprobability\n1\t0\t0.9\na,b\ttired\t0.25\n",
        'source,target,evidence,coupling,probability\ncoughs,smokes,1.5,,0.9\n"a,b",tired,,,0.25\n',
    ],
    ids=["csv", "header", "edge-list"],
)
def test_example_priors_in_a_file(tmp_path, text):
    path = tmp_path / "priors.txt"
    path.write_text(text)
    found, probabilities = known_priors(path, NAMES)
    assert found.tolist() == [[0, 1], [2, 3]]
    assert probabilities.tolist() == [0.9, 0.25]


@pytest.mark.parametrize(
    ("given", "code", "where"),
    [
        ({("smokes", "coughs"): 1}, "constraints", "pair_priors"),
        ({("smokes", "coughs"): "often"}, "constraints", "pair_priors"),
        ({("smokes", "coughs"): float("nan")}, "constraints", "pair_priors"),
        ({("smokes", "cough"): 0.5}, "unknown-column", "cough"),
        ({"smokes": 0.5}, "constraints", ""),
        ([("smokes", "coughs")], "constraints", ""),
        ([("tired", "tired", 0.5)], "constraints", "tired"),
        ([(0, 1, 0.5), (1, 0, 0.6)], "constraints", "pair_priors"),
        (0.5, "constraints", ""),
    ],
)
def test_example_priors_that_cannot_be(given, code, where):
    with refuses(code, where):
        known_priors(given, NAMES)


def test_example_a_file_of_pairs_is_no_file_of_priors(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("smokes,coughs\n")
    with refuses("file-damaged", "pairs.csv", "2 fields", "3"):
        known_priors(path, NAMES)
