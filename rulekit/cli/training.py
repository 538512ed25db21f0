"""The ensemble that rules come from: trained by its registered name, or read from a file."""

import inspect
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from zipfile import is_zipfile

from sklearn.frozen import FrozenEstimator

from rulekit.classifier import needs_ensemble
from rulekit.cli.errors import CommandError
from rulekit.cli.model_files import library_model
from rulekit.cli.skops_file import model_from_skops
from rulekit.core.errors import RulekitError
from rulekit.model import find_adapter, is_fitted, known_names, unwrapped, without_steps
from rulekit.plugin.manager import plugins
from rulekit.plugin.preset import Preset
from rulekit.wrappers.named_classes import NamedClasses

DEFAULT_ENSEMBLE = "rf"
#: What a zip archive begins with.
ARCHIVE = b"PK\x03\x04"
#: Parameters of ensembles that have an option of their own.
OPTIONS = ("n_estimators", "max_depth", "learning_rate")


def chosen_ensemble(
    method: str,
    name: str | None,
    settings: Mapping[str, Any],
    saved: Path | None,
    seed: int,
    *,
    allow_pickle: bool = False,
) -> Any:
    """The ensemble that the options ask for, fitted if it comes from a file; None leaves the choice to the method.

    Parameters
    ----------
    method : str
    name : str or None
        Name of a registered ensemble; None means the method's default.
    settings : mapping
        Parameters of the ensemble that the user gave.
    saved : Path or None
        File of a fitted ensemble, instead of a name.
    seed : int
    allow_pickle : bool, default=False
        Whether that file may be a pickle, which runs code when it is loaded.
    """
    if saved is not None:
        if name is not None or settings:
            raise CommandError(
                "--model is an ensemble that is already fitted: leave out "
                f"{', '.join(filter(None, ['--ensemble' if name else '', spelled(settings)]))}."
            )
        return saved_model(saved, allow_pickle)
    name = name or preferred_ensemble(method)
    if name is not None:
        return named_ensemble(name, settings, seed)
    if settings and not needs_ensemble(plugins().registry.get("method", method).factory):
        raise CommandError(
            f"The method {method!r} grows its own tree: set its parameters, such as --set max_leaves=8, instead of "
            f"{spelled(settings)}."
        )
    if settings:
        raise CommandError(
            f"The method {method!r} chooses its own ensemble: use --ensemble as well to set {spelled(settings)}."
        )
    return None


def preferred_ensemble(method: str) -> str | None:
    """Name of the ensemble that a method is made for; None if the method's own code chooses it."""
    factory = plugins().registry.get("method", method).factory
    while isinstance(factory, Preset):
        if "ensemble" in factory.parameters or factory.base is None:
            return str(factory.parameters.get("ensemble", DEFAULT_ENSEMBLE))
        factory = plugins().registry.get("method", factory.base).factory
    return None


def named_ensemble(name: str, settings: Mapping[str, Any], seed: int) -> Any:
    """An unfitted ensemble by its registered name.

    Parameters
    ----------
    name : str
    settings : mapping
        Parameters that the user gave; raise for those that the ensemble does not accept.
    seed : int
        Used if the ensemble takes a `random_state`.
    """
    component = plugins().registry.get("ensemble", name)
    known = inspect.signature(component.factory).parameters  # type: ignore[arg-type]
    takes_any = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in known.values())
    unknown = [setting for setting in settings if setting not in known]
    if unknown and not takes_any:
        takes = spelled(parameter for parameter in known if parameter != "random_state") or "nothing"
        raise CommandError(f"The ensemble {name!r} does not accept {spelled(unknown)}. It accepts: {takes}.")
    seeded = {"random_state": seed} if "random_state" in known else {}
    return plugins().registry.create("ensemble", name, **(seeded | dict(settings)))


def saved_model(path: Path, allow_pickle: bool) -> Any:
    """The fitted model in a file of its library or of skops or, if that is allowed, of joblib, which runs its code."""
    if not path.is_file():
        raise CommandError(f"File not found: {path}.")
    model = library_model(path)
    if model is not None:
        # Neither a booster nor what CatBoost reads from a file has the parameters of its training.
        return NamedClasses(FrozenEstimator(model), model.classes_) if hasattr(model, "classes_") else model
    model = unwrapped(model_from_skops(path) if _is_archive(path) else _from_pickle(path, allow_pickle))
    if not (hasattr(model, "fit") and hasattr(model, "predict")):
        raise CommandError(f"{path} contains a {type(model).__name__}, not a fitted classifier.")
    if not is_fitted(model):
        raise CommandError(f"The {type(model).__name__} in {path} is not fitted. Fit it first, or use --ensemble.")
    _check_whole(path, model)
    return model


def _is_archive(path: Path) -> bool:
    """Whether a file is a skops file, that is a zip archive, judging by its first bytes and not by its name."""
    with path.open("rb") as file:
        return file.read(len(ARCHIVE)) == ARCHIVE or is_zipfile(path)


def _check_whole(path: Path, model: Any) -> None:
    """Raise if the model lacks an attribute of its type, or if an attribute has the wrong type."""
    _, ensemble = without_steps(model)
    try:
        known_names(ensemble)
        find_adapter(ensemble).forest(ensemble)
    except RulekitError:
        pass  # an ensemble that is not supported is reported by the extraction
    # A damaged file can contain anything, also attributes of a wrong type.
    except Exception as error:
        raise CommandError(
            f"{path} is damaged: the {type(ensemble).__name__} in it cannot be read: {type(error).__name__}: {error}."
        ) from error


def _from_pickle(path: Path, allowed: bool) -> Any:
    import joblib

    if not allowed:
        raise CommandError(
            f"{path} is not a skops file, nor one of XGBoost, LightGBM or CatBoost. If it was saved with joblib.dump "
            "or pickle, loading it runs the code in it: add --allow-pickle if you trust its source, or save the model "
            "with skops.io.dump, which is safe to load."
        )
    try:
        return joblib.load(path)
    # Loading a pickle runs code, so it can raise any exception.
    except Exception as error:
        raise CommandError(
            f"{path} could not be read as a model saved with joblib.dump: {type(error).__name__}: {error}."
        ) from error


def spelled(parameters: Iterable[str]) -> str:
    """Parameters of an ensemble as they are given on the command line."""
    return ", ".join(
        f"--{parameter.replace('_', '-')}" if parameter in OPTIONS else f"--set ensemble.{parameter}=…"
        for parameter in parameters
    )
