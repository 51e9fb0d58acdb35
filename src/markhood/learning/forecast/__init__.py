"""Forecasts of time and memory, made before a run in a second or two.

`forecast` combines the phases; `climb`, `chains` and `couplings` each time a small sample of one of them.
"""
