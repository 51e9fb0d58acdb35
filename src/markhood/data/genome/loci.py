"""Loci: where variables lie along a genome or an alignment, a chromosome and a position each.

They come from files that have them (VCF, PLINK's .bim, alignments), from names such as "chr1:12345",
or from the user. Positions are whole numbers and are only ever subtracted, so it does not matter from
where they count. A variable without a locus, such as a phenotype among variants, is near to nothing. A genome
may be a circle, as most bacteria's are: then its length is known, and the shorter way round is the distance.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# A chromosome, a position, and whatever tells two variants apart that are at one: "7:117559590:CTT:C".
_NAME = re.compile(r"([^\s:]+):([0-9]{1,12})(?:[:_#].*)?")
MOST_POSITION = 10**12


class Locus(NamedTuple):
    """A place along a genome or an alignment.

    Attributes
    ----------
    chromosome : str
        Its name; empty where there is only one.
    position : int

    Examples
    --------
    >>> Locus("chr1", 12345).position
    12345
    """

    chromosome: str
    position: int


Loci = tuple[Locus | None, ...]


def loci_in_names(names: Sequence[str]) -> Loci | None:
    """Return the loci that names tell, where most of them do; None for a name that does not.

    Examples
    --------
    >>> loci_in_names(["chr1:12345", "chr2:7:A:T", "age"])
    (Locus(chromosome='chr1', position=12345), Locus(chromosome='chr2', position=7), None)
    >>> loci_in_names(["age", "sex", "chr1:12345"]) is None
    True
    """
    found = [_NAME.fullmatch(name) for name in names]
    if 2 * sum(match is not None for match in found) <= len(names):
        return None
    return tuple(match and Locus(match[1], int(match[2])) for match in found)


class Places(NamedTuple):
    """Loci as numbers: of chromosomes, in the order of their first loci, -1 for none; and positions.

    Both are of shape (n_variables,), dtype int64. The length is that of a circular genome, else None.
    """

    chromosomes: NDArray[np.int64]
    positions: NDArray[np.int64]
    length: int | None = None

    @classmethod
    def of(cls, loci: Loci, length: int | None = None) -> Places:
        """Return the numbers of loci."""
        numbers: dict[str, int] = {}
        known = [
            (-1, 0)
            if locus is None
            else (numbers.setdefault(locus.chromosome, len(numbers)), locus.position)
            for locus in loci
        ]
        chromosomes, positions = np.array(known, np.int64).reshape(-1, 2).T
        return cls(chromosomes, positions, length)

    def distances(self, pairs: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return how far apart the ends of pairs are: inf on two chromosomes, NaN where not known.

        Examples
        --------
        >>> loci = (Locus("1", 5), Locus("1", 25), Locus("2", 7), None)
        >>> Places.of(loci).distances(np.array([[0, 1], [1, 2], [2, 3]])).tolist()
        [20.0, inf, nan]
        >>> Places.of(loci[:2], length=30).distances(np.array([[0, 1]])).tolist()
        [10.0]
        """
        (i, j), (a, b) = self.chromosomes[pairs].T, self.positions[pairs].T
        along = np.abs(a - b)
        if self.length is not None:
            along = np.minimum(along, self.length - along)
        apart = np.where(i == j, along.astype(np.float64), np.inf)
        apart[(i < 0) | (j < 0)] = np.nan
        return apart


def distances(
    loci: Loci, pairs: NDArray[np.int64], length: int | None = None
) -> NDArray[np.float64]:
    """Return how far apart the ends of pairs of variables are: see `Places.distances`."""
    return Places.of(loci, length).distances(pairs)


def told(loci: Loci, length: int | None = None) -> str:
    """Say in words how many loci there are, from where to where they reach, and on which circle.

    Examples
    --------
    >>> told((Locus("chr1", 12345), Locus("chr1", 99), None))
    '2 of 3 variables on chr1, from 99 to 12345'
    >>> told((Locus("1", 5), Locus("X", 8)))
    '2 variables on 2 chromosomes, 1 to X'
    >>> told((Locus("", 5), Locus("", 8)), 12)
    '2 variables from 5 to 8, on a circle of 12'
    """
    known = [locus for locus in loci if locus is not None]
    chromosomes = list(dict.fromkeys(locus.chromosome for locus in known))
    count = f"{len(known)} variables"
    if len(known) < len(loci):
        count = f"{len(known)} of {len(loci)} variables"
    if len(chromosomes) != 1:
        ends = f", {chromosomes[0]} to {chromosomes[-1]}" if chromosomes else ""
        return f"{count} on {len(chromosomes)} chromosomes{ends}"
    positions = [locus.position for locus in known]
    on = f" on {chromosomes[0]}," if chromosomes[0] else ""
    circle = "" if length is None else f", on a circle of {length}"
    return f"{count}{on} from {min(positions)} to {max(positions)}{circle}"
