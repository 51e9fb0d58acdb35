"""Learning where values are missing.

`learn_imputed` alternates between learning and drawing the missing values, and combines several completed
data sets; its `completed_search` is a short form for replicates and folds. `completed` holds one completed
data set, `sampled` does the same inside the chains of `bayes`, and `observed` removes from the evidence of an
edge what the imputed values themselves contribute.
"""
