"""The methods: their options, and the search that each calls.

A method is a small immutable object of a class with a `name`; `METHODS` lists all classes of this
package. The algorithms are in `search`. A method calls one with its options, and answers questions
about itself (`method.py`).
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
from markhood.named import classes_named

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

METHODS: Mapping[str, type[Method]] = classes_named("markhood.learning.methods", "search")
