"""Methods that rank or test pairs, separately or in one model: pairwise, Chow-Liu, PLM."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from markhood.data.genome.alphabets import alphabet_of
from markhood.data.option_values import number_or_word
from markhood.data.samples import Samples
from markhood.learning.factors import FactorOptions
from markhood.learning.forecast.forecast import Forecast, forecast_couplings, forecast_pairs
from markhood.learning.methods.method import GammaOptions, Method
from markhood.options import Options, declare
from markhood.output.citation import PAPER, Reference
from markhood.search.pairwise import chow_liu, pairwise
from markhood.search.pseudo_likelihood import MIXTURE, pseudo_likelihood
from markhood.search.ranking import PAIRS_PER_VARIABLE
from markhood.search.values.job import Job
from markhood.search.values.search_result import SearchResult

PRODUCT_CORRECTION = Reference(
    "Dunn, Wahl and Gloor, 2008",
    "S. D. Dunn, L. M. Wahl and G. B. Gloor (2008). Mutual information without the influence of "
    "phylogeny or entropy dramatically improves residue contact prediction. Bioinformatics 24(3), "
    "333-340. https://doi.org/10.1093/bioinformatics/btm604.",
)
ARACNE = Reference(
    "Margolin et al., 2006",
    "A. A. Margolin, I. Nemenman, K. Basso, C. Wiggins, G. Stolovitzky, R. Dalla Favera and A. "
    "Califano (2006). ARACNE: An algorithm for the reconstruction of gene regulatory networks in "
    "a mammalian cellular context. BMC Bioinformatics 7(Suppl 1), S7. "
    "https://doi.org/10.1186/1471-2105-7-S1-S7.",
)


@dataclass(kw_only=True)
class PairwiseOptions(FactorOptions, GammaOptions):
    """Options of the screen alone."""

    ranking: Literal["evidence", "mi", "mi_apc"] = declare(
        "evidence",
        "Ranking of pairs: by their gain in the screen, which must be positive (evidence), or by "
        "mutual information without (mi) or with (mi_apc) the average-product correction.",
    )
    top: int | None = declare(
        None,
        "Number of pairs to keep. By default all that pass the screen, or 1.5 times the number of "
        "variables where all pairs are ranked.",
        low=1,
    )
    remove_indirect: bool = declare(
        False, "Remove the weakest pair of every triangle as indirect (ARACNE)."
    )


@dataclass(kw_only=True)
class Pairwise(PairwiseOptions, Method):
    """The screen alone: all pairs that are marginally dependent."""

    name: ClassVar[str] = "pairwise"
    is_conditional: ClassVar[bool] = False

    def search(self, job: Job) -> SearchResult:
        top = None if self.top is None else int(self.top)
        return pairwise(
            job,
            self.gamma,
            self.ranking,
            top,
            bool(self.remove_indirect),
        )

    @property
    def tested_gamma(self) -> float | None:
        """The gamma that every pair must pass, unless all pairs are ranked."""
        return self.gamma if self.ranking == "evidence" else None

    @property
    def citations(self) -> tuple[Reference, ...]:
        """The publications for the screen or ranking, and for the triangle rule."""
        ranked = {"evidence": (PAPER,), "mi_apc": (PRODUCT_CORRECTION,)}.get(self.ranking, ())
        return (*ranked, ARACNE) if self.remove_indirect else ranked

    def sentences(self) -> Iterator[str]:
        corrected = " with the average-product correction" if self.ranking == "mi_apc" else ""
        kept = "best" if self.top is None else f"{self.top} best"
        if self.ranking == "evidence":
            yield (
                "Two variables are joined where the likelihood ratio of their dependence, "
                "whatever the other variables, exceeds the penalty of the extended Bayesian "
                f"information criterion (gamma = {self.gamma:g})."
            )
            if self.top is not None:
                yield f"Of these pairs the {self.top} with the highest evidence were kept."
        else:
            yield (
                f"All pairs of variables were ranked by their mutual information{corrected}, and "
                f"the {kept} were kept."
            )
        if self.remove_indirect:
            yield (
                "In every triangle of pairs, the one with the least mutual information was taken "
                "for indirect and removed (ARACNE)."
            )

    def forecast(self, job: Job) -> Forecast:
        """Forecast the screen and the description of edges."""
        top = None if self.top is None else int(self.top)
        return forecast_pairs(job, self.gamma, self.ranking, top, bool(self.remove_indirect))


@dataclass(kw_only=True)
class ChowLiuOptions(FactorOptions, GammaOptions):
    """Options of the Chow-Liu forest."""

    forest: bool = declare(
        True, "Allow only pairs that pass the screen as edges; otherwise the result is a tree."
    )


@dataclass(kw_only=True)
class ChowLiu(ChowLiuOptions, Method):
    """The forest with the highest likelihood."""

    name: ClassVar[str] = "chow-liu"
    is_conditional: ClassVar[bool] = False

    def search(self, job: Job) -> SearchResult:
        return chow_liu(job, self.gamma, self.forest)

    citations: ClassVar[tuple[Reference, ...]] = (
        Reference(
            "Chow and Liu, 1968",
            "C. K. Chow and C. N. Liu (1968). Approximating discrete probability "
            "distributions with dependence trees. IEEE Transactions on Information Theory "
            "14(3), 462-467. https://doi.org/10.1109/TIT.1968.1054142.",
        ),
    )

    def sentences(self) -> Iterator[str]:
        kind = "forest of dependent pairs" if self.forest else "tree"
        yield f"The graph is the {kind} with the highest likelihood."


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
        "Number of pairs that become edges, or mixture: those that stand out from the background "
        "of scores. By default 1.5 pairs per position of a protein, and mixture elsewhere.",
        low=1,
        parse=number_or_word,
        metavar="N|mixture",
    )


@dataclass(kw_only=True)
class PseudoLikelihood(PseudoLikelihoodOptions, Method):
    """All pairs ranked by the couplings of one penalised Potts model (plmDCA)."""

    name: ClassVar[str] = "plm"
    takes_missing: ClassVar[bool] = True
    uses_order: ClassVar[bool] = False  # its couplings are tables
    takes_reals: ClassVar[bool] = False
    only_ranks: ClassVar[bool] = True

    def search(self, job: Job) -> SearchResult:
        """Rank all pairs."""
        return pseudo_likelihood(job, penalty=float(self.penalty), top=self._top(job.samples))

    def _top(self, samples: Samples) -> int | None:
        """Return the number of edges; None if the scores decide."""
        if self.top is None and alphabet_of(samples.variables) == "protein":
            return int(PAIRS_PER_VARIABLE * (~samples.is_constant).sum())
        return None if self.top in (None, MIXTURE) else int(self.top)

    citations: ClassVar[tuple[Reference, ...]] = (
        Reference(
            "Ekeberg et al., 2013",
            "M. Ekeberg, C. Lövkvist, Y. Lan, M. Weigt and E. Aurell (2013). Improved contact "
            "prediction in proteins: Using pseudolikelihoods to infer Potts models. Physical "
            "Review E 87, 012707. https://doi.org/10.1103/PhysRevE.87.012707.",
        ),
    )

    def sentence_on_missing(self, missing: str, sets: int) -> str:
        return f"{missing} were not imputed: they contribute nothing to the log odds of the others."

    def sentences(self) -> Iterator[str]:
        kept = f"the {self.top} best"
        if self.top in (None, MIXTURE):
            kept = "those whose scores stand out from the background"
        if self.top is None:
            kept += ", or three for every two positions of a protein"
        yield (
            "All pairs of variables were ranked by the couplings of a Potts model, fitted by "
            f"pseudo-likelihood with an L2 penalty (lambda = {self.penalty:g} (d - 1) sqrt((r_i - "
            "1)(r_j - 1))): by the Frobenius norms of their zero-sum tables, gaps left out, less "
            f"the average product. Edges are {kept}."
        )

    def forecast(self, job: Job) -> Forecast:
        """Forecast the fit of all couplings."""
        return forecast_couplings(job, float(self.penalty))
