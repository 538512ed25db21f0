"""Whether a forest, its leaves and its rules agree with the answers of the library that trained the model."""

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.forest import Forest
from rulekit.core.interfaces import Adapter
from rulekit.plugin import DecisionList, RuleMethod, TrainingData
from rulekit.ruleset import RuleSet
from rulekit.testing.adapters import TOLERANCE
from rulekit.testing.comparison import expect_close
from rulekit.testing.conformance import Broken, ConformanceError, called, expect
from rulekit.testing.forests import expect_trees, matches_other_leaves, reached_leaves
from rulekit.testing.fuzz.library import library_leaves, library_probabilities


class LeafRules(RuleMethod):
    """Every leaf of every tree as a rule: the whole way from a model to rules, without a search."""

    def extract(self, data: TrainingData, components: dict[str, Any]) -> RuleSet:
        """The rules of the leaves, tree by tree from left to right."""
        self.forest_ = data.forest
        leaves = data.leaf_rules()
        probabilities = np.vstack([leaves.priors, data.class_counts / data.n_samples])
        return RuleSet.from_rules(data, leaves.conditions, probabilities, DecisionList())


@attrs.define(eq=False)
class Difference(Exception):
    """Where rulekit and a library differ.

    Attributes
    ----------
    kind : {"classes", "probabilities", "leaves", "rules"}
    message : str
    rows : tuple of int
        Samples that show it.
    """

    kind: str
    message: str
    rows: tuple[int, ...] = ()


@attrs.frozen(eq=False)
class ComparedModel:
    """A model as rulekit reads it, to be compared with the model itself.

    Attributes
    ----------
    rules : LeafRules
        Fitted.
    missing : float
        The number that the adapter treats as a missing value.
    """

    rules: LeafRules
    missing: float

    @classmethod
    def read(cls, adapter: Adapter, model: Any, X: Any, y: Any) -> "ComparedModel":
        """Read a model, or fit a clone of an unfitted one."""
        rules = LeafRules(model, adapter=adapter).fit(X, y)
        expect_trees(rules.forest_, type(rules.ensemble_).__name__)
        if rules.classes_.tolist() != np.unique(rules.classes_).tolist():
            raise Difference("classes", f"{rules.classes_.tolist()} are not sorted, as scikit-learn's metrics expect")
        return cls(rules, getattr(adapter, "missing", np.nan))

    @property
    def forest(self) -> Forest:
        """The model in neutral form."""
        return self.rules.forest_

    def library_answers(self, table: Any) -> tuple[FloatArray, list[IntArray] | None]:
        """The library's probabilities, its columns in the forest's order, and its leaves."""
        model = self.rules.ensemble_
        probabilities = library_probabilities(model, table, self.missing)
        return probabilities[:, self._columns(model)], library_leaves(model, table, self.missing)

    def _columns(self, model: Any) -> list[int]:
        """The library's column of each class of the forest."""
        own = np.asarray(getattr(model, "classes_", np.arange(len(self.forest.classes)))).tolist()
        wanted = self.forest.classes.tolist()
        # A library that takes class indices only was fitted on those of the sorted labels.
        return [own.index(label) for label in wanted] if set(own) == set(wanted) else list(range(len(wanted)))

    def compare(self, table: Any, answers: tuple[FloatArray, list[IntArray] | None]) -> None:
        """Raise a `Difference` unless rulekit answers a table as the library does."""
        probabilities, leaves = answers
        numbers = self.rules.ruleset_.as_numbers(table)
        _compare("rules", self.rules.predict_proba(table), self.rules.ruleset_.answer(numbers), "as the ruleset's")
        _compare("probabilities", self.forest.predict_proba(numbers), probabilities, "as the library's")
        reached = reached_leaves(self.forest, numbers)
        if leaves is not None:
            _compare_leaves(reached, leaves)
        others = np.argwhere(matches_other_leaves(self.forest, numbers, self.rules.ruleset_.matches_of(numbers)))
        for tree, row in others[:1].tolist():
            raise Difference("rules", f"sample {row} satisfies another rule of tree {tree} than its leaf's", (row,))


def _compare(kind: str, actual: FloatArray, expected: FloatArray, what: str) -> None:
    try:
        expect_close(actual, expected, f"probabilities, not {what}", TOLERANCE)
    except Broken as broken:
        apart = ~np.isclose(actual, expected, TOLERANCE, TOLERANCE) if actual.shape == expected.shape else None
        rows = () if apart is None else (int(np.flatnonzero(apart.any(axis=1))[0]),)
        raise Difference(kind, str(broken), rows) from None


def _compare_leaves(own: Sequence[IntArray], theirs: Sequence[IntArray]) -> None:
    """Raise unless samples share a leaf exactly where the library's do: it may number them in another way."""
    if len(own) != len(theirs):
        raise Difference("leaves", f"{len(own)} trees, but the library has {len(theirs)}")
    for position, (ours, library) in enumerate(zip(own, theirs, strict=True)):
        first_here: dict[int, int] = {}
        first_there: dict[int, int] = {}
        for row, (leaf, other) in enumerate(zip(ours.tolist(), library.tolist(), strict=True)):
            here, there = first_here.setdefault(leaf, row), first_there.setdefault(other, row)
            if here != there:
                first = min(here, there)
                did = "joins" if first == here else "separates"
                message = f"tree {position} {did} samples {first} and {row}, and the library does not"
                raise Difference("leaves", message, (first, row))


def check_agreement(adapter: Adapter, model: Any, X: Any, y: Any, asked: Any = None) -> None:
    """Raise a `ConformanceError` unless the forest, leaves and rules of a model agree with its library.

    Parameters
    ----------
    adapter : Adapter
    model : classifier
        Fitted on `X` and `y`, or unfitted: rulekit then fits a clone of it.
    X : DataFrame or ndarray of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    asked : DataFrame or ndarray of shape (n_asked, n_features), optional
        Samples to compare at; by default the training samples.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import HistGradientBoostingClassifier
    >>> from rulekit.adapters.sklearn_hist_gradient_boosting import SklearnHistGradientBoostingAdapter
    >>> X, y = load_iris(return_X_y=True)
    >>> model = HistGradientBoostingClassifier(max_iter=3).fit(X, y)
    >>> check_agreement(SklearnHistGradientBoostingAdapter(), model, X, y)
    """
    try:
        compared = ComparedModel.read(adapter, model, X, y)
        expect(compared.forest.rounds, "a forest without trees.")
        table = X if asked is None else asked
        compared.compare(table, compared.library_answers(table))
    except (Broken, Difference) as error:
        got = error.message if isinstance(error, Difference) else str(error)
        raise ConformanceError(f"{called(adapter)} does not agree with the library: {got}") from None
