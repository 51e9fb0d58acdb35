"""The comparison of analyses judges results by the truth, and runs without R."""

import numpy as np
import pytest


@pytest.fixture
def analyses(modules):
    return modules("analyses")


def test_edges_and_probabilities_are_judged_by_the_truth(analyses):
    truth = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], dtype=bool)
    known = [analyses.Known(np.zeros((1, 3)), truth)]
    result = np.array([[0, 1, 0.9], [1, 0, 0.2], [0.9, 0.2, 0]])
    assert analyses.false_and_missed([result], known) == "1 false, 1 missed of 2"
    said = analyses.probability_scores([result], known)
    assert "Brier 0.483" in said  # (0 + 0.81 + 0.64) / 3
    assert "false at 5 %: 50.0 % of 2" in said


def test_without_r_the_rows_of_markhood_remain(analyses, monkeypatch, capsys):
    monkeypatch.setattr(analyses, "r_versions", lambda package: [])
    analyses.main(["communities"])
    printed = capsys.readouterr()
    assert "| communities | communities" in printed.out
    assert "EGAnet" not in printed.out
    assert "absent: the R package EGAnet" in printed.err


def test_edges_of_mixed_networks_are_zeros_of_the_inverse_covariance(modules):
    # Pairs of normal variables without an edge have no partial correlation given all others.
    simulated = modules("simulated")
    known = simulated.mixed_networks()[0]
    assert known.truth.sum() == 28
    partial = np.linalg.inv(np.cov(known.table.T))[:6, :6]
    edges = known.truth[:6, :6]
    size = np.abs(partial / np.sqrt(np.outer(partial.diagonal(), partial.diagonal())))
    off = ~np.eye(6, dtype=bool)
    assert size[edges].min() > 0.1 > np.median(size[~edges & off])
