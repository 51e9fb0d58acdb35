from __future__ import annotations

import datetime
import hashlib
import json
import subprocess
import sys
import warnings
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import markhood
from markhood.data.coding.encode import encode
from markhood.data.formats.files import read_file, read_samples
from markhood.data.reading import reading_of
from markhood.data.storage.backends import Files
from markhood.data.storage.packed import write_packed
from markhood.data.storage.packing import pack
from messages import ignores, refuses

CHOICES = [{}, {"missing": "level"}, {"missing": "impute"}, {"missing": "drop"}, {"weights": "w"}]


def assert_same(one, other):
    assert one.names == other.names
    assert one.levels == other.levels
    assert [[type(v) for v in ls] for ls in one.levels] == [
        [type(v) for v in ls] for ls in other.levels
    ]
    assert one.n_samples == other.n_samples
    assert np.array_equal(one.words, other.words)
    assert sorted(one.missing) == sorted(other.missing)
    assert all(np.array_equal(one.missing[j], other.missing[j]) for j in one.missing)
    assert (one.weights is None) == (other.weights is None)
    if one.weights is not None:
        assert np.array_equal(one.weights.counts, other.weights.counts)
        assert one.weights.unit == other.weights.unit


def table(n_samples, choice):
    rng = np.random.default_rng(n_samples)
    frame = {
        "a": rng.integers(0, 2, n_samples).tolist(),
        "b": rng.choice(["x", "y", "z"], n_samples).tolist(),
        "c": (rng.integers(0, 3, n_samples) / 2).tolist(),
        "t": (rng.random(n_samples) < 0.5).tolist(),
    }
    if "missing" in choice:
        frame["b"][1] = frame["a"][n_samples // 2] = None
    if "weights" in choice:
        frame["w"] = rng.integers(0, 20, n_samples) / 4 + 0.25
    return pl.DataFrame(frame)


@pytest.mark.parametrize("choice", CHOICES, ids=str)
@pytest.mark.parametrize("n_samples", [64, 700])
@pytest.mark.parametrize("ending", [".csv", ".parquet", ".arrow"])
@pytest.mark.usefixtures("small_chunks")
def test_property_a_packed_file_is_what_reading_it_gives(
    tmp_path, monkeypatch, ending, n_samples, choice
):
    monkeypatch.setattr("markhood.data.storage.mapped.BLOCK_BYTES", 1)
    path, folder = tmp_path / f"data{ending}", tmp_path / "packed"
    frame = table(n_samples, choice)
    {".csv": frame.write_csv, ".parquet": frame.write_parquet, ".arrow": frame.write_ipc}[ending](
        path
    )
    with pytest.warns(markhood.DataWarning) if choice == {"missing": "drop"} else nullcontext():
        expected = read_samples(path, **choice)
        storage = Files(tmp_path, resident_bytes=1)
        write_packed(read_file(path, replace(reading_of(**choice), storage=storage)), folder)
    packed = read_samples(folder)
    assert isinstance(packed.words, np.memmap)
    assert_same(packed, expected)
    assert packed.fingerprint == expected.fingerprint
    assert sorted(p.name for p in tmp_path.iterdir()) == [path.name, "packed"]


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_property_round_trip_of_any_samples(tmp_path_factory, data):
    texts = st.text(max_size=3).filter(lambda text: "inf" not in text.lower())  # is refused
    values = st.one_of(st.booleans(), st.integers(), st.floats(-1e9, 1e9), texts)
    columns = data.draw(st.lists(st.lists(values, min_size=1, max_size=4), min_size=2, max_size=6))
    n_samples = data.draw(st.integers(2, 130))
    rows = [[column[s % len(column)] for column in columns] for s in range(n_samples)]
    frame = np.array(rows, dtype=object)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", markhood.DataWarning)
        samples = encode(frame, missing="level")  # some texts mean that
    folder = tmp_path_factory.mktemp("packed")
    write_packed(samples, folder)
    again = read_samples(folder)
    assert_same(again, samples)
    again.__dict__.pop("fingerprint")
    assert again.fingerprint == samples.fingerprint


def test_example_dates_come_back_as_text_and_columns_can_be_picked(tmp_path):
    day = datetime.date
    frame = pl.DataFrame(
        {"d": [day(2020, 1, 1), day(2021, 1, 1)] * 2, "e": ["p", "q", "r", "p"], "f": [0, 1, 1, 0]}
    )
    write_packed(encode(frame), tmp_path / "packed")
    assert read_samples(tmp_path / "packed").levels[0] == ("2020-01-01", "2021-01-01")
    picked = read_samples(tmp_path / "packed", columns=["f", "e"])
    assert_same(picked, encode(frame[["f", "e"]]))
    assert picked.fingerprint == encode(frame[["f", "e"]]).fingerprint
    with refuses("unknown-column", "g"):
        read_samples(tmp_path / "packed", columns=["e", "g"])


def test_example_about_is_small_and_names_hashes(tmp_path):
    pack_coins(tmp_path)
    about = json.loads((tmp_path / "packed" / "about.json").read_text())
    assert about["version"] == 1
    assert about["samples"] == 200
    variables = json.loads((tmp_path / "packed" / "variables.json").read_text())
    assert variables["levels"] == [[0, 1]]
    assert "levels_of" not in variables
    assert np.array_equal(np.load(tmp_path / "packed" / "words.npy"), coins().words)


def coins():
    return encode(np.random.default_rng(0).integers(0, 2, (200, 5)))


def pack_coins(tmp_path):
    write_packed(coins(), tmp_path / "packed")
    return tmp_path / "packed"


@pytest.mark.parametrize("name", ["words.npy", "variables.json", "about.json"])
@pytest.mark.parametrize("harm", ["truncated", "flipped", "gone", "longer"])
def test_example_damage_is_one_sentence(tmp_path, name, harm):
    folder = pack_coins(tmp_path)
    content = (folder / name).read_bytes()
    harmed = {
        "truncated": content[:-20],
        "flipped": content[:-10] + bytes([content[-10] ^ 1]) + content[-9:],
        "longer": content + b"more",
    }
    if harm == "gone":
        (folder / name).unlink()
    else:
        (folder / name).write_bytes(harmed[harm])
    if (name, harm) == ("about.json", "gone"):
        expected = ("file-format", "packed")
    else:
        expected = ("file-damaged", "packed")
    with refuses(*expected) as caught:
        read_samples(folder)
    assert "\n" not in str(caught.value)


def test_example_files_that_do_not_fit_together(tmp_path):
    folder = pack_coins(tmp_path)
    about = json.loads((folder / "about.json").read_text())
    (folder / "about.json").write_text(json.dumps(about | {"samples": 5000}))
    with refuses("file-damaged", "packed"):
        read_samples(folder)
    (folder / "about.json").write_text(json.dumps(about | {"version": 9}))
    with refuses("file-format", "packed", "format 9", "format 1"):
        read_samples(folder)


@pytest.mark.parametrize("when", ["packing", "reading"])
def test_property_bins_kinds_and_rare_levels_before_or_after_packing(tmp_path, when):
    rng = np.random.default_rng(4)
    table = pl.DataFrame(
        {
            "age": rng.integers(18, 60, 300),
            "answer": rng.choice([1, 2, 3, 4, 5], 300, p=[0.5, 0.3, 0.14, 0.03, 0.03]),
            "place": rng.choice(["a", "b", "c", "d"], 300, p=[0.5, 0.4, 0.07, 0.03]),
        }
    )
    table.write_csv(tmp_path / "t.csv")
    choices = {
        "bins": {"age": 4},
        "kinds": {"place": "nominal"},
        "table": markhood.TableFormat(merge_rare=15),
    }
    first, then = (choices, {}) if when == "packing" else ({"bins": None}, choices)
    with warnings.catch_warnings(action="ignore", category=markhood.DataWarning):
        pack(tmp_path / "t.csv", tmp_path / "packed", **first)
    found, expected = read_samples(tmp_path / "packed", **then), encode(table, **choices)
    assert_same(found, expected)
    assert found.variables == expected.variables
    assert found.variables.kinds == ("ordinal", "ordinal", "nominal")
    assert found.levels[1:] == ((1, 2, 3, "4 or 5"), ("a", "b", "other"))


def test_example_what_cannot_be_written_or_read_so(tmp_path):
    folder = pack_coins(tmp_path)
    with refuses("file-exists", "packed"):
        write_packed(coins(), folder)
    with refuses("file-not-found", "no"):
        write_packed(coins(), tmp_path / "no" / "packed")
    with refuses("option-conflict", "missing"):
        read_samples(folder, missing="drop")
    with refuses("file-not-found", "none.csv"):
        pack(tmp_path / "none.csv", tmp_path / "other")
    assert [p.name for p in tmp_path.iterdir()] == ["packed"]


def test_example_nothing_is_left_after_an_error(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("markhood.data.storage.packed._write", full)
    with refuses("file-not-writable", "packed", "No space left on device"):
        pack_coins(tmp_path)
    assert not list(tmp_path.iterdir())


def test_example_a_disk_that_is_too_small(tmp_path, monkeypatch):
    usage = type("Usage", (), {"free": 100})
    monkeypatch.setattr("markhood.data.storage.backends.shutil.disk_usage", lambda _: usage)
    with refuses("file-not-writable", tmp_path.name, "128 bytes", "100 bytes"):
        Files(tmp_path).require(2, 512)


@ignores("identical-columns")
def test_example_every_learner_takes_the_folder(tmp_path):
    rng = np.random.default_rng(0)
    data = rng.integers(0, 2, (300, 4))
    data[:, 3] = data[:, 0]
    write_packed(encode(data), tmp_path / "packed")
    expected = markhood.learn(data)
    assert markhood.learn(tmp_path / "packed") == expected
    assert markhood.learn(str(tmp_path / "packed"), n_jobs=2).edges.tolist() == [[0, 3]]
    fitted = markhood.PLRHC().fit(tmp_path / "packed")
    assert fitted.graph_ == expected
    assert fitted.n_features_in_ == 4
    assert fitted.feature_names_in_.tolist() == ["x0", "x1", "x2", "x3"]


PEAK = """
import pathlib, sys
import markhood, markhood.data.storage.packing, numpy

def peak():
    return int(pathlib.Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])

markhood.pack(sys.argv[1], sys.argv[2])
before = peak()
markhood.pack(sys.argv[3], sys.argv[4])
print(before, peak())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="peaks are read from /proc")
def test_example_packing_takes_memory_of_a_few_chunks(tmp_path):
    small, large = tmp_path / "small.npy", tmp_path / "large.npy"
    np.save(small, np.eye(2, dtype=np.uint8).repeat(8, axis=0))
    shape = (16 * 1024, 20_000)
    values = np.lib.format.open_memmap(large, mode="w+", dtype=np.uint8, shape=shape)
    values[::2] = 1
    values.flush()
    del values
    places = [small, tmp_path / "a", large, tmp_path / "b"]
    command = [sys.executable, "-W", "ignore", "-c", PEAK, *map(str, places)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    before, after = map(int, done.stdout.split())
    packed = (tmp_path / "b" / "words.npy").stat().st_size
    assert packed > 40e6
    assert (after - before) * 1024 < 200e6  # of 328 MB of values and 41 MB of bits


def sealed(folder, **changes):
    """Change files of a packed folder, or what `about` says, so that all hashes fit again."""
    about = json.loads((folder / "about.json").read_text())
    for name, change in changes.items():
        if name in about and not callable(change):
            about[name] = change
            continue
        path = folder / (f"{name}.json" if name == "variables" else f"{name}.npy")
        if name == "variables":
            content = json.dumps(change(json.loads(path.read_text()))).encode()
            path.write_bytes(content)
        else:
            np.save(path, change(np.load(path)) if callable(change) else change)
        digest = hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest()
        about["files"][path.name] = {"bytes": path.stat().st_size, "blake2b": digest}
    (folder / "about.json").write_text(json.dumps(about))


def with_bit(row, sample):
    def change(words):
        words[row, sample // 64] |= np.uint64(1) << np.uint64(sample % 64)
        return words

    return change


def all_ones(words):
    words[:] = ~np.uint64(0)
    return words


HOSTILE = {
    "bits past the samples": {"words": with_bit(0, 205)},
    "bits in the padding": {"words": with_bit(0, 511)},
    "overlapping rows": {"words": lambda w: np.where(np.arange(len(w))[:, None] == 2, w | w[1], w)},
    "all ones": {"words": all_ones},
    "another dtype": {"words": lambda w: w.view(np.int64)},
    "by columns": {"words": np.asfortranarray},
    "three dimensions": {"words": lambda w: w[None]},
    "no rows": {"words": lambda w: w[:0]},
    "fewer words": {"words": lambda w: w[:, :4].copy()},
    "negative weights": {"weights": lambda c: -c},
    "huge weights": {"weights": lambda c: c * 0 + 2**60},
    "no weights": {"weights": lambda c: c[:0]},
    "real weights": {"weights": lambda c: c / 3},
    "objects": {"weights": np.array([{}], object)},
    "a unit that is none": {"weight_unit": -1.0},
    "a unit that is no power": {"weight_unit": 0.3},
    "a unit of text": {"weight_unit": "1"},
    "no samples": {"samples": 0},
    "more samples": {"samples": 10**15},
    "samples that are none": {"samples": True},
    "other samples": {"samples": 100},
    "levels that are none": {"variables": lambda v: {**v, "levels": [[[1], [2]]] * 9}},
    "no levels": {"variables": lambda v: {**v, "levels": [[]] * 9}},
    "infinite levels": {"variables": lambda v: {**v, "levels": [[0, float("inf")]] * 9}},
    "too few levels": {"variables": lambda v: {**v, "levels_of": [0, 0, 0]}},
    "names that are none": {"variables": lambda v: {**v, "names": [1, 2, 3]}},
    "names twice": {"variables": lambda v: {**v, "names": ["a", "a", "b"]}},
    "names that are text": {"variables": lambda v: {**v, "names": "abc"}},
    "a list": {"variables": lambda _: []},
    "missing that is none": {"variables": lambda v: {**v, "missing": [7]}},
    "missing without masks": {"variables": lambda v: {**v, "missing": [1]}},
    "negative levels_of": {"variables": lambda v: {**v, "levels_of": [-1, -1, -1]}},
}


@pytest.fixture
def weighted_folder(tmp_path):
    rng = np.random.default_rng(0)
    values = rng.integers(0, [2, 3, 2], size=(200, 3))
    samples = encode(values, weights=rng.integers(1, 4, 200))
    write_packed(samples, tmp_path / "packed")
    return tmp_path / "packed"


def test_example_a_header_that_is_not_closed(weighted_folder):
    sealed(weighted_folder, weights=lambda counts: counts)
    path, about = weighted_folder / "weights.npy", weighted_folder / "about.json"
    content = path.read_bytes().replace(b"'shape': (200,)", b"'shape': ((((((")
    path.write_bytes(content)
    digest = hashlib.blake2b(content, digest_size=16).hexdigest()
    known = json.loads(about.read_text())
    known["files"][path.name]["blake2b"] = digest
    about.write_text(json.dumps(known))
    with refuses("file-damaged", "packed"):
        read_samples(weighted_folder)


@pytest.mark.parametrize("changes", HOSTILE.values(), ids=HOSTILE)
def test_example_what_kernels_rely_on_is_checked_whatever_the_hashes_say(weighted_folder, changes):
    sealed(weighted_folder, **changes)
    with refuses("file-damaged", "packed"):
        read_samples(weighted_folder)


def test_example_files_outside_the_folder_are_not_looked_at(weighted_folder):
    about = json.loads((weighted_folder / "about.json").read_text())
    about["files"]["../../secret"] = {"bytes": 1, "blake2b": ""}
    (weighted_folder / "about.json").write_text(json.dumps(about))
    with refuses("file-damaged", "packed", "about.json"):
        read_samples(weighted_folder)


@ignores("identical-columns", "negative-evidence")
@pytest.mark.parametrize("method", ["plrhc", "hc", "mpl", "bjp", "pairwise", "chow-liu"])
@pytest.mark.parametrize(
    "change", [lambda w: w, lambda w: w * 0, lambda w: np.concatenate([w[:1], w[1:] * 0])]
)
def test_property_sound_bits_of_any_kind_can_be_learned_from(weighted_folder, method, change):
    """Levels that never occur, say: nothing that a kernel would index by."""
    sealed(weighted_folder, words=change)
    kinds = "nominal" if method in ("mpl", "bjp") else "auto"
    assert markhood.learn(weighted_folder, method, kinds=kinds).n_nodes == 3
