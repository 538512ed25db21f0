"""The PMML document, checked by its schema and scored by JPMML.

JPMML decides which rule answers and which class it predicts; the probabilities are in that rule's ScoreDistribution.
The schema is the one that JPMML ships: PMML 4.4 with a few attributes and values of its own, which all begin with `x-`
and must not occur here.
"""

import json
import math
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import jpmml_evaluator
import numpy as np
import pytest
from export.worlds import HOSTILE, assert_same, rulesets, samples
from lxml import etree
from ruleset.handmade import BOTH, FIRST, NONE, SECOND, handmade

from rulekit.core.errors import ExportError
from rulekit.export import to_pmml
from rulekit.inference.aggregate import Aggregate
from rulekit.inference.decision_list import DecisionList
from rulekit.ruleset import RuleSet

SPACE = {"p": "http://www.dmg.org/PMML-4_4"}
ENGINE = Path(__file__).with_name("pmml_engine.py")
needs_java = pytest.mark.skipif(
    shutil.which("java") is None, reason="needs Java 11 or newer to score PMML documents with JPMML"
)


@pytest.fixture(scope="module")
def schema() -> etree.XMLSchema:
    """PMML 4.4 as JPMML ships it."""
    jars = (Path(jpmml_evaluator.__file__).parent / "dependencies").glob("pmml-model-[0-9]*.jar")
    with zipfile.ZipFile(next(iter(jars))) as jar:
        return etree.XMLSchema(etree.fromstring(jar.read("pmml.xsd")))


def is_scorable(ruleset: RuleSet) -> bool:
    """JPMML ignores a sample without values, and its integers have 32 bits."""
    labels = ruleset.classes
    return bool(columns_of(ruleset)) and not (labels.dtype.kind == "i" and np.abs(labels.astype(float)).max() >= 2**31)


@pytest.fixture(scope="module")
def jobs() -> list[tuple[RuleSet, list[list[Any]]]]:
    chosen = rulesets(HOSTILE, modes=(DecisionList,), accept=is_scorable)
    return [(each, samples(each, seed)) for seed, each in enumerate(chosen)]


@pytest.fixture(scope="module")
def scored(jobs) -> list[Any]:
    """Answers to all jobs, then to a sample that is rejected and to samples with other names: Java starts once."""
    renamed = job(handmade(feature_names=("", "")), [BOTH, FIRST, SECOND, NONE], columns=["time", "age"])
    rejected = job(handmade(), [BOTH, [math.nan, 20.0]])
    return score([*(job(*each) for each in jobs), rejected, renamed])


def score(jobs: list[tuple[str, list[str], list[list[Any]]]]) -> list[Any]:
    lines = "".join(json.dumps(job) + "\n" for job in jobs)
    run = subprocess.run([sys.executable, str(ENGINE)], input=lines, capture_output=True, text=True, env=os.environ)
    assert run.returncode == 0, run.stderr
    return [json.loads(line) for line in run.stdout.splitlines()]


def columns_of(ruleset: RuleSet) -> list[int]:
    return sorted({int(ruleset.conditions.features[row]) for rule in ruleset.antecedents for row in rule})


def job(ruleset: RuleSet, rows: list[list[Any]], **options: Any) -> tuple[str, list[str], list[list[Any]]]:
    """The document, and of each sample the columns that the document uses."""
    positions = columns_of(ruleset)
    names = options.get("columns", ruleset.feature_names)
    return (
        to_pmml(ruleset, **options),
        [names[position] for position in positions],
        [[row[at] for at in positions] for row in rows],
    )


def distributions(document: str) -> dict[str, list[float]]:
    """Probabilities by the id of the rule."""
    root = etree.fromstring(document.encode("utf-8"))
    return {
        rule.get("id"): [float(each.get("probability")) for each in rule.findall("p:ScoreDistribution", SPACE)]
        for rule in root.iterfind(".//p:SimpleRule", SPACE)
    }


@needs_java
def test_the_document_scores_the_same(jobs, scored):
    for (ruleset, rows), (answers, errors) in zip(jobs, scored[:-2], strict=True):
        assert errors is None
        target, rule = list(answers[0])[:2]
        by_rule = distributions(to_pmml(ruleset))
        assert_same(
            ruleset, rows, [answer[target] for answer in answers], [by_rule[answer[rule]] for answer in answers]
        )


def test_every_document_follows_the_schema(jobs, schema):
    for ruleset, _ in jobs:
        document = to_pmml(ruleset)
        schema.assertValid(etree.fromstring(document.encode("utf-8")))
        assert "x-" not in "".join(element.tag + "".join(element.attrib) for element in _elements(document))


def test_the_schema_check_can_fail(schema):
    broken = to_pmml(handmade()).replace('criterion="firstHit"', 'criterion="lastHit"')
    assert not schema.validate(etree.fromstring(broken.encode("utf-8")))


def _elements(document: str) -> list[Any]:
    return list(etree.fromstring(document.encode("utf-8")).iter("{*}*"))


def test_a_ruleset_of_a_default_rule_alone_has_its_probabilities():
    ruleset = handmade()
    alone = RuleSet(
        ruleset.conditions,
        ((),),
        ruleset.probabilities[2:],
        ruleset.counts[2:],
        ruleset.classes,
        80,
        ruleset.inference,
    )
    assert distributions(to_pmml(alone)) == {"1": [0.75, 0.25]}


@needs_java
def test_a_value_that_the_ruleset_rejects_is_an_error(scored):
    _, errors = scored[-2]
    assert errors[0] is None
    assert 'Field "Time" cannot accept missing value' in errors[1]


@needs_java
def test_columns_gives_other_names(scored):
    answers, _ = scored[-1]
    assert [answer["class"] for answer in answers] == ["yes", "yes", "no", "no"]
    assert [answer["rule"] for answer in answers] == ["1", "1", "2", "3"]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("a", "a"), "Not supported in PMML: the column names 'a' and 'a', which are the same. Pass columns="),
        (("", "b"), "Not supported in PMML: an empty column name. Pass columns="),
        (("a\1", "b"), "Not supported in XML: the control characters in"),
    ],
)
def test_names_that_pmml_cannot_have_are_rejected(names, message):
    with pytest.raises(ExportError, match=message):
        to_pmml(handmade(feature_names=names))


def test_rules_that_answer_together_are_rejected_with_what_to_do():
    with pytest.raises(ExportError, match="Use decision-list instead, or export to python, sql, c or onnx"):
        to_pmml(handmade(inference=Aggregate()))
