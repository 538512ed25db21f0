"""Studies that break a promise are caught, by the check that is meant for it."""

from types import MappingProxyType

import pytest
from testing.catching import assert_caught, assert_every_check_is_tried, assert_only_caught
from testing.test_every_component import SHARED

from rulekit.core.interfaces import ReadyStudy
from rulekit.testing import check_ready_study


class Quick(ReadyStudy):
    """Keeps every promise."""

    def definition(self, profile):
        return {"datasets": ["sklearn:iris"], "ensembles": {"rf": {}}, "variants": {"rcprob": {}}}


class Sizes(Quick):
    profiles = ("small", "large")

    def definition(self, profile):
        return {**super().definition(profile), "seed": self.profiles.index(profile)}


class TwiceTheSame(Quick):
    profiles = ("small", "small")


class NoStudy(Quick):
    def definition(self, profile):
        return {**super().definition(profile), "splits": 3}


class UnknownPart(Quick):
    def definition(self, profile):
        return {**super().definition(profile), "variants": {"rcprob": {"parameters": {"no_such": 1}}}}


class Named(Quick):
    def definition(self, profile):
        return {**super().definition(profile), "name": "mine"}


class Tuples(Quick):
    def definition(self, profile):
        return {**super().definition(profile), "datasets": ("sklearn:iris",)}


SHARED_DEFINITION = Quick().definition(None)


class Fractions(Quick):
    def definition(self, profile):
        return SHARED_DEFINITION


class OneNote(Quick):
    def notes(self, profile):
        return "nothing"


class NoReason(Quick):
    apart = MappingProxyType({"iris": " "})


class NeedsFigures(Quick):
    def sections(self, results, rulesets, *, profile=None, published=None):
        return [str(published)]


CASES = [
    (TwiceTheSame(), "check_profiles_are_names", "a name occurs twice"),
    (NoStudy(), "check_definitions_are_studies", "splits"),
    (UnknownPart(), "check_parts_can_be_made", "no_such"),
    (Named(), "check_definitions_have_no_name", "without a profile: the name 'mine'."),
    (Tuples(), "check_definitions_are_plain", "JSON returns another definition"),
    (Fractions(), "check_definitions_are_copies", "the change is still there"),
    (OneNote(), "check_notes_are_sentences", "notes is one string, 'nothing'"),
    (NoReason(), "check_apart_has_reasons", "'iris' has the reason ' '"),
    (NeedsFigures(), "check_sections_need_no_published_figures", "['None']"),
]


@pytest.fixture(autouse=True)
def _whole():
    """What a check has scribbled on is whole again for the next test."""
    SHARED_DEFINITION.clear()
    SHARED_DEFINITION.update(Quick().definition(None))


@pytest.mark.parametrize("study", [Quick(), Sizes()])
def test_a_study_that_keeps_its_promises_passes(study):
    check_ready_study(study)


@pytest.mark.parametrize(("study", "check", "got"), CASES)
def test_a_broken_promise_is_caught(study, check, got):
    assert_caught(check, study, got)


@pytest.mark.parametrize(
    ("study", "check"), [case[:2] for case in CASES if not isinstance(case[0], NoStudy | Fractions)]
)
def test_no_other_check_fails_for_it(study, check):
    assert_only_caught(check, study)


def test_every_check_is_tried():
    assert_every_check_is_tried(CASES, Quick(), elsewhere=SHARED)
