"""What is drawn: a value, and whether it is wrong."""

from typing import Any

import attrs


@attrs.frozen(eq=False)
class Drawn:
    """Something to pass, and what is known of it.

    Attributes
    ----------
    value : object
    form : str
        What it is, for the report.
    is_wrong : bool or None
        Whether it must be refused; None if it may be.
    """

    value: Any
    form: str
    is_wrong: bool | None = False

    def __str__(self) -> str:
        return f"{'WRONG ' if self.is_wrong else ''}{self.form}"
