"""LightGBM models in random configurations, and what the library itself says of their trees."""

import warnings
from functools import cache

import attrs
import lightgbm as lgb
import numpy as np
from adapters.data import LABELS

#: What LightGBM takes for zero, and the numbers next to its borders.
ZERO = float(np.float32(1e-35))
AROUND_ZERO = [
    0.0,
    -0.0,
    1e-36,
    -1e-36,
    *(side * np.nextafter(ZERO, end) for side in (1, -1) for end in (0, 1)),
    ZERO,
    -ZERO,
]
EXTREME = [np.nan, np.inf, -np.inf, 1e300, -1e300, 1.5e308, -1.5e308]
UNUSUAL_CODES = [np.nan, -1.0, -7.0, 40.0, 1000.0, 2.0**31, 1e300]
MOST_THRESHOLDS = 25

VALUES = {
    "continuous": lambda rng, n: rng.normal(size=n),
    "integers": lambda rng, n: rng.integers(-2, 4, size=n).astype(float),
    "decimals": lambda rng, n: np.round(rng.normal(size=n), 1),
    "neighbours in float64": lambda rng, n: 1.0 + rng.integers(12, size=n) * np.finfo(float).eps,
    "next to zero": lambda rng, n: rng.choice([-3e-35, -ZERO, -1e-36, 0.0, 1e-36, ZERO, 3e-35], size=n),
    "huge": lambda rng, n: rng.normal(size=n) * 1e304,
    "infinite": lambda rng, n: rng.choice([-np.inf, -1.0, 0.0, 2.0, np.inf], size=n),
    "often zero": lambda rng, n: rng.normal(size=n) * (rng.random(n) < 0.4),
}
BOOSTING = {
    "gbdt": {},
    "goss": {"data_sample_strategy": "goss", "learning_rate": 1.0},
    "dart": {"boosting_type": "dart", "drop_rate": 0.6, "skip_drop": 0.0, "n_estimators": 8},
    "xgboost dart": {"boosting_type": "dart", "drop_rate": 0.6, "skip_drop": 0.0, "xgboost_dart_mode": True},
    "rf": {"boosting_type": "rf", "subsample": 0.7, "subsample_freq": 1},
    "bagging": {"subsample": 0.6, "subsample_freq": 1},
}
WEIGHTING = {
    "none": {},
    "balanced": {"class_weight": "balanced"},
    "sample weights": {},
    "scale_pos_weight": {"scale_pos_weight": 4.0},
    "is_unbalance": {"is_unbalance": True},
}
PENALTIES = [
    {},
    {"reg_lambda": 2.0},
    {"reg_alpha": 0.3},
    {"path_smooth": 1.0},
    {"max_delta_step": 0.3},
    {"extra_trees": True},
]


@attrs.frozen
class Case:
    """A model, its training samples, and which of their columns hold codes of categories."""

    model: lgb.LGBMClassifier | lgb.Booster
    X: np.ndarray
    categorical: tuple[int, ...]


def quiet(**parameters):
    """A small classifier that trees of which split, on one thread."""
    defaults = {"n_estimators": 5, "num_leaves": 6, "min_child_samples": 3, "min_child_weight": 1e-6}
    defaults |= {"min_data_per_group": 3, "cat_smooth": 1.0, "n_jobs": 1, "verbosity": -1, "random_state": 0}
    return lgb.LGBMClassifier(**(defaults | parameters))


def fit(model, X, y, **fitting):
    """Fit; newer versions would have `eval_set` called by two other names, which older ones do not know."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*eval_set.*")
        return model.fit(X, y, **fitting)


def booster_of(model):
    return model if isinstance(model, lgb.Booster) else model.booster_


def library_probabilities(model, X):
    if not isinstance(model, lgb.Booster):
        with warnings.catch_warnings():
            # Versions before 4.7 name the columns of an array and then miss the names.
            warnings.filterwarnings("ignore", message="X does not have valid feature names")
            return model.predict_proba(X)
    predicted = model.predict(X)
    return np.column_stack([1 - predicted, predicted]) if predicted.ndim == 1 else predicted


def dumped_trees(model):
    return [tree["tree_structure"] for tree in booster_of(model).dump_model()["tree_info"]]


def dumped_nodes(node):
    """The nodes of a dumped tree, from left to right."""
    if "left_child" not in node:
        return [node]
    return [*dumped_nodes(node["left_child"]), node, *dumped_nodes(node["right_child"])]


def dumped_leaves(tree):
    return [node for node in dumped_nodes(tree) if "left_child" not in node]


def library_leaves(model, X):
    """Which leaf each sample reaches in each tree, counted from left to right; of shape (n_samples, n_trees)."""
    reached = booster_of(model).predict(X, pred_leaf=True).reshape(len(X), -1)
    positions = np.empty_like(reached)
    for position, tree in enumerate(dumped_trees(model)):
        # A tree of one leaf does not number it.
        order = [leaf.get("leaf_index", 0) for leaf in dumped_leaves(tree)]
        positions[:, position] = np.argsort(order)[reached[:, position]]
    return positions


def leaves_from_left_to_right(tree, node=0):
    if tree.features[node] < 0:
        return [node]
    return leaves_from_left_to_right(tree, tree.left[node]) + leaves_from_left_to_right(tree, tree.right[node])


def forest_leaves(forest, X):
    """The same, as the forest says."""
    rounded = X.astype(forest.input_dtype).astype(np.float64)
    positions = []
    for tree in (tree for trees in forest.rounds for tree in trees):
        order = np.full(len(tree.features), -1)
        leaves = leaves_from_left_to_right(tree)
        order[leaves] = np.arange(len(leaves))
        positions.append(order[tree.apply(rounded)])
    return np.column_stack(positions)


def splits(model):
    """Distinct (column, threshold) pairs of the numeric splits of all trees; a dump would cut off large thresholds."""
    found = set()
    for tree in booster_of(model).model_to_string().split("\nTree=")[1:]:
        lines = dict(line.split("=", 1) for line in tree.splitlines() if "=" in line)
        columns, thresholds, flags = (
            np.array(lines[name].split(), dtype=float) for name in ("split_feature", "threshold", "decision_type")
        )
        numeric = flags % 2 == 0
        found.update(zip(columns[numeric].astype(int).tolist(), thresholds[numeric].tolist(), strict=True))
    return sorted(found)


def values_around(threshold):
    """The threshold, its neighbours in float64 and in float32, and the neighbours of those."""
    with np.errstate(over="ignore"):  # beyond the largest number is infinity
        nearest = np.float32(threshold)
        singles = [nearest, *(np.nextafter(nearest, np.float32(side)) for side in (-np.inf, np.inf))]
        centres = np.array([threshold, *map(float, singles)])
        return np.concatenate([centres, np.nextafter(centres, -np.inf), np.nextafter(centres, np.inf)])


def edge_samples(case, n_backgrounds=2):
    """The training samples, and samples that differ from one of them in one column only, by a critical value."""
    rng = np.random.default_rng(0)
    some = splits(case.model)
    some = [some[position] for position in rng.permutation(len(some))[:MOST_THRESHOLDS]]
    changes = [(column, value) for column, threshold in some for value in values_around(threshold)]
    for column in range(case.X.shape[1]):
        usual = UNUSUAL_CODES + list(range(12)) if column in case.categorical else AROUND_ZERO + EXTREME
        changes += [(column, value) for value in usual]
    changes *= n_backgrounds
    edges = case.X[rng.integers(len(case.X), size=len(changes))]
    columns, values = zip(*changes, strict=True)
    edges[np.arange(len(changes)), list(columns)] = values
    return np.concatenate([case.X, edges])


def random_samples(rng, n_samples):
    """Columns of numbers and of codes, with or without gaps."""
    kinds = rng.choice(list(VALUES), size=rng.integers(1, 4))
    columns = [VALUES[kind](rng, n_samples) for kind in kinds]
    columns += [rng.integers(rng.integers(2, 12), size=n_samples).astype(float) for _ in range(rng.integers(3))]
    if rng.random() < 0.5:
        for column in columns:
            column[rng.random(n_samples) < 0.15] = np.nan
    order = rng.permutation(len(columns))
    return np.column_stack(columns)[:, order], tuple(np.flatnonzero(order >= len(kinds)).tolist())


def random_classes(rng, X, n_classes):
    """Classes that follow each column's values, also its gaps, with noise."""
    evidence = rng.normal(size=(len(X), n_classes))
    for column in X.T:
        values, codes = np.unique(column, return_inverse=True)
        ranks = codes * 8 // len(values)
        evidence += rng.normal(size=(9, n_classes))[ranks]
    y = evidence.argmax(axis=1)
    y[: 4 * n_classes] = np.arange(4 * n_classes) % n_classes
    return y


def random_parameters(rng, n_classes):
    weightings = list(WEIGHTING) if n_classes == 2 else ["none", "balanced", "sample weights"]
    weighting = rng.choice(weightings)
    parameters = {
        "learning_rate": float(rng.choice([0.05, 0.1, 1 / 3])),
        "num_leaves": int(rng.choice([2, 5, 12])),
        "boost_from_average": bool(rng.random() < 0.8),
        "use_missing": bool(rng.random() < 0.8),
        "sigmoid": float(rng.choice([1.0, 0.7, 1.23456789])),
        "random_state": int(rng.integers(2**31)),
    }
    parameters |= PENALTIES[rng.integers(len(PENALTIES))]
    return parameters | WEIGHTING[weighting] | BOOSTING[rng.choice(list(BOOSTING))], weighting == "sample weights"


@cache
def random_case(seed):
    """A classifier, or one of the boosters that its parameters make: as trained, or saved and read again."""
    rng = np.random.default_rng(seed)
    n_classes = int(rng.choice([2, 2, 3, 4]))
    X, categorical = random_samples(rng, n_samples=150)
    y = random_classes(rng, X, n_classes)
    labels = LABELS[rng.choice(list(LABELS))]
    parameters, is_weighted = random_parameters(rng, n_classes)
    weights = rng.choice([0.2, 1.0, 3.0], size=len(X)) if is_weighted else None
    fitting = {"sample_weight": weights, "categorical_feature": list(categorical)}
    if rng.random() < 0.25 and parameters.get("boosting_type") != "dart":
        held_out = random_classes(rng, X, n_classes)
        fitting |= {"eval_set": [(X, labels[held_out])], "callbacks": [lgb.early_stopping(2, verbose=False)]}
    model = fit(quiet(**parameters), X, labels[y], **fitting)
    kind = rng.choice(["classifier", "classifier", "booster", "string"])
    if kind == "classifier":
        return Case(model, X, categorical)
    booster = model.booster_
    return Case(booster if kind == "booster" else lgb.Booster(model_str=booster.model_to_string()), X, categorical)
