"""Screening on an NVIDIA GPU; all other kernels run on the CPU.

`backend` is the class of kernels, and `device` runs tiles on the GPU. `programs` compiles the `.cu`
files (`counting.cu` explains their structure). `on_card` and `memory` manage the data on the GPU,
and `lanes` the streams. `bounds` and `levels` compute the inputs of the kernels' tests in NumPy, so
that they can be tested without a GPU.
"""
