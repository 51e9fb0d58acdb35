"""Assert messages by code, place and facts; only `tests/test_wording.py` tests sentences.

A fact is a short fragment of the text that does not depend on its wording: a row, a count, a name.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from markhood.errors import ConvergenceWarning, DataWarning, InputError, filter_findings


@contextmanager
def refuses(
    code: str, where: str | None = None, *facts: str
) -> Iterator[pytest.ExceptionInfo[InputError]]:
    """Expect an `InputError` with this code, this place (unless None) and these facts."""
    with pytest.raises(InputError) as caught:
        yield caught
    error = caught.value
    assert error.code == code, f"[{error.code}] {error}"
    assert where is None or error.where == where, f"{error.where!r}: {error}"
    assert all(fact in str(error) for fact in facts), str(error)


@contextmanager
def warns(*codes: str, where: str | None = None, facts: tuple[str, ...] = ()) -> Iterator[None]:
    """Expect warnings with exactly these codes, the first with this place and these facts."""
    with pytest.warns((DataWarning, ConvergenceWarning)) as caught:
        yield
    found = [one.message for one in caught]
    assert [one.code for one in found] == list(codes), [str(one) for one in found]
    assert where is None or found[0].where == where, found[0].where
    assert all(fact in str(found[0]) for fact in facts), str(found[0])


@contextmanager
def ignores(*codes: str) -> Iterator[None]:
    """Silence warnings with these codes; also usable as a decorator of tests."""
    with filter_findings(ignore=codes):
        yield
