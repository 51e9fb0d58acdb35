"""What a forecast says of pairs, spaces and memory; of time it is `make bench` that asks."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from itertools import count
from time import process_time

import numpy as np
import pytest

from markhood import DataWarning, learn
from markhood.data.coding.encode import encode
from markhood.kernels.lists import Lists
from markhood.learning.forecast.forecast import _Sample
from markhood.learning.forecast.timings import _candidates
from markhood.learning.methods import METHODS
from markhood.learning.request import Request
from markhood.search.blankets import NearbyVariables
from markhood.search.screen import screen
from messages import refuses
from oracles.jobs import job_of
from oracles.scale import chains, latent_classes, one_cause


@pytest.fixture
def even_clock(monkeypatch):
    """A clock on which all that is tried takes a second, however busy the machine is."""
    monkeypatch.setattr("markhood.learning.forecast.forecast.perf_counter", count().__next__)


@pytest.mark.parametrize("n_levels", [2, 3])
@pytest.mark.parametrize("n_variables", [320, 1600])
def test_example_pairs_and_candidates_are_about_right(n_variables, n_levels):
    samples = encode(chains(n_variables, 600, n_levels))
    method = METHODS["plrhc"](rule="or")
    said = Request.of(method, {"n_jobs": 1}).forecast(samples)
    learned = Request.of(method, {"n_jobs": 1}).learn(samples)
    edges = learned.screened_graph.edges
    spaces = NearbyVariables(edges, n_variables, 3).of(np.arange(n_variables)).candidates
    assert said.pairs == pytest.approx(len(edges), rel=0.25)
    assert said.candidates == pytest.approx(len(spaces.values) / n_variables, rel=0.5)
    assert set(said.seconds) == set(learned.seconds)
    assert all(seconds > 0 for seconds in said.seconds.values())


@pytest.mark.parametrize("method", ["plrhc", "hc", "pairwise", "bayes"])
@pytest.mark.parametrize("n_levels", [2, 3])
def test_example_covariates_are_not_screened(method, n_levels):
    table = chains(12, 300, n_levels)
    request = Request.of(method, {"n_jobs": 1, "adjust_for": ("x2", "x7")})
    samples = request.read(table)
    said = request.forecast(samples)
    assert sum(said.seconds.values()) > 0
    if method in ("plrhc", "pairwise"):
        with request.job(request.prepared(samples)) as job:
            assert said.pairs == len(screen(job, 0.5).edges)


def test_example_spaces_too_large_to_follow_are_made_up(monkeypatch):
    monkeypatch.setattr("markhood.learning.forecast.forecast.MOST_ROWS", 60)
    samples = encode(one_cause(300, 500))
    said = Request.of("plrhc", {"n_jobs": 1}).forecast(samples)
    assert 150 < said.candidates <= 299
    bounded = Request.of("plrhc", {"max_candidates": 20, "n_jobs": 1}).forecast(samples)
    assert bounded.candidates == 20


@pytest.mark.parametrize("n_variables", [2, 3, 40])
def test_example_variables_that_have_nothing_to_do_with_each_other(n_variables):
    coins = encode(np.random.default_rng(0).integers(0, 2, (100, n_variables)))
    said = Request.of("plrhc", {"gamma": 3, "n_jobs": 2}).forecast(coins)
    assert (said.pairs, said.candidates) == (0, 0)


def test_example_other_searches():
    samples = encode(chains(40, 300))
    said = Request.of("hc", {"rule": "and", "n_jobs": 1}).forecast(samples)
    assert said.candidates == 39
    assert list(said.seconds) == ["blankets", "evidence"]
    assert said.pairs == 0
    with refuses("not-supported", "dry_run"):
        Request.of("chow-liu", {"n_jobs": 1}).forecast(samples)


@pytest.mark.parametrize(
    ("options", "phases"),
    [
        ({}, ["screen", "evidence"]),
        ({"remove_indirect": True}, ["screen", "triangles", "evidence"]),
        ({"ranking": "mi_apc", "top": 20}, ["screen", "evidence"]),
    ],
)
def test_example_pairs_alone(options, phases):
    samples = encode(chains(40, 300))
    request = Request.of(METHODS["pairwise"](**options), {"n_jobs": 1})
    said, learned = request.forecast(samples), request.learn(samples)
    assert list(said.seconds) == list(learned.seconds) == phases
    assert said.candidates is None
    assert said.pairs > 20


def test_example_missing_values_take_several_searches_and_sets(even_clock):
    values = chains(40, 300).astype(float)
    values[::7, ::3] = np.nan
    samples = encode(values, missing="impute")
    of_ten, of_twenty = (
        Request.of("plrhc", {"imputations": sets}).forecast(samples).seconds for sets in (10, 20)
    )
    assert list(of_ten) == ["settling", "sets", "evidence"]
    assert of_twenty["sets"] > of_ten["sets"] > 0


def test_example_drawing_missing_values_takes_time(monkeypatch):
    """A second a turn: three turns a set in the searches, three more in the evidence."""
    clock = "markhood.learning.imputation.learn_imputed.perf_counter"
    monkeypatch.setattr(clock, count().__next__)
    values = chains(40, 300).astype(float)
    values[::7, ::3] = np.nan
    samples = encode(values, missing="impute")
    said = Request.of("plrhc", {"imputations": 10, "n_jobs": 1}).forecast(samples)
    assert 30 < said.seconds["sets"] < 40
    assert 30 < said.seconds["evidence"] < 40
    assert (
        4 < said.seconds["settling"] < 10
    )  # a twentieth of the values is missing: half of six turns


def test_example_chains_over_graphs():
    samples = encode(chains(40, 300))
    short, long = (
        Request.of("bayes", {"sweeps": n, "chains": 2, "n_jobs": 1}).forecast(samples)
        for n in (4, 40_000)
    )
    assert list(short.seconds) == ["screen", "blankets", "climb", "chains", "evidence"]
    assert long.seconds["chains"] > 3 * short.seconds["chains"] > 0
    assert short.memory == long.memory > 40 * 1000
    plain = Request.of("plrhc", {"gamma": 0.25, "n_jobs": 1}).forecast(samples)
    assert short.pairs == plain.pairs
    assert short.memory > plain.memory


def test_example_chains_of_letters_count_the_candidates_that_tables_have():
    letters = np.array(list("ACGU"))[chains(12, 300, 4)]
    request = Request.of("bayes", {"sweeps": 40, "n_jobs": 1})
    samples = encode(letters)
    assert not samples.is_binary
    of_40 = request.forecast(samples).seconds["chains"]
    of_4 = Request.of("bayes", {"sweeps": 4, "n_jobs": 1}).forecast(samples)
    assert of_40 > of_4.seconds["chains"] > 0


def test_example_chains_over_graphs_and_values():
    values = chains(40, 300).astype(float)
    values[::7, ::3] = np.nan
    request = Request.of("bayes", {"sweeps": 4, "n_jobs": 1})
    said = request.forecast(encode(values, missing="impute"))
    assert list(said.seconds) == ["settling", "chains", "evidence"]
    assert min(said.seconds.values()) > 0


def test_example_chains_of_variables_without_neighbours():
    coins = encode(np.random.default_rng(0).integers(0, 2, (60, 12)))
    said = Request.of("bayes", {"n_jobs": 1}).forecast(coins)
    assert said.seconds["chains"] >= 0


def test_example_chains_that_cannot_fit_are_refused(monkeypatch):
    monkeypatch.setattr("markhood.data.storage.memory.LITTLE", 0)
    data = chains(64, 300)
    for available, fits in ((10**7, True), (10**5, False)):
        monkeypatch.setattr(
            "markhood.data.storage.memory.available_memory", lambda room=available: room
        )
        if fits:
            assert learn(data, "bayes", sweeps=2, chains=1).n_edges
            continue
        with refuses("memory"):
            learn(data, "bayes", sweeps=2, chains=1)


def test_example_what_cannot_fit_is_refused_before_the_screen(monkeypatch):
    monkeypatch.setattr("markhood.data.storage.memory.LITTLE", 0)
    data = chains(64, 300)
    needed = 64 * 1000 + 200 * len(learn(data, "pairwise").edges)
    monkeypatch.setattr("markhood.data.storage.memory.available_memory", lambda: needed + 500)
    assert learn(data).n_edges
    monkeypatch.setattr("markhood.data.storage.memory.available_memory", lambda: needed - 500)
    with refuses("memory"):
        learn(data)


BOUNDED = """
import json, pathlib, warnings
import numpy as np
from oracles.scale import one_cause, peak, reset_peak
from markhood.data.coding.encode import encode
from markhood.learning.request import Request
from markhood.learning.methods import METHODS

warnings.simplefilter("ignore")
samples = encode(one_cause(1500, 1000))
method = METHODS["plrhc"](**{"max_candidates": 8, "rule": "or"})
small = samples.pick(np.arange(40))
Request.of(method, {"n_jobs": 1}).learn(small)  # what is imported on the way does not count
before = reset_peak()
learned = Request.of(method, {"n_jobs": 1}).learn(samples)
extra = peak() - before
said = Request.of(method, {"n_jobs": 1}).forecast(samples)
print(json.dumps({
    "pairs": learned.n_screened, "cut": learned.n_cut, "extra": extra,
    "said_pairs": said.pairs, "said": said.memory,
}))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="peaks are read from /proc")
def test_example_memory_of_a_bounded_run(pytestconfig):
    """Half of all pairs pass the screen; the spaces of all variables are cut."""
    tests = str(pytestconfig.rootpath / "tests")
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {tests!r})\n{BOUNDED}"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found = json.loads(done.stdout)
    assert found["cut"] == 1500
    assert found["pairs"] > 300_000
    assert found["said_pairs"] == pytest.approx(found["pairs"], rel=0.2)
    assert found["extra"] / 2 < found["said"] < 2 * found["extra"]


def test_property_a_bounded_run_finds_what_a_free_one_does_where_spaces_are_small():
    data = chains(96, 500)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        assert learn(data, max_candidates=60) == learn(data)


def test_oracle_candidates_of_a_timed_climb_are_the_strongest():
    job = job_of(encode(one_cause(30, 400)))
    group = np.arange(3, 28)
    edges, gains = screen(job, None)
    everything = dict(zip(map(tuple, edges.tolist()), gains.tolist(), strict=True))
    found = _candidates(job, group, 4)
    for own, candidates in zip(group.tolist(), found, strict=True):
        gain = {v: everything[min(own, v), max(own, v)] for v in group.tolist() if v != own}
        assert candidates.tolist() == sorted(sorted(gain, key=gain.__getitem__)[-4:])
    free = _candidates(job, group, None)
    assert free[0].tolist() == group[1:].tolist()


def test_oracle_steps_to_find_dense_spaces():
    """Where all pairs depend, a few neighbours of a variable reach all others, and no more are followed."""
    job = job_of(encode(one_cause(300, 1000)))
    sample = _Sample(job, 0.5, np.random.default_rng(0))
    sample.spaces(3, 300)
    neighbours = Lists.of_neighbours(screen(job, 0.5).edges, 300)
    followed = []
    for variable in range(20):
        near = neighbours[variable]
        reached = np.cumsum([np.isin(range(300), neighbours[v]) for v in near], axis=0) > 0
        followed.append(1 + int(np.argmax(reached.all(axis=1))))
    steps = np.mean(followed) * len(neighbours.values) / 300
    assert steps / 3 < sample.mean_steps < 3 * steps


HARD = {
    "nominal": lambda: encode(latent_classes(8000, [12] * 30)),
    "many levels": lambda: encode(latent_classes(3000, [24] * 12)),
    "few samples": lambda: encode(permuted(100, 3, 64), kinds="nominal"),
    "ordinal": lambda: encode(ordinal_factors(20_000, 40), kinds="ordinal"),
    "one cause": lambda: encode(one_cause(3000, 1000)),
    "many variables": lambda: encode(chains(8000, 4000)),
}


def ordinal_factors(n_samples, n_variables):
    rng = np.random.default_rng(1)
    factors = rng.normal(size=(n_samples, 3)) @ rng.normal(size=(3, n_variables))
    return np.digitize(factors + rng.normal(size=factors.shape), np.arange(-4, 4, 0.6))


def permuted(n_samples, n_variables, n_levels):
    rng, levels = np.random.default_rng(0), np.arange(n_samples) % n_levels
    return np.column_stack([rng.permutation(levels) for _ in range(n_variables)])


@pytest.mark.filterwarnings("ignore::markhood.errors.DataWarning")
@pytest.mark.parametrize(
    ("name", "method"),
    [
        *((name, method) for name in HARD for method in ("plrhc", "bayes")),
        *(("nominal", method) for method in ("hc", "mpl", "pairwise", "plm")),
        ("many levels", "mpl"),
        ("many variables", "plm"),
    ],
)
def test_example_a_forecast_takes_a_few_seconds(name, method):
    """At most two on a quiet machine; processor time grows with what else runs on it."""
    samples = HARD[name]()
    Request.of(method, {"n_jobs": 1}).forecast(encode(chains(10, 50)))  # imports
    start = process_time()
    said = Request.of(method, {"n_jobs": 1}).forecast(samples)
    assert process_time() - start < 4
    assert sum(said.seconds.values()) > 0


def test_example_work_that_is_too_long_to_be_measured_is_a_lower_bound(monkeypatch):
    """Each piece of work ends after a twentieth of a second, which no kernel notices sooner."""
    samples = encode(latent_classes(8000, [12] * 60))
    easy = Request.of("plrhc", {"n_jobs": 1}).forecast(encode(chains(40, 300)))
    assert not easy.is_lower_bound
    monkeypatch.setattr("markhood.learning.forecast.timings.TOTAL_SECONDS", 0.0)
    hard = Request.of("plrhc", {"n_jobs": 1}).forecast(samples)
    assert hard.is_lower_bound
    assert hard.seconds["blankets"] > 30 * 0.05
