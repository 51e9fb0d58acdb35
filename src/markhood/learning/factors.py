"""Hidden factors: choose the number of unobserved common causes, and adjust regressions for them.

An unobserved common cause of many variables (a trait behind a questionnaire, a gradient behind a
species list, ancestry behind a genome) makes all of them dependent, and a sparse network then
needs many edges between them. With K factors every regression gets K rest scores
(`data/rest_scores.py`) in addition to its neighbours:

    log odds of x_i = field_i + sum over k of slope_ik r_ik + sum over neighbours j of coupling_ij
    x_j.

This is a sparse plus low-rank network (Chen, Li, Liu and Ying, 2018), searched greedily.

**Number of factors.** K maximises the total criterion of all blankets, in which every slope costs
log(N)/2; K = 0 is allowed. A sparse network does not gain, because the scores explain less than
they cost. With few samples, noise components can gain, so K is also bounded by parallel analysis
(Horn, 1965): an eigenvalue must exceed those of independently permuted columns.

**Genomes.** Nearby sites are dependent by linkage, and a block of linked sites has a component of
its own. The components of more than `MANY_VARIABLES` sites with positions are therefore those of
sites that are nearly independent of the previous ones on their chromosome, as is usual for
principal components of genotypes (Price et al., 2006), and K is the number by parallel analysis
alone. Blocks of sites along the genome are permuted as a whole, which keeps linkage and removes
dependence between distant sites.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from markhood.arrays import Floats, Ints
from markhood.data.genome.loci import Coordinates
from markhood.data.option_values import number_or_word
from markhood.data.rest_scores import (
    Components,
    known_codes,
    leading_components,
    leading_eigenvalues,
    level_columns,
    permuted_eigenvalues,
    unlinked_sites,
)
from markhood.data.samples import Samples
from markhood.data.variables import Variables, level_text
from markhood.errors import option, warn
from markhood.execution.runner import Runner, one_blas_thread
from markhood.kernels.protocol import Kernels
from markhood.options import Options, declare
from markhood.scores.bic import Bic
from markhood.scores.discrete import scorer_for
from markhood.search.blankets import AllVariables, NearbyVariables, search_blankets
from markhood.search.screen import screen
from markhood.search.values.constraints import Constraints
from markhood.search.values.job import Job

MOST_FACTORS = 10
MANY_VARIABLES = 100  # above this, search blankets among screened pairs only
PERMUTATIONS, FEW_PERMUTATIONS = 20, 10  # for tables with up to, and above, MANY_VARIABLES columns
BLOCKS = 10  # of a genome, at least, for parallel analysis
FEWEST_VARIABLES = 4
GAMMA = 0.5
DEPTH = 3
WORTH_A_WARNING = 20.0  # gain in the total criterion: very strong evidence for factors
MOST_CHECKED = 100_000  # values of a table that is checked for factors without being asked to,
DENSE = 2.0  # and edges per variable of its graph, each counted at both ends


@dataclass(kw_only=True)
class FactorOptions(Options):
    """The option of methods that can adjust for hidden factors."""

    factors: int | Literal["auto"] | None = declare(
        None,
        "Number of hidden factors that every regression is adjusted for; 'auto' chooses it by "
        "BIC. By default none, with a warning where a small table suggests some.",
        low=0,
        parse=number_or_word,
        metavar="NUMBER|auto",
    )


class Choice(NamedTuple):
    """The number of factors with the best total criterion, and the totals for 0, 1, 2, ..."""

    n_factors: int
    totals: list[float]


def with_factors(
    samples: Samples,
    n_factors: int | str | None,
    constraints: Callable[[Variables], Constraints],
    runner: Runner,
    kernels: Kernels,
    seed: int,
) -> Samples:
    """Return samples with the rest scores of hidden factors, as many as are asked for or chosen."""
    if samples.components is not None or not n_factors:
        return samples
    known = constraints(samples.variables)
    n_nodes = samples.n_variables - len(known.covariates)
    if n_nodes < FEWEST_VARIABLES:
        return samples
    if isinstance(n_factors, int):
        return replace(samples, components=leading_components(samples, n_nodes, n_factors))
    job = Job(samples, scorer_for(samples, Bic(GAMMA), kernels), runner, known, seed)
    if n_nodes > MANY_VARIABLES and samples.variables.loci is not None:
        with one_blas_thread():
            return replace(samples, components=_of_genome(samples, n_nodes, seed))
    choice, components = choose_factors(job)
    chosen = components.first(choice.n_factors) if choice.n_factors else None
    return replace(samples, components=chosen)


def _of_genome(samples: Samples, n_nodes: int, seed: int) -> Components | None:
    """Return the components of unlinked sites that exceed those of permuted columns."""
    sites = unlinked_sites(samples, n_nodes)
    if len(sites) < FEWEST_VARIABLES:
        return None
    components = leading_components(samples, n_nodes, MOST_FACTORS, sites)
    n = n_above_noise(samples, sites, components.eigenvalues, seed, _blocks(samples, sites))
    return components.first(n) if n else None


def _blocks(samples: Samples, sites: Ints) -> Ints:
    """Return the number of each site's block: a chromosome, or a part if there are too few."""
    loci = samples.variables.loci or ()
    places = Coordinates.of(tuple(loci[site] for site in sites.tolist()))
    chromosomes, sizes = np.unique(places.chromosomes, return_counts=True)
    n_parts = -(-BLOCKS // len(chromosomes))
    order = np.lexsort((places.positions, places.chromosomes))
    ranks = np.concatenate([np.arange(size) * n_parts // size for size in sizes.tolist()])
    blocks = np.empty(len(sites), np.int64)
    blocks[order] = ranks
    return blocks + n_parts * places.chromosomes


def warn_of_factors(job: Job, kernels: Kernels, n_edges: int) -> None:
    """Warn where hidden factors explain a dense graph better, if that takes a moment to find out.

    Graphs with few edges per variable are not checked, nor are large tables and nominal variables.
    """
    samples, n_nodes = job.samples, job.n_nodes
    if 2 * n_edges < DENSE * n_nodes or n_nodes < FEWEST_VARIABLES:
        return
    is_large = n_nodes * samples.n_samples > MOST_CHECKED
    if (
        is_large
        or samples.missing
        or samples.components is not None
        or (samples.bits.n_scores > 1).any()
    ):
        return
    scorer = scorer_for(samples, Bic(GAMMA), kernels)
    choice, _ = choose_factors(Job(samples, scorer, Runner(1), job.constraints, job.seed))
    gain = choice.totals[choice.n_factors] - choice.totals[0]
    if gain >= WORTH_A_WARNING:
        many = choice.n_factors > 1
        warn(
            "hidden-factors",
            "factors",
            f"{choice.n_factors} hidden factor{'s'[:many]} would explain much of the dependence "
            f"(total criterion {gain:.0f} higher), and many of the {n_edges} edges may be "
            f"artefacts of common causes. Use {option('factors', 'auto')} to adjust for them, or "
            f"{option('factors', 0)} to skip this check.",
        )


def described_factors(samples: Samples) -> dict[str, Any]:
    """Return loadings by column and explained variance, for the provenance."""
    components = samples.components
    if components is None:
        return {}
    names = []
    for variable, count in enumerate(np.bincount(components.owners).tolist()):
        own, levels = samples.names[variable], samples.levels[variable]
        names += [own] if count == 1 else [f"{own}={level_text(level)}" for level in levels[1:]]
    loadings = components.weights * np.sqrt(components.eigenvalues)
    return {
        "factors": {
            "loadings": dict(zip(names, loadings.tolist(), strict=True)),
            "explained": (components.eigenvalues / len(names)).tolist(),
            "means": components.means.tolist(),
            "deviations": components.deviations.tolist(),
        }
    }


def choose_factors(job: Job) -> tuple[Choice, Components]:
    """Choose the number of factors by the total criterion, bounded by parallel analysis."""
    with one_blas_thread():
        return _choose_factors(job)


def _choose_factors(job: Job) -> tuple[Choice, Components]:
    most = min(MOST_FACTORS, (job.n_nodes - 1) // 2)
    components = leading_components(job.samples, job.n_nodes, most)
    nodes = np.arange(job.n_nodes)
    most = n_above_noise(job.samples, nodes, components.eigenvalues, job.seed)
    totals = [total_criterion(job)] if most else [0.0]
    for n in range(1, most + 1):
        samples = replace(job.samples, components=components.first(n))
        totals.append(total_criterion(job.on(samples)))
        if n >= 2 and totals[-1] < totals[-2] < totals[-3]:
            break
    return Choice(int(np.argmax(totals)), totals), components


def total_criterion(job: Job) -> float:
    """Return the sum of the criteria of all blankets, each searched independently."""
    spaces: Any = AllVariables(job.n_variables)
    if job.n_nodes > MANY_VARIABLES:
        spaces = NearbyVariables(screen(job, GAMMA).edges, job.n_variables, DEPTH)
    scores = search_blankets(job, spaces).scores[: job.n_nodes]
    return float(scores[~job.samples.is_constant[: job.n_nodes]].sum())


def n_above_noise(
    samples: Samples,
    nodes: Ints,
    eigenvalues: Floats,
    seed: int | None,
    blocks: Ints | None = None,
) -> int:
    """Return the number of leading eigenvalues above those of permuted columns, or blocks."""
    variables = samples.variables.pick(nodes.tolist())
    columns, owners = level_columns(known_codes(samples, nodes), variables)
    columns -= np.nanmean(columns, axis=1, keepdims=True)
    np.nan_to_num(columns, copy=False)
    deviations = columns.std(axis=1, keepdims=True)
    columns = (columns / np.where(deviations > 0, deviations, 1.0)).astype(np.float32)
    n_permutations = PERMUTATIONS if len(nodes) <= MANY_VARIABLES else FEW_PERMUTATIONS
    _, blocks = np.unique(np.arange(len(nodes)) if blocks is None else blocks, return_inverse=True)
    n_blocks = int(blocks.max()) + 1
    in_order = np.tile(np.arange(columns.shape[1]), (n_blocks, 1))
    rng = np.random.default_rng(seed)
    orders = (rng.permuted(in_order, axis=1) for _ in range(n_permutations))
    if n_blocks == len(nodes):
        shuffled = (np.take_along_axis(columns, order[owners], axis=1) for order in orders)
        permuted = np.array([leading_eigenvalues(own, len(eigenvalues)) for own in shuffled])
    else:  # blocks keep their own components, which come after the factors in the data
        parts = [columns[blocks[owners] == block] for block in range(n_blocks)]
        permuted = permuted_eigenvalues(parts, np.array(list(orders)))[:, np.newaxis]
    exceeds = eigenvalues > permuted.max(axis=0)
    return int(np.argmin(exceeds)) if not exceeds.all() else len(exceeds)
