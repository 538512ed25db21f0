"""One fit, several ways to answer: cells that share their fits get what each would get alone."""

import attrs
import numpy as np
import pytest
from study.made_up import contents, small_study, write_tables

import rulekit
from rulekit.core.errors import FewRulesWarning
from rulekit.core.interfaces import ProbabilityEstimator, Score
from rulekit.inference.aggregate import Aggregate
from rulekit.inference.decision_list import DecisionList
from rulekit.plugin.manager import plugins
from rulekit.probability.laplace import Laplace
from rulekit.search.loop import Search
from rulekit.search.relist import Relist
from rulekit.study import Ensemble, Selection, Variant, bundle_work, run_study
from rulekit.study.bundle import Bundle, bundled
from rulekit.study.bundle_work import run_bundle
from rulekit.study.data import load_datasets
from rulekit.study.group_work import fit_group
from rulekit.study.plan import plan
from rulekit.study.result import Failure


class AlwaysPerfect(Score):
    """Nothing is better than the first rules."""

    best = 0.0

    def score(self, rules, context):
        return 0.0


def like_laplace(plus):
    class Like(ProbabilityEstimator):
        def estimate(self, rules):
            return (rules.counts + plus) / (rules.counts + plus).sum(axis=1, keepdims=True)

    return Like()


GRID = {"min_precision": [0.3, 0.6, 0.8], "min_coverage": [0.0, 0.1]}
LIST, AGGREGATE = Variant("list", "rcprob", grid=GRID), Variant("all", "rcprob", {"inference": "aggregate"}, GRID)
EITHER = Variant("either", "rcprob", grid={"inference": ["aggregate", "decision-list"], **GRID})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_tables(tmp_path_factory.mktemp("tables"))


@pytest.fixture
def cells_of(folder):
    """The samples, and the cells of some variants on the first fold."""

    def of(*variants, **changes):
        study = small_study(folder, datasets=["two"], variants=variants, **changes)
        samples = load_datasets(study)
        return samples["two"], plan(study, samples)[1 : 1 + len(variants)]

    return of


def names(bundles):
    return [[cell.variant.name for cell in bundle] for bundle in bundles]


def facts(result):
    """Everything in a result that does not depend on time, as text: what is not a number does not equal itself."""
    fields = attrs.asdict(result, filter=lambda field, _: field.name not in ("seconds", "search_seconds"))
    return repr({name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in fields.items()})


class TestABundle:
    def test_has_the_variants_that_differ_after_the_loop_only(self, cells_of):
        others = [
            Variant("rc+", grid=GRID),
            Variant("other grid", "rcprob", grid={"min_precision": [0.3]}),
            Variant("other part", "rcprob", {"priors": "mean"}, GRID),
            Variant("tree", "rcprob", {"ensemble": "tree"}),
            Variant("tree all", "rcprob", {"ensemble": "tree", "inference": "aggregate"}),
            Variant("rclist", grid={**GRID, "refine": ["relist", None]}),
            Variant("laplace", "rcprob", {"final_estimator": "laplace"}, GRID),
        ]
        _, cells = cells_of(LIST, others[0], AGGREGATE, *others[1:], EITHER)
        assert names(bundled(cells)) == [
            ["list", "all", "rclist", "laplace", "either"],
            ["rc+"],
            ["other grid"],
            ["other part"],
            ["tree", "tree all"],
        ]

    def test_goes_by_what_a_part_is_not_by_which_object_it_is(self, cells_of):
        from rulekit.probability.m_estimate import MEstimate

        variants = [
            Variant("a", "rcprob", {"final_estimator": MEstimate(2.0)}),
            Variant("b", "rcprob", {"final_estimator": MEstimate(2.0), "inference": Aggregate()}),
            Variant("c", "rcprob", {"search_estimator": MEstimate(3.0)}),
        ]
        variants = [
            attrs.evolve(each, parameters={"search_estimator": MEstimate(2.0), **each.parameters}) for each in variants
        ]
        assert names(bundled(cells_of(*variants)[1])) == [["a", "b"], ["c"]]

    def test_of_a_method_that_is_no_preset_has_one_cell(self, cells_of):
        """Nobody knows what such a method does with its parameters."""
        rulekit.register("method", "own", lambda ensemble, inference="x": None)
        try:
            _, cells = cells_of(Variant("a", "own"), Variant("b", "own", {"inference": "y"}))
            assert names(bundled(cells)) == [["a"], ["b"]]
        finally:
            plugins.cache_clear()

    def test_leaves_keys_as_they_are(self, cells_of):
        """A key says what a result depends on, and who else asks for the same fit is no part of that."""
        (_, together), (_, alone) = cells_of(LIST, AGGREGATE, EITHER), cells_of(AGGREGATE)
        assert together[1].key == alone[0].key
        assert len({cell.key for cell in together}) == 3
        assert {cell.work for cell in together} == {alone[0].work}


class TestResults:
    @pytest.mark.parametrize("score", ["brier", "macro_f1", "n_rules"])
    @pytest.mark.parametrize(("method", "own"), [("rcprob", {}), ("rc+", {}), ("rcprob", {"ensemble": "tree"})])
    def test_are_those_of_separate_fits(self, cells_of, method, own, score):
        variants = [
            attrs.evolve(variant, method=method, parameters={**variant.parameters, **own})
            for variant in (LIST, AGGREGATE, EITHER)
        ]
        samples, cells = cells_of(*variants, selection=Selection(variant=score))
        fitted = fit_group(samples, cells[0].group, None, True) if cells[0].uses_ensemble else None
        together = run_bundle(samples, Bundle(tuple(cells)), fitted)
        alone = [run_bundle(samples, Bundle((cell,)), fitted)[0] for cell in cells]
        assert list(map(facts, together)) == list(map(facts, alone))

    def test_have_the_warnings_of_separate_fits(self, cells_of):
        samples, cells = cells_of(
            *(attrs.evolve(each, grid={"min_coverage": [0.9, 0.0]}) for each in (LIST, AGGREGATE))
        )
        fitted = fit_group(samples, cells[0].group, None, True)
        first, second = run_bundle(samples, Bundle(tuple(cells)), fitted)
        assert [each.partition(":")[0] for each in first.warnings] == ["FewRulesWarning"]
        assert second.warnings == first.warnings == run_bundle(samples, Bundle((cells[1],)), fitted)[0].warnings

    def test_have_the_warnings_of_their_own_final_fit_only(self, cells_of):
        variants = [Variant("a", "rcprob", {"min_coverage": 0.9}), Variant("b", "rcprob", {"min_coverage": 0.9})]
        samples, cells = cells_of(variants[0], attrs.evolve(variants[1], parameters={"min_coverage": 0.0}))
        fitted = fit_group(samples, cells[0].group, None, True)
        told = [run_bundle(samples, Bundle((cell,)), fitted)[0].warnings for cell in cells]
        assert [len(each) for each in told] == [1, 0]
        assert told[0][0].startswith(f"{FewRulesWarning.__name__}: No rule of the first tree passed")

    def test_have_the_time_that_their_choice_takes_alone(self, cells_of, monkeypatch):
        clock = iter(range(10_000))
        monkeypatch.setattr("rulekit.study.fits.perf_counter", lambda: float(next(clock)))
        monkeypatch.setattr("rulekit.study.bundle_work.perf_counter", lambda: 0.0)
        laplace = Variant("laplace", "rcprob", {"final_estimator": "laplace"}, GRID)
        samples, cells = cells_of(LIST, AGGREGATE, laplace)
        results = run_bundle(samples, Bundle(tuple(cells)), fit_group(samples, cells[0].group, None, True))
        # For each inner fold: reading, and for each of six configurations the loop, the search and the estimate.
        assert [each.search_seconds for each in results] == [2.0 * (1 + 6 * 3)] * 3

    def test_have_no_time_of_a_search_where_there_is_nothing_to_choose(self, cells_of):
        plain = Variant("plain", "rcprob", {"inference": "aggregate"})
        samples, cells = cells_of(plain, Variant("either", "rcprob", grid={"inference": EITHER.grid["inference"]}))
        (bundle,) = bundled(cells)
        first, second = run_bundle(samples, bundle, fit_group(samples, cells[0].group, None, True))
        assert (first.search_seconds, first.chosen) == (0.0, {})
        assert second.search_seconds > 0

    def test_differ_in_the_inference_mode_of_their_rules(self, cells_of):
        samples, cells = cells_of(LIST, AGGREGATE)
        results = run_bundle(samples, Bundle(tuple(cells)), fit_group(samples, cells[0].group, None, True))
        assert [each.ruleset["inference"]["name"] for each in results] == ["decision-list", "aggregate"]


class TestFits:
    @pytest.fixture
    def n_fits(self, monkeypatch):
        """Counts how often rules are searched for."""
        counted = []
        run = Search.run
        monkeypatch.setattr(Search, "run", lambda *given: counted.append(0) or run(*given))
        return counted

    def test_are_made_once_for_each_configuration_and_inner_fold(self, cells_of, n_fits):
        samples, cells = cells_of(LIST, AGGREGATE, EITHER)
        fitted = fit_group(samples, cells[0].group, None, True)
        results = run_bundle(samples, Bundle(tuple(cells)), fitted)
        chosen = {tuple(value for name, value in each.chosen.items() if name != "inference") for each in results}
        assert len(n_fits) == 2 * 6 + len(chosen)

    def test_of_one_configuration_are_one_final_fit(self, cells_of, n_fits):
        samples, cells = cells_of(Variant("list", "rcprob"), Variant("all", "rcprob", {"inference": "aggregate"}))
        run_bundle(samples, Bundle(tuple(cells)), fit_group(samples, cells[0].group, None, True))
        assert len(n_fits) == 1


class HoldsBack(Laplace):
    """Counts every third sample, which the search must not see."""

    def hold_back(self, y):
        return np.arange(len(y)) % 3 == 0


LATER = [
    Variant("rcprob"),
    Variant("m", "rcprob", {"final_estimator": "m-estimate", "inference": "aggregate"}),
    Variant("soft", "rcprob", {"refine": "soft", "final_estimator": "answered"}),
    Variant("relist", "rcprob", {"refine": "relist"}),
    Variant("relist m", "rcprob", {"refine": "relist", "final_estimator": "m-estimate"}),
    Variant("held back", "rcprob", {"final_estimator": HoldsBack()}),
    Variant("grid", "rcprob", grid={"refine": ["relist", None], "final_estimator": ["answered", "m-estimate"]}),
    Variant("impossible", "rcprob", {"final_estimator": "answered", "inference": "aggregate"}),
]


class TestWorkShared:
    """Variants that differ after the loop over the trees."""

    @pytest.fixture
    def loops(self, monkeypatch):
        counted = []
        run = Search.run
        monkeypatch.setattr(Search, "run", lambda *given: counted.append(0) or run(*given))
        return counted

    @pytest.fixture
    def outcomes(self, cells_of):
        """Outcomes together and each alone, and the bundle."""

        def of(*variants, **changes):
            samples, cells = cells_of(*variants, **changes)
            (bundle,) = bundled(cells)
            fitted = fit_group(samples, bundle.group, None, True) if cells[0].uses_ensemble else None
            together = run_bundle(samples, bundle, fitted)
            return together, [run_bundle(samples, each, fitted)[0] for each in bundle.apart]

        return of

    @pytest.mark.parametrize("own", [{}, {"max_rules": 2}, {"ensemble": "tree"}, {"max_memory": "1GB"}], ids=str)
    def test_changes_no_result(self, outcomes, own):
        variants = [attrs.evolve(each, parameters=each.parameters | own) for each in LATER]
        together, alone = outcomes(*variants)
        assert [facts(each) for each in together[:-1]] == [facts(each) for each in alone[:-1]]
        assert len({facts(each) for each in together[:-1]}) > 4
        assert together[-1].error == alone[-1].error
        assert together[-1].kind == "InvalidParameterError"

    def test_is_the_loop_and_each_search(self, cells_of, loops, monkeypatch):
        refined = []
        refine = Relist.refine
        monkeypatch.setattr(Relist, "refine", lambda *given: refined.append(0) or refine(*given))
        samples, cells = cells_of(*LATER[:5])
        run_bundle(samples, Bundle(tuple(cells)), fit_group(samples, cells[0].group, None, True))
        assert (len(loops), len(refined)) == (1, 1)

    def test_is_no_loop_that_stops_elsewhere(self, cells_of, loops):
        """With a refine stage a loop leaves `max_rules` to that stage."""
        limited = [attrs.evolve(each, parameters=each.parameters | {"max_rules": 2}) for each in LATER[:5]]
        samples, cells = cells_of(*limited)
        run_bundle(samples, Bundle(tuple(cells)), fit_group(samples, cells[0].group, None, True))
        assert len(loops) == 2

    def test_is_no_loop_that_went_on_after_perfect_rules(self, outcomes, loops):
        perfect = {"search_score": AlwaysPerfect()}
        variants = [attrs.evolve(each, parameters=each.parameters | perfect) for each in LATER[:5]]
        together, alone = outcomes(*variants)
        assert list(map(facts, together)) == list(map(facts, alone))
        assert len(loops) == 2 + 5

    def test_is_no_search_that_the_clock_may_end(self, cells_of, loops):
        timed = [attrs.evolve(each, parameters=each.parameters | {"max_seconds": 60}) for each in LATER[:3]]
        samples, cells = cells_of(*timed)
        run_bundle(samples, Bundle(tuple(cells)), fit_group(samples, cells[0].group, None, True))
        assert len(loops) == 3

    def test_is_no_search_of_parts_that_only_look_alike(self, outcomes):
        """Two classes with the same name and parameters are two estimators."""
        variants = [
            Variant(name, "rcprob", {"final_estimator": like_laplace(plus)}) for name, plus in (("a", 1), ("b", 9))
        ]
        together, alone = outcomes(*variants)
        assert list(map(facts, together)) == list(map(facts, alone))
        assert facts(together[0]) != facts(together[1])

    def test_counts_in_full_in_the_time_of_each(self, cells_of, monkeypatch):
        clock = iter(range(10_000))
        monkeypatch.setattr("rulekit.study.fits.perf_counter", lambda: float(next(clock)))
        samples, cells = cells_of(*LATER[:5])
        results = run_bundle(samples, Bundle(tuple(cells)), fit_group(samples, cells[0].group, None, True))
        # Reading, the loop, the search and the estimate take one tick each, whoever used them first.
        assert [each.seconds for each in results] == [4.0] * 5


class TestFailure:
    def test_of_one_cell_is_not_that_of_the_others(self, cells_of, monkeypatch):
        measured = bundle_work.held_out_rules

        def failing(samples, model, *rest):
            if isinstance(model.ruleset_.inference, DecisionList):
                raise ValueError("no lists today")
            return measured(samples, model, *rest)

        monkeypatch.setattr(bundle_work, "held_out_rules", failing)
        samples, cells = cells_of(LIST, AGGREGATE)
        first, second = run_bundle(samples, Bundle(tuple(cells)), fit_group(samples, cells[0].group, None, True))
        assert first.error == "ValueError: no lists today"
        assert second.measures["n_rules"] > 0

    def test_of_a_fit_is_that_of_all_who_ask_for_it(self, cells_of, monkeypatch):
        monkeypatch.setattr(Search, "run", lambda *_: 1 / 0)
        samples, cells = cells_of(LIST, AGGREGATE)
        found = run_bundle(samples, Bundle(tuple(cells)), fit_group(samples, cells[0].group, None, True))
        assert [each.kind for each in found] == ["ZeroDivisionError"] * 2

    def test_of_the_group_is_that_of_all(self, cells_of):
        samples, cells = cells_of(LIST, AGGREGATE)
        failure = Failure("ValueError", "no", "")
        assert run_bundle(samples, Bundle(tuple(cells)), failure) == [failure, failure]


class Stopping:
    """Stops a study after some cells."""

    def __init__(self, after):
        self.ran, self.after = [], after

    def begin(self, *_):
        pass

    def finished(self, cell, result, n_cells):
        self.ran.append(cell.labels["variant"])
        if len(self.ran) == self.after:
            raise KeyboardInterrupt


@pytest.fixture(scope="module")
def study(folder):
    variants = [attrs.evolve(each, grid={"min_precision": [0.3, 0.8]}) for each in (LIST, AGGREGATE)]
    ensembles = [Ensemble("gbm", parameters={"n_estimators": 3})]
    return small_study(folder, datasets=["one"], variants=variants, ensembles=ensembles)


@pytest.fixture(scope="module")
def finished(study, folder):
    run_study(study, folder / "bundles.sqlite", n_jobs=1)
    return folder / "bundles.sqlite"


class TestAStudy:
    @pytest.mark.parametrize("position", [0, 1])
    def test_gives_the_same_whichever_of_the_cells_were_there_before(self, study, finished, tmp_path, position):
        path = tmp_path / "study.sqlite"
        run_study(attrs.evolve(study, variants=[study.variants[position]]), path, n_jobs=1)
        assert run_study(study, path, n_jobs=1).n_before == 4
        assert contents(path) == contents(finished)

    def test_that_was_stopped_within_a_bundle_goes_on_with_the_rest_of_it(self, study, finished, tmp_path):
        path, watch, again = tmp_path / "study.sqlite", Stopping(3), Stopping(None)
        with pytest.raises(KeyboardInterrupt):
            run_study(study, path, n_jobs=1, watcher=watch)
        assert watch.ran == ["ensemble", "ensemble", "list"]
        run_study(study, path, n_jobs=1, watcher=again)
        assert again.ran == ["all", "list", "all"]
        assert contents(path) == contents(finished)
