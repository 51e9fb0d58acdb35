import json
import pickle
import struct
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import markhood
from markhood.data.coding.encode import encode
from markhood.errors import InputError
from markhood.execution.checkpoint import Checkpoint, SavedPhase
from markhood.execution.runner import Runner
from markhood.kernels.lists import Lists
from markhood.kernels.protocol import Blankets
from markhood.learning.methods import METHODS, Plrhc
from markhood.learning.request import Options, Request
from markhood.scores.bic import Bic
from oracles.networks import network

RUN = {"version": "1", "gamma": "0.5"}
DATA = network(3, 300, 40, strength=1.5)


def squares(folder, tiles, stop_at=None, run=RUN):
    """Square the tiles; return the results and the tiles that were worked on."""
    worked_on = []

    def work(k):
        if k == stop_at:
            raise KeyboardInterrupt
        worked_on.append(k)
        return k * k

    results = []
    try:
        results.extend(Runner(checkpoint=Checkpoint(folder, run)).map("squares", work, tiles))
    except KeyboardInterrupt:
        assert stop_at is not None
    return results, worked_on


@given(st.integers(0, 12), st.integers(0, 12))
def test_property_a_stopped_run_goes_on_where_it_was(n, stop_at):
    with TemporaryDirectory() as folder:
        squares(folder, range(n), stop_at)
        results, worked_on = squares(folder, range(n))
    assert results == [k * k for k in range(n)]
    assert worked_on == list(range(min(stop_at, n), n))


@given(st.data())
def test_property_a_file_cut_off_anywhere_loses_its_end_only(data):
    with TemporaryDirectory() as folder:
        for stop_at in (3, 6, 9):  # a record each
            squares(folder, range(9), stop_at)
        (path,) = Path(folder).glob("*.tiles")
        whole = path.read_bytes()
        path.write_bytes(whole[: data.draw(st.integers(0, len(whole)))])
        results, worked_on = squares(folder, range(9))
        assert results == [k * k for k in range(9)]
        assert worked_on == list(range(9 - len(worked_on), 9))
        assert squares(folder, range(9))[1] == []


def test_example_damage_in_the_middle_is_noticed(tmp_path):
    squares(tmp_path, range(9), stop_at=4)
    squares(tmp_path, range(9))
    (path,) = tmp_path.glob("*.tiles")
    content = bytearray(path.read_bytes())
    content[-3] ^= 1
    path.write_bytes(content)
    results, worked_on = squares(tmp_path, range(9))
    assert results == [k * k for k in range(9)]
    assert worked_on == [4, 5, 6, 7, 8]


def test_example_a_length_that_cannot_be_is_no_record(tmp_path):
    squares(tmp_path, range(4))
    (path,) = tmp_path.glob("*.tiles")
    with path.open("ab") as file:
        file.write(struct.pack("<Q16s", 1 << 62, b"") + b"more")
    assert squares(tmp_path, range(4))[1] == []


def test_example_tiles_cut_in_another_way_are_run_anew(tmp_path):
    squares(tmp_path, range(5))
    assert squares(tmp_path, range(4)) == ([0, 1, 4, 9], [0, 1, 2, 3])


def test_example_phases_of_one_name_are_kept_apart(tmp_path):
    for _ in range(2):
        runner = Runner(checkpoint=Checkpoint(tmp_path, RUN))
        assert list(runner.map("work", lambda k: k + 1, range(3))) == [1, 2, 3]
        assert list(runner.map("work", lambda k: k + 2, range(3))) == [2, 3, 4]
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "1-work.tiles",
        "2-work.tiles",
        "run.json",
    ]


def test_example_progress_begins_with_what_is_there(tmp_path):
    squares(tmp_path, range(5), stop_at=2)
    told = []
    runner = Runner(1, lambda *news: told.append(news), checkpoint=Checkpoint(tmp_path, RUN))
    list(runner.map("squares", lambda k: k * k, range(5)))
    assert told == [("squares", done, 5) for done in (2, 3, 4, 5)]


def test_example_an_error_is_not_saved(tmp_path):
    with pytest.raises(ZeroDivisionError):
        list(Runner(2, checkpoint=Checkpoint(tmp_path, RUN)).map("w", lambda k: 1 / k, [1, 2, 0]))
    again = Runner(2, checkpoint=Checkpoint(tmp_path, RUN))
    assert list(again.map("w", lambda k: 3.0 if k == 0 else None, [1, 2, 0])) == [1.0, 0.5, 3.0]


def test_example_another_run_is_refused_by_what_differs(tmp_path):
    squares(tmp_path, range(3))
    with pytest.raises(InputError, match=r"another run \(gamma was 0.5, now 0.25\): name"):
        squares(tmp_path, range(3), run={**RUN, "gamma": "0.25"})
    with pytest.raises(InputError, match=r"\(depth was not set, now 3\)"):
        squares(tmp_path, range(3), run={**RUN, "depth": "3"})


def test_example_a_folder_of_other_things_is_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("precious")
    with pytest.raises(InputError, match="holds other things"):
        Checkpoint(tmp_path, RUN)
    with pytest.raises(InputError, match="cannot be saved"):
        Checkpoint(tmp_path / "thesis.txt" / "below", RUN)
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.txt"]


def test_example_a_manifest_that_is_none_is_refused(tmp_path):
    (tmp_path / "run.json").write_text("{")
    with pytest.raises(InputError, match="version was not set, now 1"):
        Checkpoint(tmp_path, RUN)


class Trap:
    def __reduce__(self):
        return exec, ("print('sprung')",)


def test_example_reading_runs_no_code(tmp_path, capsys):
    path = tmp_path / "1-x.tiles"
    with SavedPhase(path, b"tiles") as phase:
        phase.add(0, Trap())
    with pytest.raises(InputError, match=r"mention builtins\.exec"):
        SavedPhase(path, b"tiles")
    assert capsys.readouterr().out == ""
    assert pickle.dumps(Trap())  # it would have been


def test_example_records_of_markhood_come_back(tmp_path):
    found = Blankets(Lists.of([[1, 2], []]), np.array([0.5, np.nan]), np.array([1, 2]))
    for value in (found, [np.arange(3.0), None], (np.float64(2.5), {"a": 1}), np.arange(6)[::2]):
        path = tmp_path / "1-x.tiles"
        path.unlink(missing_ok=True)
        with SavedPhase(path, b"tiles") as phase:
            phase.add(7, value)
        with SavedPhase(path, b"tiles") as phase:
            assert repr(phase.finished) == repr({7: value})


@pytest.mark.parametrize("name", METHODS)
def test_property_every_method_goes_on_from_its_tiles(name, tmp_path, monkeypatch):
    monkeypatch.setattr("markhood.execution.checkpoint.SECONDS_PER_RECORD", 0.0)
    samples, method = encode(DATA), METHODS[name]()
    plain = Request(method).learn(samples)
    first = Request(method, Options(checkpoint=tmp_path)).learn(samples)
    for path in tmp_path.glob("*.tiles"):
        path.write_bytes(path.read_bytes()[:-1])  # the last record of every phase is lost
    again = Request(method, Options(checkpoint=tmp_path)).learn(samples)
    assert plain.graph == first.graph == again.graph
    only_saved = Options(kernels=_Nothing(), checkpoint=tmp_path)
    complete = Request(method, only_saved).learn(samples)
    assert complete.graph == plain.graph


class _Nothing:
    """Kernels that are good for cutting tiles only: what is saved need not be computed."""

    def __getattr__(self, name):
        from markhood.kernels.native import NativeKernels

        # The steps of a climb follow each other and are not saved.
        assert name not in ("associated_pairs", "grow_blankets", "fit_blankets", "l1_paths")
        return getattr(NativeKernels(), name)


def test_example_learn_names_what_differs(tmp_path):
    markhood.learn(DATA, checkpoint=tmp_path)
    about = json.loads((tmp_path / "run.json").read_text())
    assert about["method"] == "plrhc"
    assert about["version"] == markhood.__version__
    with pytest.raises(InputError, match=r"\(gamma was 0.5, now 0.25\)"):
        markhood.learn(DATA, gamma=0.25, checkpoint=tmp_path)
    with pytest.raises(InputError, match=r"\(data was \w+, now \w+\)"):
        markhood.learn(1 - DATA[:-1], checkpoint=tmp_path)


def test_example_a_criterion_of_ones_own_is_known_again(tmp_path):
    class Own:
        def score(self, table):
            return 0.0

    folder = tmp_path / "tiles"
    one, other = (
        Request(Plrhc(criterion=Own()), Options(checkpoint=folder)).learn(encode(DATA))
        for _ in range(2)
    )
    assert one.graph == other.graph


class Priced:
    """A criterion with a state: what a neighbour costs."""

    def __init__(self, price):
        self.price = price

    def score(self, table):
        return Bic(0.5).score(table) - self.price * table.n_blanket


def test_example_what_a_criterion_holds_is_part_of_the_run(tmp_path):
    def learned(price):
        options = Options(checkpoint=tmp_path / "tiles")
        return Request(Plrhc(criterion=Priced(price)), options).learn(encode(DATA)).graph

    cheap = learned(0.1)
    assert learned(0.1) == cheap
    assert cheap.n_edges > 0
    with pytest.raises(InputError, match=r"criterion was .*Priced"):
        learned(1e6)


def test_example_a_criterion_that_cannot_be_told_from_another_is_refused(tmp_path):
    options = Options(checkpoint=tmp_path / "tiles")
    with pytest.raises(InputError, match="holds a function cannot be told from another"):
        Request(Plrhc(criterion=Priced(lambda: 1)), options).learn(encode(DATA))
    assert not (tmp_path / "tiles").exists()
