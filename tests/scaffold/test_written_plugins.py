"""What is written works: linted by this project's rules, installed by pip, passing its own tests."""

import ast
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest
from scaffold.distributions import name_for, written_and_found

import rulekit
from rulekit.plugin.kinds import KINDS
from rulekit.scaffold import write_plugin

PROJECT = Path(__file__).parents[2]


def run(*command, **options):
    """A command's output; its errors go there too."""
    done = subprocess.run(
        [str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def plugins(tmp_path_factory):
    """A folder with a plugin of each kind."""
    folder = tmp_path_factory.mktemp("plugins")
    written_and_found(list(KINDS), folder)
    return folder


@pytest.fixture(scope="module")
def outcomes(plugins):
    """What became of the tests of all plugins, by kind: all of them in one process, which takes seconds to start."""
    report = plugins / "report.xml"
    path = os.pathsep.join(str(plugins / name_for(kind)) for kind in KINDS)
    options = ("-q", "-W", "error", "-p", "no:cacheprovider", f"--rootdir={plugins}", f"--junitxml={report}")
    tests = [plugins / name_for(kind) / "tests" for kind in KINDS]
    environment = {**os.environ, "PYTHONPATH": path}
    command = [sys.executable, "-m", "pytest", "-c", os.devnull, *options, *tests]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    found = {kind: [] for kind in KINDS}
    for case in ElementTree.parse(report).iter("testcase"):
        (kind,) = [kind for kind in KINDS if name_for(kind) in case.get("classname").replace("_", "-")]
        found[kind].append((case.get("name"), len(case) == 0))
    return found, done.stdout


@pytest.mark.parametrize("kind", KINDS)
def test_a_plugin_of_every_kind_passes_its_own_tests(kind, outcomes):
    found, shown = outcomes
    assert [name for name, is_passed in found[kind] if not is_passed] == [], shown
    # The checks of its kind, that it is found by its name, and something of its own.
    assert len([name for name, _ in found[kind] if "-check_" in name]) > 10
    assert len([name for name, _ in found[kind] if "-check_" not in name]) >= 2


@pytest.mark.parametrize("kind", KINDS)
def test_the_linter_finds_nothing_by_the_rules_of_this_project(kind, plugins):
    pytest.importorskip("ruff", reason="a developer's tool")
    ruff, rules = (sys.executable, "-m", "ruff"), ("--no-cache", "--config", PROJECT / "pyproject.toml")
    # From the distribution's own folder, as its author would: what lies there is not a third party's.
    run(*ruff, "check", *rules, cwd=plugins / name_for(kind))
    run(*ruff, "format", "--check", *rules, cwd=plugins / name_for(kind))


@pytest.mark.parametrize("kind", KINDS)
def test_the_metadata_name_the_module_and_the_entry_point(kind, plugins):
    name = name_for(kind)
    document = tomllib.loads((plugins / name / "pyproject.toml").read_text(encoding="utf-8"))
    module = name.replace("-", "_")
    assert document["project"]["name"] == name
    assert document["project"]["entry-points"] == {"rulekit": {name.removeprefix("rulekit-"): module}}
    assert (plugins / name / f"{module}.py").is_file()


@pytest.mark.parametrize("kind", KINDS)
def test_the_readme_shows_how_to_use_it_and_nothing_is_left_to_fill_in(kind, plugins):
    name = name_for(kind)
    readme = (plugins / name / "README.md").read_text(encoding="utf-8")
    code = re.findall("```python\n(.*?)```", readme, flags=re.DOTALL)
    assert len(code) == 1
    compile(code[0], "README.md", "exec")
    assert "$" not in readme
    calls = [node for node in ast.walk(ast.parse(code[0])) if isinstance(node, ast.Call)]
    built = [call for call in calls if ast.unparse(call.func) == "rulekit.build"]
    keywords = [word.arg for call in built for word in call.keywords]
    assert set(keywords) <= set(rulekit.RuleExtractor().get_params())
    assert readme.startswith(f"# {name}\n")


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """A fresh virtual environment that sees what is installed here."""
    pytest.importorskip("pip", reason="installs a plugin")
    pytest.importorskip("hatchling", reason="builds a plugin without a network")
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    python = next(folder.glob("[bS]*/python*"))
    (packages,) = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").splitlines()
    here = [position for position in sys.path if position.endswith("site-packages")]
    Path(packages, "here.pth").write_text("".join(f"import site; site.addsitedir({position!r})\n" for position in here))
    return python


def test_pip_installs_a_plugin_which_then_passes_its_tests(environment, tmp_path):
    write_plugin("rulekit-shy", "probability", tmp_path)
    offline = ("--no-index", "--no-deps", "--no-build-isolation", "--disable-pip-version-check")
    run(sys.executable, "-m", "pip", "--python", environment, "install", *offline, tmp_path / "rulekit-shy")
    shown = run(environment, "-m", "rulekit", "components", "--kind", "probability")
    assert "rulekit-shy 0.1.0" in shown
    shown = run(environment, "-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=tmp_path / "rulekit-shy")
    assert re.search(r"\n\d\d passed in ", shown), shown


def test_the_wheel_of_rulekit_has_all_templates(tmp_path):
    pytest.importorskip("hatchling", reason="builds the wheel without a network")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path, cwd=PROJECT)
    (wheel,) = tmp_path.glob("*.whl")
    templates = (PROJECT / "rulekit" / "scaffold" / "templates").rglob("*.template")
    expected = {path.relative_to(PROJECT).as_posix() for path in templates}
    assert len(expected) == 2 + 2 * len(KINDS)
    assert expected <= set(zipfile.ZipFile(wheel).namelist())
