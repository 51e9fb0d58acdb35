"""Pictures of a bootstrap, by what is on them."""

import matplotlib
import numpy as np
import pytest

import markhood
from messages import refuses
from oracles.networks import network

matplotlib.use("Agg")


@pytest.fixture(scope="module")
def found():
    return markhood.bootstrap(network(31, 300, 6, strength=1.5), replicates=12, n_jobs=1)


@pytest.fixture(autouse=True)
def _closed():
    yield
    from matplotlib import pyplot

    pyplot.close("all")


def test_example_edges_with_their_intervals(found):
    ax = markhood.plot.edge_intervals(found)
    rows = sorted((r for r in found.edges() if r["in_graph"]), key=lambda r: r["coupling"])
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == [f"{row['source']} - {row['target']}" for row in rows]
    drawn = [segment[:, 0].tolist() for segment in ax.collections[0].get_segments()]
    np.testing.assert_allclose(drawn, [[row["low"], row["high"]] for row in rows])
    assert [text.get_text() for text in ax.texts] == [f"{row['frequency']:.2f}" for row in rows]


def test_example_centralities_with_their_intervals(found):
    ax = markhood.plot.centrality_intervals(found, measure="expected_influence")
    values = ax.lines[2].get_xdata()
    assert len(values) == 6
    assert (np.diff(values) >= 0).all()
    with refuses("option-value", "measure"):
        markhood.plot.centrality_intervals(found, measure="x")


def test_example_differences(found):
    ax = markhood.plot.differences(found)
    cells = ax.images[0].get_array()
    differ = sum(row["differ"] for row in found.differences())
    assert np.nansum(np.asarray(cells, dtype=float)) == 2 * differ


def test_the_legend_is_below_all_rows_and_names_the_level(found):
    for draw in (markhood.plot.edge_intervals, markhood.plot.centrality_intervals):
        ax = draw(found)
        ax.figure.draw_without_rendering()
        legend = ax.get_legend()
        assert "95 % interval" in [text.get_text() for text in legend.get_texts()]
        lowest = ax.transData.transform((0, 0))[1]
        assert legend.get_window_extent().y1 < lowest
