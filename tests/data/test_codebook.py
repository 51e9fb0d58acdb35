"""Roles, texts and groups of a codebook reach every function that reads data."""

import json

import numpy as np
import pandas as pd
import pytest
from tests.messages import refuses
from typer.testing import CliRunner

import markhood
from markhood.commandline.app import app
from markhood.data.coding.encode import encode
from markhood.data.formats.files import read_samples
from markhood.learning.request import Request
from markhood.output.graphs.files import read_graph, write_graph
from markhood.stability.bootstrap import bootstrap

RNG = np.random.default_rng(5)
SCHOOL = np.repeat(np.arange(20), 25)
ITEMS = pd.DataFrame(
    (RNG.normal(size=(20, 6))[SCHOOL] + RNG.logistic(size=(500, 6)) > 0).astype(int)
).add_prefix("q")
ROWS = {
    "school": SCHOOL,
    "day": RNG.permutation(500),
    "w": RNG.lognormal(0, 1, 500),
    "age": RNG.normal(40, 9, 500),
}
TABLE = ITEMS.assign(**ROWS)
OPTIONS = {"weight": "weights", "cluster": "clusters", "person": "clusters", "time": "time"}
COLUMNS = {"weight": "w", "cluster": "school", "person": "school", "time": "day"}
OTHERS = ["school", "day", "w", "age"]


def book(**roles):
    """Return a codebook with these roles, in which the other columns of rows are left out."""
    rows = [{"column": name, "role": roles.get(name, "skip")} for name in OTHERS]
    return markhood.TableFormat(codebook=rows)


@pytest.mark.parametrize("role", OPTIONS)
def test_example_roles_are_the_same_as_options(role):
    column = COLUMNS[role]
    option = {OPTIONS[role]: column}
    plain = {"exclude": [name for name in OTHERS if name != column], **option}
    by_role = markhood.learn(TABLE, table=book(**{column: role}))
    by_option = markhood.learn(TABLE, **plain)
    assert by_role == by_option
    weight = by_option.provenance["data"]["weight"]
    assert by_role.provenance["data"]["weight"] == weight < 500
    assert encode(TABLE, table=book(**{column: "skip"})).total_weight == 500


def test_example_a_covariate():
    graph = markhood.learn(TABLE, table=book(age="covariate"))
    assert graph.provenance["adjusted_for"] == ["age"]


def test_example_an_option_has_priority_and_only_one_column_has_a_role():
    graph = markhood.learn(TABLE, weights="w", table=book(age="weight"))
    assert graph == markhood.learn(TABLE, weights="w", exclude=["school", "day", "age"])
    with refuses("codebook", "age"):
        encode(TABLE, table=book(w="weight", age="weight"))
    both = markhood.learn(TABLE, table=book(school="cluster", day="person"))
    assert both == markhood.learn(TABLE, clusters="school", exclude=["day", "w", "age"])


def test_example_roles_are_used_in_studies_and_fits():
    table = book(school="cluster", w="weight")
    plain = {"clusters": "school", "weights": "w", "exclude": ["day", "age"]}
    shares = [
        bootstrap(TABLE, replicates=20, **own).replicates.shares
        for own in ({"table": table}, plain)
    ]
    assert (shares[0] == shares[1]).all()
    grouped = TABLE.assign(sex=RNG.integers(0, 2, 500))
    tests = [
        markhood.compare_groups(grouped, by="sex", permutations=50, **own)
        for own in ({"table": table}, plain)
    ]
    assert tests[0].p_structure == tests[1].p_structure
    graph = markhood.learn(TABLE, table=table)
    errors = [
        markhood.fit_model(graph, TABLE, **own).errors.fields
        for own in ({"table": table}, {"clusters": "school", "weights": "w"}, {})
    ]
    assert (errors[0] == errors[1]).all()
    assert (errors[0] > errors[2]).all()


def test_example_new_data_need_no_columns_of_rows():
    graph = markhood.learn(TABLE, table=book(school="cluster", w="weight"))
    model = markhood.fit_model(graph, ITEMS)
    assert model.n_samples == 500
    again = Request.from_json(graph.provenance)
    assert again.learn(again.read(TABLE)).graph == graph


def test_example_the_codebook_lists_columns_in_their_roles(tmp_path):
    found = markhood.describe(TABLE, table=book(school="cluster", w="weight", day="time"))
    assert {name: found[name].role for name in OTHERS} == {
        "school": "cluster", "w": "weight", "day": "time", "age": "skip",
    }  # fmt: skip
    found.write(tmp_path / "book.csv")
    again = markhood.TableFormat(codebook=tmp_path / "book.csv")
    assert encode(TABLE, table=again).total_weight == encode(TABLE, table=again).total_weight < 500


TEXTS = [
    {"column": "q0", "text": "I sleep\x00 badly", "group": "sleep"},
    {"column": "q1", "group": "mood"},
]


@pytest.mark.parametrize("ending", ["csv", "json", "graphml", "gexf", "npz"])
def test_example_texts_and_groups_are_in_graphs_and_files(ending, tmp_path):
    graph = markhood.learn(ITEMS, table=markhood.TableFormat(codebook=TEXTS))
    expected = {"text": ("I sleep\x00 badly", *[""] * 5), "group": ("sleep", "mood", *[""] * 4)}
    assert graph.node_columns == expected
    write_graph(graph, tmp_path / f"graph.{ending}")
    again = read_graph(tmp_path / f"graph.{ending}")
    assert again == graph
    assert again.node_columns == expected


def test_example_texts_are_attributes_of_nodes(tmp_path):
    graph = markhood.learn(ITEMS, table=markhood.TableFormat(codebook=TEXTS))
    write_graph(graph, tmp_path / "graph.json")
    nodes = json.loads((tmp_path / "graph.json").read_text())["nodes"]
    assert nodes[1] == {"id": "q1", "group": "mood"}
    assert markhood.convert.to_networkx(graph).nodes["q0"]["group"] == "sleep"
    assert markhood.convert.to_igraph(graph).vs["group"][:2] == ["sleep", "mood"]


def test_example_texts_in_samples():
    samples = encode(ITEMS, table=markhood.TableFormat(codebook=TEXTS))
    assert samples.pick(np.array([1, 0])).variables.columns["group"] == ("mood", "sleep")


def test_example_labels_below_titles(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("study 1,,\n" + ITEMS.assign(school=SCHOOL).to_csv(index=False))
    table = markhood.TableFormat(skip_rows=1)
    assert read_samples(path, table=table).n_samples == 500
    assert markhood.learn(path, table=table, clusters="school").provenance["data"]["weight"] < 500


def test_example_listed_codes_are_recorded_for_text_files(tmp_path):
    path = tmp_path / "t.csv"
    ITEMS.to_csv(path, index=False)
    findings = read_samples(path, missing_values=["x"]).account.findings
    assert [f.where for f in findings if f.code == "missing-codes"] == ["missing_values"]


def test_example_commands_use_the_roles(tmp_path):
    TABLE.assign(sex=RNG.integers(0, 2, 500)).to_csv(tmp_path / "t.csv", index=False)
    rows = ["column,role", "school,cluster", "w,weight", "day,skip", "age,skip"]
    (tmp_path / "book.csv").write_text("\n".join(rows))
    options = {
        "book": ["--codebook", str(tmp_path / "book.csv")],
        "typed": ["--clusters", "school", "--weights", "w", "--exclude", "day,age"],
    }
    written = {}
    for name, own in options.items():
        data, graph = str(tmp_path / "t.csv"), str(tmp_path / f"{name}.json")
        files = {part: tmp_path / f"{name}_{part}.csv" for part in ("fit", "bootstrap", "groups")}
        for command in (
            ["learn", data, "-o", graph],
            ["fit", graph, data, "--fields", str(files["fit"])],
            ["bootstrap", data, "--replicates", "20", "-o", str(files["bootstrap"])],
            [
                "compare-groups",
                data,
                "--by",
                "sex",
                "--permutations",
                "9",
                "-o",
                str(files["groups"]),
            ],
        ):
            done = CliRunner().invoke(app, [*command, *own])
            assert done.exit_code == 0, done.output
        written[name] = [path.read_text() for path in files.values()]
    assert written["book"] == written["typed"]
