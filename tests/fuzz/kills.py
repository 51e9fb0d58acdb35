"""Kill a checkpointed run many times: `python tests/fuzz/kills.py --kills 100`.

Learning and a bootstrap are started, killed with SIGKILL as soon as they have added something to
their checkpoint (or at a random moment before that), and started again, until they have been killed
so often. Then they run to their end. Their output must be the same, byte for byte, as that of runs
that were never killed, with no draft left.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

import numpy as np

COMMANDS = {
    "learn": ["learn", "data.csv", "--method", "l1lr"],
    "bootstrap": ["bootstrap", "data.csv", "--replicates", "400", "--method", "pairwise"],
}


def write_table(path: Path, n: int = 400, d: int = 60) -> None:
    """Write a chain of variables with three levels."""
    rng = np.random.default_rng(0)
    x = rng.integers(0, 3, (n, d))
    for j in range(1, d):
        x[:, j] = np.where(rng.random(n) < 0.5, x[:, j - 1], x[:, j])
    names = ",".join(f"v{j}" for j in range(d))
    np.savetxt(path, x, fmt="c%d", delimiter=",", header=names, comments="")


def start(command: list[str], folder: Path, *more: str) -> subprocess.Popen[bytes]:
    """Start markhood in a folder."""
    program = "from markhood.commandline.start import main; main()"
    line = [sys.executable, "-c", program, *command, *more, "--n-jobs", "1"]
    return subprocess.Popen(line, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def saved(folder: Path) -> int:
    """Return how many bytes a checkpoint has."""
    return sum(path.stat().st_size for path in folder.glob("saved/*") if path.is_file())


def killed(command: list[str], folder: Path, rng: Random) -> bool:
    """Start a run and kill it; return whether it was killed before it had ended."""
    before, process = (
        saved(folder),
        start(command, folder, "--checkpoint", "saved", "-o", "out.csv"),
    )
    latest = time.monotonic() + rng.choice([0.05, 0.5, 60, 60, 60])
    while process.poll() is None and saved(folder) <= before and time.monotonic() < latest:
        time.sleep(0.001)
    time.sleep(rng.random() * 0.02)
    is_running = process.poll() is None
    process.kill()
    process.wait()
    return is_running


def check(name: str, kills: int, folder: Path) -> bool:
    """Return whether a run that is killed so often ends with the same bytes as one that is not."""
    rng = Random(name)
    write_table(folder / "data.csv")
    assert start(COMMANDS[name], folder, "-o", "whole.csv").wait() == 0
    done = 0
    while done < kills:
        if killed(COMMANDS[name], folder, rng):
            done += 1
        else:  # it is complete: begin again
            for path in folder.glob("saved/*"):
                path.unlink()
    assert start(COMMANDS[name], folder, "--checkpoint", "saved", "-o", "out.csv").wait() == 0
    same = (folder / "out.csv").read_bytes() == (folder / "whole.csv").read_bytes()
    left = [path.name for path in folder.rglob(".markhood-*")]
    print(
        f"{name}: killed {done} times, {'the same bytes' if same else 'OTHER BYTES'}, left {left}"
    )
    return same and not left


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--commands", nargs="*", default=list(COMMANDS))
    chosen = parser.parse_args()
    good = []
    for name in chosen.commands:
        with tempfile.TemporaryDirectory(prefix="markhood-kills-") as folder:
            good.append(check(name, chosen.kills, Path(folder)))
    sys.exit(not all(good))


if __name__ == "__main__":
    main()
