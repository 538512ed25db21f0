"""The search for rules, stage by stage, as a scikit-learn classifier."""

from collections.abc import Sequence
from typing import Any, Literal

from rulekit.assembly import assemble
from rulekit.classifier import RuleClassifier
from rulekit.components import KIND_OF_PARAMETER, fresh
from rulekit.core.arrays import BoolArray, IntArray
from rulekit.core.budget import Budget
from rulekit.core.callers import warn_caller
from rulekit.core.checks import check_bytes, check_choice, check_number, check_whole_number
from rulekit.core.conditions import Conditions
from rulekit.core.context import SearchContext
from rulekit.core.errors import FewRulesWarning
from rulekit.core.history import SearchStep
from rulekit.core.index import TrainingIndex
from rulekit.core.interfaces import (
    Adapter,
    CombineStage,
    CoverStage,
    InferenceMode,
    PriorCombiner,
    ProbabilityEstimator,
    SimplifyStage,
)
from rulekit.core.memory import parse_bytes
from rulekit.core.order import RULE_ORDERS, RuleOrder
from rulekit.core.rules import Rules
from rulekit.cuts import warn_of_cuts
from rulekit.ground import Ground
from rulekit.reading import Reading
from rulekit.room import room_for_conditions
from rulekit.ruleset import RuleSet
from rulekit.search.leaves import LeafRules
from rulekit.search.loop import Search
from rulekit.watching import announced

ON_INTERRUPT = ("raise", "best")


class RuleExtractor(RuleClassifier):
    """A short ordered list of rules, extracted from a tree ensemble.

    `rulekit.build` makes one from a preset's name. Every component can be given by its registered name or as an
    instance; parameters of instances nest as usual (`probability__n0`).

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
    evidence : ProbabilityEstimator or str, default="naive-bayes"
        What guides the search.
    probability : ProbabilityEstimator or str, default="hybrid"
        What the final rules state.
    combine, cover, simplify : stage, str or None
        The stages of the search; None leaves one out.
    inference : InferenceMode or str, default="decision-list"
        How the rules that match a record answer.
    min_precision : float, default=0.5
        A rule is kept only if a larger share of the records it covers is of its class.
    min_coverage : float, default=0.0
        A rule is kept only if it covers a larger share of the training records.
    confidence : float, default=0.25
        Level of the pessimistic error estimate that removes conditions; smaller removes more.
    rule_order : {"support", "coverage", "precision"}, default="support"
        Which statistic ranks rules first; the others break ties.
    max_seconds : float or None, default=None
        End the search when it has taken this long; training the ensemble and reading it are not counted. The first tree
        always passes. Time is looked at between trees and stages and between blocks of work, so that a search ends a
        fraction of a second late.
    max_candidates : int or None, default=None
        Try at most so many pairs of a rule and a leaf for each tree: those that cover the most records, of equals the
        first.
    max_rules : int or None, default=None
        At most so many rules besides the default one. After each tree, rules beyond it are dropped from the end of the
        list before the tree is judged, and the default rule answers for what they covered.
    max_memory : int, str or None, default=None
        Bytes, also as "500MB" or "2GiB", that the index of the records and the search may take together. Work is done
        in smaller blocks; a tree that does not fit even so ends the search. It raises `MemoryBudgetError`, before the
        search, if the index and the first tree do not fit. The table, the ensemble and libraries are not counted.
    on_interrupt : {"raise", "best"}, default="raise"
        What Ctrl-C does in the midst of a search: pass on as usual, or end it and keep the best rules so far. Before
        the first tree has passed, and after the search, it passes on.
    keep_index : bool, default=False
        Keep the indexed training records as `index_`. Without it a fitted model carries no records.
    n_jobs : int or None, default=None
        Threads that look through the records, in scikit-learn's meaning; they are used where there are so many records
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
        evidence: ProbabilityEstimator | str = "naive-bayes",
        probability: ProbabilityEstimator | str = "hybrid",
        combine: CombineStage | str | None = "combine",
        cover: CoverStage | str | None = "cover",
        simplify: SimplifyStage | str | None = "simplify",
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
        self.evidence = evidence
        self.probability = probability
        self.combine = combine
        self.cover = cover
        self.simplify = simplify
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

    def extract(self, ground: Ground) -> RuleSet:
        """Search for rules, and state what they promise."""
        parts = self._parts()
        searched, judges = ground.divided(parts["probability"].hold_back(ground.reading.positions))
        rules, self.history_ = self._search(
            ground.leaves, searched, parts, self._budget({ground.index, searched, judges})
        )
        self._set_or_forget("index_", ground.index if self.keep_index else None)
        probability = parts["probability"].fit(judges)
        return assemble(rules, ground, judges, probability, parts["inference"])

    def cache_bytes(self, reading: Reading, conditions: Conditions, leaves: Sequence[LeafRules]) -> int:
        """What `max_memory` leaves for the bits of conditions; raise if the records do not fit at all."""
        memory = parse_bytes(self.max_memory)
        if memory is None:
            return super().cache_bytes(reading, conditions, leaves)
        n_indices = 1 if self.held_back(reading.positions) is None else 2
        return room_for_conditions(memory, reading, conditions, leaves, n_indices=n_indices, n_jobs=self.n_jobs)

    def held_back(self, y: IntArray) -> BoolArray | None:
        """What the final estimator wants to judge by, and nobody else is to see."""
        estimator: ProbabilityEstimator = fresh("probability", self.probability)
        return estimator.hold_back(y)

    def check_parameters(self) -> None:
        """Raise if a parameter has a value that it cannot have, or a component is not known."""
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
        self._parts()

    def _parts(self) -> dict[str, Any]:
        return {name: fresh(name, getattr(self, name)) for name in KIND_OF_PARAMETER}

    def _budget(self, indices: set[TrainingIndex]) -> Budget:
        """What the search may spend; of the memory, what the indices leave."""
        memory = parse_bytes(self.max_memory)
        left = None if memory is None else max(1, memory - sum(index.n_bytes for index in indices))
        # Of NumPy's integers some overflow where others are added to them.
        candidates, rules = (None if most is None else int(most) for most in (self.max_candidates, self.max_rules))
        return Budget(self.max_seconds, candidates, rules, left)

    def _search(
        self, leaves: list[LeafRules], index: TrainingIndex, parts: dict[str, Any], budget: Budget
    ) -> tuple[Rules, list[SearchStep]]:
        context = SearchContext(
            index=index,
            priors=parts["priors"],
            evidence=parts["evidence"].fit(index),
            min_precision=self.min_precision,
            min_coverage=self.min_coverage,
            confidence=self.confidence,
            rule_order=self.rule_order,
            budget=budget,
        )
        with announced(self, len(leaves), context) as observer:
            search = Search(
                parts["combine"], parts["cover"], parts["simplify"], context, observer, self.on_interrupt == "best"
            )
            rules, history = search.run(round_.on(index) for round_ in leaves)
        if not len(rules):
            warn_caller(
                f"No rule of the first tree passed min_precision={self.min_precision} and "
                f"min_coverage={self.min_coverage}, so that only the default rule is left. Lower them.",
                FewRulesWarning,
            )
        warn_of_cuts(history, len(leaves), self)
        return rules, history
