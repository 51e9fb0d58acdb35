"""
A hub network: the learned graph and the true graph
===================================================

With simulated data the true graph is known, so the learned edges can be checked. The
network is that of the paper: a chain of hubs, each with seven or eight neighbours.
"""

# %%
# Simulate data
# -------------
# Every edge has a random 2 x 2 table of uniform numbers, as in the paper. Many of these tables are
# nearly constant, so some edges are too weak to detect.

import matplotlib.pyplot as plt

import markhood
from markhood import evaluate, simulate

model = simulate.ising(simulate.hub(64), seed=1)
data = model.sample(2000, seed=2)
truth = model.graph

# %%
# Learn and compare
# -----------------

learned = markhood.learn(data)
evaluate.compare(truth, learned)

# %%
# Draw found, missed and false edges
# ----------------------------------

fig, ax = plt.subplots(figsize=(7, 5), layout="constrained")
markhood.plot.comparison(truth, learned, ax)
ax.set_title("Learned and true edges")
plt.show()

# %%
# Strength of the missed edges
# ----------------------------
# No missed edge has an absolute coupling above 0.6. One variable of the strongest missed edge is 1 in only 7 %
# of the samples.

couplings = dict(zip(truth.edge_names(), model.couplings, strict=True))
true_edges, learned_edges = set(truth.edge_names()), set(learned.edge_names())
kinds = {
    "found": (true_edges & learned_edges, "#0072B2"),
    "missed": (true_edges - learned_edges, "#999999"),
}
fig, ax = plt.subplots(figsize=(7, 3), layout="constrained")
for kind, (edges, colour) in kinds.items():
    ax.hist([abs(couplings[e]) for e in edges], bins=20, range=(0, 6), alpha=0.7, color=colour,
            label=kind)  # fmt: skip
ax.set(xlabel="true |coupling|", ylabel="edges", title="Missed edges are weak")
ax.legend(frameon=False)
plt.show()
