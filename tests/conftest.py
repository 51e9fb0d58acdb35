import os

import pytest
from hypothesis import settings

from markhood.kernels.native import NativeKernels
from markhood.kernels.reference import ReferenceKernels

# New examples are looked for at every run of a developer; a check of a change must not depend on luck.
settings.register_profile("ci", derandomize=True)
settings.register_profile("fuzz", max_examples=2000, deadline=None)  # see `make fuzz`
if os.environ.get("CI"):
    settings.load_profile("ci")

NATIVE = [NativeKernels(name) for name in NativeKernels.available()]
BACKENDS = [ReferenceKernels(), *NATIVE]


@pytest.fixture(params=BACKENDS, ids=lambda backend: backend.name)
def kernels(request):
    return request.param


@pytest.fixture(params=NATIVE, ids=lambda backend: backend.name)
def native_kernels(request):
    return request.param
