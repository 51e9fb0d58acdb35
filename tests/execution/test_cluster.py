"""Cluster code that needs no cluster: bundles of tiles, and recovery after a loss of data."""

from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("cloudpickle", reason="comes with Dask and Ray: run make test-clusters")

from markhood.execution.cluster import MOST_LOSSES, Cluster, DataLostError, _Bundles, run_tiles
from markhood.execution.runner import Runner


class Pretended:
    """An engine that runs every call when its result is asked for, the newest call first."""

    def __init__(self, losses=()):
        self.losses = deque(losses)
        self.most_under_way = 0
        self.sizes = []
        self.ended = []
        self.n_sent = 0

    def slots(self):
        return 3

    def opens(self, path, size):
        return False

    def send(self, value):
        self.n_sent += 1
        return value

    def call(self, key, content, tiles, arrays):
        self.sizes.append(len(tiles))
        return (len(self.sizes), key, content, tuple(tiles))

    def finished(self, calls):
        self.most_under_way = max(self.most_under_way, len(calls))
        return [calls[-1]]

    def result(self, call):
        if self.losses and self.losses.popleft():
            raise DataLostError
        return run_tiles(*call[1:])

    def end(self, calls, key):
        self.ended += calls


@given(st.integers(0, 300), st.lists(st.booleans(), max_size=20))
def test_property_every_tile_is_run_whatever_is_lost(n, losses):
    for k in range(len(losses) - MOST_LOSSES):  # as many in a row as are borne
        losses[k + MOST_LOSSES] &= not all(losses[k : k + MOST_LOSSES])
    engine = Pretended(losses)
    found = list(Runner(executor=Cluster(engine)).map("work", lambda k: k * k, range(n)))
    assert found == [k * k for k in range(n)]
    assert engine.most_under_way <= 6


def test_example_data_that_are_always_lost_are_given_up():
    engine = Pretended([True] * 10)
    with pytest.raises(DataLostError):
        list(Cluster(engine).outcomes(abs, range(20)))
    assert engine.n_sent == MOST_LOSSES + 1


def test_example_quick_tiles_travel_together_and_the_last_ones_are_shared():
    engine = Pretended()
    list(Cluster(engine).outcomes(abs, range(10_000)))
    assert engine.sizes[:6] == [1] * 6
    assert max(engine.sizes) > 500
    assert engine.sizes[-1] < 10


def test_example_slow_tiles_travel_alone():
    bundles = _Bundles(100)
    bundles.take(2)
    bundles.note(1, seconds=5.0)
    assert len(bundles.take(2)) == 1


def test_example_an_iterator_that_is_closed_ends_its_calls():
    engine = Pretended()
    outcomes = Cluster(engine).outcomes(abs, range(100))
    next(outcomes)
    assert engine.ended == []
    outcomes.close()
    assert len(engine.ended) == 5
