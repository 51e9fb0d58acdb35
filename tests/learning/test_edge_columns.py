"""Couplings on one scale: steps of any size, and tables beside them."""

import numpy as np
import pytest

import markhood
from markhood.graph.columns import ANNOTATIONS
from markhood.learning.describe import standardized
from markhood.learning.methods import METHODS
from oracles.ordered import ordinal_chain
from oracles.packing import samples_with_levels

VALUES = ordinal_chain(8, 900, (5, 3, 2, 4), coupling=0.5)


def test_oracle_a_step_is_times_both_deviations():
    graph = markhood.learn(VALUES)
    assert graph.n_edges >= 3
    assert not graph.coupling_tables
    deviations = VALUES.std(axis=0)
    expected = graph.coupling * deviations[graph.edges].prod(axis=1)
    np.testing.assert_allclose(graph.annotations["standardized"], expected)


@pytest.mark.filterwarnings("ignore::markhood.DataWarning")  # of repeated rows
def test_oracle_weights_count():
    weights = np.random.default_rng(1).integers(1, 4, size=len(VALUES))
    graph = markhood.learn(VALUES, weights=weights)
    repeated = markhood.learn(np.repeat(VALUES, weights, axis=0))
    assert graph.edges.tolist() == repeated.edges.tolist()
    np.testing.assert_allclose(
        graph.annotations["standardized"], repeated.annotations["standardized"], rtol=1e-5
    )


def test_property_a_table_of_steps_has_the_size_of_its_step():
    samples = samples_with_levels(VALUES).with_order((True,) * 4)
    steps = [np.arange(n) for n in (5, 3)]
    table = 0.7 * np.outer(*(s - s.mean() for s in steps))
    edges = np.array([[0, 1]])
    by_table = standardized(samples, edges, np.array([1.0]), [table])
    by_step = standardized(samples, edges, np.array([-0.7]), [])
    assert by_table == pytest.approx(-by_step)


def test_example_categories_alone_have_one_scale_already():
    assert "standardized" not in markhood.learn(VALUES, kinds="nominal").annotations


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.filterwarnings("ignore::markhood.errors.DataWarning")
def test_property_every_column_has_a_note_in_the_report(method):
    holes = np.where(np.random.default_rng(0).random(VALUES.shape) < 0.05, np.nan, VALUES)
    complete = markhood.learn(VALUES[:300], method)
    imputed = markhood.learn(holes[:300], method, missing="impute", run=markhood.Run(imputations=2))
    ranked = markhood.learn(VALUES, "pairwise", ranking="mi_apc")
    assert {*complete.annotations, *imputed.annotations, *ranked.annotations} <= ANNOTATIONS.keys()
