"""The training data of one fit: the model read from the ensemble, and the samples indexed for the search."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import attrs
import numpy as np
from joblib import effective_n_jobs

from rulekit.core.arrays import WORD, BitArray, BoolArray, CountArray, FloatArray, IntArray
from rulekit.core.checks import format_bytes
from rulekit.core.columns import is_whole, neighbours, standard_deviation
from rulekit.core.conditions import drop_redundant, tidy
from rulekit.core.engine.interface import Layout
from rulekit.core.errors import MemoryBudgetError
from rulekit.core.forest import Forest
from rulekit.core.index import MAX_CACHE_BYTES, TrainingIndex, bytes_of_index
from rulekit.core.node_antecedents import node_antecedents, shallow_antecedents
from rulekit.core.rules import RuleList, Rules, answered_counts, concatenate
from rulekit.core.set_intersections import merge_sets
from rulekit.core.statistics import Limits
from rulekit.core.tree_rules import LeafRules, RoundRules, leaf_rules, round_rules
from rulekit.core.weights import Weights, equal

if TYPE_CHECKING:
    from collections.abc import Callable

    from rulekit.core.conditions import Conditions
    from rulekit.core.honest import HonestSamples


@attrs.frozen(eq=False, slots=False, repr=False)
class TrainingData:
    """What one fit works on: the forest, the rules of its leaves, and the indexed samples.

    Attributes
    ----------
    forest : Forest
        The ensemble in neutral form.
    X : ndarray of shape (n_samples, n_features)
        The samples as the forest's trees compare them.
    y : ndarray of shape (n_samples,)
        Class indices, in the order of the forest's classes.
    leaves : tuple of LeafRules
        One for each round of trees.
    index : TrainingIndex
        The samples as bits.
    held_back : ndarray of shape (n_samples,) or None
        Mask of the samples reserved for the final estimator: the search does not see them.
    ensemble : fitted model
        The ensemble that was given, or a fitted clone of it.
    transformer : fitted transformer or None
        The steps of a pipeline before its ensemble.
    n_features_in : int
        Number of features that were passed to `fit`, before the transformer.
    feature_names_in : list of str or None
        Their names, if they have names.
    sample_weight : ndarray of shape (n_samples,) or None
        Weights of the samples as they were given, without those of classes; None if there were none.
    unseen : callable or None
        Returns, for each tree, which samples it did not see in training; None if that is unknown.
    refit : callable or None
        Takes the samples to hide, of shape (n_samples,), fits a copy of the ensemble on the others, and returns the
        function by which the copy predicts: from numbers as in `X` to class probabilities. It raises
        `NoHonestProbabilities` if the copy cannot be fitted. None if the ensemble cannot be fitted again at all.
    seed : int
        Seed of everything random that components do with the samples.
    seconds : float
        Time that reading the ensemble and indexing the samples took, without training.
    """

    forest: Forest
    X: FloatArray
    y: IntArray
    leaves: tuple[LeafRules, ...]
    index: TrainingIndex
    held_back: BoolArray | None = None
    ensemble: Any = None
    transformer: Any = None
    n_features_in: int = 0
    feature_names_in: list[str] | None = None
    sample_weight: FloatArray | None = None
    unseen: Callable[[], Iterator[BoolArray] | None] | None = None
    refit: Callable[[BoolArray], Callable[[FloatArray], FloatArray]] | None = None
    seed: int = 0
    seconds: float = 0.0

    @classmethod
    def of(
        cls,
        forest: Forest,
        X: FloatArray,
        y: IntArray,
        feature_names: Sequence[str],
        missing_features: frozenset[int],
        *,
        held_back: BoolArray | None = None,
        weights: Weights | None = None,
        max_bytes: int | None = None,
        n_jobs: int | None = None,
        **origin: Any,
    ) -> Self:
        """Make the rules of all leaves, and index the samples for their conditions.

        Parameters
        ----------
        forest, X, y, held_back
            See the attributes.
        feature_names : sequence of str
        missing_features : frozenset of int
            Features that have, or may come to have, missing values.
        weights : Weights or None
            What each sample counts as; None if each counts as one.
        max_bytes : int or None
            Memory for the index and the search together; raises `MemoryBudgetError` if the samples do not fit.
        n_jobs : int or None
            Threads, as in joblib.
        **origin
            The remaining attributes.
        """
        conditions, leaves = leaf_rules(forest, feature_names, missing_features)
        n_indices = 1 if held_back is None else 2
        index = TrainingIndex(
            X,
            y,
            conditions,
            len(forest.classes),
            weights=weights,
            max_cache_bytes=_cache_bytes(max_bytes, X, y, forest, weights, conditions, leaves, n_indices, n_jobs),
            n_jobs=n_jobs,
        )
        return cls(forest, X, y, tuple(leaves), index, held_back, **origin)

    def __repr__(self) -> str:
        return f"<TrainingData: {self.n_samples} samples, {self.X.shape[1]} features, {len(self.leaves)} trees>"

    @property
    def conditions(self) -> Conditions:
        """Every distinct condition of the forest."""
        return self.index.conditions

    @property
    def pad(self) -> int:
        """The id that fills up rows of condition ids: it stands for no condition."""
        return self.index.pad

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.index.n_samples

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return self.index.n_classes

    @property
    def weights(self) -> Weights | None:
        """What each sample counts as; None if each counts as one."""
        return self.index.weights

    @property
    def total(self) -> Any:
        """What all samples count as together: the sum of `class_counts`, which is `n_samples` without weights."""
        return self.index.total

    @property
    def class_counts(self) -> CountArray:
        """Samples of each class, or their weights, of shape (n_classes,)."""
        return self.index.class_counts

    @property
    def condition_counts(self) -> CountArray:
        """The same of those for which a condition holds, of shape (n_conditions + 1, n_classes)."""
        return self.index.condition_counts

    @cached_property
    def leaf_counts(self) -> CountArray:
        """The same of those in every leaf of the ensemble, of shape (n_leaves, n_classes)."""
        nothing = np.empty((0, self.n_classes), dtype=self.class_counts.dtype)
        return np.concatenate([nothing, *(rules.counts for rules in self.tree_rules())])

    @cached_property
    def ensemble_probabilities(self) -> FloatArray:
        """Class probabilities that the ensemble predicts for each sample, of shape (n_samples, n_classes)."""
        return self.forest.predict_proba(self.X)

    @cached_property
    def out_of_bag_probabilities(self) -> FloatArray | None:
        """The same from the trees that did not see the sample in training; None if that is unknown.

        Of shape (n_samples, n_classes); a row is NaN where every tree saw the sample.
        """
        unseen = None if self.unseen is None else self.unseen()
        return None if unseen is None else self.forest.predict_proba_by(self.X, unseen)

    @cached_property
    def searched(self) -> TrainingData:
        """The samples that the search sees: all but those that are held back."""
        return self if self.held_back is None else self.subset(~self.held_back, hides_others=True)

    @cached_property
    def counted(self) -> TrainingData:
        """The samples that the final estimator counts: those that are held back, or else all."""
        return self if self.held_back is None else self.subset(self.held_back)

    def subset(self, rows: BoolArray, *, hides_others: bool = False) -> TrainingData:
        """The same forest, rules and conditions with some of the samples.

        Parameters
        ----------
        rows : ndarray of shape (n_samples,)
        hides_others : bool
            Whether copies of the ensemble must not be fitted on the other samples either.
        """
        unseen, refit = self.unseen, self.refit

        def refit_without(hidden: BoolArray) -> Callable[[FloatArray], FloatArray]:
            assert refit is not None, "it is handed on only if there is one"
            of_all = np.full(len(rows), hides_others)
            of_all[rows] = hidden
            return refit(of_all)

        def unseen_of_rows() -> Iterator[BoolArray] | None:
            whole = None if unseen is None else unseen()
            return None if whole is None else (of_tree[rows] for of_tree in whole)

        part = self.with_samples(self.X[rows], self.y[rows], self.weights and self.weights.take(rows))
        given = None if self.sample_weight is None else self.sample_weight[rows]
        return attrs.evolve(part, sample_weight=given, unseen=unseen_of_rows, refit=refit and refit_without)

    def with_samples(self, X: FloatArray, y: IntArray, weights: Weights | None = None) -> TrainingData:
        """The same forest, rules and conditions with other samples, none of them held back.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
        y : ndarray of shape (n_samples,)
        weights : Weights, optional
            What each sample counts as; by default, each counts as one.
        """
        given = self.index
        index = TrainingIndex(
            X,
            y,
            given.conditions,
            given.n_classes,
            weights=weights,
            max_cache_bytes=given.max_cache_bytes,
            n_jobs=given.n_jobs,
        )
        return attrs.evolve(self, X=X, y=y, index=index, held_back=None, sample_weight=None, unseen=None, refit=None)

    def with_forest(self, forest: Forest) -> TrainingData:
        """The same samples with the rules and conditions of another forest on the same features."""
        conditions = self.conditions
        names, missing = conditions.feature_names, conditions.missing_features
        data = TrainingData.of(forest, self.X, self.y, names, missing, weights=self.weights, n_jobs=self.index.n_jobs)
        return attrs.evolve(self, forest=forest, leaves=data.leaves, index=data.index, unseen=None, refit=None)

    def with_class_weight(self, class_weight: Any) -> TrainingData:
        """The same samples, with the weights that they come with, and other weights of their classes.

        Parameters
        ----------
        class_weight : dict, "balanced" or None
        """
        weights = Weights.of(self.sample_weight, class_weight, self.y, self.forest.classes)
        if equal(weights, self.weights):
            return self
        index = self.with_samples(self.X, self.y, weights).index
        return attrs.evolve(self, index=index)

    def tree_rules(self) -> Iterator[Rules]:
        """The rules of each round of trees with their samples, one round after the other."""
        return (of_round.on(self.index) for of_round in self.leaves)

    def round_rules(self, limits: Limits) -> Iterator[RoundRules]:
        """The rules of each round of trees, of all leaves or only of those above the limit of coverage, when asked for.

        Parameters
        ----------
        limits : Limits
        """
        return round_rules(self.leaves, self.index, limits)

    def leaf_rules(self) -> Rules:
        """Every leaf of every tree as a rule with its samples, tree by tree."""
        rules = concatenate(list(self.tree_rules()), self.pad)
        return attrs.evolve(rules, groups=np.zeros(len(rules), dtype=np.int64))

    def node_antecedents(self) -> IntArray:
        """Distinct antecedents of all nodes of all trees, including inner nodes; shape (n_antecedents, width).

        Rows hold condition ids and are padded with `pad`. Roots and redundant conditions are left out.
        """
        return node_antecedents(self.forest, self.conditions)

    def shallow_antecedents(self, max_depth: int) -> list[IntArray]:
        """For each round of trees, distinct antecedents of its nodes down to a depth that no earlier round has.

        Roots and redundant conditions are left out; each array has the shape (n_antecedents, width).

        Parameters
        ----------
        max_depth : int
            The children of a root have depth 1.
        """
        return shallow_antecedents(self.forest, self.conditions, max_depth)

    def tidy(self, antecedents: IntArray) -> IntArray:
        """Antecedents as sets of condition ids: each row ascending, repeated ids once, pads at the end.

        Parameters
        ----------
        antecedents : ndarray of shape (n_rules, width)
            Condition ids and pads, in any order.

        Returns
        -------
        antecedents : ndarray of shape (n_rules, narrower width)
        """
        return tidy(antecedents, self.pad)

    def without_redundancy(self, antecedents: IntArray) -> IntArray:
        """Tidy antecedents without conditions that others imply; they cover the same samples, whatever the data.

        The strictest of several conditions that imply one another stays, and several sets of categories of one feature
        become their intersection where that is a condition of the training data.

        Parameters
        ----------
        antecedents : ndarray of shape (n_rules, width)
        """
        return drop_redundant(merge_sets(tidy(antecedents, self.pad), self.conditions), self.conditions)

    def cover(self, antecedents: IntArray) -> BitArray:
        """Samples that satisfy each antecedent, as bits of shape (n_rules, n_words).

        Sets of samples are intersected by `&`, counted by `count`, and turned into booleans by `samples`.

        Parameters
        ----------
        antecedents : ndarray of shape (n_rules, width)
            Condition ids, padded with `pad`.
        """
        return self.index.cover(antecedents)

    def condition_bits(self, ids: IntArray) -> BitArray:
        """Samples for which single conditions hold, as bits of shape (n_ids, n_words)."""
        return self.index.bits(ids)

    def count(self, bits: BitArray) -> CountArray:
        """Samples of each class among `bits`, or their weights: from (..., n_words) to (..., n_classes)."""
        return self.index.count(bits)

    def pair_counts(self, left: BitArray, right: BitArray) -> CountArray:
        """Samples of each class in every intersection, of shape (n_left, n_right, n_classes).

        Parameters
        ----------
        left : ndarray of shape (n_left, n_words)
        right : ndarray of shape (n_right, n_words)
        """
        return self.index.engine.pair_counts(left, right)

    def removal_counts(self, antecedents: IntArray) -> CountArray:
        """Samples of each class that satisfy all conditions of an antecedent but one.

        Parameters
        ----------
        antecedents : ndarray of shape (n_rules, width)
            Condition ids; pads may be at any position.

        Returns
        -------
        counts : ndarray of shape (n_removals, n_classes)
            Without each of the conditions in turn, antecedent by antecedent.
        """
        return self.index.removal_counts(antecedents)

    def answered_counts(self, bits: BitArray) -> CountArray:
        """Samples of each class that each rule of a list answers; the last row is that of the default rule.

        Parameters
        ----------
        bits : ndarray of shape (n_rules, n_words)
            Samples that each rule covers, in the order in which the rules are tried.

        Returns
        -------
        counts : ndarray of shape (n_rules + 1, n_classes)
        """
        return answered_counts(bits, self.index)

    @property
    def all_samples(self) -> BitArray:
        """All samples as bits, of shape (n_words,); do not modify."""
        return self.index.all_samples

    def samples(self, bits: BitArray) -> BoolArray:
        """Sets of samples as booleans, in the order of `X`: from (..., n_words) to (..., n_samples)."""
        return self.index.samples(bits)

    def sample_bits(self, samples: BoolArray) -> BitArray:
        """The inverse of `samples`: from (..., n_samples) to (..., n_words)."""
        return self.index.sample_bits(samples)

    def rules(
        self, antecedents: IntArray, priors: FloatArray, classes: IntArray, groups: IntArray | None = None
    ) -> Rules:
        """Rules from their antecedents, with the samples that they cover.

        Parameters
        ----------
        antecedents : ndarray of shape (n_rules, width)
            Tidy: see `tidy`.
        priors : ndarray of shape (n_rules, n_classes)
            Local class distributions.
        classes : ndarray of shape (n_rules,)
            Index of the class that each rule predicts.
        groups : ndarray of shape (n_rules,), optional
            Rules of different groups share no sample; by default that is unknown.
        """
        return Rules.of(antecedents, priors, classes, self.index, groups)

    def rule_list(self, antecedents: IntArray, priors: FloatArray | None = None) -> RuleList:
        """A finished list of rules on the samples that the final estimator counts.

        Parameters
        ----------
        antecedents : ndarray of shape (n_rules, width)
            Condition ids in the order in which the rules are tried, padded with `pad`.
        priors : ndarray of shape (n_rules, n_classes), optional
            Local class distributions; by default the mean of what the ensemble predicts for the samples that a rule
            covers, or for all samples where it covers none.
        """
        return RuleList(self.counted, antecedents, priors)

    def finished_list(self, rules: Rules, honest: HonestSamples | None = None) -> RuleList:
        """The list that the search has found, on the samples that the final estimator counts.

        Parameters
        ----------
        rules : Rules
        honest : HonestSamples, optional
            Honest probabilities of the samples that the search saw; left out if the final estimator counts others.
        """
        if self.held_back is not None:
            return self.rule_list(rules.conditions, rules.priors)
        return RuleList(self, rules.conditions, rules.priors, rules.counts, rules.bits, honest)

    def feature_scales(self, features: IntArray) -> FloatArray:
        """Standard deviations of some features, 1 for others and for those that never vary; shape (n_features,)."""
        scales = np.ones(self.X.shape[1])
        for feature in np.unique(features).tolist():
            scales[feature] = standard_deviation(self.X[:, feature]) or 1.0
        return scales

    def neighbours(self, feature: int, cutoffs: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The largest value of a feature up to each cutoff, and the smallest one beyond it; see `neighbours`."""
        return neighbours(cutoffs, self.X[:, feature])

    def whole_features(self, features: Iterable[int]) -> frozenset[int]:
        """Those of some features whose values, missing ones aside, are whole numbers."""
        return frozenset(feature for feature in features if is_whole(self.X[:, feature]))


def _cache_bytes(
    max_bytes: int | None,
    X: FloatArray,
    y: IntArray,
    forest: Forest,
    weights: Weights | None,
    conditions: Conditions,
    leaves: Sequence[LeafRules],
    n_indices: int,
    n_jobs: int | None,
) -> int:
    """Memory that an index may take for the bits of conditions: a quarter of what is free, 256 MB at most."""
    if max_bytes is None:
        return MAX_CACHE_BYTES
    n_samples, n_features = len(X), len(np.unique(conditions.features))
    n_leaves = max(len(of_round.priors) for of_round in leaves)
    n_slots = WORD * int(Layout.of(y, len(forest.classes), weights).blocks.bounds[-1]) if weights else None
    index = bytes_of_index(n_samples, n_features, len(forest.classes), effective_n_jobs(n_jobs), n_slots)
    # The rules of the largest tree exist twice, before and after a stage.
    needed = n_indices * index + 2 * n_leaves * (n_slots or n_samples) // 8
    if needed > max_bytes:
        raise MemoryBudgetError(
            f"max_memory is {format_bytes(max_bytes)}, but {n_samples:,} samples with conditions on {n_features} "
            f"features and trees of up to {n_leaves} leaves need about {format_bytes(needed)}. Raise max_memory, use "
            "fewer samples, or use an ensemble with smaller trees."
        )
    return min(MAX_CACHE_BYTES, (max_bytes - needed) // (4 * n_indices))
