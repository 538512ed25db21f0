"""The command line: `python -m benchmarks [NAME …]`."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import attrs
import typer

from benchmarks import documents
from benchmarks.cases import DATASETS
from benchmarks.comparison import compare
from benchmarks.engines import ENGINES, installed_engines
from benchmarks.peers import PEERS
from benchmarks.progress import progress
from benchmarks.rows import Row
from benchmarks.runs import BENCHMARKS, ON_DATASETS, QUICK
from benchmarks.settings import Settings
from benchmarks.tables import comparison_summary, comparison_table, summary, tables
from rulekit.render.console import messages, output

#: Where the datasets lie unless RULEKIT_DATA or --data says otherwise.
BESIDE_THE_PROJECT = Path("../shared/data")
#: The same of tables with categories, unless RULEKIT_MIXED or --mixed says otherwise.
TABLES_BESIDE = Path("../shared/mixed")
PEER_NAMES = tuple(peer.name for peer in PEERS)

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def benchmarks(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]…", help=f"{', '.join(BENCHMARKS)}, or all.")
    ] = None,
    data: Annotated[
        Path, typer.Option(envvar="RULEKIT_DATA", help="Folder of the datasets: CSV files with a column target.")
    ] = BESIDE_THE_PROJECT,
    mixed: Annotated[
        Path, typer.Option(envvar="RULEKIT_MIXED", help="Folder of the tables with categories, for `categories`.")
    ] = TABLES_BESIDE,
    datasets: Annotated[str, typer.Option(help="Names of datasets, separated by commas.")] = ",".join(DATASETS),
    repeats: Annotated[int, typer.Option(min=1, help="Runs that count; the median is taken.")] = 3,
    engine: Annotated[
        str | None, typer.Option(help="numba, numpy or both. Without it, all that are installed.")
    ] = None,
    cache: Annotated[
        Path | None,
        typer.Option(help="Folder where large trained forests are kept for later runs, with their training times."),
    ] = None,
    peers: Annotated[
        str | None, typer.Option(help=f"Of {', '.join(PEER_NAMES)}, separated by commas. Without it, all.")
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(min=1, help="Seconds after which a peer, or growth without bound on coverage, is stopped."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write the figures to this file, as JSON.")] = None,
    against: Annotated[
        Path | None, typer.Option("--compare", exists=True, dir_okay=False, help="Compare with a file of --out.")
    ] = None,
    tolerance: Annotated[
        float, typer.Option(min=0, help="How much worse, as a share, still counts as the same in --compare.")
    ] = 0.2,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 if a limit is not met, or a figure got worse.")
    ] = False,
) -> None:
    """Measure the speed of rulekit, as ratios within one run, and hold the figures against their limits.

    Without a name, the quick benchmarks run: training, predict and swap.
    """
    chosen = _chosen(names or list(QUICK))
    settings = Settings(
        engines=_engines(engine),
        peers=_peers(peers),
        data=data,
        mixed=mixed,
        datasets=_datasets(data, datasets, is_needed=not ON_DATASETS.isdisjoint(chosen)),
        cache=cache or Path(),
        repeats=repeats,
        time_limit=time_limit,
    )
    earlier = _earlier(against)
    with TemporaryDirectory() as temporary, progress(messages()) as announce:
        settings = attrs.evolve(settings, cache=cache or Path(temporary), announce=announce)
        rows = _run(chosen, settings, out)
    output().print(summary(rows))
    comparison = compare(earlier, rows, tolerance)
    if against:
        output().print(comparison_table(comparison), comparison_summary(comparison), sep="\n")
    if strict and (comparison.n_worse or any(row.is_met is False for row in rows)):
        raise typer.Exit(1)


def _run(names: list[str], settings: Settings, out: Path | None) -> list[Row]:
    """All rows; each benchmark's are printed and written as soon as they are there, since the next may take hours."""
    rows: list[Row] = []
    for name in names:
        found = list(BENCHMARKS[name](settings))
        rows += found
        for table in tables(found):
            output().print(table)
        if out:
            documents.write(out, rows)
    return rows


def _chosen(names: list[str]) -> list[str]:
    unknown = [name for name in names if name not in (*BENCHMARKS, "all")]
    if unknown:
        raise typer.BadParameter(f"No benchmark named {unknown[0]!r}. Known: {', '.join(BENCHMARKS)}, all.")
    return [name for name in BENCHMARKS if name in names or "all" in names]


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _peers(text: str | None) -> tuple[str, ...] | None:
    names = None if text is None else _names(text)
    unknown = [name for name in names or () if name not in PEER_NAMES]
    if unknown:
        raise typer.BadParameter(f"No peer named {unknown[0]!r}. Known: {', '.join(PEER_NAMES)}.")
    return names


def _datasets(folder: Path, text: str, *, is_needed: bool) -> tuple[str, ...]:
    datasets = _names(text)
    missing = [name for name in datasets if not (folder / f"{name}.csv").exists()]
    if missing and is_needed:
        raise typer.BadParameter(
            f"No {missing[0]}.csv in {folder}. Name the folder of the datasets by --data or RULEKIT_DATA."
        )
    return datasets


def _engines(name: str | None) -> tuple[str, ...]:
    installed = installed_engines()
    if name is None:
        return installed
    if name not in (*ENGINES, "both"):
        raise typer.BadParameter(f"No engine named {name!r}. Known: numba, numpy, both.")
    wanted = ENGINES if name == "both" else (name,)
    if "numba" in wanted and "numba" not in installed:
        raise typer.BadParameter("numba is not installed: pip install numba")
    return wanted


def _earlier(path: Path | None) -> list[Row]:
    try:
        return documents.read(path) if path else []
    except documents.DocumentError as error:
        raise typer.BadParameter(str(error)) from error


if __name__ == "__main__":
    app(prog_name="python -m benchmarks")
