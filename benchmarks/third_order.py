"""How often the test of third-order interactions finds a planted one, and how often it alarms without one.

python benchmarks/third_order.py benchmarks/third_order_results.csv 400     goes on where the file ends

Data are drawn exactly from networks with random pairwise couplings (0.4 to 1.6 in size, a quarter of the pairs). The
first three variables are a triangle. A case is "none"; "planted", with a third-order term of log odds 1 (in 0/1
coding) in this triangle; "rare", without a third-order term, where half of the variables have few ones; "xor", where
the third variable is the exclusive or of the first two in 80 % of the samples and otherwise random, with no pair
dependent; or "ordinal", five ordered levels cut from a factor model, which is not a pairwise network but has no
third-order term by symmetry. A row has the smallest adjusted p-value of all triples, and that of the first one.
"""

from __future__ import annotations

import os
import sys
from itertools import product
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from kept_rows import append_rows, read_rows

from markhood.data.variables import Variables
from markhood.model.checking.third_order import third_order_tests
from markhood.model.fitting.contingency import Observed
from markhood.model.fitting.layout import Layout

CASES = [
    (case, d, n)
    for d, n in ((8, 500), (8, 2000), (15, 2000))
    for case in ("none", "planted", "rare", "xor")
]
CASES += [("ordinal", 10, 1000)]
COLUMNS = ("case", "variables", "samples", "replicate", "smallest", "first")


def couplings(d: int, rng: np.random.Generator) -> np.ndarray:
    """Return random couplings with a triangle of the first three variables."""
    sizes = rng.uniform(0.4, 1.6, (d, d)) * rng.choice([-1, 1], (d, d))
    is_edge = rng.random((d, d)) < 0.25
    is_edge[:3, :3] = True
    return np.triu(sizes * is_edge, 1)


def drawn(
    case: str, d: int, n: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, int]:
    """Return samples, the edges of the network, and the number of levels."""
    if case == "ordinal":
        factor = rng.normal(size=(n, 2)) @ rng.normal(size=(2, d))
        noisy = factor + rng.normal(size=(n, d))
        levels = np.stack(
            [np.digitize(x, np.quantile(x, [0.2, 0.4, 0.6, 0.8])) for x in noisy.T], axis=1
        )
        return levels, np.column_stack(np.triu_indices(d, 1)), 5
    upper = couplings(d, rng)
    if case == "xor":
        upper[:3] = 0
        upper[:, :3] = 0
    fields = -(upper + upper.T).sum(axis=1) / 2
    if case == "rare":
        fields[::2] -= 2
    states = ((np.arange(2**d)[:, None] >> np.arange(d)) & 1).astype(np.float32)
    logs = states @ fields + ((states @ upper) * states).sum(axis=1)
    if case == "planted":
        logs = logs + states[:, :3].prod(axis=1)
    weights = np.exp(logs - logs.max())
    values = states[rng.choice(2**d, n, p=weights / weights.sum())].astype(np.int64)
    if case == "xor":
        is_copied = rng.random(n) < 0.8
        values[is_copied, 2] = values[is_copied, 0] ^ values[is_copied, 1]
    return values, np.argwhere(upper != 0), 2


def run(case: str, d: int, n: int, replicate: int) -> tuple:
    """Return one row."""
    key = [sum(map(ord, case)), d, n, replicate]
    values, edges, r = drawn(case, d, n, np.random.default_rng(key))
    names = tuple(f"x{k}" for k in range(d))
    variables = Variables(names, (tuple(range(r)),) * d, (r > 2,) * d)
    observed = Observed(values.T.astype(np.uint16), np.ones(n))
    found = third_order_tests(Layout(variables, edges.astype(np.int64)), observed)
    first = found.adjusted[(found.triples == [0, 1, 2]).all(axis=1)][0]
    return (case, d, n, replicate, f"{found.adjusted.min():.3g}", f"{first:.3g}")


def main(path: Path, replicates: int) -> None:
    """Run what the file does not have yet, then print the table."""
    rows = [tuple(row) for row in read_rows(path)]
    known = {(row[0], int(row[1]), int(row[2]), int(row[3])) for row in rows}
    for replicate, (case, d, n) in product(range(replicates), CASES):
        if (case, d, n, replicate) not in known:
            row = run(case, d, n, replicate)
            append_rows(path, COLUMNS, [row])
            rows.append(row)
    print(
        "| case | variables | samples | data sets | any triple below 5 % | the first triple below 5 % |"
    )
    print("|---|---|---|---|---|---|")
    for case, d, n in CASES:
        own = [row for row in rows if (row[0], int(row[1]), int(row[2])) == (case, d, n)]
        shares = [np.mean([float(row[k]) < 0.05 for row in own]) for k in (4, 5)]
        cells = " | ".join(f"{100 * share:.1f} %" for share in shares)
        print(f"| {case} | {d} | {n} | {len(own)} | {cells} |")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
