import pytest

from markhood.kernels.native import NativeKernels
from markhood.kernels.reference.backend import ReferenceKernels

NATIVE = [NativeKernels(name) for name in NativeKernels.available()]


@pytest.fixture(params=NATIVE, ids=lambda kernels: kernels.instruction_set)
def native(request):
    return request.param


@pytest.fixture
def reference():
    return ReferenceKernels()
