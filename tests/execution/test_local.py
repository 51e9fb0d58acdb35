"""Executors of this machine: threads, and the processes of joblib."""

import os
import signal
import time

import joblib
import numpy as np
import pytest
from joblib.externals.loky import get_reusable_executor
from joblib.externals.loky.process_executor import TerminatedWorkerError

from markhood import PLRHC, HillClimbing
from markhood.data.coding.encode import encode
from markhood.execution.executors import Failure, Local, Threads
from markhood.execution.runner import Runner
from markhood.learning.methods import METHODS
from markhood.learning.request import Request
from oracles.networks import network

DATA = network(5, 300, 40, strength=1.5)


@pytest.fixture
def processes():
    with joblib.parallel_config("loky", n_jobs=2):
        yield
    get_reusable_executor().shutdown(wait=True)


def test_example_threads_are_threads_whatever_joblib_is_set_to(processes):
    found = dict(Threads(2).outcomes(lambda _: os.getpid(), range(4)))
    assert found == dict.fromkeys(range(4), os.getpid())


def test_example_an_error_is_an_outcome():
    found = dict(Threads(2).outcomes(lambda k: 1 // k, [1, 0]))
    assert found[0] == 1
    assert isinstance(found[1], Failure)
    assert isinstance(found[1].error, ZeroDivisionError)


def test_example_processes_are_other_processes(processes):
    pids = set(Runner().map("work", lambda _: os.getpid(), range(8)))
    assert os.getpid() not in pids


def test_example_one_job_stays_here(processes):
    assert list(Runner(1).map("work", lambda _: os.getpid(), range(2))) == [os.getpid()] * 2


@pytest.mark.filterwarnings("ignore:The chains disagree:markhood.errors.DataWarning")
@pytest.mark.parametrize("name", METHODS)
def test_property_processes_learn_the_same(processes, name):
    samples, method = encode(DATA), METHODS[name]()
    assert (
        Request(method).learn(samples).graph
        == Request.of(method, {"n_jobs": 1}).learn(samples).graph
    )


@pytest.mark.parametrize("estimator", [PLRHC(), HillClimbing(rule="and")], ids=["plrhc", "hc"])
def test_property_estimators_learn_the_same_in_processes(processes, estimator):
    there = estimator.fit(DATA).graph_
    assert there == estimator.set_params(n_jobs=1).fit(DATA).graph_


def test_example_a_process_that_is_killed_costs_its_tiles_only(processes):
    def work(k):
        time.sleep(0.05)
        return k, os.getpid()

    results = Runner().map("work", work, range(30))
    first, victim = next(results)
    os.kill(victim, signal.SIGKILL)
    rest = list(results)
    assert [first, *(k for k, _ in rest)] == list(range(30))
    assert victim != rest[-1][1]


def test_example_work_that_always_kills_its_process_is_given_up(processes):
    with pytest.raises(TerminatedWorkerError):
        list(Local().outcomes(lambda _: os.kill(os.getpid(), signal.SIGKILL), range(2)))


# On a busy machine the last tile still runs then, which joblib says.
@pytest.mark.filterwarnings("ignore:.*still being processed:UserWarning")
def test_example_an_error_in_a_process_is_raised_where_its_result_would_come(processes):
    results = Runner().map("work", lambda k: 1 // (2 - k), range(4))
    assert [next(results), next(results)] == [0, 1]
    with pytest.raises(ZeroDivisionError):
        next(results)


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_example_large_arrays_reach_every_backend(backend):
    large = np.arange(1 << 18)
    with joblib.parallel_config(backend, n_jobs=2):
        found = list(Runner().map("work", lambda k: int(large[k]), range(20)))
    assert found == list(range(20))
    get_reusable_executor().shutdown(wait=True)
