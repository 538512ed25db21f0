"""From a document with the keys of a study's file to the arguments of `Study`."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import attrs

from rulekit.core.messages import cut, short
from rulekit.datasets.spelling import hint, listed
from rulekit.study.calibrating import with_calibrations
from rulekit.study.definition import CrossValidation, Ensemble, Selection, Source, Study, Variant
from rulekit.study.errors import StudyDefinitionError
from rulekit.study.factorial import factorial


def parsed(document: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of `Study`; an error names the table of the document that is wrong."""
    known = {field.name for field in attrs.fields(Study)} - {"base"} | {"factorial"}
    _check_keys("the study", document, known, needed={"name", "datasets", "ensembles"})
    given = dict(document)
    given["ensembles"] = [
        _made(where, Ensemble, table, name=name) for where, name, table in _tables("ensembles", given["ensembles"])
    ]
    given["variants"] = [
        variant
        for where, name, table in _tables("variants", given.get("variants", {}))
        for variant in _variants(where, name, table)
    ] + _factorial(given.pop("factorial", {}))
    for name, made in (("outer", CrossValidation), ("inner", CrossValidation), ("selection", Selection)):
        if name in given:
            given[name] = _made(f"[{name}]", made, given[name])
    given["datasets"] = _sources(given["datasets"])
    return given


def _tables(kind: str, tables: Any) -> Iterator[tuple[str, str, Any]]:
    """Where each table of a kind is, what it is called, and the table."""
    _check_keys(f"[{kind}]", tables)
    return ((f"[{kind}.{cut(str(name))}]", name, table) for name, table in tables.items())


def _variants(where: str, name: str, table: Any) -> list[Variant]:
    """A variant, and its calibrated variants."""
    known = {field.name for field in attrs.fields(Variant)} - {"name"} | {"calibrations"}
    _check_keys(where, table, known)
    rest = {key: value for key, value in table.items() if key != "calibrations"}
    variant: Variant = _made(where, Variant, rest, name=name)
    if "calibrations" not in table:
        return [variant]
    with _told(where):
        return with_calibrations(variant, table["calibrations"])


def _factorial(table: Any) -> list[Variant]:
    if not table:
        return []
    where = "[factorial]"
    _check_keys(where, table, {"method", "vary", "parameters", "grid", "search"}, needed={"method", "vary"})
    with _told(where):
        return factorial(**table)


def _sources(given: Any) -> list[Source]:
    if not isinstance(given, list | tuple):
        raise StudyDefinitionError(f"datasets must be a list of specs, got {short(given)}.")
    return [_source(position, source) for position, source in enumerate(given, start=1)]


def _source(position: int, given: Any) -> Source:
    where = f"dataset {position}"
    if isinstance(given, str):
        return Source(given)
    if not isinstance(given, Mapping):
        raise StudyDefinitionError(f"{where}: a dataset is a string, or a table with a spec; got {short(given)}.")
    _check_keys(where, given, {field.name for field in attrs.fields(Source)}, needed={"spec"})
    with _told(where):
        return Source(**given)


def _made(where: str, cls: type[attrs.AttrsInstance], table: Any, **more: Any) -> Any:
    """An object from a table."""
    _check_keys(where, table, {field.name for field in attrs.fields(cls)} - set(more))
    with _told(where):
        return cls(**more, **table)


@contextmanager
def _told(where: str) -> Iterator[None]:
    try:
        yield
    except StudyDefinitionError as error:
        raise StudyDefinitionError(f"{where}: {error}") from error


def _check_keys(
    where: str, table: Any, known: Collection[str] | None = None, needed: Collection[str] = frozenset()
) -> None:
    """Raise unless this is a table with the needed keys and no unknown ones; without `known`, any key will do."""
    if not isinstance(table, Mapping):
        raise StudyDefinitionError(f"{where} must be a table, got {short(table)}.")
    for key in table:
        if known is not None and key not in known:
            raise StudyDefinitionError(
                f"{where}: unknown key {short(key)}.{hint(str(key), known)} Known: {listed(sorted(known))}."
            )
    missing = sorted(set(needed) - set(table))
    if missing:
        raise StudyDefinitionError(f"{where} lacks {', '.join(missing)}.")
