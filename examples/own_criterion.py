"""
Your own criterion
==================

Any object with a method ``score(table) -> float`` can score a Markov blanket. This example uses Akaike's information
criterion (AIC): the log-likelihood minus the number of parameters.
"""

# %%
# The class
# ---------
# ``table.counts[c]`` contains the number of samples with 0 and with 1 in configuration c of the
# blanket. To keep the example short, every configuration has its own probability, so a blanket of
# m variables has up to 2 to the power m parameters, instead of the m + 1 of a regression.

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import xlogy

import markhood
from markhood import evaluate, simulate


class Akaike:
    """Log-likelihood of a table minus its number of parameters."""

    def score(self, table):
        """Score the blanket with this table; higher is better."""
        totals = table.counts.sum(axis=1, keepdims=True)
        return xlogy(table.counts, table.counts / totals).sum() - len(table.counts)


# %%
# Compare criteria
# ----------------

model = simulate.ising(simulate.hub(24), seed=1)
data = model.sample(1000, seed=2)
rows = evaluate.comparison_table(
    model.graph,
    {
        "BIC_gamma": markhood.learn(data),
        "MPL": markhood.learn(data, criterion="mpl"),
        "Akaike": markhood.learn(data, criterion=Akaike()),
    },
)
names = [row["method"] for row in rows]
false, missed = ([row[f"false_{kind}"] for row in rows] for kind in ("positives", "negatives"))

fig, ax = plt.subplots(figsize=(5, 3), layout="constrained")
ax.barh(names, missed, color="#999999", label="missed edges")
ax.barh(names, false, left=missed, color="#D55E00", label="false edges")
ax.set(xlabel=f"edges ({model.graph.n_edges} are true)", title="Wrong edges by criterion")
ax.legend(frameon=False)
plt.show()

# %%
# AIC is designed for prediction, and adds more false edges. The screen always uses BIC_gamma.
#
# The table that a criterion receives
# -----------------------------------

from markhood.scores.criterion import blanket_table

table = blanket_table(markhood.encode(data), target=0, blanket=[1, 2])
print(np.column_stack((table.configurations, table.counts)))
print(
    table.n_samples, "samples,", table.n_variables, "variables,", table.n_blanket, "in the blanket"
)
