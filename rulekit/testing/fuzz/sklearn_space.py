"""Forests, bagging, boosting and single trees of scikit-learn."""

from random import Random

from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from rulekit.testing.fuzz.choices import ARRAY, ARRAY_OF_SINGLES, FITTED_BY_RULEKIT, FRAME, WEIGHTED, monotone
from rulekit.testing.fuzz.space import Choices, ModelChoices, Space
from rulekit.testing.fuzz.table import Table

TREES: dict[str, Choices] = {
    "max_depth": (1, 2, None),
    "min_samples_leaf": (2, 5),
    "max_leaf_nodes": (2, 4),
    "criterion": ("entropy", "log_loss"),
    "splitter": ("random",),
    "max_features": (1, 0.5, "sqrt"),
    "min_weight_fraction_leaf": (0.1,),
    "min_impurity_decrease": (0.01,),
    "ccp_alpha": (0.01, 0.05),
    "class_weight": ("balanced",),
    "monotonic_cst": monotone,
}
FORESTS: dict[str, Choices] = {name: own for name, own in TREES.items() if name != "splitter"}
BAGGING: dict[str, Choices] = {
    "estimator": (DecisionTreeClassifier(max_depth=2), ExtraTreeClassifier(max_depth=3)),
    "max_samples": (0.5,),
    "max_features": (0.5, 1),
    "bootstrap": (False,),
    "bootstrap_features": (True,),
}
BOOSTING: dict[str, Choices] = {
    "loss": lambda rng, X, n_classes: "exponential" if n_classes == 2 else None,
    "learning_rate": (0.3, 1.0),
    "subsample": (0.6,),
    "criterion": ("squared_error",),
    "max_depth": (1, 2),
    "max_features": (1,),
    "init": ("zero",),
    "n_iter_no_change": (1,),
    "ccp_alpha": (0.01,),
}
ADABOOST: dict[str, Choices] = {
    "estimator": (DecisionTreeClassifier(max_depth=2), ExtraTreeClassifier(max_depth=2)),
    "learning_rate": (0.3,),
}
SIZES: dict[str, Choices] = {"n_estimators": (1, 2, 4), "random_state": (0, 1, 2)}
FITS = ("model.fit(X, y)", "model.fit(X, y)", FITTED_BY_RULEKIT, WEIGHTED)
CONTINUED = "model.fit(X, y).set_params(warm_start=True, n_estimators=6).fit(X, y)"


def sklearn_space() -> Space:
    """Ensembles and trees of scikit-learn."""
    return Space(
        models=[
            ModelChoices(RandomForestClassifier, SIZES, FORESTS | {"max_samples": (0.5,)}, (*FITS, CONTINUED)),
            ModelChoices(ExtraTreesClassifier, SIZES, FORESTS, (*FITS, CONTINUED)),
            ModelChoices(BaggingClassifier, SIZES, BAGGING, (*FITS, CONTINUED)),
            ModelChoices(GradientBoostingClassifier, SIZES, BOOSTING, (*FITS, CONTINUED)),
            ModelChoices(AdaBoostClassifier, SIZES, ADABOOST, FITS),
            ModelChoices(DecisionTreeClassifier, {"random_state": (0, 1)}, TREES, FITS),
            *[_hist_gradient_boosting(HistGradientBoostingClassifier, FITS)] * 2,
        ],
        tables=(FRAME, FRAME, ARRAY, ARRAY_OF_SINGLES, ("int64", ("int64",))),
        imports=("from sklearn.tree import DecisionTreeClassifier", "from sklearn.tree import ExtraTreeClassifier"),
    )


def _hist_gradient_boosting(model: type, fits: tuple[str, ...]) -> ModelChoices:
    def categorical(rng: Random, X: Table, n_classes: int) -> object:
        return X.positions("codes") or "from_dtype"

    return ModelChoices(
        model,
        {
            "max_iter": (1, 2, 4),
            "min_samples_leaf": (1, 5),
            "random_state": (0, 1),
            "categorical_features": categorical,
        },
        {
            "learning_rate": (0.3, 1.0),
            "max_leaf_nodes": (2, 4),
            "max_depth": (1, 2),
            "l2_regularization": (1.0,),
            "max_features": (0.5,),
            "max_bins": (4, 60),
            "monotonic_cst": monotone,
            "interaction_cst": ("no_interactions", "pairwise"),
            "class_weight": ("balanced",),
        },
        (
            *fits,
            "model.fit(X, y).set_params(warm_start=True, max_iter=6).fit(X, y)",
            "model.set_params(early_stopping=True, validation_fraction=None, n_iter_no_change=1).fit(X, y)",
        ),
    )
