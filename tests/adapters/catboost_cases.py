"""Random CatBoost models over numbers, missing values and categories, and samples that are hard on them."""

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import attrs
import numpy as np
import pandas as pd
from adapters.data import LABELS, VALUES
from adapters.library import values_around

from rulekit.adapters.catboost import CatBoostAdapter

QUIET = {"thread_count": 1, "verbose": False, "allow_writing_files": False}
SMALL = {**QUIET, "iterations": 3, "depth": 2, "one_hot_max_size": 100, "random_seed": 0}
WORDS = ["ant", "bee", "cow", "dog", "eel"]
UNSEEN = {str: "unicorn", int: 999}
N_SAMPLES = 60


@attrs.frozen(eq=False)
class Case:
    """A fitted model, its training data, and its forest."""

    model: object
    table: pd.DataFrame
    target: np.ndarray
    forest: object

    @property
    def numeric(self):
        return [position for position in range(self.table.shape[1]) if position not in self.forest.categories]

    @property
    def trees(self):
        return [tree for (tree,) in self.forest.rounds]


def as_json(model):
    with TemporaryDirectory() as folder:
        path = Path(folder, "model.json")
        model.save_model(str(path), format="json")
        return json.loads(path.read_text())


def read(model, table=None, scores="raw"):
    adapter = CatBoostAdapter(scores)
    return (adapter if table is None else adapter.with_categories_of(model, table)).forest(model)


def small_model(X, y, **parameters):
    from catboost import CatBoostClassifier

    return CatBoostClassifier(**{**SMALL, **parameters}).fit(X, y)


def random_table(rng, n_samples=N_SAMPLES):
    """Numeric and categorical columns in any order; some numbers are missing."""
    columns = []
    for _ in range(rng.integers(1, 4)):
        values = VALUES[rng.choice(list(VALUES))](rng, n_samples)
        values[rng.random(n_samples) < rng.choice([0.0, 0.0, 0.3])] = np.nan
        columns.append(pd.Series(values))
    for _ in range(rng.integers(0, 3)):
        codes = rng.integers(rng.integers(2, 6), size=n_samples)
        columns.append(pd.Series(np.array(WORDS)[codes] if rng.random() < 0.6 else codes - 1))
    order = rng.permutation(len(columns))
    return pd.DataFrame({f"column {position}": columns[which] for position, which in enumerate(order)})


def categorical(table):
    return [name for name in table if table[name].dtype.kind not in "f"]


def random_target(rng, table, n_classes):
    """Class positions that depend on every column, each class at least twice."""
    score = sum(pd.factorize(table[name], sort=True)[0] * rng.normal() for name in table)
    codes = np.argsort(np.argsort(score + rng.normal(size=len(table)))) * n_classes // len(table)
    codes[: 2 * n_classes] = np.repeat(np.arange(n_classes), 2)
    return codes


def random_parameters(rng, n_classes, labels):
    losses = ["MultiClass"] if n_classes > 2 else ["Logloss", "Logloss", "Focal:focal_alpha=0.4;focal_gamma=1.5"]
    losses += ["MultiClass"] if n_classes == 2 else []
    losses += ["CrossEntropy"] if n_classes == 2 and labels == "integers" else []
    loss = str(rng.choice(losses))
    return {
        "iterations": int(rng.integers(1, 11)),
        "depth": int(rng.integers(1, 5)),
        "learning_rate": float(rng.choice([0.03, 0.1, 0.5, 1.0])),
        "grow_policy": str(rng.choice(["SymmetricTree", "SymmetricTree", "Depthwise", "Lossguide"])),
        "nan_mode": str(rng.choice(["Min", "Max"])),
        "border_count": int(rng.choice([2, 10, 254])),
        "l2_leaf_reg": float(rng.choice([0.1, 3.0])),
        "loss_function": loss,
        "boost_from_average": bool(loss in ("Logloss", "CrossEntropy") and rng.random() < 0.5),
        "auto_class_weights": "Balanced" if loss in ("Logloss", "MultiClass") and rng.random() < 0.3 else None,
        "one_hot_max_size": 100,
        "random_seed": int(rng.integers(1000)),
        **QUIET,
    }


@cache
def random_case(seed):
    """A model with everything at random; one third are weighted, one third stop early."""
    from catboost import CatBoostClassifier

    rng = np.random.default_rng(seed)
    table = random_table(rng)
    n_classes = int(rng.integers(2, 5))
    labels = str(rng.choice(list(LABELS)))
    target = LABELS[labels][random_target(rng, table, n_classes)]
    parameters = random_parameters(rng, n_classes, labels)
    model = CatBoostClassifier(**parameters, cat_features=categorical(table))
    weights = rng.uniform(0.1, 3, size=len(table)) if rng.random() < 0.3 else None
    stops = {"eval_set": (table, rng.permutation(target)), "early_stopping_rounds": 2} if rng.random() < 0.3 else {}
    model.fit(table, target, sample_weight=weights, **stops)
    return Case(model, table, target, read(model, table))


def encoded(forest, table):
    """The table as the forest compares it; a category that has no code is -1."""
    numbers = {}
    for position, name in enumerate(table):
        column = table[name]
        if position in forest.categories:
            code_of = {label: code for code, label in enumerate(forest.categories[position])}
            column = pd.Series([code_of.get(label, -1) for label in column.tolist()])
        numbers[position] = np.asarray(column, dtype=np.float64)
    return np.column_stack(list(numbers.values()))


def rounded(forest, table):
    # Values beyond the largest float32 become infinite, here as in CatBoost.
    with np.errstate(over="ignore"):
        return encoded(forest, table).astype(np.float32).astype(np.float64)


def probabilities(forest, table):
    return forest.predict_proba(rounded(forest, table))


def replaced(table, position, values, rng):
    """Samples of the table that differ in one column only, once for each value and each of three backgrounds."""
    rows = table.iloc[np.repeat(rng.integers(len(table), size=3), len(values))].reset_index(drop=True)
    column = pd.Series(list(values) * 3, dtype=table.dtypes.iloc[position])
    return rows.assign(**{table.columns[position]: column})


def hard_samples(case):
    """The training samples, then every border, either side of it, missing values, and categories seen and unseen."""
    rng = np.random.default_rng(0)
    tables = [case.table]
    for position in range(case.table.shape[1]):
        if position in case.forest.categories:
            known = case.forest.categories[position]
            values = [*known, UNSEEN[type(known[0])]]
        else:
            borders = {t for tree in case.trees for t in tree.thresholds[tree.features == position].tolist()}
            with np.errstate(over="ignore"):
                around = [values_around(border) for border in sorted(borders)]
            values = np.concatenate([*around, [np.nan, -np.inf, np.inf]]).tolist()
        tables.append(replaced(case.table, position, values, rng))
    return pd.concat(tables, ignore_index=True)
