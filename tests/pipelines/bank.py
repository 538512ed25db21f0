"""A small table as people have them, and a pipeline as people write it."""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, StandardScaler

JOBS = ["Clerk", "Manager", "Sales", "Tech support"]


def table(n_samples: int = 300, seed: int = 0) -> tuple[pd.DataFrame, Any]:
    """Customers, and whether they accept an offer."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n_samples),
            "balance": rng.lognormal(7, 1, n_samples).round(2),
            "job": rng.choice(JOBS, n_samples).astype(object),
            "member": rng.random(n_samples) < 0.3,
            "calls": rng.integers(0, 4, n_samples).astype(float),
        }
    )
    X.loc[rng.random(n_samples) < 0.15, "balance"] = np.nan
    X.loc[rng.random(n_samples) < 0.1, "job"] = np.nan
    accepts = X["job"].isin(["Sales", "Tech support"]) & (X["age"] > 40) | (X["balance"] > 2500)
    return X, np.where(accepts ^ (rng.random(n_samples) < 0.05), "yes", "no")


def preprocessing() -> Any:
    """Imputation, one-hot encoding, scaling and bins."""
    strings = make_pipeline(
        SimpleImputer(strategy="constant", fill_value="unknown"), OneHotEncoder(handle_unknown="ignore")
    )
    numbers = make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler())
    bins = KBinsDiscretizer(3, encode="onehot-dense", strategy="uniform")
    return make_column_transformer(
        (strings, make_column_selector(dtype_include=[object, "str"])),
        (numbers, ["age", "balance"]),
        (bins, ["calls"]),
        remainder="passthrough",
    )


def forest(**options: Any) -> RandomForestClassifier:
    """A small random forest."""
    return RandomForestClassifier(**{"n_estimators": 10, "max_depth": 4, "random_state": 0, **options})
