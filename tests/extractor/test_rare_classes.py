"""A class of 2 % is found: the ranking is no worse than that of a tree with as many leaves."""

import pandas as pd
import pytest
from benchmark_data import find_mixed_folder
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

import rulekit


@pytest.mark.parametrize("split", range(2))
def test_on_mammography_the_area_under_the_curve_is_at_most_5_points_below_a_tree_of_equal_size(split):
    table = pd.read_csv(find_mixed_folder() / "mammography.csv")
    X, X_test, y, y_test = train_test_split(
        table.drop(columns="target"), table["target"], test_size=0.3, stratify=table["target"], random_state=split
    )
    boosting = GradientBoostingClassifier(n_estimators=40, max_depth=3, random_state=0).fit(X, y)
    for min_coverage in (0.0, 0.01):
        model = rulekit.build("rclist", boosting, min_coverage=min_coverage, random_state=0).fit(X, y)
        tree = DecisionTreeClassifier(max_leaf_nodes=max(2, len(model.ruleset_)), random_state=0).fit(X, y)
        areas = [roc_auc_score(y_test == model.classes_[0], each.predict_proba(X_test)[:, 0]) for each in (model, tree)]
        assert areas[0] > areas[1] - 0.05
        assert any(rule.label == "calcification" for rule in model.ruleset_)
