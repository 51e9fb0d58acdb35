from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

_Integers: TypeAlias = NDArray[np.int64]
_Reals: TypeAlias = NDArray[np.float64]

def instruction_sets() -> list[str]: ...
def associated_pairs(
    words: NDArray[np.uint64],
    n_samples: int,
    ones: _Integers,
    n_log_n: _Reals,
    rows: tuple[int, int],
    columns: tuple[int, int],
    least_ratio: float,
    instruction_set: str = "",
) -> _Integers: ...
def associated_tables(
    words: NDArray[np.uint64],
    n_samples: int,
    rows: tuple[int, int],
    columns: tuple[int, int],
    parameter_cost: float,
    variable_cost: float,
    starts: _Integers | None,
    weights: _Reals | None,
    ordered: NDArray[np.uint8] | None,
    planes: NDArray[np.uint64] | None,
    unit: float,
    instruction_set: str = "",
) -> tuple[_Integers, _Reals]: ...
def toggle_scores(
    words: NDArray[np.uint64],
    n_samples: int,
    targets: _Integers,
    blanket_starts: _Integers,
    blankets: _Integers,
    toggle_starts: _Integers,
    toggles: _Integers,
    parameter_cost: float,
    variable_cost: float,
    log_gamma: _Reals | None,
    l1: float,
    l2: float,
    starts: _Integers | None,
    weights: _Reals | None,
    ordered: NDArray[np.uint8] | None,
    instruction_set: str = "",
) -> tuple[_Reals, _Reals]: ...
def grow_blankets(
    words: NDArray[np.uint64],
    n_samples: int,
    targets: _Integers,
    candidate_starts: _Integers,
    candidates: _Integers,
    kept_starts: _Integers,
    kept: _Integers,
    parameter_cost: float,
    variable_cost: float,
    log_gamma: _Reals | None,
    l1: float,
    l2: float,
    starts: _Integers | None,
    weights: _Reals | None,
    ordered: NDArray[np.uint8] | None,
    instruction_set: str = "",
) -> tuple[_Integers, _Reals, _Integers, int]: ...
def fit_blankets(
    words: NDArray[np.uint64],
    n_samples: int,
    targets: _Integers,
    blanket_starts: _Integers,
    blankets: _Integers,
    l1: float,
    l2: float,
    starts: _Integers | None,
    weights: _Reals | None,
    ordered: NDArray[np.uint8] | None,
    instruction_set: str = "",
) -> tuple[_Reals, _Reals, NDArray[np.uint8]]: ...
def ising_gibbs(
    neighbour_starts: _Integers,
    neighbours: _Integers,
    coupling_odds: _Reals,
    field_odds: _Reals,
    order: _Integers,
    is_wide: NDArray[np.uint8],
    states: NDArray[np.uint8],
    generators: NDArray[np.uint32],
    burn_in: int,
    thinning: int,
    n_draws: int,
    instruction_set: str = "",
) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint32]]: ...
def potts_gibbs(
    neighbour_starts: _Integers,
    neighbours: _Integers,
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
    instruction_set: str = "",
) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint32]]: ...
def independence_tests(
    words: NDArray[np.uint64],
    n_samples: int,
    targets: _Integers,
    given_starts: _Integers,
    givens: _Integers,
    other_starts: _Integers,
    others: _Integers,
    log_factorials: _Reals,
    starts: _Integers | None,
    weights: _Reals | None,
    instruction_set: str = "",
) -> _Reals: ...
def l1_paths(
    words: NDArray[np.uint64],
    n_samples: int,
    targets: _Integers,
    candidate_starts: _Integers,
    candidates: _Integers,
    penalties: _Reals,
    fractions: _Reals,
    largest_support: int,
    instruction_set: str = "",
) -> tuple[_Reals, _Reals, _Reals, _Integers, _Integers, _Reals]: ...
def unsound_variables(
    words: NDArray[np.uint64],
    n_samples: int,
    starts: _Integers | None,
    masked: _Integers,
    masks: NDArray[np.uint64],
    instruction_set: str = "",
) -> tuple[int, int]: ...
