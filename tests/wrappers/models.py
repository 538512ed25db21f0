"""Small fitted models made of others, and the tables that they are fitted on."""

import numpy as np
from catboost import CatBoostClassifier
from lightgbm import LGBMClassifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.tree import DecisionTreeClassifier
from xgboost import XGBClassifier

BASES = {
    "forest": lambda: RandomForestClassifier(4, max_depth=3, random_state=0),
    "extra-trees": lambda: ExtraTreesClassifier(3, max_depth=3, random_state=0),
    "boosting": lambda: GradientBoostingClassifier(n_estimators=3, max_depth=2, random_state=0),
    "exponential": lambda: GradientBoostingClassifier(loss="exponential", n_estimators=3, max_depth=2, random_state=0),
    "hist-boosting": lambda: HistGradientBoostingClassifier(max_iter=3, max_depth=3, min_samples_leaf=5),
    "adaboost": lambda: AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=3, random_state=0),
    "xgboost": lambda: XGBClassifier(n_estimators=3, max_depth=2, n_jobs=1),
    "lightgbm": lambda: LGBMClassifier(n_estimators=3, max_depth=2, verbosity=-1, n_jobs=1, min_child_samples=5),
    "catboost": lambda: CatBoostClassifier(
        n_estimators=3, depth=2, verbose=False, allow_writing_files=False, thread_count=1
    ),
}

WRAPPERS = {
    "sigmoid": lambda base: CalibratedClassifierCV(base, cv=2),
    "isotonic": lambda base: CalibratedClassifierCV(base, method="isotonic", cv=2),
    "one ensemble": lambda base: CalibratedClassifierCV(base, cv=2, ensemble=False),
    "one-vs-rest": OneVsRestClassifier,
    "bagging": lambda base: BaggingClassifier(base, 2, max_features=0.7, random_state=0),
    "soft vote": lambda base: VotingClassifier(
        [("own", base), ("forest", BASES["forest"]())], voting="soft", weights=[1.0, 2.5]
    ),
}


def table(seed, n_classes=3, n_samples=90):
    """Samples of three features, whose classes depend on two of them, with noise.

    XGBoost, inside other models, reads no labels but 0, 1, 2, ….
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, 3)).round(1)
    ranks = (X[:, 0] + 0.5 * X[:, 1] + 0.2 * rng.normal(size=n_samples)).argsort().argsort()
    return X, ranks * n_classes // n_samples
