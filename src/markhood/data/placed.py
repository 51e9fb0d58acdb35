"""Samples with the places of their variables: those that the user gives, else those that names tell."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from markhood.data.known import known_loci
from markhood.data.loci import Loci, loci_in_names
from markhood.data.samples import Samples


def with_loci(samples: Samples, loci: Loci | None) -> Samples:
    """Return the same samples of variables that lie there."""
    if loci == samples.variables.loci:
        return samples
    return replace(samples, variables=replace(samples.variables, loci=loci))


def with_positions(samples: Samples, given: Any = None) -> Samples:
    """Return samples that know where their variables lie: by what is given, their file, or names.

    Examples
    --------
    >>> from markhood.data.coding.encode import encode
    >>> samples = encode([[0, 1], [1, 0]], ["chr1:12", "chr1:34"])
    >>> with_positions(samples).variables.loci[1]
    Locus(chromosome='chr1', position=34)
    """
    if given is not None:
        return with_loci(samples, known_loci(given, samples.names))
    if samples.variables.loci is None:
        return with_loci(samples, loci_in_names(samples.names))
    return samples
