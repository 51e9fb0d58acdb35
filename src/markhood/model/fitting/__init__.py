"""Fields and couplings from data: what a graph's model is fitted by.

Open `fit`. `layout` says where each number is in one vector, `tables` counts what a regression needs to
know of the samples, `pseudo_likelihood` has value, gradient and Hessian of the joint pseudo-likelihood (and of
the regressions apart), which `kernels/reference/newton.py` maximises with the `equations` of a step, `exact` those of the
likelihood itself, and `sandwich` says how uncertain the answer is.
"""
