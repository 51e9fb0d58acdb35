"""
With scikit-learn: pipeline and cross-validation
================================================

The estimators of markhood work in pipelines and in searches over parameters.
``score`` is the mean log pseudo-likelihood of new samples: how well each variable is predicted
from its neighbours.
"""

# %%
# Binary variables from measurements
# ----------------------------------
# The breast cancer data of scikit-learn: 569 tumours, 30 measurements. ``KBinsDiscretizer`` cuts
# each measurement at its median (two bins, by quantiles), inside the pipeline, so that the cut is
# estimated from the training samples only. ``factors=0`` skips the check for hidden common causes,
# which these measurements have. The warning about near copies, such as radius and area, is ignored.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer

import markhood
from markhood import PLRHC

markhood.filter_findings(ignore=["identical-columns"])
tumours = load_breast_cancer()
halves = KBinsDiscretizer(
    n_bins=2, encode="ordinal", strategy="quantile", quantile_method="averaged_inverted_cdf"
)
pipeline = make_pipeline(halves, PLRHC(factors=0))
pipeline.fit(tumours.data)
pipeline[-1].graph_

# %%
# Search for gamma
# ----------------
# Compare the prediction of held-out tumours.

gammas = [0, 0.25, 0.5, 1, 2, 4, 8]
folds = KFold(5, shuffle=True, random_state=0)
search = GridSearchCV(pipeline, {"plrhc__gamma": gammas}, cv=folds).fit(tumours.data)
results = search.cv_results_

fig, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
ax.errorbar(
    gammas,
    results["mean_test_score"],
    results["std_test_score"] / np.sqrt(5),
    marker="o",
    capsize=3,
)
ax.set(xlabel="gamma", ylabel="log pseudo-likelihood of a tumour", title="Prediction by gamma")
plt.show()
print("best for prediction: gamma", search.best_params_["plrhc__gamma"])

# %%
# The best graph for prediction has more false edges than the best estimate of the graph, because a false edge hardly affects
# prediction.
#
# The learned graph
# -----------------

graph = search.best_estimator_[-1].graph_
names = tumours.feature_names
for k in graph.strongest(8):
    i, j = graph.edges[k]
    print(f"{names[i]:24s} {names[j]:24s} {graph.coupling[k]:+.1f}")
