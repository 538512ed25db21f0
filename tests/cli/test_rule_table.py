"""Rules in terminals of any width."""

import io
import re

import attrs
import numpy as np
import pytest
from rich.console import Console
from ruleset.handmade import handmade
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

import rulekit
from rulekit.cli.rule_table import NARROW, Antecedent, legend, rule_table
from rulekit.inference.aggregate import Aggregate
from rulekit.ruleset.table import MARKS, NONE

WIDTHS = [60, 80, 100, 200]


@pytest.fixture(scope="module")
def ruleset():
    bunch = load_breast_cancer(as_frame=True)
    forest = RandomForestClassifier(10, max_depth=4, random_state=0)
    return rulekit.build("rcprob", forest).fit(bunch.data, bunch.target_names[bunch.target]).ruleset_


def lines(renderable, width):
    console = Console(file=io.StringIO(), width=width, markup=False, highlight=False)
    console.print(renderable)
    return console.file.getvalue().splitlines()


@pytest.mark.parametrize("width", WIDTHS)
class TestTable:
    @pytest.fixture
    def shown(self, ruleset, width):
        return lines(rule_table(ruleset, "Rules", width), width)

    def test_no_line_is_wider_than_the_terminal(self, shown, width):
        assert max(map(len, shown)) <= width

    def test_nothing_is_cut(self, shown):
        assert not any("…" in line for line in shown)

    @pytest.fixture
    def body(self, shown):
        """The lines of the rules, between the headings and what the mark below them means."""
        return shown[3 : next(number for number, line in enumerate(shown) if line.startswith(f"{NONE}:"))]

    def test_what_the_mark_of_a_rule_without_answered_samples_means_stands_below(self, ruleset, shown, body):
        assert [rule.n_answered == 0 for rule in ruleset].count(True) == 1
        assert " ".join(" ".join(shown[3 + len(body) :]).split()) == f"{NONE}: {MARKS[NONE]}."

    def test_every_condition_is_there_in_order(self, ruleset, shown, body):
        # Cells of other columns stand between the lines of an antecedent: look at its column only.
        start, stop = shown[1].index("if"), shown[1].index("then")
        column = " ".join(" ".join(line[start:stop] for line in body).split())
        expected = " ".join(
            " and ".join(str(condition) for condition in rule.conditions) or "(otherwise)" for rule in ruleset
        )
        assert column == expected

    def test_every_rule_has_its_class_and_figures(self, ruleset, body, width):
        rows = [" ".join(line.split()) for line in body if line[:1].strip()]
        for row, rule in zip(rows, ruleset, strict=True):
            answered = f"{rule.n_right} of {rule.n_answered}" if rule.n_answered else NONE
            figures = f"{rule.probability:.3f} {answered} {rule.precision:.3f} {rule.coverage:.3f}"
            counts = f" {rule.counts.tolist()}" if width >= NARROW else ""
            assert row.endswith(f"{rule.label} {figures}{counts}")

    def test_the_title_counts_rules_and_conditions(self, ruleset, shown):
        assert shown[0].rstrip() == f"Rules: {len(ruleset)} rules, {ruleset.n_conditions} conditions"


class TestHeadings:
    def test_are_whole_words_in_a_wide_terminal(self, ruleset):
        headings = ["if", "then", "p", "answered", "precision", "coverage", "samples"]
        assert lines(rule_table(ruleset, "", 100), 100)[1].split() == headings

    def test_are_short_in_a_narrow_one(self, ruleset):
        assert lines(rule_table(ruleset, "", 80), 80)[1].split() == [
            "if",
            "then",
            "p",
            "answ.",
            "prec.",
            "cov.",
            "samples",
        ]


class TestAntecedent:
    antecedent = Antecedent(["a <= 1", "bb > 2", "c <= 3"])

    def test_stays_in_one_line_where_it_fits(self):
        assert list(self.antecedent.lines(28)) == ["a <= 1 and bb > 2 and c <= 3"]

    def test_breaks_between_conditions(self):
        assert list(self.antecedent.lines(20)) == ["a <= 1 and bb > 2", "and c <= 3"]

    def test_gives_each_condition_a_line_where_two_do_not_fit(self):
        assert list(self.antecedent.lines(10)) == ["a <= 1", "and bb > 2", "and c <= 3"]

    def test_indents_what_continues_a_condition_that_is_too_long(self):
        assert list(Antecedent(["a long name <= 1"]).lines(12)) == ["a long name", "  <= 1"]

    def test_brackets_in_names_are_not_markup(self):
        assert lines(Antecedent(["[bold]x[/bold] <= 1"]), 40) == ["[bold]x[/bold] <= 1"]


def test_the_legend_says_in_which_order_classes_are_counted(ruleset):
    assert "covered training samples by class (benign, malignant)" in " ".join(lines(legend(ruleset, 1000), 1000))


def test_the_legend_explains_the_columns_of_the_table_and_no_others(ruleset):
    def terms(rules, width):
        return re.findall(r"(\w+):", " ".join(lines(legend(rules, width), width)))

    assert terms(ruleset, 100) == ["p", "answered", "precision", "coverage", "samples"]
    assert terms(ruleset, NARROW - 1) == ["p", "answered", "precision", "coverage"]
    together = attrs.evolve(ruleset, inference=Aggregate())
    assert terms(together, 100) == ["p", "precision", "coverage", "samples"]
    assert "first rule" not in str(legend(together, 100))


def test_counts_of_many_classes_wrap_and_leave_the_width_to_the_antecedents():
    ruleset = attrs.evolve(
        handmade(),
        classes=np.arange(20),
        counts=np.full((3, 20), 4),
        probabilities=np.full((3, 20), 0.05),
    )
    shown = lines(rule_table(ruleset, "Rules", 100), 100)
    assert "age > 16.5 and Time <= 20 " in "\n".join(shown)
    assert " ".join(" ".join(line.split()[-12:]) for line in shown).count("4") >= 60


def test_names_and_labels_do_not_act_on_the_terminal():
    hostile = handmade(("\x1b[2J", "age"), ("no", "\u202e"))
    shown = "\n".join([*lines(rule_table(hostile, "Rules", 100), 100), *lines(legend(hostile, 100), 100)])
    assert "\\x1b[2J <= 8.125" in shown
    assert shown.count("\\u202e") == 2
    assert "\x1b" not in shown
    assert "\u202e" not in shown
