"""
Plots of a graph
================

`markhood.plot` draws with matplotlib. Every function takes and returns axes. The width of an edge is its strength. Blue edges are
positive, dashed orange edges negative.
"""

# %%
# A network
# ---------
# The hub network of the paper with 64 variables.

import matplotlib.pyplot as plt

import markhood

truth = markhood.simulate.hub(64)
samples = markhood.simulate.ising(truth, seed=1).sample(4000, seed=2)
graph = markhood.learn(samples)

fig, ax = plt.subplots(figsize=(8, 7), layout="constrained")
markhood.plot.network(graph, ax=ax, groups="communities")
ax.set_title("A network, coloured by community")
plt.show()

# %%
# Learned and true edges
# ----------------------

fig, ax = plt.subplots(figsize=(8, 7), layout="constrained")
markhood.plot.comparison(truth, graph, ax=ax)
ax.set_title("Learned and true edges")
plt.show()

# %%
# The adjacency matrix, ordered by community, and the degrees
# -----------------------------------------------------------

fig, (left, right) = plt.subplots(1, 2, figsize=(10, 4.5), layout="constrained")
markhood.plot.adjacency(graph, ax=left)
markhood.plot.degrees(graph, ax=right)
left.set_title("Adjacency matrix")
right.set_title("Degrees")
plt.show()

# %%
# Two networks in one layout
# --------------------------
# Both networks have the same positions, so that differences are visible.

half = markhood.learn(samples[:400])
positions = markhood.plot.shared_layout(graph, half)
fig, (left, right) = plt.subplots(1, 2, figsize=(10, 5), layout="constrained")
markhood.plot.network(graph, ax=left, layout=positions, labels=False)
markhood.plot.network(half, ax=right, layout=positions, labels=False)
left.set_title("4000 samples")
right.set_title("400 samples")
plt.show()
