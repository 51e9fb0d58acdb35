import os
import signal

import pytest
from hypothesis import settings

from markhood.errors import filter_findings
from markhood.kernels.native import NativeKernels
from markhood.kernels.reference.backend import ReferenceKernels

# New examples are looked for at every run of a developer; a check of a change must not depend on luck.
# No test asserts a time, so no example has a deadline.
settings.register_profile("developer", deadline=None)
settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("fuzz", max_examples=2000, deadline=None)  # see `make fuzz`
settings.load_profile("ci" if os.environ.get("CI") else "developer")

NATIVE = [NativeKernels(name) for name in NativeKernels.available()]
BACKENDS = [ReferenceKernels(), *NATIVE]


@pytest.fixture(autouse=True)
def common_causes():
    """Ignore that simulated tables have common causes; `test_factors.py` is about that."""
    with filter_findings(ignore=["hidden-factors"]):
        yield


@pytest.fixture(params=BACKENDS, ids=lambda backend: backend.name)
def kernels(request):
    return request.param


@pytest.fixture(params=NATIVE, ids=lambda backend: backend.name)
def native_kernels(request):
    return request.param


@pytest.fixture(scope="session")
def all_kernels():
    """All backends at once, where one expectation serves them all."""
    return BACKENDS


@pytest.fixture(scope="session", autouse=True)
def listening():
    """Listen to SIGINT, which a shell lets the processes in its background ignore."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def ctrl_c():
    """Send SIGINT to this process."""
    return lambda: os.kill(os.getpid(), signal.SIGINT)
