"""From a component to its checks."""

from collections.abc import Iterator, Sequence
from typing import Any

from rulekit.core.errors import ComponentTypeError
from rulekit.core.interfaces import Adapter
from rulekit.testing import (
    adapters,
    calibration,
    exports,
    inference,
    measures,
    methods,
    priors,
    probability,
    regressors,
    scores,
    stages,
    studies,
)
from rulekit.testing.seam import BoundCheck, Seam

#: Kinds whose checks need only the component.
SEAMS = (
    probability.SEAM,
    priors.SEAM,
    stages.COMBINE,
    stages.COVER,
    stages.SIMPLIFY,
    stages.REFINE,
    scores.SEAM,
    inference.SEAM,
    measures.SEAM,
    exports.SEAM,
    calibration.SEAM,
    studies.SEAM,
    regressors.SEAM,
)


def checks_for(component: Any, *, models: Sequence[Any] = ()) -> Iterator[tuple[str, BoundCheck]]:
    """Every check that a component must pass.

    Parameters
    ----------
    component : instance of a component, or of a method
    models : sequence of unfitted classifiers
        For adapters: models to check them on, in addition to the registered ensembles that they accept.

    Yields
    ------
    name : str
    check : function
        Takes the component; raises a `ConformanceError` if it breaks the check's promise.

    Examples
    --------
    >>> from rulekit.priors.mean import Mean
    >>> from rulekit.testing import checks_for
    >>> [name for name, check in checks_for(Mean()) if "symmetry" in name]
    ['check_symmetry']
    """
    yield from ((check.__name__, check) for check in seam_of(component, models).checks)


def check_probability_estimator(estimator: Any) -> None:
    """Raise a `ConformanceError` unless a probability estimator keeps its promises.

    Examples
    --------
    >>> from rulekit.probability.laplace import Laplace
    >>> from rulekit.testing import check_probability_estimator
    >>> check_probability_estimator(Laplace(smoothing=0.5))
    """
    _run(estimator, seam_of(estimator), probability.SEAM.kind)


def check_prior_combiner(combiner: Any) -> None:
    """Raise a `ConformanceError` unless a prior combiner keeps its promises."""
    _run(combiner, seam_of(combiner), priors.SEAM.kind)


def check_stage(stage: Any) -> None:
    """Raise a `ConformanceError` unless a combine, cover, simplify or refine stage keeps its promises."""
    kinds = (seam.kind for seam in (stages.COMBINE, stages.COVER, stages.SIMPLIFY, stages.REFINE))
    _run(stage, seam_of(stage), *kinds)


def check_score(score: Any) -> None:
    """Raise a `ConformanceError` unless a score keeps its promises."""
    _run(score, seam_of(score), scores.SEAM.kind)


def check_inference_mode(mode: Any) -> None:
    """Raise a `ConformanceError` unless an inference mode keeps its promises."""
    _run(mode, seam_of(mode), inference.SEAM.kind)


def check_exporter(exporter: Any) -> None:
    """Raise a `ConformanceError` unless an export format keeps its promises."""
    _run(exporter, seam_of(exporter), exports.SEAM.kind)


def check_calibration_map(calibration_map: Any) -> None:
    """Raise a `ConformanceError` unless a calibration map keeps its promises."""
    _run(calibration_map, seam_of(calibration_map), calibration.SEAM.kind)


def check_measure(measure: Any) -> None:
    """Raise a `ConformanceError` unless a measure keeps its promises."""
    _run(measure, seam_of(measure), measures.SEAM.kind)


def check_ready_study(study: Any) -> None:
    """Raise a `ConformanceError` unless a ready-made study keeps its promises; the study is not run."""
    _run(study, seam_of(study), studies.SEAM.kind)


def check_adapter(adapter: Any, *, models: Sequence[Any] = ()) -> None:
    """Raise a `ConformanceError` unless an adapter keeps its promises.

    Parameters
    ----------
    adapter : Adapter
    models : sequence of unfitted classifiers
        Models to check it on, in addition to the registered ensembles that it accepts.
    """
    _run(adapter, seam_of(adapter, models), adapters.KIND)


def check_method(method: Any) -> None:
    """Raise a `ConformanceError` unless a method, as `rulekit.build` returns it, keeps its promises.

    It is checked with its own ensemble, unfitted, or with a small one if `ensemble` is a name or None.
    """
    _run(method, seam_of(method), methods.SEAM.kind)


def seam_of(component: Any, models: Sequence[Any] = ()) -> Seam:
    """The checks of a component's kind; raise if it is of no known kind."""
    if isinstance(component, type):
        name = component.__name__
        raise ComponentTypeError(f"Checks need an instance, got the class {name}. Pass {name}().")
    if isinstance(component, Adapter):
        return adapters.seam(component, models)
    for seam in SEAMS:
        if isinstance(component, seam.interface):
            return seam
    if all(hasattr(component, name) for name in ("fit", "predict", "get_params")):
        return methods.SEAM
    kinds = ", ".join(seam.kind for seam in SEAMS)
    raise ComponentTypeError(
        f"Checks are for instances of an interface of rulekit.plugin ({adapters.KIND}, {kinds}) and for "
        f"classifiers that rulekit.build returns, got {component!r}."
    )


def _run(component: Any, seam: Seam, *wanted: str) -> None:
    if seam.kind not in wanted:
        raise ComponentTypeError(
            f"These checks are for the kinds: {', '.join(wanted)}. {component!r} is of the kind: {seam.kind}."
        )
    for check in seam.checks:
        check(component)
