"""
A mixed table: ages, categories, yes and no
===========================================

In 1974, 6366 married women answered the questions of a magazine (``fair``, shipped with statsmodels): happiness of the marriage
from 1 to 5, religiousness from 1 to 4, age, years of marriage, children, schooling, the occupations of both spouses, and
whether there has been an affair.
"""

# %%
# From the file to the graph
# --------------------------
# Occupations are text, which is treated as unordered categories. The other columns are numbers, which are ordered, and the last one
# is binary.

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import statsmodels.api as sm

import markhood

WORK = {1: "student", 2: "worker", 3: "clerk", 4: "skilled", 5: "manager", 6: "professional"}
data = sm.datasets.fair.load_pandas().data
data.columns = ["happy", "age", "years", "children", "religious", "school", "work", "his work", "affair"]  # fmt: skip
for column in ("work", "his work"):
    data[column] = data[column].map(WORK)
data["affair"] = data["affair"].gt(0).map({False: "no", True: "yes"})
path = Path(tempfile.mkdtemp(), "marriages.csv")
data.to_csv(path, index=False)

graph = markhood.learn(path)
print(dict(zip(graph.nodes, graph.variables.kinds, strict=True)))

# %%
# On the command line: ``markhood learn marriages.csv --report marriages.html``.
#
# Signed couplings and coupling tables
# ------------------------------------
# An edge between ordered or binary variables has one signed coupling. An edge between an ordered variable and an occupation has five
# parameters, and an edge between two occupations has 25. Their couplings are tables.

tables = graph.coupling_tables
for k in graph.strongest(graph.n_edges):
    a, b = graph.edge_names()[k]
    what = f"{graph.coupling[k]:+.2f}" if tables[k] is None else f"table of {tables[k].shape}"
    print(f"{a:10s} {b:10s} evidence {graph.evidence[k]:7.1f}  {what}")

# %%
# The figure
# ----------

fig, ax = plt.subplots(figsize=(8, 6), layout="constrained")
markhood.plot.network(graph, ax=ax)
ax.set_title("Scales, categories and yes/no in one graph")
plt.show()

# %%
# Given all other variables, affairs are less frequent in happier marriages and among more religious and older women, and more
# frequent after more years of marriage. The number of children has no edge to affairs.
#
# Occupations of both spouses
# ---------------------------
# The table shows which pairs of levels are more frequent (blue) or less frequent (red) than the rest of the graph predicts.

k = graph.edge_names().index(("work", "his work"))
levels = [graph.variables.levels[graph.nodes.index(name)] for name in ("work", "his work")]
fig, ax = plt.subplots(figsize=(6, 5), layout="constrained")
ax.imshow(tables[k], cmap="RdBu", vmin=-2, vmax=2)
ax.set_yticks(range(len(levels[0])), levels[0])
ax.set_xticks(range(len(levels[1])), levels[1], rotation=45, ha="right")
ax.set(ylabel="her work", xlabel="his work", title="Coupling of her work and his")
plt.show()
