"""Learning from a file that is larger than the memory it may take."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from random_samples import write_pairs
from report import Row

LEARN = """
import json, pathlib, resource, sys, time
from markhood import learn, read_samples

start = time.perf_counter()
graph = learn(read_samples(sys.argv[1]))
seconds = time.perf_counter() - start
# The peak that getrusage reports may be that of the process which started this one.
status = pathlib.Path("/proc/self/status")
if status.exists():
    peak = int(status.read_text().split("VmHWM:")[1].split()[0]) * 1024
else:
    in_bytes = sys.platform == "darwin"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if in_bytes else 1024)
print(json.dumps({"edges": graph.n_edges, "seconds": seconds, "peak": peak}))
"""


def rows() -> Iterator[Row]:
    """Learn in a process of its own, and ask it for its peak."""
    n_variables, n_samples = 20_000, 10_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "pairs.npy")
        write_pairs(path, n_variables, n_samples)
        size = path.stat().st_size
        command = [sys.executable, "-c", LEARN, str(path)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    result = json.loads(done.stdout)
    if result["edges"] < n_variables // 2:
        raise RuntimeError(f"Only {result['edges']} edges: the file was not learned from.")
    yield Row(
        f"memory: PLRHC from an .npy of {n_variables} x {n_samples}, 1 thread",
        f"{result['peak'] / 1e6:.0f} MB at the peak, {result['seconds']:.1f} s",
        f"the file has {size / 1e6:.0f} MB",
        f"{result['peak'] / size:.2f} x",
        "< 400 MB",
        result["peak"] < 400e6,
    )
