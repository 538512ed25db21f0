"""Numbers as people read them."""

import math

import numpy as np


def readable(value: float) -> str:
    """At least three decimals or four significant digits, without trailing zeros.

    Examples
    --------
    >>> readable(16.5), readable(0.000123456), readable(8.12512)
    ('16.5', '0.0001235', '8.125')
    """
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    magnitude = math.floor(math.log10(abs(value)))
    if magnitude < -6 or magnitude > 14:
        return f"{value:.4g}"
    return np.format_float_positional(value, precision=max(3, 3 - magnitude), trim="-")
