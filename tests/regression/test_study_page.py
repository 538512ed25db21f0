"""The tables of the page on rules for numbers are those of the stored results."""

import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "regression.md"


def test_the_page_shows_the_tables_of_the_results(monkeypatch):
    monkeypatch.syspath_prepend(PAGE.with_suffix(""))
    monkeypatch.delitem(sys.modules, "summary", raising=False)
    import summary

    content, results = PAGE.read_text(encoding="utf-8"), summary.read()
    for table in (summary.fractions, summary.against_cart, summary.by_table, summary.coverage):
        assert table(results) in content
