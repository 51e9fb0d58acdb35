"""Simulate networks with a known graph, and samples from them."""

from markhood.simulate.networks import (
    barabasi_albert,
    chain,
    cycle,
    disjoint,
    erdos_renyi,
    grid,
    hub,
    stochastic_block,
    tree,
    watts_strogatz,
)
from markhood.simulate.pieces import sample_in_pieces
from markhood.simulate.potentials import (
    NormalCouplings,
    SignedCouplings,
    UniformCouplings,
    UniformTables,
    ising,
    ordinal,
    potts,
)

__all__ = [
    "NormalCouplings",
    "SignedCouplings",
    "UniformCouplings",
    "UniformTables",
    "barabasi_albert",
    "chain",
    "cycle",
    "disjoint",
    "erdos_renyi",
    "grid",
    "hub",
    "ising",
    "ordinal",
    "potts",
    "sample_in_pieces",
    "stochastic_block",
    "tree",
    "watts_strogatz",
]
