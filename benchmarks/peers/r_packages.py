"""Tools written in R, each a short script in `r`.

A script gets the values as bytes, the numbers of samples and variables, and the name of a file for
the edges. Its process is a child of the measured one, so its time and memory count, the start of
R (0.2 to 1 s) included.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from peer import Edges, Table

HERE = Path(__file__).parent


@dataclass(frozen=True)
class RScript:
    """A script, the package it needs and where to get that."""

    name: str
    script: str
    package: str
    source: str

    def why_absent(self) -> str | None:
        """Return what is missing, R or the package, or None."""
        if not shutil.which("Rscript"):
            return "Rscript is not on the PATH (Debian: apt install r-base-core)"
        if not r_versions(self.package):
            return f"the R package {self.package} is not installed ({self.source})"
        return None

    def version(self) -> str:
        """Return the package's and R's versions."""
        package, r = r_versions(self.package)
        return f"{self.package} {package} (R {r})"

    def load(self) -> Callable[[Table], Edges]:
        """Return the function that runs the script; it starts R."""
        return self._learn

    def _learn(self, table: Table) -> Edges:
        with tempfile.TemporaryDirectory() as folder:
            values, edges = Path(folder, "values"), Path(folder, "edges")
            values.write_bytes(np.asfortranarray(table).tobytes(order="F"))
            shape = [str(n) for n in table.shape]
            command = ["Rscript", "--vanilla", str(HERE / "r" / self.script), values, *shape, edges]
            done = subprocess.run(command, check=False)
            if done.returncode < 0:
                signal.raise_signal(-done.returncode)  # out of time, say: then so are we
            done.check_returncode()
            one_based = np.fromstring(edges.read_text(), dtype=np.int64, sep=" ").reshape(-1, 2)
        return np.unique(np.sort(one_based - 1, axis=1), axis=0)


@cache
def r_versions(package: str) -> list[str]:
    """Return the versions of an R package and of R, or an empty list if it is not installed."""
    ask = f'cat(as.character(packageVersion("{package}")), as.character(getRversion()))'
    command = ["Rscript", "--vanilla", "-e", ask]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return [] if done.returncode else done.stdout.split()


PEERS = (
    RScript("glmnet-elasso", "elasso.R", "glmnet", "Debian: r-cran-glmnet"),
    RScript("bdgraph-mpl", "bdgraph_mpl.R", "BDgraph", "Debian: r-cran-bdgraph"),
    RScript("isingfit", "isingfit.R", "IsingFit", "CRAN"),
    RScript("mgm", "mgm_binary.R", "mgm", "CRAN"),
)
