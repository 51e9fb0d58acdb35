import json
import re

import numpy as np
import pytest

import markhood
from commandline.test_cli import run


@pytest.fixture
def coins(tmp_path):
    table = np.random.default_rng(0).integers(0, 2, size=(200, 3))
    table[:, 2] = table[:, 0]
    lines = ["heads,tails,heads again", *(",".join(map(str, row)) for row in table)]
    (tmp_path / "coins.csv").write_text("\n".join(lines) + "\n")
    return tmp_path / "coins.csv"


def test_learn_writes_a_report_beside_everything_else(coins, tmp_path):
    done = run("learn", coins, "--report", "page.html", "-o", "-", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1].startswith("heads,heads again,")
    assert "Wrote page.html" in done.stderr
    assert "<title>coins.csv</title>" in (tmp_path / "page.html").read_text()


def test_a_result_is_shown_and_data_are_learned_from(coins, tmp_path):
    run("learn", coins, "-o", tmp_path / "graph.csv", "--method", "chow-liu")
    for file, method in (("graph.csv", "chow-liu"), ("coins.csv", "plrhc")):
        done = run("report", file, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert done.stdout == "Wrote report.html\n"
        page = (tmp_path / "report.html").read_text()
        assert f"200 samples, 3 variables, 1 edge; method {method}" in page


def test_variables_stand_where_a_file_says(coins, tmp_path):
    (tmp_path / "sites.csv").write_text("name,x,y\nheads,0,0\ntails,9,0\nheads again,0,3\n")
    done = run("report", coins, "--layout", "sites.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert '"x":[0.0,1.732,0.0]' in (tmp_path / "report.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "fact"),
    [
        (["report", "no.csv"], r"no\.csv"),
        (["report", "coins.csv", "-o", "report.pdf"], r"report\.pdf.*\.html.*\[file-format\]"),
        (
            ["report", "coins.csv", "-o", "no/report.html"],
            r"no/report\.html.*\[file-not-writable\]",
        ),
        (["report", "broken.graphml"], r"broken\.graphml.*\[file-damaged\]"),
        (["report", "three.csv", "--max-levels", "1"], r"\b2\b"),
        (["report", "letter.doc"], r"\.doc"),
        (["learn", "coins.csv", "--report", "report.txt"], r"report\.txt.*\[file-format\]"),
        (["learn", "coins.csv", "--bootstrap", "10"], r"--report.*\[option-needed\]"),
        (["report", "coins.csv", "coins.csv"], r"coins\.csv is not a graph.*\[file-format\]"),
        (["report", "coins.csv", "--labels", "no.csv"], r"no\.csv.*\[file-unreadable\]"),
        (["report", "coins.csv", "--layout", "spiral"], r"'spiral'.*circle.*\[option-value\]"),
        (["report", "coins.csv", "--layout", "no/places.csv"], r"places\.csv.*\[file-not-found\]"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing_behind(arguments, fact, coins, tmp_path):
    (tmp_path / "broken.graphml").write_text("<graphml>")
    (tmp_path / "three.csv").write_text("a,b\n0,1\n1,0\n2,0\n")
    (tmp_path / "letter.doc").write_text("Dear")
    before = sorted(tmp_path.iterdir())
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert re.search(fact, done.stderr), done.stderr
    errors = [line for line in done.stderr.splitlines() if "note: " not in line]
    assert len(errors) == 1
    assert sorted(tmp_path.iterdir()) == before


def test_help_has_examples():
    assert "markhood report votes.graphml" in run("report", "--help").stdout
    assert markhood.write_report.__doc__


def test_a_group_of_copies_is_one_variable_or_unfolded(coins, tmp_path):
    run("learn", coins, "--identical", "group", "-o", tmp_path / "graph.json")
    for options, shown in (
        ((), '"members":[["heads again"],[]]'),
        (("--unfold",), "3 variables, 1 edge"),
    ):
        done = run("report", "graph.json", *options, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert shown in (tmp_path / "report.html").read_text()


def findings_of(path):
    (text,) = re.findall(r'id="report-data">(.*?)</script>', path.read_text())
    return json.loads(text)


def test_learn_bootstraps_and_fits_for_the_report(coins, tmp_path):
    (tmp_path / "items.csv").write_text("variable,label\nheads,Head up\n")
    (tmp_path / "groups.csv").write_text("variable,group\nheads,coin\ntails,coin\n")
    done = run(
        "learn", coins, "--report", "page.html", "--bootstrap", "10", "--title", "Two coins",
        "--labels", "items.csv", "--groups", "groups.csv", "--model", "model.json", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Next:" not in done.stdout  # the bootstrap was the next step
    data = findings_of(tmp_path / "page.html")
    assert data["title"] == "Two coins"
    assert {"coupling_low", "frequency", "boot_low"} <= set(data["columns"])
    assert data["stability"]
    assert data["nodes"]["text"][0] == "Head up"
    assert data["groups"] == ["coin"]
    assert (tmp_path / "model.json").exists()


def test_bootstrap_fit_and_groups_write_reports(coins, tmp_path):
    lines = coins.read_text().splitlines()
    labelled = [f"{lines[0]},year", *(f"{line},{k % 2}" for k, line in enumerate(lines[1:]))]
    (tmp_path / "years.csv").write_text("\n".join(labelled) + "\n")
    run("learn", coins, "-o", "graph.json", cwd=tmp_path)
    for words, column in (
        (["bootstrap", coins, "--replicates", "10"], "frequency"),
        (["fit", "graph.json", coins], "coupling_low"),
        (["compare-groups", "years.csv", "--by", "year", "--permutations", "20"], "p_adjusted"),
    ):
        done = run(*words, "--report", "page.html", "--title", "Coins", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "Wrote page.html" in done.stdout
        data = findings_of(tmp_path / "page.html")
        assert data["title"] == "Coins"
        assert column in data["columns"], words
    assert [graph["name"] for graph in data["graphs"]] == ["year 0", "year 1"]


def test_two_graphs_are_compared(coins, tmp_path):
    for name, method in (("a", "plrhc"), ("b", "chow-liu")):
        run("learn", coins, "-o", tmp_path / f"{name}.json", "--method", method)
    done = run("report", "a.json", "b.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    data = findings_of(tmp_path / "report.html")
    assert data["title"] == "a and b"
    assert data["findings"][0].startswith("1 edge is in both networks")
