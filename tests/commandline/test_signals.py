"""Every phase ends within a second of SIGINT or SIGTERM, on tables whose single fits take longer than that.

The second is of processor time, so that other work on the machine does not matter: the command sends the signal to itself
after so many processor seconds, and the parent compares that clock with what the whole process used.
"""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from markhood.data.coding.encode import encode
from markhood.execution.local import Threads
from markhood.kernels.lists import Lists
from markhood.kernels.native import NativeKernels
from markhood.kernels.protocol import Costs

LETTERS = np.array(list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
RUN = """
import os, sys, threading, time
after, number = float(sys.argv.pop(1)), int(sys.argv.pop(1))
def stop():
    while time.process_time() < after:
        time.sleep(0.02)
    print(time.process_time(), file=sys.stderr, flush=True)
    os.kill(os.getpid(), number)
threading.Thread(target=stop, daemon=True).start()
from markhood.commandline.start import main
main()
"""


def latent_classes(n, levels, alpha=0.3):
    """Nominal columns that depend on one of eight classes: every pair is associated, and most fits are separated."""
    rng = np.random.default_rng(1)
    classes = rng.integers(0, 8, n)
    shares = [rng.dirichlet([alpha] * r, 8).cumsum(axis=1)[:, :-1] for r in levels]
    return np.column_stack([LETTERS[(rng.random((n, 1)) > s[classes]).sum(axis=1)] for s in shares])


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    rng = np.random.default_rng(1)
    mushroom = latent_classes(
        8000, [6, 4, 10, 2, 9, 2, 2, 2, 12, 2, 5, 4, 4, 9, 9, 2, 4, 3, 5, 9, 6, 7] * 2
    )
    holes = mushroom[:2000].astype(object)
    holes[rng.random(holes.shape) < 0.05] = ""
    factors = rng.normal(size=(20_000, 3)) @ rng.normal(size=(3, 40)) + rng.normal(
        size=(20_000, 40)
    )
    written = {
        "mushroom": mushroom,
        "holes": holes,
        "ordinal": np.digitize(factors, np.arange(-4, 4, 0.6)),
    }
    written["binary"] = (rng.normal(size=(1000, 1)) + rng.normal(size=(1000, 800)) > 0).astype(int)
    written["chain"] = LETTERS[
        rng.integers(0, 24, (15_000, 1)) - rng.integers(0, 9, (15_000, 20)).cumsum(1) % 24
    ]
    for name, table in written.items():
        header = ",".join(f"v{k}" for k in range(table.shape[1]))
        np.savetxt(folder / f"{name}.csv", table, "%s", ",", header=header, comments="")
    return folder


@pytest.mark.parametrize(
    ("number", "after", "arguments"),
    [
        (signal.SIGTERM, 0.5, "learn mushroom.csv -o out.json"),
        (signal.SIGTERM, 3, "learn mushroom.csv -o out.json"),
        (signal.SIGINT, 3, "learn mushroom.csv --n-jobs 2 -o out.json"),
        (signal.SIGTERM, 3, "learn mushroom.csv --method l1lr -o out.json"),
        (signal.SIGINT, 3, "learn ordinal.csv --kinds ordinal -o out.json"),
        (signal.SIGTERM, 3, "learn chain.csv --method bayes -o out.json"),
        (signal.SIGINT, 3, "learn binary.csv --method bayes -o out.json"),
        (signal.SIGTERM, 3, "learn binary.csv --method plm --penalty 1e-4 -o out.json"),
        (signal.SIGINT, 3, "learn holes.csv --missing impute -o out.json"),
        (signal.SIGTERM, 3, "bootstrap holes.csv --missing level -o out.csv"),
    ],
)
def test_example_a_signal_ends_every_phase_within_a_second(tables, number, after, arguments):
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, str(after), str(int(number)), *arguments.split()],
        stderr=subprocess.PIPE, text=True, cwd=tables,
    )  # fmt: skip
    errors = process.stderr.read()
    process.stderr.close()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    sent, *rest = errors.splitlines()
    assert (process.returncode, rest) == (128 + number, ["markhood: stopped."])
    assert used.ru_utime + used.ru_stime - float(sent) < 1
    assert not list(tables.glob("*out*"))


def test_example_threads_that_nobody_waits_for_end():
    """An error in one tile ends the kernels of the others, which would take minutes here."""
    samples = encode(latent_classes(8000, [9] * 16))
    others = Lists.of([[k for k in range(16) if k != v] for v in range(2)])

    def work(tile):
        if tile == 0:
            raise ZeroDivisionError
        return NativeKernels().grow_blankets(samples.bits, np.arange(2), others, Costs(0.1, 0.1))

    before = set(threading.enumerate())
    outcomes = Threads(2).outcomes(work, [1, 0])
    next(outcomes)
    outcomes.close()
    start = time.process_time()
    for thread in set(threading.enumerate()) - before:
        thread.join()
    assert time.process_time() - start < 1
