"""The screen on an NVIDIA GPU; everything else stays on the processor.

`backend` is the class of kernels, `device` the card and what a tile does on it. `ways` has the
programs, whose source is the `.cu` files (`counting.cu` says how they go together), `on_card` and
`memory` what of the data is there, `lanes` the streams. `bounds` and `levels` are the numbers that
the kernels test with, in NumPy, so that they are tested without a card.
"""
