"""Several forests as one whose probabilities are their weighted mean."""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from rulekit.core.arrays import FloatArray, IntArray, LabelArray
from rulekit.core.errors import UnsupportedEnsembleError
from rulekit.core.forest import Forest, Part, Tree


def averaged(model: Any, parts: Sequence[Part], classes: LabelArray, n_features: int) -> Forest:
    """One forest of the trees of all parts, which predicts the weighted mean of what the parts predict.

    Parameters
    ----------
    model : fitted model
        Named in errors.
    parts : sequence of Part
    classes : ndarray of shape (n_classes,)
    n_features : int
    """
    if not any(part.weight > 0 for part in parts):
        raise UnsupportedEnsembleError(f"All weights of the {type(model).__name__} are zero. Give some part a weight.")
    # A part without weight adds nothing, and its trees would only lengthen the search.
    parts = with_common_labels([part for part in parts if part.weight > 0])
    forests = [part.forest for part in parts]
    first = forests[0]
    # Without sets of categories there are no unknown ones.
    compared = forests if any(forest.set_features for forest in forests) else forests[:1]
    types = {np.dtype(forest.input_dtype) for forest in forests}
    input_dtype = types.pop() if len(types) == 1 else np.dtype(np.float64)
    is_plain = all(_is_plain(part, first, parts[0].weight) for part in parts)
    rounds = []
    for part in parts:
        thresholds = input_dtype != np.dtype(part.forest.input_dtype)
        for trees in part.forest.rounds:
            rounds.append(tuple(_in_whole(tree, part, len(classes), is_plain, thresholds) for tree in trees))
    return Forest(
        rounds=tuple(rounds),
        classes=classes,
        n_features=n_features,
        link="mean",
        input_dtype=input_dtype,
        handles_missing=all(forest.handles_missing for forest in forests),
        categories=_categories(model, forests),
        unknown_as_missing=_common(model, "unknown_as_missing", compared),
        missing_value=_common(model, "missing_value", forests),
        parts=() if is_plain else tuple(parts),
    )


def _is_plain(part: Part, first: Forest, weight: float) -> bool:
    """Whether averaging the trees of all parts is averaging the parts: each is a mean of as many trees."""
    is_mean = part.forest.link == "mean" and not part.forest.parts and part.calibrated is None
    is_kept = bool((part.columns >= 0).all())
    return is_mean and is_kept and part.weight == weight and len(part.forest.rounds) == len(first.rounds)


def _in_whole(tree: Tree, part: Part, n_classes: int, is_plain: bool, takes_cutoffs: bool) -> Tree:
    """A tree of a part, with its priors as distributions of the classes of the whole."""
    priors = in_columns(tree.priors, part.columns, n_classes)
    # The leaves of other parts add up to something that only the part can map to probabilities.
    values = in_columns(tree.values, part.columns, n_classes) if is_plain else priors
    thresholds = part.forest.cutoffs(tree) if takes_cutoffs else tree.thresholds
    return attrs.evolve(tree, priors=priors, values=values, thresholds=thresholds)


def in_columns(distributions: FloatArray, columns: IntArray, n_classes: int) -> FloatArray:
    """Distributions of a part's classes as distributions of all classes, of shape (n, n_classes).

    What belongs to a class that is left out, as the rest in one-vs-rest, is shared equally by the classes that the part
    does not name.
    """
    found = np.zeros((len(distributions), n_classes))
    kept = columns >= 0
    found[:, columns[kept]] = distributions[:, kept]
    if not kept.all():
        others = np.setdiff1d(np.arange(n_classes), columns[kept])
        found[:, others] = distributions[:, ~kept].sum(axis=1, keepdims=True) / len(others)
    return found


def _common(model: Any, name: str, forests: Sequence[Forest]) -> Any:
    """What all forests agree on; raise if they do not."""
    found = {getattr(forest, name) for forest in forests}
    if len(found) > 1:
        raise UnsupportedEnsembleError(
            f"Not supported: the ensembles in the {type(model).__name__} treat missing values or unknown categories "
            "differently. Use ensembles of one library, with the same `missing`."
        )
    return found.pop()


def with_common_labels(parts: Sequence[Part]) -> list[Part]:
    """Parts that code the categories of a feature alike, if unknown categories are in no set of theirs."""
    labels: dict[int, dict[Any, None]] = {}
    for part in parts:
        for feature, own in part.forest.categories.items():
            labels.setdefault(feature, {}).update(dict.fromkeys(own))
    return [attrs.evolve(part, forest=_recoded(part.forest, labels)) for part in parts]


def _recoded(forest: Forest, labels: Mapping[int, Mapping[Any, None]]) -> Forest:
    """The forest with these labels, in this order, of the features that it knows labels of."""
    new = {feature: tuple(labels[feature]) for feature in forest.categories}
    if forest.unknown_as_missing or new == {feature: tuple(own) for feature, own in forest.categories.items()}:
        return forest
    codes = {
        feature: dict(enumerate(new[feature].index(label) for label in own))
        for feature, own in forest.categories.items()
    }

    def recoded(tree: Tree) -> Tree:
        splits = {
            node: attrs.evolve(
                split, codes=frozenset(codes.get(int(tree.features[node]), {}).get(code, code) for code in split.codes)
            )
            for node, split in tree.category_splits.items()
        }
        return attrs.evolve(tree, category_splits=splits)

    return attrs.evolve(
        forest,
        rounds=tuple(tuple(recoded(tree) for tree in trees) for trees in forest.rounds),
        categories=new,
        parts=tuple(attrs.evolve(part, forest=_recoded(part.forest, labels)) for part in forest.parts),
    )


def _categories(model: Any, forests: Sequence[Forest]) -> Mapping[int, tuple[Any, ...]]:
    """Category labels by feature and code; raise if two forests code a feature differently."""
    found: dict[int, tuple[Any, ...]] = {}
    for forest in forests:
        for feature, labels in forest.categories.items():
            if found.setdefault(feature, tuple(labels)) != tuple(labels):
                raise UnsupportedEnsembleError(
                    f"Not supported: the ensembles in the {type(model).__name__} code the categories of column "
                    f"{feature + 1} differently. Fit them on columns of the type `category` that has all labels."
                )
    return found


def on_features(forest: Forest, features: IntArray, n_features: int) -> Forest:
    """A forest that was trained on some columns of a table, as one on the whole table.

    Parameters
    ----------
    forest : Forest
    features : ndarray of shape (n_part_features,)
        The column of the table that each of its features is.
    n_features : int
        Columns of the table.
    """
    if np.array_equal(features, np.arange(n_features)):
        return forest

    def moved(tree: Tree) -> Tree:
        return attrs.evolve(tree, features=np.where(tree.features < 0, -1, features[tree.features]))

    return attrs.evolve(
        forest,
        rounds=tuple(tuple(moved(tree) for tree in trees) for trees in forest.rounds),
        n_features=n_features,
        categories={int(features[feature]): labels for feature, labels in forest.categories.items()},
        parts=tuple(attrs.evolve(part, forest=on_features(part.forest, features, n_features)) for part in forest.parts),
    )
