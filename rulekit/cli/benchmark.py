"""rulekit benchmark: methods on fixed datasets, splits and ensembles."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rulekit.cli.errors import Debug, in_one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rulekit.render.table import Table
    from rulekit.study import Store, Study

CELLS_FAILED, INTERRUPTED = 1, 130


@in_one_line
def benchmark(
    methods: Annotated[
        list[str] | None,
        typer.Argument(metavar="[METHOD]...", help="Methods to compare. Default: all registered ones."),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            envvar="RULEKIT_DATA",
            help="Folder of datasets as CSV files. Without it only scikit-learn's datasets take part.",
        ),
    ] = None,
    module: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="Python file that registers a method of your own. Can be repeated."),
    ] = None,
    store: Annotated[Path, typer.Option(metavar="FILE", help="File for the results.")] = Path("benchmark.sqlite"),
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write the tables, as Markdown.")] = None,
    forests: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write the hashes of data and trees, as JSON.")
    ] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="Number of processes. Default: one per core.")] = None,
    cell_seconds: Annotated[
        float | None, typer.Option(help="Time limit of a fit with its measures, in seconds. Default: none.")
    ] = None,
    debug: Debug = False,
) -> None:
    """Compare methods, also your own, on fixed datasets, splits and ensembles.

    Each method gets one row: log-loss relative to the ensemble's at 8, 16 and
    32 rules, rules whose probability held-out samples contradict, macro-F1,
    fidelity, conditions, and time relative to training. It is a study: run
    the same command again to go on after an interruption; results in the file
    are kept, so that another method adds its row.

    \b
      rulekit benchmark rcprob rclist shrunk-tree
      rulekit benchmark --module my_method.py --folder datasets
    """  # noqa: D301, the sign keeps the line breaks of the examples
    import rulekit
    from rulekit.render.console import messages, output
    from rulekit.study import Store, run_study
    from rulekit.study.benchmark import benchmark_study
    from rulekit.study.local_modules import import_files
    from rulekit.study.progress import progress_on

    import_files(module or [], None)
    chosen = list(dict.fromkeys(methods or [component.name for component in rulekit.list_components("method")]))
    study = benchmark_study(chosen, folder, module or [], cell_seconds)
    _compare_forests(study, forests)
    try:
        with progress_on(messages()) as watcher:
            summary = run_study(study, store, n_jobs=-1 if jobs is None else jobs, watcher=watcher)
    except KeyboardInterrupt:
        messages().print(f"Stopped. The finished cells are in {store}: run the same command again to continue.")
        raise typer.Exit(INTERRUPTED) from None
    tables = _tables(Store(store), study)
    for table in tables:
        output().print(f"{table.to_text()}\n", soft_wrap=True, markup=False, highlight=False)
    if out is not None:
        out.write_text("\n".join(table.to_markdown() for table in tables), encoding="utf-8")
        messages().print(f"Written: {out}", soft_wrap=True)
    if summary.n_failed:
        messages().print(f"{summary.n_failed} cells failed: rulekit study status {store}", soft_wrap=True)
        raise typer.Exit(CELLS_FAILED)


def _compare_forests(study: "Study", path: Path | None) -> None:
    """Say whether the ensembles are those of the committed table, and write their hashes if asked for."""
    from rulekit.render.console import messages
    from rulekit.study.benchmark import committed_forests, differences, forests_of

    found = forests_of(study)
    sentences = differences(found, committed_forests())
    for sentence in sentences or ["The ensembles have the trees of the committed benchmark."]:
        messages().print(sentence, soft_wrap=True)
    if sentences:
        messages().print("Compare these rows with one another, not with the committed ones.", soft_wrap=True)
    if path is not None:
        path.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
        messages().print(f"Written: {path}", soft_wrap=True)


def _tables(store: "Store", study: "Study") -> "Sequence[Table]":
    from rulekit.study.benchmark import benchmark_frame, benchmark_table

    results: Any = store.results()
    frame = benchmark_frame(results, store.rulesets())
    return [benchmark_table(frame, ensemble.name) for ensemble in study.ensembles]
