"""How a table becomes samples: which columns, their roles and kinds, missing values, weights, format.

Every source of data takes the same choices. They are declared here once, in groups as a caller passes them:
`ColumnOptions` flat, `TableFormat` as ``table=`` and `Genome` as ``genome=``; `Reading` is all of them together,
checked, and travels from the interfaces to the encoder.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, Literal, Self

import numpy as np

from markhood.data.coding.bins import Bins, checked_bins
from markhood.data.coding.cells import parse_cell
from markhood.data.kinds import Kinds, checked_kinds
from markhood.data.storage.places import MEMORY, Storage
from markhood.data.understood import Notes
from markhood.data.variables import Variables
from markhood.errors import InputError, option
from markhood.options import Options, Sealed, declare, documented, options_from_json

SIMILARITY = "similarity"
MOST_LEVELS = 65535  # codes have sixteen bits
DELIMITERS = ",\t;|"  # of text, the likeliest first

Missing = Literal["error", "drop", "level", "impute"]


def column_names(name: str, given: Any) -> tuple[str, ...]:
    """Return names of columns; a single one may be given without a list around it."""
    if isinstance(given, str):
        return (given,)
    names = tuple(given) if isinstance(given, Iterable) else (given,)
    for one in names:
        if not isinstance(one, str):
            raise InputError(f"{option(name)} must be names of columns, not {one!r}: give texts.")
    return names


def words(text: str) -> tuple[str, ...]:
    """Split a list as it is written in a shell: a,b,c."""
    return tuple(text.split(",")) if text else ()


def by_name(text: str) -> dict[str, str]:
    """Read a=1,b=2; a name may contain an equals sign, the value follows the last one."""
    parts = [part.rpartition("=") for part in text.split(",")]
    return {name: value for name, _, value in parts}


def _listed(values: Any) -> tuple[Any, ...]:
    if isinstance(values, (str, bytes, Real)):
        raise InputError(
            f"{option('missing_values')} must be a list of values, not {values!r}: write [{values!r}]."
        )
    try:
        return tuple(values)
    except TypeError as error:
        raise InputError(
            f"{option('missing_values')} must be a list of numbers or texts, not {values!r}."
        ) from error


def _weights(given: Any) -> Any:
    """Return weights as a word, a path or an array of numbers."""
    if isinstance(given, str) or hasattr(given, "__fspath__"):
        return str(given)
    try:
        return np.asarray(given)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{option('weights')} must be numbers ({error}): give one per sample."
        ) from error


def _identical(given: Any) -> Any:
    return float(given) if isinstance(given, Real) and not isinstance(given, bool) else given


def _positions(given: Any) -> Any:
    from markhood.data.genome.positions import listed_positions  # which knows this module

    return listed_positions(given)


def _number_or_word(text: str) -> Any:
    """Return a number where a text is one."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _bins_text(text: str) -> Any:
    if "=" not in text:
        return _number_or_word(text)
    return {name: _number_or_word(number) for name, number in by_name(text).items()}


@dataclass(kw_only=True)
class ColumnOptions(Options):
    """Which columns are used, in which role, and what their values mean."""

    columns: Sequence[str] | None = declare(
        None,
        "Columns to use: names, or glob patterns such as 'Q*'. By default all.",
        convert=lambda given: column_names("columns", given),
        parse=words,
        metavar="LIST",
    )
    exclude: Sequence[str] = declare(
        (),
        "Columns to leave out: names or glob patterns.",
        convert=lambda given: column_names("exclude", given),
        parse=words,
        metavar="LIST",
    )
    adjust_for: Sequence[str] = declare(
        (),
        "Covariates: columns that are in every variable's regression, but are not nodes. Numbers with more than 12 "
        "distinct values are used as they are.",
        convert=lambda given: column_names("adjust_for", given),
        parse=words,
        metavar="LIST",
    )
    kinds: Kinds = declare(
        "auto",
        "Whether the levels of columns are ordered: auto, nominal or ordinal, for all columns or for some by "
        "name. By default numbers with three or more distinct values and ordered categories are ordered; text and "
        "unordered categories are not.",
        convert=checked_kinds,
        parse=lambda text: by_name(text) if "=" in text else text,
        metavar="KIND|LIST",
    )
    bins: Bins | None = declare(
        None,
        "Number of equal-frequency bins for numeric columns with more than 12 distinct values, or for columns by "
        "name; 'auto' chooses it from the number of samples.",
        convert=checked_bins,
        parse=_bins_text,
        metavar="NUMBER|LIST",
    )
    missing: Missing = declare(
        "error",
        "Missing values: error, drop (leave out samples that have any), level (a level of their own) or impute "
        "(learn from several completed data sets).",
    )
    missing_values: Sequence[Any] = declare(
        (),
        "Further values that mean missing, such as -9 or '?'.",
        convert=_listed,
        parse=words,
        metavar="LIST",
    )


@dataclass(kw_only=True)
class TableFormat(Sealed):
    """Details of how a table is read.

    Parameters
    ----------
    {parameters}

    Examples
    --------
    >>> TableFormat(header=False, max_levels=200).max_levels
    200
    """

    index: str | None = declare(
        None, "Column that names the rows; it is not a variable.", metavar="COLUMN"
    )
    header: bool | None = declare(
        None, "Text files and sheets: whether the first row has names. By default detected."
    )
    encoding: str | None = declare(
        None, "Text files: utf-8, cp1252 and so on. By default detected.", metavar="NAME"
    )
    transpose: bool = declare(False, "Text files, sheets and arrays: the rows are the variables.")
    array: str | None = declare(
        None, "Which array of an NPZ file, or which table of an R file.", metavar="NAME"
    )
    max_levels: int = declare(
        64, "Maximum number of distinct values in a column.", low=2, high=MOST_LEVELS
    )
    merge_rare: int | None = declare(
        None,
        "Merge levels that fewer samples have: with the neighbouring level where levels are ordered, into "
        "'other' where they are not.",
        low=2,
    )
    normalize_weights: bool = declare(True, "Scale weights that are not whole numbers to mean 1.")


@dataclass(kw_only=True)
class Genome(Sealed):
    """Options for sites of genomes and columns of alignments.

    Parameters
    ----------
    {parameters}

    Examples
    --------
    >>> Genome(min_distance=10_000, identical="group").min_distance
    10000
    """

    positions: Any = declare(
        None,
        "Positions of variables along a genome, by name or in order: numbers, pairs of chromosome and position, "
        "or a file with columns name, chromosome, position. By default read from the file or from names such as "
        "chr1:12345.",
        content=_positions,
        metavar="FILE",
    )
    letters: Literal["all", "reduced"] = declare(
        "all", "Letters of aligned sequences: all, or reduced (similar letters become one level)."
    )
    similarity_threshold: float = declare(
        0.1,
        "weights='similarity': samples that differ in at most this share of the variables count as similar.",
        low=0,
        below=1,
    )
    min_minor: float = declare(
        0.01,
        "FASTA and VCF: keep positions whose second most common letter or allele has at least this share.",
        low=0,
        high=1,
    )
    max_gap: float = declare(
        0.15,
        "FASTA and VCF: keep positions with at most this share of gaps or missing calls.",
        low=0,
        high=1,
    )
    genotypes: Literal["auto", "haplotypes", "levels", "dominant", "recessive"] = declare(
        "auto",
        "VCF and PLINK: whether a sample is a chromosome copy (haplotypes) or a person, coded by the number of "
        "copies of an allele (levels), by any copy (dominant) or by two copies (recessive).",
    )
    identical: Literal["auto", "keep", "group"] | float = declare(
        "auto",
        "Columns that are exact copies or complements of each other: keep each as a node, or group them into one "
        "node; a number such as 0.99 also groups columns with at least this agreement (Cohen's kappa). auto groups "
        "sites of genomes and alignments.",
        convert=_identical,
        above=0,
        high=1,
        parse=_number_or_word,
        metavar="WORD|NUMBER",
    )
    min_distance: float | None = declare(
        None,
        "Leave out edges between variables that are nearer than this on one chromosome; they still condition "
        "other edges.",
        low=0,
    )
    genome_length: int | None = declare(
        None, "Length of a circular genome in bases: distances are the shorter way round.", low=1
    )


@dataclass(kw_only=True, eq=False)
class Reading(TableFormat, Genome, ColumnOptions):
    """All choices about how data are read.

    Attributes
    ----------
    weights : array-like of shape (n_samples,) or str, optional
        How often each sample counts, see `markhood.data.weights.as_weights`; "similarity" for
        `similarity_weights`; or the name of a column of the data, or else of a file.
    storage : Storage
        Where packed bits are kept; by default in memory.
    min_columns : int
        A graph needs two columns; a column of labels is read alone.
    known : Variables, optional
        Read new data like these: only their columns, with their levels. See `markhood.data.matching`.
    notes : Notes
        What readers decide is gathered here.

    Examples
    --------
    >>> Reading(missing="drop").missing
    'drop'
    >>> Reading(missing="ignore")
    Traceback (most recent call last):
    markhood.errors.InputError: Unknown missing 'ignore': choose one of error, drop, level, impute.
    """

    weights: Any = declare(
        None,
        "How often each sample counts: one number per sample, the name of a column or of a file with one number "
        "per line, or 'similarity' for sequences.",
        convert=_weights,
        metavar="COLUMN|FILE",
    )
    storage: Storage = MEMORY
    min_columns: int = 2
    known: Variables | None = None
    notes: Notes = field(default_factory=Notes, compare=False, repr=False)
    missing_codes: frozenset[Any] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Check the options, and look the codes of missing values up."""
        self.missing_codes = _codes(self.missing_values)
        super().__post_init__()
        by_similarity = isinstance(self.weights, str) and self.weights == SIMILARITY
        if self.similarity_threshold != 0.1 and not by_similarity:
            raise InputError(
                f"{option('similarity_threshold')} is for {option('weights', SIMILARITY)}: give that too, or "
                "leave it out."
            )

    def without(self, *names: str) -> Self:
        """Return the same choices with some at their defaults."""
        defaults: dict[str, Any] = {
            one.name: one.default for one in self.declared() if one.name in names
        }
        return replace(self, **defaults)

    def numbers(self) -> list[float]:
        """Return the codes for missing that an array of numbers can have."""
        numbers = [code for code in self.missing_codes if isinstance(code, (int, float))]
        return [n for n in numbers if isinstance(n, float) or abs(n) < 2**63]


for _kind in (TableFormat, Genome):
    documented(_kind)(_kind)


def reading_of(
    table: TableFormat | None = None, genome: Genome | None = None, **flat: Any
) -> Reading:
    """Put the groups of options together."""
    groups = {**(table or TableFormat()).changed(), **(genome or Genome()).changed()}
    return Reading(**groups, **flat)


def stored_reading(provenance: Mapping[str, Any], **changes: Any) -> Reading:
    """Return how the data of a graph were read, for new data: without their weights, with some changes."""
    stored = dict(provenance.get("reading", {}))
    for name in ("weights", "similarity_threshold", "positions", *changes):
        stored.pop(name, None)
    return Reading(**options_from_json(Reading, stored), **changes)


def _codes(values: Iterable[Any]) -> frozenset[Any]:
    """Return values as they are, as text, and as what text files make of that text."""
    codes: set[Any] = set()
    for value in _listed(values):
        try:
            codes |= {value, str(value), parse_cell(str(value))}
        except TypeError as error:
            raise InputError(
                f"{option('missing_values')} has a {type(value).__name__}: give numbers or texts."
            ) from error
    return frozenset(codes - {None})
