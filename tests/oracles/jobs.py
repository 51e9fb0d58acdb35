"""Jobs for the searches, put together from what a test cares about."""

from markhood.data.variables import Variables
from markhood.execution.runner import Runner
from markhood.kernels.native import NativeKernels
from markhood.learning.knowledge import Knowledge
from markhood.learning.methods import Plrhc
from markhood.learning.request import Request
from markhood.scores.bic import Bic
from markhood.scores.discrete import scorer_for
from markhood.search.values.constraints import NO_CONSTRAINTS
from markhood.search.values.job import Job


def job_of(samples, criterion=None, kernels=None, n_jobs=1, constraints=NO_CONSTRAINTS):
    scorer = scorer_for(samples, criterion or Bic(0.5), kernels or NativeKernels())
    return Job(samples, scorer, Runner(n_jobs), constraints)


def known_beforehand(
    names, required_edges=None, forbidden_edges=None, groups=None, group_rule=None
):
    known = Knowledge(
        required_edges=required_edges,
        forbidden_edges=forbidden_edges,
        groups=groups,
        group_rule=group_rule or ("any" if groups is None else "between"),
    )
    return Request(Plrhc(), knowledge=known).constraints(Variables(tuple(names)))
