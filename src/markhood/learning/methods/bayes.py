"""Bayesian edge probabilities: the options of the chains over graphs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from markhood.arrays import Floats
from markhood.data.samples import Samples
from markhood.learning.checks.convergence import warn_of_chains, warn_of_prior
from markhood.learning.checks.many_parameters import warn_of_tables
from markhood.learning.describe import LearnedGraph
from markhood.learning.factors import FactorOptions
from markhood.learning.forecast.forecast import Forecast, forecast_chains, require_room
from markhood.learning.imputation.imputed_samples import ImputedSamples
from markhood.learning.imputation.learn_imputed import Imputation
from markhood.learning.imputation.sampled import sample_with_values
from markhood.learning.known import listed_priors
from markhood.learning.methods.climbing import Plrhc
from markhood.learning.methods.method import Method
from markhood.options import declare
from markhood.output.citation import PAPER, Reference
from markhood.scores.bic import Bic
from markhood.scores.criterion import Criterion
from markhood.search.chains import Sweeps
from markhood.search.graph_sampler import (
    SCREEN_GAMMA,
    START_GAMMA,
    START_SCALE,
    GraphPrior,
    bayes,
)
from markhood.search.values.job import Job
from markhood.search.values.probabilities import Choice
from markhood.search.values.search_result import SearchResult


@dataclass(kw_only=True)
class BayesOptions(FactorOptions):
    """Options of the chains over graphs."""

    fdr: float | None = declare(
        None,
        "Keep the most probable pairs up to this expected false discovery rate, of those above "
        "min_probability.",
        above=0,
        below=1,
    )
    min_probability: float = declare(0.5, "Minimum probability of an edge.", low=0, below=1)
    edge_prior: float | None = declare(
        None,
        "Prior probability of an edge. By default it is learned from all pairs.",
        above=0,
        below=1,
    )
    pair_priors: Any = declare(
        None,
        "Prior probabilities of given pairs: {('a', 'b'): 0.9}, a table of source, target and "
        "probability, or a file of such lines.",
        content=listed_priors,
        metavar="FILE",
    )
    sweeps: int | None = declare(
        None,
        "Number of sweeps per chain after burn-in; burn-in takes a quarter as many. By default as "
        "many as the chains need to converge, from 20 to 160.",
        low=1,
    )
    chains: int = declare(4, "Number of chains.", low=1, high=1000)
    keep_draws: bool = declare(
        False,
        "Keep the graph of every sweep after burn-in of every chain; every sweep then visits all "
        "pairs.",
    )


@dataclass(kw_only=True)
class Bayes(BayesOptions, Method):
    """Posterior inclusion probabilities of all pairs, by Markov chains over graphs."""

    name: ClassVar[str] = "bayes"
    is_random: ClassVar[bool] = True

    scored_by: ClassVar[Criterion] = Bic(START_GAMMA)  # of the first graph and the final edges
    settling: ClassVar[Method] = Plrhc(gamma=START_GAMMA)  # the chains need one graph to start from

    start_scale = START_SCALE  # of couplings in the first round: not an option

    def search(self, job: Job) -> SearchResult:
        return bayes(job, choice=self.choice, prior=self.prior_for(job), sweeps=self.lengths)

    @property
    def choice(self) -> Choice:
        """The rule that selects pairs for the graph."""
        return Choice(self.fdr, self.min_probability)

    def prior_for(self, job: Job) -> GraphPrior:
        """Return the prior of edges."""
        density = None if self.edge_prior is None else float(self.edge_prior)
        known = job.constraints
        return GraphPrior(
            density,
            start_scale=self.start_scale,
            pairs=known.priors,
            probabilities=known.prior_probabilities,
        )

    def search_again(self, job: Job, before: SearchResult) -> SearchResult:
        """Search one of several imputed data sets: the first with all chains, others with one."""
        method = self if before.probabilities is None else replace(self, chains=1)
        return method.for_replicates(before).search(job)

    def for_replicates(self, learned: SearchResult) -> Bayes:
        """Return the method with the learned scale to start from, and chains of fixed length.

        The error of chains is small compared with the spread between replicates.
        """
        found = learned.probabilities
        method = replace(self, sweeps=self.sweeps or Sweeps.n_averaged, keep_draws=False)
        if found is not None:
            method.start_scale = found.scale
        return method

    @property
    def lengths(self) -> Sweeps:
        """The number and the lengths of the chains."""
        chains, draws = int(self.chains), self.keep_draws
        if self.sweeps is None:
            return Sweeps(chains, keep_draws=draws)
        averaged = int(self.sweeps)
        return Sweeps(chains, (averaged + 3) // 4, averaged, averaged, draws)

    def warn_of_data(self, samples: Samples) -> None:
        super().warn_of_data(samples)
        warn_of_tables(samples)

    def warn_of_result(self, job: Job, learned: LearnedGraph) -> None:
        super().warn_of_result(job, learned)
        if learned.probabilities is not None:
            warn_of_chains(learned.probabilities)
            if self.edge_prior is None:
                warn_of_prior(learned.probabilities)

    citations: ClassVar[tuple[Reference, ...]] = (
        Reference(
            "Marsman, Huth, Waldorp and Ntzoufras, 2022",
            "M. Marsman, K. Huth, L. J. Waldorp and I. Ntzoufras (2022). Objective Bayesian "
            "edge screening and structure selection for Ising networks. Psychometrika 87(1), "
            "47-82. https://doi.org/10.1007/s11336-022-09848-8.",
        ),
        PAPER,
    )

    def sentence_on_missing(self, missing: str, sets: int) -> str:
        return (
            f"{missing} were part of the state of the chains: they were drawn {sets} times in each "
            "chain, alternating with the graph, from regressions on its current graph."
        )

    def sentences(self) -> Iterator[str]:
        sweeps = "" if self.sweeps is None else f", {self.sweeps} sweeps each"
        chosen = f"with a probability above {self.min_probability:g} were kept"
        if self.fdr is not None:
            chosen += f", up to an expected false discovery rate of {self.fdr:g}"
        yield (
            f"The posterior probability of every edge was estimated by {self.chains} Markov chains "
            f"over graphs{sweeps}, started at the graph of PLRHC ({PAPER.in_text}): a chain visits "
            "one pair at a time, and adds or removes its edge by its prior odds and its "
            "approximate Bayes factor given the other neighbours of both variables."
        )
        yield f"Edges {chosen}."

    def forecast(self, job: Job) -> Forecast:
        """Forecast the chains and the climb before them."""
        return forecast_chains(job, self.lengths, Plrhc(gamma=START_GAMMA).climb)

    def require_room(self, job: Job) -> None:
        """Raise if screened pairs and chains will not fit in memory."""
        require_room(job, SCREEN_GAMMA, n_chains=int(self.chains))

    def search_completed(
        self,
        job: Job,
        quiet: Job,
        values: ImputedSamples,
        settled: SearchResult,
        imputation: Imputation,
    ) -> tuple[SearchResult, dict[str, Floats]]:
        """Sample graphs and missing values in the same chains."""
        turns, seed = imputation.sets, imputation.seed
        prior, choice, chains = self.prior_for(job), self.choice, int(self.chains)
        return sample_with_values(job, values, settled, prior, choice, chains, turns, seed), {}
