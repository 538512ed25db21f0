"""The minimum of a convex loss."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from rulekit.core.arrays import FloatArray
from rulekit.core.messages import warn_caller

#: scipy's code for a search that reached its maximum number of iterations. One that ends because floating point allows
#: no further step has another code, and has converged.
USED_UP = 1


def minimiser(loss: Callable[[FloatArray], tuple[float, FloatArray]], start: FloatArray, **how: Any) -> FloatArray:
    """Where a smooth convex loss is smallest, of shape (n_parameters,).

    Parameters
    ----------
    loss : callable
        Returns the loss and its gradient, of shape (n_parameters,).
    start : ndarray of shape (n_parameters,)
    **how
        Further arguments of `scipy.optimize.minimize`.
    """
    found = minimize(loss, start, jac=True, **how)
    if found.status == USED_UP:
        warn_caller(
            f"The calibration map did not converge within {found.nit} iterations. Increase its l2.",
            ConvergenceWarning,
        )
    return np.asarray(found.x, dtype=np.float64)
