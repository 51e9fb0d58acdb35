"""Values as JSON, and their content hash."""

import numpy as np
import pytest

from markhood.content import MOST_NUMBERS, as_json, content_hash, from_json
from markhood.model.ising.model import IsingModel
from markhood.scores.bic import Bic
from markhood.simulate import chain
from messages import refuses


class Holder:
    def __init__(self, inner):
        self.inner = inner


@pytest.mark.parametrize(
    "value",
    [None, True, 3, 0.5, "a", (1, ("b", 2.0)), {"a": (1,)}, {("a", "b"): 0.5}, np.arange(4.0)],
)
def test_property_small_values_come_back(value):
    again = from_json(as_json(value), "option")
    assert content_hash(again) == content_hash(value)


@pytest.mark.parametrize(
    "value", [np.zeros(MOST_NUMBERS + 1), tuple(range(MOST_NUMBERS + 1)), Holder(1)]
)
def test_example_large_values_and_objects_are_stored_by_their_hash(value):
    stored = as_json(value)
    assert stored["hash"] == content_hash(value)
    with refuses("option-needed", "weights"):
        from_json(stored, "weights")


def test_example_arrays_that_numpy_abbreviates_differ():
    one, other = np.zeros(2000), np.zeros(2000)
    other[1000] = 1
    assert repr(one) == repr(other)
    assert content_hash(one) != content_hash(other)


def test_example_objects_are_what_they_hold():
    assert content_hash(Holder(Bic(0.5))) == content_hash(Holder(Bic(0.5)))
    assert content_hash(Holder(Bic(0.5))) != content_hash(Holder(Bic(0.6)))
    with refuses("checkpoint", "builtin_function_or_method"):
        content_hash(Holder(open))


def test_example_models_with_other_couplings_differ():
    strong, weak = (IsingModel(chain(3), np.full(2, c), np.zeros(3)) for c in (3.0, -3.0))
    before = content_hash(strong)
    strong.sample(5, 0)
    assert content_hash(strong) == before  # what was derived on the way does not count
    assert content_hash(weak) != before
