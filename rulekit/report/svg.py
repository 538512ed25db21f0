"""Small charts as SVG, with escaped elements."""

import math
from collections.abc import Sequence
from typing import Any

import attrs
from markupsafe import Markup


@attrs.frozen
class Axis:
    """A linear scale from values to coordinates.

    Attributes
    ----------
    low, high : float
        The values at its ends.
    start, end : float
        The coordinates of its ends.
    """

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """The coordinate of a value."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Four to six round values from one end to the other."""
        span = self.high - self.low
        step = next(step for step in (0.005, 0.01, 0.02, 0.05, 0.1, 0.2) if span / step <= 5.5)
        first = math.ceil(self.low / step - 1e-9)
        return [
            round(step * position, 4) for position in range(first, first + 7) if step * position <= self.high + 1e-9
        ]


def tag(name: str, *inner: Any, **attributes: Any) -> Markup:
    """An element; `class_` stands for `class`, an underscore in a name for a hyphen, and numbers are rounded."""
    # Markup escapes the names of features, which may contain anything.
    cells = [
        Markup(' {}="{}"').format(key.rstrip("_").replace("_", "-"), _rounded(value))
        for key, value in attributes.items()
        if value is not None
    ]
    content = Markup("").join(inner)
    return Markup("<{}{}>{}</{}>").format(Markup(name), Markup("").join(cells), content, Markup(name))


def picture(width: int, height: int, description: str, elements: Sequence[Markup], class_: str = "chart") -> Markup:
    """The SVG element, with a description for screen readers."""
    box = {"viewBox": f"0 0 {width} {height}", "width": width, "height": height}
    return tag("svg", *elements, class_=class_, role="img", aria_label=description, **box)


def axes(x: Axis, y: Axis, x_name: str, y_name: str) -> list[Markup]:
    """Grid lines, numbers and names of two axes; `y` grows upwards."""
    lines = [tag("line", class_="grid", x1=x(t), x2=x(t), y1=y.start, y2=y.end) for t in x.ticks()]
    lines += [tag("line", class_="grid", x1=x.start, x2=x.end, y1=y(t), y2=y(t)) for t in y.ticks()]
    lines += [tag("text", f"{t:g}", class_="tick", x=x(t), y=y.start + 16, text_anchor="middle") for t in x.ticks()]
    lines += [tag("text", f"{t:g}", class_="tick", x=x.start - 7, y=y(t) + 4, text_anchor="end") for t in y.ticks()]
    middle = (y.start + y.end) / 2
    return [
        *lines,
        tag("text", x_name, class_="name", x=(x.start + x.end) / 2, y=y.start + 36, text_anchor="middle"),
        tag("text", y_name, class_="name", x=14, y=middle, text_anchor="middle", transform=f"rotate(-90 14 {middle})"),
    ]


def diagonal(x: Axis, y: Axis) -> Markup:
    """The line on which both are equal."""
    low, high = max(x.low, y.low), min(x.high, y.high)
    return tag("line", class_="diagonal", x1=x(low), y1=y(low), x2=x(high), y2=y(high))


def _rounded(value: Any) -> Any:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else value
