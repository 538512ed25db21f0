"""Export formats that break a promise are caught, by the check that is meant for it."""

from itertools import count

import pytest
from testing.catching import assert_caught, assert_every_check_is_tried, assert_only_caught, of_one_fault
from testing.test_every_component import SHARED

from rulekit.core.errors import ExportError
from rulekit.core.interfaces import Exporter
from rulekit.testing import check_exporter


class Lines(Exporter):
    """One line per rule; keeps every promise."""

    suffix = ".txt"

    def __init__(self, mark="."):
        self.mark = mark

    def export(self, ruleset):
        return "".join(f"{rule}{self.mark}\n" for rule in ruleset).encode()


class NumbersOnly(Lines):
    """Does not support categories, and raises for them; keeps every promise."""

    def export(self, ruleset):
        if ruleset.conditions.categories.by_feature:
            raise ExportError("No categories.")
        return super().export(ruleset)


class AsString(Lines):
    def export(self, ruleset):
        return super().export(ruleset).decode()


class Nothing(Lines):
    def export(self, ruleset):
        return b"" if len(ruleset) > 1 else super().export(ruleset)


class Never(Lines):
    def export(self, ruleset):
        if len(ruleset) > 1:
            raise ExportError("Too many.")
        return super().export(ruleset)


class Rounds(Lines):
    """Rounds the ruleset's own probabilities."""

    def export(self, ruleset):
        ruleset.probabilities.setflags(write=True)
        ruleset.probabilities[:] = ruleset.probabilities.round(2)
        return super().export(ruleset)


class Counts(Lines):
    def export(self, ruleset):
        return f"{len(ruleset) > 1} rules".encode()


class NeedsARule(Lines):
    def export(self, ruleset):
        return super().export(ruleset) + str(ruleset[:-1][0]).encode()


class WithoutADot(Lines):
    suffix = "txt"


class TakesAPath(Lines):
    def __init__(self, path=""):
        self.path = path

    def export(self, ruleset):
        return Lines().export(ruleset)


class NeedsAnOption(TakesAPath):
    def __init__(self, title):
        self.title = title


class Numbered(Lines):
    """Numbers the files that it writes."""

    numbers = count()

    def export(self, ruleset):
        return super().export(ruleset) + str(next(self.numbers)).encode()


BROKEN = [
    (AsString(), "check_content_is_bytes", "two classes: an object of type str."),
    (Nothing(), "check_content_is_bytes", "two classes: an empty file."),
    (Never(), "check_content_is_bytes", "an ExportError for each of these rulesets: two classes, three classes"),
    (Rounds(), "check_ruleset_is_not_changed", "two classes: the ruleset differs from what it was."),
    (Counts(), "check_rules_are_written", "two classes: the same file for two different rulesets."),
    (NeedsARule(), "check_no_rules", "IndexError: list index out of range"),
    (WithoutADot(), "check_suffix", "'txt'."),
    (TakesAPath(), "check_options", "an option called path."),
    (NeedsAnOption("Rules"), "check_options", "no default for title."),
    (Numbered(), "check_same_seed_same_result", "the second time: digests of the content are"),
]
#: What is no bytes has no digest, an empty file is the same for all, and numbers run on in every comparison.
SPOILING_MORE = (AsString, Nothing, Numbered)


@pytest.mark.parametrize(("component", "check", "got"), BROKEN, ids=lambda value: str(value)[:40])
def test_a_broken_format_is_caught(component, check, got):
    assert_caught(check, component, got)


@pytest.mark.parametrize(
    ("component", "check", "got"), of_one_fault(BROKEN, SPOILING_MORE), ids=lambda value: str(value)[:40]
)
def test_no_other_check_fails_for_a_broken_format(component, check, got):
    assert_only_caught(check, component)


def test_every_check_catches_something():
    assert_every_check_is_tried(BROKEN, Lines(), elsewhere={*SHARED, "check_inputs_are_not_written_to"})


@pytest.mark.parametrize("component", [Lines(), Lines("!"), NumbersOnly()], ids=str)
def test_a_sound_format_passes(component):
    check_exporter(component)
