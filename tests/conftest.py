import pytest

from markhood.kernels.native import NativeKernels
from markhood.kernels.reference import ReferenceKernels

NATIVE = [NativeKernels(name) for name in NativeKernels.available()]
BACKENDS = [ReferenceKernels(), *NATIVE]


@pytest.fixture(params=BACKENDS, ids=lambda backend: backend.name)
def kernels(request):
    return request.param


@pytest.fixture(params=NATIVE, ids=lambda backend: backend.name)
def native_kernels(request):
    return request.param
