"""A sample of weight 3 equals three samples: for every method, option and analysis of a graph.

Edges agree exactly, numbers but for rounding. Not held to it is what draws random numbers for every
row, which are others for other rows: imputed values, drawn data sets and shuffled labels.
"""

import numpy as np
import pandas as pd
import pytest

import markhood
from markhood.learning.methods import METHODS
from oracles.networks import network
from oracles.options import grouped

N = 160
BINARY = list("abcde")


def table():
    """Binary, ordered and unordered columns, and one of numbers that can be cut."""
    rng = np.random.default_rng(3)
    values = network(5, N, 8, strength=1.0)
    steps = values[:, :4].astype(int) + values[:, 4:] + rng.integers(0, 2, (N, 4))
    frame = pd.DataFrame(values[:, :5], columns=BINARY)
    for k in range(3):
        frame[f"s{k}"] = steps[:, k]
    frame["t"] = np.array(["x", "y", "z", "w"])[steps[:, 3]]
    return frame.assign(number=rng.normal(size=N) + 2 * values[:, 0])


FRAME = table()
COUNTS = np.random.default_rng(4).integers(1, 6, N)
COUNTS[:9] = 30  # so that shares of rows and of samples differ
REPEATED = FRAME.loc[np.repeat(FRAME.index, COUNTS)].reset_index(drop=True)
SHORT = {"chains": 2, "sweeps": 6}
OPTIONS = {
    "plrhc": [
        {},
        {"rule": "and"},
        {"rule": "pair"},
        {"start": "empty"},
        {"criterion": "mpl"},
        {"fit_penalty": "l1"},
        {"fit_penalty": "l2"},
        {"max_candidates": 2},
        {"kinds": "nominal"},
        {"bins": 3, "exclude": []},
        {"bins": "auto", "exclude": []},
        {"merge_rare": 60},
        {"merge_rare": 100, "kinds": "nominal"},
        {"identical": 0.5},
        {"adjust_for": ["a"]},
        {"required_edges": [("a", "t")], "forbidden_edges": [("a", "s0")]},
        {"groups": dict.fromkeys(BINARY, 0) | dict.fromkeys(["s0", "s1", "s2", "t"], 1)},
    ],
    "hc": [{}, {"rule": "or"}],
    "bayes": [SHORT, SHORT | {"columns": BINARY}, SHORT | {"fdr": 0.05, "edge_prior": 0.1}],
    "l1lr": [{"kinds": "nominal"}, {"columns": BINARY, "refit": False, "standardize": True}],
    "mpl": [{}, {"start": "or", "kinds": "nominal"}],
    "bjp": [{"kinds": "nominal"}],
    "pairwise": [{}, {"ranking": "mi_apc", "top": 5}, {"remove_indirect": True}],
    "chow-liu": [{}, {"forest": False}],
    "plm": [{"kinds": "nominal"}, {"columns": BINARY, "top": 4}],
}
CLOSE = {"plm": 0.02, "bayes": 2e-4}  # their fits stop at a tolerance
CASES = [(name, options) for name in METHODS for options in OPTIONS[name]]


@pytest.mark.filterwarnings("ignore::markhood.errors.DataWarning")
@pytest.mark.parametrize(("method", "options"), CASES, ids=lambda case: str(case))
def test_contract_learning(method, options):
    shared = grouped({"exclude": ["number"], "n_jobs": 1} | options)
    weighted = markhood.learn(FRAME, method, weights=COUNTS, **shared)
    repeated = markhood.learn(REPEATED, method, **shared)
    close = CLOSE.get(method, 1e-6)
    assert weighted.n_edges >= 2
    assert weighted.variables == repeated.variables
    assert weighted.edge_names() == repeated.edge_names()
    for ends in ("evidence_ends", "coupling_ends"):
        np.testing.assert_allclose(
            getattr(weighted, ends), getattr(repeated, ends), rtol=0, atol=close
        )
    for one, other in zip(weighted.coupling_tables, repeated.coupling_tables, strict=True):
        np.testing.assert_allclose(
            *(np.empty(0) if own is None else own for own in (one, other)), rtol=0, atol=close
        )
    assert weighted.annotations.keys() == repeated.annotations.keys()
    # R-hat, the effective sample size and Bayes factors are ratios of small differences.
    for name in weighted.annotations.keys() - {"rhat", "ess", "bayes_factor"}:
        column = weighted.annotations[name]
        np.testing.assert_allclose(column, repeated.annotations[name], rtol=0, atol=close)
    assert weighted.provenance["data"]["weight"] == COUNTS.sum()
    for name in ("method", "parameters", "evaluations", "screened_pairs", "identical"):
        assert weighted.provenance.get(name) == repeated.provenance.get(name)


@pytest.mark.filterwarnings("ignore::markhood.DataWarning")  # of repeated rows
def test_contract_the_graphs_and_couplings_of_stability():
    columns = {"columns": BINARY, "n_jobs": 1}
    paths = [
        markhood.gamma_path(own, gammas=[0.0, 1.0], folds=2, weights=counts, **columns)
        for own, counts in ((FRAME, COUNTS), (REPEATED, None))
    ]
    np.testing.assert_allclose(paths[0].ebic, paths[1].ebic)
    assert paths[0].graphs == paths[1].graphs
    drawn = [
        markhood.bootstrap(own, replicates=2, weights=counts, **columns)
        for own, counts in ((FRAME, COUNTS), (REPEATED, None))
    ]
    np.testing.assert_allclose(drawn[0].couplings, drawn[1].couplings, atol=1e-6)
    tests = [
        markhood.compare_groups(own, by="t", permutations=1, weights=counts, **columns)
        for own, counts in (
            (FRAME.replace({"t": {"y": "x", "z": "w"}}), COUNTS),
            (REPEATED.replace({"t": {"y": "x", "z": "w"}}), None),
        )
    ]
    assert tests[0].structure == pytest.approx(tests[1].structure, abs=1e-6)
    assert tests[0].strength == pytest.approx(tests[1].strength, abs=1e-6)


@pytest.mark.filterwarnings("ignore::markhood.DataWarning")  # of repeated rows
def test_contract_scores_of_samples_and_fitted_models():
    graph = markhood.learn(FRAME[BINARY], n_jobs=1)
    one, other = (
        markhood.fit_model(graph, own[BINARY], weights=counts)
        for own, counts in ((FRAME, COUNTS), (REPEATED, None))
    )
    np.testing.assert_allclose(one.couplings, other.couplings, atol=1e-6)
    np.testing.assert_allclose(one.intervals(), other.intervals(), atol=1e-6)
    estimator = markhood.PLRHC(n_jobs=1).fit(FRAME[BINARY], sample_weight=COUNTS)
    same = markhood.PLRHC(n_jobs=1).fit(REPEATED[BINARY])
    assert estimator.score(REPEATED[BINARY]) == pytest.approx(same.score(REPEATED[BINARY]))
