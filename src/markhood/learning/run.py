"""`Run`: options for where and how the work is done; they do not change the result."""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass, field
from types import NoneType
from typing import Any

import numpy as np

from markhood.errors import InputError, option, option_error
from markhood.execution.runner import Progress, no_progress
from markhood.kernels.native import NativeKernels
from markhood.kernels.protocol import Kernels
from markhood.options import MOST_SEED, Options, Sealed, declare, documented

LOGGER = logging.getLogger("markhood")


def _seed_text(text: str) -> int | None:
    return None if text == "none" else int(text)


@dataclass(kw_only=True)
class RunOptions(Options):
    """Run options that callers pass flat."""

    seed: int | np.random.Generator | None = declare(
        0,
        "Random seed. None draws a different one on every call.",
        low=0,
        high=MOST_SEED,
        parse=_seed_text,
        metavar="N",
    )
    n_jobs: int | None = declare(
        None,
        "Number of threads: -1 for all, None for joblib's setting (1 unless changed). The result "
        "is the same.",
    )


@dataclass(kw_only=True)
class Run(Sealed):
    """Where the work is done, and how often it is repeated.

    Parameters
    ----------
    {parameters}

    Examples
    --------
    >>> Run(imputations=20).imputations
    20
    """

    kernels: Any = declare(
        "native",
        "Compute backend for screening pairs: native, or cuda for an NVIDIA GPU.",
        metavar="NAME",
    )
    executor: Any = declare(
        None,
        "Where tiles of work run: threads, dask, ray, or a distributed.Client. By default "
        "threads, or joblib's setting.",
        metavar="NAME",
    )
    scheduler: str | None = declare(
        None, "Address of the cluster, such as tcp://host:8786.", metavar="ADDRESS"
    )
    checkpoint: Any = declare(
        None,
        "Folder for finished tiles; an interrupted run continues from there.",
        metavar="FOLDER",
    )
    imputations: int = declare(
        10, "Number of imputed data sets, if missing values are imputed.", low=2
    )
    shuffles: int = declare(
        0,
        "Number of searches with shuffled columns, which show how many edges chance produces.",
        low=0,
    )


documented(Run)(Run)


@dataclass(kw_only=True, eq=False)
class Execution(Run, RunOptions):
    """All run options, with the seed resolved."""

    progress: Progress = no_progress
    seed_is_drawn: bool = field(init=False, default=False)

    def check(self) -> None:
        """Check the options, and draw a seed if it is None."""
        self.seed_is_drawn = self.seed is None
        super().check()
        given = np.random.default_rng() if self.seed is None else self.seed
        drawn = given.integers(2**31) if isinstance(given, np.random.Generator) else given
        self.seed = int(drawn)
        if self.n_jobs == 0:
            raise option_error("n_jobs", "must be a number of threads, or -1 for all, not 0.")
        if not callable(self.progress):
            raise option_error("progress", f"must be a function, not {self.progress!r}.")
        if not isinstance(self.checkpoint, (str, os.PathLike, NoneType)):
            raise option_error("checkpoint", f"must be a folder, not {self.checkpoint!r}.")
        kernels_named(self.kernels)

    def report(self, phase: str, done: int, total: int) -> None:
        """Report progress to the caller, and the start and end of a phase to the logger."""
        self.progress(phase, done, total)
        if done in (0, total):
            LOGGER.info("%s: %d of %d", phase, done, total)

    def as_json(self) -> dict[str, Any]:
        """Return the options needed to repeat the run, without the caller's objects."""
        named = {
            name: str(value) if isinstance(value, os.PathLike) else value
            for name, value in self.changed().items()
            if value is None or isinstance(value, (str, int, os.PathLike))
        }
        return {"seed": self.seed, **named}


def kernels_named(name: str | Kernels) -> Kernels:
    """Return the compute backend of that name; an object is returned as is."""
    if callable(getattr(name, "tiling", None)):
        return name  # type: ignore[return-value]
    if name == "native":
        return NativeKernels()
    if name == "cuda":
        from markhood.kernels.cuda.backend import CudaKernels

        return CudaKernels()
    raise InputError(
        "option-unknown", "kernels", f"Unknown {option('kernels')} {name!r}: choose native or cuda."
    )
