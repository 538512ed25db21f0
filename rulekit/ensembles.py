"""Ensembles by name, with settings that give readable rules: what `build` and the command line train by default."""

from typing import Any


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
