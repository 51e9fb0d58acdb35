"""What is known beforehand holds in every method, and changes nothing where it says nothing."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from markhood.errors import InputError
from markhood.kernels.lists import Lists
from markhood.kernels.reference.backend import ReferenceKernels
from markhood.learning.describe import describe
from markhood.learning.methods import METHODS
from markhood.scores.scorer import Pairs
from markhood.search.blankets import AllVariables, search_blankets
from markhood.search.ibmap import climb_assertions
from markhood.search.l1_paths import DistinctVariables, l1_blankets
from markhood.search.pairwise import spanning_forest
from markhood.search.values.constraints import NO_CONSTRAINTS, Constraints
from messages import refuses
from oracles.independence import Scorer
from oracles.jobs import job_of, known_beforehand
from oracles.networks import awkward, network
from oracles.packing import samples_of
from oracles.scoring import OwnCriterion, bic, gain_of_flip, neighbours

D = 7
PAIRS = list(combinations(range(D), 2))
NAMES = [f"x{v}" for v in range(D)]

# Every method, and every way through it. Chains of a fixed length, because NumPy fits are slow.
WAYS = [
    *((name, {"sweeps": 20} if name == "bayes" else {}) for name in METHODS),
    ("hc", {"rule": "and"}),
    ("plrhc", {"rule": "pair"}),
    ("hc", {"rule": "or", "criterion": OwnCriterion()}),
    ("hc", {"start": "empty"}),
    ("plrhc", {"depth": 1, "start": "empty", "criterion": "mpl"}),
    ("plrhc", {"rule": "and"}),
    ("mpl", {"start": "or"}),
    ("l1lr", {"rule": "and"}),
    ("l1lr", {"refit": False, "rule": "and", "standardize": True}),
    ("chow-liu", {"forest": False}),
    ("pairwise", {"ranking": "mi_apc", "top": 4}),
]
way = pytest.mark.parametrize(("name", "options"), WAYS, ids=str)


def edge_set(edges):
    return {tuple(edge) for edge in np.asarray(edges).tolist()}


def is_forest(pairs):
    group = list(range(D))
    for i, j in pairs:
        if group[i] == group[j]:
            return False
        group = [group[i] if g == group[j] else g for g in group]
    return True


@st.composite
def constraints(draw, forest=False):
    groups = draw(st.none() | st.lists(st.integers(0, 2), min_size=D, max_size=D))
    rule = draw(st.sampled_from(["between", "within"])) if groups else None
    open_pairs = [
        (i, j) for i, j in PAIRS if not groups or (groups[i] == groups[j]) == (rule == "within")
    ]
    shuffled = draw(st.permutations(open_pairs))
    required = shuffled[: draw(st.integers(0, 4))]
    if forest:
        required = [p for k, p in enumerate(required) if is_forest(required[: k + 1])]
    forbidden = [p for p in draw(st.lists(st.sampled_from(PAIRS), max_size=8)) if p not in required]
    return known_beforehand(NAMES, required, forbidden, groups, rule)


def learn(values, name, options, known=NO_CONSTRAINTS, kernels=None, n_jobs=1):
    method = METHODS[name](**options)
    job = job_of(samples_of(values), method.scored_by, kernels, n_jobs, known)
    return describe(job, method.search(job))


@way
@settings(max_examples=15, deadline=None)
@given(data=st.data(), seed=st.integers(0, 1000))
def test_property_required_edges_are_in_the_graph_and_forbidden_ones_are_not(
    name, options, data, seed
):
    known = data.draw(constraints(forest=name == "chow-liu"))
    values = awkward(seed, 80)[:, :D] if seed % 4 == 0 else network(seed, 150, D, strength=2.0)
    if values.shape[1] < D:
        values = np.column_stack([values, network(seed, 80, D - values.shape[1])])
    learned = learn(values, name, options, known)
    i, j = np.array(PAIRS).T
    shut = {pair for pair, is_open in zip(PAIRS, known.allows(i, j), strict=True) if not is_open}
    for graph in (learned.graph, learned.or_graph):
        assert edge_set(known.required) <= edge_set(graph.edges)
        assert not edge_set(graph.edges) & shut
    assert edge_set(learned.graph.edges) <= edge_set(learned.or_graph.edges)
    if learned.screened_graph is not None:
        measured = learn(values, name, options).screened_graph
        assert learned.screened_graph.edges.tolist() == measured.edges.tolist()
    if name == "chow-liu":
        assert is_forest(edge_set(learned.graph.edges))


@way
@settings(max_examples=5, deadline=None)
@given(data=st.data(), seed=st.integers(0, 1000))
def test_property_every_backend_and_number_of_threads_knows_the_same(name, options, data, seed):
    known = data.draw(constraints(forest=name == "chow-liu"))
    values = network(seed, 100, D, strength=2.0)
    here = learn(values, name, options, known)
    assert_equal(name, here, learn(values, name, options, known, n_jobs=2))
    if name == "plm":  # in single precision: test_plm has it beside its twin
        return
    there = learn(values, name, options, known, ReferenceKernels())
    # Native chains step from one fit to the next where there are many neighbours.
    if name == "bayes":
        here, there = here.probabilities, there.probabilities
        assert here.pairs.tolist() == there.pairs.tolist()
        np.testing.assert_allclose(here.probabilities, there.probabilities, rtol=0, atol=0.1)
    else:
        assert_equal(name, here, there)


def assert_equal(name, here, there):
    for graph in ("graph", "or_graph"):
        assert getattr(here, graph).edges.tolist() == getattr(there, graph).edges.tolist()
    if name != "l1lr":  # where a slope is just not zero, paths may differ by a support
        assert {p: n.tolist() for p, n in here.evaluations.items()} == {
            p: n.tolist() for p, n in there.evaluations.items()
        }
    for one, other in (
        (here.graph.evidence, there.graph.evidence),
        (here.blanket_scores, there.blanket_scores),
    ):
        if one is not None:
            np.testing.assert_allclose(one, other, rtol=0, atol=1e-8)


@way
def test_property_knowing_what_is_found_anyway_changes_nothing(name, options):
    values = network(3, 300, D, strength=2.0)
    one_group = known_beforehand(NAMES, groups=[1] * D, group_rule="within")
    own_groups = known_beforehand(NAMES, groups=range(D))
    free = learn(values, name, options)
    for known in (one_group, own_groups):
        learned = learn(values, name, options, known)
        assert learned.graph == free.graph
        assert learned.or_graph == free.or_graph
        assert {p: n.tolist() for p, n in learned.evaluations.items()} == {
            p: n.tolist() for p, n in free.evaluations.items()
        }


@settings(max_examples=15, deadline=None)
@given(known=constraints(), seed=st.integers(0, 1000), start=st.sampled_from(["or", "empty"]))
def test_oracle_no_flip_that_is_allowed_gains(known, seed, start):
    values = network(seed, 150, D, strength=2.0)
    learned = learn(values, "hc", {"start": start}, known)
    edges = edge_set(learned.graph.edges)
    for edge in edge_set(learned.or_graph.edges) - edge_set(known.required):
        assert gain_of_flip(values, edges, edge) <= 2e-9


@settings(max_examples=15, deadline=None)
@given(known=constraints(), seed=st.integers(0, 1000))
def test_oracle_no_allowed_change_of_a_blanket_gains(known, seed):
    """The graph by AND or OR is made of blankets; here each end's own is looked at."""
    values = network(seed, 150, D, strength=2.0)
    targets = np.arange(D)
    found = search_blankets(job_of(samples_of(values), constraints=known), AllVariables(D))
    kept = known.required_of(targets)
    for target, members in enumerate(found.members):
        blanket = set(members.tolist())
        score = bic(values, target, sorted(blanket))
        assert found.scores[target] == pytest.approx(score, abs=1e-8)
        others = targets[targets != target]
        usable = others[known.allows(np.full(len(others), target), others)]
        for v in set(usable.tolist()) - set(kept[target].tolist()):
            assert bic(values, target, sorted(blanket ^ {v})) <= score + 2e-9


@settings(max_examples=15, deadline=None)
@given(known=constraints(), seed=st.integers(0, 1000))
def test_oracle_bjp_climbs_as_from_scratch(known, seed):
    values = network(seed, 60, D, strength=2.0)
    values[0], values[1] = 0, 1  # no constant variable
    i, j = np.array(PAIRS).T
    shut = [pair for pair, is_open in zip(PAIRS, known.allows(i, j), strict=True) if not is_open]
    found = climb_assertions(job_of(samples_of(values), constraints=known))
    edges, scores = Scorer(values).climb(edge_set(known.required), shut)
    assert list(map(tuple, found.edges.tolist())) == edges
    assert found.score == pytest.approx(scores[-1], abs=1e-9)


@settings(max_examples=15, deadline=None)
@given(known=constraints(forest=True), seed=st.integers(0, 1000))
def test_oracle_the_forest_is_the_best_of_those_allowed(known, seed):
    """Kruskal's algorithm, from the required edges on."""
    rng = np.random.default_rng(seed)
    pairs = Pairs(np.array(PAIRS), rng.permutation(len(PAIRS)).astype(float) + 1)
    i, j = np.array(PAIRS).T
    expected = sorted(edge_set(known.required))
    for k in np.argsort(-pairs.gains):
        if known.allows(i[[k]], j[[k]])[0] and PAIRS[k] not in expected:
            expected += [PAIRS[k]] if is_forest([*expected, PAIRS[k]]) else []
    found = spanning_forest(pairs, D, known)
    assert list(map(tuple, found.tolist())) == sorted(expected)


@pytest.mark.parametrize("refit", [True, False])
def test_example_required_neighbours_join_every_support_of_a_path(refit):
    values = network(5, 200, D, strength=1.5)
    known = known_beforehand(NAMES, [(0, 1), (0, 2), (3, 4)])
    options = {"gamma": 0.5, "standardize": False, "refit": refit}
    free = l1_blankets(job_of(samples_of(values)), **options)
    found = l1_blankets(job_of(samples_of(values), constraints=known), **options)
    for target, members in enumerate(found.members):
        kept = neighbours(known.required.tolist(), target)
        assert set(kept) <= set(members.tolist())
        if not kept:
            assert members.tolist() == free.members[target].tolist()
        if refit:
            assert found.scores[target] == pytest.approx(bic(values, target, members.tolist()))
    if not refit:
        assert len(found.slopes) == len(found.members.values)
        assert np.count_nonzero(found.slopes) < len(found.slopes)


def test_example_more_required_neighbours_than_a_support_has_variables():
    values = network(6, 300, 18)
    known = known_beforehand([f"x{v}" for v in range(18)], [(0, v) for v in range(1, 17)])
    assert learn(values, "l1lr", {}, known).graph.degree[0] >= 16
    assert learn(values, "hc", {}, known).graph.degree[0] >= 16


def test_example_where_the_first_of_equal_variables_is_forbidden_the_next_is_a_candidate():
    values = network(7, 100, 5)
    values = np.column_stack([values, values[:, 1], 1 - values[:, 1]])  # 5 and 6 are like 1
    targets = np.array([0, 1, 5])

    def candidates(forbidden):
        known = Constraints(forbidden=np.array(forbidden, dtype=np.int64).reshape(-1, 2))
        return [c.tolist() for c in DistinctVariables(samples_of(values), known).of(targets)]

    assert candidates([]) == [[1, 2, 3, 4], [0, 2, 3, 4, 5], [0, 1, 2, 3, 4]]
    assert candidates([[0, 1], [1, 5]]) == [[2, 3, 4, 5], [2, 3, 4, 6], [0, 2, 3, 4, 6]]
    assert candidates([[0, 1], [0, 5], [0, 6]])[0] == [2, 3, 4]


def test_example_a_forbidden_pair_is_a_step_of_the_search_and_so_is_a_required_one():
    rng = np.random.default_rng(0)
    a, noise = rng.integers(0, 2, size=(2, 400))
    b = np.where(rng.random(400) < 0.95, a, 1 - a)
    c = np.where(rng.random(400) < 0.95, b, 1 - b)
    values = np.column_stack([a, b, c, noise])
    through = known_beforehand("abcd", [], [("a", "b")])
    assert edge_set(learn(values, "plrhc", {}, through).graph.edges) == {(0, 2), (1, 2)}
    known = known_beforehand("abcd", [("c", "d")])
    assert edge_set(learn(values, "plrhc", {}, known).graph.edges) == {(0, 1), (1, 2), (2, 3)}
    assert (2, 3) not in edge_set(learn(values, "plrhc", {}, known).screened_graph.edges)


@way
def test_example_an_edge_to_a_constant_variable_may_be_required(name, options):
    values = network(8, 100, D, strength=2.0)
    values[:, 2] = 0
    known = known_beforehand(NAMES, [(2, 3), (0, 2)])
    learned = learn(values, name, options, known)
    assert neighbours(learned.graph.edges.tolist(), 2) == [0, 3]
    if learned.is_marginal or METHODS[name].only_ranks:
        assert learned.blanket_scores is None
    else:
        assert learned.blanket_scores[2] == 0


def test_example_a_million_variables_in_two_groups():
    d = 1_000_000
    edges = np.column_stack([np.arange(d - 1), np.arange(1, d)])
    known = Constraints(edges[::2], edges[1::2], np.arange(d) // 2, "within")
    targets = np.array([0, 7, 999_999])
    assert [r.tolist() for r in known.required_of(targets)] == [[1], [6], [999_998]]
    lists = Lists.of([[1, 2, 3], [6, 8, 9], [5, 999_998]])
    assert [c.tolist() for c in known.allowed(targets, lists)] == [[1], [6], [999_998]]
    assert known.applied_to(edges).tolist() == edges[::2].tolist()
    assert known.summary() == {
        "required_edges": 500_000,
        "forbidden_edges": 499_999,
        "groups": 500_000,
        "group_rule": "within",
    }


def test_example_nothing_known_is_false_and_lets_all_through():
    lists = Lists.of([[1, 2], []])
    assert not NO_CONSTRAINTS
    assert NO_CONSTRAINTS.allowed(np.array([0, 1]), lists) is lists
    assert [k.tolist() for k in NO_CONSTRAINTS.required_of(np.array([0, 1]))] == [[], []]
    assert known_beforehand("ab", groups=[1, 2])
    assert not known_beforehand("ab", [], np.empty((0, 2)))


@pytest.mark.parametrize(
    ("arguments", "code", "named"),
    [
        (([("a", "b")], [("b", "a")]), "constraints", "'a' - 'b'"),
        (([("a", "b")], None, [1, 1, 2]), "constraints", "'a' - 'b'.* one group.*'between'"),
        (([("a", "c")], None, [1, 1, 2], "within"), "constraints", "'a' - 'c'.* two groups"),
        ((None, None, [1, 1, 2], "across"), None, "group_rule 'across'.*any, between, within"),
        ((None, None, None, "within"), "option-needed", "group_rule='within'.* groups"),
    ],
)
def test_example_conflicts_are_named(arguments, code, named):
    with pytest.raises(InputError, match=named) as error:
        known_beforehand("abc", *arguments)
    assert code in (None, error.value.code)


def test_example_required_edges_with_a_cycle_are_in_no_forest():
    known = known_beforehand(NAMES, [(0, 1), (1, 2), (0, 2)])
    with refuses("constraints", "required_edges"):
        learn(network(1, 50, D), "chow-liu", {}, known)
