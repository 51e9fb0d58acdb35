"""The methods: their options, and the search that each calls.

A method is a small frozen object of a class with a `name`; `METHODS` has every such class of this package. The
algorithms are in `search`; a method calls one with its options, and answers what others need to know about it
(`method.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from difflib import get_close_matches
from typing import Any

from markhood.errors import InputError, option
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
    "method_named",
    "options_of",
]

METHODS: Mapping[str, type[Method]] = classes_named("markhood.learning.methods", "search")


def method_named(name: str, options: Mapping[str, Any]) -> Method:
    """Return the method of that name with these options.

    Raises
    ------
    InputError
        If there is no such method, or it has no such option.
    """
    if name not in METHODS:
        raise InputError(f"Unknown method {name!r}: choose one of {', '.join(METHODS)}.")
    known = options_of(METHODS[name])
    for given in options:
        if given not in known:
            close = get_close_matches(given, known, n=1)
            hint = f"did you mean {option(close[0])}?" if close else f"it takes {', '.join(known)}."
            raise InputError(
                f"Method {name!r} has no option {option(given, options[given])}: {hint}"
            )
    return METHODS[name](**options)


def options_of(method: Method | type[Method]) -> list[str]:
    """List the names of a method's options."""
    return [field.name for field in fields(method)]  # type: ignore[arg-type]
