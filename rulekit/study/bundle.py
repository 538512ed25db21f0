"""Cells that share work."""

from collections.abc import Iterable, Iterator

import attrs

from rulekit.study.grids import has_choice
from rulekit.study.plan import Cell, Group


@attrs.frozen
class Bundle:
    """Cells of variants that share at least a loop over the trees: the work of one worker at a time.

    Attributes
    ----------
    cells : tuple of Cell
        At least one; they agree in `Cell.work`.
    """

    cells: tuple[Cell, ...]

    def __len__(self) -> int:
        return len(self.cells)

    def __iter__(self) -> Iterator[Cell]:
        return iter(self.cells)

    @property
    def group(self) -> Group:
        """The group of all cells."""
        return self.cells[0].group

    @property
    def seed(self) -> int:
        """Of everything random in the fits."""
        return self.cells[0].seed

    @property
    def apart(self) -> "tuple[Bundle, ...]":
        """Each cell as a bundle of its own."""
        return tuple(Bundle((cell,)) for cell in self.cells)

    @property
    def has_choice(self) -> bool:
        """Whether one of the cells chooses hyperparameters."""
        return any(cell.variant is not None and has_choice(cell.variant.grid) for cell in self.cells)


def bundled(cells: Iterable[Cell]) -> tuple[Bundle, ...]:
    """Cells of variants, those that share work together; the order is that of their first cells."""
    found: dict[str, list[Cell]] = {}
    for cell in cells:
        found.setdefault(cell.work, []).append(cell)
    return tuple(Bundle(tuple(each)) for each in found.values())
