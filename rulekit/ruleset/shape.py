"""Shapes of the values of a document: a shape checks a value, and describes itself as JSON Schema."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, NoReturn

import attrs

from rulekit.core.errors import RuleSetFormatError
from rulekit.core.messages import cut, short
from rulekit.ruleset import limits

LABELS: frozenset[type] = frozenset({str, int, float, bool})
PLAIN = LABELS | {type(None)}
#: Names of types in JSON Schema.
_TYPES = {str: "string", int: "number", float: "number", bool: "boolean", type(None): "null"}
#: How far the sum of a rule's probabilities may be from 1.
_ROUNDING = 1e-8
_BOUNDED = (
    f"must be a finite number of at most {limits.MAX_DIGITS} digits "
    f"or a string of at most {limits.MAX_STRING} characters"
)


class Shape(ABC):
    """A set of valid values."""

    @abstractmethod
    def check(self, value: Any, where: str) -> None:
        """Raise `RuleSetFormatError`, which says where, unless the value has this shape."""

    @abstractmethod
    def schema(self) -> dict[str, Any]:
        """The shape as JSON Schema."""

    def check_each(self, values: Sequence[Any], where: str) -> None:
        """Raise unless every value of a list has this shape."""
        for position, value in enumerate(values):
            self.check(value, f"{where}[{position}]")


class Scalar(Shape):
    """A single value."""

    @abstractmethod
    def problem(self, value: Any) -> str | None:
        """What is wrong with a value, None if nothing is."""

    def check(self, value: Any, where: str) -> None:
        """Raise if the value has a problem."""
        if problem := self.problem(value):
            fail(where, problem, value)

    def is_each(self, values: Sequence[Any]) -> bool:
        """Whether all values are valid, where a quick check suffices: there may be millions of them."""
        return False

    def check_each(self, values: Sequence[Any], where: str) -> None:
        """Raise unless every value is valid, after the quick check."""
        if self.is_each(values):
            return
        for position, value in enumerate(values):
            if problem := self.problem(value):
                fail(f"{where}[{position}]", problem, value)


@attrs.frozen
class Value(Scalar):
    """A plain value of certain types; numbers are finite, and strings have a maximum length."""

    types: frozenset[type]

    def problem(self, value: Any) -> str | None:
        """Subclasses are accepted, such as NumPy's string; a boolean is not a number here."""
        if not isinstance(value, tuple(self.types)) or (type(value) is bool and bool not in self.types):
            return f"must be {' or '.join(sorted(each.__name__ for each in self.types))}"
        return None if _is_bounded(value) else _BOUNDED

    def is_each(self, values: Sequence[Any]) -> bool:
        """Finite floats are checked at once."""
        return float in self.types and {*map(type, values)} == {float} and all(map(isfinite, values))

    def schema(self) -> dict[str, Any]:
        """One type or several."""
        names = sorted({_TYPES[each] for each in self.types})
        longest = {"maxLength": limits.MAX_STRING} if str in self.types else {}
        return {"type": names[0] if len(names) == 1 else names, **longest}


@attrs.frozen
class Choice(Scalar):
    """One of a few values of the same type."""

    values: tuple[Any, ...]

    def problem(self, value: Any) -> str | None:
        """The type must be equal too: True is not 1, and an array is never equal."""
        if type(value) is type(self.values[0]) and value in self.values:
            return None
        return f"must be {'one of ' if len(self.values) > 1 else ''}{', '.join(map(str, self.values))}"

    def schema(self) -> dict[str, Any]:
        """A constant, or several."""
        return {"const": self.values[0]} if len(self.values) == 1 else {"enum": list(self.values)}


@attrs.frozen
class Whole(Scalar):
    """A whole number."""

    low: int = 0
    high: int = limits.MAX_COUNT - 1

    def problem(self, value: Any) -> str | None:
        """A boolean is not a number, and 1.0 is not whole."""
        is_within = type(value) is int and self.low <= value <= self.high
        return None if is_within else f"must be a whole number between {self.low} and {self.high}"

    def is_each(self, values: Sequence[Any]) -> bool:
        """Only the smallest and the largest matter."""
        return {*map(type, values)} == {int} and self.low <= min(values) and max(values) <= self.high

    def schema(self) -> dict[str, Any]:
        """An integer with its limits."""
        return {"type": "integer", "minimum": self.low, "maximum": self.high}


@attrs.frozen
class Index(Scalar):
    """An index into another list; whether that list is long enough is checked elsewhere."""

    noun: str

    def problem(self, value: Any) -> str | None:
        """An index is a whole number from 0 on."""
        return None if type(value) is int and value >= 0 else self.missing

    def is_each(self, values: Sequence[Any]) -> bool:
        """Only the smallest matters."""
        return {*map(type, values)} == {int} and min(values) >= 0

    @property
    def missing(self) -> str:
        """The problem of an index beyond the end."""
        return f"refers to a {self.noun} that does not exist"

    def schema(self) -> dict[str, Any]:
        """An integer that is not negative."""
        return {"type": "integer", "minimum": 0}


class Number(Scalar):
    """A number that may be infinite."""

    def problem(self, value: Any) -> str | None:
        """Whole numbers must be exact as floats."""
        is_number = type(value) in (int, float) and value == value
        return None if is_number and not (type(value) is int and abs(value) > limits.MAX_COUNT) else "must be a number"

    def schema(self) -> dict[str, Any]:
        """A number."""
        return {"type": "number"}


class Flag(Scalar):
    """A boolean."""

    def problem(self, value: Any) -> str | None:
        """1 is not a boolean."""
        return None if type(value) is bool else "must be true or false"

    def schema(self) -> dict[str, Any]:
        """A boolean."""
        return {"type": "boolean"}


@attrs.frozen
class List(Shape):
    """A list of values of one shape."""

    item: Shape
    most: int
    least: int = 0
    #: Name of the values, if they must be different.
    different: str = ""

    def check(self, value: Any, where: str) -> None:
        """Sizes are checked first, so a list that is too long is not searched."""
        if type(value) is not list:
            fail(where, "must be a list", value)
        if len(value) > self.most:
            fail(where, f"must be a list of at most {self.most}", len(value))
        if len(value) < self.least:
            fail(where, f"must have at least {self.least} {'entry' if self.least == 1 else 'entries'}", value)
        self.item.check_each(value, where)
        if self.different and len({*value}) < len(value):
            fail(where, f"must have different {self.different}", value)

    def schema(self) -> dict[str, Any]:
        """An array with its limits."""
        least = {"minItems": self.least} if self.least else {}
        different = {"uniqueItems": True} if self.different else {}
        return {"type": "array", **least, "maxItems": self.most, **different, "items": self.item.schema()}


_PROBABILITY = Value(frozenset({int, float}))


@attrs.frozen
class Distribution(Shape):
    """A list of probabilities."""

    most: int

    def check(self, value: Any, where: str) -> None:
        """Probabilities are not negative, and sum to one up to rounding."""
        List(_PROBABILITY, self.most, least=1).check(value, where)
        if not (min(value) >= 0 and abs(sum(value) - 1.0) <= _ROUNDING):
            fail(where, "must lie between 0 and 1 and sum to 1", value)

    def schema(self) -> dict[str, Any]:
        """An array; JSON Schema cannot express that its items sum to one."""
        item = {"type": "number", "minimum": 0, "maximum": 1 + _ROUNDING}
        return {"type": "array", "minItems": 1, "maxItems": self.most, "items": item}


@attrs.frozen
class Field:
    """An entry of an object.

    Attributes
    ----------
    shape : Shape
    description : str
        For readers of the schema.
    is_optional : bool
    """

    shape: Shape
    description: str = ""
    is_optional: bool = False

    def schema(self) -> dict[str, Any]:
        """The schema of its shape, described."""
        return {**({"description": self.description} if self.description else {}), **self.shape.schema()}


@attrs.frozen
class Object(Shape):
    """A JSON object with known keys."""

    fields: Mapping[str, Field]
    #: Whether other keys are rejected; otherwise they are ignored.
    is_closed: bool = True

    def check(self, value: Any, where: str) -> None:
        """Keys are checked before values."""
        self.check_keys(value, where)
        for key, field in self.fields.items():
            if key in value:
                field.shape.check(value[key], f"{where}.{key}" if where else key)

    def check_keys(self, value: Any, where: str) -> None:
        """Raise unless the value is an object with all required keys and, if it is closed, no others."""
        check_object(value, where or "the document")
        for key, field in self.fields.items():
            if key not in value and not field.is_optional:
                raise RuleSetFormatError(f"The ruleset is damaged: {where or 'the document'} has no {key!r}.")
        if self.is_closed and not value.keys() <= self.fields.keys():
            fail(where, f"must have only the keys {', '.join(self.fields)}", list(value))

    def schema(self) -> dict[str, Any]:
        """An object."""
        return {
            "type": "object",
            "required": [key for key, field in self.fields.items() if not field.is_optional],
            "properties": {key: field.schema() for key, field in self.fields.items()},
            **({"additionalProperties": False} if self.is_closed else {}),
        }


@attrs.frozen
class OneOf(Shape):
    """One of several objects, distinguished by a key that all of them have, whose shape is a `Choice`."""

    key: str
    alternatives: tuple[Object, ...]

    def check(self, value: Any, where: str) -> None:
        """The key decides which alternative it is."""
        Object({self.key: self.alternatives[0].fields[self.key]}, is_closed=False).check_keys(value, where)
        choices = [each.fields[self.key].shape for each in self.alternatives]
        for choice, alternative in zip(choices, self.alternatives, strict=True):
            if isinstance(choice, Choice) and choice.problem(value[self.key]) is None:
                alternative.check(value, where)
                return
        known = Choice(tuple(each for choice in choices if isinstance(choice, Choice) for each in choice.values))
        known.check(value[self.key], f"{where}.{self.key}")

    def schema(self) -> dict[str, Any]:
        """Alternatives."""
        return {"oneOf": [each.schema() for each in self.alternatives]}


@attrs.frozen
class ByIndex(Shape):
    """An object whose keys are indices into another list, as strings of digits."""

    item: Shape
    noun: str

    def check(self, value: Any, where: str) -> None:
        """Keys are checked before values."""
        check_object(value, where)
        for key, item in value.items():
            if type(key) is not str or not key.isdecimal() or not key.isascii() or len(key) > 9:
                fail(where, f"must have indices of {self.noun}s as keys", key)
            self.item.check(item, f"{where}[{key}]")

    def schema(self) -> dict[str, Any]:
        """An object with a pattern of keys."""
        return {
            "type": "object",
            "propertyNames": {"pattern": "^[0-9]{1,9}$"},
            "additionalProperties": self.item.schema(),
        }


class Plain(Shape):
    """An object of plain values, or of lists and objects of them, such as the weights of a linear model."""

    def check(self, value: Any, where: str) -> None:
        """Nesting is limited."""
        check_object(value, where)
        List(Value(frozenset({str})), limits.MAX_PARAMETERS).check(list(value), f"names of {where}")
        for name, item in value.items():
            self._check_nested(item, f"{where}.{cut(name)}", limits.MAX_DEPTH)

    def _check_nested(self, value: Any, where: str, depth: int) -> None:
        if not depth:
            fail(where, f"must not be nested more than {limits.MAX_DEPTH} levels deep", value)
        if isinstance(value, Mapping):
            List(Value(frozenset({str})), limits.MAX_VALUES).check(list(value), f"names of {where}")
            for name, item in value.items():
                self._check_nested(item, f"{where}.{cut(name)}", depth - 1)
        elif type(value) is list and any(isinstance(item, list | Mapping) for item in value):
            if len(value) > limits.MAX_VALUES:
                fail(where, f"must be a list of at most {limits.MAX_VALUES}", len(value))
            for position, item in enumerate(value):
                self._check_nested(item, f"{where}[{position}]", depth - 1)
        else:
            List(Value(PLAIN), limits.MAX_VALUES).check(value if type(value) is list else [value], where)

    def schema(self) -> dict[str, Any]:
        """An object; JSON Schema cannot limit its depth."""
        return {"type": "object", "maxProperties": limits.MAX_PARAMETERS}


def check_object(value: Any, where: str) -> None:
    """Raise unless a value is an object."""
    if not isinstance(value, Mapping):
        fail(where, "must be an object", value)


def fail(where: str, problem: str, got: Any) -> NoReturn:
    """Raise an error that says where, what is wrong, and what was found."""
    raise RuleSetFormatError(f"The ruleset is damaged: {where} {problem}; got {short(got)}.")


def _is_bounded(item: Any) -> bool:
    """Whether a value is finite and no larger than allowed."""
    if isinstance(item, str):
        return len(item) <= limits.MAX_STRING
    if type(item) is int:
        return abs(item) < 10**limits.MAX_DIGITS
    return not isinstance(item, float) or isfinite(item)
