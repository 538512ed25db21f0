"""inTrees as a scikit-learn classifier."""

from numbers import Integral
from typing import Any

import numpy as np

from rulekit import RuleSet
from rulekit.plugin import (
    Adapter,
    DecisionList,
    FewRulesWarning,
    InvalidParameterError,
    RuleMethod,
    TrainingData,
    check_choice,
    check_number,
    warn_caller,
)
from rulekit_intrees.extraction import candidate_antecedents, limited
from rulekit_intrees.measured import MeasuredRules
from rulekit_intrees.pruning import DECAY_TYPES, DecayType, prune
from rulekit_intrees.selection import select
from rulekit_intrees.summary import summarise


class InTrees(RuleMethod):
    """An ordered list of pruned rules of a tree ensemble: inTrees (Deng, 2014).

    Rules are extracted, measured, pruned, selected and summarised. A rule predicts the class fractions of the training
    samples that it answers, the default rule those of all others.

    Parameters
    ----------
    ensemble : classifier, str or None, default=None
        See `rulekit.RuleClassifier`.
    max_decay : float, default=0.05
        A condition is removed if the rule's error rises by no more than this.
    decay_type : {"relative", "absolute"}, default="relative"
        Whether the increase is relative to the error, or absolute.
    min_freq : float, default=0.01
        A rule is kept only if it covers this fraction of the training samples; in the ordered list, samples that
        earlier rules cover do not count.
    max_trees : int or None, default=100
        Only the first trees are read; None reads all. A round of multiclass boosting counts as one tree.
    max_depth : int or None, default=6
        Only the first splits on the path to a leaf are read; None reads all.
    max_rules : int or None, default=2000
        If there are more antecedents, this number is drawn at random; None keeps all.
    select : bool, default=True
        Select a compact subset by a regularised random forest before the rules are summarised.
    base_coefficient : float, default=0.5
        Factor of the gain of a rule that is not selected yet; the smaller, the fewer rules are selected.
    length_weight : float, default=0.01
        Fraction by which that factor is smaller for the longest rule; proportionally less for shorter ones.
    adapter : Adapter, str or None, default=None
        Reads the ensemble; None chooses the first adapter that accepts it.
    n_jobs : int or None, default=None
        Number of threads for operations on samples.
    random_state : int or None, default=None
        Seed for drawing antecedents and the samples of the selecting forest, and of an ensemble that is given by name
        or not at all.

    Attributes
    ----------
    ruleset_ : RuleSet
    n_rules_ : dict of str to int
        Number of rules after each step: extracted, pruned, frequent, selected, summarised.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import rulekit
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = rulekit.build("intrees", random_state=0).fit(X, y)
    >>> model.predict(X.head(2)).tolist()
    [0, 0]
    """

    def __init__(
        self,
        ensemble: Any = None,
        *,
        max_decay: float = 0.05,
        decay_type: DecayType = "relative",
        min_freq: float = 0.01,
        max_trees: int | None = 100,
        max_depth: int | None = 6,
        max_rules: int | None = 2000,
        select: bool = True,
        base_coefficient: float = 0.5,
        length_weight: float = 0.01,
        adapter: Adapter | str | None = None,
        n_jobs: int | None = None,
        random_state: int | None = None,
    ) -> None:
        super().__init__(ensemble, adapter=adapter, n_jobs=n_jobs, random_state=random_state)
        self.max_decay = max_decay
        self.decay_type = decay_type
        self.min_freq = min_freq
        self.max_trees = max_trees
        self.max_depth = max_depth
        self.max_rules = max_rules
        self.select = select
        self.base_coefficient = base_coefficient
        self.length_weight = length_weight

    def check_parameters(self) -> None:
        """Raise if a parameter has an invalid value."""
        super().check_parameters()
        check_number(self, "max_decay", 0)
        check_choice(self, "decay_type", DECAY_TYPES)
        check_number(self, "min_freq", 0, 1)
        check_number(self, "base_coefficient", 0, 1, above=True)
        check_number(self, "length_weight", 0, 1)
        for name in ("max_trees", "max_depth", "max_rules"):
            self._check_limit(name)
        if not isinstance(self.select, bool | np.bool_):
            raise InvalidParameterError(f"InTrees: select must be True or False, got {self.select!r}.")

    def extract(self, data: TrainingData, components: dict[str, Any]) -> RuleSet:
        """Extract, measure, prune, select and summarise rules."""
        random = np.random.default_rng(self.random_state)
        data = limited(data, self.max_trees, self.max_depth)
        extracted = MeasuredRules.of(candidate_antecedents(data, self.max_rules, random), data)
        pruned = prune(extracted, self.max_decay, self.decay_type)
        frequent = pruned.take(np.flatnonzero(pruned.frequencies >= self.min_freq))
        selected = select(frequent, self.base_coefficient, self.length_weight, random) if self.select else frequent
        rules, answered = summarise(selected, self.min_freq)
        if not len(rules):
            warn_caller(
                f"None of {len(extracted)} rules was better than the default rule with min_freq={self.min_freq}, so "
                "only the default rule is left. Lower min_freq, or train an ensemble that separates the classes.",
                FewRulesWarning,
            )
        steps = {"extracted": extracted, "pruned": pruned, "frequent": frequent, "selected": selected}
        self.n_rules_ = {**{step: len(found) for step, found in steps.items()}, "summarised": len(rules)}
        default = data.rule_list(rules.antecedents).default_fractions
        probabilities = np.vstack([answered / answered.sum(axis=1, keepdims=True), default])
        return RuleSet.from_rules(data, rules.antecedents, probabilities, DecisionList())

    def _check_limit(self, name: str) -> None:
        value = getattr(self, name)
        if value is not None and (not isinstance(value, Integral) or isinstance(value, bool) or value < 1):
            raise InvalidParameterError(f"InTrees: {name} must be None or a whole number of at least 1, got {value!r}.")
