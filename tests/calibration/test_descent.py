import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from rulekit.calibration.maps.descent import minimiser


def valley(x):
    """Rosenbrock's, which takes more than one step."""
    a, b = x
    gradient = np.array([-2 * (1 - a) - 400 * a * (b - a * a), 200 * (b - a * a)])
    return (1 - a) ** 2 + 100 * (b - a * a) ** 2, gradient


def test_finds_the_minimum():
    np.testing.assert_allclose(minimiser(valley, np.zeros(2), method="L-BFGS-B"), [1, 1], rtol=1e-3)


def test_a_search_that_does_not_converge_warns():
    with pytest.warns(ConvergenceWarning, match="did not converge within 1 iterations. Increase its l2"):
        minimiser(valley, np.zeros(2), method="L-BFGS-B", options={"maxiter": 1})
