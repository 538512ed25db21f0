"""The public RuleCOSI+ code, by the authors of the method."""

from operator import le
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers.peer import Peer, PlainRule


class RuleCosi(Peer):
    """RuleCOSI+, held against `rc+`, whose rules must be the same.

    Where conditions tie in every respect, such as thresholds that differ in their last bit, that code goes by the order
    of a set, which depends on memory addresses. Its rules can then differ from one process to the next, and so from
    those of `rc+`: spambase with a random forest is such a case.
    """

    name: ClassVar[str] = "rulecosi"
    module: ClassVar[str] = "rulecosi"
    install: ClassVar[str] = "pip install git+https://github.com/jobregon1212/rulecosi"
    method: ClassVar[str] = "rc+"
    # That code leaves in a rule the conditions that a tighter one of the same rule makes redundant.
    options: ClassVar[dict[str, Any]] = {"simplify__drop_redundant": False}
    time_limit: ClassVar[float] = 3600.0

    def refuses(self, ensemble: str, n_classes: int) -> str:
        """Boosting of several classes, whose rules do not compare."""
        is_other = ensemble == "GBM" and n_classes > 2
        return "treats boosting of several classes differently" if is_other else ""

    def extract(self, ensemble: Any, X: NDArray[np.float64], y: NDArray[Any]) -> Any:
        """Its classifier, fitted with the thresholds that are rulekit's defaults."""
        from rulecosi import RuleCOSIClassifier

        names = [f"x{feature}" for feature in range(X.shape[1])]
        model = RuleCOSIClassifier(
            base_ensemble=ensemble,
            conf_threshold=0.5,
            cov_threshold=0.0,
            c=0.25,
            rule_order="supp",
            random_state=0,
            column_names=names,
        )
        return model.fit(X, y)

    def n_rules(self, extracted: Any) -> int:
        """Number of rules, the default rule included."""
        return len(extracted.simplified_ruleset_.rules)

    def rules(self, extracted: Any) -> list[PlainRule]:
        """Its rules in order."""
        return [_plain(rule) for rule in extracted.simplified_ruleset_.rules]


def _plain(rule: Any) -> PlainRule:
    # The default rule's antecedent holds no (id, condition) pairs.
    conditions = [entry[1] for entry in rule.A if isinstance(entry, tuple)]
    limits = frozenset((each.att_index, each.op is le, each.value) for each in conditions)
    return limits, np.asarray(rule.y).ravel().tolist()[0]
