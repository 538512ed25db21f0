"""What is drawn is what was computed, on the axes that were given."""

import re
import sys

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure
from ruleset.handmade import handmade
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import rulekit
from rulekit import evaluation, plots
from rulekit.core.errors import InvalidParameterError, MissingExtraError, NoPathError
from rulekit.evaluation.predicted import band_fractions
from rulekit.plots.regions import regions

mpl.use("Agg")


@pytest.fixture
def ax():
    return Figure().subplots()


@pytest.fixture(scope="module")
def data():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return X.set_axis(["sl", "sw", "pl", "pw"], axis=1), y.map({0: "setosa", 1: "versicolor", 2: "virginica"})


@pytest.fixture(scope="module")
def model(data):
    X, y = data
    forest = RandomForestClassifier(10, max_depth=3, random_state=0)
    return rulekit.build("rcprob", forest).fit(X[::2], y[::2])


@pytest.fixture(scope="module")
def relisted(data):
    X, y = data
    forest = RandomForestClassifier(10, max_depth=3, random_state=0)
    return rulekit.build("rclist", forest, refine="relist").fit(X[::2], y[::2])


def drawings(model, X, y):
    return {
        "list_path": lambda **where: plots.list_path(
            rulekit.build("rclist", model.ensemble_, refine="relist").fit(X[::2], y[::2]), X, y, **where
        ),
        "reliability": lambda **where: plots.reliability(model, X, y, **where),
        "predicted_probabilities": lambda **where: plots.predicted_probabilities(model.ruleset_, **where),
        "coverage_and_precision": lambda **where: plots.coverage_and_precision(model.ruleset_, X, y, **where),
        "rule_overlap": lambda **where: plots.rule_overlap(model.ruleset_, X, **where),
        "search_history": lambda **where: plots.search_history(model.history_, **where),
        "decision_regions": lambda **where: plots.decision_regions(
            model.ruleset_, X, y, features=("pl", "pw"), n_points=20, **where
        ),
    }


@pytest.mark.parametrize("name", plots.__all__)
class TestAll:
    def test_it_draws_on_the_axes_that_are_given(self, name, model, data, ax):
        assert drawings(model, *data)[name](ax=ax) is ax

    def test_it_makes_a_figure_if_none_is_given(self, name, model, data, tmp_path):
        import matplotlib.pyplot as plt

        figure = drawings(model, *data)[name]().figure
        figure.savefig(tmp_path / "drawn.png")
        plt.close(figure)
        assert (tmp_path / "drawn.png").stat().st_size > 5000

    def test_it_says_what_the_axes_are(self, name, model, data, ax):
        drawings(model, *data)[name](ax=ax)
        assert ax.get_xlabel()
        assert ax.get_ylabel() or name == "coverage_and_precision"

    def test_it_leaves_no_setting_behind(self, name, model, data, ax):
        before = dict(mpl.rcParams)
        drawings(model, *data)[name](ax=ax)
        assert dict(mpl.rcParams) == before


def heights(ax) -> list[float]:
    return [bar.get_height() for bars in ax.containers for bar in bars]


class TestReliability:
    def test_dots_are_what_came_true_and_bars_the_shares(self, model, data, ax):
        X, y = data
        bins = evaluation.reliability(y, model.predict_proba(X), model.classes_)
        plots.reliability(model, X, y, ax=ax)
        np.testing.assert_array_equal(ax.collections[0].get_offsets(), bins[["confidence", "accuracy"]])
        assert heights(ax) == bins["fraction"].tolist()

    def test_a_ruleset_will_do(self, model, data, ax):
        X, y = data
        plots.reliability(model.ruleset_, X, y, n_bins=5, ax=ax)
        bins = evaluation.reliability(y, model.predict_proba(X), model.classes_, n_bins=5)
        assert heights(ax) == bins["fraction"].tolist()


class TestListPath:
    def test_training_curves_are_those_of_the_path_without_samples(self, relisted, ax):
        plots.list_path(relisted, ax=ax)
        frame = relisted.path_.to_frame()
        (loss,), (score,) = ax.lines, ax.figure.axes[-1].lines
        assert loss.get_xdata().tolist() == frame["n_rules"].tolist()
        assert loss.get_ydata().tolist() == frame["log_loss"].tolist()
        assert score.get_ydata().tolist() == frame["macro_f1"].tolist()

    def test_held_out_curves_are_those_of_the_models_with_ensemble_and_trees_beside_them(self, relisted, data, ax):
        X, y = (part[1::2] for part in data)
        plots.list_path(relisted, X, y, train=tuple(part[::2] for part in data), ax=ax)
        rules, trees, ensemble = (line.get_ydata().tolist() for line in ax.lines)
        classes = relisted.classes_
        expected = [
            evaluation.log_loss(y, relisted.with_rules(step.n_rules).predict_proba(X), classes)
            for step in relisted.path_
        ]
        assert rules == expected
        assert set(ensemble) == {evaluation.log_loss(y, relisted.ensemble_.predict_proba(X), classes)}
        grown = DecisionTreeClassifier(max_leaf_nodes=2, random_state=0).fit(*(part[::2] for part in data))
        leaves = grown.apply(data[0][::2])
        predicted = np.array(
            [
                [1 + sum((leaves == leaf) & (data[1][::2] == label)) for label in classes] / (3 + sum(leaves == leaf))
                for leaf in grown.apply(X)
            ]
        )
        assert trees[0] == pytest.approx(evaluation.log_loss(y, predicted, classes))

    def test_a_model_without_a_path_is_an_error(self, model, ax):
        with pytest.raises(NoPathError, match="no path_"):
            plots.list_path(model, ax=ax)


class TestPredicted:
    def test_bars_are_the_shares_of_the_bands(self, model, ax):
        plots.predicted_probabilities({"a": model.ruleset_, "b": handmade()}, ax=ax)
        predicted = [[rule.probability for rule in each[:-1]] for each in (model.ruleset_, handmade())]
        expected = np.concatenate([100 * band_fractions(np.array(each)) for each in predicted])
        np.testing.assert_allclose(heights(ax), expected)

    def test_one_ruleset_needs_no_legend(self, model, ax):
        assert plots.predicted_probabilities(model.ruleset_, ax=ax).get_legend() is None


class TestQuality:
    def test_bars_are_coverages_and_points_precisions_and_predicted_probabilities(self, ax):
        rules = list(handmade())
        plots.coverage_and_precision(handmade(), ax=ax)
        assert [bar.get_width() for bar in ax.patches] == [rule.coverage for rule in rules]
        assert ax.containers[1].lines[0].get_xdata().tolist() == [rule.precision for rule in rules]
        ends = np.array([segment[:, 0] for segment in ax.containers[1].lines[2][0].get_segments()])
        np.testing.assert_allclose(ends, [rule.interval for rule in rules])
        predicted = next(points for points in ax.collections if points.get_label() == "predicted probability")
        assert predicted.get_offsets()[:, 0].tolist() == [rule.probability for rule in rules]

    def test_points_of_a_decision_list_are_precisions_of_the_answered_samples(self, ax):
        ruleset = handmade(answered=[[4, 28], [0, 0], [36, 12]])
        plots.coverage_and_precision(ruleset, ax=ax)
        np.testing.assert_array_equal(ax.containers[1].lines[0].get_xdata(), [28 / 32, np.nan, 0.75])
        ends = [segment[:, 0] for segment in ax.containers[1].lines[2][0].get_segments() if len(segment)]
        np.testing.assert_allclose(ends, [ruleset[0].answered_interval, ruleset[2].answered_interval])
        assert "answered precision, 95 % interval" in ax.get_legend_handles_labels()[1]

    def test_held_out_precisions_are_those_of_the_diagnostics(self, model, data, ax):
        X, y = data
        diagnostics = evaluation.rule_diagnostics(model.ruleset_, X, y).query("n_fired > 0")
        plots.coverage_and_precision(model.ruleset_, X, y, ax=ax)
        drawn = ax.collections[-1].get_offsets()
        np.testing.assert_array_equal(drawn[:, 0], diagnostics["held_out_precision"])
        np.testing.assert_array_equal(drawn[:, 1], diagnostics.index - 1)

    def test_long_rulesets_are_cut(self, model, data, ax):
        plots.coverage_and_precision(model.ruleset_, *data, max_rules=2, ax=ax)
        assert len(ax.get_yticks()) == 2


class TestOverlap:
    def test_shares_are_those_of_a_loop(self, model, data):
        X, _ = data
        matches = model.ruleset_.matches(X)
        overlap = evaluation.rule_overlap(model.ruleset_, X)
        for i, row in enumerate(matches):
            for j, other in enumerate(matches):
                both, own = sum(a and b for a, b in zip(row, other, strict=True)), sum(row)
                assert overlap.iloc[i, j] == (both / own if own else pytest.approx(np.nan, nan_ok=True))

    def test_pairs_of_one_class_and_conflicts_are_drawn_apart(self, model, data, ax):
        plots.rule_overlap(model.ruleset_, data[0], ax=ax)
        fractions = evaluation.rule_overlap(model.ruleset_, data[0]).to_numpy()
        labels = np.array([rule.label for rule in model.ruleset_[:-1]])
        same, conflict = (np.ma.filled(image.get_array(), np.nan) for image in ax.images)
        is_same = labels[:, None] == labels
        np.testing.assert_array_equal(same, np.where(is_same & (fractions > 0), fractions, np.nan))
        np.testing.assert_array_equal(conflict, np.where(~is_same & (fractions > 0), fractions, np.nan))


class TestHistory:
    def test_lines_are_candidates_sizes_and_scores(self, model, ax):
        plots.search_history(model.history_, ax=ax)
        candidates, sizes = (line.get_ydata().tolist() for line in ax.lines)
        scores, accepted = (line.get_ydata().tolist() for line in ax.figure.axes[-1].lines)
        assert candidates == [step.n_candidates for step in model.history_]
        assert sizes == [step.n_after_simplify for step in model.history_]
        assert scores == [step.score for step in model.history_]
        assert accepted == [step.score for step in model.history_ if step.accepted]

    def test_the_axis_names_no_score_because_any_can_be_chosen(self, model, ax):
        plots.search_history(model.history_, ax=ax)
        assert ax.figure.axes[-1].get_ylabel() == "Search score on training samples"


class TestRegions:
    def test_the_grid_answers_as_the_rules_do(self, model, data):
        X, _ = data
        found = regions(model.ruleset_, X, ("pw", "pl"), 15)
        middle = X.median()
        for row, pl in enumerate(found.y):
            for column, pw in enumerate(found.x):
                sample = middle.copy()
                sample["pl"], sample["pw"] = pl, pw
                predicted = model.ruleset_.predict_proba(sample.to_frame().T)[0]
                assert (predicted.argmax(), predicted.max()) == (
                    found.classes[row, column],
                    found.probabilities[row, column],
                )

    def test_samples_are_drawn_by_class(self, model, data, ax):
        X, y = data
        plots.decision_regions(model.ruleset_, X, y, features=("pl", "pw"), n_points=5, ax=ax)
        drawn = {points.get_label(): len(points.get_offsets()) for points in ax.collections}
        assert drawn == y.value_counts().to_dict()

    @pytest.mark.parametrize("features", [("pl", "age"), ("pl", "pl"), ("pl",)])
    def test_other_features_are_rejected(self, model, data, features):
        with pytest.raises(InvalidParameterError, match=r"^features must be two of 'sl', 'sw', 'pl', 'pw', got \('pl'"):
            regions(model.ruleset_, data[0], features)


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    for name in ("matplotlib", "matplotlib.pyplot"):
        monkeypatch.setitem(sys.modules, name, None)
    expected = "Plots need matplotlib, which is not installed: pip install 'rulekit-rcprob[plots]'."
    with pytest.raises(MissingExtraError, match=f"^{re.escape(expected)}$"):
        plots.search_history([])
