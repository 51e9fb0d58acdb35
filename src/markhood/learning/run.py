"""`Run`: where and how the work is done, which does not change the result."""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

import numpy as np

from markhood.errors import InputError, option
from markhood.execution.runner import Progress, no_progress
from markhood.kernels.native import NativeKernels
from markhood.kernels.protocol import Kernels
from markhood.options import Options, Sealed, declare, documented

LOGGER = logging.getLogger("markhood")


def _seed_of(given: Any) -> int:
    """Return a whole number to start from: a generator draws one."""
    if isinstance(given, np.random.Generator):
        return int(given.integers(2**31))
    if not isinstance(given, Integral) or isinstance(given, bool) or given < 0:
        raise InputError(
            "option-value",
            "seed",
            f"{option('seed')} must be a whole number from 0 up, not {given!r}.",
        )
    return int(given)


def _seed_text(text: str) -> int | None:
    return None if text == "none" else int(text)


@dataclass(kw_only=True)
class RunOptions(Options):
    """Options of a run that callers pass flat."""

    seed: int | np.random.Generator | None = declare(
        0,
        "Random seed. None draws a different one on every call.",
        parse=_seed_text,
        metavar="N",
    )
    n_jobs: int | None = declare(
        None,
        "Number of threads: -1 for all, None for joblib's setting (1 unless changed). The result is the same.",
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
        "What runs the tiles of the work: threads, or a cluster of dask or ray; or a distributed.Client. By "
        "default threads, or joblib's setting.",
        metavar="NAME",
    )
    scheduler: str | None = declare(
        None, "Address of the cluster, such as tcp://host:8786.", metavar="ADDRESS"
    )
    checkpoint: Any = declare(
        None,
        "Folder where finished tiles are saved; a run that was killed continues from there.",
        metavar="FOLDER",
    )
    imputations: int = declare(
        10, "Number of completed data sets, where missing values are imputed.", low=2
    )
    shuffles: int = declare(
        0,
        "Repeat the search this many times with every column shuffled, to see how many edges chance produces.",
        low=0,
    )


documented(Run)(Run)


@dataclass(kw_only=True, eq=False)
class Execution(Run, RunOptions):
    """All options of a run, with the seed decided."""

    progress: Progress = no_progress
    seed_is_drawn: bool = field(init=False, default=False)

    def check(self) -> None:
        """Check the options, and draw a seed where there is none."""
        self.seed_is_drawn = self.seed is None
        if self.seed is None:
            self.seed = np.random.default_rng()
        self.seed = _seed_of(self.seed)
        super().check()
        if self.n_jobs == 0:
            raise InputError(
                "option-value",
                "n_jobs",
                f"{option('n_jobs')} must be a number of threads, or -1 for all, not 0.",
            )
        kernels_named(self.kernels)

    def report(self, phase: str, done: int, total: int) -> None:
        """Pass progress on to the caller, and the beginning and end of a phase to the logger."""
        self.progress(phase, done, total)
        if done in (0, total):
            LOGGER.info("%s: %d of %d", phase, done, total)

    def as_json(self) -> dict[str, Any]:
        """Return what a repetition needs: objects of the caller's are left out."""
        named = {
            name: str(value) if isinstance(value, os.PathLike) else value
            for name, value in self.changed().items()
            if value is None or isinstance(value, (str, int, os.PathLike))
        }
        return {"seed": self.seed, **named}


def kernels_named(name: str | Kernels) -> Kernels:
    """Return the compute backend of that name, or the one that is given.

    Raises
    ------
    InputError
        If there is no such backend, or not what it needs.
    """
    if not isinstance(name, str):
        return name
    if name == "native":
        return NativeKernels()
    if name == "cuda":
        from markhood.kernels.cuda.backend import CudaKernels

        return CudaKernels()
    raise InputError(
        "option-unknown", "kernels", f"Unknown {option('kernels')} {name!r}: choose native or cuda."
    )
