"""A study as one archive for a data repository: definition, environment, results, predictions, rules, and checksums."""

import csv
import hashlib
import io
import json
import platform
from collections.abc import Iterator
from importlib.metadata import distributions
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from rulekit.study.errors import StoreError
from rulekit.study.rows import KEYS
from rulekit.study.store import Store

#: Of every file in an archive, so that the same results give the same bytes.
_DATE = (1980, 1, 1, 0, 0, 0)
_README = """# {name}

{n_cells} cells of a study made with rulekit: {n_done} done, {n_failed} failed.

- `study.json`: the definition: datasets, ensembles, variants, cross-validation, primary outcomes
- `modules/`: local files with components that the study names, if there are any
- `environment.json`: versions that made the results, and all packages installed when this archive was written
- `results.csv`: one row per cell: its key, status, hyperparameters, durations in seconds, and every measure
- `made-from.jsonl`: what each result depends on: hashes of data and code, and versions
- `predictions.csv`: for each cell and held-out sample its class and the predicted probability of each class; classes
  are positions among the sorted labels, samples are in the order of the fold
- `rulesets.jsonl`: for each cell with rules the ruleset, for `rulekit.RuleSet.from_dict`
- `SHA256SUMS`: checksums of these files, for `sha256sum -c SHA256SUMS`

The outer folds are those of scikit-learn's `RepeatedStratifiedKFold` with the seed of the definition. To run the study
again, put the data and the files of `modules/` where the definition names them:

    import json
    from rulekit.study import Study, run_study

    study = Study.from_dict(json.load(open("study.json")))
    run_study(study, "again.sqlite")
"""


def write_archive(store: Store, path: Path) -> Path:
    """Write a study and its results into a ZIP file.

    Parameters
    ----------
    store : Store
    path : Path
        Overwritten if it exists.

    Returns
    -------
    path : Path
    """
    if path.resolve() == store.path.resolve():
        raise StoreError(f"{path} is the store itself. Choose another file for the archive.")
    sums = []
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for name, content in _files(store):
            archive.writestr(ZipInfo(name, _DATE), content, ZIP_DEFLATED)
            sums.append(f"{hashlib.sha256(content).hexdigest()}  {name}\n")
        archive.writestr(ZipInfo("SHA256SUMS", _DATE), "".join(sums), ZIP_DEFLATED)
    return path


def _files(store: Store) -> Iterator[tuple[str, bytes]]:
    definition, results = store.definition(), store.results()
    n_done = int((results["status"] == "done").sum())
    counts = {"n_cells": len(store.planned()), "n_done": n_done, "n_failed": len(results) - n_done}
    yield "README.md", _README.format(name=definition.get("name", store.path.stem), **counts).encode()
    yield "study.json", _json(definition, indent=2)
    for file in definition.get("modules", []):
        yield f"modules/{Path(file).name}", (store.base() / Path(file).expanduser()).read_bytes()
    yield "environment.json", _json({"results": store.versions(), **_environment()}, indent=2)
    yield "results.csv", results.to_csv(index=False, lineterminator="\n").encode()
    made_from = (key | {"made_from": facts} for key, _, facts in store.made_from())
    yield "made-from.jsonl", b"".join(_json(each) + b"\n" for each in made_from)
    yield "predictions.csv", _predictions(store)
    rulesets = (key | {"ruleset": document} for key, document, _, _ in store.rulesets())
    yield "rulesets.jsonl", b"".join(_json(each) + b"\n" for each in rulesets)


def _predictions(store: Store) -> bytes:
    rows = [
        (*(key[name] for name in KEYS), sample, int(y), *map(repr, probabilities.tolist()))
        for key, truth, predicted in store.predictions()
        for sample, (y, probabilities) in enumerate(zip(truth, predicted, strict=True))
    ]
    n_classes = max((len(row) - len(KEYS) - 2 for row in rows), default=0)
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow([*KEYS, "sample", "class", *(f"probability_{position}" for position in range(n_classes))])
    writer.writerows(rows)
    return written.getvalue().encode()


def _environment() -> dict[str, Any]:
    packages = {each.metadata["Name"]: each.version for each in distributions()}
    return {
        "python": platform.python_version(),
        "system": platform.platform(),
        "packages": dict(sorted(packages.items())),
    }


def _json(document: Any, indent: int | None = None) -> bytes:
    return json.dumps(document, indent=indent, ensure_ascii=False).encode()
