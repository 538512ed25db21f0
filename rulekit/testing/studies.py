"""What ready-made studies promise."""

import json
from typing import Any

import attrs

from rulekit.core.interfaces import ReadyStudy
from rulekit.testing.comparison import Answer
from rulekit.testing.conformance import expect, promise
from rulekit.testing.every_component import Usage
from rulekit.testing.seam import Seam, shared_checks

_NAME = "conformance"


@attrs.frozen
class Chosen:
    """A profile of a study that is checked."""

    profile: str | None

    @property
    def name(self) -> str:
        """Its name in messages."""
        return "without a profile" if self.profile is None else f"profile {self.profile!r}"


def chosen(study: ReadyStudy) -> list[Chosen]:
    """Every profile of a study, or None if it has none."""
    return [Chosen(profile) for profile in study.profiles or (None,)]


@promise
def check_profiles_are_names(study: Any) -> None:
    """`profiles` is a tuple of distinct names, empty if there is nothing to choose."""
    profiles = study.profiles
    expect(isinstance(profiles, tuple), f"profiles is {profiles!r}, not a tuple.")
    expect(all(isinstance(each, str) and each for each in profiles), f"profiles is {profiles!r}, not only names.")
    expect(len(set(profiles)) == len(profiles), f"profiles is {profiles!r}: a name occurs twice.")


@promise
def check_definitions_are_studies(study: Any) -> None:
    """`definition` returns a valid study for every profile."""
    from rulekit.study import Study

    for each in chosen(study):
        Study.from_dict({"name": _NAME, **study.definition(each.profile)})


@promise
def check_parts_can_be_made(study: Any) -> None:
    """Every variant and ensemble of a definition can be made from installed components."""
    from rulekit.study import Study
    from rulekit.study.checks import check_parts

    for each in chosen(study):
        check_parts(Study.from_dict({"name": _NAME, **study.definition(each.profile)}))


@promise
def check_definitions_have_no_name(study: Any) -> None:
    """A definition has no `name`: rulekit adds it, and recognises results by it."""
    for each in chosen(study):
        found = study.definition(each.profile).get("name")
        expect(found is None, f"{each.name}: the name {found!r}.")


@promise
def check_definitions_are_plain(study: Any) -> None:
    """A definition consists of strings, numbers, lists and dicts, like a study's file, and survives JSON."""
    for each in chosen(study):
        definition = study.definition(each.profile)
        expect(isinstance(definition, dict), f"{each.name}: {definition!r} is not a dict.")
        expect(json.loads(json.dumps(definition)) == definition, f"{each.name}: JSON returns another definition.")


@promise
def check_definitions_are_copies(study: Any) -> None:
    """Changing a returned definition does not change the next one."""
    for each in chosen(study):
        expected = json.dumps(study.definition(each.profile))
        _scribble(study.definition(each.profile))
        expect(json.dumps(study.definition(each.profile)) == expected, f"{each.name}: the change is still there.")


@promise
def check_notes_are_sentences(study: Any) -> None:
    """`notes` returns a sequence of sentences to print, which may be empty."""
    for each in chosen(study):
        notes = study.notes(each.profile)
        expect(not isinstance(notes, str), f"{each.name}: notes is one string, {notes!r}, not a sequence of strings.")
        expect(all(isinstance(note, str) for note in notes), f"{each.name}: notes is {notes!r}, not only strings.")


@promise
def check_apart_has_reasons(study: Any) -> None:
    """`apart` gives a reason for each dataset that is left out of means and tests."""
    for dataset, reason in study.apart.items():
        expect(isinstance(reason, str) and reason.strip(), f"{dataset!r} has the reason {reason!r}.")


@promise
def check_sections_need_no_published_figures(study: Any) -> None:
    """Without a folder of published figures, `sections` returns report sections, or an empty sequence."""
    import pandas as pd

    from rulekit.study.report import Section
    from rulekit.study.statistics import KEYS

    nothing = pd.DataFrame(columns=[*KEYS, "status", "error"])
    for each in chosen(study):
        found = study.sections(nothing, (), profile=each.profile, published=None)
        expect(all(isinstance(section, Section) for section in found), f"{each.name}: {found!r}.")


def _scribble(value: Any) -> None:
    """Change everything in a definition that can be changed."""
    if isinstance(value, dict):
        for inner in value.values():
            _scribble(inner)
        value["scribble"] = 0
    elif isinstance(value, list):
        for inner in value:
            _scribble(inner)
        value.append("scribble")


def _answer(study: Any, _case: Chosen) -> Answer:
    """All definitions: a study is not fitted, and has its own profiles."""
    return {"definitions": {each.name: study.definition(each.profile) for each in chosen(study)}}


SEAM = Seam(
    "study",
    ReadyStudy,
    (
        check_profiles_are_names,
        check_definitions_are_studies,
        check_parts_can_be_made,
        check_definitions_have_no_name,
        check_definitions_are_plain,
        check_definitions_are_copies,
        check_notes_are_sentences,
        check_apart_has_reasons,
        check_sections_need_no_published_figures,
        *shared_checks(Usage(lambda: [Chosen(None), Chosen(None)], _answer, _answer)),
    ),
)
