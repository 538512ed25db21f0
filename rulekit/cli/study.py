"""rulekit study: compare methods over datasets and ensembles."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import attrs
import typer

from rulekit.cli.errors import CommandError, Debug, in_one_line
from rulekit.cli.study_results import compare, export, report

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from rulekit.study.definition import Study
    from rulekit.study.executor import Executor
    from rulekit.study.run import Summary
    from rulekit.study.store import Store

CELLS_FAILED, INTERRUPTED = 1, 130
KEYS = ("dataset", "ensemble", "variant", "repeat", "fold")
STATES = ("done", "failed", "missing")
ENDING = ".sqlite"
#: As many errors as fit on a screen.
MOST_ERRORS = 5


class Backend(StrEnum):
    """Where cells are run."""

    LOKY = "loky"
    DASK = "dask"


study = typer.Typer(help="Compare methods over datasets and ensembles.", no_args_is_help=True, rich_markup_mode="rich")


@study.command()
@in_one_line
def run(
    definition: Annotated[
        Path,
        typer.Argument(metavar="STUDY", help="The study's TOML file, or the name of a plugin's study, such as paper."),
    ],
    store: Annotated[
        Path | None, typer.Option(metavar="FILE", help="File for the results. Default: STUDY with the suffix .sqlite.")
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(help="Profile of a plugin's study; paper has smoke, small, once, full, calibration, sensitivity."),
    ] = None,
    resume: Annotated[
        bool, typer.Option(help="Resume an earlier run, or delete its results and run everything again.")
    ] = True,
    jobs: Annotated[int | None, typer.Option(min=1, help="Number of processes. Default: one per core.")] = None,
    backend: Annotated[
        Backend, typer.Option(help="Use processes of this machine, or workers of a Dask cluster.")
    ] = Backend.LOKY,
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Address of the Dask cluster, such as tcp://machine:8786.")
    ] = None,
    cell_seconds: Annotated[
        float | None,
        typer.Option(help="Time limit of a cell, in seconds. Default: the study's limit, if it has one."),
    ] = None,
    debug: Debug = False,
) -> None:
    """Run a study, or the rest of it.

    Each result is stored as soon as it is computed. Run the same command
    again after an interruption, after changing the study, or to retry failed
    cells: finished cells are not run again.

    \b
      rulekit study run study.toml
      rulekit study run study.toml --store results.sqlite --jobs 1
      rulekit study run study.toml --backend dask --scheduler tcp://machine:8786
      rulekit study run paper --profile small
    """  # noqa: D301, the sign keeps the line breaks of the examples
    from rulekit.render.console import messages, output
    from rulekit.study import Store, run_study
    from rulekit.study.progress import progress_on

    asked = _asked(definition, profile)
    if cell_seconds is not None:
        asked = attrs.evolve(asked, cell_seconds=cell_seconds)
    path = store or (Path(asked.name + ENDING) if asked.base is None else definition.with_suffix(ENDING))
    try:
        with _executor(backend, scheduler, jobs) as executor, progress_on(messages()) as watcher:
            summary = run_study(asked, path, resume=resume, executor=executor, watcher=watcher)
    except KeyboardInterrupt:
        messages().print(f"Stopped. The finished cells are in {path}: run the same command again to continue.")
        raise typer.Exit(INTERRUPTED) from None
    _print_summary(output(), Store(path).failures(), summary, path)
    if summary.n_failed:
        raise typer.Exit(CELLS_FAILED)


@study.command()
@in_one_line
def status(
    store: Annotated[Path, typer.Argument(metavar="STORE", help="The file with a study's results.")],
    traceback: Annotated[bool, typer.Option("--traceback", help="Show the traceback of the last error.")] = False,
    debug: Debug = False,
) -> None:
    """Show the progress of a study, and its errors.

    Counts the cells that are done, failed and missing, by dataset and
    variant, says which are out of date and why, and shows the last errors.
    It can be used while the study runs.

    \b
      rulekit study status study.sqlite
      rulekit study status study.sqlite --traceback
    """  # noqa: D301, the sign keeps the line breaks of the examples
    from rulekit.render.console import output
    from rulekit.study import Store

    console, found = output(), Store(store)
    states = _states(found)
    counts = Counter(state for _, state in states)
    total = ", ".join(f"{counts[state]} {state}" for state in STATES)
    console.print(f"{found.definition().get('name', store.stem)}, {len(states)} cells: {total}.\n")
    console.print(_status_table(states))
    for line in _outdated_lines(found):
        console.print(line, soft_wrap=True)
    for made in found.versions():
        listed = ", ".join(f"{name} {number}" for name, number in made.items() if isinstance(number, str))
        console.print(f"\nMade by {'; '.join([listed, *made.get('plugins', [])])}.", style="dim")
    failures = found.failures()
    _print_failures(console, failures)
    if traceback and failures:
        console.print(f"\n{failures[0]['traceback']}", soft_wrap=True)


study.command()(report)
study.command()(compare)
study.command()(export)


def _asked(definition: Path, profile: str | None) -> "Study":
    """The study in a file, or the plugin's study of that name."""
    from rulekit.render.console import messages
    from rulekit.study import Study
    from rulekit.study.ready import ready_names, ready_study

    name = str(definition)
    is_file = definition.suffix or definition.name != name or definition.exists()
    if is_file and name not in ready_names():
        if profile is not None:
            raise CommandError(
                "--profile applies to a plugin's study that is run by its name, such as paper: "
                f"rulekit study run paper --profile {profile}."
            )
        return Study.from_toml(definition)
    study, notes = ready_study(name, profile)
    for note in notes:
        messages().print(note)
    return study


@contextmanager
def _executor(backend: Backend, scheduler: str | None, jobs: int | None) -> "Iterator[Executor]":
    from rulekit.study.processes import Processes

    if backend is Backend.LOKY:
        if scheduler is not None:
            raise CommandError("--scheduler is used only with a Dask cluster: add --backend dask.")
        yield Processes(-1 if jobs is None else jobs)
        return
    if scheduler is None:
        raise CommandError("--backend dask needs the address of the cluster: --scheduler tcp://machine:8786.")
    if jobs is not None:
        raise CommandError("--jobs is not supported with --backend dask: a Dask cluster has its own workers.")

    from rulekit.study.cluster import Dask, connect

    with connect(scheduler) as client:
        yield Dask(client)


def _print_summary(console: "Console", failures: Sequence[Mapping[str, Any]], summary: "Summary", path: Path) -> None:
    n_ready = summary.n_before + summary.n_done
    before = f" ({summary.n_before} of them earlier)" if summary.n_before else ""
    line = f"{summary.n_cells} cells: {n_ready} done{before}, {summary.n_failed} failed. Results: {path}"
    console.print(line, soft_wrap=True)
    _print_failures(console, failures)
    if failures:
        console.print("\nRun the same command again to retry them.")


def _print_failures(console: "Console", failures: Sequence[Mapping[str, Any]]) -> None:
    from rulekit.study.progress import in_a_line, named_cell

    if failures:
        last = f", the last {MOST_ERRORS}" if len(failures) > MOST_ERRORS else ""
        console.print(f"\nErrors{last}:")
    for failure in failures[:MOST_ERRORS]:
        console.print(f"  {named_cell(failure)}: {in_a_line(failure['error'])}", soft_wrap=True)


def _states(store: "Store") -> list[tuple[dict[str, Any], str]]:
    """Every cell of a study with its status."""
    results = store.results()
    known = dict(zip(results[list(KEYS)].itertuples(index=False, name=None), results["status"], strict=True))
    return [(cell, known.get(tuple(cell[key] for key in KEYS), "missing")) for cell in store.planned()]


def _outdated_lines(store: "Store") -> "Iterator[str]":
    """Which finished cells would run again, and why."""
    from rulekit.study.outdated import outdated

    found = outdated(store)
    if found.problem is not None:
        yield f"\nWhether results are out of date cannot be checked here: {found.problem}"
    elif found.cells:
        yield f"\n{len(found.cells)} of {found.n_finished} finished cells are out of date and would run again:"
    elif found.n_finished:
        yield "\nNo result is out of date."
    for reason, counts in found.reasons.items():
        yield f"  {', '.join(f'{count} of {name}' for name, count in counts.items())}: {reason}"


def _status_table(states: Sequence[tuple[Mapping[str, Any], str]]) -> "Table":
    """Cells by dataset and variant; a dataset with nothing left to do takes one line."""
    from rulekit.render.terminal import plain_table

    left = {cell["dataset"] for cell, state in states if state != "done"}
    counts: dict[tuple[str, str], Counter[str]] = {}
    for cell, state in states:
        variant = cell["variant"] if cell["dataset"] in left else "all"
        counts.setdefault((cell["dataset"], variant), Counter())[state] += 1
    table = plain_table("Cells")
    for heading in ("dataset", "variant"):
        table.add_column(heading, overflow="fold")
    for state in STATES:
        table.add_column(state, justify="right")
    for (dataset, variant), counted in counts.items():
        table.add_row(dataset, variant, *(str(counted[state] or "-") for state in STATES))
    return table
