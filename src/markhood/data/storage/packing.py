"""Pack data files of any size into folders, with a few chunks in memory."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from markhood.data.labels import as_samples
from markhood.data.reading import Reading, reading_of
from markhood.data.samples import Samples
from markhood.data.storage.backends import Files
from markhood.data.storage.packed import check_folder, write_packed


def pack(
    source: str | os.PathLike[str] | Samples, folder: str | os.PathLike[str], **reading: Any
) -> None:
    r"""Stream a data file into a packed folder, which every method takes instead of data.

    A million binary variables with ten thousand samples take 1.3 GB on disk. Files are read in
    chunks; ``missing="impute"``, similarity weights and merging of rare levels need more memory.

    Parameters
    ----------
    source : path-like or Samples
        A file as for `read_samples`, a folder of Parquet files, or samples.
    folder : path-like
        A new folder; it appears when it is complete.
    **reading
        Options of reading, as for `read_samples`: ``columns``, ``missing``, ``weights``, ...

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from markhood import pack, read_samples
    >>> home = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (home / "answers.csv").write_text("smokes;coughs\nyes;1\nno;0\nyes;0\n")
    >>> pack(home / "answers.csv", home / "answers")
    >>> read_samples(home / "answers").levels
    (('no', 'yes'), (0, 1))
    """
    if isinstance(source, Samples):
        write_packed(source, folder)
    else:
        pack_file(source, folder, reading_of(**reading))


def pack_file(
    source: str | os.PathLike[str], folder: str | os.PathLike[str], reading: Reading
) -> Samples:
    """Pack a file into a new folder; until it is complete, the bits are in files next to it."""
    folder = Path(folder)
    check_folder(folder)
    samples = as_samples(source, replace(reading, storage=Files(folder.absolute().parent)))
    write_packed(samples, folder)
    return samples
