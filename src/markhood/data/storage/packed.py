"""Packed samples in a folder: written once, then memory-mapped.

    FOLDER/about.json       kind, version and shape, and the size and hash of every other file
    FOLDER/words.npy        the bits of `Samples.words`: uint64, one row per level except the first
    FOLDER/variables.json   names and levels: the distinct lists of levels, and the index of each
                            variable's list; chromosomes and positions, if known
    FOLDER/weights.npy      counts of the weights, int64, if any
    FOLDER/missing.npy      masks of missing values, uint64, if any
    FOLDER/reals.npy        numeric covariates, float64, one row each; their names, means and
                            standard deviations are in variables.json

The formats are NPY and JSON, so that other programs can read them; hashes are BLAKE2b with 16
bytes, as printed by `b2sum --length 128`. A folder is written under another name and renamed when
it is complete. Every read checks all hashes, which takes about a second per gigabyte. The content
is also checked, because kernels index by it, and a hash does not show that a folder was made by
markhood. The fingerprint of the samples is saved, so that it is computed only once.

Levels other than numbers, text, booleans and None (such as dates) become text.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray

from markhood.data.samples import RealColumn, Samples, Weights, words_per_row
from markhood.data.storage.mapped import row_blocks
from markhood.data.variables import described_variables
from markhood.data.weights import MOST_DIGITS, UNIT_DIGITS
from markhood.drafts import draft_beside, reason
from markhood.errors import InputError, file_error
from markhood.kernels.bits import Bits
from markhood.kernels.native import NativeKernels

KIND = "markhood packed samples"
VERSION = 1
ABOUT = "about.json"
WORDS, VARIABLES, WEIGHTS, MISSING = "words.npy", "variables.json", "weights.npy", "missing.npy"
REALS, CLUSTERS = "reals.npy", "clusters.npy"
FILES = {WORDS, VARIABLES, WEIGHTS, MISSING, REALS, CLUSTERS}
MOST_LEVELS = 65535


def is_packed(path: Path) -> bool:
    """Return whether a path is a folder of packed samples, complete or damaged."""
    return (path / ABOUT).is_file()


def check_folder(folder: Path) -> None:
    """Raise if packed samples cannot be written, before data are read."""
    try:
        if os.path.lexists(folder) and not (folder.is_dir() and not any(folder.iterdir())):
            raise file_error(
                folder, "already exists: choose a new folder, or remove it first.", "file-exists"
            )
        folder.lstat()
    except FileNotFoundError:
        if not folder.absolute().parent.is_dir():
            raise InputError(
                "file-not-found",
                folder.absolute().parent.name,
                f"There is no folder {folder.absolute().parent}: create it first.",
            ) from None
    except OSError as error:
        raise _not_writable(folder, error) from None


def _not_writable(folder: Path, error: OSError) -> InputError:
    return file_error(
        folder, f"cannot be written ({reason(error)}): choose another folder.", "file-not-writable"
    )


def _unreadable(folder: Path, error: OSError) -> InputError:
    return file_error(folder, f"cannot be read ({error.strerror or error}).", "file-unreadable")


def write_packed(samples: Samples, folder: str | os.PathLike[str]) -> None:
    """Write samples as a packed folder; after an error, no folder remains."""
    folder = Path(folder)
    check_folder(folder)
    try:
        with draft_beside(folder.absolute(), folder=True) as draft:
            _write_files(samples, draft)
            draft.rename(folder)
    except OSError as error:
        raise _not_writable(folder, error) from error


def _write_files(samples: Samples, folder: Path) -> None:
    files = {WORDS: _write_array(folder / WORDS, samples.words)}
    if samples.weights is not None:
        files[WEIGHTS] = _write_array(folder / WEIGHTS, samples.weights.counts)
    if samples.clusters is not None:
        files[CLUSTERS] = _write_array(folder / CLUSTERS, samples.clusters)
    masked = sorted(samples.missing)
    if masked:
        masks = np.stack([samples.missing[variable] for variable in masked])
        files[MISSING] = _write_array(folder / MISSING, masks)
    variables = {"names": samples.names, **samples.variables.described(), "missing": masked}
    if samples.reals:
        columns = np.stack([own.values for own in samples.reals.values()])
        files[REALS] = _write_array(folder / REALS, columns)
        variables["reals"] = [
            [name, own.mean, own.deviation] for name, own in samples.reals.items()
        ]
    content = json.dumps(variables).encode()
    files[VARIABLES] = _write(folder / VARIABLES, [content])
    about = {
        "kind": KIND,
        "version": VERSION,
        "samples": samples.n_samples,
        "variables": samples.n_variables,
        "weight_unit": None if samples.weights is None else samples.weights.unit,
        "sites": samples.are_sites,
        "fingerprint": samples.fingerprint,
        "files": files,
    }
    _write(folder / ABOUT, [json.dumps(about, indent=1).encode() + b"\n"])


def _write_array(path: Path, array: NDArray[Any]) -> dict[str, Any]:
    """Write an array as `numpy.save` does, some rows at a time."""
    little = array.dtype.newbyteorder("<")
    header = io.BytesIO()
    described = {"descr": little.str, "fortran_order": False, "shape": array.shape}
    npy_format.write_array_header_1_0(header, described)
    blocks = (np.ascontiguousarray(block, little).data for block in row_blocks(array))
    return _write(path, chain([header.getvalue()], blocks))


def _write(path: Path, parts: Iterable[bytes | memoryview]) -> dict[str, Any]:
    """Write parts to a file and flush it to the disk; return its size and hash."""
    digest = _hash()
    with path.open("wb") as file:
        for part in parts:
            digest.update(part)
            file.write(part)
        file.flush()
        os.fsync(file.fileno())
        return {"bytes": file.tell(), "blake2b": digest.hexdigest()}


def read_packed(path: Path) -> Samples:
    """Memory-map the samples of a packed folder, and check that they have not changed.

    A hash shows that a file has not changed, not that markhood wrote it. So all assumptions of the
    kernels are also checked: see `_check_fit`.
    """
    about = _read_about(path)
    try:
        for name, expected in about["files"].items():
            _check_file(path / name, expected, path)
        samples = _samples_of(path, about)
        _check_fit(samples)
    except OSError as error:
        raise _unreadable(path, error) from error
    except _MisfitError as misfit:
        raise _damaged(path, str(misfit)) from None
    except InputError:
        raise
    except Exception as error:  # a forged header or list can make a parser raise anything
        raise _damaged(path, "its files are not consistent") from error
    samples.__dict__["fingerprint"] = about["fingerprint"]  # where cached_property looks first
    return samples


class _MisfitError(Exception):
    """Files with an inconsistent content."""


def _require(holds: Any, what: str = "its files are not consistent") -> None:
    if not holds:
        raise _MisfitError(what)


def _samples_of(path: Path, about: dict[str, Any]) -> Samples:
    """Read the files, and check each one."""
    variables = json.loads((path / VARIABLES).read_bytes())
    names, masked = variables["names"], variables["missing"]
    lists = [tuple(levels) for levels in variables["levels"]]
    which = variables.get("levels_of", [0] * len(names))
    steps = set(variables.get("ordered", ()))
    _require(isinstance(names, list) and len(names) == about["variables"])
    _require(all(type(name) is str for name in names) and len(set(names)) == len(names))
    _require(all(map(_is_level, chain.from_iterable(lists))) and all(lists))
    _require(all(type(number) is int and number >= 0 for number in (*which, *masked, *steps)))
    _require(all(v < len(names) for v in steps))
    _require(len(which) == len(names) and sorted(set(masked)) == masked)
    words = npy_format.open_memmap(path / WORDS, mode="r")
    masks = (
        _load(path / MISSING) if MISSING in about["files"] else np.empty((0, words.shape[1]), "<u8")
    )
    weights = None
    if WEIGHTS in about["files"]:
        weights = Weights(_load(path / WEIGHTS), about["weight_unit"])
    _require(len(masks) == len(masked) and all(v < len(names) for v in masked))
    _require(masks.dtype == np.uint64 and masks.shape[1:] == words.shape[1:])
    return Samples(
        words,
        about["samples"],
        described_variables(names, variables),
        dict(zip(masked, masks, strict=True)),
        weights,
        are_sites=about.get("sites") is True,
        source=path.name,
        reals=_reals_of(path, about, variables),
        clusters=_load(path / CLUSTERS) if CLUSTERS in about["files"] else None,
    )


def _reals_of(
    path: Path, about: dict[str, Any], variables: dict[str, Any]
) -> dict[str, RealColumn]:
    """Read and check the numeric covariates."""
    if REALS not in about["files"]:
        return {}
    columns, described = _load(path / REALS), variables["reals"]
    _require(columns.dtype == np.float64 and columns.shape == (len(described), about["samples"]))
    _require(np.isfinite(columns).all(), "a covariate has a value that is not a number")
    _require(len({name for name, _, _ in described} - {*variables["names"]}) == len(described))
    for name, mean, deviation in described:
        _require(type(name) is str and math.isfinite(mean) and 0 < deviation < math.inf)
    both = zip(described, columns, strict=True)
    return {name: RealColumn(own, mean, deviation) for (name, mean, deviation), own in both}


def _check_fit(samples: Samples) -> None:
    """Raise unless samples fulfil all assumptions of the kernels."""
    words, n_samples = samples.words, samples.n_samples
    n_rows = [max(1, len(levels) - 1) for levels in samples.levels]
    _require(type(n_samples) is int and n_samples >= 1, f"it has {n_samples!r} samples")
    _require(words.dtype == np.uint64 and words.flags.c_contiguous)
    _require(words.shape == (sum(n_rows), words_per_row(n_samples)))
    _require(max(n_rows, default=0) < MOST_LEVELS, "a variable has too many levels")
    _check_weights(samples)
    _check_clusters(samples)
    bits = Bits(words, n_samples, None if samples.is_binary else samples.starts)
    masked = np.array(sorted(samples.missing), np.int64)
    masks = np.array([samples.missing[v] for v in masked.tolist()], np.uint64)
    masks = masks.reshape(len(masked), words.shape[1])
    past, two_levels = NativeKernels().unsound_variables(bits, masked, masks)
    _require(past < 0, f"{samples.names[past]!r} has values after the last sample")
    _require(two_levels < 0, f"{samples.names[two_levels]!r} has samples with two levels")
    constant = [samples.starts[v] for v, levels in enumerate(samples.levels) if len(levels) == 1]
    _require(not words[constant].any(), "a constant variable has two levels")


def _check_clusters(samples: Samples) -> None:
    if (clusters := samples.clusters) is not None:
        _require(clusters.dtype == np.int64 and clusters.shape == (samples.n_samples,))
        _require(clusters.min() >= 0 and clusters.max() < samples.n_samples)


def _check_weights(samples: Samples) -> None:
    if samples.weights is None:
        return
    counts, unit = samples.weights
    _require(counts.dtype == np.int64 and counts.shape == (samples.n_samples,))
    _require(counts.min() >= 1 and counts.max() < 2**MOST_DIGITS, "a weight is out of range")
    _require(counts.sum(dtype=np.float64) < 2.0**62, "the weights are too large")
    _require(type(unit) is float and 0 < unit < math.inf)
    # A short mantissa, so that sums are exact.
    _require(math.ldexp(math.frexp(unit)[0], UNIT_DIGITS).is_integer())


def _is_level(level: Any) -> bool:
    if type(level) is float:
        return math.isfinite(level)
    return level is None or type(level) in (bool, int, str)


def _load(path: Path) -> NDArray[Any]:
    with path.open("rb") as file:
        array: NDArray[Any] = npy_format.read_array(file, allow_pickle=False)
    return array


def _read_about(path: Path) -> dict[str, Any]:
    try:
        about = json.loads((path / ABOUT).read_bytes())
        kind, version, files = about["kind"], about["version"], dict(about["files"])
        is_ours = (
            kind == KIND
            and {WORDS, VARIABLES} <= files.keys() <= FILES
            and isinstance(about["fingerprint"], str)
            and {"samples", "weight_unit"} <= about.keys()
        )
    except OSError as error:
        raise _unreadable(path, error) from error
    except (KeyError, RecursionError, TypeError, ValueError) as error:
        raise _damaged(path, f"{ABOUT} has changed") from error
    if not is_ours:
        raise _damaged(path, f"{ABOUT} has changed")
    if version != VERSION:
        raise file_error(
            path,
            f"was packed in format {version}, but this version of markhood reads format "
            f"{VERSION}: pack the data again, or install the version that packed it.",
            "file-format",
        )
    return {**about, "files": files}


def _check_file(path: Path, expected: dict[str, Any], folder: Path) -> None:
    if not path.is_file():
        raise _damaged(folder, f"{path.name} is missing")
    size = path.stat().st_size
    if size != expected["bytes"]:
        raise _damaged(folder, f"{path.name} has {size} bytes instead of {expected['bytes']}")
    with path.open("rb") as file:
        if hashlib.file_digest(file, _hash).hexdigest() != expected["blake2b"]:
            raise _damaged(folder, f"the content of {path.name} has changed")


def _damaged(folder: Path, reason: str) -> InputError:
    return InputError(
        "file-damaged",
        folder.name,
        f"The packed folder {folder} is damaged ({reason}): pack the data again.",
    )


def _hash() -> Any:
    return hashlib.blake2b(digest_size=16)
