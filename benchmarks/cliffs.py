"""Data on which a method was once unexpectedly slow: processor seconds on one thread next to a goal for each.

python benchmarks/cliffs.py                     every case
python benchmarks/cliffs.py mushroom --limit 20    cases whose name matches a regular expression

Each case runs in a process of its own through the public functions, with one thread and default settings. The system ends that
process once the call has used `--limit` processor seconds. The clock starts after the data have been simulated. All data are
simulated: a name such as "letters-like" means the shape and kind of dependence of that data set, not its values.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from random_samples import chains, questionnaire
from report import Row, as_table

import markhood
from markhood.simulate import SignedCouplings, erdos_renyi, grid, ising

Table = NDArray[Any]
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
LETTERS = np.array(list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))


def latent_classes(n: int, levels: list[int], n_classes: int = 8) -> Table:
    """Draw a class for each row, then each level from a distribution of that class with most mass on one or two levels."""
    rng = np.random.default_rng(1)
    classes = rng.integers(0, n_classes, n)
    return np.column_stack(
        [_levels(rng, classes, rng.dirichlet([0.3] * r, n_classes)) for r in levels]
    )


def _levels(rng: np.random.Generator, classes: Table, shares: Table) -> Table:
    drawn = (rng.random((len(classes), 1)) > shares.cumsum(axis=1)[classes]).sum(axis=1)
    return LETTERS[np.minimum(drawn, shares.shape[1] - 1)]


def mushroom(n: int, columns: int = 22, most: int = 12) -> Table:
    """Mushroom-like: nominal columns with as many levels as those of the UCI mushrooms."""
    levels = [6, 4, 10, 2, 9, 2, 2, 2, 12, 2, 5, 4, 4, 9, 9, 2, 4, 3, 5, 9, 6, 7]
    return latent_classes(n, [min(r, most) for r in levels[:columns]])


def letters() -> Table:
    """Letters-like: one of 26 letters, and 16 measures of its image with 16 values each, read as categories."""
    rng = np.random.default_rng(1)
    letter = rng.integers(0, 26, 20_000)
    font = rng.normal(size=(20_000, 3)) @ rng.normal(size=(3, 16))
    measures = 7 + 2 * rng.normal(size=(26, 16))[letter] + font + rng.normal(size=(20_000, 16))
    return np.column_stack([LETTERS[letter], LETTERS[measures.round().clip(0, 15).astype(int)]])


def family(n: int, n_positions: int, alphabet: str, rate: float) -> Table:
    """Sequences of a family: each copies an earlier one with mutations, so that most positions are conserved."""
    rng = np.random.default_rng(1)
    sequences = np.empty((n, n_positions), np.int64)
    sequences[0] = rng.integers(0, len(alphabet), n_positions)
    rates = rate * rng.exponential(size=n_positions)
    for k in range(1, n):
        mutates = rng.random(n_positions) < rates
        mutates[1::2] |= mutates[::2][: n_positions // 2] & (rng.random(n_positions // 2) < 0.7)
        sequences[k] = sequences[rng.integers(max(0, k - 500), k)]
        sequences[k, mutates] = rng.integers(0, len(alphabet), mutates.sum())
    return np.array(list(alphabet))[sequences]


def three_factors(n: int, columns: int, levels: int) -> Table:
    """Measure three factors by ordinal columns of different reliability."""
    rng = np.random.default_rng(1)
    factors = rng.normal(size=(n, 3)) @ rng.normal(size=(3, columns))
    values = factors + rng.normal(size=(n, columns))
    return ((values - values.min(0)) / np.ptp(values, axis=0) * (levels - 1e-9)).astype(np.int64)


def dense_binary() -> Table:
    """Draw from a network with one pair in eight joined."""
    return ising(erdos_renyi(64, 1 / 8, 1), SignedCouplings(0.5), seed=1).sample(1000, seed=2)


def nominal_chain() -> Table:
    """Make a chain of nominal columns with 2 to 24 levels, in which neighbours agree half the time."""
    rng = np.random.default_rng(1)
    table = np.empty((15_000, 26), np.int64)
    table[:, 0] = rng.integers(0, 24, 15_000)
    for k in range(1, 26):
        levels = 2 + k * 7 % 23
        copied = rng.permutation(24)[table[:, k - 1]] % levels
        table[:, k] = np.where(rng.random(15_000) < 0.5, copied, rng.integers(0, levels, 15_000))
    return LETTERS[table]


def presence(n_sites: int, n_species: int) -> Table:
    """Note where species are present: few sites, and species that need the same conditions."""
    rng = np.random.default_rng(1)
    gradient = rng.normal(size=(n_sites, 2)) @ rng.normal(size=(2, n_species))
    return (
        gradient + rng.normal(size=n_species) + rng.logistic(size=(n_sites, n_species)) > 0
    ).astype(np.int64)


def soybean() -> Table:
    """Soybean-like: 19 diseases as latent classes, 36 nominal columns, 2337 missing values, most in some rows."""
    rng = np.random.default_rng(2)
    table = latent_classes(683, [19] + [2 + k % 6 for k in range(35)], 19).astype(object)
    share = np.where(rng.random((683, 1)) < 0.2, 0.5, 0.005) * np.ones((683, 36))
    share[:, 0] = 0
    holes = rng.permutation(np.flatnonzero(rng.random(share.size) < share.ravel()))[:2337]
    table.ravel()[holes] = None
    return table


def independent(n: int, columns: int, levels: int) -> Table:
    """Draw columns that depend on nothing."""
    return np.random.default_rng(0).integers(0, levels, (n, columns))


def permuted(n: int, columns: int, levels: int) -> Table:
    """Shuffle columns that contain every level about equally often."""
    rng = np.random.default_rng(0)
    return np.column_stack([rng.permutation(np.arange(n) % levels) for _ in range(columns)])


def mirrored(n: int, columns: int, levels: int) -> Table:
    """Draw one column of ordered levels; every second column is its reverse."""
    drawn = np.random.default_rng(0).integers(0, levels, n)
    return np.column_stack([levels - 1 - drawn if k % 2 else drawn for k in range(columns)])


def singletons(n: int, columns: int, levels: int) -> Table:
    """Make columns with one common level; each of the other levels occurs once."""
    rng = np.random.default_rng(0)
    common = np.maximum(np.arange(n) - (n - levels), 0)
    return np.column_stack([rng.permutation(common) for _ in range(columns)])


class Case(NamedTuple):
    """A call to time, and the number of seconds that it should take at most."""

    name: str
    data: Callable[[], Any]
    call: Callable[[Any], object]
    goal: float
    clock: Callable[[], float] = time.process_time


def learn(method: str = "plrhc", **options: Any) -> Callable[[Any], object]:
    """Return a call of `markhood.learn` on one thread."""
    return lambda data: markhood.learn(data, method, n_jobs=1, **options)


def resample(data: Any) -> object:
    """Draw a thousand bootstrap replicates."""
    return markhood.bootstrap(data, replicates=1000, n_jobs=1)


def along_gamma(data: Any) -> object:
    """Learn with a series of values of gamma."""
    return markhood.gamma_path(data, kinds="nominal", n_jobs=1)


def on_card(data: Any) -> object:
    """Learn on a GPU and all threads."""
    return markhood.learn(data, n_jobs=-1, run=markhood.Run(kernels="cuda"))


CASES = [
    *(
        Case(f"mushroom-like, 22 x 8000, {method}", partial(mushroom, 8000), learn(method), 5)
        for method in ("plrhc", "hc", "l1lr", "mpl")
    ),
    Case("mushroom-like, 22 x 500, plrhc", partial(mushroom, 500), learn(), 1.3 / 5),
    Case("mushroom-like, 22 x 2000, plrhc", partial(mushroom, 2000), learn(), 6.2 / 5),
    Case("mushroom-like, 12 x 8000, plrhc", partial(mushroom, 8000, 12), learn(), 12 / 5),
    Case(
        "mushroom-like, 22 x 8000, at most 6 levels, plrhc",
        partial(mushroom, 8000, most=6),
        learn(),
        20 / 5,
    ),
    Case("letters-like, 17 x 20 000, plrhc", letters, learn(), 10),
    Case("RF00162-like, 108 x 4757, plrhc", partial(family, 4757, 108, "-ACGU", 0.01), learn(), 10),
    Case(
        "PF00014-like, 53 x 13 600, plrhc",
        partial(family, 13_600, 53, "-ACDEFGHIKLMNPQRSTVWY", 0.05),
        learn(),
        30,
    ),
    Case(
        "ordinal factors, 17 x 20 000, 16 levels, plrhc",
        partial(three_factors, 20_000, 17, 16),
        learn(kinds="ordinal"),
        3,
    ),
    Case("one pair in eight joined, 64 x 1000, bayes", dense_binary, learn("bayes"), 10),
    Case("Likert, 50 x 1000, bayes", partial(questionnaire, 50, 1000, 5), learn("bayes"), 15),
    Case(
        "Big Five-like, 25 x 2800, bayes", partial(questionnaire, 25, 2800, 6), learn("bayes"), 15
    ),
    Case("nominal chain, 26 x 15 000, up to 24 levels, bayes", nominal_chain, learn("bayes"), 20),
    *(
        Case(f"presence, {d} x {n}, bayes", partial(presence, n, d), learn("bayes"), 2)
        for n, d in ((70, 35), (20, 30), (34, 80))
    ),
    Case("Likert, 25 x 2800, bootstrap of 1000", partial(questionnaire, 25, 2800, 6), resample, 60),
    Case("soybean-like, 36 x 683, impute", soybean, learn(missing="impute"), 10),
    Case(
        "grid, 1024 x 2000, plm",
        lambda: ising(grid(1024), seed=1).sample(2000, seed=2),
        learn("plm"),
        2,
    ),
    *(
        Case(
            f"independent, {d} x {n}, {levels} levels, bayes",
            partial(independent, n, d, levels),
            learn("bayes", kinds="nominal"),
            10,
        )
        for n, d, levels in ((20, 10, 64), (5, 60, 2), (20, 30, 5))
    ),
    Case(
        "permuted, 3 x 100, 64 levels, bayes",
        partial(permuted, 100, 3, 64),
        learn("bayes", kinds="nominal"),
        10,
    ),
    Case(
        "latent classes, 10 x 1000, 12 levels, rule pair",
        partial(latent_classes, 1000, [12] * 10, 4),
        learn(rule="pair"),
        10,
    ),
    Case(
        "mirrored columns, 60 x 1000, 26 ordered levels, hc",
        partial(mirrored, 1000, 60, 26),
        learn("hc", kinds="ordinal"),
        10,
    ),
    Case(
        "singleton levels, 60 x 1000, 25 singletons, bjp",
        partial(singletons, 1000, 60, 25),
        learn("bjp", kinds="nominal"),
        10,
    ),
    *(
        Case(
            f"latent classes, {d} x {n}, 12 levels, gamma_path",
            partial(latent_classes, n, [12] * d, 4),
            along_gamma,
            10,
        )
        for n, d in ((100, 30), (1000, 10))
    ),
    Case(
        "chains, 1 048 576 x 10 240, GPU, seconds by the clock",
        partial(chains, 1_048_576, 10_240),
        on_card,
        25,
        time.perf_counter,
    ),
]


def main() -> int:
    """Print the table; return 1 where a goal is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "pattern", nargs="?", default="", help="a regular expression that names match"
    )
    parser.add_argument("--limit", type=int, default=60, help="processor seconds for each case")
    parser.add_argument("--case", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.case is not None:
        print(seconds_of(CASES[given.case], given.limit))
        return 0
    rows = []
    for k, case in enumerate(CASES):
        if re.search(given.pattern, case.name) and (case.call is not on_card or has_card()):
            rows.append(row_of(k, given.limit))
            print(f"{case.name}: {rows[-1].ours}", file=sys.stderr, flush=True)
    print(as_table(rows))
    return int(any(row.met is False for row in rows))


def row_of(k: int, limit: int) -> Row:
    """Run a case in a process of its own."""
    command = [sys.executable, __file__, "--case", str(k), "--limit", str(limit)]
    child = subprocess.run(
        command,
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, **dict.fromkeys(THREADS, "1")},
    )
    if child.returncode not in (0, -signal.SIGXCPU):
        raise RuntimeError(child.stderr)
    goal, seconds = CASES[k].goal, float(child.stdout or "inf")
    ours = f"{seconds:.3g} s" if child.stdout else f"> {limit} s"
    return Row(
        CASES[k].name,
        ours,
        "",
        f"{seconds / goal:.2g} x" if child.stdout else "",
        f"<= {goal:.3g} s",
        seconds <= goal,
    )


def seconds_of(case: Case, limit: int) -> float:
    """Time one case; the system ends this process where that takes more than ``limit`` processor seconds."""
    warnings.simplefilter("ignore")
    data = case.data()
    markhood.learn(np.eye(2, dtype=int).repeat(20, axis=0))  # imports what every call needs
    end = int(time.process_time()) + 1 + limit
    resource.setrlimit(resource.RLIMIT_CPU, (end, end + 5))
    start = case.clock()
    with suppress(markhood.InputError):  # a refusal takes time too
        case.call(data)
    return case.clock() - start


def has_card() -> bool:
    """Say whether there is an NVIDIA GPU that can be used."""
    from markhood.learning.run import kernels_named

    try:
        kernels_named("cuda")
    except markhood.InputError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
