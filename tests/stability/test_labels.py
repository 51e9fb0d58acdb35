"""Columns of labels on the command line, also if other options name them."""

import numpy as np
import pandas as pd
import pytest
import typer
from typer.testing import CliRunner

import markhood
from markhood.commandline.app import app
from oracles.networks import network

TABLE = pd.DataFrame(network(7, 200, 5, strength=1.5), columns=["N1", "N2", "N3", "N4", "a"])


@pytest.mark.parametrize(
    "words",
    [
        ["compare-groups", "--by", "a", "--exclude", "a"],
        ["compare-groups", "--by", "a", "--columns", "N?,a"],
        ["compare-groups", "--by", "a", "--index", "a"],
        ["bootstrap", "--clusters", "a", "--exclude", "a"],
        ["bootstrap", "--strata", "a", "--columns", "N?,a"],
    ],
)
def test_example_a_column_of_labels_may_be_named_twice(words, tmp_path):
    TABLE.to_csv(tmp_path / "table.csv", index=False)
    command, *options = words
    times = "--permutations" if command == "compare-groups" else "--replicates"
    line = [command, str(tmp_path / "table.csv"), *options, times, "2"]
    done = CliRunner().invoke(app, line, catch_exceptions=False)
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize("command", ["bootstrap", "choose-gamma", "compare-groups"])
def test_example_commands_that_learn_often_offer_no_model(command):
    shown = typer.main.get_command(app).commands[command].params
    assert "model" not in {parameter.name for parameter in shown}


@pytest.mark.filterwarnings("ignore::markhood.DataWarning")
def test_example_unlabelled_rows_are_in_no_group_though_values_are_imputed():
    sex = np.where(np.arange(200) < 40, None, np.where(np.arange(200) % 2, "f", "m"))
    table = TABLE.astype(float).assign(sex=sex)
    table.loc[3::17, "N1"] = np.nan
    found = markhood.compare_groups(table, by="sex", missing="impute", permutations=1)
    assert found.names == ("f", "m")
    assert found.sizes == (80, 80)
