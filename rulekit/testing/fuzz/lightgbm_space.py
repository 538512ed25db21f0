"""LightGBM: its classifier and its booster."""

from random import Random

from rulekit.testing.fuzz.choices import (
    ARRAY,
    ARRAY_OF_SINGLES,
    FITTED_BY_RULEKIT,
    FRAME,
    LABELLED,
    NUMERIC,
    PICKLED,
    WEIGHTED,
)
from rulekit.testing.fuzz.space import Choices, ModelChoices, Space
from rulekit.testing.fuzz.table import Table


def objective(rng: Random, X: Table, n_classes: int) -> str:
    """An objective for this number of classes."""
    return rng.choice(("binary", "cross_entropy") if n_classes == 2 else ("multiclass", "multiclassova"))


def constraints(rng: Random, X: Table, n_classes: int) -> list[int] | None:
    """Directions of columns, as far as the library takes them."""
    return None if X.positions("category", "codes") else [rng.choice((-1, 0, 1)) for _ in X.columns]


ALWAYS: dict[str, Choices] = {
    "n_estimators": (1, 2, 4),
    "min_child_samples": (1, 4),
    "min_data_per_group": (1,),
    "cat_smooth": (1.0, 10.0),
    "min_child_weight": (1e-6,),
    "subsample": (1.0, 0.6),
    "subsample_freq": (0, 1),
    "n_jobs": (1,),
    "verbosity": (-1,),
}
SOMETIMES: dict[str, Choices] = {
    "objective": objective,
    "boosting_type": ("dart", "rf"),
    "data_sample_strategy": ("goss",),
    "num_leaves": (2, 4),
    "learning_rate": (0.3, 1.0),
    "max_cat_to_onehot": (1, 20),
    "max_bin": (4,),
    "min_data_in_bin": (1,),
    "colsample_bytree": (0.5,),
    "reg_alpha": (0.1,),
    "reg_lambda": (1.0,),
    "path_smooth": (1.0,),
    "max_delta_step": (0.3,),
    "extra_trees": (True,),
    "linear_tree": (False, False, True),
    "use_missing": (False,),
    "zero_as_missing": (True,),
    "boost_from_average": (False,),
    "sigmoid": (0.7,),
    "class_weight": ("balanced",),
    "is_unbalance": (True,),
    "monotone_constraints": constraints,
    "interaction_constraints": ([[0]],),
    "pred_early_stop": (False, False, False, True),
    "random_state": (1, 2),
}
STOPPED = (
    "model.fit(X, y, eval_set=[(X, y[::-1])], callbacks=[lightgbm.early_stopping(1, verbose=False)], "
    "categorical_feature={codes} or 'auto')"
)
PLAIN = "model.fit(X, y, categorical_feature={codes} or 'auto')"
THENS = (
    "",
    "",
    PICKLED,
    "model = model.booster_",
    "model = lightgbm.Booster(model_str=model.booster_.model_to_string())",
)
CONTINUED = f"model.fit(X, y, init_model={PLAIN}, categorical_feature={{codes}} or 'auto')"
OTHER_COLUMNS = f"model.fit(X, y, init_model={PLAIN})"
FITS = (PLAIN, PLAIN, FITTED_BY_RULEKIT, WEIGHTED, STOPPED, CONTINUED, OTHER_COLUMNS)


def lightgbm_space() -> Space:
    """LightGBM's classifier and its booster."""
    from lightgbm import LGBMClassifier  # type: ignore[import-not-found, import-untyped, unused-ignore]

    return Space(
        models=[ModelChoices(LGBMClassifier, ALWAYS, SOMETIMES, FITS, THENS)],
        tables=(FRAME, FRAME, ("frame", (*NUMERIC, *LABELLED, "ordered", "codes")), ARRAY, ARRAY_OF_SINGLES),
        takes_indices=lambda fit, then: "booster" in then,
        adapter={"scores": ("shrunken",)},
        imports=("import lightgbm",),
    )
