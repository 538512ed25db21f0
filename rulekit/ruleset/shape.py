"""Whether a document has the types and sizes of a ruleset, before anything is made from it."""

from collections.abc import Collection, Mapping
from math import isfinite
from typing import Any, NoReturn

from rulekit.core.errors import RuleSetFormatError
from rulekit.core.messages import cut, short
from rulekit.ruleset import limits

OPERATORS = ("<=", ">", "in", "not in")
KEYS = (
    "classes",
    "class_type",
    "feature_names",
    "input_dtype",
    "n_samples",
    "categories",
    "unknown_as_missing",
    "missing_features",
    "conditions",
    "rules",
    "inference",
)
LABELS: frozenset[type] = frozenset({str, int, float, bool})
PLAIN = LABELS | {type(None)}


def check_shape(document: Mapping[str, Any]) -> None:
    """Raise `RuleSetFormatError`, which says where, unless every part has its type and a size within the limits."""
    _table(document, "the document", KEYS)
    n_features = len(_texts(document["feature_names"], "feature_names", limits.MAX_FEATURES))
    n_classes = len(_items(document["classes"], "classes", limits.MAX_CLASSES, LABELS))
    for name in ("feature_names", "classes"):
        if not document[name]:
            _fail(name, "must have at least one entry", document[name])
    _texts([document["class_type"], document["input_dtype"]], "class_type and input_dtype", 2)
    _whole(document["n_samples"], "n_samples", low=1)
    _flag(document["unknown_as_missing"], "unknown_as_missing")
    _wholes(document["missing_features"], "missing_features", limits.MAX_FEATURES, n_features)
    _categories(document["categories"], n_features)
    conditions = _list(document["conditions"], "conditions", limits.MAX_CONDITIONS)
    for place, condition in enumerate(conditions):
        _condition(condition, f"conditions[{place}]", n_features)
    rules = _list(document["rules"], "rules", limits.MAX_RULES)
    if not rules:
        _fail("rules", "must end with the default rule", rules)
    if len(rules) * n_classes > limits.MAX_PROBABILITIES:
        _fail("rules", f"must be at most {limits.MAX_PROBABILITIES} probabilities in all", len(rules) * n_classes)
    for place, rule in enumerate(rules):
        _rule(rule, f"rules[{place}]", len(conditions), n_classes)
    _inference(document["inference"])


def _condition(condition: Any, where: str, n_features: int) -> None:
    _table(condition, where, ("feature", "operator", "or_missing"))
    if not isinstance(condition["operator"], str) or condition["operator"] not in OPERATORS:
        _fail(f"{where}.operator", f"must be one of {', '.join(OPERATORS)}", condition["operator"])
    if not _is_whole(condition["feature"]) or not 0 <= condition["feature"] < n_features:
        _fail(f"{where}.feature", "names a feature that does not exist", condition["feature"])
    _flag(condition["or_missing"], f"{where}.or_missing")
    if condition["operator"] in ("in", "not in"):
        _table(condition, where, ("categories",))
        _wholes(condition["categories"], f"{where}.categories", limits.MAX_CATEGORIES, limits.MAX_COUNT)
    else:
        _table(condition, where, ("threshold",))
        _number(condition["threshold"], f"{where}.threshold")
    if "display" in condition:
        _number(condition["display"], f"{where}.display")


def _rule(rule: Any, where: str, n_conditions: int, n_classes: int) -> None:
    _table(rule, where, ("conditions", "probabilities", "counts"))
    named = _list(rule["conditions"], f"{where}.conditions", limits.MAX_CONDITIONS_OF_A_RULE)
    for condition in named:
        if not _is_whole(condition) or not 0 <= condition < n_conditions:
            _fail(f"{where}.conditions", "names a condition that does not exist", condition)
    if len({*named}) < len(named):
        _fail(f"{where}.conditions", "must be different conditions", named)
    stated = _items(rule["probabilities"], f"{where}.probabilities", limits.MAX_CLASSES, {int, float})
    counts = _list(rule["counts"], f"{where}.counts", limits.MAX_CLASSES)
    if not len(stated) == len(counts) == n_classes:
        _fail(where, "needs one probability and one count per class", (len(stated), len(counts)))
    if not (min(stated) >= 0 and abs(sum(stated) - 1.0) <= 1e-8):
        _fail(f"{where}.probabilities", "must lie between 0 and 1 and sum to 1", stated)
    _wholes(counts, f"{where}.counts", limits.MAX_CLASSES, limits.MAX_COUNT)


def _categories(categories: Any, n_features: int) -> None:
    _table(categories, "categories", ())
    for feature, labels in categories.items():
        if type(feature) is not str or not feature.isdecimal() or not feature.isascii() or len(feature) > 9:
            _fail("categories", "must be keyed by places of features", feature)
        if int(feature) >= n_features:
            _fail("categories", "names a feature that does not exist", feature)
        # None would be a missing value, and of two equal labels nobody could tell which is meant.
        _items(labels, f"categories[{feature}]", limits.MAX_CATEGORIES, LABELS)
        if len({*labels}) < len(labels):
            _fail(f"categories[{feature}]", "must be different labels", labels)


def _inference(mode: Any) -> None:
    """A registered name and plain values: nothing else can be made from a document."""
    _table(mode, "inference", ("name", "parameters"))
    _texts([mode["name"]], "inference.name", 1)
    _table(mode["parameters"], "inference.parameters", ())
    _texts(list(mode["parameters"]), "names of inference.parameters", limits.MAX_PARAMETERS)
    for name, value in mode["parameters"].items():
        _plain(value, f"inference.parameters.{cut(name)}", limits.MAX_DEPTH)


def _plain(value: Any, where: str, depth: int) -> None:
    """A plain value, or lists and tables of plain values, such as the weights of a linear model."""
    if not depth:
        _fail(where, f"must not be nested more than {limits.MAX_DEPTH} times", value)
    if isinstance(value, Mapping):
        _texts(list(value), f"names of {where}", limits.MAX_VALUES)
        for name, item in value.items():
            _plain(item, f"{where}.{cut(name)}", depth - 1)
    elif type(value) is list and any(isinstance(item, list | Mapping) for item in value):
        for place, item in enumerate(_list(value, where, limits.MAX_VALUES)):
            _plain(item, f"{where}[{place}]", depth - 1)
    elif type(value) is list:
        _items(value, where, limits.MAX_VALUES, PLAIN)
    else:
        _items([value], where, 1, PLAIN)


def _table(value: Any, where: str, keys: Collection[str]) -> None:
    if not isinstance(value, Mapping):
        _fail(where, "must be a table", value)
    for key in keys:
        if key not in value:
            raise RuleSetFormatError(f"The ruleset is damaged: {where} lacks {key!r}.")


def _list(value: Any, where: str, most: int) -> list[Any]:
    if type(value) is not list:
        _fail(where, "must be a list", value)
    if len(value) > most:
        _fail(where, f"must be a list of at most {most}", len(value))
    return value


def _items(value: Any, where: str, most: int, types: Collection[type]) -> list[Any]:
    """A list of plain values of these types, numbers finite, texts no longer than allowed."""
    items = _list(value, where, most)
    if not set(map(type, items)) <= set(types):
        for place, item in enumerate(items):
            # A subclass will do, such as NumPy's text; a truth value is a number to Python, but not here.
            if not isinstance(item, tuple(types)) or (type(item) is bool and bool not in types):
                _fail(f"{where}[{place}]", f"must be {' or '.join(sorted(each.__name__ for each in types))}", item)
    for place, item in enumerate(items):
        if not _is_bounded(item):
            _fail(
                f"{where}[{place}]",
                f"must be a finite number of at most {limits.MAX_DIGITS} digits or a text of at most {limits.MAX_TEXT} "
                "characters",
                item,
            )
    return items


def _is_bounded(item: Any) -> bool:
    """Whether a label is one that JSON can hold, and no larger than allowed."""
    if isinstance(item, str):
        return len(item) <= limits.MAX_TEXT
    if type(item) is int:
        return abs(item) < 10**limits.MAX_DIGITS
    return not isinstance(item, float) or isfinite(item)


def _texts(value: Any, where: str, most: int) -> list[str]:
    return _items(value, where, most, {str})


def _wholes(value: Any, where: str, most: int, high: int) -> None:
    """A list of whole numbers from 0 to below `high`."""
    items = _list(value, where, most)
    for place, item in enumerate(items):
        if not _is_whole(item) or not 0 <= item < high:
            _fail(f"{where}[{place}]", f"must be a whole number between 0 and {high - 1}", item)


def _whole(value: Any, where: str, low: int) -> None:
    if not _is_whole(value) or not low <= value < limits.MAX_COUNT:
        _fail(where, f"must be a whole number between {low} and {limits.MAX_COUNT - 1}", value)


def _is_whole(value: Any) -> bool:
    return type(value) is int


def _number(value: Any, where: str) -> None:
    if type(value) not in (int, float) or value != value or (type(value) is int and abs(value) > limits.MAX_COUNT):
        _fail(where, "must be a number", value)


def _flag(value: Any, where: str) -> None:
    if type(value) is not bool:
        _fail(where, "must be true or false", value)


def _fail(where: str, problem: str, came: Any) -> NoReturn:
    raise RuleSetFormatError(f"The ruleset is damaged: {where} {problem}; got {short(came)}.")
