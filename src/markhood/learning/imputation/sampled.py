"""Edge probabilities with missing values: chains over graphs and values.

Missing values are part of the state of each chain. A turn of a chain consists of

    1. some sweeps over the candidate pairs given the values: their probabilities, and a graph
    2. regressions on that graph, fitted to a bootstrap of the samples
    3. a new draw of every missing value given the others of its sample, by these regressions

and the probability of a pair is the mean over turns and chains. Values are therefore drawn by
graphs from the posterior instead of a fixed graph. Candidates, scale and the remaining pairs come
from one imputed data set on which a search was stable.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from markhood.execution.runner import Runner
from markhood.kernels.protocol import GraphChain
from markhood.learning.imputation.imputed_samples import ImputedSamples
from markhood.search.chains import ChainRun, Sweeps, added_up, generator_of
from markhood.search.graph_sampler import SCREEN_GAMMA, GraphPrior, settle, together
from markhood.search.screen import screen
from markhood.search.values.job import Job
from markhood.search.values.probabilities import Choice
from markhood.search.values.search_result import SearchResult

SWEEPS_OF_TURN = Sweeps(n_settling=1, n_averaged=2)
SWEEPS_OF_VALUES = 2


def sample_with_values(
    job: Job,
    values: ImputedSamples,
    settled: SearchResult,
    prior: GraphPrior,
    choice: Choice,
    n_chains: int,
    n_turns: int,
    seed: int | None,
) -> SearchResult:
    """Estimate the probability of every candidate pair, drawing values along with the graphs.

    Parameters
    ----------
    values : ImputedSamples
        The state after the last search; not modified.
    n_turns : int
        Number of turns per chain after burn-in; burn-in takes half as many.
    """
    seeds = np.random.SeedSequence(seed).spawn(n_chains + 1)
    completed = job.on(values.samples())
    screened = screen(completed, SCREEN_GAMMA)
    also = np.concatenate([screened.edges, settled.or_edges])
    state = settle(completed, settled.edges, also, prior, seeds[-1])
    scorer, pairs, present, known = job.scorer, state.pairs, state.present, job.constraints
    # Pairs that are certain given these values may not be given others.
    start = state.pair_prior()._replace(periods=np.ones(len(pairs), np.uint8))
    n_settling = (n_turns + 1) // 2

    def run(own: np.random.SeedSequence) -> ChainRun:
        drawn = values.copy(np.random.default_rng(own))
        chain, set_up, sums, graphs = GraphChain(present, generator_of(own)), start, [], []
        for _ in range(n_settling + n_turns):
            samples = drawn.samples()
            of_turn, chain = scorer.on(samples).swept(
                pairs, set_up, chain, SWEEPS_OF_TURN.n_settling, SWEEPS_OF_TURN.n_averaged
            )
            sums.append(of_turn._replace(densities=of_turn.densities[-1:]))
            graphs.append(chain.present)
            set_up = set_up._replace(density=float(of_turn.densities[-1]))
            edges = pairs[chain.present > 0]
            resampled = drawn.resampled()
            own_job = Job(resampled, scorer.on(resampled), Runner(1), known)
            regressions = drawn.drawn_by(own_job, edges)
            for _ in range(SWEEPS_OF_VALUES):
                drawn.draw_missing(regressions)
        kept = sums[n_settling:]
        means = [of_turn.probabilities / SWEEPS_OF_TURN.n_averaged for of_turn in kept]
        return ChainRun(
            added_up(kept), np.array(means), np.array(graphs[n_settling:]), chain.generator
        )

    chains = list(completed.runner.map("chains", run, seeds[:-1]))
    lengths = Sweeps(n_chains, 0, n_turns * SWEEPS_OF_TURN.n_averaged)
    probabilities = replace(together(job, state, chains, lengths), choice=choice, sweeps=None)
    return replace(
        settled, edges=probabilities.edges, screened=screened, probabilities=probabilities
    )
