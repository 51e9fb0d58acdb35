"""How often the tests of groups are wrong where the groups are equal, and right where they differ.

python benchmarks/group_tests.py docs/stability/groups.csv          two groups that may differ in one edge
python benchmarks/group_tests.py docs/stability/equal_groups.csv    false alarms of the designs in `DESIGNS`

A run continues where the file ends. Data are drawn from Ising networks (edges of 0.5 to 1.5 with random signs) and compared with 99
permutations, in `DESIGNS` with 39 and networks of 10 variables and 14 edges. A row of the first file is one pair of data sets; `change` is the
change of the edge in the second group, and `least_other` the smallest adjusted p-value of all other couplings. A row of the second file is one
data set of a design. The tables in docs/reference/benchmarks-stability.md are those that this prints.
"""

from __future__ import annotations

import sys
import warnings
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from kept_rows import append_rows, read_rows

import markhood
from markhood.graph.graph import Graph
from markhood.stability.networks import COUPLING_MEASURES, GRAPH_MEASURES

MEASURES = (*COUPLING_MEASURES, *GRAPH_MEASURES)
NETWORKS = {8: 10, 10: 14, 30: 45}  # edges by the number of variables
CHANGES = (0.0, 1.0, 2.0)
SIZES = ((250, 250), (100, 400))
TRIALS = 200
SHUFFLES = 99
D, EDGES = 10, 14
COLUMNS = (
    "variables", "first", "second", "change", "trial", "p_structure", "p_strength", "p_edge", "p_edge_adjusted",
    "least_other", "p_field_mean",
)  # fmt: skip

OF_DESIGNS = ("design", "trial", "p_structure", "p_strength", "edges", "fields", *MEASURES)
EQUAL_TRIALS = 200
MORE_TRIALS = {"two equal groups of 200, survey weights": 1000}
EQUAL_SHUFFLES = 39  # enough for p <= 0.05 to be 5 %


def main(path: Path) -> None:
    """Run what the file does not have yet, then print the table."""
    if path.stem == "equal_groups":
        main_of_designs(path)
        return
    done = [(*map(int, r[:3]), float(r[3]), int(r[4]), *map(float, r[5:])) for r in read_rows(path)]
    have = {tuple(row[:5]) for row in done}
    for trial, d, sizes, change in product(range(TRIALS), NETWORKS, SIZES, CHANGES):
        key = (d, *sizes, change, trial)
        if key not in have:
            done.append(_run(*key))
            append_rows(path, COLUMNS, [done[-1]])
    print(as_table(done))


def _run(d: int, n_first: int, n_second: int, change: float, trial: int) -> tuple:
    rng = np.random.default_rng([trial, n_first, n_second])
    edges, couplings = _network(rng, d)
    changed = couplings.copy()
    changed[0] += -np.sign(couplings[0]) * change
    groups = [
        _drawn(edges, own, n, rng, d) for own, n in ((couplings, n_first), (changed, n_second))
    ]
    found = markhood.compare_groups(*groups, permutations=SHUFFLES, n_jobs=1, seed=trial)
    names = tuple(f"x{k}" for k in edges[0])
    own, other = [], [1.0]
    for row in found.edge_rows():
        if (row["source"], row["target"]) == names:
            own = [row["p_value"], row["p_adjusted"]]
        else:
            other.append(row["p_adjusted"])
    of_fields = float(np.mean([row["p_value"] < 0.05 for row in found.field_rows()]))
    ends = (found.p_structure, found.p_strength, *own, min(other), of_fields)
    return (d, n_first, n_second, change, trial, *(round(p, 6) for p in ends))


def _network(rng: np.random.Generator, d: int = D) -> tuple[list, np.ndarray]:
    pairs = [(i, j) for i in range(d) for j in range(i + 1, d)]
    edges = sorted(pairs[k] for k in rng.choice(len(pairs), NETWORKS[d], replace=False))
    return edges, rng.uniform(0.5, 1.5, len(edges)) * rng.choice([-1, 1], len(edges))


def _model(edges: list, couplings: np.ndarray, d: int = D) -> markhood.IsingModel:
    return markhood.IsingModel.from_spins(Graph([f"x{k}" for k in range(d)], edges), couplings / 4)


def _drawn(
    edges: list, couplings: np.ndarray, n: int, rng: np.random.Generator, d: int = D
) -> np.ndarray:
    model = _model(edges, couplings, d)
    if d > D:
        return np.asarray(model.sample(n, seed=int(rng.integers(2**31))))
    states = (np.arange(2**d)[:, None] >> np.arange(d)) & 1  # few enough to draw from exactly
    chances = np.exp(model.log_potential(states) - model.log_partition())
    return states[rng.choice(len(states), n, p=chances / chances.sum())]


def main_of_designs(path: Path) -> None:
    """Run the designs that the file does not have yet, then print the table."""
    done = [(r[0], int(r[1]), *(float(p) if p else np.nan for p in r[2:])) for r in read_rows(path)]
    have = {row[:2] for row in done}
    for name, design in DESIGNS.items():
        for trial in range(MORE_TRIALS.get(name, EQUAL_TRIALS)):
            if (name, trial) not in have:
                rng = np.random.default_rng([trial, list(DESIGNS).index(name)])
                done.append((name, trial, *design(rng, trial)))
                append_rows(
                    path,
                    OF_DESIGNS,
                    [[*done[-1][:2], *("" if np.isnan(p) else p for p in done[-1][2:])]],
                )
    print(
        f"| design | data sets | structure | strength | any edge | any field | {' | '.join(MEASURES)} |"
    )
    print("|---" * (6 + len(MEASURES)) + "|")
    for name in DESIGNS:
        if own := [row[2:] for row in done if row[0] == name]:
            p_values = np.array(own)
            shares = (p_values <= 0.05 + 1e-9).mean(axis=0)
            cells = [
                "" if np.isnan(p) else f"{s:.3f}" for s, p in zip(shares, p_values[0], strict=True)
            ]
            print(f"| {name} | {len(own)} | {' | '.join(cells)} |")


def _three(rng: np.random.Generator, trial: int) -> tuple:
    edges, couplings = _network(rng)
    return _smallest(_compared([_drawn(edges, couplings, 200, rng) for _ in range(3)], trial))


def _two_of_three(rng: np.random.Generator, trial: int) -> tuple:
    """Return p-values of two equal groups, compared together with a third that has another network."""
    edges, couplings = _network(rng)
    equal = [_drawn(edges, couplings, 200, rng) for _ in range(2)]
    found = _compared([*equal, _drawn(*_network(rng), 200, rng)], trial)
    return _smallest(found, ("a", "b"))


def _paired(rng: np.random.Generator, trial: int) -> tuple:
    """Draw the second sample of a person by ten updates of Gibbs sampling from the first, each of a random variable."""
    edges, couplings = _network(rng)
    before, rows = _drawn(edges, couplings, 200, rng), np.arange(200)
    model, after = _model(edges, couplings), before.copy()
    for _ in range(10):
        at = rng.integers(D, size=200)
        both = [after.copy(), after.copy()]
        for value in (0, 1):
            both[value][rows, at] = value
        odds = model.log_potential(both[1]) - model.log_potential(both[0])
        after[rows, at] = rng.random(200) < 1 / (1 + np.exp(-odds))
    return _smallest(_compared([before, after], trial, pairs=[rows, rows]))


def _missing(rng: np.random.Generator, trial: int) -> tuple:
    edges, couplings = _network(rng)
    both = [_drawn(edges, couplings, 200, rng).astype(float) for _ in range(2)]
    for values in both:
        values[rng.random(values.shape) < 0.2] = np.nan
    return _smallest(_compared(both, trial, missing="impute"))


def _relearned(rng: np.random.Generator, trial: int) -> tuple:
    edges, couplings = _network(rng)
    both = [_drawn(edges, couplings, 200, rng) for _ in range(2)]
    return _smallest(_compared(both, trial, relearn=True))


def _levels(rng: np.random.Generator, trial: int, kinds: str) -> tuple:
    """Draw variables with three levels, sums of two binary ones."""
    edges, couplings = _network(rng)
    both = [sum(_drawn(edges, couplings, 200, rng) for _ in range(2)) for _ in range(2)]
    return _smallest(_compared(both, trial, kinds=kinds))


def _weighted(rng: np.random.Generator, trial: int) -> tuple:
    edges, couplings = _network(rng)
    both = [_drawn(edges, couplings, 200, rng) for _ in range(2)]
    weights = [rng.gamma(2, 0.5, 200) for _ in range(2)]
    return _smallest(_compared(both, trial, weights=weights))


DESIGNS = {
    "three equal groups of 200": _three,
    "two equal groups of 200, a third differs": _two_of_three,
    "200 persons, paired": _paired,
    "two equal groups of 200, 20 % missing": _missing,
    "two equal groups of 200, three ordered levels": partial(_levels, kinds="ordinal"),
    "two equal groups of 200, three nominal levels": partial(_levels, kinds="nominal"),
    "two equal groups of 200, survey weights": _weighted,
    "two equal groups of 200, relearn=True": _relearned,
}


def _compared(tables: list[np.ndarray], trial: int, **options: Any) -> markhood.GroupComparison:
    return markhood.compare_groups(
        *tables, permutations=EQUAL_SHUFFLES, n_jobs=1, seed=trial, **options
    )


def _smallest(found: markhood.GroupComparison, groups: tuple[str, str] | None = None) -> tuple:
    """Return adjusted p-values: of structure and strength, and the smallest of each family, in all pairs or one."""

    def least(rows: list[dict], name: str = "p_adjusted") -> float:
        own = [r[name] for r in rows if groups in (None, (r["first"], r["second"]))]
        return round(min(own, default=np.nan), 6)

    of_pairs, nodes = found.pair_rows(), found.centrality_rows()
    return (
        least(of_pairs, "p_structure_adjusted"),
        least(of_pairs, "p_strength_adjusted"),
        least(found.edge_rows()),
        least(found.field_rows()),
        *(least([r for r in nodes if r["measure"] == measure]) for measure in MEASURES),
    )


def as_table(rows: list[tuple]) -> str:
    """Return shares of p-values below 0.05 as a table in Markdown."""
    lines = [
        "| variables | samples | change | data sets | structure | strength | the edge | the edge, adjusted | any other, adjusted |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for d, sizes, change in product(NETWORKS, SIZES, CHANGES):
        own = [r for r in rows if r[:4] == (d, *sizes, change)]
        if own:
            shares = (np.array([r[5:10] for r in own]) < 0.05).mean(axis=0)
            cells = " | ".join(f"{share:.3f}" for share in shares)
            lines.append(f"| {d} | {sizes[0]} + {sizes[1]} | {change:g} | {len(own)} | {cells} |")
    return "\n".join(lines)


if __name__ == "__main__":
    warnings.simplefilter("ignore", markhood.errors.DataWarning)
    main(Path(sys.argv[1]))
