"""The interfaces of the kinds of components: what a component must implement to replace another.

Every component is a scikit-learn `BaseEstimator`: `__init__` stores its explicit parameters and does nothing else, so
`get_params`, `set_params`, `clone` and grid search work on it.
"""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator

from rulekit.core.conditions import first_match

if TYPE_CHECKING:
    from os import PathLike

    from pandas import DataFrame

    from rulekit.core.arrays import BoolArray, FloatArray, IntArray, LabelArray
    from rulekit.core.context import SearchContext
    from rulekit.core.evaluated import Evaluated
    from rulekit.core.forest import Forest
    from rulekit.core.rules import Refined, RuleBatch, RuleList, Rules
    from rulekit.core.training_data import TrainingData
    from rulekit.ruleset import RuleSet
    from rulekit.study.report import Section
    from rulekit.study.statistics import StoredRules


class Adapter(BaseEstimator, metaclass=ABCMeta):
    """Reads one family of fitted models into a neutral `Forest`."""

    #: True for models that can be fitted on the class labels 0, 1, 2, … only: they are then fitted on the class
    #: indices, and the rules name the labels.
    integer_labels: ClassVar[bool] = False
    #: True for models that read categorical columns of a data frame as they are.
    reads_categories: ClassVar[bool] = False

    @abstractmethod
    def accepts(self, model: Any) -> bool:
        """Whether this adapter reads `model`, fitted or not.

        Called for every model and every adapter: match by module and class name, import nothing.
        """

    def takes_categories(self, model: Any) -> bool:
        """Whether this model, fitted or not, reads categorical columns of a data frame as they are.

        Optional: `reads_categories`, by default, which holds for all models of an adapter.
        """
        return self.reads_categories

    def absent_is_missing(self, model: Any) -> bool:
        """Whether this model's library takes what a sparse matrix does not store for a missing value.

        Optional: False, by default: it is 0.
        """
        return False

    def check_table(self, model: Any, X: Any) -> None:
        """Raise `UnsupportedDataError` if the model's library cannot read a table, such as one with other column types.

        Called before a model is fitted here, and before it predicts here. Optional: by default, the library itself
        rejects what it does not support.

        Parameters
        ----------
        model : model, fitted or not
        X : array or table of shape (n_samples, n_features)
        """

    def check_classes(self, model: Any, classes: LabelArray) -> None:
        """Raise `UnsupportedDataError` if the model's library cannot tell these labels apart, or cannot read one.

        Called before a model is fitted here, unless `integer_labels` is set. Optional, as `check_table`.

        Parameters
        ----------
        model : unfitted model
        classes : ndarray of shape (n_classes,)
            Sorted labels.
        """

    def with_categories_of(self, model: Any, table: Any) -> Adapter:
        """Return an adapter that takes category labels from a table, for models that do not store them."""
        return self

    def check_categories_of(self, model: Any, table: Any) -> None:
        """Raise if a table may code its categories otherwise than the table that the model was trained on.

        Optional: called for models that were not fitted by rulekit itself, for libraries that do not store labels
        reliably.
        """
        return None

    @abstractmethod
    def forest(self, model: Any) -> Forest:
        """Describe a fitted model; the model is not changed."""

    def accepts_regressor(self, model: Any) -> bool:
        """Whether this adapter reads `model`, fitted or not, as one that predicts a number; see `accepts`.

        Optional: False, by default.
        """
        return False

    def regression_forest(self, model: Any) -> Forest:
        """Describe a fitted regressor that the adapter accepts: a forest without classes, whose trees have no priors.

        Optional: only called for models that `accepts_regressor`.
        """
        raise NotImplementedError(f"{type(self).__name__} reads no regressors.")

    def unseen_samples(self, model: Any, n_samples: int) -> Iterator[BoolArray] | None:
        """Which training samples each tree did not see in training, for out-of-bag probabilities.

        Optional: None, the default, means that the model does not store this, or that every tree saw every sample.

        Parameters
        ----------
        model : fitted model
        n_samples : int
            Number of samples that the model was supposedly fitted on; return None if it was fitted on another number.

        Returns
        -------
        unseen : iterator of ndarrays of shape (n_samples,), or None
            One for each tree, in the order of the forest's rounds.
        """
        return None

    def was_fitted_on(self, model: Any, X: FloatArray) -> bool:
        """Whether the model was trained on these very samples, in this order; asked before `unseen_samples` is used.

        Optional: True, the default, means that the model does not tell.

        Parameters
        ----------
        model : fitted model
        X : ndarray of shape (n_samples, n_features)
            Values as the forest's trees compare them; as many samples as the model was fitted on.
        """
        return True

    def unseen_in(self, model: Any, X: FloatArray, y: IntArray) -> Iterator[BoolArray] | None:
        """Which of these samples each tree did not see; this is what rulekit calls.

        Optional: by default, `unseen_samples` answers, provided `was_fitted_on`. A model that was fitted on folds which
        depend on the classes overrides this method.

        Parameters
        ----------
        model : fitted model
        X : ndarray of shape (n_samples, n_features)
            Values as the forest's trees compare them.
        y : ndarray of shape (n_samples,)
            Class indices.
        """
        found = self.unseen_samples(model, len(X))
        return found if found is not None and self.was_fitted_on(model, X) else None


class UsesCounts(BaseEstimator, metaclass=ABCMeta):
    """A component that is handed counts of samples, which are sums of weights where samples have weights."""

    #: Whether it can be used with weights: counts are then sums of weights, whole or not, `data.total` is the sum of
    #: all, and `data.n_samples` is no longer comparable with counts. A class that overrides a method which sees more
    #: than counts has to say so for itself.
    supports_weights: ClassVar[bool] = False
    #: The methods through which it sees more than counts.
    _sees_samples: ClassVar[frozenset[str]] = frozenset()

    def __init_subclass__(cls, **options: Any) -> None:
        """Withdraw the inherited `supports_weights` from a subclass that overrides what looks at samples."""
        super().__init_subclass__(**options)
        if "supports_weights" not in vars(cls) and not vars(cls).keys().isdisjoint(cls._sees_samples):
            cls.supports_weights = False


class PriorCombiner(UsesCounts):
    """Joins the local class distributions of two rules into that of their conjunction."""

    supports_weights: ClassVar[bool] = True
    _sees_samples: ClassVar[frozenset[str]] = frozenset({"fit"})
    #: False for a combiner that does not treat both distributions alike.
    is_symmetric: ClassVar[bool] = True

    def fit(self, data: TrainingData) -> Self:
        """Learn what does not depend on a rule; called once per search, before the first tree."""
        return self

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
            Training samples that each left rule covers.
        right_support : ndarray of shape (n_right,)

        Returns
        -------
        priors : ndarray of shape (n_left, n_right, n_classes)
            Rows along the last axis sum to one.
        """


class ProbabilityEstimator(UsesCounts):
    """Estimates class probabilities of rules: in the search (search estimator), of the finished list, or both."""

    supports_weights: ClassVar[bool] = True
    _sees_samples: ClassVar[frozenset[str]] = frozenset({"fit", "estimate_list", "hold_back"})
    #: False for an estimator that never reads `counts` or `support` of a batch: the search then uses approximate
    #: supports too and counts no samples for candidates that it drops.
    uses_counts: ClassVar[bool] = True
    #: True for an estimator that speaks of the samples that each rule of a list answers: it can neither guide the
    #: search nor serve an inference mode in which several rules answer together.
    needs_order: ClassVar[bool] = False

    def hold_back(self, y: IntArray) -> BoolArray | None:
        """Which training samples to keep from the search, and from an ensemble that is fitted there; None for none.

        As the final estimator it is then fitted on these samples alone, and batches count these alone: estimates on
        samples that helped to choose a rule would be too optimistic. Called once per fit.

        Parameters
        ----------
        y : ndarray of shape (n_samples,)
            Class indices. Every class must keep a sample for the search.
        """
        return None

    def fit(self, data: TrainingData) -> Self:
        """Learn what does not depend on a rule; called once per fit."""
        return self

    @abstractmethod
    def estimate(self, rules: RuleBatch) -> FloatArray:
        """Class probabilities of shape (n_rules, n_classes); every row sums to one.

        Called on batches, never on single rules. A rule's row must not depend on the others in the batch. With weights,
        counts are sums of weights: a support may lie between 0 and 1.
        """

    def estimate_list(self, rules: RuleList) -> FloatArray:
        """Class probabilities of a finished list of rules and of its default rule; called once per fit.

        By default each rule gets the result of `estimate`, and the default rule the class fractions of the samples that
        no rule answers. An estimator that depends on the order of the rules, or on the samples that each one answers,
        overrides this method. What it sets as `report_`, a dict, becomes `final_report_` of the extractor.

        Returns
        -------
        probabilities : ndarray of shape (n_rules + 1, n_classes)
            One row per rule, in order, then one for the default rule; every row sums to one.
        """
        return np.vstack([self.estimate(rules), rules.default_fractions])

    def support(self, rules: RuleBatch) -> FloatArray:
        """Samples that each rule covers, or their weight, exact or as the estimator approximates it; (n_rules,)."""
        return rules.support.astype(float)


class SearchStage(UsesCounts):
    """One step of the loop over the trees."""

    _sees_samples: ClassVar[frozenset[str]] = frozenset({"begin", "combine", "cover", "simplify", "refine"})

    def begin(self, context: SearchContext) -> None:
        """Reset the state of an earlier search; called once before the first tree."""


class CombineStage(SearchStage):
    """Makes candidates from the rules so far and those of the next tree."""

    @abstractmethod
    def combine(self, rules: Rules, tree_rules: Rules, context: SearchContext) -> Rules:
        """Candidates, each the union of an antecedent of `rules` and one of `tree_rules`.

        `tree_rules` lacks the leaves that cover too few samples for `min_coverage` if the cover stage `obeys_coverage`.
        """


class CoverStage(SearchStage):
    """Chooses among candidates."""

    #: Whether every rule that it chooses exceeds the limits of coverage, `context.limits`. The rules of leaves that
    #: cover fewer samples are then not made, as no candidate can come from them.
    obeys_coverage: ClassVar[bool] = False

    @abstractmethod
    def cover(self, candidates: Rules, context: SearchContext) -> Rules:
        """A subset of the candidates, in the order in which they were chosen."""


class SimplifyStage(SearchStage):
    """Shortens rules, and drops those that are no longer needed."""

    @abstractmethod
    def simplify(self, rules: Rules, context: SearchContext) -> Rules:
        """Simplified rules; none covers fewer samples than the rule that it was made from."""


class RefineStage(SearchStage):
    """Improves the list that the loop over the trees has found, once, after the last tree."""

    @abstractmethod
    def refine(self, rules: Rules, pool: Sequence[Rules], context: SearchContext) -> Rules | Refined:
        """The rules to use instead, in the order in which they are to be tried.

        It is called even if a budget ended the loop, and may raise `BudgetSpent` itself: the rules of the loop are then
        used. It should return at most `context.budget.max_rules` rules, if that is set: later ones are dropped. The
        loop before it keeps all rules. A stage that has more to tell returns a `Refined`.

        Parameters
        ----------
        rules : Rules
            What the loop has found, in order.
        pool : sequence of Rules
            Every ruleset that left the stages of a tree, accepted or not, in the order of the trees.
        context : SearchContext
        """


class Score(UsesCounts):
    """Decides whether the rules that a tree led to replace the rules so far."""

    _sees_samples: ClassVar[frozenset[str]] = frozenset({"score"})

    #: The largest possible value: the search ends when it is reached.
    best: ClassVar[float] = float("inf")

    @abstractmethod
    def score(self, rules: Rules, context: SearchContext) -> float:
        """How good a list of rules, with its default rule, is on the training samples; larger is better."""


#: How the probabilities of the matching rules become an answer; see `InferenceMode.combination`.
Combination = Literal["first", "sum"]


class InferenceMode(BaseEstimator, metaclass=ABCMeta):
    """Turns the rules that match a sample into its class probabilities.

    Explanations, counterfactuals, calibration and exports do not depend on the class of a mode: they use its
    `combination` and its `answering` rules.
    """

    #: How the probabilities of the matching rules become the answer. "first": those of the first rule that matches.
    #: "sum": the sum over all rules that match, normalised. None: in the mode's own way, which exports and the
    #: calibration of single rules cannot reproduce. Where no rule matches, the default rule answers in any case.
    combination: ClassVar[Combination | None] = None

    def __init_subclass__(cls, **options: Any) -> None:
        """Reset the inherited `combination` in a subclass that overrides how it answers."""
        super().__init_subclass__(**options)
        if "combination" not in vars(cls) and not vars(cls).keys().isdisjoint({"infer", "infer_samples"}):
            cls.combination = None

    @abstractmethod
    def infer(self, matches: BoolArray, ruleset: RuleSet) -> FloatArray:
        """Class probabilities of samples.

        Parameters
        ----------
        matches : ndarray of shape (n_rules, n_samples)
            Which samples satisfy which non-default rule, in the order of the ruleset.
        ruleset : RuleSet
            `ruleset.probabilities` has one row more than `matches`: the last is the default rule's.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            The default rule's row wherever no rule matches.
        """

    def infer_samples(self, matches: BoolArray, X: FloatArray, ruleset: RuleSet) -> FloatArray:
        """As `infer`, for a mode that uses the samples' values too; this is what a ruleset calls.

        Parameters
        ----------
        matches : ndarray of shape (n_rules, n_samples)
        X : ndarray of shape (n_samples, n_features)
            Values as numbers, categories as codes.
        ruleset : RuleSet
        """
        return self.infer(matches, ruleset)

    def answering(self, matches: BoolArray, X: FloatArray, ruleset: RuleSet) -> BoolArray:
        """Which rules answer each sample.

        By default it follows from `combination`: the first rule that matches, or all rules that match. A mode with a
        combination of its own overrides this method if it leaves some of the matching rules out.

        Parameters
        ----------
        matches : ndarray of shape (n_rules, n_samples)
        X : ndarray of shape (n_samples, n_features)
            Values as numbers, categories as codes.
        ruleset : RuleSet

        Returns
        -------
        answering : ndarray of shape (n_rules + 1, n_samples)
            The last row is the default rule's, which answers at least where no rule matches. At least one rule
            answers every sample.
        """
        if self.combination == "first":
            return np.arange(len(matches) + 1)[:, None] == first_match(matches)
        return np.vstack([matches, ~matches.any(axis=0)])

    @property
    def looks_at_values(self) -> bool:
        """Whether samples that satisfy the same rules may get different answers."""
        return type(self).infer_samples is not InferenceMode.infer_samples


class CalibrationMap(BaseEstimator, metaclass=ABCMeta):
    """Maps predicted class probabilities to calibrated ones."""

    @abstractmethod
    def fit(self, probabilities: FloatArray, class_indices: IntArray) -> Self:
        """Learn the map.

        Parameters
        ----------
        probabilities : ndarray of shape (n_samples, n_classes)
            Predicted probabilities of samples that the model was not fitted on.
        class_indices : ndarray of shape (n_samples,)
            Index of each sample's true class. Every class has at least one sample.

        Returns
        -------
        self
        """

    @abstractmethod
    def transform(self, probabilities: FloatArray) -> FloatArray:
        """Calibrated probabilities, of shape (n_samples, n_classes); every row sums to one."""


class Exporter(BaseEstimator, metaclass=ABCMeta):
    """Writes a ruleset in one format, for another program.

    Its parameters are the format's options: `RuleSet.export(path, **options)` and `rulekit export --set NAME=VALUE`
    pass them on. On the command line, values have the type of the option's default; one whose default is a tuple takes
    several strings.
    """

    #: Suffix of the format's files, such as ".json": it selects the format where none is named. If several formats have
    #: the same suffix, the first one registered is used. "" for a format that has to be named.
    suffix: ClassVar[str] = ""
    #: Whether `export` takes `rulekit.RegressionRules`, rules for numbers, too.
    takes_numbers: ClassVar[bool] = False

    @abstractmethod
    def export(self, ruleset: RuleSet) -> bytes:
        """The content of a file.

        Raise `rulekit.plugin.ExportError` for a ruleset that the format cannot represent. Import optional libraries
        here, not at the top of the module.
        """


class Measure(BaseEstimator, metaclass=ABCMeta):
    """Measures the quality of predictions or rules in one number.

    Every table that shows measures takes their names from the registry, and the rest from these attributes.
    """

    #: Its name in tables.
    heading: ClassVar[str]
    #: Heading of narrow columns, in two lines if need be; None means the heading, broken at spaces.
    short_heading: ClassVar[str | None] = None
    #: One line for a reader who does not know it, without its direction.
    meaning: ClassVar[str]
    #: Decimals of a single value.
    decimals: ClassVar[int] = 3
    #: None for a measure without a better or worse: no choice and no test is based on it.
    is_higher_better: ClassVar[bool | None]
    #: What it is computed from: the predictions, the rules as well, or the labels that an ensemble predicts as well.
    needs: ClassVar[Literal["predictions", "rules", "ensemble"]] = "predictions"
    #: Whether it is shown where there is room for a few measures only.
    is_headline: ClassVar[bool] = True

    @abstractmethod
    def measure(self, evaluated: Evaluated) -> float:
        """The value; NaN where it is undefined.

        Parameters
        ----------
        evaluated : Evaluated
            `evaluated.ruleset` is not None if the class sets `needs = "rules"`, and `evaluated.ensemble_predicted` is
            not None if it sets `needs = "ensemble"`.
        """

    def applies_to(self, evaluated: Evaluated) -> bool:
        """Whether what it needs is available."""
        needed = {"rules": evaluated.ruleset, "ensemble": evaluated.ensemble_predicted}
        return needed.get(self.needs, evaluated) is not None


class ReadyStudy(BaseEstimator, metaclass=ABCMeta):
    """A study that is run by its name, `rulekit study run NAME`, and what its report adds to that of every study."""

    #: Parts or sizes of the study to choose from, the quickest first; empty if there is only one.
    profiles: ClassVar[tuple[str, ...]] = ()
    #: Datasets that tables by dataset show, but means and tests leave out, each with the reason.
    apart: ClassVar[Mapping[str, str]] = MappingProxyType({})

    @abstractmethod
    def definition(self, profile: str | None) -> dict[str, Any]:
        """The study as `Study.from_dict` takes it, each time a new one, and without `name`.

        rulekit adds the name, `NAME` or `NAME-PROFILE`, by which `rulekit study report` recognises the results.

        Parameters
        ----------
        profile : str or None
            One of `profiles`; None if there are none.
        """

    def notes(self, profile: str | None) -> Sequence[str]:
        """Messages to show before the study runs, such as parts that it leaves out; one sentence each."""
        return ()

    def sections(
        self,
        results: DataFrame,
        rulesets: Iterable[StoredRules],
        *,
        profile: str | None = None,
        published: str | PathLike[str] | None = None,
    ) -> Sequence[Section]:
        """What to add at the end of the report, such as published figures beside these results.

        Parameters
        ----------
        results : DataFrame
            One row per cell, as a store returns them.
        rulesets : iterable of (key, document, diagnostics, use)
            As a store returns them; read once.
        profile : str or None
            Which part of the study the results belong to.
        published : path, optional
            A folder of published figures, if the user has named one.
        """
        return ()


def derives_from(model: Any, package: str, names: frozenset[str]) -> bool:
    """Whether the model's class, or one that it inherits from, is one of `names` of the package.

    Adapters recognise models by name, which needs no import of their libraries.
    """
    return any(base.__name__ in names and base.__module__.partition(".")[0] == package for base in type(model).__mro__)
