"""Every analysis with every kind of data and option: each cell of the matrix works.

Rows are analyses, columns are what an ordinary table brings along. A cell passes if the analysis
runs, its graph has the nodes that were asked for, and a repetition from its provenance gives the
same graph.

"""

import warnings

import numpy as np
import pandas as pd
import pytest

import markhood
from markhood.data.coding.encode import encode
from messages import refuses
from oracles.networks import network

pytestmark = pytest.mark.filterwarnings("ignore::markhood.errors.DataWarning")

N = 240
RNG = np.random.default_rng(5)
VALUES = network(41, N, 5, strength=1.8)
PLAIN = pd.DataFrame(VALUES, columns=list("abcde"))
STEPS = PLAIN.apply(lambda column: np.clip(column * 2 + RNG.integers(-1, 2, N), 0, 3))
WORDS = PLAIN.apply(lambda column: np.array(["no", "yes", "maybe"])[column + (RNG.random(N) < 0.2)])
MEASURED = PLAIN + RNG.normal(scale=0.4, size=PLAIN.shape)
HOLES = PLAIN.astype(float).mask(RNG.random(PLAIN.shape) < 0.04)

AGE = np.random.default_rng(6).normal(40, 10, N)

# Column -> the table, and the options that go with it.
COLUMNS = {
    "plain": (PLAIN, {}),
    "imputed": (HOLES, {"missing": "impute", "run": markhood.Run(imputations=2)}),
    "weights": (PLAIN.assign(w=RNG.integers(1, 4, N)), {"weights": "w"}),
    "covariate": (PLAIN.assign(sex=RNG.integers(0, 2, N)), {"adjust_for": ["sex"]}),
    "covariate imputed": (
        HOLES.assign(sex=RNG.integers(0, 2, N)),
        {"adjust_for": ["sex"], "missing": "impute", "run": markhood.Run(imputations=2)},
    ),
    "ordinal": (STEPS, {"kinds": "ordinal"}),
    "nominal": (WORDS, {"kinds": "nominal"}),
    "binned": (MEASURED, {"bins": 3}),
    "constraints": (
        PLAIN,
        {
            "knowledge": markhood.Knowledge(
                required_edges=[("a", "e")], forbidden_edges=[("a", "b")]
            )
        },
    ),
    "merged levels": (STEPS, {"table": markhood.TableFormat(merge_rare=40)}),
    "real covariate": (PLAIN.assign(age=AGE), {"adjust_for": ["age"]}),
    "real covariate imputed": (
        HOLES.assign(age=AGE),
        {"adjust_for": ["age"], "missing": "impute", "run": markhood.Run(imputations=2)},
    ),
    "copies": (PLAIN.assign(f=1 - PLAIN["a"]), {"genome": markhood.Genome(identical="group")}),
}
METHODS = {
    "plrhc": {},
    "plrhc pair": {"rule": "pair"},
    "hc": {},
    "mpl": {},
    "l1lr": {},
    "pairwise": {},
    "bayes": {"sweeps": 4, "chains": 2},
}
ANALYSES = (
    "bootstrap",
    "cases",
    "clusters",
    "strata",
    "model bootstrap",
    "compare_groups",
    "three groups",
    "paired groups",
    "gamma_path",
    "robustness",
    "fit",
    "report",
)


def learned(method, column, table=None, **more):
    data, options = COLUMNS[column]
    name, _, rule = method.partition(" ")
    own = METHODS[method] if rule else METHODS[name]
    return markhood.learn(data if table is None else table, name, **options | own | more)


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("method", METHODS)
def test_every_method_learns_from_every_kind_of_data(method, column):
    graph = learned(method, column)
    assert set(graph.nodes) == set("abcde")
    again = graph.bootstrap(COLUMNS[column][0], replicates=2, resample="rows")
    assert again.graph == graph


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("analysis", ANALYSES)
def test_every_analysis_takes_every_kind_of_data(analysis, column, tmp_path):
    data, options = COLUMNS[column]
    match analysis:
        case "bootstrap":
            found = markhood.bootstrap(data, replicates=2, resample="halves", **options)
            assert found.to_frame().shape[0] >= found.graph.n_edges
        case "clusters":
            school = np.arange(N) // 4
            found = markhood.bootstrap(data, replicates=2, clusters=school, **options)
            assert len(found.frequency) == found.graph.n_edges
        case "cases":
            found = markhood.bootstrap(data, replicates=2, resample="cases", **options)
            assert found.replicates.n_replicates == 2
        case "strata":
            found = markhood.bootstrap(data, replicates=2, strata=np.arange(N) % 3, **options)
            assert found.replicates.n_replicates == 2
        case "three groups":
            found = markhood.compare_groups(data, by=np.arange(N) % 3, permutations=2, **options)
            assert len(found.graphs) == 3
        case "paired groups":
            person = np.arange(N) // 2
            found = markhood.compare_groups(
                data, by=np.arange(N) % 2, pairs=person, permutations=2, **options
            )
            assert found.sizes == (N // 2, N // 2)
        case "model bootstrap" if column.startswith("real covariate"):
            with refuses("not-supported"):
                markhood.bootstrap(data, replicates=2, resample="model", **options)
        case "model bootstrap":
            found = markhood.bootstrap(data, replicates=2, resample="model", **options)
            assert found.replicates.n_replicates == 2
        case "compare_groups":
            found = markhood.compare_groups(data, by=np.arange(N) % 2, permutations=2, **options)
            assert set(found.graphs[0].nodes) == set("abcde")
        case "gamma_path":
            found = markhood.gamma_path(data, gammas=[0.25, 1], folds=2, **options)
            assert found.held_out.shape == (2, 2)
        case "robustness":
            found = markhood.robustness(data, vary={"gamma": [0.1]}, subsets=1, **options)
            assert [row["gamma"] for row in found.rows()] == ["0.5", "0.1", "0.5"]
            assert set(found.graph.nodes) == set("abcde")
        case "fit":
            graph = markhood.learn(data, **options)
            missing = {"missing": options["missing"]} if "missing" in options else {}
            weights = {"weights": options["weights"]} if "weights" in options else {}
            model = markhood.fit_model(graph, data, **missing, **weights)
            assert np.isfinite(model.couplings).all()
            assert np.isfinite(model.predict_proba(data, "a")).all()
            assert model.sample(3).shape == (3, 5)
            assert model.query("a").to_frame()["probability"].sum() == pytest.approx(1)
        case "report":
            graph = markhood.learn(data, **options)
            markhood.write_report(graph, tmp_path / "page.html")
            assert "markhood" in graph.describe_methods()


@pytest.mark.parametrize("column", COLUMNS)
def test_a_frame_an_array_samples_and_a_file_give_the_same_graph(column, tmp_path):
    data, options = COLUMNS[column]
    graph = markhood.learn(data, **options)
    if not {"weights", "adjust_for", "knowledge"} & options.keys():  # these name columns
        assert np.array_equal(markhood.learn(data.to_numpy(), **options).edges, graph.edges)
    data.to_csv(tmp_path / "table.csv", index=False)
    assert markhood.learn(tmp_path / "table.csv", **options).edge_names() == graph.edge_names()
    reading = {
        name: value
        for name, value in options.items()
        if name in ("adjust_for", "missing", "weights", "kinds", "bins", "table", "genome")
    }
    samples = encode(data, **reading)
    assert markhood.learn(samples, **options).edge_names() == graph.edge_names()


@pytest.mark.parametrize("column", COLUMNS)
def test_a_checkpoint_goes_with_every_kind_of_data(column, tmp_path):
    data, options = COLUMNS[column]
    imputations = 2 if "missing" in options else 10
    run = markhood.Run(checkpoint=tmp_path / "tiles", imputations=imputations)
    first = markhood.learn(data, **options | {"run": run})
    assert (
        markhood.learn(data, **options | {"run": run}) == first == markhood.learn(data, **options)
    )


@pytest.mark.parametrize("column", COLUMNS)
def test_an_estimator_scores_every_kind_of_data(column):
    data, options = COLUMNS[column]
    weights = {"sample_weight": data["w"]} if "weights" in options else {}
    kept = {name: value for name, value in options.items() if name != "weights"}
    table = data.drop(columns="w", errors="ignore")
    with warnings.catch_warnings():
        fitted = markhood.PLRHC(**kept).fit(table, **weights)
    assert np.isfinite(fitted.score(table))
    assert fitted.model_.graph.n_edges == fitted.graph_.n_edges
