"""The scikit-learn door: estimators around methods.

`structure` has what all share: parameters are the options of a request, `fit` makes one and keeps what
it learned. Every other file names the options of a method once more, for scikit-learn. scikit-learn
is imported in this room only.
"""
