"""
Pixels of handwritten digits
============================

Which pixels depend on each other directly? The data are the digits of scikit-learn: 1797 pictures of
8 x 8 pixels. A pixel is on above half intensity. markhood does not use the positions of the pixels,
but in the learned graph neighbouring pixels are joined far more often than distant ones.
"""

# %%
# Learn
# -----
# The 17 intensities are cut at half. Some border pixels are never on: they are isolated nodes of the
# graph, and a warning names them. This example silences the warning.

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
# Each node is drawn at the position of its pixel. Its size is the proportion of pictures in which the pixel is on. Blue
# edges are positive (both on, or both off), dashed orange edges negative. An edge that would cross another pixel is an arc.

SIDE = 8
fig, ax = plt.subplots(figsize=(6, 6.5), layout="constrained")
sizes = 4 + 10 * pictures.mean(axis=0)
markhood.plot.network(graph, ax, layout="grid", sizes=sizes, labels=False)
ax.set_title(f"{graph.n_edges} edges among 64 pixels")
plt.show()

# %%
# Distance between the ends of an edge
# ------------------------------------
# Measured as the larger of the differences of rows and columns.

row, column = graph.edges // SIDE, graph.edges % SIDE
apart = np.maximum(abs(row[:, 0] - row[:, 1]), abs(column[:, 0] - column[:, 1]))
i, j = np.triu_indices(graph.n_nodes, 1)
all_apart = np.maximum(abs(i // SIDE - j // SIDE), abs(i % SIDE - j % SIDE))
for steps in range(1, SIDE):
    found, pairs = (apart == steps).sum(), (all_apart == steps).sum()
    print(f"{steps} steps: {found:3d} of {pairs:3d} pairs are edges ({found / pairs:.0%})")
