"""Probabilities of edges where values are missing: chains over graphs and values.

What is not known of the values is one more thing that a chain draws. A turn of each chain is

    1. some sweeps over the candidate pairs, given the values: their probabilities, and a graph
    2. regressions on that graph, fitted to a bootstrap of the samples
    3. every missing value anew given the others of its sample, by these

and the probability of a pair is the mean over turns and chains. So values are drawn by graphs as they may
be, not by one that is taken for certain; an edge of which the observed values say little comes and
goes, and what was drawn with it comes and goes too. Candidates, scale and the pairs that are no
candidates are taken from one completed set, in which a search had settled.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from markhood.execution.runner import Runner
from markhood.kernels.protocol import GraphChain
from markhood.learning.imputation.completed import Completed
from markhood.search.graph_sampler import (
    SCREEN_GAMMA,
    ChainRun,
    GraphPrior,
    Sweeps,
    added_up,
    generator_of,
    settle,
    together,
)
from markhood.search.screen import screen
from markhood.search.values.found import Found
from markhood.search.values.job import Job
from markhood.search.values.probabilities import Choice

SWEEPS_OF_TURN = Sweeps(n_settling=1, n_averaged=2)
SWEEPS_OF_VALUES = 2


def sample_with_values(
    job: Job,
    values: Completed,
    settled: Found,
    prior: GraphPrior,
    choice: Choice,
    n_chains: int,
    n_turns: int,
    seed: int | None,
) -> Found:
    """Give every pair that may be an edge its probability, drawing values with the graphs.

    Parameters
    ----------
    job : Job
    values : Completed
        As they were when the search settled; they are left so.
    settled : Found
        What that search found.
    prior : GraphPrior
        Of edges, before the data are seen.
    choice : Choice
        Which pairs make the graph.
    n_chains : int
    n_turns : int
        Of each chain that are averaged; half as many come before.
    seed : int or None
    """
    seeds = np.random.SeedSequence(seed).spawn(n_chains + 1)
    completed = job.on(values.samples())
    screened = screen(completed, SCREEN_GAMMA)
    also = np.concatenate([screened.edges, settled.or_edges])
    state = settle(completed, settled.edges, also, prior, seeds[-1])
    scorer, pairs, present, known = job.scorer, state.pairs, state.present, job.knowledge
    # Pairs that are sure with these values may not be so with others.
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
        return added_up(kept), np.array(means), np.array(graphs[n_settling:])

    chains = list(completed.runner.map("chains", run, seeds[:-1]))
    lengths = Sweeps(n_chains, 0, n_turns * SWEEPS_OF_TURN.n_averaged)
    probabilities = replace(together(job, state, chains, lengths), choice=choice, sweeps=None)
    return replace(
        settled, edges=probabilities.edges, screened=screened, probabilities=probabilities
    )
