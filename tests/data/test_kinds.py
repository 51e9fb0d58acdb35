"""Which levels are steps: by rule, by the owner's word, and through files."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from markhood.data.codebook import table_summary
from markhood.data.coding.encode import encode, encode_like
from markhood.data.formats.files import read_samples
from markhood.data.storage.packed import read_packed, write_packed
from markhood.data.variables import Variables, described_variables
from markhood.graph.graph import Graph
from markhood.output.graphs.files import read_graph, write_graph
from messages import refuses

MOODS = ["low", "even", "high"]
TABLE = pd.DataFrame(
    {
        "yes": [0, 1, 1, 0],
        "answer": [1, 3, 2, 5],
        "word": ["b", "a", "c", "a"],
        "mood": pd.Categorical(["even", "low", "high", "low"], MOODS, ordered=True),
        "eyes": pd.Categorical(["blue", "grey", "brown", "blue"], ["grey", "blue", "brown"]),
    }
)


def kinds(data, **options):
    samples = encode(data, **options)
    return dict(zip(samples.names, samples.variables.kinds, strict=True))


def test_example_numbers_and_ordered_categories_are_steps():
    expected = {
        "yes": "binary",
        "answer": "ordinal",
        "word": "nominal",
        "mood": "ordinal",
        "eyes": "nominal",
    }
    assert kinds(TABLE) == expected
    enums = pl.DataFrame({"a": pl.Series(MOODS, dtype=pl.Enum(MOODS)), "b": ["x", "y", "z"]})
    assert kinds(enums) == {"a": "ordinal", "b": "nominal"}
    assert encode(TABLE).levels[3] == tuple(MOODS)


CODES = [3, 1, 2, 3]
DICTIONARY = pa.array(CODES).dictionary_encode()
UNORDERED = {
    "pandas": pd.DataFrame({"a": pd.Categorical(CODES), "b": CODES}),
    "pandas-arrow": pd.DataFrame(
        {"a": pd.array(CODES, pd.ArrowDtype(DICTIONARY.type)), "b": CODES},
    ),
    "polars": pl.DataFrame(
        {"a": list(map(str, CODES)), "b": CODES}, schema_overrides={"a": pl.Categorical}
    ),
    "pyarrow": pa.table({"a": DICTIONARY, "b": CODES}),
}


@pytest.mark.parametrize("frame", UNORDERED.values(), ids=UNORDERED)
def test_example_unordered_categories_of_numbers_are_nominal(frame):
    assert kinds(frame) == {"a": "nominal", "b": "ordinal"}
    assert kinds(frame, kinds="ordinal") == {"a": "ordinal", "b": "ordinal"}
    again = encode(encode(frame), kinds={"b": "nominal"})
    assert again.variables.kinds == ("nominal", "nominal")


def test_example_ordered_dictionaries_of_numbers_are_ordinal_in_their_own_order():
    ordered = pa.DictionaryArray.from_arrays([0, 1, 2, 0], [3, 1, 2], ordered=True)
    for frame in (
        pa.table({"a": ordered, "b": CODES}),
        pd.DataFrame(
            {
                "a": pd.array(ordered.to_pandas(), pd.CategoricalDtype([3, 1, 2], True)),
                "b": CODES,
            }
        ),
    ):  # fmt: skip
        samples = encode(frame)
        assert samples.variables.kinds == ("ordinal", "ordinal")
        assert samples.levels[0] == (3, 1, 2)


@pytest.mark.parametrize("ending", ["parquet", "feather", "arrow"])
@pytest.mark.parametrize("name", ["pandas", "polars", "pyarrow"])
def test_example_unordered_categories_of_files_are_nominal(tmp_path, ending, name):
    path = tmp_path / f"table.{ending}"
    table = UNORDERED[name]
    if name == "pandas":
        table.to_parquet(path) if ending == "parquet" else table.to_feather(path)
    elif name == "polars":
        table.write_parquet(path) if ending == "parquet" else table.write_ipc(path)
    else:
        parquet.write_table(table, path) if ending == "parquet" else feather.write_feather(
            table, path
        )
    assert read_samples(path).variables.kinds == ("nominal", "ordinal")


def test_example_categories_are_not_cut_into_bins_unless_they_are_named():
    many = pd.DataFrame({"a": pd.Categorical([*range(20)] * 2), "b": [*range(20)] * 2})
    samples = encode(many, bins=4)
    assert samples.variables.kinds == ("nominal", "ordinal")
    assert [len(levels) for levels in samples.levels] == [20, 4]
    assert encode(many, bins={"a": 4}).variables.kinds == ("ordinal", "ordinal")


def test_example_texts_of_declared_categories_are_levels():
    for frame in (
        pd.DataFrame({"a": pd.Categorical(["None", "x", "y"]), "b": [0, 1, 1]}),
        pl.DataFrame(
            {"a": ["None", "x", "y"], "b": [0, 1, 1]}, schema_overrides={"a": pl.Categorical}
        ),
        pa.table({"a": pa.array(["None", "x", "y"]).dictionary_encode(), "b": [0, 1, 1]}),
    ):  # fmt: skip
        assert encode(frame).levels[0] == ("None", "x", "y")


def test_example_the_owner_says_otherwise():
    assert set(kinds(TABLE, kinds="nominal").values()) == {"binary", "nominal"}
    assert set(kinds(TABLE, kinds="ordinal").values()) == {"binary", "ordinal"}
    some = kinds(TABLE, kinds={"answer": "nominal", "word": "ordinal"})
    assert (some["answer"], some["word"], some["mood"]) == ("nominal", "ordinal", "ordinal")
    again = encode(encode(TABLE), kinds="nominal")
    assert "ordinal" not in again.variables.kinds
    assert encode(encode(TABLE)).variables.kinds == encode(TABLE).variables.kinds


def test_example_the_choice_is_recorded_without_a_warning():
    about = table_summary(encode(TABLE))
    assert about.kinds == {"ordered": 2, "categories": 2, "binary": 1}
    (note,) = about.findings
    assert (note.code, note.where, note.severity) == ("level-kinds", "answer", "note")
    assert "'answer'" in note.text
    assert about.as_json()["findings"] == [note.as_json()]


def test_example_columns_with_a_level_for_missing_values_are_nominal():
    holes = [[1, 0], [2, 1], [3, 0], [None, 1]]
    assert encode(holes, missing="level").variables.kinds == ("nominal", "binary")
    with refuses("option-conflict", "x0"):
        encode(holes, missing="level", kinds="ordinal")
    assert encode(holes, missing="impute").variables.kinds == ("ordinal", "binary")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("ordered", ("option-value", "kinds", "'ordered'")),
        ({"answer": "binary"}, ("option-value", "kinds", "'binary'")),
        (3, ("option-value", "kinds", "3")),
        ({"age": "ordinal"}, ("unknown-column", "age")),
    ],
)
def test_example_unknown_kinds(given, expected):
    with refuses(*expected):
        encode(TABLE, kinds=given)


def test_property_kinds_travel_through_files(tmp_path):
    samples = encode(TABLE)
    write_packed(samples, tmp_path / "packed")
    assert read_packed(tmp_path / "packed").variables == samples.variables
    assert "ordinal" not in read_samples(tmp_path / "packed", kinds="nominal").variables.kinds
    for ending in ("json", "graphml", "gexf", "npz"):
        graph = Graph(samples.variables, [(0, 1)])
        write_graph(graph, tmp_path / f"graph.{ending}")
        assert read_graph(tmp_path / f"graph.{ending}").variables.kinds == samples.variables.kinds


def test_property_kinds_are_part_of_what_data_are():
    steps, categories = encode(TABLE), encode(TABLE, kinds="nominal")
    assert steps.fingerprint != categories.fingerprint
    assert steps.variables != categories.variables
    bits = TABLE[["yes"]].assign(no=[1, 0, 1, 1])
    assert encode(bits).fingerprint == encode(bits, kinds="nominal").fingerprint
    assert steps.pick(np.array([3, 0, 1])).variables.kinds == ("ordinal", "binary", "ordinal")


def test_example_new_data_have_the_kinds_of_old_ones():
    samples = encode(TABLE)
    again = encode_like(TABLE, samples.levels, ordered=samples.variables.is_ordered)
    assert again.variables == samples.variables
    assert np.array_equal(again.words, samples.words)


def test_example_documents_that_name_no_variables():
    document = Variables(("a", "b"), ((0, 1, 2),) * 2, (True, False)).described()
    assert described_variables("ab", json.loads(json.dumps(document))).kinds[0] == "ordinal"
    for wrong in ([2], [-1], ["a"], [0.5]):
        with pytest.raises((ValueError, TypeError)):
            described_variables("ab", document | {"ordered": wrong})
