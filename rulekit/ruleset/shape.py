"""What a value of a document may be: a shape checks a value, with an error that says where, and is JSON Schema too."""

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
#: What JSON Schema calls types.
_TYPES = {str: "string", int: "number", float: "number", bool: "boolean", type(None): "null"}
#: How far the probabilities of a rule may be from 1 in all.
_ROUNDING = 1e-8
_BOUNDED = (
    f"must be a finite number of at most {limits.MAX_DIGITS} digits or a text of at most {limits.MAX_TEXT} characters"
)


class Shape(ABC):
    """What a value may be."""

    @abstractmethod
    def check(self, value: Any, where: str) -> None:
        """Raise `RuleSetFormatError` unless the value is of this shape."""

    @abstractmethod
    def schema(self) -> dict[str, Any]:
        """The same as JSON Schema."""

    def check_each(self, values: Sequence[Any], where: str) -> None:
        """Raise unless every value of a list is of this shape."""
        for position, value in enumerate(values):
            self.check(value, f"{where}[{position}]")


class Scalar(Shape):
    """A single value."""

    @abstractmethod
    def problem(self, value: Any) -> str | None:
        """What is wrong with a value, None if nothing is."""

    def check(self, value: Any, where: str) -> None:
        """Raise unless nothing is wrong."""
        if problem := self.problem(value):
            fail(where, problem, value)

    def is_each(self, values: Sequence[Any]) -> bool:
        """Whether nothing is wrong with any value, where that is quickly seen: there may be millions of them."""
        return False

    def check_each(self, values: Sequence[Any], where: str) -> None:
        """As for every shape."""
        if self.is_each(values):
            return
        for position, value in enumerate(values):
            if problem := self.problem(value):
                fail(f"{where}[{position}]", problem, value)


@attrs.frozen
class Value(Scalar):
    """A plain value of some types: numbers are finite, strings no longer than allowed."""

    types: frozenset[type]

    def problem(self, value: Any) -> str | None:
        """A subclass will do, such as NumPy's string; a truth value is a number to Python, but not here."""
        if not isinstance(value, tuple(self.types)) or (type(value) is bool and bool not in self.types):
            return f"must be {' or '.join(sorted(each.__name__ for each in self.types))}"
        return None if _is_bounded(value) else _BOUNDED

    def is_each(self, values: Sequence[Any]) -> bool:
        """Finite floats are seen at once."""
        return float in self.types and {*map(type, values)} == {float} and all(map(isfinite, values))

    def schema(self) -> dict[str, Any]:
        """One type or several."""
        names = sorted({_TYPES[each] for each in self.types})
        longest = {"maxLength": limits.MAX_TEXT} if str in self.types else {}
        return {"type": names[0] if len(names) == 1 else names, **longest}


@attrs.frozen
class Choice(Scalar):
    """One of a few values of the same type."""

    values: tuple[Any, ...]

    def problem(self, value: Any) -> str | None:
        """True is no 1, and an array is neither equal nor unequal."""
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
        """A truth value is no number, and 1.0 is not whole."""
        is_within = type(value) is int and self.low <= value <= self.high
        return None if is_within else f"must be a whole number between {self.low} and {self.high}"

    def is_each(self, values: Sequence[Any]) -> bool:
        """Only the smallest and the largest count."""
        return {*map(type, values)} == {int} and self.low <= min(values) and max(values) <= self.high

    def schema(self) -> dict[str, Any]:
        """An integer with its limits."""
        return {"type": "integer", "minimum": self.low, "maximum": self.high}


@attrs.frozen
class Index(Scalar):
    """The position of something in another list; whether that list is long enough is checked elsewhere."""

    noun: str

    def problem(self, value: Any) -> str | None:
        """A position is a whole number from 0 on."""
        return None if type(value) is int and value >= 0 else self.missing

    def is_each(self, values: Sequence[Any]) -> bool:
        """Only the smallest counts."""
        return {*map(type, values)} == {int} and min(values) >= 0

    @property
    def missing(self) -> str:
        """What is said of a position beyond the end."""
        return f"names a {self.noun} that does not exist"

    def schema(self) -> dict[str, Any]:
        """An integer that is not negative."""
        return {"type": "integer", "minimum": 0}


class Number(Scalar):
    """A number that may be infinite."""

    def problem(self, value: Any) -> str | None:
        """Whole numbers have to be exact as floats."""
        is_number = type(value) in (int, float) and value == value
        return None if is_number and not (type(value) is int and abs(value) > limits.MAX_COUNT) else "must be a number"

    def schema(self) -> dict[str, Any]:
        """A number."""
        return {"type": "number"}


class Flag(Scalar):
    """A truth value."""

    def problem(self, value: Any) -> str | None:
        """1 is none."""
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
    #: What the values are called, if they have to be different.
    different: str = ""

    def check(self, value: Any, where: str) -> None:
        """Sizes first, so that no long list is looked through in vain."""
        if type(value) is not list:
            fail(where, "must be a list", value)
        if len(value) > self.most:
            fail(where, f"must be a list of at most {self.most}", len(value))
        if len(value) < self.least:
            fail(where, f"must have at least {self.least} {'entry' if self.least == 1 else 'entries'}", value)
        self.item.check_each(value, where)
        if self.different and len({*value}) < len(value):
            fail(where, f"must be different {self.different}", value)

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
        """None is negative, and they sum to one but for rounding."""
        List(_PROBABILITY, self.most, least=1).check(value, where)
        if not (min(value) >= 0 and abs(sum(value) - 1.0) <= _ROUNDING):
            fail(where, "must lie between 0 and 1 and sum to 1", value)

    def schema(self) -> dict[str, Any]:
        """An array; JSON Schema cannot tell that its items sum to one."""
        item = {"type": "number", "minimum": 0, "maximum": 1 + _ROUNDING}
        return {"type": "array", "minItems": 1, "maxItems": self.most, "items": item}


@attrs.frozen
class Field:
    """An entry of a table.

    Attributes
    ----------
    shape : Shape
    description : str
        For the reader of the schema.
    is_optional : bool
    """

    shape: Shape
    description: str = ""
    is_optional: bool = False

    def schema(self) -> dict[str, Any]:
        """The schema of its shape, described."""
        return {**({"description": self.description} if self.description else {}), **self.shape.schema()}


@attrs.frozen
class Record(Shape):
    """A table of known entries."""

    fields: Mapping[str, Field]
    #: Whether other entries are wrong; otherwise they are ignored.
    is_closed: bool = True

    def check(self, value: Any, where: str) -> None:
        """Whether everything is there comes before what it is."""
        self.check_keys(value, where)
        for key, field in self.fields.items():
            if key in value:
                field.shape.check(value[key], f"{where}.{key}" if where else key)

    def check_keys(self, value: Any, where: str) -> None:
        """Raise unless it is a table that has all entries, and no other where it is closed."""
        check_table(value, where or "the document")
        for key, field in self.fields.items():
            if key not in value and not field.is_optional:
                raise RuleSetFormatError(f"The ruleset is damaged: {where or 'the document'} lacks {key!r}.")
        if self.is_closed and not value.keys() <= self.fields.keys():
            fail(where, f"may have {', '.join(self.fields)} and nothing else", list(value))

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
    """One of several tables, told apart by an entry that all of them have, a `Choice`."""

    key: str
    records: tuple[Record, ...]

    def check(self, value: Any, where: str) -> None:
        """First which table it is."""
        Record({self.key: self.records[0].fields[self.key]}, is_closed=False).check_keys(value, where)
        choices = [record.fields[self.key].shape for record in self.records]
        for choice, record in zip(choices, self.records, strict=True):
            if isinstance(choice, Choice) and choice.problem(value[self.key]) is None:
                record.check(value, where)
                return
        known = Choice(tuple(each for choice in choices if isinstance(choice, Choice) for each in choice.values))
        known.check(value[self.key], f"{where}.{self.key}")

    def schema(self) -> dict[str, Any]:
        """Alternatives."""
        return {"oneOf": [record.schema() for record in self.records]}


@attrs.frozen
class ByIndex(Shape):
    """A table whose keys are positions in another list, as strings of digits."""

    item: Shape
    noun: str

    def check(self, value: Any, where: str) -> None:
        """Keys, then values."""
        check_table(value, where)
        for key, item in value.items():
            if type(key) is not str or not key.isdecimal() or not key.isascii() or len(key) > 9:
                fail(where, f"must be keyed by positions of {self.noun}s", key)
            self.item.check(item, f"{where}[{key}]")

    def schema(self) -> dict[str, Any]:
        """An object with a pattern of keys."""
        return {
            "type": "object",
            "propertyNames": {"pattern": "^[0-9]{1,9}$"},
            "additionalProperties": self.item.schema(),
        }


class Plain(Shape):
    """A table of plain values, or of lists and tables of plain values, such as the weights of a linear model."""

    def check(self, value: Any, where: str) -> None:
        """Nested only so far."""
        check_table(value, where)
        List(Value(frozenset({str})), limits.MAX_PARAMETERS).check(list(value), f"names of {where}")
        for name, item in value.items():
            self._check_nested(item, f"{where}.{cut(name)}", limits.MAX_DEPTH)

    def _check_nested(self, value: Any, where: str, depth: int) -> None:
        if not depth:
            fail(where, f"must not be nested more than {limits.MAX_DEPTH} times", value)
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
        """An object; JSON Schema cannot tell how deep it may be."""
        return {"type": "object", "maxProperties": limits.MAX_PARAMETERS}


def check_table(value: Any, where: str) -> None:
    """Raise unless a value is a table."""
    if not isinstance(value, Mapping):
        fail(where, "must be a table", value)


def fail(where: str, problem: str, came: Any) -> NoReturn:
    """Raise an error that says where, what, and what came instead."""
    raise RuleSetFormatError(f"The ruleset is damaged: {where} {problem}; got {short(came)}.")


def _is_bounded(item: Any) -> bool:
    """Whether a label is one that JSON can hold, and no larger than allowed."""
    if isinstance(item, str):
        return len(item) <= limits.MAX_TEXT
    if type(item) is int:
        return abs(item) < 10**limits.MAX_DIGITS
    return not isinstance(item, float) or isfinite(item)
