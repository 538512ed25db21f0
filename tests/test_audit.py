"""The checks of `.ci/audit`: what could not be checked must not look as if it were fine."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[1] / ".ci" / "check_audit.py"
CHECKED = {"name": "numpy", "version": "2.0", "vulns": []}


def check(what: str, content: Any, tmp_path: Path) -> tuple[int, str]:
    path = tmp_path / "found.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    ended = subprocess.run([sys.executable, SCRIPT, what, path], capture_output=True, text=True, check=False)
    assert ended.stderr == ""
    return ended.returncode, ended.stdout


@pytest.mark.parametrize(
    ("dependencies", "code", "message"),
    [
        ([CHECKED], 0, "0 of 1 checked distributions"),
        ([CHECKED, {"name": "rulekit-rcprob", "skip_reason": "not found"}], 0, "0 of 1 checked distributions"),
        (
            [CHECKED, {"name": "scipy", "skip_reason": "not found"}],
            1,
            "NOT CHECKED: 1 of 2 distributions",
        ),
        ([{"name": "scipy", "version": "1", "vulns": [{"id": "PYSEC-1"}]}], 1, "scipy 1: PYSEC-1"),
        ([], 1, "0 of 0 checked distributions"),
    ],
)
def test_vulnerabilities(dependencies, code, message, tmp_path):
    """pip-audit ends well if it finds none of the distributions on the index."""
    found, printed = check("vulnerabilities", {"dependencies": dependencies, "fixes": []}, tmp_path)
    assert found == code
    assert message in printed


@pytest.mark.parametrize(
    ("licence", "code"),
    [
        ("MIT", 0),
        ("BSD-3-Clause AND 0BSD AND MIT AND Zlib AND CC0-1.0", 0),
        ("Apache-2.0 OR BSD-2-Clause", 0),
        ("GPL-3.0-only OR MIT", 0),
        ("BSD-2-Clause AND Apache-2.0 WITH LLVM-exception", 0),
        ("GNU Affero General Public License v3", 1),
        ("MIT AND GPL-3.0-only", 1),
        ("MIT; GNU General Public License (GPL)", 1),
        ("UNKNOWN", 1),
    ],
)
def test_licences(licence, code, tmp_path):
    found, printed = check("licences", [{"Name": "some", "Version": "1", "License": licence}], tmp_path)
    assert found == code
    assert ("is not an allowed licence" in printed) == bool(code)
