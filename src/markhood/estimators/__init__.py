"""scikit-learn estimators.

`structure` has the base class: the parameters are the options of a request, and `fit` runs the
request and stores the result. `methods` has one class per method, `blanket_selector` selects
features. scikit-learn is imported in this package only.
"""
