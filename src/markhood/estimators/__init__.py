"""scikit-learn estimators around the methods.

`structure` has what all share: parameters are the options of a request, `fit` makes one and keeps what
it learned. `methods` has one class for each method, `blanket_selector` selects features. scikit-learn
is imported in this package only.
"""
