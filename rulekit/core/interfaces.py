"""The seams: what a part must offer so that it can be swapped for another.

Every component is a scikit-learn `BaseEstimator`: `__init__` stores its explicit parameters and does nothing else, so
that `get_params`, `set_params`, `clone` and grid search work on it.
"""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Self

from sklearn.base import BaseEstimator

if TYPE_CHECKING:
    from rulekit.core.arrays import BoolArray, FloatArray, IntArray
    from rulekit.core.batch import RuleBatch
    from rulekit.core.context import SearchContext
    from rulekit.core.forest import Forest
    from rulekit.core.index import TrainingIndex
    from rulekit.core.rules import Rules
    from rulekit.ruleset import RuleSet


class Adapter(BaseEstimator, metaclass=ABCMeta):
    """Reads one family of fitted models into a neutral `Forest`."""

    #: True for models that can be fitted on the class labels 0, 1, 2, … only: they are then fitted on the labels'
    #: positions, and the rules speak of the labels.
    integer_labels: ClassVar[bool] = False
    #: True for models that read categorical columns of a data frame as they are.
    reads_categories: ClassVar[bool] = False

    @abstractmethod
    def accepts(self, model: Any) -> bool:
        """Whether this adapter reads `model`, fitted or not.

        Called for every model and every adapter: match by module and class name, import nothing.
        """

    def with_categories_of(self, model: Any, table: Any) -> Adapter:
        """Know the labels in a table too, for models that do not keep them; returns the adapter to use."""
        return self

    @abstractmethod
    def forest(self, model: Any) -> Forest:
        """Describe a fitted model; the model is not changed."""


class PriorCombiner(BaseEstimator, metaclass=ABCMeta):
    """Joins the local class distributions of two rules into that of their conjunction."""

    #: False for a combiner that does not treat the rule so far and the leaf alike.
    is_symmetric: ClassVar[bool] = True

    @abstractmethod
    def combine(
        self, left: FloatArray, right: FloatArray, left_support: IntArray, right_support: IntArray
    ) -> FloatArray:
        """Distributions of all pairs.

        Parameters
        ----------
        left : ndarray of shape (n_left, n_classes)
        right : ndarray of shape (n_right, n_classes)
        left_support : ndarray of shape (n_left,)
            Training records that each left rule covers.
        right_support : ndarray of shape (n_right,)

        Returns
        -------
        priors : ndarray of shape (n_left, n_right, n_classes)
            Rows along the last axis sum to one.
        """


class ProbabilityEstimator(BaseEstimator, metaclass=ABCMeta):
    """States class probabilities for rules, during the search, for the final rules, or both."""

    #: False for an estimator that never reads `counts` or `support` of a batch: the search then uses approximate
    #: supports too and counts no record for candidates that it throws away.
    reads_records: ClassVar[bool] = True

    def hold_back(self, y: IntArray) -> BoolArray | None:
        """Which training records to keep from the search, and from an ensemble that is fitted there; None for none.

        As the final estimator it is then fitted on these records alone, and batches count these alone: records that did
        not help to choose a rule cannot flatter it. It must answer the same to the same `y`.

        Parameters
        ----------
        y : ndarray of shape (n_records,)
            Classes, as positions among the labels. Every class must keep a record for the search.
        """
        return None

    def fit(self, index: TrainingIndex) -> Self:
        """Learn what does not depend on a rule, once per extraction."""
        return self

    @abstractmethod
    def estimate(self, rules: RuleBatch) -> FloatArray:
        """Class probabilities of shape (n_rules, n_classes); every row sums to one.

        Called on batches, never on single rules. A rule's row must not depend on the others in the batch.
        """

    def support(self, rules: RuleBatch) -> FloatArray:
        """Number of records that each rule covers, exact or as the estimator approximates it; shape (n_rules,)."""
        return rules.support.astype(float)


class SearchStage(BaseEstimator, metaclass=ABCMeta):
    """One step of the loop over the trees."""

    def begin(self, context: SearchContext) -> None:
        """Forget an earlier search; called once before the first tree."""


class CombineStage(SearchStage):
    """Makes candidates from the rules so far and those of the next tree."""

    @abstractmethod
    def combine(self, rules: Rules, tree_rules: Rules, context: SearchContext) -> Rules:
        """Candidates, each the union of an antecedent of `rules` and one of `tree_rules`."""


class CoverStage(SearchStage):
    """Chooses among candidates."""

    @abstractmethod
    def cover(self, candidates: Rules, context: SearchContext) -> Rules:
        """A subset of the candidates, in the order in which they were chosen."""


class SimplifyStage(SearchStage):
    """Shortens rules, and drops those that are not needed any more."""

    @abstractmethod
    def simplify(self, rules: Rules, context: SearchContext) -> Rules:
        """Rules none of which covers fewer records than the one it came from."""


class InferenceMode(BaseEstimator, metaclass=ABCMeta):
    """Turns the rules that match a record into its class probabilities."""

    @abstractmethod
    def infer(self, matches: BoolArray, ruleset: RuleSet) -> FloatArray:
        """Class probabilities of records.

        Parameters
        ----------
        matches : ndarray of shape (n_rules, n_records)
            Which records satisfy which non-default rule, in the order of the ruleset.
        ruleset : RuleSet
            `ruleset.probabilities` has one row more than `matches`: the last is the default rule's.

        Returns
        -------
        probabilities : ndarray of shape (n_records, n_classes)
            The default rule's row wherever no rule matches.
        """

    def infer_records(self, matches: BoolArray, X: FloatArray, ruleset: RuleSet) -> FloatArray:
        """As `infer`, for a mode that looks at the records' values too; this is what a ruleset calls.

        Parameters
        ----------
        matches : ndarray of shape (n_rules, n_records)
        X : ndarray of shape (n_records, n_features)
            Values as numbers, categories as codes.
        ruleset : RuleSet
        """
        return self.infer(matches, ruleset)
