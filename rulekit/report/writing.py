"""Writing a report to a file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rulekit.core.errors import ExportError, InvalidParameterError, MissingExtraError
from rulekit.report.subject import subjects_of


def write(
    path: str | Path,
    model: Any,
    X: Any,
    y: Any,
    *,
    compare: Mapping[str, Any] | None = None,
    name: str = "these rules",
    title: str = "Rules",
    n_examples: int = 0,
) -> None:
    """Write a page about rules: one HTML file that needs no network.

    It holds counts and ranges of the samples, not the samples, unless `n_examples` asks for some.

    Parameters
    ----------
    path : str or Path
        The file; one that is there already is replaced.
    model : RuleSet or fitted classifier with `ruleset_`
    X : array-like or DataFrame of shape (n_samples, n_features)
        Held-out samples.
    y : array-like of shape (n_samples,)
        Their labels.
    compare : mapping of str to RuleSet or fitted classifier, optional
        Other rules of the same columns and classes to show beside these, by name.
    name : str, default="these rules"
        What to call `model` where there are others.
    title : str, default="Rules"
        The page's heading.
    n_examples : int, default=0
        Held-out samples, the first ones, to write into the file, from which its form can start.
    """
    others = dict(compare or {})
    if name in others:
        raise InvalidParameterError(f"compare: {name!r} is the name of the rules themselves. Choose another name.")
    if isinstance(n_examples, bool) or not isinstance(n_examples, int) or n_examples < 0:
        raise InvalidParameterError(f"n_examples must be a whole number from 0, got {n_examples!r}.")
    try:
        from rulekit.report.page import render
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            "A report needs jinja2, which is not installed: pip install 'rulekit-rcprob[report]'."
        ) from error
    text = render(subjects_of({name: model, **others}, X, y), title, n_examples)
    try:
        content = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ExportError(
            f"A name or label is no valid text: {text[error.start : error.end]!r}. Rename it first."
        ) from error
    Path(path).write_bytes(content)
