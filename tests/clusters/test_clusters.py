"""Every engine gives the same graph, sends data once and reruns the tiles of a dead worker."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import joblib
import numpy as np
import pytest

import markhood
from markhood import PLRHC
from markhood.data.coding.encode import encode
from markhood.errors import InputError
from markhood.execution.cluster import LARGE, Cluster
from markhood.execution.dask import DaskEngine
from markhood.execution.executors import executor_named
from markhood.execution.runner import Runner
from markhood.learning.methods import METHODS, Plrhc
from markhood.learning.request import Request
from markhood.paper.experiment import Sampling, run
from markhood.paper.experiments import Screening
from oracles.networks import network
from oracles.ordered import ordinal_chain

DATA = network(5, 300, 70, strength=1.5)
COMMAND = [sys.executable, "-c", "from markhood.commandline.app import main; main()"]


@pytest.fixture
def executor(cluster):
    return Cluster(cluster.engine)


@pytest.mark.parametrize("n_tiles", [0, 1, 2, 50])
def test_example_results_come_in_order_and_progress_is_told(executor, n_tiles):
    told = []
    runner = Runner(progress=lambda *news: told.append(news), executor=executor)
    assert list(runner.map("squares", lambda k: k * k, range(n_tiles))) == [
        k * k for k in range(n_tiles)
    ]
    assert told == [("squares", done, n_tiles) for done in range(n_tiles + 1)]


def test_example_an_error_is_raised_where_its_result_would_come(executor):
    results = Runner(executor=executor).map("work", lambda k: 1 // (20 - k), range(30))
    assert [next(results) for _ in range(20)] == [0] * 19 + [1]
    with pytest.raises(ZeroDivisionError) as caught:
        next(results)
    assert "On a worker" in caught.value.__notes__[0]
    assert str(caught.value) == "integer division or modulo by zero"


@pytest.mark.parametrize("name", METHODS)
def test_property_every_method_learns_the_same(executor, name):
    samples, method = encode(DATA), METHODS[name]()
    here, there = (
        Request(method).learn(samples),
        Request.of(method, {"executor": executor}).learn(samples),
    )
    assert there.graph == here.graph  # to the last bit
    assert there.or_graph == here.or_graph
    assert {k: n.tolist() for k, n in there.evaluations.items()} == {
        k: n.tolist() for k, n in here.evaluations.items()
    }


def test_property_ordered_levels_among_categories_learn_the_same(executor):
    values = ordinal_chain(3, 300, (5, 3, 2, 4) * 10, coupling=0.4)
    samples = encode(values, kinds={f"x{k}": "nominal" for k in range(3, 40, 4)})
    there = Request.of(Plrhc(), {"executor": executor}).learn(samples)
    assert there.graph == Request(Plrhc()).learn(samples).graph


def test_property_a_criterion_of_ones_own_learns_the_same(executor):
    class Own:
        def score(self, table):
            counts = table.counts.astype(float)
            shares = counts / counts.sum(axis=1, keepdims=True)
            likelihood = (counts * np.log(np.where(counts > 0, shares, 1.0))).sum()
            return float(likelihood - 3.0 * counts.shape[0])

    samples, method = encode(DATA[:, :40]), Plrhc(criterion=Own())
    there = Request.of(method, {"executor": executor}).learn(samples)
    assert there.graph == Request(method).learn(samples).graph


class Watched:
    """An engine that notes what is sent through it."""

    def __init__(self, engine):
        self._engine = engine
        self.large = []

    def __getattr__(self, name):
        return getattr(self._engine, name)

    def send(self, value):
        if isinstance(value, np.ndarray):
            self.large.append(value)
        else:
            assert len(value) < LARGE
        return self._engine.send(value)


@pytest.fixture(scope="module")
def large_samples():
    values = np.random.default_rng(0).integers(0, 2, size=(60_000, 160))
    values[::2, 1::2] = values[::2, ::2]
    samples = encode(values)
    assert samples.words.nbytes > LARGE
    return samples


def test_example_data_are_sent_once_for_all_phases(cluster, large_samples):
    watched = Watched(cluster.engine)
    there = Request.of(Plrhc(), {"executor": Cluster(watched)}).learn(large_samples)
    assert len(watched.large) == 1
    assert there.graph == Request(Plrhc()).learn(large_samples).graph


def test_example_data_in_a_shared_file_are_not_sent(cluster, large_samples, tmp_path):
    np.save(tmp_path / "words.npy", large_samples.words)
    mapped = replace(large_samples, words=np.load(tmp_path / "words.npy", mmap_mode="r"))
    watched = Watched(cluster.engine)
    there = Request.of(Plrhc(), {"executor": Cluster(watched)}).learn(mapped)
    assert watched.large == []
    assert there.graph == Request(Plrhc()).learn(large_samples).graph


def test_example_a_worker_that_is_killed_costs_its_tiles_only(executor):
    def work(k):  # within the test, so that it travels whole: workers cannot import this module
        time.sleep(0.05)
        return k, os.getpid()

    results = Runner(executor=executor).map("work", work, range(80))
    first, victim = next(results)
    os.kill(victim, signal.SIGKILL)
    rest = list(results)
    assert [first, *(k for k, _ in rest)] == list(range(80))
    assert victim not in {pid for _, pid in rest[-20:]}


def test_example_learning_survives_a_worker_that_is_killed(cluster, executor):
    class Slow:
        def score(self, table):
            time.sleep(2e-4)
            counts = table.counts.astype(float)
            shares = counts / counts.sum(axis=1, keepdims=True)
            likelihood = (counts * np.log(np.where(counts > 0, shares, 1.0))).sum()
            return float(likelihood - 3.0 * counts.shape[0])

    victims = sorted(cluster.pids())[:1]
    killed = []

    def kill(phase, done, total):
        if phase == "blankets" and done == 1:
            killed.append(victims[0])
            os.kill(victims[0], signal.SIGKILL)

    samples = encode(network(9, 300, 200, strength=1.2))
    there = Request.of(Plrhc(criterion=Slow()), {"executor": executor, "progress": kill}).learn(
        samples
    )
    assert killed == victims
    assert there.graph == Request(Plrhc(criterion=Slow())).learn(samples).graph


def test_example_a_worker_of_dask_dies_while_data_are_sent():
    class Client:
        n_lost = 0

        def wait_for_workers(self, n):
            pass

        def scatter(self, values, **_):
            if self.n_lost < 2:
                self.n_lost += 1
                raise OSError("closed")  # distributed's CommClosedError is one
            return values

    assert DaskEngine(Client()).send("data") == "data"


def test_example_all_workers_of_dask_are_killed(dask_cluster):
    large = np.ones(LARGE)

    def work(k):
        time.sleep(0.05)
        return k * large[0]

    results = Runner(executor=Cluster(dask_cluster.engine)).map("work", work, range(60))
    first = next(results)
    for victim in dask_cluster.pids():
        os.kill(victim, signal.SIGKILL)
    assert [first, *results] == list(range(60))


def test_example_what_is_left_is_cancelled(cluster, executor):
    def work(k):
        time.sleep(0.2)
        return k

    results = Runner(executor=executor).map("work", work, range(10_000))
    next(results)
    results.close()
    until = time.monotonic() + 30
    while cluster.has_work() and time.monotonic() < until:
        time.sleep(0.05)
    assert not cluster.has_work()


def test_example_by_name_and_by_client(cluster, dask_cluster):
    here = markhood.learn(DATA)
    assert markhood.learn(DATA, run=markhood.Run(executor=cluster.name)) == here
    assert (
        markhood.learn(DATA, run=markhood.Run(executor=cluster.name, scheduler=cluster.scheduler))
        == here
    )
    assert markhood.learn(DATA, run=markhood.Run(executor=dask_cluster.client)) == here


def test_property_joblib_is_respected(cluster):
    if cluster.name == "ray":
        from ray.util.joblib import register_ray

        register_ray()
    with joblib.parallel_config(backend=cluster.name):
        pids = set(Runner().map("work", lambda _: os.getpid(), range(8)))
        there = PLRHC().fit(DATA).graph_
        alone = set(Runner(1).map("work", lambda _: os.getpid(), range(8)))
    assert os.getpid() not in pids
    assert alone == {os.getpid()}
    assert there == PLRHC().fit(DATA).graph_


def test_example_no_cluster_there_is_one_sentence(dask_cluster, tmp_path):
    with (
        pytest.raises(InputError, match="No Dask scheduler answers at nonsense://here"),
        executor_named("dask", "nonsense://here"),
    ):
        pass
    np.save(tmp_path / "data.npy", DATA)
    done = subprocess.run(
        [*COMMAND, "learn", tmp_path / "data.npy", "--executor=ray", "--scheduler=127.0.0.1:1"],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    (sentence,) = done.stderr.splitlines()
    assert sentence.startswith("markhood: No Ray cluster answers at 127.0.0.1:1 (")


def test_property_replicates_of_the_paper_are_the_same(executor, tmp_path):
    cells, quick = [c for c in Screening().cells if c.variables == 64][:1], Sampling(50, 2)
    texts = []
    for name, runner in {"here": Runner(1), "there": Runner(executor=executor)}.items():
        run(Screening(), cells, 3, tmp_path / name, runner, quick)
        texts.append(sorted((tmp_path / name).read_text().splitlines()))
    assert texts[0] == texts[1]


@pytest.fixture
def votes(tmp_path):
    np.save(tmp_path / "votes.npy", DATA)
    return tmp_path / "votes.npy"


def test_example_command_line(cluster, votes, tmp_path):
    out = tmp_path / "graph.json"
    options = ["--executor", cluster.name, "--scheduler", cluster.scheduler]
    options += ["--checkpoint", str(tmp_path / "tiles"), "-o", str(out)]
    done = subprocess.run(
        [*COMMAND, "learn", str(votes), *options], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert markhood.read_graph(out) == markhood.learn(DATA)
    assert (tmp_path / "tiles" / "run.json").exists()


def test_example_command_line_of_the_paper(cluster, tmp_path):
    options = ["--executor", cluster.name, "--scheduler", cluster.scheduler]
    options += ["--networks", "hub", "--variables", "64", "--samples", "250", "--replicates", "2"]
    options += ["--burn-in", "50", "--thinning", "2", "-o", str(tmp_path)]
    done = subprocess.run(
        [*COMMAND, "paper", "comparison", "--methods", "plrhc", *options],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert len((tmp_path / "comparison-plrhc.csv").read_text().splitlines()) == 4


def test_example_control_c_is_clean(cluster, tmp_path):
    rng = np.random.default_rng(0)
    shared = 1 / (
        1 + np.exp(-rng.normal(size=(20_000, 1)))
    )  # all depend on it, and so on each other
    np.save(tmp_path / "long.npy", rng.random((20_000, 1500)) < shared)
    options = ["--method", "hc", "--executor", cluster.name, "--scheduler", cluster.scheduler]
    process = subprocess.Popen(
        [*COMMAND, "learn", str(tmp_path / "long.npy"), *options], stderr=subprocess.PIPE, text=True
    )
    until = time.monotonic() + 60
    while not cluster.has_work() and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert errors.strip().splitlines()[-1] == "markhood: stopped."
    while cluster.has_work() and time.monotonic() < until:
        time.sleep(0.05)
    assert not cluster.has_work()
