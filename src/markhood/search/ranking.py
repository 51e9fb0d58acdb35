"""Rankings of all pairs by a score, and the choice of how many are edges.

**Average-product correction** (Dunn, Wahl and Gloor 2008). Scores of pairs contain parts that each
end shares with all variables, such as the variability of a position or phylogeny. The correction
subtracts the product of the ends' mean scores: s_ij - s_i s_j / s. Means are over all pairs of
variables that vary.

**Number of edges.** Either the caller sets it, or it is estimated from the scores. Two components
are fitted by expectation maximisation: a skew normal background and, to its right, a lognormal
signal, as in EVcouplings. A pair is an edge if it and all higher scores are signal with a
probability of 0.99. The background is skew because norms are, especially those of rare letters: on
24 tables of independent variables (60 to 2000 sequences, uneven letters) a symmetric background
took 0 to 64 pairs for signal, 9 on average, and the skew one none. Couplings of binary variables
are uncorrected, and those of rare levels are large by chance. Divided by their standard errors
under independence, they are half normal with a standard deviation of about one in the background,
and a larger one in the signal.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from markhood.arrays import Bools, Floats, Ints

PAIRS_PER_VARIABLE = 1.5  # default: about the number of a protein's contacts far apart in the chain
CERTAIN = 0.99  # minimum probability of being signal
ROUNDS = 200
LEAST_DEVIATION = 1e-9
MOST_SKEWNESS = 0.95  # a skew normal distribution has at most 0.995
WIDEST_BACKGROUND = 2.0  # in standard errors


@dataclass(frozen=True, eq=False)
class Ranking:
    """All pairs with their scores, and the couplings of the edges."""

    # (n_pairs, 2): i < j, in lexicographic order: all pairs of variables that vary.
    pairs: Ints
    scores: Floats  # (n_pairs,): higher is stronger; comparable within one data set only
    edge_scores: Floats  # (n_edges,): scores of the edges
    # Zero-sum coupling table of every edge, with one row per level of its first end.
    tables: list[Floats]


@dataclass(frozen=True, eq=False)
class Means:
    """The mean score of each variable's pairs, of shape (n_variables,), and of all pairs."""

    of_variables: Floats
    of_all: float

    @classmethod
    def from_sums(cls, sums: Floats, n_varying: int) -> Means:
        """Return the means from the sum of each variable's scores with all others that vary."""
        n = n_varying
        return cls(sums / max(n - 1, 1), float(sums.sum()) / max(n * (n - 1), 1))

    def expected(self, edges: Ints) -> Floats:
        """Return the average product of each pair.

        Examples
        --------
        >>> scores = np.array([[0.0, 2.0, 1.0], [2.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
        >>> Means.from_sums(scores.sum(axis=1), 3).expected(np.array([[0, 1], [0, 2]])).tolist()
        [1.6875, 1.125]
        """
        if self.of_all == 0:
            return np.zeros(len(edges))
        return np.asarray(self.of_variables[edges].prod(axis=1) / self.of_all)


def signal(scores: Floats, errors: Floats | None = None) -> Bools:
    """Return which scores are signal above the background.

    Parameters
    ----------
    scores : ndarray of shape (n_pairs,)
        Corrected scores, or sizes of couplings with their standard errors.
    errors : ndarray of shape (n_pairs,), optional

    Examples
    --------
    >>> background = np.random.default_rng(0).normal(scale=0.1, size=500)
    >>> scores = np.append(background, [1.5, 0.9, 2.0])
    >>> np.flatnonzero(signal(scores)).tolist()
    [500, 501, 502]
    """
    if len(scores) == 0 or not np.ptp(np.append(scores, 0.0)):
        return np.zeros(len(scores), np.bool_)
    if errors is not None:
        scores = scores / errors
    probability = _by_two_sides(scores) if errors is None else _by_two_widths(scores)
    falling = np.argsort(-scores, kind="stable")
    doubted = probability[falling] < CERTAIN
    n = int(np.argmax(doubted)) if doubted.any() else len(scores)
    is_signal = np.zeros(len(scores), np.bool_)
    is_signal[falling[:n]] = True
    return is_signal


def _by_two_sides(scores: Floats) -> Floats:
    """Return the probability that each score is lognormal signal, not skew background."""
    # The side below the median has no signal, so it gives the width of the background.
    centre = float(np.median(scores))
    deviation = max(LEAST_DEVIATION, 1.4826 * float(np.median(np.abs(scores - centre))))
    chance = (scores > max(0.0, centre + 4 * deviation)).astype(np.float64)
    positive = np.log(np.maximum(scores, LEAST_DEVIATION))
    for _ in range(ROUNDS):
        share = chance.mean()
        if not 0 < share < 1:
            return chance
        mean = float(np.average(positive, weights=chance))
        spread = max(0.05, float(np.average((positive - mean) ** 2, weights=chance)) ** 0.5)
        as_signal = np.where(
            scores > 0, np.log(share) + _normal(positive, mean, spread) - positive, -np.inf
        )
        as_background = np.log1p(-share) + _skew_normal(scores, 1 - chance)
        chance, before = _share_of(as_signal - as_background), chance
        if np.abs(chance - before).max() < 1e-6:
            break
    return chance


def _by_two_widths(sizes: Floats) -> Floats:
    """Return the probability that each size belongs to the wider of two half normal distributions.

    The narrow one describes errors in units of their standard errors: its deviation is close to
    one, even if nearly all pairs are joined.
    """
    narrow = float(np.clip(np.median(sizes) / 0.6745, 1.0, WIDEST_BACKGROUND))
    squares, chance = sizes**2, (sizes > 4 * narrow).astype(np.float64)
    for _ in range(ROUNDS):
        share = chance.mean()
        if not 0 < share < 1:
            return chance
        of_signal, of_all = float(chance @ squares), float(squares.sum())
        narrow = ((of_all - of_signal) / (len(sizes) * (1 - share))) ** 0.5
        narrow = float(np.clip(narrow, 1.0, WIDEST_BACKGROUND))
        wide = max(narrow, (of_signal / (len(sizes) * share)) ** 0.5)
        log_odds = np.log(share / (1 - share) * narrow / wide)
        chance, before = _share_of(log_odds + 0.5 * (narrow**-2 - wide**-2) * squares), chance
        if np.abs(chance - before).max() < 1e-6:
            break
    return chance


def _normal(x: Floats, mean: float, deviation: float) -> Floats:
    """Return the log density up to a constant that both components share."""
    return np.asarray(-0.5 * ((x - mean) / deviation) ** 2 - np.log(deviation))


def _skew_normal(x: Floats, weights: Floats) -> Floats:
    """Return the log density of the skew normal distribution with the weighted moments.

    Up to the constant of `_normal`: 2 phi(z) Phi(alpha z), restricted to right skew.
    """
    from scipy.special import log_ndtr

    mean = float(np.average(x, weights=weights))
    deviation = max(LEAST_DEVIATION, float(np.average((x - mean) ** 2, weights=weights)) ** 0.5)
    skewness = float(np.average(((x - mean) / deviation) ** 3, weights=weights))
    power = (2 * np.clip(skewness, 0.0, MOST_SKEWNESS) / (4 - np.pi)) ** (2 / 3)
    delta = (0.5 * np.pi * power / (1 + power)) ** 0.5
    scale = deviation / (1 - 2 * delta**2 / np.pi) ** 0.5
    z = (x - mean) / scale + delta * (2 / np.pi) ** 0.5
    alpha = delta / (1 - delta**2) ** 0.5
    return np.asarray(np.log(2) + _normal(z, 0.0, 1.0) - np.log(scale) + log_ndtr(alpha * z))


def _share_of(log_odds: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(np.clip(-log_odds, -700, 700))))
