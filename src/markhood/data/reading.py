"""Options of reading a table: columns, their roles and kinds, missing values, weights, format.

Every source of data has the same options. They are declared here once, in the groups that callers
pass: `ColumnOptions` as keywords, `TableFormat` as ``table=`` and `Genome` as ``genome=``.
`Reading` combines and checks them, and is passed from the interfaces to the encoder.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, Literal, Self

import numpy as np

from markhood.data.codebook import Codebook, codebook_of
from markhood.data.coding.bins import Bins, checked_bins
from markhood.data.coding.cells import parse_cell
from markhood.data.coding.composition import DEPTH
from markhood.data.genome.loci import MOST_POSITION
from markhood.data.kinds import STEP, Kinds, checked_kinds
from markhood.data.storage.backends import MEMORY, Storage
from markhood.data.variables import Variables
from markhood.errors import InputError, option
from markhood.findings import FindingLog
from markhood.options import Options, Sealed, declare, documented, options_from_json

SIMILARITY = "similarity"
MOST_LEVELS = 65535  # codes have 16 bits
DELIMITERS = ",\t;|"  # of text files, the most likely first

Missing = Literal["auto", "error", "drop", "level", "impute"]
AUTO = "auto"  # codes for missing values are detected


def column_names(name: str, given: Any) -> tuple[str, ...]:
    """Return names of columns as a tuple; a single name may be passed as a text."""
    if isinstance(given, str):
        return (given,)
    names = tuple(given) if isinstance(given, Iterable) else (given,)
    for one in names:
        if not isinstance(one, str):
            raise InputError(
                "option-value", name, f"{option(name)} must be names of columns, not {one!r}."
            )
    return names


def words(text: str) -> tuple[str, ...]:
    """Split a list that is written as on the command line: a,b,c."""
    return tuple(text.split(",")) if text else ()


def _kinds_text(text: str) -> Any:
    """Parse kinds: a word, or a=nominal,b=low<mid<high."""
    if "=" not in text:
        return text
    return {
        name: tuple(kind.split(STEP)) if STEP in kind else kind
        for name, kind in by_name(text).items()
    }


def by_name(text: str) -> dict[str, str]:
    """Parse a=1,b=2; the last equals sign precedes the value, because names may contain one."""
    parts = [part.rpartition("=") for part in text.split(",")]
    return {name: value for name, _, value in parts}


def _listed(values: Any) -> Any:
    if isinstance(values, str) and values == AUTO:
        return AUTO
    if isinstance(values, (str, bytes, Real)):
        raise InputError(
            "option-value",
            "missing_values",
            f"{option('missing_values')} must be a list of values, not {values!r}: use "
            f"[{values!r}].",
        )
    try:
        return tuple(values)
    except TypeError as error:
        raise InputError(
            "option-value",
            "missing_values",
            f"{option('missing_values')} must be a list of numbers or texts, not {values!r}.",
        ) from error


def _weights(given: Any) -> Any:
    """Return weights as a word, a path or an array of numbers."""
    if isinstance(given, str) or hasattr(given, "__fspath__"):
        return str(given)
    try:
        return np.asarray(given)
    except (TypeError, ValueError) as error:
        raise InputError(
            "weights",
            "weights",
            f"{option('weights')} must be numbers ({error}): pass one per sample.",
        ) from error


def _labels(given: Any) -> Any:
    """Return labels of rows as the name of a column, or as plain values."""
    if isinstance(given, str):
        return given
    if not isinstance(given, Iterable):
        raise InputError(
            "labels",
            "",
            f"Labels must be the name of a column, or one value per row, not {given!r}.",
        )
    return tuple(given.tolist() if hasattr(given, "tolist") else given)


def _identical(given: Any) -> Any:
    return float(given) if isinstance(given, Real) and not isinstance(given, bool) else given


def _positions(given: Any) -> Any:
    from markhood.data.genome.positions import listed_positions  # which imports this module

    return listed_positions(given)


def _number_or_word(text: str) -> Any:
    """Convert a text to a number if possible."""
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
    """Columns to use, their roles, and the meaning of their values."""

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
        "Covariates: columns that are in every variable's regression, but are not nodes. Numeric "
        "columns with more than 12 distinct values are used as numbers.",
        convert=lambda given: column_names("adjust_for", given),
        parse=words,
        metavar="LIST",
    )
    kinds: Kinds = declare(
        "auto",
        "Whether the levels of columns are ordered: auto, nominal or ordinal, for all columns or "
        "by name; or the levels of a column in their order. By default, numbers and recognised "
        "scales, such as low, medium, high, are ordered, unless the column has a name such as "
        "region.",
        convert=checked_kinds,
        parse=_kinds_text,
        metavar="KIND|LIST",
    )
    bins: Bins | None = declare(
        "auto",
        "Number of equal-frequency bins for numeric columns with more than 12 distinct values, or "
        "for columns by name; 'auto' chooses up to 12. 'presence' reduces counts to absent and "
        "present; None keeps every number as a level.",
        convert=checked_bins,
        parse=_bins_text,
        metavar="NUMBER|LIST",
    )
    missing: Missing = declare(
        "auto",
        "Missing values: impute (learn from several completed data sets), drop (leave out rows "
        "with missing values), level (treat missing as a level) or error. auto imputes, except "
        "for skipped questions, mostly empty columns and very few rows.",
    )
    missing_values: Sequence[Any] | Literal["auto"] = declare(
        "auto",
        "Values that mean missing, such as -9 or '?', in addition to empty cells and NA. auto "
        "finds codes that stand apart from all other values of a column; a list, which may be "
        "empty, replaces this.",
        convert=_listed,
        parse=lambda text: AUTO if text == AUTO else words(text),
        metavar="LIST",
    )


@dataclass(kw_only=True)
class TableFormat(Sealed):
    """Format of a table, and details of how it is read.

    Parameters
    ----------
    {parameters}

    Examples
    --------
    >>> TableFormat(header=False, max_levels=200).max_levels
    200
    """

    index: str | None = declare(
        None, "Column with row labels; it is not a variable.", metavar="COLUMN"
    )
    header: bool | None = declare(
        None, "Text files and sheets: whether the first row has names. Detected by default."
    )
    skip_rows: int | None = declare(
        None,
        "Text files and sheets: number of rows above the header to skip, not counting blank lines. "
        "Detected by default.",
        low=0,
    )
    encoding: str | None = declare(
        None,
        "Encoding of text files, such as utf-8 or cp1252. Detected by default.",
        metavar="NAME",
    )
    transpose: bool = declare(False, "Text files, sheets and arrays: the rows are the variables.")
    array: str | None = declare(
        None, "Name of the array of an NPZ file, or of the table of an R file.", metavar="NAME"
    )
    max_levels: int = declare(
        64,
        "Maximum number of levels of a column of categories; the rarest are merged into 'other'.",
        low=2,
        high=MOST_LEVELS,
    )
    codebook: Any = declare(
        None,
        "Roles, kinds and levels of columns: a codebook that describe made, a data frame, or a CSV "
        "file with the columns column, role, kind, levels, text and group.",
        convert=codebook_of,
        content=Codebook.as_json,
        metavar="FILE",
    )
    compositional: bool = declare(
        False,
        "Rows of counts with very different totals, such as sequencing reads: use centred "
        "log-ratios with zeros as their own level, and adjust for the depth.",
    )
    merge_rare: int | None = declare(
        None,
        "Merge levels with fewer samples than this: with the neighbouring level if the levels are "
        "ordered, else into 'other'.",
        low=2,
    )
    weights_are: Literal["auto", "frequencies", "survey"] = declare(
        "auto",
        "What weights are: frequencies (numbers of equal rows) or survey weights, which are scaled "
        "to the effective sample size. By default small whole numbers are frequencies.",
    )


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
        "Positions of variables along a genome, by name or in order: numbers, pairs of chromosome "
        "and position, or a file with columns name, chromosome, position. By default read from the "
        "file or from names such as chr1:12345.",
        content=_positions,
        metavar="FILE",
    )
    letters: Literal["all", "reduced"] = declare(
        "all", "Letters of aligned sequences: all, or reduced (similar letters become one level)."
    )
    similarity_threshold: float = declare(
        0.1,
        "weights='similarity': samples that differ in at most this share of the variables are "
        "similar.",
        low=0,
        below=1,
    )
    min_minor: float = declare(
        0.01,
        "FASTA and VCF: keep positions whose second most common letter or allele has at least this "
        "frequency.",
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
        "VCF and PLINK: whether a sample is a chromosome copy (haplotypes) or an individual, coded "
        "by the number of copies of an allele (levels), by any copy (dominant) or by two copies "
        "(recessive).",
    )
    identical: Literal["auto", "keep", "group"] | float = declare(
        "auto",
        "Columns that are exact copies or complements of each other: keep each as a node, or group "
        "them into one node; a number such as 0.99 also groups columns with at least this "
        "agreement (Cohen's kappa). auto groups sites of genomes and alignments.",
        convert=_identical,
        above=0,
        high=1,
        parse=_number_or_word,
        metavar="WORD|NUMBER",
    )
    min_distance: float | None = declare(
        None,
        "Leave out edges between variables that are nearer than this on one chromosome; they "
        "remain in the regressions.",
        low=0,
    )
    genome_length: int | None = declare(
        None,
        "Length of a circular genome in bases: distances are measured the shorter way around.",
        low=1,
        high=MOST_POSITION,
    )


@dataclass(kw_only=True, eq=False)
class Reading(TableFormat, Genome, ColumnOptions):
    """All options of reading data.

    Attributes
    ----------
    weights : array-like of shape (n_samples,) or str, optional
        Weight of each sample, see `markhood.data.weights.as_weights`; "similarity" for
        `similarity_weights`; or the name of a column of the data, or else of a file.
    clusters, time : str or sequence of labels, optional
        Rows that depend on each other, see `markhood.data.clusters`.
    storage : Storage
        Where packed bits are kept; by default in memory.
    min_columns : int
        Minimum number of columns: 2 for a graph, 1 for a column of labels.
    known : Variables, optional
        Read only the columns of these variables, with their levels: see `markhood.data.matching`.
    log : FindingLog
        Collects the findings of the readers.

    Examples
    --------
    >>> Reading(missing="drop").missing
    'drop'
    >>> Reading(letters="few")
    Traceback (most recent call last):
    markhood.errors.InputError: Unknown letters 'few': choose one of all, reduced.
    """

    weights: Any = declare(
        None,
        "Weight of each sample: one number per sample, the name of a column or of a file with one "
        "number per line, or 'similarity' for sequences.",
        convert=_weights,
        metavar="COLUMN|FILE",
    )
    clusters: Any = declare(
        None,
        "Rows that depend on each other, such as pupils of a school: the name of the column with "
        "the clusters, or one label per row. The effective sample size replaces N, and bootstrap "
        "draws whole clusters.",
        convert=_labels,
        metavar="COLUMN",
    )
    time: Any = declare(
        None,
        "Column with the time of each row, or one value per row: blocks of consecutive rows become "
        "clusters.",
        convert=_labels,
        metavar="COLUMN",
    )
    storage: Storage = MEMORY
    min_columns: int = 2
    known: Variables | None = None
    log: FindingLog = field(default_factory=FindingLog, compare=False, repr=False)
    missing_codes: frozenset[Any] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Check the options, and list the codes of missing values."""
        self.missing_codes = _codes(self.missing_values)
        super().__post_init__()
        if self.codebook is not None:
            self._apply_codebook(self.codebook)
        if self.compositional and DEPTH not in self.adjust_for:
            object.__setattr__(self, "adjust_for", (*self.adjust_for, DEPTH))
        by_similarity = isinstance(self.weights, str) and self.weights == SIMILARITY
        if self.similarity_threshold != 0.1 and not by_similarity:
            raise InputError(
                "option-conflict",
                "similarity_threshold",
                f"{option('similarity_threshold')} requires {option('weights', SIMILARITY)}: pass "
                "both, or leave it out.",
            )

    def _apply_codebook(self, codebook: Codebook) -> None:
        """Add the covariates and the weights of a codebook to the options."""
        covariates = (*self.adjust_for, *codebook.with_role("covariate"))
        object.__setattr__(self, "adjust_for", tuple(dict.fromkeys(covariates)))
        weights = codebook.with_role("weight")
        if len(weights) > 1:
            raise InputError(
                "codebook",
                weights[1],
                f"The codebook has {len(weights)} columns of weights ({', '.join(weights)}): give "
                "all but one the role skip.",
            )
        if weights and self.weights is None:
            object.__setattr__(self, "weights", weights[0])

    @property
    def listed_missing(self) -> tuple[Any, ...]:
        """The values that the user listed as missing."""
        return () if self.missing_values == AUTO else tuple(self.missing_values)

    def without(self, *names: str) -> Self:
        """Return a copy with some options at their defaults."""
        defaults: dict[str, Any] = {
            one.name: one.default for one in self.declared() if one.name in names
        }
        return replace(self, **defaults)

    def numbers(self) -> list[float]:
        """Return the codes for missing that can occur in an array of numbers."""
        numbers = [code for code in self.missing_codes if isinstance(code, (int, float))]
        return [n for n in numbers if isinstance(n, float) or abs(n) < 2**63]


for _kind in (TableFormat, Genome):
    documented(_kind)(_kind)


def reading_of(
    table: TableFormat | None = None, genome: Genome | None = None, **flat: Any
) -> Reading:
    """Combine the groups of options."""
    groups = {**(table or TableFormat()).changed(), **(genome or Genome()).changed()}
    return Reading(**groups, **flat)


def stored_reading(provenance: Mapping[str, Any], **changes: Any) -> Reading:
    """Return the reading of a graph's data, for new data: without weights, with some changes."""
    stored = dict(provenance.get("reading", {}))
    for name in ("weights", "similarity_threshold", "positions", "clusters", "time", *changes):
        stored.pop(name, None)
    return Reading(**options_from_json(Reading, stored), **changes)


def _codes(values: Iterable[Any]) -> frozenset[Any]:
    """Return each value unchanged, as text, and as that text is read from a file."""
    codes: set[Any] = set()
    for value in () if values == AUTO else _listed(values):
        try:
            codes |= {value, str(value), parse_cell(str(value))}
        except TypeError as error:
            raise InputError(
                "option-value",
                "missing_values",
                f"{option('missing_values')} has a {type(value).__name__}: use numbers or texts.",
            ) from error
    return frozenset(codes - {None})
