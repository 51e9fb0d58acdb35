"""Add positions along a genome to the variables of samples."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral
from typing import Any

from markhood.data.genome.loci import MOST_POSITION, Loci, loci_in_names
from markhood.data.genome.positions import known_loci
from markhood.data.samples import Samples
from markhood.errors import InputError, option


def with_loci(samples: Samples, loci: Loci | None) -> Samples:
    """Return the same samples with these loci of the variables."""
    if loci == samples.variables.loci:
        return samples
    return replace(samples, variables=replace(samples.variables, loci=loci))


def with_positions(samples: Samples, given: Any = None) -> Samples:
    """Add positions from the option, else from the file, else from names of variables.

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


def on_circle(samples: Samples, length: int | None) -> Samples:
    """Add the length of a circular genome, if there is one.

    Examples
    --------
    >>> from markhood.data.coding.encode import encode
    >>> samples = encode([[0, 1], [1, 0]], ["chr1:12", "chr1:34"])
    >>> on_circle(samples, 40).variables.genome_length
    40
    """
    if length is None:
        return samples
    name = option("genome_length")
    is_whole = isinstance(length, Integral) and not isinstance(length, bool)
    if not is_whole or not 1 <= length <= MOST_POSITION:
        raise _unusable(f"{name} must be a whole number of bases from 1 to 10^12, not {length!r}.")
    known = [locus for locus in samples.variables.loci or () if locus is not None]
    if not known:
        raise InputError(
            "positions",
            "genome_length",
            f"{name} needs positions of the variables: pass {option('positions')}, or use names "
            "such as 'chr1:12345'.",
        )
    if len({locus.chromosome for locus in known}) > 1:
        raise InputError(
            "option-conflict",
            "genome_length",
            f"{name} is for a single circular chromosome, but the variables are on several: leave "
            "it out.",
        )
    furthest = max(locus.position for locus in known)
    if furthest > length:
        raise _unusable(
            f"{name} is {length}, but a variable is at position {furthest}: pass the full length."
        )
    variables = replace(samples.variables, genome_length=int(length))
    return replace(samples, variables=variables)


def _unusable(text: str) -> InputError:
    return InputError("option-value", "genome_length", text)
