"""A ruleset as plain text, HTML and data frame."""

from html.parser import HTMLParser
from textwrap import dedent

import pytest
from ruleset.handmade import handmade

TEXT = """\
    3 rules, 3 conditions, from 80 samples; samples are counted by class: no, yes
    rule  class  p      precision  coverage  samples   if
    ----  -----  -----  ---------  --------  --------  -------------------------
    1     yes    0.938  0.938      0.400     [2, 30]   Time <= 8.125
    2     no     0.875  0.750      0.500     [30, 10]  age > 16.5 and Time <= 20
    3     no     0.750  0.750      0.100     [6, 2]    (otherwise)"""


class TestText:
    def test_an_aligned_table(self):
        assert str(handmade()) == dedent(TEXT)

    def test_no_line_ends_in_blanks(self):
        assert all(line == line.rstrip() for line in str(handmade()).splitlines())

    def test_numbers_as_labels(self):
        assert "counted by class: 0, 1" in str(handmade(labels=(0, 1)))

    def test_the_short_form(self):
        assert repr(handmade()) == "<RuleSet: 3 rules, 3 conditions, classes ['no', 'yes']>"

    def test_a_name_with_a_line_break_stays_in_its_line(self):
        """Column names come from spreadsheets, where a heading may hold a line break."""
        assert len(str(handmade(("Time\nof day", "age"))).splitlines()) == 6


class Tags(HTMLParser):
    """Collects the tags and the text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.text += data


HOSTILE = [
    "<script>alert(1)</script>",
    "</td></tr></table><b>out</b>",
    "<img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",
    '" onmouseover="alert(1)',
    "&lt;b&gt;",
    "a < b & c > d",
]


class TestHtml:
    def test_one_row_per_rule_and_one_for_the_heading(self):
        assert Tags(handmade()._repr_html_()).tags.count("tr") == 4

    def test_the_heading(self):
        assert Tags(handmade()._repr_html_()).tags.count("th") == 7

    @pytest.mark.parametrize("name", HOSTILE)
    def test_a_hostile_column_name_adds_no_tag(self, name):
        hostile = Tags(handmade((name, "age"))._repr_html_())
        assert hostile.tags == Tags(handmade()._repr_html_()).tags

    @pytest.mark.parametrize("name", HOSTILE)
    def test_a_hostile_column_name_is_shown_as_it_is(self, name):
        assert f"{name} <= 8.125" in Tags(handmade((name, "age"))._repr_html_()).text

    @pytest.mark.parametrize("label", HOSTILE)
    def test_a_hostile_label_adds_no_tag(self, label):
        hostile = Tags(handmade(labels=("no", label))._repr_html_())
        assert hostile.tags == Tags(handmade()._repr_html_()).tags

    @pytest.mark.parametrize("label", HOSTILE)
    def test_a_hostile_label_is_shown_as_it_is(self, label):
        assert label in Tags(handmade(labels=("no", label))._repr_html_()).text


class TestFrame:
    def test_one_row_per_rule(self):
        assert handmade().to_frame().index.tolist() == [1, 2, 3]

    def test_the_index_is_called_rule(self):
        assert handmade().to_frame().index.name == "rule"

    @pytest.mark.parametrize(
        ("column", "expected"),
        [
            ("class", ["yes", "no", "no"]),
            ("probability", [0.9375, 0.875, 0.75]),
            ("precision", [30 / 32, 0.75, 0.75]),
            ("coverage", [0.4, 0.5, 0.1]),
            ("support", [30 / 80, 30 / 80, 6 / 80]),
            ("n_covered", [32, 40, 8]),
            ("counts", [[2, 30], [30, 10], [6, 2]]),
            ("n_conditions", [1, 2, 0]),
            ("conditions", ["Time <= 8.125", "age > 16.5 and Time <= 20", "(otherwise)"]),
        ],
    )
    def test_a_column(self, column, expected):
        assert handmade().to_frame()[column].tolist() == expected

    def test_there_are_no_other_columns(self):
        assert len(handmade().to_frame().columns) == 9
