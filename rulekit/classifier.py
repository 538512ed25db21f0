"""The base of every rule classifier: reads the ensemble, validates samples, and predicts with the rules."""

import copy
import functools
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import attrs
import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.validation import (
    check_is_fitted,
)

from rulekit.core.arrays import BoolArray, FloatArray, IntArray, LabelArray
from rulekit.core.checks import check_choice, check_part_size
from rulekit.core.engine import engine_name, is_loaded
from rulekit.core.errors import (
    SampleWeightError,
    UnsupportedEnsembleError,
    WeightsNotSupportedError,
)
from rulekit.core.interfaces import Measure
from rulekit.core.labels import check_labels, plain_labels
from rulekit.core.training_data import TrainingData
from rulekit.core.validation import are_mappings, reject_fit_parameters
from rulekit.core.weights import Weights, checked_weights
from rulekit.explain import Counterfactual, Explanation, Explanations
from rulekit.explain.constraints import Constraints, Direction
from rulekit.explain.counterfactual_search import counterfactual
from rulekit.explain.ensemble import ensemble_probabilities, probabilities_after_changes
from rulekit.explain.explanations import explain
from rulekit.fit_warnings import warn_of_low_fidelity
from rulekit.model import (
    ReadModel,
    can_be_fitted_again,
    find_adapter,
    read_model,
    threshold_classifier,
    transformed,
    without_steps,
)
from rulekit.pipelines.reading import in_raw_columns
from rulekit.plugin.manager import plugins
from rulekit.refitting import refit_without, unseen_samples
from rulekit.rule_model import RuleModel, all_or_nothing
from rulekit.ruleset import RuleSet
from rulekit.ruleset.matching import Affected
from rulekit.ruleset.ruleset import in_blocks
from rulekit.ruleset.samples import frame_of_mappings
from rulekit.threshold import DecisionThreshold

if TYPE_CHECKING:
    from rulekit.summary import Summary

#: Samples of one part of a source, at most.
PART_SIZE = 2**19
#: What rules of a pipeline may be about.
COLUMNS = ("raw", "transformed")


class RuleClassifier(ClassifierMixin, RuleModel):
    """A scikit-learn classifier that predicts with rules from a tree ensemble; the base of every method.

    As a transformer in a pipeline, it returns which rules each sample satisfies.

    `RuleExtractor` searches for rules stage by stage; any other method derives from `RuleMethod`.

    Parameters
    ----------
    ensemble : classifier, str or None, default=None
        A fitted tree ensemble is used as it is, an unfitted one is cloned and fitted. A string names a registered
        ensemble; None means a random forest of 100 trees of depth 5. `clone` forgets that an ensemble was fitted unless
        it is wrapped in a `FrozenEstimator`, as `rulekit.build` does.
    adapter : Adapter, str or None, default=None
        Reads the ensemble; None chooses the first adapter that accepts it.
    n_jobs : int or None, default=None
        Number of threads that count samples, as in scikit-learn; they are used where there are enough samples to pay
        off. The rules are the same for any number. The ensemble has its own `n_jobs`.
    random_state : int or None, default=None
        Seed of everything random, and of the ensemble if that is given by name or not at all. None makes such an
        ensemble another one in each `fit`; everything else then has the seed 0, so that the rules of a fitted ensemble
        are always the same.

    Attributes
    ----------
    ruleset_ : RuleSet
    ensemble_ : fitted classifier
        The ensemble that the rules come from.
    transformer_ : fitted transformer or None
        What samples go through before the rules see them: the steps of a pipeline with `columns="transformed"`, what
        chooses columns where rules cannot express all by those of the table; None if the rules see samples as they are.
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_scales_ : ndarray of shape (n_columns,)
        Standard deviations of the columns that the rules use, 1 for others: the unit of counterfactual changes.
    feature_names_in_ : ndarray of shape (n_features,)
        Only when `X` has column names.
    decision_threshold_ : DecisionThreshold
        Only when the ensemble is inside a `FixedThresholdClassifier` or `TunedThresholdClassifierCV`: `predict` uses
        its threshold. The ruleset and its exports answer the most probable class.
    """

    #: What the rules of a pipeline are about: the columns of the table, as far as the pipeline's steps can be expressed
    #: by them ("raw"), or those that reach its ensemble ("transformed"). A method may have a parameter of this name.
    columns: Literal["raw", "transformed"] = "raw"

    #: Whether `fit` takes `sample_weight`.
    supports_weights: ClassVar[bool] = False

    def check_parameters(self) -> None:
        """Raise if a parameter has a value that is not allowed; called once per fit, before any work."""
        super().check_parameters()
        check_choice(self, "columns", COLUMNS)

    @abstractmethod
    def fit(self, X: Any, y: Any, **unsupported: Any) -> Self:
        """Extract rules.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features), or TrainingData
            Finite numbers; missing values and categories if the ensemble supports them, anything that the pipeline
            accepts if it is one. Column names appear in the rules. Classifiers with the same ensemble can
            share the `TrainingData` that `prepare` of one of them returned: `fit(data, data.y)`.
        y : array-like of shape (n_samples,)
            Class labels of any type.
        **unsupported
            Anything else is rejected; `sample_weight` too, by methods that count samples.

        Returns
        -------
        self
            If `fit` fails or is interrupted, the classifier is unchanged.
        """

    def held_back(self, y: IntArray, components: dict[str, Any]) -> BoolArray | None:
        """Mask of the training samples that neither the search nor an ensemble fitted here may see; None for none.

        By default, the `final_estimator` decides, if the method has one. Called once per fit.

        Parameters
        ----------
        y : ndarray of shape (n_samples,)
            Class indices.
        components : dict
            See `begin_fit`.
        """
        estimator = components.get("final_estimator")
        return None if estimator is None else estimator.hold_back(y)

    @classmethod
    def size_parameters(cls, n_rules: int) -> dict[str, Any] | None:
        """Parameters of a fit with at most so many rules, the default rule included; None if no parameter limits them.

        `rulekit benchmark` compares methods at sizes that these give them.

        Parameters
        ----------
        n_rules : int
            At least 2.
        """
        return None

    @all_or_nothing
    def prepare(
        self, X: Any, y: Any, components: dict[str, Any] | None = None, sample_weight: Any = None
    ) -> TrainingData:
        """Fit the ensemble if need be, read it and index the samples: the first part of `fit`.

        The result depends on `ensemble`, `adapter`, `columns`, `n_jobs` and `random_state`, on the weights and, where
        the ensemble is fitted here, on the samples that the final estimator holds back. Classifiers that differ in
        other parameters can share it; for one with another `class_weight`, the samples are weighed again, but not the
        ensemble fitted.

        Parameters
        ----------
        X, y
            See `fit`.
        components : dict, optional
            The result of `begin_fit`, which is called if they are omitted.
        sample_weight : array-like of shape (n_samples,), optional
            See `fit`; not beside `TrainingData`, which has weights of its own.
        """
        components = self.begin_fit() if components is None else components
        if isinstance(X, TrainingData):
            if sample_weight is not None:
                raise SampleWeightError("TrainingData has weights of its own: pass sample_weight to prepare instead.")
            class_weight = getattr(self, "class_weight", None)
            data = attrs.evolve(X, held_back=self.held_back(X.y, components)).with_class_weight(class_weight)
            self._check_weights(data.weights, components)
            return data
        ensemble = self.chosen_ensemble()
        adapter = find_adapter(without_steps(ensemble)[1], components["adapter"])
        start = perf_counter()
        table, numbers, y = self._validated(ensemble, adapter, X, y)
        given = None if sample_weight is None else checked_weights(sample_weight, len(y))
        if given is not None and not given.all():
            # A weight of zero removes a sample.
            rows = np.flatnonzero(given)
            table, y, given = _safe_indexing(table, rows), y[rows], given[rows]
            numbers = None if numbers is None else numbers[rows]
            check_labels(y, " with a positive sample_weight")
        classes, indices = np.unique(y, return_inverse=True)
        weights = self._weights(given, indices, classes)
        self._check_weights(weights, components)
        held_back = self.held_back(indices, components)
        in_training = None if weights is None else weights.of_samples(indices)
        model = read_model(ensemble, adapter, table, numbers, y, self._names(), held_back, in_training)
        if model.transformer is not None and self.columns == "raw":
            model = in_raw_columns(model, table, self._names())
        data = self._indexed(model, held_back, given)
        return attrs.evolve(data, seconds=perf_counter() - start - model.training_seconds)

    def _weights(self, sample_weight: FloatArray | None, y: IntArray, classes: LabelArray) -> Weights | None:
        """What each sample counts as; None if each counts as one."""
        class_weight = getattr(self, "class_weight", None)
        if sample_weight is None and class_weight is None:
            return None
        return Weights.of(sample_weight, class_weight, y, classes)

    def _check_weights(self, weights: Weights | None, components: dict[str, Any]) -> None:
        """Raise if there are weights, and the method or one of its components cannot use them."""
        if weights is None:
            return
        if not self.supports_weights:
            reject_fit_parameters(type(self).__name__, {"sample_weight": weights})
        for parameter, component in components.items():
            if not getattr(component, "supports_weights", True):
                raise WeightsNotSupportedError(
                    f"Not supported: weights with {parameter}={component!r}, which does not declare that its counts "
                    "may be sums of weights. Use another component, fit without sample_weight and class_weight, or set "
                    f"supports_weights = True in {type(component).__name__} if it uses no number of samples but those "
                    "sums."
                )

    def adopt(self, ruleset: RuleSet, data: TrainingData) -> Self:
        """Store the rules and the attributes learnt from the training data: the last step of `fit`.

        It warns of rules that predict other classes than the ensemble for many training samples.
        """
        if self.needs_ensemble:
            warn_of_low_fidelity(ruleset, data)
        self.ruleset_, self.classes_ = ruleset, data.forest.classes
        self.ensemble_, self.transformer_ = data.ensemble, data.transformer
        self._set_or_forget("decision_threshold_", self._decision_threshold(data))
        self.feature_scales_ = data.feature_scales(ruleset.conditions.features)
        self.n_features_in_ = data.n_features_in
        names = data.feature_names_in
        self._set_or_forget("feature_names_in_", None if names is None else np.array(names, dtype=object))
        return self

    def _decision_threshold(self, data: TrainingData) -> DecisionThreshold | None:
        """The threshold of the given ensemble, or of the last step of a pipeline that was fitted here."""
        models = [threshold_classifier(each) for each in (self.ensemble, data.ensemble)]
        found = [DecisionThreshold.of(model, data.forest.classes) for model in models if model is not None]
        if not found:
            return None
        found[0].warn(data.forest.classes)
        return found[0]

    def plain_target(self, y: Any) -> Any:
        """The labels before they become an array, which would make 1 and "1" the same."""
        return plain_labels(y)

    def checked_target(self, y: LabelArray) -> LabelArray:
        """The labels; raise if they are no class labels."""
        check_labels(y)
        return y

    def _indexed(self, model: ReadModel, held_back: BoolArray | None, sample_weight: FloatArray | None) -> TrainingData:
        self.load_engine()
        seed = self.seed()
        return TrainingData.of(
            model.forest,
            model.X,
            model.y,
            model.feature_names,
            model.missing_features,
            held_back=held_back,
            weights=self._weights(sample_weight, model.y, model.forest.classes),
            sample_weight=sample_weight,
            max_bytes=self.memory_budget(),
            n_jobs=self.n_jobs,
            ensemble=model.ensemble,
            transformer=model.transformer,
            n_features_in=self.n_features_in_,
            feature_names_in=self._names(),
            unseen=lambda: unseen_samples(model, held_back),
            refit=functools.partial(refit_without, model, seed) if can_be_fitted_again(model.ensemble) else None,
            seed=seed,
        )

    def load_engine(self) -> None:
        """Call the hook for the first use of an engine in this process."""
        if not is_loaded():
            plugins().hook.rulekit_engine_loading(engine=engine_name())

    def seed(self) -> int:
        """Seed of everything random that components do with the samples, see `random_state`."""
        return 0 if self.random_state is None else int(check_random_state(self.random_state).randint(2**31))

    def predict_proba(self, X: Any) -> FloatArray:
        """Class probabilities that the rules predict, of shape (n_samples, n_classes).

        A dictionary is one sample, and a list of them several. These, and frames that have other columns than in
        training, need the features that rules test; others are ignored. For a pipeline they need all columns.
        """
        check_is_fitted(self)
        affected = Affected(self.ruleset_)

        def answer(some: Any, is_first: bool = True) -> FloatArray:
            return self.ruleset_.answer(affected.add(self._as_numbers(some, checks_columns=is_first)))

        if self.transformer_ is not None:
            # The steps of a pipeline may depend on all samples together.
            answers = answer(X)
        else:
            answers = in_blocks(X, answer, len(self.classes_), functools.partial(answer, is_first=False))
        affected.warn()
        return answers

    def predict(self, X: Any) -> LabelArray:
        """Most probable class of each sample, of shape (n_samples,); see `decision_threshold_`."""
        probabilities, threshold = self.predict_proba(X), getattr(self, "decision_threshold_", None)
        best = probabilities.argmax(axis=1) if threshold is None else threshold.decide(probabilities)
        return self.classes_[best]

    def predict_from(self, source: Any, *, part_size: int = PART_SIZE, client: Any = None) -> Iterator[LabelArray]:
        """Most probable class of samples that need not fit into memory, part by part.

        Columns of the source that the rules do not know, such as labels or keys, are left out.

        Parameters
        ----------
        source : str, Path, dataset, relation, LazyFrame, frame, iterable of frames, or callable
            See `RuleExtractor.fit_from`. Partitions of a Dask source are predicted by the workers.
        part_size : int, default=524288
            Samples of one part, at most.
        client : distributed.Client, optional
            Of a Dask cluster; by default the one that was made last.

        Yields
        ------
        labels : ndarray of shape (n_samples_of_part,)
            In the order of the source.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> import rulekit
        >>> table = load_iris(as_frame=True).frame
        >>> model = rulekit.build("rcprob", random_state=0).fit(table.drop(columns="target"), table["target"])
        >>> [len(labels) for labels in model.predict_from(table, part_size=100)]
        [100, 50]
        """
        return self._predictions("predict", source, part_size, client)

    def predict_proba_from(
        self, source: Any, *, part_size: int = PART_SIZE, client: Any = None
    ) -> Iterator[FloatArray]:
        """Class probabilities of samples that need not fit into memory, part by part; see `predict_from`.

        Yields
        ------
        probabilities : ndarray of shape (n_samples_of_part, n_classes)
        """
        return self._predictions("predict_proba", source, part_size, client)

    def _predictions(self, method: str, source: Any, part_size: int, client: Any) -> Iterator[Any]:
        from rulekit.sources.predicting import predictions

        check_is_fitted(self)
        check_part_size(part_size)
        if self.transformer_ is not None:
            raise UnsupportedEnsembleError(
                "Not supported for a source: a Pipeline, because its steps may depend on all samples together. Call "
                "`predict` on frames that the steps may see alone."
            )
        bare = copy.copy(self)
        # Rules predict without it, and it should not be sent to workers.
        bare.ensemble = bare.ensemble_ = None
        return predictions(getattr(bare, method), source, self._names(), part_size, client)

    def explain(self, X: Any) -> Explanation | Explanations:
        """Explain which rule answers each of one or several samples, and why; see `RuleSet.explain`.

        The explanation includes the ensemble's predicted probabilities, if it has `predict_proba` and accepts the
        samples as they are passed: numbers in any form, categories in a data frame.

        If the model has a `transformer_`, pass a frame, such as `X.iloc[[0]]`: the rules are about what it returns.
        """
        check_is_fitted(self)
        if self.transformer_ is not None and are_mappings(X):
            X = frame_of_mappings(X, self._names())
        explained = explain(self.ruleset_, transformed(self.transformer_, X))
        explained = attrs.evolve(explained, ensemble=ensemble_probabilities(self, X))
        return explained[0] if len(explained) == 1 else explained

    def counterfactual(
        self,
        x: Any,
        target: Any = None,
        *,
        immutable: Sequence[str] = (),
        ranges: Mapping[str, Any] | None = None,
        directions: Mapping[str, Direction] | None = None,
        linked: Sequence[Sequence[str]] = (),
        max_boxes: int = 10_000,
    ) -> Counterfactual:
        """The smallest change of a sample that leads to another answer; see `RuleSet.counterfactual`.

        Changes of numbers are measured in standard deviations of the training samples. If the model has a
        `transformer_`, changes are those of the columns that it returns. A change with whose class the ensemble agrees
        is preferred to a smaller one with which it does not; pass a frame of one row where it takes categories.
        """
        check_is_fitted(self)
        table = transformed(self.transformer_, x)
        return counterfactual(
            self.ruleset_,
            table,
            target,
            constraints=Constraints(immutable, ranges or {}, directions or {}, linked),
            scales=self.feature_scales_,
            max_boxes=max_boxes,
            ensemble=functools.partial(probabilities_after_changes, self, table),
        )

    def summary(
        self,
        X: Any,
        y: Any,
        train: tuple[Any, Any] | None = None,
        *,
        measures: Sequence[str | Measure] | None = None,
    ) -> "Summary":
        """Measure the rules beside their ensemble and beside single trees of equal size, and say which is better.

        A fitted model keeps no training samples, so the trees need them again. They have as many leaves as there are
        rules: `tree` is a decision tree whose leaves count one more sample of each class, `shrunk-tree` one with
        hierarchical shrinkage.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Held-out samples.
        y : array-like of shape (n_samples,)
            Their labels.
        train : tuple of X and y, optional
            The samples that the model was fitted on; without them there are no trees.
        measures : sequence of str or Measure, optional
            Registered names, or instances; None means every registered measure that applies.

        Returns
        -------
        summary : Summary
            It prints as a table, and `to_frame` returns the numbers.
        """
        from rulekit.summary import summarise

        check_is_fitted(self)
        return summarise(self, X, y, train, measures)

    def report(self, path: str | Path, X: Any, y: Any, **options: Any) -> None:
        """Write a report of the rules: one HTML file that needs no network, and contains no samples unless requested.

        Parameters
        ----------
        path : str or Path
            The file; an existing file is replaced.
        X : array-like or DataFrame of shape (n_samples, n_features)
            Held-out samples, as `predict` takes them.
        y : array-like of shape (n_samples,)
            Their labels.
        **options
            Options of `rulekit.report.write`: `train`, `compare`, `name`, `title` and `n_examples`.
        """
        from rulekit.report import write

        check_is_fitted(self)
        write(path, self, X, y, **options)


def needs_ensemble(factory: Any) -> bool:
    """Whether what makes a method's classifier expects an ensemble; only a class can tell that it does not."""
    return bool(getattr(factory, "needs_ensemble", True))


class RuleMethod(RuleClassifier):
    """A method that makes rules from an ensemble's leaves in its own way; derive from it to add one.

    A subclass implements `extract`, which turns the training data into a ruleset. Reading the ensemble, checking
    samples, predicting and explaining are done here. Its parameters are those of `RuleClassifier` and its own; a
    parameter named as one of the extractor's (`final_estimator`, `inference`, …) takes a component of that kind, by
    name or as an instance.
    """

    @abstractmethod
    def extract(self, data: TrainingData, components: dict[str, Any]) -> RuleSet:
        """The rules; may set attributes ending in `_`.

        Parameters
        ----------
        data : TrainingData
            The ensemble's leaves, and the indexed training samples.
        components : dict of str to component
            Components by the name of their parameter.
        """

    @all_or_nothing
    def fit(self, X: Any, y: Any, **unsupported: Any) -> Self:
        """Extract rules; see `RuleClassifier.fit`."""
        components = self.begin_fit(unsupported)
        data = self.prepare(X, y, components)
        return self.adopt(self.extract(data, components), data)
