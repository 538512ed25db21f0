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
    train: tuple[Any, Any] | None = None,
    compare: Mapping[str, Any] | None = None,
    name: str = "these rules",
    title: str = "Rules",
    n_examples: int = 0,
) -> None:
    """Write a page about rules: one HTML file that works offline.

    It contains counts and ranges of the features, but no samples unless `n_examples` is above 0.

    Parameters
    ----------
    path : str or Path
        The file to write; an existing file is overwritten.
    model : RuleSet or fitted classifier with `ruleset_`
    X : array-like or DataFrame of shape (n_samples, n_features)
        Held-out samples.
    y : array-like of shape (n_samples,)
        Their labels.
    train : tuple of X and y, optional
        The samples that a method was fitted on: the page then compares it with single trees of equal size.
    compare : mapping of str to RuleSet or fitted classifier, optional
        Other rules with the same columns and classes to compare with, by name.
    name : str, default="these rules"
        Name of `model` in comparisons.
    title : str, default="Rules"
        Heading of the page.
    n_examples : int, default=0
        Number of held-out samples to include, as examples for the form.
    """
    others = dict(compare or {})
    if name in others:
        raise InvalidParameterError(f"compare: {name!r} is already the name of the model itself. Choose another name.")
    if train is not None and not hasattr(model, "summary"):
        raise InvalidParameterError(
            f"train needs a fitted method, such as rulekit.build returns, not a {type(model).__name__}."
        )
    if isinstance(n_examples, bool) or not isinstance(n_examples, int) or n_examples < 0:
        raise InvalidParameterError(f"n_examples must be a non-negative integer, got {n_examples!r}.")
    try:
        from rulekit.report.page import render
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            "A report needs jinja2, which is not installed: pip install 'rulekit-rcprob[report]'."
        ) from error
    summary = model.summary(X, y, train) if hasattr(model, "summary") else None
    page = render(subjects_of({name: model, **others}, X, y), title, n_examples, summary)
    try:
        content = page.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ExportError(
            f"A name or label cannot be encoded in UTF-8: {page[error.start : error.end]!r}. Rename it first."
        ) from error
    Path(path).write_bytes(content)
