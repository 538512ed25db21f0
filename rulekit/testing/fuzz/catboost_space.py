"""CatBoost: its classifier."""

from random import Random

from rulekit.testing.fuzz.choices import FITTED_BY_RULEKIT, FRAME, LABELLED, NUMERIC, PICKLED, WEIGHTED, monotone
from rulekit.testing.fuzz.space import Choices, ModelChoices, Space
from rulekit.testing.fuzz.table import Table


def loss(rng: Random, X: Table, n_classes: int) -> str:
    """A loss for this number of classes."""
    two = ("Logloss", "CrossEntropy", "MultiClass", "Focal:focal_alpha=0.4;focal_gamma=1.5")
    return rng.choice(two if n_classes == 2 else ("MultiClass", "MultiClassOneVsAll"))


def categorical(rng: Random, X: Table, n_classes: int) -> list[int]:
    """The positions of columns of categories."""
    return [position for position, column in enumerate(X.columns) if not column.is_numeric]


def constraints(rng: Random, X: Table, n_classes: int) -> list[int] | None:
    """Directions of columns, as far as the library takes them."""
    return None if categorical(rng, X, n_classes) else monotone(rng, X, n_classes)


ALWAYS: dict[str, Choices] = {
    "iterations": (1, 2, 4),
    "one_hot_max_size": (100, 100, 100, 2),
    "cat_features": categorical,
    "thread_count": (1,),
    "verbose": (False,),
    "allow_writing_files": (False,),
    "random_seed": (0, 1, 2),
}
SOMETIMES: dict[str, Choices] = {
    "loss_function": loss,
    "depth": (1, 2, 3),
    "learning_rate": (0.1, 1.0),
    "grow_policy": ("Depthwise", "Lossguide"),
    "nan_mode": ("Max", "Min", "Forbidden"),
    "border_count": (2, 4),
    "l2_leaf_reg": (0.1,),
    "boost_from_average": lambda rng, X, n_classes: rng.random() < 0.5 if n_classes == 2 else None,
    "auto_class_weights": ("Balanced",),
    "bootstrap_type": ("Bernoulli", "MVS", "No"),
    "boosting_type": ("Ordered",),
    "leaf_estimation_method": ("Gradient", "Newton"),
    "model_shrink_rate": (0.2,),
    "rsm": (0.5,),
    "monotone_constraints": constraints,
}
FITS = (
    "model.fit(X, y)",
    "model.fit(X, y)",
    WEIGHTED,
    "model.fit(X, y, eval_set=(X, y[::-1]), early_stopping_rounds=1)",
    "model.fit(X, y, init_model=model.copy().fit(X, y))",
    FITTED_BY_RULEKIT,
)
THENS = (
    "",
    "",
    PICKLED,
    "model = model.copy()",
    "with tempfile.TemporaryDirectory() as a: model.save_model(a + '/m'); model = type(model)().load_model(a + '/m')",
)


def catboost_space() -> Space:
    """CatBoost's classifier."""
    from catboost import CatBoostClassifier  # type: ignore[import-not-found, import-untyped, unused-ignore]

    return Space(
        models=[ModelChoices(CatBoostClassifier, ALWAYS, SOMETIMES, FITS, THENS)],
        tables=(
            FRAME,
            ("frame", (*NUMERIC, *LABELLED, "object", "str", "codes")),
            ("float64", ("float64",)),
            ("float32", ("float64",)),
            ("object", ("float64", "float64", "codes", "object")),
        ),
        has_missing_categories=False,
        adapter={"scores": ("shrunken",)},
        imports=("import tempfile",),
    )
