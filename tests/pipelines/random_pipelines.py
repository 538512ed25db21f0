"""Random pipelines on random tables, and samples that lie where their decisions change."""

from typing import Any

import attrs
import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.impute import SimpleImputer
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
)

N_SAMPLES = 120


@attrs.frozen
class Drawn:
    """A fitted pipeline, its training samples and their labels."""

    pipeline: Any
    X: Any
    y: Any


def draw(seed: int) -> Drawn:
    """A random pipeline, fitted on a random table."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({f"n{at}": numbers(rng) for at in range(rng.integers(1, 4))})
    for at in range(rng.integers(1, 4)):
        frame[f"c{at}"] = categories(rng)
    if rng.random() < 0.3:
        frame["unused"] = numbers(rng)
    y = target(rng, frame)
    parts, used = [], set()
    for name in frame.columns:
        if name == "unused" or rng.random() < 0.1:
            continue
        parts.append((name, steps_for(rng, frame[name]), [name]))
        used.add(name)
        if frame[name].dtype.kind in "iu" and rng.random() < 0.2:
            parts.append((f"again_{name}", one_hot(rng, has_missing=False), [name]))
    floats = [name for name in used if frame[name].dtype == np.float64 and name.startswith("n")]
    if len(floats) > 1 and rng.random() < 0.5:
        # Several columns in one step, instead of one each.
        parts = [part for part in parts if part[0] not in floats]
        parts.append(("block", steps_for(rng, frame[floats].max(axis=1), frame[floats]), floats))
    if not parts:
        parts = [("n0", make_pipeline(SimpleImputer(), StandardScaler()), ["n0"])]
    kept = "passthrough" if rng.random() < 0.3 and frame.drop(columns=list(used)).dtypes.map(is_plain).all() else "drop"
    if kept == "passthrough" and frame.drop(columns=list(used)).isna().any(axis=None):
        kept = "drop"
    X: Any = frame
    if rng.random() < 0.3:
        parts = [(name, step, [frame.columns.get_loc(each) for each in own]) for name, step, own in parts]
        X = frame.astype(object).to_numpy() if not frame.dtypes.map(is_plain).all() else frame.to_numpy(dtype=float)
    steps: Any = ColumnTransformer(
        parts, remainder=kept, sparse_threshold=float(rng.choice([0.0, 1.0])), verbose_feature_names_out=True
    )
    after = []
    if rng.random() < 0.3:
        after.append(StandardScaler(with_mean=False))
    model = ensemble(rng)
    if isinstance(model, HistGradientBoostingClassifier):
        steps.set_params(sparse_threshold=0.0)
    return Drawn(make_pipeline(steps, *after, model).fit(X, y), X, y)


def is_plain(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind in "biuf"


def numbers(rng: np.random.Generator) -> Any:
    """A column of numbers."""
    kind = rng.choice(["normal", "skewed", "whole", "few", "single"])
    column: Any = rng.normal(rng.normal(), np.exp(rng.normal(0, 3)), N_SAMPLES)
    if kind == "skewed":
        column = rng.lognormal(3, 2, N_SAMPLES)
    if kind == "whole":
        return rng.integers(-20, 80, N_SAMPLES)
    if kind == "few":
        column = rng.integers(0, 4, N_SAMPLES).astype(float)
    if kind == "single":
        column = column.astype(np.float32)
    if rng.random() < 0.4:
        column[rng.random(N_SAMPLES) < 0.15] = np.nan
    return column


def categories(rng: np.random.Generator) -> Any:
    """A column of categories."""
    kind = rng.choice(["string", "category", "whole", "boolean"])
    if kind == "boolean":
        return rng.random(N_SAMPLES) < 0.4
    if kind == "whole":
        return rng.choice([1, 2, 3, 5, 8], N_SAMPLES, p=[0.4, 0.3, 0.2, 0.07, 0.03])
    labels = ["blue", "dark red", "green", "it's", "x", "zebra"][: rng.integers(2, 7)]
    weights = 0.5 ** np.arange(len(labels))
    column = rng.choice(labels, N_SAMPLES, p=weights / weights.sum()).astype(object)
    if rng.random() < 0.4:
        column[rng.random(N_SAMPLES) < 0.15] = np.nan
    return pd.Categorical(column) if kind == "category" else column


def target(rng: np.random.Generator, frame: pd.DataFrame) -> Any:
    """Labels that depend on all columns."""
    score = rng.normal(0, 0.4, N_SAMPLES)
    for name in frame.columns:
        ranks = pd.Series(pd.factorize(frame[name])[0] if name[0] == "c" else frame[name]).rank(pct=True).fillna(0.3)
        score += rng.choice([-1, 1]) * np.sin(rng.uniform(1, 5) * ranks.to_numpy())
    n_classes = rng.choice([2, 3])
    return np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))


def steps_for(rng: np.random.Generator, column: Any, block: Any = None) -> Any:
    """Steps that suit a column, or several alike."""
    values = column if block is None else block
    has_missing = bool(np.asarray(values.isna()).any())
    if not is_plain(column.dtype):
        return for_categories(rng, has_missing)
    if column.dtype.kind == "b" or (column.dtype.kind == "i" and rng.random() < 0.4):
        return one_hot(rng, has_missing=False) if rng.random() < 0.7 else "passthrough"
    steps: list[Any] = []
    if has_missing or rng.random() < 0.3:
        strategy = str(rng.choice(["mean", "median", "most_frequent", "constant"]))
        steps.append(SimpleImputer(strategy=strategy, add_indicator=bool(rng.random() < 0.4)))
    elif rng.random() < 0.2 and block is None:
        steps.append(
            SimpleImputer(missing_values=column.iloc[0], strategy="median", add_indicator=bool(rng.random() < 0.5))
        )
    positive = bool((np.asarray(values) > -1).all())
    for _ in range(rng.integers(0, 3)):
        choices = [StandardScaler(), RobustScaler(), MinMaxScaler(), MaxAbsScaler(), MinMaxScaler((-1, 2), clip=True)]
        if not steps and positive:
            choices.append(FunctionTransformer(np.log1p, np.expm1))
        if not steps:
            choices.append(FunctionTransformer(np.negative, np.negative))
        steps.append(choices[rng.integers(len(choices))])
    if rng.random() < 0.3 and not (steps and getattr(steps[0], "add_indicator", False)):
        encode = str(rng.choice(["ordinal", "onehot", "onehot-dense"]))
        strategy = str(rng.choice(["uniform", "quantile"]))
        options = {"quantile_method": "averaged_inverted_cdf"} if strategy == "quantile" else {}
        steps.append(KBinsDiscretizer(int(rng.integers(2, 6)), encode=encode, strategy=strategy, **options))
        if encode == "ordinal" and rng.random() < 0.5:
            steps.append(OneHotEncoder(handle_unknown="ignore"))
    if rng.random() < 0.1 and steps and block is None:
        return FeatureUnion([("one", make_pipeline(*steps)), ("two", SimpleImputer())])
    return make_pipeline(*steps) if steps else "passthrough"


def for_categories(rng: np.random.Generator, has_missing: bool) -> Any:
    """Steps for strings."""
    steps: list[Any] = []
    if has_missing and rng.random() < 0.6:
        steps.append(SimpleImputer(strategy=str(rng.choice(["most_frequent", "constant"]))))
        has_missing = False
    if rng.random() < 0.6:
        return make_pipeline(*steps, one_hot(rng, has_missing))
    limits = {} if rng.random() < 0.6 else {"min_frequency": 0.1} if rng.random() < 0.5 else {"max_categories": 3}
    unknown = {"handle_unknown": "use_encoded_value", "unknown_value": -1} if rng.random() < 0.6 else {}
    encoder = OrdinalEncoder(encoded_missing_value=-2, **unknown, **limits)
    return make_pipeline(*steps, encoder, *([MinMaxScaler()] if rng.random() < 0.3 else []))


def one_hot(rng: np.random.Generator, has_missing: bool) -> OneHotEncoder:
    """A random one-hot encoder."""
    options: dict[str, Any] = {"handle_unknown": str(rng.choice(["ignore", "infrequent_if_exist", "error"]))}
    if rng.random() < 0.4:
        options |= {"min_frequency": 0.1} if rng.random() < 0.5 else {"max_categories": int(rng.integers(2, 4))}
    if rng.random() < 0.4:
        options["drop"] = str(rng.choice(["first", "if_binary"]))
    return OneHotEncoder(sparse_output=bool(rng.random() < 0.5), **options)


def ensemble(rng: np.random.Generator) -> Any:
    """A random ensemble of few trees."""
    kind, seed = (
        rng.choice(["forest", "extra", "boosting", "hist", "xgboost", "lightgbm"]),
        int(rng.integers(99)),
    )
    if kind == "forest":
        return RandomForestClassifier(4, max_depth=5, random_state=seed)
    if kind == "extra":
        return ExtraTreesClassifier(4, max_depth=5, random_state=seed)
    if kind == "boosting":
        return GradientBoostingClassifier(n_estimators=3, max_depth=3, random_state=seed)
    if kind == "hist":
        return HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=5, random_state=seed)
    if kind == "xgboost":
        from xgboost import XGBClassifier

        return XGBClassifier(n_estimators=3, max_depth=3, random_state=seed, n_jobs=1)
    from lightgbm import LGBMClassifier

    return LGBMClassifier(
        n_estimators=3, num_leaves=8, min_child_samples=5, random_state=seed, verbose=-1, n_jobs=1, cat_smooth=1
    )
