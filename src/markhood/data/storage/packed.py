"""Packed samples in a folder: made once, then mapped into memory in no time.

    FOLDER/about.json       what this is, how large, and the size and hash of every other file
    FOLDER/words.npy        the bits, as in `Samples.words`: uint64, one row a level but the first
    FOLDER/variables.json   names, and levels: the distinct lists of them, and which each variable has
    FOLDER/weights.npy      how often samples count, int64, where they do not all count once
    FOLDER/missing.npy      rows of bits, uint64, where values are missing and kept apart

All is NumPy's format and JSON, so that other programs can read it; hashes are BLAKE2b of 16 bytes,
which `b2sum --length 128` prints too. A folder is written under another name and renamed when it
is whole. Every reading checks every hash: that is a second for a gigabyte, and what it guards is
hours of work. The samples' fingerprint is saved, so the hash need not be made twice.

Levels that are neither numbers, text, truth values nor None (dates, say) come back as text.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import uuid
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray

from markhood.data.coding.names import pick_columns
from markhood.data.samples import Samples, Weights, words_per_row
from markhood.data.storage.mapped import row_blocks
from markhood.data.variables import described_variables
from markhood.errors import InputError

KIND = "markhood packed samples"
VERSION = 1
ABOUT = "about.json"
WORDS, VARIABLES, WEIGHTS, MISSING = "words.npy", "variables.json", "weights.npy", "missing.npy"


def is_packed(path: Path) -> bool:
    """Return whether a path is a folder of packed samples, whole or damaged."""
    return (path / ABOUT).is_file()


def check_folder(folder: Path) -> None:
    """Raise where packed samples could not be written, before anything is read."""
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise InputError(f"{folder} is there already: name a new folder, or remove it first")
    if not folder.absolute().parent.is_dir():
        raise InputError(f"There is no folder {folder.absolute().parent}: make it first")


def write_packed(samples: Samples, folder: str | os.PathLike[str]) -> None:
    """Write samples as a packed folder; all of it or, after an error, nothing."""
    folder = Path(folder)
    check_folder(folder)
    draft = folder.absolute().parent / f".{folder.name}.{uuid.uuid4().hex}"
    try:
        draft.mkdir()
        _write_files(samples, draft)
        draft.rename(folder)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"{folder} cannot be written ({reason}): name another folder") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _write_files(samples: Samples, folder: Path) -> None:
    files = {WORDS: _write_array(folder / WORDS, samples.words)}
    if samples.weights is not None:
        files[WEIGHTS] = _write_array(folder / WEIGHTS, samples.weights.counts)
    masked = sorted(samples.missing)
    if masked:
        masks = np.stack([samples.missing[variable] for variable in masked])
        files[MISSING] = _write_array(folder / MISSING, masks)
    variables = {"names": samples.names, **samples.variables.described(), "missing": masked}
    content = json.dumps(variables).encode()
    files[VARIABLES] = _write(folder / VARIABLES, [content])
    about = {
        "kind": KIND,
        "version": VERSION,
        "samples": samples.n_samples,
        "variables": samples.n_variables,
        "weight_unit": None if samples.weights is None else samples.weights.unit,
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
    """Map the samples of a packed folder, having checked that they are as they were written."""
    about = _read_about(path)
    for name, expected in about["files"].items():
        _check_file(path / name, expected, path)
    try:
        variables = json.loads((path / VARIABLES).read_bytes())
        words = np.load(path / WORDS, mmap_mode="r")
        weights = None
        if WEIGHTS in about["files"]:
            weights = Weights(np.load(path / WEIGHTS), about["weight_unit"])
        masks = np.load(path / MISSING) if MISSING in about["files"] else ()
        samples = Samples(
            words,
            about["samples"],
            described_variables(variables["names"], variables),
            dict(zip(variables["missing"], masks, strict=True)),
            weights,
        )
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise _damaged(path, "its files do not fit together") from error
    if words.shape != (samples.starts[-1], words_per_row(samples.n_samples)):
        raise _damaged(path, "its files do not fit together")
    if columns is not None:
        return samples.pick(np.array(pick_columns(samples.names, columns)))
    samples.__dict__["fingerprint"] = about["fingerprint"]  # where cached_property looks first
    return samples


def _read_about(path: Path) -> dict[str, Any]:
    try:
        about = json.loads((path / ABOUT).read_bytes())
        kind, version, files = about["kind"], about["version"], dict(about["files"])
        sizes = about["samples"], about["fingerprint"], about["weight_unit"]
    except (KeyError, TypeError, ValueError) as error:
        raise _damaged(path, f"{ABOUT} is not what was written") from error
    if kind != KIND or WORDS not in files or VARIABLES not in files or None in sizes[:2]:
        raise _damaged(path, f"{ABOUT} is not what was written")
    if version != VERSION:
        raise InputError(
            f"{path} was packed in format {version}, and this markhood reads {VERSION}: pack the "
            "data again, or install the markhood that packed it"
        )
    return dict(about)


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
    return InputError(f"The packed folder {folder} is damaged ({reason}): pack the data again")


def _hash() -> Any:
    return hashlib.blake2b(digest_size=16)
