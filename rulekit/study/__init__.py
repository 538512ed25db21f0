"""Studies: ways to make rules, compared over datasets and ensembles, with results that outlive the process."""

from typing import TYPE_CHECKING

from rulekit.core.lazy import lazy_names

if TYPE_CHECKING:
    from rulekit.study.definition import CrossValidation, Ensemble, Selection, Source, Study, Variant
    from rulekit.study.run import Summary, run_study
    from rulekit.study.store import Store

__all__ = [
    "CrossValidation",
    "Ensemble",
    "Selection",
    "Source",
    "Store",
    "Study",
    "Summary",
    "Variant",
    "run_study",
]

# Reports need nothing of what runs a study, and the other way round.
_HOMES = {
    "CrossValidation": "rulekit.study.definition",
    "Ensemble": "rulekit.study.definition",
    "Selection": "rulekit.study.definition",
    "Source": "rulekit.study.definition",
    "Store": "rulekit.study.store",
    "Study": "rulekit.study.definition",
    "Summary": "rulekit.study.run",
    "Variant": "rulekit.study.definition",
    "run_study": "rulekit.study.run",
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
