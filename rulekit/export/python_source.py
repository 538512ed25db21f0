"""Rules as a Python module without dependencies."""

from typing import Any

from rulekit import __version__
from rulekit.export.number_program import NumberProgram, number_program_of
from rulekit.export.program import Clause, Clauses, Column, Comparison, Membership, Program, RuleTests, program_of
from rulekit.export.spelling import one_line
from rulekit.regression.rules import RegressionRules
from rulekit.ruleset import RuleSet

HEAD = '''"""Rules exported by rulekit {version}: `predict(sample)` needs only Python 3.8 or newer."""

from math import isinf, isnan, nan

FEATURES = {features!r}
{classes}

def predict(sample):
    """{answer}

    The sample is a mapping by name or a sequence in the order of FEATURES; None and NaN are missing values.
    """
'''

TAIL = """

def _value(sample, index):
    if hasattr(sample, "keys"):
        if FEATURES.count(FEATURES[index]) > 1:
            raise ValueError("Several features are called %r. Pass a sequence instead." % (FEATURES[index],))
        return sample[FEATURES[index]]
    if len(sample) != len(FEATURES):
        raise ValueError("A sample must have %d values, got %d." % (len(FEATURES), len(sample)))
    return sample[index]


def _number(sample, index, may_be_missing):
    value = _value(sample, index)
    value = nan if value is None else float(value)
    if isinf(value):
        raise ValueError("%r is infinite, which is not supported." % (FEATURES[index],))
    _check(value if value == value else None, index, may_be_missing)
    return value


def _category(sample, index, may_be_missing, known=None):
    value = _value(sample, index)
    if value is None or value != value or (known is not None and value not in known):
        value = None
    _check(value, index, may_be_missing)
    return value


def _check(value, index, may_be_missing):
    if value is None and not may_be_missing:
        raise ValueError("%r is missing, but had no missing values in training." % (FEATURES[index],))
"""

SUM = """

def _normalised(total):
    whole = 0.0
    for part in total:  # not sum(), which newer versions of Python round differently
        whole += part
    probabilities = [part / whole for part in total]
    return CLASSES[probabilities.index(max(probabilities))], dict(zip(CLASSES, probabilities))
"""


def to_python(ruleset: RuleSet | RegressionRules) -> str:
    """A Python module with `predict(sample)`, for one sample, that imports only `math`.

    Parameters
    ----------
    ruleset : RuleSet or RegressionRules
        A ruleset needs the inference mode `decision-list` or `aggregate`.

    Returns
    -------
    source : str
        `predict` takes a mapping by name or a sequence by position and returns the class and a dictionary of
        probabilities by class, or the predicted number, equal to the rules' own to the last digit.
    """
    if isinstance(ruleset, RegressionRules):
        return _module_of_numbers(number_program_of(ruleset))
    program = program_of(ruleset)
    lines = [*_to_default(program), *(_sum(program) if program.adds_up else _chain(program))]
    answer = "Predicted class of one sample, and its probabilities by class."
    return _module(program, lines, answer, f"CLASSES = {program.classes!r}\n") + (SUM if program.adds_up else "") + TAIL


def _module_of_numbers(program: NumberProgram) -> str:
    lines = _sum_of_numbers(program) if program.adds_up else _chain_of_numbers(program)
    return _module(program, lines, "Predicted number for one sample.") + TAIL


def _module(program: Clauses[Any], answering: list[str], answer: str, classes: str = "") -> str:
    """The start of a module, and the function that predicts."""
    features = tuple(column.name for column in program.columns)
    head = HEAD.format(version=__version__, features=features, answer=answer, classes=classes)
    lines = [*(_read(column) for column in program.used), *answering]
    return head + "".join(f"    {line}\n" for line in lines)


def _read(column: Column) -> str:
    if column.labels is None:
        return f"x{column.position} = _number(sample, {column.position}, {column.may_be_missing})"
    known = f", {column.labels!r}" if column.unknown_is_missing else ""
    return f"x{column.position} = _category(sample, {column.position}, {column.may_be_missing}{known})"


def _to_default(program: Program) -> list[str]:
    """The default rule answers without the values of some columns."""
    if not program.to_default:
        return []
    default = (
        f"_normalised({program.default.probabilities!r})" if program.adds_up else _answer(program, program.default)
    )
    missing = " or ".join(_is_missing(column) for column in program.to_default)
    return ["# missing, although training had no missing values there", f"if {missing}:", f"    return {default}"]


def _answer(program: Program, clause: Clause) -> str:
    probabilities = dict(zip(program.classes, clause.probabilities, strict=True))
    return f"{program.classes[clause.best]!r}, {probabilities!r}"


def _chain(program: Program) -> list[str]:
    """The first rule that matches answers."""

    def answer(clause: Clause) -> str:
        return f"return {_answer(program, clause)}"

    lines = []
    for position, clause in enumerate(program.rules, start=1):
        lines += [*_if(position, clause), f"    {answer(clause)}"]
    return [*lines, "# otherwise", answer(program.default)]


def _sum(program: Program) -> list[str]:
    """All rules that match answer together."""
    lines = [f"total, matched = {[0.0] * len(program.classes)!r}, False"]
    for position, clause in enumerate(program.rules, start=1):
        lines += [
            *_if(position, clause),
            f"    total, matched = [a + b for a, b in zip(total, {clause.probabilities!r})], True",
        ]
    return [*lines, f"return _normalised(total if matched else {program.default.probabilities!r})"]


def _chain_of_numbers(program: NumberProgram) -> list[str]:
    """The first rule that matches answers."""
    lines = []
    for position, clause in enumerate(program.rules, start=1):
        lines += [*_if(position, clause), f"    return {clause.value!r}"]
    return [*lines, "# otherwise", f"return {program.default.value!r}"]


def _sum_of_numbers(program: NumberProgram) -> list[str]:
    """The weights of all rules that match are added to the intercept, one after the other."""
    lines = ["# always", f"total = {program.default.value!r}"]
    for position, clause in enumerate(program.rules, start=1):
        lines += [*_if(position, clause), f"    total += {clause.value!r}"]
    return [*lines, "return total"]


def _if(position: int, clause: RuleTests) -> list[str]:
    return [f"# rule {position}: {one_line(clause.antecedent)}", f"if {_all(clause)}:"]


def _all(clause: RuleTests) -> str:
    tests = [_test(test) for test in clause.tests]
    if clause.needs_value:
        tests.append(f"not ({' and '.join(_is_missing(column) for column in clause.needs_value)})")
    return " and ".join(tests)


def _is_missing(column: Column) -> str:
    """A missing number is NaN, a missing category None."""
    return f"isnan(x{column.position})" if column.labels is None else f"x{column.position} is None"


def _test(test: Comparison | Membership) -> str:
    """A test as an expression; a missing number is NaN, which satisfies no comparison; a missing category is None."""
    value = f"x{test.column.position}"
    missing = _is_missing(test.column)
    if isinstance(test, Comparison):
        core = f"{value} {'<=' if test.is_upper else '>'} {test.cutoff!r}"
        return f"({core} or {missing})" if test.or_missing else core
    core = f"{value} {'in' if test.is_inside else 'not in'} {test.labels!r}"
    if test.is_inside or not test.column.may_be_missing:
        return f"({core} or {missing})" if test.or_missing else core
    return core if test.or_missing else f"(not {missing} and {core})"
