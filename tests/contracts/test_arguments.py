"""Arguments of a wrong type or size are refused with the name of the parameter, by every function."""

import numpy as np
import pytest
from typer.testing import CliRunner

import markhood
from markhood import simulate
from markhood.commandline.app import app
from messages import refuses

HUGE = 10**20
VALUES = np.random.default_rng(0).integers(0, 2, (40, 3))
CHAIN = simulate.chain(3)
ISING = simulate.ising(CHAIN, seed=0)

CALLS = {
    "n_variables": [lambda wrong, make=make: make(wrong) for make in (
        simulate.grid, simulate.hub, simulate.chain, simulate.cycle, simulate.tree,
        simulate.barabasi_albert, simulate.watts_strogatz)],
    "probability": [lambda wrong: simulate.erdos_renyi(5, wrong)],
    "sizes": [lambda wrong: simulate.stochastic_block([wrong], 0.5, 0.5)],
    "seed": [lambda wrong: simulate.tree(5, seed=-1 if wrong == HUGE else wrong),
             lambda wrong: simulate.ising(CHAIN, seed=-1 if wrong == HUGE else wrong)],
    "graph": [simulate.ising, lambda wrong: simulate.potts(wrong, 3)],
    "n_samples": [ISING.sample, lambda wrong: simulate.sample_in_pieces(ISING, wrong)],
    "burn_in": [lambda wrong: ISING.sample(5, burn_in=wrong)],
    "thinning": [lambda wrong: ISING.sample(5, thinning=wrong)],
    "chains": [lambda wrong: ISING.sample(5, chains=wrong)],
    "replicates": [lambda wrong: markhood.bootstrap(VALUES, replicates=wrong)],
    "permutations": [lambda wrong: markhood.compare_groups(VALUES, VALUES, permutations=wrong)],
    "folds": [lambda wrong: markhood.gamma_path(VALUES, folds=wrong)],
    "path": [markhood.read_graph, markhood.read_model,
             lambda wrong: markhood.write_graph(CHAIN, wrong),
             lambda wrong: markhood.write_report(CHAIN, wrong)],
    "k": [CHAIN.strongest],
    "node": [CHAIN.number, CHAIN.neighbours],
    "depth": [lambda wrong: markhood.learn(VALUES, depth=wrong)],
}  # fmt: skip


@pytest.mark.parametrize("wrong", [[1], 1.5j, HUGE, {"a": 1}], ids=repr)
@pytest.mark.parametrize(
    ("name", "call"), [(name, call) for name, calls in CALLS.items() for call in calls]
)
def test_property_wrong_arguments_are_refused_by_name(name, call, wrong):
    with refuses("option-value", name):
        call(wrong)


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("learn t.csv --depth", "depth"),
        ("learn t.csv --method bayes --sweeps", "sweeps"),
        ("learn t.csv --method bayes --chains", "chains"),
        ("learn t.csv --method pairwise --shuffles", "shuffles"),
        ("bootstrap t.csv --replicates", "replicates"),
        ("compare-groups t.csv --by c --permutations", "permutations"),
        ("choose-gamma t.csv --folds", "folds"),
        ("simulate grid --variables 4 -o s.csv --samples", "samples"),
        ("simulate grid --samples 4 -o s.csv --variables", "variables"),
        ("simulate grid --samples 4 --variables 4 -o s.csv --thinning", "thinning"),
    ],
)
def test_property_huge_numbers_on_the_command_line(tmp_path, monkeypatch, line, name):
    monkeypatch.chdir(tmp_path)
    np.savetxt("t.csv", VALUES, "%d", ",", header="a,b,c", comments="")
    done = CliRunner().invoke(app, [*line.split(), str(HUGE)])
    assert done.exit_code == 2
    assert f"--{name}" in done.output
    assert "[option-value]" in done.output
