"""Networks with known truth, and samples from them."""

from markhood.simulate.networks import (
    barabasi_albert,
    chain,
    cycle,
    erdos_renyi,
    grid,
    hub,
    stochastic_block,
    tree,
    watts_strogatz,
)
from markhood.simulate.potentials import (
    NormalCouplings,
    SignedCouplings,
    UniformCouplings,
    UniformTables,
    ising,
)

__all__ = [
    "NormalCouplings",
    "SignedCouplings",
    "UniformCouplings",
    "UniformTables",
    "barabasi_albert",
    "chain",
    "cycle",
    "erdos_renyi",
    "grid",
    "hub",
    "ising",
    "stochastic_block",
    "tree",
    "watts_strogatz",
]
