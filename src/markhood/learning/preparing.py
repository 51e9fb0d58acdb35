"""Samples as a search takes them: covariates last, and levels as the method can use them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from markhood.data.coding.names import pick_columns
from markhood.data.samples import Samples
from markhood.errors import InputError, option, warn
from markhood.learning.methods import Method


def covariates_last(samples: Samples, covariates: Sequence[str]) -> Samples:
    """Return samples with the variables last that are adjusted for."""
    if not covariates:
        return samples
    last = pick_columns(samples.names, covariates)
    nodes = [j for j in range(samples.n_variables) if j not in last]
    if len(nodes) < 2:
        raise InputError(
            f"Of {samples.n_variables} columns {len(last)} are adjusted for, and a graph needs two "
            f"or more others: take some out of {option('adjust_for')}."
        )
    if nodes + last == list(range(samples.n_variables)):
        return samples
    return samples.pick(np.array(nodes + last))


def of_its_kinds(samples: Samples, method: Method) -> Samples:
    """Return samples as the method takes them: as categories where it knows no order."""
    n_ordered = sum(samples.variables.is_ordered)
    if not n_ordered or method.heeds_order:
        return samples
    warn(
        f"The ordered levels of {n_ordered} column{'s'[: n_ordered > 1]} are categories to "
        f"{method.name}, whose scores know no order: choose {option('kinds', 'nominal')} to "
        "say so, or another method."
    )
    return samples.with_order([False] * samples.n_variables)
