"""
Plots of a graph
================

`markhood.plot` draws with matplotlib. The line width is the size of a coupling, and the colour its
sign: blue is positive, dashed orange is negative.
"""

# %%
# A network
# ---------
# The hub network of the paper with 64 variables, whose graph is known.

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
# Learned against true
# --------------------

fig, ax = plt.subplots(figsize=(8, 7), layout="constrained")
markhood.plot.comparison(truth, graph, ax=ax)
ax.set_title("Learned edges against true ones")
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
# A common layout shows the differences.

half = markhood.learn(samples[:400])
layout = markhood.plot.shared_layout(graph, half)
fig, (left, right) = plt.subplots(1, 2, figsize=(10, 5), layout="constrained")
markhood.plot.network(graph, ax=left, layout=layout, labels=False)
markhood.plot.network(half, ax=right, layout=layout, labels=False)
left.set_title("4000 samples")
right.set_title("400 samples")
plt.show()
