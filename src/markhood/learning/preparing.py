"""Prepare samples for a search: move covariates last, and convert levels for the method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from markhood.data.coding.names import pick_columns
from markhood.data.coding.regrouping import with_reals_cut
from markhood.data.samples import Samples
from markhood.errors import InputError, listed, option, warn
from markhood.learning.methods import Method

LEAST_WEIGHT = 2.0  # samples


def require_weight(samples: Samples) -> None:
    """Raise if the samples have the weight of fewer than two independent samples."""
    if samples.total_weight >= LEAST_WEIGHT:
        return
    why = "" if samples.clusters is None else f" in {int(samples.clusters.max()) + 1} clusters"
    raise InputError(
        "too-few-rows",
        "weights" if samples.clusters is None else "clusters",
        f"The effective sample size of {samples.n_samples} samples{why} is "
        f"{samples.total_weight:.3g}, and at least {LEAST_WEIGHT:g} are needed: add rows that "
        "differ, or use other weights.",
    )


def covariates_last(samples: Samples, covariates: Sequence[str]) -> Samples:
    """Return samples with covariates last, and only the real columns that are adjusted for."""
    if not covariates:
        return replace(samples, reals={}) if samples.reals else samples
    names, d = (*samples.names, *samples.reals), samples.n_variables
    picked = pick_columns(names, covariates)
    last = [j for j in picked if j < d]
    nodes = [j for j in range(d) if j not in last]
    if len(nodes) < 2:
        raise InputError(
            "too-few-columns",
            "adjust_for",
            f"{len(picked)} of {len(names)} columns are covariates, and a graph needs two or more "
            f"other columns: remove some from {option('adjust_for')}.",
        )
    reals = {name: own for name, own in samples.reals.items() if names.index(name) in picked}
    if len(reals) < len(samples.reals):
        samples = replace(samples, reals=reals)
    if nodes + last == list(range(d)):
        return samples
    return samples.pick(np.array(nodes + last))


def of_its_kinds(samples: Samples, method: Method) -> Samples:
    """Return samples that the method accepts: binned or nominal where it needs that."""
    if samples.reals and not method.takes_reals:
        many, names = len(samples.reals) > 1, listed([repr(name) for name in samples.reals])
        warn(
            "covariates",
            next(iter(samples.reals)),
            f"Method {method.name} takes discrete covariates only: {names} "
            f"{'were' if many else 'was'} cut into equal-frequency bins. Set {option('bins')} to "
            "choose their number, or use another method, such as plrhc.",
        )
        samples = with_reals_cut(samples, are_ordered=method.uses_order)
    n_ordered = sum(samples.variables.is_ordered)
    if not n_ordered or method.uses_order:
        return samples
    warn(
        "level-kinds",
        "kinds",
        f"Method {method.name} ignores the order of levels ({n_ordered} ordered "
        f"column{'s'[: n_ordered > 1]}). Use {option('kinds', 'nominal')} to accept this, or "
        "another method.",
    )
    return samples.with_order([False] * samples.n_variables)
