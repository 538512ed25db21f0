"""How many files of rulekit a reader opens to follow one model: those whose functions are called, step by step."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any, Final

from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier

import rulekit
from benchmarks.limits import limit
from benchmarks.measures import FILES
from benchmarks.rows import Row
from benchmarks.settings import Settings

PACKAGE: Final = Path(rulekit.__file__).parent
N_TREES: Final = 8
#: The flag of a code object that a function has, and the body of a class or module has not.
IS_FUNCTION: Final = 0x1


def run(settings: Settings) -> Iterator[Row]:
    """Build, fit, predict, explain and export on iris; then all of these together."""
    settings.announce("walk: from build to SQL")
    with rulekit.using_engine("numpy"), TemporaryDirectory() as folder:
        files = files_by_step(Path(folder))
    for step, entered in {**files, "whole walk": set().union(*files.values())}.items():
        detail = ", ".join(sorted(entered))
        yield Row("walk", "", step, FILES.name, len(entered), limit(FILES, "", step), detail)


def files_by_step(folder: Path) -> dict[str, set[str]]:
    """Files that each step of a first model enters, by the step's name."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    forest = RandomForestClassifier(N_TREES, random_state=0).fit(X, y)
    rulekit.list_components()  # plugins are looked for once per process, which belongs to no step
    files = {}
    model, files["build"] = entered(lambda: rulekit.build("rcprob", forest))
    _, files["fit"] = entered(lambda: model.fit(X, y))
    _, files["predict_proba"] = entered(lambda: model.predict_proba(X))
    _, files["explain"] = entered(lambda: str(model.explain(X.iloc[[0]])))
    _, files["SQL"] = entered(lambda: model.ruleset_.export(folder / "rules.sql"))
    return files


def entered(work: Callable[[], Any]) -> tuple[Any, set[str]]:
    """What some work returns, and the files of rulekit whose functions it calls."""
    files = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and frame.f_code.co_flags & IS_FUNCTION and path.is_relative_to(PACKAGE):
            files.add(path.relative_to(PACKAGE).as_posix())

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        return work(), files
    finally:
        sys.setprofile(before)
