"""Near copies: found among edges whatever the first samples are like."""

import numpy as np

from markhood.data.coding.encode import encode
from markhood.data.genome.identical import agreement, near_copies


def test_property_the_first_samples_do_not_decide_which_pairs_are_near_copies():
    rng = np.random.default_rng(0)
    table = rng.integers(0, 2, size=(2000, 8))
    table[:, 1] = table[:, 0] ^ (np.arange(2000) < 9)  # all differences in the first samples
    table[:, 2] = 1 - (table[:, 0] ^ (rng.random(2000) < 0.004))  # a complement
    table[:, 4] = table[:, 3] ^ (rng.random(2000) < 0.05)  # not near enough
    table[:, 5] = table[:, 3]  # an exact copy
    columns = np.column_stack([table, table[:, 6] + table[:, 7]])
    columns = np.column_stack([columns, columns[:, 8]])
    columns[0, 9] = 2 - columns[0, 9]
    samples = encode(columns, kinds="nominal")
    edges = np.array([(i, j) for i in range(10) for j in range(i + 1, 10)])
    kappa = np.abs(agreement(samples, edges))
    expected = edges[(kappa >= 0.98) & (kappa < 1)]
    assert len(expected) >= 3
    names = samples.names
    assert near_copies(samples, edges) == [(names[i], names[j]) for i, j in expected.tolist()]
