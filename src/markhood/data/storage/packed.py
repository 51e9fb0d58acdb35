"""Packed samples in a folder: made once, then mapped into memory in no time.

    FOLDER/about.json       what this is, how large, and the size and hash of every other file
    FOLDER/words.npy        the bits, as in `Samples.words`: uint64, one row a level but the first
    FOLDER/variables.json   names, and levels: the distinct lists of them, and which each variable has;
                            chromosomes and positions, where these are known
    FOLDER/weights.npy      how often samples count, int64, where they do not all count once
    FOLDER/missing.npy      rows of bits, uint64, where values are missing and kept apart
    FOLDER/reals.npy        covariates that are numbers, float64, one row each; their names, means and standard deviations
                            are in variables.json

All is NumPy's format and JSON, so that other programs can read it; hashes are BLAKE2b of 16 bytes,
which `b2sum --length 128` prints too. A folder is written under another name and renamed when it
is whole. Every reading checks every hash: that is a second for a gigabyte, and what it guards is
hours of work. What is in the files is checked as well, because kernels index by it, and anyone can make
a folder whose hashes fit. The samples' fingerprint is saved, so the hash need not be made twice.

Levels that are neither numbers, text, truth values nor None (dates, say) come back as text.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray

from markhood.data.coding.names import pick_columns
from markhood.data.samples import RealColumn, Samples, Weights, words_per_row
from markhood.data.storage.mapped import row_blocks
from markhood.data.variables import Variables, described_length, described_loci, described_members
from markhood.data.weights import MOST_DIGITS
from markhood.drafts import draft_beside, reason
from markhood.errors import InputError
from markhood.kernels.native import NativeKernels
from markhood.kernels.protocol import Bits

KIND = "markhood packed samples"
VERSION = 1
ABOUT = "about.json"
WORDS, VARIABLES, WEIGHTS, MISSING = "words.npy", "variables.json", "weights.npy", "missing.npy"
REALS = "reals.npy"
FILES = {WORDS, VARIABLES, WEIGHTS, MISSING, REALS}
MOST_LEVELS = 65535


def is_packed(path: Path) -> bool:
    """Return whether a path is a folder of packed samples, whole or damaged."""
    return (path / ABOUT).is_file()


def check_folder(folder: Path) -> None:
    """Raise where packed samples could not be written, before anything is read."""
    try:
        if os.path.lexists(folder) and not (folder.is_dir() and not any(folder.iterdir())):
            raise InputError(f"{folder} is there already: name a new folder, or remove it first.")
        folder.lstat()
    except FileNotFoundError:
        if not folder.absolute().parent.is_dir():
            raise InputError(
                f"There is no folder {folder.absolute().parent}: make it first."
            ) from None
    except OSError as error:
        raise InputError(
            f"{folder} cannot be written ({reason(error)}): name another folder."
        ) from None


def write_packed(samples: Samples, folder: str | os.PathLike[str]) -> None:
    """Write samples as a packed folder; all of it or, after an error, nothing."""
    folder = Path(folder)
    check_folder(folder)
    try:
        with draft_beside(folder.absolute(), folder=True) as draft:
            _write_files(samples, draft)
            draft.rename(folder)
    except OSError as error:
        raise InputError(
            f"{folder} cannot be written ({reason(error)}): name another folder."
        ) from error


def _write_files(samples: Samples, folder: Path) -> None:
    files = {WORDS: _write_array(folder / WORDS, samples.words)}
    if samples.weights is not None:
        files[WEIGHTS] = _write_array(folder / WEIGHTS, samples.weights.counts)
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
    """Write parts to a file that is on the disk afterwards; return its size and hash."""
    digest = _hash()
    with path.open("wb") as file:
        for part in parts:
            digest.update(part)
            file.write(part)
        file.flush()
        os.fsync(file.fileno())
        return {"bytes": file.tell(), "blake2b": digest.hexdigest()}


def read_packed(path: Path, columns: Sequence[str] | None = None) -> Samples:
    """Map the samples of a packed folder, having checked that they are as they were written.

    A hash tells that a file is as it was when the folder was made, not who made it. So all that kernels
    rely on is checked too: see `_check_fit`.
    """
    about = _read_about(path)
    try:
        for name, expected in about["files"].items():
            _check_file(path / name, expected, path)
        samples = _samples_of(path, about)
        _check_fit(samples)
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror or error}).") from error
    except _MisfitError as misfit:
        raise _damaged(path, str(misfit)) from None
    except (AttributeError, KeyError, IndexError, OverflowError, RecursionError, TypeError,
            ValueError) as error:  # fmt: skip
        if isinstance(error, InputError):
            raise
        raise _damaged(path, "its files do not fit together") from error
    if columns is not None:
        return samples.pick(np.array(pick_columns(samples.names, columns)))
    samples.__dict__["fingerprint"] = about["fingerprint"]  # where cached_property looks first
    return samples


class _MisfitError(Exception):
    """What files say that cannot be."""


def _require(holds: Any, what: str = "its files do not fit together") -> None:
    if not holds:
        raise _MisfitError(what)


def _samples_of(path: Path, about: dict[str, Any]) -> Samples:
    """Put together what the files hold, each by itself what it should be."""
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
        Variables(
            tuple(names),
            tuple(lists[k] for k in which),
            tuple(v in steps for v in range(len(names))),
            described_loci(variables, len(names)),
            described_members(variables.get("members", ()), tuple(names), lists),
            described_length(variables),
        ),
        dict(zip(masked, masks, strict=True)),
        weights,
        are_sites=about.get("sites") is True,
        reals=_reals_of(path, about, variables),
    )


def _reals_of(
    path: Path, about: dict[str, Any], variables: dict[str, Any]
) -> dict[str, RealColumn]:
    """Return the covariates that are numbers, each by itself what it should be."""
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
    """Raise where samples are not what the kernels take for granted, whatever the hashes say."""
    words, n_samples = samples.words, samples.n_samples
    n_rows = [max(1, len(levels) - 1) for levels in samples.levels]
    _require(type(n_samples) is int and n_samples >= 1, f"it has {n_samples!r} samples")
    _require(words.dtype == np.uint64 and words.flags.c_contiguous)
    _require(words.shape == (sum(n_rows), words_per_row(n_samples)))
    _require(max(n_rows, default=0) < MOST_LEVELS, "a variable has too many levels")
    _check_weights(samples)
    bits = Bits(words, n_samples, None if samples.is_binary else samples.starts)
    masked = np.array(sorted(samples.missing), np.int64)
    masks = np.array([samples.missing[v] for v in masked.tolist()], np.uint64)
    masks = masks.reshape(len(masked), words.shape[1])
    past, two_levels = NativeKernels().unsound_variables(bits, masked, masks)
    _require(past < 0, f"{samples.names[past]!r} has values of samples that are not there")
    _require(two_levels < 0, f"{samples.names[two_levels]!r} has samples of two levels")
    constant = [samples.starts[v] for v, levels in enumerate(samples.levels) if len(levels) == 1]
    _require(not words[constant].any(), "a variable of one level has two")


def _check_weights(samples: Samples) -> None:
    if samples.weights is None:
        return
    counts, unit = samples.weights
    _require(counts.dtype == np.int64 and counts.shape == (samples.n_samples,))
    _require(counts.min() >= 1 and counts.max() < 2**MOST_DIGITS, "a weight is out of range")
    _require(counts.sum(dtype=np.float64) < 2.0**62, "the weights are too large")
    # A power of two, so that sums are exact.
    _require(type(unit) is float and 0 < unit <= 1 and math.frexp(unit)[0] == 0.5)


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
        raise InputError(f"{path} cannot be read ({error.strerror or error}).") from error
    except (KeyError, RecursionError, TypeError, ValueError) as error:
        raise _damaged(path, f"{ABOUT} is not what was written") from error
    if not is_ours:
        raise _damaged(path, f"{ABOUT} is not what was written")
    if version != VERSION:
        raise InputError(
            f"{path} was packed in format {version}, and this markhood reads {VERSION}: pack the "
            "data again, or install the markhood that packed it."
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
    return InputError(f"The packed folder {folder} is damaged ({reason}): pack the data again.")


def _hash() -> Any:
    return hashlib.blake2b(digest_size=16)
