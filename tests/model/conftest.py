import pytest

from markhood.model.gibbs_kernels import NativeKernels, ReferenceKernels

NATIVE = [NativeKernels(name) for name in ("scalar", "avx2", "avx512")]


@pytest.fixture(params=NATIVE, ids=lambda kernels: kernels.instruction_set)
def native(request):
    return request.param


@pytest.fixture
def reference():
    return ReferenceKernels()
