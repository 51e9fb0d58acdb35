"""
Scales: answers from 1 to 7
===========================

Before the American election of 1996, 944 people placed themselves, Clinton and Dole on scales of
seven points from left to right (``anes96``, shipped with statsmodels). Numbers are treated as
ordered, so an edge between two scales is one signed number.
"""

# %%
# From the file to the graph
# --------------------------
# Age and the size of the town have many values and are cut into bins.

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import statsmodels.api as sm

import markhood

answers = sm.datasets.anes96.load_pandas().data.drop(columns="logpopul").astype(int)
answers.columns = ["town", "TV news", "self", "Clinton", "Dole", "party", "age", "education", "income", "vote"]  # fmt: skip
path = Path(tempfile.mkdtemp(), "answers.csv")
answers.to_csv(path, index=False)

graph = markhood.learn(path, bins={"age": 5, "town": 4})
for sentence in graph.provenance["data"]["understood"]["choices"]:
    print(sentence)

# %%
# On the command line: ``markhood learn answers.csv --bins age=5,town=4 --report answers.html``.
#
# A coupling is the change in the log odds of a step up in one variable for each step up in the
# other, with all other variables fixed. Multiplied by the standard deviations of both variables it
# is comparable between edges; this is the column ``standardized``.

for k in graph.strongest(graph.n_edges):
    a, b = graph.edge_names()[k]
    size = graph.annotations["standardized"][k]
    print(f"{a:10s} {b:10s} coupling {graph.coupling[k]:+.2f}  standardised {size:+.2f}")

# %%
# The figure
# ----------
# Blue edges are positive, orange ones negative. People who place Clinton farther to the left (1)
# vote for Dole (1), and place Dole farther to the right.

fig, ax = plt.subplots(figsize=(8, 6), layout="constrained")
markhood.plot.network(graph, ax=ax)
ax.set_title("A survey of 1996 with ordered scales")
plt.show()

# %%
# As categories
# -------------
# Without the order, an edge between two of these scales has 36 parameters instead of one, and only
# the strongest edges are worth this penalty.

as_categories = markhood.learn(path, bins={"age": 5, "town": 4}, kinds="nominal")
print(f"{graph.n_edges} edges with ordered levels, {as_categories.n_edges} with nominal levels:")
print(as_categories.edge_names())

# %%
# Rare answers can be merged; ordered levels are merged with a neighbouring level.

merged = markhood.encode(
    answers, bins={"age": 5, "town": 4}, table=markhood.TableFormat(merge_rare=60)
)
for name, levels in zip(merged.names, merged.levels, strict=True):
    if any(isinstance(level, str) and not level.startswith("[") for level in levels):
        print(name, levels)
print(markhood.learn(merged).n_edges, "edges")
