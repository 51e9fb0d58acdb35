"""Tiles of work, and what runs them.

`runner` cuts work into tiles, hands them to an executor and gives results in their order: threads
here (`local`), or processes of a `cluster` (`dask`, `ray`); a `checkpoint` keeps finished tiles in a
folder. What a tile means is nobody's business here.
"""
