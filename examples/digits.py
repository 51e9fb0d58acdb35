"""
Pixels of handwritten digits
============================

Which pixels depend on each other directly? The data are scikit-learn's digits: 1797 pictures of
8 x 8 pixels. A pixel counts as on above half intensity. markhood is not told where the pixels
are; that neighbours in the picture come out as neighbours in the graph is what it learned.
"""

# %%
# Learn
# -----
# Seventeen intensities are more levels than the question needs, so they are cut at half. Some border
# pixels are never on: they stay in the graph, alone, and a warning names them. Here we know, and
# silence it.

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import markhood

pictures = load_digits().data > 8
with warnings.catch_warnings():
    warnings.simplefilter("ignore", markhood.DataWarning)
    graph = markhood.learn(pictures)
graph

# %%
# Draw
# ----
# Each node stands where its pixel is, and is the larger the more often the pixel is on. Blue edges attract
# (both on, or both off), dashed orange ones repel; an edge that would run through another pixel is an arc.

SIDE = 8
fig, ax = plt.subplots(figsize=(6, 6.5), layout="constrained")
sizes = 4 + 10 * pictures.mean(axis=0)
markhood.plot.network(graph, ax, layout="grid", sizes=sizes, labels=False)
ax.set_title(f"{graph.n_edges} edges among 64 pixels")
plt.show()

# %%
# How far apart are the ends of an edge?
# --------------------------------------
# In steps of a king on a chess board. The chance of a random pair is there for comparison.

row, column = graph.edges // SIDE, graph.edges % SIDE
apart = np.maximum(abs(row[:, 0] - row[:, 1]), abs(column[:, 0] - column[:, 1]))
i, j = np.triu_indices(graph.n_nodes, 1)
all_apart = np.maximum(abs(i // SIDE - j // SIDE), abs(i % SIDE - j % SIDE))
for steps in range(1, SIDE):
    found, pairs = (apart == steps).sum(), (all_apart == steps).sum()
    print(f"{steps} steps: {found:3d} of {pairs:3d} pairs are edges ({found / pairs:.0%})")
