"""What the authors' own code returns on data sets of ours; see README.md beside this file."""

from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from markhood.kernels.reference.backend import ReferenceKernels
from markhood.learning.describe import describe
from markhood.search.hill_climbing import hill_climb
from oracles.jobs import job_of
from oracles.packing import samples_with_levels
from oracles.scoring import OwnCriterion

HERE = Path(__file__).parent
BINARY = [
    "awkward-24-80",
    "dense-16-3000",
    "gnp-40-1000",
    "grid-100-2000",
    "grid-64-4000",
    "grid-64-500",
    "hub-64-1000",
    "hub-64-250",
    "hub-64-4000",
]
CATEGORICAL = ["mixed-20-1500", "potts3-16-2000"]
METHODS = {"plrhc": 3, "hc": None}  # and how far the screen lets them look


@cache
def load(name):
    with np.load(HERE / f"{name}.npz") as archive:
        return dict(archive)


def learn(name, method, kernels, n_jobs=1, criterion=None):
    job = job_of(samples_with_levels(load(name)["data"]), criterion, kernels, n_jobs)
    found = hill_climb(job, gamma=0.5, depth=METHODS[method], rule="global", start="or")
    return describe(job, found)


def assert_edges(found, golden):
    expected = np.unique(golden.reshape(-1, 2), axis=0)
    assert found.edges.tolist() == expected.tolist()


def assert_as_golden(learned, name, method):
    golden = load(name)
    assert_edges(learned.or_graph, golden[f"{method}_or"])
    assert_edges(learned.graph, golden[method])
    if method == "plrhc":
        assert_edges(learned.screened_graph, golden["screened"])
        assert_scores(learned, name)


def assert_scores(learned, name):
    """Ours may be higher where a fit is separated: their optimiser stops short of the supremum."""
    golden = load(name)["plrhc_blanket_scores"]
    constant = np.isneginf(golden)
    assert (learned.blanket_scores[constant] == 0).all()
    higher = (learned.blanket_scores - golden)[~constant]
    regressions = learned.regressions
    is_separated = [
        regressions.infinite[start:end].any() for start, end in pairwise(regressions.starts)
    ]
    assert higher.min() > -1e-6
    assert (higher <= np.where(np.array(is_separated)[~constant], 1e-4, 1e-6)).all()


def test_example_all_binary_sets_are_here():
    binary = [p.stem for p in sorted(HERE.glob("*.npz")) if load(p.stem)["data"].max() == 1]
    assert binary == BINARY


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", [*BINARY, *CATEGORICAL])
@pytest.mark.parametrize("n_jobs", [1, 2, 4])
def test_golden_every_instruction_set_and_thread_count(native_kernels, name, method, n_jobs):
    assert_as_golden(learn(name, method, native_kernels, n_jobs), name, method)


@pytest.mark.parametrize(
    ("name", "method", "n_jobs"),
    [
        ("awkward-24-80", "plrhc", 1),
        ("awkward-24-80", "hc", 2),
        ("grid-64-500", "plrhc", 1),
        ("hub-64-250", "plrhc", 4),
        ("hub-64-1000", "plrhc", 2),
    ],
)
def test_golden_the_readable_road(name, method, n_jobs):
    learned = learn(name, method, ReferenceKernels(), n_jobs, OwnCriterion())
    assert_as_golden(learned, name, method)


@pytest.mark.parametrize("method", METHODS)
def test_golden_the_reference_kernels(method):
    assert_as_golden(learn("awkward-24-80", method, ReferenceKernels()), "awkward-24-80", method)
