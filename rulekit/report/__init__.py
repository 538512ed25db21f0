"""An HTML page about rules: `model.report("rules.html", X_test, y_test)` writes it.

Counts come first (`facts`, `subject`), then tables, charts and the form's data (`rows`, `charts`, `form`), and last
the page (`page`, `assets/`). jinja2 comes with the extra `report` and is imported when a page is written.
"""

from rulekit.report.writing import write

__all__ = ["write"]
