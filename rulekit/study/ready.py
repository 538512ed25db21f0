"""Studies that are run by their name: found among the registered components, and recognised in results."""

from collections.abc import Sequence

from rulekit.core.errors import InvalidParameterError, UnknownComponentError
from rulekit.core.interfaces import ReadyStudy
from rulekit.plugin.manager import plugins
from rulekit.study.definition import Study

KIND = "study"
#: Studies of distributions that are installed separately.
ELSEWHERE = {"paper": "rulekit-paper-study"}


def ready_names() -> list[str]:
    """Names of the studies that are installed."""
    return [component.name for component in plugins().registry.of_kind(KIND)]


def ready_study(name: str, profile: str | None) -> tuple[Study, Sequence[str]]:
    """The study of that name, and notes to print before it runs.

    Parameters
    ----------
    name : str
        Under which a plugin has registered it.
    profile : str or None
        Profile to run, if it has several.
    """
    if name not in ready_names():
        raise UnknownComponentError(missing_study(name))
    found = _made(name)
    if profile is None and found.profiles:
        raise InvalidParameterError(
            f"The study {name!r} has several profiles. Choose one: --profile {_either(found.profiles)}."
        )
    if profile is not None and profile not in found.profiles:
        raise InvalidParameterError(
            f"The study {name!r} has no profile {profile!r}. Known: {', '.join(found.profiles) or 'none'}."
        )
    return Study.from_dict({"name": _called(name, profile), **found.definition(profile)}), found.notes(profile)


def ready_study_of(results: str) -> tuple[ReadyStudy, str | None] | None:
    """The installed study that results belong to, and its profile; None if there is none.

    Parameters
    ----------
    results : str
        Name of the study of the results.
    """
    for name in ready_names():
        found = _made(name)
        for profile in found.profiles or (None,):
            if results == _called(name, profile):
                return found, profile
    return None


def missing_study(name: str) -> str:
    """The message for a study that is not installed."""
    if name in ELSEWHERE:
        return f"The study {name!r} is not installed: pip install {ELSEWHERE[name]}."
    known = ", ".join(ready_names()) or "none"
    return f"No file or installed study is named {name!r}. Installed studies: {known}."


def missing_study_of(results: str) -> str | None:
    """The name of the study that results seem to belong to, if it is not installed; else None."""
    known = [name for name in ELSEWHERE if name not in ready_names()]
    return next((name for name in known if results.startswith(f"{name}-")), None)


def _made(name: str) -> ReadyStudy:
    made: ReadyStudy = plugins().registry.create(KIND, name)
    return made


def _called(name: str, profile: str | None) -> str:
    return name if profile is None else f"{name}-{profile}"


def _either(names: Sequence[str]) -> str:
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
