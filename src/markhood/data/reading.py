"""How data are to be read: which columns, what is missing, how many levels, what samples weigh.

Every source of data takes the same choices, so they travel together from the door (`encode`,
`read_samples`, `learn`) to the encoder, and are checked once, here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Any

from markhood.data.coding.bins import Bins, checked_bins
from markhood.data.coding.cells import parse_cell
from markhood.data.kinds import Kinds, checked_kinds
from markhood.data.storage.places import MEMORY, Storage
from markhood.data.understood import Notes
from markhood.data.variables import Variables
from markhood.errors import InputError, option

POLICIES = ("error", "drop", "level", "impute")
SIMILARITY = "similarity"
MOST_LEVELS = 65535  # codes have sixteen bits
DELIMITERS = ",\t;|"  # of text, the likeliest first


@dataclass(frozen=True)
class Reading:
    """Choices about how data are read.

    Attributes
    ----------
    missing : {"error", "drop", "level", "impute"}, default="error"
        What to do about missing values: refuse them, leave out the samples that have any, make
        them a level of their own (the last, None), or keep them apart to be imputed.
    missing_values : iterable, default=()
        Further values that mean missing, such as -9 or "?". They are matched by value: -9 is also
        -9.0, and the text "-9".
    max_levels : int, default=64
        How many distinct values a column may have.
    weights : array-like of shape (n_samples,), or str, optional
        How often each sample counts, see `markhood.data.weights.as_weights`; "similarity" for
        `similarity_weights`. For files also the name of a column of the data, or else of a file.
    normalize_weights : bool, default=True
        Whether weights that are not whole numbers are scaled to mean 1.
    storage : Storage
        Where packed bits are kept; by default in memory.
    columns : sequence of str, optional
        The columns that are variables, in this order; by default all. Names, or patterns such as
        "Q*", of which each stands for all names that match it.
    exclude : sequence of str, default=()
        Columns that are no variables: names or patterns.
    index : str, optional
        The column that names the samples, and is no variable.
    kinds : {"auto", "nominal", "ordinal"} or mapping of str to str, default="auto"
        Whether levels are steps: see `markhood.data.kinds`.
    bins : int, "auto" or mapping of str to int, optional
        Into how many bins columns of many numbers are cut: see `markhood.data.coding.bins`.
    merge_rare : int, optional
        Merge levels that fewer samples have: see `markhood.data.coding.regrouping`.
    letters : {"all", "reduced"}, default="all"
        Whether similar letters of aligned sequences are one level: see `markhood.data.genome.alphabets`.
    similarity_threshold : float, default=0.1
        Samples that differ in at most this share of the variables are alike, for weights by similarity.
    notes : Notes
        What readers decide is gathered here.
    known : Variables, optional
        Read new data like these: only their columns, with their levels. See `markhood.data.matching`.

    Examples
    --------
    >>> Reading(missing="drop").missing
    'drop'
    >>> Reading(missing="ignore")
    Traceback (most recent call last):
    markhood.errors.InputError: Unknown missing 'ignore': choose error, drop, level or impute.
    """

    missing: str = "error"
    missing_values: Iterable[Any] = ()
    max_levels: int = 64
    weights: Any = None
    normalize_weights: bool = True
    storage: Storage = MEMORY
    columns: Sequence[str] | None = None
    exclude: Sequence[str] = ()
    index: str | None = None
    kinds: Kinds = "auto"
    bins: Bins | None = None
    merge_rare: int | None = None
    letters: str = "all"
    similarity_threshold: float = 0.1
    notes: Notes = field(default_factory=Notes, compare=False, repr=False)
    known: Variables | None = None
    missing_codes: frozenset[Any] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.missing not in POLICIES:
            raise InputError(
                f"Unknown missing {self.missing!r}: choose {', '.join(POLICIES[:-1])} or "
                f"{POLICIES[-1]}."
            )
        if not isinstance(self.max_levels, Integral) or not 2 <= self.max_levels <= MOST_LEVELS:
            raise InputError(
                f"max_levels must be a whole number from 2 to {MOST_LEVELS}, not "
                f"{self.max_levels!r}."
            )
        object.__setattr__(self, "kinds", checked_kinds(self.kinds))
        object.__setattr__(self, "bins", checked_bins(self.bins))
        rare = self.merge_rare
        if rare is not None and (not isinstance(rare, Integral) or int(rare) < 2):
            raise InputError(
                f"{option('merge_rare')} must be a whole number of samples from 2 up, not {rare!r}: "
                "levels that fewer have are merged."
            )
        if self.letters not in ("all", "reduced"):
            raise InputError(
                f"Unknown {option('letters')} {self.letters!r}: choose all or reduced."
            )
        self._check_threshold()
        columns = None if self.columns is None else _names("columns", self.columns)
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "exclude", _names("exclude", self.exclude))
        object.__setattr__(self, "missing_values", _listed(self.missing_values))
        object.__setattr__(self, "missing_codes", _codes(self.missing_values))

    def _check_threshold(self) -> None:
        name, share = "similarity_threshold", self.similarity_threshold
        if not isinstance(share, Real) or isinstance(share, bool) or not 0 <= share < 1:
            raise InputError(f"{option(name)} must be a share from 0 to below 1, not {share!r}.")
        by_similarity = isinstance(self.weights, str) and self.weights == SIMILARITY
        if share != 0.1 and not by_similarity:
            raise InputError(
                f"{option(name)} is for {option('weights', SIMILARITY)}: give that too, or leave it out."
            )

    @property
    def is_default(self) -> bool:
        """Whether nothing was chosen."""
        return self.weights is None and replace(self, weights=None) == Reading()

    def numbers(self) -> list[float]:
        """Return the codes for missing that an array of numbers can have."""
        numbers = [code for code in self.missing_codes if isinstance(code, (int, float))]
        return [n for n in numbers if isinstance(n, float) or abs(n) < 2**63]


def _names(name: str, given: Any) -> tuple[str, ...]:
    """Return names of columns; a single one may be given without a list around it."""
    if isinstance(given, str):
        return (given,)
    names = tuple(given) if isinstance(given, Iterable) else (given,)
    for one in names:
        if not isinstance(one, str):
            raise InputError(f"{option(name)} must be names of columns, not {one!r}: give texts.")
    return names


def _listed(values: Any) -> tuple[Any, ...]:
    if isinstance(values, (str, bytes, Real)):
        raise InputError(
            f"missing_values must be a list of values, not {values!r}: write [{values!r}]."
        )
    try:
        return tuple(values)
    except TypeError as error:
        raise InputError(
            f"missing_values must be a list of numbers or texts, not {values!r}."
        ) from error


def _codes(values: Iterable[Any]) -> frozenset[Any]:
    """Return values as they are, as text, and as what text files make of that text."""
    codes: set[Any] = set()
    for value in values:
        try:
            codes |= {value, str(value), parse_cell(str(value))}
        except TypeError as error:
            raise InputError(
                f"missing_values has a {type(value).__name__}: give numbers or texts."
            ) from error
    return frozenset(codes - {None})
