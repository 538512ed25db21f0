"""
Pictures of rules
=================

What each rule covers and how often it is right, which rules cover the same samples, what the search did with each tree,
and where in the plane of two features which class is predicted.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

import rulekit
from rulekit import plots

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X_train, X_test, y_train, y_test = train_test_split(X, y.map({0: "malignant", 1: "benign"}), random_state=0)
forest = RandomForestClassifier(50, max_depth=4, random_state=0)
model = rulekit.build("rclist", forest, max_rules=6, random_state=0).fit(X_train, y_train)

# %%
# Rules that hold on their training samples hold less often on others, and few of these reach the later rules.

ax = plots.coverage_and_precision(model.ruleset_, X_test, y_test)

# %%
# Rules of one class cover much the same samples. Where rules of different classes overlap, their order decides.

ax = plots.rule_overlap(model.ruleset_, X_test)

# %%
# Most trees lead to rules that are no better than those before.

ax = plots.search_history(model.history_)

# %%
# Other features than the two have their medians in the picture; here there are no others.

two = ["worst area", "worst concave points"]
small = rulekit.build("rclist", forest, max_rules=6, random_state=0).fit(X_train[two], y_train)
ax = plots.decision_regions(small.ruleset_, X_train[two], y_train, features=("worst area", "worst concave points"))
