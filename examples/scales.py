"""
Scales: answers from 1 to 7
===========================

Where do you stand between left and right, where does Clinton, where does Dole? 944 people answered on scales of seven
points before the American election of 1996 (``anes96``, shipped with statsmodels). Numbers are taken as steps, so an
edge of two scales is one number with a sign.
"""

# %%
# From the file to the graph
# --------------------------
# Age and the size of the town have many values: these are cut into bins. The rest is left as it is.

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
for finding in graph.provenance["data"]["understood"]["findings"]:
    print(finding["text"])

# %%
# On the command line that is ``markhood learn answers.csv --bins age=5,town=4 --report answers.html``.
#
# A coupling is what a step up of one end adds to the log odds of a step up of the other, all else being equal. Times the
# standard deviations of both ends it can be compared with others; that is the column ``standardized``.

for k in graph.strongest(graph.n_edges):
    a, b = graph.edge_names()[k]
    size = graph.annotations["standardized"][k]
    print(f"{a:10s} {b:10s} coupling {graph.coupling[k]:+.2f}  standardised {size:+.2f}")

# %%
# The figure
# ----------
# Blue edges raise each other, orange ones lower. Who places Clinton farther to the left (1) votes for Dole (1), and places
# Dole farther to the right.

fig, ax = plt.subplots(figsize=(8, 6), layout="constrained")
markhood.plot.network(graph, ax=ax)
ax.set_title("A survey of 1996, its scales as steps")
plt.show()

# %%
# As categories
# -------------
# Without the order an edge of two of these scales costs 36 parameters instead of one, and only the strongest pay for themselves.

as_categories = markhood.learn(path, bins={"age": 5, "town": 4}, kinds="nominal")
print(f"{graph.n_edges} edges of steps, {as_categories.n_edges} of categories:")
print(as_categories.edge_names())

# %%
# Rare answers can be merged: with their neighbours where they are steps.

merged = markhood.encode(
    answers, bins={"age": 5, "town": 4}, table=markhood.TableFormat(merge_rare=60)
)
for name, levels in zip(merged.names, merged.levels, strict=True):
    if any(isinstance(level, str) and not level.startswith("[") for level in levels):
        print(name, levels)
print(markhood.learn(merged).n_edges, "edges")
