"""The MLflow model of the page on production, saved in one process and loaded in another."""

import re
import subprocess
import sys
from pathlib import Path

from ruleset.handmade import handmade

from rulekit.export import to_json

PAGE = Path(__file__).parents[1] / "docs" / "how-to" / "in-production.md"
NOT_NEEDED = ("numba", "lightgbm", "xgboost", "catboost", "matplotlib")


def run(code: str, folder: Path) -> str:
    """What a program prints; MLflow warns when it is imported, so it runs in a process of its own."""
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_mlflow_loads_the_rules_without_what_training_needs(tmp_path):
    module, saving, loading = re.findall(
        r"^```py\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    (tmp_path / "rules_model.py").write_text(module)
    ruleset = handmade(("petal_length", "petal_width"))
    (tmp_path / "rules.json").write_text(to_json(ruleset))
    run(saving, tmp_path)
    checked = f"{loading}\nimport sys\nprint([name for name in {NOT_NEEDED} if name in sys.modules])"
    expected = ruleset.predict_proba({"petal_length": 5.0, "petal_width": 1.9}).round(3)
    assert run(checked, tmp_path) == f"{expected}\n[]\n"
