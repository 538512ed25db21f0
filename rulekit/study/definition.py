"""The definition of a study: datasets, ensembles, variants, and how they are compared."""

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import attrs

from rulekit.core.messages import cut, short
from rulekit.datasets.spelling import hint, listed
from rulekit.study.calibrating import as_calibration
from rulekit.study.errors import StudyDefinitionError
from rulekit.study.grids import flattened, grid_of
from rulekit.study.search import ensemble_scores, variant_scores
from rulekit.study.statistics.outcomes import FAMILY, PRIMARY, TIMES, is_testable, outcomes
from rulekit.study.toml_reading import read_toml
from rulekit.study.trials import TrialSearch, as_search
from rulekit.study.values import at_least, fraction, list_of_strings, one_of, positive, string, string_or_none, strings

#: Name of the ensembles themselves among the variants.
ENSEMBLE = "ensemble"
#: The largest seed that NumPy's generators, and with them scikit-learn, take.
MAX_SEED = 2**32 - 1


def _strings(given: Any) -> Any:
    return tuple(given) if isinstance(given, list) else given


@attrs.frozen
class Source:
    """Where a dataset comes from.

    Attributes
    ----------
    spec : str
        As for `rulekit.datasets.load`.
    target : str or None
        The column of labels, if it differs from the source's default.
    name : str or None
        Name in tables; None means its own name.
    separator : str or None
        Separator of the values of a CSV file; None guesses it.
    missing : tuple of str or None
        Strings that stand for a missing value in a file.
    columns : tuple of str or None
        Names of the columns of a file without a row of names.
    """

    spec: str = attrs.field(validator=string)
    target: str | None = attrs.field(default=None, validator=string_or_none)
    name: str | None = attrs.field(default=None, validator=string_or_none)
    separator: str | None = attrs.field(default=None, validator=string_or_none)
    missing: tuple[str, ...] | None = attrs.field(default=None, converter=_strings, validator=list_of_strings)
    columns: tuple[str, ...] | None = attrs.field(default=None, converter=_strings, validator=list_of_strings)


@attrs.frozen
class Ensemble:
    """An ensemble to extract rules from, with the hyperparameters to choose among.

    Attributes
    ----------
    name : str
        Name in tables.
    ensemble : str
        Registered name; by default the same.
    parameters : dict
        Fixed hyperparameters.
    grid : dict of str to list
        Values to try; of equally good configurations the first is chosen.
    search : TrialSearch or None
        Which configurations of the grid to try, if not all.
    """

    name: str = attrs.field(validator=string)
    ensemble: str = attrs.field(validator=string)
    parameters: dict[str, Any] = attrs.field(factory=dict, converter=flattened)
    grid: dict[str, list[Any]] = attrs.field(factory=dict, converter=grid_of)
    search: TrialSearch | None = attrs.field(default=None, converter=as_search)

    @ensemble.default
    def _same(self) -> str:
        return self.name


@attrs.frozen
class Variant:
    """A method with the hyperparameters to choose among.

    Attributes
    ----------
    name : str
        Name in tables.
    method : str
        Registered name; by default the same.
    parameters : dict
        Overrides, as for `rulekit.build`.
    grid : dict of str to list
        Values to try; of equally good configurations the first is chosen.
    calibration : str, dict, CalibrationMap or None
        Map that calibrates the fitted rules' probabilities, fitted on samples that the study sets aside: the name of
        a map, such as "temperature"; its name as `method` with its parameters; or the map itself.
    factors : dict of str to str
        Its level of each factor of a factorial, for tables; no result depends on it.
    search : TrialSearch or None
        Which configurations of the grid to try, if not all.
    """

    name: str = attrs.field(validator=string)
    method: str = attrs.field(validator=string)
    parameters: dict[str, Any] = attrs.field(factory=dict, converter=flattened)
    grid: dict[str, list[Any]] = attrs.field(factory=dict, converter=grid_of)
    calibration: Any = attrs.field(default=None, converter=as_calibration)
    factors: Mapping[str, str] = attrs.field(factory=dict, validator=strings)
    search: TrialSearch | None = attrs.field(default=None, converter=as_search)

    @method.default
    def _same(self) -> str:
        return self.name

    @name.validator
    def _is_free(self, _: Any, name: str) -> None:
        if name == ENSEMBLE:
            raise StudyDefinitionError(
                f"No variant may be called {ENSEMBLE!r}: this name is reserved for the ensembles themselves."
            )


@attrs.frozen
class CrossValidation:
    """Stratified cross-validation, repeated with other folds.

    Attributes
    ----------
    splits, repeats : int
    calibration : float or None
        Fraction of each training part that is reserved for calibration maps.
    """

    splits: int = attrs.field(default=5, validator=at_least(2))
    repeats: int = attrs.field(default=1, validator=at_least(1))
    calibration: float | None = attrs.field(default=None, validator=fraction)


@attrs.frozen
class Selection:
    """By which score hyperparameters are chosen.

    Attributes
    ----------
    ensemble : str
        A registered measure of predictions.
    variant : str
        Any registered measure that has a better and worse.
    """

    ensemble: str = attrs.field(default="accuracy", validator=one_of(ensemble_scores))
    variant: str = attrs.field(default="macro_f1", validator=one_of(variant_scores))


def _sources(given: Iterable[str | os.PathLike[str] | Source]) -> tuple[Source, ...]:
    return tuple(each if isinstance(each, Source) else Source(os.fspath(each)) for each in given)


def _names(given: Any) -> Any:
    # The validator reports anything but a list.
    return tuple(given) if isinstance(given, list) else given


@attrs.frozen
class Study:
    """A comparison of methods over datasets and ensembles.

    Attributes
    ----------
    name : str
    datasets : tuple of Source
        May be given as specs; see `rulekit.datasets.load`.
    ensembles : tuple of Ensemble
    variants : tuple of Variant
    outer : CrossValidation
        Held-out evaluation.
    inner : CrossValidation
        Choice of hyperparameters, within each training part of `outer`.
    selection : Selection
    primary : tuple of str
        Primary outcomes: the measures that are tested, together. Durations cannot be among them.
    measures : tuple of str
        Measures by which variants are described beside these; all others are computed and reported too.
    seed : int
        Seed of everything random.
    modules : tuple of str
        Python files with components of your own, imported when the study is read from a file.
    folder : str or None
        Folder of datasets; None means that of RULEKIT_DATA.
    cell_seconds : float or None
        Time limit of a cell, which fails if it takes longer. None means no limit.
    base : Path or None
        Where relative paths start from: the folder of the study's file; None means the working directory.

    Examples
    --------
    >>> from rulekit.study import Ensemble, Study, Variant
    >>> study = Study("smoothing", ["sklearn:iris"], [Ensemble("rf")], [Variant("rcprob"), Variant("rc+")])
    >>> study.outer.splits, [source.spec for source in study.datasets]
    (5, ['sklearn:iris'])
    """

    name: str = attrs.field(validator=string)
    datasets: tuple[Source, ...] = attrs.field(converter=_sources)
    ensembles: tuple[Ensemble, ...] = attrs.field(converter=tuple)
    variants: tuple[Variant, ...] = attrs.field(converter=tuple)
    outer: CrossValidation = CrossValidation()
    inner: CrossValidation = CrossValidation(splits=3)
    selection: Selection = attrs.field(factory=Selection)
    primary: tuple[str, ...] = attrs.field(default=PRIMARY, converter=_names)
    measures: tuple[str, ...] = attrs.field(default=FAMILY, converter=_names)
    seed: int = attrs.field(default=0, validator=at_least(0, MAX_SEED))
    modules: tuple[str, ...] = attrs.field(default=(), converter=_names)
    folder: str | None = attrs.field(default=None, validator=string_or_none)
    cell_seconds: float | None = attrs.field(default=None, validator=positive)
    base: Path | None = attrs.field(default=None, eq=False)

    def __attrs_post_init__(self) -> None:
        for kind in ("datasets", "ensembles", "variants"):
            if not getattr(self, kind):
                raise StudyDefinitionError(f"The study {short(self.name)} has no {kind}.")
        if self.inner.repeats != 1:
            raise StudyDefinitionError("Not supported: repeats of the inner cross-validation. Give only its splits.")
        if self.inner.calibration is not None:
            raise StudyDefinitionError("Not supported: calibration under [inner], use [outer] calibration instead.")
        known = [name for name, each in outcomes().items() if each.is_higher_better is not None]
        _check_measures("measures", self.measures, known)
        _check_measures("primary", self.primary, list(filter(is_testable, known)))
        for kind in ("ensembles", "variants"):
            _check_distinct(kind, [each.name for each in getattr(self, kind)])
        for variant in self.variants:
            if variant.calibration is not None and self.outer.calibration is None:
                raise StudyDefinitionError(
                    f"[variants.{cut(variant.name)}]: calibration needs samples that nothing else is fitted on. Set "
                    "a fraction of each training part aside, such as [outer] calibration = 0.25."
                )

    @classmethod
    def from_toml(cls, path: str | os.PathLike[str]) -> Self:
        """The study that a TOML file defines; relative paths in it start from its folder."""
        path = Path(path)
        try:
            document = read_toml(path)
        except FileNotFoundError:
            raise StudyDefinitionError(f"File not found: {path}.") from None
        try:
            return cls.from_dict({"name": path.stem} | document, base=path.parent)
        except StudyDefinitionError as error:
            raise StudyDefinitionError(f"{path}: {error}") from error

    @classmethod
    def from_dict(cls, document: Mapping[str, Any], base: Path | None = None) -> Self:
        """The study that a document with the keys of a study's file defines; the inverse of `to_dict`."""
        from rulekit.study.document import parsed
        from rulekit.study.local_modules import import_files

        modules = document.get("modules", [])
        if not isinstance(modules, list | tuple) or not all(isinstance(each, str) for each in modules):
            raise StudyDefinitionError(f"modules must be a list of Python files, got {short(modules)}.")
        import_files(modules, base)
        try:
            return cls(**parsed(document), base=base)
        except RecursionError:
            raise StudyDefinitionError("The study's tables are nested too deeply to be read.") from None

    def to_dict(self) -> dict[str, Any]:
        """The study in plain types, with the keys of a study's file."""
        document = attrs.asdict(
            self,
            filter=lambda field, value: (
                field.name != "base" and value is not None and (field.name != "factors" or value)
            ),
            value_serializer=lambda owner, field, value: list(value) if isinstance(value, tuple) else value,
        )
        for kind in ("ensembles", "variants"):
            document[kind] = {row.pop("name"): row for row in document[kind]}
        return document


def _is_empty(field: Any, value: Any) -> bool:
    """Whether a variant is of no factorial, or a study has no modules."""
    return field.name in ("factors", "modules") and not value


def _check_measures(field: str, names: Any, known: Sequence[str]) -> None:
    """Raise unless variants can be compared by these measures."""
    if not isinstance(names, tuple) or not names:
        raise StudyDefinitionError(f"{field} must be a list of names, got {short(names)}.")
    for name in names:
        if name in {each.name for each in TIMES} and name not in known:
            raise StudyDefinitionError(f"{field}: {name} is not tested, because durations differ from run to run.")
        if name not in known:
            near = hint(str(name), known)
            raise StudyDefinitionError(
                f"{field}: variants cannot be compared by {short(name)}.{near} Known: {listed(known)}."
            )
    _check_distinct(field, names)


def _check_distinct(kind: str, names: Sequence[str]) -> None:
    repeated = sorted(name for name, times in Counter(names).items() if times > 1)
    if repeated:
        raise StudyDefinitionError(f"Two {kind} are called {short(repeated[0])}.")
