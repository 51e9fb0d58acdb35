import sys
from contextlib import contextmanager

import numpy as np
import pytest
from typer.testing import CliRunner

import markhood
from markhood.commandline.app import app
from markhood.execution.executors import Local, Threads, executor_named
from markhood.learning.methods import Plrhc
from markhood.learning.request import Request
from messages import refuses
from oracles.networks import network

DATA = network(5, 100, 6, strength=1.5)


def test_example_names():
    with executor_named(None) as executor:
        assert isinstance(executor, Local)
    with executor_named("threads", n_jobs=3) as executor:
        assert executor == Threads(3)
    with executor_named("threads") as executor:
        assert executor == Threads(1)
    assert markhood.learn(DATA, n_jobs=2, run=markhood.Run(executor="threads")) == markhood.learn(
        DATA
    )


@pytest.mark.parametrize(
    ("arguments", "code", "where"),
    [
        ({"executor": "spark"}, "option-unknown", "executor"),
        ({"executor": 3}, "option-unknown", "executor"),
        ({"scheduler": "tcp://h:1"}, "option-conflict", "scheduler"),
        ({"executor": "threads", "scheduler": "tcp://h:1"}, "option-conflict", "scheduler"),
    ],
)
def test_example_what_is_not_there_is_refused(arguments, code, where):
    with refuses(code, where):
        markhood.learn(DATA, run=markhood.Run(**arguments))


def test_example_the_executor_is_opened_once_and_before_the_data_are_read(monkeypatch, tmp_path):
    events = []

    @contextmanager
    def recorded(*arguments):
        events.append("opened")
        with executor_named(*arguments) as executor:
            yield executor
        events.append("closed")

    monkeypatch.setattr("markhood.learning.request.executor_named", recorded)
    np.save(tmp_path / "data.npy", DATA)
    with Request.of(Plrhc(), {"executor": "threads", "n_jobs": 1}) as request:
        assert events == ["opened"]
        request.learn(request.read(tmp_path / "data.npy"))
    assert events == ["opened", "closed"]
    Request.of(Plrhc(), {"n_jobs": 1}).learn(
        request.read(DATA)
    )  # without `with`, for the work only
    assert events == ["opened", "closed"] * 2


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"executor": "spark"}, "option-unknown"),
        ({"scheduler": "tcp://h:1"}, "option-conflict"),
    ],
)
def test_example_a_wrong_executor_is_reported_before_a_wrong_file(options, code):
    with refuses(code, next(iter(options))):
        markhood.learn("no such file.csv", run=markhood.Run(**options))
    with refuses(code, next(iter(options))):
        markhood.PLRHC(run=markhood.Run(**options)).fit("no such file.csv")
    typed = [f"--{name}={value}" for name, value in options.items()]
    done = CliRunner().invoke(app, ["learn", "no such file.csv", *typed])
    assert done.exit_code == 2
    assert f"[{code}]" in done.stderr


@pytest.mark.parametrize("module", ["distributed", "ray", "cloudpickle"])
def test_example_an_extra_that_is_missing_is_one_sentence(module, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    for name in {"distributed": ["dask"], "ray": ["ray"]}.get(module, ["dask", "ray"]):
        with refuses("library-missing"):
            markhood.learn(DATA, run=markhood.Run(executor=name))
