"""Fits that do not converge: named in a warning, and counted in the provenance."""

import re
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import markhood
from markhood.commandline.app import app
from markhood.kernels.native import NativeKernels
from markhood.kernels.protocol import Status
from markhood.model.fitting import fit
from messages import warns
from oracles.networks import network

TABLE = pd.DataFrame(network(3, 400, 6, strength=1.5), columns=list("abcdef"))
METHODS = [("plm", {}), ("l1lr", {}), ("l1lr", {"refit": False})]


class Stopped(NativeKernels):
    """Kernels that call the fit of one variable stopped early, in every phase."""

    def grow_blankets(self, bits, targets, *others):
        found = super().grow_blankets(bits, targets, *others)
        return found._replace(not_converged=2 * (targets == 1))

    def climb_groups(self, bits, groups, *others):
        found = super().climb_groups(bits, groups, *others)
        return found._replace(not_converged=found.not_converged + (groups.values == 1))

    def fit_blankets(self, bits, targets, *others):
        found = super().fit_blankets(bits, targets, *others)
        return found._replace(
            statuses=np.where(targets == 1, np.uint8(Status.NOT_CONVERGED), found.statuses)
        )


@pytest.mark.parametrize(("method", "options"), METHODS)
def test_example_a_step_limit_is_named_and_counted(method, options):
    run = markhood.Run(kernels=NativeKernels(most_steps=1))
    with warns("not-converged", where="a"):
        graph = markhood.learn(TABLE, method, run=run, **options)
    assert graph.provenance["fits_not_converged"] == dict.fromkeys("abcdef", 1)


@pytest.mark.parametrize(("method", "options"), [*METHODS, ("plrhc", {}), ("hc", {})])
def test_example_fits_that_converge_are_not_named(method, options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        graph = markhood.learn(TABLE, method, **options)
    assert "fits_not_converged" not in graph.provenance


@pytest.mark.parametrize(
    ("method", "options", "n_fits"),
    [
        ("plrhc", {"rule": "or"}, 2 + 1),
        ("plrhc", {"start": "empty"}, 2 + 1 + 1),
        ("hc", {"rule": "or"}, 2 + 1),
        ("pairwise", {"top": 5}, None),
    ],
)
def test_example_fits_of_all_phases_are_counted(method, options, n_fits):
    with warns("not-converged", where="b"):
        graph = markhood.learn(TABLE, method, run=markhood.Run(kernels=Stopped()), **options)
    of_edges = len(graph.neighbours("b"))  # with "pairwise" each edge has regressions of its own
    expected = of_edges if n_fits is None else n_fits
    assert graph.provenance["fits_not_converged"] == {"b": expected}


def test_example_imputed_sets_are_counted_together():
    holes = TABLE.mask(np.random.default_rng(0).random(TABLE.shape) < 0.05)
    run = markhood.Run(kernels=Stopped(), imputations=2)
    with warns("not-converged", where="b"):
        graph = markhood.learn(holes, missing="impute", run=run)
    assert set(graph.provenance["fits_not_converged"]) == {"b"}


@pytest.mark.parametrize("method", ["pseudo-likelihood", "average", "likelihood"])
def test_example_a_model_names_the_variables_that_have_not_converged(method, monkeypatch, tmp_path):
    graph = markhood.Graph(list("abcdef"), [(0, 1), (1, 2)])
    model = markhood.fit_model(graph, TABLE, method=method)
    assert model.converged.all()
    assert re.search(r"Converged: +yes", str(model.summary()))
    few = partial(fit.fitted, max_steps=1)
    monkeypatch.setattr(fit, "fitted", few)
    with warns("not-converged", where="a"):
        model = markhood.fit_model(graph, TABLE, method=method)
    assert not model.converged[:3].any()
    assert re.search(r"Converged: +\d of 6 variables", str(model.summary()))
    markhood.write_model(model, tmp_path / "model.json")
    read = markhood.read_model(tmp_path / "model.json")
    np.testing.assert_array_equal(read.converged, model.converged)


def test_example_the_command_line_prints_a_note(tmp_path, monkeypatch):
    TABLE.to_csv(tmp_path / "table.csv", index=False)
    stopped = NativeKernels(most_steps=1)
    monkeypatch.setattr("markhood.learning.run.NativeKernels", lambda: stopped)
    found = CliRunner().invoke(app, ["learn", str(tmp_path / "table.csv"), "--method", "plm"])
    assert found.exit_code == 0
    assert "markhood: note: 6 fits of a, b, c and 3 more did not converge" in found.output
