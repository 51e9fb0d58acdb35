import csv
import math
import os
import signal
import subprocess
import sys
import time

import pytest

from markhood import InputError
from markhood.evaluate.measures import compare
from markhood.execution.runner import Runner
from markhood.kernels.words import unpacked
from markhood.learning.methods import METHODS, HillClimbing, Plrhc
from markhood.paper.experiment import (
    Cell,
    Figure,
    Results,
    Sampling,
    Search,
    choose_cells,
    draw,
    run,
)
from markhood.paper.experiments import EXPERIMENTS, Cost, Screening, experiment_named, repeat
from markhood.paper.published_comparison import as_csv, as_markdown, compare_with_paper, published
from messages import refuses
from oracles.authors import AuthorsSearch

QUICK = Sampling(burn_in=50, thinning=1)
COMMAND = [sys.executable, "-c", "from markhood.commandline.app import main; main()", "paper"]


class Counting:
    """An experiment whose results are known beforehand."""

    name = "counting"
    cells = (Cell("grid", 9, 20), Cell("hub", 16, 10))
    measures = ("ones", "edges")

    def measure(self, search, truth):
        return {"ones": search.samples.ones.sum(), "edges": truth.n_edges}

    def figures(self):
        return [Figure(self.cells[0], "ones", 90.0), Figure(self.cells[1], "edges", 15.0)]


def test_published_figures_are_all_there():
    assert len(published("screening")) == 14
    assert len(published("cost")) == 20
    assert len(published("comparison")) == 160


PARTS = [part for parts in EXPERIMENTS.values() for part in parts]


@pytest.mark.parametrize("experiment", PARTS, ids=lambda part: part.name)
def test_every_published_figure_belongs_to_a_cell_and_a_measure(experiment):
    for cell, measure, value in experiment.figures():
        assert cell in experiment.cells
        assert measure in experiment.measures
        assert math.isfinite(value) or experiment.name == "comparison-hc"


def test_one_search_of_l1lr_is_measured_by_both_rules():
    samples, truth = draw(Cell("hub", 64, 250), 0, QUICK)
    search = Search(samples)
    (l1lr,) = experiment_named("comparison", ["l1lr"])
    measured = l1lr.measure(search, truth)
    for rule in ("or", "and"):
        found = search.by(METHODS["l1lr"](rule=rule))
        compared = compare(truth, search.graph(found.edges))
        assert measured[f"l1lr-{rule}_hamming_distance"] == compared.hamming_distance
        assert measured[f"l1lr-{rule}_false_positives"] == compared.false_positives


def test_the_hub_of_128_is_compared_at_144_as_well():
    values = {
        f.cell.variables: f.value
        for f in Cost().figures()
        if f.cell.network == "hub" and f.measure == "hc_evaluations_thousands"
    }
    assert values[128] == values[144] == 52.4


def test_replicates_differ_and_each_can_be_drawn_alone():
    cell = Cell("grid", 9, 64)
    first, truth = draw(cell, 0, QUICK)
    again, _ = draw(cell, 0, QUICK)
    other, _ = draw(cell, 1, QUICK)
    assert first.fingerprint == again.fingerprint != other.fingerprint
    assert truth.n_edges == 12


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_do_not_depend_on_the_number_of_jobs(jobs, tmp_path):
    results = run(Counting(), Counting.cells, 4, tmp_path / "c.csv", Runner(jobs), QUICK)
    expected = [int(draw(Counting.cells[0], k, QUICK)[0].ones.sum()) for k in range(4)]
    assert results.of(Counting.cells[0], "ones", 4) == expected
    assert results.of(Counting.cells[1], "edges", 4) == [15.0] * 4


def test_what_is_there_is_not_run_again(tmp_path):
    path = tmp_path / "c.csv"
    run(Counting(), Counting.cells, 2, path, Runner(1), QUICK)
    drawn = []

    class Watched(Counting):
        def measure(self, search, truth):
            drawn.append(truth.n_nodes)
            return super().measure(search, truth)

    run(Watched(), Counting.cells, 3, path, Runner(1), QUICK)
    assert drawn == [9, 16]
    keys = [tuple(row[:4]) for row in csv.reader(path.read_text().splitlines()[2:])]
    assert len(keys) == len(set(keys)) == 6


def test_a_line_that_was_cut_off_is_run_again(tmp_path):
    whole, cut = tmp_path / "whole.csv", tmp_path / "cut.csv"
    run(Counting(), Counting.cells, 3, whole, Runner(1), QUICK)
    cut.write_text(whole.read_text()[:-5])
    run(Counting(), Counting.cells, 3, cut, Runner(1), QUICK)
    assert cut.read_text() == whole.read_text()


def test_results_of_other_settings_are_not_mixed(tmp_path):
    path = tmp_path / "c.csv"
    run(Counting(), Counting.cells, 1, path, Runner(1), QUICK)
    with refuses("file-exists", str(path)):
        run(Counting(), Counting.cells, 1, path, Runner(1), Sampling(60, 1))


def test_the_difference_is_over_the_error_of_both_means(tmp_path):
    results = Results(
        tmp_path / "r.csv", "s", ["network", "v", "n", "replicate"], ["ones", "edges"]
    )
    for replicate, ones in enumerate([88.0, 92.0, 96.0]):
        results.append((*Counting.cells[0], replicate), {"ones": ones, "edges": 0})
    (line,) = compare_with_paper(Counting(), results, Counting.cells, 3)
    assert (line.ours, line.paper, line.replicates) == (92.0, 90.0, 3)
    assert line.standard_error == pytest.approx(4 / math.sqrt(3))
    assert line.difference_over_error == pytest.approx(2 / (4 * math.sqrt(1 / 3 + 1 / 100)))
    assert "92" in as_csv([line]).splitlines()[1]
    assert "| ones | 92 ± 2.3 / 90 (+0.9) |" in as_markdown([line])


def test_screening_measures_what_table_1_prints():
    samples, truth = draw(Cell("grid", 256, 1000), 0, Sampling(200, 2))
    measured = Screening().measure(Search(samples), truth)
    found = Search(samples).by(Plrhc())
    edges = {tuple(e) for e in found.screened.edges.tolist()}
    true = {tuple(e) for e in truth.edges.tolist()}
    assert measured["candidate_edges"] == 2 * len(edges)
    assert measured["rate_1"] == pytest.approx(100 * len(edges & true) / len(true))
    or_edges = Search(samples).by(HillClimbing(rule="or")).edges
    recall = len({tuple(e) for e in or_edges.tolist()} & true) / len(true)
    assert measured["hc_or_recall"] == pytest.approx(100 * recall)


@pytest.mark.parametrize("replicate", [2, 3, 7])
def test_cost_counts_the_calls_of_the_authors_sources(replicate):
    samples, truth = draw(Cell("grid", 16, 300), replicate, QUICK)
    measured = Cost().measure(Search(samples), truth)
    values = unpacked(samples.words, samples.n_samples).T
    for method, has_screen in (("hc", False), ("plrhc", True)):
        searched = AuthorsSearch(values, has_screen)
        assert searched.n_put_back == 0 < len(searched.or_edges) - len(searched.edges)
        calls, total = searched.calls, searched.calls.total()
        assert measured[f"{method}_evaluations_thousands"] == pytest.approx(total / 1000)
        share = 100 * calls[1] / total
        assert measured[f"{method}_pairwise_share_percent"] == pytest.approx(share)
        mean = sum(size * n for size, n in calls.items()) / total
        assert measured[f"{method}_mean_blanket_size"] == pytest.approx(mean)


def test_choosing_methods():
    (part,) = experiment_named("comparison", ["mpl"])
    assert part.name == "comparison-mpl"
    assert len(experiment_named("comparison")) == len(EXPERIMENTS["comparison"])
    with refuses("option-unknown", "lasso"):
        experiment_named("comparison", ["lasso"])


def test_all_methods_of_the_comparison_see_the_same_data_and_match_the_published_names():
    samples, truth = draw(Cell("hub", 64, 250), 0, QUICK)
    for part in EXPERIMENTS["comparison"]:
        measured = part.measure(Search(samples), truth)
        for method in {m.rpartition("_")[0].rpartition("_")[0] for m in part.measures}:
            errors = [measured[f"{method}_{e}"] for e in ("false_positives", "false_negatives")]
            assert sum(errors) == measured[f"{method}_hamming_distance"]
    published_methods = {row["method"] for row in published("comparison")}
    ours = {m.partition("_")[0] for part in EXPERIMENTS["comparison"] for m in part.measures}
    assert ours - {"hc"} <= published_methods


def test_choosing_cells():
    assert len(choose_cells(Screening(), samples=[250])) == 2
    assert choose_cells(Cost(), ["hub"], [64], [4000]) == [Cell("hub", 64, 4000)]
    with refuses("option-value", "variables"):
        choose_cells(Cost(), variables=[65])
    with refuses("option-conflict", "cost"):
        choose_cells(Cost(), ["grid"], [128])


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_tables_and_plot_are_written(name, tmp_path):
    parts = EXPERIMENTS[name]
    cells = choose_cells(parts[0], ["hub"], samples=[parts[0].cells[0].samples])[:2]
    report = repeat(name, parts, cells, 2, tmp_path, Runner(1), QUICK)
    assert {f.name for f in report.files} == {p.name for p in tmp_path.iterdir()}
    assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    assert len(report.lines) == len(cells) * sum(len(part.measures) for part in parts)


def test_killed_in_the_middle_and_resumed_gives_the_identical_table(tmp_path):
    arguments = ["cost", "--networks", "grid", "--variables", "64", "--replicates", "12",
                 "--burn-in", "20000", "--thinning", "20"]  # fmt: skip
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    subprocess.run([*COMMAND, *arguments, "-o", whole, "-j", "1"], check=True, capture_output=True)
    process = subprocess.Popen(
        [*COMMAND, *arguments, "-o", killed, "-j", "2"], stdout=subprocess.DEVNULL
    )
    results, until = killed / "cost.csv", time.monotonic() + 60
    while time.monotonic() < until:
        if results.exists() and results.read_text().count("\n") > 4:
            break
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    done = results.read_text().count("\n") - 2
    assert 0 < done < 12
    subprocess.run([*COMMAND, *arguments, "-o", killed], check=True, capture_output=True)
    assert results.read_text().count("\n") - 2 == 12
    for name in ("cost-table.csv", "cost-table.md"):
        assert (killed / name).read_text() == (whole / name).read_text()


@pytest.mark.parametrize(
    "line", ["x", "grid,9,20", "grid,9,20,0,1", "grid,a,20,0,1.0,2.0", "", "\0", "a" * 300]
)
def test_a_line_that_is_no_result_is_named(tmp_path, line):
    path = tmp_path / "c.csv"
    run(Counting(), Counting.cells, 1, path, Runner(1), QUICK)
    content = path.read_text() + line + "\n"
    path.write_text(content)
    with pytest.raises(InputError, match="Line 5") as caught:
        run(Counting(), Counting.cells, 1, path, Runner(1), QUICK)
    assert (caught.value.code, caught.value.where) == ("file-damaged", str(path))
    assert path.read_text() == content


def test_paths_where_results_cannot_be_stored(tmp_path):
    (tmp_path / "file").write_text("precious")
    (tmp_path / "folder.csv").mkdir()
    for path, code in (
        (tmp_path / "file" / "c.csv", "file-not-writable"),
        (tmp_path / "folder.csv", "file-unreadable"),
        (tmp_path / f"{'x' * 300}.csv", "file-not-writable"),
    ):
        with refuses(code, str(path)):
            run(Counting(), Counting.cells, 1, path, Runner(1), QUICK)
    assert (tmp_path / "file").read_text() == "precious"


def test_tables_and_pictures_of_others_are_not_replaced(tmp_path):
    (tmp_path / "cost.png").write_text("precious")
    cells = choose_cells(Cost(), ["hub"], [64], [])
    with refuses("file-exists", str(tmp_path / "cost.png")):
        repeat("cost", [Cost()], cells, 1, tmp_path, Runner(1), QUICK)
    assert [p.name for p in tmp_path.iterdir()] == ["cost.png"]
