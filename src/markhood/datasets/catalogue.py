"""List the data sets and load them.

A data set is a compressed CSV file in `files/`; an empty cell is a missing value. Only data whose
licence allows redistribution are included. `README.md` in this folder repeats sources and
licences for readers of the files; a test compares the two.

The data set of the demo: the handwritten digits of scikit-learn in black and white. 1797 images of
8 x 8 pixels; a pixel is on above half intensity. Neighbouring pixels depend on each other, so the
learned graph can be checked by eye. The pixels are stored in a file because the command line does
not import scikit-learn.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterable
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from markhood.data.coding.encode import encode
from markhood.data.samples import Samples
from markhood.data.to_frame import frame_of
from markhood.errors import InputError

CC_BY = "CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/)"
CC0 = "CC0 1.0 (https://creativecommons.org/publicdomain/zero/1.0/)"
SIDE = 8
PIXEL_NAMES = tuple(f"r{k // SIDE}c{k % SIDE}" for k in range(SIDE * SIDE))


class Dataset(NamedTuple):
    """One data set of the catalogue.

    Attributes
    ----------
    name : str
        Name for `load`.
    title : str
    n_samples, n_variables : int
        Rows and columns.
    source : str
        Publication or archive to cite.
    licence : str
    purpose : str
        Features of markhood that the data set illustrates.
    """

    name: str
    title: str
    n_samples: int
    n_variables: int
    source: str
    licence: str
    purpose: str


DATASETS = (
    Dataset(
        "anes96",
        "American National Election Study 1996 (subset)",
        944,
        10,
        "American National Election Studies, https://electionstudies.org; subset of statsmodels, "
        "with renamed columns and without the logarithm of the population",
        "public domain",
        "ordered levels, covariates (age, income, education), a survey",
    ),
    Dataset(
        "digits",
        "Handwritten digits, 8 x 8 pixels, black and white",
        1797,
        64,
        "E. Alpaydin and C. Kaynak (1998), Optical Recognition of Handwritten Digits, UCI Machine "
        "Learning Repository, https://doi.org/10.24432/C50P49; the test set, cut at half intensity",
        CC_BY,
        "a graph that can be checked by eye: adjacent pixels depend on each other",
    ),
    Dataset(
        "penguins",
        "Penguins of the Palmer Archipelago",
        344,
        8,
        "A. M. Horst, A. P. Hill and K. B. Gorman (2020), palmerpenguins, "
        "https://doi.org/10.5281/zenodo.3960218",
        CC0,
        "numeric columns next to categories, missing values",
    ),
    Dataset(
        "votes",
        "Votes of the United States House of Representatives, 1984",
        435,
        17,
        "J. Schlimmer (1987), Congressional Voting Records, UCI Machine Learning Repository, "
        "https://doi.org/10.24432/C5C01P; '?' is a missing value here",
        CC_BY,
        "binary variables, missing values, groups (party)",
    ),
)


def available() -> tuple[Dataset, ...]:
    """List the data sets.

    Returns
    -------
    tuple of Dataset
        Name, size, source, licence and purpose of each, ordered by name.

    Examples
    --------
    >>> [known.name for known in available()]
    ['anes96', 'digits', 'penguins', 'votes']
    """
    return DATASETS


def load(name: str) -> Any:
    """Load a data set as a data frame.

    Parameters
    ----------
    name : str
        A name that `available` lists.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        pandas where it is installed, else polars; polars also where it is imported and pandas
        is not. Missing values are missing values of that library.

    Raises
    ------
    InputError
        If there is no such data set, or neither library is installed.

    Examples
    --------
    >>> load("penguins")["species"].nunique()
    3
    """
    names, *rows = csv.reader(csv_text(describe(name)).splitlines())
    columns = zip(*rows, strict=True)
    return frame_of({name: _typed(cells) for name, cells in zip(names, columns, strict=True)})


def describe(name: str) -> Dataset:
    """Return the entry of a data set; `InputError` if there is none of that name."""
    for known in DATASETS:
        if known.name == name:
            return known
    names = ", ".join(known.name for known in DATASETS)
    text = f"There is no data set {name!r}. Available: {names}."
    raise InputError("option-unknown", name, text)


def csv_text(dataset: Dataset) -> str:
    """Return a data set as the text of a CSV file with a header; a missing value is empty."""
    if dataset.name == "digits":
        rows = (",".join(map(str, row)) for row in digit_pixels().tolist())
        return "\n".join([",".join(PIXEL_NAMES), *rows, ""])
    path = files("markhood.datasets") / "files" / f"{dataset.name}.csv.gz"
    return gzip.decompress(path.read_bytes()).decode()


def _typed(cells: Iterable[str]) -> Any:
    """Convert the cells of a column: whole numbers, else real numbers, else texts."""
    column = list(cells)
    for kind, missing in ((int, ""), (float, "nan")):
        try:
            return np.array([kind(cell or missing) for cell in column])
        except ValueError:
            continue
    return [cell or None for cell in column]


def digits() -> Samples:
    """Return the pixels of the digits, named by row and column: r0c0, r0c1, ... r7c7.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")  # some pixels at the border are never on
    ...     digits().n_samples
    1797
    """
    return encode(digit_pixels(), names=PIXEL_NAMES)


def digit_pixels() -> NDArray[np.uint8]:
    """Return the pixels, one row per image: 1 if a pixel is on."""
    with (files("markhood.data.formats") / "digits.npz").open("rb") as file:
        pixels: NDArray[np.uint8] = np.load(file)["data"]
    return pixels
