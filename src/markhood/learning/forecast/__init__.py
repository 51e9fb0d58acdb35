"""Forecasts of time and memory, made before a run in at most two seconds of processor time.

`forecast` combines the phases; `climb`, `chains` and `couplings` each time a small sample of one of
them, and `budget` limits how long that takes.
"""
