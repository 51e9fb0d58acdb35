import builtins

import pytest

import markhood
from markhood.errors import InputError
from markhood.execution.executors import executor_named
from markhood.execution.local import Local, Threads
from oracles.networks import network

DATA = network(5, 100, 6, strength=1.5)


def test_example_names():
    with executor_named(None) as executor:
        assert isinstance(executor, Local)
    with executor_named("threads", n_jobs=3) as executor:
        assert executor == Threads(3)
    with executor_named("threads") as executor:
        assert executor == Threads(1)
    assert markhood.learn(DATA, executor="threads", n_jobs=2) == markhood.learn(DATA)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"executor": "spark"}, "'spark': choose one of threads, dask, ray"),
        ({"executor": 3}, "Unknown executor 3"),
        ({"scheduler": "tcp://h:1"}, "tcp://h:1 is for the executors dask and ray"),
        ({"executor": "threads", "scheduler": "tcp://h:1"}, "for the executors dask and ray"),
    ],
)
def test_example_what_is_not_there_is_refused(arguments, sentence):
    with pytest.raises(InputError, match=sentence):
        markhood.learn(DATA, **arguments)


@pytest.mark.parametrize(("name", "module"), [("dask", "distributed"), ("ray", "ray")])
def test_example_an_extra_that_is_missing_is_one_sentence(name, module, monkeypatch):
    really_import = builtins.__import__

    def without(wanted, *arguments):
        if wanted == module:
            raise ImportError
        return really_import(wanted, *arguments)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(InputError, match=rf"pip install 'markhood\[{name}\]'"):
        markhood.learn(DATA, executor=name)
