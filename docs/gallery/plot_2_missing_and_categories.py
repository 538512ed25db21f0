"""
XGBoost, missing values and categories
======================================

The rules say where missing values go and name categories, as the trained trees do. Here a column of numbers is made a
category, and a fifth of another one is taken away.
"""

import numpy as np
import pandas as pd
from sklearn.datasets import load_wine
from xgboost import XGBClassifier

import rulekit

X, y = load_wine(return_X_y=True, as_frame=True)
y = y.map({0: "Barolo", 1: "Grignolino", 2: "Barbera"})
X["colour"] = pd.qcut(X.pop("color_intensity"), 4, labels=["pale", "light", "dark", "deep"])
X.loc[np.random.default_rng(0).random(len(X)) < 0.2, "flavanoids"] = np.nan

booster = XGBClassifier(n_estimators=30, max_depth=3, enable_categorical=True, random_state=0)
model = rulekit.build("rclist", booster, min_coverage=0.02, random_state=0).fit(X, y)
print(model.ruleset_)

# %%
# A sample without the value is answered like any other.

gaps = X[X["flavanoids"].isna()]
print(model.explain(gaps.iloc[0]))
