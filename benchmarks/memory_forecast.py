"""Compare the forecast of memory with the peak: `python benchmarks/memory_forecast.py`.

Every row runs `markhood learn --dry-run` and `markhood learn` on simulated data, and prints the
memory that was forecast and the peak of resident memory. A bootstrap is compared with the forecast
of `markhood learn` on its data.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

MARKHOOD = (sys.executable, "-c", "from markhood.commandline.start import main; main()")
BAYES = ("--method", "bayes")
ROWS = (
    ("500 x 4000 binary", "plrhc", "wide.npy", (), ()),
    ("500 x 4000 binary", "plm", "wide.npy", ("--method", "plm"), ()),
    ("500 x 4000 binary", "bootstrap", "wide.npy", (), ("--replicates", "20")),
    ("1000 x 15 with 12 levels", "plrhc", "levels.csv", (), ()),
    ("1000 x 15 with 12 levels", "bootstrap", "levels.csv", (), ("--replicates", "20")),
    ("300 x 8 with 12 levels", "bayes", "dozens.csv", BAYES, ()),
    ("500 x 20 with 3 levels", "bayes", "small.csv", BAYES, ()),
    ("500 x 20 with 3 levels", "bayes, bootstrap", "small.csv", BAYES, ("--replicates", "5")),
    ("500 x 20 with 3 levels, 5 % missing", "plrhc, imputation", "holes.csv", ("--missing", "impute"), ()),
    ("four Parquet files of 50 000 x 200 binary", "plrhc", "folder", (), ()),
)  # fmt: skip


def write_csv(path: str, values: np.ndarray) -> None:
    names = ",".join(f"v{j}" for j in range(values.shape[1]))
    np.savetxt(path, values, fmt="%s", delimiter=",", header=names, comments="")


def latent_classes(rng: np.random.Generator, n: int, d: int, levels: int) -> np.ndarray:
    classes, odds = rng.integers(0, 4, n), rng.dirichlet(np.full(levels, 0.3), (d, 4)).cumsum(-1)
    below = odds[:, classes].transpose(1, 0, 2) < rng.random((n, d, 1))
    return np.char.add("w", np.minimum(below.sum(-1), levels - 1).astype(str))


def write_data() -> None:
    import polars as pl

    rng = np.random.default_rng(0)
    np.save("wide.npy", rng.integers(0, 2, (500, 4000)).astype(np.int8))
    write_csv("levels.csv", latent_classes(rng, 1000, 15, 12))
    small = np.char.add("w", rng.integers(0, 3, (500, 20)).astype(str))
    write_csv("small.csv", small)
    write_csv("holes.csv", np.where(rng.random(small.shape) < 0.05, "", small))
    write_csv("dozens.csv", latent_classes(rng, 300, 8, 12))
    os.mkdir("folder")
    for k in range(4):
        columns = {f"v{j}": rng.integers(0, 2, 50_000).astype(np.int8) for j in range(200)}
        pl.DataFrame(columns).write_parquet(f"folder/{k}.parquet")


def forecast(line: list[str]) -> str:
    done = subprocess.run([*line, "--dry-run"], capture_output=True, text=True, check=True)
    found = [text for text in done.stdout.splitlines() if text.strip().startswith("memory")]
    return found[0].split("about")[1].split(" of ")[0].strip()


def peak(line: list[str]) -> float:
    process = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0
    return used.ru_maxrss / 1e6 * 1024


def main() -> None:
    print(f"{'data':44}{'method':20}{'forecast':>10}{'peak':>10}")
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        write_data()
        for data, method, file, options, of_bootstrap in ROWS:
            line = [*MARKHOOD, "learn", file, *options]
            expected = forecast(line)
            if of_bootstrap:
                line = [*MARKHOOD, "bootstrap", file, *options, *of_bootstrap]
            print(f"{data:44}{method:20}{expected:>10}{peak(line):>7.0f} MB", flush=True)
        os.chdir(Path.home())


if __name__ == "__main__":
    main()
