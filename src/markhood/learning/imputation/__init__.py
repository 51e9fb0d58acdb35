"""Learn from data with missing values.

`learn_imputed` alternates between learning and drawing the missing values, and combines several
imputed data sets; its `completed_search` is a short form for replicates and folds.
`imputed_samples` holds one imputed data set, and removes from the evidence of an edge the
contribution of the imputed values themselves. `sampled` imputes inside the chains of `bayes`.
"""
