"""The benchmark as a study: what is fixed, and the sizes at which a method is compared."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from rulekit.builder import build
from rulekit.core.errors import InvalidParameterError
from rulekit.datasets.folder import names
from rulekit.study.definition import Study
from rulekit.study.local_modules import import_files

#: Numbers of rules, the default rule included, at which methods are compared.
SIZES: Final = (8, 16, 32)
#: The level of the factor `rules` of a method whose size no parameter limits.
OWN_SIZE: Final = "own"
#: Datasets that scikit-learn ships, and those of a folder.
BUNDLED: Final = ("breast-cancer", "iris", "wine")
FROM_FOLDER: Final = ("banknote", "cardiotoc", "heart", "ionosphere", "mammographic", "pima", "vehicle")
ENSEMBLES: Final[dict[str, dict[str, Any]]] = {
    "rf": {"n_estimators": 100, "max_depth": 5},
    "gbm": {"n_estimators": 100, "max_depth": 3},
}
N_SPLITS: Final = 3
SEED: Final = 0
MEASURES: Final = ("log_loss", "macro_f1", "fidelity", "n_rules", "n_conditions")


def benchmark_study(
    methods: Sequence[str], folder: Path | None = None, modules: Sequence[str] = (), cell_seconds: float | None = None
) -> Study:
    """The study that compares some methods.

    Parameters
    ----------
    methods : sequence of str
        Registered names.
    folder : Path, optional
        Folder of CSV files; those of `FROM_FOLDER` that it has take part. None means only what scikit-learn ships.
    modules : sequence of str
        Python files that register methods of your own.
    cell_seconds : float, optional
        Time limit of a fit with its measures.
    """
    import_files(modules, None)
    if not methods:
        raise InvalidParameterError("A benchmark needs at least one method.")
    here = () if folder is None else names(folder)
    document = {
        "name": "benchmark",
        "datasets": [*(f"sklearn:{name}" for name in BUNDLED), *(name for name in FROM_FOLDER if name in here)],
        "ensembles": {name: {"parameters": parameters} for name, parameters in ENSEMBLES.items()},
        "variants": {name: variant for method in methods for name, variant in _variants(method)},
        "outer": {"splits": N_SPLITS},
        "measures": list(MEASURES),
        "seed": SEED,
        "modules": list(modules),
        "folder": None if folder is None else str(folder),
        "cell_seconds": cell_seconds,
    }
    return Study.from_dict({name: value for name, value in document.items() if value is not None})


def _variants(method: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The method at each of the sizes, or as it is if no parameter limits its size, each with its name."""
    size_parameters = getattr(build(method), "size_parameters", lambda n_rules: None)
    for size in SIZES:
        parameters = size_parameters(size)
        if parameters is None:
            yield method, {"method": method, "factors": {"method": method, "rules": OWN_SIZE}}
            return
        factors = {"method": method, "rules": str(size)}
        yield f"{method} {size}", {"method": method, "parameters": parameters, "factors": factors}
