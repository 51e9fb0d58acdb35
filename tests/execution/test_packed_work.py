import numpy as np
import pytest

pytest.importorskip("cloudpickle", reason="comes with Dask and Ray: run make test-clusters")

from markhood.execution.cluster import LARGE, forget, has_file, pack, run_tiles
from markhood.execution.executors import Failure

WORDS = np.arange(LARGE // 8)


def never(path, size):
    return False


def test_example_small_arrays_stay_and_large_ones_are_named_once():
    small, large, same = np.arange(3), WORDS, WORDS.copy()
    columns = np.asfortranarray(WORDS.reshape(2, -1))

    def work(k):
        return small[k] + large[k] + same[k] + columns[0, k], columns.flags.f_contiguous

    packed = pack(work, never)
    assert len(packed.arrays) == 2
    assert len(packed.content) < LARGE / 8
    arrays = packed.arrays.values()
    seconds, results = run_tiles(packed.key, packed.content, [0, 1, 2], *arrays)
    assert results == [(0, True), (4, True), (8, True)]
    assert seconds >= 0


def test_example_equal_content_has_equal_names():
    arrays = (WORDS, WORDS.copy(), WORDS.view(np.float64), WORDS.reshape(2, -1))
    one, same, typed, shaped = (set(pack(lambda a=a: a, never).arrays) for a in arrays)
    assert one == same
    assert len(one | typed | shaped) == 3


def test_example_work_is_unpacked_once_and_forgotten_when_done():
    packed = pack(lambda _: WORDS, never)
    (array,) = packed.arrays.values()
    (first,) = run_tiles(packed.key, packed.content, [0], array)[1]
    (again,) = run_tiles(packed.key, b"not looked at", [0], array)[1]
    assert first is again is array
    forget("another")
    assert not isinstance(run_tiles(packed.key, b"", [0], array)[1][0], Failure)
    forget(packed.key)
    assert isinstance(run_tiles(packed.key, b"", [0], array)[1][0], Failure)


def test_example_an_array_of_a_shared_file_travels_as_its_path(tmp_path):
    path = tmp_path / "words.npy"
    np.save(path, WORDS)
    mapped = np.load(path, mmap_mode="r")
    packed = pack(lambda k: (mapped[k], type(mapped).__name__), has_file)
    assert packed.arrays == {}
    assert run_tiles(packed.key, packed.content, [7])[1] == [(7, "memmap")]
    assert len(pack(lambda: mapped, never).arrays) == 1  # nobody else has the file
    np.save(path, np.concatenate([WORDS, WORDS]))
    whole = np.load(path, mmap_mode="r")
    part = whole[5:]
    assert len(pack(lambda: part, has_file).arrays) == 1  # only wholes are named by their file


def test_example_a_file_is_the_same_by_path_and_size(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"1234")
    assert has_file(str(path), 4)
    assert not has_file(str(path), 5)
    assert not has_file(str(tmp_path / "b"), 4)


def test_example_misaligned_arrays_are_moved():
    # As they may come out of a message.
    raw = np.empty(WORDS.nbytes + 1, np.uint8)[1:]
    raw[:] = WORDS.view(np.uint8)
    misaligned = raw.view(np.int64)
    assert not misaligned.flags.aligned
    packed = pack(lambda k: (int(WORDS[k]), WORDS.flags.aligned), never)
    assert run_tiles(packed.key, packed.content, [3], misaligned)[1] == [(3, True)]


def test_example_a_failure_says_where_it_happened():
    packed = pack(lambda k: 1 // k, never)
    results = run_tiles(packed.key, packed.content, [1, 0, 1])[1]
    assert results[0] == 1
    assert len(results) == 2
    assert isinstance(results[1].error, ZeroDivisionError)
    assert "On a worker" in results[1].error.__notes__[0]
