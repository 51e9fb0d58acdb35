"""`Method`: the interface of all methods.

A method consists of two classes: a dataclass of its options (``PlrhcOptions``), which the
scikit-learn estimator inherits too, and the method itself (``Plrhc``), an immutable value that
searches and describes itself.

No other code tests which method it has. Whether a method can be forecast or adjusted, how it is
imputed, what to warn about and what to cite are attributes here, with defaults that suit a search
for a graph. The modules of `forecast`, `imputation` and `checks` therefore take plain values and do
not import methods.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from markhood.arrays import Floats
from markhood.data.samples import Samples
from markhood.errors import InputError
from markhood.learning.checks.chance import warn_of_chance, warn_of_negative_evidence
from markhood.learning.checks.convergence import warn_of_fits
from markhood.learning.checks.many_parameters import (
    warn_of_letters,
    warn_of_linkage,
    warn_of_parameters,
)
from markhood.learning.describe import LearnedGraph
from markhood.learning.forecast.forecast import Forecast
from markhood.learning.imputation.imputed_samples import ImputedSamples
from markhood.learning.imputation.learn_imputed import Imputation, search_in_sets
from markhood.options import Options, Sealed, declare
from markhood.output.citation import Reference
from markhood.scores.bic import Bic
from markhood.scores.criterion import Criterion
from markhood.search.values.job import Job
from markhood.search.values.search_result import SearchResult


@dataclass(kw_only=True)
class Method(Sealed, ABC):
    """A learning method: a dataclass of options with a search."""

    name: ClassVar[str]
    is_random: ClassVar[bool] = False  # whether the search uses random numbers
    takes_missing: ClassVar[bool] = False  # whether it accepts samples with missing values
    is_conditional: ClassVar[bool] = True  # whether pairs are tested given other variables
    only_ranks: ClassVar[bool] = False  # whether evidence is a rank's score, no likelihood ratio

    @property
    def scored_by(self) -> Criterion:
        """The criterion of blankets in the search and of edges in the final graph."""
        return Bic(getattr(self, "gamma", 0.5))

    @property
    def uses_order(self) -> bool:
        """Whether it uses the order of levels; by default if its criterion does."""
        return getattr(self.scored_by, "uses_order", True)

    @property
    def takes_reals(self) -> bool:
        """Whether its regressions accept real columns; by default those of BIC_gamma do."""
        return type(self.scored_by) is Bic

    @property
    def n_factors(self) -> int | str | None:
        """Number of hidden factors to adjust for: a number, "auto", or None to check only."""
        return getattr(self, "factors", 0) if self.takes_reals else 0

    @property
    def settling(self) -> Method:
        """The method on whose graphs missing values are drawn: PLRHC, if edges are conditional."""
        from markhood.learning.methods.climbing import Plrhc  # which is a method itself

        return Plrhc(gamma=getattr(self, "gamma", 0.5)) if self.is_conditional else self

    @abstractmethod
    def search(self, job: Job) -> SearchResult:
        """Search for a graph."""

    def search_again(self, job: Job, before: SearchResult) -> SearchResult:
        """Search samples that differ little from those of an earlier result."""
        return self.search(job)

    def for_replicates(self, learned: SearchResult) -> Method:
        """Return the method for resampled data, given the result of all data."""
        return self

    @property
    def tested_gamma(self) -> float | None:
        """The gamma of BIC_gamma that a pair must pass to become an edge; by default the option."""
        return getattr(self, "gamma", None)

    @property
    def narrower(self) -> dict[str, Any]:
        """Options, with values to try, that make search spaces smaller."""
        return {}

    @property
    def citations(self) -> tuple[Reference, ...]:
        """The publications that describe it."""
        return ()

    def sentences(self) -> Iterator[str]:
        """Describe the method for a methods section: full sentences in the past tense."""
        return iter(())

    def sentence_on_missing(self, missing: str, sets: int) -> str:
        """Describe the treatment of missing values; ``missing`` is their number with a noun."""
        return (
            f"{missing} were imputed in {sets} completed data sets, and edges in the majority of "
            "these were kept."
        )

    @property
    def description(self) -> dict[str, Any]:
        """The description of the method in a graph's provenance."""
        return {
            "sentences": list(self.sentences()),
            "references": [reference._asdict() for reference in self.citations],
            **({"only_ranks": True} if self.only_ranks else {}),
        }

    def forecast(self, job: Job) -> Forecast:
        """Forecast time and memory on threads of this machine.

        Raises
        ------
        InputError
            If the method has no forecast.
        """
        raise InputError(
            "not-supported",
            "dry_run",
            f"The method {self.name!r} has no forecast: try it on fewer variables.",
        )

    def require_room(self, job: Job) -> None:
        """Raise if the search will not fit in memory, where that can be estimated."""
        return

    def search_completed(
        self,
        job: Job,
        quiet: Job,
        values: ImputedSamples,
        settled: SearchResult,
        imputation: Imputation,
    ) -> tuple[SearchResult, dict[str, Floats]]:
        """Search samples with missing values; return the result, and columns of its edges.

        ``quiet`` is the job without progress reports, ``settled`` the last result of `settling`. By
        default the imputed data sets are searched one by one.
        """
        return search_in_sets(job, quiet, self, values, settled, imputation)

    def warn_of_data(self, samples: Samples) -> None:
        """Warn, before the search, about data that limit the result."""
        if not self.only_ranks:
            warn_of_parameters(samples, uses_order=self.uses_order)

    def warn_of_result(self, job: Job, learned: LearnedGraph) -> None:
        """Warn about what limits a result."""
        n_edges = learned.graph.n_edges
        warn_of_fits(job.samples.names, learned.not_converged)
        if self.tested_gamma is not None:
            n_screened = None if learned.screened is None else len(learned.screened.edges)
            warn_of_chance(job, self.tested_gamma, n_edges, n_screened)
        if self.only_ranks:
            return
        warn_of_letters(job.samples, n_edges)
        if self.is_conditional:
            warn_of_linkage(job.constraints, len(learned.edges), n_edges)
            if learned.probabilities is None:
                warn_of_negative_evidence(learned.graph, job.constraints)


@dataclass(kw_only=True)
class GammaOptions(Options):
    """The option that most methods share."""

    gamma: float = declare(
        0.5,
        "Weight of the model-space penalty in BIC_gamma; larger gives fewer edges, 0 is the "
        "classical BIC. If it is not set, and more than a third of the edges would be due to "
        "chance, learning uses a larger value and warns.",
        low=0,
    )
