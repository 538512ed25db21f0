"""Rules in Markdown and LaTeX."""

import re
from textwrap import dedent

import pytest
from markdown_it import MarkdownIt
from ruleset.handmade import handmade

from rulekit.calibration.calibrated_ruleset import CalibratedRuleSet

MARKDOWN = """\
    **3 rules, 3 conditions, from 80 samples; samples are counted by class: no, yes**

    | rule | class | p | precision | coverage | samples | if |
    | ---: | --- | ---: | ---: | ---: | --- | --- |
    | 1 | yes | 0.938 | 0.938 | 0.400 | [2, 30] | Time <= 8.125 |
    | 2 | no | 0.875 | 0.750 | 0.500 | [30, 10] | age > 16.5 and Time <= 20 |
    | 3 | no | 0.750 | 0.750 | 0.100 | [6, 2] | (otherwise) |
    """
LATEX = r"""
    \begin{table}
      \centering
      \caption{3 rules, 3 conditions, from 80 samples; samples are counted by class: no, yes.}
      \label{tab:rules}
      \begin{tabular}{rlrrrlp{0.45\linewidth}}
        \toprule
        rule & class & p & precision & coverage & samples & if \\
        \midrule
        1 & yes & 0.938 & 0.938 & 0.400 & [2, 30] & Time $\leq$ 8.125 \\
        2 & no & 0.875 & 0.750 & 0.500 & [30, 10] & age $>$ 16.5 and Time $\leq$ 20 \\
        3 & no & 0.750 & 0.750 & 0.100 & [6, 2] & (otherwise) \\
        \bottomrule
      \end{tabular}
    \end{table}
    """
HOSTILE = [
    "<script>alert(1)</script>",
    "a|b",
    "*all* _of_ `it` ~~here~~",
    "[click](http://example.org)",
    "![x](http://example.org/x.png)",
    "<!-- -->",
    "<?php ?>",
    "back\\slash\\",
    "&lt;b&gt; &#60;",
    "line\nbreak",
    "a < b & c > d",
    "100 % of $x^2$ {#1} ~ n_0",
]


def test_plain_text_is_what_print_shows():
    assert handmade().to_text() == str(handmade())


class TestMarkdown:
    def test_a_table(self):
        assert handmade().to_markdown() == dedent(MARKDOWN)

    @pytest.mark.parametrize("name", HOSTILE)
    def test_a_reader_sees_the_name_as_it_is_and_nothing_else(self, name):
        tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(handmade((name, "age"), ("no", name)).to_markdown())
        cells = [
            "".join(part.content if part.type == "text" else f"<{part.type}>" for part in token.children)
            for token in tokens
            if token.type == "inline"
        ]
        shown = " ".join(name.splitlines())
        assert {f"{shown} <= 8.125", shown} <= {cell.replace("<text_special>", "") for cell in cells}

    def test_calibrated_rules_have_both_probabilities(self):
        ruleset = CalibratedRuleSet.of(handmade(), handmade().probabilities)
        assert "| rule | class | uncalibrated | calibrated | precision |" in ruleset.to_markdown()


class TestLatex:
    def test_a_table(self):
        assert handmade().to_latex() == dedent(LATEX.removeprefix("\n"))

    @pytest.mark.parametrize("name", HOSTILE)
    def test_no_character_of_a_name_is_taken_for_a_command(self, name):
        """Every line has the same number of cells, and only the table's own special characters are left."""
        lines = handmade((name, "age"), ("no", name)).to_latex().splitlines()[7:11]
        without_commands = [
            re.sub(r"\$(<|>|-|\\leq)\$|\\[&%$#_{}]|\\text\w+\{\}", "", line.removesuffix(r" \\")) for line in lines
        ]
        assert [line.count(" & ") for line in without_commands] == [6, 6, 6, 6] or "\\midrule" in without_commands[0]
        assert not any(re.search(r"[\\%$#_{}~^<>]", line) for line in without_commands[1:])
