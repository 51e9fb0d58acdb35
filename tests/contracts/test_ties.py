"""Every instruction set gives the same where it is hardest: scores that tie, and separated data.

Few samples of few variables, often repeated, have scores that are equal but for the order of their
sums, and cells without samples, so that a maximum is at infinity. Which of two equal edges is
taken, which couplings are infinite and what those beside them are must not depend on who adds up.
"""

import numpy as np
import pytest

from markhood.kernels.native import NativeKernels
from markhood.kernels.reference.backend import ReferenceKernels
from markhood.learning.methods import METHODS
from markhood.learning.request import Request
from oracles.networks import awkward
from oracles.packing import samples_with_levels

# Few samples and many ties: that edges can be chance is said, and is not the matter here.
pytestmark = pytest.mark.filterwarnings("ignore::markhood.errors.DataWarning")

# Chains are random, and couplings of one model are exact only up to the tolerance of the fit.
EXACT = [name for name, method in METHODS.items() if not method.is_random and not method.only_ranks]


def tie_heavy(seed):
    """A few patterns many times over, copies of columns, columns that say all of another."""
    rng = np.random.default_rng(seed)
    d, levels = int(rng.integers(3, 8)), 2 + seed % 2
    kind = seed % 5
    if kind == 0:
        return awkward(seed, int(rng.choice([20, 60, 200])))
    if kind == 1:  # every pattern as often as every other
        patterns = rng.integers(0, levels, size=(int(rng.integers(4, 12)), d))
        return np.tile(patterns, (int(rng.integers(1, 12)), 1)).astype(np.uint8)
    values = rng.integers(0, levels, size=(int(rng.choice([8, 20, 60, 200])), d)).astype(np.uint8)
    if kind == 2:  # permuted copies
        values[:, d // 2 :] = levels - 1 - values[:, : d - d // 2]
    elif kind == 3:  # separated where another says so
        values[:, 0] = np.where(values[:, 1] == levels - 1, values[:, -1], values[:, 0])
    else:  # a sum of others
        values[:, -1] = (values[:, 0] + values[:, 1]) % levels
    return values


def learned(values, method, kernels):
    options = {"forest": False} if method == "chow-liu" else {}
    request = Request.of(METHODS[method](**options), {"kernels": kernels})
    return request.learn(samples_with_levels(values))


def assert_same(one, other):
    assert one.graph.edges.tolist() == other.graph.edges.tolist()
    assert one.or_graph.edges.tolist() == other.or_graph.edges.tolist()
    ends = [learned.graph.coupling_ends for learned in (one, other)]
    np.testing.assert_allclose(*ends, rtol=0, atol=1e-6)
    regressions = [learned.regressions for learned in (one, other)]
    if regressions[0] is None:  # of pairs alone
        return
    infinite = [r.infinite for r in regressions]
    assert infinite[0].tolist() == infinite[1].tolist()
    finite = [r.coefficients[~infinite[0]] for r in regressions]
    np.testing.assert_allclose(*finite, rtol=0, atol=1e-6)


@pytest.mark.parametrize("method", EXACT)
@pytest.mark.parametrize("seed", range(40))
def test_property_every_instruction_set_learns_the_same(seed, method):
    values = tie_heavy(seed)
    one, *others = (
        learned(values, method, NativeKernels(name)) for name in NativeKernels.available()
    )
    for other in others:
        assert_same(other, one)


@pytest.mark.parametrize(
    "method", [name for name in EXACT if name != "l1lr"]
)  # NumPy takes minutes
@pytest.mark.parametrize("seed", range(10))
def test_oracle_and_so_does_the_definition(seed, method):
    values = tie_heavy(seed)[:60, :5]
    assert_same(
        learned(values, method, NativeKernels()), learned(values, method, ReferenceKernels())
    )


def test_example_these_data_are_separated_and_have_ties():
    """Or the tests above would hold nothing."""
    found = [learned(tie_heavy(seed), "chow-liu", NativeKernels()) for seed in range(40)]
    assert sum(bool(f.regressions.infinite.any()) for f in found) > 15
    gains = [np.sort(f.graph.evidence) for f in found]
    assert sum(bool((np.diff(g[np.isfinite(g)]) < 1e-9).any()) for g in gains) > 5
