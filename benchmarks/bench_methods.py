"""Time the other methods, compared with hill climbing by BIC, and the parts of each."""

from __future__ import annotations

from collections.abc import Iterator
from time import thread_time

from clock import fastest
from random_samples import job
from report import Row

from markhood.data.coding.encode import encode
from markhood.data.samples import Samples
from markhood.learning.methods import METHODS
from markhood.learning.request import Request
from markhood.simulate import hub, ising


def rows() -> Iterator[Row]:
    """Learn the paper's hub network of 256 variables."""
    few, many = _hub_network(2000), _hub_network(4000)
    yield _mpl_against_bic(many)
    yield _joint_posterior(few)
    yield _paths(many)


def _hub_network(n_samples: int) -> Samples:
    return encode(ising(hub(256), seed=1).sample(n_samples, seed=2))


def _mpl_against_bic(samples: Samples) -> Row:
    costs = {}
    for criterion in ("bic", "mpl"):
        method = METHODS["hc"](criterion=criterion)
        runs = [Request.of(method, {"n_jobs": 1}).learn(samples) for _ in range(4)]
        seconds = min(run.seconds["blankets"] for run in runs)
        costs[criterion] = 1e6 * seconds / int(runs[0].evaluations["blankets"].sum())
    ratio = costs["mpl"] / costs["bic"]
    return Row(
        "an evaluation by MPL, hub 256 x 4000, 1 thread",
        f"{costs['mpl']:.2f} us",
        f"by BIC {costs['bic']:.2f} us",
        f"{ratio:.2f} x",
        "<= 2 x",
        ratio <= 2,
    )


def _joint_posterior(samples: Samples) -> Row:
    bjp = METHODS["bjp"]()
    (seconds,) = fastest(lambda: bjp.search(job(samples)), rounds=3, clock=thread_time)
    return Row("BJP, hub 256 x 2000, 1 thread", f"{seconds:.2f} s", "", "", "< 2 s", seconds < 2)


def _paths(samples: Samples) -> Row:
    learned = Request.of("l1lr", {"n_jobs": 1}).learn(samples)
    paths, whole = learned.seconds["paths"], sum(learned.seconds.values())
    return Row(
        "L1LR, hub 256 x 4000, 1 thread: paths and refits",
        f"{1e3 * paths / samples.n_variables:.1f} ms a variable",
        f"the whole {whole:.2f} s",
        f"{paths / whole:.1%}",
    )
