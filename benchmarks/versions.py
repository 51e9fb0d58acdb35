"""Compare the speed of learning with that of an earlier revision.

python benchmarks/versions.py REVISION [ROUNDS]

The wheels of the revision and of the working tree are built and run in turns on one thread, in an environment that
has neither, so that other load on the machine affects both. The script prints the median over rounds of the processor time
now divided by the time then; the target of 1.05 leaves room for noise only.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from markhood.graph.graph import Graph
from markhood.simulate import UniformTables, grid, hub, ising, ordinal, potts


class Case(NamedTuple):
    """A method on samples of a network whose variables have some number of levels."""

    method: str
    network: Graph
    n_samples: int
    levels: int = 2
    kinds: str = "nominal"

    def sample(self) -> NDArray[Any]:
        """Draw the samples."""
        if self.levels == 2:
            model = ising(self.network, UniformTables(), seed=1)
        else:
            make = ordinal if self.kinds == "ordinal" else potts
            model = make(self.network, self.levels, seed=1)
        return np.asarray(model.sample(self.n_samples, seed=1))


CASES = {
    "plrhc, hub 64 x 1000": Case("plrhc", hub(64), 1000),
    "plrhc, hub 256 x 4000": Case("plrhc", hub(256), 4000),
    "plrhc, grid 1024 x 4000": Case("plrhc", grid(1024), 4000),
    "plrhc, 3 nominal levels, grid 64 x 4000": Case("plrhc", grid(64), 4000, 3),
    "plrhc, 5 ordered levels, grid 64 x 4000": Case("plrhc", grid(64), 4000, 5, "ordinal"),
    "hc, hub 64 x 1000": Case("hc", hub(64), 1000),
    "mpl, hub 64 x 1000": Case("mpl", hub(64), 1000),
    "l1lr, hub 256 x 4000": Case("l1lr", hub(256), 4000),
    "bayes, hub 64 x 1000": Case("bayes", hub(64), 1000),
}
TARGET = 1.05
BEST_OF = 5
RUN = """
import json, sys, time, warnings
import numpy as np
from markhood import learn
warnings.simplefilter("ignore")
seconds = {}
for name, (method, kinds, path) in json.loads(sys.argv[1]).items():
    data = np.load(path)
    learn(data[:200], method, n_jobs=1, kinds=kinds)
    times = []
    for _ in range(int(sys.argv[2])):
        start = time.process_time()
        learn(data, method, n_jobs=1, kinds=kinds)
        times.append(time.process_time() - start)
    seconds[name] = min(times)
print(json.dumps(seconds))
"""


def main(revision: str, rounds: int) -> int:
    """Print the ratios; return 1 where one is above the target."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        python = _environment(folder)
        _call("git", "worktree", "add", "--detach", "--quiet", folder / "source", revision)
        try:
            _install(folder / "source", folder / "then")
        finally:
            _call("git", "worktree", "remove", "--force", folder / "source")
        _install(Path.cwd(), folder / "now")
        ratios = _ratios(python, folder, rounds)
    for case, values in ratios.items():
        print(f"{case:40} {statistics.median(values):.3f}   {min(values):.2f} to {max(values):.2f}")
    return int(any(statistics.median(values) > TARGET for values in ratios.values()))


def _environment(folder: Path) -> Path:
    """Make an environment with what markhood needs, but without markhood."""
    _call(sys.executable, "-m", "venv", folder / "venv")
    python = folder / "venv" / "bin" / "python"
    _call(python, "-m", "pip", "install", "--quiet", "numpy", "scipy", "joblib", "narwhals")
    return python


def _install(source: Path, target: Path) -> None:
    _call(
        *(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"),
        *("--target", target, source, f"--config-settings=build-dir={target}-build"),
    )


def _ratios(python: Path, folder: Path, rounds: int) -> dict[str, list[float]]:
    cases = {}
    for number, (name, case) in enumerate(CASES.items()):
        path = folder / f"{number}.npy"
        np.save(path, case.sample())
        cases[name] = (case.method, case.kinds, str(path))
    ratios: dict[str, list[float]] = {case: [] for case in CASES}
    for turn in range(rounds):
        seconds = {}
        for version in ("then", "now") if turn % 2 else ("now", "then"):
            command = [python, "-c", RUN, json.dumps(cases), str(BEST_OF)]
            environment = {**os.environ, "PYTHONPATH": str(folder / version)}
            printed = subprocess.run(command, env=environment, check=True, capture_output=True)
            seconds[version] = json.loads(printed.stdout)
        for case, values in ratios.items():
            values.append(seconds["now"][case] / seconds["then"][case])
    return ratios


def _call(*command: str | Path) -> None:
    subprocess.run(command, check=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 9))
