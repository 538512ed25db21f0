"""Rules as a C99 source file that needs only the standard library."""

import re
from typing import Any

from rulekit import __version__
from rulekit.core.errors import ExportError
from rulekit.export.c_literals import array, comment, string
from rulekit.export.number_program import NumberProgram, number_program_of
from rulekit.export.program import Clauses, Column, Comparison, Membership, Program, RuleTests, is_double, program_of
from rulekit.regression.rules import RegressionRules
from rulekit.ruleset import RuleSet

INCLUDES = f"""/* Rules exported by rulekit {__version__}. C99, standard library only. */
#include <math.h>
#include <stddef.h>
#include <string.h>
"""

HEAD = """
enum {{ {name}_n_features = {n_features}, {name}_n_classes = {n_classes} }};
{features}
{classes}

static const double {name}_rule_probabilities[{n_rules}][{n_classes}] = {{
{probabilities}
}};
"""

PREDICT = """
/* Fills in the predicted probabilities, one per class, and returns the index of the most probable
   class in {name}_classes. x has one value per feature: a number, a category's code, or NAN for a
   missing value. Returns -1, and leaves the probabilities unchanged, if a value is not supported:
   an infinite one{missing}. */
int {name}_predict(const double *x, double *probabilities)
{{
{body}}}
"""

PREDICT_NUMBER = """
enum {{ {name}_n_features = {n_features} }};
{features}
{codes}
/* Fills in the predicted number and returns 0. x has one value per feature: a number, a category's
   code, or NAN for a missing value. Returns -1, and leaves the number unchanged, if a value is not
   supported: an infinite one{missing}. */
int {name}_predict(const double *x, double *prediction)
{{
{body}}}
"""

#: Copies the probabilities of a rule.
FIRST = """
static int {name}_answer(int rule, double *probabilities)
{{
    static const int best[] = {{{best}}};
    memcpy(probabilities, {name}_rule_probabilities[rule], sizeof {name}_rule_probabilities[rule]);
    return best[rule];
}}
"""

#: Adds up the probabilities of rules, in their order.
SUM = """
static int {name}_add(double *total, const double *probabilities)
{{
    for (int k = 0; k < {name}_n_classes; k++) total[k] += probabilities[k];
    return 1;
}}

static int {name}_normalise(const double *total, double *probabilities)
{{
    double sum = 0.0;
    int best = 0;
    for (int k = 0; k < {name}_n_classes; k++) sum += total[k];
    for (int k = 0; k < {name}_n_classes; k++) {{
        probabilities[k] = total[k] / sum;
        if (probabilities[k] > probabilities[best]) best = k;
    }}
    return best;
}}
"""


def to_c(ruleset: RuleSet | RegressionRules, name: str = "rules") -> str:
    """A C99 source file with a function that predicts one sample.

    Parameters
    ----------
    ruleset : RuleSet or RegressionRules
        A ruleset needs the inference mode `decision-list` or `aggregate`.
    name : str
        Prefix of every name in the file.

    Returns
    -------
    source : str
        Defines `int NAME_predict(const double *x, double *probabilities)`, the arrays `NAME_features` and
        `NAME_classes` and, where rules test categories, `NAME_code` and `NAME_number_code`, which look up their codes.
        For rules for numbers, `int NAME_predict(const double *x, double *prediction)`, and no classes.
    """
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        raise ExportError(
            f"name must be a prefix of C identifiers: letters, digits and _, starting with a letter; got {name!r}."
        )
    if isinstance(ruleset, RegressionRules):
        return _source_of_numbers(number_program_of(ruleset), name)
    program = program_of(ruleset)
    head = HEAD.format(
        name=name,
        n_features=len(program.columns),
        n_classes=len(program.classes),
        n_rules=len(program.clauses),
        features=_features(program, name),
        classes=array(program.class_kind, f"{name}_classes", program.classes),
        probabilities=",\n".join(
            f"    {{{', '.join(map(float.hex, each.probabilities))}}}" for each in program.clauses
        ),
    )
    best = ", ".join(str(clause.best) for clause in program.clauses)
    answers = (SUM if program.adds_up else FIRST).format(name=name, best=best)
    lines = _sum(program, name) if program.adds_up else _chain(program, name)
    predict = PREDICT.format(name=name, missing=_missing(program), body=_body(program, lines))
    return f"{INCLUDES}{head}{_codes(program, name)}{answers}{predict}"


def _source_of_numbers(program: NumberProgram, name: str) -> str:
    """As for classes, without their labels and probabilities."""
    lines = _sum_of_numbers(program) if program.adds_up else _chain_of_numbers(program)
    return INCLUDES + PREDICT_NUMBER.format(
        name=name,
        n_features=len(program.columns),
        features=_features(program, name),
        codes=_codes(program, name),
        missing=_missing(program),
        body=_body(program, lines),
    )


def _features(program: Clauses[Any], name: str) -> str:
    return array("string", f"{name}_features", [column.name for column in program.columns])


def _missing(program: Clauses[Any]) -> str:
    """What the comment says about missing values."""
    rejects = any(column.missing == "rejected" for column in program.used)
    return ", or a missing one where the training data had none" if rejects else ""


def _body(program: Clauses[Any], answering: list[str]) -> str:
    lines = [*([_rejection(column) for column in program.used] or ["(void)x;"]), *answering]
    return "".join(f"    {line}\n" for line in lines)


def _rejection(column: Column) -> str:
    test = "isinf" if column.may_be_missing else "!isfinite"
    return f"if ({test}(x[{column.position}])) return -1;"


def _chain(program: Program, name: str) -> list[str]:
    """The first rule that matches answers."""
    lines = _to_default(program, f"return {name}_answer({len(program.rules)}, probabilities);")
    for position, clause in enumerate(program.rules):
        lines += [comment(clause.antecedent), f"if ({_all(clause)}) return {name}_answer({position}, probabilities);"]
    return [*lines, f"return {name}_answer({len(program.rules)}, probabilities);"]


def _sum(program: Program, name: str) -> list[str]:
    """All rules that match answer together."""
    default = f"{name}_add(total, {name}_rule_probabilities[{len(program.rules)}]);"
    lines = [f"double total[{name}_n_classes] = {{0.0}};", "int matched = 0;"]
    lines += _to_default(program, f"{{ {default} return {name}_normalise(total, probabilities); }}")
    for position, clause in enumerate(program.rules):
        add = f"{name}_add(total, {name}_rule_probabilities[{position}])"
        lines += [comment(clause.antecedent), f"if ({_all(clause)}) matched = {add};"]
    lines += [f"if (!matched) {default}"]
    return [*lines, f"return {name}_normalise(total, probabilities);"]


def _chain_of_numbers(program: NumberProgram) -> list[str]:
    """The first rule that matches answers."""
    lines = []
    for clause in program.rules:
        answer = f"{{ *prediction = {clause.value.hex()}; return 0; }}"
        lines += [comment(clause.antecedent), f"if ({_all(clause)}) {answer}"]
    return [*lines, f"*prediction = {program.default.value.hex()};", "return 0;"]


def _sum_of_numbers(program: NumberProgram) -> list[str]:
    """The weights of all rules that match are added to the intercept, one after the other."""
    lines = [f"double total = {program.default.value.hex()};"]
    for clause in program.rules:
        lines += [comment(clause.antecedent), f"if ({_all(clause)}) total += {clause.value.hex()};"]
    return [*lines, "*prediction = total;", "return 0;"]


def _to_default(program: Program, statement: str) -> list[str]:
    """The default rule answers without the values of some columns."""
    if not program.to_default:
        return []
    return [f"if ({' || '.join(f'isnan(x[{column.position}])' for column in program.to_default)}) {statement}"]


def _all(clause: RuleTests) -> str:
    tests = [_test(test) for test in clause.tests]
    if clause.needs_value:
        tests.append(f"!({' && '.join(f'isnan(x[{column.position}])' for column in clause.needs_value)})")
    return " && ".join(tests)


def _test(test: Comparison | Membership) -> str:
    """A test of a number or a code; NAN satisfies no comparison but `!=`."""
    value = f"x[{test.column.position}]"
    if isinstance(test, Comparison):
        core = f"{value} {'<=' if test.is_upper else '>'} {test.cutoff.hex()}"
    elif test.is_inside:
        core = " || ".join(f"{value} == {code}.0" for code in test.codes) or "0"
        core = f"({core})" if len(test.codes) > 1 and not test.or_missing else core
    else:
        core = " && ".join([f"!isnan({value})", *(f"{value} != {code}.0" for code in test.codes)])
    if not test.or_missing:
        return core
    is_plain = isinstance(test, Comparison) or test.is_inside
    return f"({core if is_plain else f'({core})'} || isnan({value}))"


def _codes(program: Clauses[Any], name: str) -> str:
    """Functions that look up codes by label: one for strings, one for numbers and booleans."""
    labelled = [column for column in program.used if column.labels is not None]
    strings = [column for column in labelled if column.kind == "string"]
    numbers = [column for column in labelled if column.kind != "string"]
    return "".join(
        [
            _lookup(strings, f"{name}_code", "const char *label", "strcmp(labels[k], label) == 0") if strings else "",
            _lookup(numbers, f"{name}_number_code", "double label", "labels[k] == label") if numbers else "",
        ]
    )


def _lookup(columns: list[Column], name: str, label: str, is_equal: str) -> str:
    is_string = "char" in label
    missing = "label == NULL" if is_string else "isnan(label)"
    cases = []
    for column in columns:
        assert column.labels is not None
        labels = [string(each) if is_string else _double(each, column.name) for each in column.labels]
        listed = f"static const {'char *const' if is_string else 'double'} labels[] = {{{', '.join(labels)}}};"
        # The last of equal labels gives the code, as in Python.
        search = f"for (int k = {len(labels)}; k-- > 0;) if ({is_equal}) return k;" if labels else ""
        unknown = "NAN" if column.unknown_is_missing else "-1.0"
        body = f"{listed}\n        {search}\n        " if labels else ""
        cases.append(f"    case {column.position}: {{\n        {body}return {unknown};\n    }}\n")
    return (
        f"\n/* Code of a category, by the index of its feature; {'NULL' if is_string else 'NAN'} means missing. */\n"
        f"double {name}(int feature, {label})\n{{\n    if ({missing}) return NAN;\n"
        f"    switch (feature) {{\n{''.join(cases)}    default:\n        return NAN;\n    }}\n}}\n"
    )


def _double(label: float, feature: str) -> str:
    if not is_double(label):
        raise ExportError(
            f"Category {label} of {feature!r} cannot be represented as a C double. Convert the categories to strings "
            "before fit."
        )
    return float(label).hex()
