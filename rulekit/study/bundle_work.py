"""Running the cells of a bundle: each loop, search and fit is done once for all cells that need it."""

from collections.abc import Iterator, Sequence
from functools import partial
from time import perf_counter

import attrs

from rulekit.plugin.code_components import CodeComponents
from rulekit.study.bundle import Bundle
from rulekit.study.calibrating import calibrated
from rulekit.study.data import StudyDataset
from rulekit.study.definition import Variant
from rulekit.study.fits import Effort, Fits
from rulekit.study.grids import configurations, has_choice
from rulekit.study.group_work import Fitted
from rulekit.study.measuring import held_out_rules
from rulekit.study.plan import Cell
from rulekit.study.result import Failure, Result
from rulekit.study.search import mean_merit, merit
from rulekit.study.trials import best_position, planned
from rulekit.study.work import recorded


def run_bundle(
    samples: StudyDataset, bundle: Bundle, fitted: Fitted | Failure | None, code: CodeComponents | None = None
) -> list[Result | Failure]:
    """Choose each variant's hyperparameters, fit it with them, and measure it on held-out samples.

    Parameters
    ----------
    samples : StudyDataset
    bundle : Bundle
        Of variants' cells.
    fitted : Fitted, Failure or None
        The group's ensembles; their failure is that of all cells. None if the variants bring their own.
    code : CodeComponents, optional
        Of the process that sends the work.

    Returns
    -------
    outcomes : list of Result or Failure
        One for each cell, in order: that of one does not depend on which others are in the bundle.
    """
    if isinstance(fitted, Failure):
        return [fitted] * len(bundle)

    def work() -> _Workshop:
        if code is not None:
            code.register(replace=True)
        return _Workshop.of(samples, bundle, fitted)

    workshop, _ = recorded(work)
    return [workshop] * len(bundle) if isinstance(workshop, Failure) else workshop.outcomes(bundle)


@attrs.frozen
class _Choice:
    """What a cell has chosen.

    Attributes
    ----------
    position : int or Failure
        Index of the configuration in the variant's grid; or why there is none.
    seconds : float
        Of the fits on the inner folds and their scores, as if no other variant had asked for any of them.
    warnings : tuple of str
    """

    position: int | Failure = 0
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()


@attrs.frozen(eq=False)
class _Workshop:
    """The fits that the cells of a bundle share.

    Attributes
    ----------
    samples : StudyDataset
    trials : list of Fits
        On the inner folds; none if no cell chooses hyperparameters.
    finals : Fits
        On the whole training part.
    """

    samples: StudyDataset
    trials: list[Fits]
    finals: Fits

    @classmethod
    def of(cls, samples: StudyDataset, bundle: Bundle, fitted: Fitted | None) -> "_Workshop":
        group, outer = bundle.group, bundle.group.split.outer(samples.subset)
        finals = Fits(outer, fitted and fitted.outer, bundle.seed)
        if not bundle.has_choice:
            return cls(samples, [], finals)
        folds = group.split.inner(outer.train, group.inner)
        ensembles = [None] * len(folds) if fitted is None else fitted.inner
        pairs = zip(folds, ensembles, strict=True)
        return cls(samples, [Fits(*pair, bundle.seed) for pair in pairs], finals)

    def outcomes(self, bundle: Bundle) -> list[Result | Failure]:
        # Variants that differ in calibration only share a choice.
        asking = {cell.choice: cell for cell in bundle}
        tried = [_variant_of(cell) for cell in asking.values() if has_choice(_variant_of(cell).grid)]
        asked = [(each, position) for each in tried for position in planned(each.grid, each.search, bundle.seed)]
        for fits in self.trials:
            fits.make(asked)
            fits.tidy_up()
        choices = {key: self._choice(cell) for key, cell in asking.items()}
        self.trials.clear()  # their models are no longer needed
        chosen = [(_variant_of(cell), choices[cell.choice].position) for cell in bundle]
        self.finals.make((variant, position) for variant, position in chosen if not isinstance(position, Failure))
        return [self._outcome(cell, choices[cell.choice]) for cell in bundle]

    def _choice(self, cell: Cell) -> _Choice:
        variant = _variant_of(cell)
        if not has_choice(variant.grid):
            return _Choice()
        efforts: set[Effort] = set()
        seconds = 0.0

        def merits_of(positions: Sequence[int]) -> list[float]:
            nonlocal seconds
            for fits in self.trials:
                fits.make((variant, position) for position in positions)
            start = perf_counter()
            merits = [mean_merit(self._merits(cell, position, efforts)) for position in positions]
            seconds += perf_counter() - start
            return merits

        position, caught = recorded(partial(best_position, variant.grid, variant.search, cell.seed, merits_of))
        for fits in self.trials:
            fits.tidy_up()
        return _Choice(position, seconds + sum(effort.seconds for effort in efforts), caught)

    def _merits(self, cell: Cell, position: int, efforts: set[Effort]) -> Iterator[float]:
        """The score of a configuration on each inner fold; what was done for its fits is added to `efforts`."""
        for fits in self.trials:
            fit = fits.of(_variant_of(cell), position)
            efforts.update(fit.efforts)
            yield merit(cell.score, fit.model, fits.fold.test, fits.ensemble)

    def _outcome(self, cell: Cell, choice: _Choice) -> Result | Failure:
        if isinstance(choice.position, Failure):
            return choice.position
        result, caught = recorded(partial(self._result, cell, choice.position, choice.seconds))
        if isinstance(result, Failure):
            return result
        return attrs.evolve(result, warnings=tuple(dict.fromkeys((*choice.warnings, *caught))))

    def _result(self, cell: Cell, position: int, search_seconds: float) -> Result:
        variant, fold = _variant_of(cell), self.finals.fold
        fit = self.finals.of(variant, position)
        answers = fit.model
        if variant.calibration is not None:
            assert fold.calibration is not None, "a study with calibrated variants sets samples aside"
            answers = calibrated(fit.model, variant.calibration, fold.calibration, cell.seed)
        return Result(
            configurations(variant.grid)[position],
            fit.seconds,
            search_seconds,
            len(fold.train),
            len(fold.test),
            **held_out_rules(self.samples, fit.model, answers, fold.test, self.finals.ensemble),
            seed=cell.seed,
        )


def _variant_of(cell: Cell) -> Variant:
    assert cell.variant is not None, "the ensemble's own cell comes with its group"
    return cell.variant
