"""The page: one file that contains its styles, scripts and data."""

import base64
import hashlib
import json
from collections.abc import Mapping
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from rulekit import __version__
from rulekit.report import charts, rows
from rulekit.report.form import form_of
from rulekit.report.subject import Subject
from rulekit.ruleset.table import remarks
from rulekit.ruleset.table import title as sizes

if TYPE_CHECKING:
    from rulekit.summary import Summary

STYLES = ("page.css", "print.css")
SCRIPTS = ("evaluate.js", "form.js", "tables.js", "theme.js")


def render(subjects: list[Subject], title: str, n_examples: int = 0, summary: "Summary | None" = None) -> str:
    """The content of the HTML file.

    Parameters
    ----------
    subjects : list of Subject
        The model that the report is about, then those to compare with it.
    title : str
    n_examples : int, default=0
        Number of held-out samples in the form.
    summary : Summary, optional
        The first model beside its ensemble and single trees: the measures show these too.
    """
    columns = _columns(subjects, summary)
    environment = Environment(
        loader=PackageLoader("rulekit.report", "assets"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(fraction=_fraction, number=_number, key=_key)
    style, script = _inlined(STYLES), _inlined(SCRIPTS)
    form = form_of(subjects, n_examples)
    return environment.get_template("page.html.j2").render(
        title=title,
        style=style,
        script=script,
        policy=f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'",
        data=_data(form),
        form=form,
        columns=list(columns),
        measures=rows.measure_rows(list(columns.values())),
        sentences=() if summary is None else (*summary.sentences, *filter(None, [summary.origin])),
        views=[_view(position, subject) for position, subject in enumerate(subjects)],
        n_samples=subjects[0].facts.n_samples,
        version=__version__,
    )


def _columns(subjects: list[Subject], summary: "Summary | None") -> dict[str, Mapping[str, float]]:
    """The measures of each model by its name; a model that the user has named takes the place of another."""
    named = {subject.name: subject.measures for subject in subjects}
    beside = {} if summary is None else {name: found for name, found in summary.values.items() if name != "rules"}
    first = subjects[0].name
    return {first: named[first], **beside, **named}


def _view(position: int, subject: Subject) -> dict[str, Any]:
    """What the page shows of one model."""
    rules, different = rows.rule_rows(subject), rows.different_rows(subject)
    return {
        "position": position,
        "name": subject.name,
        "sizes": sizes(subject.ruleset).partition(";")[0],
        "mode": type(subject.ruleset.inference).__name__,
        "combination": subject.ruleset.inference.combination,
        "labels": list(dict.fromkeys(row["label"] for row in rules)),
        "knows_answered": subject.ruleset.knows_answered,
        "remarks": remarks(subject.ruleset),
        "rules": rules,
        "reliability": charts.reliability(subject),
        "predicted": charts.predicted_and_held_out(subject),
        "precision": charts.trained_and_held_out(subject, "precision"),
        "coverage": charts.trained_and_held_out(subject, "coverage"),
        "different": different,
        "overlap": charts.overlap(subject),
        "n_in_overlap": min(len(rules) - 1, charts.MOST_IN_OVERLAP),
        "conflicts": rows.pair_rows(subject, in_conflict=True),
        "agreements": rows.pair_rows(subject, in_conflict=False),
        "most_pairs": rows.MOST_PAIRS,
        "most_different": rows.MOST_DIFFERENT,
    }


def _inlined(names: tuple[str, ...]) -> Markup:
    """The contents of asset files, concatenated."""
    folder = files("rulekit.report") / "assets"
    return Markup("\n".join(folder.joinpath(name).read_text(encoding="utf-8") for name in names))


def _hash(source: str) -> str:
    """The hash by which the page's policy allows a script or a style: no other may run."""
    return f"sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}"


def _data(form: dict[str, Any]) -> Markup:
    """JSON that cannot end the element around it: without HTML's special characters, in ASCII."""
    content = json.dumps(form, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":
        content = content.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(content)


def _fraction(value: float | None) -> str:
    """A fraction in percent."""
    return "–" if value is None else f"{100 * value:.1f} %"


def _number(value: float | None) -> str:
    """A probability with three decimals."""
    return "–" if value is None else f"{value:.3f}"


def _key(value: float | str | None) -> str:
    """The sort key of a cell; empty for a missing value, which comes last."""
    return "" if value is None else str(value)
