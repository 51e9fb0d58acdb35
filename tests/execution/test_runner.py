import threading

import joblib
import pytest
from hypothesis import given
from hypothesis import strategies as st

from markhood.execution.runner import Runner, cut


@given(st.integers(0, 200), st.integers(1, 50))
def test_property_pieces_cover_the_range_once(n, tile):
    pieces = cut(n, tile)
    assert [k for piece in pieces for k in piece] == list(range(n))
    assert all(len(piece) == tile for piece in pieces[:-1])
    assert all(0 < len(piece) <= tile for piece in pieces)


@pytest.mark.parametrize("n_jobs", [None, 1, 2, 4, -1])
@pytest.mark.parametrize("n_tiles", [0, 1, 2, 9])
def test_example_results_come_in_order_and_progress_is_told(n_jobs, n_tiles):
    told = []
    runner = Runner(n_jobs, lambda *news: told.append(news))
    tiles = list(range(n_tiles))
    assert list(runner.map("squares", lambda k: k * k, tiles)) == [k * k for k in tiles]
    assert told == [("squares", done, n_tiles) for done in range(n_tiles + 1)]


def test_example_two_threads_work_at_once():
    both_there = threading.Barrier(2, timeout=20)
    assert len(list(Runner(2).map("meet", lambda _: both_there.wait(), [0, 1]))) == 2


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_example_an_error_is_raised_where_its_result_would_come(n_jobs):
    def work(k):
        if k == 2:
            raise ZeroDivisionError
        return k

    results = Runner(n_jobs).map("work", work, [0, 1, 2, 3])
    assert [next(results), next(results)] == [0, 1]
    with pytest.raises(ZeroDivisionError):
        next(results)


def test_example_joblib_is_respected():
    names = set()

    def work(_):
        names.add(threading.current_thread().name)

    with joblib.parallel_config("threading", n_jobs=2):
        list(Runner().map("work", work, range(8)))
    assert threading.main_thread().name not in names
    names.clear()
    list(Runner().map("work", work, range(8)))
    assert names == {threading.main_thread().name}
