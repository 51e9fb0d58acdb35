import sys

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


@pytest.mark.parametrize("module", ["distributed", "ray", "cloudpickle"])
def test_example_an_extra_that_is_missing_is_one_sentence(module, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    for name in {"distributed": ["dask"], "ray": ["ray"]}.get(module, ["dask", "ray"]):
        with pytest.raises(InputError, match=rf"pip install 'markhood\[{name}\]'"):
            markhood.learn(DATA, executor=name)
