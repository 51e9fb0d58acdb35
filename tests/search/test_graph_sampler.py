"""Edge probabilities: invariances, prior knowledge, and learned hyperparameters."""

from dataclasses import replace

import numpy as np
import pytest

from markhood.data.weights import Weights
from markhood.graph.graph import Graph
from markhood.graph.numbering import pair_numbers, pairs_numbered
from markhood.kernels.protocol import GraphChain
from markhood.model.ising.model import IsingModel
from markhood.scores.discrete import DiscreteScorer
from markhood.search import graph_sampler
from markhood.search.chains import Sweeps, generator_of, run_chain
from markhood.search.graph_sampler import (
    LARGEST_SCALE,
    ONCE,
    SCREEN_GAMMA,
    GraphPrior,
    State,
    _two_steps,
    periods_of,
    sample_edges,
    settle,
    together,
)
from markhood.search.remaining_pairs import LEAST_PROBABILITY, may_be_edges, measure_remaining_pairs
from markhood.search.screen import screen
from markhood.search.values.constraints import NO_CONSTRAINTS, Constraints
from markhood.search.values.probabilities import Choice, Draws, EdgeProbabilities
from markhood.simulate import (
    NormalCouplings,
    SignedCouplings,
    chain,
    erdos_renyi,
    grid,
    ising,
    potts,
)
from oracles.jobs import job_of
from oracles.networks import independent, network
from oracles.packing import samples_of, samples_with_levels

NO_EDGES = np.empty((0, 2), dtype=np.int64)


def sample(samples, start=NO_EDGES, n_jobs=1, constraints=NO_CONSTRAINTS, **options):
    job = job_of(samples, n_jobs=n_jobs, constraints=constraints)
    return sample_edges(job, start, screen(job, SCREEN_GAMMA).edges, **options)


def by_pair(found):
    return dict(zip(map(tuple, found.pairs.tolist()), found.probabilities.tolist(), strict=True))


def test_example_the_edges_of_a_grid_are_found_with_probabilities_that_add_up():
    model = ising(grid(25), seed=3)
    found = sample(samples_of(model.sample(2000, seed=4)))
    true = set(map(tuple, model.graph.edges.tolist()))
    edges = set(map(tuple, found.edges.tolist()))
    assert len(edges & true) > 0.6 * len(true)
    assert len(edges - true) <= 3
    assert len(Choice(fdr=0.05).among(found.probabilities)) > 0
    # The density is the mean over all pairs and those that its prior adds.
    n_pairs = 300 + 12.5 * (1 + 100 / 2000)
    assert found.density * n_pairs == pytest.approx(found.probabilities.sum(), rel=0.05)
    assert found.density * 300 < 1.4 * len(true)
    assert np.all(np.isfinite(found.couplings))
    assert np.all(found.deviations > 0)


def test_property_any_number_of_threads_gives_the_same_numbers():
    samples = samples_of(network(5, 300, 12, strength=1.5))
    one, four = sample(samples), sample(samples, n_jobs=4)
    np.testing.assert_array_equal(one.probabilities, four.probabilities)
    np.testing.assert_array_equal(one.couplings, four.couplings)
    assert one.density == four.density


def test_property_the_order_of_variables_and_levels_matters_only_by_chance():
    values = network(9, 400, 8, strength=1.2)
    order = np.random.default_rng(1).permutation(8)
    moved = values[:, order].copy()
    moved[:, 3] = 1 - moved[:, 3]
    sweeps = Sweeps(n_averaged=400, n_most=400)
    here, there = (
        sample(samples_of(values), sweeps=sweeps),
        sample(samples_of(moved), sweeps=sweeps),
    )
    expected = by_pair(here)
    for (i, j), p in by_pair(there).items():
        assert p == pytest.approx(expected.get(tuple(sorted((order[i], order[j]))), 0.0), abs=0.05)


def test_example_coins_have_no_edges():
    found = sample(samples_of(independent(3, 200, 40)))
    assert len(found.edges) == 0
    assert found.density < 0.01


def test_example_weak_couplings_make_a_narrow_slab():
    model = ising(erdos_renyi(30, 0.1, seed=1), SignedCouplings(0.6), seed=1)
    found = sample(samples_of(model.sample(2000, seed=2)))
    assert 0.3 < found.scale < 1.0
    fixed = sample(samples_of(model.sample(2000, seed=2)), prior=GraphPrior(scale=LARGEST_SCALE))
    assert fixed.scale == LARGEST_SCALE
    assert fixed.probabilities.sum() < found.probabilities.sum()


def test_example_what_is_known_beforehand_holds():
    samples = samples_of(network(5, 300, 8, strength=2.0))
    strong = sample(samples).edges
    known = Constraints(required=np.array([[0, 7]]), forbidden=strong[:1])
    found = by_pair(sample(samples, constraints=known))
    assert found[0, 7] == 1.0
    assert tuple(strong[0]) not in found
    groups = Constraints(groups=np.array([0] * 4 + [1] * 4))
    assert all(i < 4 <= j for i, j in by_pair(sample(samples, constraints=groups)))


def test_example_a_pair_may_have_a_probability_of_its_own():
    samples = samples_of(independent(3, 200, 10))
    pair = np.array([[2, 5]])
    believed = [
        by_pair(sample(samples, prior=GraphPrior(pairs=pair, probabilities=np.array([p]))))[2, 5]
        for p in (0.1, 0.9)
    ]
    assert believed[0] < 0.1 < believed[1]
    odds = [np.log(p / (1 - p)) for p in believed]
    assert odds[1] - odds[0] == pytest.approx(2 * np.log(9), abs=0.2)


def test_example_a_density_that_is_given_stays():
    samples = samples_of(network(5, 300, 8, strength=1.0))
    found = sample(samples, prior=GraphPrior(density=0.3))
    assert found.density == pytest.approx(0.3)


def test_example_a_constant_variable_is_in_no_pair():
    values = network(5, 200, 5, strength=2.0)
    values[:, 2] = 1
    assert not np.any(sample(samples_of(values)).pairs == 2)


def test_example_one_variable_has_no_pairs():
    found = sample(samples_of(network(5, 50, 1)))
    assert len(found.pairs) == 0
    assert found.disagreement == 0


def test_example_levels():
    rng = np.random.default_rng(4)
    values = rng.integers(0, 3, (300, 4))
    values[:, 1] = np.where(rng.random(300) < 0.6, values[:, 0], values[:, 1])
    found = sample(samples_with_levels(values), sweeps=Sweeps(n_chains=1, n_averaged=5, n_most=5))
    assert found.edges.tolist() == [[0, 1]]
    table = found.couplings[found.starts[0] : found.starts[1]].reshape(3, 3)
    assert np.all(np.diag(table) > 0.5)
    np.testing.assert_allclose(table.sum(axis=0), 0, atol=1e-9)


def test_property_chains_of_many_large_tables_are_shorter(monkeypatch):
    values = np.random.default_rng(4).integers(0, 3, size=(60, 6))
    values[:, 3:] = (values[:, :3] + (values[:, 3:] == 0)) % 3
    samples = samples_with_levels(values)
    rounds = []
    settled = State._round
    monkeypatch.setattr(State, "_round", lambda *given: rounds.append(1) or settled(*given))
    before = sample(samples, sweeps=Sweeps(n_chains=1)).sweeps, len(rounds)
    rounds.clear()
    monkeypatch.setattr(graph_sampler, "MOST_WORK", 0)
    monkeypatch.setattr(graph_sampler, "MOST_OF_ROUNDS", 0)
    assert before[0] >= 20
    assert before[1] > 1
    assert sample(samples, sweeps=Sweeps(n_chains=1)).sweeps == 10
    assert len(rounds) == 1
    assert sample(samples, sweeps=Sweeps(1, 2, 7, 7)).sweeps == 7  # as asked


def test_example_ordered_levels_have_one_coupling_and_one_scale():
    rng = np.random.default_rng(4)
    steps = rng.integers(0, 5, (400, 4))
    steps[:, 1] = np.clip(steps[:, 0] + rng.integers(-1, 2, 400), 0, 4)
    samples = samples_with_levels(steps).with_order((True,) * 4)
    found = sample(samples, sweeps=Sweeps(n_chains=1, n_averaged=5, n_most=5))
    assert found.edges.tolist() == [[0, 1]]
    assert len(found.couplings) == len(found.pairs)
    assert 0.3 < found.couplings[0] < 3  # of a step
    assert found.scale > found.couplings[0]  # in units of two levels


@pytest.mark.parametrize("seed", range(3))
def test_example_what_levels_leave_of_a_mediator_is_no_edge(seed):
    rng = np.random.default_rng(seed)
    mediator = rng.normal(size=(1500, 1))
    signs = np.array([1, -1, 1, -1, 1, -1])
    values = np.hstack([mediator, 1.2 * mediator * signs, np.zeros((1500, 10))])
    values[:, 1:] += rng.normal(size=(1500, 16))
    values = (values[:, np.newaxis] > 0.5 * values.std(axis=0) * [[-1], [1]]).sum(axis=1)
    found = sample(samples_with_levels(values).with_order((True,) * 17))
    assert found.edges.tolist() == [[0, k] for k in range(1, 7)]
    assert 0.1 < found.mediated < 1.5
    binary = sample(samples_of(values > 0))
    assert binary.mediated == 0.0


def test_example_pairs_with_a_common_neighbour():
    edges = np.array([[0, 1], [1, 2], [1, 4], [3, 4], [5, 6]])
    found = {tuple(pair) for pair in _two_steps(edges, 8).tolist()}
    assert found == {(0, 2), (0, 4), (2, 4), (1, 3)}


def test_example_rates_choose_the_largest_set_within_them():
    pairs = np.array([[0, 1], [0, 2], [1, 2], [1, 3]])
    found = EdgeProbabilities(
        pairs=pairs,
        probabilities=np.array([0.6, 0.99, 0.9, 0.2]),
        couplings=np.zeros(4),
        deviations=np.zeros(4),
        starts=np.arange(5),
        density=0.5,
        scale=1.0,
        chain_probabilities=np.array([[0.5, 1, 0.9, 0.2], [0.7, 0.98, 0.9, 0.2]]),
        n_fits=0,
    )
    assert found.edges.tolist() == [[0, 1], [0, 2], [1, 2]]
    assert replace(found, choice=Choice(fdr=0.06)).edges.tolist() == [[0, 2], [1, 2]]
    assert replace(found, choice=Choice(fdr=0.001)).edges.tolist() == []
    assert len(replace(found, choice=Choice(fdr=0.9)).edges) == 3  # none below min_probability
    assert replace(found, choice=Choice(min_probability=0.9)).edges.tolist() == [[0, 2]]
    assert found.disagreement == pytest.approx(0.2)


@pytest.mark.parametrize("levels", [2, 3])
def test_example_remaining_pairs_are_all_but_the_candidates(levels):
    rng = np.random.default_rng(2)
    values = rng.integers(0, levels, (500, 12))
    samples = samples_of(values) if levels == 2 else samples_with_levels(values)
    others = measure_remaining_pairs(job_of(samples))
    factors, counts = others.histogram(pair_numbers(np.array([[0, 3], [4, 7]])), 1.0)
    assert (factors[-1], counts[-1]) == (-np.inf, 6 * (1 + 100 / 500))
    factors, counts = factors[:-1], counts[:-1]
    assert counts.sum() == 12 * 11 / 2 - 2
    # Independent variables speak against an edge, the more so the more numbers a coupling has.
    assert np.average(factors, weights=counts) < -(levels - 1)


def test_oracle_remaining_pairs_of_rare_levels_have_their_own_fits():
    rng = np.random.default_rng(2)
    values = (rng.random((50, 30)) < rng.uniform(0.04, 0.5, 30)).astype(np.int64)
    job = job_of(samples_of(values))
    others = measure_remaining_pairs(job)
    exact = job.scorer.pair_factors(pairs_numbered(others.numbers), 1.5)
    counts = others.ratios > 1
    factors = others._factors(1.5)
    np.testing.assert_allclose(factors[counts], exact[counts], atol=1e-9)
    # Of the others the formula is near, and none speaks for an edge.
    np.testing.assert_allclose(factors[~counts], exact[~counts], atol=0.3)
    # An edge is not likelier for data without any: the mean Bayes factor is one.
    assert np.exp(factors).mean() == pytest.approx(1.0, abs=0.3)


def test_example_pairs_that_may_be_edges_are_candidates(monkeypatch):
    job = job_of(samples_of(network(5, 300, 12, strength=1.5)))
    others = measure_remaining_pairs(job)
    assert len(others.likely(1.5, 0.01)) == 66  # all of so few
    monkeypatch.setattr("markhood.search.remaining_pairs.FEW_PAIRS", 0)
    p = 1 / (1 + np.exp(-others._factors(1.5)) * (1 / 0.01 - 1))
    likely = set(pair_numbers(others.likely(1.5, 0.01)).tolist())
    assert likely == set(others.numbers[p > LEAST_PROBABILITY].tolist())
    assert 0 < len(likely) < 66


def test_example_couplings_that_indirect_association_hides_are_found():
    """Two neighbours of a third are coupled the other way, so that they look independent."""
    couplings = {(0, 1): 1.5, (0, 2): -0.77, (1, 2): 1.5}
    graph = Graph([f"x{v}" for v in range(8)], list(couplings))
    fields = np.zeros(8)
    for edge, coupling in couplings.items():
        fields[list(edge)] -= coupling / 2
    values = IsingModel(graph, np.array([*couplings.values()]), fields).sample(1500, seed=1)
    assert abs(np.corrcoef(values[:, 0], values[:, 2])[0, 1]) < 0.1
    assert by_pair(sample(samples_of(values)))[0, 2] > 0.5


def test_example_tables_that_the_screen_prices_too_dear_are_candidates():
    model = potts(chain(12), 5, NormalCouplings(0.7), seed=2)
    samples = samples_with_levels(model.sample(250, seed=3))
    job = job_of(samples)
    passing = set(map(tuple, screen(job, SCREEN_GAMMA).edges.tolist()))
    others = measure_remaining_pairs(job)
    likely = set(map(tuple, others.likely(1.5, 0.1).tolist()))
    true = set(map(tuple, model.graph.edges.tolist()))
    assert len(true - passing) > 2
    assert true - passing <= likely
    assert len(likely) <= 3 * 12
    # Tables that are no candidates say nothing for an edge.
    factors, counts = others.histogram(np.empty(0, np.int64), 1.5)
    assert counts[:-1].sum() == 66
    assert factors.max() <= 0


def test_example_many_variables_are_counted_by_some_of_them(monkeypatch):
    samples = samples_of(independent(3, 100, 60))
    monkeypatch.setattr("markhood.search.remaining_pairs.MOST_VARIABLES", 40)
    others = measure_remaining_pairs(job_of(samples))
    assert len(others.ratios) == 40 * 39 / 2
    counts = others.histogram(np.empty(0, np.int64), 1.0)[1]
    assert counts[:-1].sum() == pytest.approx(60 * 59 / 2)
    assert len(others.likely(1.0, 0.1)) == 0


def of_two_pairs(probabilities, couplings, pairs=((0, 1), (0, 2))):
    return EdgeProbabilities(
        pairs=np.array(pairs),
        probabilities=np.array(probabilities),
        couplings=np.array(couplings),
        deviations=np.full(2, 0.1),
        starts=np.arange(3),
        density=0.2,
        scale=1.0,
        chain_probabilities=np.array([probabilities]),
        n_fits=3,
    )


def test_example_pairs_that_pass_a_screen_by_chance_are_no_candidates():
    job = job_of(samples_of(network(4, 400, 30, strength=1.0)))
    screened = screen(job, 0.0)
    density, log_odds = 1e-4, np.log(1e-4)
    stay = may_be_edges(job, screened, 0.0, density, 1.5)
    is_left_out = ~np.isin(pair_numbers(screened.edges), pair_numbers(stay))
    assert 0 < is_left_out.sum() < len(screened.edges)
    fitted = job.scorer.pair_factors(screened.edges, 1.5) + log_odds
    assert np.all(fitted[is_left_out] < np.log(LEAST_PROBABILITY) + 0.5)
    assert np.all(fitted[~is_left_out] > np.log(LEAST_PROBABILITY) - 0.5)
    everything = may_be_edges(job, screened, 0.0, 0.1, 1.5)  # where edges are not so rare, all stay
    np.testing.assert_array_equal(everything, screened.edges)


def test_property_pairs_stay_by_weights_as_by_repeated_rows():
    values = network(4, 300, 30, strength=1.0)
    # Rows with more ones have larger weights, so that shares of samples and weights differ.
    weights = 1 + values[:, :15].sum(axis=1, dtype=np.int64) ** 2 // 10
    jobs = (
        job_of(samples_with_levels(values, Weights(weights))),
        job_of(samples_of(np.repeat(values, weights, axis=0))),
    )
    assert jobs[0].samples.is_binary
    screened = [screen(job, 0.0) for job in jobs]
    n_left = []
    for density in np.geomspace(1e-8, 1e-3, 100):
        weighted, repeated = (
            may_be_edges(job, passing, 0.0, density, LARGEST_SCALE)
            for job, passing in zip(jobs, screened, strict=True)
        )
        np.testing.assert_array_equal(weighted, repeated)
        n_left.append(len(repeated))
    assert 0 < min(n_left) < max(n_left)


def test_example_the_less_sure_a_pair_the_more_often_it_is_visited():
    periods = periods_of(np.array([0.00001, 0.01, 0.09, 0.4, 0.91, 0.99, 1.0]))
    assert periods.tolist() == [20, 10, 4, 1, 4, 10, 20]


def test_example_columns_of_edges():
    found = of_two_pairs([0.9, 0.2], [1.0, -1.0])
    columns = found.of(np.array([[0, 2], [1, 2]]))
    assert columns["probability"].tolist() == [0.2, 0.0]
    np.testing.assert_allclose(columns["coupling_low"], [-1.196, np.nan], atol=1e-3)
    np.testing.assert_allclose(columns["coupling_high"], [-0.804, np.nan], atol=1e-3)


def test_example_remaining_pairs_that_are_all_alike_are_counted():
    values = np.tile([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]], (10, 1))
    factors, counts = measure_remaining_pairs(job_of(samples_of(values))).histogram(
        np.empty(0), 1.0
    )
    assert counts[:-1].sum() == 3
    assert np.all(factors < 0)


def test_property_parts_of_twenty_sweeps_are_the_same_chain(monkeypatch):
    samples = samples_of(network(31, 300, 12, strength=1.5))
    lengths = Sweeps(n_chains=2, n_settling=5, n_averaged=40, n_most=40)
    monkeypatch.setattr(Sweeps, "parts", lambda *_: [20, 20])
    in_parts = sample(samples, sweeps=lengths)
    monkeypatch.setattr(Sweeps, "parts", lambda *_: [40])
    whole = sample(samples, sweeps=lengths)
    np.testing.assert_array_equal(in_parts.pairs, whole.pairs)
    # A factor by one step from a reference fit depends on which fits are stored.
    np.testing.assert_allclose(in_parts.probabilities, whole.probabilities, rtol=0, atol=1e-7)
    np.testing.assert_allclose(in_parts.couplings, whole.couplings, rtol=0, atol=1e-6)
    assert in_parts.density == pytest.approx(whole.density, abs=1e-8)
    assert in_parts.draws.probabilities.shape == (2, 2, len(whole.pairs))
    np.testing.assert_array_equal(in_parts.draws.edges[:, -1], whole.draws.edges[:, -1])


def test_property_longer_chains_have_equal_parts_and_visit_certain_pairs_once_in_each(monkeypatch):
    samples = samples_of(network(31, 300, 12, strength=1.5))
    visited = []
    swept = DiscreteScorer.swept

    def spied(self, pairs, prior, chain, n_settling, n_sweeps):
        visited.append((n_sweeps, prior.periods))
        return swept(self, pairs, prior, chain, n_settling, n_sweeps)

    monkeypatch.setattr(DiscreteScorer, "swept", spied)
    monkeypatch.setattr("markhood.search.values.probabilities.LARGEST_ERROR", 0.0)
    found = sample(samples)
    assert found.sweeps == 160
    assert found.draws.probabilities.shape[:2] == (4, 4)
    np.testing.assert_allclose(
        found.draws.probabilities.mean(axis=1), found.chain_probabilities, atol=1e-12
    )
    np.testing.assert_allclose(
        found.draws.probabilities.mean(axis=(0, 1)), found.probabilities, atol=1e-12
    )
    doubt = np.minimum(found.probabilities, 1 - found.probabilities)
    n_sweeps, periods = visited[-1]
    assert n_sweeps == 40
    assert set(periods[doubt > 0.15].tolist()) == {1}
    assert np.mean(periods[doubt < 0.05] == ONCE) > 0.9


def test_oracle_effective_samples_tell_how_much_other_seeds_differ():
    rng = np.random.default_rng(1)
    a = rng.integers(0, 2, 150)
    b = np.where(rng.random(150) < 0.75, a, 1 - a)
    near = [np.where(rng.random(150) < 0.06, 1 - b, b) for _ in range(2)]  # stand for each other
    job = job_of(samples_of(np.column_stack([a, b, *near])))
    everything = np.array([(i, j) for i in range(4) for j in range(i + 1, 4)])
    state = settle(job, NO_EDGES, everything, None, np.random.SeedSequence(0))
    lengths, prior, no_fits = Sweeps(4, 10, 80, 80), state.pair_prior(), np.empty(0, np.int64)
    means, claimed, rhats = [], [], []
    for seed in range(60):
        starts = [
            GraphChain(state.present, generator_of(own), no_fits)
            for own in np.random.SeedSequence(seed).spawn(4)
        ]
        runs = [
            run_chain(job.scorer, state.pairs, prior, at, 10, lengths.parts(80))[0] for at in starts
        ]
        found = together(job, state, runs, lengths)
        agreement = found.draws.agreement(np.arange(len(found.pairs)))
        p = found.probabilities
        means.append(p)
        claimed.append(p * (1 - p) / agreement["ess"])
        rhats.append(agreement["rhat"])
    in_doubt = np.abs(np.mean(means, axis=0) - 0.5) < 0.45
    assert in_doubt.sum() >= 3
    ratio = (np.var(means, axis=0, ddof=1) / np.mean(claimed, axis=0))[in_doubt]
    assert np.all((ratio > 0.4) & (ratio < 2.5))  # 60 seeds: a standard deviation of 18 %
    assert np.max(rhats) < 1.5  # two pairs stand for each other


def test_example_chains_that_disagree_have_a_large_r_hat_and_are_worth_little():
    halves = np.array([[[0.1, 1.0, 0.5], [0.1, 1.0, 0.5]], [[0.9, 1.0, 0.5], [0.9, 1.0, 0.5]]])
    draws = Draws(np.zeros(halves.shape, np.uint8), halves, np.zeros((2, 40)))
    found = draws.agreement(np.array([0, 1, 2, 0]))
    within, between = 0.09, np.var([0.1, 0.1, 0.9, 0.9], ddof=1)
    np.testing.assert_allclose(
        found["rhat"], np.sqrt([1 + between / within, 1, 1, 1 + between / within])
    )
    np.testing.assert_allclose(found["ess"], [0.25 / (between / 4), 1e6, 1e6, 0.25 / (between / 4)])
    certain = Draws(np.zeros((2, 1, 1), np.uint8), np.array([[[0.0]], [[1.0]]]), np.zeros((2, 9)))
    assert certain.agreement(np.array([0]))["rhat"].tolist() == [np.inf]
    alone = Draws(np.zeros((1, 1, 1), np.uint8), np.ones((1, 1, 1)), np.zeros((1, 1)))
    assert alone.agreement(np.array([0])) == {}


def test_property_kept_draws_are_a_sweep_each_and_average_to_the_answer():
    samples = samples_of(network(31, 300, 12, strength=1.5))
    lengths = Sweeps(3, 10, 60, 60, keep_draws=True)
    found = sample(samples, sweeps=lengths)
    draws, n_pairs = found.draws, len(found.pairs)
    assert draws.edges.shape == draws.probabilities.shape == (3, 60, n_pairs)
    assert draws.densities.shape == (3, 60)
    np.testing.assert_allclose(draws.probabilities.mean(axis=(0, 1)), found.probabilities)
    assert draws.densities.mean() == pytest.approx(found.density)
    shares = draws.edges.mean(axis=(0, 1))
    error = np.sqrt(found.probabilities * (1 - found.probabilities) / 180)
    assert np.all(np.abs(shares - found.probabilities) < 5 * error + 0.01)
    usual = sample(samples, sweeps=replace(lengths, keep_draws=False))
    np.testing.assert_allclose(found.probabilities, usual.probabilities, atol=0.1)
