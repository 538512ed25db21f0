"""rulekit study report and compare: the results of a study."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rulekit.cli.errors import CommandError, Debug, in_one_line

if TYPE_CHECKING:
    import pandas as pd

    from rulekit.core.interfaces import ReadyStudy
    from rulekit.study import Store
    from rulekit.study.report import Section

STORES = "*.sqlite"
FORMATS = ("png", "svg", "pdf", "eps")

Results = Annotated[
    Path | None,
    typer.Option("--store", metavar="FILE", help="Results of a study. Default: the only .sqlite file in this folder."),
]


Measures = Annotated[
    list[str] | None,
    typer.Option(
        "--measures",
        metavar="NAMES",
        help="Measures to show beside the primary ones, with commas between them; any of those that "
        "rulekit components --kind measure lists. "
        "Can be repeated. Default: those that the study names.",
    ),
]


@in_one_line
def report(
    store: Annotated[
        Path | None,
        typer.Argument(metavar="[STORE]", help="Results of a study. Default: the only .sqlite file in this folder."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Folder to write to. Default: STORE with the suffix .report.")
    ] = None,
    reference: Annotated[
        str | None, typer.Option(help="Variant that the others are compared with. Default: rcprob, or the first one.")
    ] = None,
    paper: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            envvar="RULEKIT_PAPER",
            help="Published results to compare with, for a study such as paper.",
        ),
    ] = None,
    measures: Measures = None,
    formats: Annotated[
        str, typer.Option(metavar="NAMES", help="Formats of the figures, such as pdf,png; the first one is linked.")
    ] = "png,svg",
    debug: Debug = False,
) -> None:
    """Write tables and figures of a study into a folder.

    Markdown, CSV and LaTeX tables, figures in any format, from the store
    alone: means, results per dataset, paired tests of the primary measures
    with Holm's correction and effect sizes, Friedman's test with ranks, and
    the predicted probability of each rule.

    \b
      rulekit study report study.sqlite
      rulekit study report study.sqlite --reference mean --out tables
      rulekit study report study.sqlite --measures brier,roc_auc --formats pdf,png
    """  # noqa: D301, the sign keeps the line breaks of the examples
    from rulekit.render.console import output
    from rulekit.study import Store
    from rulekit.study.report import write_report

    found = Store(_the_store(store))
    folder = out or found.path.with_suffix(".report")
    results, name = found.results(), str(found.definition().get("name", found.path.stem))
    ready = _ready(name)
    sections: Sequence[Section] = ()
    if ready is not None:
        study, profile = ready
        sections = study.sections(results, found.rulesets(), profile=profile, published=paper)
    with _writing(folder):
        written = write_report(
            results,
            found.rulesets(),
            found.predictions(),
            folder,
            name=name,
            reference=reference,
            primary=_primary(found),
            measures=_described(measures, found, results),
            planned=found.planned(),
            versions=found.versions(),
            formats=_formats(formats),
            apart={} if ready is None else ready[0].apart,
            sections=sections,
        )
    output().print(f"Written: {written}", soft_wrap=True)


@in_one_line
def compare(
    first: Annotated[str, typer.Argument(metavar="A", help="A variant of the study.")],
    second: Annotated[str, typer.Argument(metavar="B", help="The variant to compare it with.")],
    store: Results = None,
    ensemble: Annotated[str | None, typer.Option(help="Compare on this ensemble only.")] = None,
    measures: Measures = None,
    debug: Debug = False,
) -> None:
    """Compare two variants of a study, with paired tests over datasets.

    \b
      rulekit study compare rcprob rc+
      rulekit study compare mean rcprob --store study.sqlite --ensemble rf
      rulekit study compare rcprob rc+ --measures brier,roc_auc
    """  # noqa: D301, the sign keeps the line breaks of the examples
    from rulekit.render.console import output
    from rulekit.study import Store
    from rulekit.study.comparison import compare as compare_variants
    from rulekit.study.comparison import shown

    found = Store(_the_store(store))
    results = found.results()
    ensembles = None if ensemble is None else [ensemble]
    shown_measures = _described(measures, found, results)
    tests = compare_variants(
        results, first, second, ensembles=ensembles, measures=shown_measures, primary=_primary(found)
    )
    for part in shown(tests, first, second):
        output().print(part)


@in_one_line
def export(
    store: Annotated[
        Path | None,
        typer.Argument(metavar="[STORE]", help="Results of a study. Default: the only .sqlite file in this folder."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="File to write. Default: STORE with the suffix .zip.")
    ] = None,
    debug: Debug = False,
) -> None:
    """Pack a study into one archive, for a data repository.

    A ZIP file with the definition, the environment, results, predictions
    and rules, a README that explains them, and checksums.

    \b
      rulekit study export study.sqlite
      rulekit study export study.sqlite --out study.zip
    """  # noqa: D301, the sign keeps the line breaks of the examples
    from rulekit.render.console import output
    from rulekit.study import Store
    from rulekit.study.archive import write_archive

    found = Store(_the_store(store))
    path = out or found.path.with_suffix(".zip")
    with _writing(path, "another file with --out FILE"):
        written = write_archive(found, path)
    output().print(f"Written: {written}", soft_wrap=True)


def _formats(given: str) -> Sequence[str]:
    """Formats of figures, with commas between them; raise for one that matplotlib does not write."""
    names = [name.strip().lower() for name in given.split(",") if name.strip()]
    unknown = [name for name in names if name not in FORMATS]
    if unknown or not names:
        raise CommandError(f"--formats: unknown format {', '.join(unknown) or 'none'}. Known: {', '.join(FORMATS)}.")
    return list(dict.fromkeys(names))


def _described(asked: Sequence[str] | None, store: "Store", results: "pd.DataFrame") -> Sequence[str]:
    """Measures that the user names, or the study; raise if the results have no value of one that the user names."""
    from rulekit.study.statistics import FAMILY, measured, outcome

    if not asked:
        named = store.definition().get("measures")
        return [str(name) for name in named] if isinstance(named, list) else FAMILY
    names = [name.strip() for given in asked for name in given.split(",") if name.strip()]
    for name in names:
        if not measured(results, [outcome(name).name]):
            raise CommandError(f"The results have no value of the measure {name!r}. Choose other --measures.")
    return list(dict.fromkeys(names))


def _primary(store: "Store") -> Sequence[str]:
    """The measures that the study tests."""
    from rulekit.study.statistics import PRIMARY

    named = store.definition().get("primary")
    return [str(name) for name in named] if isinstance(named, list) else PRIMARY


def _ready(name: str) -> "tuple[ReadyStudy, str | None] | None":
    """The plugin's study that the results belong to; print a message if its plugin is not installed."""
    from rulekit.render.console import messages
    from rulekit.study.ready import missing_study, missing_study_of, ready_study_of

    missing = missing_study_of(name)
    if missing is not None:
        messages().print(f"{missing_study(missing)} Without it, the report has only the sections that every study has.")
    return ready_study_of(name)


@contextmanager
def _writing(path: Path, remedy: str = "another folder with --out FOLDER") -> Iterator[None]:
    """Name the option to change if a folder or file cannot be written to."""
    from rulekit.study.errors import StoreError

    try:
        yield
    except StoreError:
        raise
    except OSError as error:
        raise CommandError(f"Cannot write to {path}: {error.strerror}. Choose {remedy}.") from error


def _the_store(given: Path | None) -> Path:
    if given is not None:
        return given
    found = sorted(Path().glob(STORES))
    if len(found) != 1:
        names = ", ".join(path.name for path in found) or "none"
        raise CommandError(
            f"Name the file with the study's results: expected one .sqlite file in this folder, found {names}."
        )
    return found[0]
