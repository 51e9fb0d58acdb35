"""Group comparison: statistics, p-values, and the results in Python and on the command line."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import markhood
from markhood.commandline.app import app
from markhood.data.coding.encode import encode
from markhood.graph.centrality import centralities
from markhood.learning.methods import Bayes, Plrhc
from markhood.learning.request import Request
from markhood.stability.comparison import MaxT, Tally
from markhood.stability.grouped import Groups
from markhood.stability.groups import compare
from markhood.stability.networks import COUPLING_MEASURES, GRAPH_MEASURES, Network, differences
from markhood.stability.studies import GroupOptions
from messages import refuses, warns
from oracles.networks import network

RNG = np.random.default_rng(8)
SEX = np.repeat(["m", "w"], [150, 250])
AGE = np.tile(["old", "young", "mid", "young"], 100)


def moderated():
    """Return data in which variable b depends on a among women only."""
    table = pd.DataFrame(network(5, 400, 4, strength=1.5), columns=list("abcd"))
    follows = (SEX == "w") & (RNG.random(400) < 0.8)
    return table.assign(b=np.where(follows, table["a"], table["b"]))


DATA = moderated()
QUICK = {"permutations": 39, "n_jobs": 1}


def test_example_the_edge_that_differs_is_found():
    found = markhood.compare_groups(DATA, by=SEX, **QUICK)
    first = found.edge_rows()[0]
    assert found.names == ("m", "w")
    assert found.sizes == (150, 250)
    assert (first["source"], first["target"]) == ("a", "b")
    assert (first["first"], first["second"]) == ("m", "w")
    assert first["p_value"] == first["p_adjusted"] == found.p_structure == 1 / 40
    assert first["difference"] == pytest.approx(first["coupling_w"] - first["coupling_m"])
    assert {row["variable"] for row in found.field_rows()} == set("abcd")
    assert len(found.edge_rows()) == 6  # all pairs


def test_property_two_tables_are_one_with_labels():
    one = markhood.compare_groups(DATA, by=SEX, **QUICK)
    men, women = (DATA[sex == SEX].reset_index(drop=True) for sex in ("m", "w"))
    two = markhood.compare_groups(men, women, names=("m", "w"), **QUICK)
    assert one.edge_rows() == two.edge_rows()
    mapped = markhood.compare_groups({"m": men, "w": women}, **QUICK)
    assert one.edge_rows() == mapped.edge_rows()
    named = markhood.compare_groups(DATA.assign(sex=SEX), by="sex", **QUICK)
    assert named.edge_rows() == one.edge_rows()


def test_property_any_number_of_threads_gives_the_same():
    one = markhood.compare_groups(DATA, by=SEX, permutations=8, n_jobs=1)
    two = markhood.compare_groups(DATA, by=SEX, permutations=8, n_jobs=2)
    assert one.edge_rows() == two.edge_rows()
    assert one.p_strength == two.p_strength


@pytest.mark.parametrize("kinds", ["nominal", "ordinal"])
def test_example_levels_are_compared_cell_by_cell(kinds):
    levels = DATA.assign(a=DATA["a"] + DATA["c"], c=DATA["c"] + DATA["d"])
    found = markhood.compare_groups(levels, by=SEX, kinds=kinds, **QUICK)
    assert all(np.isfinite(row["difference"]) for row in found.edge_rows())
    assert found.graphs[0].variables.kinds == (kinds, "binary", kinds, "binary")
    assert bool(found.graphs[1].coupling_tables) == (kinds == "nominal")


def test_example_the_group_that_differs_from_two_others():
    groups = np.where(SEX == "w", "w", np.where(np.arange(400) < 75, "m1", "m2"))
    found = markhood.compare_groups(DATA, by=groups, **QUICK)
    assert found.names == ("m1", "m2", "w")
    assert [len(graph.nodes) for graph in found.graphs] == [4, 4, 4]
    differing = {
        (row["source"], row["target"], row["first"], row["second"])
        for row in found.edge_rows()
        if row["p_adjusted"] < 0.05
    }
    assert differing >= {("a", "b", "m1", "w"), ("a", "b", "m2", "w")}
    assert not any(row[2:] == ("m1", "m2") for row in differing)
    assert found.p_structure == 1 / 40
    of_pairs = {(row["first"], row["second"]): row for row in found.pair_rows()}
    assert of_pairs["m1", "w"]["p_structure_adjusted"] == 1 / 40
    assert of_pairs["m1", "m2"]["p_structure"] > 0.1
    assert len(found.edge_rows()) == 3 * len(found.edges)
    assert "m1 (75), m2 (75), w (250)" in repr(found)


def test_property_rows_without_pairs_are_the_most_different_pair():
    found = markhood.compare_groups(DATA, by=AGE, **QUICK)
    for rows in (found.edge_rows, found.field_rows, found.centrality_rows):
        pairwise = rows()
        for row in rows(pairwise=False):
            own = [
                r for r in pairwise if all(r[k] == v for k, v in row.items() if isinstance(v, str))
            ]
            assert len(own) == 3
            assert abs(row["difference"]) == max(abs(r["difference"]) for r in own)
            assert row["p_adjusted"] == min(r["p_adjusted"] for r in own)
            assert row["p_value"] <= row["p_adjusted"]
    two = markhood.compare_groups(DATA, by=SEX, **QUICK)
    without = [
        {k: v for k, v in row.items() if k not in ("first", "second")} for row in two.edge_rows()
    ]
    assert two.edge_rows(pairwise=False) == without


@pytest.mark.parametrize("n_pairs", [1, 3])
def test_oracle_adjusted_p_values_are_of_the_largest(n_pairs):
    observed = RNG.normal(size=(n_pairs, 5)) * [1, 1, 1, 9, 4]
    permuted = RNG.normal(size=(60, n_pairs, 5)) * [1, 1, 1, 9, 0.5]
    every = np.concatenate([observed[None], permuted])
    tallies = [Tally.of(observed, part) for part in np.split(permuted, [10, 25])]
    tests = MaxT.of(-observed, observed, tallies)
    np.testing.assert_array_equal(tests.signed, -observed)
    for p in range(n_pairs):
        for k in range(5):
            assert tests.p_values[p, k] == pytest.approx((every[:, p, k] >= every[0, p, k]).mean())
            largest = np.array([table.max() for table in every])
            assert tests.adjusted[p, k] == pytest.approx((largest >= every[0, p, k]).mean())
            of_pairs = np.array([table[:, k].max() for table in every])
            assert tests.p_any[k] == pytest.approx((of_pairs >= of_pairs[0]).mean())
    assert (tests.adjusted >= tests.p_values).all()


def test_oracle_differences_of_two_networks():
    edges = np.array([pair for pair in combinations(range(5), 2) if RNG.random() < 0.5])
    first, second = (
        Network(
            edges,
            couplings := RNG.normal(size=(len(edges), 1)),
            couplings[:, 0],
            RNG.normal(size=(5, 1)),
        )
        for _ in range(2)
    )
    found = differences(first, second)
    gaps = second.numbers - first.numbers
    assert found["structure"] == pytest.approx(max(map(abs, gaps)))
    assert found["edges"] == pytest.approx(gaps)
    assert found["strength"] == pytest.approx(
        sum(map(abs, second.numbers)) - sum(map(abs, first.numbers))
    )
    np.testing.assert_allclose(found["fields"], (second.fields - first.fields)[:, 0])
    of_networks = [centralities(5, edges, one.numbers, np.zeros(5, int)) for one in (first, second)]
    for measure in COUPLING_MEASURES:
        wanted = of_networks[1][measure] - of_networks[0][measure]
        assert found[f"centrality_{measure}"] == pytest.approx(wanted)


def test_oracle_centralities_are_those_of_couplings_and_graphs():
    found = markhood.compare_groups(DATA, by=SEX, relearn=True, **QUICK)
    of_groups = []
    for graph, couplings in zip(found.graphs, found.couplings, strict=True):
        of_graph = centralities(4, np.array(graph.edges), graph.coupling, np.zeros(4, int))
        of_pairs = centralities(4, found.edges, couplings, np.zeros(4, int))
        of_groups.append(
            {m: of_graph[m] for m in GRAPH_MEASURES} | {m: of_pairs[m] for m in COUPLING_MEASURES}
        )
    rows = found.centrality_rows()
    assert {row["measure"] for row in rows} == {*GRAPH_MEASURES, *COUPLING_MEASURES}
    for row in rows:
        m, w = (own[row["measure"]]["abcd".index(row["node"])] for own in of_groups)
        assert (row["value_m"], row["value_w"]) == pytest.approx((m, w))
        assert row["difference"] == pytest.approx(w - m)
    strongest = [row for row in rows if row["measure"] == "strength"][:2]
    assert {row["node"] for row in strongest} <= {"a", "b"}
    assert strongest[0]["p_adjusted"] == 1 / 40


def test_property_persons_keep_one_sample_in_every_group():
    samples = encode(DATA)
    person = np.repeat(np.arange(100), 4)[RNG.permutation(400)]
    group = np.empty(400, int)
    for k in range(100):
        group[person == k] = RNG.permutation(4)
    groups = Groups.by(samples, group, person)
    assert groups.names == ("0", "1", "2", "3")
    assert (group[groups.persons] == np.arange(4)).all()
    orders = set()
    for seed in range(5):
        rows = groups.permuted(np.random.default_rng(seed))
        assert len(rows) == 12
        for k, pair in enumerate(combinations(range(4), 2)):
            both = np.concatenate(rows[2 * k : 2 * k + 2])
            assert sorted(both.tolist()) == np.flatnonzero(np.isin(group, pair)).tolist()
        assert all(sorted(person[own].tolist()) == list(range(100)) for own in rows)
        orders.add(tuple(group[rows[0]].tolist()))
    assert len(orders) == 5


def test_property_labels_of_two_groups_are_permuted_among_their_samples():
    groups = Groups.by(encode(DATA), AGE)
    rows = groups.permuted(np.random.default_rng(0))
    for k, pair in enumerate(combinations(groups.names, 2)):
        first, second = rows[2 * k : 2 * k + 2]
        assert len(first) == np.sum(pair[0] == AGE)
        both = np.sort(np.concatenate([first, second]))
        np.testing.assert_array_equal(both, np.flatnonzero(np.isin(AGE, pair)))
        assert set(AGE[first]) == set(AGE[second]) == set(pair)


def test_example_persons_without_a_sample_in_each_group_are_left_out():
    samples = encode(DATA[:9])
    person = ["a", "a", "b", "b", "c", "c", "d", None, "a"]
    group = [1, 2, 2, 1, 1, 1, 2, 1, 3]
    with warns("rows-dropped", where="pairs"):
        groups = Groups.by(samples.take(np.arange(8)), group[:8], person[:8])
    assert groups.samples.n_samples == 4
    assert groups.persons.tolist() == [[0, 1], [3, 2]]
    assert groups.numbers.tolist() == [0, 1, 1, 0]
    with refuses("labels", "pairs"):
        Groups.by(samples, group, ["a", "a", "b", "b", "c", "c", "d", None, "d"])


def test_property_paired_tables_are_one_with_labels():
    person = np.arange(200)
    before, after = DATA[:200].assign(who=person), DATA[200:].assign(who=person[::-1])
    both = pd.concat([before, after], ignore_index=True)
    one = markhood.compare_groups(both, by=np.repeat([1, 2], 200), pairs="who", **QUICK)
    two = markhood.compare_groups(before, after, names=("1", "2"), pairs="who", **QUICK)
    labels = [person, person[::-1]]
    given = [own.drop(columns="who") for own in (before, after)]
    three = markhood.compare_groups(*given, names=("1", "2"), pairs=labels, **QUICK)
    free = markhood.compare_groups(*given, names=("1", "2"), **QUICK)
    assert one.edge_rows() == two.edge_rows() == three.edge_rows()
    assert free.edge_rows() != one.edge_rows()


def test_example_samples_without_a_label_are_left_out():
    labels = [None if k % 4 == 0 else label for k, label in enumerate(SEX.tolist())]
    with warns("rows-dropped", where="by"):
        found = markhood.compare_groups(DATA, by=labels, **QUICK)
    kept = np.arange(400) % 4 != 0
    rest = markhood.compare_groups(DATA[kept].reset_index(drop=True), by=SEX[kept], **QUICK)
    assert found.sizes == rest.sizes
    assert found.edge_rows() == rest.edge_rows()
    numbers = np.where(kept, SEX == "w", np.nan)
    with warns("rows-dropped", where="by"):
        assert markhood.compare_groups(DATA, by=numbers, **QUICK).names == ("0", "1")


@pytest.mark.parametrize("method", ["plrhc", "bayes", "plm", "pairwise"])
def test_example_missing_values_are_imputed(method):
    holes = DATA.mask(np.random.default_rng(0).random(DATA.shape) < 0.15)
    options = {"by": SEX, "missing": "impute", "method": method, **QUICK}
    found = markhood.compare_groups(holes, **options | {"permutations": 19})
    row = found.edge_rows()[0]
    assert (row["source"], row["target"]) == ("a", "b")
    assert row["p_adjusted"] == 1 / 20
    full = markhood.compare_groups(DATA, **options | {"permutations": 1})
    same = next(r for r in full.edge_rows() if (r["source"], r["target"]) == ("a", "b"))
    assert row["coupling_w"] == pytest.approx(same["coupling_w"], rel=0.35)


def test_property_tables_with_missing_levels_are_one_with_labels():
    holes = DATA.astype(object).mask(np.random.default_rng(0).random(DATA.shape) < 0.15, None)
    parts = [holes[sex == SEX].reset_index(drop=True) for sex in ("m", "w")]
    for missing in ("level", "impute", "drop"):
        options = {"missing": missing, "permutations": 5, "n_jobs": 1}
        with warned_if(missing == "drop"):
            two = markhood.compare_groups(*parts, names=("m", "w"), **options)
            one = markhood.compare_groups(holes.assign(sex=SEX), by="sex", **options)
        assert one.sizes == two.sizes
        assert one.edge_rows() == two.edge_rows()


def warned_if(expected):
    from contextlib import nullcontext

    return pytest.warns(markhood.DataWarning) if expected else nullcontext()


def test_property_weights_of_two_tables_are_used():
    counts = RNG.integers(1, 4, 400)
    men, women = (DATA[sex == SEX] for sex in ("m", "w"))
    weights = [counts[sex == SEX] for sex in ("m", "w")]
    two = markhood.compare_groups(men, women, names=("m", "w"), weights=weights, **QUICK)
    one = markhood.compare_groups(DATA, by=SEX, weights=counts, **QUICK)
    assert two.edge_rows() == one.edge_rows()
    rows = np.repeat(np.arange(400), counts)
    repeated = markhood.compare_groups(DATA.iloc[rows], by=SEX[rows], **QUICK)
    for weighed, plain in zip(two.graphs, repeated.graphs, strict=True):
        assert weighed.edges.tolist() == plain.edges.tolist()
        np.testing.assert_allclose(weighed.coupling, plain.coupling, rtol=1e-6)
    with refuses("option-value", "weights"):
        markhood.compare_groups(men, women, weights=counts, **QUICK)


def test_property_every_search_draws_its_own_random_numbers(monkeypatch):
    seeds, search = [], Bayes.search
    monkeypatch.setattr(
        Bayes, "search", lambda self, job: seeds.append(job.seed) or search(self, job)
    )
    for seed in (0, 1):
        markhood.compare_groups(
            DATA,
            by=SEX,
            method="bayes",
            sweeps=2,
            permutations=2,
            relearn=True,
            seed=seed,
            n_jobs=1,
        )
    assert len(set(seeds)) == len(seeds) == 12


def test_property_a_checkpoint_belongs_to_groups_and_pairs(tmp_path):
    request = Request.of(Plrhc(), {"checkpoint": tmp_path / "saved", "n_jobs": 1})
    samples, halves = encode(DATA), np.arange(400) % 2
    groups = Groups.by(samples, halves)
    study = GroupOptions(permutations=5, relearn=True)
    first = compare(request, groups, study)
    assert compare(request, groups, study).edge_rows() == first.edge_rows()
    others = (
        (Groups.by(samples, SEX), study),
        (Groups.by(samples, halves, np.arange(400) // 2), study),
        (groups, GroupOptions(permutations=6, relearn=True)),
        (groups, GroupOptions(permutations=5)),
    )
    for other in others:
        with refuses("checkpoint"):
            compare(request, *other)


def run(*words):
    done = CliRunner().invoke(app, ["compare-groups", *map(str, words), "-j", "1"])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_example_at_the_command_line(tmp_path):
    table = tmp_path / "data.csv"
    DATA.assign(sex=SEX).to_csv(table, index=False)
    out, fields, nodes, picture = (tmp_path / n for n in ("e.csv", "f.csv", "c.csv", "both.svg"))
    printed = run(table, "--by", "sex", "--permutations", 39, "-o", out, "--fields", fields,
                  "--centrality", nodes, "--plot", picture)  # fmt: skip
    rows = markhood.compare_groups(DATA, by=SEX, **QUICK).edge_rows()
    written = pd.read_csv(out).to_dict("records")
    assert [row["p_value"] for row in written] == [row["p_value"] for row in rows]
    assert len(pd.read_csv(fields)) == 4
    assert len(pd.read_csv(nodes)) == 4 * len(COUPLING_MEASURES)
    assert picture.stat().st_size > 1000
    assert "structure largest difference" in printed
    listed = printed.partition("Couplings that differ (adjusted p < 0.05)")[2].strip().splitlines()
    listed = [line for line in listed if line and not line.startswith("Wrote")]
    differing = [row for row in rows if row["p_adjusted"] < 0.05]
    assert 0 < len(differing) < len(rows)
    ends = [tuple(line.split()[:2]) for line in listed[-len(differing) :]]
    assert ends == [(row["source"], row["target"]) for row in differing]
    assert len(listed) == len(differing) + 1  # the headings
    assert "p adjusted" in listed[0]


def test_example_only_edges_below_the_adjusted_level_are_listed(tmp_path):
    """Use halves with the same network, with p-values below 0.05 but no adjusted ones."""
    samples = network(2, 300, 8, strength=1.0)
    rows, halves = None, None
    for seed in range(20):
        halves = np.random.default_rng(seed).permutation(np.repeat([0, 1], 150))
        found = markhood.compare_groups(samples, by=halves, **QUICK)
        rows = found.edge_rows()
        if any(r["p_value"] < 0.05 for r in rows) and all(r["p_adjusted"] > 0.1 for r in rows):
            break
    else:
        raise AssertionError("no such halves")
    table = tmp_path / "data.csv"
    pd.DataFrame(samples, columns=list("abcdefgh")).assign(half=halves).to_csv(table, index=False)
    printed = run(table, "--by", "half", "--permutations", 39)
    assert "Couplings that differ (adjusted p < 0.05): none" in printed


def test_example_three_files_and_persons_at_the_command_line(tmp_path):
    folders = [tmp_path / name for name in ("one", "two", "three")]
    for k, folder in enumerate(folders):
        folder.mkdir()
        DATA[k::3][:130].assign(who=range(130)).to_csv(folder / "data.csv", index=False)
    out = tmp_path / "edges.csv"
    files = [folder / "data.csv" for folder in folders]
    printed = run(*files, "--pairs", "who", "--permutations", 9, "-o", out)
    assert printed.count("130 samples") == 3
    assert "Pairs of groups" in printed
    assert set(pd.read_csv(out)["first"]) == {str(file) for file in files[:2]}


def test_example_all_networks_have_the_same_positions():
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    axes = markhood.plot.group_networks(markhood.compare_groups(DATA, by=AGE, **QUICK))
    assert len(axes) == 3
    positions = [np.asarray(ax.collections[-1].get_offsets()) for ax in axes]
    np.testing.assert_array_equal(positions[0], positions[1])
    np.testing.assert_array_equal(positions[0], positions[2])
    assert axes[0].get_title().startswith("mid (100 samples")
    pyplot.close("all")


@pytest.mark.parametrize(
    ("tables", "options", "finding"),
    [
        ((DATA,), {}, ("option-needed", "by")),
        ((DATA, DATA), {"by": SEX}, ("option-conflict", "by")),
        ((DATA,), {"by": np.zeros(400)}, ("too-few-groups", "by")),
        ((DATA,), {"by": np.arange(400) < 1}, ("too-few-groups", "1")),
        ((DATA, DATA), {"names": ["a"]}, ("labels", "names")),
        ((DATA, DATA), {"names": ["a", "a"]}, ("labels", "names")),
        ((DATA,), {"by": SEX, "permutations": 0}, ("option-value", "permutations")),
    ],
)
def test_example_bad_input_is_refused(tables, options, finding):
    with refuses(*finding):
        markhood.compare_groups(*tables, **QUICK | options)


@pytest.mark.parametrize(
    ("tables", "options", "named"),
    [((DATA,), {"by": [1, 2]}, "by"), ((DATA, DATA[["a", "b"]]), {}, "'c'")],
)
def test_example_labels_and_columns_must_fit(tables, options, named):
    with pytest.raises(markhood.InputError, match=named):
        markhood.compare_groups(*tables, **QUICK | options)


def test_samples_whose_weight_is_rounded_to_zero_are_in_no_group():
    x = np.array([[1, 1, 0], [1, 0, 0], [1, 1, 1], [0, 0, 1], [0, 1, 0]])
    weights, by = [1.5, 1e-9, 1e-9, 1.5, 1.5], np.array(list("abbab"))
    with warns("rows-dropped", where="weights"), refuses("too-few-groups", "b"):
        frequencies = markhood.TableFormat(weights_are="frequencies")
        markhood.compare_groups(x, by=by, weights=weights, table=frequencies, **QUICK)
