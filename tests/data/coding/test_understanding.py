"""What columns are: kinds, order, and columns that are not variables."""

import numpy as np
import pandas as pd
import pytest

import markhood
from markhood.data.coding.encode import encode
from markhood.data.formats.files import read_samples
from messages import ignores, refuses, warns

N = 120
RNG = np.random.default_rng(3)
BASE = pd.DataFrame({"a": RNG.integers(0, 2, N), "b": RNG.integers(0, 2, N)})


def entry(**column):
    (name,) = column
    with markhood.filter_findings(ignore=["left-out"]):
        return markhood.describe(BASE.assign(**column))[name]


@pytest.mark.parametrize(
    ("name", "values", "kind", "role"),
    [
        ("q", RNG.integers(1, 6, N), "ordinal", "node"),
        ("race", RNG.integers(1, 5, N), "nominal", "node"),
        ("agecat", RNG.integers(1, 5, N), "ordinal", "node"),
        ("iq", RNG.normal(100, 15, N), "measurement", "node"),
        ("income", RNG.permutation(N) * 7 + 1000, "measurement", "node"),
        ("birds", np.where(RNG.random(N) < 0.4, 0, RNG.integers(1, 90, N)), "count", "node"),
        ("n", np.arange(1, N + 1), "identifier", "skip"),
        ("key", np.arange(N) * 3 + 7, "identifier", "skip"),
        ("subject_id", RNG.permutation(N) + 1000, "identifier", "skip"),
        ("subject", np.repeat(RNG.permutation(N // 4), 4), "identifier", "skip"),
        ("household", np.repeat(np.arange(N // 3), 3), "identifier", "skip"),
        ("phone", RNG.permutation(N) + 4_915_112_345, "identifier", "skip"),
        ("code", [f"K{k}" for k in range(N)], "identifier", "skip"),
        ("comment", [f"this is the {k}th comment" for k in range(N)], "free text", "skip"),
        ("born", pd.date_range("2001-01-01", periods=N), "date", "skip"),
        ("when", [f"{k % 28 + 1}/3/2020" for k in range(N)], "date", "skip"),
        ("one", [7] * N, "constant", "skip"),
        ("WTMEC2YR", RNG.lognormal(9, 1, N), "measurement", "skip"),
        ("SDMVPSU", RNG.integers(1, 3, N), "nominal", "skip"),
        ("town", RNG.choice(["x", "y", "z"], N), "nominal", "node"),
        ("mood", RNG.choice(["low", "medium", "high"], N), "ordinal", "node"),
        ("month", RNG.choice(["Jan", "Feb", "Mar"], N), "nominal", "node"),
    ],
)
def test_example_kinds_and_roles(name, values, kind, role):
    found = entry(**{name: values})
    assert (found.kind, found.role) == (kind, role)


def test_example_declared_categories_come_first():
    texts = RNG.choice(["low", "medium", "high"], N)
    assert entry(mood=pd.Categorical(texts)).kind == "nominal"
    levels = ["high", "medium", "low"]
    found = entry(mood=pd.Categorical(texts, categories=levels, ordered=True))
    assert (found.kind, found.levels) == ("ordinal", tuple(levels))


@pytest.mark.parametrize("kept", [{"kinds": {"n": "ordinal"}}, {"columns": ["a", "b", "n"]}])
def test_example_a_column_that_is_named_is_kept(kept):
    table = BASE.assign(n=np.arange(N))
    with warns("left-out", where="n"):
        assert encode(table).names == ("a", "b")
    assert encode(table, **kept).names == ("a", "b", "n")


def test_example_an_order_by_kinds(tmp_path):
    table = BASE.assign(mood=RNG.choice(["so", "la", "mi"], N))
    order = {"mood": ["la", "so", "mi"]}
    assert encode(table, kinds=order).levels[2] == ("la", "so", "mi")
    assert encode(table, kinds=order).variables.kinds[2] == "ordinal"
    with refuses("unknown-level", "mood", "'mi'"):
        encode(table, kinds={"mood": ["la", "so"]})
    with refuses("option-value", "mood"):
        encode(table, kinds={"mood": ["la", "la"]})


def test_example_columns_that_were_computed_are_left_out():
    items = pd.DataFrame(RNG.integers(0, 5, (N, 4)), columns=list("wxyz"))
    table = items.assign(
        age=RNG.integers(18, 90, N),
        total=items.sum(axis=1),
        mean=items[["w", "x"]].mean(axis=1) * 1.0001,
    )
    table["ageGroup"] = pd.cut(table["age"], [0, 30, 60, 99]).astype(str)
    with warns("left-out", where="total"):
        samples = encode(table)
    assert dict(samples.account.left_out) == {
        "total": "the total of 'w', 'x', 'y' and 1 more",
        "ageGroup": "groups of 'age'",
    }
    assert "total" in encode(table, kinds={"total": "ordinal", "ageGroup": "ordinal"}).names


def test_example_many_texts_that_repeat_are_merged():
    texts = [f"t{k}" for k in np.minimum(RNG.zipf(1.4, 900), 200)]
    samples = encode(pd.DataFrame({"a": RNG.integers(0, 2, 900), "town": texts}))
    assert "other" in samples.levels[1]
    assert len(samples.levels[1]) <= 64
    assert samples.account.codebook["town"].kind == "nominal"


@ignores("left-out")
def test_example_arrays_keep_all_columns():
    table = np.column_stack([np.arange(N), np.zeros(N), RNG.integers(0, 2, N)])
    with warns("constant-column", where="x1"):
        assert encode(table).names == ("x0", "x1", "x2")


def test_example_a_codebook_repeats_and_changes_the_reading(tmp_path):
    table = BASE.assign(
        id=np.arange(N),
        age=RNG.integers(18, 90, N),
        mood=RNG.choice(["low", "medium", "high"], N),
        w=RNG.lognormal(0, 1, N),
    )
    with markhood.filter_findings(ignore=["left-out"]):
        book, plain = markhood.describe(table), encode(table)
    book.write(tmp_path / "book.csv")
    by_book = markhood.TableFormat(codebook=tmp_path / "book.csv")
    assert encode(table, table=by_book).fingerprint == plain.fingerprint
    edited = book.to_frame("pandas").set_index("column")
    edited.loc["w", "role"] = "weight"
    edited.loc["age", "role"] = "covariate"
    edited.loc["mood", ["kind", "levels", "text"]] = ["ordinal", "high|low|medium", "How are you?"]
    edited.reset_index().to_csv(tmp_path / "book.csv", index=False)
    table.to_csv(tmp_path / "t.csv", index=False)
    samples = read_samples(
        tmp_path / "t.csv", table=markhood.TableFormat(codebook=tmp_path / "book.csv")
    )
    assert samples.names == ("a", "b", "mood")
    assert list(samples.reals) == ["age"]
    assert samples.weights is not None
    assert samples.levels[2] == ("high", "low", "medium")
    assert samples.account.codebook["mood"].text == "How are you?"
    assert samples.account.left_out == {"w": "the weights", "id": "declared as skip"}


@pytest.mark.parametrize(
    ("rows", "where"),
    [
        ([{"name": "a"}], "codebook"),
        ([{"column": "a", "role": "nodes"}], "a"),
        ([{"column": "a", "kind": "many"}], "a"),
        ([{"column": "a"}, {"column": "a"}], "codebook"),
        ("nowhere.csv", "nowhere.csv"),
    ],
)
def test_example_codebooks_that_cannot_be_used(rows, where):
    with refuses("codebook", where):
        markhood.TableFormat(codebook=rows)


def test_example_a_codebook_shows_itself():
    book = markhood.describe(BASE)
    assert "<td>binary</td>" in book._repr_html_()
    assert book.to_frame("pandas")["column"].tolist() == ["a", "b"]
    assert str(book).splitlines()[1].split()[:3] == ["a", "node", "binary"]


def test_example_other_columns_confirm_an_order():
    party = RNG.integers(0, 7, 600)
    attitudes = party[:, None] + RNG.normal(0, 2, (600, 4)) > 3
    table = pd.DataFrame(attitudes.astype(int)).add_prefix("q").assign(party_identification=party)
    found = markhood.describe(table)["party_identification"]
    assert (found.kind, found.why) == ("ordinal", "numbers in an order that other columns confirm")
    table["party_identification"] = np.array([3, 0, 5, 1, 6, 2, 4])[party]  # in another order
    assert markhood.describe(table)["party_identification"].kind == "nominal"


CELLS = pd.DataFrame(np.indices((2, 3, 4)).reshape(3, -1).T, columns=["a", "b", "c"])


def test_example_a_table_of_counts():
    counts = CELLS.assign(Freq=RNG.integers(0, 30, 24))
    with warns("weights-read", where="Freq"):
        samples = encode(counts)
    assert samples.total_weight == counts["Freq"].sum()
    assert samples.names == ("a", "b", "c")
    assert samples.account.codebook["Freq"].role == "weight"
    assert encode(counts, kinds={"Freq": "ordinal"}).n_variables == 4
    for other in (
        pd.concat([counts, counts.head(1)]),  # a row that is listed twice
        counts.assign(Freq=counts["Freq"] / 7),
        counts.rename(columns={"Freq": "score"}),
    ):
        assert encode(other).n_variables == 4


def test_example_groups_of_rows_in_their_order():
    school = np.repeat(np.arange(1, 131), 15)
    many = pd.DataFrame({"a": RNG.integers(0, 2, 1950), "b": RNG.integers(0, 2, 1950)})
    with warns("left-out", where="sch", facts=("clusters='sch'",)):
        assert markhood.describe(many.assign(sch=school))["sch"].role == "skip"
    steps = np.sort(RNG.integers(1, 25, 1950))  # a table that is sorted by a column
    assert markhood.describe(many.assign(income=steps))["income"].kind == "measurement"


def test_example_words_that_are_also_infinite_numbers(tmp_path):
    words = ["Infinity", "Inf", "Solaris", "Alien"] * 10
    path = tmp_path / "t.csv"
    pd.DataFrame({"film": words, "seen": [0, 1, 1, 0] * 10}).to_csv(path, index=False)
    assert read_samples(path).levels[0] == ("Alien", "Inf", "Infinity", "Solaris")
    path.write_text("a,b\n" + "1,0\n2,1\n-Inf,0\n" * 9)
    with refuses("infinite-values", "a", "line 4"):
        read_samples(path)


def reads(n_samples, n_parts, seed):
    """Return counts of parts in a chain, with very different totals, and the true edges."""
    rng = np.random.default_rng(seed)
    precision = np.eye(n_parts) - 0.4 * (np.eye(n_parts, k=1) + np.eye(n_parts, k=-1))
    logs = rng.multivariate_normal(np.zeros(n_parts), np.linalg.inv(precision), n_samples)
    rates = np.exp(logs + rng.normal(1, 1, n_parts) + rng.normal(0, 1, n_samples)[:, None])
    table = pd.DataFrame(rng.poisson(rates), columns=[f"otu{k}" for k in range(n_parts)])
    return table, {(f"otu{k}", f"otu{k + 1}") for k in range(n_parts - 1)}


def test_example_compositional_counts():
    table, truth = reads(150, 24, 0)
    by_parts = markhood.TableFormat(compositional=True)
    plain = set(markhood.learn(table).edge_names())
    graph = markhood.learn(table, table=by_parts)
    assert 3 * len(set(graph.edge_names()) - truth) < len(plain - truth)
    assert graph.provenance["adjusted_for"] == ["log(depth)"]
    samples = encode(table, table=by_parts)
    assert samples.levels[0][0] == "absent"
    deeper = encode(table * 10, table=by_parts)
    assert np.array_equal(deeper.words, samples.words)  # ratios do not depend on the depth
    rng = np.random.default_rng(1)
    shuffled = table.apply(lambda column: rng.permutation(column.to_numpy()))
    assert markhood.learn(shuffled, gamma=1, table=by_parts).n_edges <= 1
    with refuses("option-conflict", "compositional"):
        encode(BASE + 1, table=by_parts)


def test_example_a_model_of_compositional_counts():
    table, _ = reads(100, 5, 1)  # whose graph has no edges
    graph = markhood.learn(table, bins=3, table=markhood.TableFormat(compositional=True))
    model = markhood.fit_model(graph, table)
    assert model.predict_proba(table, "otu0").shape == (100, len(model.levels[0]))
    with refuses("not-supported", "compositional"):
        model.predict_proba(table.head(3), "otu0")
