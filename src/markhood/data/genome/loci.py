"""Loci: positions of variables along a genome or an alignment, each with a chromosome.

They are read from files (VCF, PLINK .bim, alignments), from names such as "chr1:12345", or from the
option `positions`. Positions are whole numbers, and only their differences are used, so they may
count from any number. A variable without a locus, such as a phenotype, has no distance to other
variables. On a circular genome of known length, as in most bacteria, the distance is the shorter
way around.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from markhood.arrays import Floats, Ints

# A chromosome, a position, and a suffix that distinguishes variants there: "7:117559590:CTT:C".
_NAME = re.compile(r"([^\s:]+):([0-9]{1,12})(?:[:_#].*)?")
MOST_POSITION = 10**12


class Locus(NamedTuple):
    """A position along a genome or an alignment.

    Attributes
    ----------
    chromosome : str
        Its name; empty if there is only one.
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
    """Return the loci in names if most names have one, None for other names.

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


class Coordinates(NamedTuple):
    """Loci as arrays: indices of chromosomes, in order of appearance, -1 for none; and positions.

    Both are of shape (n_variables,), dtype int64. `length` is that of a circular genome, else None.
    """

    chromosomes: Ints
    positions: Ints
    length: int | None = None

    @classmethod
    def of(cls, loci: Loci, length: int | None = None) -> Coordinates:
        """Return loci as arrays."""
        numbers: dict[str, int] = {}
        known = [
            (-1, 0)
            if locus is None
            else (numbers.setdefault(locus.chromosome, len(numbers)), locus.position)
            for locus in loci
        ]
        chromosomes, positions = np.array(known, np.int64).reshape(-1, 2).T
        return cls(chromosomes, positions, length)

    def distances(self, pairs: Ints) -> Floats:
        """Return the distances of pairs: inf on different chromosomes, NaN if not known.

        Examples
        --------
        >>> loci = (Locus("1", 5), Locus("1", 25), Locus("2", 7), None)
        >>> Coordinates.of(loci).distances(np.array([[0, 1], [1, 2], [2, 3]])).tolist()
        [20.0, inf, nan]
        >>> Coordinates.of(loci[:2], length=30).distances(np.array([[0, 1]])).tolist()
        [10.0]
        """
        (i, j), (a, b) = self.chromosomes[pairs].T, self.positions[pairs].T
        along = np.abs(a - b)
        if self.length is not None:
            along = np.minimum(along, self.length - along)
        apart = np.where(i == j, along.astype(np.float64), np.inf)
        apart[(i < 0) | (j < 0)] = np.nan
        return apart


def distances(loci: Loci, pairs: Ints, length: int | None = None) -> Floats:
    """Return the distances of pairs of variables: see `Coordinates.distances`."""
    return Coordinates.of(loci, length).distances(pairs)


def describe_loci(loci: Loci, length: int | None = None) -> str:
    """Describe the number of loci and their range.

    Examples
    --------
    >>> describe_loci((Locus("chr1", 12345), Locus("chr1", 99), None))
    '2 of 3 variables on chr1, from 99 to 12345'
    >>> describe_loci((Locus("1", 5), Locus("X", 8)))
    '2 variables on 2 chromosomes, 1 to X'
    >>> describe_loci((Locus("", 5), Locus("", 8)), 12)
    '2 variables from 5 to 8, on a circular genome of 12'
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
    circle = "" if length is None else f", on a circular genome of {length}"
    return f"{count}{on} from {min(positions)} to {max(positions)}{circle}"
