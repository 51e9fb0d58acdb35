"""
A survey: the American election of 1996
=======================================

Answers of 944 people, shipped with statsmodels (``anes96``: National Election Study 1996). The vote for Clinton
or Dole has two levels, party and opinions have seven, age and income have many.
"""

# %%
# Merge levels
# ------------
# With 944 samples, an edge between two unordered variables with seven levels has 36 parameters and must increase the
# log-likelihood by more than 123. With three levels each it has 4 parameters and must increase it by 14. This example therefore merges
# neighbouring answers to three levels. (On the scale from left to right, 4 is the middle.)

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import statsmodels.api as sm

import markhood

answers = sm.datasets.anes96.load_pandas().data
SIDES = ["left", "middle", "right"]
THIRDS = ["low", "middle", "high"]
data = pd.DataFrame(
    {
        "vote": answers["vote"].map({0: "Clinton", 1: "Dole"}),
        "party": pd.cut(
            answers["PID"], [-1, 1, 4, 6], labels=["Democrat", "neither", "Republican"]
        ),
        "self": pd.cut(answers["selfLR"], [0, 3, 4, 7], labels=SIDES),
        "Clinton": pd.cut(answers["ClinLR"], [0, 3, 4, 7], labels=SIDES),
        "Dole": pd.cut(answers["DoleLR"], [0, 3, 4, 7], labels=SIDES),
        "TV news": pd.cut(answers["TVnews"], [-1, 0, 6, 7], labels=["never", "some days", "daily"]),
        "education": pd.cut(answers["educ"], [0, 3, 4, 7], labels=["school", "college", "degree"]),
        "age": pd.qcut(answers["age"], 3, labels=THIRDS),
        "income": pd.qcut(answers["income"], 3, labels=THIRDS),
        "town": pd.qcut(answers["popul"], 3, labels=THIRDS),
    }
)

# %%
# Learn
# -----
# The classes that pandas creates are ordered. ``kinds="nominal"`` treats them as unordered: the coupling of an edge is a table, and
# ``graph.coupling`` is its Frobenius norm.

graph = markhood.learn(data, kinds="nominal")
for k in graph.strongest(graph.n_edges):
    a, b = graph.edge_names()[k]
    print(f"{a:10s} {b:10s} coupling {graph.coupling[k]:.2f}  evidence {graph.evidence[k]:.1f}")

# %%

fig, ax = plt.subplots(figsize=(8, 6), layout="constrained")
markhood.plot.network(graph, ax=ax)
ax.set_title("Network of a survey of 1996")
plt.show()

# %%
# The vote has edges to the party, to the rating of oneself and to the rating of Clinton. Income, education and age have no edge to the
# vote: given the other variables, these 944 samples show no further association.
#
# Coupling tables
# ---------------
# Blue pairs of answers occur together more often than the rest of the graph predicts, red pairs less often. Opinion and education are
# not monotonically related: people with little schooling rate themselves in the middle, people with a degree on the
# left. A single coupling could not show this.

levels = dict(zip(data, markhood.encode(data).levels, strict=True))
fig, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
for ax, edge in zip(axes, [("vote", "party"), ("self", "education")], strict=True):
    names = graph.edge_names()
    k = names.index(edge) if edge in names else names.index(edge[::-1])
    (a, b), table = names[k], graph.coupling_tables[k]
    ax.imshow(table, cmap="RdBu", vmin=-2, vmax=2)
    for (i, j), entry in np.ndenumerate(table):
        ax.text(j, i, f"{entry:+.2f}", ha="center", va="center")
    ax.set_xticks(range(table.shape[1]), levels[b])
    ax.set_yticks(range(table.shape[0]), levels[a])
    ax.set(xlabel=b, ylabel=a, title=f"Coupling of {a} and {b}")
plt.show()
