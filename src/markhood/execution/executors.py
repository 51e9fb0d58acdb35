"""Look up executors by name."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from markhood.errors import InputError
from markhood.execution.executor import Executor
from markhood.execution.local import Local, Threads

NAMES = ("threads", "dask", "ray")


@contextmanager
def executor_named(
    name: Any, scheduler: str | None = None, n_jobs: int | None = None, cards: int = 0
) -> Iterator[Executor]:
    """Open the executor of that name, and close it afterwards.

    Parameters
    ----------
    name : {"threads", "dask", "ray"}, distributed.Client, Executor or None
        None uses threads, unless `joblib.parallel_config` sets another backend.
    n_jobs : int, optional
        Number of threads, for the executor "threads".
    cards : int, default=0
        Number of GPUs per tile.

    Raises
    ------
    InputError
        If the executor is unknown, its library is missing, or no cluster answers at that address.
    """
    if scheduler is not None and name not in ("dask", "ray"):
        raise InputError(
            "option-conflict",
            "scheduler",
            f"The scheduler {scheduler} needs the executor dask or ray: choose one of them.",
        )
    if name is None:
        yield Local(n_jobs)
    elif name == "threads":
        from joblib.parallel import ThreadingBackend

        yield Threads(ThreadingBackend().effective_n_jobs(1 if n_jobs is None else n_jobs))
    elif name == "dask":
        _require_extra(name, "distributed", "cloudpickle")
        from markhood.execution.dask import on_scheduler

        with on_scheduler(scheduler) as cluster:
            yield cluster
    elif name == "ray":
        _require_extra(name, "ray", "cloudpickle")
        from markhood.execution.ray import on_address

        with on_address(scheduler, cards) as cluster:
            yield cluster
    elif hasattr(name, "outcomes"):
        yield name
    elif hasattr(name, "scatter") and hasattr(name, "submit"):
        from markhood.execution.dask import on_client

        yield on_client(name)
    else:
        raise InputError(
            "option-unknown",
            "executor",
            f"Unknown executor {name!r}: choose one of {', '.join(NAMES)}, or pass a "
            "distributed.Client.",
        )


def _require_extra(name: str, *modules: str) -> None:
    try:
        for module in modules:
            importlib.import_module(module)
    except ImportError:
        raise InputError(
            "library-missing",
            name,
            f"executor {name!r} needs {name.capitalize()}: pip install 'markhood[{name}]', or "
            "use the default executor.",
        ) from None
