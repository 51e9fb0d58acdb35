"""What markhood says when it is given something that it cannot use.

Every message is one sentence: what is wrong, where, and what to do about it. The command line
prints it and leaves with exit code 2; in Python it is a `ValueError`.
"""

from __future__ import annotations


class InputError(ValueError):
    """Input that cannot be used; the message says what to do about it."""


class DataWarning(UserWarning):
    """Data that can be used, but probably not as the user meant it."""
