"""Names that would act on a terminal or a page are shown instead, and are unchanged where programs read them."""

import re

import numpy as np
import pytest
from ruleset.handmade import BOTH, NONE, handmade

from rulekit.export import to_csv, to_json, to_python
from rulekit.render.escaping import latex, markdown, visible
from rulekit.ruleset import RuleSet

#: Clears a terminal, twice; changes the writing direction; rings the bell.
ACTS = "a\x1b[2J\x9b2J\u202eb\u2066\u200fc\a\0\x7f"
ACTING = re.compile("[\0-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("\x1b[2J", r"\x1b[2J"),
        ("\x9b\x7f\0", r"\x9b\x7f\x00"),
        ("a\tb", r"a\tb"),
        ("abc\u202edef\u2066", r"abc\u202edef\u2066"),
        ("\ud800", r"\ud800"),
        ("line\r\nbreak\u2028again", "line break again"),
        ("ünïcode ☃ 𝔘 عربي עברית \\x1b", "ünïcode ☃ 𝔘 عربي עברית \\x1b"),
        (3, "3"),
    ],
)
def test_what_acts_is_shown_as_its_code_and_the_rest_as_it_is(name, expected):
    assert visible(name) == visible(expected) == expected


def test_no_character_of_a_name_is_taken_for_a_minus():
    assert latex("a\0b -1 x-1") == r"a\textbackslash{}x00b $-$1 x-1"


def test_markdown_shows_the_code():
    assert markdown("\x1b[2J") == r"\\x1b[2J"


SHOWN = {
    "print": str,
    "repr": repr,
    "text": RuleSet.to_text,
    "markdown": RuleSet.to_markdown,
    "latex": RuleSet.to_latex,
    "html": RuleSet._repr_html_,
    "rule": lambda ruleset: str(ruleset[0]),
    "condition": lambda ruleset: str(ruleset[0].conditions[0]),
    "explanation": lambda ruleset: str(ruleset.explain(BOTH)),
    "explanation in a notebook": lambda ruleset: ruleset.explain(BOTH)._repr_html_(),
    "explanations": lambda ruleset: str(ruleset.explain([BOTH, NONE])),
    "counterfactual": lambda ruleset: str(ruleset.counterfactual(BOTH)),
    "counterfactual in a notebook": lambda ruleset: ruleset.counterfactual(BOTH)._repr_html_(),
}


@pytest.mark.parametrize("show", SHOWN.values(), ids=SHOWN)
def test_nothing_that_is_displayed_has_characters_that_act(show):
    shown = show(handmade((ACTS, "age"), ("no", ACTS)))
    assert "x1b" in shown
    assert not ACTING.search(shown)


def test_programs_read_the_name_itself():
    ruleset = handmade((ACTS, "age"), ("no", ACTS))
    assert RuleSet.from_json(to_json(ruleset)) == ruleset
    assert ruleset.to_frame()["class"].tolist()[0] == ACTS
    assert repr(ACTS) in to_python(ruleset)
    assert r"a\u001b[2J\u009b2J\u202eb" in to_csv(ruleset)
    assert ruleset.predict(np.array([BOTH])).tolist() == [ACTS]
