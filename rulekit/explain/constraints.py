"""What changes must respect: the values that features may take, and features that change together."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import attrs

from rulekit.core.errors import InvalidParameterError
from rulekit.core.regions import Codes, Numbers, Region

if TYPE_CHECKING:
    from rulekit.ruleset.ruleset import RuleSet

Direction = Literal["increase", "decrease"]
DIRECTIONS = ("increase", "decrease")


@attrs.frozen
class Constraints:
    """The constraints of a search, as users write them.

    Attributes
    ----------
    immutable : sequence of str
        Features that must not change.
    ranges : mapping of str to pair of float or to collection of labels
        Values to which a feature may change.
    directions : mapping of str to {"increase", "decrease"}
        In which direction a number may change.
    linked : sequence of sequences of str
        Groups of numbers that change by the same amount.
    """

    immutable: Sequence[str] = ()
    ranges: Mapping[str, Any] = attrs.field(factory=dict)
    directions: Mapping[str, Direction] = attrs.field(factory=dict)
    linked: Sequence[Sequence[str]] = ()

    def __str__(self) -> str:
        """The constraints that there are, as in a call."""
        given = {each.name: getattr(self, each.name) for each in attrs.fields(Constraints)}
        return ", ".join(f"{name}={value!r}" for name, value in given.items() if value)

    def spaces(self, ruleset: RuleSet, sample: tuple[float, ...]) -> tuple[Region, ...]:
        """The values that each feature of the changed sample may have; always with the sample's own.

        Raises `InvalidParameterError` for constraints that contradict the ruleset's features or themselves.
        """
        fixed = {_position(ruleset, name, "immutable") for name in _listed(self.immutable)}
        ranges = {_position(ruleset, name, "ranges"): (name, value) for name, value in self.ranges.items()}
        directions = {_position(ruleset, name, "directions"): (name, value) for name, value in self.directions.items()}
        spaces = _everything(ruleset, sample)
        for feature, (name, given) in ranges.items():
            spaces[feature] = spaces[feature].intersect(_range(ruleset, feature, name, given))
        for feature, (name, direction) in directions.items():
            spaces[feature] = spaces[feature].intersect(_beyond(ruleset, feature, name, direction, sample[feature]))
        for feature in fixed:
            spaces[feature] = _nothing(spaces[feature])
        return tuple(_with_own(space, own) for space, own in zip(spaces, sample, strict=True))

    def groups(self, ruleset: RuleSet) -> tuple[tuple[int, ...], ...]:
        """The linked features by index.

        Raises `InvalidParameterError` for groups that share a feature, have one only, or one of categories.
        """
        groups = []
        for names in self.linked:
            if isinstance(names, str) or len(set(names)) < 2:
                raise InvalidParameterError(
                    f"linked must be groups of at least two features, such as [('age', 'tenure')], got {self.linked!r}."
                )
            group = tuple(_position(ruleset, name, "linked") for name in names)
            if categories := [name for name, each in zip(names, group, strict=True) if _is_category(ruleset, each)]:
                raise InvalidParameterError(
                    f"linked features change by the same amount, but {categories[0]!r} holds categories. Link numbers "
                    "only."
                )
            groups.append(group)
        listed = [feature for group in groups for feature in group]
        if len(set(listed)) < len(listed):
            raise InvalidParameterError(
                f"linked has a feature twice: {self.linked!r}. Put all features that change together into one group."
            )
        return tuple(groups)


def _listed(names: Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _position(ruleset: RuleSet, name: str, parameter: str) -> int:
    if name not in ruleset.feature_names:
        raise InvalidParameterError(
            f"{parameter} names unknown features: {name!r}. The ruleset has the features "
            f"{', '.join(map(repr, ruleset.feature_names))}."
        )
    return ruleset.feature_names.index(name)


def _is_category(ruleset: RuleSet, feature: int) -> bool:
    return feature in _codes(ruleset)


def _codes(ruleset: RuleSet) -> dict[int, frozenset[int]]:
    """The categories of each feature that holds some, whether rules test it or not."""
    labels = ruleset.conditions.categories.by_feature
    listed = {feature: frozenset(range(len(known))) for feature, known in labels.items()}
    return {**listed, **ruleset.conditions.codes_by_feature}


def _everything(ruleset: RuleSet, sample: tuple[float, ...]) -> list[Any]:
    """All values that each feature can have: numbers, or the known categories and the sample's own."""
    named = _codes(ruleset)
    return [
        Codes(named[feature] | (set() if math.isnan(own) else {int(own)})) if feature in named else Numbers()
        for feature, own in enumerate(sample)
    ]


def _range(ruleset: RuleSet, feature: int, name: str, given: Any) -> Region:
    """The values of a range: from low to high, both included, or the categories with these labels."""
    if _is_category(ruleset, feature):
        return _labelled(ruleset, feature, name, given)
    try:
        low, high = given
        low, high = -math.inf if low is None else float(low), math.inf if high is None else float(high)
    except (TypeError, ValueError):
        low, high = math.nan, math.nan
    if not low <= high:
        raise InvalidParameterError(
            f"ranges[{name!r}] must be two numbers, the smaller one first, or None for no limit, got {given!r}."
        )
    if feature in ruleset.conditions.whole_features and not _has_whole(low, high):
        raise InvalidParameterError(
            f"ranges[{name!r}] is {given!r}, which contains no whole number, but {name!r} holds whole numbers only."
        )
    return Numbers.between(math.nextafter(low, -math.inf), high, True)


def _has_whole(low: float, high: float) -> bool:
    return math.isinf(low) or math.isinf(high) or math.ceil(low) <= high


def _labelled(ruleset: RuleSet, feature: int, name: str, given: Any) -> Codes:
    labels = ruleset.conditions.categories.by_feature.get(feature)
    known = {label: code for code, label in enumerate(labels)} if labels else {}
    known = known or {code: code for code in _codes(ruleset)[feature]}
    wanted = [given] if isinstance(given, str) else list(given)
    if unknown := [label for label in wanted if label not in known]:
        raise InvalidParameterError(
            f"ranges[{name!r}] must list categories of {name!r}, which are {', '.join(map(repr, known))}; got "
            f"{unknown[0]!r}."
        )
    return Codes(frozenset(known[label] for label in wanted))


def _beyond(ruleset: RuleSet, feature: int, name: str, direction: str, own: float) -> Region:
    """The numbers in a direction from the sample's own; none from a missing value."""
    if direction not in DIRECTIONS:
        raise InvalidParameterError(f"directions[{name!r}] must be 'increase' or 'decrease', got {direction!r}.")
    if _is_category(ruleset, feature):
        raise InvalidParameterError(
            f"directions[{name!r}] is {direction!r}, but {name!r} holds categories. Use ranges to list those to which "
            "it may change."
        )
    if math.isnan(own):
        return Numbers(())
    ends = (math.nextafter(own, -math.inf), math.inf) if direction == "increase" else (-math.inf, own)
    return Numbers.between(*ends, True)


def _nothing(space: Region) -> Region:
    """No value but a missing one."""
    return Codes(frozenset()) if isinstance(space, Codes) else Numbers(())


def _with_own(space: Region, own: float) -> Region:
    """A space and the sample's own value, which it may keep in any case."""
    if space.holds(own):
        return space
    if isinstance(space, Codes):
        return attrs.evolve(space, codes=space.codes | {int(own)})
    point = (math.nextafter(own, -math.inf), own)
    return attrs.evolve(space, intervals=tuple(sorted((*space.intervals, point))))
