"""The example distribution, really built, installed and found through its entry point."""

import os
import re
import subprocess
import sys
from pathlib import Path

PLUGINS = Path(__file__).parents[2] / "plugins"


def run(*command: str, path: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(path)}
    return subprocess.run([sys.executable, *command], env=environment, capture_output=True, text=True, check=False)


def test_an_installed_distribution_is_discovered_and_passes_its_own_tests(tmp_path: Path) -> None:
    distribution = PLUGINS / "rulekit-jeffreys"
    installed = run("-m", "pip", "install", "--no-deps", "--target", str(tmp_path), str(distribution), path=tmp_path)
    assert installed.returncode == 0, installed.stderr
    tested = run("-m", "pytest", "-q", "-p", "no:cacheprovider", str(distribution / "tests"), path=tmp_path)
    assert re.search(r"^\d+ passed in ", tested.stdout, re.MULTILINE), tested.stdout + tested.stderr
