"""Ensembles by name, with settings that give readable rules, for `build` and the command line."""

from importlib import import_module
from typing import Any

from rulekit.core.errors import MissingExtraError


def random_forest(n_estimators: int = 100, max_depth: int | None = 5, random_state: int | None = None) -> Any:
    """Random forest of scikit-learn."""
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(n_estimators, max_depth=max_depth, random_state=random_state)


def extra_trees(n_estimators: int = 100, max_depth: int | None = 5, random_state: int | None = None) -> Any:
    """Extremely randomised trees of scikit-learn."""
    from sklearn.ensemble import ExtraTreesClassifier

    return ExtraTreesClassifier(n_estimators, max_depth=max_depth, random_state=random_state)


def gradient_boosting(
    n_estimators: int = 100, max_depth: int | None = 3, learning_rate: float = 0.1, random_state: int | None = None
) -> Any:
    """Gradient boosting of scikit-learn."""
    from sklearn.ensemble import GradientBoostingClassifier

    return GradientBoostingClassifier(
        n_estimators=n_estimators, max_depth=max_depth, learning_rate=learning_rate, random_state=random_state
    )


def bagging(n_estimators: int = 100, max_depth: int | None = 5, random_state: int | None = None) -> Any:
    """Bagged decision trees of scikit-learn."""
    from sklearn.ensemble import BaggingClassifier
    from sklearn.tree import DecisionTreeClassifier

    return BaggingClassifier(DecisionTreeClassifier(max_depth=max_depth), n_estimators, random_state=random_state)


def decision_tree(max_depth: int | None = 5, ccp_alpha: float = 0.0, random_state: int | None = None) -> Any:
    """Single decision tree of scikit-learn."""
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(max_depth=max_depth, ccp_alpha=ccp_alpha, random_state=random_state)


def hist_gradient_boosting(
    max_iter: int = 100, max_depth: int | None = 3, learning_rate: float = 0.1, random_state: int | None = None
) -> Any:
    """Gradient boosting over histograms of scikit-learn; supports missing values and categories."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(
        max_iter=max_iter, max_depth=max_depth, learning_rate=learning_rate, random_state=random_state
    )


def adaboost(n_estimators: int = 50, max_depth: int | None = 2, random_state: int | None = None) -> Any:
    """AdaBoost over decision trees of scikit-learn."""
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.tree import DecisionTreeClassifier

    return AdaBoostClassifier(
        DecisionTreeClassifier(max_depth=max_depth), n_estimators=n_estimators, random_state=random_state
    )


def xgboost(
    n_estimators: int = 100, max_depth: int | None = 3, learning_rate: float = 0.1, random_state: int | None = None
) -> Any:
    """Gradient boosting of XGBoost; supports missing values and categories."""
    return library("xgboost").XGBClassifier(
        n_estimators=n_estimators,
        max_depth=max_depth,
        learning_rate=learning_rate,
        random_state=random_state,
        enable_categorical=True,
    )


def lightgbm(
    n_estimators: int = 100, max_depth: int = 3, learning_rate: float = 0.1, random_state: int | None = None
) -> Any:
    """Gradient boosting of LightGBM; supports missing values and categories."""
    return library("lightgbm").LGBMClassifier(
        n_estimators=n_estimators,
        max_depth=max_depth,
        learning_rate=learning_rate,
        random_state=random_state,
        verbosity=-1,
    )


def catboost(
    n_estimators: int = 100, max_depth: int = 3, learning_rate: float = 0.1, random_state: int | None = None
) -> Any:
    """Oblivious trees of CatBoost; supports missing values."""
    return library("catboost").CatBoostClassifier(
        n_estimators=n_estimators,
        max_depth=max_depth,
        learning_rate=learning_rate,
        random_state=random_state,
        verbose=False,
        allow_writing_files=False,
    )


def library(name: str) -> Any:
    """An optional library of ensembles; raise with its extra if it is not installed."""
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingExtraError(
            f"This ensemble needs {name}, which is not installed: pip install 'rulekit-rcprob[{name}]'."
        ) from error
