"""The ensemble that rules come from: trained by its registered name, or read from a file."""

import inspect
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from zipfile import is_zipfile

from rulekit.cli.errors import CommandError
from rulekit.core.errors import MissingExtraError, RulekitError
from rulekit.model import find_adapter, is_fitted, known_names, unwrapped, without_steps
from rulekit.plugin.manager import plugins
from rulekit.plugin.preset import Preset

DEFAULT_ENSEMBLE = "rf"
#: Types of ensembles that a skops file may hold besides those that skops knows: arrays and models, no code.
TRUSTED = (
    "collections.OrderedDict",
    "lightgbm.basic.Booster",
    "lightgbm.sklearn.LGBMClassifier",
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    "sklearn.tree._tree.Tree",
    "xgboost.core.Booster",
    "xgboost.sklearn.XGBClassifier",
)
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
    """The ensemble that the options ask for, fitted if it comes from a file; None leaves it to the method.

    Parameters
    ----------
    method : str
    name : str or None
        Of a registered ensemble; None means what the method prefers.
    settings : mapping
        Parameters of the ensemble that the user gave.
    saved : Path or None
        File of a fitted ensemble, instead of a name.
    seed : int
    allow_pickle : bool, default=False
        Whether that file may be one that runs code when it is opened.
    """
    if saved is not None:
        if name is not None or settings:
            raise CommandError(
                "--model is an ensemble that is trained already: leave out "
                f"{', '.join(filter(None, ['--ensemble' if name else '', spelled(settings)]))}."
            )
        return saved_model(saved, allow_pickle)
    name = name or preferred_ensemble(method)
    if name is not None:
        return named_ensemble(name, settings, seed)
    if settings:
        raise CommandError(
            f"The method {method!r} chooses its own ensemble: name one with --ensemble to give {spelled(settings)}."
        )
    return None


def preferred_ensemble(method: str) -> str | None:
    """Name of the ensemble that a method is made for; None if that is up to the method's own code."""
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
        Parameters that the user gave; raise for those that the ensemble does not take.
    seed : int
        Used if the ensemble takes a `random_state`.
    """
    component = plugins().registry.get("ensemble", name)
    known = inspect.signature(component.factory).parameters  # type: ignore[arg-type]
    takes_any = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in known.values())
    unknown = [setting for setting in settings if setting not in known]
    if unknown and not takes_any:
        takes = spelled(parameter for parameter in known if parameter != "random_state") or "nothing"
        raise CommandError(f"The ensemble {name!r} does not take {spelled(unknown)}. It takes: {takes}.")
    seeded = {"random_state": seed} if "random_state" in known else {}
    return plugins().registry.create("ensemble", name, **(seeded | dict(settings)))


def saved_model(path: Path, allow_pickle: bool) -> Any:
    """The fitted model in a skops file or, if that is allowed, in a joblib file, which runs whatever code is in it."""
    if not path.is_file():
        raise CommandError(f"There is no file {path}.")
    model = unwrapped(_from_skops(path) if _is_archive(path) else _from_pickle(path, allow_pickle))
    if not (hasattr(model, "fit") and hasattr(model, "predict")):
        raise CommandError(f"{path} holds a {type(model).__name__}, not a fitted classifier.")
    if not is_fitted(model):
        raise CommandError(f"The {type(model).__name__} in {path} is not fitted. Fit it first, or use --ensemble.")
    _check_whole(path, model)
    return model


def _is_archive(path: Path) -> bool:
    """Whether a file is a skops file, whole or not: by what it is, not by its name, a zip archive."""
    with path.open("rb") as file:
        return file.read(len(ARCHIVE)) == ARCHIVE or is_zipfile(path)


def _check_whole(path: Path, model: Any) -> None:
    """Raise if the model lacks something that a model of its kind has, or has something else in its place."""
    _, ensemble = without_steps(model)
    try:
        known_names(ensemble)
        find_adapter(ensemble).forest(ensemble)
    except RulekitError:
        pass  # what cannot be read is told when rules are made from it, together with the samples
    # Nothing in a file is certain, not even the types of a model's attributes.
    except Exception as error:
        raise CommandError(
            f"{path} is damaged: the {type(ensemble).__name__} in it cannot be read: {type(error).__name__}: {error}."
        ) from error


def _from_skops(path: Path) -> Any:
    try:
        from skops import io
    except ImportError:
        raise MissingExtraError(
            f"{path} is a skops file, and skops is not installed: pip install 'rulekit-rcprob[skops]'."
        ) from None
    try:
        unknown = sorted(set(io.get_untrusted_types(file=path)) - set(TRUSTED))
        if not unknown:
            return io.load(path, trusted=list(TRUSTED))
    # The content of an archive from anywhere can fail in any way.
    except Exception as error:
        raise CommandError(
            f"{path} could not be read as a model saved with skops.io.dump, and is probably damaged: "
            f"{type(error).__name__}: {error}."
        ) from error
    raise CommandError(
        f"{path} holds types that skops does not know to be harmless: {', '.join(unknown)}. Load it in Python, where "
        "you can say which to trust, and use rulekit.build."
    )


def _from_pickle(path: Path, allowed: bool) -> Any:
    import joblib

    if not allowed:
        raise CommandError(
            f"{path} is not a skops file. If it was saved with joblib.dump or pickle, opening it runs the code in it: "
            "add --allow-pickle if you trust where it comes from, or save the model with skops.io.dump, which needs no "
            "trust."
        )
    try:
        return joblib.load(path)
    # A pickle can fail in any way that code can.
    except Exception as error:
        raise CommandError(
            f"{path} could not be read as a model saved with joblib.dump: {type(error).__name__}: {error}."
        ) from error


def spelled(parameters: Iterable[str]) -> str:
    """Parameters of an ensemble as one gives them on the command line."""
    return ", ".join(
        f"--{parameter.replace('_', '-')}" if parameter in OPTIONS else f"--set ensemble.{parameter}=…"
        for parameter in parameters
    )
