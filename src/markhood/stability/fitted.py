"""The model of a learned graph that the parametric bootstrap draws from, where none is given.

Couplings are the mean of both ends' regressions under the weak prior, and fields their intercepts: what
the field does, and enough to draw from. It is for binary variables.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from markhood.errors import InputError, option
from markhood.graph.graph import Graph
from markhood.kernels.native import NativeKernels
from markhood.learning.describe import couplings_of, regress
from markhood.model.ising.model import IsingModel
from markhood.scores.discrete import scorer_for
from markhood.search.job import Job
from markhood.stability.replicates import WEAK


def averaged_model(job: Job, graph: Graph) -> IsingModel:
    """Return the Ising model of a graph of binary variables."""
    if not job.samples.is_binary:
        raise InputError(
            f"{option('resample', 'model')} fits models of binary variables only: choose "
            f"{option('resample', 'rows')}, or give markhood.bootstrap a model of these."
        )
    weak = replace(job, scorer=scorer_for(job.samples, WEAK, NativeKernels()))
    edges = np.array(graph.edges)
    fields = [float(own[0]) for own in regress(weak, edges).fields]
    return IsingModel(graph, couplings_of(weak, edges).mean(axis=1), fields)
