"""
Which gamma?
============

``gamma`` sets the penalty for each neighbour. 0 is the ordinary BIC, 0.5 the default of markhood and of the paper,
0.25 the default of IsingFit. This example counts false and missed edges by gamma on networks that are known.
"""

# %%
# Twenty data sets of the paper's grid with 64 variables, for two sample sizes.

import matplotlib.pyplot as plt
import numpy as np

import markhood
from markhood import evaluate, simulate

# With a small gamma and few samples, a warning reports that many edges are due to chance.
markhood.filter_findings(ignore=["chance-edges"])

GAMMAS = [0, 0.125, 0.25, 0.375, 0.5, 0.75, 1, 1.5, 2]
DATA_SETS = 20
grid = simulate.grid(64)

fig, axes = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained", sharex=True, sharey=True)
for ax, n_samples in zip(axes, (250, 2000), strict=True):
    wrong = np.zeros((len(GAMMAS), 2))
    for seed in range(DATA_SETS):
        model = simulate.ising(grid, seed=seed)
        data = model.sample_packed(n_samples, seed=1000 + seed, burn_in=500)
        for k, gamma in enumerate(GAMMAS):
            found = evaluate.compare(grid, markhood.learn(data, gamma=gamma))
            wrong[k] += found.false_positives, found.false_negatives
    wrong /= DATA_SETS
    ax.plot(GAMMAS, wrong[:, 0], "o-", color="#D55E00", label="false edges")
    ax.plot(GAMMAS, wrong[:, 1], "s-", color="#0072B2", label="missed edges")
    ax.plot(GAMMAS, wrong.sum(axis=1), "k--", label="sum (Hamming distance)")
    ax.set(xlabel="gamma", title=f"{n_samples} samples, {grid.n_edges} true edges")
    best = GAMMAS[int(wrong.sum(axis=1).argmin())]
    print(f"{n_samples} samples: fewest wrong edges at gamma {best}")
axes[0].set(ylabel="edges, mean of 20 data sets")
axes[0].legend(frameon=False)
plt.show()

# %%
# A smaller gamma finds more true edges and more false ones. The sum is nearly constant around its minimum. If a false edge
# is worse than a missed one, choose a larger gamma.
