"""Run tiles of work on threads or clusters.

`runner` cuts work into tiles, passes them to an executor and returns results in tile order.
The `executors` are local threads or the workers of a `cluster` (`dask`, `ray`). A `checkpoint`
keeps finished tiles in a folder. This package does not depend on what a tile computes.
"""
