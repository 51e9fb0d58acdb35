"""
Scales: answers from 1 to 7
===========================

Before the American election of 1996, 944 people rated themselves, Clinton and Dole on scales of seven points from left to right
(``anes96``, shipped with statsmodels). Numbers are treated as ordered levels, so an edge between two scales has one signed
coupling.
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
# With all other variables fixed, each step up in one variable multiplies the odds of a step up in the other by exp(coupling). The
# column ``standardized`` contains the coupling times the standard deviations of both variables, which can be compared between edges.

for k in graph.strongest(graph.n_edges):
    a, b = graph.edge_names()[k]
    size = graph.annotations["standardized"][k]
    print(f"{a:10s} {b:10s} coupling {graph.coupling[k]:+.2f}  standardised {size:+.2f}")

# %%
# The figure
# ----------
# Blue edges are positive, orange edges negative. People who rate Clinton as more left (1) tend to vote for Dole (1), and rate
# Dole as more right.

fig, ax = plt.subplots(figsize=(8, 6), layout="constrained")
markhood.plot.network(graph, ax=ax)
ax.set_title("A survey of 1996, with ordered levels")
plt.show()

# %%
# Unordered levels
# ----------------
# Without the order, an edge between two of these scales has 36 parameters instead of one, and only the strongest edges remain.

as_categories = markhood.learn(path, bins={"age": 5, "town": 4}, kinds="nominal")
print(f"{graph.n_edges} edges with ordered levels, {as_categories.n_edges} with unordered levels:")
print(as_categories.edge_names())

# %%
# Rare levels can be merged with a neighbouring level.

merged = markhood.encode(
    answers, bins={"age": 5, "town": 4}, table=markhood.TableFormat(merge_rare=60)
)
for name, levels in zip(merged.names, merged.levels, strict=True):
    if any(isinstance(level, str) and not level.startswith("[") for level in levels):
        print(name, levels)
print(markhood.learn(merged).n_edges, "edges")
