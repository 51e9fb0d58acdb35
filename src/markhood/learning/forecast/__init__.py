"""Forecasts of time and memory, made before a run in at most two seconds of processor time.

`forecast` combines the phases; `timings` and `chains` time a small sample of each, and limit how
long that takes.
"""
