"""The search for rules, stage by stage, as a scikit-learn classifier."""

import copy
from collections.abc import Mapping
from pathlib import Path
from time import perf_counter
from typing import Any, ClassVar, Literal, Self

import attrs
import numpy as np
from sklearn.utils.validation import check_is_fitted

from rulekit.classifier import PART_SIZE, RuleClassifier
from rulekit.core.arrays import FloatArray
from rulekit.core.checks import (
    check_bytes,
    check_choice,
    check_class_weight,
    check_number,
    check_whole_number,
    parse_bytes,
)
from rulekit.core.context import Budget, SearchContext
from rulekit.core.errors import FewRulesWarning, InvalidParameterError, NoPathError, WeightsNotSupportedError
from rulekit.core.interfaces import (
    Adapter,
    CombineStage,
    CoverStage,
    InferenceMode,
    PriorCombiner,
    ProbabilityEstimator,
    RefineStage,
    Score,
    SimplifyStage,
)
from rulekit.core.messages import warn_caller
from rulekit.core.rules import Rules
from rulekit.core.statistics import RULE_ORDERS, RuleOrder
from rulekit.core.training_data import TrainingData
from rulekit.fit_warnings import warn_of_classes_without_rules
from rulekit.list_path import ListPath
from rulekit.plugin.manager import plugins
from rulekit.rule_model import all_or_nothing
from rulekit.ruleset import RuleSet
from rulekit.ruleset.ruleset import ROUNDINGS, Thresholds
from rulekit.search.loop import Found, Loop, Search, SearchObserver
from rulekit.search.progress import announced, warn_of_truncation

ON_INTERRUPT = ("raise", "best")
#: Time to keep for finishing a model after the search, as a fraction of the time that reading and indexing took: both
#: pass through all samples of the features that are used.
FINISHING = 0.5


class RuleExtractor(RuleClassifier):
    """A short ordered list of rules, extracted from a tree ensemble.

    `rulekit.build` makes one from a preset's name. Every component can be given by its registered name or as an
    instance; parameters of instances nest as usual (`final_estimator__crossover`).

    Parameters
    ----------
    ensemble : classifier, str or None, default=None
        A fitted tree ensemble is used as it is, an unfitted one is cloned and fitted. A string names a registered
        ensemble; None means a random forest of 100 trees of depth 5. `clone` forgets that an ensemble was fitted unless
        it is wrapped in a `FrozenEstimator`, as `rulekit.build` does.
    adapter : Adapter, str or None, default=None
        Reads the ensemble; None chooses the first adapter that accepts it.
    columns : {"raw", "transformed"}, default="raw"
        What the rules of a pipeline are about: the columns of the table, as far as the pipeline's steps can be
        expressed by them, or the columns that reach its ensemble.
    priors : PriorCombiner or str, default="product"
        How a conjunction inherits the local class distributions of its parts.
    search_estimator : ProbabilityEstimator or str, default="naive-bayes"
        Estimates the probabilities that guide the search.
    final_estimator : ProbabilityEstimator or str, default="hybrid"
        Estimates the probabilities of the final rules.
    combine, cover, simplify : stage, str or None
        The stages of the search; None leaves one out.
    search_score : Score or str, default="macro-f1"
        Decides, after each tree, whether its rules replace the rules so far.
    refine : RefineStage, str or None, default=None
        Improves the list once more after the last tree; None leaves it unchanged.
    inference : InferenceMode or str, default="decision-list"
        How the rules that match a sample become its class probabilities.
    min_precision : float, default=0.5
        A rule is kept only if a larger fraction of the samples that it covers is of its class.
    min_coverage : float, default=0.0
        A rule is kept only if it covers a larger fraction of the training samples.
    min_class_coverage : float or None, default=None
        A rule is kept only if it covers a larger fraction of the training samples of its own class, besides
        `min_coverage`. Where a class is rare, this limit is what a rule for it can reach.
    confidence : float, default=0.25
        Level of the pessimistic error estimate that decides which conditions to remove; smaller values remove more.
    rule_order : {"support", "coverage", "precision"}, default="support"
        The statistic that ranks rules first; the others break ties.
    max_conditions : int or None, default=None
        Every rule has at most this many conditions, counted as in `ruleset_.n_conditions`: `16.5 < age <= 50` is two.
        Rules that are longer lose the conditions whose removal leaves the lowest pessimistic error.
    thresholds : {"exact", "shown"}, default="exact"
        Which thresholds decide. "exact": the ensemble's own, so that rules divide all samples as it does; what is shown
        is rounded. "shown": the rounded ones, in every output; no training sample changes sides, a new one may. See
        `RuleSet.with_shown_thresholds`.
    class_weight : dict, "balanced" or None, default=None
        What each sample of a class counts as, besides its `sample_weight`: in the search, in the limits, in predicted
        probabilities, and in the training of an ensemble that is fitted here. "balanced" makes all classes count as
        much; in a dict, classes that are not named count as 1.
    max_seconds : float or None, default=None
        End `fit` after this time, not counting the training of the ensemble. Reading the ensemble, indexing the samples
        and finishing the model count. The first tree is always finished, so that there are rules, even if reading alone
        takes longer. Time is checked between trees, stages and blocks of work, so `fit` may end a fraction of a second
        late.
    max_candidates : int or None, default=None
        Try at most this many pairs of a rule and a leaf for each tree: those that cover the most samples, the first
        ones if they tie.
    max_rules : int or None, default=None
        Keep at most this many rules besides the default rule. Without a refine stage, further rules are dropped from
        the end of the list after each tree, before it is scored, and the default rule answers the samples that they
        covered. A refine stage gets the whole list instead, and returns at most this many rules: `relist` searches the
        best list of that size.
    max_memory : int, str or None, default=None
        Memory for the index of the samples and the search together, in bytes or as "500MB" or "2GiB". Work is done in
        smaller blocks; a tree that still does not fit ends the search. `fit` raises `MemoryBudgetError` before the
        search if the index and the first tree do not fit. The table, the ensemble and libraries are not counted.
    on_interrupt : {"raise", "best"}, default="raise"
        What Ctrl-C does during the search: raise `KeyboardInterrupt` as usual, or end the search and keep the best
        rules so far. Before the end of the first tree, and after the search, it always raises.
    keep_index : bool, default=False
        Keep the indexed training samples as `index_`. By default a fitted model contains no samples.
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
    history_ : list of SearchStep
        What each tree contributed, which budgets truncated it, and at the end what the refine stage did.
    path_ : ListPath or None
        A list of every length that the refine stage passed through, the shortest first, each with its ruleset and its
        training log-loss, leave-one-out log-loss and macro-F1; `with_rules` makes a model of one. None without a refine
        stage, or if it knows no other list than the final one. If `max_seconds` is up, the longer lists are missing.
    final_report_ : dict
        What the final estimator reports of itself; empty for most.
    index_ : TrainingIndex
        Only with `keep_index=True`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import rulekit
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = rulekit.build("rcprob", random_state=0).fit(X, y)
    >>> model.predict(X.head(2)).tolist()
    [0, 0]
    """

    def __init__(
        self,
        ensemble: Any = None,
        *,
        adapter: Adapter | str | None = None,
        columns: Literal["raw", "transformed"] = "raw",
        priors: PriorCombiner | str = "product",
        search_estimator: ProbabilityEstimator | str = "naive-bayes",
        final_estimator: ProbabilityEstimator | str = "hybrid",
        combine: CombineStage | str | None = "combine",
        cover: CoverStage | str | None = "cover",
        simplify: SimplifyStage | str | None = "simplify",
        search_score: Score | str = "macro-f1",
        refine: RefineStage | str | None = None,
        inference: InferenceMode | str = "decision-list",
        min_precision: float = 0.5,
        min_coverage: float = 0.0,
        min_class_coverage: float | None = None,
        confidence: float = 0.25,
        rule_order: RuleOrder = "support",
        max_conditions: int | None = None,
        thresholds: Thresholds = "exact",
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        max_seconds: float | None = None,
        max_candidates: int | None = None,
        max_rules: int | None = None,
        max_memory: int | str | None = None,
        on_interrupt: Literal["raise", "best"] = "raise",
        keep_index: bool = False,
        n_jobs: int | None = None,
        random_state: int | None = None,
    ) -> None:
        super().__init__(ensemble, adapter=adapter, n_jobs=n_jobs, random_state=random_state)
        self.columns = columns
        self.priors = priors
        self.search_estimator = search_estimator
        self.final_estimator = final_estimator
        self.combine = combine
        self.cover = cover
        self.simplify = simplify
        self.search_score = search_score
        self.refine = refine
        self.inference = inference
        self.min_precision = min_precision
        self.min_coverage = min_coverage
        self.min_class_coverage = min_class_coverage
        self.confidence = confidence
        self.rule_order = rule_order
        self.max_conditions = max_conditions
        self.thresholds = thresholds
        self.class_weight = class_weight
        self.max_seconds = max_seconds
        self.max_candidates = max_candidates
        self.max_rules = max_rules
        self.max_memory = max_memory
        self.on_interrupt = on_interrupt
        self.keep_index = keep_index

    supports_weights: ClassVar[bool] = True

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None, **unsupported: Any) -> Self:
        """Extract rules; see `RuleClassifier.fit`.

        Parameters
        ----------
        X, y
            See `RuleClassifier.fit`.
        sample_weight : array-like of shape (n_samples,), optional
            What each sample counts as: a sample of weight 3 as three samples, one of weight 0 as none. Weights that are
            not whole are rounded to about 1/4,096 of the largest. An ensemble that is fitted here is fitted with them.
        **unsupported
            Anything else is rejected.

        Returns
        -------
        self
            If `fit` fails or is interrupted, the extractor is unchanged.
        """
        components = self.begin_fit(unsupported)
        data = self.prepare(X, y, components, sample_weight)
        budget = self.budget(data)
        return self.finish(data, components, self.search(data, components, budget), budget)

    @all_or_nothing
    def fit_from(
        self,
        source: Any,
        target: Any,
        *,
        backend: Literal["local", "dask"] | None = None,
        part_size: int = PART_SIZE,
        scratch_folder: str | Path | None = None,
        client: Any = None,
    ) -> Self:
        """Extract rules from samples that need not fit into memory.

        The source is read once. The codes of its samples, two bytes a value, go to temporary files, which vanish with
        the fit or the process, and the search works on one part of them after the other. The rules are those that `fit`
        finds in the whole table. A Dask source stays on its cluster: each worker keeps the codes of its partitions in
        memory, and only conditions and counts travel.

        The ensemble must be fitted, and components must work on counts, as those of 'rcprob' and 'rc+' do.

        Parameters
        ----------
        source : str, Path, dataset, relation, LazyFrame, frame, iterable of frames, callable, or Partitions
            A Parquet file or a folder of them, a pyarrow dataset, table or reader, a DuckDB relation, a polars
            LazyFrame, data frames one after the other, a function that returns any of these, or a Dask DataFrame or
            list of Delayed frames. All parts must have the same columns. A `rulekit.sources.Partitions` is another
            place for the samples, such as a cluster of another kind.
        target : str
            The column with the class labels; all others are features.
        backend : {"local", "dask"}, optional
            "dask" for a Dask DataFrame or a list of Delayed frames, which is what None chooses for such a source.
        part_size : int, default=524288
            Samples of one part, at most. The rules do not depend on it. Larger parts take more memory while they are
            read, smaller ones more time.
        scratch_folder : str or Path, optional
            Where the temporary files are; by default the system's folder for such files. It must not be a folder in
            memory.
        client : distributed.Client, optional
            Connected to the cluster; by default the one that was made last.

        Returns
        -------
        self
            If the fit fails or is interrupted, the extractor is unchanged.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> import rulekit
        >>> table = load_iris(as_frame=True).frame
        >>> forest = rulekit.build("rcprob", random_state=0).fit(table.drop(columns="target"), table["target"])
        >>> model = rulekit.build("rcprob", forest.ensemble_).fit_from([table[:80], table[80:]], "target")
        >>> model.ruleset_.to_dict() == forest.ruleset_.to_dict()
        True
        """
        from rulekit.partitioned import check_counts_only, partitions_of, read_partitions

        components = self.begin_fit()
        check_counts_only(components, keep_index=self.keep_index, class_weight=self.class_weight)
        partitions = partitions_of(
            source,
            backend=backend,
            part_size=part_size,
            scratch_folder=scratch_folder,
            client=client,
            max_memory=self.memory_budget(),
            n_jobs=self.n_jobs,
        )
        try:
            data = read_partitions(self, components["adapter"], partitions, target, self.load_engine)
            data = attrs.evolve(data, seed=self.seed())
            budget = self.budget(data)
            return self.finish(data, components, self.search(data, components, budget), budget)
        finally:
            partitions.release()

    def begin_fit(self, unsupported: dict[str, Any] | None = None) -> dict[str, Any]:
        """Check the parameters and make the components; see `RuleClassifier.begin_fit`."""
        components = super().begin_fit(unsupported)
        _check_order(components)
        return components

    def loop(self, data: TrainingData, components: dict[str, Any], budget: Budget) -> Loop:
        """Send every tree through the stages: the first part of `search`, for several extractors that differ later.

        Parameters
        ----------
        data, components, budget
            The results of `prepare`, `begin_fit` and `budget`.
        """
        context = self._context(data, components, budget)
        with announced(plugins().hook, self, len(data.leaves), context) as observer:
            found = self._stages(components, context, observer).run(data.searched.round_rules(context.limits))
            is_perfect = found.score >= components["search_score"].best
            return Loop(context, found, components["refine"] is not None, is_perfect, observer.has_warned)

    def search(self, data: TrainingData, components: dict[str, Any], budget: Budget, loop: Loop | None = None) -> Found:
        """Send every tree through the stages, then refine the list.

        Parameters
        ----------
        data, components, budget
            The results of `prepare`, `begin_fit` and `budget`.
        loop : Loop, optional
            Found on the same data by an extractor that differs in `refine`, `final_estimator` and `inference` only; it
            must serve this one's refine stage, see `Loop.serves`.
        """
        context = self._context(data, components, budget) if loop is None else attrs.evolve(loop.context, budget=budget)
        with announced(plugins().hook, self, len(data.leaves), context) as observer:
            search = self._stages(components, context, observer)
            if loop is None:
                found = search.refined(search.run(data.searched.round_rules(context.limits)))
            else:
                observer.has_warned = loop.has_warned
                found = search.resumed(loop.found)
        if not len(found.rules):
            warn_caller(
                f"No rule of the first tree passed min_precision={self.min_precision} and "
                f"min_coverage={self.min_coverage}, so only the default rule is left. Lower these thresholds.",
                FewRulesWarning,
            )
        warn_of_truncation(found.history, len(data.leaves), self)
        return found

    def finish(self, data: TrainingData, components: dict[str, Any], found: Found, budget: Budget) -> Self:
        """Estimate the probabilities of the rules that a search found: the last part of `fit`.

        Parameters
        ----------
        data, components, budget
            The results of `prepare`, `begin_fit` and `budget`.
        found : Found
            The result of `search`, of this extractor or of one that differs in `final_estimator` and `inference` only.
        """
        estimator = components["final_estimator"].fit(data.counted)

        def finished(rules: Rules) -> RuleSet:
            of_list = data.finished_list(rules, found.honest)
            bits = of_list.bits if of_list.data is data else None
            probabilities = estimator.estimate_list(of_list)
            if data.weights is not None:
                _check_sums(probabilities, estimator)
            return RuleSet.from_rules(
                data,
                of_list.conditions,
                probabilities,
                components["inference"],
                bits,
                thresholds=self.thresholds,
            )

        ruleset = finished(found.rules)
        self.history_ = list(found.history)
        self.final_report_ = dict(getattr(estimator, "report_", {}))
        self.path_ = None
        if found.path:
            self.path_ = ListPath.of(found.path, found.rules, ruleset, finished, data, budget)
        self._set_or_forget("index_", data.index if self.keep_index else None)
        warn_of_classes_without_rules(ruleset, data)
        return self.adopt(ruleset, data)

    @classmethod
    def size_parameters(cls, n_rules: int) -> dict[str, Any]:
        """`max_rules`, which does not count the default rule; see `RuleClassifier.size_parameters`."""
        return {"max_rules": n_rules - 1}

    def with_rules(self, n_rules: int) -> Self:
        """The model with the list of `path_` that has `n_rules` rules, without another search.

        The rules are those that remain if the least useful rules are deleted one after the other. A model that is
        fitted with `max_rules=n_rules` may have better ones: its search knows the limit.

        Parameters
        ----------
        n_rules : int
            Number of rules, not counting the default rule.

        Returns
        -------
        model : RuleExtractor
            A fitted copy with another ruleset; this one remains as it is.
        """
        check_is_fitted(self)
        if self.path_ is None:
            raise NoPathError(
                f"This model has lists of no other length than {len(self.ruleset_) - 1} rules: refine={self.refine!r} "
                "found none. Fit with a refine stage that does, such as refine='relist' or the method 'rclist'."
            )
        chosen = copy.copy(self)
        chosen.ruleset_ = self.path_.with_rules(n_rules).ruleset
        return chosen

    def _context(self, data: TrainingData, components: dict[str, Any], budget: Budget) -> SearchContext:
        return SearchContext(
            data=data.searched,
            priors=components["priors"].fit(data.searched),
            search_estimator=components["search_estimator"].fit(data.searched),
            min_precision=self.min_precision,
            min_coverage=self.min_coverage,
            min_class_coverage=self.min_class_coverage,
            confidence=self.confidence,
            rule_order=self.rule_order,
            budget=budget,
            max_conditions=None if self.max_conditions is None else int(self.max_conditions),
        )

    def _stages(self, components: dict[str, Any], context: SearchContext, observer: SearchObserver) -> Search:
        return Search(
            **{name: components[name] for name in ("combine", "cover", "simplify", "refine")},
            score=components["search_score"],
            context=context,
            observer=observer,
            keeps_best_if_interrupted=self.on_interrupt == "best",
        )

    def check_parameters(self) -> None:
        """Raise if a parameter has a value that is not allowed."""
        super().check_parameters()
        check_number(self, "min_precision", 0, 1)
        check_number(self, "min_coverage", 0, 1)
        if self.min_class_coverage is not None:
            check_number(self, "min_class_coverage", 0, 1)
        check_class_weight(self.class_weight)
        check_number(self, "confidence", 0, 1, above=True)
        check_choice(self, "rule_order", RULE_ORDERS)
        check_whole_number(self, "max_conditions", 1)
        check_choice(self, "thresholds", tuple(ROUNDINGS))
        if self.max_seconds is not None:
            check_number(self, "max_seconds", 0)
        check_whole_number(self, "max_candidates", 1)
        check_whole_number(self, "max_rules", 1)
        check_bytes(self, "max_memory")
        check_choice(self, "on_interrupt", ON_INTERRUPT)

    def memory_budget(self) -> int | None:
        """Bytes that `max_memory` allows."""
        return parse_bytes(self.max_memory)

    def budget(self, data: TrainingData) -> Budget:
        """The budget of the search: the memory that the indices leave, and the time that other work leaves."""
        start, memory = perf_counter(), self.memory_budget()
        indices = {data.index, data.searched.index, data.counted.index}
        left = None if memory is None else max(1, memory - sum(index.n_bytes for index in indices))
        # NumPy's small integers can overflow in sums.
        candidates, rules = (None if most is None else int(most) for most in (self.max_candidates, self.max_rules))
        reading = data.seconds + perf_counter() - start
        return Budget(self.max_seconds, candidates, rules, left, other_seconds=(1 + FINISHING) * reading)


def _check_sums(probabilities: FloatArray, estimator: ProbabilityEstimator) -> None:
    """Raise if an estimator that was written for whole counts misjudges sums of weights."""
    sums = probabilities.sum(axis=1)
    if not np.allclose(sums, 1.0, atol=1e-6):
        raise WeightsNotSupportedError(
            f"Not supported: weights with final_estimator={estimator!r}, whose probabilities do not sum to one then, "
            f"but to {sums[np.abs(sums - 1).argmax()]:.3g}. With weights, a rule's support may lie between 0 and 1: "
            "divide by it, and not by max(support, 1)."
        )


def _check_order(components: dict[str, Any]) -> None:
    """Raise if an estimator that speaks of answered samples is used where no rule answers alone."""
    search, final, inference = (components[name] for name in ("search_estimator", "final_estimator", "inference"))
    if search.needs_order:
        raise InvalidParameterError(
            f"search_estimator={search!r} estimates finished lists only: it needs the samples that each rule answers. "
            "Use it as final_estimator, and another one for the search."
        )
    if final.needs_order and inference.combination != "first":
        raise InvalidParameterError(
            f"final_estimator={final!r} speaks of the samples that each rule is the first to match, but "
            f"inference={inference!r} lets other rules answer them too. Use inference='decision-list', or another "
            "final_estimator."
        )
