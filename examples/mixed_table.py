"""
A mixed table: ages, categories, yes and no
===========================================

6366 married women answered a magazine in 1974 (``fair``, shipped with statsmodels): how happy the marriage is from 1 to
5, how religious they are from 1 to 4, their age, years of marriage, children and schooling, the occupations of both, and
whether there has been an affair.
"""

# %%
# From the file to the graph
# --------------------------
# Occupations are written in words, and words are categories. All other columns are numbers, and so ordered, but for
# the last, which has two values.

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
# On the command line that is ``markhood learn marriages.csv --report marriages.html``.
#
# Which edges have a sign
# -----------------------
# Steps and yes/no answers have one number. An edge of a scale with an occupation has five, one a category but the first;
# one of two occupations has 25. What stands in the table is then the size.

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
# Affairs are the rarer the happier and the more religious somebody is, and the more frequent the longer she is married;
# of two who are married as long, the older has fewer. Children go with the years, and have no edge to affairs.
#
# The work of both
# ----------------
# A table says which pairs of levels are more frequent (blue) or less (red) than the rest of the graph tells.

k = graph.edge_names().index(("work", "his work"))
levels = [graph.variables.levels[graph.nodes.index(name)] for name in ("work", "his work")]
fig, ax = plt.subplots(figsize=(6, 5), layout="constrained")
ax.imshow(tables[k], cmap="RdBu", vmin=-2, vmax=2)
ax.set_yticks(range(len(levels[0])), levels[0])
ax.set_xticks(range(len(levels[1])), levels[1], rotation=45, ha="right")
ax.set(ylabel="her work", xlabel="his work", title="Coupling of her work and his")
plt.show()
