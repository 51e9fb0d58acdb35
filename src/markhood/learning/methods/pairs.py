"""Pairs that are ranked or tested, each by itself or all in one model: pairwise, Chow-Liu, PLM."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import ClassVar

from markhood.data.genome.alphabets import alphabet_of
from markhood.data.samples import Samples
from markhood.errors import InputError, option
from markhood.learning.methods.method import (
    Method,
    is_number,
    require_count,
    require_gamma,
    require_one_of,
)
from markhood.scores.bic import Bic
from markhood.scores.criterion import Criterion
from markhood.search.chow_liu import chow_liu
from markhood.search.pairwise import pairwise
from markhood.search.pseudo_likelihood import MIXTURE, pseudo_likelihood
from markhood.search.ranking import PAIRS_PER_VARIABLE
from markhood.search.values.found import Found
from markhood.search.values.job import Job


@dataclass(frozen=True)
class Pairwise(Method):
    """The screen alone: all pairs that depend on each other, directly or not.

    Parameters
    ----------
    gamma : float, default=0.5
        Weight of the number of variables in the penalty.
    ranking : {"evidence", "mi", "mi_apc"}, default="evidence"
        By what pairs are ranked: their gain in the screen, which must be above nothing; or, of all pairs whatever
        their price, the mutual information, or that with the average-product correction.
    top : int, optional
        Keep so many of the best; by default all that pass the screen, and of all pairs one and a half
        times as many as there are variables.
    remove_indirect : bool, default=False
        Whether the weakest pair of every triangle of these is taken for indirect and left out (ARACNE's rule).
    """

    name: ClassVar[str] = "pairwise"

    gamma: float = 0.5
    ranking: str = "evidence"
    top: int | None = None
    remove_indirect: bool = False

    def __post_init__(self) -> None:
        """Check the options."""
        require_gamma(self.gamma)
        require_one_of("ranking", self.ranking, ["evidence", "mi", "mi_apc"])
        require_count("top", 1 if self.top is None else self.top)
        require_one_of("remove_indirect", self.remove_indirect, [True, False])

    @property
    def scored_by(self) -> Criterion:
        """What scores pairs."""
        return Bic(self.gamma)

    def search(self, job: Job) -> Found:
        """Search for a graph."""
        top = None if self.top is None else int(self.top)
        return pairwise(
            job,
            self.gamma,
            self.ranking,  # type: ignore[arg-type]
            top,
            bool(self.remove_indirect),
        )


@dataclass(frozen=True)
class ChowLiu(Method):
    """The forest under which the data are most likely.

    Parameters
    ----------
    gamma : float, default=0.5
        Weight of the number of variables in the penalty.
    forest : bool, default=True
        Whether only pairs that pass the screen may be edges; otherwise the result is a tree.
    """

    name: ClassVar[str] = "chow-liu"

    gamma: float = 0.5
    forest: bool = True

    def __post_init__(self) -> None:
        """Check the options."""
        require_gamma(self.gamma)
        require_one_of("forest", self.forest, [True, False])

    @property
    def scored_by(self) -> Criterion:
        """What scores the edges."""
        return Bic(self.gamma)

    def search(self, job: Job) -> Found:
        """Search for a graph."""
        return chow_liu(job, self.gamma, self.forest)


@dataclass(frozen=True)
class PseudoLikelihood(Method):
    """All pairs ranked by the couplings of the whole Potts model, penalised (plmDCA).

    Parameters
    ----------
    penalty : float, default=0.01
        What the squares of couplings are multiplied by, times (d - 1) sqrt((r_i - 1) (r_j - 1)).
    top : int or "mixture", optional
        How many pairs are edges, or those that stick out of the background of scores. By default three
        for every two positions of a protein, and the mixture elsewhere.
    """

    name: ClassVar[str] = "plm"
    takes_missing: ClassVar[bool] = True

    penalty: float = 0.01
    top: int | str | None = None

    def __post_init__(self) -> None:
        """Check the options."""
        if not is_number(self.penalty) or self.penalty <= 0:
            raise InputError(f"{option('penalty')} must be a number above 0, not {self.penalty!r}.")
        if self.top is None or self.top == MIXTURE:
            return
        if not isinstance(self.top, Integral) or isinstance(self.top, bool) or self.top < 1:
            raise InputError(
                f"{option('top')} must be a whole number of pairs from 1 up, or {MIXTURE}, not "
                f"{self.top!r}."
            )

    @property
    def scored_by(self) -> Criterion:
        """What would score blankets: the search has none."""
        return Bic()

    @property
    def heeds_order(self) -> bool:
        """Whether ordered levels are steps to it: its couplings are tables, without order."""
        return False

    def search(self, job: Job) -> Found:
        """Rank all pairs."""
        return pseudo_likelihood(job, penalty=float(self.penalty), top=self._top(job.samples))

    def _top(self, samples: Samples) -> int | None:
        """Return how many pairs are edges; None where the scores decide."""
        if self.top is None and alphabet_of(samples.variables) == "protein":
            return int(PAIRS_PER_VARIABLE * (~samples.is_constant).sum())
        return None if self.top in (None, MIXTURE) else int(self.top)
