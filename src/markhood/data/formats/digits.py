"""The data set of the demo: scikit-learn's handwritten digits, black and white.

1797 pictures of 8 x 8 pixels; a pixel is on above half intensity. Neighbouring pixels depend on
each other, so the learned graph can be checked by eye. The pixels are stored in a file because
the command line does not import scikit-learn.
"""

from __future__ import annotations

from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from markhood.data.coding.encode import encode
from markhood.data.samples import Samples

SIDE = 8
PIXEL_NAMES = tuple(f"r{k // SIDE}c{k % SIDE}" for k in range(SIDE * SIDE))


def digits() -> Samples:
    """Return the digits' pixels, named by row and column: r0c0, r0c1, ... r7c7.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")  # some pixels at the border are never on
    ...     digits().n_samples
    1797
    """
    return encode(digit_pixels(), names=PIXEL_NAMES)


def digit_pixels() -> NDArray[np.uint8]:
    """Return the pixels, one row per picture: 1 where a pixel is on."""
    with (files("markhood.data.formats") / "digits.npz").open("rb") as file:
        pixels: NDArray[np.uint8] = np.load(file)["data"]
    return pixels
