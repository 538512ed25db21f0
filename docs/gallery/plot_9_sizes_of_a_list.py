"""
A list of every size
====================

How many rules are enough? RCList keeps the list that deletion passes through at every length, and a single tree with as
many leaves stands beside each of them. Which digits have a closed loop? No rule has more than four conditions.
"""

from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

import rulekit
from rulekit import plots

X, y = load_digits(return_X_y=True, as_frame=True)
y = y.isin([0, 6, 8, 9]).map({True: "closed loop", False: "none"})
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)

forest = RandomForestClassifier(100, max_depth=5, random_state=0).fit(X_train, y_train)
model = rulekit.build("rclist", forest, max_conditions=4, random_state=0).fit(X_train, y_train)

# %%
# The left end is a list of one rule, the right end the list that the search found. The dotted lines are the forest.

ax = plots.list_path(model, X_test, y_test, train=(X_train, y_train))

# %%
# Where the curve becomes flat, more rules are no better. The model with a shorter list needs no other search.

short = model.with_rules(10)
print(short.ruleset_)
