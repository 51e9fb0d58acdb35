"""What holds for every backend, thread count and road: the same call gives the same graph."""

import numpy as np
import pytest

import markhood
from markhood.kernels.lists import Lists
from markhood.kernels.native import NativeKernels
from markhood.kernels.protocol import NO_PENALTY, Costs, Dirichlet, Kernels
from markhood.kernels.reference.backend import ReferenceKernels
from markhood.learning.describe import describe
from markhood.search.hill_climbing import hill_climb
from oracles.jobs import job_of
from oracles.networks import awkward, hub, network
from oracles.packing import pack, samples_of
from oracles.scoring import OwnCriterion

DATA = {
    "network": network(21, 200, 12, strength=1.5),
    "one-word": network(22, 64, 10, strength=3.0),
    "hub": hub(23, 300, 10, slope=1.5),
    "awkward-1": awkward(1, 60),
    "awkward-2": awkward(6, 200),
}


def learn(name, depth, kernels, n_jobs=1, criterion=None):
    job = job_of(samples_of(DATA[name]), criterion, kernels, n_jobs)
    found = hill_climb(job, gamma=0.5, depth=depth, rule="global", start="or")
    return describe(job, found)


def assert_same(one, other):
    for graph in ("graph", "or_graph"):
        assert getattr(one, graph).edges.tolist() == getattr(other, graph).edges.tolist()
    assert (one.screened_graph is None) == (other.screened_graph is None)
    if one.screened_graph is not None:
        assert one.screened_graph.edges.tolist() == other.screened_graph.edges.tolist()
    counts = [{k: n.tolist() for k, n in x.evaluations.items()} for x in (one, other)]
    assert counts[0] == counts[1]
    np.testing.assert_allclose(one.blanket_scores, other.blanket_scores, rtol=0, atol=1e-8)
    np.testing.assert_allclose(
        one.graph.evidence_ends, other.graph.evidence_ends, rtol=0, atol=1e-8
    )
    np.testing.assert_allclose(
        one.graph.coupling_ends, other.graph.coupling_ends, rtol=0, atol=1e-6
    )


@pytest.mark.parametrize("depth", [None, 2], ids=["hc", "plrhc"])
@pytest.mark.parametrize("name", DATA)
def test_property_every_backend_learns_the_same(native_kernels, name, depth):
    assert_same(learn(name, depth, native_kernels), learn(name, depth, ReferenceKernels()))


@pytest.mark.parametrize("n_jobs", [2, 4, -1])
@pytest.mark.parametrize("name", DATA)
def test_property_every_number_of_threads_learns_the_same(native_kernels, name, n_jobs):
    alone, together = (learn(name, 3, native_kernels, n) for n in (1, n_jobs))
    assert together.graph == alone.graph  # to the last bit
    assert_same(together, alone)


@pytest.mark.parametrize("depth", [None, 2], ids=["hc", "plrhc"])
@pytest.mark.parametrize("name", DATA)
def test_property_both_roads_learn_the_same(name, depth):
    kernels = NativeKernels()
    assert_same(learn(name, depth, kernels, criterion=OwnCriterion()), learn(name, depth, kernels))


@pytest.mark.parametrize("n_kept", [0, 1, 3])
@pytest.mark.parametrize("name", DATA)
def test_property_searches_evaluate_the_same_blankets(native_kernels, name, n_kept):
    values = DATA[name]
    n, d = values.shape
    rng = np.random.default_rng(0)
    targets = rng.permutation(d)[:5]
    candidates = Lists.of([[v for v in range(d) if v != t and rng.random() < 0.8] for t in targets])
    kept = Lists.of([np.sort(rng.permutation(np.delete(range(d), t))[:n_kept]) for t in targets])
    for costs in (Costs(np.log(n) / 2, 0.5 * np.log(d)), Costs(0.5, 0.0), Dirichlet(1.0)):
        arguments = (pack(values), targets, candidates, costs, kept if n_kept else None)
        one, other = (
            native_kernels.grow_blankets(*arguments),
            ReferenceKernels().grow_blankets(*arguments),
        )
        assert [m.tolist() for m in one.members] == [m.tolist() for m in other.members]
        assert all(set(k) <= set(m) for k, m in zip(kept, one.members, strict=True))
        assert one.evaluations.tolist() == other.evaluations.tolist()
        np.testing.assert_allclose(one.scores, other.scores, rtol=0, atol=1e-9)


def test_example_no_targets_at_all(kernels):
    bits, nobody, nothing = pack(DATA["network"]), np.empty(0, np.int64), Lists.of([])
    assert len(kernels.grow_blankets(bits, nobody, nothing, Costs(1, 1)).members) == 0
    assert len(kernels.fit_blankets(bits, nobody, nothing, NO_PENALTY).coefficients) == 0
    scores, toggled = kernels.toggle_scores(bits, nobody, nothing, nothing, Costs(1, 1))
    assert len(scores) == len(toggled) == 0


@pytest.mark.parametrize("seed", range(6))
def test_property_ties_go_to_the_lower_index(kernels, seed):
    """A complement scores as its variable does, but its sums come in another order."""
    values = network(seed, 200, 6, strength=2.0)
    both = np.column_stack([values, 1 - values])
    targets = np.arange(6)
    candidates = Lists.of([[v for v in range(12) if v % 6 != t] for t in targets])
    found = kernels.grow_blankets(pack(both), targets, candidates, Costs(np.log(200) / 2, 1.0))
    assert len(found.members.values) > 0
    assert found.members.values.max() < 6


@pytest.mark.parametrize("missing", [False, True], ids=["complete", "imputed"])
def test_example_nothing_but_the_chosen_backend_computes(monkeypatch, missing):
    """Reading, searching and describing call the kernels that the request names."""
    values = DATA["network"][:60, :4].astype(float)
    values[::7, 0] = np.nan if missing else 0
    for name in vars(Kernels):
        if not name.startswith("_") and name not in ("name", "unsound_variables"):
            monkeypatch.setattr(NativeKernels, name, None)
    run = markhood.Run(kernels=ReferenceKernels(), imputations=2)
    options = {"missing": "impute" if missing else "error", "n_jobs": 1, "run": run}
    assert markhood.learn(values, **options).n_edges > 0
    assert markhood.gamma_path(values, gammas=[0.5], folds=2, **options).graphs[0].n_edges > 0
    assert markhood.bootstrap(values, replicates=2, **options).graph.n_edges > 0
