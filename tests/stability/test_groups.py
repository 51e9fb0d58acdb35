"""Two groups: what is compared, how p-values come about, and what the doors say."""

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import markhood
from markhood.commandline.app import app
from markhood.stability.groups import Differences
from oracles.networks import network

RNG = np.random.default_rng(8)
SEX = np.repeat(["m", "w"], [150, 250])


def moderated():
    """Variable b follows a among women only."""
    table = pd.DataFrame(network(5, 400, 4, strength=1.5), columns=list("abcd"))
    follows = (SEX == "w") & (RNG.random(400) < 0.8)
    return table.assign(b=np.where(follows, table["a"], table["b"]))


DATA = moderated()
QUICK = {"permutations": 39, "n_jobs": 1}


@pytest.mark.parametrize("relearn", [True, False])
def test_example_the_edge_that_differs_is_found(relearn):
    found = markhood.compare_groups(DATA, by=SEX, relearn=relearn, **QUICK)
    first = found.edge_rows()[0]
    assert found.names == ("m", "w")
    assert found.sizes == (150, 250)
    assert (first["source"], first["target"]) == ("a", "b")
    assert first["p_value"] == first["p_adjusted"] == found.p_structure == 1 / 40
    assert first["difference"] == pytest.approx(first["coupling_w"] - first["coupling_m"])
    assert {row["variable"] for row in found.field_rows()} == set("abcd")


def test_property_two_tables_are_one_with_labels():
    one = markhood.compare_groups(DATA, by=SEX, **QUICK)
    men, women = (DATA[sex == SEX].reset_index(drop=True) for sex in ("m", "w"))
    two = markhood.compare_groups(men, women, names=("m", "w"), **QUICK)
    assert one.edge_rows() == two.edge_rows()
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


def test_oracle_adjusted_p_values_are_of_the_largest_in_units_of_their_own():
    signed = RNG.normal(size=5) * [1, 1, 1, 9, 4]
    shuffled = np.abs(RNG.normal(size=(60, 5))) * [1, 1, 1, 9, 0.5]
    tests = Differences.of(signed, shuffled)
    own = np.vstack([np.abs(signed), shuffled])
    z = own / own.std(axis=0)
    for k in range(5):
        assert tests.p_values[k] == pytest.approx((own[:, k] >= own[0, k]).mean())
        assert tests.adjusted[k] == pytest.approx((z.max(axis=1) >= z[0, k]).mean())
    assert (tests.adjusted >= tests.p_values).all()
    largest = np.append(np.abs(signed).max(), np.abs(RNG.normal(size=60)) * 9)
    given = Differences.of(signed, shuffled, largest)
    assert given.adjusted[3] == pytest.approx((largest >= abs(signed[3])).mean())


def test_example_at_the_command_line(tmp_path):
    table = tmp_path / "data.csv"
    DATA.assign(sex=SEX).to_csv(table, index=False)
    out, fields, picture = (tmp_path / n for n in ("edges.csv", "fields.csv", "both.svg"))
    words = ["compare-groups", table, "--by", "sex", "--permutations", 39, "-j", 1, "-o", out,
             "--fields", fields, "--plot", picture]  # fmt: skip
    done = CliRunner().invoke(app, list(map(str, words)))
    assert done.exit_code == 0, done.output
    rows = markhood.compare_groups(DATA, by=SEX, **QUICK).edge_rows()
    written = pd.read_csv(out).to_dict("records")
    assert [row["p_value"] for row in written] == [row["p_value"] for row in rows]
    assert len(pd.read_csv(fields)) == 4
    assert "m (150 samples" in picture.read_text() or picture.stat().st_size > 1000
    assert "structure largest difference" in done.stdout


def test_example_both_networks_stand_at_the_same_places():
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    left, right = markhood.plot.group_networks(markhood.compare_groups(DATA, by=SEX, **QUICK))
    places = [np.asarray(ax.collections[-1].get_offsets()) for ax in (left, right)]
    np.testing.assert_array_equal(*places)
    assert left.get_title().startswith("m (150 samples")
    pyplot.close("all")


@pytest.mark.parametrize(
    ("arguments", "options", "said"),
    [
        ((DATA,), {}, "Two groups are two tables"),
        ((DATA, DATA), {"by": SEX}, "Two groups are two tables"),
        ((DATA,), {"by": np.arange(400) % 3}, "by has 3 values"),
        ((DATA,), {"by": [1, 2]}, "There are 2 labels"),
        ((DATA, DATA[["a", "b"]]), {}, "different columns ('c' is in one only)"),
        ((DATA,), {"by": SEX, "permutations": 0}, "permutations must be a whole number from 1 up"),
    ],
)
def test_example_bad_input_is_one_sentence(arguments, options, said):
    with pytest.raises(markhood.InputError) as error:
        markhood.compare_groups(*arguments, **QUICK | options)
    assert said in str(error.value)
