"""Rest scores: hidden factors in a variable's regression, estimated from the other variables.

A hidden factor behind many variables makes all of them dependent. The regression of variable i
therefore gets, for each of K components, the score of the *other* variables on it,

    r_ik = sum over j != i of v_jk z_j,

with z the standardised columns and v their weights, the leading eigenvectors of the correlation
matrix. Leaving out i's own columns keeps the score from predicting i by itself. An ordered or
binary variable has one column, a nominal one a column for each level but the first. Missing values
count as the mean.

Among hundreds of columns, a variable hardly changes the scores. A share h of its own in their
variance changes a pair's partial correlation by about h, that is sqrt(N) h standard errors. If no
variable's share changes it by more than `NEGLIGIBLE` standard errors, all of them have the same
scores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from markhood.arrays import Floats, Ints
from markhood.data.genome.loci import Coordinates
from markhood.data.variables import UNKNOWN, Variables
from markhood.errors import InputError
from markhood.kernels.bits import Bits
from markhood.kernels.tables import codes
from markhood.kernels.words import unpacked

if TYPE_CHECKING:
    from markhood.data.samples import Samples

LINKED = 0.1  # squared correlation above which two sites are in linkage disequilibrium
NEGLIGIBLE = 0.1
WINDOW = 50  # sites before that a site is compared with
STRETCH = 256  # sites whose correlations are computed together
MOST_DENSE = 300  # columns or rows with all eigenvectors computed; of more, the leading ones by
MOST_SQUARED = 3000  # Lanczos iterations with a matrix of at most this size
LANCZOS_STEPS = 32  # for the largest eigenvalue only: its relative error is below 1e-3


class Components(NamedTuple):
    """The leading components of some samples.

    ``weights`` of shape (n_columns, K) are those of the standardised columns in the scores,
    ``owners`` of shape (n_columns,) the variable of each column, ``means`` and ``deviations`` its
    units. ``eigenvalues`` of shape (K,) sum up to the number of columns over all components.
    """

    weights: Floats
    owners: Ints
    means: Floats
    deviations: Floats
    eigenvalues: Floats

    @property
    def n(self) -> int:
        """The number of components."""
        return int(self.weights.shape[1])

    def first(self, n: int) -> Components:
        """Return the first n components."""
        return self._replace(weights=self.weights[:, :n], eigenvalues=self.eigenvalues[:n])


def level_columns(codes: NDArray[np.uint16], variables: Variables) -> tuple[Floats, Ints]:
    """Return columns of level numbers, (n_columns, n_samples), NaN if missing, and owners."""
    if all(len(levels) <= 2 for levels in variables.levels or ()):
        return np.where(codes < 2, codes, np.nan), np.arange(len(codes))
    columns, owners = [], []
    for variable, (own, levels, is_ordered) in enumerate(
        zip(codes, variables.levels or (), variables.is_ordered, strict=True)
    ):
        is_one = is_ordered or len(levels) <= 2
        scores = [own] if is_one else [own == level for level in range(1, len(levels))]
        columns += [np.where(own < len(levels), score, np.nan) for score in scores]
        owners += [variable] * len(scores)
    return np.array(columns, np.float64), np.array(owners, np.int64)


class StoredFactors(NamedTuple):
    """The factors in the provenance of a graph, checked; one loading per column and factor."""

    columns: tuple[str, ...]
    loadings: Floats
    explained: Floats

    @classmethod
    def of(cls, stored: Any) -> StoredFactors:
        """Read the factors from a provenance."""
        try:
            columns, explained = tuple(stored["loadings"]), np.array(stored["explained"], float)
            loadings = np.array(list(stored["loadings"].values()), float)
            loadings = loadings.reshape(len(columns), len(explained))
        except (AttributeError, KeyError, TypeError, ValueError):
            raise _damaged() from None
        if not (np.isfinite(loadings).all() and (explained > 0).all() and (explained <= 1).all()):
            raise _damaged()
        return cls(columns, loadings, explained)


def stored_components(provenance: Mapping[str, Any], variables: Variables) -> Components | None:
    """Return the components that a graph was adjusted for; None where there are none."""
    stored = provenance.get("factors")
    if not stored:
        return None
    columns, loadings, explained = StoredFactors.of(stored)
    eigenvalues = explained * len(columns)
    _, owners = level_columns(np.empty((len(variables), 0), np.uint16), variables)
    try:
        units = np.array([stored["means"], stored["deviations"]], np.float64)
    except (KeyError, TypeError, ValueError):
        raise _damaged() from None
    is_usable = units.shape == (2, len(columns)) and len(owners) == len(columns)
    if not (is_usable and np.isfinite(units).all() and (units[1] > 0).all()):
        raise _damaged()
    weights = loadings / np.sqrt(eigenvalues)
    return Components(weights, owners, units[0], units[1], eigenvalues)


def _damaged() -> InputError:
    return InputError(
        "graph-invalid",
        "factors",
        "The factors in the provenance of the graph are damaged: learn the graph again.",
    )


def with_rest_scores(
    reals: Floats, known: NDArray[np.uint16], variables: Variables, components: Components | None
) -> Floats:
    """Return the real columns of all variables, (n_reals, n_samples), with rest scores if any.

    Those have shape (n_variables, n_reals + K, n_samples).
    """
    if components is None:
        return reals
    n_nodes = int(components.owners.max()) + 1
    nodes = variables.pick(range(n_nodes))
    scores = rest_scores(known[:n_nodes], nodes, components, len(known))
    if scores.strides[0] == 0:
        both = np.concatenate([reals, scores[0]])
        return np.broadcast_to(both, (len(scores), *both.shape))
    shared = np.broadcast_to(reals, (len(scores), *reals.shape))
    return np.concatenate([shared, scores], axis=1)


def known_codes(samples: Samples, nodes: Ints) -> NDArray[np.uint16]:
    """Return level numbers of some variables, (n_nodes, n_samples), and mark missing values."""
    bits = Bits(samples.words, samples.n_samples, None if samples.is_binary else samples.starts)
    if samples.is_binary:
        found = unpacked(samples.words[nodes], samples.n_samples).astype(np.uint16)
    else:
        found = np.stack([codes(bits, v) for v in nodes.tolist()])
    for k, variable in enumerate(nodes.tolist()):
        if (mask := samples.missing.get(variable)) is not None:
            found[k, unpacked(mask, samples.n_samples).astype(np.bool_)] = UNKNOWN
    return found


def unlinked_sites(samples: Samples, n_nodes: int) -> Ints:
    """Return sites with a squared correlation of at most `LINKED` with those before them.

    Sites are taken in the order of the genome and compared with the last ones that were kept on
    their chromosome. Sites without a position are left out.
    """
    loci = samples.variables.loci or ()
    places = Coordinates.of(loci[:n_nodes])
    order = np.lexsort((places.positions, places.chromosomes))
    order = order[places.chromosomes[order] >= 0]
    kept: list[int] = []
    for chromosome in np.unique(places.chromosomes[order]).tolist():
        own = order[places.chromosomes[order] == chromosome]
        recent = np.empty((0, samples.n_samples), np.float32)
        for start in range(0, len(own), STRETCH):
            sites = own[start : start + STRETCH]
            columns = np.vstack([recent, _unit_columns(samples, sites)])
            is_linked = (columns @ columns.T) ** 2 > LINKED
            taken = list(range(len(recent)))
            for k in range(len(recent), len(columns)):
                if not is_linked[k, taken[-WINDOW:]].any() and is_linked[k, k]:
                    taken.append(k)
            kept += sites[np.array(taken[len(recent) :], np.int64) - len(recent)].tolist()
            recent = columns[taken[-WINDOW:]]
    return np.sort(np.array(kept, np.int64))


def _unit_columns(samples: Samples, sites: Ints) -> NDArray[np.float32]:
    """Return centred level numbers of some sites, of length 1, or 0 for constant sites."""
    own = known_codes(samples, sites).astype(np.float64)
    own[own >= UNKNOWN] = np.nan
    own -= np.nanmean(own, axis=1, keepdims=True)
    own = np.nan_to_num(own, copy=False) * np.sqrt(sample_weights(samples))
    lengths = np.linalg.norm(own, axis=1, keepdims=True)
    return np.asarray(own / np.where(lengths > 1e-9, lengths, np.inf), np.float32)


def sample_weights(samples: Samples) -> Floats:
    """Return the weight of each sample, with mean 1."""
    if samples.weights is None:
        return np.ones(samples.n_samples)
    counts = samples.weights.counts.astype(np.float64)
    return np.asarray(counts / counts.mean())


def leading_components(
    samples: Samples, n_nodes: int, n: int, sites: Ints | None = None
) -> Components:
    """Compute the leading components of the first variables, or of some of them.

    Columns of other variables then have weight 0 in the scores.
    """
    if sites is not None:
        found = _components_of(samples, sites, n)
        _, owners = level_columns(
            np.empty((n_nodes, 0), np.uint16), samples.variables.pick(range(n_nodes))
        )
        at = np.isin(owners, sites)
        weights = np.zeros((len(owners), found.n))
        weights[at] = found.weights
        means, deviations = np.zeros(len(owners)), np.ones(len(owners))
        means[at], deviations[at] = found.means, found.deviations
        return Components(weights, owners, means, deviations, found.eigenvalues)
    return _components_of(samples, np.arange(n_nodes), n)


def _components_of(samples: Samples, nodes: Ints, n: int) -> Components:
    variables = samples.variables.pick(nodes.tolist())
    columns, owners = level_columns(known_codes(samples, nodes), variables)
    weights, seen = sample_weights(samples), ~np.isnan(columns)
    totals = np.maximum(seen @ weights, 1e-300)
    columns[~seen] = 0.0
    means = columns @ weights / totals
    columns = (columns - means[:, np.newaxis]) * seen
    deviations = np.sqrt(columns**2 @ weights / totals)
    deviations[deviations == 0] = 1.0
    columns *= np.sqrt(weights) / deviations[:, np.newaxis]
    values, vectors = leading_eigenvectors(columns, n)
    return Components(vectors, owners, means, deviations, values)


def leading_eigenvalues(columns: NDArray[Any], n: int) -> Floats:
    """Return the largest eigenvalues of X X' / n_samples."""
    return _leading_of(columns, n)[0][::-1]


def permuted_eigenvalues(parts: Sequence[NDArray[np.float32]], orders: Ints) -> Floats:
    """Return the largest eigenvalue of X' X / n_samples for each permutation of blocks of rows.

    ``parts`` are the blocks, (n_columns, n_samples) each; ``orders``, (n_permutations, n_parts,
    n_samples), are the orders of their samples. Instead of the blocks, the vectors of the Lanczos
    iterations are permuted, of all permutations together.
    """
    n_permutations, _, n_samples = orders.shape

    def product(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        found = np.zeros_like(vectors)
        for k, part in enumerate(parts):
            own = np.empty_like(vectors)
            np.put_along_axis(own, orders[:, k].T, vectors, axis=0)
            own = part.T @ (part @ own)
            found += np.take_along_axis(own, orders[:, k].T, axis=0)
        return found / np.float32(n_samples)

    n_steps = min(LANCZOS_STEPS, n_samples)
    matrices = np.zeros((n_permutations, n_steps, n_steps))
    start = np.random.default_rng(0).normal(size=(n_samples, n_permutations))
    own = (start / np.linalg.norm(start, axis=0)).astype(np.float32)
    before, length = np.zeros_like(own), np.zeros(n_permutations, np.float32)
    for step in range(n_steps):
        following = product(own) - length * before
        matrices[:, step, step] = (own * following).sum(axis=0)
        following -= matrices[:, step, step].astype(np.float32) * own
        length = np.maximum(np.linalg.norm(following, axis=0), np.float32(1e-30))
        if step + 1 < n_steps:
            matrices[:, step + 1, step] = length
        before, own = own, following / length
    return np.asarray(np.linalg.eigvalsh(matrices)[:, -1])


def leading_eigenvectors(columns: Floats, n: int) -> tuple[Floats, Floats]:
    """Return the largest eigenvalues of X X' / n_samples, and their vectors, (n_columns, n)."""
    values, vectors = _leading_of(columns, n)
    if len(columns) > columns.shape[1]:
        vectors = columns @ vectors / np.sqrt(columns.shape[1] * np.maximum(values, 1e-300))
    values, vectors = values[::-1], vectors[:, ::-1]
    signs = np.where(vectors.sum(axis=0) < 0, -1.0, 1.0)
    return values, vectors * signs


def _leading_of(columns: NDArray[Any], n: int) -> tuple[Floats, Floats]:
    """Return the largest eigenvalues, ascending, and vectors of the smaller of X X' and X' X."""
    n_samples, n = columns.shape[1], min(n, *columns.shape)
    rows = columns if len(columns) <= n_samples else columns.T
    if len(rows) <= MOST_DENSE:
        values, vectors = np.linalg.eigh(rows @ rows.T / n_samples)
        return values[-n:], vectors[:, -n:]
    from scipy.sparse.linalg import LinearOperator, eigsh

    rows = rows.astype(np.float32, copy=False)

    def product(x: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(rows @ (rows.T @ x) / n_samples)

    matrix = LinearOperator((len(rows), len(rows)), product, dtype=rows.dtype)
    if len(rows) <= MOST_SQUARED:
        matrix = rows @ rows.T / n_samples
    start = np.random.default_rng(0).normal(size=len(rows)).astype(rows.dtype)
    values, vectors = eigsh(matrix, n, tol=1e-4, v0=start)
    order = np.argsort(values)
    return values[order], vectors[:, order]


def rest_scores(
    known: NDArray[np.uint16], variables: Variables, components: Components, n_targets: int
) -> Floats:
    """Return scores without each target's own columns, (n_targets, K, n_samples).

    Their variance is about 1. Scores that are the same for all targets are broadcast.

    Targets that are not part of the components (covariates, which come last) have the scores of all
    columns.
    """
    columns, _ = level_columns(known, variables)
    columns -= components.means[:, np.newaxis]
    columns /= components.deviations[:, np.newaxis]
    np.nan_to_num(columns, copy=False)
    units = components.weights / np.sqrt(np.maximum(components.eigenvalues, 1e-300))
    scores = units.T @ columns
    found = np.broadcast_to(scores, (n_targets, *scores.shape))
    shares = np.bincount(components.owners, (units**2).sum(axis=1))
    if np.sqrt(columns.shape[1]) * shares.max() <= NEGLIGIBLE:
        return found
    found = found.copy()
    np.subtract.at(found, components.owners, units[:, :, np.newaxis] * columns[:, np.newaxis])
    return found


def of_target(reals: Floats, target: int) -> Floats:
    """Return the real columns of one target, of shape (n_reals, n_samples)."""
    return reals if reals.ndim == 2 else reals[target]
