import errno
import json
import os
import struct
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import markhood
from markhood.data.coding.encode import encode
from markhood.errors import InputError
from markhood.execution.checkpoint import HEAD, Checkpoint, SavedPhase, _hash, _records
from markhood.execution.runner import Runner
from markhood.execution.tile_codec import decode_result, encode_result
from markhood.kernels.lists import Lists
from markhood.kernels.protocol import RESULTS, Blankets
from markhood.learning.methods import METHODS, Plrhc
from markhood.learning.request import Request
from markhood.scores.bic import Bic
from messages import refuses
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
        for stop_at in (3, 6, 9):
            squares(folder, range(9), stop_at)
        (path,) = Path(folder).glob("*.tiles")
        whole = path.read_bytes()
        path.write_bytes(whole[: data.draw(st.integers(0, len(whole)))])
        results, worked_on = squares(folder, range(9))
        assert results == [k * k for k in range(9)]
        assert worked_on == list(range(9 - len(worked_on), 9))
        assert squares(folder, range(9))[1] == []


def test_example_damage_in_the_middle_is_noticed(tmp_path):
    squares(tmp_path, range(9))
    (path,) = tmp_path.glob("*.tiles")
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    results, worked_on = squares(tmp_path, range(9))
    assert results == [k * k for k in range(9)]
    assert worked_on == list(range(worked_on[0], 9))
    assert 1 < worked_on[0] < 8


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
    with pytest.raises(InputError, match=r"\(gamma was 0.5, now 0.25\)"):
        squares(tmp_path, range(3), run={**RUN, "gamma": "0.25"})
    with pytest.raises(InputError, match=r"\(depth was not set, now 3\)"):
        squares(tmp_path, range(3), run={**RUN, "depth": "3"})


def test_example_a_folder_of_other_things_is_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("precious")
    with refuses("checkpoint"):
        Checkpoint(tmp_path, RUN)
    with refuses("file-not-writable"):
        Checkpoint(tmp_path / "thesis.txt" / "below", RUN)
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.txt"]


def test_example_a_manifest_that_is_none_is_refused(tmp_path):
    (tmp_path / "run.json").write_text("{")
    with pytest.raises(InputError, match="version was not set, now 1"):
        Checkpoint(tmp_path, RUN)


def saved(path, value, records=()):
    """Save a value as the result of tile 7, and return what comes back."""
    path.unlink(missing_ok=True)
    with SavedPhase(path, b"tiles", 8, records) as phase:
        phase.add(7, value)
    with SavedPhase(path, b"tiles", 8, records) as phase:
        return dict(phase.results())


def test_example_what_is_there_is_read_a_record_at_a_time(tmp_path, monkeypatch):
    path = tmp_path / "1-x.tiles"
    for tile in range(3):  # a record each
        with SavedPhase(path, b"tiles", 8) as phase:
            assert [number for number, _ in phase.results()] == list(range(tile))
            phase.add(tile, np.arange(4))
    decoded = []

    def decode(content, records):
        decoded.append(content)
        return decode_result(content, records)

    monkeypatch.setattr("markhood.execution.checkpoint.decode_result", decode)
    with SavedPhase(path, b"tiles", 8) as phase, closing(phase.results()) as results:
        assert not decoded
        assert next(results)[0] == 0
        assert len(decoded) == 1


class Trap:
    def __reduce__(self):
        return exec, ("print('sprung')",)


def test_example_nothing_but_data_is_saved(tmp_path):
    for value in (Trap(), np.array([Trap()]), np.zeros(2, [("a", "O")]), {1, 2}, np.array("x")):
        with pytest.raises(TypeError, match="saved"):
            saved(tmp_path / "1-x.tiles", value)


def test_example_records_come_back_where_they_are_known(tmp_path):
    path = tmp_path / "1-x.tiles"
    found = Blankets(
        Lists.of([[1, 2], []]), np.array([0.5, np.nan]), np.array([1, 2]), 0, np.array([0, 1])
    )
    for value in (found, [np.arange(3.0), None], (np.float64(2.5), {"a": 1}), np.arange(6)[::2],
                  np.array(True), np.zeros((0, 2)), float("inf"), 2**70, "\ud800"):  # fmt: skip
        assert repr(saved(path, value, RESULTS)) == repr({7: value})
    saved(path, found, RESULTS)
    with SavedPhase(path, b"tiles", 8) as phase:
        assert dict(phase.results()) == {}
    saved(path, 1)
    with SavedPhase(path, b"tiles", 7) as phase:  # there is no tile 7
        assert dict(phase.results()) == {}


def sealed(*contents):
    """Return a file of tiles whose records have these contents, and hashes that fit."""
    whole = (b"tiles", *contents)
    return b"".join(HEAD.pack(len(c), _hash(c)) + c for c in whole)


@given(st.binary(max_size=60), st.integers(0, 200), st.binary(min_size=1, max_size=4))
def test_property_sealed_records_of_any_content_are_results_or_run_again(content, at, change):
    good = encode_result([(0, (1.5, np.arange(4), [Lists.of([[1]])]))], RESULTS)
    at %= len(good)
    with TemporaryDirectory() as folder:
        path = Path(folder, "1-x.tiles")
        for record in (content, good[:at] + change + good[at + len(change) :], good[:at]):
            path.write_bytes(sealed(good, record))
            with SavedPhase(path, b"tiles", 2, RESULTS) as phase:
                finished = dict(phase.results())
                assert set(finished) <= {0, 1}
                assert 0 in finished


@pytest.mark.parametrize("structure", [
    '[[0, {"record": ["Path", ["x"]]}]]', '[[0, {"array": ["|O", [1]]}]]', '[[0, {"array": ["<f8", [-1]]}]]',
    '[[0, {"array": ["<f8", [4611686018427387904, 4]]}]]', '[[0, {"array": [["a", "<f8"], [1]]}]]',
    '[[true, 1]]', '[[-1, 1]]', '[[9, 1]]', '3', '{}', "[" * 100000, '[[0, {"scalar": ["<f8", [0]]}]]',
    '[[0, {"array": ["<M8", [1]]}]]', '[[0, {"dict": [[[], 1]]}]]',
])  # fmt: skip
def test_example_structures_that_nobody_wrote(tmp_path, structure):
    text = structure.encode()
    path = tmp_path / "1-x.tiles"
    path.write_bytes(sealed(struct.pack("<Q", len(text)) + text + bytes(8)))
    with SavedPhase(path, b"tiles", 2, RESULTS) as phase:
        assert dict(phase.results()) == {}


def test_example_links_are_taken_away_and_what_they_lead_to_is_left_alone(tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("precious")
    for link in (os.symlink, os.link):
        folder = tmp_path / link.__name__
        Checkpoint(folder, RUN)
        link(victim, folder / "1-squares.tiles")
        assert squares(folder, range(4))[0] == [0, 1, 4, 9]
        assert squares(folder, range(4))[1] == []
        assert victim.read_text() == "precious"
    os.mkfifo(folder / "2-squares.tiles")
    checkpoint = Checkpoint(folder, RUN)
    with checkpoint.phase("squares", range(4)):
        pass
    with refuses("checkpoint"):
        checkpoint.phase("squares", range(4))


@pytest.mark.parametrize("left", ["run.json.new", ".markhood-0123456789abcdef.tmp"])
def test_example_a_folder_that_was_left_at_its_beginning_is_healed(tmp_path, left):
    (tmp_path / left).write_text("{")
    assert squares(tmp_path, range(3))[0] == [0, 1, 4]
    assert squares(tmp_path, range(3))[1] == []


@pytest.mark.parametrize(
    "content", ["[]", "3", "null", "{", "[" * 100000, '{"version": {"a": []}}', ""]
)
def test_example_manifests_that_nobody_wrote(tmp_path, content):
    (tmp_path / "run.json").write_text(content)
    with refuses("checkpoint"):
        Checkpoint(tmp_path, RUN)


def test_example_a_full_disk_is_one_sentence(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    checkpoint = Checkpoint(tmp_path, RUN)
    monkeypatch.setattr(os, "fsync", full)
    with refuses("file-not-writable"):
        list(Runner(checkpoint=checkpoint).map("w", lambda k: k, range(3)))


def test_example_nonsense_in_whole_records_is_one_sentence(tmp_path):
    Request.of(Plrhc(), {"checkpoint": tmp_path}).learn(encode(DATA))
    path = next(tmp_path.glob("*-blankets.tiles"))
    with path.open("rb") as file:
        (_, _), (content, _), *_ = _records(file)
    number, (blankets, n_cut) = decode_result(content, RESULTS)[0]
    wrong = blankets._replace(
        members=Lists(blankets.members.starts, blankets.members.values + 10**6)
    )
    first = path.read_bytes()[: HEAD.size + 16]
    record = encode_result([(number, (wrong, n_cut))], RESULTS)
    path.write_bytes(first + HEAD.pack(len(record), _hash(record)) + record)
    with refuses("checkpoint"):
        Request.of(Plrhc(), {"checkpoint": tmp_path}).learn(encode(DATA))


@pytest.mark.parametrize("name", METHODS)
def test_property_every_method_goes_on_from_its_tiles(name, tmp_path, monkeypatch):
    monkeypatch.setattr("markhood.execution.checkpoint.SECONDS_TO_DISK", 0.0)
    samples, method = encode(DATA), METHODS[name]()
    plain = Request(method).learn(samples)
    first = Request.of(method, {"checkpoint": tmp_path}).learn(samples)
    for path in tmp_path.glob("*.tiles"):
        path.write_bytes(path.read_bytes()[:-1])  # the last record of every phase is lost
    again = Request.of(method, {"checkpoint": tmp_path}).learn(samples)
    assert plain.graph == first.graph == again.graph
    only_saved = {"kernels": _Nothing(), "checkpoint": tmp_path}
    complete = Request.of(method, only_saved).learn(samples)
    assert complete.graph == plain.graph


@pytest.mark.parametrize("name", [name for name in METHODS if not METHODS[name].takes_missing])
def test_property_imputed_learning_goes_on_from_its_tiles(name, tmp_path):
    holes = DATA[:, :8].astype(float)
    holes[np.random.default_rng(1).random(holes.shape) < 0.1] = np.nan
    samples, method = encode(holes, missing="impute"), METHODS[name]()
    plain = Request.of(method, {"imputations": 3}).learn(samples)
    told = []

    def kill(phase, done, total):
        told.append((phase, done))
        if len(told) == 5:
            raise KeyboardInterrupt

    saving = {"imputations": 3, "checkpoint": tmp_path}
    with pytest.raises(KeyboardInterrupt):
        Request.of(method, saving | {"progress": kill}).learn(samples)
    begun = {path: path.read_bytes() for path in tmp_path.glob("*.tiles")}
    again = Request.of(method, saving).learn(samples)
    assert again.graph == plain.graph
    assert len(begun) > 1
    assert all(path.read_bytes().startswith(content) for path, content in begun.items())
    only_saved = {"imputations": 3, "kernels": _Nothing(), "checkpoint": tmp_path}
    assert Request.of(method, only_saved).learn(samples).graph == plain.graph
    with pytest.raises(InputError, match="imputations was 3, now 4"):
        Request.of(method, {"imputations": 4, "checkpoint": tmp_path}).learn(samples)
    with pytest.raises(InputError, match="seed was 0, now 1"):
        Request.of(method, {"imputations": 3, "seed": 1, "checkpoint": tmp_path}).learn(samples)
    with refuses("option-needed", "seed"):
        Request.of(method, {"imputations": 3, "seed": None, "checkpoint": tmp_path}).learn(samples)


def test_property_tiles_of_other_data_or_with_other_numbers_are_run_again(tmp_path):
    """Tiles of another imputed data set, and arrays with the same abbreviated `repr`."""
    tiles = [np.arange(5000.0)]
    changed = [tiles[0] + np.where(np.arange(5000) == 2500, 1e-9, 0)]
    done = []
    for data, own in (("a", tiles), ("a", tiles), ("b", tiles), ("b", changed), ("b", changed)):
        runner = Runner(checkpoint=Checkpoint(tmp_path, RUN), data=data)
        list(runner.map("sums", lambda tile: done.append(1) or tile.sum(), own))
    assert len(done) == 3


class _Nothing:
    """Kernels that are good for cutting tiles only: what is saved need not be computed."""

    def __getattr__(self, name):
        from markhood.kernels.native import NativeKernels

        saved = ("associated_pairs", "grow_blankets", "climb_groups", "fit_blankets", "l1_paths")
        assert name not in saved
        return getattr(NativeKernels(), name)


def test_example_learn_names_what_differs(tmp_path):
    markhood.learn(DATA, run=markhood.Run(checkpoint=tmp_path))
    about = json.loads((tmp_path / "run.json").read_text())
    assert about["method"] == "plrhc"
    assert about["version"] == markhood.__version__
    with pytest.raises(InputError, match=r"\(gamma was 0.5, now 0.25\)"):
        markhood.learn(DATA, gamma=0.25, run=markhood.Run(checkpoint=tmp_path))
    with pytest.raises(InputError, match=r"\(data was \w+, now \w+\)"):
        markhood.learn(1 - DATA[:-1], run=markhood.Run(checkpoint=tmp_path))


def test_example_a_criterion_of_ones_own_is_known_again(tmp_path):
    class Own:
        def score(self, table):
            return 0.0

    folder = tmp_path / "tiles"
    one, other = (
        Request.of(Plrhc(criterion=Own()), {"checkpoint": folder}).learn(encode(DATA))
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
        options = {"checkpoint": tmp_path / "tiles"}
        return Request.of(Plrhc(criterion=Priced(price)), options).learn(encode(DATA)).graph

    cheap = learned(0.1)
    assert learned(0.1) == cheap
    assert cheap.n_edges > 0
    with pytest.raises(InputError, match=r"criterion was .*Priced"):
        learned(1e6)


def test_example_a_criterion_that_cannot_be_told_from_another_is_refused(tmp_path):
    options = {"checkpoint": tmp_path / "tiles"}
    with pytest.raises(InputError, match="function"):
        Request.of(Plrhc(criterion=Priced(lambda: 1)), options).learn(encode(DATA))
    assert not (tmp_path / "tiles").exists()
