"""All pairs, or the best of them, by what they say of each other alone."""

from itertools import combinations

import numpy as np
import pytest

from markhood import InputError, learn
from markhood.data.coding.encode import encode
from markhood.data.reading import Genome
from markhood.kernels.steps import weakest_of_triangles
from markhood.learning.knowledge import Knowledge
from markhood.search.pairwise import best_pairs, mean_ratios, pairwise
from markhood.search.screen import screen
from oracles.jobs import job_of, known_beforehand
from oracles.networks import network

# Of the constant column, and of ordered numbers with few samples.
pytestmark = pytest.mark.filterwarnings("ignore::markhood.errors.DataWarning")


def alignment(seed, n_samples=300, d=9, letters=5):
    """Columns of letters, some of which copy others now and then; the last is constant."""
    rng = np.random.default_rng(seed)
    columns = rng.integers(0, letters, size=(n_samples, d))
    for i, j in [(0, 4), (1, 5), (2, 7), (4, 5)]:
        copied = rng.random(n_samples) < 0.5
        columns[copied, j] = columns[copied, i]
    columns[:, -1] = 2
    return columns


def information(values, weights=None):
    """Mutual information of all pairs by plain counting."""
    d = values.shape[1]
    shares = np.ones(len(values)) if weights is None else np.asarray(weights, float)
    shares /= shares.sum()
    found = np.zeros((d, d))
    for i, j in combinations(range(d), 2):
        table = np.zeros((values[:, i].max() + 1, values[:, j].max() + 1))
        np.add.at(table, (values[:, i], values[:, j]), shares)
        apart = table.sum(1)[:, None] * table.sum(0)
        found[i, j] = (table[table > 0] * np.log(table[table > 0] / apart[table > 0])).sum()
    return found + found.T


def corrected(mutual):
    """Average-product correction over the variables that vary."""
    n = np.count_nonzero(mutual.max(axis=0) > 1e-9)
    means = mutual.sum(axis=0) / (n - 1)
    return mutual - np.outer(means, means) / (mutual.sum() / (n * (n - 1)))


def ranked(scores):
    i, j = np.triu_indices(len(scores), 1)
    order = np.argsort(-scores[i, j], kind="stable")
    return np.column_stack([i, j])[order], scores[i, j][order]


@pytest.mark.parametrize("weights", [None, "counts"])
@pytest.mark.parametrize(("ranking", "score"), [("mi", np.asarray), ("mi_apc", corrected)])
def test_oracle_the_best_pairs_are_those_of_plain_counts(ranking, score, weights):
    values = alignment(1)
    weights = None if weights is None else np.random.default_rng(5).integers(1, 4, len(values))
    graph = learn(values, "pairwise", ranking=ranking, top=6, kinds="nominal", weights=weights)
    pairs, scores = ranked(score(information(values, weights)))
    assert {tuple(e) for e in graph.edges.tolist()} == {tuple(p) for p in pairs[:6].tolist()}
    found = np.sort(graph.annotations[ranking])[::-1]
    assert found == pytest.approx(scores[:6], abs=1e-9)


def test_property_tiles_make_no_difference(monkeypatch):
    rng = np.random.default_rng(3)
    values = network(3, 200, 80, strength=1.5)
    values[rng.random(values.shape) < 0.1] ^= 1
    job = job_of(encode(values))
    means = mean_ratios(job)
    whole = best_pairs(job, None, 25, means)
    tiles = [(range(80), range(80))]
    monkeypatch.setattr(type(job.scorer), "tiles", lambda self: tiles)
    at_once = mean_ratios(job)
    assert means.of_variables == pytest.approx(at_once.of_variables)
    again = best_pairs(job, None, 25, at_once)
    assert again.edges.tolist() == whole.edges.tolist()
    assert again.gains == pytest.approx(whole.gains)


def test_property_the_best_of_the_screen_are_the_head_of_all_that_pass():
    job = job_of(encode(network(4, 400, 40, strength=1.5)))
    every = pairwise(job, 0.5)
    order = np.argsort(-every.screened.gains, kind="stable")[:10]
    best = pairwise(job, 0.5, top=10)
    assert best.edges.tolist() == every.edges[np.sort(order)].tolist()
    assert len(pairwise(job, 0.5, top=10_000).edges) == len(every.edges) > 10


def test_example_evidence_is_the_screens_own():
    samples = encode(network(4, 400, 40, strength=1.5))
    graph, gains = learn(samples, "pairwise"), screen(job_of(samples), 0.5).gains
    assert graph.evidence_ends == pytest.approx(np.column_stack([gains, gains]))


def test_property_forbidden_pairs_leave_their_places_to_others():
    values = alignment(2)
    samples = encode(values, kinds="nominal")
    free = pairwise(job_of(samples), 0.5, "mi", 4)
    first = free.edges[np.argmax(free.columns["mi"])].tolist()
    absent = [7, 8]
    known = known_beforehand(samples.names, forbidden_edges=[first], required_edges=[absent])
    found = pairwise(job_of(samples, constraints=known), 0.5, "mi", 4)
    kept = found.edges.tolist()
    assert len(kept) == 5
    assert first not in kept
    assert absent in kept
    assert np.isnan(found.columns["mi"][kept.index(absent)])


def test_example_as_many_as_fit_the_variables_where_nobody_says():
    assert learn(alignment(3), "pairwise", ranking="mi").n_edges == 14  # 1.5 x 9, rounded up


@pytest.mark.parametrize("options", [{"top": 0}, {"top": 1.5}, {"ranking": "apc"}])
def test_example_what_makes_no_sense_is_refused(options):
    with pytest.raises(InputError, match=next(iter(options))):
        learn(alignment(3), "pairwise", **options)


def indirect_one_by_one(scores):
    """Which pairs are weaker than both others of some triangle, by going through all of them."""
    d = len(scores)
    gone = np.zeros((d, d), bool)
    for i, j, k in combinations(range(d), 3):
        three = {(i, j): scores[i, j], (i, k): scores[i, k], (j, k): scores[j, k]}
        (first, least), (_, next_least) = sorted(three.items(), key=lambda item: item[1])[:2]
        if min(three.values()) > 0 and next_least > least + 1e-9:
            gone[first] = True
    return gone


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("density", [0.1, 0.5, 1.0])
def test_oracle_indirect_pairs_are_the_weakest_of_triangles(seed, density):
    rng = np.random.default_rng(seed)
    d = 12
    scores = np.triu(rng.integers(1, 9, size=(d, d)) * (rng.random((d, d)) < density), 1).astype(
        float
    )
    pairs = np.argwhere(scores)
    found = weakest_of_triangles(pairs, scores[tuple(pairs.T)], d)
    both = scores + scores.T
    assert found.tolist() == indirect_one_by_one(both)[tuple(pairs.T)].tolist()


def test_example_no_pairs_have_no_indirect_ones():
    assert weakest_of_triangles(np.empty((0, 2), np.int64), np.empty(0), 5).tolist() == []


def test_property_indirect_pairs_do_not_depend_on_the_order_of_variables():
    rng = np.random.default_rng(4)
    scores = np.triu(rng.integers(1, 9, size=(12, 12)), 1).astype(float)
    order = rng.permutation(12)
    moved = np.triu((scores + scores.T)[np.ix_(order, order)], 1)
    pairs = np.argwhere(scores)
    gone, moved_gone = (
        {
            tuple(sorted(names[p].tolist()))
            for p in pairs[weakest_of_triangles(pairs, s[tuple(pairs.T)], 12)]
        }
        for s, names in ((scores, np.arange(12)), (moved, order))
    )
    assert gone == moved_gone


@pytest.mark.parametrize("ranking", ["evidence", "mi", "mi_apc"])
def test_example_a_chain_loses_its_short_cuts(ranking):
    rng = np.random.default_rng(0)
    chain = np.zeros((500, 5), int)
    for j in range(5):
        chain[:, j] = np.where(
            rng.random(500) < 0.8, chain[:, j - 1], rng.integers(0, 2 + j % 2, 500)
        )
    whole = learn(chain, "pairwise", kinds="nominal")
    graph = learn(chain, "pairwise", ranking=ranking, top=10, remove_indirect=True, kinds="nominal")
    assert whole.n_edges > graph.n_edges
    assert [(j, j + 1) for j in range(4)] == [tuple(edge) for edge in graph.edges.tolist()]
    needed = learn(
        chain,
        "pairwise",
        remove_indirect=True,
        kinds="nominal",
        knowledge=Knowledge(required_edges=[(0, 4)]),
    )
    assert needed.has_edge(0, 4)


def test_example_near_pairs_take_no_place_among_the_best_and_make_others_indirect():
    rng = np.random.default_rng(0)
    sites = rng.integers(0, 2, size=(500, 8))
    for j in range(1, 8):
        sites[:, j] = np.where(rng.random(500) < 0.9, sites[:, j - 1], sites[:, j])
    positions = [10 * j for j in range(8)]
    kept = learn(sites, "pairwise", top=3, genome=Genome(min_distance=15, positions=positions))
    assert kept.n_edges == 3
    assert (np.diff(kept.edges, axis=1) > 1).all()
    direct = learn(
        sites,
        "pairwise",
        top=3,
        remove_indirect=True,
        genome=Genome(min_distance=15, positions=positions),
    )
    assert direct.n_edges == 0
    assert direct.provenance["near_edges_left_out"] == 7
