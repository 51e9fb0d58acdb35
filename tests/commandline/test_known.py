"""Known edges, groups and priors from files on the command line."""

import re

import numpy as np
import pytest

import markhood
from commandline.test_cli import run


def learn(folder, *arguments):
    return run("learn", "votes.csv", *arguments, cwd=folder)


@pytest.fixture
def folder(tmp_path):
    """A chain tax - spend - war and peace beside it, and a file of each kind."""
    rng = np.random.default_rng(0)
    tax, peace = rng.integers(0, 2, size=(2, 400))
    spend = np.where(rng.random(400) < 0.9, tax, 1 - tax)
    war = np.where(rng.random(400) < 0.9, spend, 1 - spend)
    rows = [",".join(map(str, row)) for row in zip(tax, spend, war, peace, strict=True)]
    (tmp_path / "votes.csv").write_text("\n".join(["tax,spend,war,peace", *rows]) + "\n")
    (tmp_path / "required.csv").write_text("source,target\nwar,peace\n")
    (tmp_path / "forbidden.tsv").write_text("spend\ttax\n")
    (tmp_path / "priors.csv").write_text("source,target,probability\ntax,spend,1e-200\n")
    (tmp_path / "groups.csv").write_text(
        "variable,group\ntax,money\nspend,money\nwar,arms\npeace,arms\n"
    )
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "edges"),
    [
        ((), "tax-spend spend-war"),
        (("--required-edges", "required.csv"), "tax-spend spend-war war-peace"),
        (("--forbidden-edges", "forbidden.tsv"), "tax-war spend-war"),
        (("--groups", "groups.csv", "--group-rule", "between"), "tax-war spend-war"),
        (("--method", "bayes", "--pair-priors", "priors.csv"), "tax-war spend-war"),
        (("--groups", "groups.csv", "--group-rule", "within"), "tax-spend"),
        (("--method", "chow-liu", "--forbidden-edges", "forbidden.tsv"), "tax-war spend-war"),
    ],
    ids=str,
)
def test_learn_knows(folder, arguments, edges):
    done = learn(folder, *arguments, "--output", "graph.json")
    assert done.returncode == 0, done.stderr
    graph = markhood.read_graph(folder / "graph.json")
    assert ["-".join(names) for names in graph.edge_names()] == edges.split()
    assert ("known" in graph.provenance) == bool(arguments)
    assert ("known  " in done.stdout) == bool(arguments)


def test_learn_says_what_it_knew(folder):
    done = learn(
        folder,
        "--required-edges=required.csv",
        "--forbidden-edges=forbidden.tsv",
        "-ograph.graphml",
    )
    assert "known     required edges 1, forbidden edges 1\n" in done.stdout
    about = markhood.read_graph(folder / "graph.graphml").provenance
    assert about["known"] == {"required_edges": 1, "forbidden_edges": 1}


def test_an_edge_list_that_markhood_wrote_can_be_required(folder):
    learn(folder, "--output", "first.csv")
    done = learn(
        folder, "--gamma", "1000", "--required-edges", "first.csv", "--output", "second.csv"
    )
    assert done.returncode == 0, done.stderr
    first, second = (markhood.read_graph(folder / f"{n}.csv") for n in ("first", "second"))
    assert second.edge_names() == first.edge_names()


@pytest.mark.parametrize(
    ("files", "arguments", "facts"),
    [
        (
            {"never.csv": "peace,war\n"},
            "--required-edges required.csv --forbidden-edges never.csv",
            "'war' - 'peace'",
        ),
        (
            {},
            "--required-edges required.csv --groups groups.csv --group-rule between",
            "'war' - 'peace'",
        ),
        (
            {"always.csv": "tax,war\n"},
            "--required-edges always.csv --groups groups.csv --group-rule within",
            "'tax' - 'war'",
        ),
        (
            {"never.csv": "tax,spent\n"},
            "--forbidden-edges never.csv",
            "'spent'.*line 1 of never.csv.*'spend'",
        ),
        (
            {"never.csv": "tax,war\ntax,tax\n"},
            "--forbidden-edges never.csv",
            "'tax'.*line 2 of never.csv",
        ),
        (
            {"cycle.csv": "tax,war\nwar,spend\nspend,tax\n"},
            "--required-edges cycle.csv --method chow-liu",
            "cycle",
        ),
        (
            {"some.csv": "tax,money\nwar,arms\npeace,arms\n"},
            "--groups some.csv --group-rule between",
            "'spend'",
        ),
        ({}, "--groups groups.csv --group-rule across", "--group-rule.*'across'"),
        ({}, "--group-rule within", "--group-rule within.*--groups"),
        (
            {},
            "--required-edges nowhere.csv",
            "nowhere.csv",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_conflicts_are_one_line_and_nothing_is_written(folder, files, arguments, facts):
    for name, text in files.items():
        (folder / name).write_text(text)
    done = learn(folder, *arguments.split(), "--output", "graph.json")
    assert done.returncode == 2
    assert re.fullmatch(rf"markhood: .*{facts}.* \[[a-z-]+\]\n", done.stderr), done.stderr
    assert not (folder / "graph.json").exists()
