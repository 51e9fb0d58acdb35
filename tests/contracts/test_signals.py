"""Every method and every phase ends within a second of SIGINT or SIGTERM, on data that keep it busy for longer.

The second is of processor time, so that other work on the machine does not matter: a thread sends the signal after some processor
time and notes the clock.
"""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import markhood
from markhood.data.coding.encode import encode
from markhood.execution.executors import Threads
from markhood.kernels.lists import Lists
from markhood.kernels.native import NativeKernels
from markhood.kernels.protocol import Costs
from markhood.learning.methods import METHODS
from markhood.learning.request import Request
from oracles.scale import latent_classes, one_cause

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there a signal to oneself is the end")


def learn(method, **options):
    """Return a function that learns from samples on one thread."""
    return lambda samples: markhood.learn(samples, method, **{"n_jobs": 1} | options)


def many_levels():
    """Return related columns with so many levels that a pair has 1500 parameters."""
    rng = np.random.default_rng(0)
    return (rng.integers(0, 40, (1000, 1)) + rng.integers(0, 4, (1000, 6))) % 40


def learn_many_levels(_):
    """Learn from few samples with many levels."""
    markhood.learn(many_levels(), "bayes", kinds="nominal", n_jobs=1)


def fit_all_pairs(samples):
    """Fit the model of a complete graph."""
    pairs = np.column_stack(np.triu_indices(12, 1))
    markhood.fit_model(markhood.Graph(samples.variables.pick(range(12)), pairs), samples)


def impute(samples):
    """Learn from a table with missing values."""
    table = latent_classes(2000, [9] * 12).astype(object)
    table[np.random.default_rng(1).random(table.shape) < 0.05] = None
    markhood.learn(table, missing="impute", n_jobs=1)


def compare(samples):
    """Compare the first half of the samples with the second."""
    halves = (samples.take(np.arange(first, first + 2000)) for first in (0, 2000))
    markhood.compare_groups(*halves, n_jobs=1)


CALLS = {
    **{name: learn(name) for name in ("plrhc", "hc", "l1lr", "mpl", "bjp", "bayes")},
    "plm": learn("plm", penalty=1e-5),
    "pairwise": lambda _: learn("pairwise")(one_cause(4000, 4000)),
    "chow-liu": lambda _: learn("chow-liu")(one_cause(4000, 4000)),
    "rule pair": learn("plrhc", rule="pair"),
    "two threads": learn("plrhc", n_jobs=2),
    "many levels": learn_many_levels,
    "fit_model": fit_all_pairs,
    "bootstrap": lambda samples: markhood.bootstrap(samples, n_jobs=1),
    "gamma_path": lambda samples: markhood.gamma_path(samples, n_jobs=1),
    "compare_groups": compare,
    "impute": impute,
    "forecast": lambda samples: Request.of("bayes", {"n_jobs": 1}).forecast(samples),
    "read": lambda _: markhood.read_samples("table.csv"),
}


@pytest.fixture(scope="module")
def samples():
    return encode(latent_classes(4000, [9] * 40))


@pytest.fixture
def large_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = ",".join(f"v{k}" for k in range(100))
    rows = [",".join(f'"{(k + j) % 7}"' for j in range(100)) for k in range(7)]
    (tmp_path / "table.csv").write_text(f"{names}\n" + ("\n".join(rows) + "\n") * 15_000)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore::markhood.errors.DataWarning")
@pytest.mark.parametrize("name", CALLS)
def test_example_ctrl_c_ends_every_call_within_a_second(name, samples, large_file, ctrl_c):
    sent, has_ended, start = [], threading.Event(), time.process_time()

    def stop():
        while time.process_time() < start + 0.25:
            if has_ended.wait(0.01):
                return
        sent.append(time.process_time())
        ctrl_c()
        # Python drops an exception that is raised in a weakref callback.
        if not has_ended.wait(0.5):
            ctrl_c()

    threading.Thread(target=stop).start()
    try:
        with pytest.raises(KeyboardInterrupt):
            CALLS[name](samples)
    finally:
        has_ended.set()
    assert time.process_time() - sent[0] < 1


def test_property_every_method_is_interrupted():
    assert CALLS.keys() >= METHODS.keys()


RUN = """
import os, signal, sys, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in background jobs of a shell
after, number = float(sys.argv.pop(1)), int(sys.argv.pop(1))
def stop():
    while time.process_time() < after:
        time.sleep(0.02)
    os.write(2, f"{time.process_time()}\\n".encode())
    os.kill(os.getpid(), number)
threading.Thread(target=stop, daemon=True).start()
from markhood.commandline.start import main
main()
"""


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    levels = np.char.add("level", many_levels().astype(str))
    for name, table in {"classes": latent_classes(4000, [9] * 40), "levels": levels}.items():
        header = ",".join(f"v{k}" for k in range(table.shape[1]))
        np.savetxt(folder / f"{name}.csv", table, "%s", ",", header=header, comments="")
    return folder


@pytest.mark.parametrize(
    ("number", "after", "arguments"),
    [
        (signal.SIGTERM, 0.4, "learn classes.csv -o out.json"),
        (signal.SIGINT, 1.5, "learn classes.csv --n-jobs 2 -o out.json"),
        (signal.SIGTERM, 1.5, "learn levels.csv --method bayes -o out.json"),
        (signal.SIGTERM, 1.2, "learn classes.csv --method bayes --dry-run"),
        (signal.SIGINT, 1.2, "bootstrap classes.csv -o out.csv"),
    ],
)
def test_example_a_signal_ends_every_command_within_a_second(tables, number, after, arguments):
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, str(after), str(int(number)), *arguments.split()],
        stderr=subprocess.PIPE, text=True, cwd=tables,
    )  # fmt: skip
    errors = process.stderr.read()
    process.stderr.close()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    *_, sent, last = errors.splitlines()  # after notes on the data
    assert (process.returncode, last) == (128 + number, "markhood: stopped.")
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
