"""The search for rules, stage by stage, as a scikit-learn classifier."""

from typing import Any, Literal, Self

from rulekit.classifier import RuleClassifier, all_or_nothing
from rulekit.core.checks import check_bytes, check_choice, check_number, check_whole_number, parse_bytes
from rulekit.core.context import Budget, SearchContext
from rulekit.core.errors import FewRulesWarning
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
from rulekit.core.statistics import RULE_ORDERS, RuleOrder
from rulekit.core.training_data import TrainingData
from rulekit.plugin.manager import plugins
from rulekit.ruleset import RuleSet
from rulekit.search.loop import Found, Search
from rulekit.search.progress import announced, warn_of_truncation

ON_INTERRUPT = ("raise", "best")


class RuleExtractor(RuleClassifier):
    """A short ordered list of rules, extracted from a tree ensemble.

    `rulekit.build` makes one from a preset's name. Every component can be given by its registered name or as an
    instance; parameters of instances nest as usual (`final_estimator__crossover`).

    Parameters
    ----------
    ensemble : classifier, str or None, default=None
        A fitted tree ensemble is used as it is, an unfitted one is cloned and fitted. A name is that of a registered
        ensemble; None means a random forest of 100 trees of depth 5. `clone` forgets that an ensemble was fitted unless
        it comes in a `FrozenEstimator`, which `rulekit.build` sees to.
    adapter : Adapter, str or None, default=None
        What reads the ensemble; None chooses the first that accepts it.
    priors : PriorCombiner or str, default="product"
        How a conjunction inherits the local class distributions of its parts.
    search_estimator : ProbabilityEstimator or str, default="naive-bayes"
        What guides the search.
    final_estimator : ProbabilityEstimator or str, default="hybrid"
        What the final rules state.
    combine, cover, simplify : stage, str or None
        The stages of the search; None leaves one out.
    search_score : Score or str, default="macro-f1"
        What decides, after each tree, whether its rules replace the rules so far.
    refine : RefineStage, str or None, default=None
        What improves the list once more after the last tree; None leaves it as it is.
    inference : InferenceMode or str, default="decision-list"
        How the rules that match a sample answer.
    min_precision : float, default=0.5
        A rule is kept only if a larger share of the samples it covers is of its class.
    min_coverage : float, default=0.0
        A rule is kept only if it covers a larger share of the training samples.
    confidence : float, default=0.25
        Level of the pessimistic error estimate that removes conditions; smaller removes more.
    rule_order : {"support", "coverage", "precision"}, default="support"
        Which statistic ranks rules first; the others break ties.
    max_seconds : float or None, default=None
        End the search when it has taken this long; training the ensemble and reading it are not counted. The first tree
        always passes. Time is looked at between trees and stages and between blocks of work, so that a search ends a
        fraction of a second late.
    max_candidates : int or None, default=None
        Try at most so many pairs of a rule and a leaf for each tree: those that cover the most samples, of equals the
        first.
    max_rules : int or None, default=None
        At most so many rules besides the default one. After each tree, rules beyond it are dropped from the end of the
        list before the tree is judged, and the default rule answers for what they covered.
    max_memory : int, str or None, default=None
        Bytes, also as "500MB" or "2GiB", that the index of the samples and the search may take together. Work is done
        in smaller blocks; a tree that does not fit even so ends the search. It raises `MemoryBudgetError`, before the
        search, if the index and the first tree do not fit. The table, the ensemble and libraries are not counted.
    on_interrupt : {"raise", "best"}, default="raise"
        What Ctrl-C does in the midst of a search: pass on as usual, or end it and keep the best rules so far. Before
        the first tree has passed, and after the search, it passes on.
    keep_index : bool, default=False
        Keep the indexed training samples as `index_`. Without it a fitted model carries no samples.
    n_jobs : int or None, default=None
        Threads that look through the samples, in scikit-learn's meaning; they are used where there are so many samples
        that it pays, and the rules are the same for any number. The ensemble has its own.
    random_state : int or None, default=None
        Seed of the ensemble where that is given by name or not at all.

    Attributes
    ----------
    ruleset_ : RuleSet
    ensemble_ : fitted classifier
        The ensemble that the rules come from.
    transformer_ : fitted transformer or None
        The steps before it, if the ensemble is a pipeline: the rules speak of the columns that these make.
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Only when `X` has column names.
    history_ : list of SearchStep
        What happened to each tree, and what budgets cut.
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
        confidence: float = 0.25,
        rule_order: RuleOrder = "support",
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
        self.confidence = confidence
        self.rule_order = rule_order
        self.max_seconds = max_seconds
        self.max_candidates = max_candidates
        self.max_rules = max_rules
        self.max_memory = max_memory
        self.on_interrupt = on_interrupt
        self.keep_index = keep_index

    @all_or_nothing
    def fit(self, X: Any, y: Any, **unsupported: Any) -> Self:
        """Extract rules; see `RuleClassifier.fit`."""
        components = self.begin_fit(unsupported)
        data = self.prepare(X, y, components)
        found = self._search(data, components)
        rules = data.finished_list(found.rules)
        probabilities = components["final_estimator"].fit(rules.data).estimate_list(rules)
        ruleset = RuleSet.from_rules(data, rules.conditions, probabilities, components["inference"])
        self.history_ = list(found.history)
        self._set_or_forget("index_", data.index if self.keep_index else None)
        return self.adopt(ruleset, data)

    def _search(self, data: TrainingData, components: dict[str, Any]) -> Found:
        """Send every tree through the stages, then refine the list."""
        context = SearchContext(
            data=data.searched,
            priors=components["priors"].fit(data.searched),
            search_estimator=components["search_estimator"].fit(data.searched),
            min_precision=self.min_precision,
            min_coverage=self.min_coverage,
            confidence=self.confidence,
            rule_order=self.rule_order,
            budget=self._budget(data),
        )
        stages = {name: components[name] for name in ("combine", "cover", "simplify", "refine")}
        with announced(plugins().hook, self, len(data.leaves), context) as observer:
            search = Search(
                **stages,
                score=components["search_score"],
                context=context,
                observer=observer,
                keeps_best_if_interrupted=self.on_interrupt == "best",
            )
            found = search.refined(search.run(data.searched.tree_rules()))
        if not len(found.rules):
            warn_caller(
                f"No rule of the first tree passed min_precision={self.min_precision} and "
                f"min_coverage={self.min_coverage}, so only the default rule is left. Lower them.",
                FewRulesWarning,
            )
        warn_of_truncation(found.history, len(data.leaves), self)
        return found

    def check_parameters(self) -> None:
        """Raise if a parameter has a value that is not allowed."""
        super().check_parameters()
        check_number(self, "min_precision", 0, 1)
        check_number(self, "min_coverage", 0, 1)
        check_number(self, "confidence", 0, 1, above=True)
        check_choice(self, "rule_order", RULE_ORDERS)
        if self.max_seconds is not None:
            check_number(self, "max_seconds", 0)
        check_whole_number(self, "max_candidates", 1)
        check_whole_number(self, "max_rules", 1)
        check_bytes(self, "max_memory")
        check_choice(self, "on_interrupt", ON_INTERRUPT)

    def memory_budget(self) -> int | None:
        """Bytes that `max_memory` allows."""
        return parse_bytes(self.max_memory)

    def _budget(self, data: TrainingData) -> Budget:
        """What the search may spend; of the memory, what the indices leave."""
        memory = self.memory_budget()
        indices = {data.index, data.searched.index, data.counted.index}
        left = None if memory is None else max(1, memory - sum(index.n_bytes for index in indices))
        # Some of NumPy's integers overflow where others are added to them.
        candidates, rules = (None if most is None else int(most) for most in (self.max_candidates, self.max_rules))
        return Budget(self.max_seconds, candidates, rules, left)
