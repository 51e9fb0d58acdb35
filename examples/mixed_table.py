"""
A mixed table: ages, categories, yes and no
===========================================

In 1974, 6366 married women answered a magazine (``fair``, shipped with statsmodels): how happy the
marriage is from 1 to 5, how religious they are from 1 to 4, their age, years of marriage, children
and schooling, the occupations of both, and whether there has been an affair.
"""

# %%
# From the file to the graph
# --------------------------
# The occupations are text and therefore nominal. All other columns are numbers and therefore
# ordered, except for the last, which has two values.

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
# Which edges have a sign
# -----------------------
# An edge between ordered or binary variables has one number. An edge between a scale and an
# occupation has five, one for each category except the first; an edge between two occupations has
# 25. The table then shows the size.

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
# Affairs are rarer in happy marriages and among religious women, and more frequent in long
# marriages; for the same length of the marriage, older women report fewer. Children depend on the
# years of marriage, and have no edge to affairs.
#
# The work of both
# ----------------
# A table shows which pairs of levels are more frequent (blue) or less frequent (red) than the rest
# of the graph predicts.

k = graph.edge_names().index(("work", "his work"))
levels = [graph.variables.levels[graph.nodes.index(name)] for name in ("work", "his work")]
fig, ax = plt.subplots(figsize=(6, 5), layout="constrained")
ax.imshow(tables[k], cmap="RdBu", vmin=-2, vmax=2)
ax.set_yticks(range(len(levels[0])), levels[0])
ax.set_xticks(range(len(levels[1])), levels[1], rotation=45, ha="right")
ax.set(ylabel="her work", xlabel="his work", title="Coupling of her work and his")
plt.show()
