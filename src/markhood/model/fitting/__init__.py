"""Estimation of fields and couplings from data.

`fit` has `fit_model`. `layout` maps parameters to positions in one vector, `contingency` counts the
configurations of the regressions, `pseudo_likelihood` has value and gradient of the joint
pseudo-likelihood and of separate regressions, the Hessian, and the linear solver with which
`kernels/reference/newton.py` maximises them. `exact` has the exact likelihood, and `sandwich` the
standard errors from score residuals.
"""
