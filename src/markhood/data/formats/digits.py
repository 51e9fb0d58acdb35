"""The built-in data set: the handwritten digits of scikit-learn in black and white.

1797 images of 8 x 8 pixels; a pixel is on above half intensity. Neighbouring pixels depend on each
other, so that it is easy to see whether a learned graph makes sense. The data are included as a
file, because the command line does not import scikit-learn.
"""

from __future__ import annotations

from importlib.resources import files

import numpy as np

from markhood.data.coding.encode import encode
from markhood.data.samples import Samples

SIDE = 8


def digits() -> Samples:
    """Return the pixels of the digits, named by row and column: r0c0, r0c1, ... r7c7.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")  # some pixels at the border are never on
    ...     digits().n_samples
    1797
    """
    with (files("markhood.data.formats") / "digits.npz").open("rb") as file:
        pixels = np.load(file)["data"]
    return encode(pixels, names=[f"r{k // SIDE}c{k % SIDE}" for k in range(SIDE * SIDE)])
