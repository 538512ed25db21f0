"""What is given to others: a wheel with everything in it, and requirements that agree with one another."""

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]
DEFINITION = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
REQUIREMENT = re.compile(r"([A-Za-z0-9_.-]+)(?:\[.*\])?(.*)")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the source distribution."""
    pytest.importorskip("hatchling", reason="needs hatchling: pip install -e '.[test]'")
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-t", "sdist", "-d", str(folder)]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def files_of(package: Path) -> set[str]:
    """All files of a folder but what Python and numba put there."""
    files = (path for path in package.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(PROJECT).as_posix() for path in files}


def test_the_wheel_has_every_file_of_the_package_and_nothing_else(built: Path) -> None:
    [wheel] = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert names == files_of(PROJECT / "rulekit")


def test_the_source_distribution_has_package_tests_and_plugins(built: Path) -> None:
    [source] = built.glob("*.tar.gz")
    with tarfile.open(source) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    expected = files_of(PROJECT / "rulekit") | files_of(PROJECT / "tests") | {"pyproject.toml", "README.md", "LICENSE"}
    expected |= {".ci/oldest", ".ci/wheel", "plugins/rulekit-jeffreys/pyproject.toml"}
    assert expected - names == set()
    assert [name for name in names if "__pycache__" in name] == []


def requirements() -> dict[str, list[str]]:
    """The needed libraries and those of each extra."""
    return {"": DEFINITION["dependencies"], **DEFINITION["optional-dependencies"]}


#: What users install: the needed libraries, and the extras that are not for developers.
USERS = [extra for extra in requirements() if extra not in ("all", "dev", "docs", "test")]


def test_every_library_has_a_lower_bound_that_is_the_same_everywhere() -> None:
    """`.ci/oldest` tests the bounds of the extra `test`: those of the others must be the same."""
    bounds: dict[str, set[str]] = {}
    for lines in requirements().values():
        for line in lines:
            found = REQUIREMENT.fullmatch(line)
            assert found is not None, line
            if found[1] != DEFINITION["name"]:
                bounds.setdefault(found[1].removesuffix("-cpu"), set()).add(found[2])
    assert {name: found for name, found in bounds.items() if len(found) > 1 or "" in found} == {}


def bounds_of(*extras: str) -> dict[str, str]:
    """Lower bounds of what users install, by library."""
    found = (REQUIREMENT.fullmatch(line) for extra in extras for line in requirements()[extra])
    return {each[1].removesuffix("-cpu"): each[2].removeprefix(">=") for each in found if each is not None}


def test_the_oldest_version_of_every_library_is_tested() -> None:
    """`.ci/oldest` installs the extra `test`."""
    assert set(bounds_of(*USERS)) - set(bounds_of("", "test")) == set()


def test_the_page_on_support_names_every_lower_bound() -> None:
    page = (PROJECT / "docs" / "reference" / "support.md").read_text(encoding="utf-8")
    rows = [row.lower().split("|")[1:3] for row in page.splitlines() if row.startswith("| ")]
    named_bounds = {name.strip(): bound.strip() for names, bound in rows for name in names.split(",")}
    named = {name: re.split(r"[;, ]", named_bounds.get(name, ""))[0] for name in bounds_of(*USERS)}
    assert named == bounds_of(*USERS)


def test_all_has_every_extra_that_a_user_may_want() -> None:
    [line] = DEFINITION["optional-dependencies"]["all"]
    named = set(line.partition("[")[2].rstrip("]").split(","))
    assert named == set(USERS) - {""}


def test_no_file_names_a_folder_of_somebodys_machine_or_a_key() -> None:
    """Such a string would be of no use to others, or of too much."""
    pattern = re.compile(rb"/(?:home|Users|root)/\w|BEGIN [A-Z ]*PRIVATE KEY|ghp_\w{20}|AKIA[0-9A-Z]{16}|pypi-Ag\w{20}")
    kept = [PROJECT / name for name in ("rulekit", "tests", "docs", "plugins", "benchmarks", ".ci", "README.md")]
    files = [path for each in kept for path in ([each] if each.is_file() else each.rglob("*")) if path.is_file()]
    own = [path for path in files if "__pycache__" not in path.parts and path != Path(__file__)]
    assert [str(path.relative_to(PROJECT)) for path in own if pattern.search(path.read_bytes())] == []
