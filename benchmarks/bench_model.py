"""Fields and couplings of a given graph: how the time grows with the number of variables."""

from __future__ import annotations

import time

import numpy as np
from report import Row

import markhood
from markhood.model.fitting.fit import fitted, observed_of
from markhood.model.fitting.layout import Layout

N_SAMPLES = 1000
SIZES = (100, 1024, 10000)
SECONDS = 20.0


def rows() -> list[Row]:
    """Time the fit alone, and with its standard errors."""
    found = []
    for size in SIZES:
        model = markhood.simulate.ising(markhood.simulate.grid(size), seed=1)
        samples = model.sample_packed(N_SAMPLES, seed=2, burn_in=200, thinning=2)
        graph = markhood.Graph(samples.variables, model.graph.edges)
        start = time.thread_time()
        layout = Layout(graph.variables, graph.edges)
        fitted(layout, observed_of(samples, graph.variables), "pseudo-likelihood", 2.5)
        alone = time.thread_time() - start
        start = time.thread_time()
        whole = markhood.fit_model(graph, samples)
        seconds = time.thread_time() - start
        assert np.isfinite(whole.errors.couplings).all()
        target = {"target": f"< {SECONDS:.0f} s", "met": seconds < SECONDS}
        found.append(
            Row(
                what=f"fit_model, grid {size} x {N_SAMPLES}, with standard errors",
                ours=f"{seconds:.2f} s",
                yardstick=f"the fit alone {alone:.2f} s",
                ratio="",
                **(target if size == max(SIZES) else {"target": "", "met": None}),
            )
        )
    return found
