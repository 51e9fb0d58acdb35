"""
A survey: the American election of 1996
=======================================

Answers of 944 people, shipped with statsmodels (``anes96``: National Election Study 1996). One column,
the vote for Clinton or Dole, has two values. The others are scales, and have to be cut in two first.
"""

# %%
# Cut the scales at their medians
# -------------------------------
# A column becomes true where the answer is above the median of all answers. That is half of the people, or
# fewer where many gave the median answer itself (the means below say how many). It throws away
# everything else: how far above, and any relation that is not monotone. An edge between two such
# columns says that being above the median in one goes with being above it in the other, given the rest.

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import statsmodels.api as sm

import markhood

answers = sm.datasets.anes96.load_pandas().data
scales = {
    "TVnews": "TV news",
    "selfLR": "self right",
    "ClinLR": "Clinton right",
    "DoleLR": "Dole right",
    "PID": "Republican",
    "age": "older",
    "educ": "educated",
    "income": "richer",
    "popul": "large town",
}
data = (answers[list(scales)] > answers[list(scales)].median()).rename(columns=scales)
data["votes Dole"] = answers["vote"] == 1
data.mean().round(2)

# %%
# Learn
# -----

graph = markhood.learn(data)
for k in graph.strongest(graph.n_edges):
    a, b = graph.edge_names()[k]
    print(f"{a:14s} {b:14s} coupling {graph.coupling[k]:+.2f}  evidence {graph.evidence[k]:.1f}")

# %%
# A coupling is a log odds ratio with everything else held fixed: +2 means that the odds of one are
# about 7 times higher where the other is true.

network = markhood.convert.to_networkx(graph)
place = nx.circular_layout(network)
fig, ax = plt.subplots(figsize=(7, 6), layout="constrained")
nx.draw_networkx(
    network,
    place,
    node_color="white",
    edgecolors="black",
    node_size=2600,
    font_size=8,
    edge_color=np.where(graph.coupling > 0, "#0072B2", "#D55E00"),
    width=np.abs(graph.coupling) * 2,
    ax=ax,
)
ax.margins(0.2)
ax.axis("off")
plt.show()

# %%
# The vote has edges to the party, to where people place themselves and to where they place the two
# candidates. Income, education and age have none to the vote: what they say about it goes through the
# others, as far as 944 people can tell.
