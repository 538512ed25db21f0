"""Adapters that break a promise are caught, by the check that is meant for it."""

from typing import ClassVar

import attrs
import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier
from testing.catching import assert_caught, assert_every_check_is_tried, assert_only_caught, caught_by, of_one_fault
from testing.test_every_component import SHARED

from rulekit.adapters.sklearn_hist_gradient_boosting import SklearnHistGradientBoostingAdapter
from rulekit.adapters.sklearn_trees import SklearnForestAdapter, SklearnTreeAdapter, read_classifier
from rulekit.core.forest import CategorySplit, Forest, Tree
from rulekit.core.interfaces import Adapter
from rulekit.testing import check_adapter
from rulekit.testing.adapter_models import FittedModel, Models
from rulekit.testing.forests import samples_at_thresholds
from rulekit.testing.tables import numeric_tables, table_with_categories
from rulekit.testing.world import COLOURS


class Changed(SklearnTreeAdapter):
    """Reads a tree and changes what it has read."""

    def forest(self, model):
        forest = super().forest(model)
        ((tree,),) = forest.rounds
        return attrs.evolve(forest, rounds=((self.change(tree),),))

    def change(self, tree):
        return tree


class FittedOnly(SklearnTreeAdapter):
    def accepts(self, model):
        return super().accepts(model) and not hasattr(model, "tree_")


class Truthy(SklearnTreeAdapter):
    def accepts(self, model):
        return 1 if super().accepts(model) else False


class ByName(SklearnTreeAdapter):
    def accepts(self, model):
        return type(model).__name__ in ("DecisionTreeClassifier", "ExtraTreeClassifier")


class Everything(SklearnTreeAdapter):
    def accepts(self, model):
        return True


class Imports(SklearnTreeAdapter):
    def accepts(self, model):
        from sklearn.tree import BaseDecisionTree

        return isinstance(model, BaseDecisionTree)


class Loop(Changed):
    def change(self, tree):
        return attrs.evolve(tree, left=np.zeros_like(tree.left))


class OneChild(Changed):
    def change(self, tree):
        return attrs.evolve(tree, right=tree.left)


class OutOfRange(Changed):
    def change(self, tree):
        return attrs.evolve(tree, right=np.where(tree.features >= 0, len(tree.features), tree.right))


class NoTrees(SklearnTreeAdapter):
    def forest(self, model):
        return attrs.evolve(super().forest(model), rounds=())


class PriorsOfCounts(Changed):
    def change(self, tree):
        return attrs.evolve(tree, priors=tree.priors * 10)


class OneColumn(Changed):
    def change(self, tree):
        return attrs.evolve(tree, values=tree.values[:, :1])


class Positions(SklearnTreeAdapter):
    """Names the classes by their positions."""

    def forest(self, model):
        return attrs.evolve(super().forest(model), classes=np.arange(len(model.classes_)))


class MoreFeatures(SklearnTreeAdapter):
    def forest(self, model):
        return attrs.evolve(super().forest(model), n_features=99)


class Reversed(Changed):
    def change(self, tree):
        return attrs.evolve(tree, values=tree.values[:, ::-1])


class Below(Changed):
    """Takes `x < t` for `x <= t`."""

    def change(self, tree):
        thresholds = np.nextafter(tree.thresholds.astype(np.float32), np.float32(-np.inf)).astype(float)
        return attrs.evolve(tree, thresholds=thresholds)


class Unrounded(SklearnTreeAdapter):
    """Forgets that the library compares in float32."""

    def forest(self, model):
        return attrs.evolve(super().forest(model), input_dtype=np.float64)


class OtherWay(Changed):
    """Sends missing values the other way."""

    def change(self, tree):
        return attrs.evolve(tree, missing_left=~tree.missing_left)


class OtherCategories(SklearnHistGradientBoostingAdapter):
    """Sends categories the other way."""

    def forest(self, model):
        forest = super().forest(model)
        rounds = tuple(tuple(self.change(tree) for tree in trees) for trees in forest.rounds)
        return attrs.evolve(forest, rounds=rounds)

    def change(self, tree):
        turned = {node: CategorySplit(split.codes, not split.goes_left) for node, split in tree.category_splits.items()}
        return attrs.evolve(tree, category_splits=turned)


class OtherSide(OtherCategories):
    """Lists the categories that go the other way, which is the same for those that were there in training."""

    def forest(self, model):
        return attrs.evolve(super().forest(model), unknown_as_missing=False)

    def change(self, tree):
        everything = frozenset(range(len(COLOURS)))
        turned = {
            node: CategorySplit(everything - split.codes, not split.goes_left)
            for node, split in tree.category_splits.items()
        }
        return attrs.evolve(tree, category_splits=turned)


class FractionsForCodes(Changed):
    """Takes the values that go left for categories, though they are fractions."""

    def change(self, tree):
        values = np.round(np.arange(-500, 500) / 100, 2)
        splits = {
            node: CategorySplit(frozenset(values[values <= tree.thresholds[node]].tolist()))
            for node in np.flatnonzero(tree.features >= 0).tolist()
        }
        return attrs.evolve(tree, category_splits=splits)


class SaysItReadsCategories(SklearnTreeAdapter):
    reads_categories: ClassVar[bool] = True


class Prunes(SklearnTreeAdapter):
    """Empties the leaves of the model that it reads."""

    def forest(self, model):
        forest = super().forest(model)
        model.tree_.value[:] = 0.5
        return forest


class Marks(SklearnTreeAdapter):
    def forest(self, model):
        model.was_read = True
        return super().forest(model)


class Renames(SklearnTreeAdapter):
    def forest(self, model):
        model.max_depth = 1
        return super().forest(model)


class Fractions(Changed):
    """Hands out the model's own array."""

    def forest(self, model):
        self.own_ = model.tree_.value[:, 0, :]
        return super().forest(model)

    def change(self, tree):
        return attrs.evolve(tree, values=self.own_)


class Bags(SklearnTreeAdapter):
    """Says that the one tree saw the first half of the samples."""

    def unseen_samples(self, model, n_samples):
        return iter([np.arange(n_samples) >= n_samples // 2]) if n_samples == 90 else None


class CountsTrees(Bags):
    def unseen_samples(self, model, n_samples):
        found = super().unseen_samples(model, n_samples)
        return None if found is None else iter([*found] * 2)


class SawNothing(Bags):
    def unseen_samples(self, model, n_samples):
        return iter([np.ones(n_samples, dtype=bool)]) if n_samples == 90 else None


class TellsPositions(Bags):
    def unseen_samples(self, model, n_samples):
        return iter([np.arange(n_samples // 2)]) if n_samples == 90 else None


class DrawsAgain(Bags):
    def unseen_samples(self, model, n_samples):
        return iter([np.random.default_rng().random(n_samples) < 0.5]) if n_samples == 90 else None


class TellsAnybody(Bags):
    """Does not look at how many samples there were."""

    def unseen_samples(self, model, n_samples):
        return iter([np.arange(n_samples) >= n_samples // 2])


class SeenForUnseen(SklearnForestAdapter):
    """Takes the samples in the bag for those out of it."""

    def unseen_samples(self, model, n_samples):
        unseen = super().unseen_samples(model, n_samples)
        return None if unseen is None else (~samples for samples in unseen)


class AsksForAttributes(SklearnTreeAdapter):
    """Reads a tree without a look at whether it is fitted, nor at how many targets it has."""

    def forest(self, model):
        labels = model.classes_ if isinstance(model.classes_, np.ndarray) else model.classes_[0]
        tree = read_classifier(model, np.arange(len(labels)), len(labels))
        return Forest(((tree,),), labels, model.n_features_in_, "mean", handles_missing=True)


class Stump(ClassifierMixin, BaseEstimator):
    """A model that no registered ensemble makes: one split of the first column, into two classes."""

    def fit(self, X, y):
        X = np.asarray(X, dtype=float)
        self.classes_ = np.unique(y)
        if len(self.classes_) != 2:
            raise ValueError("two classes, please")
        if np.isnan(X).any():
            raise ValueError("no missing values, please")
        self.n_features_in_ = X.shape[1]
        self.cut_ = float(np.median(X[:, 0]))
        right = X[:, 0] > self.cut_
        self.fractions_ = np.array([np.mean(y[right == side] == self.classes_[1]) for side in (False, True)])
        return self

    def predict_proba(self, X):
        positive = self.fractions_[(np.asarray(X, dtype=float)[:, 0] > self.cut_).astype(int)]
        return np.column_stack([1 - positive, positive])

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class StumpAdapter(Adapter):
    """Keeps every promise."""

    def accepts(self, model):
        return type(model).__name__ == "Stump" and type(model).__module__ == __name__

    def forest(self, model):
        if not hasattr(model, "cut_"):
            from rulekit.core.errors import UnfittedEnsembleError

            raise UnfittedEnsembleError("The Stump is not fitted. Fit it first.")
        positive = np.array([0.5, *model.fractions_])
        fractions = np.column_stack([1 - positive, positive])
        tree = Tree(
            features=np.array([0, -1, -1]),
            thresholds=np.array([model.cut_, 0.0, 0.0]),
            left=np.array([1, 0, 0]),
            right=np.array([2, 0, 0]),
            values=fractions,
            priors=fractions,
        )
        return Forest(((tree,),), model.classes_, model.n_features_in_, "mean", input_dtype=np.float64)


class Counts(StumpAdapter):
    """Counts what it has read, and leans on it."""

    def forest(self, model):
        self.n_read_ = getattr(self, "n_read_", 0) + 1
        forest = super().forest(model)
        return forest if self.n_read_ < 2 else attrs.evolve(forest, input_dtype=np.float32, rounds=forest.rounds * 2)


BROKEN = [
    (FittedOnly(), "check_accepts_its_models", "False for a fitted DecisionTreeClassifier, two classes."),
    (Truthy(), "check_accepts_its_models", "1 for an unfitted DecisionTreeClassifier."),
    (ByName(), "check_accepts_nothing_else", "True for somewhere.else.DecisionTreeClassifier."),
    (Everything(), "check_accepts_nothing_else", "True for sklearn.linear_model._logistic.LogisticRegression."),
    (Imports(), "check_accepts_imports_nothing", "called with a DecisionTreeClassifier, it imports sklearn.tree."),
    (Loop(), "check_trees_are_valid", "DecisionTreeClassifier, two classes, tree 0: two paths to node 0."),
    (OutOfRange(), "check_trees_are_valid", "nodes."),
    (NoTrees(), "check_trees_are_valid", "DecisionTreeClassifier, two classes: a forest without trees."),
    (PriorsOfCounts(), "check_trees_are_valid", "priors of the leaves: row 0 is"),
    (OneColumn(), "check_trees_are_valid", ", 1)."),
    (Positions(), "check_classes_and_features", "the classes [0, 1] instead of ['sick', 'well']."),
    (MoreFeatures(), "check_classes_and_features", "two classes: 99 features, not 4."),
    (Reversed(), "check_probabilities", "DecisionTreeClassifier, two classes, training samples: row 0 is"),
    (Below(), "check_probabilities_at_thresholds", "DecisionTreeClassifier, two classes, samples at thresholds: row"),
    (Unrounded(), "check_probabilities_at_thresholds", "samples at thresholds: row"),
    (OneChild(), "check_trees_are_valid", "two paths to node"),
    (FractionsForCodes(), "check_leaves_partition_the_space", "another rule, or several or none, at (tree, sample)"),
    (OtherWay(), "check_missing_values", "DecisionTreeClassifier, missing values, samples with missing values: row"),
    (OtherCategories(), "check_categories", "HistGradientBoostingClassifier, categories, training samples: row"),
    (OtherSide(), "check_unknown_categories", "samples of a category not seen in training: row"),
    (SaysItReadsCategories(), "check_categories", "no model could be fitted on a table whose column 'colour'"),
    (Prunes(), "check_model_is_not_changed", "two classes, probabilities after it was read: row 0 is"),
    (Marks(), "check_model_is_not_changed", "it has new attributes was_read."),
    (Renames(), "check_model_is_not_changed", "two classes: other parameters."),
    (Fractions(), "check_model_is_not_changed", "two classes, probabilities after its forest was modified: row"),
    (CountsTrees(), "check_unseen_samples", "DecisionTreeClassifier, two classes: 2 trees, not 1."),
    (SawNothing(), "check_unseen_samples", "two classes, tree 0: no sample was seen."),
    (TellsPositions(), "check_unseen_samples", "tree 0: the shape (45,) instead of (90,)."),
    (DrawsAgain(), "check_unseen_samples", "tree 0: other samples the second time."),
    (TellsAnybody(), "check_unseen_samples_of_other_tables", "for 89 samples."),
    (SeenForUnseen(), "check_out_of_bag", "RandomForestClassifier, two classes, out of bag: row 0 is"),
    (
        AsksForAttributes(),
        "check_unfitted_models_raise",
        "AttributeError: 'DecisionTreeClassifier' object has no",
    ),
    (AsksForAttributes(), "check_several_targets_raise", "a DecisionTreeClassifier with two targets: "),
]


@pytest.mark.parametrize(("component", "check", "got"), BROKEN, ids=lambda value: str(value)[:40])
def test_a_broken_adapter_is_caught(component, check, got):
    assert_caught(check, component, got)


#: What is no tree cannot be walked through, and leaves that say something else say it everywhere.
SPOILING_MORE = (
    Everything,
    Loop,
    OneChild,
    OutOfRange,
    NoTrees,
    PriorsOfCounts,
    OneColumn,
    Reversed,
    Below,
    Unrounded,
    FractionsForCodes,
    SaysItReadsCategories,
    Prunes,
    Fractions,
    AsksForAttributes,
)


@pytest.mark.parametrize(
    ("component", "check", "got"), of_one_fault(BROKEN, SPOILING_MORE), ids=lambda value: str(value)[:40]
)
def test_no_other_check_fails_for_a_broken_adapter(component, check, got):
    assert_only_caught(check, component)


def test_every_check_catches_something():
    assert_every_check_is_tried(BROKEN, SklearnTreeAdapter(), elsewhere=SHARED)


def test_an_adapter_that_remembers_is_caught():
    message = caught_by("check_refit_forgets", Counts(), models=[Stump()])
    assert "Stump, two classes, after other uses: probabilities: row" in message


def test_an_adapter_of_a_model_of_its_own_is_tried_on_models_that_are_passed():
    check_adapter(StumpAdapter(), models=[Stump()])


def test_an_adapter_without_a_model_to_check_it_on_fails():
    message = caught_by("check_probabilities", StumpAdapter())
    assert "no model to check it on: it accepts neither the models passed as `models`" in message


def test_a_model_that_cannot_be_fitted_at_all_fails_with_its_own_words():
    class Stubborn(Stump):
        def fit(self, X, y):
            raise ValueError("not today")

    class StubbornAdapter(StumpAdapter):
        def accepts(self, model):
            return type(model) is Stubborn

    message = caught_by("check_probabilities", StubbornAdapter(), models=[Stubborn()])
    assert "no model could be fitted: Stubborn, two classes: ValueError: not today; Stubborn, three classes" in message


def test_a_model_that_was_passed_and_is_not_accepted_is_named():
    message = caught_by("check_accepts_its_models", SklearnTreeAdapter(), models=[Stump()])
    assert "False for an unfitted Stump." in message


def test_models_on_the_table_with_categories_split_on_them():
    """Else the check of categories would say nothing."""
    (fitted,) = Models(SklearnHistGradientBoostingAdapter()).on([table_with_categories()])
    trees = [tree for trees in fitted.read_by(SklearnHistGradientBoostingAdapter()).rounds for tree in trees]
    assert any(tree.category_splits for tree in trees)


def test_samples_lie_at_each_threshold_and_on_either_side_of_it():
    """Also by one step of float64 only."""
    table = numeric_tables()[0].as_array()
    model = DecisionTreeClassifier(max_depth=2, random_state=0).fit(table.X, table.y)
    forest = FittedModel(model, table).read_by(SklearnTreeAdapter())
    samples = samples_at_thresholds(forest, table.X)
    for feature, threshold in zip(model.tree_.feature, model.tree_.threshold, strict=True):
        if feature >= 0:
            wanted = {threshold, np.nextafter(threshold, -np.inf), np.nextafter(threshold, np.inf)}
            assert wanted <= set(samples[:, feature].tolist())
