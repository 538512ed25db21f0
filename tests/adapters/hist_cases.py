"""Models of histogram boosting on random tables with gaps and categories, and what the library says of its trees."""

from collections.abc import Callable

import attrs
import numpy as np
import pandas as pd
from adapters.data import LABELS
from hypothesis import strategies as st
from sklearn.ensemble import HistGradientBoostingClassifier

from rulekit.testing.fuzz.library import hist_gradient_boosting_leaves

NUMBERS = {
    "continuous": lambda rng, n: rng.normal(size=n),
    "integers": lambda rng, n: rng.integers(6, size=n).astype(float),
    "neighbours in float64": lambda rng, n: 1.0 + rng.integers(12, size=n) * np.finfo(float).eps,
    "beyond float32": lambda rng, n: rng.normal(size=n) * 1e300,
    "infinite": lambda rng, n: rng.choice([-np.inf, -1.0, 2.0, np.inf], size=n),
    "one value": lambda rng, n: np.full(n, 4.0),
}
CATEGORIES = {
    "words": ["red", "green", "blue", "Blue", ""],
    "one word": ["only"],
    "integers": [3, -1, 40, 7],
    "fractions": [-2.5, 0.0, 7.5, 300.0],
    "truth values": [False, True],
    "many": list(range(100, 160)),
}
UNSEEN = {str: "unseen", int: 12, float: 0.5, bool: 2}


@attrs.frozen
class Case:
    """A fitted model, its table, which columns hold categories, and what the table must become for the library."""

    model: HistGradientBoostingClassifier
    frame: pd.DataFrame
    categorical: tuple[str, ...]
    as_input: Callable[[pd.DataFrame], pd.DataFrame | np.ndarray]

    def library_probabilities(self, frame):
        return self.model.predict_proba(self.as_input(frame))

    def library_leaves(self, frame):
        """The node that each sample ends in, for each tree."""
        return hist_gradient_boosting_leaves(self.model, self.as_input(frame))


def encoded(forest, frame):
    """Samples as the forest reads them: categories by their codes, unknown and missing ones as NaN."""
    columns = []
    for position, name in enumerate(frame):
        values = frame[name].tolist()
        if position in forest.categories:
            codes = {label: code for code, label in enumerate(forest.categories[position])}
            values = [codes.get(value, np.nan) for value in values]
        columns.append(np.array(values, dtype=float))
    return np.column_stack(columns)


def edge_samples(case, forest, n_backgrounds=3):
    """The table; then samples that differ from one of it in one column only: by a value that a split turns on."""
    rng = np.random.default_rng(0)
    changes = [(name, value) for name in case.frame for value in _critical_values(case, forest, name)] * n_backgrounds
    rows = np.concatenate([np.arange(len(case.frame)), rng.integers(len(case.frame), size=len(changes))])
    columns = {name: case.frame[name].to_numpy(dtype=object)[rows] for name in case.frame}
    for row, (name, value) in enumerate(changes, start=len(case.frame)):
        columns[name][row] = value
    return pd.DataFrame({name: _typed(case, name, values) for name, values in columns.items()})


def _critical_values(case, forest, name, at_most=12):
    """Every category and one unseen, or thresholds and the numbers next to them; and a missing value."""
    if name in case.categorical:
        labels = case.frame[name].dropna().unique().tolist()
        return [*labels, UNSEEN[type(labels[0])], np.nan]
    position = list(case.frame).index(name)
    trees = [tree for trees in forest.rounds for tree in trees]
    thresholds = np.unique(np.concatenate([tree.thresholds[tree.features == position] for tree in trees]))
    some = np.random.default_rng(1).permutation(thresholds)[:at_most]
    return [*some, *np.nextafter(some, -np.inf), *np.nextafter(some, np.inf), -np.inf, np.inf, np.nan]


def _typed(case, name, values):
    """A column of the type that the library was trained on, but for categories that it had not seen then."""
    if name not in case.categorical:
        return values.astype(float)
    return pd.Categorical(values) if isinstance(case.frame[name].dtype, pd.CategoricalDtype) else values


def random_frame(rng, numbers, categories, n_samples, gaps):
    """One column for each kind asked for, in random order; a fraction `gaps` of all values is missing."""
    columns = {f"number {position}": NUMBERS[kind](rng, n_samples) for position, kind in enumerate(numbers)}
    for position, kind in enumerate(categories):
        labels = np.array(CATEGORIES[kind], dtype=object)
        columns[f"category {position}"] = labels[rng.integers(len(labels), size=n_samples)]
    for values in columns.values():
        values[rng.random(n_samples) < gaps] = np.nan
    return pd.DataFrame({name: columns[name] for name in rng.permutation(list(columns))})


def random_target(rng, frame, n_classes, labels):
    """Classes that follow each column's values, also its gaps, with noise."""
    evidence = np.zeros((len(frame), n_classes))
    for name in frame:
        codes, values = pd.factorize(frame[name].astype(str))
        effects = rng.normal(size=(len(values), n_classes))
        evidence += effects[codes]
    y = (evidence + 0.5 * rng.normal(size=evidence.shape)).argmax(axis=1)
    y[: 4 * n_classes] = np.arange(4 * n_classes) % n_classes
    return LABELS[labels][y]


def mark_categories(frame, categorical, marking):
    """The table, the model's parameter, and how the table is handed over."""
    mask = [name in categorical for name in frame]
    if marking == "dtype":
        return frame.astype(dict.fromkeys(categorical, "category")), "from_dtype", lambda table: table
    if marking == "array":
        return frame, mask, lambda table: table.to_numpy(dtype=object)
    parameter = {"mask": mask, "names": list(categorical), "positions": np.flatnonzero(mask).tolist()}[marking]
    return frame, parameter, lambda table: table


def fitted(
    seed, n_classes, labels, numbers, categories, marking, gaps=0.2, weights=False, is_monotonic=False, **parameters
):
    rng = np.random.default_rng(seed)
    frame = random_frame(rng, numbers, categories, 120, gaps)
    y = random_target(rng, frame, n_classes, labels)
    categorical = tuple(name for name in frame if name.startswith("category"))
    frame, marked, as_input = mark_categories(frame, categorical, marking)
    if is_monotonic and n_classes == 2:
        parameters["monotonic_cst"] = [0 if name in categorical else int(rng.integers(-1, 2)) for name in frame]
    model = HistGradientBoostingClassifier(categorical_features=marked, random_state=0, **parameters)
    sample_weight = rng.choice([0.2, 1.0, 3.0], size=len(frame)) if weights else None
    return Case(model.fit(as_input(frame), y, sample_weight=sample_weight), frame, categorical, as_input)


cases = st.builds(
    fitted,
    seed=st.integers(0, 2**32 - 1),
    n_classes=st.integers(2, 4),
    labels=st.sampled_from(list(LABELS)),
    numbers=st.lists(st.sampled_from(list(NUMBERS)), min_size=1, max_size=3),
    categories=st.lists(st.sampled_from(list(CATEGORIES)), max_size=3),
    marking=st.sampled_from(["dtype", "mask", "names", "positions", "array"]),
    gaps=st.sampled_from([0.0, 0.2]),
    weights=st.booleans(),
    max_iter=st.integers(1, 4),
    learning_rate=st.sampled_from([0.05, 0.1, 1.0]),
    max_leaf_nodes=st.sampled_from([2, 4, 31, None]),
    max_depth=st.sampled_from([None, 1, 3]),
    min_samples_leaf=st.sampled_from([1, 5, 20]),
    l2_regularization=st.sampled_from([0.0, 1.0]),
    max_features=st.sampled_from([0.5, 1.0]),
    max_bins=st.sampled_from([60, 255]),
    class_weight=st.sampled_from([None, "balanced"]),
    interaction_cst=st.sampled_from([None, "no_interactions", "pairwise"]),
    is_monotonic=st.booleans(),
    early_stopping=st.booleans(),
    n_iter_no_change=st.just(2),
)
