"""Assert messages by their code and place; `tests/test_wording.py` is the one file that tests sentences."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from markhood.errors import ConvergenceWarning, DataWarning, InputError


@contextmanager
def refuses(code: str, where: str | None = None) -> Iterator[None]:
    """Expect an `InputError` with this code, and this place where one is given."""
    with pytest.raises(InputError) as caught:
        yield
    error = caught.value
    assert error.code == code, f"[{error.code}] {error}"
    assert where is None or error.where == where, f"{error.where!r}: {error}"


@contextmanager
def warns(*codes: str, where: str | None = None) -> Iterator[None]:
    """Expect warnings with exactly these codes, in this order, the first with this place where one is given."""
    with pytest.warns((DataWarning, ConvergenceWarning)) as caught:
        yield
    found = [one.message for one in caught]
    assert [one.code for one in found] == list(codes), [str(one) for one in found]
    assert where is None or found[0].where == where, found[0].where
