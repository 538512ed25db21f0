"""Models in the files of XGBoost, LightGBM and CatBoost: known by their first bytes, and read without running code."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs

from rulekit.cli.errors import CommandError
from rulekit.core.errors import MissingExtraError
from rulekit.ensembles import library

#: Bytes that tell the formats apart.
N_FIRST = 64
#: LightGBM ends the process if it reads a file that ends before this line.
LIGHTGBM_END = "end of trees"


@attrs.frozen
class ModelFormat:
    """The file format of a library.

    Attributes
    ----------
    library : str
        The module's name.
    owner : str
        The library's name.
    begins : bytes
        What its files begin with, after blanks.
    read : callable
        From the path to the model.
    """

    library: str
    owner: str
    begins: bytes
    read: Callable[[Path], Any]


def _xgboost(path: Path) -> Any:
    # From bytes, XGBoost tells JSON and UBJSON apart itself; from a file it judges by the name.
    return library("xgboost").Booster(model_file=bytearray(path.read_bytes()))


def _lightgbm(path: Path) -> Any:
    text = path.read_text(encoding="utf-8")
    if LIGHTGBM_END not in text:
        raise ValueError(f"it has no line {LIGHTGBM_END!r}, so it is cut off")
    return library("lightgbm").Booster(model_str=text)


def _catboost(path: Path) -> Any:
    return library("catboost").CatBoostClassifier().load_model(str(path))


FORMATS = (
    ModelFormat("xgboost", "XGBoost", b"{", _xgboost),
    ModelFormat("lightgbm", "LightGBM", b"tree\n", _lightgbm),
    ModelFormat("catboost", "CatBoost", b"CBM1", _catboost),
)


def library_model(path: Path) -> Any:
    """The model in a file of XGBoost (JSON or UBJSON), LightGBM (text) or CatBoost (cbm); None for another file."""
    with path.open("rb") as file:
        first = file.read(N_FIRST).lstrip().replace(b"\r\n", b"\n")
    found = next((each for each in FORMATS if first.startswith(each.begins)), None)
    if found is None:
        return None
    try:
        return found.read(path)
    except MissingExtraError:
        raise
    # Each library raises errors of its own class.
    except Exception as error:
        message = str(error).partition("\nStack trace")[0]
        raise CommandError(
            f"{path} could not be read as a model of {found.owner}, and is probably damaged: {type(error).__name__}: "
            f"{message}."
        ) from error
