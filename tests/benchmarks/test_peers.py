import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

import rulekit
from benchmarks.cases import Case
from benchmarks.peers import PEERS, Finding, Peer, RuleCosi, RuleOpt, TE2Rules
from benchmarks.peers.peer import run as run_peer
from benchmarks.runs import peers


class Absent(Peer):
    name, module, install = "absent", "no_such_module", "pip install absent"

    def extract(self, ensemble, X, y):
        raise NotImplementedError

    def n_rules(self, extracted):
        raise NotImplementedError


class Counting(Peer):
    """Finds one rule per tree, and remembers what it was given."""

    name, module, install = "counting", "sklearn", "pip install scikit-learn"

    def __init__(self):
        self.n_trees = []

    def extract(self, ensemble, X, y):
        self.n_trees.append(len(ensemble.estimators_))
        return ensemble.estimators_

    def n_rules(self, extracted):
        return len(extracted)


@pytest.fixture(scope="module")
def case():
    X, y = load_breast_cancer(return_X_y=True)
    return Case("cancer", "RF", RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, y), X, y)


def test_an_absent_peer_is_named_with_the_command_that_installs_it(monkeypatch, tiny_settings):
    monkeypatch.setattr(peers, "PEERS", (Absent(),))
    (row,) = peers.run(tiny_settings)
    assert (row.case, row.value, row.detail) == ("absent", None, "not installed: pip install absent")


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.name)
def test_every_peer_says_how_it_is_installed(peer):
    assert peer.install.startswith("pip install ")
    assert peer.name in peer.install


def test_a_peer_is_warmed_up_on_a_few_trees_and_then_timed(case):
    peer = Counting()
    finding = run_peer(peer, case.model, case.X, case.y, repeats=2)
    assert (finding.n_rules, peer.n_trees) == (5, [3, 5, 5])


def test_a_failure_is_reported_in_the_row(case, monkeypatch, tiny_settings):
    def fail(*arguments, **options):
        raise peers.FailedWorkError("ValueError: no")

    monkeypatch.setattr(peers, "isolated", fail)
    (row,) = peers._rows(RuleOpt(), case, tiny_settings)
    assert (row.value, row.detail) == (None, "failed: ValueError: no")


def test_a_peer_that_was_stopped_gives_a_lower_bound(case, monkeypatch, tiny_settings):
    def stop(*arguments, **options):
        raise peers.TimeLimitError("stopped after 300 s")

    monkeypatch.setattr(peers, "isolated", stop)
    (row,) = peers._rows(RuleOpt(), case, tiny_settings)
    assert row.value > 0
    assert row.detail.startswith("stopped after 300 s, so that this is a lower bound; 300.00 s / ")


def test_rules_of_the_public_code_are_held_against_those_of_rc_plus(case, monkeypatch, tiny_settings):
    ruleset = rulekit.build("rc+", case.model, **RuleCosi.options).fit(case.X, case.y).ruleset_
    found = peers.plain_rules(ruleset)
    monkeypatch.setattr(peers, "isolated", lambda *arguments, **options: Finding(1.0, len(found), found))
    rows = list(peers._rows(RuleCosi(), case, tiny_settings))
    assert [(row.measure, row.is_met) for row in rows] == [("rulecosi / rc+", None), ("same rules", True)]


def test_the_share_of_equal_rules_counts_places():
    first, second, third = [(frozenset({(feature, True, 0.5)}), 1) for feature in range(3)]
    assert peers.shared([first, second], [first, second]) == 1
    assert peers.shared([first, second], [first, third, second]) == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("peer", "ensemble", "n_classes", "is_refused"),
    [
        (RuleCosi(), "GBM", 4, True),
        (RuleCosi(), "RF", 4, False),
        (RuleOpt(), "GBM", 4, True),
        (TE2Rules(), "RF", 4, True),
        (TE2Rules(), "GBM", 2, False),
    ],
)
def test_a_peer_is_left_out_where_it_does_something_else(peer, ensemble, n_classes, is_refused):
    assert bool(peer.refuses(ensemble, n_classes)) == is_refused


def test_geometric_means_have_limits_only_where_every_dataset_was_measured():
    some = {("numpy", "RF"): {"pima": 10.0, "vehicle": 40.0}}
    whole = {("numpy", "GBM"): {"pima": 10.0, "spambase": 10.0, "htru2": 10.0}}
    rows = [*peers._mean_rows(some), *peers._mean_rows(whole)]
    assert [(row.value, row.limit) for row in rows] == [(pytest.approx(20), None), (pytest.approx(10), 10)]
