"""Small regression problems, and the data of a fit on them."""

import numpy as np
from sklearn.ensemble import RandomForestRegressor

from rulekit.regression.data import RegressionData, find_regressor_adapter


def table(seed, n_samples=60, n_features=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features)).round(1)
    y = 3 * (X[:, 0] > 0) + X[:, 1] + 0.3 * rng.normal(size=n_samples)
    return X, y


def regression_data(seed, n_samples=60, n_estimators=4, max_depth=3):
    X, y = table(seed, n_samples)
    forest = RandomForestRegressor(n_estimators, max_depth=max_depth, random_state=seed)
    return RegressionData.of(forest, find_regressor_adapter(forest), X, X, y, None)
