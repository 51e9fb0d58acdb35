"""The ways of learning a graph: their options, checked, and the search that each stands for.

A method is a small frozen object; `METHODS` lists them by the names that people type. What a method
does with a job is in `search`: here it is only called, with the options that it takes.
Every option of every method is declared here, once.
"""

from __future__ import annotations

from collections.abc import Mapping

from markhood.learning.methods.bayes import Bayes
from markhood.learning.methods.climbing import (
    Climbing,
    HillClimbing,
    MarginalPseudoLikelihood,
    Plrhc,
)
from markhood.learning.methods.method import Method
from markhood.learning.methods.pairs import ChowLiu, Pairwise, PseudoLikelihood
from markhood.learning.methods.rivals import BlanketsJointPosterior, L1Logistic

__all__ = [
    "METHODS",
    "Bayes",
    "BlanketsJointPosterior",
    "ChowLiu",
    "Climbing",
    "HillClimbing",
    "L1Logistic",
    "MarginalPseudoLikelihood",
    "Method",
    "Pairwise",
    "Plrhc",
    "PseudoLikelihood",
]

METHODS: Mapping[str, type[Method]] = {
    method.name: method
    for method in (
        Plrhc,
        HillClimbing,
        Bayes,
        L1Logistic,
        MarginalPseudoLikelihood,
        BlanketsJointPosterior,
        Pairwise,
        ChowLiu,
        PseudoLikelihood,
    )
}
