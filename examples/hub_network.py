"""
A hub network: truth against learned
====================================

With simulated data the true graph is known, so every learned edge is right or wrong. The
network is the paper's: hubs in a chain, each with seven or eight neighbours.
"""

# %%
# Make data
# ---------
# Every edge gets a random 2 x 2 table of uniform numbers, as in the paper. Many of those tables are
# nearly flat, so some edges are too weak for anyone to find.

import matplotlib.pyplot as plt
import networkx as nx

import markhood
from markhood import evaluate, simulate

model = simulate.ising(simulate.hub(64), seed=1)
data = model.sample(2000, seed=2)
truth = model.graph

# %%
# Learn, and compare
# ------------------

learned = markhood.learn(data)
evaluate.compare(truth, learned)

# %%
# Draw hits, misses and false edges
# ---------------------------------

network = markhood.convert.to_networkx(truth)
place = nx.kamada_kawai_layout(network)
true_edges, learned_edges = set(truth.edge_names()), set(learned.edge_names())
kinds = {
    "found": (true_edges & learned_edges, "#0072B2", "solid"),
    "missed": (true_edges - learned_edges, "#999999", "dotted"),
    "false": (learned_edges - true_edges, "#D55E00", "solid"),
}

fig, ax = plt.subplots(figsize=(7, 5), layout="constrained")
nx.draw_networkx_nodes(network, place, node_size=30, node_color="black", ax=ax)
for kind, (edges, colour, style) in kinds.items():
    nx.draw_networkx_edges(
        network, place, edgelist=sorted(edges), edge_color=colour, style=style, width=2, ax=ax
    )
    ax.plot([], [], color=colour, linestyle=style, linewidth=2, label=f"{kind}: {len(edges)}")
ax.legend(frameon=False)
ax.axis("off")
plt.show()

# %%
# What was missed is weak
# -----------------------
# No missed edge has a coupling beyond 0.6, and the one that comes nearest has an end that is 1 in only 7 %
# of the samples.

couplings = dict(zip(truth.edge_names(), model.couplings, strict=True))
fig, ax = plt.subplots(figsize=(7, 3), layout="constrained")
for kind in ("found", "missed"):
    edges, colour, _ = kinds[kind]
    ax.hist([abs(couplings[e]) for e in edges], bins=20, range=(0, 6), alpha=0.7, color=colour,
            label=kind)  # fmt: skip
ax.set(xlabel="true coupling, without its sign", ylabel="edges")
ax.legend(frameon=False)
plt.show()
