import networkx
import numpy as np
import pytest

from markhood.evaluate.measures import inclusion_by_distance
from markhood.graph.convert import to_networkx
from markhood.simulate import networks
from messages import refuses

RANDOM = {
    "tree": lambda seed: networks.tree(40, seed=seed),
    "erdos_renyi": lambda seed: networks.erdos_renyi(40, 0.1, seed=seed),
    "barabasi_albert": lambda seed: networks.barabasi_albert(40, 3, seed=seed),
    "watts_strogatz": lambda seed: networks.watts_strogatz(40, 4, 0.3, seed=seed),
    "stochastic_block": lambda seed: networks.stochastic_block([20, 20], 0.4, 0.02, seed=seed),
}


@pytest.mark.parametrize(
    ("graph", "ordered_pairs"),
    [
        (networks.hub(512), [1022, 3696, 1762, 6284, 248868]),
        (networks.grid(256), [960, 1796, 2512, 3112, 56900]),
    ],
    ids=["hub", "grid"],
)
def test_golden_pair_counts_of_the_paper(graph, ordered_pairs):
    found = inclusion_by_distance(graph, graph)
    assert (2 * found.pairs).tolist() == ordered_pairs


@pytest.mark.parametrize("n_variables", [8, 16, 64, 128])
def test_example_hub_is_a_tree_of_hubs(n_variables):
    graph = networks.hub(n_variables)
    assert graph.degree[::8].tolist() == [7] + [8] * (n_variables // 8 - 1)
    assert networkx.is_tree(to_networkx(graph))
    assert graph.n_edges == n_variables - 1


def test_example_regular_networks():
    assert networks.grid(1).n_edges == 0
    assert networks.chain(1).n_edges == 0
    assert networks.chain(5).degree.tolist() == [1, 2, 2, 2, 1]
    assert networks.cycle(5).degree.tolist() == [2] * 5
    assert networks.cycle(3).nodes == ("x0", "x1", "x2")


@pytest.mark.parametrize("make", RANDOM.values(), ids=RANDOM)
def test_example_random_networks_follow_their_seed(make):
    assert make(1) == make(1)
    assert make(1) == make(np.random.default_rng(1))
    assert make(1) != make(2)
    assert make(1).nodes == tuple(f"x{i}" for i in range(40))


def test_example_random_networks_are_what_they_say():
    assert networkx.is_tree(to_networkx(RANDOM["tree"](3)))
    assert RANDOM["barabasi_albert"](3).n_edges == 3 * 37
    assert RANDOM["watts_strogatz"](3).n_edges == 80


@pytest.mark.parametrize(
    ("make", "argument"),
    [
        (lambda: networks.grid(250), "n_variables"),
        (lambda: networks.grid(0), "n_variables"),
        (lambda: networks.hub(12), "n_variables"),
        (lambda: networks.hub(5), "n_variables"),
        (lambda: networks.hub(-8), "n_variables"),
        (lambda: networks.chain(0), "n_variables"),
        (lambda: networks.tree(-1), "n_variables"),
        (lambda: networks.cycle(2), "n_variables"),
        (lambda: networks.erdos_renyi(5, 1.5), "probability"),
        (lambda: networks.barabasi_albert(5, 5), "attachments"),
        (lambda: networks.watts_strogatz(10, 3), "neighbours"),
        (lambda: networks.watts_strogatz(10, 4, -0.1), "rewiring"),
        (lambda: networks.stochastic_block([], 0.5, 0.1), "sizes"),
        (lambda: networks.stochastic_block([3, 0], 0.5, 0.1), "sizes"),
        (lambda: networks.stochastic_block([3, 2], 0.5, 2), "between"),
    ],
)
def test_example_bad_sizes_are_refused(make, argument):
    with refuses("option-value", argument):
        make()
