import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import markhood
from commandline.test_cli import run
from markhood.datasets.catalogue import csv_text, describe
from messages import refuses

PAGES = [
    files("markhood.datasets") / "README.md",
    Path(__file__).parents[2] / "docs" / "reference" / "datasets.md",
]
NAMES = [dataset.name for dataset in markhood.datasets.available()]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_data_set_has_the_size_that_the_catalogue_lists(name, library, monkeypatch):
    monkeypatch.setattr("markhood.data.to_frame.frame_library", lambda *_: library)
    frame = markhood.datasets.load(name)
    assert type(frame).__module__.split(".")[0] == library
    assert frame.shape == (describe(name).n_samples, describe(name).n_variables)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore::markhood.DataWarning")
def test_a_frame_and_its_file_give_the_same_graph(name, tmp_path):
    (tmp_path / "data.csv").write_text(csv_text(describe(name)))
    options = {"missing": "drop", "method": "pairwise", "bins": 4}
    assert markhood.learn(markhood.datasets.load(name), **options) == markhood.learn(
        tmp_path / "data.csv", **options
    )


def test_example_votes_have_the_counts_that_the_archive_documents():
    votes = markhood.datasets.load("votes")
    assert votes["party"].value_counts().to_dict() == {"democrat": 267, "republican": 168}
    assert votes.isna().sum().tolist() == [
        0, 12, 48, 11, 11, 15, 11, 14, 15, 22, 7, 21, 31, 25, 17, 28, 104,
    ]  # fmt: skip


def test_oracle_anes96_and_digits_are_those_of_other_libraries():
    data = pytest.importorskip("statsmodels.datasets").anes96.load_pandas().data
    ours = markhood.datasets.load("anes96")
    assert np.array_equal(ours.to_numpy(), data.drop(columns="logpopul").to_numpy())
    digits = pytest.importorskip("sklearn.datasets").load_digits().data
    assert np.array_equal(markhood.datasets.load("digits").to_numpy(), digits > 8)


def test_columns_have_types():
    kinds = markhood.datasets.load("penguins").dtypes.astype(str)
    assert kinds["year"] == "int64"
    assert kinds["bill_length_mm"] == kinds["body_mass_g"] == "float64"
    assert markhood.datasets.load("penguins")["sex"].isna().sum() == 11


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_pages_list_every_data_set_with_size_and_licence(page):
    if not page.is_file():
        pytest.skip("only a checkout has the documentation")
    lines = page.read_text().splitlines()
    rows = {line.split("|")[1].strip(" `"): line for line in lines if line.startswith("| `")}
    for dataset in markhood.datasets.available():
        assert f"{dataset.n_samples} x {dataset.n_variables}" in rows[dataset.name]
        assert dataset.licence.split(" (")[0] in rows[dataset.name]


def test_all_data_sets_together_stay_small():
    folder = files("markhood.datasets") / "files"
    assert sum(len(path.read_bytes()) for path in folder.iterdir()) < 300_000


def test_an_unknown_name_is_an_input_error():
    with refuses("option-unknown", "vote"):
        markhood.datasets.load("vote")


def test_datasets_are_imported_when_used():
    code = "import sys, markhood; sys.exit('markhood.datasets' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_command_lists_describes_and_writes(tmp_path):
    listed = run("datasets")
    assert listed.returncode == 0, listed.stderr
    assert all(f"{name}: " in listed.stdout for name in NAMES)
    assert "penguins: " not in run("datasets", "votes").stdout
    done = run("datasets", "votes", "-o", "votes.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "votes.csv").read_text() == csv_text(describe("votes"))


@pytest.mark.parametrize("line", [["x"], ["-o", "a.csv"], ["votes", "-o", "a.txt"]])
def test_the_command_refuses_what_it_cannot_do(line, tmp_path):
    done = run("datasets", *line, cwd=tmp_path)
    assert done.returncode == 2
    assert not list(tmp_path.iterdir())
