"""The Gibbs sampler on the paper's grid, against the loop that one would write in NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from time import thread_time

import numpy as np
from clock import fastest
from report import Row

from markhood.model.ising.model import IsingModel
from markhood.simulate import grid, ising

VARIABLES, CHAINS = 256, 16
BURN_IN, THINNING, SAMPLES = 2000, 100, 800
PLAIN_SWEEPS = 20
TARGET = 25.0


def rows() -> Iterator[Row]:
    """Divide the seconds by the updates of all chains, burn-in included."""
    model = ising(grid(VARIABLES), seed=1)
    settings = {"burn_in": BURN_IN, "thinning": THINNING, "chains": CHAINS}
    ours, plain = fastest(
        lambda: model.sample(SAMPLES, seed=2, **settings),
        lambda: _sweep_plainly(model, PLAIN_SWEEPS),
        rounds=4,
        clock=thread_time,
    )
    updates = (BURN_IN * CHAINS + THINNING * SAMPLES) * VARIABLES
    our_cost, plain_cost = 1e9 * ours / updates, 1e9 * plain / (PLAIN_SWEEPS * VARIABLES)
    yield Row(
        f"Gibbs sampler, grid {VARIABLES}, 1 thread",
        f"{our_cost:.2f} ns an update",
        f"one chain in NumPy {plain_cost:.0f} ns",
        f"{plain_cost / our_cost:.0f} x",
        f"<= {TARGET:g} ns",
        our_cost <= TARGET,
    )


def _sweep_plainly(model: IsingModel, n_sweeps: int) -> None:
    """Update one chain, a variable at a time, with the couplings in a matrix."""
    rng = np.random.default_rng(3)
    i, j = model.graph.edges.T
    couplings = np.zeros((VARIABLES, VARIABLES))
    couplings[i, j] = couplings[j, i] = model.couplings
    x = rng.integers(0, 2, VARIABLES).astype(np.float64)
    for _ in range(n_sweeps):
        for k in range(VARIABLES):
            log_odds = model.fields[k] + couplings[k] @ x
            x[k] = rng.random() < 1 / (1 + np.exp(-log_odds))
