"""`plan()`: the number of samples that a study needs, by simulation.

Data sets are drawn from a model of the expected network, a graph is learned from each as `learn`
would, and compared with the network. The power at N is the probability that a measure reaches its
target; the answer is the smallest N with the wanted power.

    1. double N until more than half of a few data sets reach the target
    2. draw data sets at sizes between half and twice the estimate
    3. regress success on log N by logistic regression, which gives N and its standard error;
       repeat from 2 if the estimate is outside of the sizes that were tried

Close to the answer the power is nearly logistic in log N, so that all data sets of step 2 inform
the estimate; a grid of sizes with a separate share at each needs several times as many.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from markhood.arrays import Bools, Floats, Ints
from markhood.data.to_frame import frame_of_rows
from markhood.execution.runner import Progress, Runner, no_progress
from markhood.graph.notebook import result_html
from markhood.learning.request import Request
from markhood.options import documented
from markhood.stability.planned_study import Study, edge_number, expected_network
from markhood.stability.studies import MEASURES, SIZES, Measured, PlanOptions

SMALLEST = 25  # samples that are tried
FIRST_SETS = 12  # data sets at each size of step 1
FACTORS = 2.0 ** np.linspace(-1, 1, SIZES)  # sizes of step 2, in units of the estimate
MOST_ROUNDS = 4
LARGEST = 100_000  # samples
WEAK_SLOPE = 0.05  # prior precision, for rounds in which all data sets agree


@dataclass(frozen=True, eq=False)
class Plan:
    """How often data sets of several sizes reach a target, and the size that a study needs.

    Attributes
    ----------
    measure : str
    target, power : float
    n_samples : int or None
        Smallest number of samples at which ``measure`` is at least ``target`` with probability
        ``power``; None if 100 000 samples are not enough.
    low, high : float
        95 % interval of ``n_samples``, from the Monte Carlo error; NaN if it is None.
    sizes : ndarray of shape (n_sets,)
        Number of samples of every simulated data set.
    values : ndarray of shape (n_sets,)
        Its measure.
    missing_share : float
        Share of the values that were made missing at random.
    about : str
        The network and method, for `paragraph`.
    edge : str
        The edge to be found, in words; empty for other measures.
    """

    measure: str
    target: float
    power: float
    n_samples: int | None
    low: float
    high: float
    sizes: Ints
    values: Floats
    missing_share: float
    about: str
    edge: str = ""

    def rows(self) -> list[dict[str, Any]]:
        """Describe each size in a row.

        Returns
        -------
        list of dict
            ``samples``, the number of ``data_sets``, the mean of the measure with its
            ``standard_error``, and the ``power`` with its standard error ``power_error``.
        """
        rows = []
        for n in np.unique(self.sizes).tolist():
            own = self.values[self.sizes == n]
            share = float((own >= self.target).mean())
            rows.append(
                {
                    "samples": n,
                    "data_sets": len(own),
                    self.measure: float(own.mean()),
                    "standard_error": float(own.std() / np.sqrt(len(own))),
                    "power": share,
                    "power_error": float(np.sqrt(share * (1 - share) / len(own))),
                }
            )
        return rows

    def to_frame(self) -> Any:
        """Return `rows` as a pandas or polars data frame."""
        return frame_of_rows(self.rows())

    def paragraph(self) -> str:
        """Return a paragraph for a preregistration."""
        from importlib.metadata import version

        wanted = MEASURES[self.measure].wanted.format(self.target)
        missing = f", with {100 * self.missing_share:g} % missing values" * (self.missing_share > 0)
        found = "More than 100 000 participants are needed"
        if self.n_samples is not None:
            found = (
                f"{self.n_samples} participants are needed (95 % Monte Carlo interval "
                f"{self.low:.0f} to {self.high:.0f})"
            )
        return (
            f"The sample size was planned by simulation with markhood {version('markhood')}. "
            f"{len(self.sizes)} data sets were drawn from {self.about}{missing}. {found} for "
            f"{wanted} with a probability of {100 * self.power:g} %."
            + f" The edge is {self.edge}."
            * bool(self.edge)
        )

    def __repr__(self) -> str:
        """Describe the plan in a line."""
        n = "more than 100000" if self.n_samples is None else str(self.n_samples)
        return (
            f"<Plan: {n} samples for {self.measure} >= {self.target:g} with probability "
            f"{self.power:g}, from {len(self.sizes)} data sets>"
        )

    def _repr_html_(self) -> str:
        facts = [("samples", repr(self)), ("text", self.paragraph())]
        return result_html("Plan", facts, self.rows())


@documented(PlanOptions)
def plan(
    source: Any = None,
    measure: Measured = "sensitivity",
    target: float | None = None,
    power: float = 0.8,
    *,
    nodes: int = 20,
    density: float = 0.15,
    coupling: float = 1.0,
    levels: int = 2,
    edge: Sequence[str] | None = None,
    difference: float = 1.0,
    missing_share: float = 0.0,
    data_sets: int = 1800,
    method: str = "plrhc",
    progress: Progress = no_progress,
    **options: Any,
) -> Plan:
    """Find the number of samples that a study needs.

    Parameters
    ----------
    source : table, path, Graph, FittedModel, IsingModel or PottsModel, optional
        The expected network: pilot data, from which a model is fitted; a graph with couplings,
        whose levels are then equally frequent on average; or a model. By default a new random
        network for each data set, described by ``nodes``, ``density``, ``coupling`` and ``levels``.
    {parameters}
    method
        As for `learn`.
    progress : callable, optional
        Called with the name of a phase, the number of tiles done and the number of tiles.
    **options
        Options of `learn` and of the method.

    Returns
    -------
    Plan

    Examples
    --------
    >>> found = plan(nodes=6, density=0.4, coupling=2.0, data_sets=45, n_jobs=1)
    >>> 50 < found.n_samples < 500
    True
    """
    study = PlanOptions(
        measure=measure,
        target=target,
        power=power,
        nodes=nodes,
        density=density,
        coupling=coupling,
        levels=levels,
        edge=edge,
        difference=difference,
        missing_share=missing_share,
        data_sets=data_sets,
    )
    return plan_request(Request.from_call(method, options, progress), source, study)


def plan_request(request: Request, source: Any, asked: PlanOptions) -> Plan:
    """Implement `plan` for a request."""
    measure, target, power = asked.measure, asked.wanted, float(asked.power)
    difference, missing_share = float(asked.difference), asked.missing_share
    model_of, about = expected_network(request, source, asked)
    if measure == "group":
        about += f" and from the same with one coupling changed by {difference:g}"
    chosen = edge_number(model_of(0), asked.edge) if measure in ("edge", "group") else -1
    study = Study(request, model_of, measure, chosen, missing_share, difference)
    runner = Runner(request.run.n_jobs, request.run.report)
    sizes, values = np.empty(0, np.int64), np.empty(0)

    def simulate(phase: str, at: Ints) -> None:
        nonlocal sizes, values
        tiles = [(len(sizes) + k, int(n)) for k, n in enumerate(at.tolist())]
        drawn = np.array(list(runner.map(phase, study.value, tiles)))
        sizes, values = np.concatenate([sizes, at]), np.concatenate([values, drawn])

    n = SMALLEST
    while True:
        simulate("sizes", np.full(FIRST_SETS, n))
        if (values[-FIRST_SETS:] >= target).mean() > 0.5 or 2 * n > LARGEST:
            break
        n *= 2
    estimate = float(n)
    for _ in range(MOST_ROUNDS):
        tried = np.unique((estimate * FACTORS).clip(SMALLEST, LARGEST).astype(np.int64))
        simulate("data sets", np.repeat(tried, -(-asked.data_sets // len(tried))))
        near = (sizes >= tried[0]) & (sizes <= tried[-1])
        centre, slope, covariance = fit_power(np.log(sizes[near]), values[near] >= target)
        previous, estimate = estimate, size_with_power(centre, slope, power)
        if abs(np.log(estimate / previous)) < np.log(1.5):
            break
    is_reached = estimate <= LARGEST
    return Plan(
        measure,
        target,
        power,
        int(np.ceil(max(estimate, SMALLEST))) if is_reached else None,
        *(size_interval(estimate, slope, power, covariance) if is_reached else (np.nan, np.nan)),
        sizes,
        values,
        missing_share,
        f"{about}, analysed with method {request.method.name}",
        study.edge_words(source is not None) if measure in ("edge", "group") else "",
    )


def fit_power(x: Floats, success: Bools) -> tuple[float, float, Floats]:
    """Regress success on x: the x of probability 1/2, the slope, and the covariance of both.

    The logarithm of the slope is fitted: power rises with the number of samples.
    """
    from scipy.optimize import minimize
    from scipy.special import expit

    def loss(at: Floats) -> float:
        centre, log_slope = at
        eta = np.exp(log_slope) * (x - centre)
        ridge = WEAK_SLOPE * ((log_slope - np.log(5)) ** 2 + (centre - x.mean()) ** 2)
        return float(np.logaddexp(0, np.where(success, -eta, eta)).sum() + ridge)

    found = minimize(loss, [x.mean(), np.log(5)], method="Nelder-Mead", options={"maxiter": 2000})
    centre, slope = float(found.x[0]), float(np.exp(found.x[1]))
    p = expit(slope * (x - centre))
    design = np.column_stack([np.full(len(x), -slope), slope * (x - centre)])
    information = design.T @ ((p * (1 - p))[:, None] * design) + 2 * WEAK_SLOPE * np.eye(2)
    return centre, slope, np.linalg.inv(information)


def size_with_power(centre: float, slope: float, power: float) -> float:
    """Return the number of samples at which the regression has this power."""
    return float(np.exp(min(centre + np.log(power / (1 - power)) / slope, np.log(10 * LARGEST))))


def size_interval(
    estimate: float, slope: float, power: float, covariance: Floats
) -> tuple[float, float]:
    """Return the 95 % interval of the estimate by the delta method, for log N."""
    gradient = np.array([1.0, -np.log(power / (1 - power)) / slope])
    half = 1.96 * float(np.sqrt(gradient @ covariance @ gradient))
    return float(estimate * np.exp(-half)), float(estimate * np.exp(half))
