"""XGBoost: its classifiers and their boosters."""

from random import Random

from rulekit.testing.fuzz.choices import ARRAY, ARRAY_OF_SINGLES, FITTED_BY_RULEKIT, FRAME, NUMERIC, PICKLED, WEIGHTED
from rulekit.testing.fuzz.space import Choices, ModelChoices, Space
from rulekit.testing.fuzz.table import Table


def feature_types(rng: Random, X: Table, n_classes: int) -> list[str] | None:
    """Which columns hold codes of categories."""
    return ["c" if column.kind == "codes" else "q" for column in X.columns] if X.positions("codes") else None


def objective(rng: Random, X: Table, n_classes: int) -> str:
    """An objective for this number of classes."""
    two = ("binary:logistic", "binary:logitraw", "binary:hinge")
    return rng.choice(two if n_classes == 2 else ("multi:softprob", "multi:softmax"))


def constraints(rng: Random, X: Table, n_classes: int) -> tuple[int, ...]:
    """Directions of columns, as far as the library takes them."""
    return tuple(rng.choice((-1, 0, 1)) if column.is_numeric else 0 for column in X.columns)


ALWAYS: dict[str, Choices] = {
    "n_estimators": (1, 2, 4),
    "n_jobs": (1,),
    "enable_categorical": (True,),
    "feature_types": feature_types,
}
SOMETIMES: dict[str, Choices] = {
    "objective": objective,
    "tree_method": ("exact", "approx", "hist"),
    "max_depth": (1, 2, 4),
    "learning_rate": (0.1, 1.0),
    "min_child_weight": (0, 0.1),
    "reg_alpha": (0.1,),
    "reg_lambda": (0.0, 3.0),
    "gamma": (0.1,),
    "max_delta_step": (0.5,),
    "max_cat_to_onehot": (1, 100),
    "max_cat_threshold": (2,),
    "num_parallel_tree": (2,),
    "subsample": (0.6,),
    "colsample_bytree": (0.5,),
    "booster": ("dart", "dart", "gblinear"),
    "grow_policy": ("lossguide",),
    "max_leaves": (3,),
    "max_bin": (4,),
    "base_score": (0.2, 0.5),
    "scale_pos_weight": (3.0,),
    "monotone_constraints": constraints,
    "interaction_constraints": lambda rng, X, n_classes: [["a"]] if X.container == "frame" else "[[0]]",
    "multi_strategy": ("multi_output_tree",),
    "random_state": (1, 2),
}
STOPPED = "model.set_params(early_stopping_rounds=1).fit(X, y, eval_set=[(X, y[::-1])], verbose=False)"
FITS = ("model.fit(X, y)", "model.fit(X, y)", FITTED_BY_RULEKIT, FITTED_BY_RULEKIT, WEIGHTED, STOPPED)
THENS = (
    "",
    "",
    PICKLED,
    "model = model.get_booster()",
    "model = xgboost.Booster(model_file=model.get_booster().save_raw('json'))",
    "model = xgboost.Booster(model_file=model.get_booster().save_raw('ubj'))",
    "raw = model.get_booster().save_raw(); model = type(model)(); model.load_model(raw)",
)
CONTINUED = "model.fit(X, y, xgb_model=model.fit(X, y).get_booster())"


def xgboost_space() -> Space:
    """XGBoost's classifiers and their boosters."""
    from xgboost import XGBClassifier, XGBRFClassifier  # type: ignore[import-not-found, import-untyped, unused-ignore]

    return Space(
        models=[
            *[ModelChoices(XGBClassifier, ALWAYS, SOMETIMES, (*FITS, CONTINUED), THENS)] * 3,
            ModelChoices(XGBRFClassifier, ALWAYS, SOMETIMES, FITS[:5], THENS),
        ],
        tables=(FRAME, FRAME, ("frame", (*NUMERIC, "codes")), ARRAY, ARRAY_OF_SINGLES),
        takes_indices=lambda fit, then: bool(fit),
        missing=-999.0,
        adapter={"scores": ("shrunken",)},
        imports=("import xgboost",),
    )
