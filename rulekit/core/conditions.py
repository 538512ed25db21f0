"""The condition algebra: every distinct condition of an ensemble as a row of arrays.

There are two kinds: `x <= t` / `x > t` compares a number with a threshold, `x in {…}` / `x not in {…}` looks a category
up in a set. Either may also hold where the value is missing: `x <= t or missing`. The kinds are known here, where
conditions come from (`tree_rules`), where samples are encoded for them (`index`), and where they are shown
(`rulekit.ruleset.condition`). Everything else uses a condition's region.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple, Self

import attrs
import numpy as np
import numpy.typing as npt

from rulekit.core.arrays import BoolArray, FloatArray, IntArray
from rulekit.core.columns import LARGEST_WHOLE
from rulekit.core.regions import Codes, Numbers, Region
from rulekit.core.set_bits import SetBits
from rulekit.core.validation import Categories

#: The operator of each kind, by (is a set of categories, holds inside).
OPERATORS: Final = {(False, True): "<=", (False, False): ">", (True, True): "in", (True, False): "not in"}
_KINDS: Final = {operator: kind for kind, operator in OPERATORS.items()}


class ConditionKey(NamedTuple):
    """What identifies a condition.

    Attributes
    ----------
    feature : int
    is_upper : bool
        True for `x <= t` and `x in {…}`, False for `x > t` and `x not in {…}`.
    threshold : float
        0 for sets.
    codes : frozenset of int or None
        The set's categories; None for thresholds.
    holds_missing : bool
    """

    feature: int
    is_upper: bool
    threshold: float
    codes: frozenset[int] | None
    holds_missing: bool

    @property
    def operator(self) -> str:
        """One of "<=", ">", "in" and "not in"."""
        return OPERATORS[self.codes is not None, self.is_upper]

    def opposite(self, missing_features: frozenset[int]) -> "ConditionKey":
        """The condition that holds wherever this one does not; for missing values only where there may be some."""
        lets_in = self.feature in missing_features and not self.holds_missing
        return self._replace(is_upper=not self.is_upper, holds_missing=lets_in)

    def to_plain(self, display: float = float("nan")) -> dict[str, Any]:
        """The condition in plain types, for JSON; a display of NaN means that the threshold is not rounded."""
        limit = {"threshold": self.threshold} if self.codes is None else {"categories": sorted(self.codes)}
        shown = {} if np.isnan(display) else {"display": display}
        return {
            "feature": self.feature,
            "operator": self.operator,
            **limit,
            **shown,
            "or_missing": self.holds_missing,
        }

    @classmethod
    def from_plain(cls, entry: Mapping[str, Any]) -> "ConditionKey":
        """The inverse of `to_plain`, except for the rounded threshold."""
        is_set, is_upper = _KINDS[entry["operator"]]
        codes = frozenset(entry["categories"]) if is_set else None
        threshold = 0.0 if is_set else float(entry["threshold"])
        return cls(int(entry["feature"]), is_upper, threshold, codes, bool(entry["or_missing"]))


@attrs.frozen(eq=False)
class SetOrder:
    """Ranks of conditions: sets of categories come first, by feature, then by id; then all others, and the pad.

    Attributes
    ----------
    ranks, ids : ndarrays of shape (n_conditions + 1,)
        The rank of each id, and the id of each rank.
    features : ndarray of shape (n_conditions + 1,)
        Of the set of each rank, -1 for other conditions.
    """

    ranks: IntArray
    ids: IntArray
    features: IntArray

    @classmethod
    def of(cls, features: IntArray, is_set: BoolArray) -> Self:
        """The order of conditions on these features."""
        n_conditions = len(features)
        ids = np.append(np.lexsort((np.where(is_set, features, 0), ~is_set)), n_conditions)
        ranks = np.empty_like(ids)
        ranks[ids] = np.arange(n_conditions + 1)
        return cls(ranks, ids, np.append(np.where(is_set, features, -1), -1)[ids])


@attrs.frozen(eq=False, slots=False)
class Conditions:
    """Conditions on features; a condition's id is its row.

    Attributes
    ----------
    features : ndarray of shape (n_conditions,)
    is_upper : ndarray of shape (n_conditions,)
        True for `x <= t` and `x in {…}`, False for `x > t` and `x not in {…}`.
    thresholds : ndarray of shape (n_conditions,)
        As in the library's trees; 0 for sets.
    feature_names : tuple of str
    input_dtype : numpy dtype
        What the library rounds a sample's values to before it compares them.
    holds_missing : ndarray of shape (n_conditions,)
        Whether a condition also holds where the value is missing.
    sets : tuple of frozensets of int or None
        Category codes of set conditions, None for thresholds; empty if no condition is a set.
    categories : Categories
        The labels behind the codes.
    missing_features : frozenset of int
        Features whose values may be missing.
    displays : ndarray of shape (n_conditions,)
        Thresholds for display: rounded such that no training sample changes sides, NaN where they are not rounded. They
        are never used in comparisons.
    whole_features : frozenset of int
        Features that held whole numbers only in training: `x <= 36.5` and `x > 36.5` are shown as `x <= 36` and
        `x >= 37`, which means the same for whole numbers.
    cutoffs : ndarray of shape (n_conditions,)
        The float64 values that split unrounded samples exactly as the library splits rounded ones.
    """

    features: IntArray
    is_upper: BoolArray
    thresholds: FloatArray
    feature_names: tuple[str, ...]
    input_dtype: npt.DTypeLike = np.float32
    holds_missing: BoolArray = attrs.field()
    sets: tuple[frozenset[int] | None, ...] = ()
    categories: Categories = attrs.field(factory=Categories)
    missing_features: frozenset[int] = frozenset()
    displays: FloatArray = attrs.field()
    whole_features: frozenset[int] = frozenset()
    cutoffs: FloatArray = attrs.field(init=False)

    @holds_missing.default
    def _nothing_missing(self) -> BoolArray:
        return np.zeros(len(self.features), dtype=bool)

    @displays.default
    def _nothing_rounded(self) -> FloatArray:
        return np.full(len(self.features), np.nan)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "cutoffs", exact_cutoffs(self.thresholds, self.input_dtype))

    def __len__(self) -> int:
        return len(self.features)

    @classmethod
    def in_string_order(
        cls,
        keys: Sequence[ConditionKey],
        feature_names: Sequence[str],
        input_dtype: npt.DTypeLike,
        categories: Categories | None = None,
        missing_features: frozenset[int] = frozenset(),
    ) -> tuple[Self, IntArray]:
        """Distinct conditions sorted by their strings, so an id is a rank.

        Case is ignored: the published case study is reproduced with the original column names only if "age" comes
        before "Area". Conditions that print alike are ordered by their exact thresholds.

        Returns
        -------
        conditions : Conditions
        ids : ndarray of shape (n_keys,)
            The id of each of the given keys.
        """
        categories = categories or Categories()
        names = tuple(str(name) for name in feature_names)
        strings = [_as_string(key, names, categories) for key in keys]
        folded = [string.casefold() for string in strings]
        sort_keys = list(zip(folded, strings, (key.threshold for key in keys), strict=True))
        order = sorted(range(len(keys)), key=sort_keys.__getitem__)
        ids = np.empty(len(keys), dtype=np.int64)
        ids[order] = np.arange(len(keys))
        ranked = [keys[row] for row in order]
        return cls.of_keys(ranked, names, input_dtype, categories, missing_features), ids

    @classmethod
    def of_keys(
        cls,
        keys: Sequence[ConditionKey],
        feature_names: tuple[str, ...],
        input_dtype: npt.DTypeLike,
        categories: Categories,
        missing_features: frozenset[int],
    ) -> Self:
        """Conditions in the given order."""
        has_sets = any(key.codes is not None for key in keys)
        return cls(
            features=np.array([key.feature for key in keys], dtype=np.int64),
            is_upper=np.array([key.is_upper for key in keys], dtype=bool),
            thresholds=np.array([key.threshold for key in keys], dtype=np.float64),
            feature_names=feature_names,
            input_dtype=np.dtype(input_dtype),
            holds_missing=np.array([key.holds_missing for key in keys], dtype=bool),
            sets=tuple(key.codes for key in keys) if has_sets else (),
            categories=categories,
            missing_features=missing_features,
        )

    @property
    def has_sets(self) -> bool:
        """Whether some condition is a set of categories: antecedents may then have several sets of one feature."""
        return bool(self.sets)

    @cached_property
    def is_set(self) -> BoolArray:
        """Which conditions are sets of categories, of shape (n_conditions,)."""
        if not self.sets:
            return np.zeros(len(self), dtype=bool)
        return np.array([codes is not None for codes in self.sets])

    @cached_property
    def bounds(self) -> IntArray:
        """One number for all conditions that limit a feature on the same side, of shape (n_conditions + 1,).

        Sets are merged elsewhere, so each has a number of its own. The last entry is that of the pad.
        """
        own = 2 * len(self.feature_names) + np.arange(len(self))
        return np.append(np.where(self.is_set, own, 2 * self.features + self.is_upper), -1)

    @cached_property
    def tightness(self) -> FloatArray:
        """Larger for tighter conditions among those with the same bound; shape (n_conditions + 1,)."""
        return np.append(np.where(self.is_upper, -self.thresholds, self.thresholds), 0.0)

    @cached_property
    def lets_in(self) -> BoolArray:
        """Which conditions also hold where the value is missing, of shape (n_conditions + 1,); False for the pad."""
        return np.append(self.holds_missing, False)

    @cached_property
    def set_order(self) -> "SetOrder":
        """Ranks in which the sets of a feature are neighbours."""
        return SetOrder.of(self.features, self.is_set)

    @cached_property
    def set_bits(self) -> SetBits:
        """The sets as bits, in the order of their ranks."""
        ids = self.set_order.ids[: np.count_nonzero(self.is_set)].tolist()
        codes = [
            Codes(self.sets[row] or frozenset(), bool(self.is_upper[row]), bool(self.holds_missing[row])) for row in ids
        ]
        return SetBits.of(self.features[ids].tolist(), codes)

    def key(self, condition: int) -> ConditionKey:
        """The key of one condition."""
        return ConditionKey(
            int(self.features[condition]),
            bool(self.is_upper[condition]),
            float(self.thresholds[condition]),
            self.sets[condition] if self.sets else None,
            bool(self.holds_missing[condition]),
        )

    def region(self, condition: int) -> Region:
        """The values for which a condition holds."""
        codes, is_upper = self.sets[condition] if self.sets else None, bool(self.is_upper[condition])
        missing, cutoff = bool(self.holds_missing[condition]), float(self.cutoffs[condition])
        if codes is not None:
            return Codes(codes, is_upper, missing)
        return Numbers.between(*((-np.inf, cutoff) if is_upper else (cutoff, np.inf)), missing)

    def implies(self, condition: int, other: int) -> bool:
        """Whether `other` holds wherever `condition` does; False if they are on different features."""
        one, two = self.region(condition), self.region(other)
        is_same = self.features[condition] == self.features[other] and type(one) is type(two)
        return bool(is_same) and one.implies(two)  # type: ignore[arg-type]

    @cached_property
    def code_features(self) -> frozenset[int]:
        """Features with set conditions whose samples hold codes of categories, as there are no labels."""
        found = set(self.features[self.is_set].tolist())
        return frozenset(found - self.categories.by_feature.keys())

    @property
    def codes_by_feature(self) -> dict[int, frozenset[int]]:
        """The categories of each feature with set conditions: those in the sets, and those that have labels."""
        labels = self.categories.by_feature
        named = {feature: frozenset(codes.tolist()) for feature, codes in self.set_bits.codes.items()}
        return {feature: codes.union(range(len(labels.get(feature, ())))) for feature, codes in named.items()}

    @cached_property
    def is_whole(self) -> BoolArray:
        """Which thresholds are shown as whole numbers, of shape (n_conditions,)."""
        is_exact = ~self.is_set & (np.abs(self.cutoffs) < LARGEST_WHOLE)
        return np.isin(self.features, list(self.whole_features)) & is_exact

    @property
    def limits_by_feature(self) -> dict[int, FloatArray]:
        """The finite thresholds of each feature that has any."""
        features = self.features[self.is_limit]
        return {int(feature): self.thresholds[self.is_limit][features == feature] for feature in np.unique(features)}

    @cached_property
    def cutoffs_by_feature(self) -> dict[int, FloatArray]:
        """The distinct cutoffs of each feature with thresholds, ascending."""
        features, cutoffs = self.features[~self.is_set], self.cutoffs[~self.is_set]
        return {feature: np.unique(cutoffs[features == feature]) for feature in np.unique(features).tolist()}

    @cached_property
    def is_limit(self) -> BoolArray:
        """Which conditions have a finite threshold, of shape (n_conditions,)."""
        return ~self.is_set & np.isfinite(self.thresholds)

    def take(self, ids: IntArray) -> Self:
        """Only these conditions, in this order."""
        return attrs.evolve(
            self,
            features=self.features[ids],
            is_upper=self.is_upper[ids],
            thresholds=self.thresholds[ids],
            holds_missing=self.holds_missing[ids],
            sets=tuple(self.sets[row] for row in ids) if self.sets else (),
            displays=self.displays[ids],
        )

    def hold(self, condition: int, columns: FloatArray, missing: BoolArray | None = None) -> BoolArray:
        """Whether a condition holds, of shape (n_samples,).

        Parameters
        ----------
        condition : int
        columns : ndarray of shape (n_features, n_samples)
        missing : ndarray of shape (n_features, n_samples), optional
            Which values are missing; None if none is.
        """
        feature = self.features[condition]
        column, codes = columns[feature], self.sets[condition] if self.sets else None
        holds: BoolArray = column <= self.cutoffs[condition] if codes is None else np.isin(column, list(codes))
        holds = holds if self.is_upper[condition] else ~holds
        if missing is not None:
            holds[missing[feature]] = self.holds_missing[condition]
        return holds

    def hold_for(self, sample: FloatArray) -> BoolArray:
        """Which conditions hold for one sample of shape (n_features,); shape (n_conditions,)."""
        values = sample[self.features]
        holds: BoolArray = values <= self.cutoffs
        for condition in np.flatnonzero(self.is_set).tolist():
            holds[condition] = values[condition] in (self.sets[condition] or ())
        return np.where(np.isnan(values), self.holds_missing, holds == self.is_upper)


def _as_string(key: ConditionKey, names: Sequence[str], categories: Categories) -> str:
    """The string by which conditions are sorted: three decimals, in brackets."""
    if key.codes is None:
        comparison = f"{names[key.feature]} {'≤' if key.is_upper else '>'} {key.threshold:.3f}"
    else:
        labels = ", ".join(str(label) for label in categories.labels(key.feature, key.codes))
        comparison = f"{names[key.feature]} {'in' if key.is_upper else 'not in'} {{{labels}}}"
    return f"({comparison} or missing)" if key.holds_missing else f"({comparison})"


def exact_cutoffs(thresholds: FloatArray, input_dtype: npt.DTypeLike) -> FloatArray:
    """Largest float64 values that still count as at most the thresholds once rounded to `input_dtype`.

    Rounding to float32 sends everything up to the midpoint of two neighbours to the lower one, and the midpoint
    itself to the one with the even last bit. Comparing with that point needs no rounded copy of the samples.
    """
    if np.dtype(input_dtype) == np.float64:
        return thresholds
    infinity = np.float32(np.inf)
    with np.errstate(over="ignore"):
        nearest = thresholds.astype(np.float32)
        low = np.where(nearest > thresholds, np.nextafter(nearest, -infinity), nearest)
        high = np.nextafter(low, infinity)
        # Beyond the largest float32, rounding behaves as if the next number were 2**128, or its opposite.
        ends = [np.clip(end.astype(np.float64), -(2.0**128), 2.0**128) for end in (low, high)]
        middle = ends[0] / 2 + ends[1] / 2
        middle_rounds_down = middle.astype(np.float32) == low
    cutoffs = np.where(middle_rounds_down, middle, np.nextafter(middle, -np.inf))
    return np.where(thresholds == np.inf, np.inf, cutoffs)  # values rounded to infinity are at most infinity


def match(conditions: Conditions, antecedents: Sequence[Sequence[int]], X: FloatArray) -> BoolArray:
    """Whether samples satisfy antecedents, of shape (n_rules, n_samples).

    Parameters
    ----------
    conditions : Conditions
    antecedents : sequence of sequences of int
        Rows of `conditions` that each rule consists of.
    X : ndarray of shape (n_samples, n_features)
    """
    columns = np.ascontiguousarray(X.T)
    needed = {condition for antecedent in antecedents for condition in antecedent}
    is_missing = np.isnan(columns)
    missing = is_missing if is_missing.any() else None
    holds = {condition: conditions.hold(condition, columns, missing) for condition in needed}
    matches = np.ones((len(antecedents), len(X)), dtype=bool)
    for row, antecedent in zip(matches, antecedents, strict=True):
        for condition in antecedent:
            row &= holds[condition]
    return matches


def first_match(matches: BoolArray) -> IntArray:
    """Position of the first rule that matches each sample, the number of rules where none does; (n_samples,)."""
    n_rules, n_samples = matches.shape
    if n_samples < n_rules:
        found = matches.argmax(axis=0)
        return np.where(matches[found, np.arange(n_samples)], found, n_rules)
    # Row by row is quicker for many samples, whose rows are contiguous.
    first = np.full(n_samples, n_rules)
    for rule in range(n_rules - 1, -1, -1):
        first[matches[rule]] = rule
    return first


def tidy(conditions: IntArray, pad: int) -> IntArray:
    """Antecedents as sets: each row ascending, repeated ids once, pads at the end, no column of pads only."""
    rows = np.sort(conditions, axis=1)
    repeated = (rows[:, 1:] == rows[:, :-1]) & (rows[:, 1:] < pad)
    if repeated.any():
        rows[:, 1:][repeated] = pad
        rows.sort(axis=1)
    return narrowed(rows, pad)


def narrowed(antecedents: IntArray, pad: int) -> IntArray:
    """Tidy antecedents without the columns at the end that hold pads only."""
    return antecedents[:, : np.count_nonzero((antecedents < pad).any(axis=0))]


def drop_redundant(antecedents: IntArray, conditions: Conditions) -> IntArray:
    """Antecedents of the same meaning, with the tightest condition per feature and operator.

    Parameters
    ----------
    antecedents : ndarray of shape (n_rules, width)
        Condition ids padded with `len(conditions)`.
    conditions : Conditions
    """
    pad = len(conditions)
    bound, tight = conditions.bounds[antecedents], conditions.tightness[antecedents]
    same_bound = bound[:, :, None] == bound[:, None, :]
    is_looser = tight[:, :, None] < tight[:, None, :]
    if conditions.missing_features:
        # A condition that excludes missing values is not made redundant by a tighter one that lets them in.
        lets_in = conditions.lets_in[antecedents]
        is_as_tight = tight[:, :, None] == tight[:, None, :]
        keeps_out = lets_in[:, :, None] & ~lets_in[:, None, :]
        is_looser = is_looser & (lets_in[:, :, None] | ~lets_in[:, None, :]) | is_as_tight & keeps_out
    redundant = (same_bound & is_looser).any(axis=2)
    return tidy(np.where(redundant, pad, antecedents), pad)
