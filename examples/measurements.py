"""
Measurements: iris
==================

Length and width of the sepals and petals of 150 flowers of three species (shipped with scikit-learn). Measurements are
cut into bins, which are ordered levels. The species is a category.
"""

# %%
# From the file to the graph
# --------------------------
# Equal-frequency bins contain about the same number of flowers. Equal values are always in one bin.

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

import markhood

flowers = load_iris(as_frame=True).frame
flowers.columns = ["sepal length", "sepal width", "petal length", "petal width", "species"]
flowers["species"] = flowers["species"].map(dict(enumerate(load_iris().target_names)))
path = Path(tempfile.mkdtemp(), "iris.csv")
flowers.to_csv(path, index=False)

graph = markhood.learn(path, bins=4)
for name, levels in zip(graph.nodes, graph.variables.levels, strict=True):
    print(f"{name:14s} {', '.join(levels)}")

# %%
# On the command line: ``markhood learn iris.csv --bins 4 --report iris.html``.
#
# The figure
# ----------
# Two measurements have one signed coupling. An edge to the species, which is unordered, has a table. The table is infinite if
# some bin contains no flower of a species.

for k in graph.strongest(graph.n_edges):
    print(graph.edge_names()[k], f"{graph.coupling[k]:+.2f}", f"evidence {graph.evidence[k]:.1f}")
fig, ax = plt.subplots(figsize=(7, 5), layout="constrained")
markhood.plot.network(graph, ax=ax)
ax.set_title("Measurements of flowers, in bins, and their species")
plt.show()

# %%
# Without the species, the associations that it explains appear as edges between measurements. The file is sorted by species,
# so a warning would report that neighbouring rows are similar.

markhood.filter_findings(ignore=["dependent-rows"])
lengths = markhood.learn(path, bins=4, exclude="species")
for k in lengths.strongest(lengths.n_edges):
    print(lengths.edge_names()[k], f"{lengths.coupling[k]:+.2f}")

# %%
# The two strongest edges do not depend on the number of bins.

for bins in (3, 4, 5, 6):
    found = markhood.learn(path, bins=bins, exclude="species")
    print(bins, sorted(found.edge_names()))
