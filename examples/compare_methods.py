"""
Compare the methods on data like yours
======================================

Which method is best depends on the number of variables and samples and on the type of graph.
Simulate data like your own and compare. This example uses two networks of the paper: the hub
network, which is a tree, and the grid, which is not.
"""

# %%
# Ten data sets per cell. All methods receive the same data.

import matplotlib.pyplot as plt
import numpy as np

import markhood
from markhood import evaluate, simulate

# With few samples, a warning reports that many edges are due to chance.
markhood.filter_findings(ignore=["chance-edges"])

NETWORKS = {"hub, 64 variables": simulate.hub(64), "grid, 64 variables": simulate.grid(64)}
SAMPLES = [250, 1000, 4000]
DATA_SETS = 10
METHODS = {"plrhc": "o", "hc": "s", "mpl": "^", "bjp": "v", "pairwise": "D", "chow-liu": "X"}


def distances(graph, n_samples):
    """Return the mean standardised Hamming distance of every method."""
    found = {name: [] for name in METHODS}
    for seed in range(DATA_SETS):
        model = simulate.ising(graph, seed=seed)
        data = model.sample_packed(n_samples, seed=1000 + seed, burn_in=500)
        for name in METHODS:
            learned = markhood.learn(data, name)
            found[name].append(evaluate.compare(graph, learned).standardised_hamming_distance)
    return {name: np.mean(values) for name, values in found.items()}


fig, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained", sharey=True)
for ax, (title, graph) in zip(axes, NETWORKS.items(), strict=True):
    cells = [distances(graph, n) for n in SAMPLES]
    print(f"{title}: wrong edges per 100 true ones at {', '.join(map(str, SAMPLES))} samples")
    for name, marker in METHODS.items():
        line = [cell[name] for cell in cells]
        print(f"  {name:9s}", *(f"{value:6.1f}" for value in line))
        ax.plot(SAMPLES, line, marker=marker, label=name)
    ax.set(xscale="log", xlabel="samples", title=title, ylim=(0, 150))
    ax.set_xticks(SAMPLES, map(str, SAMPLES))
    ax.minorticks_off()
axes[0].set(ylabel="wrong edges per 100 true ones")
axes[1].legend(frameon=False)
plt.show()

# %%
# ``pairwise`` reports direct and indirect dependencies, so it finds more wrong edges with more samples.
# A Chow-Liu forest cannot contain a cycle: it suits trees, and misses many edges of a grid.
