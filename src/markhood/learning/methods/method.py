"""What a way of learning is to all others, and the checks that options share."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any, ClassVar, Protocol

from markhood.errors import InputError, option
from markhood.scores.criterion import Criterion
from markhood.scores.mpl import Mpl
from markhood.search.values.found import Found
from markhood.search.values.job import Job


class Method(Protocol):
    """Options of a way of learning, and the search."""

    name: ClassVar[str]
    is_random: ClassVar[bool] = False  # whether the search draws, from the job's seed
    takes_missing: ClassVar[bool] = False  # whether it leaves missing values out, unimputed

    @property
    def scored_by(self) -> Criterion:
        """What scores blankets in the search, and edges in the graph that it ends with."""

    @property
    def heeds_order(self) -> bool:
        """Whether ordered levels are steps to it: MPL is of tables, without order."""
        return not isinstance(self.scored_by, Mpl)

    @property
    def adjusts(self) -> bool:
        """Whether it can keep covariates in every blanket."""
        return False

    @property
    def settling(self) -> Method:
        """The method whose searches alternate with draws of the missing values until the graph settles."""
        return self

    def search(self, job: Job) -> Found:
        """Search for a graph."""

    def search_again(self, job: Job, before: Found) -> Found:
        """Search in samples that hardly differ from those in which something was found before."""
        return self.search(job)


def is_number(value: Any) -> bool:
    """Return whether a value is a finite number."""
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def require_count(name: str, value: Any) -> None:
    """Refuse what is no whole number from 1 up."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
        raise InputError(f"{option(name)} must be a whole number from 1 up, not {value!r}.")


def require_gamma(gamma: float) -> None:
    """Refuse what cannot weigh the number of possible blankets."""
    if not is_number(gamma) or gamma < 0:
        raise InputError(f"{option('gamma')} must be a finite number from 0 up, not {gamma!r}.")


def require_one_of(name: str, value: Any, choices: list[Any]) -> None:
    """Refuse what is none of the choices."""
    if value not in choices:
        listed = ", ".join(map(str, choices))
        raise InputError(f"Unknown {option(name)} {value!r}: choose one of {listed}.")
