"""Comparison of learned graphs with a consensus structure on the command line."""

import numpy as np
from typer.testing import CliRunner

from markhood.commandline.app import app
from markhood.evaluate.measures import base_pairs_among
from messages import refuses


def family(tmp_path):
    """Write an RNA of 12 columns in which columns 1 and 12, 2 and 11, 3 and 10 pair."""
    rng = np.random.default_rng(0)
    letters = np.array(list("ACGU"))[rng.integers(4, size=(300, 12))]
    for i, j in ((0, 11), (1, 10), (2, 9)):
        letters[:, j] = np.select([letters[:, i] == x for x in "ACG"], list("UGC"), "A")
    rows = "".join(f"s{k} {''.join(row)}\n" for k, row in enumerate(letters))
    path = tmp_path / "family.sto"
    path.write_text(f"# STOCKHOLM 1.0\n{rows}#=GC SS_cons <<<......>>>\n//\n")
    return path


def test_example_a_structure_is_the_truth_wherever_it_stands(tmp_path):
    path, graph, table = family(tmp_path), tmp_path / "graph.csv", tmp_path / "table.csv"
    run = CliRunner().invoke
    done = run(app, ["learn", str(path), "--method", "plm", "-o", str(graph)])
    assert done.exit_code == 0, done.output
    assert "300 sequences of RNA, 12 positions" in done.output
    for order in ([graph, path], [path, graph]):
        done = run(app, ["compare", *map(str, order), "-o", str(table)])
        assert done.exit_code == 0, done.output
        assert "Of the 3 base pairs of" in done.output
        heading, row = table.read_text().splitlines()
        found = dict(zip(heading.split(","), row.split(","), strict=True))
        assert (found["false_positives"], found["false_negatives"]) == ("0", "0")
        table.unlink()


def test_example_a_structure_is_compared_with_graphs_only(tmp_path):
    path = str(family(tmp_path))
    done = CliRunner().invoke(app, ["compare", path, path])
    assert done.exit_code == 2
    assert "[option-needed]" in done.stderr
    with refuses("graphs-differ"):
        base_pairs_among([(1, 2)], ["a", "b"])
