"""Shares of samples by which readers of sequences and variants choose positions."""

from __future__ import annotations

from typing import Any

from markhood.errors import InputError, option


def check_shares(**shares: Any) -> None:
    """Raise for an option that is no share.

    Examples
    --------
    >>> check_shares(min_minor=2)
    Traceback (most recent call last):
    markhood.errors.InputError: min_minor must be a share from 0 to 1, not 2.
    """
    for name, share in shares.items():
        if not isinstance(share, (int, float)) or not 0 <= share <= 1:
            raise InputError(f"{option(name)} must be a share from 0 to 1, not {share!r}.")
