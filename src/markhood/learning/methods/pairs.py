"""Pairs that are ranked or tested, each by itself or all in one model: pairwise, Chow-Liu, PLM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from markhood.data.genome.alphabets import alphabet_of
from markhood.data.samples import Samples
from markhood.learning.methods.method import GammaOptions, Method
from markhood.options import Options, declare
from markhood.scores.bic import Bic
from markhood.scores.criterion import Criterion
from markhood.search.chow_liu import chow_liu
from markhood.search.pairwise import pairwise
from markhood.search.pseudo_likelihood import MIXTURE, pseudo_likelihood
from markhood.search.ranking import PAIRS_PER_VARIABLE
from markhood.search.values.found import Found
from markhood.search.values.job import Job


@dataclass(kw_only=True)
class PairwiseOptions(GammaOptions):
    """Options of the screen alone."""

    ranking: Literal["evidence", "mi", "mi_apc"] = declare(
        "evidence",
        "How pairs are ranked: by their gain in the screen, which must be positive; or, for all pairs, by mutual "
        "information, without (mi) or with (mi_apc) the average-product correction.",
    )
    top: int | None = declare(
        None,
        "Keep this many of the best pairs; by default all that pass the screen, or, of all pairs, 1.5 times the "
        "number of variables.",
        low=1,
    )
    remove_indirect: bool = declare(
        False, "Leave out the weakest pair of every triangle as indirect (ARACNE's rule)."
    )


@dataclass(kw_only=True)
class Pairwise(PairwiseOptions, Method):
    """The screen alone: all pairs that depend on each other, directly or not."""

    name: ClassVar[str] = "pairwise"

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
            self.ranking,
            top,
            bool(self.remove_indirect),
        )


@dataclass(kw_only=True)
class ChowLiuOptions(GammaOptions):
    """Options of the Chow-Liu forest."""

    forest: bool = declare(
        True, "Only pairs that pass the screen may be edges; otherwise the result is a tree."
    )


@dataclass(kw_only=True)
class ChowLiu(ChowLiuOptions, Method):
    """The forest under which the data are most likely."""

    name: ClassVar[str] = "chow-liu"

    @property
    def scored_by(self) -> Criterion:
        """What scores the edges."""
        return Bic(self.gamma)

    def search(self, job: Job) -> Found:
        """Search for a graph."""
        return chow_liu(job, self.gamma, self.forest)


def _top(text: str) -> int | str:
    return int(text) if text.isdecimal() else text


@dataclass(kw_only=True)
class PseudoLikelihoodOptions(Options):
    """Options of PLM."""

    penalty: float = declare(
        0.01,
        "Weight of the squared couplings, times (d - 1) sqrt((r_i - 1) (r_j - 1)).",
        above=0,
    )
    top: int | Literal["mixture"] | None = declare(
        None,
        "Number of pairs that become edges, or mixture: those that stand out from the background of scores. By default "
        "1.5 pairs per position of a protein, and mixture elsewhere.",
        low=1,
        parse=_top,
        metavar="N|mixture",
    )


@dataclass(kw_only=True)
class PseudoLikelihood(PseudoLikelihoodOptions, Method):
    """All pairs ranked by the couplings of the whole Potts model, penalised (plmDCA)."""

    name: ClassVar[str] = "plm"
    takes_missing: ClassVar[bool] = True

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
