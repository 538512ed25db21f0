"""The remaining work of a study, grouped into jobs."""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from rulekit.study.bundle import Bundle, bundled
from rulekit.study.data import StudyDataset
from rulekit.study.grids import configurations
from rulekit.study.plan import Cell, Group
from rulekit.study.rows import as_json


@attrs.frozen(eq=False)
class Job:
    """What is left to do with one ensemble on one split, or with variants that need no ensemble.

    Attributes
    ----------
    samples : StudyDataset
    group : Group or None
        None if the variants bring their own ensemble.
    own : Cell or None
        Of the ensemble itself.
    bundles : tuple of Bundle
        Of the variants.
    chosen : dict or None
        The ensemble's hyperparameters, if an earlier run has chosen them.
    cell_seconds : float or None
        Time limit of each of its cells.
    """

    samples: StudyDataset
    group: Group | None
    own: Cell | None
    bundles: tuple[Bundle, ...]
    chosen: dict[str, Any] | None = None
    cell_seconds: float | None = None

    def seconds_for(self, n_cells: int) -> float | None:
        """Time limit of several of its cells together."""
        return None if self.cell_seconds is None else n_cells * self.cell_seconds

    @property
    def cells(self) -> list[Cell]:
        """Those of the variants."""
        return [cell for bundle in self.bundles for cell in bundle]

    @property
    def needs_inner(self) -> bool:
        """Whether a variant chooses hyperparameters on the inner folds."""
        return any(bundle.has_choice for bundle in self.bundles)


def left_to_do(
    cells: Sequence[Cell],
    samples: Mapping[str, StudyDataset],
    done: set[str],
    chosen: Mapping[str, str],
    cell_seconds: float | None = None,
) -> list[Job]:
    """The jobs of the cells that are not done, in their order.

    Parameters
    ----------
    cells : sequence of Cell
    samples : mapping of str to StudyDataset
        By the name of their dataset.
    done : set of str
        Keys of cells.
    chosen : mapping of str to str
        Hyperparameters as JSON, by the key of their group.
    cell_seconds : float, optional
        Time limit of each cell.
    """
    missing = {cell.key: cell for cell in cells if cell.key not in done}
    own = {cell.group.key: cell for cell in cells if cell.variant is None}
    members: dict[str, list[Cell]] = {}
    for cell in missing.values():
        # Variants that bring their own ensemble are a group by themselves.
        members.setdefault(cell.group.key if cell.uses_ensemble else cell.work, []).append(cell)
    jobs = []
    for key, of_group in members.items():
        first = of_group[0]
        of_dataset = samples[first.group.split.dataset]
        bundles = bundled(cell for cell in of_group if cell.variant is not None)
        if first.uses_ensemble:
            configuration = _configuration(first.group, chosen.get(key))
            jobs.append(Job(of_dataset, first.group, own[key], bundles, configuration, cell_seconds))
        else:
            jobs.append(Job(of_dataset, None, None, bundles, cell_seconds=cell_seconds))
    return jobs


def _configuration(group: Group, chosen: str | None) -> dict[str, Any] | None:
    """The configuration of a group's grid with this JSON string."""
    return next((each for each in configurations(group.ensemble.grid) if as_json(each) == chosen), None)
