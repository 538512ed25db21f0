"""Which of several compromises are worth considering."""

import numpy as np

from rulekit.core.arrays import BoolArray, FloatArray


def pareto_front(costs: FloatArray) -> BoolArray:
    """Whether no other point is at least as good in everything and better in something.

    Parameters
    ----------
    costs : ndarray of shape (n_points, n_costs)
        Lower is better.

    Returns
    -------
    is_on_front : ndarray of shape (n_points,)

    Examples
    --------
    >>> import numpy as np
    >>> pareto_front(np.array([[1, 3], [2, 2], [3, 3]])).tolist()
    [True, True, False]
    """
    is_as_good = (costs[:, None] <= costs[None]).all(axis=2)
    is_better = (costs[:, None] < costs[None]).any(axis=2)
    return np.logical_not((is_as_good & is_better).any(axis=0))
