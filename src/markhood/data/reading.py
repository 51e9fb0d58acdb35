"""Options of reading a table: columns, their roles and kinds, missing values, weights, format.

Every source of data has the same options. They are declared here once, in the groups that callers
pass: `ColumnOptions` as keywords, `TableFormat` as ``table=`` and `Genome` as ``genome=``.
`Reading` combines and checks them, and is passed from the interfaces to the encoder.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self, TypedDict

from markhood.data.codebook import Codebook, codebook_of
from markhood.data.coding.bins import Bins, checked_bins
from markhood.data.genome.loci import MOST_POSITION
from markhood.data.kinds import Kinds, checked_kinds
from markhood.data.option_values import (
    AUTO,
    bins_of_text,
    column_names,
    kinds_of_text,
    labels_given,
    listed_values,
    missing_codes_of,
    number_or_word,
    positions_given,
    share_or_word,
    weights_given,
    words,
)
from markhood.data.storage.backends import MEMORY, Storage
from markhood.data.variables import Variables
from markhood.errors import InputError, option, option_error
from markhood.findings import FindingLog
from markhood.options import Options, Sealed, declare, documented, options_from_json

SIMILARITY = "similarity"
DEPTH = "log(depth)"  # the covariate of compositional counts
MOST_LEVELS = 65535  # codes have 16 bits
# Options that the roles of a codebook stand in for; a cluster comes before a person in it.
OPTIONS_OF_ROLES = {
    "weight": "weights",
    "cluster": "clusters",
    "person": "clusters",
    "time": "time",
}
DELIMITERS = ",\t;|"  # of text files, the most likely first

Missing = Literal["auto", "error", "drop", "level", "impute"]


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
        parse=kinds_of_text,
        metavar="KIND|LIST",
    )
    bins: Bins | None = declare(
        "auto",
        "Number of equal-frequency bins for numeric columns with more than 12 distinct values, or "
        "for columns by name; 'auto' chooses up to 12. 'presence' reduces counts to absent and "
        "present; None keeps every number as a level.",
        convert=checked_bins,
        parse=bins_of_text,
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
        convert=listed_values,
        parse=lambda text: AUTO if text == AUTO else words(text),
        metavar="LIST",
    )


@dataclass(kw_only=True)
class RowOptions(Options):
    """Weights of rows, and rows that depend on each other."""

    weights: Any = declare(
        None,
        "Weight of each sample: one number per sample, the name of a column or of a file with one "
        "number per line, or 'similarity' for sequences.",
        convert=weights_given,
        metavar="COLUMN|FILE",
    )
    clusters: Any = declare(
        None,
        "Rows that depend on each other, such as pupils of a school: the name of the column with "
        "the clusters, or one label per row. The effective sample size replaces N, and bootstrap "
        "draws whole clusters.",
        convert=labels_given,
        metavar="COLUMN",
    )
    time: Any = declare(
        None,
        "Column with the time of each row, or one value per row: blocks of consecutive rows become "
        "clusters.",
        convert=labels_given,
        metavar="COLUMN",
    )


class ColumnKeywords(TypedDict, total=False):
    """The keywords of a function that reads a table: `ColumnOptions`, weights and groups."""

    columns: Sequence[str] | None
    exclude: Sequence[str]
    adjust_for: Sequence[str]
    kinds: Kinds
    bins: Bins | None
    missing: Missing
    missing_values: Iterable[Any]
    weights: Any
    table: TableFormat | None
    genome: Genome | None


class ReadingKeywords(ColumnKeywords, total=False):
    """The same, with rows that depend on each other."""

    clusters: Any
    time: Any


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
        content=positions_given,
        metavar="FILE",
    )
    letters: Literal["all", "reduced"] = declare(
        "all", "Letters of aligned sequences: all, or reduced (similar letters become one level)."
    )
    similarity_threshold: float = declare(
        0.1,
        "Similarity weights: samples that differ in at most this share of the variables are "
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
        convert=share_or_word,
        above=0,
        high=1,
        parse=number_or_word,
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
class Reading(TableFormat, Genome, ColumnOptions, RowOptions):
    """All options of reading data.

    Examples
    --------
    >>> Reading(missing="drop").missing
    'drop'
    >>> Reading(letters="few")
    Traceback (most recent call last):
    markhood.errors.InputError: Unknown letters 'few': choose one of all, reduced.
    """

    storage: Storage = MEMORY  # where packed bits are kept; by default in memory
    min_columns: int = 2  # minimum number of columns: 2 for a graph, 1 for a column of labels
    # Read only the columns of these variables, with their levels: see `markhood.data.matching`.
    known: Variables | None = None
    # Collects the findings of the readers.
    log: FindingLog = field(default_factory=FindingLog, compare=False, repr=False)
    missing_codes: frozenset[Any] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Check the options, and list the codes of missing values."""
        self.missing_codes = missing_codes_of(self.missing_values)
        super().__post_init__()
        if self.codebook is not None:
            self._apply_codebook(self.codebook)
        if self.compositional and DEPTH not in self.adjust_for:
            object.__setattr__(self, "adjust_for", (*self.adjust_for, DEPTH))
        by_similarity = isinstance(self.weights, str) and self.weights == SIMILARITY
        if self.similarity_threshold != 0.1 and not by_similarity:
            raise option_error(
                "similarity_threshold",
                f"requires {option('weights', SIMILARITY)}: pass both, or leave it out.",
                "option-conflict",
            )

    def _apply_codebook(self, codebook: Codebook) -> None:
        """Turn the roles of a codebook into options, unless the user passed the option itself.

        The codebook that is kept has no such roles, so that an option can be changed later.
        """
        covariates = codebook.with_role("covariate")
        options: dict[str, Any] = {
            "adjust_for": tuple(dict.fromkeys((*self.adjust_for, *covariates)))
        }
        for role, name in OPTIONS_OF_ROLES.items():
            columns = codebook.with_role(role)
            if len(columns) > 1:
                raise InputError(
                    "codebook",
                    columns[1],
                    f"The codebook gives the role {role} to {len(columns)} columns "
                    f"({', '.join(columns)}): give all but one the role skip.",
                )
            if columns and getattr(self, name) is None:
                options.setdefault(name, columns[0])
        used = (*covariates, *(own for own in options.values() if isinstance(own, str)))
        options["codebook"] = codebook.with_roles_used(used)
        for name, value in options.items():
            object.__setattr__(self, name, value)

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
    return Reading(**groups | flat)


def stored_reading(provenance: Mapping[str, Any], **changes: Any) -> Reading:
    """Return the reading of a graph's data, for new data: without weights, with some changes."""
    stored = dict(provenance.get("reading", {}))
    for name in ("weights", "similarity_threshold", "positions", "clusters", "time", *changes):
        stored.pop(name, None)
    return Reading(**options_from_json(Reading, stored), **changes)
