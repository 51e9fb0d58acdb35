from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

_Integers: TypeAlias = NDArray[np.int64]
_Reals: TypeAlias = NDArray[np.float64]
_Lists: TypeAlias = tuple[_Integers, _Integers]

class Bits:
    def __init__(
        self,
        words: NDArray[np.uint64],
        n_samples: int,
        starts: _Integers | None,
        weighting: tuple[_Reals, NDArray[np.uint64], float] | None,
        ordered: NDArray[np.bool_] | None,
        reals: tuple[_Reals, _Reals | None, NDArray[np.uint32]] | None,
    ) -> None: ...

class Costs:
    def __init__(
        self, parameter: float, variable: float, l1: float, l2: float, log_gamma: _Reals | None
    ) -> None: ...

def instruction_sets() -> list[str]: ...
def associated_pairs(
    bits: Bits,
    ones: _Integers,
    n_log_n: _Reals,
    rows: tuple[int, int],
    columns: tuple[int, int],
    least_ratio: float,
    instruction_set: str,
    /,
) -> _Integers: ...
def associated_tables(
    bits: Bits,
    rows: tuple[int, int],
    columns: tuple[int, int],
    costs: Costs,
    instruction_set: str,
    /,
) -> tuple[_Integers, _Reals]: ...
def associated_among(
    bits: Bits,
    pairs: _Integers,
    costs: Costs,
    instruction_set: str,
    /,
) -> tuple[_Integers, _Reals]: ...
def associated_residuals(
    bits: Bits,
    rows: tuple[int, int],
    columns: tuple[int, int],
    means: _Reals,
    variances: _Reals,
    least: float,
    least_variance: float,
    instruction_set: str,
    /,
) -> tuple[_Integers, _Reals]: ...
def toggle_scores(
    bits: Bits,
    targets: _Integers,
    blankets: _Lists,
    toggles: _Lists,
    costs: Costs,
    instruction_set: str,
    /,
) -> tuple[_Reals, _Reals]: ...
def grow_blankets(
    bits: Bits,
    targets: _Integers,
    candidates: _Lists,
    kept: _Lists,
    costs: Costs,
    instruction_set: str,
    /,
) -> tuple[_Integers, _Integers, _Reals, _Integers, int, _Integers]: ...
def climb_groups(
    bits: Bits,
    groups: _Lists,
    blankets: _Lists,
    partners: _Lists,
    changes: _Reals,
    costs: Costs,
    instruction_set: str,
    /,
) -> tuple[NDArray[np.uint8], _Reals, _Reals, _Reals, _Integers, _Integers, _Integers]: ...
def fit_blankets(
    bits: Bits,
    targets: _Integers,
    blankets: _Lists,
    costs: Costs,
    instruction_set: str,
    /,
) -> tuple[_Reals, _Reals, NDArray[np.uint8], NDArray[np.uint8]]: ...
def ising_gibbs(
    neighbours: _Lists,
    coupling_odds: _Reals,
    field_odds: _Reals,
    order: _Integers,
    is_wide: NDArray[np.uint8],
    states: NDArray[np.uint8],
    generators: NDArray[np.uint32],
    burn_in: int,
    thinning: int,
    n_draws: int,
    instruction_set: str,
    /,
) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint32]]: ...
def potts_gibbs(
    neighbours: _Lists,
    factors: _Reals,
    factor_starts: _Integers,
    field_factors: _Reals,
    field_starts: _Integers,
    n_levels: _Integers,
    order: _Integers,
    is_wide: NDArray[np.uint8],
    states: NDArray[np.uint8],
    generators: NDArray[np.uint32],
    burn_in: int,
    thinning: int,
    n_draws: int,
    instruction_set: str,
    /,
) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint32]]: ...
def independence_tests(
    bits: Bits,
    targets: _Integers,
    givens: _Lists,
    others: _Lists,
    log_factorials: _Reals,
    instruction_set: str,
    /,
) -> _Reals: ...
def l1_paths(
    bits: Bits,
    targets: _Integers,
    candidates: _Lists,
    penalties: _Reals,
    fractions: _Reals,
    largest_support: int,
    most_steps: int,
    instruction_set: str,
    /,
) -> tuple[_Reals, _Reals, _Reals, NDArray[np.uint8], _Integers, _Integers, _Reals]: ...
def fit_pairs(
    bits: Bits,
    pairs: _Integers,
    first: _Lists,
    second: _Lists,
    scale: float,
    n_covariates: int,
    instruction_set: str,
    /,
) -> tuple[_Reals, _Reals, _Reals, _Reals, _Reals]: ...
def sample_graphs(
    bits: Bits,
    pairs: _Integers,
    prior_log_odds: _Reals,
    bin_log_bayes_factors: _Reals,
    bin_counts: _Reals,
    scale: float,
    shape: float,
    background: float,
    expected: _Reals,
    density: float,
    learns_density: bool,
    periods: NDArray[np.uint8],
    most_slopes: float,
    present: NDArray[np.uint8],
    generator: NDArray[np.uint32],
    fits: _Integers | None,
    n_settling: int,
    n_sweeps: int,
    n_covariates: int,
    instruction_set: str,
    /,
) -> tuple[
    NDArray[np.uint8], NDArray[np.uint32], _Reals, _Reals, _Reals, _Reals, int, _Integers
]: ...
def fit_potts(
    places: NDArray[np.int32],
    starts: _Integers,
    weights: _Reals,
    targets: _Integers,
    field_penalty: float,
    penalties: _Reals,
    tolerance: float,
    most_steps: int,
    instruction_set: str,
    /,
) -> tuple[NDArray[np.float32], _Reals, int]: ...
def unsound_variables(
    bits: Bits,
    masked: _Integers,
    masks: NDArray[np.uint64],
    instruction_set: str,
    /,
) -> tuple[int, int]: ...
def weakest_of_triangles(
    pairs: NDArray[np.int64],
    strengths: NDArray[np.float64],
    order: NDArray[np.int64],
    n_variables: int,
    tie: float,
) -> NDArray[np.uint8]: ...
def within_steps(
    neighbours: _Lists, targets: _Integers, depth: int
) -> tuple[_Integers, _Integers]: ...
